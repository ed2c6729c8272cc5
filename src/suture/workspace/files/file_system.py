"""What the workspace needs of a file system, and how its failures become problems.

`Files` is the seam: `disk.py` implements it on the disk, `memory.py` on a dictionary, `suture.testing` with failures. A
path is absolute and normalized; the guard has made it so. No call follows a symbolic link, in any part of a path: where
a link is in the way, the call raises `OSError` with `ELOOP` and the link as its `filename`. So a path that was checked
and then replaced by a link is refused.
"""

from __future__ import annotations

import errno

from ...core.problems import Problem
from ...core.system_errors import hint_of
from ...core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol, TypeAlias

    from ...core.problems import Code

    #: Called with the name of an operation and its path, before each of them; it may raise.
    Watch: TypeAlias = Callable[[str, str], object]
else:
    Protocol = object


class Stat(Value):
    """What has a name: `kind` is "file", "folder", "link" or "other" (a FIFO, a device, a socket)."""

    kind: str
    #: The permission bits, with set-user-id, set-group-id and sticky.
    mode: int
    size: int
    #: How many hard links it has.
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


class OpenFolder(Protocol):
    """A directory that is open: what is in it is reached from there, however deep it is. Links are not followed."""

    def names(self) -> list[str]:
        """The names in it, sorted."""

    def stat(self, name: str) -> Stat | None:
        """What has this name in it; None for nothing."""

    def read(self, name: str, limit: int) -> bytes:
        """The content of a regular file in it, with the errors of `Files.read`."""

    def open_folder(self, name: str) -> OpenFolder:
        """A directory in it; `ELOOP` for a link, `ENOTDIR` for others."""

    def close(self) -> None:
        """Close it. No call works after that."""


class Files(Protocol):
    """The file operations that a workspace needs. All raise `OSError`, with the same `errno` in every implementation.

    A parent that is absent is `ENOENT`, a parent that is a file `ENOTDIR`, a parent that is a link `ELOOP`.
    """

    #: The real paths of the directories that may be reached. Any other path is a bug.
    roots: tuple[str, ...]
    #: Other names of the roots, each with the root's real path.
    aliases: tuple[tuple[str, str], ...]
    #: Whether the files are shared with other processes and outlive this one.
    on_disk: bool
    #: Whether names that differ only in case, or in how Unicode composes them, are the same name.
    folds_names: bool
    #: Whether names and paths are those of Windows, with drives, devices and streams.
    windows_names: bool
    #: Called before each operation that reads or changes the disk; tests inject faults here.
    watch: Watch | None

    def stat(self, path: str) -> Stat | None:
        """What has this name, links not followed; None for nothing, also if a parent is absent or a file."""

    def spelling(self, path: str) -> str:
        """A path with the names that exist as the directories have them, up to the first link or missing name."""

    def link(self, path: str) -> str:
        """The target of a symbolic link; `EINVAL` for anything else."""

    def read(self, path: str, limit: int, known: bytes | None = None) -> tuple[bytes, Stat]:
        """The content of a regular file; `EISDIR` for a directory, `ELOOP` for a link, `EINVAL` for others.

        If it equals `known`, that very object is returned.

        Raises:
            FileTooLargeError: it has more than `limit` bytes.
        """

    def names(self, path: str) -> list[str]:
        """The names in a directory, sorted."""

    def open_folder(self, path: str) -> OpenFolder:
        """An open directory, to walk it without opening each path from a root again. The caller closes it."""

    def make_folder(self, path: str) -> None:
        """Make a directory; `EEXIST` if anything has that name."""

    def remove_folder(self, path: str) -> None:
        """Remove an empty directory; `ENOTEMPTY` if it is not empty, `ENOTDIR` if it is not a directory."""

    def stage(
        self,
        path: str,
        data: bytes,
        *,
        like: str | None = None,
        mode: int | None = None,
        owner: tuple[int, int] | None = None,
        executable: bool = False,
        flush: bool,
    ) -> bool:
        """Make a new file with all of `data`; `EEXIST` if anything has that name. A failure leaves no file.

        It gets the mode, the owner (if allowed) and the extended attributes of the file `like`; `mode` wins over the
        mode of `like`, and `owner`, a user and a group, is for a file without `like`. Without any of them, it gets the
        defaults of a new file, or with `executable` those of a new program. `flush` waits until the disk has it.

        Set-user-id, set-group-id and capabilities are given only to a file that has exactly that owner and group, since
        they would let it run as somebody else. Returns whether the file got all that it should.
        """

    def rename(self, old: str, new: str, *, replace: bool) -> None:
        """Rename a file or a link. Without `replace`, `EEXIST` if anything has the new name."""

    def make_link(self, path: str, target: str) -> None:
        """Make a symbolic link to `target`; `EEXIST` if anything has that name."""

    def remove(self, path: str) -> None:
        """Remove a file or a link; `EISDIR` for a directory."""

    def set_mode(self, path: str, mode: int) -> None:
        """Set the permission bits of a file or a directory; `ELOOP` for a link."""

    def attributes(self, path: str) -> list[str]:
        """The names of the extended attributes of a file, except those that the system gives to every file."""

    def flush_folder(self, path: str) -> None:
        """Wait until the disk has the names in a directory."""


def is_other_spelling(files: Files, path: str) -> bool:
    """Whether what has this name has it in other letters, which mean the same here: no file has this very name."""
    return files.folds_names and files.spelling(path) != path


#: The codes of system errors; any other is `io_error`.
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
    errno.ENOENT: "Check the path: it is relative to the workspace's root.",
    errno.EEXIST: "Update the existing file, or choose another name.",
    errno.EISDIR: "Name a file.",
    errno.ENOTDIR: "A parent of this path is a file, not a directory: choose another path.",
    errno.EFBIG: "No other patch can help: leave this file out.",
    errno.ENAMETOOLONG: "Choose a shorter name.",
    errno.ENOSPC: "The disk is full: nothing can be written until there is free space.",
    errno.EDQUOT: "The disk is full: nothing can be written until there is free space.",
    errno.EBUSY: "Another program has this file open: close it there, then send the same edit again.",
    errno.ELOOP: "A symbolic link appeared in this path: check the file, then try the edit once more.",
}
_RECOVERABLE = frozenset(
    {errno.ENOENT, errno.EEXIST, errno.EISDIR, errno.ENOTDIR, errno.ENAMETOOLONG, errno.ELOOP, errno.EBUSY}
)


def problem_of(error: OSError, path: str) -> Problem:
    """A system error as a problem of this path, as the path is shown to a model."""
    number = error.errno or 0
    code = _CODES.get(number, "io_error")
    hint = hint_of(error, _HINTS.get(number, "The system refused this, and no other edit can change that."))
    reason = (error.strerror or str(error) or type(error).__name__).rstrip(".")
    details = {"path": path, "reason": "system", "errno": errno.errorcode.get(number, "").removeprefix("WSA")}
    return Problem(code, f"{path}: {reason}.", path, None, details, hint, recoverable=number in _RECOVERABLE)
