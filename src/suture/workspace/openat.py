"""Opening a path part by part beneath a held folder, following nothing.

Whoever can write in the workspace can put a link where a folder was, between any two calls. So nothing here trusts a
path that was looked at before: every part is opened relative to the one above it, and a link on the way is an error.
"""

from __future__ import annotations

import errno
import os
import stat as modes

from .files import failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

# To pass through a folder takes no right to read it, where the system knows O_PATH.
THROUGH = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# A FIFO without a writer would make an open wait for ever; a terminal would become the process's own.
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY

#: What systems say of a link where O_NOFOLLOW and O_DIRECTORY want none.
_LINK_OR_FILE = frozenset({errno.ENOTDIR, errno.ELOOP, errno.EMLINK})


class ParentFolder:
    """The folder in which a path's last part stands, open for the time of one call, and that part's name.

    The root itself is the name "." in the root. Errors leave the block with the whole path in their `filename`.
    """

    __slots__ = ("_folder", "_name", "_path", "_root")

    def __init__(self, roots: Sequence[tuple[str, int]], path: str) -> None:
        root, held = _root_of(roots, path)
        rest = path[len(root) :]
        parts = rest.split("/") if rest else ["."]
        # Not an assert, which can be switched off: what leads up leads past all that the descriptors protect.
        if ".." in parts or "" in parts:
            raise AssertionError("BUG: a path that is not normalised: " + path)
        self._path = path
        self._name = parts.pop()
        self._root = here = held
        if parts:
            for index, part in enumerate(parts):
                try:
                    below = os.open(part, THROUGH, dir_fd=here)
                except OSError as error:
                    raise _barred(error, part, here, root + "/".join(parts[: index + 1])) from None
                finally:
                    if here != held:
                        os.close(here)
                here = below
        self._folder = here

    def __enter__(self) -> tuple[int, str]:
        return self._folder, self._name

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if self._folder != self._root:
            os.close(self._folder)
        if kind and isinstance(error, OSError) and (error.filename is None or error.filename == self._name):
            error.filename = self._path


def _root_of(roots: Sequence[tuple[str, int]], path: str) -> tuple[str, int]:
    """The root that a path is, or is beneath, with a slash behind it; and its descriptor."""
    for root, held in roots:
        if path.startswith(root) or path == root[:-1]:
            return root, held
    raise AssertionError("BUG: a path beneath no root: " + path)


def open_folder(name: str, folder: int, path: str) -> int:
    """A descriptor of a folder, to list or to flush it."""
    try:
        return os.open(name, _FOLDER, dir_fd=folder)
    except OSError as error:
        raise _barred(error, name, folder, path) from None


def open_file(name: str, folder: int, path: str) -> int:
    """A descriptor of a file, to read it. It may be anything but a link: `regular` tells."""
    try:
        return os.open(name, _FILE, dir_fd=folder)
    except OSError as error:
        if error.errno == errno.ENXIO:
            # A socket, or a device that isn't there.
            raise failure(errno.EINVAL, path) from None
        raise _barred(error, name, folder, path) from None


def regular(found: os.stat_result, path: str) -> os.stat_result:
    """What was opened, if it is a regular file."""
    if not modes.S_ISREG(found.st_mode):
        raise failure(errno.EISDIR if modes.S_ISDIR(found.st_mode) else errno.EINVAL, path)
    return found


def _barred(error: OSError, name: str, folder: int, path: str) -> OSError:
    """An error about this path, and `ELOOP` where it is a link that stands in the way: systems differ in that."""
    if error.errno in _LINK_OR_FILE:
        try:
            found = os.stat(name, dir_fd=folder, follow_symlinks=False)
        except OSError:
            return failure(errno.ENOENT, path)
        return failure(errno.ELOOP if modes.S_ISLNK(found.st_mode) else errno.ENOTDIR, path)
    error.filename = path
    return error
