"""The loose end of the search: places where an edit fits but for mistakes in its lines.

Each distinctive line votes for where the edit would begin. It is aligned there, and the rules of `evidence` decide.
"""

from __future__ import annotations

from rapidfuzz.distance import Levenshtein

from ..core.line_diff import changed_blocks
from . import limits
from .align import Alignment, align, carry
from .evidence import RULES, Evidence
from .indentation import split_indent
from .line_parts import LineReader
from .place import Place
from .rule import first_refusal, rule
from .search import lines_with
from .tiers import FOLDS, fold_text, is_distinctive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..core.patch import Hunk
    from ..core.text import Text
    from .readings import EditReading

_fold = FOLDS["whitespace"]


class Seeds:
    """Where the lines of an edit occur in a text: how often each does, and the windows that follow from it."""

    def __init__(self, text: Text, old: Sequence[str], low: int = 0, *, common: bool = False) -> None:
        #: How many lines the file has, and the folded old lines.
        self.lines, self.old = text.body.count("\n") + 1, [_fold(line) for line in old]
        self._body = fold_text(text.body)
        #: Where those lines are that were looked for: of very many only the longest are.
        self.starts: dict[str, list[int] | None] = {}
        # An explanation has to do with common lines where no other ones are there.
        lines = list(filter(is_distinctive, self.old)) or self.old * common
        longest = sorted(dict.fromkeys(lines), key=len, reverse=True)
        most = min(limits.MOST_SEEDS, 1 + limits.SEED_BUDGET // (len(self._body) + 1))
        low = low if len(self._body) == len(text.body) else 0
        indices = [index for line in longest[:most] for index, other in enumerate(self.old) if other == line]
        hits = [(start, index) for index in indices for start in self._find(self.old[index]) or () if start >= low]
        if not hits and longest:
            # No line is there as it is written: the longest may be there with other spacing or escapes.
            words = sorted(dict.fromkeys(longest[0].replace("\\", " ").split()), key=len, reverse=True)
            found = (lines_with(self._body, word, low, limits.MOST_WINDOWS) for word in words[: limits.MOST_TRIED])
            hits = [(start, indices[0]) for start, _ in next(filter(None, found), ())]
        #: The lines, from 0, at which the edit would begin, best first.
        self.windows = first_lines(self._body, hits)

    def count(self, index: int) -> int:
        """How often an old line occurs as a whole line of the file, whitespace and punctuation aside."""
        starts = self._find(self.old[index])
        return limits.MOST_PIVOTS if starts is None else len(starts)

    def _find(self, line: str) -> list[int] | None:
        """The offsets of the lines of the file that fold to this one; None where too many look like it."""
        if line not in self.starts:
            self.starts[line] = []
            # The longest word is in the text however the blanks were written.
            for needle in (line, max(line.split(), key=len)) if line else ():
                lines = lines_with(self._body, needle)
                same = [start for start, end in lines or () if _fold(self._body[start:end]) == line]
                self.starts[line] = None if lines is None else same
                if same:
                    break
        return self.starts[line]


def first_lines(body: str, hits: list[tuple[int, int]]) -> list[int]:
    """The lines, from 0, at which a block would begin by most of these hits: offsets, and which line of it is there."""
    votes: dict[int, int] = {}
    number = position = 0
    for start, index in sorted(hits):
        number += body.count("\n", position, start)
        position = start
        votes[number - index] = votes.get(number - index, 0) + 1
    near = {first: sum(votes.get(first + d, 0) for d in range(-limits.GAP, limits.GAP + 1)) for first in votes}
    best: list[int] = []
    # Of neighbors only the best.
    for first in sorted(near, key=lambda first: (-near[first], -votes[first], first)):
        if len(best) < limits.MOST_WINDOWS and all(abs(first - other) > limits.GAP for other in best):
            best.append(first)
    return best


def find_loose(
    text: Text, hunk: Hunk, low: int = 0, notes: tuple[str, ...] = (), edit: EditReading | None = None, middle: str = ""
) -> tuple[Sequence[Place], str]:
    """The places where a hunk fits but for mistakes; where there is none, the rule that forbids the best one.

    For a string edit, which keeps what takes long, several places that only lack evidence are given, too, so that they
    can be listed. `middle` lets lines between the ends differ, away from any change: "alike" where they are alike in
    the mean, "equal" where half of them are equal and there are as many.
    """
    seeds = Seeds(text, hunk.old, low)
    if len(seeds.windows) * len(seeds.old) * limits.BAND > limits.CELL_BUDGET:
        # What is not looked at might be as good.
        return (), ""
    aligned = edit.aligned if edit else []
    aligned += () if aligned else _align(text, hunk, seeds)
    found = [Evidence(hunk, alignment, seeds, middle=bool(middle)) for alignment in aligned]
    # Where all of it is there, a constraint did not let that be the place.
    judged = [(evidence, _forbidden_by(evidence, middle)) for evidence in found if evidence.off or evidence.extra]
    weak = [(evidence, "") for evidence, rule in judged if rule == "enough-evidence"]
    judged = weak if edit and len(weak) > 1 else judged
    allowed = [_place(text, evidence, notes) for evidence, rule in judged if not rule]
    refusal = first_refusal(CONTEST_RULES, judged) if allowed else None
    if not allowed or refusal is not None:
        best = max(judged, key=lambda found: found[0].bits, default=(None, ""))
        return (), best[1] if refusal is None else refusal[0].name
    places = {tuple((one.start, one.end) for one in place.splices(text.body)): place for place in allowed[::-1]}
    return sorted([place for place in places.values() if place.start >= low], key=lambda one: one.start), ""


@rule
def stronger_rival(contest: Sequence[tuple[Evidence, str]]) -> bool:
    """A place must have more evidence and fewer defects than every place that another rule forbids."""
    allowed = [evidence for evidence, rule in contest if not rule]
    bits, defects = max(one.bits for one in allowed), min(one.defects for one in allowed)
    # With another of two blank lines, it is still the same place, if a blank line that is added takes up one of them.
    same = [one.telling_rows for one in allowed if one.takes_up_blanks]
    rivals = [other for other, rule in contest if rule and not (same and other.telling_rows in same)]
    return any(other.bits >= bits or (other.bits and other.defects <= defects) for other in rivals)


#: What forbids the places that the evidence allows, because of other places.
CONTEST_RULES = (stronger_rival,)


def _forbidden_by(evidence: Evidence, middle: str) -> str:
    """The name of the rule that forbids a place, if one does."""
    if middle and not _is_block(evidence, middle):
        return "block"
    refusal = first_refusal(RULES, evidence)
    return "" if refusal is None else refusal[0].name


def _align(text: Text, hunk: Hunk, seeds: Seeds) -> Iterator[Alignment]:
    """The best alignments of a hunk in all windows."""
    kinds = [line[0] for line in hunk.lines if line[0] != "+"]
    texts = {number: hunk.lines[index][1:] for number, index in _replaced(hunk).items()}
    # Where folding changes more than the ends of a line, what was carried over could not be written.
    new = {number: text.strip() for number, text in texts.items() if text.strip() == _fold(text)}
    reader = LineReader(text)
    for first in seeds.windows:
        yield from align(seeds.old, text, first, kinds, new, reader)


def _replaced(hunk: Hunk) -> dict[int, int]:
    """The number of each removed line and the index of the added line that it becomes, where as many are added."""
    old, new = ([index for index, line in enumerate(hunk.lines) if line[0] != other] for other in "+-")
    blocks = [(a, c, b - a) for a, b, c, d in changed_blocks(hunk.old, hunk.new) if b - a == d - c]
    pairs = [(a + n, new[c + n]) for a, c, size in blocks for n in range(size)]
    return {number: index for number, index in pairs if hunk.lines[old[number]][0] + hunk.lines[index][0] == "-+"}


def _place(text: Text, evidence: Evidence, notes: tuple[str, ...]) -> Place:
    """The place of a hunk, with the file's text where an added line repeats a mistake in the line that it replaces, and
    with the file's blank lines for those that its added lines end or begin with.
    """
    starts, lines = text.rows[1], list(evidence.hunk.lines)
    if "escaped" in evidence.names:
        from .escapes import with_added

        lines = list(with_added(evidence.hunk, evidence.escaped_new or ()).lines)
    rows = [None if row is None else starts[row] for row in evidence.rows]
    for number, index in _replaced(evidence.hunk).items():
        if evidence.names[number] == "carried":
            indent, line = split_indent(lines[index][1:])
            lines[index] = f"+{indent}{carry(evidence.old[number], evidence.lines[number], line.rstrip())}"
    for row in reversed([row for row in evidence.extra if not evidence.file[row]]):
        index = evidence.gap(row)[0]
        old = [i for i, line in enumerate(lines) if line[0] != "+"]
        blank = [i for i in (old[index] - 1, old[index - 1] + 1) if lines[i] == "+"]
        if blank:
            lines[blank[0]] = " "
            rows.insert(index, starts[row])
    start = next(row for row in rows if row is not None)
    if "carried" in evidence.names:
        notes += ("mistake_carried",)
    if "reworded" in evidence.names:
        notes += ("line_reworded",)
    return Place(evidence.hunk.replace(lines=tuple(lines)), start, "similar", notes, rows, evidence.score)


def _is_block(evidence: Evidence, middle: str) -> bool:
    """Whether the first and the last line are there, and enough between them."""
    names, extra = evidence.names, len(evidence.extra)
    inner = range(1, len(names) - 1)
    if {names[0], names[-1]} != {"equal"}:
        return False
    if middle == "equal":
        return not extra and "missing" not in names and names[1:-1].count("equal") >= limits.EQUAL * len(inner)
    alike = sum(Levenshtein.normalized_similarity(evidence.old[index], evidence.lines[index]) for index in inner)
    return extra <= len(names) // 4 and alike >= limits.LIKENESS * (len(inner) + extra)
