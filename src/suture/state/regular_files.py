"""Reads files that nobody asked to read: settings, trust, logs. Their content is checked later, by those who use it.

A repository can have anything in the place of such a file: a link to `/dev/zero`, a FIFO that nobody writes to, a file
of 100 GB. So only regular files are read, they are opened without waiting, and up to a limit. A file of a project is
not reached through a link that leads out of the project.
"""

from __future__ import annotations

import errno
import os
import stat as modes

from .openat import THROUGH, ParentFolder, open_file, read_all, regular

#: What the message of an error says about anything that is not a regular file.
NOT_REGULAR = "it is not a regular file"
#: What the message of an error says about a link out of the project.
LEADS_OUT = "it is a symbolic link that leads out of the project"

_FLAGS = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY


def open_regular(path: str, *, follow_links: bool = False) -> int:
    """A descriptor of a regular file. Unless `follow_links`, a link at the end of the path is an error.

    Raises:
        OSError: there is no such file; `EINVAL` for anything but a regular file.
    """
    try:
        descriptor = os.open(path, _FLAGS if follow_links else _FLAGS | os.O_NOFOLLOW)
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


def read_project_file(root: str, name: str, limit: int) -> bytes:
    """The content of a regular file in a project. Links are followed as long as they stay in the project.

    Raises:
        FileTooLargeError: it has more than `limit` bytes.
        OSError: there is no such file; `ELOOP` for a link that leads out, `EINVAL` for anything but a regular file.
    """
    root = os.path.realpath(root)
    target = os.path.realpath(f"{root}/{name}")
    prefix = root.rstrip("/") + "/"
    if not target.startswith(prefix):
        raise OSError(errno.ELOOP, LEADS_OUT, f"{root}/{name}")
    held = os.open(root, THROUGH)
    try:
        # A link may have appeared since `target` was resolved; from the root on, this does not follow any.
        with ParentFolder([(prefix, held)], target) as (parent, name_in_parent):
            file = open_file(name_in_parent, parent, target)
            try:
                status = regular(os.fstat(file), target)
                return read_all(file, status.st_size, target, limit)
            finally:
                os.close(file)
    except OSError as error:
        if error.errno == errno.EINVAL:
            error.strerror = NOT_REGULAR
        raise
    finally:
        os.close(held)
