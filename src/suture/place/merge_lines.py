"""A three-way merge by lines: what two sides have made of one text, as one text, or the places where they meet.

Two rules make it stricter than it has to be. Between a change of one side and a change of the other there must be a
line that neither has changed. And lines that could have come in, or gone, at several points because their neighbors are
equal count for all of these points. Equal changes of both sides count as one.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from operator import attrgetter

from ..core.line_diff import certain_blocks
from ..core.value import Value
from ..words.merge_conflict import MeetingChanges

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.line_diff import Block

    #: The first line, from 0, and the one after the last.
    LineRange = tuple[int, int]


class SideChange(Value):
    """Lines [start, end) of the base that one side has replaced, and what it has instead.

    `low` and `high` are the range of its new lines in that side's text. The same text would result if the change were
    up to `slack` lines further up.
    """

    start: int
    end: int
    low: int
    high: int
    lines: tuple[str, ...]
    slack: int = 0

    @property
    def key(self) -> tuple[int, int, tuple[str, ...]]:
        """What it does: changes of both sides with the same key are the same change."""
        return self.start, self.end, self.lines

    def touches(self, other: SideChange) -> bool:
        """Whether there is no unchanged line between two changes of different sides."""
        return self.start <= other.end and other.start <= self.end

    def meets(self, other: SideChange) -> bool:
        """Whether there is no unchanged line between two changes of different sides, wherever each may be."""
        return self.touches(other) or self._passes(other) or other._passes(self)

    def _passes(self, other: SideChange) -> bool:
        """Whether the lines that this change could move over include what the other changes."""
        top = self.start - self.slack
        return other.start < self.start and top < other.end and (other.start < other.end or top < other.start)


class MergedLines(Value):
    """The merged text by lines, what each side has changed, and where that is in the merged text.

    A range is empty where lines were removed. What both sides have done is in neither list of ranges.
    """

    lines: tuple[str, ...]
    current_changes: tuple[SideChange, ...]
    edited_changes: tuple[SideChange, ...]
    current: tuple[LineRange, ...]
    edited: tuple[LineRange, ...]


def side_changes(base: Sequence[str], text: Sequence[str]) -> tuple[list[SideChange], bool]:
    """What a side has changed, each change as far down as it goes, and if a comparison from the end gives the same."""
    blocks, is_certain = certain_blocks(base, text)
    return _as_changes(base, text, blocks), is_certain


def changes_from_end(base: Sequence[str], text: Sequence[str]) -> list[SideChange]:
    """What a side has changed if the texts are compared from the end, each change as far down as it goes."""
    size, new_size = len(base), len(text)
    backward, _ = certain_blocks(base[::-1], text[::-1])
    blocks: list[Block] = []
    for start, end, new_start, new_end in reversed(backward):
        # Counted from the end, a block ends where it begins.
        blocks.append((size - end, size - start, new_size - new_end, new_size - new_start))
    return _as_changes(base, text, blocks)


def _as_changes(base: Sequence[str], text: Sequence[str], blocks: Sequence[Block]) -> list[SideChange]:
    """The blocks in which a side differs from the base as changes, each as far down as it goes."""
    changes: list[SideChange] = []
    above = (0, 0)
    for block in _slide_down(base, text, blocks):
        start, end, new_start, new_end = block
        slack = _slack(base, text, block, above)
        changes.append(SideChange(start, end, new_start, new_end, tuple(text[new_start:new_end]), slack))
        above = (end, new_end)
    return changes


def _slide_down(base: Sequence[str], text: Sequence[str], blocks: Sequence[Block]) -> list[Block]:
    """The blocks with pure insertions and removals moved down as far as their lines allow; those that meet are one."""
    #: The blocks that were moved, from the last one up.
    below: list[Block] = []
    for block in reversed(blocks):
        slid = _slide_one(base, text, block, below[-1] if below else None)
        while below and _meet(slid, below[-1]):
            start, _, new_start, _ = slid
            _, end, _, new_end = below.pop()
            joined = (start, end, new_start, new_end)
            slid = _slide_one(base, text, joined, below[-1] if below else None)
        below.append(slid)
    below.reverse()
    return below


def _meet(block: Block, lower: Block) -> bool:
    """Whether a block ends where the one below it begins, in both texts."""
    _, end, _, new_end = block
    lower_start, _, lower_new_start, _ = lower
    return end == lower_start and new_end == lower_new_start


def _slide_one(base: Sequence[str], text: Sequence[str], block: Block, lower: Block | None) -> Block:
    """A block as far down as it goes, at most to the block below it."""
    start, end, new_start, new_end = block
    last_old, last_new = (len(base), len(text)) if lower is None else (lower[0], lower[2])
    while end < last_old and new_end < last_new:
        is_insertion = start == end and text[new_start] == text[new_end]
        is_removal = new_start == new_end and base[start] == base[end]
        if not is_insertion and not is_removal:
            break
        start, end, new_start, new_end = start + 1, end + 1, new_start + 1, new_end + 1
    return start, end, new_start, new_end


def _slack(base: Sequence[str], text: Sequence[str], block: Block, above: LineRange) -> int:
    """How many lines further up the same lines could have come in or gone, below the change above.

    `above` is where that change ends, in the base and in the text.
    """
    start, end, new_start, new_end = block
    end_above, new_end_above = above
    slack = 0
    while start > end_above and new_start > new_end_above:
        # The line above is like the last one that came in, or that is gone.
        is_insertion = start == end and text[new_start - 1] == text[new_end - 1]
        is_removal = new_start == new_end and base[start - 1] == base[end - 1]
        if not is_insertion and not is_removal:
            break
        start, end, new_start, new_end = start - 1, end - 1, new_start - 1, new_end - 1
        slack += 1
    return slack


def merge_lines(
    base: Sequence[str], current: Sequence[str], edited: Sequence[str]
) -> MergedLines | tuple[MeetingChanges, ...]:
    """Both sides' changes of the base in one text; or where they meet.

    Lines that occur several times can often be related to the base in several ways. If the comparison from the end
    gives another text than the one from the start, what has changed is not certain, and all of it counts as meeting.
    """
    current_changes, is_current_certain = side_changes(base, current)
    edited_changes, is_edited_certain = side_changes(base, edited)
    merged = _merge(base, current_changes, edited_changes)
    if not isinstance(merged, MergedLines) or (is_current_certain and is_edited_certain):
        return merged
    current_from_end = current_changes if is_current_certain else changes_from_end(base, current)
    edited_from_end = edited_changes if is_edited_certain else changes_from_end(base, edited)
    merged_from_end = _merge(base, current_from_end, edited_from_end)
    if not isinstance(merged_from_end, MergedLines):
        return merged_from_end
    if merged_from_end.lines == merged.lines:
        return merged
    return (_everything(current_changes, edited_changes),)


def _everything(current: Sequence[SideChange], edited: Sequence[SideChange]) -> MeetingChanges:
    """Everything from the first to the last change of either side, as one place where they meet."""
    start = min(change.start for side in (current, edited) for change in side)
    end = max(change.end for side in (current, edited) for change in side)
    return _meeting(start, end, current, edited, touches=False)


def _merge(
    base: Sequence[str], current: Sequence[SideChange], edited: Sequence[SideChange]
) -> MergedLines | tuple[MeetingChanges, ...]:
    """The base with all changes of both sides; or the places where they meet."""
    meetings = tuple(_meetings(current, edited))
    if meetings:
        return meetings
    shared = {change.key for change in current} & {change.key for change in edited}
    current_ranges: list[LineRange] = []
    edited_ranges: list[LineRange] = []
    # Each change with the list of ranges that it belongs to. A change that both sides have made is made once.
    changes = [(change, current_ranges) for change in current]
    changes += [(change, edited_ranges) for change in edited if change.key not in shared]
    lines: list[str] = []
    done = 0
    for change, ranges in sorted(changes, key=lambda one: one[0].start):
        lines += base[done : change.start]
        if change.key not in shared:
            ranges.append((len(lines), len(lines) + len(change.lines)))
        lines += change.lines
        done = change.end
    lines += base[done:]
    return MergedLines(tuple(lines), tuple(current), tuple(edited), tuple(current_ranges), tuple(edited_ranges))


def _meetings(current: Sequence[SideChange], edited: Sequence[SideChange]) -> list[MeetingChanges]:
    """The places where changes of both sides meet, those that share a change joined."""
    #: The lines of the base at each place, and whether changes touch there.
    places: list[tuple[int, int, bool]] = []
    current_index = edited_index = 0
    while current_index < len(current) and edited_index < len(edited):
        one, other = current[current_index], edited[edited_index]
        is_same_change = one.key == other.key
        if one.meets(other) and not is_same_change:
            start, end, touches = min(one.start, other.start), max(one.end, other.end), one.touches(other)
            if places and start <= places[-1][1]:
                start_above, end_above, touches_above = places.pop()
                start, end, touches = min(start_above, start), max(end_above, end), touches_above or touches
            places.append((start, end, touches))
        # The changes of a side are in order, so nothing further down meets the one that ends first.
        one_ends_first, other_ends_first = one.end <= other.end, other.end <= one.end
        if one_ends_first:
            current_index += 1
        if other_ends_first:
            edited_index += 1
    return [_meeting(start, end, current, edited, touches=touches) for start, end, touches in places]


def _meeting(
    start: int, end: int, current: Sequence[SideChange], edited: Sequence[SideChange], *, touches: bool
) -> MeetingChanges:
    """The place [start, end) of the base where both sides meet, with the lines that each side has there."""
    return MeetingChanges((start, end), _range_of(current, start, end), _range_of(edited, start, end), touches)


def _range_of(side: Sequence[SideChange], start: int, end: int) -> LineRange:
    """Where the lines [start, end) of the base are in the text of a side."""
    low, high = _position(side, start, at_end=False), _position(side, end, at_end=True)
    return low, max(low, high)


def _position(side: Sequence[SideChange], line: int, *, at_end: bool) -> int:
    """Where a line of the base is in the text of a side, before or after what the side has put there."""
    count_above = (bisect_right if at_end else bisect_left)(side, line, key=attrgetter("start"))
    if count_above == 0:
        return line
    last_above = side[count_above - 1]
    if last_above.end > line:
        return last_above.high if at_end else last_above.low
    return line + last_above.high - last_above.end
