"""`suture.batch`: each row comes out once and in order, whatever is in it and whatever happens to its worker."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
from typing import TYPE_CHECKING, Any

import pytest
from tests.programs import Place

from suture.batch import REWARDS, RowLimits, reward, score, score_columns, score_rows, workers
from suture.batch.tables import read_rows

if TYPE_CHECKING:
    from pathlib import Path

TEXT = "def f(x):\n    return x\n"
PATCH = "*** Begin Patch\n*** Update File: a.py\n@@\n def f(x):\n-    return x\n+    return x + 1\n*** End Patch\n"
WANTED = "def f(x):\n    return x + 1\n"
LOOSE = PATCH.replace(" def f(x):", " def f(x):  ")


def row(number: int, **changes: Any) -> dict[str, Any]:
    return {"id": number, "text": TEXT, "edit": PATCH, "wanted": WANTED, **changes}


@pytest.mark.parametrize(
    ("values", "outcome", "codes"),
    [
        ({}, "equal", []),
        ({"files": {"a.py": TEXT}, "text": None, "wanted": {"a.py": WANTED}}, "equal", []),
        ({"wanted": None}, "equal", []),
        ({"edit": None, "old": "return x", "new": "return x + 1"}, "equal", []),
        ({"edit": LOOSE}, "equal_with_concessions", []),
        ({"wanted": TEXT}, "different", []),
        ({"text": "def g():\n    pass\n"}, "refused", ["patch_apply_error"]),
        ({"edit": "Sorry, I can't."}, "unreadable", ["patch_parse_error"]),
        ({"edit": None}, "unreadable", ["invalid_arguments"]),
        ({"edit": 5}, "unreadable", ["invalid_arguments"]),
        ({"text": None}, "unreadable", ["invalid_arguments"]),
        ({"text": 5}, "unreadable", ["invalid_arguments"]),
        ({"files": [TEXT], "text": None}, "unreadable", ["invalid_arguments"]),
        ({"files": {"a.py": 3}, "text": None}, "unreadable", ["invalid_arguments"]),
        ({"files": "{", "text": None}, "unreadable", ["invalid_arguments"]),
        ({"dialect": "klingon"}, "unreadable", ["invalid_arguments"]),
        ({"edit": None, "old": "x", "new": None}, "unreadable", ["invalid_arguments"]),
        ({"path": 3}, "unreadable", ["invalid_arguments"]),
    ],
)
def test_a_row_has_an_outcome(values: dict[str, Any], outcome: str, codes: list[str]) -> None:
    """What became of a row is one of five outcomes, and a reward is the value of the outcome."""
    scored = score(row(1, **values))
    assert (scored["outcome"], scored["codes"]) == (outcome, codes)
    assert reward(row(1, **values)) == REWARDS[outcome]
    assert json.loads(json.dumps(scored)) == scored


def test_what_is_no_object_is_a_row_with_a_problem() -> None:
    """`null` or a list in place of a row is not an exception."""
    assert score([1])["codes"] == ["invalid_arguments"]


def test_columns_are_scored_for_data_sets() -> None:
    """The batched form takes columns and gives columns of plain types."""
    columns = score_columns({"text": [TEXT, TEXT], "edit": [PATCH, "no"]}, texts=True)
    assert columns["outcome"] == ["equal", "unreadable"]
    assert json.loads(columns["files"][0]) == {"a.py": WANTED}


def test_rows_come_out_in_order_and_hostile_ones_have_problems() -> None:
    """Rows that are huge, deep, or no JSON cost their limit; the others don't notice."""
    rows: list[dict[str, Any] | bytes] = [row(number) for number in range(600)]
    rows[100] = b"{"
    rows[200] = b"[" * 100_000
    rows[300] = b'{"id": 300, "edit": "' + b"x" * 3_000_000 + b'"}'
    rows[350] = row(350, id=b"350")
    rows[400] = json.dumps(row(400)).encode()
    scored = list(score_rows(rows, processes=2, limits=RowLimits(size=2_000_000)))
    expected = {100: "invalid_arguments", 200: "invalid_arguments", 300: "file_too_large", 350: "invalid_arguments"}
    assert [one["id"] for one in scored] == [None if number in expected else number for number in range(600)]
    assert {at: one["codes"][0] for at, one in enumerate(scored) if one["codes"]} == expected


def test_a_row_is_held_to_its_time_and_memory() -> None:
    """A row over its limit is a row with a problem."""
    huge = row(1, text="x = 1\n" * 2_000_000, edit=PATCH.replace("def f(x):", "x = 1"))
    assert next(score_rows([huge], processes=1, limits=RowLimits(seconds=0.01)))["codes"] == ["timeout"]
    assert next(score_rows([huge], processes=1, limits=RowLimits(memory=20 << 20)))["codes"] == ["file_too_large"]


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP])
def test_a_lost_worker_costs_no_row(how: signal.Signals, monkeypatch: pytest.MonkeyPatch) -> None:
    """A killed worker's rows run again; so do those of one that hangs, at work or while it waits for some."""
    monkeypatch.setattr(workers, "STARTING", 3.0)
    rows = score_rows(map(row, range(3000)), processes=2, limits=RowLimits(seconds=0.2))
    seen = [next(rows)["id"]]
    for child in multiprocessing.active_children():
        assert child.pid is not None
        os.kill(child.pid, how)
    seen += [one["id"] for one in rows]
    assert seen == list(range(3000))


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_a_line_that_is_too_long_is_one_row(place: Place) -> None:
    """It is cut while it is read, and the lines around it are rows of their own."""
    long = place.write("long.jsonl", b'{"id": 1}\n' + b"x" * 5_000_000 + b'\n{"id": 2}\n\n{"id": 3}')
    assert [len(line) for line in read_rows(str(long), 1000)] == [10, 1001, 10, 9]


def test_a_torn_output_is_resumed(place: Place) -> None:
    """The program goes on after the last complete row, and the result is the same as of one run."""
    place.write("rows.jsonl", "".join(json.dumps(row(number)) + "\n" for number in range(30)))
    command = ("batch", "rows.jsonl", "-o", "out.jsonl", "-j", "1")
    done = place.suture(*command)
    assert done.status == 0, done.err
    lines = place.files()["out.jsonl"].splitlines(keepends=True)
    place.write("out.jsonl", "".join(lines[:12]) + '{"id": 12, "appl')
    assert place.suture(*command).status == 1
    done = place.suture(*command, "--resume")
    assert done.status == 0
    assert "12 rows were complete already." in done.err
    again = place.files()["out.jsonl"].splitlines()
    assert [json.loads(line) | {"seconds": 0} for line in again] == [
        json.loads(line) | {"seconds": 0} for line in lines
    ]


def test_a_summary_and_a_status_for_regression_tests(place: Place) -> None:
    """`--fail-on` decides the exit status; `--json` prints the counts."""
    place.write("rows.jsonl", json.dumps(row(1)) + "\n\n" + json.dumps(row(2, wanted=TEXT)) + "\n")
    done = place.suture("batch", "rows.jsonl", "-o", "out.jsonl", "-j", "1", "--fail-on", "different", "--json")
    document = json.loads(done.out)
    assert (done.status, document["ok"]) == (1, False)
    assert document["summary"]["outcomes"] == {"equal": 1, "different": 1}
    assert place.suture("batch", "-j", "0").status == 2
    assert place.suture("batch", "--resume").status == 2
