"""A string edit × a text → the spans that it changes.

The first replacer that finds anything decides. Without `replace_all` no span is returned that was not its only one.
"""

from __future__ import annotations

from ..core.dialect import STANDARD
from ..core.patch import Hunk
from ..core.value import Value
from .indentation import UNCLEAR_DEPTH, split_indent
from .limits import MOST_PLACES
from .place import Place
from .placement import Candidates, Refusal, Situation
from .readings import merged_lines
from .refusals import refuse_candidate, refuse_place
from .replacers import REPLACERS, TextPlace, whole_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..core.text import Text
    from .readings import EditReading

#: Seconds that the refusals of hunks may look around; their work is counted, this stands behind it.
SECONDS = 5.0


class EditPlaces(Value):
    """Which replacer decided, how the edit was read, and the spans in order, none overlapping."""

    replacer: str
    wanted: EditReading
    spans: list[TextPlace]


def locate_edit(text: Text, wanted: EditReading, *, replace_all: bool) -> EditPlaces | Refusal:
    """Where the edit goes, or why nowhere."""
    found = _find(text, wanted, replace_all=replace_all)
    if found is None:
        from .loose import find_loose

        return Refusal("not_found", rule=find_loose(text, wanted.hunk, edit=wanted)[1])
    read, spans = found.wanted, found.spans
    for span in spans:
        if span.place is not None and _is_disproportionate(text, read, span):
            return Refusal("disproportionate", starts=(span.start, max(span.start, span.end - 1)), tier=found.replacer)
    starts = tuple([span.start for span in spans])
    if len(spans) > 1 and read.notes:
        return Refusal("several", starts=starts, text=read.notes[0])
    fits = all(span.fits for span in spans)
    if found.replacer == "escape-normalized" and not fits:
        return Refusal("unclear_escapes", starts=starts[:1])
    cut_short = len(spans) >= MOST_PLACES and found.replacer != "multi-occurrence"
    if len(spans) > 1 and (not replace_all or cut_short or not fits):
        return Refusal("several", starts=starts, tier=found.replacer, cut_short=cut_short)
    if not fits:
        # It has every word, but breaks lines where the edit can't be made: nothing looser is meant.
        return Refusal("not_found")
    apart: list[TextPlace] = []
    for span in spans:
        apart += [span] * (not apart or span.start >= apart[-1].end)
    return _refused(text, found) or found.replace(spans=apart)


def _attempts(text: Text, wanted: EditReading, *, replace_all: bool) -> Iterator[tuple[str, EditReading]]:
    """The replacers, each with a reading of the edit: the literal one first, and what lets lines differ last."""
    strict, loose = tuple(REPLACERS)[:6], tuple(REPLACERS)[6:9]
    yield "multi-occurrence" if replace_all else strict[0], wanted
    if wanted.old.strip():
        yield from ((name, wanted) for name in strict[1:])
        others = [reading for reading in wanted.other_readings(text.body) if reading.old.strip()]
        yield from ((name, reading) for name in strict for reading in others)
        yield from ((name, reading) for name in loose for reading in (wanted, *others))


def _find(text: Text, wanted: EditReading, *, replace_all: bool) -> EditPlaces | None:
    """What the first replacer finds that finds anything."""
    for name, reading in _attempts(text, wanted, replace_all=replace_all):
        spans = REPLACERS[name](text, reading)
        if reading.notes in (("line_numbers",), ("old_corrected",)):
            # What was read line by line can only be whole lines.
            spans = [span for span in spans if _is_whole(text.body, span)]
        if "line_numbers" in reading.notes and len(spans) == 1 == len(wanted.hunk.old):
            from re import match

            # One number may be the text's own, unless the file has the line there.
            spans = spans if match(rf"\s*0*{text.line_number(spans[0].start)}\b", wanted.old) else []
        if spans:
            return EditPlaces(name, reading, spans)
    return None


def _is_whole(body: str, span: TextPlace) -> bool:
    """Whether a span is whole lines."""
    start, end = span.start, span.end
    ends = "\n" in (body[end - 1], body[end : end + 1] or "\n")
    return span.place is not None or (ends and body[start - 1 : start] in ("", "\n"))


def _is_disproportionate(text: Text, wanted: EditReading, span: TextPlace) -> bool:
    """Whether a span is much longer than the old text: a match that took too much."""
    old = wanted.old.strip("\n")
    asked = old.count("\n") + 1
    taken = text.body.count("\n", span.start, span.end) + 1
    too_long = span.end - span.start > max(len(old) + 500, 4 * len(old))
    return taken >= max(asked + 3, 2 * asked) or (asked > 1 and too_long)


def _refused(text: Text, found: EditPlaces) -> Refusal | None:
    """What speaks against the one place, although it is the only one."""
    for span in found.spans:
        if _is_indented_twice(text.body, span):
            return Refusal("indented_twice", starts=(span.start,))
        if span.place is not None and UNCLEAR_DEPTH in span.place.notes:
            return Refusal("several", starts=(span.start,), tier=span.place.tier)
    if len(found.spans) > 1:
        return None
    [span] = found.spans
    if not span.notes and not _is_whole(text.body, span) and found.wanted.old not in span.new:
        # Parts of lines may be replaced by the same lines as others were.
        return None
    place = span.place or _line_place(text.body, span)
    hunk = place.hunk if span.place is None else found.wanted.hunk
    situation, option = Situation(text, (hunk,), STANDARD, SECONDS), Candidates(0, hunk, [place])
    return refuse_candidate(situation, option) or refuse_place(situation, option, place)


def _line_place(body: str, span: TextPlace) -> Place:
    """A part of a text as the place of a hunk: the lines that it is in, and what becomes of them."""
    # A newline that both texts begin or end with is no part of what changes.
    lead = span.new[:1] == "\n" == body[span.start]
    tail = span.new[lead:][-1:] == "\n" == body[span.end - 1]
    start, end, new = span.start + lead, span.end - tail, span.new[lead : len(span.new) - tail]
    top, bottom = whole_lines(body, start, end)
    lines = merged_lines(body[top:bottom].split("\n"), (body[top:start] + new + body[end:bottom]).split("\n"))
    return Place(Hunk(tuple(lines)), top, "exact" if span.notes[:1] in ((), ("escapes",)) else "whitespace")


def _is_indented_twice(body: str, span: TextPlace) -> bool:
    """Whether a new text begins with the indentation before its place: with both, its next line were too shallow."""
    first, *others = span.new.split("\n")
    before = split_indent(first)[0]
    if not before or body[body.rfind("\n", 0, span.start) + 1 : span.start] != before or body[span.start].isspace():
        return False
    follows = next((len(split_indent(line)[0]) for line in others if line.strip()), -1)
    # What a line opens lies deeper than the line.
    opens = first.rstrip().endswith((":", "{", "(", "["))
    return len(before) <= follows < 2 * len(before) + opens
