"""`suture.batch`: each row comes out once and in order, whatever is in it and whatever happens to its worker."""

from __future__ import annotations

import io
import json
import multiprocessing
import os
import signal
import subprocess
import sys
from contextlib import suppress
from random import Random
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest
from hypothesis import given, strategies as st
from tests.shared.programs import Place

from suture.batch import REWARDS, RowLimits, reward, score, score_rows, workers
from suture.batch.tables import read_range, read_rows
from suture.batch.workers import WorkerPool
from suture.cli.commands.batch import _pace

if TYPE_CHECKING:
    from collections.abc import Callable
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
        ({"wanted": None}, "applied", []),
        ({"wanted": None, "edit": LOOSE}, "applied_with_concessions", []),
        ({"path": "/home/me/a.py", "edit": PATCH.replace("a.py", "/home/me/a.py")}, "equal", []),
        ({"path": "/home/me/a.py", "edit": None, "old": "return x", "new": "return x + 1"}, "equal", []),
        ({"files": {"/home/me/a.py": TEXT}, "text": None, "edit": PATCH.replace("a.py", "/home/me/a.py")}, "equal", []),
        ({"files": {"a.py": TEXT, "./a.py": TEXT}, "text": None}, "unreadable", ["invalid_arguments"]),
        ({"path": "../a.py"}, "unreadable", ["invalid_arguments"]),
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


