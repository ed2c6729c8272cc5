"""What a session has read: an edit of a file that it has not seen, or that has changed since, is made on guesses.

Reads are known by the content's hash, so a touched file with the same content is no other one; they are kept in the
history's store and outlive the process. The contents of the last ones are kept here, to show what has changed.
"""

from __future__ import annotations

from collections import OrderedDict
from hashlib import sha256
from threading import Lock
from time import time

from ..core.line_diff import changed_blocks
from ..core.problems import PatchRejectedError, Problem
from ..core.text import Text
from ..diff.write_diff import unified_diff

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Literal, TypeAlias

    from ..core.problems import Code
    from ..workspace.outcome import Change, Plan, PlannedFile
    from ..workspace.workspace import Workspace

    Mode: TypeAlias = Literal["require", "exact", "warn", "off"]
    #: Shows a content of a file of that name; nothing where it may not be read.
    View: TypeAlias = Callable[[bytes, str], str]

#: Contents that are kept to show what has changed, by number and by bytes; and how much of a diff is shown.
MOST_KEPT = 100
MOST_BYTES = 20_000_000
MOST_SHOWN = 1500
#: Characters through which the places of an edit are counted; where there are more, they are not held to be certain.
MOST_COUNTED = 1_000_000_000


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
            PatchRejectedError: a file was not read (`not_read`) or has changed since (`stale_file`).
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
            if mode == "require" or (mode == "exact" and not self._is_certain(file, plan.changes_of(file))):
                problems.append(self._refusal(file.path, file.shown, file.was, last, view))
            elif last is not None:
                drift = self._drift(file.path, file.was, file.shown)[0]
                shown = f" This had changed before:\n{drift}" if drift else ""
                notices.append(f"{file.shown} had changed since it was read, and the edit was made on top.{shown}")
            elif mode == "warn":
                notices.append(f"{file.shown} was not read before it was changed.")
        if problems:
            raise PatchRejectedError(problems)
        return notices

    def require(self, path: str, shown: str, content: bytes, view: View) -> None:
        """Refuse a file that was not read, or has changed since; for a call of which there is no plan.

        Raises:
            PatchRejectedError: `not_read` or `stale_file`.
        """
        last = self._last(path)
        if last != sha256(content).hexdigest():
            raise PatchRejectedError([self._refusal(path, shown, content, last, view)])

    def _is_certain(self, file: PlannedFile, changes: Sequence[Change]) -> bool:
        """Whether every place of an edit is exact and the only one, and untouched by what is known to have changed."""
        before = self._contents.get(file.path)
        return all(map(_is_exact, changes)) and (before is None or _are_untouched(before, file.was or b"", changes))

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
        except PatchRejectedError:
            return "", False
        return (diff, True) if len(diff) <= MOST_SHOWN else (f"{diff[:MOST_SHOWN]}\n…", False)


def _is_exact(change: Change) -> bool:
    """Whether everything of a change has an exact and only place."""
    hunks = all(match.tier == "exact" and not match.concessions and not match.rivals for match in change.matches)
    return hunks and all(not edit.concessions for edit in change.edits) and bool(change.matches or change.edits)


def _are_untouched(before: bytes, now: bytes, changes: Sequence[Change]) -> bool:
    """Whether no line of the places has changed since the read, and each place occurs as often as it did then.

    Where one of two like places is gone, the other one may not be what was meant.
    """
    try:
        old, new = Text(before).lines, Text(now).lines
    except PatchRejectedError:
        return False
    if len(changes) != 1:
        # A second change counts its lines in the text that the first has made.
        return False
    hunks = [(match.start - 1, match.end) for match in changes[0].matches]
    spans = [span for edit in changes[0].edits for span in edit.spans]
    places = hunks + [(span.first_line - 1, span.last_line) for span in spans]
    blocks = [(c, d) for _, _, c, d in changed_blocks(old, new)]
    if any(_touches(block, place) for block in blocks for place in places):
        return False
    then, today = _joined(old), _joined(new)
    texts = {_joined(new[start:end]) for start, end in hunks if start < end}
    pieces = {now[span.start : span.end] for span in spans}
    if (len(texts) + len(pieces)) * (len(before) + len(now)) > MOST_COUNTED:
        return False
    return all(then.count(text) == today.count(text) for text in texts) and all(
        before.count(piece) == now.count(piece) for piece in pieces
    )


def _touches(block: tuple[int, int], place: tuple[int, int]) -> bool:
    """Whether lines that have changed are among those of a place, or beside the point where something is put in."""
    (first, behind), (start, end) = block, place
    return first <= start <= behind if start >= end else first < end and start < behind


def _joined(lines: Sequence[str]) -> str:
    # No text has a NUL: a line is found only as a whole.
    return "".join([f"\0{line}\n" for line in lines])
