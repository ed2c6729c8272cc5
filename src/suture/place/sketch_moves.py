"""Lines that a part of a sketch has in another order than the file: they are moved, so no marker is missing there."""

from __future__ import annotations

from collections import Counter

from ..core.line_diff import changed_blocks
from .tiers import is_distinctive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


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
