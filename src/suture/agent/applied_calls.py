"""The calls that a session has applied, so that the same call again does not change another place.

Models repeat calls: mostly one that failed, which must stay possible, but also one that was applied. If the old text of
that was in the file more than once, or something like it was, the same call fits another place by then; if its new text
has the old one in it, the call fits its own result. The model means neither, unless it has looked at the file since, or
what the call fits has come since.
"""

from __future__ import annotations

from collections import OrderedDict
from contextlib import suppress
from hashlib import sha256
from json import dumps
from time import time

from ..core.fingerprint import fingerprint
from ..core.fork_lock import ForkLock
from ..core.json_values import JsonValue, to_data
from ..core.line_diff import changed_blocks
from ..core.problems import PatchRejectedError, Problem, SutureError
from ..core.text import Text
from ..core.value import Value
from .agent_limits import (
    MOST_COMPARED_CHANGES,
    MOST_CONTENT_BYTES,
    MOST_CONTENTS,
    MOST_REMEMBERED_CHARACTERS,
    MOST_REMEMBERED_PLACES,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..core.outcome import Change, Plan
    from ..core.record import PlannedFile
    from ..workspace.workspace import Workspace


class WrittenLines(Value):
    """Lines that a call has written: the first of them, from 1, the lines, and how often the file had them then.

    Where a call has only removed lines, these are the two lines beside the place.
    """

    line: int
    text: str
    count: int


class AppliedResult(JsonValue):
    """The result of a call in one file."""

    sha256: str
    #: Whether an old text of the call was in the file more than once, so that only a constraint told the place.
    had_rivals: bool
    #: None if there were too many.
    written: tuple[WrittenLines, ...] | None


class AppliedCalls:
    """The calls of one session that were applied, and whose files the model has not read since."""

    def __init__(self, workspace: Workspace, session: str) -> None:
        self._workspace = workspace
        self._records = workspace.records_of(session)
        #: Guards the contents below: calls on other files run in other threads.
        self._lock = ForkLock()
        self._contents: OrderedDict[str, bytes] = OrderedDict()

    def record(self, call: str, plan: Plan) -> None:
        """Remember a call that was applied. It never raises a `SutureError`: the files are written."""
        edited = [file for file in plan.files if _is_edited(file)]
        with suppress(SutureError):
            results = {file.path: _result(plan, file).to_json() for file in edited}
            self._records.record_applied(call, results, time())
        with self._lock:
            self._contents |= {file.after.sha256: file.content for file in edited}
            while len(self._contents) > MOST_CONTENTS or sum(map(len, self._contents.values())) > MOST_CONTENT_BYTES:
                self._contents.popitem(last=False)

    def forget(self, path: str) -> None:
        """Forget the calls that were applied to a file, because the model has read it."""
        self._records.forget_applied(path)

    def check(self, call: str, plan: Plan) -> None:
        """Refuse a plan that would apply a remembered call a second time.

        Raises:
            PatchRejectedError: its result is still there (`already_applied`).
        """
        results = self._results(call)
        edited_files = [(file, results[file.path]) for file in plan.files if _is_edited(file) and file.path in results]
        problems: list[Problem] = []
        for file, result in edited_files:
            places = _standing_lines(_lines(file, file.was), file.before.sha256, result)
            if places is not None and not _has_come_since(file, result, places, self._contents.get(result.sha256)):
                problems.append(_problem(file.shown, places))
        if problems:
            raise PatchRejectedError(problems)

    def explain(self, call: str, contents: Mapping[str, tuple[str, bytes]]) -> list[Problem]:
        """The problems of a remembered call that no longer fits anywhere, if its result is still there.

        `contents` are its files by absolute path: the path as messages show it, and the content.
        """
        problems: list[Problem] = []
        for path, result in self._results(call).items():
            display_path, content = contents.get(path, ("", b""))
            lines = _read_lines(content, self._workspace.encoding_of(path))
            places = _standing_lines(lines, fingerprint(content), result) if display_path else None
            if places is not None:
                problems.append(_problem(display_path, places))
        return problems

    def _results(self, call: str) -> dict[str, AppliedResult]:
        """The results of a call by path; none that can't be read."""
        results: dict[str, AppliedResult] = {}
        for path, text in self._records.applied(call).items():
            with suppress(ValueError):
                results[path] = AppliedResult.from_json(text)
        return results


def call_digest(tool: str, arguments: Mapping[str, object], paths: Sequence[str]) -> str:
    """What identifies a call: the tool, the absolute paths of its files, and the arguments that name no files."""
    rest = {name: to_data(value) for name, value in arguments.items() if name != "file_path"}
    return sha256(dumps([tool, rest, *paths], sort_keys=True, default=repr).encode()).hexdigest()


def _is_edited(file: PlannedFile) -> bool:
    """Whether a plan changes the text of a file that is there before and after."""
    return file.before.kind == "file" and file.content_after is not None and not file.moved_from


def _result(plan: Plan, file: PlannedFile) -> AppliedResult:
    """What a plan wrote into a file: each place with its lines, unless that is too much to remember."""
    before, after = _lines(file, file.was), _lines(file, file.content_after)
    had_rivals = any(_had_rivals(change, before) for change in plan.changes_of(file))
    blocks = changed_blocks(before, after)
    if len(blocks) > MOST_REMEMBERED_PLACES:
        return AppliedResult(file.after.sha256, had_rivals, None)
    content = _join(after)
    written: list[WrittenLines] = []
    for _, _, first, end in blocks:
        # Where lines were only removed, what is left are the lines around the gap.
        is_gap = first == end
        start = max(0, first - 1) if is_gap else first
        text = _join(after[start : end + 1 if is_gap else end])
        written.append(WrittenLines(start + 1, text, content.count(text)))
    is_long = sum([len(lines.text) for lines in written]) > MOST_REMEMBERED_CHARACTERS
    return AppliedResult(file.after.sha256, had_rivals, None if is_long else tuple(written))


def _had_rivals(change: Change, before: Sequence[str]) -> bool:
    """Whether a hunk of a change had no old lines, or some that the file has more than once."""
    joined = _join(before) if change.matches else ""
    for match in change.matches:
        if match.rivals or match.start > match.end or joined.count(_join(before[match.start - 1 : match.end])) > 1:
            return True
    return False


def _has_come_since(
    file: PlannedFile, result: AppliedResult, places: Sequence[tuple[int, int]], content: bytes | None
) -> bool:
    """Whether all that a plan would change in a file has come since a call was applied there, with this content then.

    If the content is no longer known, what is elsewhere than the result counts, unless the call had rivals.
    """
    if file.before.sha256 == result.sha256 or result.had_rivals:
        return False
    now, after = _lines(file, file.was), _lines(file, file.content_after)
    blocks = [(start, end) for start, end, _, _ in changed_blocks(now, after)]
    if any(_touch(block, (first - 1, last)) for block in blocks for first, last in places):
        return False
    if content is None:
        return True
    since = [(low, high) for _, _, low, high in changed_blocks(_lines(file, content), now)]
    if len(blocks) * len(since) > MOST_COMPARED_CHANGES:
        return False
    return all(any(_touch(block, change) for change in since) for block in blocks)


def _touch(one: tuple[int, int], other: tuple[int, int]) -> bool:
    """Whether two ranges of lines share a line or are next to each other."""
    return one[0] <= other[1] and other[0] <= one[1]


def _problem(display_path: str, places: Sequence[tuple[int, int]]) -> Problem:
    """The refusal of a call whose result is at these places already."""
    line = places[0][0] if places else None
    where = "" if line is None else f" at line {line}"
    message = (
        f"This call has already been applied: its result is in {display_path}{where}, "
        "and the file has not been read since."
    )
    hint = (
        "Go on with the next step. To change another place, send the call with more of the lines around it. "
        "To apply the same call again on purpose, read the file first."
    )
    details = {"path": display_path, "line": line, "repeated": True}
    return Problem("patch_apply_error", message, display_path, None, details, hint, reason="already_applied")


def _standing_lines(now: Sequence[str], sha256: str, result: AppliedResult) -> list[tuple[int, int]] | None:
    """The first and the last line of each place that a call has written; None if one of them has changed since."""
    is_same = sha256 == result.sha256
    if result.written is None:
        return [] if is_same else None
    joined = _join(now)
    places: list[tuple[int, int]] = []
    for written in result.written:
        line = written.line
        if not is_same:
            if joined.count(written.text) < written.count:
                return None
            line = _nearest(now, written)
        places.append((line, line + written.text.count("\n") - 1))
    return places


def _nearest(now: Sequence[str], written: WrittenLines) -> int:
    """The first line, from 1, at which written lines are now, nearest to where they were."""
    lines = [line.removeprefix("\0") for line in written.text.split("\n")[:-1]]
    starts = [n for n in range(len(now) - len(lines) + 1) if list(now[n : n + len(lines)]) == lines]
    return min(starts, key=lambda start: abs(start + 1 - written.line), default=written.line - 1) + 1


def _lines(file: PlannedFile, content: bytes | None) -> Sequence[str]:
    return _read_lines(content or b"", file.encoding or None)


def _read_lines(content: bytes, encoding: str | None) -> Sequence[str]:
    try:
        return Text(content, encoding).lines
    except PatchRejectedError:
        return ()


def _join(lines: Sequence[str]) -> str:
    # Texts have no NUL, so only whole lines match.
    return "\0" + "\n\0".join(lines) + "\n" if lines else ""
