"""A string edit × a text → the spans that it changes, found by nine replacers, which share four searches.

The first replacer that finds anything decides. Without `replace_all` no span is returned that was not its only one.
"""

from __future__ import annotations

import re
from itertools import takewhile

from ..core.dialect import STANDARD
from ..core.patch import Hunk
from ..core.value import Value
from . import limits
from .escapes import decode, decode_new, decode_notes, text_ways
from .indentation import fit_place, split_indent
from .loose import find_loose
from .place import Place
from .placement import Candidates, Refusal, Situation
from .readings import count_blank, merged_lines
from .reflow import find_words, has_edges, is_inside_line, is_reflowed, reflow, whole_lines
from .refusals import refuse_candidate, refuse_place
from .rule import first_refusal, rule
from .search import find_block, lines_above, lines_below
from .tiers import is_distinctive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from ..core.text import Text
    from .readings import EditReading

    #: Finds the old text of an edit in one way.
    Replacer = Callable[[Text, EditReading], list["TextPlace"]]

_TRIMMED = ("exact", "trailing", "indent")
_FOLDED = ("exact", "punctuation", "whitespace")


class TextPlace(Value):
    """One place of the old text: offsets in the body, the text that comes there, and what was conceded to match it."""

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
    edit: EditReading
    spans: list[TextPlace]


def locate_edit(text: Text, edit: EditReading, *, replace_all: bool) -> EditPlaces | Refusal:
    """Where a string edit applies in a text, or the reason to refuse it.

    The first replacer that finds the old text decides. Several places are refused without `replace_all`.
    """
    places = _find(text, edit, replace_all=replace_all)
    if places is None:
        _, forbidding_rule = find_loose(text, edit.hunk, edit=edit)
        return Refusal("not_found", rule=forbidding_rule)
    spans = places.spans
    for span in spans:
        if span.place is not None and _is_disproportionate(text, places.edit, span):
            ends = (span.start, max(span.start, span.end - 1))
            return Refusal("disproportionate", starts=ends, tier=places.replacer)
    has_several = len(spans) > 1
    starts = tuple([span.start for span in spans])
    if has_several and places.edit.notes:
        return Refusal("several", starts=starts, text=places.edit.notes[0])
    fits = all(span.fits for span in spans)
    if places.replacer == "escape-normalized" and not fits:
        return Refusal("unclear_escapes", starts=starts[:1])
    cut_short = len(spans) >= limits.MOST_PLACES and places.replacer != "multi-occurrence"
    if has_several and (not replace_all or cut_short or not fits):
        return Refusal("several", starts=starts, tier=places.replacer, cut_short=cut_short)
    if not fits:
        # It has every word, but breaks lines where the edit can't be made: nothing looser is meant.
        return Refusal("not_found")
    return _refused(text, places) or places.replace(spans=_apart(spans))


def _apart(spans: Sequence[TextPlace]) -> list[TextPlace]:
    """The spans without those that overlap the one before them."""
    apart: list[TextPlace] = []
    for span in spans:
        if not apart or span.start >= apart[-1].end:
            apart.append(span)
    return apart


def _attempts(text: Text, edit: EditReading, *, replace_all: bool) -> Iterator[tuple[str, EditReading]]:
    """The replacers, each with a reading of the edit: the literal one first, and what lets lines differ last."""
    yield "multi-occurrence" if replace_all else "simple", edit
    if not edit.old.strip():
        return
    for name in _STRICT:
        if name != "simple":
            yield name, edit
    others = [reading for reading in edit.other_readings(text.body) if reading.old.strip()]
    for name in _STRICT:
        for reading in others:
            yield name, reading
    for name in _LOOSE:
        for reading in (edit, *others):
            yield name, reading


def _find(text: Text, edit: EditReading, *, replace_all: bool) -> EditPlaces | None:
    """What the first replacer finds that finds anything."""
    for name, reading in _attempts(text, edit, replace_all=replace_all):
        spans = REPLACERS[name](text, reading)
        if reading.is_by_line:
            # What was read line by line can only be whole lines.
            spans = [span for span in spans if _is_whole(text.body, span)]
        may_be_own_number = reading.is_without_numbers and len(edit.hunk.old) == 1
        if may_be_own_number and len(spans) == 1:
            # One number may be the text's own, unless the file has the line there.
            number = text.line_number(spans[0].start)
            if not _begins_with_number(edit.old, number):
                continue
        if spans:
            return EditPlaces(name, reading, [_within_lines(text.body, span, reading) for span in spans])
    return None


