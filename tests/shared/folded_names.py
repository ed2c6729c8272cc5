"""A disk that finds a file by its name in other letters too, as that of macOS does: `os` with names looked up so.

Suture names a file by an open directory and a name in it. Such a name becomes the one that the directory has, if it has
one that means the same. Paths below one directory are read so too; all other paths are as they are.
"""

from __future__ import annotations

import errno
import os
import sys
from typing import TYPE_CHECKING

from suture.core.paths import same_name

assert sys.platform != "win32", "BUG: Windows has such a disk"

from suture.workspace.files import disk, openat  # noqa: E402

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    import pytest

#: Calls with one name.
_CALLS = ("open", "stat", "lstat", "readlink", "mkdir", "rmdir", "unlink", "chmod")


def hide_o_path(monkeypatch: pytest.MonkeyPatch) -> None:
    """Open directories as on macOS, where none is open only as a path."""
    monkeypatch.delattr(os, "O_PATH", raising=False)
    for module in (openat, disk):
        monkeypatch.setattr(module, "THROUGH", openat._FOLDER)


def fold_names(below: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the disk below a directory find names without regard to case and to how Unicode composes them."""
    real = {name: getattr(os, name) for name in (*_CALLS, "listdir", "rename", "link")}
    top = f"{below}/"

    def names_in(folder: int | str) -> list[str]:
        """All names in a directory; on Linux, an open one may be open only as a path, and can't be listed."""
        if isinstance(folder, str):
            return list(real["listdir"](folder))
        opened = real["open"](".", os.O_RDONLY | os.O_DIRECTORY, dir_fd=folder)
        try:
            return list(real["listdir"](opened))
        finally:
            os.close(opened)

    def in_folder(name: str, folder: int | str) -> str:
        """A name as the directory has it; as it is if it has none that means the same."""
        names = names_in(folder)
        if name in names:
            return name
        return next((other for other in names if same_name(other) == same_name(name)), name)

    def found(path: Any, folder: int | None) -> Any:
        """A path with the names that exist."""
        if folder is not None:
            return path if path == "." else in_folder(path, folder)
        if not isinstance(path, str) or not path.startswith(top):
            return path
        here = str(below)
        for part in path.removeprefix(top).split("/"):
            try:
                here = f"{here}/{in_folder(part, here)}"
            except OSError:
                here = f"{here}/{part}"
        return here

    def folding(name: str) -> Any:
        def call(path: Any, *given: Any, dir_fd: int | None = None, **named: Any) -> Any:
            more = {} if dir_fd is None else {"dir_fd": dir_fd}
            return real[name](found(path, dir_fd), *given, **more, **named)

        return call

    def status_of(name: str, folder: int | None) -> os.stat_result | None:
        try:
            status: os.stat_result = real["stat"](name, dir_fd=folder, follow_symlinks=False)
        except FileNotFoundError:
            return None
        return status

    def rename(old: Any, new: Any, *, src_dir_fd: int | None = None, dst_dir_fd: int | None = None) -> None:
        old, there = found(old, src_dir_fd), found(new, dst_dir_fd)
        ours, theirs = status_of(old, src_dir_fd), status_of(there, dst_dir_fd)
        is_respelled = ours is not None and theirs is not None and os.path.samestat(ours, theirs)
        real["rename"](old, new if is_respelled else there, src_dir_fd=src_dir_fd, dst_dir_fd=dst_dir_fd)

    def link(old: Any, new: Any, *, src_dir_fd: int, dst_dir_fd: int, follow_symlinks: bool) -> None:
        if status_of(found(new, dst_dir_fd), dst_dir_fd) is not None:
            raise FileExistsError(errno.EEXIST, "File exists", old, None, new)
        folders = {"src_dir_fd": src_dir_fd, "dst_dir_fd": dst_dir_fd}
        real["link"](found(old, src_dir_fd), new, **folders, follow_symlinks=follow_symlinks)

    for name in _CALLS:
        monkeypatch.setattr(os, name, folding(name))
    monkeypatch.setattr(os, "rename", rename)
    monkeypatch.setattr(os, "link", link)
