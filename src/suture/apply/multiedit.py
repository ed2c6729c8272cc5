"""A list of string edits in memory, all of them or none.

Each edit is placed in the result of the edits before it, or all in the content that was given. Only the first and the
last text are kept; the texts between are not, and spans are computed when they are asked for.
"""

from __future__ import annotations

from ..core.interface_names import interface_names
from ..core.patch import Concession
from ..core.problems import PatchRejectedError
from ..core.splices import in_order, splice
from ..core.string_edits import StringEdit
from ..core.text import MAX_SIZE, Text, check_growth, check_size
from ..core.value import Value
from ..explain.message_lines import string_words, visible
from .edit_step import EditRules, EditStep, check_difference, make_step, refused, settle
from .spans import applied_edits, count_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any, ClassVar, Literal

    from ..core.problems import Problem
    from ..core.string_edits import AppliedEdit

    Against = Literal["result", "original"]


class MultiEdit(Value):
    """The result of `multiedit`: the new text, of the type that was given, and each edit in the order of the list.

    `edits` and the counts of lines, `additions` and `deletions`, are computed when they are asked for.
    """

    text: Any
    _before: Text
    _after: Text
    _steps: tuple[EditStep, ...]
    _against: Against

    _public: ClassVar = ("text", "edits", "additions", "deletions")

    @property
    def edits(self) -> tuple[AppliedEdit, ...]:
        """Where each edit went. If there are more than 10,000 places, each edit has one span: the whole text."""
        return applied_edits(self._before, self._after, self._steps, on_original=self._against == "original")

    @property
    def additions(self) -> int:
        """How many lines were added."""
        return count_lines(self._before, self._after)[0]

    @property
    def deletions(self) -> int:
        """How many lines were deleted."""
        return count_lines(self._before, self._after)[1]


def multiedit(
    content: str | bytes,
    edits: Iterable[StringEdit | tuple[str, str] | tuple[str, str, bool] | Mapping[str, Any]],
    *,
    against: Against = "result",
    encoding: str | None = None,
    path: str = "",
    allow_control: bool = False,
    allow_placeholders: bool = False,
    allow_syntax_errors: bool = False,
    skip_applied: bool = False,
    max_size: int = MAX_SIZE,
) -> MultiEdit:
    """Make a list of string edits, all of them or none.

    Each edit is placed in the result of the edits before it; with `against="original"` in the content that was given,
    and then no two edits may change the same characters. `skip_applied` skips edits that are applied already; they
    have no spans and the concession `already_applied`.

    Raises:
        PatchRejectedError: an edit has no place, more than one, or can't be written; `details` has its `editIndex`.
    """
    check_size(content, path, max_size)
    if against not in ("result", "original"):
        message = f"expected against='result' or 'original'; found {against!r}"
        raise ValueError(message)
    listed = read_edits(edits, path)
    before = Text(content, encoding, path)
    rules = EditRules(
        allow_control, allow_placeholders, max_size, string_words(), spare_kept_lines=against == "original"
    )
    if against == "original":
        steps, after = _on_original(before, listed, rules, skip_applied=skip_applied)
    else:
        steps, after = _one_after_another(before, listed, rules, skip_applied=skip_applied)
    loose = [number for number, step in enumerate(steps) if step.concessions and step.count]
    if loose and path and not allow_syntax_errors:
        from .syntax_check import check_syntax

        subject = _numbered(rules, loose[0], len(listed)).words.subject
        found_by = [steps[number].replacer for number in loose]
        check_syntax(before, after, "invalid_arguments", subject, found_by, editIndex=loose[0])
    return MultiEdit(before.content(after.raw), before, after, tuple(steps), against)


def read_edits(edits: Iterable[object], path: str = "") -> list[StringEdit]:
    """The edits of a list as values.

    Raises:
        PatchRejectedError: there are none, one of them is not an edit, or one can't change anything.
    """
    listed = [_as_edit(edit, number, path) for number, edit in enumerate(edits)]
    if not listed:
        raise refused("invalid_arguments", path, "The list of edits is empty.", "Add at least one edit.")
    for number, edit in enumerate(listed):
        prefix = f"Edit {number + 1} of {len(listed)}: " if len(listed) > 1 else ""
        try:
            check_difference(edit, path, string_words(prefix))
        except PatchRejectedError as rejected:
            raise PatchRejectedError([_indexed(problem, number) for problem in rejected.problems]) from None
    return listed


