"""What speaks for a loose place, and the rules that decide whether it is enough.

Evidence is kept apart for removed lines, for lines next to the change, and for the rest, and weighed by how distinctive
each line is in this file: a line that occurs once is worth many bits, a brace nothing.
"""

from __future__ import annotations

from ..core.line_diff import changed_blocks
from .align import CERTAIN, without_escapes
from .limits import (
    CHARACTERS_PER_BIT,
    ENOUGH_BITS,
    ENOUGH_FOR_TYPOS,
    LINES_FOR_AN_EDGE,
    MARGIN_BITS,
    MOST_BITS,
    MOST_DEFECTS,
    MOST_SEEDS,
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
_WORDS, _WORDS_AND_ESCAPES = r"\w+", r"\\.|\w+"

#: What a relation adds to the score that a Match shows.
_WORTH = {**dict.fromkeys(CERTAIN, 0.95), "equal": 1.0, "near": 0.6}
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
        self.beside, self.gaps_beside = _beside(hunk, middle=middle)
        names = alignment.relations
        #: The old lines that are not equal, and those among them that face a line, with that.
        self.off = [index for index, name in enumerate(names) if name != "equal"]
        rows = ((index, alignment.rows[index]) for index in self.off)
        self.faced = [(index, seeds.old[index], window.line(row)) for index, row in rows if row is not None]
        self.extra = alignment.extra
        #: The lines that only one side has.
        self.missing = [seeds.old[i] for i in self.off if names[i] == "missing"]
        self.bits = sum(map(self.bits_of, range(len(names))))

    @property
    def distinctive(self) -> int:
        """How many of the equal lines are distinctive."""
        off = set(self.off)
        return sum(is_distinctive(line) for index, line in enumerate(self.seeds.old) if index not in off)

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

    def line(self, index: int) -> str:
        """The folded line that an old line faces, empty where it is missing."""
        row = self.alignment.rows[index]
        return "" if row is None else self.window.line(row)

    def old_after(self, row: int) -> int:
        """The old line that faces the first line after an extra line of the file."""
        return next(i for i, faced in enumerate(self.alignment.rows) if faced is not None and faced > row)

    def lines_around(self, row: int) -> tuple[str, ...]:
        """The lines of the hunk from the old line before an extra line of the file to the old line after it."""
        old = [index for index, line in enumerate(self.hunk.lines) if line[0] != "+"]
        after = self.old_after(row)
        return self.hunk.lines[old[after - 1] : old[after] + 1]

    def bits_of(self, index: int) -> float:
        """What an old line tells of the place."""
        line = self.seeds.old[index]
        name = self.alignment.relations[index]
        if name == "carried":
            # It is known by its length, less what another line may have in common with it.
            return max(0.0, min(MOST_BITS, len(line) / CHARACTERS_PER_BIT) - MARGIN_BITS)
        if name not in _KNOWN or not self.seeds.is_known(index):
            return 0.0
        from math import log2

        count = self.seeds.count(index)
        if count > 1:
            return max(0.0, self.log2_lines - log2(count))
        return max(self.log2_lines, min(MOST_BITS, len(line) / CHARACTERS_PER_BIT))


def _beside(hunk: Hunk, *, middle: bool) -> tuple[list[bool], set[int]]:
    """Which old lines are changed or next to a change, in any diff that says the same; and the gaps it can move to.

    Lines that come in or go, and end like the lines before them or begin like those after them, may as well have been
    meant there; beyond lines that are not distinctive only where lines between the ends may differ (`middle`). A gap is
    named by the old line behind it.
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
        if middle or any(map(is_distinctive, (*lines[above:start], *lines[end:below]))):
            first, last = a - start + above, b - end + below
            gaps.update(range(first, last + 1))
            beside[max(0, first - 1) : last + 1] = [True] * len(beside[max(0, first - 1) : last + 1])
    return beside, gaps


@rule
def changed_lines(evidence: Evidence) -> bool:
    """Every removed line and every line next to a change must be in the file.

    It may differ only in spacing, escapes or a typo.
    """
    names = evidence.alignment.relations
    return any(beside and name not in CERTAIN for beside, name in zip(evidence.beside, names, strict=True))


@rule
def context_lines(evidence: Evidence) -> bool:
    """A context line that is not in the file must be similar to the file's line at that point.

    At an edge, one line may differ, if everything else matches.
    """
    names = evidence.alignment.relations
    off = [(index, old, line) for index, old, line in evidence.faced if names[index] not in CERTAIN]
    lines = [text for _, *pair in off for text in pair]
    if not all(map(is_distinctive, (*lines, *filter(None, evidence.missing)))):
        # A line of mere brackets that differs or is missing closes another block.
        return True
    if evidence.middle:
        return False
    alone = len(evidence.off) == 1 and not evidence.extra and evidence.distinctive >= LINES_FOR_AN_EDGE
    edges = (0, len(names) - 1)
    return any(not alone if index in edges else names[index] != "near" for index, _, _ in off)


@rule
def gap_beside_change(evidence: Evidence) -> bool:
    """No line may be missing or extra next to a change or at an edge, except for a blank line whose place is clear.

    A change on one side of such a line needs a distinctive line on that side.
    """
    names, old = evidence.alignment.relations, evidence.seeds.old
    for index in evidence.off:
        if names[index] == "missing" and (evidence.beside[index] or _is_thin(evidence, index, index + 1)):
            return True
    once = {index for index, line in enumerate(old) if is_distinctive(line) and evidence.seeds.count(index) == 1}
    is_repeated = all(evidence.kinds[index] == "-" for index in once)
    for row in evidence.extra:
        between, after, line = evidence.lines_around(row), evidence.old_after(row), evidence.window.line(row)
        for edge, side in ((after - 1, range(after)), (after, range(after, len(old)))):
            is_weak = line and is_repeated and sum(map(evidence.bits_of, side)) < MARGIN_BITS
            if is_weak or (once.isdisjoint(side) and _differ_by_a_word(old[edge], line)):
                # Lines that could be anywhere are found again beyond a line of another place.
                return True
        beside = [line[0] for line in between] != [" ", " "] or after in evidence.gaps_beside
        if (beside and blank_between(between, line) is None) or (line and _is_thin(evidence, after, after)):
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
    return " " if "+" in (between[1], between[-2]) else None


def _is_thin(evidence: Evidence, end: int, start: int) -> bool:
    """Whether the lines before a gap or those behind it are none, or change something without a distinctive line."""
    return any(
        not evidence.kinds[side]
        or (any(evidence.beside[side]) and not any(map(is_distinctive, evidence.seeds.old[side])))
        for side in (slice(end), slice(start, None))
    )


@rule
def elsewhere(evidence: Evidence) -> bool:
    """A line that does not match here must not occur elsewhere in the file."""
    old = evidence.seeds.old
    return any(is_distinctive(old[index]) and evidence.seeds.count(index) for index in evidence.off)


@rule
def twin(evidence: Evidence) -> bool:
    """A line that differs from the file's line by one whole word or a number is a different line, not a mistake."""
    from re import findall

    names = evidence.alignment.relations
    return any(
        findall(r"\d+", old) != findall(r"\d+", line) or (names[index] not in CERTAIN and _differ_by_a_word(old, line))
        for index, old, line in evidence.faced
    )


def _differ_by_a_word(line: str, other: str) -> bool:
    """Whether two lines have as many words, and one of them differs, wherever it occurs; with escapes or without."""
    for pattern in (_WORDS, _WORDS_AND_ESCAPES):
        one, two = _words(line, pattern), _words(other, pattern)
        if len(one) == len(two) > 0 and len({(a, b) for a, b in zip(one, two, strict=True) if a != b}) <= 1:
            return True
    return False


def _words(text: str, pattern: str) -> list[str]:
    from re import findall

    return findall(pattern, text)


@rule
def enough_evidence(evidence: Evidence) -> bool:
    """The lines that match must be distinctive enough to tell this place from all others."""
    only_typos = not evidence.extra and _SLIPS.issuperset(evidence.alignment.relations[i] for i in evidence.off)
    lines = evidence.log2_lines
    return evidence.bits < min(ENOUGH_BITS, ENOUGH_FOR_TYPOS * lines if only_typos else lines + MARGIN_BITS)


@rule
def few_defects(evidence: Evidence) -> bool:
    """At most a quarter of the lines may differ, be missing or be extra, and at most three."""
    if evidence.middle:
        return len(evidence.off) > MOST_SEEDS
    return evidence.defects > min(MOST_DEFECTS, max(1, len(evidence.kinds) // 4))


@rule
def mistake_repeated(evidence: Evidence) -> bool:
    """If a removed line has a mistake, no added line may repeat it.

    If a match needed escapes to be ignored, no added line may contain escapes.
    """
    names, added = evidence.alignment.relations, "\n".join(evidence.hunk.added)
    if "escaped" in names and without_escapes(added) != added:
        return True
    words = set(_words(added, _WORDS_AND_ESCAPES))
    return any(
        evidence.kinds[index] == "-"
        and names[index] != "carried"
        and not words.isdisjoint(set(_words(old, _WORDS_AND_ESCAPES)).difference(_words(line, _WORDS_AND_ESCAPES)))
        for index, old, line in evidence.faced
    )


#: What forbids a loose place.
RULES = (
    few_defects,
    changed_lines,
    context_lines,
    gap_beside_change,
    elsewhere,
    twin,
    enough_evidence,
    mistake_repeated,
)
