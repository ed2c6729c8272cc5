"""What speaks for a loose place, and the rules that decide whether it is enough.

Evidence is kept apart for removed lines, for lines next to the change, and for the rest, and weighed by how distinctive
each line is in this file: a line that occurs once is worth many bits, a brace nothing.
"""

from __future__ import annotations

from ..core.line_diff import changed_blocks
from .align import CERTAIN, without_escapes
from .limits import (
    BITS_FOR_ONE,
    CHARACTERS_PER_BIT,
    ENOUGH_BITS,
    ENOUGH_FOR_TYPOS,
    LINES_FOR_AN_EDGE,
    MARGIN_BITS,
    MISTAKE,
    MOST_BITS,
    MOST_DEFECTS,
    MOST_SEEDS,
    SHORTEST_RUN,
)
from .rule import rule
from .tiers import FOLDS, is_distinctive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.patch import Hunk
    from .align import Alignment, Window
    from .seeds import Seeds

_fold = FOLDS["whitespace"]

#: What a relation adds to the score that a Match shows.
_WORTH = {"equal": 1.0, "spacing": 0.95, "escaped": 0.95, "typo": 0.95, "carried": 0.95, "part": 0.7, "near": 0.6}


#: Relations by which a line is known as well as by being equal.
_KNOWN = frozenset({"equal", "spacing", "escaped"})
#: Relations of a line that was mistyped.
_SLIPS = frozenset({"typo", "carried"})


class Evidence:
    """An edit at one place, line by line: how each old line relates to the file, and what that is worth."""

    def __init__(self, hunk: Hunk, alignment: Alignment, seeds: Seeds, window: Window, *, middle: bool = False) -> None:
        self.hunk = hunk
        self.alignment = alignment
        self.seeds = seeds
        self.window = window
        #: Whether the lines between the ends may differ, away from any change.
        self.middle = middle
        self.kinds = [line[0] for line in hunk.lines if line[0] != "+"]
        #: Which old lines are changed or next to a change.
        self.beside, self.gaps_beside = _beside(hunk)
        names = alignment.relations
        #: The old lines that are not equal, and those that are.
        self.off = [index for index, name in enumerate(names) if name != "equal"]
        self.equal = [index for index, name in enumerate(names) if name == "equal"]
        self.extra = alignment.extra
        #: The lines that only one side has.
        self.gap = [
            *(window.line(row) for row in self.extra),
            *(seeds.old[i] for i in self.off if names[i] == "missing"),
        ]
        self.bits = sum(map(self._bits_of, range(len(names))))

    @property
    def distinctive(self) -> int:
        """How many of the equal lines are distinctive."""
        return sum(is_distinctive(self.seeds.old[index]) for index in self.equal)

    @property
    def defects(self) -> int:
        """How many lines are not known again, missing or extra."""
        return sum(name not in _KNOWN for name in self.alignment.relations) + len(self.extra)

    @property
    def score(self) -> float:
        """How much agrees, from 0 to 1."""
        total = sum(_WORTH.get(name, 0.0) for name in self.alignment.relations) - 0.5 * len(self.extra)
        return round(max(0.0, total / len(self.kinds)), 4)

    @property
    def log2_lines(self) -> float:
        """The bits that tell one line of the file from all others."""
        from math import log2

        return log2(max(2, self.seeds.lines))

    def line(self, index: int) -> str | None:
        """The folded line that an old line faces."""
        row = self.alignment.rows[index]
        return None if row is None else self.window.line(row)

    def old_after(self, row: int) -> int:
        """The old line that faces the first line after an extra line of the file."""
        return next(i for i, faced in enumerate(self.alignment.rows) if faced is not None and faced > row)

    def lines_around(self, row: int) -> tuple[str, ...]:
        """The lines of the hunk from the old line before an extra line of the file to the old line after it."""
        old = [index for index, line in enumerate(self.hunk.lines) if line[0] != "+"]
        after = self.old_after(row)
        return self.hunk.lines[old[after - 1] : old[after] + 1]

    def is_edge(self, index: int) -> bool:
        """Whether an old line is context at an end of the edit, away from any change."""
        return index in (0, len(self.kinds) - 1) and not self.beside[index]

    def _bits_of(self, index: int) -> float:
        line = self.seeds.old[index]
        name = self.alignment.relations[index]
        if name == "carried":
            # It is known by its length, less what another line may have in common with it.
            return max(0.0, min(MOST_BITS, len(line) / CHARACTERS_PER_BIT) - MARGIN_BITS)
        if name not in _KNOWN or not is_distinctive(line) or (name == "equal" and not self.seeds.is_known(index)):
            return 0.0
        from math import log2

        # Where spacing or escapes differ, the line as it is written occurs nowhere.
        count = max(1, self.seeds.count(index)) if name == "equal" else 1
        if count > 1:
            return max(0.0, log2(max(2, self.seeds.lines) / count))
        return max(self.log2_lines, min(MOST_BITS, len(line) / CHARACTERS_PER_BIT))


