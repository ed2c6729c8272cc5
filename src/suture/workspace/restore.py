"""Back to what was: from a journal entry and what the disk has, whatever was done of it.

Nothing here depends on how far a commit came, only on what stands under each name: what stood there before, what the
commit wanted there, or something else, which is left alone. So it can be done again when it is itself cut short.
"""

from __future__ import annotations

import errno
from contextlib import suppress
from posixpath import dirname

from .fingerprint import fingerprint
from .record import ABSENT, Snapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .files import Files
    from .record import Entry, FileRecord

#: Contents that are read for comparison may have any size that a commit may have written.
NO_LIMIT = 1 << 62


def look(
    files: Files, path: str, limit: int, *, known: bytes | None = None, snapshot: Snapshot = ABSENT
) -> tuple[Snapshot, bytes | None]:
    """What stands under a name, and its content. Where it is a content that is known, its hash need not be counted."""
    stat = files.stat(path)
    if stat is None:
        return ABSENT, None
    if stat.kind == "link":
        return Snapshot("link", "", 0, 0, files.link(path)), b""
    if stat.kind != "file":
        return Snapshot(stat.kind), None
    data, stat = files.read(path, limit, known)
    digest = snapshot.sha256 if data is known else fingerprint(data)
    return Snapshot("file", digest, len(data), stat.mode), data


def is_as(now: Snapshot, wanted: Snapshot) -> bool:
    """Whether what stands there is what is wanted; the mode is no part of it."""
    return (now.kind, now.sha256, now.target) == (wanted.kind, wanted.sha256, wanted.target)


def is_complete(files: Files, entry: Entry) -> bool:
    """Whether everything that a commit wanted is there: then it only has to be closed."""
    return all(is_as(look(files, record.path, NO_LIMIT)[0], record.after) for record in entry.files)


def clean_up(files: Files, entry: Entry, *, flush: bool) -> None:
    """Remove what a complete commit has left lying about."""
    for record in entry.files:
        discard(files, record.staged)
    if flush:
        _flush(files, entry)


def restore_all(files: Files, entry: Entry, *, flush: bool) -> list[str]:
    """Bring every name of a commit back to what it held before; gives those that somebody else has changed since."""
    left = [record.path for record in reversed(entry.files) if not _restore(files, record, flush=flush)]
    for record in entry.files:
        discard(files, record.staged)
    for folder in reversed(entry.folders):
        remove_if_empty(files, folder)
    if flush:
        _flush(files, entry)
    return left


def remove_if_empty(files: Files, folder: str) -> None:
    """Remove a folder that a commit made; one that is not empty is in use by somebody else."""
    try:
        files.remove_folder(folder)
    except OSError as error:
        if error.errno not in (errno.ENOENT, errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR):
            raise


def _restore(files: Files, record: FileRecord, *, flush: bool) -> bool:
    path, before, after = record.path, record.before, record.after
    now, data = look(files, path, NO_LIMIT)
    if is_as(now, before):
        return True
    if now.kind != "absent" and not is_as(now, after):
        return False
    if record.moved_from:
        source, _ = look(files, record.moved_from, NO_LIMIT)
        if source.kind == "absent":
            files.rename(path, record.moved_from, replace=False)
        elif is_as(source, after):
            # The move was cut short between its two names, or the old one is there again.
            files.remove(path)
        else:
            # Somebody else has taken the old name: this one is all that is left of the file.
            return False
        return True
    if before.kind == "absent":
        files.remove(path)
        return True
    if _is_set_aside(files, record):
        files.rename(record.staged, path, replace=False)
        return True
    like = path if now.kind == "file" else None
    if before.kind == "link":
        discard(files, record.staged)
        files.make_link(record.staged, before.target)
    else:
        content = before_of(record, data if is_as(now, after) else None)
        if content is None:
            content = before_of(record, _staged_content(files, record))
        if content is None:
            return False
        discard(files, record.staged)
        # The file that is there has the mode of the one before it, unless the commit has changed it.
        mode = None if like is not None and before.mode == after.mode else before.mode
        files.stage(record.staged, content, like=like, mode=mode, flush=flush)
    files.rename(record.staged, path, replace=now.kind != "absent")
    return True


def _is_set_aside(files: Files, record: FileRecord) -> bool:
    """Whether the file that stood there is still there under its other name."""
    if record.after.kind != "absent":
        return False
    return is_as(look(files, record.staged, NO_LIMIT)[0], record.before)


def _staged_content(files: Files, record: FileRecord) -> bytes | None:
    staged, data = look(files, record.staged, NO_LIMIT)
    return data if is_as(staged, record.after) else None


def before_of(record: FileRecord, after: bytes | None) -> bytes | None:
    """The content before a commit, from the content after it; None where that does not give it."""
    base = after or b""
    content = (
        base[: record.head] + record.middle + base[len(base) - record.tail :]
        if record.tail
        else (base[: record.head] + record.middle)
    )
    return content if fingerprint(content) == record.before.sha256 else None


def discard(files: Files, path: str) -> None:
    """Remove a file that may not be there."""
    if files.stat(path) is not None:
        files.remove(path)


def _flush(files: Files, entry: Entry) -> None:
    for folder in sorted({dirname(path) for path in (*entry.folders, *(record.path for record in entry.files))}):
        with suppress(FileNotFoundError):
            files.flush_folder(folder)
