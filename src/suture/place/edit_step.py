"""One string edit on one text: what `replace` does once and `multiedit` does for each edit of its list.

A step is a value: a splice of the raw text for each place of the edit, in order.
"""

from __future__ import annotations

import re
from itertools import accumulate

from ..core.control_characters import control_character
from ..core.line_diff import changed_blocks, split_lines
from ..core.patch import Concession
from ..core.problems import PatchRejectedError
from ..core.splices import Splice, splice
from ..core.text import BOM, Text, check_growth
from ..core.value import Value
from ..words.bad_edit import ControlCharacter, NoDifference, NotEmpty, Placeholder
from ..words.edit_phrases import Subject
from .byte_order_mark import without_own_bom
from .edit_claims import check_count, check_lines_of_all, claimed_start
from .fast_update import is_printable, rests_on_one_line
from .indentation import fit_place
from .limits import CHARACTERS_PER_PLACE, MOST_SPANS, READS_PER_SEARCH
from .new_text import PROSE, placeholder_in
from .placement import Refusal
from .readings import EditReading, lines_of
from .reflow import whole_lines
from .refusal_causes import edit_problem
from .replacers import EditPlaces, TextPlace, locate_edit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.edit_options import EditOptions
    from ..core.search_budget import SearchBudget
    from ..core.string_edits import StringEdit
    from .place import Place

#: What is before the first character of a line, or behind the last one.
_EDGES = ("", "\n")


class RangeChange(Value):
    """A range of the body, what it becomes, and what was conceded there."""

    start: int
    end: int
    new: str
    notes: tuple[str, ...]
    #: Whether all of its lines go. A blank line that stays is not gone, although nothing is left of it but the newline
    #: before it.
    is_gone: bool


class EditRules(Value):
    """How an edit is made: what its new text may bring in, and where the edits of a list are placed."""

    options: EditOptions
    #: Whether all edits are placed in the original. There, an edit may change lines that another one only keeps.
    on_original: bool = False


class EditStep(Value):
    """What one edit changes in the raw text: a splice for each place, or one for all if they are too many.

    Edits of the original have one for each change, because others may change what is between.
    """

    replacer: str
    concessions: tuple[Concession, ...]
    splices: Sequence[Splice]


def make_step(
    text: Text,
    edit: StringEdit,
    rules: EditRules,
    budget: SearchBudget,
    *,
    brief: bool = False,
    ranges: Sequence[tuple[int, int]] = (),
) -> tuple[EditStep, str]:
    """Find the place of an edit and work out what it changes there, and the raw text after it.

    `brief` is whether a refusal is told without evidence that takes searches. `ranges` are the lines that the edit
    may mean.

    Raises:
        PatchRejectedError: the edit has no place, more than one, or can't be written.
        OutOfBudgetError: the budget is used up.
    """
    budget.spend(len(text.raw) + CHARACTERS_PER_PLACE)
    reading = EditReading(*_plain(text, edit.old, edit.new))
    old, new, raw = reading.old, reading.new, text.raw
    _check(text, old, new, rules, replace_all=edit.replace_all)
    if raw is text.body and old and old != new and not rules.on_original:
        plain = _plain_step(text, edit.replace(old=old, new=new), rules.options.max_size, has_ranges=bool(ranges))
        if plain is not None:
            budget.spend(len(plain[0].splices) * CHARACTERS_PER_PLACE)
            return plain
    if not old:
        step = EditStep("simple", (), [Splice(0, 0, new)])
    else:
        # Where each line of a text with other line endings begins has to be worked out for every result.
        is_cheap = old in text.body and (raw is text.body or rules.on_original)
        budget.spend(len(text.body) * (1 if is_cheap else READS_PER_SEARCH))
        step = _locate(text, reading, edit, rules, brief=brief, ranges=ranges)
    budget.spend(len(step.splices) * CHARACTERS_PER_PLACE)
    check_growth(text, sum([one.growth for one in step.splices]), rules.options.max_size)
    # As in `_plain_step`.
    text.content("".join([one.text for one in step.splices]))
    after = splice(raw, step.splices)
    if after == raw:
        line = raw.count("\n", 0, step.splices[0].start) + 1
        raise PatchRejectedError([NoDifference(Subject("edit", text.path), line).problem()])
    return step, after


