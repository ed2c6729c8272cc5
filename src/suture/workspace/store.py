"""The journal and the history of a workspace, in one SQLite file of its state folder.

`begin` records a commit before the first file changes; `finish` closes it when all of them have; `forget` takes it out
when they are as before. What is neither closed nor taken out was cut short, and `unfinished` tells it. Whether its
process still runs is not known here: who wants to mend it holds the locks of its files first, and reads it again.

The tables are laid out for the two transactions of a commit. `begin` writes all rows, and `finish` rewrites none of
them: the commits that run have a table of their own that is all but empty, so that looking for them costs the same
however long the history is. The long texts have one too, so that the rows which are searched stay short.
"""

from __future__ import annotations

import os
from _sqlite3 import OperationalError
from contextlib import suppress

from ..core.problems import PatchRejectedError, Problem
from .database import FLUSHED, UNFLUSHED, Database
from .locks import EXCLUSIVE, take
from .record import Entry, FileRecord, Snapshot
from .state_folder import ALL, IN_USE, remove_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _sqlite3 import Connection
    from collections.abc import Callable, Iterable
    from typing import Any, Literal, TypeAlias

    from .locks import Flock
    from .state_folder import StateFolder

    Durability: TypeAlias = Literal["full", "process"]

VERSION = 1

_SCHEMA = (
    """CREATE TABLE entry (
        seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, time REAL NOT NULL, actor TEXT NOT NULL, tool TEXT NOT NULL,
        undoes TEXT NOT NULL, undone_by TEXT NOT NULL, folders TEXT NOT NULL)""",
    "CREATE TABLE document (seq INTEGER PRIMARY KEY, patch TEXT NOT NULL, receipt TEXT NOT NULL)",
    "CREATE TABLE running (seq INTEGER PRIMARY KEY)",
    """CREATE TABLE file (
        seq INTEGER NOT NULL, number INTEGER NOT NULL, path TEXT NOT NULL,
        before_kind TEXT NOT NULL, before_sha256 TEXT NOT NULL, before_size INTEGER NOT NULL,
        before_mode INTEGER NOT NULL, before_target TEXT NOT NULL,
        after_kind TEXT NOT NULL, after_sha256 TEXT NOT NULL, after_size INTEGER NOT NULL,
        after_mode INTEGER NOT NULL, after_target TEXT NOT NULL,
        head INTEGER NOT NULL, tail INTEGER NOT NULL, staged TEXT NOT NULL, moved_from TEXT NOT NULL,
        middle BLOB NOT NULL, PRIMARY KEY (seq, number)) WITHOUT ROWID""",
    "CREATE INDEX file_path ON file (path)",
    """CREATE TABLE read (
        session TEXT NOT NULL, path TEXT NOT NULL, sha256 TEXT NOT NULL, ranges TEXT NOT NULL, time REAL NOT NULL,
        PRIMARY KEY (session, path)) WITHOUT ROWID""",
)

_RUNNING = "entry.seq IN (SELECT seq FROM running)"
_ENTRY = f"""SELECT entry.seq, id, time, actor, tool, patch, folders, {_RUNNING}, receipt, undoes, undone_by
    FROM entry JOIN document USING (seq)"""  # noqa: S608 - constants of ours
_FILES = """SELECT path, before_kind, before_sha256, before_size, before_mode, before_target,
    after_kind, after_sha256, after_size, after_mode, after_target, head, tail, staged, moved_from, {middle}
    FROM file WHERE seq = ? ORDER BY number"""
_WHOLE_FILES = _FILES.format(middle="middle")
_LIGHT_FILES = _FILES.format(middle="x''")

_INSERT_FILE = "INSERT INTO file VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_DELETE = tuple(f"DELETE FROM {table} WHERE seq = ?" for table in ("entry", "document", "running", "file"))  # noqa: S608 - names of ours

#: From so much unused room on, and if it is more than half of the file, pruning makes the file smaller.
_SPARE = 4_000_000


