"""Reads files that nobody asked to read: settings, trust, logs. Their content is checked later, by those who use it.

A repository can have anything in the place of such a file: a link to `/dev/zero`, a FIFO that nobody writes to, a file
of 100 GB. So only regular files are read, they are opened without waiting, and up to a limit.
"""

from __future__ import annotations

import errno
import os
import stat as modes
import sys

from .descriptors import read_all
from .file_errors import failure
from .system import NO_LINK, NO_WAIT, OWN

#: What the message of an error says about anything that is not a regular file.
NOT_REGULAR = "it is not a regular file"

_FLAGS = os.O_RDONLY | OWN | NO_WAIT


def open_regular(path: str, *, follow_links: bool = False) -> int:
    """A descriptor of a regular file. Unless `follow_links`, a link at the end of the path is an error.

    Raises:
        OSError: there is no such file; `EINVAL` for anything but a regular file.
    """
    if sys.platform == "win32" and not follow_links and os.path.islink(path):
        raise failure(errno.ELOOP, path)
    try:
        descriptor = os.open(path, _FLAGS if follow_links else _FLAGS | NO_LINK)
    except OSError as error:
        if error.errno == errno.ENXIO:
            # A socket, or a device that does not exist.
            raise OSError(errno.EINVAL, NOT_REGULAR, path) from None
        raise
    if not modes.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, NOT_REGULAR, path)
    return descriptor


def read_regular(path: str, limit: int, *, follow_links: bool = False) -> bytes:
    """The content of a regular file.

    Raises:
        FileTooLargeError: it has more than `limit` bytes.
        OSError: as `open_regular`.
    """
    descriptor = open_regular(path, follow_links=follow_links)
    try:
        return read_all(descriptor, os.fstat(descriptor).st_size, path, limit)
    finally:
        os.close(descriptor)
