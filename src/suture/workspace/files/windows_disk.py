"""The file system of Windows, reached through open handles of the roots and never through a link.

As in `disk.py`, a path is opened part by part from its root. The path that the system has for each handle is compared
with the one that was asked for, so that a junction, a mounted volume, a short name or a drive that stands for a
directory does not lead elsewhere. The directory that a path is in is held meanwhile, so that nobody can rename it.
Windows has no modes: a file is writable or read-only. It keeps the names of a directory in order by a journal of its
own, so flushing a directory is a request, not a promise. Only loaded on Windows.
"""

from __future__ import annotations

import errno
import msvcrt
import os
import sys

assert sys.platform == "win32", "BUG: only for Windows"

from ...core.file_errors import failure
from ...core.system import absolute_path, slashed
from . import windows_handles as handles
from .file_limits import LARGEST_STREAM
from .windows_folder import (
    HandleContext,
    HeldFolder,
    WindowsFolder,
    check_folder,
    file_stat,
    open_folder_in,
    read_in,
    root_of,
    stat_in,
    upper,
)
from .windows_handles import HandleStatus

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from .file_system import Stat, Watch


class WindowsFiles:
    """Files below some directories of the disk. The roots are real paths, resolved once.

    Raises:
        OSError: a root is missing, or not on a drive.
        ValueError: a root is no path.
    """

    on_disk = True
    folds_names = True
    windows_names = True

    def __init__(self, roots: Iterable[str], watch: Watch | None = None) -> None:
        self.watch = watch
        self._roots: list[tuple[str, int]] = []
        names = [absolute_path(root) for root in ([roots] if isinstance(roots, str) else roots)]
        self.roots = tuple([slashed(os.path.realpath(root)) for root in names])
        for root in self.roots:
            if "\0" in root:
                raise ValueError("embedded null character")  # as the calls of other systems do
            if root[1:2] != ":":
                raise OSError(errno.EINVAL, "It is not on a drive; give its directory a drive letter", root)
        self.aliases = tuple([(name, root) for name, root in zip(names, self.roots, strict=True) if name != root])
        for root in self.roots:
            self._roots.append((root + "/", handles.open_root(root)))

    def close(self) -> None:
        """Close the roots. No call works after that."""
        while self._roots:
            handles.close(self._roots.pop()[1])

    def __del__(self) -> None:
        self.close()

    def _see(self, operation: str, path: str) -> None:
        if self.watch:
            self.watch(operation, path)

    def stat(self, path: str) -> Stat | None:
        self._see("stat", path)
        try:
            with HeldFolder(self._roots, path) as (folder, name):
                return stat_in(folder, name, path)
        except (FileNotFoundError, NotADirectoryError):
            return None

    def spelling(self, path: str) -> str:
        root, held = root_of(self._roots, path)
        # The root itself has none.
        parts = path[len(root) :].split("/") if len(path) > len(root) else []
        here, at = held, root[:-1]
        try:
            for number, part in enumerate(parts):
                try:
                    below = handles.open_at(here, part, f"{at}/{part}", 0)
                except OSError:
                    return "/".join([at, *parts[number:]])
                if here != held:
                    handles.close(here)
                here = below
                status = HandleStatus(here, path)
                folder, _, name = handles.final_path(here, f"{at}/{part}").rpartition("/")
                if status.is_link or upper(folder) != upper(at):
                    return "/".join([at, *parts[number:]])
                at = f"{at}/{name}"
            return at
        finally:
            if here != held:
                handles.close(here)

    def link(self, path: str) -> str:
        self._see("stat", path)
        with HeldFolder(self._roots, path) as (folder, name), HandleContext(folder, name, path) as handle:
            return handles.link_target(handle, path)

    def read(self, path: str, limit: int, known: bytes | None = None) -> tuple[bytes, Stat]:
        self._see("open", path)
        with HeldFolder(self._roots, path) as (folder, name):
            data, stat = read_in(folder, name, path, limit)
            return (known if known == data else data), stat

    def names(self, path: str) -> list[str]:
        self._see("list", path)
        with HeldFolder(self._roots, path) as (folder, name), HandleContext(folder, name, path, handles.LIST) as handle:
            check_folder(handle, path)
            return sorted(handles.names(handle, path))

    def open_folder(self, path: str) -> WindowsFolder:
        self._see("list", path)
        with HeldFolder(self._roots, path) as (folder, name):
            return WindowsFolder(open_folder_in(folder, name, path), path, self.watch)

    def make_folder(self, path: str) -> None:
        with HeldFolder(self._roots, path) as (folder, name):
            self._see("mkdir", path)
            handles.close(handles.open_at(folder, name, path, handles.LIST, handles.FOLDER, how=handles.CREATE))

    def remove_folder(self, path: str) -> None:
        with HeldFolder(self._roots, path) as (folder, name):
            self._see("rmdir", path)
            with HandleContext(folder, name, path, handles.DELETE) as handle:
                check_folder(handle, path)
                handles.remove(handle, path)

    def stage(
        self,
        path: str,
        data: bytes,
        *,
        like: str | None = None,
        mode: int | None = None,
        owner: tuple[int, int] | None = None,  # noqa: ARG002 - as of `Files`
        executable: bool = False,  # noqa: ARG002
        flush: bool,
    ) -> bool:
        model = None if like is None else self._model(like)
        if model is not None and mode is None:
            mode = model.mode
        complete = True
        with HeldFolder(self._roots, path) as (folder, name):
            self._see("create", path)
            access = handles.WRITE | handles.DELETE | handles.WRITE_DAC | handles.READ_CONTROL
            handle = handles.open_at(folder, name, path, access, handles.FILE, how=handles.CREATE)
            file = -1
            try:
                file = msvcrt.open_osfhandle(handle, os.O_WRONLY | os.O_BINARY | os.O_NOINHERIT)
                self._write(file, data, path)
                if model is not None:
                    complete = self._copy_extras(folder, name, handle, model, path)
                if mode is not None:
                    self._see("mode", path)
                    if not mode & 0o200:
                        handles.set_read_only(handle, 0, path, read_only=True)
                if flush:
                    self._see("flush", path)
                    os.fsync(file)
            except BaseException:
                try:
                    self._see("unlink", path)
                    handles.remove(handle, path)
                except OSError:
                    pass  # the error that led here matters more
                raise
            finally:
                if file >= 0:
                    os.close(file)
                else:
                    handles.close(handle)
        return complete

    def _write(self, file: int, data: bytes, path: str) -> None:
        rest = memoryview(data)
        while rest:
            self._see("write", path)
            rest = rest[os.write(file, rest) :]

    def _model(self, path: str) -> _Model:
        """What a new file gets of the one before it."""
        self._see("open", path)
        with (
            HeldFolder(self._roots, path) as (folder, name),
            HandleContext(folder, name, path, handles.READ | handles.READ_CONTROL) as handle,
        ):
            stat = file_stat(handle, path)
            streams: dict[str, bytes] = {}
            for stream in handles.streams(handle):
                streams[stream], _ = read_in(folder, f"{name}:{stream}", path, LARGEST_STREAM)
            return _Model(stat.mode, handles.access_list(handle), streams)

    def _copy_extras(self, folder: int, name: str, handle: int, model: _Model, path: str) -> bool:
        """Give a new file the access list and the streams of the one before it; return whether it has them."""
        for stream, data in model.streams.items():
            self._see("attribute", path)
            other = handles.open_at(folder, f"{name}:{stream}", path, handles.WRITE, handles.FILE, how=handles.CREATE)
            file = msvcrt.open_osfhandle(other, os.O_WRONLY | os.O_BINARY | os.O_NOINHERIT)
            try:
                self._write(file, data, path)
            finally:
                os.close(file)
        if not model.access or handles.access_list(handle) == model.access:
            return True
        self._see("attribute", path)
        return handles.set_access_list(handle, model.access)

    def rename(self, old: str, new: str, *, replace: bool) -> None:
        with (
            HeldFolder(self._roots, old) as (old_folder, old_name),
            HeldFolder(self._roots, new) as (new_folder, new_name),
        ):
            self._see("rename", new)
            with HandleContext(old_folder, old_name, old, handles.DELETE) as handle:
                try:
                    handles.rename(handle, new_folder, new_name, new, replace=replace)
                except PermissionError:
                    if not replace or not _make_writable(new_folder, new_name, new):
                        raise
                    # An older system refuses to replace a read-only file.
                    handles.rename(handle, new_folder, new_name, new, replace=replace)

    def make_link(self, path: str, target: str) -> None:
        with HeldFolder(self._roots, path) as (folder, name):
            self._see("symlink", path)
            native = target.replace("/", "\\")
            is_folder = os.path.isdir(os.path.join(os.path.dirname(handles.native(path)), native))
            # The directory of the path is held, so that it is still the same one.
            os.symlink(native, handles.native(path), target_is_directory=is_folder)
            if stat_in(folder, name, path).kind != "link":
                raise OSError(errno.EPERM, "This system makes no symbolic links", path)

    def remove(self, path: str) -> None:
        with HeldFolder(self._roots, path) as (folder, name):
            self._see("unlink", path)
            with HandleContext(folder, name, path, handles.DELETE | handles.WRITE_ATTRIBUTES) as handle:
                if HandleStatus(handle, path).is_folder:
                    raise failure(errno.EISDIR, path)
                handles.remove(handle, path)

    def set_mode(self, path: str, mode: int) -> None:
        with HeldFolder(self._roots, path) as (folder, name):
            self._see("mode", path)
            with HandleContext(folder, name, path, handles.WRITE_ATTRIBUTES) as handle:
                status = HandleStatus(handle, path)
                if status.is_link:
                    raise failure(errno.ELOOP, path)
                if not status.is_folder:
                    handles.set_read_only(handle, status.attributes, path, read_only=not mode & 0o200)

    def attributes(self, path: str) -> list[str]:
        with HeldFolder(self._roots, path) as (folder, name), HandleContext(folder, name, path) as handle:
            status = HandleStatus(handle, path)
            return [] if status.is_folder or status.is_link else handles.streams(handle)

    def flush_folder(self, path: str) -> None:
        with HeldFolder(self._roots, path) as (folder, name):
            self._see("flush_folder", path)
            try:
                handle = handles.open_at(folder, name, path, handles.WRITE)
            except PermissionError:
                return  # this user may not; the system keeps the names in order by itself
            try:
                check_folder(handle, path)
                handles.flush(handle)
            finally:
                handles.close(handle)


class _Model:
    """What a file passes on to the one that replaces it."""

    def __init__(self, mode: int, access: bytes, streams: dict[str, bytes]) -> None:
        self.mode = mode
        self.access = access
        self.streams = streams


def _make_writable(folder: int, name: str, path: str) -> bool:
    """Make a read-only file writable; return whether there was one."""
    with HandleContext(folder, name, path, handles.WRITE_ATTRIBUTES) as handle:
        status = HandleStatus(handle, path)
        if status.is_folder or not status.attributes & handles.READ_ONLY:
            return False
        handles.set_read_only(handle, status.attributes, path, read_only=False)
        return True