def _plain_step(text: Text, edit: StringEdit, max_size: int, *, has_ranges: bool) -> tuple[EditStep, str] | None:
    """The step of an edit whose places need no loose search, and the text after it; None if `_locate` has to decide."""
    if edit.replace_all:
        has_claims = edit.count is not None or has_ranges
        return None if has_claims else _every_plain(text, edit.old, edit.new, max_size)
    start = find_plain(text.raw, edit.old, edit.new)
    if start == -1:
        return None
    change = Splice(start, start + len(edit.old), edit.new)
    check_growth(text, change.growth, max_size)
    # A character that the file's encoding lacks is the problem of the edit that brings it.
    text.content(edit.new)
    return EditStep("simple", (), [change]), splice(text.raw, [change])


def _plain(text: Text, old: str, new: str) -> tuple[str, str]:
    """Both texts with LF for every ending, and without a BOM that only the new one has and the file has already.

    A carriage return only at the end of the old text is half of an ending, unless the file has such endings.
    """
    if "\r" in old or "\r" in new:
        old, new = old.replace("\r\n", "\n"), new.replace("\r\n", "\n")
        is_half_ending = old.endswith("\r") and "\r" not in old[:-1] + text.raw.replace("\r\n", "")
        if is_half_ending:
            new = new.removesuffix("\r")
        else:
            old, new = old.replace("\r", "\n"), new.replace("\r", "\n")
    if new.startswith(BOM) and not old.startswith(BOM):
        new = without_own_bom(text, old, new)
    return old, new


def _check(text: Text, old: str, new: str, rules: EditRules, *, replace_all: bool) -> None:
    """Refuse an edit that adds what no edit may, or that fills a file that has something in it."""
    subject = Subject("edit", text.path)
    if not old and text.raw:
        raise PatchRejectedError([NotEmpty(subject).problem()])
    character = None if rules.options.allow_control else control_character(new, old, "\t\f\n")
    if character is not None:
        raise PatchRejectedError([ControlCharacter(subject, ord(character)).problem()])
    if rules.options.allow_placeholders:
        return
    placeholder = placeholder_in(new, old)
    if placeholder is None:
        return
    # Prose may speak of code that was left out.
    is_prose = text.path.lower().endswith(PROSE)
    has_one_place = not replace_all or text.body.count(old) == 1
    if not is_prose or not has_one_place:
        raise PatchRejectedError([Placeholder(subject, placeholder).problem()])


def _every_plain(text: Text, old: str, new: str, max_size: int) -> tuple[EditStep, str] | None:
    """The step of several exact occurrences, if each becomes the new text whatever is around it; otherwise None.

    A new text that begins with an indentation may repeat that of a place, and what is deleted may be whole lines or
    the end of the file.
    """
    raw, size, count = text.raw, len(old), text.raw.count(old)
    if count < 2 or (new or old)[0].isspace():
        return None
    if not new and _deletes_lines(raw, old):
        return None
    check_growth(text, count * (len(new) - size), max_size)
    text.content(new)
    after = raw.replace(old, new)
    if count > MOST_SPANS:
        return EditStep("multi-occurrence", (), [Splice(0, len(raw), after)]), after
    splices: list[Splice] = []
    start = 0
    for between in raw.split(old)[:-1]:
        start += len(between)
        splices.append(Splice(start, start + size, new))
        start += size
    return EditStep("multi-occurrence", (), splices), after


def _deletes_lines(raw: str, old: str) -> bool:
    """Whether a text, where it is deleted, may be whole lines but for the blanks beside it, or the end of the file."""
    if old[-1] == "\n":
        return re.search(rf"^[ \t]++{re.escape(old)}", raw, re.MULTILINE) is not None
    if raw.endswith(old):
        return True
    return re.search(rf"^[ \t]*+{re.escape(old)}[ \t]*+$", raw, re.MULTILINE) is not None


