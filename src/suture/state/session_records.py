"""What sessions have read and applied, in the store of a workspace: it outlives the process, and goes with its age."""

from __future__ import annotations

from zlib import compress, decompress, error as CorruptedError  # noqa: N812 - a class

from .database import UNFLUSHED
from .journal_rows import from_sql, to_sql
from .state_limits import LARGEST_BASE, MOST_BASE_BYTES, MOST_BASES, MOST_CALLS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .database import Database

READ = """CREATE TABLE read (
    session TEXT NOT NULL, path TEXT NOT NULL, sha256 TEXT NOT NULL, ranges TEXT NOT NULL, time REAL NOT NULL,
    PRIMARY KEY (session, path)) WITHOUT ROWID"""
APPLIED = """CREATE TABLE IF NOT EXISTS applied (
    session TEXT NOT NULL, call TEXT NOT NULL, path TEXT NOT NULL, result TEXT NOT NULL, time REAL NOT NULL,
    PRIMARY KEY (session, call, path)) WITHOUT ROWID"""
BASE = """CREATE TABLE IF NOT EXISTS base (
    session TEXT NOT NULL, path TEXT NOT NULL, sha256 TEXT NOT NULL, ranges TEXT NOT NULL, time REAL NOT NULL,
    size INTEGER NOT NULL, content BLOB NOT NULL, PRIMARY KEY (session, path, sha256)) WITHOUT ROWID"""


class SessionRecords:
    """The records of all sessions of a workspace. Paths are absolute."""

    def __init__(self, database: Database, notify: Callable[[str], None]) -> None:
        self._database = database
        self._notify = notify

    def record_read(self, session: str, path: str, sha256: str, ranges: str, time: float) -> None:
        """Record what a session has read of a file."""
        self._notify("before record_read")
        with self._database as connection:
            self._database.level(UNFLUSHED)
            values = (to_sql(session), to_sql(path), to_sql(sha256), to_sql(ranges), time)
            connection.execute("INSERT OR REPLACE INTO read VALUES (?, ?, ?, ?, ?)", values)
        self._notify("after record_read")

    def last_read(self, session: str, path: str) -> tuple[str, str, float] | None:
        """What `record_read` last recorded: the hash, the ranges and the time."""
        if not self._database.exists():
            return None
        with self._database as connection:
            query = "SELECT sha256, ranges, time FROM read WHERE session = ? AND path = ?"
            row = connection.execute(query, (to_sql(session), to_sql(path))).fetchone()
            return None if row is None else (from_sql(row[0]), from_sql(row[1]), row[2])

    def reads_since(self, session: str, time: float) -> list[tuple[str, float]]:
        """The files that a session has read since a time, each with when it did."""
        if not self._database.exists():
            return []
        with self._database as connection:
            query = "SELECT path, time FROM read WHERE session = ? AND time > ? AND sha256 != ''"
            rows = connection.execute(query, (to_sql(session), time)).fetchall()
            return [(from_sql(path), when) for path, when in rows]

    def record_applied(self, session: str, call: str, results: Mapping[str, str], time: float) -> None:
        """Record a call that was applied, by its digest, with its result in each file. Older calls are forgotten."""
        name, key = to_sql(session), to_sql(call)
        with self._database as connection:
            self._database.level(UNFLUSHED)
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("DELETE FROM applied WHERE session = ? AND call = ?", (name, key))
            rows = [(name, key, to_sql(path), to_sql(result), time) for path, result in results.items()]
            connection.executemany("INSERT INTO applied VALUES (?, ?, ?, ?, ?)", rows)
            latest = "SELECT call FROM applied WHERE session = ? GROUP BY call ORDER BY max(time) DESC LIMIT ?"
            forget = f"DELETE FROM applied WHERE session = ? AND call NOT IN ({latest})"  # noqa: S608 - ours
            connection.execute(forget, (name, name, MOST_CALLS))
            connection.execute("COMMIT")

    def applied(self, session: str, call: str) -> dict[str, str]:
        """The results of a call that was applied, by path; empty if it was not, or was forgotten."""
        if not self._database.exists():
            return {}
        with self._database as connection:
            query = "SELECT path, result FROM applied WHERE session = ? AND call = ?"
            rows = connection.execute(query, (to_sql(session), to_sql(call))).fetchall()
            return {from_sql(path): from_sql(result) for path, result in rows}

    def forget_applied(self, session: str, path: str) -> None:
        """Forget the calls that were applied to a file: the model has seen what has become of it."""
        if not self._database.exists():
            return
        name = to_sql(session)
        with self._database as connection:
            self._database.level(UNFLUSHED)
            calls = "SELECT call FROM applied WHERE session = ? AND path = ?"
            forget = f"DELETE FROM applied WHERE session = ? AND call IN ({calls})"  # noqa: S608 - ours
            connection.execute(forget, (name, name, to_sql(path)))

    # What was shown of files: the texts that later edits are written for.

    def keep_base(self, session: str, path: str, sha256: str, ranges: str, content: bytes, time: float) -> None:
        """Keep a content that a session was shown, compressed. Older ones are forgotten where there are too many."""
        if len(content) > LARGEST_BASE:
            return
        packed = compress(content, 1)
        name, where = to_sql(session), to_sql(path)
        with self._database as connection:
            self._database.level(UNFLUSHED)
            connection.execute("BEGIN IMMEDIATE")
            row = (name, where, to_sql(sha256), to_sql(ranges), time, len(packed), packed)
            connection.execute("INSERT OR REPLACE INTO base VALUES (?, ?, ?, ?, ?, ?, ?)", row)
            latest = "SELECT sha256 FROM base WHERE session = ? AND path = ? ORDER BY time DESC LIMIT ?"
            forget = f"DELETE FROM base WHERE session = ? AND path = ? AND sha256 NOT IN ({latest})"  # noqa: S608 - ours
            connection.execute(forget, (name, where, name, where, MOST_BASES))
            (size,) = connection.execute("SELECT total(size) FROM base").fetchone()
            while size > MOST_BASE_BYTES:
                oldest = "SELECT session, path, sha256, size FROM base ORDER BY time LIMIT 1"
                *key, freed = connection.execute(oldest).fetchone()
                connection.execute("DELETE FROM base WHERE session = ? AND path = ? AND sha256 = ?", key)
                size -= freed
            connection.execute("COMMIT")

    def bases(self, session: str, path: str) -> list[tuple[str, str, float, bytes]]:
        """The contents that are kept of a file, newest first, with hash, ranges and time; none that is damaged."""
        if not self._database.exists():
            return []
        with self._database as connection:
            query = "SELECT sha256, ranges, time, content FROM base WHERE session = ? AND path = ? ORDER BY time DESC"
            rows = connection.execute(query, (to_sql(session), to_sql(path))).fetchall()
        kept: list[tuple[str, str, float, bytes]] = []
        for sha256, ranges, time, packed in rows:
            content = _unpacked(packed)
            if content is not None:
                kept.append((from_sql(sha256), from_sql(ranges), time, content))
        return kept

    def base(self, session: str, path: str, sha256: str) -> bytes | None:
        """A content that is kept; None where it is not, or is damaged."""
        if not self._database.exists():
            return None
        with self._database as connection:
            query = "SELECT content FROM base WHERE session = ? AND path = ? AND sha256 = ?"
            row = connection.execute(query, (to_sql(session), to_sql(path), to_sql(sha256))).fetchone()
        return None if row is None else _unpacked(row[0])


