"""One string edit on one text: what `replace` does once and `multiedit` does for each edit of its list.

A step is a value: the ranges of the raw text that the edit covers, and the splices that change something in them. Both
are in order. The new text is computed from them; so are the spans, when somebody asks for them. Of many exact
occurrences a step keeps only the two texts, and finds the ranges again in the text that it was made on.
"""

from __future__ import annotations

from itertools import accumulate, zip_longest

from ..core.patch import Concession
from ..core.problems import PatchRejectedError
from ..core.splices import Splice, splice
from ..core.text import check_growth
from ..core.value import Value
from ..locate.edit_readings import EditReading, lines_of
from ..locate.placement import Refusal
from ..locate.replacers import REPLACERS
from ..locate.strings import locate_edit
from .control_characters import control_character
from .fast_update import is_printable, may_be_there, rests_on_one_line
from .placeholders import is_prose, placeholder_in
from .rewrite import place_splices

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.splices import Range
    from ..core.string_edits import StringEdit
    from ..core.text import Text
    from ..locate.replacers import TextPlace

#: Characters behind a place from which on it takes longer to copy them twice than to search the text again.
LARGE = 1_000_000
#: What is before the first character of a line, or behind the last one.
_EDGES = ("", "\n")
#: What an indentation is made of.
_BLANKS = (" ", "\t")


class EditRules(Value):
    """How an edit is made: what its new text may bring in, and whether lines that it keeps count as changed."""

    allow_control: bool
    allow_placeholders: bool
    allow_syntax_errors: bool
    max_size: int
    #: Whether lines that the new text keeps are left out of the splices, so that another edit may change them.
    spare_kept_lines: bool = False
    #: Whether edits of a list that are applied already are left out.
    skip_applied: bool = False


class EditStep(Value):
    """What one edit changes in the raw text: the ranges that it covers, and for each range the splices inside of it."""

    replacer: str
    concessions: tuple[Concession, ...]
    #: How many ranges there are.
    count: int
    ranges: tuple[Range, ...]
    changes: tuple[Sequence[Splice], ...]
    #: Whether the new text itself says how the last line ends.
    is_literal: bool = False
    #: The old and the new text, if the step is all occurrences of one; without ranges, `with_ranges` has those.
    every: tuple[str, str] | None = None

    @property
    def splices(self) -> list[Splice]:
        """The splices of all ranges."""
        return [one for splices in self.changes for one in splices]

    @property
    def growth(self) -> int:
        """How many characters longer the text gets, at most."""
        if self.every is not None:
            return self.count * (len(self.every[1]) - len(self.every[0]))
        return sum([one.growth for one in self.splices])

    def apply(self, raw: str) -> str:
        """The raw text after the step."""
        if self.every is None:
            return splice(raw, self.splices)
        old, new = self.every
        if not new:
            # Deleted lines leave no empty line behind, and no indentation.
            from re import MULTILINE, escape, sub

            lines = rf"^[ \t]++{escape(old)}" if old[-1] == "\n" else rf"^[ \t]*+{escape(old)}[ \t]*+$\n?"
            raw = sub(lines, "", raw, flags=MULTILINE)
        return raw.replace(old, new)

    def with_ranges(self, text: Text) -> EditStep:
        """The step on the text that it was made on, with its ranges."""
        if self.every is None:
            return self
        places = REPLACERS["multi-occurrence"](text, EditReading(*self.every))
        ranges, changes, _ = _changes(text, places, spare_kept_lines=False)
        return self.replace(ranges=tuple(ranges), changes=tuple(changes), every=None)


def make_step(text: Text, edit: StringEdit, rules: EditRules) -> tuple[EditStep, str]:
    """Find the place of an edit and work out what it changes there, and the raw text after it.

    Raises:
        PatchRejectedError: the edit has no place, more than one, or can't be written.
    """
    reading = EditReading(*_plain(text, edit.old, edit.new))
    _check(text, reading, rules)
    if not reading.old:
        step = EditStep("simple", (), 1, ((0, 0),), ([Splice(0, 0, reading.new)],))
    elif edit.replace_all and not rules.spare_kept_lines and (count := _count_plain(text, reading)) > 1:
        step = EditStep("multi-occurrence", (), count, (), (), is_literal=True, every=(reading.old, reading.new))
    else:
        step = _locate(text, reading, rules, replace_all=edit.replace_all)
    # A character that the file's encoding lacks is the problem of the edit that brings it.
    text.content(step.every[1] if step.every is not None else "".join([one.text for one in step.splices]))
    check_growth(text, step.growth, rules.max_size)
    if not rules.spare_kept_lines:
        [step] = settle(text, [step])
    raw = step.apply(text.raw)
    # Another text in place of every occurrence always makes a difference.
    if raw == text.raw if step.every is None else reading.old == reading.new:
        raise refused("no_difference", text.path)
    return step, raw


