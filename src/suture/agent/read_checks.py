"""Whether a plan knows what it changes: an edit of what was not read, or has changed since, would be a guess.

Content is followed through all operations of a patch: to update a file, move it and delete it under its new name is to
delete it. What an operation removes as a whole must have been read as a whole.
"""

from __future__ import annotations

from collections import Counter

from ..core.common_limits import MODEL_TEXT_LIMIT
from ..core.display import encodable, model_text
from ..core.fingerprint import fingerprint
from ..core.line_diff import changed_blocks
from ..core.notebook import Notebook
from ..core.paths import NOTEBOOK
from ..core.problems import PatchRejectedError, Problem
from ..core.text import Text
from ..core.value import Value
from ..core.write_diff import unified_diff
from .agent_limits import (
    LONGEST_READ_LINE,
    MOST_READ_CHARACTERS,
    MOST_SEARCHED_CHARACTERS,
    MOST_STALE_DIFF,
    MOST_STALE_EXCERPT,
)
from .content_history import ContentHistory, follow_content
from .line_ranges import carry, changes_meet, gaps, holds, insertion_points, join_ranges
from .reads import count_lines
from .view import view_excerpt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from typing import Literal, NoReturn, TypeAlias

    from ..core.outcome import Change, Plan
    from ..core.problems import Advice, Code
    from ..core.readers import Reader
    from ..core.record import PlannedFile
    from .line_ranges import Ranges
    from .reads import LastRead, Reads

    Mode: TypeAlias = Literal["require", "exact", "rebase", "warn", "off"]

#: How many bytes an answer needs for what it says beside the lines of a file.
REST_OF_ANSWER = 500


class ReadRefusal(Value):
    """Why an edit of a file is refused, and what the answer shows of the file: `known` lines of this content."""

    problem: Problem
    path: str
    content: bytes
    #: The message without the lines of the file.
    reason: str
    #: Empty if it shows nothing that counts as a read.
    known: Ranges


