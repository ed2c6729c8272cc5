"""A string edit × a text → the spans that it changes, found by nine replacers, which share four searches.

The first replacer that finds anything decides. Without `replace_all` no span is returned that was not its only one.
"""

from __future__ import annotations

from itertools import takewhile

from ..core.dialect import STANDARD
from ..core.patch import Hunk
from ..core.value import Value
from . import limits
from .indentation import UNCLEAR_DEPTH, fit_place, split_indent
from .place import Place
from .placement import Candidates, Refusal, Situation
from .readings import merged_lines
from .reflow import find_words, has_edges, reflow, whole_lines
from .refusals import refuse_candidate, refuse_place
from .rule import first_refusal, rule
from .search import find_block, lines_above, lines_below
from .tiers import is_distinctive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from ..core.text import Text
    from .readings import EditReading

_TRIMMED = ("exact", "trailing", "indent")
_FOLDED = ("exact", "punctuation", "whitespace")


class TextPlace(Value):
    """One place of the old text: offsets in the body, the text that comes there, and how it was found."""

    start: int
    end: int
    new: str = ""
    notes: tuple[str, ...] = ()
    #: Where whole lines were found, it says what changes, not `new`.
    place: Place | None = None
    #: Whether the edit can be made there; if not, it is a place all the same.
    fits: bool = True


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
    cut_short = len(spans) >= limits.MOST_PLACES and found.replacer != "multi-occurrence"
    if len(spans) > 1 and (not replace_all or cut_short or not fits):
        return Refusal("several", starts=starts, tier=found.replacer, cut_short=cut_short)
    if not fits:
        # It has every word, but breaks lines where the edit can't be made: nothing looser is meant.
        return Refusal("not_found")
    apart: list[TextPlace] = []
    for span in spans:
        if not apart or span.start >= apart[-1].end:
            apart.append(span)
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
            return EditPlaces(name, reading, [_apart(text.body, span, reading) for span in spans])
    return None


def _apart(body: str, span: TextPlace, reading: EditReading) -> TextPlace:
    """The place of a loose match without newlines at its ends that the new text lacks: it never joins two lines."""
    is_literal = not reading.notes and not span.notes
    if span.place is not None or is_literal:
        return span
    start, end = span.start, span.end
    if body[start] == "\n" and not span.new.startswith("\n"):
        start += 1
    is_deletion = not span.new and body[start - 1 : start] in ("", "\n")
    if body[end - 1] == "\n" and not span.new.endswith("\n") and not is_deletion:
        end -= 1
    return span.replace(start=start, end=end)


def _is_whole(body: str, span: TextPlace) -> bool:
    """Whether a span is whole lines."""
    ends = "\n" in (body[span.end - 1], body[span.end : span.end + 1] or "\n")
    return span.place is not None or (ends and body[span.start - 1 : span.start] in ("", "\n"))


def _is_disproportionate(text: Text, wanted: EditReading, span: TextPlace) -> bool:
    """Whether a span is much longer than the old text: a match that took too much."""
    old = wanted.old.strip("\n")
    asked = old.count("\n") + 1
    taken = text.body.count("\n", span.start, span.end) + 1
    too_long = span.end - span.start > max(len(old) + 500, 4 * len(old))
    return taken >= max(asked + 3, 2 * asked) or (asked > 1 and too_long)


class ExactPlace(Value):
    """The one exact place of an old text, and the text that would come there."""

    body: str
    start: int
    old: str
    new: str

    def has_new(self, start: int) -> bool:
        """Whether the new text is at an offset, and begins and ends a line where the old text does."""
        body, old, new = self.body, self.old, self.new
        bare = new.rstrip("\n")
        if bare != old.rstrip("\n") and not body.startswith(new, start) and body.rstrip("\n").endswith(bare):
            # At its end, a file may have fewer blank lines than the new text.
            new = bare
        end = start + len(new)
        if start < 0 or not body.startswith(new, start):
            return False
        # The newline beside whole lines is that of another line.
        begins_line, ends_line = (body[at : at + 1] in ("", "\n") for at in (self.start - 1, self.start + len(old)))
        if begins_line and body[start - 1 : start] not in ("", "\n"):
            return False
        is_last = end == len(body) and not new.endswith("\n")
        return old.endswith("\n") or not ends_line or body[end : end + 1] == "\n" or is_last


