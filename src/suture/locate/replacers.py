"""The nine replacers: ways to find the old text of a string edit, in the order in which they are asked.

Each is one small function that takes the text and the edit and gives back spans. The first replacer with any span
decides; a looser one is not asked where a stricter one found several. A span is a place, not a string: two places that
differ only in white space are two. Replacers that work on whole lines treat the edit as a hunk, so that lines that the
new text keeps stay as the file has them.
"""

from __future__ import annotations

from ..indentation import shift_between, split_indent, unchanged
from .blocks import find_blocks, without_blanks
from .fitting import fitted
from .ladder import ESCAPES, QUOTES, says_something, unescape, unescapings
from .patterns import fills_lines, find_words, is_apart
from .place import Place
from .search import MOST_PLACES, find_block
from .wanted import lines_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from ..text import Text
    from .wanted import Wanted

    Replacer = Callable[[Text, Wanted], list["Span"]]


#: Equal lines that a line which is missing or one too many needs beside it. String edits have less context than hunks.
LINES_FOR_A_GAP = 3


class Span:
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


def simple(text: Text, wanted: Wanted) -> list[Span]:
    """`old`, exactly, also as part of a line. Answers no mistake. Costs one search of the text."""
    return [Span(start, start + len(wanted.old), wanted.new) for start in everywhere(text.body, wanted.old)]


def line_trimmed(text: Text, wanted: Wanted) -> list[Span]:
    """Lines equal when trimmed on both sides.

    Answers lost, added or wrong indentation and trailing space. Costs a search for the longest line, and a folded copy
    of the text where that line is everywhere.
    """
    return _whole_lines(text, wanted, ("exact", "trailing", "indent"))


def block_anchor(text: Text, wanted: Wanted) -> list[Span]:
    """First and last line equal when trimmed, about as many lines between, alike by 0.65 in the mean.

    Answers a middle that was written from memory. Costs a search for the first line, and a bounded number of
    comparisons of lines.
    """
    return _as_spans(text, find_blocks(text, wanted.hunk, alike=True))


def whitespace_normalized(text: Text, wanted: Wanted) -> list[Span]:
    """Equal when runs of white space are folded, within a line or over lines; Unicode punctuation is folded too.

    Answers tabs for spaces, other spacing inside lines, lines that were joined or broken, curly quotes. What the new
    text keeps at its two ends stays as the file has it. Costs what line-trimmed does, and a few searches for words.
    """
    found = _whole_lines(text, wanted, ("exact", "punctuation", "whitespace"))
    words = wanted.old.split()
    if found or len(words) < 2 or not any(map(says_something, wanted.old.split("\n"))):
        return found
    body = text.body
    over_lines = "\n" in wanted.old.strip()
    old_lines = [line.split() for line in wanted.hunk.old if line.strip()]
    for start, end in find_words(body, words, r"\s++"):
        lines = body[start:end].split("\n")
        if (over_lines or len(lines) > 1 or wanted.old[-1] == "\n") and not fills_lines(body, start, end):
            continue
        if fills_lines(body, start, end) and [line for line in map(str.split, lines) if line] == old_lines:
            # Only blank lines differ, which are lines like any other.
            place = without_blanks(text, wanted.hunk, start, end)
            found += _as_spans(text, [place]) if place is not None else []
        elif _is_level(wanted.old, body[start:end], body[body.rfind("\n", 0, start) + 1 : start]):
            found.append(_narrowed(body, start, end, wanted))
    return found


def _is_level(old: str, found: str, indent: str) -> bool:
    """Whether lines that begin with the same word on both sides differ by one shift of their indentation."""
    ours, theirs = _line_starts(old), _line_starts(indent + found)
    pairs = [(line, theirs[word]) for word, line in ours.items() if word in theirs]
    return shift_between(pairs, ()) is not None


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


def _narrowed(body: str, start: int, end: int, wanted: Wanted) -> Span:
    """A span without the lines that the new text keeps at its two ends, and what comes there."""
    old, new = lines_of(wanted.old), lines_of(wanted.new)
    most = min(len(old), len(new)) - 1
    head = next((number for number in range(most) if old[number] != new[number]), max(0, most))
    most -= head
    tail = next((number for number in range(most) if old[-1 - number] != new[-1 - number]), max(0, most))
    above = sum(len(line.split()) for line in old[:head])
    below = sum(len(line.split()) for line in old[len(old) - tail :])
    first, last = _inner(body[start:end], above, below)
    text_first, text_last = _inner(wanted.new, above, below)
    return Span(start + first, start + last, wanted.new[text_first:text_last], ("whitespace",), whole=(start, end))


