"""Several places that an edit fits: each of them with what tells it from all others.

That is the block that it is in, which an `@@` line can name, and the lines right beside it, which the edit can repeat.
"""

from __future__ import annotations

from collections import Counter

from ..core.value import Value
from . import limits
from .message_lines import line_list, size_of, visible
from .tiers import FOLDS, is_distinctive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_fold = FOLDS["whitespace"]


class ListedPlaces(Value):
    """The listing of several places, and the row that opens the block of the first, if every place is in a block of its
    own.
    """

    text: str
    block: int | None


def list_places(
    lines: Sequence[str], rows: Sequence[int], old: Sequence[str], room: int, *, has_anchors: bool
) -> ListedPlaces:
    """The places of old lines that begin at these rows, in at most so many bytes.

    Where the edit has anchors, a block tells a place well enough; where not, the lines beside it are shown, too.
    """
    places = _Places(lines, rows, old)
    share = room // min(len(rows), limits.MOST_LISTED)
    entries: list[str] = []
    tells = False
    for row in rows[: limits.MOST_LISTED]:
        block = places.block(row) if has_anchors else ""
        telling = block or places.telling(row, share)
        tells = tells or bool(telling) or places.is_different(row)
        entry = places.first_line(row) + telling
        more = places.other_differences(row)
        entry += more if size_of(entry + more) <= share else ""
        if entries and size_of("".join((*entries, entry))) > room:
            break
        entries.append(entry)
    if not tells:
        numbers = line_list([row + 1 for row in rows])
        return ListedPlaces(f"\n  {numbers}: {visible(lines[rows[0]])}", None)
    left = rows[len(entries) :]
    text = "".join(entries) + (f"\n  and {line_list([row + 1 for row in left])}" if left else "")
    return ListedPlaces(text, places.blocks[rows[0]] if places.blocks else None)


class _Places:
    """Several places of the same old lines, and what tells each of them from the others."""

    def __init__(self, lines: Sequence[str], rows: Sequence[int], old: Sequence[str]) -> None:
        self.lines, self.rows, self.old = lines, rows, old
        self.height = max(1, len(old))
        #: The row that opens the block of each place, if each has one of its own.
        self.blocks = dict(zip(rows, telling_blocks(lines, rows), strict=False))
        #: The rows that belong to any place: they tell nothing.
        self.own = {row + away for row in rows for away in range(self.height)}

    def _block_lines(self, row: int) -> list[str]:
        return [_fold(line) for line in self.lines[row : row + self.height]]

    def is_different(self, row: int) -> bool:
        """Whether the lines of a place are not those of any other."""
        return all(self._block_lines(other) != self._block_lines(row) for other in self.rows if other != row)

    def _different_rows(self, row: int) -> list[int]:
        """The rows of a place whose lines are not as the edit has them."""
        rows = range(row, min(row + self.height, len(self.lines)))
        return [at for at, line in zip(rows, self.old, strict=False) if self.lines[at] != line]

    def first_line(self, row: int) -> str:
        """The first line of a place that is not as the edit has it, or else its first line."""
        at = next(iter(self._different_rows(row)), row)
        return f"\n  line {at + 1}: {visible(self.lines[at])}"

    def other_differences(self, row: int) -> str:
        """The other lines of a place that are not as the edit has them."""
        rows = self._different_rows(row)[1:]
        return f", and:{self._listed(rows)}" if rows else ""

    def block(self, row: int) -> str:
        """The block that no other place is in."""
        return f", in {self._numbered(self.blocks[row])}" if self.blocks else ""

    def telling(self, row: int, room: int) -> str:
        """The block that no other place is in, and the lines beside it that no other place has."""
        block = self.block(row)
        if self.is_different(row):
            return block
        beside = lines_beside(self.lines, row, [other for other in self.rows if other != row], self.height)
        if not self.own.isdisjoint(beside):
            beside = range(0)
        if block and list(beside) == [self.blocks[row]]:
            return block
        text = self._beside(row, beside) if beside else ""
        if not text or size_of(block + text) > room:
            text = self._far_line(row)
        return block + text

    def _numbered(self, row: int) -> str:
        return f"{visible(self.lines[row])} (line {row + 1})"

    def _listed(self, rows: Sequence[int]) -> str:
        longest = limits.LONGEST_COMPARED_SHOWN
        return "".join([f"\n    {row + 1} {visible(self.lines[row], 0, longest)}" for row in rows])

    def _beside(self, row: int, beside: range) -> str:
        side = "below" if beside.start < row else "above"
        if len(beside) == 1:
            return f", {side} {self._numbered(beside[0])}"
        return f", {side}:{self._listed(beside)}"

    def _far_line(self, row: int) -> str:
        """The nearest line above a place, or else below it, that is not as far from any other place."""
        others = [other for other in self.rows if other != row]
        for first, step, side in ((-1, -1, "below"), (self.height, 1, "above")):
            for count in range(limits.MOST_FAR):
                away = first + step * count
                line = _line_at(self.lines, row + away)
                if line is None or row + away in self.own:
                    break
                if is_distinctive(line) and all(_line_at(self.lines, other + away) != line for other in others):
                    return f", {count + 1} lines {side} {self._numbered(row + away)}"
        return ""


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
    found: list[int] = []
    width = -1
    for at in range(min(row, len(lines) - 1), max(-1, row - limits.MOST_ABOVE), -1):
        line = lines[at].expandtabs(4)
        indent = len(line) - len(line.lstrip())
        # A blank line lies as deep as the line above it.
        if width < 0 and line.strip():
            width = indent
        elif indent < width and is_distinctive(line):
            found.append(at)
            width = indent
    return found
