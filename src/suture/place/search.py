"""Finding a block of lines in a text, at the strictest tier that has it.

The text is searched as one string, in C: for the exact block; then for a line or a word of it as a **pivot**, whose
neighbors are compared on the spot; and, where all pivots are too common, in a folded copy. Every step is linear.
"""

from __future__ import annotations

from itertools import accumulate, islice

from ..core.value import Value
from . import limits
from .place import line_after
from .tiers import ANY_SPACING, FOLDS, fold_punctuation, fold_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    #: The offsets of each line of a text.
    LineIndex = dict[str, list[int]]


class Occurrences(Value):
    """The places of a block of lines: the offsets of their first lines in the body, and the tier of the match."""

    tier: str
    starts: list[int]
    #: How the escapes of the block were read, where it matches at the tier `escapes`.
    way: Mapping[str, str] | None = None


def find_block(
    body: str, old: Sequence[str], tiers: Sequence[str], start: int = 0, index: LineIndex | None = None
) -> Occurrences | None:
    """All places from `start` on where these lines are, at the strictest of the tiers that has any.

    With an index, the exact search does not read the whole body; it pays for many hunks.
    """
    block = "\n".join(old)
    starts = occurrences(body, block, start) if index is None else _indexed_occurrences(body, old, start, index)
    if starts:
        return Occurrences("exact", starts)
    if len(tiers) == 1 or not old:
        return None
    folded = _find_folded(body, old, tiers, start)
    if folded is None and "escapes" in tiers:
        return _find_escaped(body, block, start)
    return folded


def _find_escaped(body: str, block: str, start: int) -> Occurrences | None:
    """The places of a block whose escapes are read in the first way that has any."""
    from .escapes import decode, line_ways

    for way in line_ways(block):
        starts = occurrences(body, decode(block, way), start)
        if starts:
            return Occurrences("escapes", starts, way)
    return None


def line_index(body: str) -> LineIndex:
    """The offsets of each line of a text."""
    index: LineIndex = {}
    if not body:
        return index
    position = 0
    for line in body.removesuffix("\n").split("\n"):
        index.setdefault(line, []).append(position)
        position += len(line) + 1
    return index


def _indexed_occurrences(body: str, old: Sequence[str], start: int, index: LineIndex) -> list[int]:
    """What `occurrences` gives, by the line of the block that is in the fewest places."""
    rarest = min(range(len(old)), key=lambda number: len(index.get(old[number], ())))
    block = "\n".join(old)
    length_above_rarest = sum(len(line) + 1 for line in old[:rarest])
    starts: list[int] = []
    for position in index.get(old[rarest], ()):
        block_start = position - length_above_rarest
        if block_start < start:
            continue
        # With the characters around it, to see that whole lines are equal.
        top = max(0, block_start - 1)
        around = body[top : block_start + len(block) + 1]
        if block_start - top in occurrences(around, block):
            starts.append(block_start)
            if len(starts) == limits.MOST_PLACES:
                break
    return starts


def occurrences(body: str, block: str, start: int = 0, most: int = limits.MOST_PLACES) -> list[int]:
    """The offsets at which the block occurs as whole lines, overlapping ones included, at most `most` of them."""
    starts: list[int] = []
    size, length = len(block), len(body)
    # The last line of the body may lack its newline. A blank line is only there where a newline ends it.
    may_end_body = block[-1:] != "\n"
    if not block.strip("\n"):
        # An empty needle would be everywhere.
        block += "\n"
    # The newline before it keeps the search to the starts of lines, however often the block occurs inside lines.
    needle = "\n" + block
    # The newline before the next occurrence. The first line of the body has none: as if there were one at -1.
    newline = -1
    if start > 0 or not body.startswith(block):
        newline = body.find(needle, max(0, start - 1))
        if newline < 0:
            return starts
    while len(starts) < most:
        position = newline + 1
        end = position + size
        if body[end : end + 1] == "\n" or (may_end_body and end == length):
            starts.append(position)
        newline = body.find(needle, position)
        if newline < 0:
            break
    return starts


