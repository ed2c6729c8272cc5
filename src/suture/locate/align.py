"""The one aligner: how each line of an edit relates to the lines of the file in a window.

Old lines and file lines are folded before they come here. A **relation** says how an old line and the line it faces
agree, from certain to hopeless:

- `equal`: the same but for whitespace and Unicode punctuation;
- `spacing`: the same without any whitespace, in a line long enough to know it by;
- `escaped`: the same without backslashes, or once `\\u` escapes are read as characters;
- `typo`: a slip of the keyboard (`typos`);
- `carried`: such a slip in a part of a removed line that the added line keeps;
- `near`: more than half of it agrees (`NEAR`);
- `other`: it faces another line;
- `missing`: the file has no line for it.

File lines between the faced ones that no old line faces are `extra`. The alignment is a banded dynamic program that
costs lines × band. Where the best alignment is not the only one, the leftmost and the rightmost are both given.
"""

from __future__ import annotations

from .limits import BAND, GAP, LONGEST_COMPARED, NEAR, SHORTEST_SPACED
from .tiers import FOLDS, is_distinctive
from .typos import carry, is_typo

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence


_fold = FOLDS["whitespace"]

#: Relations that leave no doubt which line is meant.
CERTAIN = frozenset({"equal", "spacing", "escaped", "typo", "carried"})

#: What a pair of lines adds to the score of an alignment. Equal lines count by what they tell.
_SCORES = {"spacing": 12, "escaped": 12, "typo": 12, "carried": 12, "near": 4, "other": -3}
_DISTINCTIVE, _COMMON, _BLANK = 16, 6, 2
_MISSING, _EXTRA, _NEVER = -4, -4, -1_000_000


class Window:
    """The folded lines of the file that an edit of `count` lines may face if it begins around line `first`."""

    __slots__ = ("lines", "top")

    def __init__(self, lines: Sequence[str], first: int, count: int) -> None:
        self.top = first - GAP
        numbers = range(self.top, self.top + count + 2 * GAP)
        self.lines = [_fold(lines[number]) if 0 <= number < len(lines) else None for number in numbers]

    def line(self, row: int) -> str:
        """The folded line of that number."""
        line = self.lines[row - self.top]
        assert line is not None, "BUG: a row is not in the file"
        return line


class Alignment:
    """Old lines laid on the file's: for each the number of the line it faces (None: missing) and its relation."""

    __slots__ = ("relations", "rows", "score")

    def __init__(self, rows: list[int | None], relations: list[str], score: int) -> None:
        self.rows = rows
        self.relations = relations
        self.score = score

    @property
    def extra(self) -> list[int]:
        """The lines among the faced ones that no old line faces."""
        faced = [row for row in self.rows if row is not None]
        return sorted(set(range(min(faced, default=0), max(faced, default=-1) + 1)).difference(faced))


def relate(old: str, line: str, kind: str, words: Container[str], new: str | None = None) -> str:
    """How a folded old line, context (" ") or removed ("-"), relates to a folded line of the file.

    `words` are no typos. `new` is the added line that a removed one becomes.
    """
    if old == line:
        return "equal"
    if len(old) > SHORTEST_SPACED and old.replace(" ", "") == line.replace(" ", ""):
        return "spacing"
    if without_escapes(old) == without_escapes(line) != "":
        return "escaped"
    from rapidfuzz.distance import Indel

    near = Indel.normalized_similarity(old[:LONGEST_COMPARED], line[:LONGEST_COMPARED], score_cutoff=NEAR)
    # What is mistyped is near as well, and most lines are not.
    if near and new is not None and is_typo(old, line, "=", words) and carry(old, line, new):
        return "carried"
    if near and is_typo(old, line, kind, words):
        return "typo"
    return "near" if near else "other"


def without_escapes(line: str) -> str:
    """A line without backslashes, its `\\u` escapes read as characters."""
    if "\\u" in line:
        from re import sub

        line = sub(r"\\u([0-9a-fA-F]{4})", lambda match: chr(int(match[1], 16)), line)
    return line.replace("\\", "")


def align(
    old: Sequence[str], window: Window, kinds: Sequence[str], words: Container[str], new: Mapping[int, str]
) -> list[Alignment]:
    """The best alignments of folded old lines with a window of the file: one, or two where it is not unique.

    `kinds` are their prefixes; `new` has the line that an old line becomes, where there is one.
    """
    count, lines = len(old), window.lines

    def relation(i: int, line: str | None) -> str:
        return "" if line is None else relate(old[i], line, kinds[i], words, new.get(i))

    relations = [[relation(i, lines[i + d]) for d in range(BAND)] for i in range(count)]
    equal = [_DISTINCTIVE if is_distinctive(line) else _COMMON if line else _BLANK for line in old]
    scores = [[equal[i] if name == "equal" else _SCORES.get(name, -100) for name in relations[i]] for i in range(count)]
    best = _best_scores(scores)
    top_score = max(best[0])
    starts = [d for d in range(BAND) if best[0][d] == top_score]
    found: dict[tuple[int | None, ...], Alignment] = {}
    for start, leftmost in ((starts[0], True), (starts[-1], False)):
        offsets = _trace(best, scores, start, leftmost=leftmost)
        names = ["missing" if d is None else relations[i][d] for i, d in enumerate(offsets)]
        rows = [None if d is None else window.top + i + d for i, d in enumerate(offsets)]
        found.setdefault(tuple(rows), Alignment(rows, names, top_score))
    return list(found.values())


def _best_scores(scores: list[list[int]]) -> list[list[int]]:
    """For each old line the best score from there on: at each offset in the band, and last that of any other offset."""
    count = len(scores)
    best = [[0] * BAND + [_NEVER] for _ in range(count + 1)]
    for i in range(count - 1, -1, -1):
        row, below = best[i], best[i + 1]
        for d in range(BAND - 1, -1, -1):
            # No line is extra before the first.
            extra = row[d + 1] + _EXTRA if i else _NEVER
            row[d] = max(below[d] + scores[i][d], below[d - 1] + _MISSING, extra)
    return best


def _trace(best: list[list[int]], scores: list[list[int]], d: int, *, leftmost: bool) -> list[int | None]:
    """One best alignment as offsets in the band: at each step the first of the equally good moves, or the last."""
    offsets: list[int | None] = []
    i = 0
    while i < len(scores):
        score = best[i][d]
        moves = [
            name
            for name, value in (
                ("face", best[i + 1][d] + scores[i][d]),
                ("extra", best[i][d + 1] + _EXTRA),
                ("missing", best[i + 1][d - 1] + _MISSING),
            )
            if value == score
        ]
        move = moves[0 if leftmost else -1]
        if move == "extra":
            d += 1
            continue
        offsets.append(d if move == "face" else None)
        d -= move == "missing"
        i += 1
    return offsets
