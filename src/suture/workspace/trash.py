"""Copies of deleted files, where a person can find them: `trash/<commit>/<path>` in the state folder.

They are a convenience. What an undo restores comes from the journal.
"""

from __future__ import annotations

import os
from contextlib import suppress

TRASH = "trash"


def trash_path(folder: str, commit: str, shown: str) -> str:
    """Where the copy of a deleted file lies."""
    return f"{folder}/{TRASH}/{commit}/{shown.lstrip('/')}"


def put(path: str, content: bytes) -> None:
    """Write one copy, for the user alone."""
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    with open(descriptor, "wb") as file:
        file.write(content)


def drop(folder: str, commit: str) -> None:
    """Remove the copies of one commit."""
    from shutil import rmtree

    rmtree(f"{folder}/{TRASH}/{commit}", ignore_errors=True)
    with suppress(OSError):
        os.rmdir(f"{folder}/{TRASH}")


def drop_others(folder: str, known: set[str]) -> None:
    """Remove the copies of all commits that the history no longer has."""
    with suppress(OSError):
        for commit in os.listdir(f"{folder}/{TRASH}"):
            if commit not in known:
                drop(folder, commit)
