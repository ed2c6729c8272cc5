"""Where a hunk that has no place nearly has one, and what stands around a place. For explanations: it decides nothing.

Lines of the hunk that stand in the file vote for the place at which it would begin. There its lines are laid on the
file's: each faces one line, or none where it is missing. All work is counted, so that an explanation takes as long on a
busy machine as on an idle one.
"""

from __future__ import annotations

from .limits import GAP
from .search import TooCommonError, lines_with
from .seeds import first_lines
from .tiers import FOLDS, fold_text, is_distinctive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..core.text import Text

#: Characters that may be read to find lines, and the least number of lines that are looked for all the same.
PROBE_BUDGET = 100_000_000
FEWEST_PROBES, MOST_PROBES = 8, 64
#: A line that stands in more places than this tells little; where it has so many lines that look like it, nothing.
MOST_HITS, MOST_TRIES = 40, 400
#: Places that are compared, and pairs of lines that are.
MOST_WINDOWS = 8
CELLS = 50_000
LIKENESS_CELLS = 3000
#: Lines and characters that the search for one close line may look at.
CLOSE_LINES = 20_000
CLOSE_CHARACTERS = 1_000_000
LONGEST_CLOSE = 1000
CLOSE = 0.7
#: How alike a part of a line must be, in percent, to a text of at least so many characters.
CLOSE_PART = 75
SHORTEST_PART = 8
#: Lines that may be read upwards from a place, and blocks around it that are told.
MOST_ABOVE = 2000
MOST_BLOCKS = 6

_fold = FOLDS["whitespace"]
#: What equal lines are worth, what a line costs that only one side has, and the most that a close one is worth.
_TELLING, _LITTLE, _BLANK, _GAP_COST, _CLOSE = 80, 30, 10, 10, 5
_FACE, _MISSING, _EXTRA = range(3)


class Nearest:
    """The hunk's old lines laid on the file's.

    `faces` has for each old line the number, from 0, of the file's line that it faces, None where it is missing; a
    number may lie outside of the file. `equal` says of which lines the two are the same but for white space and
    punctuation.
    """

    __slots__ = ("equal", "faces", "lines")

    def __init__(self, lines: list[str], faces: list[int | None], equal: list[bool]) -> None:
        self.lines = lines
        self.faces = faces
        self.equal = equal


