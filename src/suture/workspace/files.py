"""What the workspace needs of a file system, and how its failures become problems.

`Files` is the seam: `disk.py` has the real one, `memory.py` the same on a dictionary, `suture.testing` the ones that
fail. A path is absolute and normalised; the guard has made it so. No call follows a symbolic link, not in the last part
of a path nor in any before it: where a link stands in the way of a call, the answer is `OSError` with `ELOOP`, whose
`filename` is the link. So a path that was checked and then swapped for a link is refused, whoever swapped it and when.
"""

from __future__ import annotations

import errno
import os

from ..core.problems import Problem
from ..core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol, TypeAlias

    from ..core.problems import Code

    #: Called with the name of an operation and its path, before each of them; it may raise.
    Watch: TypeAlias = Callable[[str, str], object]
else:
    Protocol = object


class Stat(Value):
    """What stands under a name: `kind` is "file", "folder", "link" or "other" (a FIFO, a device, a socket)."""

    kind: str
    #: The permission bits, with set-user-id, set-group-id and sticky.
    mode: int
    size: int
    #: How many names it has.
    links: int
    uid: int
    gid: int
    device: int
    inode: int
    mtime_ns: int


class FileContent(Value):
    """The content of a file: its bytes, their SHA-256, and the text where it is text.

    `text` is what edits are matched against: decoded, without the BOM, with LF for every line ending. It is None for a
    binary file and for one that the workspace's encoding can't read.
    """

    path: str
    content: bytes
    text: str | None
    sha256: str


class FileTooLargeError(OSError):
    """A file is larger than the limit; `size` is what is known of its size."""

    def __init__(self, path: str, size: int, limit: int) -> None:
        super().__init__(errno.EFBIG, f"The file has {size} bytes, and the limit is {limit}", path)
        self.size = size
        self.limit = limit

    def __reduce__(self) -> tuple[type[FileTooLargeError], tuple[str, int, int]]:
        return type(self), (self.filename, self.size, self.limit)


class Files(Protocol):
    """The operations on files that a workspace is made of. All raise `OSError`, with the same `errno` everywhere.

    A parent that is absent is `ENOENT`, a parent that is a file `ENOTDIR`, a parent that is a link `ELOOP`.
    """

    #: The real paths of the folders that may be reached. Any other path is a broken invariant.
    roots: tuple[str, ...]
    #: Other names under which a root is known, each with the root's real path.
    aliases: tuple[tuple[str, str], ...]
    #: Whether other processes see these files too, and they outlive this one.
    on_disk: bool
    #: The seam for faults: asked before each system call that reads or changes the disk.
    watch: Watch | None

    def stat(self, path: str) -> Stat | None:
        """What stands under the name itself; None where nothing does, also where a parent is absent or a file."""

    def link(self, path: str) -> str:
        """What a symbolic link says; `EINVAL` for anything else."""

    def read(self, path: str, limit: int, known: bytes | None = None) -> tuple[bytes, Stat]:
        """The content of a regular file; `EISDIR` for a folder, `ELOOP` for a link, `EINVAL` for anything else.

        Where it is the content that is `known`, that very object is given back.

        Raises:
            FileTooLargeError: it has more than `limit` bytes.
        """

    def names(self, path: str) -> list[str]:
        """The names in a folder, sorted."""

    def make_folder(self, path: str) -> None:
        """Make a folder; `EEXIST` where anything has that name."""

    def remove_folder(self, path: str) -> None:
        """Remove an empty folder; `ENOTEMPTY` for one that is not, `ENOTDIR` for what is none."""

    def stage(self, path: str, data: bytes, *, like: str | None = None, mode: int | None = None, flush: bool) -> None:
        """Make a new file with all of `data`; `EEXIST` where anything has that name. What fails leaves no file.

        It takes the mode, the owner (where that is allowed) and the extended attributes of the file `like`. `mode`
        goes before that of `like`. With neither, it is as any new file. `flush` waits until the disk has it.
        """

    def rename(self, old: str, new: str, *, replace: bool) -> None:
        """Give a file or a link another name. Without `replace`, `EEXIST` where anything has that name."""

    def make_link(self, path: str, target: str) -> None:
        """Make a symbolic link that says `target`; `EEXIST` where anything has that name."""

    def remove(self, path: str) -> None:
        """Remove a file or a link; `EISDIR` for a folder."""

    def set_mode(self, path: str, mode: int) -> None:
        """Set the permission bits of a file or a folder; `ELOOP` for a link."""

    def flush_folder(self, path: str) -> None:
        """Wait until the disk has the names of a folder."""


def failure(number: int, path: str) -> OSError:
    """The error of that number about that path: of the subclass that Python would raise itself."""
    return OSError(number, os.strerror(number), path)


#: What an error of the system is called; any other is `io_error`.
_CODES: dict[int, Code] = {
    errno.ENOENT: "not_found",
    errno.EEXIST: "already_exists",
    errno.EISDIR: "is_directory",
    errno.ENOTDIR: "not_a_file",
    errno.EFBIG: "file_too_large",
    errno.ENAMETOOLONG: "invalid_arguments",
    errno.EACCES: "permission_denied",
    errno.EPERM: "permission_denied",
    errno.EROFS: "permission_denied",
}
_HINTS: dict[int, str] = {
    errno.ENOENT: "Check the path: it is relative to the workspace's folder.",
    errno.EEXIST: "Update the file that is there, or choose another name.",
    errno.EISDIR: "Name a file.",
    errno.ENOTDIR: "Something on the way to this path is a file and no folder: choose another path.",
    errno.EFBIG: "No other patch can help: leave this file out.",
    errno.ENAMETOOLONG: "Choose a shorter name.",
    errno.ENOSPC: "The disk is full: nothing can be written until whoever runs this has made room.",
    errno.EDQUOT: "The disk is full: nothing can be written until whoever runs this has made room.",
    errno.ELOOP: "A symbolic link came in the way while this was done: read the file again, then try once more.",
}
_MENDABLE = frozenset({errno.ENOENT, errno.EEXIST, errno.EISDIR, errno.ENOTDIR, errno.ENAMETOOLONG, errno.ELOOP})


def problem_of(error: OSError, path: str) -> Problem:
    """An error of the system as a problem of this path, which is named as it is shown to a model."""
    number = error.errno or 0
    code = _CODES.get(number, "io_error")
    hint = _HINTS.get(number, "The system refuses this: whoever runs this has to look into it.")
    said = (error.strerror or str(error) or type(error).__name__).rstrip(".")
    details = {"path": path, "reason": "system", "errno": errno.errorcode.get(number, "")}
    return Problem(code, f"{path}: {said}.", path, None, details, hint, recoverable=number in _MENDABLE)
