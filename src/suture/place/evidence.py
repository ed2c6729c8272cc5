"""What speaks for a loose place, and the rules that decide whether it is enough.

It is weighed by how distinctive each line is in this file: one that occurs once is worth many bits, a brace nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import takewhile
from math import log2

from rapidfuzz.distance import Indel

from ..core.line_diff import changed_blocks
from . import limits
from .align import CERTAIN
from .changed_gaps import changed_gaps
from .escapes import carry_escapes
from .line_parts import NEGATIONS, defines_name, names_something
from .rule import rule
from .tiers import is_distinctive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.patch import Hunk
    from .align import Alignment
    from .loose import Seeds

#: What a relation adds to the score that a Match shows.
_WORTH = {**dict.fromkeys(CERTAIN, 0.95), "equal": 1.0, "reworded": 0.8, "near": 0.6}
#: Relations by which a line is known as well as by being equal.
_KNOWN = frozenset({"equal", "spacing", "escaped"})
#: Relations of a line that was mistyped.
_SLIPS = frozenset({"typo", "carried"})
#: Relations of a line that may be the one that was meant.
_ALIKE = frozenset({"near", "reworded"})
#: Relations of a line that certainly is the one that was meant.
_MEANT = CERTAIN | {"reworded"}


class Evidence:
    """An edit at one place, line by line: how each old line relates to the file, and what that is worth."""

    def __init__(self, hunk: Hunk, alignment: Alignment, seeds: Seeds, *, middle: bool = False) -> None:
        self.hunk, self.seeds, self.old = hunk, seeds, seeds.old
        self.rows, self.names, self.file = alignment.rows, alignment.relations, alignment.file
        faced_rows = {row for row in self.rows if row is not None}
        first_row, last_row = min(faced_rows, default=0), max(faced_rows, default=0)
        #: The rows between the first and the last faced one that no old line faces.
        self.extra = [row for row in range(first_row, last_row) if row not in faced_rows]
        #: Whether the lines between the ends may differ, away from any change.
        self.middle = middle
        self.kinds = [line[0] for line in hunk.lines if line[0] != "+"]
        self.gaps = changed_gaps(hunk)
        #: The folded line that each old line faces, empty where it is missing.
        self.lines = ["" if row is None else self.file[row] for row in self.rows]
        #: The numbers of the old lines that are not equal.
        self.off = [index for index, name in enumerate(self.names) if name != "equal"]
        #: Those of them that face a line: the number, the old line, and the file's.
        self.faced = [(i, self.old[i], self.lines[i]) for i in self.off if self.names[i] != "missing"]
        #: How many lines are not known again, missing or extra.
        self.defects = len([name for name in self.names if name not in _KNOWN]) + len(self.extra)
        #: The bits that tell one line of the file from all others.
        self.log2_lines = log2(max(2, seeds.lines))
        #: The bits that all old lines tell of the place.
        self.bits = sum(map(self.bits_of, range(len(self.names))))
        #: How much agrees, from 0 to 1.
        total = sum(_WORTH.get(name, 0.0) for name in self.names) - 0.5 * len(self.extra)
        self.score = round(max(0.0, total / len(self.kinds)), 4)

    @property
    def escaped_new(self) -> Sequence[str] | None:
        """The new lines with the file's escapes where the old ones lack them; None where these are unclear."""
        if "escaped" not in self.names:
            return self.hunk.new

        pairs = zip(self.names, self.hunk.old, self.lines, strict=True)
        file_lines = [line if name == "escaped" else old for name, old, line in pairs]
        return carry_escapes(self.hunk.old, file_lines, self.hunk.new)

    @property
    def equal(self) -> int:
        """How many distinctive lines are equal."""
        equal_lines = [line for name, line in zip(self.names, self.old, strict=True) if name == "equal"]
        return len([line for line in equal_lines if is_distinctive(line)])

    @property
    def is_one_line_off(self) -> bool:
        """Whether one kept line is worded differently, or is a blank line that the file lacks, and all others match."""
        if len(self.off) != 1 or self.extra or self.equal < limits.LINES_FOR_ONE_OFF:
            return False
        [index] = self.off
        is_missing_blank = self.names[index] == "missing" and not self.old[index]
        is_reworded = self.names[index] == "reworded"
        is_kept = self.kinds[index] == " "
        return is_kept and (is_missing_blank or is_reworded)

    @property
    def is_one_left_out(self) -> bool:
        """Whether all lines match but one of the file, which only closes a block and certainly stays where it is."""
        if self.off or len(self.extra) != 1 or self.equal < limits.LINES_FOR_ONE_OFF:
            return False
        [row] = self.extra
        return _CLOSING_LINE.fullmatch(self.file[row]) is not None and self._stays_in_place(row)

    def _stays_in_place(self, row: int) -> bool:
        """Whether a closing line that the edit leaves out stays, and all that changes is on a known side of it."""
        number_below, between = self.gap(row)
        if number_below not in self.gaps and number_below in changed_gaps(self.hunk, over_brackets=True):
            # Lines that come in may as well have been meant on the other side of it.
            return False
        old_above, *added, old_below = between
        removes_above, removes_below = old_above.startswith("-"), old_below.startswith("-")
        if removes_above and removes_below:
            # It may have been meant to go with them.
            return False
        if added and not removes_above and not removes_below:
            # Lines come in, on either side of it.
            return False
        adds_more = len(added) > self._count_removed_beside(number_below)
        if adds_more:
            # Those next to it may have been meant on its other side, unless they replace the removed line.
            is_replaced = _is_near(old_above, added[-1]) if removes_above else _is_near(old_below, added[0])
            if not is_replaced:
                return False
        return count_openings(self.hunk.removed) == count_openings(self.hunk.added)

    def _count_removed_beside(self, index: int) -> int:
        """How many removed lines are side by side right above an old line, or from it on."""
        above = list(takewhile("-".__eq__, reversed(self.kinds[:index])))
        return len(above) or len(list(takewhile("-".__eq__, self.kinds[index:])))

    @property
    def telling_rows(self) -> list[int | None]:
        """The lines that all old lines but the blank ones face: another row of a blank line is no other place."""
        return [row for line, row in zip(self.old, self.rows, strict=True) if line]

    @property
    def takes_up_blanks(self) -> bool:
        """Whether all lines that no old line faces are blank, and an added blank line beside each stands for it."""
        if not self.extra or any(self.file[row] for row in self.extra):
            return False
        return all(_has_added_blank_at_edge(self.gap(row)[1]) for row in self.extra)

    @property
    def is_far_line_off(self) -> bool:
        """Whether one kept line is another one in the file, away from any change, where very many lines match.

        One of these must define a name that the file defines once: a twin has another name. The line itself names
        nothing: it is no definition, no condition and no heading, and opens no block.
        """
        if len(self.off) != 1 or self.extra or self.equal < limits.LINES_FOR_FAR_OFF:
            return False
        [index] = self.off
        is_kept = self.kinds[index] == " " and self.names[index] != "missing"
        if not is_kept or self.is_beside(index):
            return False
        if any(
            names_something(line) or line.endswith((":", "{", "(", "["))
            for line in (self.old[index], self.lines[index])
        ):
            return False
        equal_indices = [index for index, name in enumerate(self.names) if name == "equal"]
        return any(defines_name(self.old[index]) and self.seeds.count(index) == 1 for index in equal_indices)

    def is_beside(self, index: int) -> bool:
        """Whether an old line is changed or next to a change."""
        return not self.gaps.isdisjoint((index, index + 1))

    def is_thin(self, side: range) -> bool:
        """Whether the lines on one side of a gap are none, or change something without a distinctive line."""
        if not side:
            return True
        return any(map(self.is_beside, side)) and not any(is_distinctive(self.old[index]) for index in side)

    def gap(self, row: int) -> tuple[int, Sequence[str]]:
        """The old line behind an extra line of the file, and the lines of the hunk from the one before it to that."""
        after = next(number for number, faced in enumerate(self.rows) if faced is not None and faced > row)
        indices_of_old = [index for index, line in enumerate(self.hunk.lines) if line[0] != "+"]
        first, last = indices_of_old[after - 1], indices_of_old[after]
        return after, self.hunk.lines[first : last + 1]

    def bits_of(self, index: int) -> float:
        """What an old line tells of the place."""
        by_length = min(limits.MOST_BITS, len(self.old[index]) / limits.CHARACTERS_PER_BIT)
        if self.names[index] == "carried":
            # It is known by its length, less what another line may have in common with it.
            return max(0.0, by_length - limits.MARGIN_BITS)
        if self.names[index] not in _KNOWN or self.old[index] not in self.seeds.starts:
            return 0.0
        count = self.seeds.count(index)
        if count > 1:
            return max(0.0, self.log2_lines - log2(count))
        return max(self.log2_lines, by_length)


