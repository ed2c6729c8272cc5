"""The nine replacers: ways to find the old text of a string edit, in the order in which they are asked.

Each is one small function that takes the text and the edit and gives back spans. The first replacer with any span
decides; a looser one is not asked where a stricter one found several. A span is a place, not a string: two places that
differ only in white space are two. Replacers that work on whole lines treat the edit as a hunk, so that lines that the
new text keeps stay as the file has them.
"""

from __future__ import annotations

from ..core.line_diff import changed_blocks
from .edit_readings import lines_of
from .escapes import decode, decode_new, decode_notes, text_ways
from .indentation import fit_place, shift_between, shifted, unchanged
from .limits import MOST_PLACES
from .patterns import fills_lines, find_words, has_edges, is_apart, is_line_start, whole_lines
from .place import Place
from .reflow import woven
from .search import find_block
from .tiers import is_distinctive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ..core.patch import Hunk
    from ..core.text import Text
    from .edit_readings import EditReading

    Replacer = Callable[[Text, EditReading], list["TextPlace"]]


#: The note of a place where it can't be told which escapes of the new text are its own.
UNCLEAR = "escapes_unclear"
#: The note of a place that has the words, but where the edit can't be made: it is a place all the same.
UNFIT = "unfit"


class TextPlace:
    """One place of the old text: offsets in the body, the text that comes there, and how it was found.

    `place` is set where whole lines were found; then it says what changes, and `new` says nothing.
    """

    __slots__ = ("end", "new", "notes", "place", "start", "whole")

    def __init__(
        self,
        start: int,
        end: int,
        new: str,
        notes: tuple[str, ...] = (),
        place: Place | None = None,
        whole: tuple[int, int] | None = None,
    ) -> None:
        self.start = start
        self.end = end
        self.new = new
        self.notes = notes
        self.place = place
        #: All of what was found, where less than that changes.
        self.whole = whole or (start, end)


def simple(text: Text, wanted: EditReading) -> list[TextPlace]:
    """`old`, exactly, also as part of a line. Answers no mistake. Costs one search of the text."""
    return [TextPlace(start, start + len(wanted.old), wanted.new) for start in everywhere(text.body, wanted.old)]


def line_trimmed(text: Text, wanted: EditReading) -> list[TextPlace]:
    """Lines equal when trimmed on both sides.

    Answers lost, added or wrong indentation and trailing space. Costs a search for the longest line, and a folded copy
    of the text where that line is everywhere.
    """
    return _whole_lines(text, wanted, ("exact", "trailing", "indent"))


def block_anchor(text: Text, wanted: EditReading) -> list[TextPlace]:
    """First and last line equal when trimmed, about as many lines between, alike by 0.65 in the mean.

    Answers a middle that was written from memory. Costs a search for the first line, and a bounded number of
    comparisons of lines.
    """
    return as_spans(text, _blocks(text, wanted.hunk, "alike"))


def whitespace_normalized(text: Text, wanted: EditReading) -> list[TextPlace]:
    """Equal when runs of white space are folded, within a line or over lines; Unicode punctuation is folded too.

    Answers tabs for spaces, other spacing inside lines, lines that were joined or broken, curly quotes. What the new
    text keeps at its two ends stays as the file has it. Costs what line-trimmed does, and a few searches for words.
    """
    found = _whole_lines(text, wanted, ("exact", "punctuation", "whitespace"))
    words = wanted.old.split()
    if found or len(words) < 2 or not any(map(is_distinctive, wanted.old.split("\n"))):
        return found
    body = text.body
    over_lines = "\n" in wanted.old.strip()
    old_lines = [line.split() for line in wanted.hunk.old if line.strip()]
    for start, end in find_words(body, words, r"\s++"):
        lines = body[start:end].split("\n")
        if (over_lines or len(lines) > 1) and not fills_lines(body, start, end):
            continue
        if not has_edges(body, start, end, wanted.old):
            continue
        if fills_lines(body, start, end) and [line for line in map(str.split, lines) if line] == old_lines:
            # Only blank lines differ, which are lines like any other.
            from .loose import find_without_blanks

            place = find_without_blanks(text, wanted.hunk, start, end)
            found += as_spans(text, [place]) if place is not None else [TextPlace(start, end, "", (UNFIT,))]
            continue
        shift = _shift_of(wanted.old, body[start:end], body[body.rfind("\n", 0, start) + 1 : start])
        top, bottom = whole_lines(body, start, end) if fills_lines(body, start, end) else (start, end)
        change = woven(body[top:bottom], wanted.hunk.old, wanted.hunk.new, shift) if shift is not None else None
        if change is None:
            found.append(TextPlace(start, end, "", (UNFIT,)))
            continue
        first, last, new = change
        notes = ("whitespace",) if shift is unchanged or "\n" not in new else ("whitespace", "indentation_shifted")
        found.append(TextPlace(top + first, top + last, new, notes, whole=(start, end)))
    # Where the edit can be made nowhere, another replacer may find more.
    return found if any(UNFIT not in span.notes for span in found) else []