def _count_plain(text: Text, reading: EditReading) -> int:
    """How many exact occurrences there are, if each of them becomes the new text whatever is around it; otherwise 0.

    A new text that begins with an indentation may repeat that of a place, and what is deleted may be the end of the
    text or several lines: there, and in a text with other line endings, each place decides.
    """
    old, new, raw = reading.old, reading.new, text.raw
    if raw is not text.body or (new or old)[0].isspace():
        return 0
    if not new and ("\n" in old[:-1] or raw.rstrip(" \t").endswith(old.rstrip(" \t"))):
        return 0
    return raw.count(old)


def _locate(text: Text, reading: EditReading, rules: EditRules, *, replace_all: bool) -> EditStep:
    if not replace_all and not rules.spare_kept_lines and (start := _find_plain(text, reading)) != -1:
        end = start + len(reading.old)
        # `str.replace` copies what follows once, splicing copies it twice.
        every = (reading.old, reading.new) if len(text.raw) - end > LARGE else None
        return EditStep.make("simple", (), 1, ((start, end),), ([Splice.make(start, end, reading.new)],), True, every)
    located = locate_edit(text, reading, replace_all=replace_all)
    if isinstance(located, Refusal):
        from ..explain.refusal_problems import explain_edit

        raise PatchRejectedError([explain_edit(text, reading, located)])
    ranges, changes, notes = _changes(text, located.spans, spare_kept_lines=rules.spare_kept_lines)
    concessions = tuple([Concession(name) for name in dict.fromkeys((*located.wanted.notes, *notes))])
    is_literal = located.spans[-1].place is None and located.spans[-1].new != ""
    return EditStep(located.replacer, concessions, len(ranges), tuple(ranges), tuple(changes), is_literal)


def _find_plain(text: Text, reading: EditReading) -> int:
    """The offset of an old text that occurs once and that no rule can object to; -1 if `locate_edit` has to decide."""
    body, old, new = text.body, reading.old, reading.new
    start = body.find(old)
    # What is absent stays so below, too.
    if not new or text.raw is not body or body.find(old, start + 1) != -1:
        return -1
    end = start + len(old)
    if body[start - 1 : start] not in _EDGES:
        # Part of a line: only an indentation that is there twice, or what the new text has around the old one.
        return -1 if new[0].isspace() or old in new else start
    if (old[-1] == "\n") != (new[-1] == "\n") or (old[-1] != "\n" and body[end : end + 1] not in _EDGES):
        return -1
    lines, others = lines_of(old), lines_of(new)
    first = last = 0
    most = min(len(lines), len(others))
    while first < most and lines[first] == others[first]:
        first += 1
    while last < most - first and lines[-1 - last] == others[-1 - last]:
        last += 1
    lead = "\n".join(["", *lines[:first], ""])
    gone, added, tail = (
        "".join([line + "\n" for line in part])
        for part in (lines[first : len(lines) - last], others[first : len(others) - last], lines[len(lines) - last :])
    )
    if not is_printable(added) or rests_on_one_line(body, lead, gone, added, tail):
        return -1
    is_there = may_be_there(body, start, start + len(lead + gone + tail) - 1, lead, added, tail)
    return -1 if is_there or (added.count("\n") > 2 and new in body) else start


def refused(row: str, path: str, **evidence: object) -> PatchRejectedError:
    """The refusal of a string edit by a row of the table of answers."""
    from ..explain.problem_table import EDIT, Fields

    return PatchRejectedError([Fields(EDIT, path, None, **evidence).problem(row)])


def _check(text: Text, reading: EditReading, rules: EditRules) -> None:
    """Refuse an edit that adds what no edit may, or that fills a file that has something in it."""
    path = text.path
    if not reading.old and text.raw:
        raise refused("not_empty", path)
    character = None if rules.allow_control else control_character(reading.new, reading.old, "\t\f\n")
    if character is not None:
        raise refused("control_character", path, character=ord(character))
    line = None if rules.allow_placeholders else placeholder_in(reading.new, reading.old)
    if line is not None and not (is_prose(path) and text.body.count(reading.old) == 1):
        from ..explain.message_lines import visible

        raise refused("placeholder", path, shown=visible(line))


def _plain(text: Text, old: str, new: str) -> tuple[str, str]:
    """Both texts with LF for every ending, and without a BOM that was copied from the beginning of the file.

    A carriage return only at the end of the old text is half of an ending, unless the file has such endings.
    """
    if "\r" in old or "\r" in new:
        old, new = (some.replace("\r\n", "\n") for some in (old, new))
        if old.endswith("\r") and "\r" not in old[:-1] + text.raw.replace("\r\n", ""):
            new = new.removesuffix("\r")
        else:
            old, new = (some.replace("\r", "\n") for some in (old, new))
    bare = old.removeprefix("\ufeff")
    if text.bom and text.body.startswith(bare.split("\n")[0].rstrip()):
        return bare, new.removeprefix("\ufeff")
    return old, new


