"""Whether two lines that nearly agree are one line, mistyped.

Ratios are the wrong measure: `true` and `false`, `client` and `client_uncached` are much alike. A typo is at most two
edits in a context line and one in a removed line, and none of the rules below speaks against any of them.
"""

from __future__ import annotations

from .limits import LONGEST_COMPARED, SHORTEST_RUN, SHORTEST_WORD
from .rule import first_refusal, rule
from .tiers import is_of_word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container

_OPERATORS = frozenset("=!<>+-*/%&|^~")
_BRACKETS = frozenset("(){}[]")
_QUOTES = frozenset("\"'`")


class Slip:
    """One edit between two lines: the character that goes, the one that comes, and the words around them."""

    def __init__(self, old: str, line: str, edit: tuple[str, int, int], words: Container[str], kind: str) -> None:
        tag, self.position, target = edit
        self.old = old
        #: The words of the file, and whether the line is context (" "), removed ("-"), or its mistake is kept ("=").
        self.words, self.kind = words, kind
        self.taken = "" if tag == "insert" else old[self.position]
        self.added = "" if tag == "delete" else line[target]
        self.signs = self.taken + self.added
        self.word, self.at = _word_around(old, self.position)
        self.other, self.other_at = _word_around(line, target)


@rule
def typo_sign(slip: Slip) -> bool:
    """A line with a different operator, one bracket more or less, or a quote more or less at an end is not a typo."""
    # One sign for another, here two characters, opens and closes as much, and the file's own stays.
    at_end = slip.position in (0, len(slip.old) - len(slip.taken))
    return (
        (slip.taken in _OPERATORS and slip.added in _OPERATORS)
        or slip.signs in _BRACKETS
        or (at_end and slip.signs in _QUOTES)
    )


@rule
def typo_word(slip: Slip) -> bool:
    """A different word is not a typo if it occurs in the file, has a digit, or has fewer than four letters.

    In a name such as `max_id`, the part that differs counts, and needs three letters.
    """
    word, other = slip.word, slip.other
    if any(map(str.isdigit, slip.signs + word + other)):
        return True
    if not word or not other:
        # A word of one letter is there on one side only.
        return slip.signs.isalnum()
    shortest = min(_part_length(slip, word, slip.at), _part_length(slip, other, slip.other_at))
    return word != other and (word in slip.words or shortest < SHORTEST_WORD - ("_" in word.strip("_")))


def _part_length(slip: Slip, word: str, at: int) -> int:
    """The length of the part of a name that differs; of the whole, where an underscore does."""
    parts = (word[:at].rpartition("_")[2], word[at:].partition("_")[0])
    return len("".join(parts) if slip.signs.isalnum() else word.strip("_"))


@rule
def typo_removed_line(slip: Slip) -> bool:
    """A typo in a removed line is one letter inside a word, or one character in a run of punctuation.

    In a part that the added line repeats, one or two other characters may differ, too.
    """
    around = slip.old[max(0, slip.position - SHORTEST_RUN) : slip.position + SHORTEST_RUN]
    if slip.signs * SHORTEST_RUN in around:
        # A run, such as the rule of a table, has a length of its own in every line: it is not carried over.
        return slip.kind == "="
    inside = 0 < slip.at < len(slip.word) - 1 or 0 < slip.other_at < len(slip.other) - 1
    return slip.kind != " " and not inside if slip.signs.isalpha() else slip.kind == "-"


#: What makes two lines that nearly agree two lines.
RULES = (typo_sign, typo_word, typo_removed_line)


def is_typo(old: str, line: str, kind: str, words: Container[str]) -> bool:
    """Whether a folded old line, context (" ") or removed ("-"), is a folded line of the file with a slip or two.

    The mistakes of a removed line are kept ("=") if the added line repeats them.
    """
    longest = max(len(old), len(line))
    most = min(1 if kind == "-" else 2, longest // 5)
    from rapidfuzz.distance import Levenshtein

    if longest > LONGEST_COMPARED or Levenshtein.distance(old, line, score_cutoff=most) > most:
        return False
    edits = [(edit.tag, edit.src_pos, edit.dest_pos) for edit in Levenshtein.editops(old, line)]
    return not any(first_refusal(RULES, Slip(old, line, edit, words, kind)) for edit in edits)


def carry(old: str, line: str, new: str) -> str | None:
    """The new line with the file's text where the old one has it wrong and the new one repeats that.

    None where the new line changes the very part that the old one has wrong.
    """
    from rapidfuzz.distance import Levenshtein

    if len(new) > LONGEST_COMPARED:
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


def _word_around(line: str, position: int) -> tuple[str, int]:
    """The word around a position, and the position inside it."""
    start = end = position
    while start and is_of_word(line[start - 1]):
        start -= 1
    while end < len(line) and is_of_word(line[end]):
        end += 1
    return line[start:end], position - start