class ReadChecks:
    """Checks plans against what a session has read."""

    def __init__(self, reads: Reads, encoding_of: Callable[[str], str | None]) -> None:
        self._reads = reads
        #: The encoding that was set for a file, by its absolute path.
        self._encoding_of = encoding_of
        #: The last refusal for each path, so that the same text is not sent twice in a row.
        self._refused: dict[str, str] = {}

    def check(self, plan: Plan, mode: Mode, *, record: bool = True, merged: Collection[str] = frozenset()) -> list[str]:
        """Notices on files that were not read, or have changed since.

        Without `record`, nobody will see what a refusal shows, so it does not count as a read. Files that were `merged`
        with a change are known as far as they have to be. For others, the mode "rebase" is "require".

        Raises:
            PatchRejectedError: something was not read (`not_read`) or has changed since (`stale_file`).
        """
        if mode == "off":
            return []
        notices: list[str] = []
        refusals: list[ReadRefusal] = []
        histories = follow_content(plan)[0]
        for file in plan.files:
            if file.path in merged:
                continue
            history = histories.get(file.shown, ContentHistory(is_lost=True))
            result = self._check_file(plan, file, history, mode)
            if isinstance(result, ReadRefusal):
                refusals.append(result)
            elif result:
                notices.append(result)
        if refusals:
            self._refuse(refusals, record=record)
        return notices

    def _check_file(
        self, plan: Plan, file: PlannedFile, history: ContentHistory, mode: Mode
    ) -> ReadRefusal | str | None:
        """Why the change of a file is refused, or a notice about it; None if all that it changes was read."""
        # Of an empty file there is nothing to read.
        if file.before.kind != "file" or not file.was:
            return None
        last = self._reads.find(file.path)
        is_stale = last is not None and last.sha256 != file.before.sha256
        missing = self._missing(file, history, None if is_stale else last)
        if not missing:
            may_lose_outputs = mode != "warn" and history.is_lost
            return _hidden_outputs(file) if may_lose_outputs and self._loses_outputs(file) else None
        if mode != "warn":
            # In a file that was read in part, a place that was not read must be certain in every mode.
            may_be_certain = mode == "exact" or (last is not None and not is_stale)
            if not may_be_certain or not self._is_certain(plan, file, history, is_stale):
                hint = exact_hint if mode == "exact" and not history.is_lost else read_hint
                return self._refusal(file.path, file.shown, file.was, last, missing, hint)
        if is_stale:
            drift = self._drift(file.path, file.was, file.shown)[0]
            notice = f"{file.shown} had changed since it was read; the edit was applied on top."
            return f"{notice} The earlier change:\n{drift}" if drift else notice
        if mode != "warn":
            return None
        part = f"{file.shown} was" if last is None else f"{_name_lines(missing)} of {file.shown} were"
        return f"{part} not read before it was edited."

    def is_known(self, plan: Plan, reads: Mapping[str, LastRead]) -> bool:
        """Whether a plan, made on contents that were read before, changes only what was read of these."""
        histories = follow_content(plan)[0]
        for file in plan.files:
            last = reads.get(file.path)
            if last is None or not file.was:
                continue
            history = histories.get(file.shown, ContentHistory(is_lost=True))
            if self._missing(file, history, last) and not self._is_certain(plan, file, history, is_stale=False):
                return False
        return True

    def note_conflict(
        self,
        error: PatchRejectedError,
        problem: Problem,
        path: str,
        last: LastRead,
        base: bytes,
        lines: tuple[tuple[int, int], ...],
    ) -> None:
        """Record what an answer about a conflict shows of a file, and what is the same as in the base."""
        if model_text(str(problem)) not in error.for_model():
            return
        content = self._reads.now(path)
        if content is not None:
            known = carry(last.lines, self._lines(path, base), self._lines(path, content), is_change_known=False)
            self._reads.note(path, content, join_ranges(known, lines))

    def require(self, path: str, display_path: str, content: bytes, *, record: bool = True) -> None:
        """Refuse a file that was not read, or has changed since; for a call without a plan.

        Raises:
            PatchRejectedError: `not_read` or `stale_file`.
        """
        last = self._reads.find(path)
        if content and (last is None or last.sha256 != fingerprint(content)):
            missing = self._all(path, content)
            self._refuse([self._refusal(path, display_path, content, last, missing, read_hint)], record=record)

    def note_written(self, plan: Plan, *, is_whole: bool = False) -> None:
        """Record what the session knows of the files that a plan has written: what it knew, and what it wrote.

        With `is_whole` it wrote every line of them.
        """
        histories, origins = follow_content(plan)
        files = {file.shown: file for file in plan.files}
        for file in plan.files:
            content = file.content_after
            if content is None:
                self._reads.drop(file.path)
                continue
            origin = files.get(origins.get(file.shown, file.shown))
            known: Ranges = None
            if not is_whole and origin is not None and origin.was is not None:
                known = self._known(origin.path, origin.was)
                places = histories.get(origin.shown, ContentHistory()).places or ()
                known = join_ranges(known, tuple([(start + 1, end) for start, end in places if start < end]))
                encoding = origin.encoding or None
                known = carry(known, _lines_of(origin.was, encoding), _lines_of(content, encoding))
            self._reads.note(file.path, content, known, anew=True)

    def _missing(self, file: PlannedFile, history: ContentHistory, last: LastRead | None) -> list[tuple[int, int]]:
        """The lines that had to be read, and were not."""
        content = file.was or b""
        if last is None:
            return self._all(file.path, content)
        places = history.places
        if places is None:
            return gaps(last.lines, count_lines(content, self._encoding_of(file.path)))
        # At an insertion, the line before it.
        unread = [place for place in places if not holds(last.lines, place[0] + 1, place[1])]
        return [(max(1, min(start + 1, end)), max(1, end)) for start, end in unread]

    def _loses_outputs(self, file: PlannedFile) -> bool:
        """Whether a notebook would lose outputs of its cells, which are not shown where it is read."""
        if not file.shown.endswith(NOTEBOOK):
            return False
        was, after = (self._outputs(file.path, content or b"") for content in (file.was, file.content_after))
        return bool(was - after)

    def _outputs(self, path: str, content: bytes) -> Counter[str]:
        """The outputs of a notebook, cell by cell."""
        try:
            notebook = Notebook(Text(content, self._encoding_of(path)).raw)
        except (PatchRejectedError, ValueError):
            return Counter()
        return Counter(notebook.outputs_of(cell) for cell in notebook.cells if cell.outputs)

    def _all(self, path: str, content: bytes) -> list[tuple[int, int]]:
        return [(1, count_lines(content, self._encoding_of(path)))]

    def _lines(self, path: str, content: bytes) -> Sequence[str]:
        return _lines_of(content, self._encoding_of(path))

    def _known(self, path: str, content: bytes) -> Ranges:
        """The lines of a content that the session knows, also if it has changed since and the change was shown."""
        last = self._reads.find(path)
        if last is None:
            return ()
        if last.sha256 == fingerprint(content):
            return last.lines
        before = self._reads.content(path)
        if before is None:
            return ()
        is_shown = self._drift(path, content, path)[1]
        lines, now = self._lines(path, before), self._lines(path, content)
        return carry(last.lines, lines, now, is_change_known=is_shown)

    def _is_certain(self, plan: Plan, file: PlannedFile, history: ContentHistory, is_stale: bool) -> bool:
        """Whether every place of an edit is exact and unique, and not among the lines that have changed since."""
        if history.is_lost or not all(map(_is_exact, history.changes)):
            return False
        if not is_stale:
            return True
        if len(history.changes) != 1:
            # The line numbers of a second change refer to the result of the first.
            return False
        (change,) = history.changes
        written = next((one.content_after for one in plan.files if one.shown == change.content_name), None)
        now, after = (self._lines(file.path, content or b"") for content in (file.was, written))
        points = insertion_points(now, after)
        before = self._reads.content(file.path)
        if before is None:
            # What has changed is not known, so neither is whether it is beside an insertion.
            return not points
        old = self._lines(file.path, before)
        return not changes_meet(old, now, points) and _are_unchanged(before, file.was or b"", old, now, change)

    def _refusal(
        self,
        path: str,
        display_path: str,
        content: bytes,
        last: LastRead | None,
        missing: Sequence[tuple[int, int]],
        hint: Advice,
    ) -> ReadRefusal:
        """Why the edit is refused. The second time it shows the lines, so that no text is sent twice.

        `hint` is for a file that was not read at all.
        """
        code: Code = "not_read"
        details: dict[str, object] = {"path": display_path}
        known: Ranges = ()
        is_answered = False
        if last is None:
            message = f"{display_path} was not read in this session, so it can't be edited."
        elif last.sha256 == fingerprint(content):
            lines = _name_lines(missing).lower()
            message = f"{display_path} was read only in part: {lines} were not read in this session."
            hint = _part_hint(self._lines(path, content), *missing[0])
            details["missing"] = [list(one) for one in missing]
        else:
            code = "stale_file"
            message = f"{display_path} has changed since it was read."
            hint = "Read it again, then send the edit for its current content."
            details |= {"expected": last.sha256, "found": fingerprint(content)}
            drift, is_all = self._drift(path, content, display_path)
            if drift:
                message += f" The change:\n{drift}"
            if drift and is_all:
                # The whole change is shown, which is as good as a read.
                hint, is_answered = "Send the edit again, for the current content.", True
                known = self._known(path, content)
        reason = message
        if self._refused.get(path) == reason:
            room = MODEL_TEXT_LIMIT - REST_OF_ANSWER - len(encodable(message).encode("utf-8"))
            view = view_excerpt(
                content, display_path, self._encoding_of(path), *missing[0], most=min(MOST_STALE_EXCERPT, room)
            )
            message += f"\nIts content:\n{view.text}"
            if view.whole_lines != ():
                hint, is_answered = "Send the edit again, for this content.", True
                known = join_ranges(known, view.whole_lines)
        problem = Problem(code, message, display_path, None, details, hint)
        return ReadRefusal(problem, path, content, reason, known if is_answered else ())

    def _refuse(self, refusals: Sequence[ReadRefusal], *, record: bool) -> NoReturn:
        """Raise refusals. With `record`, what they show counts as read, if it has a place in the answer."""
        error = PatchRejectedError([refusal.problem for refusal in refusals])
        answer = error.for_model()
        for refusal in refusals if record else ():
            if refusal.known == ():
                self._refused[refusal.path] = refusal.reason
            elif model_text(str(refusal.problem)) in answer:
                self._refused.pop(refusal.path, None)
                self._reads.note(refusal.path, refusal.content, refusal.known)
        raise error

    def _drift(self, path: str, content: bytes, display_path: str) -> tuple[str, bool]:
        """A diff of what has changed in a file since it was read, and whether it is complete."""
        before = self._reads.content(path)
        if before is None:
            return "", False
        try:
            # Indentation is kept: a model will copy from it.
            texts = [Text(one, self._encoding_of(path)).raw for one in (before, content)]
        except PatchRejectedError:
            return "", False
        diff = unified_diff(texts[0], texts[1], display_path).replace("\r\n", "\n").rstrip("\n")
        data = encodable(diff).encode("utf-8")
        if len(data) <= MOST_STALE_DIFF:
            return diff, True
        return f"{data[:MOST_STALE_DIFF].decode('utf-8', 'ignore')}\n…", False


