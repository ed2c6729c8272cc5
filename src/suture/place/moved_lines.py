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
    for block in changed_blocks(before, after):
        start, end, new_start, new_end = block
        is_as_long = end - start == new_end - new_start
        if not is_as_long and _first_start(before, after, block) < last:
            return False
    return True


def first_changed(before: Sequence[str], after: Sequence[str]) -> int:
    """The first line that may have been changed, or above which lines may have been added; from 1."""
    blocks = changed_blocks(before, after)
    return 1 + min([_first_start(before, after, block) for block in blocks], default=len(before))


def _first_start(before: Sequence[str], after: Sequence[str], block: tuple[int, int, int, int]) -> int:
    """Where a block of added or removed lines may begin at the earliest: among equal lines, nobody can tell which.

    It may as well begin one line earlier where the line above it is like its last one.
    """
    start, end, new_start, new_end = block
    if start == end:
        while start > 0 and new_start > 0 and after[new_start - 1] == after[new_end - 1]:
            start, new_start, new_end = start - 1, new_start - 1, new_end - 1
    elif new_start == new_end:
        while start > 0 and before[start - 1] == before[end - 1]:
            start, end = start - 1, end - 1
    return start


def is_only_place(lines: Sequence[str], change: ReplaceLines) -> bool:
    """Whether a change says what its first and its last line are, and only one range of this length has them."""
    if not are_confirmed(change):
        return False
    first_text, last_text = (change.first_text or "").strip(), (change.last_text or "").strip()
    distance = change.last - change.first
    count = 0
    for first, last in zip(lines, lines[distance:], strict=False):
        if first.strip() == first_text and last.strip() == last_text:
            count += 1
    return count == 1
