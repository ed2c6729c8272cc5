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
    from collections.abc import Iterator, Sequence

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
    size, length = len(base), len(text)
    backward, _ = certain_blocks(base[::-1], text[::-1])
    blocks = [(size - b, size - a, length - d, length - c) for a, b, c, d in reversed(backward)]
    return _as_changes(base, text, blocks)


def _as_changes(base: Sequence[str], text: Sequence[str], blocks: Sequence[Block]) -> list[SideChange]:
    slid = _slide_down(base, text, blocks)
    changes: list[SideChange] = []
    above = (0, 0)
    for a, b, c, d in slid:
        slack = _slack(base, text, (a, b, c, d), above)
        changes.append(SideChange(a, b, c, d, tuple(text[c:d]), slack))
        above = (b, d)
    return changes


def _slide_down(base: Sequence[str], text: Sequence[str], blocks: Sequence[Block]) -> list[Block]:
    """The blocks with pure insertions and removals moved down as far as their lines allow; those that meet are one."""
    below: list[Block] = []
    for block in reversed(blocks):
        slid = _slide_one(base, text, block, below[-1] if below else None)
        while below and (slid[1], slid[3]) == (below[-1][0], below[-1][2]):
            lower = below.pop()
            joined = (slid[0], lower[1], slid[2], lower[3])
            slid = _slide_one(base, text, joined, below[-1] if below else None)
        below.append(slid)
    below.reverse()
    return below


def _slide_one(base: Sequence[str], text: Sequence[str], block: Block, lower: Block | None) -> Block:
    """A block as far down as it goes, at most to the block below it."""
    a, b, c, d = block
    last_old, last_new = (len(base), len(text)) if lower is None else (lower[0], lower[2])
    while b < last_old and d < last_new:
        is_insertion = a == b and text[c] == text[d]
        is_removal = c == d and base[a] == base[b]
        if not is_insertion and not is_removal:
            break
        a, b, c, d = a + 1, b + 1, c + 1, d + 1
    return a, b, c, d


def _slack(base: Sequence[str], text: Sequence[str], block: Block, above: LineRange) -> int:
    """How many lines further up the same lines could have come in or gone, below the change above."""
    a, b, c, d = block
    slack = 0
    while a - slack > above[0] and c - slack > above[1]:
        is_insertion = a == b and text[c - slack - 1] == text[d - slack - 1]
        is_removal = c == d and base[a - slack - 1] == base[b - slack - 1]
        if not is_insertion and not is_removal:
            break
        slack += 1
    return slack


def merge_lines(
    base: Sequence[str], current: Sequence[str], edited: Sequence[str]
) -> MergedLines | tuple[MeetingChanges, ...]:
    """Both sides' changes of the base in one text; or where they meet.

    Lines that occur several times can often be related to the base in several ways. If the comparison from the end
    gives another text than the one from the start, what has changed is not certain, and all of it counts as meeting.
    """
    sides = (current, edited)
    compared = [side_changes(base, side) for side in sides]
    forward = [changes for changes, _ in compared]
    merged = _merge(base, forward[0], forward[1])
    if not isinstance(merged, MergedLines) or all(is_certain for _, is_certain in compared):
        return merged
    backward = [
        changes if is_certain else changes_from_end(base, side)
        for side, (changes, is_certain) in zip(sides, compared, strict=True)
    ]
    other = _merge(base, backward[0], backward[1])
    if not isinstance(other, MergedLines) or other.lines == merged.lines:
        return merged if isinstance(other, MergedLines) else other
    return (_everything(forward[0], forward[1]),)


def _everything(current: Sequence[SideChange], edited: Sequence[SideChange]) -> MeetingChanges:
    """Everything from the first to the last change of either side, as one place where they meet."""
    start = min(change.start for side in (current, edited) for change in side)
    end = max(change.end for side in (current, edited) for change in side)
    return _meeting(start, end, current, edited, touches=False)


def _merge(
    base: Sequence[str], current: Sequence[SideChange], edited: Sequence[SideChange]
) -> MergedLines | tuple[MeetingChanges, ...]:
    meetings = tuple(_meetings(current, edited))
    if meetings:
        return meetings
    both = {change.key for change in current} & {change.key for change in edited}
    changes = [(change, 0) for change in current]
    changes += [(change, 1) for change in edited if change.key not in both]
    lines: list[str] = []
    ranges: tuple[list[LineRange], list[LineRange]] = ([], [])
    done = 0
    for change, side in sorted(changes, key=lambda one: one[0].start):
        lines += base[done : change.start]
        if change.key not in both:
            ranges[side].append((len(lines), len(lines) + len(change.lines)))
        lines += change.lines
        done = change.end
    lines += base[done:]
    return MergedLines(tuple(lines), tuple(current), tuple(edited), tuple(ranges[0]), tuple(ranges[1]))


def _meetings(current: Sequence[SideChange], edited: Sequence[SideChange]) -> Iterator[MeetingChanges]:
    """The places where changes of both sides meet, those that share a change joined."""
    start = end = -1
    touches = False
    mine = others = 0
    while mine < len(current) and others < len(edited):
        one, other = current[mine], edited[others]
        if one.meets(other) and one.key != other.key:
            low, high = min(one.start, other.start), max(one.end, other.end)
            if start >= 0 and low > end:
                yield _meeting(start, end, current, edited, touches=touches)
                start, touches = -1, False
            start, end = low if start < 0 else min(start, low), max(end, high)
            touches = touches or one.touches(other)
        # The changes of a side are in order, so nothing further down meets the one that ends first.
        if one.end <= other.end:
            mine += 1
        if other.end <= one.end:
            others += 1
    if start >= 0:
        yield _meeting(start, end, current, edited, touches=touches)


def _meeting(
    start: int, end: int, current: Sequence[SideChange], edited: Sequence[SideChange], *, touches: bool
) -> MeetingChanges:
    ranges: list[LineRange] = []
    for side in (current, edited):
        low, high = _position(side, start, at_end=False), _position(side, end, at_end=True)
        ranges.append((low, max(low, high)))
    return MeetingChanges((start, end), ranges[0], ranges[1], touches)


def _position(side: Sequence[SideChange], line: int, *, at_end: bool) -> int:
    """Where a line of the base is in the text of a side, before or after what the side has put there."""
    above = (bisect_right if at_end else bisect_left)(side, line, key=attrgetter("start"))
    if not above:
        return line
    last = side[above - 1]
    if last.end > line:
        return last.high if at_end else last.low
    return line + last.high - last.end
