"""The one aligner: how each line of an edit relates to the lines of the file in a window.

Old lines and file lines are folded before they come here. File lines between the faced ones that no old line faces are
`extra`. The alignment is a banded dynamic program that costs lines × band. Where the best alignment is not the only
one, the leftmost and the rightmost are both given.
"""

from __future__ import annotations

import re

from rapidfuzz.distance import OSA, Indel, Levenshtein

from ..core.line_diff import common_ends
from ..core.value import Value
from .limits import BAND, GAP, LONGEST_COMPARED, MOST_SLIPS, NEAR, SHORTEST_RUN, SHORTEST_SPACED, SHORTEST_WORD
from .line_parts import LineReader, has_same_words, is_reworded, is_same_rule
from .rule import first_refusal, rule
from .tiers import FOLDS, is_distinctive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence

    from rapidfuzz.distance import Editop, MatchingBlock

    from ..core.text import Text
    from .line_parts import LineParts

#: A reader of lines of no file.
PLAIN = LineReader()
#: Relations that leave no doubt which line is meant.
CERTAIN = frozenset({"equal", "spacing", "escaped", "typo", "carried"})

#: What a relation adds to the score of an alignment, from certain to hopeless. Equal lines count by what they tell.
_SCORES = {
    "spacing": 12,  # The same without any whitespace, in a line long enough to know it by.
    "escaped": 12,  # The same without backslashes, or once `\u` escapes are read as characters.
    "typo": 12,  # At most two slips of the keyboard, one in a removed line, that no rule speaks against.
    "carried": 12,  # Such slips in a part of a removed line that the added line keeps.
    "reworded": 8,  # A kept line whose comment, quoted text or prose has other words, or whose rule has another length.
    "near": 4,
    "other": -3,
}
_DISTINCTIVE, _COMMON, _BLANK = 16, 6, 2
#: What a missing old line, an extra line of the file, and a step that must not be taken add to it.
_MISSING, _EXTRA, _NEVER = -4, -4, -1_000_000

#: Signs that make two lines that nearly agree two lines: operators, brackets and quotes.
_OPERATORS = frozenset("=!<>+-*/%&|^~")
_BRACKETS = frozenset("(){}[]")
_QUOTES = frozenset("\"'`")


class Alignment(Value):
    """Old lines laid on the file's: for each the number of the line it faces (None: missing) and its relation."""

    rows: list[int | None]
    relations: list[str]
    score: int
    #: The folded lines of the file around it, by their numbers.
    file: Mapping[int, str]


class Slip:
    """One edit between two lines: the character that goes, the one that comes, and the words around them."""

    def __init__(self, parts: LineParts, line: str, edit: Editop, words: Container[str], kind: str) -> None:
        #: The words of the file, and whether the line is context (" "), removed ("-"), or its mistake is kept ("=").
        self.words, self.kind = words, kind
        self.old, self.position = parts.line, edit.src_pos
        #: Whether it is in code, not in a comment, a quoted text or prose. What is added behind a text belongs to it.
        self.is_code = parts.is_code(edit.src_pos) and (edit.tag != "insert" or parts.is_code(edit.src_pos - 1))
        self.taken = "" if edit.tag == "insert" else self.old[edit.src_pos]
        self.added = "" if edit.tag == "delete" else line[edit.dest_pos]
        self.signs = self.taken + self.added
        self.word, self.at = _word_around(self.old, edit.src_pos)
        self.other, self.other_at = _word_around(line, edit.dest_pos)
        #: Whether it is in a name in which every letter counts.
        self.is_naming = parts.name[0] <= edit.src_pos <= parts.name[1] > 0
        #: Whether the file has the whole line of the hunk, with its sign: it is context that lost its space.
        self.has_sign = kind == "-" and line == f"-{parts.line}"

    @property
    def is_in_run(self) -> bool:
        """Whether it makes a run of the same sign longer or shorter."""
        around = self.old[max(0, self.position - SHORTEST_RUN) : self.position + SHORTEST_RUN]
        return self.signs * SHORTEST_RUN in around


