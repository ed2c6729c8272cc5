"""Where a part of a sketch with one small change goes: between lines above it and below it that are close together.

Such lines may be closing brackets, or be in the file several times, as long as only one place has both. Two kinds of
changes are small: lines that are only added, and a few lines that are replaced by lines like them.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from difflib import SequenceMatcher

from ..core.line_diff import changed_blocks
from ..core.value import Value
from .limits import (
    CHARACTERS_PER_LIKENESS,
    CHARACTERS_PER_QUICK_LOOK,
    FEWEST_KNOWN,
    LIKE_REPLACEMENT,
    LONGEST_LIKENESS,
    MOST_EDGE_PAIRS,
    MOST_LIKE_LINES,
    MOST_LINES_LAID,
    MOST_LOST,
    MOST_REPLACED_BY_LIKE,
    SAME_WORDS,
)
from .sketch_rivals import defines_again, is_whole
from .tiers import is_distinctive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..core.search_budget import SearchBudget
    from .sketch_parts import SketchPart


class _Reading(Value):
    """One way to lay a part on the file: the range of lines, and what that would change."""

    #: The first and the last line of the range.
    first: int
    last: int
    #: The lines at the start and at the end of the range that the part has, too.
    above: tuple[str, ...]
    below: tuple[str, ...]
    #: The lines with text between those that would go, and those that would come.
    gone: tuple[str, ...]
    put: tuple[str, ...]


def places_of_single_change(
    plain: Sequence[str],
    index: Mapping[str, Sequence[int]],
    part: SketchPart,
    budget: SearchBudget,
    *,
    is_at_start: bool,
    is_at_end: bool,
) -> list[tuple[int, int]]:
    """The range of a part that makes one small change; empty if it makes another one, or if places elsewhere fit.

    There are more ranges where lines beside the place may be joined or split instead. `is_at_start` and `is_at_end` say
    that the part begins or ends with the file.

    Raises:
        OutOfBudgetError: to compare lines with one another takes more than is left of the budget.
    """
    readings = _readings(plain, index, part.lines, is_at_start=is_at_start, is_at_end=is_at_end)
    has_all_lines = any(not reading.gone and not reading.put for reading in readings)
    if not readings or has_all_lines:
        return []
    best = _best_reading(readings, budget)
    if best is None:
        return []
    elsewhere = [one for one in readings if one.first != best.first and one.last != best.last]
    if any(map(_may_be_meant, elsewhere)):
        return []
    # Those that begin or end where the best one does.
    longer = [one for one in readings if (one.first == best.first) != (one.last == best.last)]
    if any(_cost(plain, part.lines, one) < len(best.gone) + len(best.put) for one in longer):
        # The part has several changes: what seems to be added is in the file, a bit further.
        return []
    if best.gone and any(is_distinctive(line) and line in index for line in best.put):
        # The lines are in the file: the part may be about that place, and drop what is between.
        return []
    if any(_is_rewritten(reading, budget) or defines_again(reading.gone, reading.put) for reading in longer):
        return []
    joined = [one for one in longer if _has_same_words(one)]
    return [(reading.first, reading.last) for reading in [best, *joined]]


def _best_reading(readings: Sequence[_Reading], budget: SearchBudget) -> _Reading | None:
    """The reading that only adds lines or, if none does, the one that replaces a few by like ones; None without one.

    None also if lines may be added in several places, or replaced in several.
    """
    added = [reading for reading in readings if _is_added(reading)]
    replaced = [reading for reading in readings if _is_replaced_by_like(reading, budget)]
    if not added:
        return replaced[0] if len(replaced) == 1 else None
    # Where a shorter range fits as well, lines that are there would be written once more.
    best = max(added, key=lambda reading: reading.last - reading.first)
    is_unclear = any(reading.first != best.first or reading.last > best.last for reading in added)
    return None if is_unclear else best


def _readings(
    plain: Sequence[str],
    index: Mapping[str, Sequence[int]],
    lines: Sequence[str],
    *,
    is_at_start: bool,
    is_at_end: bool,
) -> list[_Reading]:
    """The ranges that begin and end with lines of the part, as many as agree; none where there are too many to look at.

    One that was not looked at could be the one that is meant.
    """
    firsts = [0] if is_at_start else index.get(lines[0], [])
    lasts = [len(plain) - 1] if is_at_end else index.get(lines[-1], [])
    longest = len(lines) * (MOST_LOST + 1)
    readings: list[_Reading] = []
    pair_count = laid_count = 0
    for first in firsts:
        # The lines of the file at which the part may end, which are in order: not above its first line, nor too far.
        near_lasts = lasts[bisect_left(lasts, first) : bisect_right(lasts, first + longest)]
        for last in near_lasts:
            pair_count += 1
            laid_count += last - first + 1 + len(lines)
            if pair_count > MOST_EDGE_PAIRS or laid_count > MOST_LINES_LAID:
                return []
            reading = _reading(plain[first : last + 1], lines, first)
            is_known_above = is_at_start or _count(reading.above) >= FEWEST_KNOWN
            is_known_below = is_at_end or _count(reading.below) >= FEWEST_KNOWN
            is_distinct = any(map(is_distinctive, reading.above + reading.below))
            if is_known_above and is_known_below and is_distinct:
                readings.append(reading)
    return readings


def _reading(file_lines: Sequence[str], lines: Sequence[str], first: int) -> _Reading:
    """A part laid on a range of the file: the lines that agree from above, then those that agree from below."""
    shorter = min(len(file_lines), len(lines))
    above = 0
    while above < shorter and file_lines[above] == lines[above]:
        above += 1
    below = 0
    while below < shorter and file_lines[-1 - below] == lines[-1 - below]:
        below += 1
    # Lines may agree both ways where added lines begin or end as their neighbors do: they count once.
    head = min(above, max(0, shorter - below))
    tail = min(below, shorter - head)
    return _Reading(
        first,
        first + len(file_lines) - 1,
        tuple(file_lines[:above]),
        tuple(file_lines[len(file_lines) - below :]),
        tuple([line for line in file_lines[head : len(file_lines) - tail] if line]),
        tuple([line for line in lines[head : len(lines) - tail] if line]),
    )


def _is_added(reading: _Reading) -> bool:
    """Whether lines are only added, with every bracket closed that they open."""
    return bool(reading.put) and not reading.gone and is_whole(reading.put)


def _is_replaced_by_like(reading: _Reading, budget: SearchBudget) -> bool:
    """Whether a few lines are replaced by as many or more, of which each is followed by one like it."""
    if not 0 < len(reading.gone) <= min(MOST_REPLACED_BY_LIKE, len(reading.put)):
        return False
    remaining = list(reading.put)
    for line in reading.gone:
        index = next((index for index, other in enumerate(remaining) if _are_alike(line, other, budget)), None)
        if index is None:
            return False
        remaining = remaining[index + 1 :]
    return True


def _is_rewritten(reading: _Reading, budget: SearchBudget) -> bool:
    """Whether half of the lines that go are like lines that come, in their order: they may be rewritten."""
    gone = [line for line in reading.gone if is_distinctive(line)]
    remaining = list(reading.put)
    alike_count = 0
    for line in gone[:MOST_LIKE_LINES]:
        for index, other in enumerate(remaining[:MOST_LIKE_LINES]):
            if _are_alike(line, other, budget):
                alike_count += 1
                remaining = remaining[index + 1 :]
                break
    return alike_count > 0 and alike_count * 2 >= len(gone)


def _has_same_words(reading: _Reading) -> bool:
    """Whether lines that come have the words of lines that go: they may be the same, on more or fewer lines."""
    new, old = (set(re.findall(r"\w+", " ".join(lines))) for lines in (reading.put, reading.gone))
    return bool(old) and len(new & old) >= SAME_WORDS * len(new)


def _are_alike(line: str, other: str, budget: SearchBudget) -> bool:
    """Whether two lines may be versions of the same line, by how they begin."""
    head, other_head = line.strip()[:LONGEST_LIKENESS], other.strip()[:LONGEST_LIKENESS]
    matcher = SequenceMatcher(None, head, other_head)
    budget.spend(CHARACTERS_PER_QUICK_LOOK * len(head))
    # Both are upper bounds of the ratio, and take less time.
    if matcher.real_quick_ratio() < LIKE_REPLACEMENT or matcher.quick_ratio() < LIKE_REPLACEMENT:
        return False
    budget.spend(CHARACTERS_PER_LIKENESS * len(head) * len(other_head))
    return matcher.ratio() >= LIKE_REPLACEMENT


def _may_be_meant(reading: _Reading) -> bool:
    """Whether a place elsewhere loses few enough lines to be the one that is meant."""
    return len(reading.gone) <= MOST_LOST * max(1, len(reading.put))


def _cost(plain: Sequence[str], lines: Sequence[str], reading: _Reading) -> int:
    """How many lines with text come and go where a part is laid on a range, line by line."""
    file_lines = plain[reading.first : reading.last + 1]
    cost = 0
    for start, end, new_start, new_end in changed_blocks(list(file_lines), list(lines)):
        cost += _count(file_lines[start:end]) + _count(lines[new_start:new_end])
    return cost


def _count(lines: Sequence[str]) -> int:
    """How many lines have text."""
    return sum(map(bool, lines))
