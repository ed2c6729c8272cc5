"""The nine replacers: ways to find the old text of a string edit.

Each is a configuration of one of four searches: for the text itself, for its lines at some of the tiers, for its words
with other white space between them, and for its lines with mistakes. A span is a place, not a string: two places that
differ only in white space are two. What is found as whole lines is a hunk, so that lines that the new text keeps stay
as the file has them.
"""

from __future__ import annotations

from ..core.value import Value
from .indentation import fit_place
from .limits import MOST_PLACES
from .place import Place, line_after
from .reflow import ANY, BREAK, find_words, has_edges, reflow, whole_lines
from .search import find_block
from .tiers import is_distinctive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ..core.text import Text
    from .edit_readings import EditReading

_TRIMMED = ("exact", "trailing", "indent")
_FOLDED = ("exact", "punctuation", "whitespace")


class TextPlace(Value):
    """One place of the old text: offsets in the body, the text that comes there, and how it was found.

    `place` is set where whole lines were found; then it says what changes, and `new` says nothing. Where the edit does
    not fit, it can't be made, which is a place all the same.
    """

    start: int
    end: int
    new: str = ""
    notes: tuple[str, ...] = ()
    place: Place | None = None
    fits: bool = True


def _escaped(text: Text, wanted: EditReading) -> list[TextPlace]:
    """The old text with escapes undone, or made; in the new text those that made the match are undone too."""
    from .escapes import decode, decode_new, decode_notes, text_ways

    for way in text_ways(wanted.old):
        old = decode(wanted.old, way)
        if old in text.body:
            new = decode_new(wanted.new, wanted.old, way)
            return _find_text(text, old, new, ("escapes", *decode_notes(wanted.new, new, way)))
    return []


def _trimmed(text: Text, wanted: EditReading) -> list[TextPlace]:
    """The old text without its blank ends: whole lines, or a part that begins and ends lines where that does."""
    old, bare = wanted.old, wanted.old.strip()
    if bare == old or not is_distinctive(bare):
        return []
    if found := _find_lines(text, wanted.without_blank_ends(), _TRIMMED, ("trimmed",)):
        return found
    found = _find_text(text, bare, wanted.new_within(), ("trimmed",))
    return [one for one in found if has_edges(text.body, one.start, one.end, old)]


#: The nine in the order in which they are asked, and `similar`; docs/strings.md says which mistakes each answers.
#: `multi-occurrence` is for `replace_all`.
REPLACERS: Mapping[str, Callable[[Text, EditReading], list[TextPlace]]] = {
    "simple": lambda text, wanted: _find_text(text, wanted.old, wanted.new),
    "line-trimmed": lambda text, wanted: _find_lines(text, wanted, _TRIMMED),
    "whitespace-normalized": lambda text, wanted: (
        _find_lines(text, wanted, _FOLDED) or _find_words(text, wanted, wanted.old.split(), ANY)
    ),
    "escape-normalized": _escaped,
    "indentation-flexible": lambda text, wanted: _find_words(
        text, wanted, [line.strip() for line in wanted.old.split("\n")], BREAK
    ),
    "trimmed-boundary": _trimmed,
    "block-anchor": lambda text, wanted: _find_alike(text, wanted, "alike"),
    "context-aware": lambda text, wanted: _find_alike(text, wanted, "equal"),
    "similar": lambda text, wanted: _find_alike(text, wanted, ""),
    "multi-occurrence": lambda text, wanted: _find_text(
        text, wanted.old, wanted.new, step=len(wanted.old), most=len(text.body)
    ),
}


def _find_text(
    text: Text, old: str, new: str | None, notes: tuple[str, ...] = (), step: int = 1, most: int = MOST_PLACES
) -> list[TextPlace]:
    """The places of a text as it is: overlapping ones included, or as many characters apart as a step has."""
    found: list[TextPlace] = []
    start = text.body.find(old)
    while start != -1 and len(found) < most:
        found.append(TextPlace(start, start + len(old), new or "", notes, fits=new is not None))
        start = text.body.find(old, start + step)
    return found


def _find_lines(
    text: Text, wanted: EditReading, tiers: tuple[str, ...], notes: tuple[str, ...] = ()
) -> list[TextPlace]:
    """The places of the edit's lines at the strictest of these tiers that has any."""
    body, hunk = text.body, wanted.hunk
    found = find_block(body, hunk.old, tiers)
    if found is None:
        return []
    end = Place(hunk, found.starts[0], found.tier).end(body)
    is_blank = end < len(body) and not body[end : line_after(body, end)].strip()
    if len(found.starts) == 1 and is_blank and wanted.old[-1] == "\n" and wanted.new[-1:] not in ("", "\n"):
        # Where the text is exact, a newline that it alone ends with takes the one behind it along.
        hunk = hunk.replace(lines=(*hunk.lines, "-"))
    if found.tier == "exact" and not notes:
        # Simple would have found it, but for a newline behind the file's last line.
        notes = ("final_newline",)
    places = [Place(hunk, start, found.tier, notes) for start in found.starts]
    if found.tier not in ("exact", "trailing"):
        places = [fit_place(place, body, as_hunk=False) for place in places]
    return as_spans(text, places)


def _find_words(text: Text, wanted: EditReading, words: Sequence[str], between: str) -> list[TextPlace]:
    """The places of words with other white space between them, that begin and end lines where the old text does.

    Over several lines a place has its lines to itself, unless it breaks them as the old text does: then the first may
    begin in the middle of a line. A place that differs in blank lines alone is left to the aligner.
    """
    body, old = text.body, wanted.old
    if len(words) < 2 or "" in (words[0], words[-1]) or not any(map(is_distinctive, old.split("\n"))):
        return []
    found: list[TextPlace] = []
    for start, end in find_words(body, old, words, between):
        top, bottom = whole_lines(body, start, end)
        before, behind = body[top:start].strip(), body[end:bottom].strip()
        if between == BREAK and before and (not is_distinctive(words[0]) or before[-1].isalnum()):
            # A mere brace and what is behind a word are not in the middle of a line.
            continue
        is_over = behind if between == BREAK else (before or behind) and "\n" in body[start:end] + old.strip()
        words_of = [[line.split() for line in some.split("\n") if line.strip()] for some in (body[top:bottom], old)]
        if not is_over and words_of[0] != words_of[1]:
            place = reflow(body, wanted, start, end)
            found += [TextPlace(start, end, fits=False)] if place is None else as_spans(text, [place])
    return found


def _find_alike(text: Text, wanted: EditReading, middle: str) -> list[TextPlace]:
    """The places of the edit's lines with mistakes."""
    from .loose import find_loose

    return as_spans(text, find_loose(text, wanted.hunk, middle=middle, alone=True, aligned=wanted.aligned).places)


def as_spans(text: Text, places: Sequence[Place]) -> list[TextPlace]:
    """Places of whole lines as places of a text."""
    body = text.body
    return [TextPlace(place.start, min(place.end(body) - 1, len(body)), "", (), place) for place in places]
