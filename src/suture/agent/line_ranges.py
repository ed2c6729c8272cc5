"""Which lines of a text are known: ranges of line numbers, from 1 and inclusive; None is all of it.

Pure: ranges and lines in, ranges out.
"""

from __future__ import annotations

from itertools import groupby

from ..core.line_diff import changed_blocks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    from ..core.line_diff import Block

    Ranges: TypeAlias = tuple[tuple[int, int], ...] | None

#: How a text with no known line is stored; the empty string is all of a text.
_NOTHING = "none"


def join_ranges(*ranges: Ranges) -> Ranges:
    """All lines of several ranges, in order, those next to each other joined."""
    joined: list[tuple[int, int]] = []
    if None in ranges:
        return None
    for first, last in sorted([one for part in ranges for one in part or ()]):
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(last, joined[-1][1]))
        else:
            joined.append((first, last))
    return tuple(joined)


def holds(known: Ranges, first: int, last: int) -> bool:
    """Whether lines are known. Of an empty range, before line `first` = `last` + 1, one of its neighbors."""
    return known is None or any(start <= first and last <= end for start, end in known)


def gaps(known: Ranges, of: int) -> list[tuple[int, int]]:
    """The lines that are not known, of a text with so many lines."""
    if known is None:
        return []
    edges = [0, *[edge for first, last in known for edge in (first, last)], of + 1]
    return [(last + 1, first - 1) for last, first in zip(edges[::2], edges[1::2], strict=True) if last + 1 < first]


def carry(known: Ranges, old: Sequence[str], new: Sequence[str], *, is_change_known: bool = True) -> Ranges:
    """The lines that are known of a text that was changed: lines that stayed, and the changed ones if these are."""
    if known is None and is_change_known:
        return None
    is_known_before = [known is None] * len(old)
    for first, last in known or ():
        # What is stored may be longer than the text.
        count = min(last, len(old)) - (first - 1)
        is_known_before[first - 1 : last] = [True] * count
    is_known: list[bool] = []
    stayed_from = 0
    for start, end, new_start, new_end in changed_blocks(old, new):
        is_known += is_known_before[stayed_from:start]
        is_known += [is_change_known] * (new_end - new_start)
        stayed_from = end
    is_known += is_known_before[stayed_from:]
    if all(is_known):
        return None
    return _ranges_of(is_known)


def _ranges_of(is_known: Sequence[bool]) -> tuple[tuple[int, int], ...]:
    """The lines that are known, as ranges, by what is said of each line."""
    ranges: list[tuple[int, int]] = []
    number = 1
    for are_known, group in groupby(is_known):
        count = len(list(group))
        if are_known:
            ranges.append((number, number + count - 1))
        number += count
    return tuple(ranges)


def insertion_points(before: Sequence[str], after: Sequence[str]) -> list[tuple[int, int]]:
    """Where an edit adds more lines than it removes: the lines [start, end) of the text before that it replaces.

    Lines that come in beside equal ones may come in at several points; then it is all of these.
    """
    points: list[tuple[int, int]] = []
    blocks = changed_blocks(before, after)
    for number, (start, end, low, high) in enumerate(blocks):
        if high - low <= end - start:
            continue
        up = down = 0
        if start == end:
            up, down = _reach(after, (low, high), _free(blocks, number, 2, len(after)))
        points.append((start - up, end + down))
    return points


def changes_meet(before: Sequence[str], now: Sequence[str], points: Sequence[tuple[int, int]]) -> bool:
    """Whether what has changed between two texts includes a line beside one of these points of the second text."""
    blocks = changed_blocks(before, now)
    for number, (start, end, low, high) in enumerate(blocks):
        up = down = 0
        if start == end:
            up, down = _reach(now, (low, high), _free(blocks, number, 2, len(now)))
        elif low == high:
            up, down = _reach(before, (start, end), _free(blocks, number, 0, len(before)))
        if any(first <= high + down and low - up <= last for first, last in points):
            return True
    return False


def _free(blocks: Sequence[Block], number: int, side: int, size: int) -> tuple[int, int]:
    """The lines around a block up to its neighbors, in the text before (side 0) or after (side 2)."""
    low = blocks[number - 1][side + 1] if number else 0
    high = blocks[number + 1][side] if number + 1 < len(blocks) else size
    return low, high


def _reach(lines: Sequence[str], block: tuple[int, int], free: tuple[int, int]) -> tuple[int, int]:
    """How many lines further up and down the same lines could have come in or gone, since their neighbors are equal."""
    start, end = block
    up = down = 0
    while start - up > free[0] and lines[start - up - 1] == lines[end - up - 1]:
        up += 1
    while end + down < free[1] and lines[start + down] == lines[end + down]:
        down += 1
    return up, down


def to_text(known: Ranges) -> str:
    """Ranges as they are stored and shown: "1-20,40-60"."""
    return "" if known is None else ",".join([f"{first}-{last}" for first, last in known]) or _NOTHING


def from_text(text: str) -> Ranges:
    """Ranges as they were stored; of what is not a range, no line is known."""
    if not text:
        return None
    pairs = [part.partition("-")[::2] for part in text.split(",")]
    return join_ranges(tuple([(int(a), int(b)) for a, b in pairs if a.isdecimal() and b.isdecimal()]))
