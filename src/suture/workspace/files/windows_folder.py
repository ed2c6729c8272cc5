"""Open directories of Windows, and what is reached from them, with the checks that each handle is what was asked for.

Only loaded on Windows.
"""

from __future__ import annotations

import errno
import msvcrt
import os
import sys

assert sys.platform == "win32", "BUG: only for Windows"

from ...core.descriptors import read_all
from ...core.file_errors import failure
from . import windows_handles as handles
from .file_system import Stat
from .windows_handles import HandleStatus

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

    from .file_system import Watch


class WindowsFolder:
    """An open directory of the disk. See `OpenFolder`."""

    def __init__(self, handle: int, path: str, watch: Watch | None) -> None:
        self._handle = handle
        self._path = path
        self._watch = watch

    def names(self) -> list[str]:
        """The names in it, sorted."""
        return sorted(handles.names(self._handle, self._path))

    def stat(self, name: str) -> Stat | None:
        """What has this name in it; None for nothing."""
        path = self._path_of(name, "stat")
        try:
            return stat_in(self._handle, name, path)
        except FileNotFoundError:
            return None

    def read(self, name: str, limit: int) -> bytes:
        """The content of a regular file in it."""
        return read_in(self._handle, name, self._path_of(name, "open"), limit)[0]

    def open_folder(self, name: str) -> WindowsFolder:
        """A directory in it."""
        path = self._path_of(name, "list")
        return WindowsFolder(open_folder_in(self._handle, name, path), path, self._watch)

    def close(self) -> None:
        """Close it."""
        handles.close(self._handle)

    def _path_of(self, name: str, operation: str) -> str:
        path = f"{self._path}/{name}"
        if self._watch:
            self._watch(operation, path)
        return path


class HeldFolder:
    """A context manager: a handle of the directory that contains a path, held there, and the path's last part."""

    def __init__(self, roots: Sequence[tuple[str, int]], path: str) -> None:
        root, held = root_of(roots, path)
        rest = path[len(root) :]
        parts = rest.split("/") if rest else ["."]
        # Not an assert, which can be switched off: `..` would bypass all that the handles protect.
        if ".." in parts or "" in parts:
            raise AssertionError("BUG: a path that is not normalized: " + path)
        self._name = parts.pop()
        self._root = here = held
        at = root[:-1]
        for part in parts:
            at = f"{at}/{part}"
            try:
                below = handles.open_at(here, part, at, handles.LIST, share=handles.SHARE_USE)
            finally:
                if here != held:
                    handles.close(here)
            here = below
            try:
                check_folder(here, at)
                check_place(here, at)
            except BaseException:
                handles.close(here)
                raise
        self._folder = here

    def __enter__(self) -> tuple[int, str]:
        return self._folder, self._name

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if self._folder != self._root:
            handles.close(self._folder)


class HandleContext:
    """A context manager: a handle of a name in an open directory, which is nothing else than that name."""

    def __init__(self, folder: int, name: str, path: str, access: int = 0) -> None:
        self._handle = handles.open_at(folder, name, path, access)
        try:
            if not HandleStatus(self._handle, path).is_link:
                check_place(self._handle, path)
        except BaseException:
            handles.close(self._handle)
            raise

    def __enter__(self) -> int:
        return self._handle

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        handles.close(self._handle)


def root_of(roots: Sequence[tuple[str, int]], path: str) -> tuple[str, int]:
    """The root that a path is or is below, with a slash at its end, and the root's handle."""
    for root, held in roots:
        if path.startswith(root) or path == root[:-1]:
            return root, held
    raise AssertionError("BUG: a path outside every root: " + path)


def upper(text: str) -> str:
    """A path as Windows compares it: character by character."""
    return "".join([large if len(large := character.upper()) == 1 else character for character in text])


def check_place(handle: int, path: str) -> None:
    """Refuse what is open if the system has another path for it.

    That is a short name, a stream, or a redirection which is no link: a mounted volume, a drive that stands for a
    directory.
    """
    place = handles.final_path(handle, path)
    if upper(place) != upper(path):
        raise OSError(errno.EACCES, "This is another name of another file", path)


def check_folder(handle: int, path: str) -> None:
    """Refuse what is open if it is a link or no directory."""
    status = HandleStatus(handle, path)
    if status.is_link:
        raise failure(errno.ELOOP, path)
    if not status.is_folder:
        raise failure(errno.ENOTDIR, path)


def open_folder_in(folder: int, name: str, path: str) -> int:
    """A handle of a directory in an open one, to list it."""
    handle = handles.open_at(folder, name, path, handles.LIST)
    try:
        check_folder(handle, path)
        check_place(handle, path)
    except BaseException:
        handles.close(handle)
        raise
    return handle


def stat_in(folder: int, name: str, path: str) -> Stat:
    """What has a name in an open directory."""
    with HandleContext(folder, name, path) as handle:
        return stat_of(HandleStatus(handle, path))


def stat_of(status: HandleStatus) -> Stat:
    """What is open, as a `Stat`: of the modes there are those of a file that can be written, or only read."""
    if status.is_link:
        kind, mode = "link", 0o644
    elif status.is_folder:
        kind, mode = "folder", 0o755
    else:
        kind, mode = "file", 0o644
    if kind != "folder" and status.attributes & handles.READ_ONLY:
        mode = 0o444
    return Stat(kind, mode, status.size, status.links, 0, 0, status.volume, status.index, status.mtime_ns)


def file_stat(handle: int, path: str) -> Stat:
    """What is open, if it is a file."""
    stat = stat_of(HandleStatus(handle, path))
    if stat.kind != "file":
        raise failure(errno.ELOOP if stat.kind == "link" else errno.EISDIR, path)
    return stat


def read_in(folder: int, name: str, path: str, limit: int) -> tuple[bytes, Stat]:
    """The content of a file, or of a stream of it."""
    handle = handles.open_at(folder, name, path, handles.READ)
    try:
        status = HandleStatus(handle, path)
        stat = file_stat(handle, path)
        if status.is_reparse:
            # A file in a cloud: its content is fetched when it is opened as others do.
            handles.close(handle)
            handle = handles.open_at(folder, name, path, handles.READ, follow=True)
            stat = file_stat(handle, path)
        if ":" not in name:
            check_place(handle, path)
        file = msvcrt.open_osfhandle(handle, os.O_RDONLY | os.O_BINARY | os.O_NOINHERIT)
    except BaseException:
        handles.close(handle)
        raise
    try:
        return read_all(file, stat.size, path, limit), stat
    finally:
        os.close(file)