def _is_near(one: str, other: str) -> bool:
    """Whether one of two lines of a hunk may be a version of the other."""
    return Indel.normalized_similarity(one[1:].strip(), other[1:].strip()) >= limits.NEAR


def _has_added_blank_at_edge(between: Sequence[str]) -> bool:
    """Whether the first or the last line that a hunk has between two old lines, given with these, is a blank one that
    it adds.
    """
    return between[1] == "+" or between[-2] == "+"


#: Words that open a block which another word ends, and those that end one.
_OPENING_WORD = re.compile(r"(?:begin|case|class|def|do|for|function|if|module|unless|until|while)\b|.*\b(?:do|then)$")
_CLOSING_WORD = re.compile(r"(?:done|end|endif|esac|fi)\b")
_CLOSING_LINE = re.compile(r"[^\w\s({\[<]+")
_TEXT_MARKS = ('"""', "'''", "```")


def count_openings(lines: Sequence[str]) -> list[int]:
    """How many more blocks lines open than they close, for each kind of bracket and for words; and their text marks."""
    text = "\n".join(lines)
    statements = [line.strip().lstrip("#") for line in lines]
    opening_count = sum(1 for statement in statements if _OPENING_WORD.match(statement))
    closing_count = sum(1 for statement in statements if _CLOSING_WORD.match(statement))
    brackets = [text.count(opening) - text.count(closing) for opening, closing in ("()", "[]", "{}")]
    text_marks = [text.count(mark) for mark in _TEXT_MARKS]
    return [*brackets, opening_count - closing_count, *text_marks]


