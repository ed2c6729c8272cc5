"""An open directory of the disk: what is in it is reached from there, never through its path or a link."""

from __future__ import annotations

import os
import stat as modes
import sys
from itertools import islice

assert sys.platform != "win32", "BUG: Windows has other calls; see windows_disk"

from ...core.descriptors import read_all, regular
from .file_limits import MOST_NAMES_TRIED
from .file_system import Stat
from .openat import open_file, open_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .file_system import Watch

KINDS = {modes.S_IFREG: "file", modes.S_IFDIR: "folder", modes.S_IFLNK: "link"}


class DiskFolder:
    """An open directory of the disk. See `OpenFolder`."""

    def __init__(self, descriptor: int, path: str, watch: Watch | None) -> None:
        self._descriptor = descriptor
        self._path = path
        self._watch = watch

    def names(self) -> list[str]:
        """The names in it, sorted."""
        return sorted(os.listdir(self._descriptor))

    def stat(self, name: str) -> Stat | None:
        """What has this name in it; None for nothing."""
        if self._watch:
            self._watch("stat", self._path_of(name))
        try:
            return disk_stat(os.stat(name, dir_fd=self._descriptor, follow_symlinks=False))
        except FileNotFoundError:
            return None

    def read(self, name: str, limit: int) -> bytes:
        """The content of a regular file in it."""
        path = self._path_of(name)
        if self._watch:
            self._watch("open", path)
        file = open_file(name, self._descriptor, path)
        try:
            status = regular(os.fstat(file), path)
            return read_all(file, status.st_size, path, limit)
        finally:
            os.close(file)

    def open_folder(self, name: str) -> DiskFolder:
        """A directory in it."""
        path = self._path_of(name)
        if self._watch:
            self._watch("list", path)
        return DiskFolder(open_folder(name, self._descriptor, path), path, self._watch)

    def close(self) -> None:
        """Close it."""
        os.close(self._descriptor)

    def _path_of(self, name: str) -> str:
        return f"{self._path.rstrip('/')}/{name}"


def disk_stat(status: os.stat_result) -> Stat:
    """What the system says about a name."""
    mode = status.st_mode
    return Stat(
        KINDS.get(modes.S_IFMT(mode), "other"),
        modes.S_IMODE(mode),
        status.st_size,
        status.st_nlink,
        status.st_uid,
        status.st_gid,
        status.st_dev,
        status.st_ino,
        status.st_mtime_ns,
    )


def folds_names(root: str) -> bool:
    """Whether the file system of a directory finds a name in other letters too, as on macOS.

    The name of the directory may have no letters, or belong to another file system. Then names in it tell, and if there
    are none, the directory above it.
    """
    folder = root.rpartition("/")[0] or "/"
    try:
        shares_disk = folder != root and os.lstat(folder).st_dev == os.lstat(root).st_dev
        if shares_disk and _other_letters(root):
            return _is_found_as(_other_letters(root), root)
        with os.scandir(root) as entries:
            for entry in islice(entries, MOST_NAMES_TRIED):
                other = _other_letters(entry.path)
                # A second link to a file may be its name in other letters.
                if other and (entry.is_dir(follow_symlinks=False) or entry.stat(follow_symlinks=False).st_nlink == 1):
                    return _is_found_as(other, entry.path)
    except OSError:
        return False
    return shares_disk and folds_names(folder)


def _other_letters(path: str) -> str:
    """A path whose last name is in other letters; empty if there are none."""
    folder, _, name = path.rpartition("/")
    other = name.swapcase()
    # A letter that becomes two, as `ß` does, may be another name.
    return f"{folder}/{other}" if other != name and len(other) == len(name) else ""


def _is_found_as(other: str, path: str) -> bool:
    """Whether a path names the same as another one."""
    try:
        return os.path.samestat(os.lstat(other), os.lstat(path))
    except OSError:
        return False
