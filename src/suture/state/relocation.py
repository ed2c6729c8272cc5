"""What happens to a journal whose workspace was moved: its paths are those of the new place from then on.

A journal has the absolute paths of its files, and the directory that they are in as its `home`. All of them change in
one transaction, while no commit is running, so a process that is killed meanwhile leaves the journal as it was, and the
next one moves it. A copy of a directory has the id of the original; it is not its home as long as the original exists.
"""

from __future__ import annotations

import os
from json import dumps, loads
from time import monotonic

from ..core.problems import PatchRejectedError, Problem
from .database import FLUSHED
from .journal_rows import from_sql, home_of, to_sql
from .locks import take, wait_for
from .state_folder import ALL, id_of
from .system_locks import EXCLUSIVE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _sqlite3 import Connection

    from .database import Database
    from .state_folder import StateFolder

#: The columns with paths: the table, its key, and the columns.
_PATHS = (
    ("file", ("seq", "number"), ("path", "staged", "moved_from")),
    ("entry", ("seq",), ("folders", "emptied")),
    ("read", ("session", "path"), ("path",)),
    ("applied", ("session", "call", "path"), ("path",)),
)


def settle(database: Database, folder: StateFolder, patience: float) -> bool:
    """Make the journal that of the workspace at `folder.root`, also if it was moved; False if it belongs to another.

    Raises:
        PatchRejectedError: a commit has been running for longer than `patience` seconds (`locked`).
    """
    with database as connection:
        if (owner := _owner(connection, folder)) is not None:
            return owner
    lock = wait_for(lambda: take(folder.path, ALL, EXCLUSIVE), monotonic() + patience)
    if lock is None:
        message = f"The workspace was moved to {folder.root}, and a commit from its earlier place is still running."
        details = {"path": folder.root, "reason": "moved"}
        raise PatchRejectedError([Problem("locked", message, details=details, hint="Try again a little later.")])
    try:
        with database as connection:
            database.level(FLUSHED)
            connection.execute("BEGIN IMMEDIATE")
            owner = _owner(connection, folder)
            if owner is None:  # no other process was quicker
                _move(connection, home_of(connection)[1], folder.root)
                connection.execute("COMMIT")
            return owner is not False
    finally:
        lock.release()


def _owner(connection: Connection, folder: StateFolder) -> bool | None:
    """Whether a journal is that of the workspace; None if it was, at another place."""
    id_, root = home_of(connection)
    if not id_:
        # It was made before workspaces had ids, and belongs to the directory whose path its name is made of.
        if folder.id and folder.is_named_by_path:
            connection.execute("INSERT INTO home VALUES (?, ?)", (folder.id, os.fsencode(folder.root)))
        return folder.is_named_by_path or folder.inside
    if root == folder.root or not folder.id:
        return True
    if folder.inside and id_ != folder.id:
        return True  # it came with a copy: it can be read, but its commits are those of another directory
    return None if _is_gone(root, folder) else folder.inside


def _is_gone(root: str, folder: StateFolder) -> bool:
    """Whether the workspace is no longer at `root`; a second name of the same directory counts as a move."""
    try:
        return id_of(root) != folder.id or os.path.samefile(root, folder.root)
    except OSError:
        return True


def _move(connection: Connection, old: str, new: str) -> None:
    """Replace the directory of every path in a journal."""
    for table, keys, columns in _PATHS:
        query = f"SELECT {', '.join((*keys, *columns))} FROM {table}"  # noqa: S608 - names of ours
        changed = []
        for row in connection.execute(query):
            key, values = row[: len(keys)], row[len(keys) :]
            moved = [to_sql(_moved_names(from_sql(value), old, new)) for value in values]
            if moved != list(values):
                changed.append((*moved, *key))
        sets = ", ".join(f"{column} = ?" for column in columns)
        where = " AND ".join(f"{key} = ?" for key in keys)
        connection.executemany(f"UPDATE {table} SET {sets} WHERE {where}", changed)  # noqa: S608
    for seq, receipt in connection.execute("SELECT seq, receipt FROM document").fetchall():
        moved_receipt = _moved_trash(from_sql(receipt), old, new)
        if moved_receipt is not None:
            connection.execute("UPDATE document SET receipt = ? WHERE seq = ?", (to_sql(moved_receipt), seq))
    connection.execute("UPDATE home SET root = ?", (os.fsencode(new),))


def _moved_names(names: str, old: str, new: str) -> str:
    """Paths that are separated by NUL, with the new directory instead of the old one."""
    start = f"{old.rstrip('/')}/"
    other = f"{new.rstrip('/')}/"
    return "\0".join([other + name[len(start) :] if name.startswith(start) else name for name in names.split("\0")])


def _moved_trash(receipt: str, old: str, new: str) -> str | None:
    """The receipt with the new paths of copies in a trash that was moved along; None if there are none."""
    if '"trash"' not in receipt:
        return None
    try:
        document = loads(receipt)
        files = document["files"]
        moved = [{**file, "trash": _moved_names(file["trash"], old, new)} for file in files]
    except (ValueError, KeyError, TypeError):
        return None  # it is damaged, which is reported when it is read
    return None if moved == files else dumps({**document, "files": moved})
