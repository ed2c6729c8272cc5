"""Which file may have been meant by a path that is not there: names that are close to it, for a hint.

It looks into few folders, each once, and into none that the guard does not let it name.
"""

from __future__ import annotations

from contextlib import suppress
from posixpath import dirname

from ..core.problems import PatchRejectedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .files import Files
    from .guard import Guard

#: Hints for one plan, names of one folder that are compared, and how close a name must be, out of 100.
MOST_HINTS = 20
MOST_NAMES = 5000
CLOSE = 66


class Nearby:
    """The folders of a workspace, as far as hints need them."""

    def __init__(self, files: Files, guard: Guard) -> None:
        self._files = files
        self._guard = guard
        self._listed: dict[str, list[str]] = {}
        self._hints = 0

    def names(self, path: str) -> list[str]:
        """Up to two files that an absolute path may have meant, as people and models see them."""
        self._hints += 1
        if self._hints > MOST_HINTS:
            return []
        folder, rest = dirname(path), [path.rpartition("/")[2]]
        while not self._list(folder) and self._guard.is_inside(folder) and folder != dirname(folder):
            folder, name = dirname(folder), folder.rpartition("/")[2]
            rest.insert(0, name)
        below = folder.rstrip("/")
        near = ["/".join((below, name, *rest[1:])) for name in self._close(rest[0], self._list(folder))]
        return [shown for one in near if (shown := self._shown(one))]

    def _shown(self, path: str) -> str:
        """A path as it is shown, where there is such a file and it may be named."""
        try:
            resolved = self._guard.resolve(self._guard.shown(path))
        except PatchRejectedError:
            return ""
        return resolved.shown if resolved.found is not None and resolved.found.kind == "file" else ""

    def _list(self, folder: str) -> list[str]:
        if folder not in self._listed:
            self._listed[folder] = []
            if self._guard.is_inside(folder):
                with suppress(OSError):  # not there, or not for us: then there is no hint
                    self._listed[folder] = self._files.names(folder)[:MOST_NAMES]
        return self._listed[folder]

    def _close(self, name: str, names: list[str]) -> list[str]:
        from rapidfuzz.fuzz import ratio
        from rapidfuzz.process import extract

        found = extract(name, names, scorer=ratio, processor=str.lower, limit=2, score_cutoff=CLOSE)
        return [near for near, _, _ in found]
