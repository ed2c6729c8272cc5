"""Splices: ranges of a text and what they become. Every edit ends up as a list of them.

A list of splices is in order, and no two of its ranges overlap. Lists compose: what two steps do one after the other
is one list too, so positions can be followed through any number of steps without keeping the texts between.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from operator import attrgetter

from .value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .line_diff import Block

    #: The offset of the first character, and the offset after the last one.
    Range = tuple[int, int]


class Splice(Value):
    """The characters from `start` up to `end` become `text`."""

    start: int
    end: int
    text: str

    @property
    def growth(self) -> int:
        """How many characters longer the text gets."""
        return len(self.text) - (self.end - self.start)


def in_order(splices: Iterable[Splice]) -> list[Splice]:
    """Splices of several edits as one list."""
    return sorted(splices, key=attrgetter("start", "end"))


def splice(text: str, splices: Iterable[Splice]) -> str:
    """The text with all splices made."""
    splices = list(splices)
    if len(splices) == 1:
        # Only what follows is copied twice, because the first part grows in place.
        (only,) = splices
        result = text[: only.start]
        result += only.text
        result += text[only.end :]
        return result
    parts: list[str] = []
    position = 0
    for change in splices:
        parts += (text[position : change.start], change.text)
        position = change.end
    parts.append(text[position:])
    return "".join(parts)


def blocks_of(splices: Iterable[Splice]) -> list[Block]:
    """The range of each splice in the text before and in the text after."""
    blocks: list[Block] = []
    growth = 0
    for change in splices:
        new_start = change.start + growth
        blocks.append((change.start, change.end, new_start, new_start + len(change.text)))
        growth += change.growth
    return blocks


def reverse(blocks: Iterable[Block]) -> list[Block]:
    """The blocks that lead from the text after to the text before."""
    return [(new_start, new_end, old_start, old_end) for old_start, old_end, new_start, new_end in blocks]


def follow(ranges: Iterable[Range], blocks: Sequence[Block]) -> list[Range]:
    """Where ranges of the text before are in the text after.

    An edge inside of what changed moves to the outer edge of the change. What is inserted at an edge stays outside.
    """
    block_starts = [block[0] for block in blocks]
    before_all: Block = (0, 0, 0, 0)
    followed: list[Range] = []
    for start, end in ranges:
        number = bisect_right(block_starts, start)
        _, old_end, new_start, new_end = blocks[number - 1] if number else before_all
        new_low = new_start if start < old_end else start - old_end + new_end
        # A block that begins at the end of the range is behind it.
        number = bisect_left(block_starts, end)
        _, old_end, _, new_end = blocks[number - 1] if number else before_all
        new_high = new_end if end <= old_end else end - old_end + new_end
        followed.append((new_low, max(new_low, new_high)))
    return followed


def compose(first: Sequence[Splice], second: Sequence[Splice]) -> list[Splice]:
    """The splices that do in one step what `first` and then `second` do. Linear in both and their texts."""
    composed: list[Splice] = []
    done = growth = number = 0
    while number < len(second):
        later = second[number]
        while done < len(first) and first[done].end + growth + first[done].growth <= later.start:
            composed.append(first[done])
            growth += first[done].growth
            done += 1
        # Splices of both lists that overlap become one. Of the text that the last of `first` wrote, `second` may take
        # several parts; the rest of it stays.
        low, high = later.start - growth, later.end - growth
        parts: list[str] = []
        written, begin = "", later.end
        while True:
            while done < len(first) and first[done].start + growth < later.end:
                earlier = first[done]
                written, begin = earlier.text, earlier.start + growth
                parts.append(written[: max(0, later.start - begin)])
                low, high = min(low, earlier.start), earlier.end
                growth += earlier.growth
                done += 1
            parts.append(later.text)
            number += 1
            rest = max(0, later.end - begin)
            if number == len(second) or second[number].start >= begin + len(written):
                break
            later = second[number]
            parts.append(written[rest : later.start - begin])
        parts.append(written[rest:])
        composed.append(Splice(low, max(high, later.end - growth), "".join(parts)))
    composed += first[done:]
    return composed


def trace(steps: Sequence[Sequence[Splice]]) -> tuple[list[Range], list[Range], Sequence[Splice]]:
    """The ranges of all steps in the text before the first, the same in the text after the last, and all steps as one.

    Each step is made on the result of the one before. Each half of the steps is traced alone; then the ranges of one
    half are followed through the other.
    """
    if not steps:
        return [], [], ()
    if len(steps) == 1:
        (only,) = steps
        blocks = blocks_of(only)
        before = [(old_start, old_end) for old_start, old_end, _, _ in blocks]
        after = [(new_start, new_end) for _, _, new_start, new_end in blocks]
        return before, after, only
    half = len(steps) // 2
    # The ranges of both halves in the text between them lead to the texts before and after.
    first_before, first_between, first = trace(steps[:half])
    second_between, second_after, second = trace(steps[half:])
    second_before = follow(second_between, reverse(blocks_of(first)))
    first_after = follow(first_between, blocks_of(second))
    return first_before + second_before, first_after + second_after, compose(first, second)
