"""Where edits went, as the caller counts: characters of a str or bytes of bytes, and line numbers."""

from __future__ import annotations

from ..core.line_diff import changed_blocks
from ..core.splices import blocks_of, compose, follow, in_order, reverse
from ..core.string_edits import Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.splices import Range, Splice
    from ..core.text import Text
    from .edit_step import EditStep

    #: For each step its ranges in the text before all steps and in the text after all; and all steps as one.
    Trail = tuple[list[list[Range]], list[list[Range]], Sequence[Splice]]


def written_ranges(steps: Sequence[EditStep]) -> list[list[Range]]:
    """Where the ranges of steps that were all made on the same text are in the text after them."""
    splices = in_order([one for step in steps for one in step.splices])
    blocks = blocks_of(splices)
    block_of = {id(one): block for one, block in zip(splices, blocks, strict=True)}
    written: list[list[Range]] = []
    for step in steps:
        ranges = follow(step.ranges, blocks)
        for number, own in enumerate(step.changes):
            if own:
                # What is inserted at an edge is outside of a range, unless the step itself inserts it.
                first, last = block_of[id(own[0])], block_of[id(own[-1])]
                ranges[number] = min(ranges[number][0], first[2]), max(ranges[number][1], last[3])
        written.append(ranges)
    return written


def trace(steps: Sequence[EditStep]) -> Trail:
    """Follow steps of which each was made on the result of the one before. Halves are traced and then composed."""
    if len(steps) == 1:
        return [list(steps[0].ranges)], written_ranges(steps), steps[0].splices
    middle = len(steps) // 2
    before, between, first = trace(steps[:middle])
    later, after, second = trace(steps[middle:])
    there, back = blocks_of(second), reverse(blocks_of(first))
    before += [follow(ranges, back) for ranges in later]
    return before, [follow(ranges, there) for ranges in between] + after, compose(first, second)


def spans_of(text: Text, ranges: Sequence[Range]) -> tuple[Span, ...]:
    """Ranges of the raw text as the caller counts. The text before them is read once."""
    spans: dict[int, Span] = {}
    raw = text.raw
    size = len(raw)
    position, line, offset = 0, 1, text.first_offset
    for number in sorted(range(len(ranges)), key=ranges.__getitem__):
        start, end = min(ranges[number][0], size), min(ranges[number][1], size)
        offset += text.content_size(raw[position:start])
        line += _endings(raw, position, start)
        position = start
        length = text.content_size(raw[start:end])
        ends_line = end > start and raw[end - 1] in "\n\r"
        last_line = line + _endings(raw, start, end) - ends_line
        spans[number] = Span(offset, offset + length, line, max(line, last_line))
    return tuple([spans[number] for number in range(len(ranges))])


def _endings(raw: str, start: int, end: int) -> int:
    """How many lines end between two positions."""
    endings = raw.count("\n", start, end)
    carriage_returns = raw.count("\r", start, end)
    return endings + carriage_returns - raw.count("\r\n", start, end) if carriage_returns else endings


def count_lines(before: Text, after: Text, ranges: Sequence[Range] = ()) -> tuple[int, int]:
    """How many lines were added and deleted. With ranges, only the lines from the first to the last are compared."""
    old, new = before.body, after.body
    start, end = 0, len(old)
    if ranges and before.raw is old and after.raw is new:
        start = old.rfind("\n", 0, ranges[0][0]) + 1
        end = old.find("\n", ranges[-1][1]) + 1 or len(old)
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