@given(
    st.lists(st.one_of(st.binary(max_size=9), st.sampled_from([b"", b" ", b"{}", b"x" * 30])), max_size=12),
    st.integers(1, 12),
    st.booleans(),
)
def test_every_line_begins_in_exactly_one_range(lines: list[bytes], step: int, ends: bool) -> None:
    """Ranges of any size give the lines of a file, each once, in order, and cut like those of the whole file."""
    lines = [line.replace(b"\n", b"") for line in lines]
    data = b"\n".join(lines) + (b"\n" if ends else b"")
    ranges = [read_range(io.BytesIO(data), start, start + step, 20) for start in range(0, len(data), step)]  # type: ignore[arg-type]
    expected = [line[:21] for line in lines if line[:21].strip()]
    assert [line.removesuffix(b"\n") for found in ranges for line in found] == expected


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
@pytest.mark.parametrize("how", ["SIGKILL", "SIGSTOP"])
def test_a_lost_worker_costs_no_row(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A killed worker's rows run again; so do those of one that hangs, at work or while it waits for some."""
    monkeypatch.setattr(workers, "STARTING", 3.0)
    rows = score_rows(map(row, range(3000)), processes=2, limits=RowLimits(seconds=0.2))
    seen = [next(rows)["id"]]
    for child in multiprocessing.active_children():
        assert child.pid is not None
        os.kill(child.pid, getattr(signal, how))
    seen += [one["id"] for one in rows]
    assert seen == list(range(3000))


class _KillsItsWorker:
    """A value that kills the worker that unpickles it, as often as told, and counts that in a file."""

    def __init__(self, counter: Path, times: int) -> None:
        self.counter, self.times = counter, times

    def __reduce__(self) -> tuple[Callable[[str], int], tuple[str]]:
        count = f"{self.counter} | wc -l"
        script = f'[ "$(cat {count})" -ge {self.times} ] || {{ echo killed >> {self.counter}; kill -9 $PPID; }}'
        return os.system, (script,)


@pytest.mark.parametrize(
    ("times", "kills", "codes"),
    [
        # Together with the other rows, and once alone: somebody else may have killed the worker.
        (2, 2, [[], [], []]),
        # A row that kills two workers alone is given up; the others are scored all the same.
        (100, 3, [[], ["command_failed"], []]),
    ],
)
def test_a_row_that_kills_its_worker_is_given_up_at_the_second_time(
    tmp_path: Path, times: int, kills: int, codes: list[list[str]]
) -> None:
    counter = tmp_path / "kills"
    counter.touch()
    rows = [row(0), row(1, note=_KillsItsWorker(counter, times)), row(2)]
    scored = list(score_rows(rows, processes=1))
    assert [(one["id"], one["codes"]) for one in scored] == list(enumerate(codes))
    assert counter.read_text().split() == ["killed"] * kills


def test_a_row_that_hangs_is_given_up_at_once() -> None:
    """It has cost its limit already; a worker that was lost for another reason gets the row again."""
    chunk = workers._Chunk(0, [row(7)])
    hung_worker = cast("workers._Worker", SimpleNamespace(hung=True))
    assert chunk.without_culprit(hung_worker).rows == []
    [answer] = chunk.answers
    assert (json.loads(answer)["id"], json.loads(answer)["codes"]) == (7, ["timeout"])


def test_a_pool_runs_again_also_after_a_run_that_was_left() -> None:
    """A second run has the same workers, and none of the answers of the first."""
    with WorkerPool(1) as pool:
        next(pool.run(map(row, range(2000))))
        second = [json.loads(answer)["id"] for answers in pool.run(map(row, range(5000, 5300))) for answer in answers]
        process = multiprocessing.active_children()
        third = [json.loads(answer)["id"] for answers in pool.run(map(row, range(3))) for answer in answers]
        assert multiprocessing.active_children() == process
    assert (second, third) == (list(range(5000, 5300)), [0, 1, 2])


@pytest.mark.parametrize(
    ("done", "left", "seconds", "text"),
    [
        (0, 100, 0.0, "0 rows/s"),
        (1000, 0, 2.0, "500 rows/s"),
        (1000, -5, 2.0, "500 rows/s"),
        (1000, 45_000, 1.0, "1,000 rows/s, 0:45 min left"),
        (10, 36_300, 1.0, "10 rows/s, 1 h 00 min left"),
    ],
)
def test_the_bar_has_a_rate_and_an_estimate(done: int, left: int, seconds: float, text: str) -> None:
    """The estimate is what the rest takes at the rate so far. Without a total there is none."""
    assert _pace(done, left, seconds) == text


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


def test_what_was_complete_before_counts_for_the_summary_and_the_status(place: Place) -> None:
    """A resumed run fails for a row of the earlier run too."""
    wrong = [row(1, wanted=TEXT), row(2)]
    place.write("rows.jsonl", "".join(json.dumps(one) + "\n" for one in wrong))
    command = ("batch", "rows.jsonl", "-o", "out.jsonl", "-j", "1", "--fail-on", "different", "--json")
    assert place.suture(*command).status == 1
    done = place.suture(*command, "--resume")
    assert (done.status, json.loads(done.out)["summary"]["rows"]) == (1, 2)
    place.write("out.jsonl", '{"id": 1}\n')
    done = place.suture(*command[:-1], "--resume")
    assert done.status != 0
    assert "Row 1 of out.jsonl is not a scored row" in done.err


def test_a_missing_file_of_rows_is_named_and_leaves_no_output(place: Place) -> None:
    """Nothing was tried, so nothing is said about changed files."""
    done = place.suture("batch", "none.jsonl", "-o", "out.jsonl")
    assert done.status != 0
    assert "none.jsonl" in done.err
    assert "changed: see" not in done.err
    assert "out.jsonl" not in place.files()


def test_a_slow_row_in_a_program_costs_its_limit(place: Place) -> None:
    """The rows around it are scored."""
    line = f"x = 1  # {'long ' * 8}"
    huge = row(2, text=f"{line}\n" * 900_000, edit=PATCH.replace("def f(x):", line))
    place.write("rows.jsonl", "".join(json.dumps(one) + "\n" for one in (row(1), huge, row(3))))
    done = place.suture("batch", "rows.jsonl", "-o", "out.jsonl", "-j", "1", "--seconds", "0.6")
    assert done.status == 0, done.err
    scored = [json.loads(line) for line in place.files()["out.jsonl"].splitlines()]
    assert [(one["id"], one["codes"]) for one in scored] == [(1, []), (None, ["timeout"]), (3, [])]


@pytest.mark.slow
def test_a_run_that_is_killed_again_and_again_has_each_row_once(place: Place) -> None:
    """Killed with its workers at random moments, then resumed: nothing is lost, and nothing is there twice."""
    count, random = 2000, Random(7)
    place.write("rows.jsonl", "".join(json.dumps(row(number)) + "\n" for number in range(count)))
    command = [sys.executable, "-m", "suture", "batch", "rows.jsonl", "-o", "out.jsonl", "-j", "2", "--resume"]
    target = place.root / "out.jsonl"
    kills = 0
    for _ in range(3):
        size = target.stat().st_size if target.exists() else 0
        goal = size + random.randrange(1, 150_000)
        with subprocess.Popen(
            command, cwd=place.root, env=place.environment, stderr=subprocess.DEVNULL, start_new_session=True
        ) as run:
            while run.poll() is None and (target.stat().st_size if target.exists() else 0) < goal:
                with suppress(subprocess.TimeoutExpired):
                    run.wait(0.01)
            kills += run.poll() is None
            if run.poll() is None:
                os.killpg(run.pid, signal.SIGKILL)
    assert kills
    done = place.suture(*command[3:])
    assert done.status == 0, done.err
    assert [json.loads(line)["id"] for line in place.files()["out.jsonl"].splitlines()] == list(range(count))


def test_a_row_with_an_absolute_path_keeps_its_id() -> None:
    rows = [row(7, path="/home/me/a.py", edit=None, old="return x", new="return x + 1")]
    (scored,) = score_rows(rows)
    assert (scored["id"], scored["outcome"]) == (7, "equal")


@pytest.mark.parametrize("path", ["/home/me/a.py", "./a.py", "lib/../a.py"])
def test_a_path_is_the_same_file_in_all_columns(path: str) -> None:
    given = {"id": 7, "files": {path: "a\n"}, "path": path, "old": "a", "new": "b"}
    assert score({**given, "wanted": {path: "b\n"}})["outcome"] == "equal"
    assert score({**given, "wanted": {path: "c\n"}})["outcome"] == "different"


def test_a_wanted_result_without_a_path_is_a_problem_of_its_row() -> None:
    (scored,) = score_rows([{"id": 7, "text": "a\n", "old": "a", "new": "b", "wanted": {"..": "b\n"}}])
    assert (scored["id"], scored["outcome"], scored["codes"]) == (7, "unreadable", ["invalid_arguments"])


def test_rewards_of_our_own_may_leave_out_an_outcome() -> None:
    assert reward(row(1, wanted=None), {"equal": 5.0}) == 1.0


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit on the size of a file")
def test_what_a_full_disk_leaves_is_told(tmp_path: Path) -> None:
    rows = "".join([json.dumps({"text": "a", "old": "a", "new": "b", "id": n}) + "\n" for n in range(500)])
    (tmp_path / "rows.jsonl").write_text(rows)
    program = "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000));"
    program += "from suture.cli.start import main; sys.exit(main())"
    arguments = ["batch", "rows.jsonl", "-o", "out.jsonl", "-j", "1"]
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    written = (tmp_path / "out.jsonl").read_bytes().count(b"\n")
    assert 0 < written < 500
    assert done.returncode == 1
    assert done.stderr == (
        f"File too large.\n\n{written} rows were scored. They are in out.jsonl: --resume goes on after them.\n"
    )
