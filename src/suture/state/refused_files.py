"""Refused edits in files: the last ones of each workspace, one file each, in the user's state directory.

They have the full text that was sent, so each has a time after which it is neither shown nor kept. Nothing depends on
them, so what can't be kept or read is left out.
"""

from __future__ import annotations

import os
from contextlib import suppress
from time import time

from ..core.json_values import JsonValue
from ..core.problems import Problem  # noqa: TC001 - `from_json` looks it up by its name
from ..core.system import NEW_FILE, real_path
from ..core.value import Value
from .private_files import check_private_folders, make_private_folder, read_private
from .state_folder import name_by_path, state_base
from .state_limits import LARGEST_REFUSED_EDIT, MOST_REFUSED_EDITS


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
    #: The lines that it would have written instead.
    new: tuple[str, ...] = ()
    #: Whether these are all of them: what was cut can't be applied.
    is_whole: bool = False


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
    #: When it is to be removed.
    expires: float = 0.0


class RefusedEdits:
    """The refused edits of a workspace."""

    def __init__(self, root: str, state_dir: str | None = None) -> None:
        self._base = state_base(state_dir)
        self.folder = f"{refused_base(state_dir)}/{name_by_path(real_path(root))}"

    def all(self, limit: int = MOST_REFUSED_EDITS) -> list[RefusedEdit]:
        """The refused edits, newest first."""
        edits = [self._edit(name) for name in self._names()[:limit]]
        return [edit for edit in edits if edit is not None and time() < edit.expires]

    def _edit(self, name: str) -> RefusedEdit | None:
        with suppress(OSError, ValueError):
            data = read_private(self._base, f"{self.folder}/{name}", 8 * LARGEST_REFUSED_EDIT)
            return RefusedEdit.from_json(data.decode("utf-8"))
        return None

    def keep(self, refused: RefusedEdit) -> None:
        """Keep a refused edit, and remove the oldest and those whose time has come."""
        text = refused.to_json()
        if len(text) > LARGEST_REFUSED_EDIT:
            text = refused.replace(text=refused.text[:1000] + "\n…", problems=refused.problems[:1]).to_json()
        if len(text) > LARGEST_REFUSED_EDIT:
            return
        with suppress(OSError):
            make_private_folder(self.folder)
            check_private_folders(self._base, self.folder)
            where = f"{self.folder}/{refused.id}.json"
            with open(os.open(f"{where}.new", NEW_FILE, 0o600), "w", encoding="utf-8") as file:
                file.write(text)
            os.replace(f"{where}.new", where)
            self._remove_expired()

    def _remove_expired(self) -> None:
        """Remove the oldest edits: those beyond the limit, then those whose time has come, up to the first to keep."""
        names = self._names()
        for name in names[MOST_REFUSED_EDITS:]:
            os.unlink(f"{self.folder}/{name}")
        for name in reversed(names[:MOST_REFUSED_EDITS]):
            edit = self._edit(name)
            if edit is not None and time() < edit.expires:
                return
            os.unlink(f"{self.folder}/{name}")

    def _names(self) -> list[str]:
        with suppress(OSError):
            return sorted([name for name in os.listdir(self.folder) if name.endswith(".json")], reverse=True)
        return []


def keep_refused_edit(refused: RefusedEdit, state_dir: str | None = None) -> None:
    """Keep an edit that was refused, among those of its workspace."""
    RefusedEdits(refused.workspace, state_dir).keep(refused)


def refused_base(state_dir: str | None = None) -> str:
    """The directory that the refused edits of all workspaces are in."""
    return f"{state_base(state_dir)}/refused"
