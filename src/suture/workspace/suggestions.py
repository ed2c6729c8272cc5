"""Which file a missing path may have meant: existing names close to it, for a hint.

It looks into few directories, each once, and into none that the guard does not let it name.
"""

from __future__ import annotations

from contextlib import suppress
from posixpath import dirname

from rapidfuzz.fuzz import ratio
from rapidfuzz.process import extract

from ..core.problems import PatchRejectedError
from .workspace_limits import MOST_HINTS, MOST_NAMES_COMPARED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .files.file_system import Files
    from .guard import Guard

#: How close a name must be, of 100; and one that has the same letters in another order.
CLOSE_NAME = 80
SWAPPED_NAME = 60


class PathSuggestions:
    """Suggests existing files for the missing paths of one plan."""

    def __init__(self, files: Files, guard: Guard) -> None:
        self._files = files
        self._guard = guard
        #: The names in each directory, once they were needed.
        self._names: dict[str, list[str]] = {}
        self._hints = 0

    def suggest(self, path: str) -> list[str]:
        """Up to two files that an absolute path may have meant, as people and models see them."""
        self._hints += 1
        if self._hints > MOST_HINTS:
            return []
        folder, rest = dirname(path), [path.rpartition("/")[2]]
        while not self._names_in(folder) and self._guard.is_inside(folder) and folder != dirname(folder):
            folder, name = dirname(folder), folder.rpartition("/")[2]
            rest.insert(0, name)
        parent = folder.rstrip("/")
        paths = ["/".join((parent, name, *rest[1:])) for name in _closest(rest[0], self._names_in(folder))]
        return list(filter(None, map(self._name_of_file, paths)))

    def _name_of_file(self, path: str) -> str:
        """A path as people and models see it, if it is a file that may be named; else empty."""
        try:
            resolved = self._guard.resolve(self._guard.shown(path), relative_to="")
        except PatchRejectedError:
            return ""
        return resolved.shown if resolved.found is not None and resolved.found.kind == "file" else ""

    def _names_in(self, folder: str) -> list[str]:
        if folder not in self._names:
            self._names[folder] = []
            if self._guard.is_inside(folder):
                with suppress(OSError):  # missing, or not readable: then there is no hint
                    self._names[folder] = self._files.names(folder)[:MOST_NAMES_COMPARED]
        return self._names[folder]


def _closest(name: str, names: list[str]) -> list[str]:
    matches = extract(name, names, scorer=ratio, processor=str.lower, limit=2, score_cutoff=SWAPPED_NAME)
    letters = sorted(name.lower())
    return [match for match, score, _ in matches if score >= CLOSE_NAME or sorted(match.lower()) == letters]