def _hidden_outputs(file: PlannedFile) -> ReadRefusal:
    """The refusal to lose outputs of a notebook that nobody has seen."""
    message = f"{file.shown} has outputs of its cells, which are not shown where it is read, and they would be lost."
    hint = "Edit the cells with edits that fit only one place. Ask the user to replace or delete the notebook."
    problem = Problem("not_read", message, file.shown, None, {"path": file.shown}, hint)
    return ReadRefusal(problem, file.path, file.was or b"", message, ())


def _lines_of(content: bytes, encoding: str | None) -> Sequence[str]:
    """The lines of a text; none if it is binary."""
    try:
        return Text(content, encoding).lines
    except PatchRejectedError:
        return ()


def read_hint(reader: Reader) -> str:
    """What to do about a file that was not read."""
    return f"{reader.read_first}, then send the edit again."


def exact_hint(reader: Reader) -> str:
    """The same where no reads are remembered, or others than ours count: there only exact edits are accepted."""
    return (
        f"{reader.read_first}, then send the edit again with the lines exactly as the file has them, "
        "and with enough of them that each part fits only one place."
    )


def _part_hint(lines: Sequence[str], first: int, last: int) -> str:
    """How to read lines that were not read. A line that is too long to be shown among others is read alone."""
    long = [number for number, line in enumerate(lines[first - 1 : last], first) if len(line) > LONGEST_READ_LINE]
    if long and long[0] > first:
        last = long[0] - 1
    elif long and len(lines[first - 1]) > MOST_READ_CHARACTERS:
        return (
            f"Line {first} has {len(lines[first - 1])} characters, more than can be read. Change a part of it with an "
            "edit that fits only one place, or ask the user to replace or delete the file."
        )
    elif long:
        last = first
    return f"Read it with offset={first} and limit={last - first + 1}, then send the call again."


