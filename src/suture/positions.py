"""Where string edits went, before and after: regions of a raw text, their pieces, and their places in the content.

A `Region` is what one span covers in the raw text, with the pieces that change in it. Regions of one edit lie apart and
in order. Positions are counted in the raw text here; `Span` has them as the caller counts, with line numbers.
"""

from __future__ import annotations

from .diff import changed_blocks
from .rewrite import Piece, literal_pieces, pieces_of, spliced
from .value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .locate.replacers import Span as Found
    from .text import Text


class Span(Value):
    """A part of a content: offsets of its first character and the one behind it, and its first and last line from 1."""

    start: int
    end: int
    first_line: int
    last_line: int


class Region:
    """What a span covers in the raw text, and the pieces of it that change."""

    __slots__ = ("end", "pieces", "start")

    def __init__(self, start: int, end: int, pieces: list[Piece]) -> None:
        self.start = start
        self.end = end
        self.pieces = pieces

    @property
    def growth(self) -> int:
        """How much longer it gets."""
        return sum(len(piece.new) - (piece.end - piece.start) for piece in self.pieces)


def regions(text: Text, spans: Sequence[Found], *, apart: bool = False) -> list[Region]:
    """The regions of an edit's spans; with `apart` lines that the new text keeps are no part of what changes."""
    found: list[Region] = []
    body, raw = text.body, text.raw
    for span in spans:
        if span.place is not None:
            pieces = pieces_of(text, span.place)
            start, end = text.raw_offset(span.place.start), text.raw_position(min(span.end + 1, len(body)))
            found.append(Region(start, end, pieces))
            continue
        start, end = span.start, span.end
        if not span.new and _covers_lines(body, start, end):
            # Lines that go leave no empty line behind: the newline goes too, or the one before the last line.
            if end < len(body):
                end += 1
            elif start > (found[-1].end if found else 0):
                start -= 1
        pieces = literal_pieces(text, start, end, span.new, apart=apart)
        region = Region(text.raw_position(start), text.raw_position(end), pieces)
        found.append(region)
    if any(piece.end > len(raw) for region in found for piece in region.pieces):
        _close(text, found)
    return found


def _covers_lines(body: str, start: int, end: int) -> bool:
    """Whether a span is whole lines without the last one's newline."""
    whole = (start == 0 or body[start - 1] == "\n") and (end == len(body) or body[end] == "\n")
    return whole and start < end and body[end - 1] != "\n"


def _close(text: Text, found: list[Region]) -> None:
    """Let pieces that reach behind a last line without newline end with it, and leave it without."""
    raw, newline = text.raw, text.newline
    for region in found:
        for piece in region.pieces:
            if piece.end > len(raw):
                if piece.start > len(raw):
                    piece.new = newline + piece.new.removesuffix(newline)
                    piece.start = len(raw)
                elif piece.new:
                    piece.new = piece.new.removesuffix(newline)
                else:
                    ending = "\r\n" if raw[: piece.start].endswith("\r\n") else raw[piece.start - 1 : piece.start]
                    piece.start -= len(ending)
                    region.start = min(region.start, piece.start)
                piece.end = len(raw)
        region.end = min(region.end, len(raw))


def merged(text: Text, edits: Sequence[Sequence[Region]]) -> str:
    """The raw text with the regions of all edits changed."""
    pieces = [piece for edit in edits for region in edit for piece in region.pieces]
    if len(pieces) == 1:
        piece = pieces[0]
        return f"{text.raw[: piece.start]}{piece.new}{text.raw[piece.end :]}"
    return spliced(text.raw, pieces)


def written(found: Sequence[Region]) -> list[tuple[int, int]]:
    """Where the regions of one edit lie in the text that came of it."""
    growth = 0
    ranges: list[tuple[int, int]] = []
    for region in found:
        start = region.start + growth
        growth += region.growth
        ranges.append((start, region.end + growth))
    return ranges


def spans_of(text: Text, ranges: Sequence[tuple[int, int]]) -> tuple[Span, ...]:
    """Ranges of the raw text, in order, as the caller counts."""
    spans: list[Span] = []
    raw = text.raw
    position, line, offset = 0, 1, text.first_offset
    for start, end in ranges:
        offset += text.content_size(raw[position:start])
        line += _endings(raw, position, start)
        size = text.content_size(raw[start:end])
        more = _endings(raw, start, end)
        open_end = end == start or raw[end - 1] not in "\n\r"
        spans.append(Span(offset, offset + size, line, max(line, line + more - (not open_end))))
        position, line, offset = end, line + more, offset + size
    return tuple(spans)


