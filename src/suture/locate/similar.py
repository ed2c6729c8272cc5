"""The last tier: most lines equal, the rest close.

`windows` tells where to look. In a window the hunk's old lines are aligned with the file's by a banded dynamic
programme in which a context line may be missing or extra. The floors are counts, not ratios, by which `true` and
`false` are much alike:

- a context line differs by at most 2 edits and a fifth of its length; otherwise it counts as missing;
- a removed line differs by one letter inside a word, and the word as the hunk has it stands nowhere in the file;
- lines that differ, are missing or extra: at most one in four of the hunk's lines, and at most `MOST_DEFECTS`;
- a context line may be missing, or the file have one more, only among context lines: not beside a change, not at the
  hunk's edge, and not one in the other's stead; and a line that stands elsewhere in the file is not missing but there;
- the alignment must be the only best one: where its left-most and right-most trace would change different lines, it is
  none.

All work is counted: what lies beyond the budget is not looked at, and nothing depends on how busy the machine is.
"""

from __future__ import annotations

from .place import Place
from .search import occurrences
from .tiers import FOLDS, is_distinctive
from .windows import GAP, Windows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..core.patch import Hunk
    from ..core.text import Text

#: How many of the file's lines each line of the hunk is compared with, and how many comparisons there may be.
BAND = 2 * GAP + 1
CELL_BUDGET = 60_000
#: Lines that may differ, be missing or be extra.
MOST_DEFECTS = 3
FLOOR = 0.6
MARGIN = 0.1
#: Equal lines that a gap among them needs; where a blank line makes the gap, one more, and distinctive lines.
LINES_FOR_A_GAP = 4

#: Signs of which one for another makes another line.
_OPERATORS = "=!<>+-*/%&|^~"
#: Signs of which one more or less makes another line.
_BRACKETS = "(){}[]"

_fold = FOLDS["whitespace"]


def best_elsewhere(text: Text, place: Place) -> int | None:
    """The start of another place that has the hunk's context just as it is, where the loose place has not.

    Such a hunk was most likely written for there, and the lines that it removes have changed since. At `similar`, where
    a line is missing or extra, a place that has as much of the context is rival enough.
    """
    kinds = [line[0] for line in place.hunk.lines if line[0] != "+"]
    old = place.hunk.old
    similar = place.rows is not None
    context = [
        (line, found)
        for kind, line, found in zip(kinds, old, place.file_lines(text.body), strict=True)
        if kind == " " and is_distinctive(line)
    ]
    own = sum(line == found for line, found in context)
    fold: Callable[[str], str] = str
    if similar and not own:
        # Nothing of it is there as it is: then what is there but for white space counts.
        fold = _fold
        own = sum(found is not None and fold(line) == fold(found) for line, found in context)
    needed = max(2, own) if similar else len(context)
    if len(context) < 2 or (not place.has_gap(text.body) if similar else own == len(context)):
        return None
    if not similar and not all(occurrences(text.body, line, most=1) for line, _ in context):
        return None
    windows = Windows(text, old)
    here = text.line_number(place.start) - 1
    behind = here + text.body.count("\n", place.start, place.end(text.body) - 1) + 1
    for first in windows.firsts:
        if abs(first - here) > GAP:
            top, bottom = max(0, first - GAP), max(0, first + len(old) + GAP)
            # What lies in the place itself speaks for it, not against it.
            there = {*windows.lines[top : min(here, bottom)], *windows.lines[max(top, behind) : bottom]}
            there = there if fold is str else set(map(fold, there))
            if sum(fold(line) in there for line, _ in context) >= needed:
                return windows.line_starts[max(0, first)]
    return None


class Alignment:
    """The hunk's old lines laid on the file's: a line number for each, None for one that is missing."""

    __slots__ = ("equal", "rows", "score")

    def __init__(self, rows: list[int | None], score: float, equal: int) -> None:
        self.rows = rows
        self.score = score
        self.equal = equal


def find_similar(
    text: Text, hunk: Hunk, low: int, notes: tuple[str, ...], for_a_gap: int = LINES_FOR_A_GAP
) -> list[Place]:
    """The places where the hunk is similar, the best and those within the margin of it."""
    old = hunk.old
    if not 2 <= len(old) <= CELL_BUDGET // BAND or not any(map(is_distinctive, old)):
        return []
    windows = Windows(text, old, low)
    shape = _Shape(hunk)
    # A removed line's slip is none if the word stands in the file, nor if the hunk goes on to write it.
    known = "\n".join((text.body, *hunk.added))
    places: dict[tuple[tuple[int, int], ...], Place] = {}
    cells = CELL_BUDGET
    for first in windows.firsts:
        cells -= len(old) * BAND
        if cells < 0:
            # What was not looked at might be as good: a list that was cut short is ambiguous.
            return []
        for alignment in _align(windows, first, shape, known, for_a_gap):
            place = _place(hunk, windows, alignment, notes)
            if place is None or place.start < low:
                continue
            key = tuple((edit.start, edit.end) for edit in place.splices(text.body))
            if key not in places or places[key].score < place.score:
                places[key] = place
    if not places:
        return []
    best = max(place.score for place in places.values())
    return sorted((p for p in places.values() if p.score >= best - MARGIN), key=lambda place: place.start)


