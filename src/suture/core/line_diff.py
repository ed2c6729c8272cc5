"""The differences between two lists of lines.

Common lines at both ends are trimmed first. The rest is split at lines that occur exactly once on each side, and only
the parts between them are compared in full, up to a limit. A large file with few changes is fast, and a hostile pair
gets a coarse answer instead of a long wait.
"""

from __future__ import annotations

from bisect import bisect_left

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import AnyStr

    #: Lines [a, b) of the text before became lines [c, d) of the text after.
    Block = tuple[int, int, int, int]

#: Pairs of lines that are compared in full; a larger block counts as removed and added.
MOST_PAIRS = 25_000_000
_LONGEST_STEP = 65536


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
        step = min(2 * step, _LONGEST_STEP)
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
    lines = text.split("\n")
    last = lines.pop()
    lines = [line + "\n" for line in lines]
    if last:
        lines.append(last)
    return lines


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
    blocks: list[Block] = []
    pending: list[Block] = [(0, len(old), 0, len(new))]
    while pending:
        a, b, c, d = _trim(old, new, pending.pop())
        if a == b or c == d:
            if a < b or c < d:
                blocks.append((a, b, c, d))
            continue
        in_place = _in_place(old, new, (a, b, c, d))
        common = [] if in_place else _unique_common(old, new, (a, b, c, d))
        if in_place:
            blocks += in_place
        elif common:
            # Reversed, because the stack is read from its end: blocks come out in order.
            pending += reversed(_between(common, (a, b, c, d)))
        elif (b - a) * (d - c) > MOST_PAIRS or set(old[a:b]).isdisjoint(new[c:d]):
            blocks.append((a, b, c, d))
        else:
            blocks += _longest_common(old, new, (a, b, c, d))
    return _merge(blocks)


def _trim(old: Sequence[str], new: Sequence[str], block: Block) -> Block:
    a, b, c, d = block
    while a < b and c < d and old[a] == new[c]:
        a, c = a + 1, c + 1
    while a < b and c < d and old[b - 1] == new[d - 1]:
        b, d = b - 1, d - 1
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


def _unique_common(old: Sequence[str], new: Sequence[str], block: Block) -> list[tuple[int, int]]:
    """Pairs of lines that occur exactly once on each side: the longest chain that rises on both."""
    a, b, c, d = block
    old_at = _unique_lines(old, a, b)
    new_at = _unique_lines(new, c, d)
    pairs = [(i, new_at[line]) for line, i in old_at.items() if line in new_at]
    if not pairs:
        return []
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
    return chain


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
