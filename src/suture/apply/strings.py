"""String edits in memory: find `old`, put `new` there.

`replace` asks the nine replacers in their order and changes the place that was found, never another; `multiedit` does a
list of them, all or none. Both take str or bytes and give back the same, and never touch a file.
"""

from __future__ import annotations

from ..core.patch import Concession
from ..core.problems import PatchRejectedError, Problem
from ..core.string_edits import AppliedEdit, StringEdit
from ..core.text import MAX_SIZE, Text, check_size
from ..core.value import Value
from ..locate import explain_strings
from ..locate.display import STRING, visible
from ..locate.edit_readings import EditReading
from ..locate.strings import Located, locate_edit
from .control_characters import control_character
from .placeholders import placeholder_in
from .positions import Region, Trail, counts, merged, regions, settle, spans_of, written
from .rewrite import Piece

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any, Literal

    from ..core.problems import Code
    from ..core.string_edits import Span
    from ..locate.display import Words


class Replacement(Value):
    """What became of a text: the new text, of the type that was given, and where it differs.

    `spans` are the places in the content that was given, `written` those of the same in `text`; both count characters
    of a str and bytes of bytes. They are worked out when they are asked for. `additions` and `deletions` count lines.
    """

    text: Any
    replacer: str
    concessions: tuple[Concession, ...]
    additions: int
    deletions: int
    _before: Text
    _after: Text
    _regions: Sequence[Region]

    @property
    def spans(self) -> tuple[Span, ...]:
        """Where the old text stood."""
        return spans_of(self._before, [(region.start, region.end) for region in self._regions])

    @property
    def written(self) -> tuple[Span, ...]:
        """Where the new text stands."""
        return spans_of(self._after, written(self._regions))

    def _key(self) -> tuple[object, ...]:
        return (self.text, self.replacer, self.spans, self.written, self.concessions, self.additions, self.deletions)

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, Replacement) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        names = ("text", "replacer", "spans", "written", "concessions", "additions", "deletions")
        fields = ", ".join(f"{name}={value!r}" for name, value in zip(names, self._key(), strict=True))
        return f"Replacement({fields})"


class MultiEdit(Value):
    """What became of a text under a list of edits: the new text, and each edit in the order that they were given."""

    text: Any
    edits: tuple[AppliedEdit, ...]
    additions: int
    deletions: int


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
    max_size: int = MAX_SIZE,
) -> Replacement:
    """Put `new` where `old` stands, and give the new text with where that was.

    `old` must have one place, or `replace_all` changes all of them. An empty `old` fills an empty content. `new` is
    taken as it is, but for the file's own line endings and, where whole lines were found at another depth, its
    indentation.

    Raises:
        PatchRejectedError: `old` has no place or more than one, or `new` can't be written.
    """
    check_size(content, path, max_size)
    text = Text(content, encoding, path)
    settings = _Settings(allow_control=allow_control, allow_placeholders=allow_placeholders)
    done = _Step(text, StringEdit(old, new, replace_all), STRING, settings)
    after = text.with_raw(done.raw)
    additions, deletions = counts(text, after, done.regions)
    made = text.content(done.raw)
    return Replacement(made, done.replacer, done.concessions, additions, deletions, text, after, done.regions)


