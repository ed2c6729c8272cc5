"""What a session has read: an edit of a file that it has not seen, or that has changed since, is made on guesses.

Reads are known by the content's hash, so a touched file with the same content is no other one; they are kept in the
history's store and outlive the process. The contents of the last ones are kept here, to show what has changed.
"""

from __future__ import annotations

from collections import OrderedDict
from hashlib import sha256
from time import time

from ..diff import trimmed_diff, unified_diff
from ..problems import PatchRejected, Problem
from ..text import Text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Literal, TypeAlias

    from ..workspace.outcome import Change, Plan, PlannedFile
    from ..workspace.workspace import Workspace

    Mode: TypeAlias = Literal["require", "exact", "warn", "off"]

#: Contents that are kept to show what has changed, by number and by bytes; and how much of a diff is shown.
MOST_KEPT = 100
MOST_BYTES = 20_000_000
MOST_SHOWN = 1500


class Reads:
    """The reads of one session."""

    def __init__(self, workspace: Workspace, session: str) -> None:
        self._workspace = workspace
        self._session = session
        self._contents: OrderedDict[str, bytes] = OrderedDict()
        self._size = 0
        #: What was refused last for each path, so that the same is not said twice in a row.
        self._refused: dict[str, str] = {}

    def note(self, path: str, content: bytes, ranges: str = "") -> None:
        """Remember that a content was shown, or written."""
        self._workspace.record_read(self._session, path, sha256(content).hexdigest(), ranges, time())
        self._size += len(content) - len(self._contents.pop(path, b""))
        self._contents[path] = content
        self._refused.pop(path, None)
        while self._contents and (len(self._contents) > MOST_KEPT or self._size > MOST_BYTES):
            self._size -= len(self._contents.popitem(last=False)[1])

    def forget(self, path: str) -> None:
        """A file is gone."""
        self._size -= len(self._contents.pop(path, b""))
        self._refused.pop(path, None)

    def check(self, plan: Plan, mode: Mode, view: Callable[[bytes, str], str]) -> list[str]:
        """What has to be said of files that were changed since they were read; nothing where all is well.

        `view` shows a file. Raises:
            PatchRejected: a file was not read (`not_read`), or has changed since (`stale_file`), and the mode minds.
        """
        if mode == "off":
            return []
        notices: list[str] = []
        problems: list[Problem] = []
        for file in plan.files:
            if file.before.kind != "file" or file.was is None:
                continue
            last = self._workspace.last_read(self._session, file.path)
            if last is not None and last[0] == file.before.sha256:
                continue
            changes = [change for change in plan.changes if file.shown in (change.path, change.move_to)]
            if mode == "require" or (mode == "exact" and not all(map(_is_exact, changes))):
                problems.append(self._refusal(file, file.was, last is not None, view))
            elif last is not None:
                notices.append(f"{file.shown} has changed since it was read; the edit was made on what it has now.")
                notices.append(self._drift(file.path, file.was, file.shown))
            elif mode == "warn":
                notices.append(f"{file.shown} was not read before it was changed.")
        if problems:
            raise PatchRejected(problems)
        return [notice for notice in notices if notice]

    def _refusal(self, file: PlannedFile, content: bytes, was_read: bool, view: Callable[[bytes, str], str]) -> Problem:
        """Why the edit is refused, never in the same words twice: the second time with what the file has."""
        path = file.shown
        if was_read:
            message = f"{path} has changed since it was read."
            drift = self._drift(file.path, content, path)
            hint = "Read it again, and send the edit for what it has now."
            if drift:
                message += f"\n{drift}"
                hint = "Send the edit again, for what the file has now."
                # What has changed was shown: that is as good as a read.
                self.note(file.path, content)
            code, details = "stale_file", {"path": path, "expected": "", "found": file.before.sha256}
        else:
            message = f"{path} was not read in this session, so it can't be changed."
            hint = "Read it first."
            code, details = "not_read", {"path": path}
        if self._refused.get(file.path) == message:
            message += f"\nThis is what it has:\n{view(content, path)}"
            hint = "Send the edit again, for what is shown here."
            self.note(file.path, content)
        else:
            self._refused[file.path] = message
        return Problem(code, message, path, None, details, hint)  # type: ignore[arg-type]

    def _drift(self, path: str, content: bytes, shown: str) -> str:
        """What has changed in a file since it was read, as a short diff."""
        before = self._contents.get(path)
        if before is None:
            return ""
        try:
            diff = trimmed_diff(unified_diff(Text(before).raw, Text(content).raw, shown))
        except PatchRejected:
            return ""
        return diff if len(diff) <= MOST_SHOWN else f"{diff[:MOST_SHOWN]}\n…"


def _is_exact(change: Change) -> bool:
    """Whether everything of a change has an exact and only place."""
    hunks = all(match.tier == "exact" and not match.concessions for match in change.matches)
    return hunks and all(not edit.concessions for edit in change.edits) and bool(change.matches or change.edits)