@rule
def changed_lines(evidence: Evidence) -> bool:
    """Every removed line and every line next to a change must be in the file.

    It may differ only in spacing, escapes or a typo; one kept line may be worded differently if all others match.
    """
    if evidence.is_one_line_off:
        return False
    return any(evidence.is_beside(index) and evidence.names[index] not in CERTAIN for index in evidence.off)


@rule
def context_lines(evidence: Evidence) -> bool:
    """A context line that is not in the file must be similar to the file's line at that point.

    At an edge, one line may differ, if everything else matches; away from a change, beside a name that is defined once.
    """
    if evidence.is_one_line_off or evidence.is_far_line_off:
        return False
    names, old = evidence.names, evidence.old
    missing = [old[index] for index in evidence.off if names[index] == "missing" and old[index]]
    # A line of mere brackets that differs or is missing closes another block.
    if not all(map(is_distinctive, missing)):
        return True
    different = [(index, line, file_line) for index, line, file_line in evidence.faced if names[index] not in CERTAIN]
    for _, line, file_line in different:
        if not is_distinctive(line) or not is_distinctive(file_line):
            return True
    if evidence.middle:
        return False
    is_only_defect = len(evidence.off) == 1 and not evidence.extra
    edge_may_differ = is_only_defect and evidence.equal >= limits.LINES_FOR_AN_EDGE
    for index, _, _ in different:
        is_edge = index in (0, len(names) - 1)
        may_differ = edge_may_differ if is_edge else names[index] in _ALIKE
        if not may_differ:
            return True
    return False


@rule
def gap_beside_change(evidence: Evidence) -> bool:
    """No line may be missing or extra next to a change or at an edge, except for a blank line whose place is clear.

    A change on one side of such a line needs a distinctive line on that side.
    """
    if evidence.is_one_line_off or evidence.is_one_left_out:
        return False
    numbers = range(len(evidence.old))
    for index in numbers:
        if evidence.names[index] != "missing":
            continue
        above, below = numbers[:index], numbers[index + 1 :]
        if evidence.is_beside(index) or evidence.is_thin(above) or evidence.is_thin(below):
            return True
    return any(_is_unclear_extra(evidence, row) for row in evidence.extra)


def _is_unclear_extra(evidence: Evidence, row: int) -> bool:
    """Whether an extra line, which the file has and the edit lacks, makes the place unclear.

    It does if it may belong on either side of a change, or if the old lines on one side of it may be of another place.
    """
    number_below, between = evidence.gap(row)
    line = evidence.file[row]
    # A blank line goes with the removed lines on both sides of it, and stays beside one, or as one that is added.
    is_beside_removed = between[0].startswith("-") or between[-1].startswith("-")
    is_clear = not line and (is_beside_removed or _has_added_blank_at_edge(between))
    # Beside lines that come in and repeat a bracket, another one may belong on either side of them.
    is_closing = _CLOSING_LINE.fullmatch(line) is not None
    gaps = changed_gaps(evidence.hunk, over_brackets=True) if is_closing else evidence.gaps
    if number_below in gaps and not is_clear:
        return True
    numbers = range(len(evidence.old))
    above, below = numbers[:number_below], numbers[number_below:]
    return _is_unclear_side(evidence, above[-1], above, line) or _is_unclear_side(evidence, below[0], below, line)