def _is_applied(rejected: PatchRejectedError) -> bool:
    return all(problem.details.get("reason") == "already_applied" for problem in rejected.problems)


#: The step of an edit that is applied already.
_SKIPPED = EditStep("simple", (Concession("already_applied"),), 0, (), ())


def _one_after_another(
    text: Text, edits: Sequence[StringEdit], rules: EditRules, *, skip_applied: bool
) -> tuple[list[EditStep], Text]:
    steps: list[EditStep] = []
    for number, edit in enumerate(edits):
        try:
            step, raw = make_step(text, edit, _numbered(rules, number, len(edits)))
        except PatchRejectedError as rejected:
            if skip_applied and _is_applied(rejected):
                steps.append(_SKIPPED)
                continue
            note = "\nLine numbers are those after the edits before it." if steps else ""
            raise PatchRejectedError([_indexed(problem, number, note) for problem in rejected.problems]) from None
        steps.append(step)
        text = text.with_raw(raw)
    return steps, text


def _on_original(
    text: Text, edits: Sequence[StringEdit], rules: EditRules, *, skip_applied: bool
) -> tuple[list[EditStep], Text]:
    steps: list[EditStep] = []
    problems: list[Problem] = []
    for number, edit in enumerate(edits):
        try:
            steps.append(make_step(text, edit, _numbered(rules, number, len(edits)))[0])
        except PatchRejectedError as rejected:
            if skip_applied and _is_applied(rejected):
                steps.append(_SKIPPED)
                continue
            problems += [_indexed(problem, number) for problem in rejected.problems]
    problems = problems or _overlaps(text, steps)
    if problems:
        raise PatchRejectedError(problems)
    steps = settle(text, steps)
    check_growth(text, sum([step.growth for step in steps]), rules.max_size)
    return steps, text.with_raw(splice(text.raw, in_order([one for step in steps for one in step.splices])))


def _numbered(rules: EditRules, number: int, count: int) -> EditRules:
    """The rules for one edit of a list, whose messages name the edit."""
    if count == 1:
        return rules
    return rules.replace(words=string_words(f"Edit {number + 1} of {count}: "))


def _as_edit(edit: object, number: int, path: str) -> StringEdit:
    """An edit of a list, in any of the forms that it may have."""
    if isinstance(edit, StringEdit):
        return edit
    fields = edit
    if isinstance(edit, tuple | list):
        fields = dict(zip(("old", "new", "replace_all"), edit, strict=False)) if 2 <= len(edit) <= 3 else None
    if hasattr(fields, "get"):
        names = (("old", "oldString", "old_string"), ("new", "newString", "new_string"), ("replace_all", "replaceAll"))
        old, new, every = (next((fields.get(n) for n in known if fields.get(n) is not None), None) for known in names)
        if isinstance(old, str) and isinstance(new, str) and isinstance(every, bool | None):
            return StringEdit(old, new, bool(every))
    message = f"Edit {number + 1} of the list is not an edit: {visible(repr(edit))}."
    words = interface_names()
    hint = f"Give each edit {words.old} and {words.new}; {words.every} to change every occurrence."
    raise refused("invalid_arguments", path, message, hint, editIndex=number)


def _indexed(problem: Problem, number: int, note: str = "") -> Problem:
    """The problem of one edit of a list, with its index; the note follows if the message has line numbers."""
    has_lines = "nearest" in problem.details or "lines" in problem.details
    message = problem.message + note if has_lines else problem.message
    return problem.replace(message=message, details={**problem.details, "editIndex": number})


def _overlaps(text: Text, steps: Sequence[EditStep]) -> list[Problem]:
    """A problem for each edit that changes what another edit of the original changes."""
    owned = sorted((one.start, one.end, number) for number, step in enumerate(steps) for one in step.splices)
    problems: list[Problem] = []
    last = (-1, -1, -1)
    for start, end, number in owned:
        if number != last[2] and (start < last[1] or start == last[0]):
            first, second = sorted((number, last[2]))
            line = text.raw.count("\n", 0, start) + 1
            message = (
                f"Edit {second + 1} of {len(steps)} changes text of {text.path or 'the file'} that edit {first + 1} "
                f"changes too, at line {line}."
            )
            hint = "Merge the two edits into one, or apply them one after the other."
            details = {"editIndex": second, "otherEditIndex": first, "line": line}
            problems += refused("overlapping_edits", text.path, message, hint, **details).problems
        if end >= last[1]:
            last = start, end, number
    return problems
