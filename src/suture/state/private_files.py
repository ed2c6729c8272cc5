"""Files and directories of the state, which nobody but the user may have written.

Whoever can write to a directory of the state, or owns it, could put their own files there: settings that are trusted,
an answer to a request, a journal. So every directory from the base of the state down, and every file that is read,
must belong to this user or to the administrator, and nobody else may be able to write to it. Nothing in the state is
reached through a link; the base itself may be one.
"""

from __future__ import annotations

import errno
import os
import stat

from ..core.descriptors import flush_folder, read_all
from ..core.regular_files import open_regular
from ..core.system import is_open_to_others, is_trusted, slashed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

#: The permissions to write that nobody may have but the owner.
_WRITE_OF_OTHERS = stat.S_IWGRP | stat.S_IWOTH


class UnsafeStateError(PermissionError):
    """Somebody else owns a file or a directory of the state, or can write to it."""


def make_private_folder(path: str, *, parents: bool = True) -> None:
    """Make a directory, and its missing parents if `parents`, each for the user alone, and flush their names.

    Raises:
        OSError: it can't be made.
    """
    missing = []
    folder = path
    while not os.path.lexists(folder):
        missing.append(folder)
        folder = os.path.dirname(folder)
        if not parents:
            break
    for folder in reversed(missing):
        try:
            os.mkdir(folder, 0o700)
        except FileExistsError:
            continue  # another process was faster
        # This happens once for each directory, so it is flushed at any durability: without its directory, what is
        # flushed later would be lost.
        flush_folder(os.path.dirname(folder))


def check_private_folders(base: str, path: str) -> None:
    """Refuse the directory `path` if anybody else could write to it, or to one between it and `base`.

    Raises:
        UnsafeStateError: somebody else owns one of them or can write to it, with which one.
        OSError: one is missing, or no directory.
    """
    _check(os.stat(base), base, stat.S_ISDIR)
    folder = base
    relative = slashed(os.path.relpath(path, base))
    for name in () if relative == "." else relative.split("/"):
        folder = f"{folder}/{name}"
        _check(os.lstat(folder), folder, stat.S_ISDIR)


def open_private(base: str, path: str) -> int:
    """A descriptor of a regular file of the state that nobody else can have written.

    Raises:
        UnsafeStateError: somebody else owns it or one of its directories, or can write to one of these.
        OSError: there is no such file, or it is not a regular file.
    """
    check_private_folders(base, os.path.dirname(path))
    descriptor = open_regular(path)
    try:
        _check(os.fstat(descriptor), path, stat.S_ISREG)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def read_private(base: str, path: str, limit: int) -> bytes:
    """The content of a file of the state that nobody else can have written.

    Raises:
        FileTooLargeError: it has more than `limit` bytes.
        OSError: as `open_private`.
    """
    descriptor = open_private(base, path)
    try:
        return read_all(descriptor, os.fstat(descriptor).st_size, path, limit)
    finally:
        os.close(descriptor)


def _check(status: os.stat_result, path: str, is_kind: Callable[[int], bool]) -> None:
    if not is_kind(status.st_mode):
        raise OSError(errno.EINVAL, "it is not what Suture has put there", path)
    if not is_trusted(status):
        raise UnsafeStateError(errno.EPERM, "it belongs to another user", path)
    if is_open_to_others(status, _WRITE_OF_OTHERS):
        raise UnsafeStateError(errno.EPERM, "other users can write to it", path)
