"""Where string edits went, before and after: regions of a raw text, their pieces, and their places in the content.

A `Region` is what one span covers in the raw text, with the pieces that change in it. Regions of one edit lie apart and
in order. Positions are counted in the raw text here; `Span` has them as the caller counts, with line numbers.
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import accumulate, zip_longest

from ..core.line_diff import changed_blocks
from ..core.string_edits import Span
from ..locate.patterns import fills_lines, whole_lines
from .rewrite import Piece, literal_pieces, pieces_of, spliced

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.text import Text
    from ..locate.replacers import TextPlace


class Region:
    """What a span covers in the raw text, and the pieces of it that change."""

    __slots__ = ("end", "is_literal", "pieces", "start")

    def __init__(self, start: int, end: int, pieces: list[Piece], *, is_literal: bool = False) -> None:
        self.start = start
        self.end = end
        self.pieces = pieces
        #: Whether the new text says itself how the last line ends.
        self.is_literal = is_literal

    @property
    def growth(self) -> int:
        """How much longer it gets."""
        return sum(len(piece.new) - (piece.end - piece.start) for piece in self.pieces)


def regions(text: Text, spans: Sequence[TextPlace], *, apart: bool = False) -> list[Region]:
    """The regions of an edit's spans; with `apart` lines that the new text keeps are no part of what changes."""
    found: list[Region] = []
    body, raw = text.body, text.raw
    for span, following in zip_longest(spans, spans[1:]):
        if span.place is not None:
            pieces = pieces_of(text, span.place)
            start, end = text.raw_offset(span.place.start), text.raw_position(min(span.end + 1, len(body)))
            found.append(Region(start, end, pieces))
            continue
        start, end = span.start, span.end
        if not span.new and span.notes and fills_lines(body, start, end):
            # What was found loosely is whole lines where only blanks are beside it.
            start, end = whole_lines(body, start, end)
        if not span.new and _covers_lines(body, start, end) and (following is None or end < following.start):
            # Lines that go leave no empty line behind: the newline goes too.
            end = min(end + 1, len(body))
        pieces = literal_pieces(text, start, end, span.new, apart=apart)
        first, last = text.raw_position(start), text.raw_position(end)
        found.append(Region(first, last, pieces, is_literal=span.new != ""))
    if any(piece.end > len(raw) for region in found for piece in region.pieces):
        _close(text, found)
    return found


def _covers_lines(body: str, start: int, end: int) -> bool:
    """Whether a span is whole lines without the last one's newline."""
    whole = (start == 0 or body[start - 1] == "\n") and (end == len(body) or body[end] == "\n")
    return whole and start < end and body[end - 1] != "\n"


def _close(text: Text, found: list[Region]) -> None:
    """Let pieces that reach behind a last line without newline end with it, and leave it without."""
    size, newline = len(text.raw), text.newline
    for region in found:
        for piece in region.pieces:
            if piece.end > size:
                piece.new = piece.new.removesuffix(newline)
                if piece.start > size:
                    piece.new = newline + piece.new
                piece.start, piece.end = min(piece.start, size), size
        region.end = min(region.end, size)


def settle(text: Text, edits: Sequence[Sequence[Region]]) -> None:
    """Where the last lines go and the last one had no newline, let the line before them be without one too.

    The newline is made part of the region that goes; regions may be those of several edits.
    """
    raw = text.raw
    if not raw or raw[-1] in "\n\r":
        return
    pairs = [(region, piece) for edit in edits for region in edit for piece in region.pieces]
    pairs.sort(key=lambda pair: (pair[1].start, pair[1].end), reverse=True)
    start, last = len(raw), None
    for region, piece in pairs:
        if piece.end == start and last is not None and piece.new.endswith(text.newline):
            # The line before them is another edit's.
            piece.new = piece.new.removesuffix(text.newline)
            return
        if piece.end != start or piece.new or region.is_literal:
            break
        start, last = piece.start, (region, piece)
    if last is not None and start and raw[start - 1] in "\n\r":
        region, piece = last
        piece.start -= 2 if raw[:start].endswith("\r\n") else 1
        region.start = min(region.start, piece.start)


