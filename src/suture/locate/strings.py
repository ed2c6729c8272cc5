"""A string edit × a text → the spans that it changes.

The replacers are asked in their order; the first that finds anything decides. Then the refusals have the last word,
those of hunks where whole lines were found loosely. The invariant: without `replace_all` no span is returned that was
not the only one of the replacer that decided.
"""

from __future__ import annotations

from ..core.dialect import STANDARD
from .indentation import UNCLEAR_DEPTH, split_indent
from .limits import MOST_PLACES
from .patterns import find_words
from .place import Place
from .placement import Candidates, Situation
from .refusal import Refusal
from .refusals import refuse_candidate, refuse_place
from .replacers import REPLACERS, UNCLEAR, UNFIT, TextPlace, as_spans, multi_occurrence, similar, simple
from .tiers import is_distinctive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.text import Text
    from .edit_readings import EditReading
    from .replacers import Replacer

#: Replacers whose spans may have another number of lines than the old text.
_LOOSE = frozenset({"block-anchor", "whitespace-normalized", "context-aware", "similar"})
#: Replacers that allow for mistakes.
_LOOSEST = frozenset({"block-anchor", "context-aware", "similar"})
#: Seconds that the refusals of hunks may look around; their work is counted, this stands behind it.
SECONDS = 5.0


class EditPlaces:
    """Which replacer decided, how the edit was read, and the spans in order, none overlapping."""

    __slots__ = ("replacer", "spans", "wanted")

    def __init__(self, replacer: str, wanted: EditReading, spans: list[TextPlace]) -> None:
        self.replacer = replacer
        self.wanted = wanted
        self.spans = spans


def locate_edit(text: Text, wanted: EditReading, *, replace_all: bool) -> EditPlaces | Refusal:
    """Where the edit goes, or why nowhere."""
    found = _first(text, wanted, replace_all=replace_all)
    if isinstance(found, Refusal):
        return found
    read, spans = found.wanted, found.spans
    for span in spans:
        if found.replacer in _LOOSE and _is_disproportionate(text, read, span):
            return Refusal("disproportionate", tier=found.replacer, spans=(span,))
    if len(spans) > 1 and read.notes:
        return Refusal("not_unique_reading", text=read.notes[0], spans=tuple(spans))
    cut_short = len(spans) >= MOST_PLACES and found.replacer != "multi-occurrence"
    if any(UNCLEAR in span.notes for span in spans):
        return Refusal("unclear_escapes", spans=(spans[0],))
    if len(spans) > 1 and (not replace_all or cut_short or any(UNFIT in span.notes for span in spans)):
        return Refusal("several_spans", tier=found.replacer, spans=tuple(spans))
    refusal = _refused(text, found)
    if refusal is not None:
        return refusal
    found.spans = _apart(spans)
    return found


def _first(text: Text, wanted: EditReading, *, replace_all: bool) -> EditPlaces | Refusal:
    """What the first replacer with any span has found, and `similar` after the nine."""
    if replace_all:
        spans = multi_occurrence(text, wanted)
        if spans:
            return EditPlaces("multi-occurrence", wanted, spans)
    if spans := simple(text, wanted):
        return EditPlaces("simple", wanted, spans)
    others = [reading for reading in wanted.readings() if reading is not wanted and reading.old.strip()]
    # What was decoded has to be there as it was decoded: another entity or escape is another text.
    numbered = [reading for reading in others if "line_numbers" in reading.notes]
    asked: dict[str, list[TextPlace]] = {}
    for name, replacer in list(REPLACERS.items())[1:]:
        # The old text as it stands comes first, also where its white space differs.
        spans = asked[name] if name in asked else replacer(text, wanted)
        if spans:
            return EditPlaces(name, wanted, spans)
        if name == "line-trimmed":
            # What was decorated or escaped is recognised before the middle of a block may differ by it.
            found = _decoded(text, others, "simple", simple) or _decoded(text, others, name, replacer)
            if found is not None:
                return found
            corrected = wanted.corrected(text.body)
            if corrected is not None and (found := _decoded(text, [corrected], name, replacer)) is not None:
                return found
            # So is a place that has every word, and breaks its lines elsewhere.
            for stricter in ("whitespace-normalized", "escape-normalized"):
                asked[stricter] = REPLACERS[stricter](text, wanted)
                if asked[stricter]:
                    return EditPlaces(stricter, wanted, asked[stricter])
        elif (found := _decoded(text, others if name not in _LOOSEST else numbered, name, replacer)) is not None:
            return found
    from .loose import find_loose

    search = find_loose(text, wanted.hunk, alone=True)
    if search.places:
        return EditPlaces("similar", wanted, as_spans(text, search.places))
    return _decoded(text, numbered, "similar", similar) or Refusal("not_found", rule=search.rule)


def _decoded(text: Text, readings: Sequence[EditReading], name: str, replacer: Replacer) -> EditPlaces | None:
    """What a replacer finds when the edit is read in another way."""
    for reading in readings:
        spans = replacer(text, reading)
        if "line_numbers" in reading.notes:
            # A viewer numbers whole lines; what is part of one was read wrongly.
            spans = [span for span in spans if span.place is not None or _is_whole(text.body, span)]
            if len(spans) == 1 and reading.line not in (None, text.line_number(spans[0].start)):
                # The number of one line may be the text's own: it must be the number of the place.
                continue
        if spans:
            return EditPlaces(name, reading, spans)
    return None