def _beside(hunk: Hunk) -> tuple[list[bool], set[int]]:
    """Which old lines are changed or next to a change, in any diff that says the same; and the gaps it can move to.

    Lines that come in or go, and end like the lines before them or begin like those after them, may as well have been
    meant there. A gap is named by the old line behind it.
    """
    written = [line[0] for line in hunk.lines]
    beside = [set(written[max(0, i - 1) : i + 2]) != {" "} for i, kind in enumerate(written) if kind != "+"]
    gaps: set[int] = set()
    old, new = ([_fold(line) for line in lines] for lines in (hunk.old, hunk.new))
    for a, b, c, d in changed_blocks(old, new):
        if a < b and c < d:
            continue
        lines, start, end = (new, c, d) if a == b else (old, a, b)
        above, below = start, end
        while above and lines[above - 1] == lines[above - 1 + end - start]:
            above -= 1
        while below < len(lines) and lines[below] == lines[below - end + start]:
            below += 1
        if any(map(is_distinctive, (*lines[above:start], *lines[end:below]))):
            first, last = a - start + above, b - end + below
            gaps.update(range(first, last + 1))
            beside[max(0, first - 1) : last + 1] = [True] * len(beside[max(0, first - 1) : last + 1])
    return beside, gaps


@rule
def removed_lines(evidence: Evidence) -> bool:
    """Every removed line must be in the file: equal, or different only in spacing, escapes or a typo."""
    names = evidence.alignment.relations
    return any(kind == "-" and name not in CERTAIN for kind, name in zip(evidence.kinds, names, strict=True))


@rule
def neighbors(evidence: Evidence) -> bool:
    """The same holds for every line next to a change."""
    names = evidence.alignment.relations
    return any(
        kind == " " and beside and name not in CERTAIN
        for kind, beside, name in zip(evidence.kinds, evidence.beside, names, strict=True)
    )


@rule
def context_lines(evidence: Evidence) -> bool:
    """A context line that is not in the file must be similar to the file's line at that point.

    One line at an edge may differ completely, if everything else matches.
    """
    names = evidence.alignment.relations
    off = [index for index in evidence.off if names[index] in ("part", "near", "other")]
    if any(not is_distinctive(evidence.seeds.old[i]) or not is_distinctive(evidence.line(i) or "") for i in off):
        # A line of mere brackets that differs closes another block.
        return True
    if evidence.middle:
        return False
    alone = len(evidence.off) == 1 and not evidence.extra and evidence.distinctive >= LINES_FOR_AN_EDGE
    return any(names[index] != "near" and not (alone and evidence.is_edge(index)) for index in off)


@rule
def gap_beside_change(evidence: Evidence) -> bool:
    """No line may be missing or extra next to a change or at an edge, except for a blank line whose place is clear."""
    names = evidence.alignment.relations
    if any(names[index] == "missing" and not _is_inner(evidence, index) for index in evidence.off):
        return True
    old = evidence.seeds.old
    for row in evidence.extra:
        between, after, line = evidence.lines_around(row), evidence.old_after(row), evidence.window.line(row)
        edges = (old[:after][::-1], old[after:])
        if any(not any(map(is_distinctive, edge)) and _differ_by_a_word(edge[0], line) for edge in edges):
            # Lines that could be anywhere are found again beyond the twin of one of them.
            return True
        beside = [line[0] for line in between] != [" ", " "] or after in evidence.gaps_beside
        if beside and blank_between(between, line) is None:
            return True
    return False


