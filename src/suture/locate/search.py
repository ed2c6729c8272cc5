"""Finding a block of lines in a text, at the strictest tier that has it.

The whole search runs over the text as one string, in C: the exact block with `str.find`; then its longest line as a
**pivot**, whose neighbours are compared on the spot, which decides the next tiers at once without splitting or folding
the text; and, where the pivot stands in too many places, a folded copy of the text. Every step is linear in the text.
"""

from __future__ import annotations

from .limits import MOST_LINES, MOST_LOOKED_FOR, MOST_PIVOTS, MOST_PLACES, MOST_TRIED
from .tiers import FOLDS, fold_punctuation, fold_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    LineIndex = dict[str, list[int]]


class Occurrences:
    """The places that a search found: offsets of their first lines in the body, and the tier they were found at."""

    __slots__ = ("starts", "tier", "way")

    def __init__(self, tier: str, starts: list[int], way: Mapping[str, str] | None = None) -> None:
        self.tier = tier
        self.starts = starts
        #: How the block was read, where it matched by its escapes.
        self.way = way


def find_block(
    body: str, old: Sequence[str], tiers: Sequence[str], start: int = 0, index: LineIndex | None = None
) -> Occurrences | None:
    """All places from `start` on where these lines stand, at the strictest of the tiers that has any.

    An index of the body's lines makes the exact search independent of the body's size; it pays for many hunks.
    """
    block = "\n".join(old)
    starts = occurrences(body, block, start) if index is None else _indexed(body, old, start, index)
    if starts:
        return Occurrences("exact", starts)
    if len(tiers) == 1:
        return None
    found = _find_folded(body, old, tiers, start)
    if found is None and "escapes" in tiers:
        from .escapes import decode, line_ways

        for way in line_ways(block):
            starts = occurrences(body, decode(block, way), start)
            if starts:
                return Occurrences("escapes", starts, way)
    return found


def find_at(body: str, old: Sequence[str], tier: str, start: int = 0) -> Occurrences:
    """All places from `start` on where these lines are at one of the folding tiers."""
    return Occurrences(tier, _in_folded_copy(body, old, FOLDS[tier], start))


def line_index(body: str) -> LineIndex:
    """Where each line of the text stands. Costs a split of the text and a dictionary of its lines."""
    index: LineIndex = {}
    position = 0
    for line in body.split("\n"):
        index.setdefault(line, []).append(position)
        position += len(line) + 1
    if body[-1:] in ("", "\n"):
        # What a split leaves behind the last newline is no line.
        index[""].pop()
    return index


def _indexed(body: str, old: Sequence[str], start: int, index: LineIndex) -> list[int]:
    """What `occurrences` gives, by the line of the block that stands in the fewest places."""
    block = "\n".join(old)
    rarest = min(range(len(old)), key=lambda number: len(index.get(old[number], ())))
    before = sum(len(line) + 1 for line in old[:rarest])
    found: list[int] = []
    for position in index.get(old[rarest], ()):
        first = position - before
        if first < start or not body.startswith(block, first) or (first and body[first - 1] != "\n"):
            continue
        end = first + len(block)
        if body[end : end + 1] == "\n" or (end == len(body) and old[-1]):
            found.append(first)
            if len(found) >= MOST_PLACES:
                break
    return found


def occurrences(body: str, block: str, start: int = 0, most: int = MOST_PLACES) -> list[int]:
    """The offsets at which the block stands as whole lines, overlapping ones included, at most `most` of them."""
    found: list[int] = []
    size, length = len(block), len(body)
    # A blank last line is only there where a newline ends it; a needle of nothing would be everywhere.
    open_end = block[-1:] != "\n"
    if not block.strip("\n"):
        block += "\n"
    # The newline before it keeps the search to the starts of lines, however often the block occurs inside lines.
    needle = "\n" + block
    position = 0
    if start > 0 or not body.startswith(block):
        position = body.find(needle, max(0, start - 1)) + 1 or -1
    while position >= 0:
        end = position + size
        if (open_end and end == length) or body[end : end + 1] == "\n":
            found.append(position)
            if len(found) >= most:
                break
        position = body.find(needle, position) + 1 or -1
    return found


