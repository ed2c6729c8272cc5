"""The refusals of a sketch, and lines that it leaves out without a marker."""

from __future__ import annotations

from ..core.line_diff import changed_blocks
from ..words.change_problems import change_refusal
from .limits import (
    FEWEST_AT_EDGE,
    MOST_DROPPED_ALONE,
    MOST_DROPPED_BESIDE,
    MOST_LEFT_OUT,
    MOST_REPLACED,
    NEAR_CHANGES,
)
from .sketch_moves import are_moved, lost_lines
from .sketch_rivals import skipped_lines
from .tiers import is_distinctive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.line_diff import Block
    from ..core.problems import PatchRejectedError


def unplaced(path: str, message: str) -> PatchRejectedError:
    """The refusal of a sketch of which a part has no certain place."""
    hint = "Send at least three unchanged lines of the file beside each marker, or a patch or an edit instead."
    return change_refusal("patch_apply_error", path, message, hint, reason="context_not_found")


def check_left_out(there: list[str], written: Sequence[str], first: int, path: str) -> None:
    """Refuse a part that drops lines of the file without a marker: it may be forgotten.

    Beside a forgotten marker, there are lines that stay, on both sides of it. So lines may go where other lines come in
    their place, where another change is right beside them, or where this is all that the part changes. Lines that the
    part has elsewhere do not go.
    """
    blocks = changed_blocks(there, list(written))
    if len(blocks) == 1 and _is_deletion(there, written, blocks[0]):
        return
    lost = lost_lines(there, written)
    skipped = skipped_lines(there, written)
    if skipped is not None and not are_moved(there[skipped[0] : skipped[1]], lost):
        raise _left_out(path, first + skipped[0], first + skipped[1])
    for number, (start, end, new_start, new_end) in enumerate(blocks):
        gone, new = count_filled(there[start:end]), written[new_start:new_end]
        put = count_filled(new)
        if are_moved(there[start:end], lost):
            continue
        if gone and not put and first + start == 0:
            raise unplaced(path, f"The sketch begins below the first lines of {path} without a marker.")
        if gone - put > _most_left_out(new, _counts_between(there, blocks, number)):
            raise _left_out(path, first + start, first + end)


def _counts_between(there: Sequence[str], blocks: Sequence[Block], number: int) -> list[int]:
    """How many lines with text stay between a change and the ones right above and below it, as far as there are any."""
    start, end, _, _ = blocks[number]
    counts: list[int] = []
    if number > 0:
        end_above = blocks[number - 1][1]
        counts.append(count_filled(there[end_above:start]))
    if number + 1 < len(blocks):
        start_below = blocks[number + 1][0]
        counts.append(count_filled(there[end:start_below]))
    return counts


def _most_left_out(new: Sequence[str], counts_between: Sequence[int]) -> int:
    """How many more lines may go than come in a change that puts these new lines there.

    `counts_between` says how many lines stay between the change and those beside it.
    """
    is_alone = not counts_between
    if any(new):
        if not any(map(is_distinctive, new)):
            return MOST_LEFT_OUT
        return max(MOST_LEFT_OUT, MOST_REPLACED * count_filled(new))
    if is_alone:
        return MOST_LEFT_OUT
    nearest = min(counts_between)
    if nearest < NEAR_CHANGES:
        return MOST_DROPPED_BESIDE
    return MOST_LEFT_OUT if nearest == NEAR_CHANGES else 0


def _is_deletion(there: list[str], written: Sequence[str], block: tuple[int, int, int, int]) -> bool:
    """Whether all that a part does is to leave out lines between two runs of context, which would mean nothing else."""
    start, end, new_start, new_end = block
    if any(written[new_start:new_end]):
        return False
    above, gone, below = count_filled(there[:start]), count_filled(there[start:end]), count_filled(there[end:])
    return gone <= MOST_DROPPED_ALONE and min(above, below) >= FEWEST_AT_EDGE


def _left_out(path: str, first: int, end: int) -> PatchRejectedError:
    """The refusal of a sketch that drops the lines from `first` up to `end`, from 0."""
    message = f"The sketch leaves out lines {first + 1}-{end} of {path} without a marker."
    hint = "Put a marker there if they stay. To delete them, use an edit with these lines as the text to find."
    return change_refusal("patch_apply_error", path, message, hint, reason="left_out")


def count_filled(lines: Sequence[str]) -> int:
    """How many lines have text."""
    return sum(map(bool, lines))