def blank_between(between: Sequence[str], line: str) -> str | None:
    """What becomes of a blank line of the file that a hunk leaves out between these lines of its own, as a prefix.

    Between removed lines it goes with them, beside one it stays. Where lines come in it stays only if they begin or end
    with a blank line, which it then is. None where that can't be known.
    """
    ends = between[0][0] + between[-1][0]
    if line:
        return None
    if "-" in ends:
        return "-" if ends == "--" else " "
    return " " if len(between) > 2 and "+" in (between[1], between[-2]) else None


def _is_inner(evidence: Evidence, index: int) -> bool:
    """Whether an old line is context between two context lines."""
    return not evidence.beside[index] and 0 < index < len(evidence.kinds) - 1


@rule
def elsewhere(evidence: Evidence) -> bool:
    """A line that does not match here must not occur elsewhere in the file."""
    old = evidence.seeds.old
    return any(is_distinctive(old[index]) and evidence.seeds.count(index) for index in evidence.off)


@rule
def other_number(evidence: Evidence) -> bool:
    """No line may differ from the file's line in a number."""
    from re import findall

    for index in evidence.off:
        line = evidence.line(index)
        if line is not None and findall(r"\d+", evidence.seeds.old[index]) != findall(r"\d+", line):
            return True
    return False


@rule
def twin(evidence: Evidence) -> bool:
    """A line that differs from the file's line by one whole word is a different line, not a mistake."""
    for index in evidence.off:
        line = evidence.line(index)
        if line is None or evidence.alignment.relations[index] in CERTAIN:
            continue
        if _differ_by_a_word(evidence.seeds.old[index], line):
            return True
    return False


def _differ_by_a_word(line: str, other: str) -> bool:
    """Whether two lines have as many words, and one of them differs; wherever it occurs."""
    from re import findall

    one, two = (findall(r"\w+", text) for text in (line, other))
    return len(one) == len(two) > 0 and len({pair for pair in zip(one, two, strict=True) if len(set(pair)) > 1}) <= 1


@rule
def enough_evidence(evidence: Evidence) -> bool:
    """The lines that match must be distinctive enough to tell this place from all others."""
    only_typos = not evidence.gap and _SLIPS.issuperset(evidence.alignment.relations[i] for i in evidence.off)
    lines = evidence.log2_lines
    return evidence.bits < min(ENOUGH_BITS, ENOUGH_FOR_TYPOS * lines if only_typos else lines + MARGIN_BITS)


@rule
def few_defects(evidence: Evidence) -> bool:
    """At most a quarter of the lines may differ, be missing or be extra, and at most three."""
    if evidence.middle:
        return len(evidence.off) > MOST_SEEDS
    most = min(MOST_DEFECTS, max(1, len(evidence.kinds) // 4))
    return evidence.defects > most and not (evidence.defects == 1 and evidence.bits >= BITS_FOR_ONE)


@rule
def unclear_escapes(evidence: Evidence) -> bool:
    """If a match at `similar` needed escapes to be ignored, no added line may contain escapes."""
    return "escaped" in evidence.alignment.relations and any(
        without_escapes(line) != line for line in evidence.hunk.added
    )


@rule
def mistake_repeated(evidence: Evidence) -> bool:
    """If a removed line has a mistake, no added line may repeat it."""
    from rapidfuzz.distance import Levenshtein

    added = [_fold(line) for line in evidence.hunk.added]
    for index in evidence.off:
        old, line = evidence.seeds.old[index], evidence.line(index)
        if evidence.kinds[index] == " " or line is None or evidence.alignment.relations[index] == "carried":
            continue
        for edit in Levenshtein.editops(old, line):
            at = edit.src_pos
            around = old[max(0, at - MISTAKE) : at + MISTAKE + (edit.tag != "insert")]
            # A run of one sign has its own length in every line; a blank does harm only where it splits an escape.
            sign = old[at : at + 1] if edit.tag != "insert" else line[edit.dest_pos]
            harmless = sign * SHORTEST_RUN in around or (sign == " " and old[at - 1 : at] != "\\")
            if not harmless and any(around in other for other in added):
                return True
    return False


#: What forbids a loose place.
RULES = (
    few_defects,
    removed_lines,
    neighbors,
    context_lines,
    gap_beside_change,
    elsewhere,
    other_number,
    twin,
    enough_evidence,
    mistake_repeated,
    unclear_escapes,
)