def find_plain(raw: str, old: str, new: str) -> int:
    """The offset of an old text that occurs once and that no rule can object to; -1 if `locate_edit` has to decide.

    Kept flat because this is what a caller waits for; a property test compares it with the slow way.
    """
    if not old or not new or not is_printable(new):
        return -1
    start = raw.find(old)
    if start == -1 or raw.find(old, start + 1) != -1:
        return -1
    core = old.strip("\n")
    if core in new and new.rstrip("\n") in raw and (old in new or core != new.strip("\n")):
        # It may be at that very place already.
        return -1
    if raw[start - 1 : start] not in _EDGES:
        # Part of a line: only an indentation that is there twice, or what the new text has around the old one.
        return -1 if new[0].isspace() or old in new else start
    end = start + len(old)
    if (old[-1] == "\n") != (new[-1] == "\n") or (old[-1] != "\n" and raw[end : end + 1] not in _EDGES):
        return -1
    old_lines, new_lines = lines_of(old), lines_of(new)
    # How many lines the two texts have in common at their start and at their end.
    head = tail = 0
    most = min(len(old_lines), len(new_lines))
    while head < most and old_lines[head] == new_lines[head]:
        head += 1
    while tail < most - head and old_lines[-1 - tail] == new_lines[-1 - tail]:
        tail += 1
    has_context_around = head > 0 and tail > 0
    is_deletion = head + tail == len(new_lines)
    if has_context_around or is_deletion:
        # Neither rests on one line.
        return start
    old_end, new_end = len(old_lines) - tail, len(new_lines) - tail
    context_above = "\n" + _joined(old_lines[:head])
    removed, added = _joined(old_lines[head:old_end]), _joined(new_lines[head:new_end])
    return -1 if rests_on_one_line(raw, context_above, removed, added, _joined(old_lines[old_end:])) else start


def _joined(lines: Sequence[str]) -> str:
    """Lines as a text in which each ends in a newline."""
    return "".join([line + "\n" for line in lines])


def _locate(
    text: Text,
    reading: EditReading,
    edit: StringEdit,
    rules: EditRules,
    *,
    brief: bool,
    ranges: Sequence[tuple[int, int]],
) -> EditStep:
    """The step of an edit whose places are searched with all replacers.

    Raises:
        PatchRejectedError: it has no place, more than one, or not those that it claims.
    """
    located = locate_edit(text, reading, replace_all=edit.replace_all)
    if isinstance(located, Refusal) and located.kind == "several" and ranges:
        located = _claimed(text, reading, ranges) or located
    if isinstance(located, Refusal):
        raise PatchRejectedError([edit_problem(text, reading, located, brief=brief)])
    if edit.count is not None:
        check_count(text, edit.count, [place.start for place in located.spans])
    if edit.replace_all and ranges:
        check_lines_of_all(text, [(place.start, place.end) for place in located.spans], ranges)
    changes = _changes_of(text.body, located.spans)
    splices: list[Splice] = []
    for span, change in zip(located.spans, changes, strict=True):
        # A new text that replaces the end of the file says itself how that ends.
        if rules.on_original and span.end < len(text.body):
            splices += _differences(text, change.start, change.end, change.new)
        else:
            splices.append(_whole_range(text, change.start, change.end, change.new))
    if changes[-1].is_gone and not rules.on_original:
        splices = settle(text, splices)
    if not splices:
        # The place of an edit that makes no difference.
        at = text.raw_position(located.spans[0].start)
        splices.append(Splice(at, at, ""))
    notes = list(located.edit.notes)
    for change in changes:
        notes += change.notes
    return EditStep(located.replacer, tuple([Concession(name) for name in dict.fromkeys(notes)]), splices)


def _changes_of(body: str, spans: Sequence[TextPlace]) -> list[RangeChange]:
    """What each place of an edit becomes. No change goes on into the next place."""
    next_starts = [*[span.start for span in spans[1:]], len(body)]
    changes: list[RangeChange] = []
    for span, next_start in zip(spans, next_starts, strict=True):
        change = _change_of_text(body, span) if span.place is None else _change_of_lines(body, span, span.place)
        changes.append(change.replace(end=min(change.end, next_start)))
    return changes