def _begins_with_number(old: str, number: int) -> bool:
    """Whether a text begins with a number, after blanks and zeros."""
    return re.match(rf"\s*0*{number}\b", old) is not None


def _within_lines(body: str, span: TextPlace, reading: EditReading) -> TextPlace:
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
    if span.place is not None:
        return True
    begins_line = body[span.start - 1 : span.start] in ("", "\n")
    ends_line = body[span.end - 1] == "\n" or body[span.end : span.end + 1] in ("", "\n")
    return begins_line and ends_line


def _is_disproportionate(text: Text, edit: EditReading, span: TextPlace) -> bool:
    """Whether a span is much longer than the old text: a match that took too much."""
    old = edit.old.strip("\n")
    old_lines = old.count("\n") + 1
    span_lines = text.body.count("\n", span.start, span.end) + 1
    if span_lines >= max(old_lines + 3, 2 * old_lines):
        return True
    return old_lines > 1 and span.end - span.start > max(len(old) + 500, 4 * len(old))


class ExactPlace(Value):
    """The one exact place of an old text, and the text that would come there."""

    body: str
    start: int
    old: str
    new: str

    def has_new(self, start: int) -> bool:
        """Whether the new text is at an offset, and begins and ends a line where the old text does."""
        body, old, new = self.body, self.old, self.new
        new_without_blank_end = new.rstrip("\n")
        changes_text = new_without_blank_end != old.rstrip("\n")
        if changes_text and not body.startswith(new, start) and body.rstrip("\n").endswith(new_without_blank_end):
            # At its end, a file may have fewer blank lines than the new text.
            new = new_without_blank_end
        if start < 0 or not body.startswith(new, start):
            return False
        # The newline beside whole lines is that of another line.
        old_begins_line = body[self.start - 1 : self.start] in ("", "\n")
        if old_begins_line and body[start - 1 : start] not in ("", "\n"):
            return False
        old_end = self.start + len(old)
        old_ends_before_newline = not old.endswith("\n") and body[old_end : old_end + 1] in ("", "\n")
        if not old_ends_before_newline:
            return True
        end = start + len(new)
        ends_file = end == len(body) and not new.endswith("\n")
        return ends_file or body[end : end + 1] == "\n"


@rule
def already_written(place: ExactPlace) -> tuple[int, ...]:
    """The new text of a string edit must not be at that very place already, where its old text occurs exactly once."""
    old_texts = [place.old]
    trimmed_old = place.old.strip("\n")
    if trimmed_old and trimmed_old != place.new.strip("\n"):
        # Where more than blank lines changes, those around the old text may be gone.
        old_texts.append(trimmed_old)
    for old in old_texts:
        # A text with several copies of the old one can't be where that occurs once.
        if place.new == old or place.new.count(old) != 1:
            continue
        # Where the new text begins, if its copy of the old text is the one of the file.
        start = place.start + place.old.index(old) - place.new.index(old)
        if place.has_new(start):
            return (start,)
    return ()


#: What forbids the place of an exact string edit.
RULES = (already_written,)


def _refused(text: Text, places: EditPlaces) -> Refusal | None:
    """Why the places of an edit are refused, although nothing else can be meant; None if they are not."""
    for span in places.spans:
        if _is_indented_twice(text.body, span):
            return Refusal("indented_twice", starts=(span.start,))
        if span.place is not None and span.place.is_depth_unclear:
            return Refusal("several", starts=(span.start,), tier=span.place.tier)
    if len(places.spans) > 1:
        return None
    [span] = places.spans
    edit = places.edit
    if span.place is not None:
        return _refuse_at(text, edit.hunk, span.place)
    if not span.notes and not edit.notes:
        return _refuse_exact(text, span, edit)
    tier = "exact" if places.replacer == "escape-normalized" else "whitespace"
    place = _line_place(text.body, span.replace(notes=span.notes + edit.notes), tier)
    return _refuse_at(text, place.hunk, place)


def _refuse_at(text: Text, hunk: Hunk, place: Place) -> Refusal | None:
    """What the rules have against a place of whole lines."""
    situation, option = Situation(text, (hunk,), STANDARD, 0.0), Candidates(0, hunk, [place])
    return refuse_candidate(situation, option) or refuse_place(situation, option, place)


