"""Windows: the places of a text in which a block of lines may lie, with slips.

Distinctive lines of the block that are in the file are **seeds**; each votes for the line at which the block
would begin, and the beginnings with the most votes are the windows worth looking at. All work is counted.
"""

from __future__ import annotations

from .search import TooCommonError, lines_with
from .tiers import FOLDS, fold_text, is_distinctive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.text import Text

#: How far off its diagonal a line may lie.
GAP = 3
#: Characters that probes may read, and windows that are looked at.
PROBE_BUDGET = 60_000_000
MOST_WINDOWS = 16
#: A line that stands in more places than this is no seed.
MOST_SEEDS = 100

_fold = FOLDS["whitespace"]


class Windows:
    """Where a block of lines may lie: line numbers from 0 at which it would begin, best first."""

    __slots__ = ("_body", "firsts", "line_starts", "lines", "wanted")

    def __init__(self, text: Text, old: Sequence[str], low: int = 0) -> None:
        self.wanted = [_fold(line) for line in old]
        self._body = body = fold_text(text.body)
        self.firsts = _diagonals(body, self.wanted, old, low if len(body) == len(text.body) else 0)
        self.lines: list[str] = []
        self.line_starts: list[int] = []
        if self.firsts:
            from itertools import accumulate

            self.lines = text.lines
            self.line_starts = list(accumulate((len(line) + 1 for line in self.lines), initial=0))

    def has_line(self, index: int) -> bool:
        """Whether a distinctive line of the block occurs somewhere in the file, at the loosest fold.

        Such a line is neither invented nor mistyped: where it is not, the place is another one.
        """
        wanted = self.wanted[index]
        return is_distinctive(wanted) and _lines_equal_to(self._body, wanted, 0) != []


def stands_somewhere(body: str, line: str) -> bool:
    """Whether a distinctive line occurs in a text, at the loosest fold."""
    wanted = _fold(line)
    return is_distinctive(wanted) and _lines_equal_to(fold_text(body), wanted, 0) != []


def _lines_equal_to(body: str, wanted: str, low: int) -> list[int] | None:
    """Where lines stand that are equal to this one at the loosest fold; None where too many look like it.

    The folded line has single blanks; its longest word stands in the text however the blanks were written.
    """
    if not wanted:
        # Blanks that only look like something: such a line is blank.
        return []
    for needle in (wanted, max(wanted.split(), key=len)):
        try:
            starts = [s for s, end in lines_with(body, needle, low, most=MOST_SEEDS) if _fold(body[s:end]) == wanted]
        except TooCommonError:
            return None
        if starts:
            return starts
    return []


def _diagonals(body: str, wanted: Sequence[str], old: Sequence[str], low: int) -> list[int]:
    """The first lines of the windows with the most seeds."""
    indices: dict[str, list[int]] = {}
    for index, (line, raw) in enumerate(zip(wanted, old, strict=True)):
        if is_distinctive(raw):
            indices.setdefault(line, []).append(index)
    hits: list[tuple[int, int]] = []
    for probe in sorted(indices, key=len, reverse=True)[: max(4, PROBE_BUDGET // (len(body) + 1))]:
        starts = _lines_equal_to(body, probe, low)
        hits += [(start, index) for start in starts or () for index in indices[probe]]
    return first_lines(body, hits)


def first_lines(body: str, hits: list[tuple[int, int]], most: int = MOST_WINDOWS) -> list[int]:
    """Where a block would begin by most of these hits, each the offset of a line and its index in the block.

    The numbers of lines, from 0; those with the most votes first, and of neighbours the best alone.
    """
    hits.sort()
    votes: dict[int, int] = {}
    number = position = 0
    for start, index in hits:
        number += body.count("\n", position, start)
        position = start
        votes[number - index] = votes.get(number - index, 0) + 1
    near = {first: sum(votes.get(first + d, 0) for d in range(-GAP, GAP + 1)) for first in votes}
    best: list[int] = []
    for first in sorted(near, key=lambda first: (-near[first], -votes[first], first)):
        if all(abs(first - other) > GAP for other in best):
            best.append(first)
            if len(best) >= most:
                break
    return best