def merged(text: Text, edits: Sequence[Sequence[Region]]) -> str:
    """The raw text with the regions of all edits changed."""
    raw = text.raw
    pieces = [piece for edit in edits for region in edit for piece in region.pieces]
    if len(pieces) == 1:
        piece = pieces[0]
        return f"{raw[: piece.start]}{piece.new}{raw[piece.end :]}"
    return spliced(raw, pieces)


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
    """Ranges of the raw text as the caller counts. It is quick where they are in order."""
    spans: list[Span] = []
    raw = text.raw
    size = len(raw)
    position, line, offset = 0, 1, text.first_offset
    for first, last in ranges:
        start, end = min(first, size), min(last, size)
        if start < position:
            position, line, offset = 0, 1, text.first_offset
        offset += text.content_size(raw[position:start])
        line += _endings(raw, position, start)
        length = text.content_size(raw[start:end])
        more = _endings(raw, start, end)
        open_end = end == start or raw[end - 1] not in "\n\r"
        spans.append(Span(offset, offset + length, line, max(line, line + more - (not open_end))))
        position, line, offset = end, line + more, offset + length
    return tuple(spans)


def _endings(raw: str, start: int, end: int) -> int:
    """How many lines end between two positions."""
    endings = raw.count("\n", start, end)
    carriage_returns = raw.count("\r", start, end)
    return endings + carriage_returns - raw.count("\r\n", start, end) if carriage_returns else endings


def counts(before: Text, after: Text, found: Sequence[Region] | None) -> tuple[int, int]:
    """How many lines came and went. With one region only the lines around it are compared."""
    old, new = before.body, after.body
    start, end = 0, len(old)
    if found is not None and len(found) == 1 and before.raw is old and after.raw is new:
        start = old.rfind("\n", 0, found[0].start) + 1
        end = old.find("\n", found[0].end) + 1 or len(old)
    additions = deletions = 0
    for a, b, c, d in changed_blocks(_lines(old[start:end]), _lines(new[start : end + len(new) - len(old)])):
        additions += d - c
        deletions += b - a
    return additions, deletions


def _lines(text: str) -> list[str]:
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return lines


class Trail:
    """Where the regions of one edit of a list lie in the text before all edits, and in the text after them."""

    __slots__ = ("after", "before")

    def __init__(self, before: list[tuple[int, int]], after: list[tuple[int, int]]) -> None:
        self.before = before
        self.after = after

    @staticmethod
    def side_by_side(edits: Sequence[Sequence[Region]]) -> list[Trail]:
        """For edits that were all made on the same text."""
        pieces = sorted(
            (piece.start, piece.end, len(piece.new)) for edit in edits for region in edit for piece in region.pieces
        )
        starts = [start for start, _, _ in pieces]
        inserted = {
            piece.start: (number, len(piece.new))
            for number, edit in enumerate(edits)
            for region in edit
            for piece in region.pieces
            if piece.start == piece.end
        }
        growths = [0, *accumulate(size - (end - start) for start, end, size in pieces)]

        def moved(position: int, *, end: bool) -> int:
            """Where an edge of a region lies afterwards; inside of what another edit changed, at the edge of that."""
            index = bisect_left(starts, position)
            if index:
                first, last, size = pieces[index - 1]
                if position < last:
                    return first + growths[index - 1] + size * end
            return position + growths[index]

        trails: list[Trail] = []
        for number, edit in enumerate(edits):
            after: list[tuple[int, int]] = []
            for region in edit:
                # What comes in at an edge of a region is its own, or else the other edit's alone.
                own = sum(len(piece.new) for piece in region.pieces if piece.start == piece.end == region.end)
                owner, size = inserted.get(region.start, (number, 0))
                start = moved(region.start, end=False) + (size if owner != number else 0)
                after.append((start, max(start, moved(region.end, end=True) + own)))
            trails.append(Trail([(region.start, region.end) for region in edit], after))
        return trails

    @staticmethod
    def one_after_another(edits: Sequence[Sequence[Region]]) -> list[Trail]:
        """For edits of which each was made on the result of the one before."""
        table = _Table()
        trails = [Trail([], []) for _ in edits]
        for trail, edit in zip(trails, edits, strict=True):
            trail.before = [
                (table.origin(region.start, end=False), table.origin(region.end, end=True)) for region in edit
            ]
            for region in reversed(edit):
                for piece in reversed(region.pieces):
                    table.replace(piece.start, piece.end, len(piece.new))
            for start, end in written(edit):
                table.mark(start, end, trail)
        table.tell()
        return trails