def _find_folded(body: str, old: Sequence[str], tiers: Sequence[str], start: int) -> Occurrences | None:
    names = [name for name in tiers if name in FOLDS][1:]
    in_line = [name for name in names if name != "whitespace"]
    plain = [fold_punctuation(line).strip() for line in old]
    longest = max(plain, key=len, default="")
    folded = fold_text(body)
    is_aligned = longest != "" and len(folded) == len(body)
    if is_aligned and in_line:
        try:
            if (found := _by_pivot(body, folded, old, longest, in_line, start)) is not None:
                return found
            names = names[len(in_line) :]
        except TooCommonError:
            pass
    words = sorted([max(line.split(), key=len) for line in plain if line], key=len, reverse=True)
    # At every tier that folds each line keeps its words: one that is nowhere in the text rules them all out.
    if any(word not in folded for word in words[:MOST_LOOKED_FOR]):
        return None
    rarest = sorted(dict.fromkeys(" ".join(plain[:MOST_LOOKED_FOR]).split()), key=len, reverse=True)
    pivots = rarest[:MOST_TRIED] if is_aligned else ()
    for name in names:
        for pivot in pivots:
            try:
                found = _by_pivot(body, folded, old, pivot, (name,), start)
                break
            except TooCommonError:
                continue
        else:
            starts = _in_folded_copy(body, old, FOLDS[name], start)
            found = Occurrences(name, starts) if starts else None
        if found is not None:
            return found
    return None


class TooCommonError(Exception):
    """The pivot stands in more places than are worth looking at one by one."""


def _by_pivot(
    body: str, folded: str, old: Sequence[str], pivot: str, names: Sequence[str], start: int
) -> Occurrences | None:
    """Look at each place of the pivot and tell the strictest tier at which all lines around it are equal.

    `folded` has the same length as the body, and the pivot stands in it wherever the block does at one of these tiers.
    """
    index = next(i for i, line in enumerate(old) if pivot in fold_punctuation(line))
    wanted = [[FOLDS[name](line) for line in old] for name in names]
    folds = [FOLDS[name] for name in names]
    by_tier: list[list[int]] = [[] for _ in names]
    loosest_fold, loosest = folds[-1], wanted[-1]
    left = MOST_LINES
    for line_start, line_end in lines_with(folded, pivot, start):
        if loosest_fold(body[line_start:line_end]) != loosest[index]:
            continue
        left -= len(old)
        if left < 0:
            raise TooCommonError
        first = lines_back(body, line_start, index)
        if first < start:
            continue
        region = lines_from(body, first, len(old))
        if region is None:
            continue
        for tier, fold in enumerate(folds):
            if [fold(line) for line in region] == wanted[tier]:
                by_tier[tier].append(first)
                break
    for name, starts in zip(names, by_tier, strict=True):
        if starts:
            return Occurrences(name, starts)
    return None


def lines_with(text: str, pivot: str, start: int, most: int = MOST_PIVOTS) -> Iterator[tuple[int, int]]:
    """The lines that contain the pivot, as offsets.

    Raises:
        TooCommonError: there are more than `most` of them.
    """
    position = text.find(pivot, start)
    seen = 0
    while position >= 0:
        seen += 1
        if seen > most:
            raise TooCommonError
        line_start = text.rfind("\n", 0, position) + 1
        line_end = text.find("\n", position)
        if line_end == -1:
            yield line_start, len(text)
            return
        yield line_start, line_end
        position = text.find(pivot, line_end + 1)


def lines_back(body: str, line_start: int, count: int) -> int:
    """The start of the line `count` lines above the one that starts here, or -1 where there are not so many."""
    for _ in range(count):
        if line_start == 0:
            return -1
        line_start = body.rfind("\n", 0, line_start - 1) + 1
    return line_start


def lines_from(body: str, first: int, count: int) -> list[str] | None:
    """`count` lines from the offset `first` on, or None where there are not so many."""
    end = first
    for _ in range(count):
        if end >= len(body):
            return None
        newline = body.find("\n", end)
        end = (newline if newline != -1 else len(body)) + 1
    return body[first : end - 1].split("\n")


def _in_folded_copy(body: str, old: Sequence[str], fold: Callable[[str], str], start: int) -> list[int]:
    """The places of the block at one tier, by folding every line of the text. Linear, and the slowest way."""
    from itertools import accumulate

    lines = body[start:].split("\n")
    if not lines[-1]:
        lines.pop()
    # Every line gets its newline, so that one of blanks at the very end is a blank line like any other.
    copy = "\n".join((*map(fold, lines), ""))
    hits = occurrences(copy, "\n".join(map(fold, old)))
    if not hits:
        return []
    line_starts = list(accumulate((len(line) + 1 for line in lines), initial=start))
    found: list[int] = []
    number = position = 0
    for hit in hits:
        number += copy.count("\n", position, hit)
        position = hit
        found.append(line_starts[number])
    return found
