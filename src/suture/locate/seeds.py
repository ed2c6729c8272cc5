"""Seeds: the lines of an edit that occur in the file, and the windows in which the edit may lie with mistakes.

Each distinctive line votes for the line at which the edit would begin; the beginnings with the most votes are worth
looking at. The text is searched, never folded or indexed as a whole. All work is counted.
"""

from __future__ import annotations

from .limits import FEWEST_SEEDS, GAP, MOST_PIVOTS, MOST_SEEDS, MOST_TRIED, MOST_WINDOWS, SEED_BUDGET
from .search import TooCommonError, lines_with
from .tiers import FOLDS, fold_text, is_distinctive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.text import Text

_fold = FOLDS["whitespace"]


class Seeds:
    """Where the lines of an edit occur in a text: how often each does, and the windows that follow from it."""

    __slots__ = ("_body", "_starts", "lines", "old", "windows")

    def __init__(self, text: Text, old: Sequence[str], low: int = 0, *, common: bool = False) -> None:
        #: How many lines the file has.
        self.lines = text.body.count("\n") + 1
        #: The folded old lines.
        self.old = [_fold(line) for line in old]
        self._body = fold_text(text.body)
        self._starts: dict[str, list[int] | None] = {}
        indices: dict[str, list[int]] = {}
        # An explanation has to do with common lines where no other ones are there.
        common = common and not any(map(is_distinctive, old))
        for index, (line, raw) in enumerate(zip(self.old, old, strict=True)):
            if common or is_distinctive(raw):
                indices.setdefault(line, []).append(index)
        most = min(MOST_SEEDS, max(FEWEST_SEEDS, SEED_BUDGET // (len(self._body) + 1)))
        hits: list[tuple[int, int]] = []
        low = low if len(self._body) == len(text.body) else 0
        for line in sorted(indices, key=len, reverse=True)[:most]:
            hits += [(start, index) for start in self._find(line) or () if start >= low for index in indices[line]]
        if not hits and indices:
            # No line is there as it is written: the longest may be there with other spacing or escapes.
            longest = max(indices, key=len)
            hits = [(start, indices[longest][0]) for start in _lines_with_words(self._body, longest) if start >= low]
        #: The lines, from 0, at which the edit would begin, best first.
        self.windows = first_lines(self._body, hits)

    def is_known(self, index: int) -> bool:
        """Whether an old line was looked for: of very many lines only the longest are."""
        return self.old[index] in self._starts

    def count(self, index: int) -> int:
        """How often an old line occurs as a whole line of the file, whitespace and punctuation aside."""
        starts = self._find(self.old[index])
        return MOST_PIVOTS if starts is None else len(starts)

    def _find(self, line: str) -> list[int] | None:
        if line not in self._starts:
            self._starts[line] = lines_equal_to(self._body, line)
        return self._starts[line]


def lines_equal_to(body: str, line: str) -> list[int] | None:
    """The offsets of the lines of a folded body that fold to this one; None where too many look like it.

    A folded line has single blanks; its longest word is in the text however the blanks were written.
    """
    for needle in (line, max(line.split(), key=len)) if line.strip() else ():
        try:
            starts = [s for s, end in lines_with(body, needle, 0, most=MOST_PIVOTS) if _fold(body[s:end]) == line]
        except TooCommonError:
            return None
        if starts:
            return starts
    return []


def _lines_with_words(body: str, line: str) -> list[int]:
    """The offsets of the lines that have the longest word of a line that is there and rare."""
    for word in sorted(dict.fromkeys(line.replace("\\", " ").split()), key=len, reverse=True)[:MOST_TRIED]:
        try:
            starts = [start for start, _ in lines_with(body, word, 0, most=MOST_WINDOWS)]
        except TooCommonError:
            continue
        if starts:
            return starts
    return []


def first_lines(body: str, hits: list[tuple[int, int]], most: int = MOST_WINDOWS) -> list[int]:
    """Where a block would begin by most of these hits, each the offset of a line and its index in the block.

    Line numbers from 0, those with the most votes first, and of neighbors only the best.
    """
    votes: dict[int, int] = {}
    number = position = 0
    for start, index in sorted(hits):
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