def _claimed(text: Text, reading: EditReading, ranges: Sequence[tuple[int, int]]) -> EditPlaces | None:
    """The exact occurrence that a range of lines chooses."""
    start = claimed_start(text, reading.old, ranges)
    if start < 0:
        return None
    place = TextPlace(start, start + len(reading.old), reading.new, ("line_hint",))
    return EditPlaces("simple", reading, [place])


def _change_of_lines(body: str, span: TextPlace, place: Place) -> RangeChange:
    """What a place of whole lines becomes. A last line without a newline counts as if it had one."""
    if not place.fitted:
        place = fit_place(place, body, as_hunk=True)
    start, end = span.start, min(span.end + 1, len(body))
    lines = body[start:end]
    is_open = body[end - 1] != "\n"
    if is_open:
        lines += "\n"
    new = splice(lines, [Splice(one.start - start, one.end - start, one.text) for one in place.splices(body)])
    written = new.removesuffix("\n") if is_open else new
    return RangeChange(start, end, written, place.concession_names, is_gone=not new)


def _change_of_text(body: str, span: TextPlace) -> RangeChange:
    """What a place of any text becomes. One that is deleted may go with its lines."""
    if span.new:
        return RangeChange(span.start, span.end, span.new, span.notes, is_gone=False)
    start, end = _with_lines(body, span.start, span.end)
    return RangeChange(start, end, "", span.notes, is_gone=True)


def _with_lines(body: str, start: int, end: int) -> tuple[int, int]:
    """A range to delete: if nothing else shares its lines, with the blanks beside it and the newline behind it."""
    top, bottom = whole_lines(body, start, end)
    if body[start] == "\n":
        top = start
    ends_line = body[end - 1] == "\n"
    if ends_line:
        bottom = end
    beside = body[top:start] + body[end:bottom]
    shares_lines = bool(beside.strip(" \t"))
    is_blank_among_blanks = bool(beside) and body[start:end].isspace()
    if shares_lines or is_blank_among_blanks:
        return start, end
    is_at_line_start = body[top - 1 : top] in _EDGES
    if is_at_line_start and not ends_line:
        # The newline behind it goes, too.
        bottom += 1
    return top, bottom


def _whole_range(text: Text, start: int, end: int, new: str) -> Splice:
    """A new text for a range of the body as one splice of the raw text. Lines that stay keep their line endings."""
    if text.raw is text.body:
        return Splice(start, end, new)
    low, high = text.raw_position(start), text.raw_position(end)
    inside = [one.replace(start=one.start - low, end=one.end - low) for one in _differences(text, start, end, new)]
    return Splice(low, high, splice(text.raw[low:high], inside))


def _differences(text: Text, start: int, end: int, new: str) -> list[Splice]:
    """A splice of the raw text for each block of lines in which a range of the body differs from its new text.

    New lines get the file's line endings.
    """
    lines, new_lines = split_lines(text.body[start:end]), split_lines(new)
    offsets = [text.raw_position(offset) for offset in accumulate(map(len, lines), initial=start)]
    splices: list[Splice] = []
    for first, behind, new_first, new_behind in changed_blocks(lines, new_lines):
        written = "".join(new_lines[new_first:new_behind]).replace("\n", text.newline)
        splices.append(Splice(offsets[first], offsets[behind], written))
    return splices


def settle(text: Text, splices: Sequence[Splice]) -> list[Splice]:
    """Splices that delete the last lines of a text without a final newline leave it without one.

    The newline before the deleted lines goes with the first of them, or from the text that another splice put there.
    """
    raw, settled = text.raw, list(splices)
    if raw.endswith(("\n", "\r")):
        return settled
    # The splices from `first` on delete everything from `start` to the end.
    first, start = len(splices), len(raw)
    while first > 0 and splices[first - 1].end == start and not splices[first - 1].text:
        first -= 1
        start = splices[first].start
    deletes_end = first < len(splices)
    if not deletes_end:
        return settled
    before = splices[first - 1] if first > 0 else None
    if before is not None and before.end == start:
        settled[first - 1] = before.replace(text=before.text.removesuffix(text.newline))
    elif raw[:start].endswith("\r\n"):
        settled[first] = splices[first].replace(start=start - 2)
    elif raw[start - 1 : start] in ("\n", "\r"):
        settled[first] = splices[first].replace(start=start - 1)
    return settled
