"""What has changed in a folder since somebody looked last: files made, written or deleted, by whomever.

It looks when it is asked, and watches nothing in between. Only names and stamps are read, never a content.
"""

from __future__ import annotations

import os

from .documents import stamp_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeAlias

    Stamp: TypeAlias = tuple[int, int, int] | None

CREATED, CHANGED, DELETED = 1, 2, 3

#: A folder with more files is not looked at: that would take too long after each edit.
MOST_FILES = 20_000
#: Folders that hold what others made, beside those whose name begins with a dot.
_PASSED_OVER = frozenset({"node_modules", "__pycache__", "venv"})


class Disk:
    """A folder and the stamps of its files."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._stamps: dict[str, Stamp] | None = None

    def changes(self) -> dict[str, int]:
        """The paths that have changed since the last call, and how; none at the first call."""
        before, self._stamps = self._stamps, self._look()
        if before is None or self._stamps is None:
            return {}
        found = {path: CREATED for path in self._stamps if path not in before}
        for path, stamp in before.items():
            if path not in self._stamps:
                found[path] = DELETED
            elif stamp != self._stamps[path]:
                found[path] = CHANGED
        return found

    def _look(self) -> dict[str, Stamp] | None:
        stamps: dict[str, Stamp] = {}
        for path in _files(self._root):
            stamps[path] = stamp_of(path)
            if len(stamps) > MOST_FILES:
                return None
        return stamps


def _files(root: str) -> Iterator[str]:
    """The files below a folder; links to folders are not followed, and what can't be read is passed over."""
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith(".") and name not in _PASSED_OVER]
        for name in files:
            yield os.path.join(folder, name)
