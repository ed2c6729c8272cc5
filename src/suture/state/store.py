"""The journal and the history of a workspace, in one SQLite file in its state directory.

`begin` records a commit before the first file changes, `finish` closes it when all files have changed, and `forget`
removes it when they are as before. A commit that is neither closed nor removed is `unfinished`: it is running, or was
cut short. Which of the two is not known here: to repair it, hold the locks of its files first, and read it again.

The tables are designed for the two transactions of a commit. `begin` writes all rows, and `finish` rewrites none of
them: running commits have a table of their own, which is nearly always empty, so that finding them takes the same time
however long the history is. Long texts have a table of their own too, so that the rows that are searched stay short.
"""

from __future__ import annotations

import os
from _sqlite3 import OperationalError
from contextlib import suppress

from ..core.common_limits import NO_LIMIT
from ..core.problems import PatchRejectedError, Problem
from ..words.next_steps import FindCommit
from .database import FLUSHED, UNFLUSHED, Database
from .journal_rows import HOME, entry_of, first_home, from_sql, home_of, rows_of, to_sql
from .locks import take
from .session_records import APPLIED, BASE, READ, SessionRecords
from .state_folder import ALL, IN_USE, remove_folder
from .system_locks import EXCLUSIVE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _sqlite3 import Connection
    from collections.abc import Callable
    from typing import Any, Literal, TypeAlias

    from ..core.record import Entry
    from .locks import Flock
    from .state_folder import StateFolder

    Durability: TypeAlias = Literal["full", "process"]

VERSION = 6

_SCHEMA = (
    """CREATE TABLE entry (
        seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, time REAL NOT NULL, actor TEXT NOT NULL, tool TEXT NOT NULL,
        undoes TEXT NOT NULL, undone_by TEXT NOT NULL, folders TEXT NOT NULL,
        emptied TEXT NOT NULL DEFAULT '')""",
    "CREATE TABLE document (seq INTEGER PRIMARY KEY, patch TEXT NOT NULL, receipt TEXT NOT NULL)",
    "CREATE TABLE running (seq INTEGER PRIMARY KEY)",
    """CREATE TABLE file (
        seq INTEGER NOT NULL, number INTEGER NOT NULL, path TEXT NOT NULL,
        before_kind TEXT NOT NULL, before_sha256 TEXT NOT NULL, before_size INTEGER NOT NULL,
        before_mode INTEGER NOT NULL, before_target TEXT NOT NULL,
        after_kind TEXT NOT NULL, after_sha256 TEXT NOT NULL, after_size INTEGER NOT NULL,
        after_mode INTEGER NOT NULL, after_target TEXT NOT NULL,
        head INTEGER NOT NULL, tail INTEGER NOT NULL, staged TEXT NOT NULL, moved_from TEXT NOT NULL,
        middle BLOB NOT NULL, before_uid INTEGER NOT NULL DEFAULT -1, before_gid INTEGER NOT NULL DEFAULT -1,
        PRIMARY KEY (seq, number)) WITHOUT ROWID""",
    "CREATE INDEX file_path ON file (path)",
    READ,
    APPLIED,
    BASE,
    _APPROVAL := """CREATE TABLE IF NOT EXISTS approval (
        permission TEXT NOT NULL, glob TEXT NOT NULL, time REAL NOT NULL, PRIMARY KEY (permission, glob))""",
    HOME,
)

#: What makes a store of an earlier version one of the next.
_UPGRADES = {
    1: (
        "ALTER TABLE entry ADD COLUMN emptied TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE file ADD COLUMN before_uid INTEGER NOT NULL DEFAULT -1",
        "ALTER TABLE file ADD COLUMN before_gid INTEGER NOT NULL DEFAULT -1",
    ),
    2: (_APPROVAL,),
    3: (HOME,),
    4: (APPLIED,),
    5: (BASE,),
}

_RUNNING = "entry.seq IN (SELECT seq FROM running)"
_ENTRY = f"""SELECT entry.seq, id, time, actor, tool, patch, folders, {_RUNNING}, receipt, undoes, undone_by,
    emptied FROM entry JOIN document USING (seq)"""  # noqa: S608 - constants of ours

_INSERT_FILE = f"INSERT INTO file VALUES ({', '.join('?' * 20)})"  # noqa: S608 - only question marks
_DELETE = tuple(f"DELETE FROM {table} WHERE seq = ?" for table in ("entry", "document", "running", "file"))  # noqa: S608 - names of ours