class Store:
    """What was done in one workspace, shared by threads and processes. In memory where there is no folder.

    Nothing is made before the first record. Every method raises PatchRejectedError: `io_error` where the file
    cannot be read or written, `locked` where others hold it for longer than `patience` seconds. Whether files of the
    workspace were changed by then is for the caller to say.
    """

    def __init__(
        self,
        folder: str | None,
        *,
        durability: Durability = "full",
        watch: Callable[[str, str], object] | None = None,
        patience: float = 10.0,
    ) -> None:
        self._database = Database(folder, _SCHEMA, VERSION, patience=patience)
        self._begin_level = FLUSHED if durability == "full" else UNFLUSHED
        self._watch = watch

    def begin(self, entry: Entry) -> None:
        """Record a commit that is about to change files; durable when this returns, where durability is `full`.

        Where it raises, the commit may be recorded all the same; `forget` it, or leave it to recovery.
        """
        self._tell("before begin")
        with self._database as connection:
            self._database.level(self._begin_level)
            connection.execute("BEGIN IMMEDIATE")
            seq = connection.execute(
                "INSERT INTO entry VALUES (NULL, ?, ?, ?, ?, ?, ?, ?)",
                (
                    entry.id,
                    entry.time,
                    _bound(entry.actor),
                    _bound(entry.tool),
                    entry.undoes,
                    entry.undone_by,
                    _bound("\0".join(entry.folders)),
                ),
            ).lastrowid
            documents = (seq, _bound(entry.patch), _bound(entry.receipt))
            connection.execute("INSERT INTO document VALUES (?, ?, ?)", documents)
            connection.execute("INSERT INTO running VALUES (?)", (seq,))
            connection.executemany(_INSERT_FILE, _rows(seq, entry.files))
            connection.execute("COMMIT")
        self._tell("after begin")

    def finish(self, id: str, receipt: str | None = None) -> None:  # noqa: A002 - the word for it
        """Close a commit whose files are all as it wants them, and mark the one that it undoes.

        The receipt is the one of the entry that was begun, unless another is given; that costs more.
        Not flushed by itself: after a loss of power the entry may be unfinished again, and its files are all there.
        """
        self._tell("before finish")
        with self._database as connection:
            self._database.level(UNFLUSHED)
            connection.execute("BEGIN IMMEDIATE")
            row = connection.execute("SELECT seq, undoes FROM entry WHERE id = ?", (id,)).fetchone()
            assert row is not None, "BUG: a commit that was never begun is finished"
            seq, undoes = row
            if receipt is not None:
                connection.execute("UPDATE document SET receipt = ? WHERE seq = ?", (_bound(receipt), seq))
            connection.execute("DELETE FROM running WHERE seq = ?", (seq,))
            if undoes:
                connection.execute("UPDATE entry SET undone_by = ? WHERE id = ?", (id, undoes))
            connection.execute("COMMIT")
        self._tell("after finish")

    def forget(self, id: str) -> None:  # noqa: A002
        """Take out a commit, as it was rolled back; nothing happens where there is none."""
        if not self._database.exists():
            return
        self._tell("before forget")
        with self._database as connection:
            self._database.level(UNFLUSHED)
            connection.execute("BEGIN IMMEDIATE")
            _delete(connection, connection.execute("SELECT seq FROM entry WHERE id = ?", (id,)).fetchall())
            connection.execute("COMMIT")
        self._tell("after forget")

    def mark_undone(self, id: str, by: str) -> None:  # noqa: A002
        """Note which commit has undone this one; an empty `by` takes the note back."""
        if not self._database.exists():
            return
        self._tell("before mark_undone")
        with self._database as connection:
            self._database.level(UNFLUSHED)
            connection.execute("UPDATE entry SET undone_by = ? WHERE id = ?", (by, id))
        self._tell("after mark_undone")

    def unfinished(self, *, whole: bool = True) -> tuple[Entry, ...]:
        """The commits that run or were cut short, oldest first; without the contents before where not `whole`."""
        if not self._database.exists():
            return ()
        with self._database as connection:
            # All but always this is the answer, and one statement needs no transaction.
            if connection.execute("SELECT seq FROM running LIMIT 1").fetchone() is None:
                return ()
            connection.execute("BEGIN")
            rows = connection.execute(f"{_ENTRY} WHERE {_RUNNING} ORDER BY entry.seq").fetchall()
            return tuple(_entry(connection, row, whole=whole) for row in rows)

    def entry(self, id: str) -> Entry | None:  # noqa: A002
        """The commit of this id, or of the one id that begins so; None where there is none.

        Raises:
            PatchRejectedError: several ids begin so (`invalid_arguments`).
        """
        if not id or not self._database.exists():
            return None
        with self._database as connection:
            connection.execute("BEGIN")
            rows = _find(connection, id)
            return _entry(connection, rows[0], whole=True) if rows else None

    def log(self, limit: int = 100, before: str | None = None, path: str | None = None) -> list[Entry]:
        """Finished commits, newest first, without the contents before; from the one before `before` on, or of one path.

        Raises:
            PatchRejectedError: there is no commit `before` (`not_found`), or there are several (`invalid_arguments`).
        """
        if not self._database.exists():
            return []
        conditions, values = [f"NOT {_RUNNING}"], list[object]()
        with self._database as connection:
            connection.execute("BEGIN")
            if before is not None:
                rows = _find(connection, before) if before else []
                if not rows:
                    raise PatchRejectedError([Problem("not_found", f"There is no commit {before} in the history.")])
                conditions.append("entry.seq < ?")
                values.append(rows[0][0])
            if path is not None:
                conditions.append("entry.seq IN (SELECT seq FROM file WHERE path = ?)")
                values.append(_bound(path))
            query = f"{_ENTRY} WHERE {' AND '.join(conditions)} ORDER BY entry.seq DESC LIMIT ?"
            found = connection.execute(query, (*values, limit)).fetchall()
            return [_entry(connection, row, whole=False) for row in found]

    def prune(self, max_age: float | None, max_bytes: int | None, now: float) -> int:
        """Take out finished commits older than `max_age` seconds, then the oldest until the file needs no more than
        `max_bytes`; gives how many. Records of reads go with the commits of their age.
        """
        if not self._database.exists():
            return 0
        self._tell("before prune")
        with self._database as connection:
            self._database.level(UNFLUSHED)
            connection.execute("BEGIN IMMEDIATE")
            finished = f"SELECT seq FROM entry WHERE NOT {_RUNNING}"  # noqa: S608 - a constant of ours
            doomed = []
            if max_age is not None:
                doomed = connection.execute(f"{finished} AND time < ?", (now - max_age,)).fetchall()
                _delete(connection, doomed)
                connection.execute("DELETE FROM read WHERE time < ?", (now - max_age,))
            pruned = len(doomed)
            if max_bytes is not None and _bytes_used(connection) > max_bytes:
                left = connection.execute(f"{finished} ORDER BY seq").fetchall()
                step = max(1, len(left) // 32)
                while left and _bytes_used(connection) > max_bytes:
                    _delete(connection, left[:step])
                    pruned += len(left[:step])
                    del left[:step]
            connection.execute("COMMIT")
            spare = _pragma(connection, "freelist_count") * _pragma(connection, "page_size")
            if spare > max(_SPARE, _bytes_used(connection)):
                with suppress(OperationalError):  # there may be no room for it, or somebody reads
                    connection.execute("VACUUM")
        self._tell("after prune")
        return pruned

    def record_read(self, session: str, path: str, sha256: str, ranges: str, time: float) -> None:
        """Note what a session has read of a file."""
        self._tell("before record_read")
        with self._database as connection:
            self._database.level(UNFLUSHED)
            values = (_bound(session), _bound(path), sha256, ranges, time)
            connection.execute("INSERT OR REPLACE INTO read VALUES (?, ?, ?, ?, ?)", values)
        self._tell("after record_read")

    def last_read(self, session: str, path: str) -> tuple[str, str, float] | None:
        """What `record_read` noted last: the hash, the ranges and the time."""
        if not self._database.exists():
            return None
        with self._database as connection:
            query = "SELECT sha256, ranges, time FROM read WHERE session = ? AND path = ?"
            row: tuple[str, str, float] | None = connection.execute(query, (_bound(session), _bound(path))).fetchone()
            return row

    def close(self) -> None:
        """Let go of the file. The next use opens it again; what was in memory is gone."""
        self._database.close()

    def leave(self) -> None:
        """Let go of the file in a process that ends now: with less work, and nothing is lost."""
        self._database.leave()

    def _tell(self, what: str) -> None:
        # Outside of the database's lock: who watches may do anything, fork included.
        if self._watch is not None:
            self._watch("store", what)


def leave_no_trace(folder: StateFolder) -> bool:
    """Take the hidden folder of a workspace away where no commit is recorded and nobody uses it; whether it is gone.

    The caller's own store has to be closed. Any other state folder stays.
    """
    if not folder.inside or not os.path.lexists(folder.path):
        return False
    path = folder.path
    locks = [take(path, name, EXCLUSIVE) for name in (ALL, IN_USE)]
    try:
        if None in locks or not _is_empty(path, locks[1]):
            return False
        remove_folder(path)
    except (PatchRejectedError, OSError):
        return False  # a store that can't be read stays, and so does a folder with files of somebody else
    else:
        return True
    finally:
        for lock in locks:
            if lock is not None:
                lock.release()


def _is_empty(folder: str, in_use: Flock | None) -> bool:
    database = Database(folder, _SCHEMA, VERSION, patience=0, in_use=in_use)
    if not database.exists():
        return True
    try:
        with database as connection:
            return connection.execute("SELECT seq FROM entry LIMIT 1").fetchone() is None
    finally:
        database.close()


def _find(connection: Connection, id: str) -> list[Any]:  # noqa: A002
    """The row of this id, or of the only one that begins so."""
    exact = connection.execute(f"{_ENTRY} WHERE id = ?", (id,)).fetchall()
    if exact:
        return exact
    # Nothing that begins so is greater than this, as it is the last character that there is.
    query = f"{_ENTRY} WHERE id > ? AND id < ? ORDER BY id LIMIT 6"
    rows = connection.execute(query, (id, id + "\U0010ffff")).fetchall()
    if len(rows) > 1:
        ids = [row[1] for row in rows[:5]]
        shown = ", ".join(ids) + ", …" * (len(rows) > 5)
        message = f"{id} is the beginning of several commits: {shown}."
        details = {"id": id, "ids": ids, "reason": "ambiguous_id"}
        raise PatchRejectedError([Problem("invalid_arguments", message, details=details, hint="Give more of the id.")])
    return rows


def _entry(connection: Connection, row: tuple[Any, ...], *, whole: bool) -> Entry:
    seq, id_, time, actor, tool, patch, folders, running, receipt, undoes, undone_by = row
    files = connection.execute(_WHOLE_FILES if whole else _LIGHT_FILES, (seq,))
    return Entry(
        id_,
        time,
        _unbound(actor),
        _unbound(tool),
        _unbound(patch),
        tuple(_file(file) for file in files),
        tuple(_unbound(folders).split("\0")) if folders else (),
        "open" if running else "done",
        _unbound(receipt),
        undoes,
        undone_by,
    )


def _file(row: tuple[Any, ...]) -> FileRecord:
    path, *snapshots, head, tail, staged, moved_from, middle = row
    texts = (path, *snapshots[0:10:5], *snapshots[1:10:5], *snapshots[4:10:5], staged, moved_from)
    numbers = (head, tail, *snapshots[2:10:5], *snapshots[3:10:5])
    if not (all(isinstance(text, (str, bytes)) for text in texts) and all(isinstance(n, int) for n in numbers)):
        raise OperationalError("a row is not as this program writes it")
    if not isinstance(middle, bytes):
        raise OperationalError("a content is not as this program writes it")
    kind, sha256, size, mode, target = snapshots[:5]
    before = Snapshot(kind, sha256, size, mode, _unbound(target))
    kind, sha256, size, mode, target = snapshots[5:]
    after = Snapshot(kind, sha256, size, mode, _unbound(target))
    return FileRecord(_unbound(path), before, after, head, tail, middle, _unbound(staged), _unbound(moved_from))


def _rows(seq: int | None, files: Iterable[FileRecord]) -> Iterable[tuple[object, ...]]:
    for number, file in enumerate(files):
        snapshots = (*_columns(file.before), *_columns(file.after))
        names = _bound(file.staged), _bound(file.moved_from)
        yield (seq, number, _bound(file.path), *snapshots, file.head, file.tail, *names, file.middle)


def _columns(snapshot: Snapshot) -> tuple[object, ...]:
    return snapshot.kind, snapshot.sha256, snapshot.size, snapshot.mode, _bound(snapshot.target)


def _bound(text: str) -> str | bytes:
    """A text as SQLite takes it: names and patches may hold bytes that are no text, which stand as lone surrogates."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
    return text


def _unbound(value: str | bytes) -> str:
    return value if isinstance(value, str) else value.decode("utf-8", "surrogatepass")


def _delete(connection: Connection, seqs: list[tuple[int]]) -> None:
    for statement in _DELETE:
        connection.executemany(statement, seqs)


def _bytes_used(connection: Connection) -> int:
    pages = _pragma(connection, "page_count") - _pragma(connection, "freelist_count")
    return pages * _pragma(connection, "page_size")


def _pragma(connection: Connection, name: str) -> int:
    (value,) = connection.execute(f"PRAGMA {name}").fetchone()
    assert isinstance(value, int), "BUG: a pragma that is no number"
    return value