def _is_unclear_side(evidence: Evidence, edge: int, side: range, line: str) -> bool:
    """Whether the old lines on one side of an extra line, of which `edge` is next to it, may be of another place."""
    distinctive = [index for index in side if is_distinctive(evidence.old[index])]
    # One distinctive line may as well be at another place, with other brackets around it.
    has_too_few = evidence.equal < 2 and not distinctive
    if line and (has_too_few or evidence.is_thin(side)):
        return True
    # Lines that could be anywhere are found again beyond a line of another place.
    has_only_place = any(evidence.seeds.count(index) == 1 for index in distinctive)
    return not has_only_place and _differ_by_a_word(evidence.old[edge], line)


@rule
def elsewhere(evidence: Evidence) -> bool:
    """A line that does not match here must not occur elsewhere in the file."""
    return any(is_distinctive(evidence.old[index]) and evidence.seeds.count(index) for index in evidence.off)


@rule
def twin(evidence: Evidence) -> bool:
    """A line that differs from the file's line by one whole word or a number is a different line, not a mistake.

    So is one with a word such as `not` more or less, and with any word in a definition, a condition or a heading.
    It may be another one, away from any change, among very many lines that define a name that no other place has.
    """
    if evidence.is_far_line_off:
        return False
    for index, old, line in evidence.faced:
        if re.findall(r"\d+", old) != re.findall(r"\d+", line):
            return True
        is_other = _differ_by_a_word(old, line) or _differ_by_an_extra_word(old, line)
        if evidence.names[index] not in _MEANT and is_other:
            return True
    return False


def _differ_by_a_word(line: str, file_line: str) -> bool:
    """Whether two lines have as many words, and one of them differs, wherever it occurs."""
    words, file_words = re.findall(r"\w+", line), re.findall(r"\w+", file_line)
    if not words or len(words) != len(file_words):
        return False
    differences = {(word, file_word) for word, file_word in zip(words, file_words, strict=True) if word != file_word}
    return len(differences) <= 1


def _differ_by_an_extra_word(line: str, file_line: str) -> bool:
    """Whether one of two lines has a word more that makes it another one: a negation, or any word where it names
    something.
    """
    words, file_words = re.findall(r"\w+", line), re.findall(r"\w+", file_line)
    longer, shorter = (words, file_words) if len(words) > len(file_words) else (file_words, words)
    blocks = changed_blocks(longer, shorter)
    changed_counts = [end - start + other_end - other_start for start, end, other_start, other_end in blocks]
    if changed_counts != [1]:
        return False
    [extra_word] = (Counter(longer) - Counter(shorter)).elements()
    return extra_word.lower() in NEGATIONS or names_something(line)


@rule
def enough_evidence(evidence: Evidence) -> bool:
    """The lines that match must be distinctive enough to tell this place from all others."""
    has_only_typos = not evidence.extra and all(evidence.names[index] in _SLIPS for index in evidence.off)
    enough = evidence.log2_lines + limits.MARGIN_BITS
    if has_only_typos:
        enough = limits.ENOUGH_FOR_TYPOS * evidence.log2_lines
    return evidence.bits < min(limits.ENOUGH_BITS, enough)


@rule
def few_defects(evidence: Evidence) -> bool:
    """At most a quarter of the lines may differ, be missing or be extra, and at most three."""
    most = min(limits.MOST_DEFECTS, max(1, len(evidence.kinds) // 4))
    return not evidence.middle and evidence.defects > most


@rule
def mistake_repeated(evidence: Evidence) -> bool:
    """If a removed line has a mistake, no added line may repeat it.

    If a match needed escapes to be ignored, it must be clear how the added lines are escaped.
    """
    if evidence.escaped_new is None:
        return True
    word = r"\\.|\w+"
    added_words = set(re.findall(word, "\n".join(evidence.hunk.added)))
    for index, old, line in evidence.faced:
        if evidence.kinds[index] != "-" or evidence.names[index] == "carried":
            continue
        mistakes = set(re.findall(word, old)).difference(re.findall(word, line))
        if not mistakes.isdisjoint(added_words):
            return True
    return False


_LINE_RULES = (few_defects, changed_lines, context_lines, gap_beside_change, elsewhere, twin)
#: What forbids a loose place.
RULES = (*_LINE_RULES, enough_evidence, mistake_repeated)
