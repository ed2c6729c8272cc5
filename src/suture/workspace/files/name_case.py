"""Names as directories have them, on file systems that find a file by other letters too, as those of macOS do."""

from __future__ import annotations

import os
import sys
from contextlib import suppress

assert sys.platform != "win32", "BUG: Windows has other calls; see windows_disk"

from ...core.paths import same_name
from .openat import open_folder, root_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def _name_in(folder: int, name: str) -> str:
    """A name as an open directory has it; empty if it has none that means the same."""
    try:
        status = os.stat(name, dir_fd=folder, follow_symlinks=False)
        names = _names_in(folder)
    except OSError:
        return ""
    if name in names:
        return name
    for other in names:
        if same_name(other) == same_name(name):
            with suppress(OSError):
                if os.path.samestat(os.stat(other, dir_fd=folder, follow_symlinks=False), status):
                    return other
    return ""


def _names_in(folder: int) -> list[str]:
    """All names in an open directory. One that is open only as a path, as on Linux, has to be opened to be listed."""
    opened = open_folder(".", folder, ".")
    try:
        return os.listdir(opened)
    finally:
        os.close(opened)


def spelling(roots: Sequence[tuple[str, int]], path: str) -> str:
    """A path with the names that exist as the directories have them, up to the first link or missing name."""
    root, held = root_of(roots, path)
    at = root.rstrip("/")
    rest = path[len(root) :].split("/") if len(path) > len(root) else []
    here = held
    try:
        while rest:
            name = _name_in(here, rest[0])
            if not name:
                break
            at = f"{at}/{name}"
            rest.pop(0)
            if rest:
                try:
                    below = open_folder(name, here, at)
                except OSError:
                    break  # a file, a link, or not ours to read
                if here != held:
                    os.close(here)
                here = below
    finally:
        if here != held:
            os.close(here)
    return "/".join([at, *rest]) or "/"


def is_same_file(name: str, folder: int, other_name: str, other_folder: int) -> bool:
    """Whether a name is another spelling of a name in the same directory, and not a second link."""
    if same_name(name) != same_name(other_name):
        return False
    try:
        status = os.stat(name, dir_fd=folder, follow_symlinks=False)
        return os.path.samestat(status, os.stat(other_name, dir_fd=other_folder, follow_symlinks=False))
    except OSError:
        return False
