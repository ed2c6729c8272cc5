"""The loose end of the search: places where an edit fits but for mistakes in its lines.

Seeds say where to look, the aligner lays the edit on the file there, and the rules of `evidence` decide.
"""

from __future__ import annotations

from ..core.value import Value
from .align import Alignment, Window, align
from .evidence import RULES, Evidence, blank_between
from .indentation import split_indent
from .limits import BAND, CELL_BUDGET, EQUAL, LIKENESS
from .place import Place
from .rule import first_refusal, rule
from .seeds import Seeds
from .tiers import FOLDS
from .typos import carry

_fold = FOLDS["whitespace"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..core.patch import Hunk
    from ..core.text import Text


class LooseSearch(Value):
    """The places where a hunk fits but for mistakes: one, several that are as good, or none.

    Where there is none, `rule` names the rule that forbids the best one.
    """

    places: Sequence[Place] = ()
    rule: str = ""


def find_loose(
    text: Text,
    hunk: Hunk,
    low: int = 0,
    notes: tuple[str, ...] = (),
    middle: str = "",
    *,
    alone: bool = False,
    aligned: list[tuple[Window, Alignment]] | None = None,
) -> LooseSearch:
    """Look for a hunk whose lines have mistakes; `aligned` keeps what takes long for the next search.

    For an edit that is `alone`, several places that nothing but each other speaks against are given too: nothing can
    choose among them, and they can be listed.

    `middle` lets lines between the ends differ, away from any change: "alike" where they are alike in the mean, "equal"
    where half of them are equal and there are as many.
    """
    old = hunk.old
    seeds = Seeds(text, old, low)
    if len(seeds.windows) * len(old) * BAND > CELL_BUDGET:
        # What is not looked at might be as good.
        return LooseSearch()
    judged = _judge(text, hunk, seeds, notes, middle, aligned)
    weak = [(evidence, place, "") for evidence, place, rule in judged if rule == "enough-evidence"]
    judged = weak if alone and len(weak) > 1 else judged
    allowed = [place for _, place, rule in judged if not rule]
    refusal = first_refusal(CONTEST_RULES, [(evidence, rule) for evidence, _, rule in judged]) if allowed else None
    if not allowed or refusal is not None:
        best = max(judged, key=lambda found: found[0].bits, default=(None, None, ""))
        return LooseSearch((), best[2] if refusal is None else refusal[0].name)
    places = {tuple((one.start, one.end) for one in place.splices(text.body)): place for place in allowed[::-1]}
    return LooseSearch(sorted([place for place in places.values() if place.start >= low], key=lambda one: one.start))


@rule
def stronger_rival(contest: Sequence[tuple[Evidence, str]]) -> bool:
    """A place must have more evidence and fewer defects than every place that another rule forbids."""
    allowed = [evidence for evidence, rule in contest if not rule]
    bits, defects = max(one.bits for one in allowed), min(one.defects for one in allowed)
    return any(rule and (other.bits >= bits or (other.bits and other.defects <= defects)) for other, rule in contest)


#: What forbids the places that the evidence allows, because of other places.
CONTEST_RULES = (stronger_rival,)


def _judge(
    text: Text,
    hunk: Hunk,
    seeds: Seeds,
    notes: tuple[str, ...] = (),
    middle: str = "",
    aligned: list[tuple[Window, Alignment]] | None = None,
) -> list[tuple[Evidence, Place, str]]:
    """The best alignments in all windows, each with its place and the name of the rule that forbids it."""
    starts = text.rows[1] if seeds.windows else []
    aligned = [] if aligned is None else aligned
    aligned += () if aligned else _align(text, hunk, seeds)
    judged: list[tuple[Evidence, Place, str]] = []
    for window, alignment in aligned:
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


def _align(text: Text, hunk: Hunk, seeds: Seeds) -> Iterator[tuple[Window, Alignment]]:
    """The best alignments of a hunk in all windows."""
    kinds = [line[0] for line in hunk.lines if line[0] != "+"]
    texts = {number: hunk.lines[index][1:] for number, index in _replaced(hunk).items()}
    # Where folding changes more than the ends of a line, what was carried over could not be written.
    new = {number: text.strip() for number, text in texts.items() if text.strip() == _fold(text)}
    for first in seeds.windows:
        window = Window(text.rows[0], first, len(seeds.old))
        for alignment in align(seeds.old, window, kinds, text.words, new):
            yield window, alignment


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
    for number, index in _replaced(hunk).items():
        if evidence.alignment.relations[number] == "carried":
            indent, text = split_indent(lines[index][1:])
            carried = carry(evidence.seeds.old[number], evidence.line(number), text.rstrip())
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
        kind = blank_between(between, evidence.window.line(row))
        if kind is None:
            continue
        index = evidence.old_after(row)
        old = [i for i, line in enumerate(lines) if line[0] != "+"]
        added = range(old[index - 1] + 1, old[index])
        # A blank line that the added lines end or begin with is the one that the file has.
        blank = [i for i in (*added[-1:], *added[:1]) if lines[i] == "+"]
        if blank:
            lines[blank[0]] = " "
        else:
            lines.insert(old[index], kind)
        faced.insert(index, starts[row])
    return hunk.replace(lines=tuple(lines)), faced


def _is_block(evidence: Evidence, middle: str) -> bool:
    """Whether the first and the last line are there, and enough between them."""
    names = evidence.alignment.relations
    inner = names[1:-1]
    if {names[0], names[-1]} != {"equal"}:
        return False
    if middle == "equal":
        return not evidence.extra and "missing" not in inner and inner.count("equal") >= EQUAL * len(inner)
    from rapidfuzz.distance import Levenshtein

    old, extra = evidence.seeds.old, len(evidence.extra)
    pairs = [(old[index], evidence.line(index)) for index in range(1, len(old) - 1)]
    alike = sum(Levenshtein.normalized_similarity(*pair) for pair in pairs)
    return extra <= len(old) // 4 and alike >= LIKENESS * (len(inner) + extra)