#: The fewest seconds that are waited for others if files were changed already. To give up would need a recovery.
COMPLETION_PATIENCE = 10.0
#: Pruning shrinks the file if at least this many bytes, and more than half of it, are unused.
_SPARE = 4_000_000


class Store:
    """The commits of one workspace, shared by threads and processes; in memory without a directory.

    Nothing is made before the first record. Every method raises PatchRejectedError: `io_error` if the file can't be
    read or written, `locked` if others hold it for longer than `patience` seconds; to complete a commit, it waits at
    least ten. The caller knows whether files of the workspace were changed by then.
    """

    def __init__(
        self,
        folder: str | None,
        *,
        durability: Durability = "full",
        watch: Callable[[str, str], object] | None = None,
        patience: float = 10.0,
        home: StateFolder | None = None,
    ) -> None:
        self._database = Database(folder, (*_SCHEMA, *first_home(home)), VERSION, _UPGRADES, patience=patience)
        self._home = home
        self._patience = patience
        self._begin_level = FLUSHED if durability == "full" else UNFLUSHED
        self._watch = watch

    @property
    def sessions(self) -> SessionRecords:
        """What sessions keep; made anew each time, because it would hold the store that holds it."""
        return SessionRecords(self._database, self._notify)

    def settle(self) -> bool:
        """Make it the store of its workspace, also if that was moved; False if it belongs to another."""
        home = self._home
        if home is None or not home.id or not self._database.exists():
            return True
        with self._database as connection:
            if home_of(connection) == (home.id, home.root):
                return True
        from .relocation import settle

        return settle(self._database, home, self._patience)

    def begin(self, entry: Entry) -> None:
        """Record a commit that is about to change files; durable on return if durability is `full`.

        If it raises, the commit may have been recorded anyway; `forget` it, or leave it to recovery.
        """
        self._notify("before begin")
        with self._database as connection:
            self._database.level(self._begin_level)
            connection.execute("BEGIN IMMEDIATE")
            seq = connection.execute(
                "INSERT INTO entry VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    entry.id,
                    entry.time,
                    to_sql(entry.actor),
                    to_sql(entry.tool),
                    entry.undoes,
                    entry.undone_by,
                    to_sql("\0".join(entry.folders)),
                    to_sql("\0".join(entry.emptied)),
                ),
            ).lastrowid
            documents = (seq, to_sql(entry.patch), to_sql(entry.receipt))
            connection.execute("INSERT INTO document VALUES (?, ?, ?)", documents)
            connection.execute("INSERT INTO running VALUES (?)", (seq,))
            connection.executemany(_INSERT_FILE, rows_of(seq, entry.files))
            connection.execute("COMMIT")
        self._notify("after begin")

    def finish(self, id: str) -> None:  # noqa: A002 - the usual word
        """Close a commit whose files have all been written, and mark the commit that it undoes.

        This is not flushed: after a loss of power the entry may be unfinished again, with all its files written.
        """
        self._notify("before finish")
        with self._database as connection:
            self._database.wait(max(COMPLETION_PATIENCE, self._patience))
            self._database.level(UNFLUSHED)
            connection.execute("BEGIN IMMEDIATE")
            row = connection.execute("SELECT seq, undoes FROM entry WHERE id = ?", (id,)).fetchone()
            if row is None:
                message = "The state directory of the workspace was removed during the commit."
                hint = "Try the same edit again; a new history begins."
                raise PatchRejectedError([Problem("io_error", message, details={"reason": "state_removed"}, hint=hint)])
            seq, undoes = row
            connection.execute("DELETE FROM running WHERE seq = ?", (seq,))
            _mark_undone(connection, undoes, id)
            connection.execute("COMMIT")
        self._notify("after finish")

    def replace_receipt(self, id: str, receipt: str) -> None:  # noqa: A002
        """Record another receipt for a commit."""
        with self._database as connection:
            self._database.level(UNFLUSHED)
            query = "UPDATE document SET receipt = ? WHERE seq = (SELECT seq FROM entry WHERE id = ?)"
            connection.execute(query, (to_sql(receipt), id))

    def forget(self, id: str) -> None:  # noqa: A002
        """Remove a commit that was rolled back, if it was recorded."""
        if not self._database.exists():
            return
        self._notify("before forget")
        with self._database as connection:
            self._database.wait(max(COMPLETION_PATIENCE, self._patience))
            self._database.level(UNFLUSHED)
            connection.execute("BEGIN IMMEDIATE")
            _delete(connection, connection.execute("SELECT seq FROM entry WHERE id = ?", (id,)).fetchall())
            connection.execute("COMMIT")
        self._notify("after forget")

    def mark_undone(self, id: str, by: str) -> None:  # noqa: A002
        """Record which commit has undone this one; an empty `by` clears that.

        What it had undone itself is then in effect again, or no longer.
        """
        if not self._database.exists():
            return
        self._notify("before mark_undone")
        with self._database as connection:
            self._database.wait(max(COMPLETION_PATIENCE, self._patience))
            self._database.level(UNFLUSHED)
            connection.execute("BEGIN IMMEDIATE")
            _mark_undone(connection, id, by)
            connection.execute("COMMIT")
        self._notify("after mark_undone")

    def unfinished(self, *, whole: bool = True) -> tuple[Entry, ...]:
        """The commits that are running or were cut short, oldest first; `whole` includes the contents before."""
        if not self._database.exists():
            return ()
        with self._database as connection:
            # Nearly always there are none, and one statement needs no transaction.
            if connection.execute("SELECT seq FROM running LIMIT 1").fetchone() is None:
                return ()
            connection.execute("BEGIN")
            rows = connection.execute(f"{_ENTRY} WHERE {_RUNNING} ORDER BY entry.seq").fetchall()
            return tuple(entry_of(connection, row, whole=whole) for row in rows)

    def entry(self, id: str) -> Entry | None:  # noqa: A002
        """The commit with this id, or with the only id that begins like this; None if there is none.

        Raises:
            PatchRejectedError: several ids begin like this (`invalid_arguments`).
        """
        if not _is_id(id) or not self._database.exists():
            return None
        with self._database as connection:
            connection.execute("BEGIN")
            rows = _find(connection, id)
            return entry_of(connection, rows[0], whole=True) if rows else None

    def log(self, limit: int = 100, before: str | None = None, path: str | None = None) -> list[Entry]:
        """Finished commits, newest first, without the contents before: those before `before`, or of one path.

        Raises:
            PatchRejectedError: there is no commit `before` (`not_found`), or there are several (`invalid_arguments`).
        """
        if not self._database.exists():
            return []
        conditions, values = [f"NOT {_RUNNING}"], list[object]()
        with self._database as connection:
            connection.execute("BEGIN")
            if before is not None:
                rows = _find(connection, before) if _is_id(before) else []
                if not rows:
                    raise PatchRejectedError([no_commit(before)])
                conditions.append("entry.seq < ?")
                values.append(rows[0][0])
            if path is not None:
                conditions.append("entry.seq IN (SELECT seq FROM file WHERE path = ?)")
                values.append(to_sql(path))
            query = f"{_ENTRY} WHERE {' AND '.join(conditions)} ORDER BY entry.seq DESC LIMIT ?"
            rows = connection.execute(query, (*values, min(limit, NO_LIMIT))).fetchall()
            return [entry_of(connection, row, whole=False) for row in rows]

    def prune(self, max_age: float | None, max_bytes: int | None, now: float) -> int:
        """Remove finished commits older than `max_age` seconds, then the oldest while the file exceeds `max_bytes`.

        They are removed a 32nd of all at a time. Returns how many. Records of sessions are removed with the commits of
        their age.
        """
        if not self._database.exists():
            return 0
        self._notify("before prune")
        with self._database as connection:
            self._database.level(UNFLUSHED)
            connection.execute("BEGIN IMMEDIATE")
            finished = f"SELECT seq FROM entry WHERE NOT {_RUNNING}"  # noqa: S608 - a constant of ours
            old = []
            if max_age is not None:
                oldest = now - min(max_age, now)
                old = connection.execute(f"{finished} AND time < ?", (oldest,)).fetchall()
                _delete(connection, old)
                connection.execute("DELETE FROM read WHERE time < ?", (oldest,))
                connection.execute("DELETE FROM applied WHERE time < ?", (oldest,))
                connection.execute("DELETE FROM base WHERE time < ?", (oldest,))
            pruned = len(old)
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
                with suppress(OperationalError):  # the disk may be full, or somebody is reading
                    connection.execute("VACUUM")
        self._notify("after prune")
        return pruned

    def keep_approval(self, permission: str, glob: str, time: float) -> None:
        """Record an answer "always"."""
        with self._database as connection:
            self._database.level(UNFLUSHED)
            values = (to_sql(permission), to_sql(glob), time)
            connection.execute("INSERT OR REPLACE INTO approval VALUES (?, ?, ?)", values)

    def approvals(self) -> list[tuple[str, str, float]]:
        """The recorded answers, oldest first: the permission, the glob and the time of each."""
        if not self._database.exists():
            return []
        with self._database as connection:
            rows = connection.execute("SELECT permission, glob, time FROM approval ORDER BY time").fetchall()
            return [(from_sql(permission), from_sql(glob), time) for permission, glob, time in rows]

    def revoke_approval(self, permission: str, glob: str) -> bool:
        """Remove an answer; False if there is none."""
        if not self._database.exists():
            return False
        with self._database as connection:
            self._database.level(FLUSHED)
            where = (to_sql(permission), to_sql(glob))
            return connection.execute("DELETE FROM approval WHERE permission = ? AND glob = ?", where).rowcount > 0

    def close(self) -> None:
        """Close the file. The next use opens it again; a store in memory is lost."""
        self._database.close()

    def leave(self) -> None:
        """Leave the file as it is, in a process that ends now: faster than `close`, and nothing is lost."""
        self._database.leave()

    def _notify(self, what: str) -> None:
        # Outside the database's lock: the callback may do anything, even fork.
        if self._watch is not None:
            self._watch("store", what)


