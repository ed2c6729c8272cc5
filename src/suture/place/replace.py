"""String edits in memory, one or a list of them: find the old text, put the new text there.

Both functions take str or bytes, return the same type, and never touch a file. Where texts differ is computed later.
"""

from __future__ import annotations

from reprlib import Repr

from ..core.common_limits import LONGEST_OUTSIDE_TEXT
from ..core.edit_options import DEFAULT_OPTIONS
from ..core.line_diff import changed_blocks
from ..core.patch import Concession
from ..core.problems import EditRef, PatchRejectedError, Problem
from ..core.search_budget import OutOfBudgetError, SearchBudget
from ..core.splices import Splice, splice, trace
from ..core.string_edits import AppliedEdit, Span, StringEdit
from ..core.system_errors import reports_system_errors, system_failure
from ..core.text import Text, check_growth, check_size
from ..core.value import Value
from ..words.bad_edit import EqualTexts, NoEdits, NotAnEdit, OutOfBudget, Overlap
from ..words.edit_phrases import PlacementCause, Subject
from .arrange import overlaps
from .byte_order_mark import name_in_edits
from .edit_claims import moved_range
from .edit_step import EditRules, EditStep, find_plain, make_step, settle
from .limits import MOST_EXPLAINED, MOST_SPANS
from .new_text import placeholder_in
from .syntax_refusal import syntax_problems

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any, ClassVar, Literal, TypeAlias, Unpack

    from ..core.edit_options import EditOptions, EditSettings
    from ..core.line_diff import Block
    from ..core.splices import Range

    #: The text before and after, the step of each edit, the splices of all in rounds, of which each is made on the
    #: result of the one before, and the number of the edit of each splice.
    Made: TypeAlias = tuple[Text, Text, Sequence[EditStep], Sequence[Sequence[Splice]], Sequence[int]]


class MultiEdit(Value):
    """The result of `multiedit`: the new text, of the type that was given, and each edit in the order of the list.

    `edits` and the counts of lines, `additions` and `deletions`, are computed when they are asked for.
    """

    text: Any
    #: How the edits were made; on the fast path only the text before, and what one edit changes in it.
    _made: Made | tuple[str, Splice]

    _public: ClassVar[tuple[str, ...]] = ("text", "edits", "additions", "deletions")

    def _steps(self) -> Made:
        if len(self._made) > 2:
            return self._made
        content, change = self._made
        return Text(content), Text(self.text), [EditStep("simple", (), [change])], [[change]], [0]

    @property
    def edits(self) -> tuple[AppliedEdit, ...]:
        """Where each edit went. If there are more than 10,000 places, each edit has one span: the whole text."""
        before, after, steps, rounds, owners = self._steps()
        if len(owners) > MOST_SPANS:
            # Every edit has the same span before, and the same one after.
            owners = range(len(steps))
            old_ranges = [(0, len(before.raw))] * len(steps)
            new_ranges = [(0, len(after.raw))] * len(steps)
        else:
            old_ranges, new_ranges, _ = trace(rounds)
        old_spans: list[list[Span]] = [[] for _ in steps]
        new_spans: list[list[Span]] = [[] for _ in steps]
        all_spans = zip(owners, spans_of(before, old_ranges), spans_of(after, new_ranges), strict=True)
        for owner, old_span, new_span in all_spans:
            old_spans[owner].append(old_span)
            new_spans[owner].append(new_span)
        applied: list[AppliedEdit] = []
        for step, spans, written in zip(steps, old_spans, new_spans, strict=True):
            applied.append(AppliedEdit(step.replacer, tuple(spans), tuple(written), step.concessions))
        return tuple(applied)

    @property
    def additions(self) -> int:
        """How many lines were added."""
        return sum([new_end - new_start for _, _, new_start, new_end in self._changed_lines()])

    @property
    def deletions(self) -> int:
        """How many lines were deleted."""
        return sum([end - start for start, end, _, _ in self._changed_lines()])

    def _changed_lines(self) -> list[Block]:
        before, after, *_ = self._steps()
        return changed_blocks(before.lines, after.lines)


