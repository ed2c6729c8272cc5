"""Opens a path part by part below an open directory, without following links.

Anyone who can write in the workspace can replace a directory by a link between any two calls. So nothing here trusts a
path that was checked before: every part is opened relative to the one above it, and a link on the way is an error. Not
for Windows.
"""

from __future__ import annotations

import errno
import os
import stat as modes
import sys

assert sys.platform != "win32", "BUG: Windows has other calls; see windows_handles"

from ...core.file_errors import failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

# With O_PATH, passing through a directory takes no permission to read it.
THROUGH = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# Opening a FIFO without a writer would block; opening a terminal could make it the process's own.
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY

#: The errors of systems for a link that O_NOFOLLOW and O_DIRECTORY refuse.
_LINK_OR_FILE = frozenset({errno.ENOTDIR, errno.ELOOP, errno.EMLINK})


class ParentFolder:
    """A context manager: the directory that contains a path, as an open descriptor, and the path's last part.

    The root itself is the name "." in the root. Errors leave the block with the whole path in their `filename`.
    """

    __slots__ = ("_folder", "_name", "_path", "_root")

    def __init__(self, roots: Sequence[tuple[str, int]], path: str) -> None:
        root, held = root_of(roots, path)
        rest = path[len(root) :]
        parts = rest.split("/") if rest else ["."]
        # Not an assert, which can be switched off: `..` would bypass all that the descriptors protect.
        if ".." in parts or "" in parts:
            raise AssertionError("BUG: a path that is not normalized: " + path)
        self._path = path
        self._name = parts.pop()
        self._root = here = held
        if parts:
            for index, part in enumerate(parts):
                try:
                    below = os.open(part, THROUGH, dir_fd=here)
                except OSError as error:
                    raise _path_error(error, part, here, root + "/".join(parts[: index + 1])) from None
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


def root_of(roots: Sequence[tuple[str, int]], path: str) -> tuple[str, int]:
    """The root that a path is or is below, with a slash at its end, and the root's descriptor."""
    for root, held in roots:
        if path.startswith(root) or path == root[:-1]:
            return root, held
    raise AssertionError("BUG: a path outside every root: " + path)


def open_folder(name: str, folder: int, path: str) -> int:
    """A descriptor of a directory, to list or to flush it."""
    try:
        return os.open(name, _FOLDER, dir_fd=folder)
    except OSError as error:
        raise _path_error(error, name, folder, path) from None


def open_file(name: str, folder: int, path: str) -> int:
    """A descriptor of a file, to read it. It may be anything but a link; see `descriptors.regular`."""
    try:
        return os.open(name, _FILE, dir_fd=folder)
    except OSError as error:
        if error.errno == errno.ENXIO:
            # A socket, or a device that does not exist.
            raise failure(errno.EINVAL, path) from None
        raise _path_error(error, name, folder, path) from None


def _path_error(error: OSError, name: str, folder: int, path: str) -> OSError:
    """The error about this path: `ELOOP` if a link is in the way, which systems report in different ways."""
    if error.errno in _LINK_OR_FILE:
        try:
            status = os.stat(name, dir_fd=folder, follow_symlinks=False)
        except OSError:
            return failure(errno.ENOENT, path)
        return failure(errno.ELOOP if modes.S_ISLNK(status.st_mode) else errno.ENOTDIR, path)
    error.filename = path
    return error
