"""Commits as rows of the journal's tables, and back. What comes from a file is checked: it may be damaged."""

from __future__ import annotations

import os
from _sqlite3 import DataError

from ..core.record import Entry, FileRecord, Snapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _sqlite3 import Connection
    from collections.abc import Iterable
    from typing import Any

    from .state_folder import StateFolder

#: The directory that the files of a journal are in, and its id; nothing if it has none.
HOME = "CREATE TABLE IF NOT EXISTS home (id TEXT NOT NULL, root BLOB NOT NULL)"

_FILES = """SELECT path, before_kind, before_sha256, before_size, before_mode, before_target,
    after_kind, after_sha256, after_size, after_mode, after_target, head, tail, staged, moved_from, before_uid,
    before_gid, {middle} FROM file WHERE seq = ? ORDER BY number"""
_WHOLE_FILES = _FILES.format(middle="middle")
_LIGHT_FILES = _FILES.format(middle="x''")


def first_home(folder: StateFolder | None) -> tuple[str, ...]:
    """The statements that record the home of a new journal."""
    if folder is None or not folder.id:
        return ()
    return (f"INSERT INTO home VALUES ('{folder.id}', X'{os.fsencode(folder.root).hex()}')",)  # noqa: S608 - an id is a plain word


def home_of(connection: Connection) -> tuple[str, str]:
    """The id and the root of a journal's workspace; empty if it has no id."""
    row = connection.execute("SELECT id, root FROM home").fetchone()
    return ("", "") if row is None else (str(row[0]), os.fsdecode(row[1]))


def entry_of(connection: Connection, row: tuple[Any, ...], *, whole: bool) -> Entry:
    """The commit of a row, with its files; `whole` includes the contents before."""
    seq, id_, time, actor, tool, patch, folders, running, receipt, undoes, undone_by, emptied = row
    texts = (id_, actor, tool, patch, folders, receipt, undoes, undone_by, emptied)
    if not (all(isinstance(text, (str, bytes)) for text in texts) and isinstance(time, (int, float))):
        raise DataError("a row has an unexpected type")
    files = connection.execute(_WHOLE_FILES if whole else _LIGHT_FILES, (seq,))
    return Entry(
        from_sql(id_),
        time,
        from_sql(actor),
        from_sql(tool),
        from_sql(patch),
        tuple(_file(file) for file in files),
        _names(folders),
        "open" if running else "done",
        from_sql(receipt),
        from_sql(undoes),
        from_sql(undone_by),
        _names(emptied),
    )


def _names(column: str | bytes) -> tuple[str, ...]:
    return tuple(from_sql(column).split("\0")) if column else ()


def _file(row: tuple[Any, ...]) -> FileRecord:
    path, *snapshots, head, tail, staged, moved_from, uid, gid, middle = row
    _check_types((path, staged, moved_from), (head, tail, uid, gid))
    if not isinstance(middle, bytes):
        raise DataError("a content has an unexpected type")
    before = _snapshot(snapshots[:5]).replace(uid=uid, gid=gid)
    after = _snapshot(snapshots[5:])
    return FileRecord(from_sql(path), before, after, head, tail, middle, from_sql(staged), from_sql(moved_from))


def _snapshot(columns: list[Any]) -> Snapshot:
    kind, sha256, size, mode, target = columns
    _check_types((kind, sha256, target), (size, mode))
    return Snapshot(from_sql(kind), from_sql(sha256), size, mode, from_sql(target))


def _check_types(texts: tuple[Any, ...], numbers: tuple[Any, ...]) -> None:
    are_texts = all(isinstance(text, (str, bytes)) for text in texts)
    are_numbers = all(isinstance(number, int) for number in numbers)
    if not (are_texts and are_numbers):
        raise DataError("a row has an unexpected type")


def rows_of(seq: int | None, files: Iterable[FileRecord]) -> Iterable[tuple[object, ...]]:
    """The rows of a commit's files."""
    for number, file in enumerate(files):
        snapshots = (*_columns(file.before), *_columns(file.after))
        names = to_sql(file.staged), to_sql(file.moved_from)
        owner = file.before.uid, file.before.gid
        yield (seq, number, to_sql(file.path), *snapshots, file.head, file.tail, *names, file.middle, *owner)


def _columns(snapshot: Snapshot) -> tuple[object, ...]:
    return snapshot.kind, snapshot.sha256, snapshot.size, snapshot.mode, to_sql(snapshot.target)


def to_sql(text: str) -> str | bytes:
    """A text for SQLite: names and patches may have lone surrogates, which stand for undecodable bytes."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
    return text


def from_sql(value: str | bytes) -> str:
    """A text as it was before `to_sql`."""
    return value if isinstance(value, str) else value.decode("utf-8", "surrogatepass")
