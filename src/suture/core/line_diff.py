"""The differences between two lists of lines.

Common lines at both ends are trimmed first. The rest is split at lines that occur exactly once on each side, and only
the parts between them are compared in full, up to a limit. A large file with few changes is fast, and a hostile pair
gets a coarse answer instead of a long wait.
"""

from __future__ import annotations

from bisect import bisect_left
from io import StringIO

from .common_limits import LONGEST_STEP, MOST_LINE_PAIRS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import AnyStr

    #: Lines [a, b) of the text before became lines [c, d) of the text after.
    Block = tuple[int, int, int, int]


def common_ends(one: AnyStr, other: AnyStr) -> tuple[int, int]:
    """The length of the common start of two texts, and of the common end of the rest. Costs a few comparisons."""
    most = min(len(one), len(other))
    head = _common_length(lambda start, end: other.startswith(one[start:end], start), most)
    rest, a, b = most - head, len(one), len(other)
    tail = _common_length(lambda start, end: other.endswith(one[a - end : a - start], 0, b - start), rest)
    return head, tail


def _common_length(equal: Callable[[int, int], bool], most: int) -> int:
    """How far a comparison holds: in growing steps up to the first that fails, then by halving that step.

    Steps are limited so that the slices stay in the processor's cache.
    """
    done, step = 0, 256
    while done < most and equal(done, min(most, done + step)):
        done = min(most, done + step)
        step = min(2 * step, LONGEST_STEP)
    low, high = done, min(most, done + step)
    while low < high:
        middle = (low + high + 1) // 2
        if equal(low, middle):
            low = middle
        else:
            high = middle - 1
    return low


def split_lines(text: str) -> list[str]:
    """The lines of a text with their newlines, split at LF alone."""
    lines = text.splitlines(keepends=True)
    # Other ends of lines, which are rare, give more of them.
    is_split_at_lf = len(lines) == text.count("\n") + (not text.endswith("\n") and text != "")
    return lines if is_split_at_lf else list(StringIO(text, newline="\n"))


def _between(common: Sequence[tuple[int, int]], block: Block) -> list[Block]:
    """The parts of a block before, between and after the pairs of lines that both sides have, if there is anything."""
    old_start, old_end, new_start, new_end = block
    parts: list[Block] = []
    for old_line, new_line in common:
        if old_start < old_line or new_start < new_line:
            parts.append((old_start, old_line, new_start, new_line))
        old_start, new_start = old_line + 1, new_line + 1
    return [*parts, (old_start, old_end, new_start, new_end)]


def changed_blocks(old: Sequence[str], new: Sequence[str]) -> list[Block]:
    """The blocks of lines that differ, in order."""
    return certain_blocks(old, new)[0]


def certain_blocks(old: Sequence[str], new: Sequence[str]) -> tuple[list[Block], bool]:
    """The blocks of lines that differ, and whether a comparison from the end must give the same ones.

    It must where no line has moved, and no part had to be compared in full: each line is then related to the only one
    that it can be related to. Insertions and removals alone may still be a few equal lines further up or down.
    """
    blocks: list[Block] = []
    pending: list[Block] = [(0, len(old), 0, len(new))]
    is_certain = True
    while pending:
        a, b, c, d = _trim(old, new, pending.pop())
        if a == b or c == d:
            if a < b or c < d:
                blocks.append((a, b, c, d))
            continue
        in_place = _in_place(old, new, (a, b, c, d))
        common, is_all = ([], True) if in_place else _unique_common(old, new, (a, b, c, d))
        is_certain = is_certain and is_all
        if in_place:
            blocks += in_place
        elif common:
            # Reversed, because the stack is read from its end: blocks come out in order.
            pending += reversed(_between(common, (a, b, c, d)))
        elif set(old[a:b]).isdisjoint(new[c:d]):
            blocks.append((a, b, c, d))
        elif (b - a) * (d - c) > MOST_LINE_PAIRS:
            blocks.append((a, b, c, d))
            is_certain = False
        else:
            blocks += _longest_common(old, new, (a, b, c, d))
            is_certain = False
    return _merge(blocks), is_certain


def _trim(old: Sequence[str], new: Sequence[str], block: Block) -> Block:
    """A block without the lines that are equal at its start and at its end."""
    a, b, c, d = block
    step = 1
    while step:
        # As long as whole runs are equal, they are compared at once.
        if a + step <= b and c + step <= d and old[a : a + step] == new[c : c + step]:
            a, c = a + step, c + step
            step *= 2
        else:
            step //= 2
    step = 1
    while step:
        if a + step <= b and c + step <= d and old[b - step : b] == new[d - step : d]:
            b, d = b - step, d - step
            step *= 2
        else:
            step //= 2
    return a, b, c, d


def _in_place(old: Sequence[str], new: Sequence[str], block: Block) -> list[Block]:
    """The blocks of a part in which lines were changed one by one; none if lines have moved.

    Both sides are equally long and no removed line is also added, so no other pairing keeps more lines.
    """
    a, b, c, d = block
    if b - a != d - c:
        return []
    pairs = zip(old[a:b], new[c:d], strict=True)
    changed = [at for at, (one, other) in enumerate(pairs) if one != other]
    if not {old[a + at] for at in changed}.isdisjoint([new[c + at] for at in changed]):
        return []
    return [(a + at, a + at + 1, c + at, c + at + 1) for at in changed]


def _unique_common(old: Sequence[str], new: Sequence[str], block: Block) -> tuple[list[tuple[int, int]], bool]:
    """Pairs of lines that occur exactly once on each side: the longest chain that rises on both, and if it has all."""
    a, b, c, d = block
    old_at = _unique_lines(old, a, b)
    new_at = _unique_lines(new, c, d)
    pairs = [(i, new_at[line]) for line, i in old_at.items() if line in new_at]
    if not pairs:
        return [], True
    tails: list[int] = []
    links: list[int] = []
    heads: list[int] = []
    for index, (_, j) in enumerate(pairs):
        rank = bisect_left(tails, j)
        links.append(heads[rank - 1] if rank else -1)
        tails[rank : rank + 1] = [j]
        heads[rank : rank + 1] = [index]
    chain: list[tuple[int, int]] = []
    index = heads[-1] if heads else -1
    while index >= 0:
        chain.append(pairs[index])
        index = links[index]
    chain.reverse()
    return chain, len(chain) == len(pairs)


def _unique_lines(lines: Sequence[str], start: int, end: int) -> dict[str, int]:
    """The lines that occur exactly once in the range, and their indices."""
    at: dict[str, int] = {}
    for index in range(start, end):
        line = lines[index]
        at[line] = -1 if line in at else index
    return {line: index for line, index in at.items() if index >= 0}


def _longest_common(old: Sequence[str], new: Sequence[str], block: Block) -> Iterator[Block]:
    """The blocks of a part without unique lines, by its longest common subsequence."""
    from rapidfuzz.distance import LCSseq

    a, b, c, d = block
    for step in LCSseq.opcodes(list(old[a:b]), list(new[c:d])):
        if step.tag != "equal":
            yield a + step.src_start, a + step.src_end, c + step.dest_start, c + step.dest_end


def _merge(blocks: list[Block]) -> list[Block]:
    """The blocks, with those that touch joined."""
    merged: list[Block] = []
    for block in blocks:
        if merged and merged[-1][1] == block[0] and merged[-1][3] == block[2]:
            merged[-1] = (merged[-1][0], block[1], merged[-1][2], block[3])
        else:
            merged.append(block)
    return merged
