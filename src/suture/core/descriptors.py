"""What the system does with open files: it reads them whole, and waits until the disk has them."""

from __future__ import annotations

import errno
import os
import stat as modes
import sys

from .file_errors import FileTooLargeError, failure
from .system import OWN

if sys.platform != "win32":
    import fcntl

#: How many bytes are read at once.
PIECE = 65536

#: Errors of file systems that have nothing to flush for a directory.
_NO_FLUSH = frozenset({errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EBADF})


def regular(status: os.stat_result, path: str) -> os.stat_result:
    """The status of a file, if it is a regular one; otherwise an error."""
    if not modes.S_ISREG(status.st_mode):
        raise failure(errno.EISDIR if modes.S_ISDIR(status.st_mode) else errno.EINVAL, path)
    return status


def read_all(file: int, size: int, path: str, limit: int) -> bytes:
    """The content of an open file that said it has `size` bytes.

    Raises:
        FileTooLargeError: it has more than `limit` bytes.
    """
    if size > limit:
        raise FileTooLargeError(path, size, limit)
    data = os.read(file, size + 1)
    while piece := os.read(file, PIECE):
        # The file is growing, or the first read returned less than all of it.
        data += piece
        if len(data) > limit:
            raise FileTooLargeError(path, len(data), limit)
    return data


def flush(descriptor: int) -> None:
    """Wait until the disk has a file. On macOS, fsync only hands it to the drive, which may keep it for later."""
    if sys.platform != "win32":
        full = getattr(fcntl, "F_FULLFSYNC", None)
        if full is not None:
            try:
                fcntl.fcntl(descriptor, full)
            except OSError:
                pass  # the file system doesn't support it
            else:
                return
    os.fsync(descriptor)


def flush_names(descriptor: int) -> None:
    """Wait until the disk has the names in an open directory."""
    try:
        flush(descriptor)
    except OSError as error:
        if error.errno not in _NO_FLUSH:
            raise


def flush_folder(path: str) -> None:
    """Wait until the disk has the names in a directory. Windows keeps them in order by itself."""
    if sys.platform != "win32":
        descriptor = open_folder(path)
        try:
            flush_names(descriptor)
        finally:
            os.close(descriptor)


def open_folder(path: str) -> int:
    """A descriptor of a directory. Windows has none.

    Raises:
        OSError: it is not a directory, or can't be opened.
    """
    return os.open(path, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | OWN)