def _is_whole(body: str, span: TextPlace) -> bool:
    """Whether a span is whole lines."""
    ends = span.end == len(body) or body[span.end] == "\n" or body[span.end - 1] == "\n"
    return ends and (span.start == 0 or body[span.start - 1] == "\n")


def _is_disproportionate(text: Text, wanted: EditReading, span: TextPlace) -> bool:
    """Whether a span is much longer than the old text: a match that took too much."""
    old = wanted.old.strip("\n")
    asked = old.count("\n") + 1
    start, end = span.whole
    taken = text.body.count("\n", start, end) + 1
    too_long = end - start > max(len(old) + 500, 4 * len(old))
    return taken >= max(asked + 3, 2 * asked) or (asked > 1 and too_long)


def _refused(text: Text, found: EditPlaces) -> Refusal | None:
    """What speaks against the one place, although it is the only one."""
    twice = next((span for span in found.spans if _is_indented_twice(text.body, span)), None)
    if twice is not None:
        return Refusal("indented_twice", spans=(twice,))
    span = found.spans[0]
    if len(found.spans) > 1:
        return None
    situation = Situation(text, (found.wanted.hunk,), STANDARD, SECONDS)
    if span.place is None and not span.notes and _is_whole(text.body, span):
        place = Place(found.wanted.hunk, span.start, "exact")
        return refuse_place(situation, Candidates(0, place.hunk, [place]), place)
    if span.place is None:
        return _repeated(situation, found.wanted, span)
    option = Candidates(0, found.wanted.hunk, [span.place])
    if UNCLEAR_DEPTH in span.place.notes:
        return Refusal("several", option=option)
    if (refusal := refuse_candidate(situation, option)) is not None:
        return refusal
    if "trimmed" in span.place.notes and (there := _edited_since(text, found.wanted, span)) is not None:
        return Refusal("already_applied", starts=(there,))
    return refuse_place(situation, option, span.place)


def _is_indented_twice(body: str, span: TextPlace) -> bool:
    """Whether a new text begins with the indentation that stands before its place, and its next line shows it.

    With that indentation twice the next line would be too shallow for it.
    """
    first, *others = span.new.split("\n")
    before = split_indent(first)[0]
    start = span.start - len(before)
    if span.place is not None or not before or start < 0 or not body.startswith(before, start):
        return False
    if start and body[start - 1] != "\n":
        return False
    if body[span.start].isspace():
        return False
    follows = next((len(split_indent(line)[0]) for line in others if line.strip()), -1)
    twice = 2 * len(before)
    if first.rstrip().endswith((":", "{", "(", "[")):
        # What a line opens lies deeper than the line.
        return 0 <= follows <= twice
    return len(before) <= follows < twice


def _repeated(situation: Situation, wanted: EditReading, span: TextPlace) -> Refusal | None:
    """An edit whose new text is there already, around its old one.

    Of an exact place only if the edit adds whole lines and one of them is distinctive; of a loose one always.
    """
    body, new = situation.text.body, wanted.new
    if not span.notes:
        old = wanted.old
        hunk = wanted.hunk if old in new else None
        if hunk is None or hunk.removed or not any(map(is_distinctive, hunk.added)):
            return None
        start = span.start - new.find(old)
        there = start if start >= 0 and body.startswith(new, start) else None
    else:
        behind = _edited_since(situation.text, wanted, span)
        if behind is not None:
            return Refusal("already_applied", starts=(behind,))
        words = new.split()
        region = body[span.whole[0] : span.whole[1]].split("\n")
        if words == wanted.old.split() and [line.split() for line in region] == [
            line.split() for line in wanted.hunk.new
        ]:
            return Refusal("already_applied", starts=(span.whole[0],))
        spans = find_words(body, words, r"\s++") if len(words) > len(wanted.old.split()) else []
        there = next((start for start, end in spans if start <= span.whole[0] and span.whole[1] <= end), None)
    return None if there is None else Refusal("already_applied", starts=(there,))


def _edited_since(text: Text, wanted: EditReading, span: TextPlace) -> int | None:
    """Where lines that come in behind the old text stand already, the first of them as it is or edited since."""
    behind = text.body.find("\n", span.whole[1]) + 1
    first = _first_behind(wanted)
    return behind if first and behind and _is_alike(first, text.line_at(behind)) else None


def _first_behind(wanted: EditReading) -> str:
    """The first of the lines that come in behind all that the old text has; empty where none do."""
    first = ""
    for line in reversed(wanted.hunk.lines):
        if line[0] == "+":
            first = line[1:] if is_distinctive(line) else first
        elif line[1:].strip():
            break
    return first


def _is_alike(added: str, there: str) -> bool:
    """Whether a line that is to come in is there already, or was and has been edited since: most of its words are."""
    wanted, found = set(added.split()), set(there.split())
    return wanted == found or len(wanted & found) * 5 >= len(wanted) * 4


def _apart(spans: Sequence[TextPlace]) -> list[TextPlace]:
    """The spans from left to right, without those that overlap the one before."""
    kept: list[TextPlace] = []
    for span in sorted(spans, key=lambda span: span.start):
        if not kept or span.start >= kept[-1].end:
            kept.append(span)
    return kept
