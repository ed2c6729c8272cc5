"""What a session has read. An edit of a file that was not read, or has changed since, would be a guess.

Reads are recorded by the hash of the content, so a touched file with the same content counts as unchanged. They are
stored with the history and outlive the process. The latest contents are kept in memory to show what has changed.
"""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from time import time

from ..core.line_diff import changed_blocks
from ..core.problems import PatchRejectedError, Problem
from ..core.text import Text
from ..diff.write_diff import unified_diff
from ..workspace.fingerprint import fingerprint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Literal, TypeAlias

    from ..core.problems import Code
    from ..workspace.outcome import Change, Plan, PlannedFile
    from ..workspace.workspace import Workspace

    Mode: TypeAlias = Literal["require", "exact", "warn", "off"]
    #: Shows the content of a file; empty where it may not be read.
    View: TypeAlias = Callable[[bytes, str], str]

#: How many contents are kept to show what has changed, and how many bytes; and the most characters of a diff.
MOST_KEPT = 100
MOST_BYTES = 20_000_000
MOST_SHOWN = 1500
#: The most characters to search for further occurrences; with more, a place does not count as certain.
MOST_SEARCHED = 1_000_000_000


class Reads:
    """The reads of one session."""

    def __init__(self, workspace: Workspace, session: str) -> None:
        self._workspace = workspace
        self._session = session
        #: Guards the fields below: calls on other files run in other threads.
        self._lock = Lock()
        self._contents: OrderedDict[str, bytes] = OrderedDict()
        self._size = 0
        #: The last refusal for each path, so that the same text is not sent twice in a row.
        self._refused: dict[str, str] = {}

    def note(self, path: str, content: bytes, ranges: str = "") -> None:
        """Record that a content was shown or written."""
        self._workspace.record_read(self._session, path, fingerprint(content), ranges, time())
        with self._lock:
            self._drop(path)
            self._size += len(content)
            self._contents[path] = content
            while self._contents and (len(self._contents) > MOST_KEPT or self._size > MOST_BYTES):
                self._size -= len(self._contents.popitem(last=False)[1])

    def forget(self, path: str) -> None:
        """Drop the content of a file that was deleted."""
        with self._lock:
            self._drop(path)

    def _drop(self, path: str) -> None:
        self._size -= len(self._contents.pop(path, b""))
        self._refused.pop(path, None)

    def current(self, plan: Plan) -> dict[str, str]:
        """The hashes of the files of a plan that were read as they are, by path."""
        before = {file.path: file.before.sha256 for file in plan.files if file.before.kind == "file"}
        return {path: sha256 for path, sha256 in before.items() if self._last(path) == sha256}

    def adopt(self, reads: Mapping[str, str]) -> None:
        """Take over what another session has read: hashes by path. What this one knows about a path stays."""
        for path, sha256 in reads.items():
            if self._last(path) is None:
                self._workspace.record_read(self._session, path, sha256, "", time())

    def check(self, plan: Plan, mode: Mode, view: View, *, record: bool = True) -> list[str]:
        """Notices on files that were not read, or have changed since. `view` shows a file.

        Without `record`, nobody will see what a refusal shows, so it does not count as a read.

        Raises:
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
                problems.append(self._refusal(file.path, file.shown, file.was, last, view, record=record))
            elif last is not None:
                drift = self._drift(file.path, file.was, file.shown)[0]
                shown = f" The earlier change:\n{drift}" if drift else ""
                notices.append(f"{file.shown} had changed since it was read; the edit was applied on top.{shown}")
            elif mode == "warn":
                notices.append(f"{file.shown} was not read before it was edited.")
        if problems:
            raise PatchRejectedError(problems)
        return notices

    def require(self, path: str, shown: str, content: bytes, view: View, *, record: bool = True) -> None:
        """Refuse a file that was not read, or has changed since; for a call without a plan.

        Raises:
            PatchRejectedError: `not_read` or `stale_file`.
        """
        last = self._last(path)
        if last != fingerprint(content):
            raise PatchRejectedError([self._refusal(path, shown, content, last, view, record=record)])

    def _is_certain(self, file: PlannedFile, changes: Sequence[Change]) -> bool:
        """Whether every place of an edit is exact and unique, and not among the lines that have changed since."""
        before = self._contents.get(file.path)
        return all(map(_is_exact, changes)) and (before is None or _are_unchanged(before, file.was or b"", changes))

    def _last(self, path: str) -> str | None:
        """The hash of the content that was read last."""
        found = self._workspace.last_read(self._session, path)
        return None if found is None else found[0]

    def _refusal(self, path: str, shown: str, content: bytes, last: str | None, view: View, *, record: bool) -> Problem:
        """Why the edit is refused. The second time it shows the file, so that no text is sent twice."""
        code: Code = "not_read" if last is None else "stale_file"
        details = {"path": shown}
        was_shown = False
        if last is None:
            message = f"{shown} was not read in this session, so it can't be edited."
            hint = "Read it first, then send the edit again."
        else:
            message = f"{shown} has changed since it was read."
            hint = "Read it again, then send the edit for its current content."
            details |= {"expected": last, "found": fingerprint(content)}
            drift, is_all = self._drift(path, content, shown)
            if drift:
                message += f" The change:\n{drift}"
            if drift and is_all:
                # The whole change was shown, which is as good as a read.
                hint, was_shown = "Send the edit again, for the current content.", True
        if self._refused.get(path) == message:
            now = view(content, shown)
            message += f"\nIts content:\n{now}" if now else "\nIt can't be shown without the permission to read it."
            hint, was_shown = ("Send the edit again, for this content.", True) if now else (hint, False)
        if was_shown and record:
            self.note(path, content)
        elif record:
            self._refused[path] = message
        return Problem(code, message, shown, None, details, hint)

    def _drift(self, path: str, content: bytes, shown: str) -> tuple[str, bool]:
        """A diff of what has changed in a file since it was read, and whether it is complete."""
        before = self._contents.get(path)
        if before is None:
            return "", False
        try:
            # Indentation is kept: a model will copy from it.
            diff = unified_diff(Text(before).raw, Text(content).raw, shown).replace("\r\n", "\n").rstrip("\n")
        except PatchRejectedError:
            return "", False
        return (diff, True) if len(diff) <= MOST_SHOWN else (f"{diff[:MOST_SHOWN]}\n…", False)


def _is_exact(change: Change) -> bool:
    """Whether all parts of a change have an exact and unique place."""
    hunks = all(match.tier == "exact" and not match.concessions and not match.rivals for match in change.matches)
    return hunks and all(not edit.concessions for edit in change.edits) and bool(change.matches or change.edits)


def _are_unchanged(before: bytes, now: bytes, changes: Sequence[Change]) -> bool:
    """Whether no line of the places has changed since the read, and each text occurs as often as it did then.

    If one of two equal places is gone, the other may not be the intended one.
    """
    try:
        old, new = Text(before).lines, Text(now).lines
    except PatchRejectedError:
        return False
    if len(changes) != 1:
        # The line numbers of a second change refer to the result of the first.
        return False
    hunks = [(match.start - 1, match.end) for match in changes[0].matches]
    spans = [span for edit in changes[0].edits for span in edit.spans]
    places = hunks + [(span.first_line - 1, span.last_line) for span in spans]
    blocks = [(c, d) for _, _, c, d in changed_blocks(old, new)]
    if any(_touches(block, place) for block in blocks for place in places):
        return False
    then, today = _join_lines(old), _join_lines(new)
    texts = {_join_lines(new[start:end]) for start, end in hunks if start < end}
    pieces = {now[span.start : span.end] for span in spans}
    if (len(texts) + len(pieces)) * (len(before) + len(now)) > MOST_SEARCHED:
        return False
    return all(then.count(text) == today.count(text) for text in texts) and all(
        before.count(piece) == now.count(piece) for piece in pieces
    )


def _touches(block: tuple[int, int], place: tuple[int, int]) -> bool:
    """Whether changed lines overlap a place, or are next to the point of an insertion."""
    (first, behind), (start, end) = block, place
    return first <= start <= behind if start >= end else first < end and start < behind


def _join_lines(lines: Sequence[str]) -> str:
    # Texts have no NUL, so only whole lines match.
    return "".join([f"\0{line}\n" for line in lines])