def _word_around(line: str, position: int) -> tuple[str, int]:
    """The word around a position, and the position inside it; a byte that is not a character is part of a word."""
    before, after = (re.split(r"[^\w\udc80-\udcff]", part) for part in (line[:position], line[position:]))
    return before[-1] + after[0], len(before[-1])


@rule
def typo_sign(slip: Slip) -> bool:
    """A line with a different operator, one bracket more or less, or a quote more or less at an end is not a typo."""
    if slip.position in (0, len(slip.old) - len(slip.taken)) and slip.signs in _QUOTES:
        return True
    if slip.is_code and slip.signs in _OPERATORS and not slip.is_in_run:
        return True
    # One bracket for another, here two characters, opens and closes as much, and the file's own stays.
    return slip.signs in _BRACKETS or (slip.taken in _OPERATORS and slip.added in _OPERATORS)


@rule
def typo_word(slip: Slip) -> bool:
    """A different word is not a typo if it occurs in the file, has a digit, or has fewer than four letters.

    In a name such as `max_id`, the part that differs counts, and needs three letters.
    """
    word, other = slip.word, slip.other
    # In a word of which two letters are swapped, a digit that stays where it is says nothing.
    characters = slip.signs if _are_swapped(word, other) else slip.signs + word + other
    if any(map(str.isdigit, characters)):
        return True
    if not word or not other:
        # A word of one letter is there on one side only.
        return slip.signs.isalnum()
    if word == other:
        return False
    parts = [word.strip("_"), other.strip("_")]
    if slip.signs.isalnum():
        parts = [_part_of_name(word, slip.at), _part_of_name(other, slip.other_at)]
    has_parts = "_" in word.strip("_")
    least = SHORTEST_WORD - 1 if has_parts else SHORTEST_WORD
    return word in slip.words or min(map(len, parts)) < least


def _part_of_name(name: str, at: int) -> str:
    """The part of a name such as `max_id` that a position is in."""
    return name[:at].rpartition("_")[2] + name[at:].partition("_")[0]


@rule
def typo_removed_line(slip: Slip) -> bool:
    """A typo in a removed line is one letter inside a word, or one character in a run of punctuation.

    In a part that the added line repeats, one or two other characters may differ, too. A line of the file with one more
    `-` at its start is never meant: it is context that lost its space.
    """
    if slip.has_sign:
        return True
    if slip.is_in_run:
        # A run, such as the rule of a table, has a length of its own in every line: it is not carried over.
        return slip.kind == "="
    if slip.signs.isalpha():
        is_inside = 0 < slip.at < len(slip.word) - 1 or 0 < slip.other_at < len(slip.other) - 1
        return slip.kind != " " and not is_inside
    return slip.kind == "-"


@rule
def typo_name(slip: Slip) -> bool:
    """In code, a typo is two letters swapped, one letter doubled, or a letter inside a word; only one that is left out
    in a name that is defined, a selector or a heading.

    A name with a letter more or less at an end, such as a plural, or with two other letters is a different name.
    """
    is_name = slip.is_code and slip.word != slip.other and slip.signs.replace("_", "a").isalnum()
    return is_name and not _is_slip_of_the_hand(slip.word, slip.other, strict=slip.is_naming)


def _different_parts(word: str, other: str) -> tuple[int, str, str]:
    """How long the common start of two words is, and what each has between that and their common end."""
    start, end = common_ends(word, other)
    return start, word[start : len(word) - end], other[start : len(other) - end]


def _are_swapped(word: str, other: str) -> bool:
    """Whether two words differ by two letters that are swapped."""
    _, one, two = _different_parts(word, other)
    return len(one) == 2 and one == two[::-1]