class Replacement(MultiEdit):
    """The result of `replace`: the new text, of the type that was given, and where it differs.

    `spans` are the places in the content that was given, `written` the same places in `text`; both count characters of
    a str and bytes of bytes. `additions` and `deletions` count lines. All are computed when they are asked for.
    """

    _public: ClassVar = ("text", "replacer", "spans", "written", "concessions", "additions", "deletions")

    @property
    def replacer(self) -> str:
        """The replacer that found the old text."""
        return self._steps()[2][0].replacer

    @property
    def spans(self) -> tuple[Span, ...]:
        """Where the old text was. If there are more than 10,000 places, it is one span: the whole text."""
        return self.edits[0].spans

    @property
    def written(self) -> tuple[Span, ...]:
        """Where the new text is."""
        return self.edits[0].written

    @property
    def concessions(self) -> tuple[Concession, ...]:
        """What was conceded to find it."""
        return self._steps()[2][0].concessions


def replace(
    content: str | bytes,
    old: str,
    new: str,
    replace_all: bool = False,
    *,
    path: str = "",
    options: EditOptions = DEFAULT_OPTIONS,
    **settings: Unpack[EditSettings],
) -> Replacement:
    """Put `new` where `old` is, and return the new text with where that was.

    `old` must have exactly one place, unless `replace_all` is set, which changes all of them. An empty `old` fills an
    empty content. `new` is taken as it is, except for the file's own line endings and, where whole lines were found at
    another depth, its indentation. `settings` are fields of `EditOptions` that differ from `options`; `skip_applied`
    is for lists of edits and counts for nothing here.

    Raises:
        PatchRejectedError: `old` has no place or more than one, or `new` can't be written.
    """
    if settings:
        options = options.replace(**settings)
    try:
        if isinstance(content, str) and not replace_all and old != new and len(content) + len(new) <= options.max_size:
            is_plain = "\r" not in content and "\0" not in content and content[:1] != "\ufeff"
            start = find_plain(content, old, new) if is_plain else -1
            if start != -1 and (options.allow_placeholders or placeholder_in(new, old) is None):
                change = Splice(start, start + len(old), new)
                return Replacement(splice(content, [change]), (content, change))
        rules = EditRules(options.replace(skip_applied=False))
        return Replacement(*_make_edits(content, [StringEdit(old, new, replace_all)], path, rules))
    except OSError as error:
        # As `reports_system_errors` does, without one more call for the edits that are exact.
        raise system_failure(error) from error


@reports_system_errors
def multiedit(
    content: str | bytes,
    edits: Iterable[StringEdit | tuple[str, str] | tuple[str, str, bool] | Mapping[str, Any]],
    *,
    against: Literal["result", "original"] = "result",
    path: str = "",
    options: EditOptions = DEFAULT_OPTIONS,
    **settings: Unpack[EditSettings],
) -> MultiEdit:
    """Make a list of string edits, all of them or none.

    Each edit is placed in the result of the edits before it; with `against="original"` in the content that was given,
    and then no two edits may change the same characters. `settings` are fields of `EditOptions` that differ from
    `options`. With `skip_applied`, edits that are applied already have no spans and the concession `already_applied`.

    Raises:
        PatchRejectedError: an edit has no place, more than one, or can't be written; `details` has its `editIndex`.
    """
    if against not in ("result", "original"):
        message = f"expected against='result' or 'original'; found {against!r}"
        raise ValueError(message)
    rules = EditRules(options.replace(**settings), on_original=against == "original")
    return MultiEdit(*_make_edits(content, edits, path, rules))


def read_edits(edits: Iterable[object], path: str = "") -> list[StringEdit]:
    """The edits of a list as values.

    Raises:
        PatchRejectedError: there are none, one of them is not an edit, or one can't change anything.
    """
    listed = [_as_edit(edit, number, path) for number, edit in enumerate(edits)]
    subject = Subject("edit", path)
    if not listed:
        raise PatchRejectedError([NoEdits(subject).problem()])
    for number, edit in enumerate(listed):
        if edit.old == edit.new:
            raise PatchRejectedError(_numbered([EqualTexts(subject).problem()], number, len(listed)))
    return listed


