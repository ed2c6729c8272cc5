"""Refused edits in files: the last ones of each workspace, one file each, in the user's state directory.

Nothing depends on them, so what can't be kept or read is left out.
"""

from __future__ import annotations

import os
from contextlib import suppress

from ..core.json_values import JsonValue
from ..core.problems import Problem  # noqa: TC001 - `from_json` looks it up by its name
from ..core.value import Value
from .private_files import check_private_folders, make_private_folder, read_private
from .state_folder import name_by_path, state_base

#: How many are kept for a workspace, and how many bytes each may have.
MOST_KEPT = 50
LARGEST = 500_000


class Excerpt(Value):
    """Some lines of a file, from the number `first` on; the place itself is lines `start` to `end`."""

    first: int
    start: int
    end: int
    lines: tuple[str, ...]


class RefusedHunk(Value):
    """A problem, the lines that the edit looked for, and the places of the file that it is about, nearest first."""

    problem: Problem
    old: tuple[str, ...] = ()
    places: tuple[Excerpt, ...] = ()


class RefusedEdit(JsonValue):
    """An edit that was refused: when, where, by whom, what was sent, and what was wrong with it."""

    id: str
    time: float
    workspace: str
    tool: str
    text: str
    problems: tuple[RefusedHunk, ...]
    actor: str = ""
    session: str = ""


class RefusedEdits:
    """The refused edits of a workspace."""

    def __init__(self, root: str, state_dir: str | None = None) -> None:
        self._base = state_base(state_dir)
        self.folder = os.path.join(refused_base(state_dir), name_by_path(os.path.realpath(root)))

    def all(self, limit: int = MOST_KEPT) -> list[RefusedEdit]:
        """The refused edits, newest first."""
        edits: list[RefusedEdit] = []
        for name in self._names()[:limit]:
            with suppress(OSError, ValueError):
                data = read_private(self._base, f"{self.folder}/{name}", 8 * LARGEST)
                edits.append(RefusedEdit.from_json(data.decode("utf-8")))
        return edits

    def keep(self, refused: RefusedEdit) -> None:
        """Keep a refused edit, and remove the oldest."""
        text = refused.to_json()
        if len(text) > LARGEST:
            text = refused.replace(text=refused.text[:1000] + "\n…", problems=refused.problems[:1]).to_json()
        if len(text) > LARGEST:
            return
        with suppress(OSError):
            make_private_folder(self.folder)
            check_private_folders(self._base, self.folder)
            where = f"{self.folder}/{refused.id}.json"
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
            with open(os.open(f"{where}.new", flags, 0o600), "w", encoding="utf-8") as file:
                file.write(text)
            os.rename(f"{where}.new", where)
            for name in self._names()[MOST_KEPT:]:
                os.unlink(f"{self.folder}/{name}")

    def _names(self) -> list[str]:
        with suppress(OSError):
            return sorted([name for name in os.listdir(self.folder) if name.endswith(".json")], reverse=True)
        return []


def refused_base(state_dir: str | None = None) -> str:
    """The directory that the refused edits of all workspaces are in."""
    return os.path.join(state_base(state_dir), "refused")
