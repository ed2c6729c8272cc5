"""Finding a block of lines in a text, at the strictest tier that has it.

The text is searched as one string, in C: for the exact block; then for a line or a word of it as a **pivot**, whose
neighbors are compared on the spot; and, where all pivots are too common, in a folded copy. Every step is linear.
"""

from __future__ import annotations

from itertools import islice

from ..core.value import Value
from . import limits
from .place import line_after
from .tiers import FOLDS, fold_punctuation, fold_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    #: The offsets of each line of a text.
    LineIndex = dict[str, list[int]]


class Occurrences(Value):
    """The places that a search found: offsets of their first lines in the body, and the tier they were found at."""

    tier: str
    starts: list[int]
    #: How the block was read, where it matched by its escapes.
    way: Mapping[str, str] | None = None


def find_block(
    body: str, old: Sequence[str], tiers: Sequence[str], start: int = 0, index: LineIndex | None = None
) -> Occurrences | None:
    """All places from `start` on where these lines are, at the strictest of the tiers that has any.

    With an index, the exact search does not read the whole body; it pays for many hunks.
    """
    block = "\n".join(old)
    if starts := occurrences(body, block, start) if index is None else _indexed(body, old, start, index):
        return Occurrences("exact", starts)
    if len(tiers) == 1 or not old:
        return None
    found = _find_folded(body, old, tiers, start)
    if found is None and "escapes" in tiers:
        from .escapes import decode, line_ways

        for way in line_ways(block):
            if starts := occurrences(body, decode(block, way), start):
                return Occurrences("escapes", starts, way)
    return found


def line_index(body: str) -> LineIndex:
    """Where each line of a text is."""
    index: LineIndex = {}
    position = 0
    for line in body.removesuffix("\n").split("\n") if body else ():
        index.setdefault(line, []).append(position)
        position += len(line) + 1
    return index


def _indexed(body: str, old: Sequence[str], start: int, index: LineIndex) -> list[int]:
    """What `occurrences` gives, by the line of the block that is in the fewest places."""
    rarest = min(range(len(old)), key=lambda number: len(index.get(old[number], ())))
    block, before = "\n".join(old), len("\n".join((*old[:rarest], "")))

    def is_here(first: int) -> bool:
        # The newline before the block is looked at too.
        return first >= start and min(1, first) in occurrences(body[max(0, first - 1) : first + len(block) + 1], block)

    firsts = (position - before for position in index.get(old[rarest], ()))
    return list(islice(filter(is_here, firsts), limits.MOST_PLACES))


def occurrences(body: str, block: str, start: int = 0, most: int = limits.MOST_PLACES) -> list[int]:
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
    while position >= 0 and len(found) < most:
        end = position + size
        if (open_end and end == length) or body[end : end + 1] == "\n":
            found.append(position)
        position = body.find(needle, position) + 1 or -1
    return found


def _find_folded(body: str, old: Sequence[str], tiers: Sequence[str], start: int) -> Occurrences | None:
    """The places of a block at the strictest of the tiers that fold."""
    names = [name for name in tiers if name in FOLDS][1:]
    in_line = [name for name in names if name != "whitespace"]
    plain = [fold_punctuation(line).strip() for line in old]
    folded = fold_text(body)
    is_aligned = len(folded) == len(body)
    if is_aligned and in_line:
        found = _by_pivot(body, folded, old, max(plain, key=len), in_line, start)
        if found:
            return found[0]
        names = names if found is None else names[len(in_line) :]
    words = sorted(dict.fromkeys(" ".join(plain).split()), key=len, reverse=True)[: limits.MOST_LOOKED_FOR]
    for word in words[: limits.MOST_TRIED] if is_aligned and names else ():
        found = _by_pivot(body, folded, old, word, names, start)
        if found is not None:
            return next(iter(found), None)
    # At every tier that folds each line keeps its words: one that is nowhere in the text rules them all out.
    if any(word not in folded for word in words):
        return None
    return next((found for found in (find_at(body, old, name, start) for name in names) if found.starts), None)


def _by_pivot(
    body: str, folded: str, old: Sequence[str], pivot: str, names: Sequence[str], start: int
) -> list[Occurrences] | None:
    """The places at each of the tiers, strictest first, where the lines around a pivot are equal; None if too common.

    `folded` has the same length as the body, and the pivot is in it wherever the block is at one of these tiers.
    """
    index = next(i for i, line in enumerate(old) if pivot in fold_punctuation(line))
    wanted = {name: list(map(FOLDS[name], old)) for name in names}
    by_tier: dict[str, list[int]] = {name: [] for name in names}
    fold, line = FOLDS[names[-1]], wanted[names[-1]][index]
    lines = lines_with(folded, pivot, start)
    spots = [spot for spot, end in lines or () if fold(body[spot:end]) == line]
    if lines is None or len(spots) * len(old) > limits.MOST_LINES:
        return None
    for spot in spots:
        first = lines_back(body, spot, index)
        region = list(islice(lines_below(body, first), len(old))) if first >= start else []
        for name in names:
            if list(map(FOLDS[name], region)) == wanted[name]:
                by_tier[name].append(first)
                break
    return [Occurrences(name, starts) for name, starts in by_tier.items() if starts]


def lines_with(text: str, pivot: str, start: int = 0, most: int = limits.MOST_PIVOTS) -> list[tuple[int, int]] | None:
    """The lines that contain the pivot, as offsets; None where there are more than `most` of them."""
    found: list[tuple[int, int]] = []
    position = text.find(pivot, start)
    while position >= 0:
        if len(found) == most:
            return None
        end = line_after(text, position) - 1
        found.append((text.rfind("\n", 0, position) + 1, end))
        position = text.find(pivot, end + 1)
    return found


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
        end, start = start - 1, body.rfind("\n", 0, start - 1) + 1
        yield body[start:end]


def lines_below(body: str, start: int) -> Iterator[str]:
    """The lines from an offset on."""
    while start < len(body):
        first, start = start, line_after(body, start)
        yield body[first : start - 1]


def find_at(body: str, old: Sequence[str], tier: str, start: int = 0) -> Occurrences:
    """All places at one of the folding tiers, by folding every line of the text: linear, and the slowest way."""
    from itertools import accumulate

    fold = FOLDS[tier]
    lines = body[start:].split("\n")
    if not lines[-1]:
        lines.pop()
    folds = list(map(fold, lines))
    # Every line gets its newline, so that one of blanks at the very end is a blank line like any other.
    hits = occurrences("\n".join((*folds, "")), "\n".join(map(fold, old)))
    if not hits:
        return Occurrences(tier, [])
    line_starts = accumulate((len(line) + 1 for line in lines), initial=start)
    starts = dict(zip(accumulate((len(line) + 1 for line in folds), initial=0), line_starts, strict=True))
    return Occurrences(tier, [starts[hit] for hit in hits])
