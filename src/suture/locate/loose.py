"""The loose end of the search: places where an edit fits but for mistakes in its lines.

Seeds say where to look, the aligner lays the edit on the file there, and the rules of `evidence` decide. Of several
places that pass, the best wins if no other comes close; one that the rules forbid but that has as much evidence keeps
all others from being taken.
"""

from __future__ import annotations

from ..core.line_diff import changed_blocks
from ..core.value import Value
from .align import Alignment, Window, align
from .evidence import RULES, Evidence, blank_between, gap_beside_change
from .indentation import split_indent
from .limits import BAND, CELL_BUDGET, EQUAL, GAP, LIKENESS
from .place import Place
from .rule import first_refusal, rule
from .search import occurrences
from .seeds import Seeds
from .tiers import FOLDS, is_distinctive
from .typos import carry

_fold = FOLDS["whitespace"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..core.patch import Hunk
    from ..core.text import Text


class LooseSearch(Value):
    """The places where a hunk fits but for mistakes: one, several that are as good, or none.

    Where there is none, `rule` names the rule that forbids the best one.
    """

    places: Sequence[Place] = ()
    rule: str = ""


def find_loose(
    text: Text, hunk: Hunk, low: int = 0, notes: tuple[str, ...] = (), middle: str = "", *, alone: bool = False
) -> LooseSearch:
    """Look for a hunk whose lines have mistakes.

    For an edit that is `alone`, several places that nothing but each other speaks against are given too: nothing can
    choose among them, and they can be listed.

    `middle` lets lines between the ends differ, away from any change: "alike" where they are alike in the mean, "equal"
    where half of them are equal and there are as many.
    """
    old = hunk.old
    if not 1 <= len(old) <= CELL_BUDGET // BAND or not any(map(is_distinctive, old)):
        return LooseSearch()
    seeds = Seeds(text, old, low)
    if len(seeds.windows) * len(old) * BAND > CELL_BUDGET:
        # What is not looked at might be as good.
        return LooseSearch()
    judged = _judge(text, hunk, seeds, notes, middle)
    weak = [(evidence, place) for evidence, place, rule in judged if rule == "enough-evidence"]
    if alone and len(weak) > 1:
        judged = [(evidence, place, "") for evidence, place in weak]
    allowed = [(evidence, place) for evidence, place, rule in judged if not rule]
    if not allowed:
        best = max(judged, key=lambda found: found[0].bits, default=None)
        return LooseSearch((), best[2] if best is not None else "")
    forbidden = [evidence for evidence, _, rule in judged if rule]
    contest = Contest([evidence for evidence, _ in allowed], forbidden)
    refusal = first_refusal(CONTEST_RULES, contest)
    if refusal is not None:
        return LooseSearch((), refusal[0].name)
    places: dict[tuple[tuple[int, int], ...], Place] = {}
    for evidence, place in allowed:
        if evidence.bits == contest.best and place.start >= low:
            places.setdefault(tuple((one.start, one.end) for one in place.splices(text.body)), place)
    return LooseSearch(sorted(places.values(), key=lambda place: place.start))


class Contest(Value):
    """All places of a hunk with what speaks for them: those that the rules of `evidence` allow, and the others."""

    allowed: Sequence[Evidence]
    forbidden: Sequence[Evidence]

    @property
    def best(self) -> float:
        """The most bits that an allowed place has."""
        return max(evidence.bits for evidence in self.allowed)


@rule
def stronger_rival(contest: Contest) -> bool:
    """A place must have more evidence than every place that another rule forbids."""
    return any(evidence.bits >= contest.best for evidence in contest.forbidden)


#: What forbids the places that the evidence allows, because of other places.
CONTEST_RULES = (stronger_rival,)


def _judge(
    text: Text, hunk: Hunk, seeds: Seeds, notes: tuple[str, ...], middle: str
) -> list[tuple[Evidence, Place, str]]:
    """The best alignments in all windows, each with its place and the name of the rule that forbids it."""
    lines, starts = text.rows if seeds.windows else ([], [])
    removed = [line[0] == "-" for line in hunk.lines if line[0] != "+"]
    texts = {number: hunk.lines[index][1:] for number, index in _replaced(hunk).items()}
    # Where folding changes more than the ends of a line, what was carried over could not be written.
    new = {number: text.strip() for number, text in texts.items() if text.strip() == _fold(text)}
    judged: list[tuple[Evidence, Place, str]] = []
    for first in seeds.windows:
        window = Window(lines, first, len(seeds.old))
        for alignment in align(seeds.old, window, removed, text.words, new):
            rows = [None if row is None else starts[row] for row in alignment.rows]
            start = next((row for row in rows if row is not None), None)
            evidence = Evidence(hunk, alignment, seeds, window, middle=bool(middle))
            if start is None or not (evidence.off or evidence.extra):
                # Nothing of it is there, or all of it is, and a constraint did not let that be the place.
                continue
            refusal = first_refusal(RULES, evidence)
            rule = refusal[0].name if refusal is not None else ""
            if middle and not _is_block(evidence, middle):
                rule = "block"
            whole, rows = (hunk, rows) if rule else _with_blanks(_with_carried(evidence), evidence, rows, starts)
            carried = ("mistake_carried",) * ("carried" in alignment.relations)
            judged.append((evidence, Place(whole, start, "similar", notes + carried, rows, evidence.score), rule))
    return judged


def find_without_blanks(text: Text, hunk: Hunk, start: int, end: int) -> Place | None:
    """The place of an edit whose lines are there from `start` to `end`, but for whitespace and blank lines."""
    body = text.body
    first = body.count("\n", 0, start)
    old = [_fold(line) for line in hunk.old]
    lines = [_fold(line) for line in text.rows[0][first : body.count("\n", 0, end) + 1]]
    rows: list[int | None] = []
    row = 0
    for a, b, _, d in changed_blocks(old, lines):
        rows += range(row, row + a - len(rows))
        rows += [None] * (b - a)
        row = d
    rows += range(row, row + len(old) - len(rows))
    starts = text.rows[1]
    faced = [None if row is None else starts[first + row] for row in rows]
    relations = ["missing" if row is None else "equal" for row in rows]
    numbers = [None if row is None else first + row for row in rows]
    window = Window(text.rows[0], first, len(lines))
    evidence = Evidence(hunk, Alignment(numbers, relations, 0), Seeds(text, hunk.old), window)
    if faced[0] is None or gap_beside_change.against(evidence):
        return None
    whole, faced = _with_blanks(hunk, evidence, faced, starts)
    return Place(whole, starts[first], "whitespace", (), faced)


def _replaced(hunk: Hunk) -> dict[int, int]:
    """The number of each removed line and the index of the added line that it becomes, where as many are added."""
    found: dict[int, int] = {}
    removed: list[int] = []
    added: list[int] = []
    number = -1
    for index, line in enumerate((*hunk.lines, " ")):
        if line[0] == "+":
            added.append(index)
            continue
        if line[0] == " " or added:
            found.update(zip(removed, added, strict=True) if len(removed) == len(added) else ())
            removed, added = [], []
        number += 1
        removed += [number] * (line[0] == "-")
    return found


def _with_carried(evidence: Evidence) -> Hunk:
    """The hunk with the file's own text where an added line repeats a mistake in the line that it replaces."""
    hunk, lines = evidence.hunk, list(evidence.hunk.lines)
    for number, index in _replaced(hunk).items() if "carried" in evidence.alignment.relations else ():
        if evidence.alignment.relations[number] == "carried":
            indent, text = split_indent(lines[index][1:])
            carried = carry(evidence.seeds.old[number], evidence.line(number) or "", text.rstrip())
            assert carried is not None, "BUG: a line that is not close was carried over"
            lines[index] = f"+{indent}{carried}"
    return hunk.replace(lines=tuple(lines))


def _with_blanks(
    hunk: Hunk, evidence: Evidence, rows: list[int | None], starts: Sequence[int]
) -> tuple[Hunk, list[int | None]]:
    """The hunk with the blank lines that it leaves out next to a change, and the row of each old line."""
    lines, faced = list(hunk.lines), list(rows)
    for row in reversed(evidence.extra):
        between = evidence.lines_around(row)
        kind = blank_between(between, evidence.window.line(row)) if len(between) > 2 or between[0][0] != " " else None
        if kind is None:
            continue
        index = next(i for i, other in enumerate(faced) if other is not None and other > starts[row])
        at = [i for i, line in enumerate(lines) if line[0] != "+"][index]
        if kind == " " and len(between) > 2 and between[-2] == "+":
            # The blank line that the added lines end with is the one that the file has.
            lines[at - 1] = " "
        elif kind == " " and len(between) > 2 and between[1] == "+":
            lines[at - len(between) + 2] = " "
        else:
            lines.insert(at, kind)
        faced.insert(index, starts[row])
    return hunk.replace(lines=tuple(lines)), faced


def _is_block(evidence: Evidence, middle: str) -> bool:
    """Whether the first and the last line are there, and enough between them."""
    alignment, old = evidence.alignment, evidence.seeds.old
    count = len(old)
    if count < 3 or alignment.relations[0] != "equal" or alignment.relations[-1] != "equal":
        return False
    if middle == "equal":
        inner = alignment.relations[1:-1]
        return not evidence.gap and inner.count("equal") >= EQUAL * len(inner)
    from rapidfuzz.distance import Levenshtein

    pairs = [(old[index], evidence.line(index) or "") for index in range(1, count - 1)]
    alike = sum(Levenshtein.normalized_similarity(*pair) for pair in pairs)
    return len(evidence.extra) <= count // 4 and alike >= LIKENESS * max(count - 2, count - 2 + len(evidence.extra))


def find_rival(text: Text, place: Place) -> int | None:
    """The start of another place that has the hunk's context just as it is, where the loose place has not.

    Such a hunk was most likely written for there, and the lines that it removes have changed since. At `similar`, where
    a line is missing or extra, a place that has as much of the context is rival enough.
    """
    body, old = text.body, place.hunk.old
    kinds = [line[0] for line in place.hunk.lines if line[0] != "+"]
    similar = place.rows is not None
    context = [
        (line, there)
        for kind, line, there in zip(kinds, old, place.file_lines(body), strict=True)
        if kind == " " and is_distinctive(line)
    ]
    own = sum(line == there for line, there in context)
    fold: Callable[[str], str] = str
    if similar and not own:
        # Nothing of it is there as it is: then what is there but for whitespace counts.
        fold = _fold
        own = sum(there is not None and fold(line) == fold(there) for line, there in context)
    if len(context) < 2 or (not place.has_gap(body) if similar else own == len(context)):
        return None
    if not similar and not all(occurrences(body, line, most=1) for line, _ in context):
        return None
    (lines, starts), needed = text.rows, max(2, own) if similar else len(context)
    here = text.line_number(place.start) - 1
    after = here + body.count("\n", place.start, place.end(body) - 1) + 1
    for first in Seeds(text, old).windows:
        top, bottom = max(0, first - GAP), max(0, first + len(old) + GAP)
        # What lies in the place itself speaks for it, not against it.
        there = set(map(fold, (*lines[top : min(here, bottom)], *lines[max(top, after) : bottom])))
        if abs(first - here) > GAP and sum(fold(line) in there for line, _ in context) >= needed:
            return starts[max(0, first)]
    return None


def find_with_ends(text: Text, hunk: Hunk, place: Place) -> int | None:
    """The start of another place that has the blank lines at the ends of a hunk, and all other lines but one."""
    old = hunk.old
    seeds = Seeds(text, old)
    distinctive = sum(map(is_distinctive, old))
    if len(seeds.windows) * len(old) * BAND > CELL_BUDGET:
        return None
    ends = [index for index in (0, len(old) - 1) if not old[index].strip()]
    end = place.end(text.body)
    for evidence, other, _ in _judge(text, hunk, seeds, (), ""):
        is_elsewhere = other.start >= end or other.end(text.body) <= place.start
        has_ends = all(evidence.alignment.relations[index] == "equal" for index in ends)
        is_close = evidence.defects == 1 and evidence.distinctive >= max(1, distinctive - 1)
        if is_elsewhere and has_ends and is_close:
            return other.start
    return None
