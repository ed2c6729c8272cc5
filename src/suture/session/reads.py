"""What a session has read: an edit of a file that it has not seen, or that has changed since, is made on guesses.

Reads are known by the content's hash, so a touched file with the same content is no other one; they are kept in the
history's store and outlive the process. The contents of the last ones are kept here, to show what has changed.
"""

from __future__ import annotations

from collections import OrderedDict
from hashlib import sha256
from threading import Lock
from time import time

from ..diff import unified_diff
from ..problems import PatchRejected, Problem
from ..text import Text
from .planned import changes_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Literal, TypeAlias

    from ..problems import Code
    from ..workspace.outcome import Change, Plan
    from ..workspace.workspace import Workspace

    Mode: TypeAlias = Literal["require", "exact", "warn", "off"]
    #: Shows a content of a file of that name; nothing where it may not be read.
    View: TypeAlias = Callable[[bytes, str], str]

#: Contents that are kept to show what has changed, by number and by bytes; and how much of a diff is shown.
MOST_KEPT = 100
MOST_BYTES = 20_000_000
MOST_SHOWN = 1500


class Reads:
    """The reads of one session."""

    def __init__(self, workspace: Workspace, session: str) -> None:
        self._workspace = workspace
        self._session = session
        #: Held for moments only, while what follows changes: calls on other files run in other threads.
        self._lock = Lock()
        self._contents: OrderedDict[str, bytes] = OrderedDict()
        self._size = 0
        #: What was refused last for each path, so that the same is not said twice in a row.
        self._refused: dict[str, str] = {}

    def note(self, path: str, content: bytes, ranges: str = "") -> None:
        """Remember that a content was shown, or written."""
        self._workspace.record_read(self._session, path, sha256(content).hexdigest(), ranges, time())
        with self._lock:
            self._drop(path)
            self._size += len(content)
            self._contents[path] = content
            while self._contents and (len(self._contents) > MOST_KEPT or self._size > MOST_BYTES):
                self._size -= len(self._contents.popitem(last=False)[1])

    def forget(self, path: str) -> None:
        """A file is gone."""
        with self._lock:
            self._drop(path)

    def _drop(self, path: str) -> None:
        self._size -= len(self._contents.pop(path, b""))
        self._refused.pop(path, None)

    def check(self, plan: Plan, mode: Mode, view: View) -> list[str]:
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
            last = self._last(file.path)
            if last == file.before.sha256:
                continue
            if mode == "require" or (mode == "exact" and not all(map(_is_exact, changes_of(plan, file)))):
                problems.append(self._refusal(file.path, file.shown, file.was, last, view))
            elif last is not None:
                drift = self._drift(file.path, file.was, file.shown)[0]
                shown = f" This had changed before:\n{drift}" if drift else ""
                notices.append(f"{file.shown} had changed since it was read, and the edit was made on top.{shown}")
            elif mode == "warn":
                notices.append(f"{file.shown} was not read before it was changed.")
        if problems:
            raise PatchRejected(problems)
        return notices

    def require(self, path: str, shown: str, content: bytes, view: View) -> None:
        """Refuse a file that was not read, or has changed since; for a call of which there is no plan.

        Raises:
            PatchRejected: `not_read` or `stale_file`.
        """
        last = self._last(path)
        if last != sha256(content).hexdigest():
            raise PatchRejected([self._refusal(path, shown, content, last, view)])

    def _last(self, path: str) -> str | None:
        """The hash of what was read last."""
        found = self._workspace.last_read(self._session, path)
        return None if found is None else found[0]

    def _refusal(self, path: str, shown: str, content: bytes, last: str | None, view: View) -> Problem:
        """Why the edit is refused, never in the same words twice: the second time with what the file has."""
        code: Code = "not_read" if last is None else "stale_file"
        details = {"path": shown}
        was_shown = False
        if last is None:
            message = f"{shown} was not read in this session, so it can't be changed."
            hint = "Read it first, and then send the edit again."
        else:
            message = f"{shown} has changed since it was read."
            hint = "Read it again, and send the edit for what it has now."
            details |= {"expected": last, "found": sha256(content).hexdigest()}
            drift, is_all = self._drift(path, content, shown)
            if drift:
                message += f" This has changed:\n{drift}"
            if drift and is_all:
                # What has changed was shown: that is as good as a read.
                hint, was_shown = "Send the edit again, for what the file has now.", True
        if self._refused.get(path) == message:
            now = view(content, shown)
            message += (
                f"\nThis is what it has:\n{now}" if now else "\nIt can't be shown without the permission to read it."
            )
            hint, was_shown = ("Send the edit again, for what is shown here.", True) if now else (hint, False)
        if was_shown:
            self.note(path, content)
        else:
            self._refused[path] = message
        return Problem(code, message, shown, None, details, hint)

    def _drift(self, path: str, content: bytes, shown: str) -> tuple[str, bool]:
        """What has changed in a file since it was read, as a short diff, and whether that is all of it."""
        before = self._contents.get(path)
        if before is None:
            return "", False
        try:
            # Indentation stays as it is: a model will copy from it.
            diff = unified_diff(Text(before).raw, Text(content).raw, shown).replace("\r\n", "\n").rstrip("\n")
        except PatchRejected:
            return "", False
        return (diff, True) if len(diff) <= MOST_SHOWN else (f"{diff[:MOST_SHOWN]}\n…", False)


def _is_exact(change: Change) -> bool:
    """Whether everything of a change has an exact and only place."""
    hunks = all(match.tier == "exact" and not match.concessions and not match.rivals for match in change.matches)
    return hunks and all(not edit.concessions for edit in change.edits) and bool(change.matches or change.edits)