def _place(hunk: Hunk, windows: Windows, alignment: Alignment, notes: tuple[str, ...]) -> Place | None:
    count = len(alignment.rows)
    if alignment.score / count < FLOOR or alignment.equal * 2 < count:
        return None
    rows = [None if row is None else windows.line_starts[row] for row in alignment.rows]
    start = next(row for row in rows if row is not None)
    score = alignment.score / count
    return Place(hunk, start, "similar", notes, rows, round(score, 4))


class _Shape:
    """What of a hunk matters to an alignment: which lines may be missing, and where the file may have one more.

    Only a context line between two others may be missing, and only between two context lines may the file have one
    more: beside a change and at the hunk's edge nothing tells a slip from another place.
    """

    __slots__ = ("gap_before", "may_miss", "near_change", "removed")

    def __init__(self, hunk: Hunk) -> None:
        kinds = [line[0] for line in hunk.lines]
        self.removed: list[bool] = []
        self.may_miss: list[bool] = []
        # gap_before[i]: the file may have a line of its own between old lines i - 1 and i.
        self.gap_before: list[bool] = []
        # Changed lines and the context beside them: a gap that looks like one of these could lie on either side of it.
        self.near_change: list[bool] = []
        for index, kind in enumerate(kinds):
            if kind != "+":
                self.removed.append(kind == "-")
                self.may_miss.append(kinds[max(0, index - 1) : index + 2] == [" ", " ", " "])
                self.near_change.append(set(kinds[max(0, index - 1) : index + 2]) != {" "})
                self.gap_before.append(kinds[max(0, index - 1) : index + 1] == [" ", " "])


_MISSING = -0.5
_IMPOSSIBLE = -1e9


