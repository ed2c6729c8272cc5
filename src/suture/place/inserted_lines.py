"""Whether lines that an edit only adds are around their place already."""

from __future__ import annotations

from itertools import takewhile

from ..core.line_diff import changed_blocks
from .place import line_after
from .search import lines_above, lines_below
from .tiers import FOLDS, is_distinctive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_fold = FOLDS["whitespace"]


def find_inserted(
    body: str, lines: Sequence[str], starts: Sequence[int | None], *, loose: bool = False
) -> tuple[int, ...]:
    """Where lines that only come in are already, at any depth: above the point where they would, below or around it.

    All of them, of which a distinctive one is no line of the hunk itself; or, where the place is loose, the first
    distinctive one and more than half of the others, which may have been edited. `starts` has the offset of each old
    line and of what follows them.
    """
    # Between exact lines, whitespace inside of them makes no difference, and folding takes longer than the rest.
    fold = _fold if loose else str.strip
    old = [fold(line[1:]) for line in lines if line[0] != "+"]
    new = [fold(line[1:]) for line in lines if line[0] != "-"]
    for old_start, old_end, new_start, new_end in changed_blocks(old, new):
        size = (new_end - new_start) - (old_end - old_start)
        if size <= 0:
            continue
        # Of more lines than they replace, the first or the last may be those that come in.
        for number, new_first in dict.fromkeys(((old_start, new_start), (old_end, new_end - size))):
            start, added = starts[number], new[new_first : new_first + size]
            if start is None:
                continue
            if _is_there(body, start, added, number, len(old) - number, loose=loose):
                return (start,)
            if loose and _is_there_edited(body, start, added, _own_sides(body, starts, number)):
                return (start,)
    return ()


def _is_there(body: str, start: int, added: list[str], own_above: int, own_below: int, *, loose: bool) -> bool:
    """Whether a copy of added lines is around an offset: its first lines right below it, and the others right above.

    `own_above` and `own_below` are how many lines of their own hunk are there. These are no copy, and of the others one
    has to be distinctive.
    """
    size = len(added)
    # The copy may be split at several points, each with another number of lines below the offset.
    most_above = _count_equal(reversed(added), lines_above(body, start))
    most_below = _count_equal(added, lines_below(body, start))
    least_below = size - most_above
    if least_below > most_below:
        return False
    is_at_edge = own_above == 0 or own_below == 0
    if loose and is_at_edge and not any(added):
        # Blank lines beside the hunk.
        return True
    for count_below in (least_below, most_below):
        # Below the offset are the first lines of `added`, above it the last ones.
        copied_below = added[:count_below][own_below:]
        copied_above = added[count_below : max(0, size - own_above)]
        if any(map(is_distinctive, copied_above)) or any(map(is_distinctive, copied_below)):
            return True
    return False


def _own_sides(body: str, starts: Sequence[int | None], number: int) -> tuple[bool, bool]:
    """Whether the line right above an old line of a hunk, and the line itself, are the hunk's own.

    `starts` has the offset of each old line and of what follows them, which is none of the hunk's.
    """
    start_above = starts[number - 1] if number > 0 else None
    is_above_own = start_above is not None and line_after(body, start_above) == starts[number]
    is_below_own = number < len(starts) - 1
    return is_above_own, is_below_own


def _is_there_edited(body: str, start: int, added: list[str], own_sides: tuple[bool, bool]) -> bool:
    """Whether the first distinctive line and more than half of the others are on a side of an offset that is not the
    hunk's own: lines that were edited after they came in.
    """
    distinctive = list(filter(is_distinctive, added))
    faced_above = list(zip(reversed(added), lines_above(body, start), strict=False))[::-1]
    faced_below = list(zip(added, lines_below(body, start), strict=False))
    for is_own, faced in zip(own_sides, (faced_above, faced_below), strict=True):
        kept = [line for line, file_line in faced if is_distinctive(line) and _fold(line) == _fold(file_line)]
        has_most = len(kept) > 1 and len(kept) * 2 > len(distinctive)
        if not is_own and has_most and kept[0] == distinctive[0]:
            return True
    return False


def _count_equal(added: Iterable[str], lines: Iterable[str]) -> int:
    """How many lines are equal to those of the file, up to the first that is not."""
    pairs = zip(added, lines, strict=False)
    return sum(1 for _ in takewhile(lambda pair: _fold(pair[0]) == _fold(pair[1]), pairs))
