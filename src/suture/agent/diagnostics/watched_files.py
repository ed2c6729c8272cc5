"""Finds the files in a folder that were created, changed or deleted since the last look, by any program.

It scans when asked and watches nothing in between. It reads names and stamps, never contents.
"""

from __future__ import annotations

from ...workspace.files.folder_walk import walk_folders
from .diagnostic_limits import MOST_WATCHED_FILES
from .documents import stamp_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeAlias

    Stamp: TypeAlias = tuple[int, int, int] | None

CREATED, CHANGED, DELETED = 1, 2, 3

#: Folders that are skipped, in addition to those whose name begins with a dot.
_SKIPPED = frozenset({"node_modules", "__pycache__", "venv"})


class WatchedFiles:
    """A folder and the stamps of its files at the last scan."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._stamps: dict[str, Stamp] | None = None

    def changes(self) -> dict[str, int]:
        """The paths that changed since the last call, and how; none at the first call."""
        before, self._stamps = self._stamps, self._scan()
        if before is None or self._stamps is None:
            return {}
        changes = {path: CREATED for path in self._stamps if path not in before}
        for path, stamp in before.items():
            if path not in self._stamps:
                changes[path] = DELETED
            elif stamp != self._stamps[path]:
                changes[path] = CHANGED
        return changes

    def _scan(self) -> dict[str, Stamp] | None:
        stamps: dict[str, Stamp] = {}
        for path in _files(self._root):
            stamps[path] = stamp_of(path)
            if len(stamps) > MOST_WATCHED_FILES:
                return None
        return stamps


def _files(root: str) -> Iterator[str]:
    """The files below a folder; links to folders are not followed, and unreadable folders are skipped."""
    for _, entries in walk_folders(root, lambda name: name.startswith(".") or name in _SKIPPED):
        yield from [entry.path for entry in entries if not entry.is_dir()]