def _align(windows: Windows, first: int, shape: _Shape, known: str, for_a_gap: int) -> list[Alignment]:
    """The best alignments in one window: one, or two where the left-most and the right-most differ in their rows.

    Rows are kept in a band: at offset d of old line i stands the file's line `first - GAP + i + d`.
    """
    wanted, count = windows.wanted, len(windows.wanted)
    top = first - GAP
    lines = [
        _fold(windows.lines[number]) if 0 <= number < len(windows.lines) else None
        for number in range(top, top + count + 2 * GAP)
    ]
    alike = [
        [_likeness(wanted[i], lines[i + d], removed=shape.removed[i], known=known) for d in range(BAND)]
        for i in range(count)
    ]
    best = _best_scores(alike, shape)
    top_score = max(best[0])
    if top_score <= 0:
        return []
    starts = [d for d in range(BAND) if best[0][d] == top_score]
    traces = [
        _trace(best, alike, shape, starts[0], leftmost=True),
        _trace(best, alike, shape, starts[-1], leftmost=False),
    ]
    if traces[0] == traces[1]:
        traces.pop()
    near = {line for line, beside in zip(wanted, shape.near_change, strict=True) if beside}
    found = []
    for trace in traces:
        placed = [(i, row) for i, row in enumerate(trace) if row is not None]
        rows = set(trace)
        equal = [i for i, row in placed if lines[row] == wanted[i]]
        telling = sum(is_distinctive(wanted[i]) for i in equal)
        extra = [lines[row] for row in range(placed[0][1], placed[-1][1]) if row not in rows]
        missing = [i for i, row in enumerate(trace) if row is None]
        gap = [*extra, *(wanted[i] for i in missing)]
        unequal = set(range(count)).difference(equal)
        if _is_replaced(trace) or not near.isdisjoint(gap) or any(windows.has_line(i) for i in unequal):
            continue
        if gap and (telling <= for_a_gap if "" in gap else len(equal) < for_a_gap):
            continue
        if gap and for_a_gap < LINES_FOR_A_GAP and telling < for_a_gap:
            # With so little around it, all of it has to be distinctive.
            continue
        if telling and len(unequal) + len(extra) <= min(MOST_DEFECTS, max(1, count // 4)):
            numbers = [None if row is None else top + row for row in trace]
            found.append(Alignment(numbers, top_score, len(equal)))
    # Two best alignments of which one is beyond the limits are still two.
    return found if len(found) == len(traces) else []


def _best_scores(alike: list[list[float]], shape: _Shape) -> list[list[float]]:
    """For each old line and offset, the best score of the lines from there on."""
    count = len(alike)
    best = [[_IMPOSSIBLE] * BAND for _ in range(count)] + [[0.0] * BAND]
    for i in range(count - 1, -1, -1):
        row, below = best[i], best[i + 1]
        for d in range(BAND - 1, -1, -1):
            score = below[d - 1] + _MISSING if d and shape.may_miss[i] else _IMPOSSIBLE
            if alike[i][d] > 0.0:
                score = max(score, below[d] + alike[i][d])
            if i and d + 1 < BAND and shape.gap_before[i]:
                score = max(score, row[d + 1] + _MISSING)
            row[d] = score
    return best


def _is_replaced(rows: Sequence[int | None]) -> bool:
    """Whether the file has another line where the hunk has one that is missing: that is no slip but another place."""
    before: int | None = None
    missing = False
    for row in rows:
        if row is None:
            missing = True
        else:
            if missing and before is not None and row - before > 1:
                return True
            before, missing = row, False
    return False


def _trace(
    best: list[list[float]], alike: list[list[float]], shape: _Shape, start: int, *, leftmost: bool
) -> list[int | None]:
    """One best alignment as lines of the window: at every step the first of the equally good moves, or the last."""
    rows: list[int | None] = []
    i, d = 0, start
    while i < len(alike):
        moves: list[str] = []
        score = best[i][d]
        if alike[i][d] > 0.0 and best[i + 1][d] + alike[i][d] == score:
            moves.append("match")
        if i and d + 1 < BAND and shape.gap_before[i] and best[i][d + 1] + _MISSING == score:
            moves.append("extra")
        if d and shape.may_miss[i] and best[i + 1][d - 1] + _MISSING == score:
            moves.append("missing")
        assert moves, "BUG: a best alignment has no move"
        move = moves[0] if leftmost else moves[-1]
        if move == "extra":
            d += 1
            continue
        rows.append(i + d if move == "match" else None)
        d -= move == "missing"
        i += 1
    return rows


def is_same_line(wanted: str, line: str, known: str) -> bool:
    """Whether a line of the file is the removed line that was meant: equal but for white space, or one letter off."""
    return _likeness(_fold(wanted), _fold(line), removed=True, known=known) > 0.0


def is_close(wanted: str, line: str, known: str) -> bool:
    """Whether a line of the file is the kept line that was meant: equal but for white space, or a slip."""
    return _likeness(_fold(wanted), _fold(line), removed=False, known=known) > 0.0


def _likeness(wanted: str, line: str | None, *, removed: bool, known: str) -> float:
    """1 for equal lines, less for close ones, 0 for lines that are not the same or not there."""
    if wanted == line:
        return 1.0
    if line is None:
        return 0.0
    longest = max(len(wanted), len(line))
    most = min(2, longest // 5)
    if removed:
        most = min(1, most)
    if not most or abs(len(wanted) - len(line)) > most or not wanted or not line:
        return 0.0
    from rapidfuzz.distance import Levenshtein

    distance = Levenshtein.distance(wanted, line, score_cutoff=most)
    if distance > most or not _is_slip(wanted, line, known, removed=removed):
        return 0.0
    return 1.0 - distance / longest


def _is_slip(wanted: str, line: str, known: str, *, removed: bool) -> bool:
    """Whether two lines that are nearly equal may be the same line, mistyped.

    They are not where they differ in a digit, an operator, a bracket, in a word of under four letters or in a part of a
    name of under three, nor where a word as the hunk has it is one of the file's. A removed line may differ in nothing
    but a letter inside a word, and the word as the hunk has it must stand nowhere in the text that is known.
    """
    from rapidfuzz.distance import Levenshtein

    for edit in Levenshtein.editops(wanted, line):
        changed = "" if edit.tag == "insert" else wanted[edit.src_pos]
        instead = "" if edit.tag == "delete" else line[edit.dest_pos]
        if (changed or instead).isdigit() and (instead or changed).isdigit():
            return False
        if changed in _OPERATORS and instead in _OPERATORS and changed and instead:
            return False
        if (changed and changed in _BRACKETS) or (instead and instead in _BRACKETS):
            return False
        word, at = _word_around(wanted, edit.src_pos)
        other, other_at = _word_around(line, edit.dest_pos)
        short = min(len(word.strip("_")), len(other.strip("_"))) < 4 or _differ_in_a_short_part(word, other)
        if word and other and word != other and (short or _is_word_of(word, known)):
            return False
        if removed:
            inside = 0 < at < len(word) - 1 or 0 < other_at < len(other) - 1
            if not (changed + instead).isalpha() or not (word and other and inside) or word in known:
                return False
    return True


def _differ_in_a_short_part(word: str, other: str) -> bool:
    """Whether two names, of as many parts between underscores, differ in one of one or two letters."""
    parts, others = word.split("_"), other.split("_")
    pairs = zip(parts, others, strict=True) if len(parts) == len(others) else ()
    return any(0 < min(len(one), len(two)) < 3 and one != two for one, two in pairs)


def _is_word_of(word: str, text: str) -> bool:
    from re import escape, search

    return word in text and search(rf"(?<!\w){escape(word)}(?!\w)", text) is not None


def _word_around(line: str, position: int) -> tuple[str, int]:
    """The word around a position and the position inside it."""
    start = end = min(position, len(line))
    while start and _is_of_word(line[start - 1]):
        start -= 1
    while end < len(line) and _is_of_word(line[end]):
        end += 1
    return line[start:end], position - start


def _is_of_word(character: str) -> bool:
    """Whether a character may be part of a word; a byte that is no character may be."""
    return character.isalnum() or character == "_" or "\udc80" <= character <= "\udcff"