def _shift_of(old: str, found: str, indent: str) -> Callable[[str], str] | None:
    """By how much lines that begin with the same word on both sides differ in their indentation; None if unevenly."""
    ours, theirs = _line_starts(old), _line_starts(indent + found)
    pairs = [(line, theirs[word]) for word, line in ours.items() if word in theirs]
    shift = shift_between(pairs, ())
    if shift is None and len(pairs) > 2 and indent and not old[:1].isspace():
        # A quotation may begin behind the indentation of its first line, which then says nothing of the others.
        return shift_between(pairs[1:], ())
    return shift


def _line_starts(text: str) -> dict[int, str]:
    """The lines that say anything, by how many words stand before them."""
    found: dict[int, str] = {}
    words = 0
    for line in text.split("\n"):
        count = len(line.split())
        if count:
            found[words] = line
        words += count
    return found


def indentation_flexible(text: Text, wanted: EditReading) -> list[TextPlace]:
    """Lines equal when the block's common indentation is taken off; the first may begin in the middle of a line.

    Answers an old text that starts behind an indentation, or behind `x = `, and has the rest at another depth. Costs
    a few searches for lines. Whole lines at another depth are found by line-trimmed already.
    """
    lines = wanted.old.split("\n")
    bare = [line.strip() for line in lines]
    if len(lines) < 2 or not bare[0] or not bare[-1]:
        return []
    spans: list[TextPlace] = []
    for start, end in find_words(text.body, bare, r"[ \t]*+\n[ \t]*+"):
        before = text.body[text.body.rfind("\n", 0, start) + 1 : start]
        # What begins as a line does, a mere brace and what stands behind a word are not in the middle of a line.
        is_inside = not is_line_start(wanted.old) and is_distinctive(bare[0]) and not before.rstrip()[-1:].isalnum()
        if (before.strip() and not is_inside) or not has_edges(text.body, start, end, wanted.old + "\n"):
            continue
        theirs = text.body[start:end].split("\n")
        pairs = [pair for pair in zip(lines[1:], theirs[1:], strict=True) if pair[0].strip()]
        shift = shift_between(pairs, ())
        if shift is None:
            return []
        # Lines that the new text keeps stay as the file has them.
        new, done = list[str](), 0
        written = _within(lines[0], wanted.new).split("\n")
        for a, b, c, d in changed_blocks([lines[0].lstrip(), *lines[1:]], written):
            new += theirs[done:a]
            new += [line if c + number == 0 else shifted(line, shift) for number, line in enumerate(written[c:d])]
            done = b
        notes = ("indentation_shifted",) if shift is not unchanged else ("indent",)
        spans.append(TextPlace(start, end, "\n".join((*new, *theirs[done:])), notes))
    return spans


def escape_normalized(text: Text, wanted: EditReading) -> list[TextPlace]:
    r"""Equal when `\n`, `\t`, quotes, backslashes and the like are unescaped in `old`, or escaped; never in the file.

    Answers arguments that were escaped once too often, or once too little. In the new text the escapes that made the
    match are undone too: quotes and backslashes, tabs that indent, and newlines where it has none of its own. Costs a
    search for each of a handful of ways to read the text.
    """
    for way in text_ways(wanted.old):
        old = decode(wanted.old, way)
        starts = everywhere(text.body, old)
        if starts:
            new = decode_new(wanted.new, wanted.old, way)
            if new is None:
                return [TextPlace(start, start + len(old), wanted.new, (UNCLEAR,)) for start in starts]
            notes = ("escapes", *decode_notes(wanted.new, new, way))
            return [TextPlace(start, start + len(old), new, notes) for start in starts]
    return []


def trimmed_boundary(text: Text, wanted: EditReading) -> list[TextPlace]:
    """`old` without the blank space at its two ends; the new text loses the same.

    Answers a quotation with a line break or blanks around it. Costs one search, and what line-trimmed does.
    """
    bare = wanted.old.strip()
    if bare == wanted.old or not is_distinctive(bare):
        return []
    lines = _without_blank_ends(wanted)
    found = [] if lines is wanted else _whole_lines(text, lines, ("exact", "trailing", "indent"), ("trimmed",))
    if found or (is_line_start(wanted.old) and wanted.new[:1].isspace() and not _begins_alike(wanted)):
        return found
    new = _within(wanted.old, wanted.new)
    spans = [(start, start + len(bare)) for start in everywhere(text.body, bare)]
    return [
        TextPlace(a, b, new, ("trimmed",))
        for a, b in spans
        if is_apart(text.body, a, b) and has_edges(text.body, a, b, wanted.old)
    ]


