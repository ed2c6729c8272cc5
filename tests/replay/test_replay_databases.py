"""`suture replay` on a hostile database of OpenCode: a small file costs little time and memory, and is named."""

from __future__ import annotations

import io
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from tests.shared import transcripts as made
from tests.shared.programs import Place

from suture.replay import opencode_database, transcript_limits
from suture.replay.readers.opencode import OpenCode
from suture.replay.recording import TranscriptFile

if TYPE_CHECKING:
    from pathlib import Path

ENDLESS = (
    "WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n) SELECT id, 1 AS session_id, 1 AS data FROM n"
)
PARTS = "CREATE TABLE part (id TEXT, message_id TEXT, session_id TEXT, data TEXT)"
MESSAGE = """INSERT INTO message (id, session_id, data) VALUES ('1', 's', '{"role": "user"}')"""


def database(folder: Path, *statements: str) -> Path:
    """A database that these statements have made."""
    path = folder / "opencode.db"
    with closing(sqlite3.connect(path)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()
    return path


def rewrite_schema(path: Path, table: str, sql: str) -> None:
    """Replace the statement of a table, as no statement of SQL can."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA writable_schema=on")
        connection.execute("UPDATE sqlite_master SET sql = ? WHERE name = ?", (sql, table))
        connection.commit()


def troubles(path: Path) -> dict[str, int]:
    """What the reader could not read, and how often."""
    reader = OpenCode()
    reader.read(TranscriptFile(str(path), b""))
    return dict(reader.recording.unknown)


@pytest.mark.parametrize("name", ["message", "MESSAGE", "Message"])
def test_an_endless_view_is_not_read_however_its_name_is_written(tmp_path: Path, name: str) -> None:
    path = database(tmp_path, f"CREATE VIEW {name} AS {ENDLESS}", PARTS)
    assert troubles(path) == {"database: message is not an ordinary table": 1}


def test_a_view_that_says_it_is_a_table_is_not_read(tmp_path: Path) -> None:
    path = database(tmp_path, "CREATE TABLE message (id, session_id, data)", PARTS)
    rewrite_schema(path, "message", f"CREATE VIEW message AS {ENDLESS}")
    [trouble] = troubles(path)
    assert trouble in ("database: message is not an ordinary table", "database: malformed database schema (message)")


def test_a_virtual_table_is_not_read(tmp_path: Path) -> None:
    path = database(tmp_path, "CREATE VIRTUAL TABLE message USING fts5(id, session_id, data)", PARTS)
    assert troubles(path) == {"database: message is not an ordinary table": 1}


@pytest.mark.parametrize("kind", ["VIRTUAL", "STORED"])
def test_a_computed_column_is_not_read(tmp_path: Path, kind: str) -> None:
    path = database(
        tmp_path,
        f"CREATE TABLE message (id TEXT, session_id TEXT, data TEXT AS (hex(zeroblob(1000000))) {kind})",
        "INSERT INTO message (id, session_id) VALUES ('1', 's')",
        PARTS,
    )
    assert troubles(path) == {"database: message.data is computed, not stored": 1}


def test_no_other_table_or_column_is_computed(tmp_path: Path) -> None:
    path = database(
        tmp_path,
        "CREATE TABLE message (id TEXT, session_id TEXT, data TEXT, more AS (zeroblob(1000000)))",
        MESSAGE,
        f"CREATE VIEW other AS {ENDLESS}",
        PARTS,
    )
    assert troubles(path) == {}


def test_a_page_that_many_rows_share_is_not_read_many_times(tmp_path: Path) -> None:
    """All rows of the table point to the text of the first one: 300 rows of 800 kB in a file of 1 MB."""
    path = database(
        tmp_path,
        "PRAGMA page_size=65536",
        "CREATE TABLE message (id TEXT, session_id TEXT, data TEXT)",
        "INSERT INTO message VALUES ('1', 's', '{}' || printf('%.*c', 800000, ' '))",
        PARTS,
    )
    content = bytearray(path.read_bytes())
    page = 65536
    start = int.from_bytes(content[page + 5 : page + 7], "big") or 65536
    header = 8
    assert content[page] == 13
    assert int.from_bytes(content[page + 3 : page + 5], "big") == 1
    pointer = content[page + header : page + header + 2]
    rows = 300
    content[page + 3 : page + 5] = rows.to_bytes(2, "big")
    content[page + header : page + header + 2 * rows] = bytes(pointer) * rows
    assert page + header + 2 * rows < page + start
    path.write_bytes(content)
    assert troubles(path) == {"database: its values are larger than the file": 1}


def test_a_value_that_is_too_long_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transcript_limits, "LONGEST_TRANSCRIPT_LINE", 10_000)
    path = tmp_path / "opencode.db"
    made.opencode_database(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("INSERT INTO message VALUES ('0', 's', printf('%.*c', 20000, ' '))")
        connection.commit()
    assert troubles(path) == {"database: string or blob too big": 1}


def test_a_database_that_needs_much_memory_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transcript_limits, "DATABASE_MEMORY", 60_000_000)
    path = database(
        tmp_path,
        "CREATE TABLE message (id TEXT, session_id TEXT, data TEXT)",
        "INSERT INTO message VALUES ('1', 's', printf('%.*c', 40000000, ' '))",
        PARTS,
    )
    assert troubles(path) == {"database: it needs too much memory": 1}


def test_a_database_that_takes_long_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    waiting = tmp_path / "waiting.py"
    waiting.write_text("import sys\nsys.stdin.read()\n")
    monkeypatch.setattr(opencode_database, "_WORKER", str(waiting))
    monkeypatch.setattr(transcript_limits, "DATABASE_SECONDS", 0.1)
    path = tmp_path / "opencode.db"
    made.opencode_database(path)
    assert troubles(path) == {"database: it takes too much time": 1}


def test_a_database_that_is_open_in_another_program_is_read(tmp_path: Path) -> None:
    path = tmp_path / "opencode.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, data TEXT)")
        connection.execute(PARTS)
        connection.execute(MESSAGE)
        connection.commit()
        reader = OpenCode()
        reader.read(TranscriptFile(str(path), b""))
    assert (reader.recording.unknown, list(reader.recording.sessions)) == ({}, ["s"])


def test_the_program_names_a_database_that_it_does_not_read(tmp_path: Path) -> None:
    place = Place(tmp_path)
    database(place.root, f"CREATE VIEW Message AS {ENDLESS}", PARTS)
    done = place.suture("replay", "-j", "1", "opencode.db")
    assert done.status == 0
    assert "message is not an ordinary table" in done.out + done.err


def test_a_row_whose_head_was_cut_off_ends_the_reading() -> None:
    """The process that reads a database may be ended while it writes; what was read until then counts."""
    output = io.BytesIO(b'{"keys": {"id": "1"}, "length": 2}\nab{"keys": {"id": "' + b"x" * 30)
    assert list(opencode_database._rows(output)) == [({"id": "1"}, b"ab")]
