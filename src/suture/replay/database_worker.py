"""A program that reads the database of OpenCode: `limited_process` starts it for `opencode_database`.

A database can be made so that a small file costs any amount of time or memory: by views, virtual tables and generated
columns, by pages that are used many times, by a schema that calls functions. So nothing but stored values of named
columns of ordinary tables is read, under SQLite's own limits, in a process with limits.

Arguments: the URI of the file, the most bytes of one value, the most bytes of all values. Each row is a line of JSON
and, if that has a `length`, so many bytes: the text of the column `data`. The last line has the `trouble`, or none.
"""

from __future__ import annotations

import json
import sqlite3
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

#: The tables that are read, and their columns by the names that they have in files.
TABLES = {
    "message": {"id": "id", "sessionID": "session_id"},
    "part": {"id": "id", "sessionID": "session_id", "messageID": "message_id"},
}
#: The column with the text.
DATA = "data"
#: The most characters of an id. A row with a longer one is reported as broken.
LONGEST_ID = 1_000
#: How many instructions of SQLite's virtual machine all queries may take, and after how many they are counted. A row
#: takes about twenty.
MOST_STEPS = 500_000_000
STEPS = 100_000
#: SQLite's own limits, as far as they are about the schema and the queries; all are above what OpenCode needs.
LIMITS = {
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 1_000_000,
    sqlite3.SQLITE_LIMIT_COLUMN: 200,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 100,
    sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 5,
    sqlite3.SQLITE_LIMIT_VDBE_OP: 25_000,
    sqlite3.SQLITE_LIMIT_FUNCTION_ARG: 8,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 50,
    sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER: 10,
    sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH: 1,
    sqlite3.SQLITE_LIMIT_WORKER_THREADS: 0,
}
#: The columns that a query may read, by table.
READABLE = {table: {*columns.values(), DATA} for table, columns in TABLES.items()}
READABLE["sqlite_master"] = {"type", "name", "sql"}


class RefusedDatabaseError(Exception):
    """A database that is not read; the message says why."""


class Steps:
    """Counts what SQLite does, and stops it."""

    def __init__(self) -> None:
        self._count = 0

    def __call__(self) -> bool:
        """Whether SQLite has to stop."""
        self._count += STEPS
        return self._count > MOST_STEPS


def open_database(uri: str, longest: int) -> sqlite3.Connection:
    """A connection that only reads, and trusts nothing in the file."""
    connection = sqlite3.connect(uri, uri=True)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, longest)
    for limit, value in LIMITS.items():
        connection.setlimit(limit, value)
    if sys.version_info >= (3, 12):
        connection.setconfig(sqlite3.SQLITE_DBCONFIG_DEFENSIVE, True)
        connection.setconfig(sqlite3.SQLITE_DBCONFIG_ENABLE_VIEW, False)
        connection.setconfig(sqlite3.SQLITE_DBCONFIG_ENABLE_TRIGGER, False)
    for setting in ("trusted_schema=off", "query_only=on", "cell_size_check=on", "mmap_size=0", "temp_store=memory"):
        connection.execute(f"PRAGMA {setting}")
    connection.set_progress_handler(Steps(), STEPS)
    connection.set_authorizer(_authorize)
    connection.text_factory = lambda data: data.decode("utf-8", "replace")
    return connection


def _authorize(action: int, first: str | None, second: str | None, *_: object) -> int:
    """Whether a query may do something: read these columns, and ask which columns there are."""
    if action == sqlite3.SQLITE_READ:
        is_allowed = second in READABLE.get(first or "", ())
    elif action == sqlite3.SQLITE_PRAGMA:
        is_allowed = first == "table_xinfo"
    else:
        is_allowed = action == sqlite3.SQLITE_SELECT
    return sqlite3.SQLITE_OK if is_allowed else sqlite3.SQLITE_DENY


def check_table(connection: sqlite3.Connection, table: str) -> None:
    """Raise RefusedDatabaseError unless a name belongs to one ordinary table, and its columns to stored values."""
    entries = connection.execute("SELECT type, sql FROM sqlite_master WHERE name = ? COLLATE NOCASE", (table,))
    rows = entries.fetchmany(2)
    if not rows:
        message = f"no such table: {table}"
        raise RefusedDatabaseError(message)
    kind, sql = rows[0]
    # A virtual table has the kind `table` too. SQLite writes the first words of a statement like this.
    if len(rows) > 1 or kind != "table" or not str(sql).startswith("CREATE TABLE "):
        message = f"{table} is not an ordinary table"
        raise RefusedDatabaseError(message)
    columns = {name: hidden for _, name, _, _, _, _, hidden in connection.execute(f"PRAGMA table_xinfo({table})")}
    for column in (*TABLES[table].values(), DATA):
        if column not in columns:
            message = f"no such column: {table}.{column}"
            raise RefusedDatabaseError(message)
        if columns[column] != 0:
            message = f"{table}.{column} is computed, not stored"
            raise RefusedDatabaseError(message)


def rows(connection: sqlite3.Connection, table: str) -> Iterator[tuple[dict[str, Any], bytes]]:
    """The rows of a table in order of their ids: what is told about each, and its text."""
    names = list(TABLES[table])
    columns = ", ".join([*TABLES[table].values(), DATA])
    for *ids, data in connection.execute(f"SELECT {columns} FROM {table} ORDER BY id"):  # noqa: S608 - names of ours
        texts = [one if isinstance(one, str) else "" for one in ids]
        if not isinstance(data, str) or any(len(one) > LONGEST_ID for one in texts):
            yield {"broken": True}, b""
        else:
            text = data.encode("utf-8", "replace")
            yield {"keys": dict(zip(names, texts, strict=True)), "length": len(text)}, text


def write_rows(uri: str, longest: int, most: int) -> None:
    """Write the rows of all tables to standard output."""
    connection = open_database(uri, longest)
    for table in TABLES:
        check_table(connection, table)
    written = 0
    for table in TABLES:
        for head, text in rows(connection, table):
            written += len(text)
            if written > most:
                message = "its values are larger than the file"
                raise RefusedDatabaseError(message)
            sys.stdout.buffer.write(json.dumps(head).encode() + b"\n" + text)


def main() -> None:
    """Write the rows, and what went wrong."""
    uri, longest, most = sys.argv[1:]
    trouble = ""
    try:
        write_rows(uri, int(longest), int(most))
    except (RefusedDatabaseError, sqlite3.Error) as error:
        trouble = str(error)
    sys.stdout.buffer.write(json.dumps({"trouble": trouble[:LONGEST_ID]}).encode() + b"\n")


if __name__ == "__main__":
    main()