def _endings(raw: str, start: int, end: int) -> int:
    """How many lines end between two positions."""
    endings = raw.count("\n", start, end)
    carriage_returns = raw.count("\r", start, end)
    return endings + carriage_returns - raw.count("\r\n", start, end) if carriage_returns else endings


def counts(before: Text, after: Text, found: Sequence[Region] | None) -> tuple[int, int]:
    """How many lines came and went. With one region only the lines around it are compared."""
    old, new = before.raw, after.raw
    start, end = 0, len(old)
    if found is not None and len(found) == 1:
        start = old.rfind("\n", 0, found[0].start) + 1
        end = old.find("\n", found[0].end) + 1 or len(old)
    theirs = old[start:end].split("\n")
    ours = new[start : end + len(new) - len(old)].split("\n")
    additions = deletions = 0
    for a, b, c, d in changed_blocks(theirs, ours):
        additions += d - c
        deletions += b - a
    return additions, deletions


class Trail:
    """Where the regions of one edit of a list lie in the text before all edits, and in the text after them."""

    __slots__ = ("after", "before")

    def __init__(self, before: list[tuple[int, int]], after: list[tuple[int, int]]) -> None:
        self.before = before
        self.after = after

    @staticmethod
    def side_by_side(edits: Sequence[Sequence[Region]]) -> list[Trail]:
        """For edits that were all made on the same text."""
        every = sorted((region for edit in edits for region in edit), key=lambda region: region.start)
        pieces = [piece for region in every for piece in region.pieces]
        step = _Map(pieces)
        return [
            Trail(
                [(r.start, r.end) for r in edit],
                [(step.ahead(r.start, end=False), step.ahead(r.end, end=True)) for r in edit],
            )
            for edit in edits
        ]

    @staticmethod
    def one_after_another(edits: Sequence[Sequence[Region]]) -> list[Trail]:
        """For edits of which each was made on the result of the one before."""
        maps = [_Map([piece for region in edit for piece in region.pieces]) for edit in edits]
        trails: list[Trail] = []
        for number, edit in enumerate(edits):
            before = [(region.start, region.end) for region in edit]
            for step in reversed(maps[:number]):
                before = [(step.back(start, end=False), step.back(end, end=True)) for start, end in before]
            after = written(edit)
            for step in maps[number + 1 :]:
                after = [(step.ahead(start, end=False), step.ahead(end, end=True)) for start, end in after]
            trails.append(Trail(before, after))
        return trails


class _Map:
    """Positions of a text before and after some pieces of it changed.

    A position inside of what changed is taken to its edge: the beginning of a range to the first, the end to the last.
    """

    def __init__(self, pieces: Sequence[Piece]) -> None:
        self.before: list[tuple[int, int]] = []
        self.after: list[tuple[int, int]] = []
        growth = 0
        for piece in sorted(pieces, key=lambda piece: (piece.start, piece.end)):
            self.before.append((piece.start, piece.end))
            self.after.append((piece.start + growth, piece.start + growth + len(piece.new)))
            growth += len(piece.new) - (piece.end - piece.start)

    def ahead(self, position: int, *, end: bool) -> int:
        """Where a position of the text before lies in the text after."""
        return _mapped(position, self.before, self.after, end=end)

    def back(self, position: int, *, end: bool) -> int:
        """Where a position of the text after lies in the text before."""
        return _mapped(position, self.after, self.before, end=end)


def _mapped(position: int, here: Sequence[tuple[int, int]], there: Sequence[tuple[int, int]], *, end: bool) -> int:
    from bisect import bisect_right

    index = bisect_right(here, (position, 1 << 62)) - 1
    if end and index >= 0 and here[index][0] == position:
        # What begins where a range ends is no part of it.
        index -= 1
    if index < 0:
        return position
    first, last = here[index]
    if position >= last and not (position == first and not end):
        return position - last + there[index][1]
    return there[index][1] if end else there[index][0]