def _refuse_exact(text: Text, span: TextPlace, edit: EditReading) -> Refusal | None:
    """What speaks against a place that has the old text exactly: that new lines elsewhere are alike is not enough."""
    refusal = first_refusal(RULES, ExactPlace(text.body, span.start, edit.old, span.new))
    if refusal is not None:
        return Refusal("already_applied", starts=refusal[1], rule=refusal[0].name)
    if not _is_whole(text.body, span) and edit.old not in span.new:
        # Parts of lines may be replaced by the same lines as others were.
        return None
    place = _line_place(text.body, span, "exact")
    return refuse_candidate(Situation(text, (place.hunk,), STANDARD, 0.0), Candidates(0, place.hunk, [place]))


def _line_place(body: str, span: TextPlace, tier: str) -> Place:
    """A part of a text as the place of a hunk: the lines that it is in, and what becomes of them."""
    start, end, new = span.start, span.end, span.new
    # A newline that both texts begin or end with is no part of what changes.
    if new.startswith("\n") and body[start] == "\n":
        start, new = start + 1, new[1:]
    if new.endswith("\n") and body[end - 1] == "\n":
        end, new = end - 1, new[:-1]
    top, bottom = whole_lines(body, start, end)
    old_lines = body[top:bottom].split("\n")
    new_lines = (body[top:start] + new + body[end:bottom]).split("\n")
    return Place(Hunk(tuple(merged_lines(old_lines, new_lines))), top, tier, span.notes)


def _is_indented_twice(body: str, span: TextPlace) -> bool:
    """Whether a new text begins with the indentation that is there before its place.

    If both were kept, the first line would be too deep for the next one.
    """
    first_line, *next_lines = span.new.split("\n")
    indent = split_indent(first_line)[0]
    before = body[body.rfind("\n", 0, span.start) + 1 : span.start]
    if not indent or before != indent or body[span.start].isspace():
        return False
    next_depth = next((len(split_indent(line)[0]) for line in next_lines if line.strip()), None)
    if next_depth is None or next_depth < len(indent):
        return False
    doubled = 2 * len(indent)
    # What a line opens is deeper than the line.
    opens_block = first_line.rstrip().endswith((":", "{", "(", "["))
    return next_depth <= doubled if opens_block else next_depth < doubled


def _escaped(text: Text, edit: EditReading) -> list[TextPlace]:
    """The old text with escapes undone, or made; in the new text those that made the match are undone too."""
    for way in text_ways(edit.old):
        old = decode(edit.old, way)
        if old.strip() and old in text.body:
            new = decode_new(edit.new, edit.old, way)
            return _find_text(text, old, new, ("escapes", *decode_notes(edit.new, new, way)))
    return []


def _trimmed(text: Text, edit: EditReading) -> list[TextPlace]:
    """The places of the old text without its blank ends: of whole lines or, where there are none, of any text.

    Where the old text begins or ends with a newline, such a place has to begin or end a line.
    """
    old, bare = edit.old, edit.old.strip()
    if bare == old or not is_distinctive(bare) or _adds_beyond_blank_end(edit.hunk):
        return []
    whole = _find_lines(text, edit.without_blank_ends(), _TRIMMED, ("trimmed",))
    if whole:
        return [span for span in whole if _keeps_blank_ends(text.body, edit.hunk, span)]
    parts = _find_text(text, bare, edit.new.strip(), ("trimmed",))
    return [span for span in parts if has_edges(text.body, span.start, span.end, old)]


def _adds_beyond_blank_end(hunk: Hunk) -> bool:
    """Whether lines are added above a blank first line or below a blank last line: without that, they have no place."""
    return _adds_before_blank_line(hunk.lines) or _adds_before_blank_line(hunk.lines[::-1])


def _adds_before_blank_line(lines: Sequence[str]) -> bool:
    """Whether the first old line of a hunk is blank, and lines with text are added before it."""
    added = list(takewhile(lambda line: line.startswith("+"), lines))
    if len(added) == len(lines):
        # There is no old line.
        return False
    first_old = lines[len(added)]
    return not first_old[1:].strip() and any(line[1:].strip() for line in added)


def _keeps_blank_ends(body: str, hunk: Hunk, span: TextPlace) -> bool:
    """Whether blank lines that were left out are beside a place, where lines are added right next to them.

    Otherwise the file has other lines there, and nothing tells on which side of these the added ones belong. One blank
    line at both ends is how models begin and end a text.
    """
    if count_blank(hunk.old) == 1 and count_blank(reversed(hunk.old)) == 1:
        return True
    line_above = next(lines_above(body, span.start), "")
    line_below = next(lines_below(body, min(span.end + 1, len(body))), "")
    if line_above.strip() and _adds_next_to_blank_end(hunk.lines):
        return False
    return not (line_below.strip() and _adds_next_to_blank_end(hunk.lines[::-1]))