def _begins_alike(wanted: EditReading) -> bool:
    """Whether both texts begin with the same white space."""
    return wanted.new.startswith(wanted.old[: len(wanted.old) - len(wanted.old.lstrip())])


def context_aware(text: Text, wanted: EditReading) -> list[TextPlace]:
    """First and last line equal when trimmed, the same number of lines, at least half of those between equal.

    Answers lines between that are nothing like the file's. Costs what block-anchor does.
    """
    return as_spans(text, _blocks(text, wanted.hunk, "equal"))


def multi_occurrence(text: Text, wanted: EditReading) -> list[TextPlace]:
    """All exact occurrences, from left to right, none overlapping: what `replace_all` replaces. Costs one search."""
    spans: list[TextPlace] = []
    size = len(wanted.old)
    start = text.body.find(wanted.old)
    while start >= 0:
        spans.append(TextPlace(start, start + size, wanted.new))
        start = text.body.find(wanted.old, start + size)
    return spans


#: The nine, in the order in which they are asked.
REPLACERS: Mapping[str, Replacer] = {
    "simple": simple,
    "line-trimmed": line_trimmed,
    "block-anchor": block_anchor,
    "whitespace-normalized": whitespace_normalized,
    "indentation-flexible": indentation_flexible,
    "escape-normalized": escape_normalized,
    "trimmed-boundary": trimmed_boundary,
    "context-aware": context_aware,
    "multi-occurrence": multi_occurrence,
}


def similar(text: Text, wanted: EditReading) -> list[TextPlace]:
    """Most lines equal, the rest close: the last tier of hunks, under its floors.

    Not one of the nine: it is asked where all of them have failed, for a slip in the first or the last line. Costs a
    bounded alignment.
    """
    from .loose import find_loose

    return as_spans(text, find_loose(text, wanted.hunk, alone=True).places)


def everywhere(body: str, needle: str, most: int = MOST_PLACES) -> list[int]:
    """The offsets of a text in another, overlapping ones included."""
    found: list[int] = []
    start = body.find(needle)
    while start >= 0 and len(found) < most:
        found.append(start)
        start = body.find(needle, start + 1)
    return found


def _whole_lines(
    text: Text, wanted: EditReading, tiers: tuple[str, ...], notes: tuple[str, ...] = ()
) -> list[TextPlace]:
    """The places of the edit's lines at the strictest of these tiers that has any."""
    hunk = wanted.hunk
    old = hunk.old
    if not any(map(str.strip, old)):
        return []
    found = find_block(text.body, old, tiers)
    if found is None:
        return []
    if found.tier == "exact" and not notes:
        # Simple would have found it, but for a newline behind the file's last line.
        notes = (*notes, "final_newline")
    places = [Place(hunk, start, found.tier, notes) for start in found.starts]
    if found.tier not in ("exact", "trailing"):
        places = [fit_place(place, text.body, as_hunk=False) for place in places]
    return as_spans(text, places)


def _blocks(text: Text, hunk: Hunk, middle: str) -> Sequence[Place]:
    from .loose import find_loose

    return find_loose(text, hunk, middle=middle, alone=True).places


def as_spans(text: Text, places: Sequence[Place]) -> list[TextPlace]:
    """Places of whole lines as places of a text."""
    body = text.body
    return [TextPlace(place.start, min(place.end(body) - 1, len(body)), "", (), place) for place in places]


def _within(old: str, new: str) -> str:
    """The new text for a place that `old` has without its blank ends: it loses the same ends, or its own blanks."""
    lead = old[: len(old) - len(old.lstrip())]
    tail = old[len(old.rstrip()) :]
    new = new[len(lead) :] if new.startswith(lead) else new.lstrip() if lead else new
    return new[: len(new) - len(tail)] if tail and new.endswith(tail) else new.rstrip() if tail else new


def _without_blank_ends(wanted: EditReading) -> EditReading:
    """The edit without the blank lines at the two ends of its old text."""
    from .edit_readings import EditReading as Reading

    old, new = lines_of(wanted.old), lines_of(wanted.new)
    head = next(number for number, line in enumerate(old) if line.strip())
    tail = next(number for number, line in enumerate(reversed(old)) if line.strip())
    if not head + tail:
        return wanted
    bare = old[head : len(old) - tail]
    while head and new and not new[0].strip():
        head, new = head - 1, new[1:]
    while tail and new and not new[-1].strip():
        tail, new = tail - 1, new[:-1]
    return Reading("\n".join(bare), "\n".join(new), wanted.notes)