def _as_edit(edit: object, number: int, path: str) -> StringEdit:
    """An edit of a list, in any of the forms that it may have."""
    if isinstance(edit, StringEdit):
        return edit
    fields: Any = edit
    if isinstance(edit, tuple | list):
        has_right_length = 2 <= len(edit) <= 3
        fields = dict(zip(("old", "new", "replace_all"), edit, strict=False)) if has_right_length else None
    if hasattr(fields, "get"):
        old = _first_value(fields, ("old", "oldString", "old_string"))
        new = _first_value(fields, ("new", "newString", "new_string"))
        replace_all = _first_value(fields, ("replace_all", "replaceAll"))
        if isinstance(old, str) and isinstance(new, str) and isinstance(replace_all, bool | None):
            return StringEdit(old, new, bool(replace_all))
    problem = NotAnEdit(Subject("edit", path), number + 1, _as_text(edit)).problem()
    raise PatchRejectedError([problem.replace(edit=EditRef(number))])


def _first_value(fields: Any, names: Sequence[str]) -> object:  # noqa: ANN401 - whatever has a method `get`
    """The value of the first of these names that has one; None if none has."""
    for name in names:
        value = fields.get(name)
        if value is not None:
            return value
    return None


def _as_text(thing: object) -> str:
    """A thing as a text for a message: not all of what is large, and not what is nested too deeply."""
    brief = Repr()
    brief.maxstring = brief.maxother = LONGEST_OUTSIDE_TEXT
    try:
        return brief.repr(thing)
    except ValueError:  # a number with very many digits
        return type(thing).__name__


def _make_edits(content: str | bytes, edits: Iterable[object], path: str, rules: EditRules) -> tuple[str | bytes, Made]:
    """The content after all edits, and how they were made.

    Raises:
        PatchRejectedError: with the problems of all edits that can't be made.
    """
    edit_list = read_edits(edits, path)
    options = rules.options
    check_size(content, path, options.max_size)
    before = Text(content, options.encoding, path)
    if before.bom:
        before, edit_list = name_in_edits(before, edit_list)
    steps, after = _make_steps(before, edit_list, rules)
    owned = [(number, one) for number, step in enumerate(steps) for one in step.splices]
    rounds = [step.splices for step in steps]
    if rules.on_original:
        owned.sort(key=lambda pair: (pair[1].start, pair[1].end))
        problems = _overlaps(before, owned, len(steps))
        if problems:
            raise PatchRejectedError(problems)
        # All edits are made at once.
        splices = settle(before, [one for _, one in owned])
        rounds = [splices]
        check_growth(before, sum([one.growth for one in splices]), options.max_size)
        after = before.with_raw(splice(before.raw, splices))
    if not options.allow_syntax_errors:
        _check_syntax(before, after, edit_list, steps)
    return before.content(after.raw), (before, after, steps, rounds, [number for number, _ in owned])


def _make_steps(before: Text, edits: Sequence[StringEdit], rules: EditRules) -> tuple[list[EditStep], Text]:
    """The step of each edit, and the text after all of them; where all are placed in the original, that text.

    Raises:
        PatchRejectedError: with the problems of the edits that have no place.
    """
    text = before
    steps: list[EditStep] = []
    problems: list[Problem] = []
    budget = SearchBudget()
    for number, edit in enumerate(edits):
        ranges = _claimed_ranges(edit, before, steps) if edit.within is not None else ()
        try:
            step, raw = make_step(text, edit, rules, budget, brief=len(problems) >= MOST_EXPLAINED, ranges=ranges)
        except PatchRejectedError as rejected:
            step, raw = EditStep("simple", (Concession("already_applied"),), ()), text.raw
            is_skipped = rules.options.skip_applied and _are_applied(rejected.problems)
            if not is_skipped:
                is_later = number > 0 and not rules.on_original
                problems += _numbered(rejected.problems, number, len(edits), is_later=is_later)
                if not rules.on_original:
                    # The edits after it would be placed in a text that they are not made for.
                    break
        except OutOfBudgetError:
            problems += _numbered([OutOfBudget(Subject("edit", before.path)).problem()], number, len(edits))
            break
        steps.append(step)
        if not rules.on_original:
            text = text.with_raw(raw)
    if problems:
        raise PatchRejectedError(problems)
    return steps, text


