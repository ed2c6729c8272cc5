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
        """One of them."""
        first, *more = self._different_rows(row) or [row]
        is_different = self._is_different(row)
        opener = self._numbered(self.blocks[row]) if self.blocks else None
        if is_different:
            return OnePlace(self._numbered(first), self._listed(more), is_different, opener)
        distance, far = self._far_line(row)
        beside = lines_beside(self.lines, row, self._others(row), self.height)
        if not self.own.isdisjoint(beside):
            beside = range(0)
        listed = self._listed(more), is_different, opener, self._listed(beside)
        return OnePlace(self._numbered(first), *listed, far, distance)

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
        for first, step in ((-1, -1), (self.height, 1)):
            for count in range(limits.MOST_FAR):
                away = first + step * count
                line = _line_at(self.lines, row + away)
                if line is None or row + away in self.own:
                    break
                if is_distinctive(line) and all(_line_at(self.lines, other + away) != line for other in others):
                    return count + 1, self._numbered(row + away)
        return 0, None


def lines_beside(lines: Sequence[str], row: int, others: Sequence[int], height: int) -> range:
    """The fewest rows right above or below a place that no other place has; none where that takes too many."""
    above = _count_telling(lines, row, others, -1, -1)
    below = _count_telling(lines, row, others, height, 1)
    if above and (not below or above <= below):
        return range(row - above, row)
    return range(row + height, row + height + below)


def _count_telling(lines: Sequence[str], row: int, others: Sequence[int], first: int, step: int) -> int:
    """How many lines on one side tell a place from the others; 0 if too many would be needed.

    `first` is where the side begins, from the first row of a place, and `step` the direction away from it.
    """
    rivals = list(others)
    for count in range(1, limits.MOST_TELLING + 1):
        away = first + step * (count - 1)
        line = _line_at(lines, row + away)
        if line is None:
            return 0
        rivals = [other for other in rivals if _line_at(lines, other + away) == line]
        # A blank line may be mere layout.
        if not rivals and line:
            return count
    return 0


def _line_at(lines: Sequence[str], row: int) -> str | None:
    return _fold(lines[row]) if 0 <= row < len(lines) else None


def telling_blocks(lines: Sequence[str], rows: Sequence[int]) -> list[int]:
    """For each row the one that opens the innermost block that no other row is in; none unless every row has one."""
    blocks = [blocks_around(lines, row) for row in rows]
    counts = Counter(line for some in blocks for line in {_fold(lines[row]) for row in some})
    telling: list[int] = []
    for some in blocks:
        telling += [row for row in some if counts[_fold(lines[row])] == 1][:1]
    return telling if len(telling) == len(rows) else []


def blocks_around(lines: Sequence[str], row: int) -> list[int]:
    """The rows that open the blocks around a row, innermost first: distinctive lines above that are indented less."""
    openers: list[int] = []
    width = -1
    for at in range(min(row, len(lines) - 1), max(-1, row - limits.MOST_ABOVE), -1):
        line = lines[at].expandtabs(4)
        indent = len(line) - len(line.lstrip())
        # A blank line lies as deep as the line above it.
        if width < 0 and line.strip():
            width = indent
        elif indent < width and is_distinctive(line):
            openers.append(at)
            width = indent
    return openers
