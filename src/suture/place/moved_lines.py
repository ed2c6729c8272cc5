"""Whether line numbers of a text are still those of another: how far nothing above a line was added or removed."""

from __future__ import annotations

from ..core.line_diff import changed_blocks
from .change_lines import are_confirmed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.text_changes import ReplaceLines


def keeps_numbers(before: Sequence[str], after: Sequence[str], last: int) -> bool:
    """Whether every line up to this one has the number that it had before, whichever of equal lines were added."""
    for start, end, low, high in changed_blocks(before, after):
        if end - start != high - low and _first_start(before, after, (start, end, low, high)) < last:
            return False
    return True


def first_changed(before: Sequence[str], after: Sequence[str]) -> int:
    """The first line that may have been changed, or above which lines may have been added; from 1."""
    blocks = changed_blocks(before, after)
    return 1 + min([_first_start(before, after, block) for block in blocks], default=len(before))


def _first_start(before: Sequence[str], after: Sequence[str], block: tuple[int, int, int, int]) -> int:
    """Where a block of added or removed lines may begin at the earliest: among equal lines, nobody can tell which."""
    start, end, low, high = block
    if start == end:
        while low and start and after[low - 1] == after[high - 1]:
            start, low, high = start - 1, low - 1, high - 1
    elif low == high:
        while start and before[start - 1] == before[end - 1]:
            start, end = start - 1, end - 1
    return start


def is_only_place(lines: Sequence[str], change: ReplaceLines) -> bool:
    """Whether a change says what its first and its last line are, and only one range of this length has them."""
    if not are_confirmed(change):
        return False
    first, last = (change.first_text or "").strip(), (change.last_text or "").strip()
    behind = change.last - change.first
    pairs = zip(lines, lines[behind:], strict=False)
    return sum([one.strip() == first and other.strip() == last for one, other in pairs]) == 1