def _name_lines(ranges: Sequence[tuple[int, int]]) -> str:
    """Lines in words; of many ranges, the first."""
    texts = [f"{first}-{last}" if first < last else f"{first}" for first, last in ranges[:3]]
    and_more = " and more" if len(ranges) > 3 else ""
    return f"Lines {', '.join(texts)}{and_more}"


def _is_exact(change: Change) -> bool:
    """Whether a change has parts, and all of them have an exact and unique place."""
    if not change.matches and not change.edits:
        return False
    for match in change.matches:
        if match.tier != "exact" or match.concessions or match.rivals:
            return False
    return not any(edit.concessions for edit in change.edits)


def _are_unchanged(before: bytes, now: bytes, old: Sequence[str], new: Sequence[str], change: Change) -> bool:
    """Whether no line of the places has changed since the read, and each text occurs as often as it did then.

    If one of two equal places is gone, the other may not be the intended one.
    """
    hunks = [(match.start - 1, match.end) for match in change.matches]
    spans = [span for edit in change.edits for span in edit.spans]
    places = hunks + [(span.first_line - 1, span.last_line) for span in spans]
    for _, _, first, end in changed_blocks(old, new):
        if any(_touches((first, end), place) for place in places):
            return False
    hunk_texts = {_join_lines(new[start:end]) for start, end in hunks if start < end}
    edit_texts = {now[span.start : span.end] for span in spans}
    if (len(hunk_texts) + len(edit_texts)) * (len(before) + len(now)) > MOST_SEARCHED_CHARACTERS:
        return False
    old_lines, new_lines = _join_lines(old), _join_lines(new)
    if any(old_lines.count(text) != new_lines.count(text) for text in hunk_texts):
        return False
    return all(before.count(text) == now.count(text) for text in edit_texts)


def _touches(block: tuple[int, int], place: tuple[int, int]) -> bool:
    """Whether changed lines overlap a place, or are next to the point of an insertion."""
    (block_start, block_end), (start, end) = block, place
    is_insertion = start >= end
    if is_insertion:
        return block_start <= start <= block_end
    return block_start < end and start < block_end


def _join_lines(lines: Sequence[str]) -> str:
    # Texts have no NUL, so only whole lines match.
    return "".join([f"\0{line}\n" for line in lines])