def _is_slip_of_the_hand(word: str, other: str, *, strict: bool) -> bool:
    """Whether two words differ by two letters that are swapped, a letter that is doubled, or a letter inside a part;
    where it is `strict`, by one that the first word lacks.
    """
    if _are_swapped(word, other):
        return True
    at, one, two = _different_parts(word, other)
    if max(len(one), len(two)) != 1:
        return False
    longer = word if one else other
    neighbors = (longer[at - 1 : at], longer[at + 1 : at + 2])
    is_one_longer = not one or not two
    if is_one_longer and longer[at] in neighbors:
        # A letter is doubled.
        return True
    if strict and one:
        return False
    parts = [part.span() for part in re.finditer(r"[^\W\d_A-Z]+|[A-Z][^\W\d_A-Z]*|[A-Z]+", longer)]
    return any(start < at < end - 1 for start, end in parts)


#: What makes two lines that nearly agree two lines.
RULES = (typo_sign, typo_word, typo_name, typo_removed_line)


def is_typo(old: LineParts, line: str, kind: str, words: Container[str]) -> bool:
    """Whether a folded old line of such a kind is a folded line of the file with a slip or two."""
    longest = max(len(old.line), len(line))
    if longest > LONGEST_COMPARED:
        return False
    most = min(1 if kind == "-" else MOST_SLIPS, longest // 5)
    # Two swapped letters are one slip, but two letters that are other ones in a removed line.
    metric = Levenshtein if kind == "-" else OSA
    if metric.distance(old.line, line, score_cutoff=most) > most:
        return False
    slips = (Slip(old, line, edit, words, kind) for edit in Levenshtein.editops(old.line, line))
    return not any(first_refusal(RULES, slip) for slip in slips)


def carry(old: str, line: str, new: str) -> str | None:
    """A new line with the mistakes of the old line that it replaces corrected, as the file's line shows them.

    For the old line `retrun x`, the file's `return x` and the new line `retrun y`, it is `return y`. None where the new
    line changes the very part that the old one has wrong.
    """
    if len(new) > LONGEST_COMPARED:
        return None
    kept_parts = Levenshtein.editops(old, new).as_matching_blocks()
    # From the last one on, so that the positions of those before it stay as they are.
    for edit in reversed(list(Levenshtein.editops(old, line))):
        start = edit.src_pos
        end = start if edit.tag == "insert" else start + 1
        # One more character on each side must be kept, too.
        kept = _part_with(kept_parts, max(0, start - 1), min(len(old), end + 1))
        if kept is None:
            return None
        # How much further to the right it is in the new line.
        shift = kept.b - kept.a
        correction = "" if edit.tag == "delete" else line[edit.dest_pos]
        new = new[: start + shift] + correction + new[end + shift :]
    return new


def _part_with(parts: Sequence[MatchingBlock], start: int, end: int) -> MatchingBlock | None:
    """Of parts that two lines have in common, the one with all characters from `start` to `end` of the first line."""
    for part in parts:
        part_start, part_end = part.a, part.a + part.size
        if part_start <= start and end <= part_end:
            return part
    return None


def relate(
    old: str,
    line: str,
    kind: str,
    words: Container[str],
    new: str | None = None,
    reader: LineReader = PLAIN,
    row: int = 0,
) -> str:
    """How a folded old line, context (" ") or removed ("-"), relates to a folded line of the file, at a row.

    `words` are no typos. `new` is the added line that a removed one becomes.
    """
    if old == line:
        return "equal"
    if not old or not line:
        # A blank line is no version of another one.
        return "blank"
    if len(old) > SHORTEST_SPACED and old.replace(" ", "") == line.replace(" ", ""):
        return "spacing"
    unescaped = without_escapes(old)
    if unescaped and unescaped == without_escapes(line):
        return "escaped"
    if kind == " " and is_same_rule(old, line):
        return "spacing"
    if not Indel.normalized_similarity(old[:LONGEST_COMPARED], line[:LONGEST_COMPARED], score_cutoff=NEAR):
        # What is mistyped or worded differently is near as well, and most lines are not.
        return "other"
    if max(len(old), len(line)) > LONGEST_COMPARED:
        return "near"
    if OSA.distance(old, line, score_cutoff=MOST_SLIPS) <= MOST_SLIPS:
        parts = reader.parts(old, row)
        if new is not None and is_typo(parts, line, "=", words) and carry(old, line, new):
            return "carried"
        if is_typo(parts, line, kind, words):
            return "typo"
    if kind == " " and has_same_words(old, line) and is_reworded(reader.parts(old, row), reader.parts(line, row)):
        return "reworded"
    return "near"


def without_escapes(line: str) -> str:
    """A line without backslashes, its `\\u` escapes read as characters."""
    if "\\u" in line:
        line = re.sub(r"\\u([0-9a-fA-F]{4})", lambda match: chr(int(match[1], 16)), line)
    return line.replace("\\", "")


def align(
    old: Sequence[str],
    text: Text,
    first: int,
    kinds: Sequence[str],
    new: Mapping[int, str],
    reader: LineReader = PLAIN,
) -> list[Alignment]:
    """The best alignments of folded old lines with the file around a line: one, or two where it is not unique.

    `kinds` are their prefixes; `new` has the line that an old line becomes, where there is one.
    """
    top, lines = first - GAP, text.rows[0]
    numbers = range(max(0, top), min(len(lines), first + len(old) + GAP))
    file = {number: FOLDS["whitespace"](lines[number]) for number in numbers}
    relations: list[list[str]] = [[] for _ in old]
    scores: list[list[int]] = [[] for _ in old]
    # Old line i at offset d in the band faces the file's line at row top + i + d. `best` has, for each old line, the
    # best score from there on at each offset, and last that of any other offset.
    best = [[0] * BAND + [_NEVER] for _ in range(len(old) + 1)]
    for i in reversed(range(len(old))):
        for d in range(BAND):
            row = top + i + d
            name = ""
            if row in file:
                name = relate(old[i], file[row], kinds[i], text.words, new.get(i), reader, row)
            relations[i].append(name)
            scores[i].append(_score(name, old[i]))
        for d in reversed(range(BAND)):
            faced = best[i + 1][d] + scores[i][d]
            missing = best[i + 1][d - 1] + _MISSING
            # No line is extra before the first.
            extra = best[i][d + 1] + _EXTRA if i else _NEVER
            best[i][d] = max(faced, missing, extra)
    score = max(best[0])
    starts = [d for d in range(BAND) if best[0][d] == score]
    alignments: dict[tuple[int | None, ...], Alignment] = {}
    for start, leftmost in ((starts[0], True), (starts[-1], False)):
        offsets = _trace(best, scores, start, leftmost=leftmost)
        names = ["missing" if d is None else relations[i][d] for i, d in enumerate(offsets)]
        rows = [None if d is None else top + i + d for i, d in enumerate(offsets)]
        alignments.setdefault(tuple(rows), Alignment(rows, names, score, file))
    return list(alignments.values())


def _score(relation: str, old: str) -> int:
    """What a relation of an old line adds to the score of an alignment; an equal line counts by what it tells."""
    if relation != "equal":
        return _SCORES.get(relation, -100)
    if is_distinctive(old):
        return _DISTINCTIVE
    return _COMMON if old else _BLANK


def _trace(best: list[list[int]], scores: list[list[int]], start: int, *, leftmost: bool) -> list[int | None]:
    """One best alignment as offsets in the band, None for a missing line.

    Of several best ones it is that in which lines face the file's as soon as they can, or as late.
    """
    offsets: list[int | None] = []
    d = start
    for row, below, faced in zip(best, best[1:], scores, strict=False):
        while row[d] == row[d + 1] + _EXTRA and not (leftmost and row[d] == below[d] + faced[d]):
            d += 1
        if row[d] == below[d - 1] + _MISSING and not (leftmost and row[d] == below[d] + faced[d]):
            offsets.append(None)
            d -= 1
        else:
            offsets.append(d)
    return offsets
