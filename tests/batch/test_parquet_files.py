"""`suture batch` with Parquet files, by the real pyarrow."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.batch.conftest import WANTED, outcomes_of, rows_of, write_lines
from tests.shared.programs import Place

from suture.batch import tables
from suture.batch.row_score import blank_score

if TYPE_CHECKING:
    from pathlib import Path

arrow: Any = pytest.importorskip("pyarrow")
parquet: Any = pytest.importorskip("pyarrow.parquet")


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_rows_go_from_parquet_to_parquet_and_back(place: Place) -> None:
    parquet.write_table(arrow.Table.from_pylist(rows_of(1100)), place.root / "rows.parquet")
    done = place.suture("batch", "rows.parquet", "-o", "out.parquet", "-j", "2", "--texts")
    assert done.status == 0, done.err
    table = parquet.read_table(place.root / "out.parquet")
    assert table["outcome"].to_pylist() == outcomes_of(1100)
    assert table["id"].to_pylist() == [str(number) for number in range(1100)]
    assert json.loads(table["files"][0].as_py()) == {"a.py": WANTED}
    assert table["codes"].to_pylist()[1003] == ["patch_parse_error"]


def test_files_of_different_rows_share_a_column(place: Place) -> None:
    """Arrow gives every row all names of a struct, with nulls: these are no files."""
    edit = "*** Begin Patch\n*** Update File: {}\n@@\n-a\n+b\n*** End Patch\n"
    rows = [{"id": name, "files": {name: "a\n"}, "edit": edit.format(name)} for name in ("x.txt", "y.txt")]
    parquet.write_table(arrow.Table.from_pylist(rows), place.root / "rows.parquet")
    done = place.suture("batch", "rows.parquet", "-o", "out.jsonl")
    assert done.status == 0, done.err
    scored = [json.loads(line) for line in (place.root / "out.jsonl").read_text().splitlines()]
    assert [(one["outcome"], list(one["sha256"])) for one in scored] == [("applied", ["x.txt"]), ("applied", ["y.txt"])]


def test_a_parquet_output_is_resumed_at_its_last_complete_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "PART_ROWS", 10)
    target = str(tmp_path / "out.parquet")
    scored = [json.dumps(blank_score() | {"id": number}).encode() for number in range(35)]
    output, complete = tables.open_output(target, resume=False)
    assert complete == 0
    output.write(scored)
    # No more happens: the process is killed, while it writes a part.
    (tmp_path / "out.parquet" / "part-000003.tmp").write_bytes(b"PAR1 torn")
    output, complete = tables.open_output(target, resume=True)
    assert complete == 30
    with output:
        output.write(scored[complete:])
    ids = [row["id"] for row in tables.read_scored(target)]
    assert ids == [str(number) for number in range(35)]


def test_half_a_character_in_an_id_does_not_stop_the_run(place: Place) -> None:
    rows: list[dict[str, Any] | bytes] = [{**rows_of(1)[0], "id": "\ud800"}, b'{"id": [1], "edit": "\\ud83d"}', b"\xff"]
    write_lines(place.root / "rows.jsonl", rows)
    done = place.suture("batch", "rows.jsonl", "-o", "out.parquet")
    assert done.status == 0, done.err
    assert parquet.read_table(place.root / "out.parquet")["outcome"].to_pylist() == [
        "equal",
        "unreadable",
        "unreadable",
    ]
