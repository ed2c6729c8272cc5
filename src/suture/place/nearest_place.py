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
    #: How alike the lines of all pairs are, added up, and the pairs, each with how alike its lines are.
    Way = tuple[float, list[tuple[int, int, float]]]

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
        neighborhood = range(-limits.NEIGHBORS, limits.NEIGHBORS + 1)
        support = {first: sum(votes.get(first + distance, 0.0) for distance in neighborhood) for first in votes}
        best: list[int] = []
        for first in sorted(support, key=lambda first: (-support[first], -votes[first], first)):
            if all(abs(first - better) > limits.NEIGHBORS for better in best):
                best.append(first)
            if len(best) == limits.MOST_PLACES_ALIGNED:
                break
        return best

    def _alike(self) -> list[tuple[int, int, float]]:
        """Old lines that are nowhere, and rows like them, each with how alike the two are, from 0 to 1."""
        absent: list[int] = []
        for index, line in enumerate(self.old):
            is_absent = is_distinctive(line) and not self.hits.get(line)
            if is_absent and len(line) <= limits.LONGEST_CLOSE:
                absent.append(index)
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
        second: list[NearPlace] = []
        most = 0.0
        for place in places[1:]:
            gain = self._gain(place, places[0])
            if gain > most:
                second, most = [place], gain
        return second

    def _gain(self, place: NearPlace, best: NearPlace) -> float:
        """What speaks for a place beside the best one: rare lines that only it has, and a score that is as high."""
        gain = 0.0
        for index, line in enumerate(self.old):
            is_gained = place.equal[index] and not best.equal[index]
            if is_gained and _is_rare(self.hits.get(line)) and not self._faces_alike(best, index):
                gain += self.worth[index]
        if place.score >= limits.NEARLY_AS_NEAR * best.score:
            gain += place.score / best.score
        return gain

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
        if self.only_home:
            for rows in self.home:
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
        # Of each pair, by its number: what the best chain up to it is worth, and the pair before it in that chain.
        totals: list[float] = []
        links: list[int | None] = []
        for number, (index, row, worth) in enumerate(pairs):
            most, link = 0.0, None
            for earlier in range(max(0, number - limits.MOST_LINKS), number):
                earlier_index, earlier_row, _ = pairs[earlier]
                if earlier_index < index and earlier_row < row:
                    total = totals[earlier] - _gap_cost(index - earlier_index - 1, row - earlier_row - 1)
                    if total > most:
                        most, link = total, earlier
            totals.append(most + worth)
            links.append(link)
        if not totals:
            return [], 0.0
        best_total = max(totals)
        chain: list[Pair] = []
        last: int | None = totals.index(best_total)
        while last is not None:
            index, row, _ = pairs[last]
            chain.append((index, row))
            last = links[last]
        return chain[::-1], best_total

    def _pairs_between(self, certain: Sequence[Pair], window: range, first: int) -> list[tuple[int, int, float]]:
        """What is around and between those pairs, paired, with how alike the two lines of each pair are."""
        size = len(self.old)
        if not certain:
            rows = range(max(window.start, first), min(window.stop, first + size))
            return self._pair(range(min(size, len(rows))), rows)
        first_index, first_row = certain[0]
        rows_above = range(max(window.start, first_row - first_index - limits.NEIGHBORS), first_row)
        pairs = self._pair_above(range(first_index), rows_above)
        for (index, row), (next_index, next_row) in pairwise(certain):
            pairs += self._pair(range(index + 1, next_index), range(row + 1, next_row))
        last_index, last_row = certain[-1]
        indices_below = range(last_index + 1, size)
        end_below = last_row + 1 + len(indices_below) + limits.NEIGHBORS
        rows_below = range(last_row + 1, min(window.stop, end_below))
        return pairs + self._pair_below(indices_below, rows_below)

    def _pair_above(self, indices: range, rows: range) -> list[tuple[int, int, float]]:
        """Old lines above the first equal one, and the rows there: by likeness and, above that, one by one."""
        alike = self._alike_pairs(indices, rows, indices.stop - rows.stop)
        if not alike:
            return _pair_backward(indices, rows)
        first_index, first_row, _ = alike[0]
        outer = _pair_backward(range(indices.start, first_index), range(rows.start, first_row))
        return outer + self._pair(range(first_index, indices.stop), range(first_row, rows.stop))

    def _pair_below(self, indices: range, rows: range) -> list[tuple[int, int, float]]:
        """Old lines below the last equal one, and the rows there: by likeness and, below that, one by one."""
        alike = self._alike_pairs(indices, rows, indices.start - rows.start)
        if not alike:
            return _pair_forward(indices, rows)
        last_index, last_row, _ = alike[-1]
        inner = self._pair(range(indices.start, last_index + 1), range(rows.start, last_row + 1))
        return inner + _pair_forward(range(last_index + 1, indices.stop), range(last_row + 1, rows.stop))

    def _pair(self, indices: range, rows: range) -> list[tuple[int, int, float]]:
        """Old lines and rows between two equal lines: by likeness, and one by one where as many of both are left."""
        pairs: list[tuple[int, int, float]] = []
        index, row = indices.start, rows.start
        for alike in self._alike_pairs(indices, rows):
            alike_index, alike_row, _ = alike
            pairs += _pair_if_as_many(range(index, alike_index), range(row, alike_row))
            pairs.append(alike)
            index, row = alike_index + 1, alike_row + 1
        return pairs + _pair_if_as_many(range(index, indices.stop), range(row, rows.stop))

    def _alike_pairs(self, indices: range, rows: range, straight: int | None = None) -> list[tuple[int, int, float]]:
        """Pairs of lines that are alike, in one order, the likest of all.

        Lines with another distance between index and row than `straight`, if that is given, must be very much alike.
        """
        if not indices or not rows or len(indices) * len(rows) > limits.MOST_PAIRS_COMPARED:
            return []
        # From the last lines up: the best way to pair an old line and all below it with the rows from each one on. It
        # leaves out the line or the row, or pairs the two. At the end is the way for no row.
        nothing: Way = (0.0, [])
        ways_below = [nothing] * (len(rows) + 1)
        for index in reversed(indices):
            ways = [nothing] * (len(rows) + 1)
            for number in reversed(range(len(rows))):
                row = rows[number]
                without_line, without_row = ways_below[number], ways[number + 1]
                best = max(without_line, without_row, key=lambda way: way[0])
                likeness = self._likeness_aside(index, row, straight)
                total_below, pairs_below = ways_below[number + 1]
                if likeness and total_below + likeness > best[0]:
                    best = (total_below + likeness, [(index, row, likeness), *pairs_below])
                ways[number] = best
            ways_below = ways
        _, pairs = ways_below[0]
        return pairs

    def _likeness_aside(self, index: int, row: int, straight: int | None) -> float:
        """How alike an old line and a row are, less where they are not `straight` beside the others."""
        likeness = self._likeness(index, row)
        if straight is None or index - row == straight:
            return likeness
        return likeness * _ASIDE if likeness >= limits.VERY_NEAR else 0.0

    def _likeness(self, index: int, row: int) -> float:
        """How alike an old line and a row are, from 0 to 1; 0 where they are not."""
        old, line = self.old[index], self.fold(row)
        if old == line:
            return 1.0 if old else limits.NEAR
        if not old or not line:
            return 0.0
        longest = limits.LONGEST_COMPARED
        return float(Indel.normalized_similarity(old[:longest], line[:longest], score_cutoff=limits.NEAR))


def _pair_if_as_many(indices: range, rows: range) -> list[tuple[int, int, float]]:
    """Old lines and rows one by one if there are as many of both, and no pairs if not."""
    return _pair_forward(indices, rows) if len(indices) == len(rows) else []


def _pair_forward(indices: range, rows: range) -> list[tuple[int, int, float]]:
    """Old lines and rows one by one, from the first ones on, as far as there are both; they need not be alike."""
    return [(index, row, 0.0) for index, row in zip(indices, rows, strict=False)]


def _pair_backward(indices: range, rows: range) -> list[tuple[int, int, float]]:
    """Old lines and rows one by one, from the last ones up, as far as there are both; they need not be alike."""
    pairs = [(index, row, 0.0) for index, row in zip(reversed(indices), reversed(rows), strict=False)]
    return pairs[::-1]


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
