"""Copies of deleted files, where a person can find them: `trash/<commit>/<path>` in the state directory.

They are a convenience. An undo restores files from the journal.
"""

from __future__ import annotations

import os
from contextlib import suppress

from ..core.system import NO_LINK, OWN, without_anchor
from .state_limits import LONGEST_TRASH_PATH

TRASH = "trash"
#: Where the copies of files are that are not below the first root.
_OUTSIDE = ".outside"


def trash_path(folder: str, commit: str, display_path: str) -> str:
    """Where the copy of a deleted file goes; a very long path is cut to its last part."""
    path = without_anchor(display_path)
    if path != display_path:
        # Apart from the others, one of which may have the name of a directory that this one is in.
        path = f"{_OUTSIDE}/{path}"
    if len(os.fsencode(path)) > LONGEST_TRASH_PATH:
        path = path.rpartition("/")[2]
    return f"{folder}/{TRASH}/{commit}/{path}"


def put(path: str, content: bytes) -> None:
    """Write one copy, readable by the user alone.

    Raises:
        OSError: it can't be written.
    """
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | OWN | NO_LINK, 0o600)
    with open(descriptor, "wb") as file:
        file.write(content)


def drop(folder: str, commit: str) -> None:
    """Remove the copies of one commit."""
    from shutil import rmtree

    rmtree(f"{folder}/{TRASH}/{commit}", ignore_errors=True)
    with suppress(OSError):
        os.rmdir(f"{folder}/{TRASH}")


def commits(folder: str) -> list[str]:
    """The commits that have copies in the trash."""
    try:
        return os.listdir(f"{folder}/{TRASH}")
    except OSError:
        return []
