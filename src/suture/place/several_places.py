"""Several places that an edit fits: each of them with what tells it from all others.

That is the block that it is in, which an `@@` line can name, and the lines right beside it, which the edit can repeat.
"""

from __future__ import annotations

from collections import Counter

from ..words.message_limits import MOST_LISTED
from ..words.place_lines import NumberedLine, OnePlace, SeveralPlaces
from . import limits
from .tiers import FOLDS, is_distinctive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_fold = FOLDS["whitespace"]


def tell_places_apart(lines: Sequence[str], rows: Sequence[int], old: Sequence[str]) -> SeveralPlaces:
    """The places of old lines that begin at these rows, each with what tells it from all others."""
    places = _Places(lines, rows, old)
    listed = [places.place(row) for row in rows[:MOST_LISTED]]
    return SeveralPlaces(listed, [row + 1 for row in rows], lines[rows[0]], has_blocks=bool(places.blocks))


def brief_places(lines: Sequence[str], numbers: Sequence[int]) -> SeveralPlaces:
    """Places of which only the line numbers are told."""
    return SeveralPlaces((), numbers, lines[numbers[0] - 1])


class _Places:
    """Several places of the same old lines, and what tells each of them from the others."""

    def __init__(self, lines: Sequence[str], rows: Sequence[int], old: Sequence[str]) -> None:
        self.lines, self.rows, self.old = lines, rows, old
        self.height = max(1, len(old))
        #: The row that opens the block of each place, if each has one of its own.
        self.blocks = dict(zip(rows, telling_blocks(lines, rows), strict=False))
        #: The rows that belong to any place: they tell nothing.
        self.own = {row + away for row in rows for away in range(self.height)}

    def place(self, row: int) -> OnePlace:
        """One of them: the first of its lines that is not as the edit has it, and what tells it from the others."""
        first, *more = self._different_rows(row) or [row]
        opener = self._numbered(self.blocks[row]) if self.blocks else None
        is_different = self._is_different(row)
        place = OnePlace(self._numbered(first), self._listed(more), is_different, opener)
        if is_different:
            return place
        distance, far_line = self._far_line(row)
        beside = lines_beside(self.lines, row, self._others(row), self.height)
        if not self.own.isdisjoint(beside):
            beside = range(0)
        return place.replace(beside=self._listed(beside), far=far_line, distance=distance)

    def _others(self, row: int) -> list[int]:
        return [other for other in self.rows if other != row]

    def _block_lines(self, row: int) -> list[str]:
        return [_fold(line) for line in self.lines[row : row + self.height]]

    def _is_different(self, row: int) -> bool:
        """Whether the lines of a place are not those of any other."""
        return all(self._block_lines(other) != self._block_lines(row) for other in self._others(row))

    def _different_rows(self, row: int) -> list[int]:
        """The rows of a place whose lines are not as the edit has them."""
        rows = range(row, min(row + self.height, len(self.lines)))
        return [at for at, line in zip(rows, self.old, strict=False) if self.lines[at] != line]

    def _numbered(self, row: int) -> NumberedLine:
        return NumberedLine(row + 1, self.lines[row])

    def _listed(self, rows: Sequence[int]) -> list[NumberedLine]:
        return [self._numbered(row) for row in rows]

    def _far_line(self, row: int) -> tuple[int, NumberedLine | None]:
        """The nearest line above a place, or else below it, that is not as far from any other place, and how far."""
        others = self._others(row)
        for first_step, direction in ((-1, -1), (self.height, 1)):
            for count in range(limits.MOST_FAR):
                steps = first_step + direction * count
                line = _line_at(self.lines, row + steps)
                if line is None or row + steps in self.own:
                    break
                if is_distinctive(line) and all(_line_at(self.lines, other + steps) != line for other in others):
                    return count + 1, self._numbered(row + steps)
        return 0, None


def lines_beside(lines: Sequence[str], row: int, others: Sequence[int], height: int) -> range:
    """The fewest rows right above or below a place that no other place has; none where that takes too many."""
    above = _count_telling(lines, row, others, -1, -1)
    below = _count_telling(lines, row, others, height, 1)
    if above and (not below or above <= below):
        return range(row - above, row)
    return range(row + height, row + height + below)


def _count_telling(lines: Sequence[str], row: int, others: Sequence[int], first_step: int, direction: int) -> int:
    """How many lines on one side tell a place from the others; 0 if too many would be needed.

    The lines are `first_step` rows away from the first row of a place, and further away in the direction: -1 or 1.
    """
    rivals = list(others)
    for count in range(limits.MOST_TELLING):
        steps = first_step + direction * count
        line = _line_at(lines, row + steps)
        if line is None:
            return 0
        rivals = [rival for rival in rivals if _line_at(lines, rival + steps) == line]
        # A blank line may be mere layout.
        if not rivals and line:
            return count + 1
    return 0


def _line_at(lines: Sequence[str], row: int) -> str | None:
    return _fold(lines[row]) if 0 <= row < len(lines) else None


def telling_blocks(lines: Sequence[str], rows: Sequence[int]) -> list[int]:
    """For each row the one that opens the innermost block that no other row is in; none unless every row has one."""
    openers_of_rows = [blocks_around(lines, row) for row in rows]
    #: In the blocks around how many rows each opening line is.
    counts: Counter[str] = Counter()
    for openers in openers_of_rows:
        counts.update({_fold(lines[opener]) for opener in openers})
    telling: list[int] = []
    for openers in openers_of_rows:
        own_opener = next((opener for opener in openers if counts[_fold(lines[opener])] == 1), None)
        if own_opener is None:
            return []
        telling.append(own_opener)
    return telling


def blocks_around(lines: Sequence[str], row: int) -> list[int]:
    """The rows that open the blocks around a row, innermost first: distinctive lines above that are indented less."""
    openers: list[int] = []
    #: The indentation of the innermost block so far; None until a line has one.
    width: int | None = None
    for row_above in range(min(row, len(lines) - 1), max(-1, row - limits.MOST_ABOVE), -1):
        line = lines[row_above].expandtabs(4)
        indent = len(line) - len(line.lstrip())
        if width is None:
            # A blank line lies as deep as the line above it.
            if line.strip():
                width = indent
        elif indent < width and is_distinctive(line):
            openers.append(row_above)
            width = indent
    return openers