def _inner(text: str, head: int, tail: int) -> tuple[int, int]:
    """What lies between the first words of a text and its last ones: all of it but its ends where there are none."""
    from re import finditer

    spots = [match.span() for match in finditer(r"\S+", text)]
    first = spots[head - 1][1] if head else spots[0][0] if spots else 0
    last = spots[len(spots) - tail][0] if tail else spots[-1][1] if spots else 0
    return first, max(first, last)


def indentation_flexible(text: Text, wanted: Wanted) -> list[Span]:
    """Lines equal when the block's common indentation is taken off; the first may begin in the middle of a line.

    Answers an old text that starts behind an indentation, or behind `x = `, and has the rest at another depth. Costs
    a few searches for lines. Whole lines at another depth are found by line-trimmed already.
    """
    lines = wanted.old.split("\n")
    bare = [line.strip() for line in lines]
    if len(lines) < 2 or not bare[0] or not bare[-1]:
        return []
    spans: list[Span] = []
    for start, end in find_words(text.body, bare, r"[ \t]*+\n[ \t]*+"):
        if not says_something(bare[0]) and text.body[text.body.rfind("\n", 0, start) + 1 : start].strip():
            # A mere brace at the end of a line is not the line that it is in the old text.
            continue
        theirs = text.body[start:end].split("\n")
        pairs = [pair for pair in zip(lines[1:], theirs[1:], strict=True) if pair[0].strip()]
        shift = shift_between(pairs, ())
        if shift is None:
            return []
        new = _within(lines[0], wanted.new).split("\n")
        if shift is not unchanged:
            new[1:] = [_shifted(line, shift) for line in new[1:]]
        notes = ("indentation_shifted",) if shift is not unchanged else ("indent",)
        spans.append(Span(start, end, "\n".join(new), notes))
    return spans


def escape_normalized(text: Text, wanted: Wanted) -> list[Span]:
    r"""Equal when `\n`, `\t`, quotes, backslashes and the like are unescaped in `old`, never in the file.

    Answers arguments that were escaped once too often. In the new text the escapes that made the match are undone too:
    quotes and backslashes, tabs that indent, and newlines where it has none of its own. Costs a search for each of a
    handful of ways to unescape.
    """
    if "\\" not in wanted.old:
        return []
    for way in _ways(wanted.old):
        old = unescape(wanted.old, way)
        starts = everywhere(text.body, old)
        if starts:
            new, undone = _undone(wanted.new, _bare(wanted.old), way)
            notes = ("escapes", "escapes_undone") if undone else ("escapes",)
            return [Span(start, start + len(old), new, notes) for start in starts]
    return []


def trimmed_boundary(text: Text, wanted: Wanted) -> list[Span]:
    """`old` without the blank space at its two ends; the new text loses the same.

    Answers a quotation with a line break or blanks around it. Costs one search, and what line-trimmed does.
    """
    bare = wanted.old.strip()
    if bare == wanted.old or not says_something(bare):
        return []
    new = _within(wanted.old, wanted.new)
    spans = [(start, start + len(bare)) for start in everywhere(text.body, bare)]
    # A line break at an end of the old text says that a line begins or ends there.
    lead, tail = wanted.old.partition(bare)[::2]
    edges = ("\n" in lead, "\n" in tail)
    found = [
        Span(a, b, new, ("trimmed",))
        for a, b in spans
        if is_apart(text.body, a, b) and _has_edges(text.body, a, b, edges)
    ]
    if found or "\n" not in bare:
        return found
    lines = _without_blank_ends(wanted)
    return [] if lines is wanted else _whole_lines(text, lines, ("exact", "trailing", "indent"), ("trimmed",))


def context_aware(text: Text, wanted: Wanted) -> list[Span]:
    """First and last line equal when trimmed, the same number of lines, at least half of those between equal.

    Answers lines between that are nothing like the file's. Costs what block-anchor does.
    """
    return _as_spans(text, find_blocks(text, wanted.hunk, alike=False))


def multi_occurrence(text: Text, wanted: Wanted) -> list[Span]:
    """All exact occurrences, from left to right, none overlapping: what `replace_all` replaces. Costs one search."""
    spans: list[Span] = []
    size = len(wanted.old)
    start = text.body.find(wanted.old)
    while start >= 0:
        spans.append(Span(start, start + size, wanted.new))
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


def similar(text: Text, wanted: Wanted) -> list[Span]:
    """Most lines equal, the rest close: the last tier of hunks, under its floors.

    Not one of the nine: it is asked where all of them have failed, for a slip in the first or the last line. Costs a
    bounded alignment.
    """
    from .similar import find_similar

    return _as_spans(text, find_similar(text, wanted.hunk, 0, (), LINES_FOR_A_GAP))


