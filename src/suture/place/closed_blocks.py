"""Blocks that a line closes, and how deep the innermost of them is around each offset of a text."""

from __future__ import annotations

from bisect import bisect

from ..core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


class ClosedBlock(Value):
    """A block that a line closes: its lines, and the indentation of the two lines that open and close it.

    The lines go from the offset `start` up to the offset `end`, without these two.
    """

    start: int
    end: int
    width: int


class OpenBlock(Value):
    """A block that was not closed yet: where its lines begin, its indentation, and the kind of what closes it."""

    start: int
    width: int
    closed_by: str


class BlockDepths:
    """How deep the innermost block is that each offset of a text is in, by the line that opens the block."""

    def __init__(self, blocks: Iterable[ClosedBlock]) -> None:
        #: The offsets at which the innermost block changes, and from each of them on its depth: -1 outside of all.
        self._starts: list[int] = [0]
        self._widths: list[int] = [-1]
        #: The blocks around the current offset, from the outermost to the innermost.
        around: list[ClosedBlock] = []
        for block in blocks:
            self._leave(around, block.start)
            around.append(block)
            self._add(block.start, block.width)
        self._leave(around, None)

    def _leave(self, around: list[ClosedBlock], offset: int | None) -> None:
        """Leave the blocks that end at an offset or before; without an offset, all of them."""
        while around and (offset is None or around[-1].end <= offset):
            ended = around.pop()
            self._add(ended.end, around[-1].width if around else -1)

    def _add(self, start: int, width: int) -> None:
        self._starts.append(start)
        self._widths.append(width)

    def at(self, offset: int) -> int:
        """How deep the line is that opens the innermost block around an offset; -1 outside of all blocks."""
        return self._widths[bisect(self._starts, offset) - 1]
