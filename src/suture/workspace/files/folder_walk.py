"""Walks directories of the disk that are not reached through a workspace, without recursion and not too deep."""

from __future__ import annotations

import errno
import os

from ...core.common_limits import DEEPEST_FOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_TOO_DEEP = f"directories are nested more than {DEEPEST_FOLDER} levels deep"


def walk_folders(
    root: str, is_skipped: Callable[[str], bool], on_error: Callable[[OSError], object] | None = None
) -> Iterator[tuple[str, list[os.DirEntry[str]]]]:
    """Each directory as the beginning of the paths in it, with everything in it that is not a directory, sorted.

    Links are not followed. Directories whose name is skipped are left out, and so are those that are nested too deeply
    and those that can't be read; `on_error` is called with the error.
    """
    waiting = [""]
    while waiting:
        prefix = waiting.pop()
        try:
            with os.scandir(os.path.join(root, prefix)) as directory:
                entries = sorted(directory, key=lambda entry: entry.name)
        except OSError as error:
            if on_error is not None:
                on_error(error)
            continue
        yield prefix, [entry for entry in entries if not entry.is_dir(follow_symlinks=False)]
        folders = [entry for entry in entries if entry.is_dir(follow_symlinks=False) and not is_skipped(entry.name)]
        if folders and prefix.count("/") >= DEEPEST_FOLDER:
            if on_error is not None:
                on_error(OSError(errno.ENAMETOOLONG, _TOO_DEEP, folders[0].path))
            continue
        waiting += [f"{prefix}{folder.name}/" for folder in reversed(folders)]
