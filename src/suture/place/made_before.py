"""Whether an edit that has no place was made before: its new text is in the file."""

from __future__ import annotations

from bisect import bisect_right
from itertools import islice

from . import limits
from .anchors import find_anchors
from .nearest_lines import find_nearest_place, numbers_of
from .search import find_block
from .tiers import FOLDING, is_distinctive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..words.place_lines import NearestPlace
    from .placement import Refusal, Situation


def line_made_before(situation: Situation, refusal: Refusal) -> int:
    """The line at which the result of a refused hunk is already; 0 if that is not why it was refused."""
    text, number = situation.text, refusal.number
    hunk = situation.hunks[number]
    if refusal.kind == "already_applied":
        return numbers_of(text, refusal.starts)[0]
    if refusal.kind != "not_found" or not any(map(str.strip, hunk.old)):
        return 0
    if find_block(text.body, hunk.old, situation.dialect.tiers) is not None:
        # The old lines are in the file, but out of order.
        return 0
    result_lines = find_result(situation, number)
    if result_lines and is_nearer_than_old(situation, number, nearest_to(situation, number)):
        return result_lines[0]
    return 0


def find_result(situation: Situation, number: int) -> list[int]:
    """The lines at which the new text of a hunk is, if that can show that the hunk was applied before."""
    if not tells_result(situation, number):
        return []
    result = find_block(situation.text.body, situation.hunks[number].new, FOLDING)
    return [] if result is None else numbers_of(situation.text, result.starts)


def tells_result(situation: Situation, number: int) -> bool:
    """Whether the new text in the file would show that a hunk was applied before: it is not a part of the old one."""
    hunk = situation.hunks[number]
    is_part = "\n".join(hunk.new) in "\n".join(hunk.old)
    if is_part or situation.is_pristine or not any(map(is_distinctive, hunk.added or hunk.new)):
        return False
    if hunk.added:
        return True
    # What is left of a deletion may be anywhere, and the lines to remove are gone if it was made.
    removed = islice(filter(is_distinctive, hunk.removed), limits.MOST_PIVOTS_TRIED)
    return not any(find_block(situation.text.body, [line], FOLDING) for line in removed)


def is_nearer_than_old(situation: Situation, number: int, nearest: NearestPlace | str | None) -> bool:
    """Whether the new text tells more than the nearest place.

    Where more of the old lines are together than the new text has, the new text is somewhere else by chance.
    """
    agree = 0 if nearest is None or isinstance(nearest, str) else nearest.best.agree
    return agree <= len(situation.hunks[number].new)


def nearest_to(situation: Situation, number: int) -> NearestPlace | str | None:
    """The place that is nearest to a hunk, or a line of it that no line is like; None in an empty file."""
    if not situation.text.body:
        return None
    hunk = situation.hunks[number]
    return find_nearest_place(situation.text, hunk, _home(situation, number), _taken_rows(situation, number))


def _home(situation: Situation, number: int) -> list[range]:
    """The rows in which a hunk should be by its anchor; none where it has no anchor that is in the file."""
    hunk, dialect = situation.hunks[number], situation.dialect
    if not hunk.anchors or not dialect.anchors:
        return []
    anchor_lines = find_anchors(situation, hunk.anchors)
    if not anchor_lines.spots:
        return []
    if dialect.anchor_scope == "block" and anchor_lines.is_known:
        return [rows_between(situation, scope.start, scope.end) for scope in anchor_lines.scopes]
    return [rows_between(situation, anchor_lines.spots[0], len(situation.text.body))]


def rows_between(situation: Situation, start: int, end: int) -> range:
    """The rows between two offsets."""
    starts = situation.text.rows[1]
    return range(bisect_right(starts, start) - 1, bisect_right(starts, end - 1))


def _taken_rows(situation: Situation, number: int) -> set[int]:
    """The rows of lines that other hunks remove, as far as these are in the file exactly once."""
    rows: set[int] = set()
    for other_number, other in enumerate(situation.hunks[: limits.MOST_EXPLAINED]):
        if other_number == number or not other.old:
            continue
        block = find_block(situation.text.body, other.old, ("exact",))
        if block is None or len(block.starts) != 1:
            continue
        first = bisect_right(situation.text.rows[1], block.starts[0]) - 1
        old_lines = [line for line in other.lines if line[0] != "+"]
        rows.update(row for row, line in enumerate(old_lines, first) if line[0] == "-")
    return rows