def _find_folded(body: str, old: Sequence[str], tiers: Sequence[str], start: int) -> Occurrences | None:
    """The places of a block at the strictest of the tiers that fold, beyond the exact one."""
    names = [name for name in tiers if name in FOLDS and name != "exact"]
    plain = [fold_punctuation(line).strip() for line in old]
    folded = fold_text(body)
    # An ellipsis becomes three characters: then an offset in one text is no offset in the other.
    has_same_offsets = len(folded) == len(body)
    # At these tiers a line of the block is in the text from its first word to its last.
    keeping_lines = [name for name in names if name not in ANY_SPACING]
    if has_same_offsets and keeping_lines:
        longest_line = max(plain, key=len)
        by_line = _by_pivot(body, folded, old, longest_line, keeping_lines, start)
        if by_line:
            return by_line[0]
        is_nowhere_by_line = by_line is not None
        if is_nowhere_by_line:
            names = [name for name in names if name in ANY_SPACING]
    longest_first = sorted(dict.fromkeys(" ".join(plain).split()), key=len, reverse=True)
    words = longest_first[: limits.MOST_WORDS_LOOKED_FOR]
    if has_same_offsets and names:
        for word in words[: limits.MOST_PIVOTS_TRIED]:
            by_word = _by_pivot(body, folded, old, word, names, start)
            if by_word:
                return by_word[0]
            is_nowhere_by_word = by_word is not None
            if is_nowhere_by_word:
                return None
    # At every tier that folds each line keeps its words: one that is nowhere in the text rules them all out.
    if any(word not in folded for word in words):
        return None
    for name in names:
        occurrences_at_tier = find_at(body, old, name, start)
        if occurrences_at_tier.starts:
            return occurrences_at_tier
    return None


def _by_pivot(
    body: str, folded: str, old: Sequence[str], pivot: str, names: Sequence[str], start: int
) -> list[Occurrences] | None:
    """The places of a block of lines, by a line or a word of it, the pivot: at each tier that has any, strictest first.

    Every line of the text that contains the pivot is looked at, and the lines around it are compared with the block.
    An empty list says that the block is nowhere; None says that the pivot is too common to tell. `folded` is the body
    with its punctuation folded and has the same length; the pivot is in it wherever the block is at one of these tiers.
    """
    pivot_row = next((row for row, line in enumerate(old) if pivot in fold_punctuation(line)), None)
    if pivot_row is None:
        return None
    folded_old = {name: list(map(FOLDS[name], old)) for name in names}
    lines = lines_with(folded, pivot, start)
    if lines is None:
        return None
    loosest = names[-1]
    pivot_line = folded_old[loosest][pivot_row]
    spots = [spot for spot, end in lines if FOLDS[loosest](body[spot:end]) == pivot_line]
    if len(spots) * len(old) > limits.MOST_LINES_AROUND_PIVOTS:
        return None
    starts_by_tier: dict[str, list[int]] = {name: [] for name in names}
    for spot in spots:
        block_start = lines_back(body, spot, pivot_row)
        if block_start < start:
            continue
        file_lines = list(islice(lines_below(body, block_start), len(old)))
        strictest = next((name for name in names if list(map(FOLDS[name], file_lines)) == folded_old[name]), None)
        if strictest is not None:
            starts_by_tier[strictest].append(block_start)
    return [Occurrences(name, starts) for name, starts in starts_by_tier.items() if starts]


def lines_with(text: str, pivot: str, start: int = 0, most: int = limits.MOST_PIVOTS) -> list[tuple[int, int]] | None:
    """The lines that contain the pivot, as offsets; None where there are more than `most` of them."""
    lines: list[tuple[int, int]] = []
    position = text.find(pivot, start)
    while position >= 0:
        if len(lines) == most:
            return None
        end = line_after(text, position) - 1
        lines.append((text.rfind("\n", 0, position) + 1, end))
        position = text.find(pivot, end + 1)
    return lines


def lines_back(body: str, line_start: int, count: int) -> int:
    """The start of the line `count` lines above the one that starts here, or -1 where there are not so many."""
    for _ in range(count):
        if line_start == 0:
            return -1
        line_start = body.rfind("\n", 0, line_start - 1) + 1
    return line_start


def lines_above(body: str, start: int) -> Iterator[str]:
    """The lines above an offset, the nearest first."""
    while start > 0:
        newline = start - 1
        start = body.rfind("\n", 0, newline) + 1
        yield body[start:newline]


def lines_below(body: str, start: int) -> Iterator[str]:
    """The lines from an offset on."""
    while start < len(body):
        next_start = line_after(body, start)
        yield body[start : next_start - 1]
        start = next_start


def find_at(body: str, old: Sequence[str], tier: str, start: int = 0) -> Occurrences:
    """All places at one of the folding tiers, by folding every line of the text: linear, and the slowest way."""
    fold = FOLDS[tier]
    lines = body[start:].split("\n")
    if not lines[-1]:
        lines.pop()
    folded_lines = list(map(fold, lines))
    # Every line gets its newline, so that one of blanks at the very end is a blank line like any other.
    folded_body = "\n".join((*folded_lines, ""))
    folded_starts = occurrences(folded_body, "\n".join(map(fold, old)))
    if not folded_starts:
        return Occurrences(tier, [])
    # Where each line begins in the folded text, and where it begins in the body.
    line_starts_folded = accumulate((len(line) + 1 for line in folded_lines), initial=0)
    line_starts = accumulate((len(line) + 1 for line in lines), initial=start)
    start_in_body = dict(zip(line_starts_folded, line_starts, strict=True))
    return Occurrences(tier, [start_in_body[folded_start] for folded_start in folded_starts])