class OneSession:
    """The records of one session of a workspace. `open_records` gives those of all sessions, wherever they are kept."""

    def __init__(self, open_records: Callable[[], SessionRecords], session: str) -> None:
        self._open = open_records
        self._session = session

    def record_read(self, path: str, sha256: str, ranges: str, time: float, content: bytes | None = None) -> None:
        """Record what was read of a file, and keep its content if there is one, so that later edits can be merged."""
        records = self._open()
        records.record_read(self._session, path, sha256, ranges, time)
        if content is not None:
            records.keep_base(self._session, path, sha256, ranges, content, time)

    def last_read(self, path: str) -> tuple[str, str, float] | None:
        """What `record_read` last recorded: the hash, the ranges and the time."""
        return self._open().last_read(self._session, path)

    def reads_since(self, time: float) -> list[tuple[str, float]]:
        """The paths that were read since a time, and when."""
        return self._open().reads_since(self._session, time)

    def record_applied(self, call: str, results: Mapping[str, str], time: float) -> None:
        """Record a call that was applied, by its digest, with its result in each file."""
        self._open().record_applied(self._session, call, results, time)

    def applied(self, call: str) -> dict[str, str]:
        """The results of a call that was applied, by path; empty if it was not, or was forgotten."""
        return self._open().applied(self._session, call)

    def forget_applied(self, path: str) -> None:
        """Forget the calls that were applied to a file."""
        self._open().forget_applied(self._session, path)

    def bases(self, path: str) -> list[tuple[str, str, float, bytes]]:
        """The contents that are kept of a file, newest first, with hash, ranges and time."""
        return self._open().bases(self._session, path)

    def base(self, path: str, sha256: str) -> bytes | None:
        """A content that is kept; None where it is not, or is damaged."""
        return self._open().base(self._session, path, sha256)


def _unpacked(packed: bytes) -> bytes | None:
    """A content as it was before it was compressed; None where it is damaged."""
    try:
        return decompress(packed)
    except CorruptedError:
        return None