def leave_no_trace(folder: StateFolder) -> bool:
    """Remove the hidden directory in a workspace if it has no commits and nobody uses it; return whether it did.

    The caller's own store must be closed. Any other state directory is kept.
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
        return False  # a store that can't be read is kept, and so is a directory with other files
    else:
        return True
    finally:
        for lock in locks:
            if lock is not None:
                lock.release()


def _is_empty(folder: str, in_use: Flock | None) -> bool:
    database = Database(folder, _SCHEMA, VERSION, _UPGRADES, patience=0, in_use=in_use)
    if not database.exists():
        return True
    try:
        with database as connection:
            return connection.execute("SELECT seq FROM entry LIMIT 1").fetchone() is None
    finally:
        database.close()


def no_commit(name: object) -> Problem:
    """The problem that no commit has this id."""
    message = f"There is no commit {name!s:.40} in the history."
    return Problem("not_found", message, details={"id": name}, hint=FindCommit())


def _is_id(text: object) -> bool:
    """Whether a text can be an id, or the beginning of one. It may come from anywhere."""
    return isinstance(text, str) and text != "" and text.isascii()


def _find(connection: Connection, id: str) -> list[Any]:  # noqa: A002
    """The row with this id, or with the only one that begins like this."""
    exact = connection.execute(f"{_ENTRY} WHERE id = ?", (id,)).fetchall()
    if exact:
        return exact
    # U+10FFFF is the last character, so no id with this beginning is greater.
    query = f"{_ENTRY} WHERE id > ? AND id < ? ORDER BY id LIMIT 6"
    rows = connection.execute(query, (id, id + "\U0010ffff")).fetchall()
    if len(rows) > 1:
        ids = [row[1] for row in rows[:5]]
        more = ", …" if len(rows) > 5 else ""
        message = f"Several commits begin with {id}: {', '.join(ids)}{more}."
        details = {"id": id, "ids": ids, "reason": "ambiguous_id"}
        raise PatchRejectedError(
            [Problem("invalid_arguments", message, details=details, hint="Use more characters of the id.")]
        )
    return rows


def _mark_undone(connection: Connection, id: str, by: str) -> None:  # noqa: A002
    """Mark a commit as undone, or not; then what it had undone itself is in effect again, or not, and so on."""
    seen: set[str] = set()
    while id and id not in seen:
        seen.add(id)
        connection.execute("UPDATE entry SET undone_by = ? WHERE id = ?", (by, id))
        row = connection.execute("SELECT undoes FROM entry WHERE id = ?", (id,)).fetchone()
        by, id = "" if by else id, row[0] if row else ""  # noqa: A001


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