def everywhere(body: str, needle: str, most: int = MOST_PLACES) -> list[int]:
    """The offsets of a text in another, overlapping ones included."""
    found: list[int] = []
    start = body.find(needle)
    while start >= 0 and len(found) < most:
        found.append(start)
        start = body.find(needle, start + 1)
    return found


def _whole_lines(text: Text, wanted: Wanted, tiers: tuple[str, ...], notes: tuple[str, ...] = ()) -> list[Span]:
    """The places of the edit's lines at the strictest of these tiers that has any."""
    hunk = wanted.hunk
    old = hunk.old
    if not any(map(str.strip, old)):
        return []
    found = find_block(text.body, old, tiers)
    if found is None:
        return []
    if found.tier == "exact":
        # Simple would have found it, but for a newline behind the file's last line.
        notes = (*notes, "final_newline")
    places = [Place(hunk, start, found.tier, notes) for start in found.starts]
    if found.tier not in ("exact", "trailing"):
        places = [fitted(place, wanted, text.body) for place in places]
    return _as_spans(text, places)


def _as_spans(text: Text, places: Sequence[Place]) -> list[Span]:
    body = text.body
    return [Span(place.start, min(place.end(body) - 1, len(body)), "", (), place) for place in places]


def _has_edges(body: str, start: int, end: int, edges: tuple[bool, bool]) -> bool:
    """Whether nothing stands before a span on its first line, and behind it on its last, where that is asked for."""
    last = body.find("\n", end)
    before = body[body.rfind("\n", 0, start) + 1 : start]
    behind = body[end : len(body) if last < 0 else last]
    return not (edges[0] and before.strip()) and not (edges[1] and behind.strip())


def _within(old: str, new: str) -> str:
    """The new text for a place that `old` has without its blank ends: it loses the same ends, or its own blanks."""
    lead = old[: len(old) - len(old.lstrip())]
    tail = old[len(old.rstrip()) :]
    new = new[len(lead) :] if new.startswith(lead) else new.lstrip() if lead else new
    return new[: len(new) - len(tail)] if tail and new.endswith(tail) else new.rstrip() if tail else new


def _without_blank_ends(wanted: Wanted) -> Wanted:
    """The edit without the blank lines at the two ends of its old text."""
    from .wanted import Wanted as Edit

    old, new = lines_of(wanted.old), lines_of(wanted.new)
    head = next(number for number, line in enumerate(old) if line.strip())
    tail = next(number for number, line in enumerate(reversed(old)) if line.strip())
    if not head + tail:
        return wanted
    while head and new and not new[0].strip():
        head, new = head - 1, new[1:]
    while tail and new and not new[-1].strip():
        tail, new = tail - 1, new[:-1]
    return Edit("\n".join(old).strip("\n"), "\n".join(new), wanted.notes)


def _shifted(line: str, shift: Callable[[str], str]) -> str:
    indent, rest = split_indent(line)
    return shift(indent) + rest if rest else line


_NEWLINE = {"\\n": "\n", "\\r": ""}


def _ways(old: str) -> Iterator[Mapping[str, str]]:
    """The sets of escapes to undo, the smallest first; those with newlines last."""
    ways: list[dict[str, str]] = [way for way in unescapings((old,)) if way]
    yield from ways
    if "\\n" in old:
        # Who escapes newlines has escaped everything.
        for way in ({}, *ways):
            yield way | _NEWLINE


def _bare(old: str) -> str:
    """A text without its escapes."""
    from re import sub

    return sub(r"\\.", "", old)


def _undone(new: str, old: str, way: Mapping[str, str]) -> tuple[str, bool]:
    """The new text with the escapes undone that it must have been written with, and whether there were any.

    Where newlines were escaped everything was, but for characters that the old text has as they are.
    """
    if "\\n" in way and "\n" not in new:
        others = {escape: plain for escape, plain in ESCAPES if plain not in old}
        fitted_text = unescape(new, {**others, "\\\\": "\\", **way})
        return fitted_text, fitted_text != new
    kept = {escape: plain for escape, plain in way.items() if escape in QUOTES or escape == "\\\\"}
    lines = [unescape(line, kept) for line in new.split("\n")]
    if "\\t" in way:
        for number, line in enumerate(lines):
            rest = line
            while rest.startswith("\\t"):
                rest = rest[2:]
            lines[number] = "\t" * ((len(line) - len(rest)) // 2) + rest
    fitted_text = "\n".join(lines)
    return fitted_text, fitted_text != new