@rule
def already_written(place: ExactPlace) -> tuple[int, ...]:
    """The new text of a string edit must not be at that very place already, where its old text occurs exactly once."""
    olds = [place.old]
    if place.old.strip("\n") != place.new.strip("\n"):
        # Where more than blank lines changes, those around the old text may be gone.
        olds.append(place.old.strip("\n"))
    for old in filter(None, olds):
        parts = place.new.split(old)
        # A text with several copies of the old one can't be where that occurs once.
        if len(parts) == 2 and place.new != old:
            start = place.start + place.old.index(old) - len(parts[0])
            if place.has_new(start):
                return (start,)
    return ()


#: What forbids the place of an exact string edit.
RULES = (already_written,)


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
    if span.place is None and not span.notes and not found.wanted.notes:
        return _refuse_exact(text, span, found.wanted)
    place = span.place or _line_place(text.body, span.replace(notes=span.notes + found.wanted.notes))
    hunk = place.hunk if span.place is None else found.wanted.hunk
    situation, option = Situation(text, (hunk,), STANDARD, 0.0), Candidates(0, hunk, [place])
    return refuse_candidate(situation, option) or refuse_place(situation, option, place)


def _refuse_exact(text: Text, span: TextPlace, wanted: EditReading) -> Refusal | None:
    """What speaks against a place that has the old text exactly: that new lines elsewhere are alike is not enough."""
    refusal = first_refusal(RULES, ExactPlace(text.body, span.start, wanted.old, span.new))
    if refusal is not None:
        return Refusal("already_applied", starts=refusal[1], rule=refusal[0].name)
    if not _is_whole(text.body, span) and wanted.old not in span.new:
        # Parts of lines may be replaced by the same lines as others were.
        return None
    place = _line_place(text.body, span)
    return refuse_candidate(Situation(text, (place.hunk,), STANDARD, 0.0), Candidates(0, place.hunk, [place]))


def _line_place(body: str, span: TextPlace) -> Place:
    """A part of a text as the place of a hunk: the lines that it is in, and what becomes of them."""
    # A newline that both texts begin or end with is no part of what changes.
    lead = span.new[:1] == "\n" == body[span.start]
    tail = span.new[lead:][-1:] == "\n" == body[span.end - 1]
    start, end, new = span.start + lead, span.end - tail, span.new[lead : len(span.new) - tail]
    top, bottom = whole_lines(body, start, end)
    lines = merged_lines(body[top:bottom].split("\n"), (body[top:start] + new + body[end:bottom]).split("\n"))
    tier = "exact" if span.notes[:1] in ((), ("escapes",)) else "whitespace"
    return Place(Hunk(tuple(lines)), top, tier, span.notes)


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


def _escaped(text: Text, wanted: EditReading) -> list[TextPlace]:
    """The old text with escapes undone, or made; in the new text those that made the match are undone too."""
    from .escapes import decode, decode_new, decode_notes, text_ways

    for way in text_ways(wanted.old):
        old = decode(wanted.old, way)
        if old.strip() and old in text.body:
            new = decode_new(wanted.new, wanted.old, way)
            return _find_text(text, old, new, ("escapes", *decode_notes(wanted.new, new, way)))
    return []


def _trimmed(text: Text, wanted: EditReading) -> list[TextPlace]:
    """The old text without its blank ends: whole lines, or a part that begins and ends lines where that does."""
    old, bare = wanted.old, wanted.old.strip()
    if bare == old or not is_distinctive(bare) or _adds_beyond_blank_end(wanted.hunk):
        return []
    if found := _find_lines(text, wanted.without_blank_ends(), _TRIMMED, ("trimmed",)):
        return [one for one in found if _keeps_blank_ends(text.body, wanted.hunk, one)]
    found = _find_text(text, bare, wanted.new.strip(), ("trimmed",))
    return [one for one in found if has_edges(text.body, one.start, one.end, old)]


def _adds_beyond_blank_end(hunk: Hunk) -> bool:
    """Whether lines are added above a blank first line or below a blank last line: without that, they have no place."""
    for lines in (hunk.lines, hunk.lines[::-1]):
        edge = next((index for index, line in enumerate(lines) if not line.startswith("+")), 0)
        if any(line[1:].strip() for line in lines[:edge]) and not lines[edge][1:].strip():
            return True
    return False


def _is_blank(line: str) -> bool:
    return not line.strip()