def multiedit(
    content: str | bytes,
    edits: Iterable[StringEdit | tuple[str, str] | tuple[str, str, bool] | Mapping[str, Any]],
    *,
    against: Literal["result", "original"] = "result",
    encoding: str | None = None,
    path: str = "",
    allow_control: bool = False,
    allow_placeholders: bool = False,
    max_size: int = MAX_SIZE,
) -> MultiEdit:
    """Do a list of string edits, all of them or none.

    Each edit is placed in the result of those before it; with `against="original"` in the content that was given, and
    then no two may change the same characters.

    Raises:
        PatchRejectedError: an edit has no place, more than one, or can't be written; `details` has its `editIndex`.
    """
    check_size(content, path, max_size)
    if against not in ("result", "original"):
        message = f"expected against='result' or 'original'; found {against!r}"
        raise ValueError(message)
    wanted = [_as_edit(edit, number, path) for number, edit in enumerate(edits)]
    if not wanted:
        raise PatchRejectedError(
            [_problem("invalid_arguments", path, "The list of edits is empty.", "Send one or more.")]
        )
    text = original = Text(content, encoding, path)
    settings = _Settings(allow_control=allow_control, allow_placeholders=allow_placeholders)
    steps: list[_Step] = []
    problems: list[Problem] = []
    for number, edit in enumerate(wanted):
        words = STRING
        if len(wanted) > 1:
            words = STRING.replace(subject=f"Edit {number + 1} of {len(wanted)}: oldString")
        try:
            step = _Step(text, edit, words, settings, apart=against == "original")
        except PatchRejectedError as rejected:
            problems += [_indexed(problem, number, steps, against) for problem in rejected.problems]
            if against == "result":
                break
            continue
        steps.append(step)
        if against == "result":
            text = text.with_raw(step.raw)
    if against == "original" and not problems:
        problems = _overlapping(original, steps)
    if problems:
        raise PatchRejectedError(problems)
    if against == "original":
        settle(original, [step.regions for step in steps])
        text = original.with_raw(merged(original, [step.regions for step in steps]))
        trails = Trail.side_by_side([step.regions for step in steps])
    else:
        trails = Trail.one_after_another([step.regions for step in steps])
    made = text.content(text.raw)
    done = [
        AppliedEdit(step.replacer, spans_of(original, trail.before), spans_of(text, trail.after), step.concessions)
        for step, trail in zip(steps, trails, strict=True)
    ]
    additions, deletions = counts(original, text, None)
    return MultiEdit(made, tuple(done), additions, deletions)


class _Settings(Value):
    allow_control: bool
    allow_placeholders: bool


class _Step:
    """One edit done on one text: the regions that it changed, and the raw text that came of it."""

    __slots__ = ("concessions", "raw", "regions", "replacer")

    def __init__(self, text: Text, edit: StringEdit, words: Words, settings: _Settings, *, apart: bool = False) -> None:
        wanted = EditReading(*_plain(text, edit.old, edit.new))
        _check(text, edit, wanted, words, settings)
        if not wanted.old:
            self.replacer = "simple"
            self.concessions: tuple[Concession, ...] = ()
            self.regions = [Region(0, 0, [Piece(0, 0, wanted.new)])]
        else:
            located = locate_edit(text, wanted, words, replace_all=edit.replace_all)
            if isinstance(located, Problem):
                raise PatchRejectedError([located])
            self.replacer = located.replacer
            self.regions = regions(text, located.spans, apart=apart)
            self.concessions = _concessions(located)
        # A character that the file's encoding lacks is the problem of the edit that brings it.
        text.content("".join([piece.new for region in self.regions for piece in region.pieces]))
        if not apart:
            settle(text, [self.regions])
        self.raw = merged(text, [self.regions])
        if self.raw == text.raw:
            file = text.path or "the file"
            message = f"{words.subject} and newString make no difference in {file}: the result is what it has already."
            raise PatchRejectedError([_problem("no_change", text.path, message, "Leave this edit out.")])


def _check(text: Text, edit: StringEdit, wanted: EditReading, words: Words, settings: _Settings) -> None:
    """Refuse an edit that no text could make good.

    Raises:
        PatchRejectedError: it changes nothing, says nothing of where it goes, or brings in what no edit may.
    """
    path, subject = text.path, words.subject
    if edit.old == edit.new:
        message = f"{subject} and newString must be different."
        raise PatchRejectedError([_problem("no_change", path, message, "Say in newString what is to become of it.")])
    if not wanted.old and text.raw:
        message = f"{subject} is empty, which creates a file, and {path or 'the file'} is there and not empty."
        hint = "Name in oldString the text to replace. To replace the whole file, write it anew."
        raise PatchRejectedError([_problem("invalid_arguments", path, message, hint)])
    odd = None if settings.allow_control else control_character(wanted.new, wanted.old, "\t\f\n")
    if odd is not None:
        newer = subject.replace("oldString", "newString")
        message = f"{newer} adds the control character U+{ord(odd):04X} to {path or 'the file'}."
        hint = "Leave it out, or write it as an escape of the file's language."
        problem = _problem("encoding_error", path, message, hint, reason="control_character", character=ord(odd))
        raise PatchRejectedError([problem])
    if not settings.allow_placeholders:
        line = placeholder_in(wanted.new, wanted.old)
        if line is not None:
            raise PatchRejectedError([explain_strings.placeholder(text, line, words)])