def probes_of(old: Sequence[str], size: int) -> tuple[list[str], bool]:
    """The folded lines to look for in a text of this size, and whether these are all distinctive ones.

    Where no line is distinctive, the others have to do.
    """
    telling = dict.fromkeys(_fold(line) for line in old if is_distinctive(line))
    lines = sorted(telling or dict.fromkeys(_fold(line) for line in old if line.strip()), key=len, reverse=True)
    most = min(MOST_PROBES, max(FEWEST_PROBES, PROBE_BUDGET // (size + 1)))
    return lines[:most], len(lines) <= most


def find_nearest(text: Text, old: Sequence[str], probes: Sequence[str], low: int = 0) -> Nearest | None:
    """The place at which most of the lines agree; None where none of the probes is in the file.

    Lines from the offset `low` on count alone, if there are any.
    """
    body = fold_text(text.body)
    wanted = [_fold(line) for line in old]
    firsts = _firsts(body, wanted, probes, low if len(body) == len(text.body) else 0)
    if not firsts:
        return None
    lines = text.lines
    weights = [_TELLING if is_distinctive(line) else _LITTLE if line else _BLANK for line in wanted]
    cells = len(wanted) * (2 * GAP + 1)
    if cells > CELLS:
        faces: list[int | None] = [firsts[0] + index for index in range(len(wanted))]
    else:
        scores = {first: _align(wanted, weights, lines, first)[0] for first in firsts[: max(1, CELLS // cells)]}
        best = max(scores, key=scores.__getitem__)
        _, faces = _align(wanted, weights, lines, best, alike=cells <= LIKENESS_CELLS)
    equal = [
        face is not None and 0 <= face < len(lines) and _fold(lines[face]) == line
        for face, line in zip(faces, wanted, strict=True)
    ]
    return Nearest(lines, faces, equal) if any(equal) else None


def _firsts(body: str, wanted: Sequence[str], probes: Sequence[str], low: int) -> list[int]:
    """The numbers, from 0, of the lines at which the block would begin, those with the most votes first."""
    indices: dict[str, list[int]] = {probe: [] for probe in probes}
    for index, line in enumerate(wanted):
        if line in indices and len(indices[line]) < MOST_HITS:
            indices[line].append(index)
    rare: list[tuple[int, int]] = []
    common: list[tuple[int, int]] = []
    for probe in probes:
        starts, _ = _standing(body, probe)
        hits = [(start, index) for start in starts for index in indices[probe]]
        if len(starts) <= MOST_HITS:
            rare += hits
        elif not common:
            common = hits[: MOST_HITS * MOST_HITS]
    hits = sorted(rare or common)
    hits = [hit for hit in hits if hit[0] >= low] or hits
    return first_lines(body, hits, MOST_WINDOWS)


def _standing(body: str, wanted: str) -> tuple[list[int], bool]:
    """The offsets of lines of a folded body that fold to this one, at most one more than `MOST_HITS`.

    And whether these are all but for that limit: a word that stands in too many lines is not followed.
    """
    # The folded line has single blanks; its longest word stands in the text however the blanks were written.
    for needle in dict.fromkeys((wanted, max(wanted.split(), key=len))):
        found: list[int] = []
        try:
            for start, end in lines_with(body, needle, 0, most=MOST_TRIES):
                if _fold(body[start:end]) == wanted:
                    found.append(start)
                    if len(found) > MOST_HITS:
                        break
        except TooCommonError:
            return found, False
        if found:
            return found, True
    return [], True


def _align(
    wanted: Sequence[str], weights: Sequence[int], lines: Sequence[str], first: int, *, alike: bool = False
) -> tuple[int, list[int | None]]:
    """The best way to lay the lines on the file's around one place: its score, and the line that each faces.

    Equal lines score by what they say, close ones a little where `alike` asks for it; a line that is missing, or that
    only the file has, costs less than any distinctive line brings.
    """
    count, width = len(wanted), 2 * GAP + 1
    top = first - GAP
    window = [
        _fold(lines[number]) if 0 <= number < len(lines) else None for number in range(top, top + count + width - 1)
    ]
    below = [0] * width
    moves: list[list[int]] = []
    for index in range(count - 1, -1, -1):
        line, weight = wanted[index], weights[index]
        row, move = [0] * width, [_FACE] * width
        for d in range(width - 1, -1, -1):
            other = window[index + d]
            score = below[d]
            if other == line:
                score += weight
            elif alike and line and other:
                score += _likeness(line, other)
            if d and below[d - 1] - _GAP_COST > score:
                score, move[d] = below[d - 1] - _GAP_COST, _MISSING
            if d < width - 1 and row[d + 1] - _GAP_COST > score:
                score, move[d] = row[d + 1] - _GAP_COST, _EXTRA
            row[d] = score
        moves.append(move)
        below = row
    d = max(range(width), key=lambda d: (below[d], -abs(d - GAP)))
    best = below[d]
    faces: list[int | None] = []
    for index, move in enumerate(reversed(moves)):
        while move[d] == _EXTRA:
            d += 1
        if move[d] == _MISSING:
            faces.append(None)
            d -= 1
        else:
            faces.append(top + index + d)
    return best, faces


def _likeness(one: str, other: str) -> int:
    from rapidfuzz.distance import Levenshtein

    alike = Levenshtein.normalized_similarity(one[:200], other[:200], score_cutoff=0.5)
    return int(_CLOSE * alike)


def numbers_of(text: Text, line: str) -> list[int] | None:
    """The numbers of the lines that are the same but for white space and punctuation; None where there are too many."""
    wanted = _fold(line)
    if not wanted:
        return None
    body = fold_text(text.body)
    starts, all_of_them = _standing(body, wanted)
    return line_numbers(body, starts[:MOST_HITS]) if starts or all_of_them else None


def line_numbers(body: str, starts: Sequence[int]) -> list[int]:
    """The numbers, from 1, of the lines at these offsets, which ascend. Reads the text once, however many they are."""
    numbers: list[int] = []
    number, position = 1, 0
    for start in starts:
        number += body.count("\n", position, start)
        # A line behind the last one begins where a newline would be.
        numbers.append(number + (start > len(body)))
        position = start
    return numbers


def close_line(text: Text, *candidates: str) -> tuple[int, str] | None:
    """For the first of these lines that has a close one near the beginning of the file: its number, and the line."""
    lines: list[str] = []
    for wanted in candidates:
        needle = _fold(wanted)
        if not is_distinctive(needle) or len(needle) > LONGEST_CLOSE:
            continue
        from rapidfuzz.distance import Levenshtein
        from rapidfuzz.process import extractOne

        if not lines:
            head = fold_text(text.body[:CLOSE_CHARACTERS])
            lines = [line.strip()[:LONGEST_CLOSE] for line in head.split("\n", CLOSE_LINES)[:CLOSE_LINES]]
        best = extractOne(needle, lines, scorer=Levenshtein.normalized_similarity, score_cutoff=CLOSE)
        if best is None and len(candidates) == 1 and len(needle) >= SHORTEST_PART:
            best = _with_part(needle, lines)
        if best is not None:
            return int(best[2]) + 1, wanted
    return None


def _with_part(needle: str, lines: Sequence[str]) -> tuple[str, float, int] | None:
    """The line of which a part is closest to a text that is itself no line."""
    from rapidfuzz.fuzz import partial_ratio
    from rapidfuzz.process import extractOne

    longer = [line if len(line) > len(needle) else None for line in lines]
    return extractOne(needle, longer, scorer=partial_ratio, score_cutoff=CLOSE_PART)


def blocks_around(body: str, offset: int) -> list[tuple[int, str]]:
    """The lines that open the blocks around the line at this offset, the innermost first, with their offsets.

    A block is opened by the nearest line above that is indented less and distinctive.
    """
    found: list[tuple[int, str]] = []
    end = body.find("\n", offset)
    line = body[offset:] if end < 0 else body[offset:end]
    width = _indent(line) if line.strip() else -1
    for start, line in lines_above(body, offset, MOST_ABOVE):
        if width < 0 and line.strip():
            # A blank line lies as deep as the line above it.
            width = _indent(line)
        if line.strip() and _indent(line) < width and is_distinctive(line):
            found.append((start, line))
            width = _indent(line)
            if not width or len(found) == MOST_BLOCKS:
                break
    return found


def _indent(line: str) -> int:
    line = line.expandtabs(4)
    return len(line) - len(line.lstrip())


def lines_above(body: str, offset: int, most: int) -> Iterator[tuple[int, str]]:
    """The lines above the one at this offset, the nearest first, with their offsets."""
    for _ in range(most):
        if offset <= 0:
            return
        start = body.rfind("\n", 0, offset - 1) + 1
        yield start, body[start : offset - 1]
        offset = start


def lines_below(body: str, offset: int, most: int) -> Iterator[tuple[int, str]]:
    """The lines from this offset on, with their offsets."""
    for _ in range(most):
        if offset >= len(body):
            return
        end = body.find("\n", offset)
        end = len(body) if end < 0 else end
        yield offset, body[offset:end]
        offset = end + 1
