"""The loose end of the search: places where an edit fits but for mistakes in its lines.

Each distinctive line votes for where the edit would begin. It is aligned there, and the rules of `evidence` decide.
"""

from __future__ import annotations

from rapidfuzz.distance import Levenshtein

from ..core.line_diff import changed_blocks
from . import limits
from .align import Alignment, align, carry
from .escapes import with_added
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

    #: The offset of a line of the file, and the number of the old line that is there.
    Hit = tuple[int, int]
    #: What speaks for a place, and the name of the rule that forbids it; empty if it is allowed.
    JudgedPlace = tuple[Evidence, str]

_fold = FOLDS["whitespace"]


class Seeds:
    """Where the lines of an edit occur in a text: how often each does, and the windows that follow from it."""

    def __init__(self, text: Text, old: Sequence[str], low: int = 0, *, common: bool = False) -> None:
        #: How many lines the file has, and the folded old lines.
        self.lines = text.body.count("\n") + 1
        self.old = [_fold(line) for line in old]
        self._body = fold_text(text.body)
        #: The offsets of the lines that were looked for: of very many only the longest are.
        self.starts: dict[str, list[int] | None] = {}
        seeds = [line for line in self.old if is_distinctive(line)]
        if not seeds and common:
            # An explanation has to do with common lines where there are no others.
            seeds = self.old
        longest = sorted(dict.fromkeys(seeds), key=len, reverse=True)
        low = low if len(self._body) == len(text.body) else 0
        hits = self._line_hits(longest, low) or self._word_hits(longest, low)
        #: The lines, from 0, at which the edit would begin, best first.
        self.windows = first_lines(self._body, hits)

    def _line_hits(self, longest: Sequence[str], low: int) -> list[Hit]:
        """Where the longest seeds occur as whole lines, from an offset on, as far as the budget goes."""
        most = min(limits.MOST_SEEDS, 1 + limits.SEED_BUDGET // (len(self._body) + 1))
        hits: list[Hit] = []
        for seed in longest[:most]:
            starts = [start for start in self._find(seed) or [] if start >= low]
            rows = [row for row, line in enumerate(self.old) if line == seed]
            hits += [(start, row) for row in rows for start in starts]
        return hits

    def _word_hits(self, longest: Sequence[str], low: int) -> list[Hit]:
        """Where a word of the longest seed occurs: the line may be there with other spacing or escapes."""
        if not longest:
            return []
        row = self.old.index(longest[0])
        words = sorted(dict.fromkeys(longest[0].replace("\\", " ").split()), key=len, reverse=True)
        for word in words[: limits.MOST_PIVOTS_TRIED]:
            lines = lines_with(self._body, word, low, limits.MOST_WINDOWS)
            if lines:
                return [(start, row) for start, _ in lines]
        return []

    def count(self, index: int) -> int:
        """How often an old line occurs as a whole line of the file, whitespace and punctuation aside."""
        starts = self._find(self.old[index])
        return limits.MOST_PIVOTS if starts is None else len(starts)

    def _find(self, line: str) -> list[int] | None:
        """The offsets of the lines of the file that fold to this one; None where too many look like it."""
        if line not in self.starts:
            self.starts[line] = self._find_folded(line)
        return self.starts[line]

    def _find_folded(self, line: str) -> list[int] | None:
        """What `_find` remembers."""
        if not line:
            return []
        starts = self._find_by(line, line)
        if not starts:
            # The blanks of the line may be other ones in the file, but not those of its longest word.
            longest_word = max(line.split(), key=len)
            starts = self._find_by(longest_word, line)
        return starts

    def _find_by(self, needle: str, line: str) -> list[int] | None:
        """The offsets of the lines with this needle that fold to a line; None where too many lines have the needle."""
        lines = lines_with(self._body, needle)
        if lines is None:
            return None
        return [start for start, end in lines if _fold(self._body[start:end]) == line]


def first_lines(body: str, hits: list[Hit]) -> list[int]:
    """The lines of a text, from 0, at which a block of lines probably begins, the likeliest first.

    Each hit votes for the line at which the block would begin if it were right. Of lines next to each other only the
    one with most votes counts, and votes beside a line count for it as well.
    """
    votes: dict[int, int] = {}
    file_row = position = 0
    for start, old_row in sorted(hits):
        file_row += body.count("\n", position, start)
        position = start
        first = file_row - old_row
        votes[first] = votes.get(first, 0) + 1
    around = range(-limits.GAP, limits.GAP + 1)
    votes_around = {first: sum(votes.get(first + distance, 0) for distance in around) for first in votes}
    likeliest_first = sorted(votes, key=lambda first: (-votes_around[first], -votes[first], first))
    chosen: list[int] = []
    for first in likeliest_first:
        is_beside_chosen = any(abs(first - likelier) <= limits.GAP for likelier in chosen)
        if len(chosen) < limits.MOST_WINDOWS and not is_beside_chosen:
            chosen.append(first)
    return chosen


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
    contest = _judge(hunk, _alignments(text, hunk, seeds, edit), seeds, middle)
    if edit is not None:
        lacking_evidence = [(evidence, "") for evidence, rule in contest if rule == "enough-evidence"]
        if len(lacking_evidence) > 1:
            contest = lacking_evidence
    allowed = [evidence for evidence, rule in contest if not rule]
    if not allowed:
        _, rule_of_best = max(contest, key=lambda judged: judged[0].bits, default=(None, ""))
        return (), rule_of_best
    refusal = first_refusal(CONTEST_RULES, contest)
    if refusal is not None:
        return (), refusal[0].name
    places = [_place(text, evidence, notes) for evidence in allowed]
    return [place for place in _without_repetitions(places, text.body) if place.start >= low], ""


def _judge(hunk: Hunk, alignments: Sequence[Alignment], seeds: Seeds, middle: str) -> list[JudgedPlace]:
    """The evidence of each alignment in which something is off, and the name of the rule that forbids it, if any."""
    # All are weighed before a rule is asked: rules look for lines that are no seeds, and only seeds have weight.
    weighed = [Evidence(hunk, alignment, seeds, middle=bool(middle)) for alignment in alignments]
    # Where all of it is there, a constraint did not let that be the place.
    loose = [evidence for evidence in weighed if evidence.off or evidence.extra]
    return [(evidence, _forbidden_by(evidence, middle)) for evidence in loose]


def _without_repetitions(places: Sequence[Place], body: str) -> list[Place]:
    """The places in order. Of several that change the same ranges of the file, the first."""
    by_ranges: dict[tuple[tuple[int, int], ...], Place] = {}
    # From the last one on, so that the first of them is the one that stays.
    for place in reversed(places):
        ranges = tuple((one.start, one.end) for one in place.splices(body))
        by_ranges[ranges] = place
    return sorted(by_ranges.values(), key=lambda place: place.start)


@rule
def stronger_rival(contest: Sequence[JudgedPlace]) -> bool:
    """A place must have more evidence and fewer defects than every place that another rule forbids."""
    allowed = [evidence for evidence, rule in contest if not rule]
    bits, defects = max(one.bits for one in allowed), min(one.defects for one in allowed)
    rivals = [other for other, rule in contest if rule]
    # With another of two blank lines, it is still the same place, if a blank line that is added takes up one of them.
    rows_of_same_places = [one.telling_rows for one in allowed if one.takes_up_blanks]
    if rows_of_same_places:
        rivals = [other for other in rivals if other.telling_rows not in rows_of_same_places]
    return any(other.bits >= bits or (other.bits and other.defects <= defects) for other in rivals)


#: What forbids the places that the evidence allows, because of other places.
CONTEST_RULES = (stronger_rival,)


def _forbidden_by(evidence: Evidence, middle: str) -> str:
    """The name of the rule that forbids a place, if one does."""
    if middle and not _is_block(evidence, middle):
        return "block"
    refusal = first_refusal(RULES, evidence)
    return "" if refusal is None else refusal[0].name


def _alignments(text: Text, hunk: Hunk, seeds: Seeds, edit: EditReading | None) -> Sequence[Alignment]:
    """The best alignments of a hunk in all windows; those of a string edit are worked out once."""
    if edit is None:
        return list(_align(text, hunk, seeds))
    if not edit.aligned:
        edit.aligned = list(_align(text, hunk, seeds))
    return edit.aligned


def _align(text: Text, hunk: Hunk, seeds: Seeds) -> Iterator[Alignment]:
    """The best alignments of a hunk in each window."""
    kinds = [line[0] for line in hunk.lines if line[0] != "+"]
    replacements: dict[int, str] = {}
    for number, index in _replacements(hunk).items():
        replacement = hunk.lines[index][1:]
        # Where folding changes more than the ends of a line, what was carried over could not be written.
        if replacement.strip() == _fold(replacement):
            replacements[number] = replacement.strip()
    reader = LineReader(text)
    for first in seeds.windows:
        yield from align(seeds.old, text, first, kinds, replacements, reader)


def _replacements(hunk: Hunk) -> dict[int, int]:
    """Which added line replaces each removed line, in blocks in which as many lines are added as are removed.

    A removed line is given by its number among the old lines, an added line by its index among all lines of the hunk.
    """
    old_lines = [line for line in hunk.lines if not line.startswith("+")]
    indexed_new_lines = [(index, line) for index, line in enumerate(hunk.lines) if not line.startswith("-")]
    replacements: dict[int, int] = {}
    for old_start, old_end, new_start, new_end in changed_blocks(hunk.old, hunk.new):
        if old_end - old_start != new_end - new_start:
            continue
        old_numbers = range(old_start, old_end)
        replacing_lines = indexed_new_lines[new_start:new_end]
        for old_number, (index, new_line) in zip(old_numbers, replacing_lines, strict=True):
            if old_lines[old_number].startswith("-") and new_line.startswith("+"):
                replacements[old_number] = index
    return replacements


def _place(text: Text, evidence: Evidence, notes: tuple[str, ...]) -> Place:
    """The place of a hunk whose lines are adapted to the file.

    An added line that repeats a mistake of the line that it replaces gets the file's text there. An added blank line
    that the file has at that very place becomes context.
    """
    lines = _corrected_lines(evidence)
    line_starts = text.rows[1]
    offsets = [None if row is None else line_starts[row] for row in evidence.rows]
    extra_blanks = [row for row in evidence.extra if not evidence.file[row]]
    # From the last one on, so that the numbers of the lines before it stay as they are.
    for row in reversed(extra_blanks):
        number_behind = evidence.gap(row)[0]
        added_blank = _added_blank_beside(lines, number_behind)
        if added_blank is not None:
            lines[added_blank] = " "
            offsets.insert(number_behind, line_starts[row])
    start = next(offset for offset in offsets if offset is not None)
    if "carried" in evidence.names:
        notes += ("mistake_carried",)
    if "reworded" in evidence.names:
        notes += ("line_reworded",)
    return Place(evidence.hunk.replace(lines=tuple(lines)), start, "similar", notes, offsets, evidence.score)


def _corrected_lines(evidence: Evidence) -> list[str]:
    """The lines of a hunk, the added ones with the escapes of the file and without the mistakes of the removed ones."""
    lines = list(evidence.hunk.lines)
    if "escaped" in evidence.names:
        lines = list(with_added(evidence.hunk, evidence.escaped_new or ()).lines)
    for old_number, index in _replacements(evidence.hunk).items():
        if evidence.names[old_number] == "carried":
            indent, line = split_indent(lines[index][1:])
            corrected = carry(evidence.old[old_number], evidence.lines[old_number], line.rstrip())
            lines[index] = f"+{indent}{corrected}"
    return lines


def _added_blank_beside(lines: Sequence[str], number: int) -> int | None:
    """The index of an added blank line right before an old line or right behind the one before it; None without one."""
    old_indices = [index for index, line in enumerate(lines) if line[0] != "+"]
    for index in (old_indices[number] - 1, old_indices[number - 1] + 1):
        if lines[index] == "+":
            return index
    return None


def _is_block(evidence: Evidence, middle: str) -> bool:
    """Whether the first and the last line are equal, and enough between them: see `find_loose`."""
    names, extra_count = evidence.names, len(evidence.extra)
    if names[0] != "equal" or names[-1] != "equal":
        return False
    inner = range(1, len(names) - 1)
    if middle == "equal":
        has_as_many = extra_count == 0 and "missing" not in names
        return has_as_many and names[1:-1].count("equal") >= limits.LEAST_EQUAL_SHARE * len(inner)
    if extra_count > len(names) // 4:
        return False
    likeness = sum(Levenshtein.normalized_similarity(evidence.old[index], evidence.lines[index]) for index in inner)
    return likeness >= limits.LEAST_MEAN_LIKENESS * (len(inner) + extra_count)