def _keeps_blank_ends(body: str, hunk: Hunk, span: TextPlace) -> bool:
    """Whether blank lines that were left out are beside a place, where lines are added right next to them.

    Otherwise the file has other lines there, and nothing tells on which side of these the added ones belong. One blank
    line at both ends is how models begin and end a text.
    """
    blank_ends = [sum(1 for _ in takewhile(_is_blank, lines)) for lines in (hunk.old, hunk.old[::-1])]
    if blank_ends == [1, 1]:
        return True
    beside = (lines_above(body, span.start), lines_below(body, min(span.end + 1, len(body))))
    for lines, outside in zip((hunk.lines, hunk.lines[::-1]), beside, strict=True):
        blanks = list(takewhile(lambda line: _is_blank(line[1:]), lines))
        is_left_out = any(not line.startswith("+") for line in blanks)
        inner = lines[len(blanks) :]
        added = list(takewhile(lambda line: line.startswith("+"), inner))
        only_adds = added and not "".join(inner[len(added) :][:1]).startswith("-")
        if is_left_out and only_adds and next(iter(outside), "").strip():
            return False
    return True


#: The nine in the order in which they are asked, and `similar`; docs/strings.md says which mistakes each answers.
#: `multi-occurrence` is for `replace_all`.
REPLACERS: Mapping[str, Callable[[Text, EditReading], list[TextPlace]]] = {
    "simple": lambda text, wanted: _find_text(text, wanted.old, wanted.new),
    "line-trimmed": lambda text, wanted: _find_lines(text, wanted, _TRIMMED),
    "whitespace-normalized": lambda text, wanted: _find_lines(text, wanted, _FOLDED) or _find_words(text, wanted),
    "escape-normalized": _escaped,
    "indentation-flexible": lambda text, wanted: _find_words(text, wanted, inside=True),
    "trimmed-boundary": _trimmed,
    "block-anchor": lambda text, wanted: _find_alike(text, wanted, "alike"),
    "context-aware": lambda text, wanted: _find_alike(text, wanted, "equal"),
    "similar": lambda text, wanted: _find_alike(text, wanted, ""),
    "multi-occurrence": lambda text, wanted: _find_text(text, wanted.old, wanted.new, find_all=True),
}


def _find_text(
    text: Text, old: str, new: str | None, notes: tuple[str, ...] = (), *, find_all: bool = False
) -> list[TextPlace]:
    """The places of a text as it is: the first of them, overlapping ones included, or all that are apart."""
    found: list[TextPlace] = []
    start = text.body.find(old)
    while start != -1 and (find_all or len(found) < limits.MOST_PLACES):
        found.append(TextPlace(start, start + len(old), new or "", notes, fits=new is not None))
        start = text.body.find(old, start + (len(old) if find_all else 1))
    return found


def _find_lines(text: Text, wanted: EditReading, tiers: Sequence[str], notes: Sequence[str] = ()) -> list[TextPlace]:
    """The places of the edit's lines at the strictest of these tiers that has any."""
    found = find_block(text.body, wanted.hunk.old, tiers)
    if found is None:
        return []
    if found.tier == "exact" and not notes:
        # Simple would have found it, but for a newline behind the file's last line.
        notes = ("final_newline",)
    places = [Place(wanted.hunk, start, found.tier, tuple(notes)) for start in found.starts]
    return as_spans(text, [fit_place(place, text.body, as_hunk=False) for place in places])


def _find_words(text: Text, wanted: EditReading, *, inside: bool = False) -> list[TextPlace]:
    """The places of an old text's words with other white space between them.

    A place has its lines to itself, or is within one line; where it breaks its lines as the old text does, it may begin
    `inside` of a line. A place that differs in blank lines alone is left to the aligner.
    """
    body, old = text.body, wanted.old
    found: list[TextPlace] = []
    for start, end in find_words(body, old):
        top, bottom = whole_lines(body, start, end)
        before, behind = body[top:start].strip(), body[end:bottom].strip()
        broken, asked = ([line.split() for line in some.split("\n")] for some in (body[start:end], old))
        if inside:
            # A mere brace and what is behind a word are not in the middle of a line.
            is_place = before and not before[-1].isalnum() and is_distinctive(old.partition("\n")[0])
            is_place = is_place and not behind and broken == asked
        elif before or behind:
            is_place = "\n" not in body[start:end] + old.strip()
        else:
            is_place = list(filter(None, broken)) != list(filter(None, asked))
        if is_place:
            place = reflow(body, wanted, start, end)
            found += [TextPlace(start, end, fits=False)] if place is None else as_spans(text, [place])
    return found


def _find_alike(text: Text, wanted: EditReading, middle: str) -> list[TextPlace]:
    """The places of the edit's lines with mistakes."""
    from .loose import find_loose

    return as_spans(text, find_loose(text, wanted.hunk, edit=wanted, middle=middle)[0])


def as_spans(text: Text, places: Sequence[Place]) -> list[TextPlace]:
    """Places of whole lines as places of a text."""
    body = text.body
    return [TextPlace(place.start, min(place.end(body) - 1, len(body)), "", (), place) for place in places]
