"""Lines that a part of a sketch has in another order than the file: they are moved, so no marker is missing there."""

from __future__ import annotations

from collections import Counter

from ..core.line_diff import changed_blocks
from .limits import MOST_ELSEWHERE
from .tiers import is_distinctive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def lost_lines(there: Sequence[str], lines: Sequence[str]) -> set[str]:
    """The lines of a place that a part has less often, without their indentation: a line that moves may go deeper."""
    gone: Counter[str] = Counter()
    come: Counter[str] = Counter()
    for start, end, new_start, new_end in changed_blocks(list(there), list(lines)):
        gone.update([line.strip() for line in there[start:end]])
        come.update([line.strip() for line in lines[new_start:new_end]])
    return set(gone - come) - {""}


def are_moved(gone: Sequence[str], lost: set[str]) -> bool:
    """Whether lines that go from where they were are all elsewhere in the part, which loses only the lost ones."""
    return any(map(is_distinctive, gone)) and lost.isdisjoint([line.strip() for line in gone])


def begins_below_moved(above: Sequence[str], lines: Sequence[str]) -> bool:
    """Whether a sketch without a marker at its start has the lines above its first one further down.

    So it does where imports are sorted: it begins with the file.
    """
    missing = Counter([line for line in above if line]) - Counter(lines)
    return any(map(is_distinctive, above)) and not missing


def lines_beside(
    plain: Sequence[str], index: Mapping[str, Sequence[int]], lines: Sequence[str], place: tuple[int, int]
) -> list[Sequence[str]]:
    """The lines above a place that begins with a closing bracket or the like, up to the same one; and so below it."""
    first, last = place
    beside: list[Sequence[str]] = []
    starts = [row for row in index.get(lines[0], ()) if row < first]
    if starts and not is_distinctive(lines[0]):
        beside.append(plain[starts[-1] : first])
    ends = [row for row in index.get(lines[-1], ()) if row > last]
    if ends and not is_distinctive(lines[-1]):
        beside.append(plain[last + 1 : ends[0]])
    return beside


def are_added(beside: Sequence[str], added: Sequence[str]) -> bool:
    """Whether a part adds all lines that the file has beside its place: they may be meant to move into it."""
    telling = {line.strip() for line in beside if is_distinctive(line)}
    return len(telling) >= MOST_ELSEWHERE and telling <= {line.strip() for line in added}
