"""String edits in memory, one or a list of them: find the old text, put the new text there.

Each edit of a list is placed in the result of the edits before it, or all in the content that was given; all are made,
or none. Both functions take str or bytes, return the same type, and never touch a file. Only the first and the last
text are kept, and where they differ is computed when somebody asks.
"""

from __future__ import annotations

from ..core.patch import Concession
from ..core.problems import PatchRejectedError
from ..core.splices import in_order, splice
from ..core.string_edits import StringEdit
from ..core.text import MAX_SIZE, Text, check_growth, check_size
from ..core.value import Value
from .edit_step import EditRules, EditStep, make_step, refused, settle
from .spans import applied_edits, count_lines, spans_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any, ClassVar, Literal

    from ..core.problems import Problem
    from ..core.string_edits import AppliedEdit, Span

    Against = Literal["result", "original"]

#: The step of an edit that is applied already.
_SKIPPED = EditStep("simple", (Concession("already_applied"),), 0, (), ())


class MultiEdit(Value):
    """The result of `multiedit`: the new text, of the type that was given, and each edit in the order of the list.

    `edits` and the counts of lines, `additions` and `deletions`, are computed when they are asked for.
    """

    text: Any
    _before: Text
    _after: Text
    _steps: Sequence[EditStep]
    _on_original: bool = False

    _public: ClassVar[tuple[str, ...]] = ("text", "edits", "additions", "deletions")

    @property
    def edits(self) -> tuple[AppliedEdit, ...]:
        """Where each edit went. If there are more than 10,000 places, each edit has one span: the whole text."""
        return applied_edits(self._before, self._after, self._steps, on_original=self._on_original)

    @property
    def additions(self) -> int:
        """How many lines were added."""
        return count_lines(self._before, self._after)[0]

    @property
    def deletions(self) -> int:
        """How many lines were deleted."""
        return count_lines(self._before, self._after)[1]


class Replacement(MultiEdit):
    """The result of `replace`: the new text, of the type that was given, and where it differs.

    `spans` are the places in the content that was given, `written` the same places in `text`; both count characters of
    a str and bytes of bytes. `additions` and `deletions` count lines. All of these are computed when they are asked
    for.
    """

    _public: ClassVar = ("text", "replacer", "spans", "written", "concessions", "additions", "deletions")

    @property
    def replacer(self) -> str:
        """The replacer that found the old text."""
        return self._steps[0].replacer

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
        return self._steps[0].concessions


def replace(
    content: str | bytes,
    old: str,
    new: str,
    replace_all: bool = False,
    *,
    encoding: str | None = None,
    path: str = "",
    allow_control: bool = False,
    allow_placeholders: bool = False,
    allow_syntax_errors: bool = False,
    max_size: int = MAX_SIZE,
) -> Replacement:
    """Put `new` where `old` is, and return the new text with where that was.

    `old` must have exactly one place, unless `replace_all` is set, which changes all of them. An empty `old` fills an
    empty content. `new` is taken as it is, except for the file's own line endings and, where whole lines were found at
    another depth, its indentation.

    Raises:
        PatchRejectedError: `old` has no place or more than one, or `new` can't be written.
    """
    check_size(content, path, max_size)
    before = Text(content, encoding, path)
    rules = EditRules(allow_control, allow_placeholders, allow_syntax_errors, max_size)
    steps, after = _make_steps(before, read_edits([StringEdit(old, new, replace_all)], path), rules)
    return Replacement(before.content(after.raw), before, after, steps)


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
    on_original = against == "original"
    rules = EditRules(allow_control, allow_placeholders, allow_syntax_errors, max_size, on_original, skip_applied)
    steps, after = _make_steps(before, listed, rules)
    return MultiEdit(before.content(after.raw), before, after, steps, on_original)


def read_edits(edits: Iterable[object], path: str = "") -> list[StringEdit]:
    """The edits of a list as values.

    Raises:
        PatchRejectedError: there are none, one of them is not an edit, or one can't change anything.
    """
    listed = [_as_edit(edit, number, path) for number, edit in enumerate(edits)]
    if not listed:
        raise refused("no_edits", path)
    for number, edit in enumerate(listed):
        if edit.old == edit.new:
            raise PatchRejectedError(_numbered(refused("equal_texts", path), number, len(listed)))
    return listed


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
    from ..explain.message_lines import visible

    raise refused("not_an_edit", path, number=number + 1, shown=visible(repr(edit)), editIndex=number)


def _make_steps(text: Text, edits: Sequence[StringEdit], rules: EditRules) -> tuple[Sequence[EditStep], Text]:
    """The step of each edit, and the text after all of them."""
    on_original, before = rules.spare_kept_lines, text
    steps: list[EditStep] = []
    problems: list[Problem] = []
    for number, edit in enumerate(edits):
        try:
            step, raw = make_step(text, edit, rules)
        except PatchRejectedError as rejected:
            if rules.skip_applied and all(one.details.get("reason") == "already_applied" for one in rejected.problems):
                steps.append(_SKIPPED)
                continue
            problems += _numbered(rejected, number, len(edits), is_later=number > 0 and not on_original)
            if not on_original:
                break
        else:
            steps.append(step)
            text = text if on_original else text.with_raw(raw)
    if on_original and not problems:
        problems = _overlaps(text, steps)
    if problems:
        raise PatchRejectedError(problems)
    if on_original:
        steps = settle(text, steps)
        check_growth(text, sum([step.growth for step in steps]), rules.max_size)
        text = text.with_raw(splice(text.raw, in_order([one for step in steps for one in step.splices])))
    loose = [number for number, step in enumerate(steps) if step.concessions and step.count]
    if loose and not rules.allow_syntax_errors:
        from .syntax_check import check_syntax

        try:
            check_syntax(before, text, [steps[number].replacer for number in loose])
        except PatchRejectedError as rejected:
            raise PatchRejectedError(_numbered(rejected, loose[0], len(edits))) from None
    return steps, text


def _numbered(rejected: PatchRejectedError, number: int, count: int, *, is_later: bool = False) -> list[Problem]:
    """The problems of one edit of a list, which name it."""
    from ..explain.refusal_problems import after_others

    prefix = f"Edit {number + 1} of {count}: " if count > 1 else ""
    problems = [after_others(problem, "edit") if is_later else problem for problem in rejected.problems]
    return [
        problem.replace(message=f"{prefix}{problem.message}", details={**problem.details, "editIndex": number})
        for problem in problems
    ]


def _overlaps(text: Text, steps: Sequence[EditStep]) -> list[Problem]:
    """A problem for each edit that changes what another edit of the original changes."""
    from ..explain.message_lines import visible
    from ..locate.arrange import overlaps

    problems: list[Problem] = []
    for refusal in overlaps((one.start, one.end, n) for n, step in enumerate(steps) for one in step.splices):
        line = spans_of(text, [(refusal.starts[0], refusal.starts[0])])[0].first_line
        evidence = {"name": f"Edit {refusal.number + 1} of {len(steps)}", "other": refusal.other + 1, "line": line}
        shown = visible("".join(text.rows[0][line - 1 : line]))
        problems += refused("overlapping", text.path, **evidence, shown=shown, editIndex=refusal.number).problems
    return problems
