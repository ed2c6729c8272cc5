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

    #: The lines of the text before that changed, and what they became in the text after: the start and the exclusive
    #: end before, then the start and the exclusive end after.
    Block = tuple[int, int, int, int]


def common_ends(one: AnyStr, other: AnyStr) -> tuple[int, int]:
    """The length of the common start of two texts, and of the common end of the rest. Costs a few comparisons."""
    most = min(len(one), len(other))
    head = _common_length(lambda start, end: other.startswith(one[start:end], start), most)
    one_end, other_end = len(one), len(other)

    def is_equal_from_end(start: int, end: int) -> bool:
        return other.endswith(one[one_end - end : one_end - start], 0, other_end - start)

    return head, _common_length(is_equal_from_end, most - head)


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
        block = _trim(old, new, pending.pop())
        old_start, old_end, new_start, new_end = block
        old_count, new_count = old_end - old_start, new_end - new_start
        if not old_count or not new_count:
            if old_count or new_count:
                blocks.append(block)
            continue
        in_place = _in_place(old, new, block)
        if in_place:
            blocks += in_place
            continue
        common, has_all_pairs = _unique_common(old, new, block)
        if not has_all_pairs:
            is_certain = False
        if common:
            # Reversed, because the stack is read from its end: blocks come out in order.
            pending += reversed(_between(common, block))
        elif set(old[old_start:old_end]).isdisjoint(new[new_start:new_end]):
            blocks.append(block)
        elif old_count * new_count > MOST_LINE_PAIRS:
            blocks.append(block)
            is_certain = False
        else:
            blocks += _longest_common(old, new, block)
            is_certain = False
    return _merge(blocks), is_certain


def _trim(old: Sequence[str], new: Sequence[str], block: Block) -> Block:
    """A block without the lines that are equal at its start and at its end.

    Runs of lines are compared at once: twice as many after each run that is equal, half as many after one that is not.
    """
    old_start, old_end, new_start, new_end = block
    most = min(old_end - old_start, new_end - new_start)
    step = 1
    while step:
        if step <= most and old[old_start : old_start + step] == new[new_start : new_start + step]:
            old_start += step
            new_start += step
            most -= step
            step *= 2
        else:
            step //= 2
    step = 1
    while step:
        if step <= most and old[old_end - step : old_end] == new[new_end - step : new_end]:
            old_end -= step
            new_end -= step
            most -= step
            step *= 2
        else:
            step //= 2
    return old_start, old_end, new_start, new_end


def _in_place(old: Sequence[str], new: Sequence[str], block: Block) -> list[Block]:
    """The blocks of a part in which lines were changed one by one; none if lines have moved.

    Both sides are equally long and no removed line is also added, so no other pairing keeps more lines.
    """
    old_start, old_end, new_start, new_end = block
    if old_end - old_start != new_end - new_start:
        return []
    blocks: list[Block] = []
    removed: set[str] = set()
    added: set[str] = set()
    for old_number, new_number in zip(range(old_start, old_end), range(new_start, new_end), strict=True):
        if old[old_number] != new[new_number]:
            removed.add(old[old_number])
            added.add(new[new_number])
            blocks.append((old_number, old_number + 1, new_number, new_number + 1))
    return blocks if removed.isdisjoint(added) else []


def _unique_common(old: Sequence[str], new: Sequence[str], block: Block) -> tuple[list[tuple[int, int]], bool]:
    """The lines that occur exactly once on each side, as pairs of line numbers, and whether none of them has moved.

    If some have moved, these are the most pairs that are in the same order on both sides.
    """
    old_start, old_end, new_start, new_end = block
    old_numbers = _unique_lines(old, old_start, old_end)
    new_numbers = _unique_lines(new, new_start, new_end)
    pairs = [(number, new_numbers[line]) for line, number in old_numbers.items() if line in new_numbers]
    # In most texts, no line has moved.
    positions = [new_number for _, new_number in pairs]
    if positions == sorted(positions):
        return pairs, True
    chain = _longest_rising(pairs)
    return chain, len(chain) == len(pairs)


def _longest_rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest selection of pairs in which the second numbers rise as the first ones do (patience sorting)."""
    # For each length of a selection, from 1: the pair that ends the best one of that length, and its second number. The
    # best one ends with the lowest number.
    last_pairs: list[int] = []
    last_numbers: list[int] = []
    # For each pair, the index of the pair before it in the longest selection that it ends; -1 if it is the first.
    previous: list[int] = []
    for index, (_, number) in enumerate(pairs):
        shorter = bisect_left(last_numbers, number)
        previous.append(last_pairs[shorter - 1] if shorter else -1)
        if shorter == len(last_numbers):
            last_numbers.append(number)
            last_pairs.append(index)
        else:
            last_numbers[shorter] = number
            last_pairs[shorter] = index
    selection: list[tuple[int, int]] = []
    index = last_pairs[-1] if last_pairs else -1
    while index >= 0:
        selection.append(pairs[index])
        index = previous[index]
    selection.reverse()
    return selection


def _unique_lines(lines: Sequence[str], start: int, end: int) -> dict[str, int]:
    """The lines that occur exactly once in the range, and their indices."""
    part = lines[start:end]
    last = dict(zip(part, range(start, end), strict=True))
    if len(last) == len(part):
        return last
    first = dict(zip(reversed(part), range(end - 1, start - 1, -1), strict=True))
    return {line: index for line, index in last.items() if first[line] == index}


def _longest_common(old: Sequence[str], new: Sequence[str], block: Block) -> Iterator[Block]:
    """The blocks of a part without unique lines, by its longest common subsequence."""
    from rapidfuzz.distance import LCSseq

    old_start, old_end, new_start, new_end = block
    for step in LCSseq.opcodes(list(old[old_start:old_end]), list(new[new_start:new_end])):
        if step.tag != "equal":
            yield (
                old_start + step.src_start,
                old_start + step.src_end,
                new_start + step.dest_start,
                new_start + step.dest_end,
            )


def _merge(blocks: list[Block]) -> list[Block]:
    """The blocks, with those that touch joined."""
    merged: list[Block] = []
    for block in blocks:
        old_start, old_end, new_start, new_end = block
        if merged:
            last_old_start, last_old_end, last_new_start, last_new_end = merged[-1]
            if last_old_end == old_start and last_new_end == new_start:
                merged[-1] = (last_old_start, old_end, last_new_start, new_end)
                continue
        merged.append(block)
    return merged
