"""Whether two lines that nearly agree are one line, mistyped.

Ratios are the wrong measure: `true` and `false`, `client` and `client_uncached` are much alike. A typo is at most two
edits in a context line and one in a removed line, and none of the rules below speaks against any of them.
"""

from __future__ import annotations

from .limits import LONGEST_COMPARED, SHORTEST_RUN, SHORTEST_WORD
from .patterns import is_of_word
from .rule import first_refusal, rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Sequence


_OPERATORS = frozenset("=!<>+-*/%&|^~")
_BRACKETS = frozenset("(){}[]")


class Slip:
    """One edit between two lines: the character that goes, the one that comes, and the words around them."""

    def __init__(
        self, old: str, line: str, edit: Sequence[object], *, removed: bool, words: Container[str], kept: bool = False
    ) -> None:
        tag, source, target = str(edit[0]), int(str(edit[1])), int(str(edit[2]))
        self.old, self.line = old, line
        self.removed = removed
        #: Whether it stays as the file has it, in a line that changes elsewhere.
        self.kept = kept
        #: The words of the file.
        self.words = words
        self.position = source
        #: The character of the old line that is wrong, and the file's character; empty where there is none.
        self.taken = "" if tag == "insert" else old[source]
        self.added = "" if tag == "delete" else line[target]
        self.word, self.at = _word_around(old, source)
        self.other, self.other_at = _word_around(line, target)

    @property
    def has_words(self) -> bool:
        """Whether both sides are inside words, and the words differ."""
        return bool(self.word and self.other) and self.word != self.other


@rule
def typo_operator(slip: Slip) -> bool:
    """A line with a different operator is a different line."""
    return slip.taken in _OPERATORS and slip.added in _OPERATORS


@rule
def typo_bracket(slip: Slip) -> bool:
    """A line with one bracket more or less is a different line."""
    # One sign for another opens and closes as much, and the file's own stays.
    return not (slip.taken and slip.added) and (slip.taken in _BRACKETS or slip.added in _BRACKETS)


@rule
def typo_digit(slip: Slip) -> bool:
    """A different number, or a different word that has a digit, is not a typo."""
    return any(map(str.isdigit, slip.taken + slip.added + slip.word + slip.other))


@rule
def typo_short_word(slip: Slip) -> bool:
    """A difference in a word of fewer than four letters means a different word, not a typo.

    For the parts of a name such as `max_id`, the limit is three letters.
    """
    if (slip.taken + slip.added).isalnum() and not (slip.word and slip.other):
        # A word of one letter is there on one side only.
        return True
    shortest = min(len(slip.word.strip("_")), len(slip.other.strip("_")))
    return slip.has_words and (shortest < SHORTEST_WORD or _differ_in_a_short_part(slip.word, slip.other))


@rule
def typo_known_word(slip: Slip) -> bool:
    """A word that occurs in the file is not a typo of another word."""
    return slip.has_words and slip.word in slip.words


@rule
def typo_removed_line(slip: Slip) -> bool:
    """A typo in a removed line is one letter inside a word, or one character in a run of punctuation.

    In a part that the added line repeats, one or two other characters may differ, too.
    """
    letters = (slip.taken + slip.added).isalpha()
    if _lengthens_a_run(slip):
        # A run has a length of its own in every line: it is not carried over.
        return slip.kept
    if not (slip.removed or (slip.kept and letters)):
        return False
    inside = 0 < slip.at < len(slip.word) - 1 or 0 < slip.other_at < len(slip.other) - 1
    return not letters or not (slip.word and slip.other and inside)


def _lengthens_a_run(slip: Slip) -> bool:
    """Whether a run of one sign, such as the rule of a table, is one longer or shorter."""
    sign = slip.taken or slip.added
    return (
        not (slip.taken and slip.added)
        and sign * SHORTEST_RUN in slip.old[max(0, slip.position - SHORTEST_RUN) : slip.position + SHORTEST_RUN]
    )


#: What makes two lines that nearly agree two lines.
RULES = (typo_operator, typo_bracket, typo_digit, typo_short_word, typo_removed_line, typo_known_word)


def is_typo(old: str, line: str, *, removed: bool, words: Container[str], kept: bool = False) -> bool:
    """Whether a folded old line is a folded line of the file with a slip or two; `kept`: both of them stay there."""
    longest = max(len(old), len(line))
    most = min(1 if removed else 2, longest // 5)
    if not most or abs(len(old) - len(line)) > most or longest > LONGEST_COMPARED:
        return False
    from rapidfuzz.distance import Levenshtein

    if Levenshtein.distance(old, line, score_cutoff=most) > most:
        return False
    slips = [
        Slip(old, line, (edit.tag, edit.src_pos, edit.dest_pos), removed=removed, words=words, kept=kept)
        for edit in Levenshtein.editops(old, line)
    ]
    return not any(first_refusal(RULES, slip) for slip in slips)


def carry(old: str, line: str, new: str) -> str | None:
    """The new line with the file's text where the old one has it wrong and the new one repeats that.

    None where the new line changes the very part that the old one has wrong.
    """
    from rapidfuzz.distance import Levenshtein

    longest = max(len(old), len(line), len(new))
    if longest > LONGEST_COMPARED:
        return None
    same = [block for block in Levenshtein.opcodes(old, new) if block.tag == "equal"]
    for tag, at, to in [(edit.tag, edit.src_pos, edit.dest_pos) for edit in Levenshtein.editops(old, line)][::-1]:
        taken, added = int(tag != "insert"), line[to : to + (tag != "delete")]
        # One more character on each side is the same.
        first, last = max(0, at - 1), min(len(old), at + taken + 1)
        block = next((block for block in same if block.src_start <= first and last <= block.src_end), None)
        if block is None:
            return None
        there = at + block.dest_start - block.src_start
        new = new[:there] + added + new[there + taken :]
    return new


def _differ_in_a_short_part(word: str, other: str) -> bool:
    """Whether two names of as many parts between underscores differ in a part of one or two letters."""
    parts, others = word.split("_"), other.split("_")
    pairs = zip(parts, others, strict=True) if len(parts) == len(others) else ()
    return any(0 < min(len(one), len(two)) < SHORTEST_WORD - 1 and one != two for one, two in pairs)


def _word_around(line: str, position: int) -> tuple[str, int]:
    """The word around a position, and the position inside it."""
    start = end = min(position, len(line))
    while start and is_of_word(line[start - 1]):
        start -= 1
    while end < len(line) and is_of_word(line[end]):
        end += 1
    return line[start:end], position - start