def _are_applied(problems: Iterable[Problem]) -> bool:
    """Whether an edit was refused for nothing else than that it is applied already."""
    return all(problem.reason == "already_applied" for problem in problems)


def _check_syntax(before: Text, after: Text, edits: Sequence[StringEdit], steps: Sequence[EditStep]) -> None:
    """Refuse a text that edits have broken of which some were placed with a concession.

    Raises:
        PatchRejectedError: for the first of these edits.
    """
    loose = {number: step.replacer for number, step in enumerate(steps) if step.concessions and step.splices}
    if not loose:
        return
    first = min(loose)
    old = edits[first].old.removesuffix("\n").split("\n")
    problems = syntax_problems(before, after, loose, old=old)
    if problems:
        raise PatchRejectedError(_numbered(problems, first, len(edits)))


def _claimed_ranges(edit: StringEdit, before: Text, steps: Sequence[EditStep]) -> list[Range]:
    """The lines that an edit may mean: those of its numbers as they are, and as the edits before it have moved them."""
    assert edit.within is not None, "BUG: the edit names no lines"
    moved, raw = edit.within, before.raw
    for step in steps:
        moved, raw = moved_range(moved, raw, step.splices), splice(raw, step.splices)
    return list(dict.fromkeys((edit.within, moved)))


def _numbered(problems: Iterable[Problem], number: int, count: int, *, is_later: bool = False) -> list[Problem]:
    """The problems of one edit of a list, which name it; a later one is matched against the result of others."""
    numbered: list[Problem] = []
    for problem in problems:
        cause = problem.cause
        if is_later and isinstance(cause, PlacementCause):
            cause = cause.replace(subject=cause.subject.replace(is_after_others=True))
        numbered.append(problem.replace(cause=cause, edit=EditRef(number, count)))
    return numbered


def _overlaps(text: Text, owned: Iterable[tuple[int, Splice]], count: int) -> list[Problem]:
    """A problem for each edit that changes what another edit of the original changes."""
    problems: list[Problem] = []
    overlapping = overlaps((one.start, one.end, number) for number, one in owned)
    # Two edits may meet in many places: each edit has a problem for the first of them.
    first_of_edits = {refusal.number: refusal for refusal in reversed(overlapping)}
    refusals = list(reversed(first_of_edits.values()))
    spans = spans_of(text, [(refusal.starts[0], refusal.starts[0]) for refusal in refusals])
    for refusal, span in zip(refusals, spans, strict=True):
        line = "".join(text.rows[0][span.first_line - 1 : span.first_line])
        edit = EditRef(refusal.number, count)
        cause = Overlap(Subject("edit", text.path), refusal.other + 1, span.first_line, line, edit)
        problems.append(cause.problem().replace(edit=EditRef(refusal.number)))
    return problems


def spans_of(text: Text, ranges: Sequence[Range]) -> tuple[Span, ...]:
    """Ranges of the raw text as the caller counts."""
    edges = _count_at(text, {edge for one in ranges for edge in one})
    spans: list[Span] = []
    for start, end in ranges:
        start_offset, first_line, _ = edges[start]
        end_offset, _, last_line = edges[end]
        spans.append(Span(start_offset, end_offset, first_line, max(first_line, last_line)))
    return tuple(spans)


def _count_at(text: Text, positions: Iterable[int]) -> dict[int, tuple[int, int, int]]:
    """For positions in the raw text: the offset as the caller counts, the line, and the line of the character before.

    The text is read once.
    """
    raw = text.raw
    done, offset, line = 0, text.first_offset, 1
    counts: dict[int, tuple[int, int, int]] = {}
    for position in sorted(positions):
        offset += text.content_size(raw[done:position])
        # CRLF ends a line with its second half, and what ends a line is part of it.
        line_ends = raw.count("\n", done, position) + raw.count("\r", done, position)
        line += line_ends - raw.count("\r\n", done, position + 1)
        is_inside_crlf = raw[position - 1 : position + 1] == "\r\n"
        is_behind_line = raw[position - 1 : position] in ("\n", "\r") and not is_inside_crlf
        counts[position] = offset, line, line - 1 if is_behind_line else line
        done = position
    return counts
