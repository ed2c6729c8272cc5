"""The places of a file that are nearest to an edit that does not fit, line by line.

Lines of the edit that are in the file vote for where it would begin, rare ones more than common ones. At the best of
these places, equal lines are aligned in one order; what is between them is paired by likeness. Gaps may be long: a file
may have gained a function in the middle of an edit.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate, pairwise
from math import log2

from rapidfuzz.distance import Indel, Levenshtein
from rapidfuzz.fuzz import partial_ratio
from rapidfuzz.process import extract, extractOne

from ..core.value import Value
from . import limits
from .loose import Seeds
from .tiers import FOLDS, fold_text, is_distinctive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from ..core.text import Text

    #: An old line and the row of the file that it faces.
    Pair = tuple[int, int]

_fold = FOLDS["whitespace"]

# What a pair of lines adds to the score of a place. A rare distinctive line is worth up to three times a common one.
_BLANK, _COMMON, _DISTINCTIVE = 1.0, 2.0, 4.0
#: What is taken off between two equal lines: for a line that differs, for a gap, and for each line in it.
_UNEQUAL, _GAP_OPENS, _GAP_GOES_ON = 0.3, 3.0, 0.25
#: What a line counts that another hunk removes, or that is not where the anchor says.
_TAKEN, _NOT_AT_HOME = -0.5, 0.5
#: What a line counts that is like one although it is not right beside the others.
_ASIDE = 0.8


class NearPlace(Value):
    """Old lines laid on the file: for each the row that it faces (None: no row), and whether the two lines are equal.

    Whitespace and punctuation aside. Rows are numbered from 0.
    """

    rows: list[int | None]
    equal: list[bool]
    score: float

    @property
    def faced(self) -> list[int]:
        """The rows that lines face, in order."""
        return [row for row in self.rows if row is not None]

    @property
    def extra(self) -> list[int]:
        """The rows between the first and the last one that no line faces."""
        faced = self.faced
        return sorted(set(range(faced[0], faced[-1])).difference(faced))

    @property
    def agree(self) -> int:
        """How many lines are equal."""
        return self.equal.count(True)

    def overlaps(self, other: NearPlace) -> bool:
        """Whether two places share a row."""
        return self.faced[0] <= other.faced[-1] and other.faced[0] <= self.faced[-1]


def find_near_places(
    text: Text, old: Sequence[str], home: Sequence[range] = (), taken: Collection[int] = (), *, only_home: bool = False
) -> list[NearPlace]:
    """The place that is nearest to these lines, and perhaps another one; none where no line is like one.

    `home` are the rows in which they should be, by an anchor; rows elsewhere count less, or nothing at all. `taken` are
    rows that other hunks remove.
    """
    search = _Search(text, old, home, taken, only_home=only_home)
    places: list[NearPlace] = []
    for first in search.firsts():
        place = search.align(first)
        if place is not None and not any(place.overlaps(other) for other in places):
            places.append(place)
            search.seen.update(place.faced)
    places.sort(key=lambda place: -place.score)
    return places[:1] + search.second_places(places)


def _is_rare(hits: Sequence[int] | None) -> bool:
    """Whether a line is in so few rows that each of them has to do with the edit."""
    return hits is not None and 0 < len(hits) <= limits.MOST_RARE


class _Search:
    """The lines of an edit and those of the file, folded, and what each pair of them is worth."""

    def __init__(
        self, text: Text, old: Sequence[str], home: Sequence[range], taken: Collection[int], *, only_home: bool
    ) -> None:
        self.text, self.old = text, [_fold(line) for line in old]
        self.count = len(text.rows[0])
        self.home, self.only_home = home, only_home
        self.taken = frozenset(taken)
        #: The rows of each old line that was looked for.
        self.hits = _rows_of(text, Seeds(text, old, common=True))
        self.worth = [self._worth(line) for line in self.old]
        self._folded: dict[int, str] = {}
        #: The rows of places that were found before: another place has none of them.
        self.seen: set[int] = set()
        #: Old lines that are nowhere, and rows like them.
        self.alike = self._alike()

    def _worth(self, line: str) -> float:
        """What it is worth that a line is where it should be."""
        if not line:
            return _BLANK
        if not is_distinctive(line):
            return _COMMON
        hits = self.hits.get(line)
        if hits is None:
            return _DISTINCTIVE
        return _DISTINCTIVE + min(limits.MOST_BITS, log2(max(1, self.count) / max(1, len(hits)))) / 2

    def _share(self, row: int) -> float:
        """How much a row counts."""
        if self.home and not any(row in rows for rows in self.home):
            return 0.0 if self.only_home else _NOT_AT_HOME
        return _TAKEN if row in self.taken else 1.0

    def firsts(self) -> list[int]:
        """The rows at which the edit would begin, best first."""
        votes: dict[int, float] = {}
        for index, line in enumerate(self.old):
            for row in self.hits.get(line) or ():
                votes[row - index] = votes.get(row - index, 0.0) + self.worth[index] * self._share(row)
        for index, row, likeness in self.alike:
            worth = self.worth[index] * likeness / 2
            votes[row - index] = votes.get(row - index, 0.0) + worth * self._share(row)
        votes = {first: vote for first, vote in votes.items() if vote}
        reach = range(-limits.NEIGHBORS, limits.NEIGHBORS + 1)
        support = {first: sum(votes.get(first + away, 0.0) for away in reach) for first in votes}
        best: list[int] = []
        for first in sorted(support, key=lambda first: (-support[first], -votes[first], first)):
            if all(abs(first - other) > limits.NEIGHBORS for other in best):
                best.append(first)
            if len(best) == limits.MOST_PLACES_ALIGNED:
                break
        return best

    def _alike(self) -> list[tuple[int, int, float]]:
        """Old lines that are nowhere, and rows like them, each with how alike the two are, from 0 to 1."""
        absent = [index for index, line in enumerate(self.old) if is_distinctive(line) and not self.hits.get(line)]
        absent = [index for index in absent if len(self.old[index]) <= limits.LONGEST_CLOSE]
        absent.sort(key=lambda index: -len(self.old[index]))
        lines = folded_head(self.text) if absent else []
        pairs: list[tuple[int, int, float]] = []
        for index in absent[: limits.MOST_ABSENT]:
            scorer, most = Levenshtein.normalized_similarity, limits.MOST_ALIKE
            close = extract(self.old[index], lines, scorer=scorer, score_cutoff=limits.CLOSE, limit=most)
            pairs += [(index, int(row), likeness) for _, likeness, row in close]
        return pairs

    def second_places(self, places: Sequence[NearPlace]) -> list[NearPlace]:
        """Another place: one that has a rare line of the edit which the best has not, or that is nearly as near."""
        best: list[NearPlace] = []
        most = 0.0
        for place in places[1:]:
            gain = 0.0
            for index, line in enumerate(self.old):
                is_gained = place.equal[index] and not places[0].equal[index]
                if is_gained and _is_rare(self.hits.get(line)) and not self._faces_alike(places[0], index):
                    gain += self.worth[index]
            if place.score >= limits.NEARLY_AS_NEAR * places[0].score:
                gain += place.score / places[0].score
            if gain > most:
                best, most = [place], gain
        return best

    def _faces_alike(self, place: NearPlace, index: int) -> bool:
        """Whether an old line faces one at a place that is nearly equal to it, and all others are equal."""
        row = place.rows[index]
        is_only_difference = place.agree == len(self.old) - 1
        return row is not None and is_only_difference and self._likeness(index, row) > limits.ALMOST_EQUAL

    def fold(self, row: int) -> str:
        """A folded line of the file."""
        if row not in self._folded:
            self._folded[row] = _fold(self.text.rows[0][row])
        return self._folded[row]

    def align(self, first: int) -> NearPlace | None:
        """The edit laid on the file around one row; None where no line is like one of the file."""
        window = self._window(first)
        certain, score = self._best_chain(self._certain_pairs(window, first))
        pairs = dict(certain)
        for index, row, likeness in self._pairs_between(certain, window, first):
            pairs[index] = row
            score += self.worth[index] * self._share(row) * max(0.0, likeness - limits.NEAR / 2)
        if not pairs:
            return None
        are_equal = [index in pairs and line == self.fold(pairs[index]) for index, line in enumerate(self.old)]
        return NearPlace([pairs.get(index) for index in range(len(self.old))], are_equal, score)

    def _window(self, first: int) -> range:
        """The rows that are looked at around one."""
        start, stop = max(0, first - limits.LONGEST_GAP), first + len(self.old) + limits.LONGEST_GAP
        for rows in self.home if self.only_home else ():
            if rows.start < stop and start < rows.stop:
                return range(max(start, rows.start), min(stop, rows.stop, self.count))
        return range(start, min(stop, self.count))

    def _certain_pairs(self, window: range, first: int) -> list[tuple[int, int, float]]:
        """Pairs of an old line and a row that are equal or much alike and not too far apart, and what each is worth.

        They are in the order of their rows.
        """
        indices: dict[str, list[int]] = {}
        for index, line in enumerate(self.old):
            indices.setdefault(line, []).append(index)
        pairs: list[tuple[int, int, float]] = []
        for row in window:
            if row in self.seen:
                continue
            line = self.fold(row)
            reach = limits.LONGEST_GAP if is_distinctive(line) else limits.NEIGHBORS
            near = [index for index in indices.get(line, ()) if abs(row - index - first) <= reach]
            pairs += [(index, row, self.worth[index] * self._share(row)) for index in near]
        if len(pairs) > limits.MOST_EQUAL_PAIRS:
            pairs = [pair for pair in pairs if is_distinctive(self.old[pair[0]])]
        del pairs[limits.MOST_EQUAL_PAIRS :]
        for index, row, likeness in self.alike:
            if row in window and row not in self.seen and likeness >= limits.VERY_NEAR:
                pairs.append((index, row, self.worth[index] * self._share(row) * likeness / 2))
        return sorted(pairs, key=lambda pair: pair[1])

    def _best_chain(self, pairs: Sequence[tuple[int, int, float]]) -> tuple[list[Pair], float]:
        """The pairs in one order that are worth most, less what the gaps between them cost, and what that is."""
        scores: list[float] = []
        before: list[int] = []
        for at, (index, row, worth) in enumerate(pairs):
            best, link = 0.0, -1
            for other in range(max(0, at - limits.MOST_LINKS), at):
                other_index, other_row, _ = pairs[other]
                if other_index < index and other_row < row:
                    score = scores[other] - _gap_cost(index - other_index - 1, row - other_row - 1)
                    if score > best:
                        best, link = score, other
            scores.append(best + worth)
            before.append(link)
        if not scores:
            return [], 0.0
        at = scores.index(max(scores))
        total = scores[at]
        chain: list[Pair] = []
        while at >= 0:
            chain.append(pairs[at][:2])
            at = before[at]
        return chain[::-1], total

    def _pairs_between(self, certain: Sequence[Pair], window: range, first: int) -> list[tuple[int, int, float]]:
        """What is around and between those pairs, paired, with how alike the two lines of each pair are."""
        size = len(self.old)
        if not certain:
            rows = range(max(window.start, first), min(window.stop, first + size))
            return self._pair(range(min(size, len(rows))), rows)
        pairs: list[tuple[int, int, float]] = []
        top_index, top_row = certain[0]
        above = range(max(window.start, top_row - top_index - limits.NEIGHBORS), top_row)
        pairs += self._pair_edge(range(top_index), above, is_top=True)
        for (index, row), (next_index, next_row) in pairwise(certain):
            pairs += self._pair(range(index + 1, next_index), range(row + 1, next_row))
        last_index, last_row = certain[-1]
        left = size - last_index - 1
        below = range(last_row + 1, min(window.stop, last_row + 1 + left + limits.NEIGHBORS))
        pairs += self._pair_edge(range(last_index + 1, size), below, is_top=False)
        return pairs

    def _pair_edge(self, indices: range, rows: range, *, is_top: bool) -> list[tuple[int, int, float]]:
        """Old lines above the first equal one, or below the last, and the rows there: by likeness, or one by one."""
        alike = self._alike_pairs(indices, rows, indices.stop - rows.stop if is_top else indices.start - rows.start)
        if is_top:
            # Above the first line that is like one, lines face those right above it.
            end, end_row = (alike[0][0], alike[0][1]) if alike else (indices.stop, rows.stop)
            outer = range(max(indices.start, end - (end_row - rows.start)), end)
            outer_pairs = [(index, end_row - (end - index), 0.0) for index in outer]
            inner = self._pair(range(end, indices.stop), range(end_row, rows.stop)) if alike else []
            return outer_pairs + inner
        start, start_row = (alike[-1][0] + 1, alike[-1][1] + 1) if alike else (indices.start, rows.start)
        outer = range(start, min(indices.stop, start + rows.stop - start_row))
        outer_pairs = [(index, start_row + index - start, 0.0) for index in outer]
        inner = self._pair(range(indices.start, start), range(rows.start, start_row)) if alike else []
        return inner + outer_pairs

    def _pair(self, indices: range, rows: range) -> list[tuple[int, int, float]]:
        """Old lines and rows between two equal lines: by likeness, and one by one where as many of both are left."""
        alike = self._alike_pairs(indices, rows)
        pairs: list[tuple[int, int, float]] = []
        index, row = indices.start, rows.start
        for next_index, next_row, likeness in [*alike, (indices.stop, rows.stop, 0.0)]:
            if next_index - index == next_row - row:
                pairs += [(index + away, row + away, 0.0) for away in range(next_index - index)]
            if next_index < indices.stop:
                pairs.append((next_index, next_row, likeness))
            index, row = next_index + 1, next_row + 1
        return pairs

    def _alike_pairs(self, indices: range, rows: range, straight: int | None = None) -> list[tuple[int, int, float]]:
        """Pairs of lines that are alike, in one order, the likest of all.

        Lines with another distance between index and row than `straight`, if that is given, must be very much alike.
        """
        if not indices or not rows or len(indices) * len(rows) > limits.MOST_PAIRS_COMPARED:
            return []
        # The best from each old line and row on: how alike all pairs are, and the pairs.
        below: list[tuple[float, list[tuple[int, int, float]]]] = [(0.0, [])] * (len(rows) + 1)
        for index in reversed(indices):
            line: list[tuple[float, list[tuple[int, int, float]]]] = [(0.0, [])] * (len(rows) + 1)
            for at in reversed(range(len(rows))):
                best = max(below[at], line[at + 1], key=lambda way: way[0])
                likeness = self._likeness(index, rows[at])
                if straight is not None and index - rows[at] != straight:
                    is_certain = likeness >= limits.VERY_NEAR
                    likeness = likeness * _ASIDE if is_certain else 0.0
                if likeness and below[at + 1][0] + likeness > best[0]:
                    best = (below[at + 1][0] + likeness, [(index, rows[at], likeness), *below[at + 1][1]])
                line[at] = best
            below = line
        return below[0][1]

    def _likeness(self, index: int, row: int) -> float:
        """How alike an old line and a row are, from 0 to 1; 0 where they are not."""
        old, line = self.old[index], self.fold(row)
        if old == line:
            return 1.0 if old else limits.NEAR
        if not old or not line:
            return 0.0
        longest = limits.LONGEST_COMPARED
        return float(Indel.normalized_similarity(old[:longest], line[:longest], score_cutoff=limits.NEAR))


def _gap_cost(lines: int, rows: int) -> float:
    """What so many old lines and rows between two pairs cost: lines that differ little, a gap on one side more."""
    if lines == rows:
        return lines * _UNEQUAL
    return _GAP_OPENS + abs(lines - rows) * _GAP_GOES_ON + min(lines, rows) * _UNEQUAL


def _rows_of(text: Text, seeds: Seeds) -> dict[str, list[int] | None]:
    """The rows of each line that was looked for; None where there are too many."""
    folded = fold_text(text.body)
    starts = text.rows[1]
    if len(folded) != len(text.body):
        starts = list(accumulate((len(line) + 1 for line in folded.split("\n")), initial=0))
    rows: dict[str, list[int] | None] = {}
    for line, offsets in seeds.starts.items():
        rows[line] = None if offsets is None else [bisect_right(starts, offset) - 1 for offset in offsets]
    return rows


def folded_head(text: Text) -> list[str]:
    """The lines at the beginning of a file among which a close line is looked for, with punctuation folded."""
    head = fold_text(text.body[: limits.CLOSE_CHARACTERS]).split("\n")
    return [line.strip()[: limits.LONGEST_CLOSE] for line in head[: limits.CLOSE_LINES]]


def close_line(text: Text, line: str) -> int:
    """The number of the line near the beginning of the file that is like this one, or has a part that is; 0 if none."""
    needle = _fold(line)
    if not is_distinctive(needle) or len(needle) > limits.LONGEST_CLOSE:
        return 0
    lines = folded_head(text)
    best = extractOne(needle, lines, scorer=Levenshtein.normalized_similarity, score_cutoff=limits.CLOSE)
    if best is None and len(needle) >= limits.SHORTEST_PART:
        longer = [line if len(line) > len(needle) else None for line in lines]
        best = extractOne(needle, longer, scorer=partial_ratio, score_cutoff=limits.CLOSE_PART)
    return 0 if best is None else int(best[2]) + 1
