"""Flushing to the disk: a file's content, and the names in a directory."""

from __future__ import annotations

import errno
import fcntl
import os

#: Errors of file systems that have nothing to flush for a directory.
_NO_FLUSH = frozenset({errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EBADF})


def flush(descriptor: int) -> None:
    """Wait until the disk has a file. On macOS, fsync only hands it to the drive, which may keep it for later."""
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
    """Wait until the disk has the names in a directory."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        flush_names(descriptor)
    finally:
        os.close(descriptor)