def _changes(
    text: Text, places: Sequence[TextPlace], *, spare_kept_lines: bool
) -> tuple[list[Range], list[Sequence[Splice]], list[str]]:
    """The ranges that the places of an edit cover, their splices, and the names of what was conceded."""
    ranges: list[Range] = []
    changes: list[Sequence[Splice]] = []
    notes: list[str] = []
    body, size = text.body, len(text.raw)
    for found, following in zip_longest(places, places[1:]):
        if found.place is not None:
            splices, fitting = place_splices(text, found.place)
            notes += found.place.concession_names + fitting
            # A last line without a newline counts as if it had one: there the splices end with the text.
            changes.append([_closed(one, size, text.newline) if one.end > size else one for one in splices])
            end = text.raw_position(min(found.end + 1, len(body)))
            ranges.append((text.raw_offset(found.place.start), end))
            continue
        notes += found.notes
        start, end = found.start, found.end
        if not found.new:
            start, end = _with_blanks(body, start, end)
            if _covers_lines(body, start, end) and (following is None or end < following.start):
                # Deleted lines leave no empty line behind: the newline goes too.
                end = min(end + 1, len(body))
        changes.append(_literal_splices(text, start, end, found.new, spare_kept_lines=spare_kept_lines))
        ranges.append((text.raw_position(start), text.raw_position(end)))
    return ranges, changes, notes


def _with_blanks(body: str, start: int, end: int) -> tuple[int, int]:
    """A range to delete, with the blanks beside it if nothing else shares its lines: no indentation stays behind."""
    if not body[start:end].strip():
        return start, end
    first, last = start, end
    if body[start] != "\n":
        while body[first - 1 : first] in _BLANKS:
            first -= 1
        if body[first - 1 : first] not in _EDGES:
            return start, end
    if body[end - 1] != "\n":
        while body[last : last + 1] in _BLANKS:
            last += 1
        if body[last : last + 1] not in _EDGES:
            return start, end
    return first, last


def _closed(one: Splice, size: int, newline: str) -> Splice:
    """A splice that reaches behind a last line without a newline: it ends with the text, and so without one."""
    return Splice(min(one.start, size), size, newline * (one.start > size) + one.text.removesuffix(newline))


def _covers_lines(body: str, start: int, end: int) -> bool:
    """Whether a range is whole lines without the newline of the last one."""
    return body[start - 1 : start] in _EDGES and body[end : end + 1] in _EDGES and body[end - 1] != "\n"


def _literal_splices(text: Text, start: int, end: int, new: str, *, spare_kept_lines: bool) -> list[Splice]:
    """A new text for the characters from `start` up to `end` of the body, with the file's line endings.

    Lines that the new text keeps also keep their own endings.
    """
    body = text.body
    if text.raw is body and not spare_kept_lines:
        return [Splice(start, end, new)]
    from ..core.line_diff import changed_blocks, split_lines

    lines, new_lines = split_lines(body[start:end]), split_lines(new)
    offsets = [text.raw_position(offset) for offset in accumulate(map(len, lines), initial=start)]
    return [
        Splice(offsets[a], offsets[b], "".join(new_lines[c:d]).replace("\n", text.newline))
        for a, b, c, d in changed_blocks(lines, new_lines)
    ]


def settle(text: Text, steps: Sequence[EditStep]) -> list[EditStep]:
    """Steps that delete the last lines of a text without a final newline leave it without one.

    The newline before the deleted lines becomes part of the first splice among them.
    """
    raw = text.raw
    if raw[-1:] in ("", "\n", "\r"):
        return list(steps)
    pairs = [(one, step) for step in steps for one in step.splices]
    start = len(raw)
    deleted: list[Splice] = []
    for one, step in sorted(pairs, key=lambda pair: (pair[0].start, pair[0].end), reverse=True):
        if one.end == start and deleted and one.text.endswith(text.newline):
            # The line before them was written by another edit.
            shorter = one.replace(text=one.text.removesuffix(text.newline))
            return [_with_splice(step, one, shorter) for step in steps]
        if one.end != start or one.text or step.is_literal:
            break
        start = one.start
        deleted.append(one)
    if raw[start - 1 : start] not in ("\n", "\r"):
        return list(steps)
    first = deleted[-1]
    longer = first.replace(start=start - (2 if raw[:start].endswith("\r\n") else 1))
    return [_with_splice(step, first, longer) for step in steps]


def _with_splice(step: EditStep, one: Splice, other: Splice) -> EditStep:
    """The step with a splice exchanged for another; a range that begins with it follows."""
    ranges, changes = list(step.ranges), list(step.changes)
    for number, splices in enumerate(changes):
        if any(each is one for each in splices):
            changes[number] = [other if each is one else each for each in splices]
            ranges[number] = min(ranges[number][0], other.start), ranges[number][1]
    return step.replace(ranges=tuple(ranges), changes=tuple(changes))
