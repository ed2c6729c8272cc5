"""Rolls a commit back, from its journal entry and what the disk has, however far the commit got.

Nothing here depends on how far it got, only on what each name has now: the content before, the content after, or
something else, which is left alone. So a rollback that is itself cut short can be repeated.
"""

from __future__ import annotations

import errno
from contextlib import suppress
from posixpath import basename, dirname
from time import time

from ...core.common_limits import NO_LIMIT
from ...core.fingerprint import fingerprint
from ...core.value import Value
from .look import look

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...core.record import Entry, FileRecord
    from .file_system import Files

#: What became of a file: it is as before; it was not touched; or set-user-id and the like could not be restored.
RESTORED, LEFT_ALONE, LESS_POWER = "restored", "left_alone", "less_power"

#: Seconds after which a directory that is missing was removed, and is not only being moved.
_REMOVED_AFTER = 60.0


class Rollback(Value):
    """The outcome of a rollback: paths that were left alone, and files that lost set-user-id or the like."""

    left_alone: tuple[str, ...] = ()
    less_power: tuple[str, ...] = ()


def is_complete(files: Files, entry: Entry) -> bool:
    """Whether everything of a commit was written, so that it only has to be closed."""
    for record in entry.files:
        now, _ = look(files, record.path, NO_LIMIT)
        if not now.is_as(record.after):
            return False
        if record.changes_only_mode and now.mode != record.after.mode:
            return False
    return True


def clean_up(files: Files, entry: Entry, *, flush: bool) -> None:
    """Remove the staged files and the empty directories that a complete commit left."""
    _discard_all(files, entry)
    remove_emptied(files, entry)
    if flush:
        _flush(files, entry)


def restore_all(files: Files, entry: Entry, *, flush: bool) -> Rollback:
    """Restore every file of a commit, except those that another program has changed since."""
    for folder in entry.emptied:
        with suppress(FileExistsError):
            files.make_folder(folder)
    records = list(reversed(entry.files))
    if files.folds_names:
        # A name in other letters has to go before the old one can come back.
        records.sort(key=lambda record: record.before.kind != "absent")
    outcomes = [(record.path, _restore(files, record, flush=flush)) for record in records]
    _discard_all(files, entry)
    for folder in reversed(entry.folders):
        remove_if_empty(files, folder)
    if flush:
        _flush(files, entry)
    left_alone = tuple([path for path, outcome in outcomes if outcome == LEFT_ALONE])
    return Rollback(left_alone, tuple([path for path, outcome in outcomes if outcome == LESS_POWER]))


def remove_emptied(files: Files, entry: Entry) -> None:
    """Remove the directories that a commit leaves without need. One that can't be removed does no harm."""
    for folder in reversed(entry.emptied):
        with suppress(OSError):
            remove_if_empty(files, folder)


def remove_if_empty(files: Files, folder: str) -> None:
    """Remove a directory that a commit made, unless something else is in it by now."""
    try:
        files.remove_folder(folder)
    except OSError as error:
        if error.errno not in (errno.ENOENT, errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR):
            raise


def _restore(files: Files, record: FileRecord, *, flush: bool) -> str:
    """Restore one file; return the outcome."""
    path, before, after = record.path, record.before, record.after
    now, data = look(files, path, NO_LIMIT)
    has_new_mode = record.changes_only_mode and now.mode == after.mode
    if now.is_as(before) and not has_new_mode:
        return RESTORED
    if now.kind != "absent" and not now.is_as(after):
        return LEFT_ALONE
    if record.moved_from:
        source, _ = look(files, record.moved_from, NO_LIMIT)
        if source.kind == "absent":
            files.rename(path, record.moved_from, replace=False)
        elif source.is_as(after):
            # The move was cut short between its two names, or somebody has made the old one again.
            files.remove(path)
        else:
            # The old name is taken by something else: this one is all that is left of the file.
            return LEFT_ALONE
        return RESTORED
    if before.kind == "absent":
        files.remove(path)
        return RESTORED
    if _is_set_aside(files, record):
        files.rename(record.staged, path, replace=False)
        return RESTORED
    like = path if now.kind == "file" else None
    outcome = RESTORED
    if before.kind == "link":
        discard(files, record.staged)
        files.make_link(record.staged, before.target)
    else:
        content = before_of(record, data if now.is_as(after) else None)
        if content is None:
            content = before_of(record, _staged_content(files, record))
        if content is None:
            return LEFT_ALONE
        discard(files, record.staged)
        # The current file has the mode of the one before, unless the commit changed the mode.
        mode = None if like is not None and before.mode == after.mode else before.mode
        owner = before.uid, before.gid
        if files.stage(record.staged, content, like=like, mode=mode, owner=owner, flush=flush) is False:
            outcome = LESS_POWER
    files.rename(record.staged, path, replace=now.kind != "absent")
    return outcome


def _is_set_aside(files: Files, record: FileRecord) -> bool:
    """Whether the old file still exists under the name of its staged copy."""
    if record.after.kind != "absent":
        return False
    return look(files, record.staged, NO_LIMIT)[0].is_as(record.before)


def _staged_content(files: Files, record: FileRecord) -> bytes | None:
    staged, data = look(files, record.staged, NO_LIMIT)
    return data if staged.is_as(record.after) else None


def before_of(record: FileRecord, after: bytes | None) -> bytes | None:
    """The content before a commit, from the content after it; None if the hash does not match."""
    base = after or b""
    head, tail = base[: record.head], base[len(base) - record.tail :]
    content = head + record.middle + tail
    return content if fingerprint(content) == record.before.sha256 else None


def discard(files: Files, path: str) -> None:
    """Remove a file if it exists."""
    if files.stat(path) is not None:
        files.remove(path)


def _discard_all(files: Files, entry: Entry) -> None:
    """Remove all staged files of a commit.

    Raises:
        OSError: a directory is gone that was there a moment ago. Another program may be moving it about, with a staged
            file in it, so this has to be tried again. After a while it counts as removed.
    """
    staged: dict[str, list[str]] = {}
    for record in entry.files:
        if record.staged:
            staged.setdefault(dirname(record.staged), []).append(record.staged)
    for folder, paths in staged.items():
        try:
            # One listing: a directory that is moved away between two questions would answer one of them wrongly.
            names = set(files.names(folder))
        except (FileNotFoundError, NotADirectoryError):
            if folder in entry.folders or folder in entry.emptied or time() - entry.time > _REMOVED_AFTER:
                continue
            raise
        except PermissionError:
            names = {basename(path) for path in paths if files.stat(path) is not None}
        for path in paths:
            if basename(path) in names:
                files.remove(path)


def _flush(files: Files, entry: Entry) -> None:
    for folder in sorted({dirname(path) for path in (*entry.folders, *(record.path for record in entry.files))}):
        with suppress(FileNotFoundError):
            files.flush_folder(folder)