def _adds_next_to_blank_end(lines: Sequence[str]) -> bool:
    """Whether lines begin with blank ones, of which one is old, and those behind them are added and replace none."""
    blank = list(takewhile(lambda line: not line[1:].strip(), lines))
    if all(line.startswith("+") for line in blank):
        return False
    inner = lines[len(blank) :]
    added = list(takewhile(lambda line: line.startswith("+"), inner))
    behind = inner[len(added) :]
    is_replacement = bool(behind) and behind[0].startswith("-")
    return bool(added) and not is_replacement


#: Replacers that find every line of the old text, in the order in which they are asked. docs/strings.md says which
#: mistakes each answers.
_STRICT: Mapping[str, Replacer] = {
    "simple": lambda text, edit: _find_text(text, edit.old, edit.new),
    "line-trimmed": lambda text, edit: _find_lines(text, edit, _TRIMMED),
    "whitespace-normalized": lambda text, edit: _find_lines(text, edit, _FOLDED) or _find_words(text, edit),
    "escape-normalized": _escaped,
    "indentation-flexible": lambda text, edit: _find_words(text, edit, inside=True),
    "trimmed-boundary": _trimmed,
}
#: Replacers that let lines differ, which are asked last.
_LOOSE: Mapping[str, Replacer] = {
    "block-anchor": lambda text, edit: _find_alike(text, edit, "alike"),
    "context-aware": lambda text, edit: _find_alike(text, edit, "equal"),
    "similar": lambda text, edit: _find_alike(text, edit, ""),
}
#: All replacers. `multi-occurrence` is asked instead of `simple` for `replace_all`.
REPLACERS: Mapping[str, Replacer] = {
    **_STRICT,
    **_LOOSE,
    "multi-occurrence": lambda text, edit: _find_text(text, edit.old, edit.new, find_all=True),
}


def _find_text(
    text: Text, old: str, new: str | None, notes: tuple[str, ...] = (), *, find_all: bool = False
) -> list[TextPlace]:
    """The places of a text as it is: the first of them, overlapping ones included, or all that are apart."""
    spans: list[TextPlace] = []
    step = len(old) if find_all else 1
    start = text.body.find(old)
    while start != -1 and (find_all or len(spans) < limits.MOST_PLACES):
        spans.append(TextPlace(start, start + len(old), new or "", notes, fits=new is not None))
        start = text.body.find(old, start + step)
    return spans


def _find_lines(text: Text, edit: EditReading, tiers: Sequence[str], notes: Sequence[str] = ()) -> list[TextPlace]:
    """The places of the edit's lines at the strictest of these tiers that has any."""
    occurrences = find_block(text.body, edit.hunk.old, tiers)
    if occurrences is None:
        return []
    if occurrences.tier == "exact" and not notes:
        # Simple would have found it, but for a newline behind the file's last line.
        notes = ("final_newline",)
    places = [Place(edit.hunk, start, occurrences.tier, tuple(notes)) for start in occurrences.starts]
    return as_spans(text, [fit_place(place, text.body, as_hunk=False) for place in places])


def _find_words(text: Text, edit: EditReading, *, inside: bool = False) -> list[TextPlace]:
    """The places of an old text's words with other whitespace between them; see `is_reflowed` and `is_inside_line`."""
    body = text.body
    spans: list[TextPlace] = []
    for start, end in find_words(body, edit.old):
        is_place = is_inside_line(body, start, end, edit.old) if inside else is_reflowed(body, start, end, edit.old)
        if not is_place:
            continue
        place = reflow(body, edit, start, end)
        if place is None:
            spans.append(TextPlace(start, end, fits=False))
        else:
            spans += as_spans(text, [place])
    return spans


def _find_alike(text: Text, edit: EditReading, middle: str) -> list[TextPlace]:
    """The places of the edit's lines with mistakes."""
    return as_spans(text, find_loose(text, edit.hunk, edit=edit, middle=middle)[0])


def as_spans(text: Text, places: Sequence[Place]) -> list[TextPlace]:
    """Places of whole lines as places of a text."""
    body = text.body
    spans: list[TextPlace] = []
    for place in places:
        end = min(place.end(body) - 1, len(body))
        spans.append(TextPlace(place.start, end, "", (), place))
    return spans
