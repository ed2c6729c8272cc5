"""Hunks split into smaller ones, so that a person can choose parts of a hunk.

The parts of a hunk cover its lines once, in order. Whichever of them are applied, every other line of the text stays as
it is; all of them together make the hunk.
"""

from __future__ import annotations

from itertools import groupby

from .line_hunks import LineHunk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def split_hunk(hunk: LineHunk, *, by_lines: bool = False) -> tuple[LineHunk, ...]:
    """The parts of a hunk, split at its unchanged lines; the hunk itself if there are none between its changes.

    With `by_lines`, lines that are next to each other are split too, where each can be applied alone: lines that are
    only added or only removed, and as many added lines as removed ones, which replace each other in order.
    """
    blocks: list[list[str]] = []
    gaps: list[list[str]] = [[]]
    for is_changed, lines in groupby(hunk.lines, lambda line: line[0] != " "):
        if not is_changed:
            gaps[-1] += lines
            continue
        for part in _line_parts(list(lines)) if by_lines else [list(lines)]:
            blocks.append(part)
            gaps.append([])
    if len(blocks) < 2:
        return (hunk,)
    return tuple(_place(hunk, list(_with_context(blocks, gaps))))


def _line_parts(lines: list[str]) -> list[list[str]]:
    """Changed lines that are next to each other, in the smallest parts that can be applied alone."""
    removed = [line for line in lines if line[0] == "-"]
    added = [line for line in lines if line[0] == "+"]
    if not removed or not added:
        return [[line] for line in lines]
    if len(removed) == len(added):
        return [list(pair) for pair in zip(removed, added, strict=True)]
    return [lines]


def _with_context(blocks: Sequence[list[str]], gaps: Sequence[list[str]]) -> Iterator[list[str]]:
    """Each block with the unchanged lines around it. Those between two blocks are shared out."""
    before = gaps[0]
    for block, gap in zip(blocks[:-1], gaps[1:-1], strict=True):
        middle = (len(gap) + 1) // 2
        yield [*before, *block, *gap[:middle]]
        before = gap[middle:]
    yield [*before, *blocks[-1], *gaps[-1]]


def _place(hunk: LineHunk, parts: Sequence[list[str]]) -> Iterator[LineHunk]:
    """The parts as hunks, each below the one before."""
    old, new = hunk.old_start, hunk.new_start
    for lines in parts:
        part = LineHunk(old, new, tuple(lines), hunk.heading)
        yield part
        old, new = old + part.old_count, new + part.new_count