def _plain(text: Text, old: str, new: str) -> tuple[str, str]:
    """The two texts with LF for every ending, and without a BOM that a reader copied from the file's beginning.

    A carriage return that only ends the old text is half of an ending, unless the file has such endings.
    """
    if "\r" in old or "\r" in new:
        old, new = (some.replace("\r\n", "\n") for some in (old, new))
        is_half = old.endswith("\r") and "\r" not in old[:-1]
        if not is_half or "\r" in text.raw.replace("\r\n", ""):
            old, new = (some.replace("\r", "\n") for some in (old, new))
    bare = old.removeprefix("\ufeff")
    if text.bom and text.body.startswith(bare.split("\n")[0].rstrip()):
        return bare, new.removeprefix("\ufeff")
    return old, new


def _concessions(located: Located) -> tuple[Concession, ...]:
    names = dict.fromkeys(located.wanted.notes)
    for span in located.spans:
        if span.place is not None and span.place.tier != "exact":
            names[span.place.tier] = None
        names |= dict.fromkeys(span.notes if span.place is None else span.place.notes)
    return tuple([Concession(name) for name in names])


def _as_edit(edit: object, number: int, path: str) -> StringEdit:
    """An edit of a list, in any of the forms that it may have."""
    if isinstance(edit, StringEdit):
        return edit
    fields = edit
    if isinstance(edit, tuple | list):
        fields = dict(zip(("old", "new", "replace_all"), edit, strict=False))
        fields = fields if 2 <= len(edit) <= 3 else None
    if hasattr(fields, "get"):
        names = (("old", "oldString", "old_string"), ("new", "newString", "new_string"), ("replace_all", "replaceAll"))
        old, new, every = (next((fields.get(n) for n in known if fields.get(n) is not None), None) for known in names)
        if isinstance(old, str) and isinstance(new, str) and isinstance(every, bool | None):
            return StringEdit(old, new, bool(every))
    message = f"Edit {number + 1} of the list is no edit: {visible(repr(edit))}."
    hint = "Give each edit an oldString and a newString, and replaceAll where all places are meant."
    raise PatchRejectedError([_problem("invalid_arguments", path, message, hint, editIndex=number)])


def _indexed(problem: Problem, number: int, steps: Sequence[_Step], against: str) -> Problem:
    message = problem.message
    if steps and against == "result" and ("nearest" in problem.details or "lines" in problem.details):
        message += "\nLines are counted as the edits before it leave them."
    return problem.replace(message=message, details={**problem.details, "editIndex": number})


def _overlapping(text: Text, steps: Sequence[_Step]) -> list[Problem]:
    """A problem for each edit that changes what another one changes, where all are made on the original."""
    pieces = sorted(
        (piece.start, piece.end, number)
        for number, step in enumerate(steps)
        for region in step.regions
        for piece in region.pieces
    )
    problems: list[Problem] = []
    last = (-1, -1, -1)
    for piece in pieces:
        start, end, number = piece
        if number != last[2] and (start < last[1] or start == last[0]):
            first, second = sorted((number, last[2]))
            line = text.raw.count("\n", 0, start) + 1
            message = (
                f"Edit {second + 1} of {len(steps)} changes text of {text.path or 'the file'} that edit {first + 1} "
                f"changes too, at line {line}."
            )
            hint = "Make one edit of the two, or apply them one after another."
            details = {"editIndex": second, "otherEditIndex": first, "line": line}
            problems.append(_problem("overlapping_edits", text.path, message, hint, **details))
        if end >= last[1]:
            last = piece
    return problems


def _problem(code: Code, path: str, message: str, hint: str, **details: object) -> Problem:
    return Problem(code, message, path, None, {"path": path, **details}, hint)