class _Part:
    """A part of the text: of the original from `first` on, or what came for the original's `first` to `last`."""

    __slots__ = ("first", "is_new", "last", "size")

    def __init__(self, size: int, first: int, last: int, *, is_new: bool) -> None:
        self.size = size
        self.first = first
        self.last = last
        self.is_new = is_new


class _Mark:
    """An edge of a region: where one begins, or where one ends."""

    __slots__ = ("ends", "size", "trail")

    def __init__(self, trail: Trail, *, ends: bool) -> None:
        self.trail = trail
        self.ends = ends
        self.size = 0


class _Table:
    """A text as the parts that it is made of after some edits, and the edges of what each of them wrote."""

    def __init__(self) -> None:
        self._parts: list[_Part | _Mark] = [_Part(1 << 60, 0, 1 << 60, is_new=False)]
        #: A part that was looked at last, and where it begins. What changes lies behind it.
        self._last = (0, 0)

    def origin(self, position: int, *, end: bool) -> int:
        """Where a position lies in the original; inside of what came in, at the edge of what that stands for."""
        index, offset = self._find(position, end=end)
        part = self._parts[index]
        assert isinstance(part, _Part), "BUG: a mark has no size"
        if part.is_new:
            return part.last if end else part.first
        return part.first + offset

    def replace(self, start: int, end: int, size: int) -> None:
        """Put `size` new characters where those from `start` to `end` stand; edges inside go to the outside."""
        first, last = self.origin(start, end=False), self.origin(end, end=True) if end > start else -1
        behind = self._cut(end)
        size_before = len(self._parts)
        begin = self._behind_marks(self._cut(start))
        behind = max(begin, behind + len(self._parts) - size_before)
        inside = [part for part in self._parts[begin:behind] if isinstance(part, _Mark)]
        new = _Part(size, first, max(first, last), is_new=True)
        self._parts[begin:behind] = [*(m for m in inside if not m.ends), new, *(m for m in inside if m.ends)]

    def mark(self, start: int, end: int, trail: Trail) -> None:
        """Remember what an edit wrote."""
        ends = self._cut(end)
        self._parts.insert(ends, _Mark(trail, ends=True))
        begins = self._behind_marks(self._cut(start)) if end > start else ends
        self._parts.insert(begins, _Mark(trail, ends=False))

    def tell(self) -> None:
        """Write down where all edges are now."""
        position = 0
        begun: dict[int, list[int]] = {}
        for part in self._parts:
            if isinstance(part, _Mark):
                if part.ends:
                    part.trail.after.append((begun[id(part.trail)].pop(), position))
                else:
                    begun.setdefault(id(part.trail), []).append(position)
            position += part.size

    def _behind_marks(self, index: int) -> int:
        while isinstance(self._parts[index], _Mark):
            index += 1
        return index

    def _seek(self, position: int) -> tuple[int, int]:
        """A part that begins before a position, and where: looked for from the last one, as edits mostly follow."""
        index, begins = self._last
        while index and begins >= position:
            index -= 1
            begins -= self._parts[index].size
        return index, begins

    def _find(self, position: int, *, end: bool) -> tuple[int, int]:
        """The part that a position is in, and where; a range's end belongs to the part before it."""
        index, begins = self._seek(position)
        while True:
            self._last = index, begins
            size = self._parts[index].size
            if position - begins < size or (end and 0 < position - begins == size):
                return index, position - begins
            index, begins = index + 1, begins + size

    def _cut(self, position: int) -> int:
        """The index of the part that begins at a position; a part around it is cut in two."""
        self._last = index, begins = self._seek(position)
        while begins < position:
            part = self._parts[index]
            if position - begins < part.size:
                assert isinstance(part, _Part), "BUG: a mark has no size"
                size = position - begins
                first = part.first if part.is_new else part.first + size
                self._parts[index : index + 1] = [
                    _Part(size, part.first, part.last if part.is_new else first, is_new=part.is_new),
                    _Part(part.size - size, first, part.last, is_new=part.is_new),
                ]
            self._last = index, begins
            index, begins = index + 1, begins + self._parts[index].size
        return index
