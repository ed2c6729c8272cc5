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
#: A part of a name: `max` and `id` of `max_id`, `max` and `Id` of `maxId`, `HTTP` of `HTTP_PORT`.
_NAME_PART = re.compile(r"[^\W\d_A-Z]+|[A-Z][^\W\d_A-Z]*|[A-Z]+")
#: What is between two words. Bytes that can't be decoded are read as these surrogates.
_NO_LETTER = re.compile(r"[^\w\udc80-\udcff]")


class Alignment(Value):
    """Old lines laid on the file's: for each the number of the line it faces (None: missing) and its relation."""

    rows: list[int | None]
    relations: list[str]
    score: int
    #: The folded lines of the file around it, by their numbers.
    file: Mapping[int, str]


class Slip:
    """One character to remove, to add or to replace in an old line, so that it becomes the line of the file."""

    def __init__(self, parts: LineParts, line: str, edit: Editop, words: Container[str], kind: str) -> None:
        #: The words of the file, and whether the line is context (" "), removed ("-"), or its mistake is kept ("=").
        self.words, self.kind = words, kind
        self.old, self.position = parts.line, edit.src_pos
        #: Whether it is in code, not in a comment, a quoted text or prose. What is added behind a text belongs to it.
        self.is_code = parts.is_code(edit.src_pos) and (edit.tag != "insert" or parts.is_code(edit.src_pos - 1))
        self.removed = "" if edit.tag == "insert" else self.old[edit.src_pos]
        self.added = "" if edit.tag == "delete" else line[edit.dest_pos]
        #: The removed and the added character: one, or two where one replaces the other.
        self.characters = self.removed + self.added
        #: The word around the character in each line, and the offset of the character in that word.
        self.old_word, self.offset_in_old_word = _word_around(self.old, edit.src_pos)
        self.file_word, self.offset_in_file_word = _word_around(line, edit.dest_pos)
        name_start, name_end = parts.name
        #: Whether it is in a name in which every letter counts.
        self.is_naming = name_end > 0 and name_start <= edit.src_pos <= name_end
        #: Whether the file has the whole line of the hunk, with its sign: it is context that lost its space.
        self.has_sign = kind == "-" and line == f"-{parts.line}"

    @property
    def is_in_run(self) -> bool:
        """Whether it makes a run of the same sign longer or shorter."""
        around = self.old[max(0, self.position - SHORTEST_RUN) : self.position + SHORTEST_RUN]
        return self.characters * SHORTEST_RUN in around


def _word_around(line: str, position: int) -> tuple[str, int]:
    """The word around a position, and the position inside it; a byte that is not a character is part of a word."""
    letters_before = _NO_LETTER.split(line[:position])[-1]
    letters_behind = _NO_LETTER.split(line[position:])[0]
    return letters_before + letters_behind, len(letters_before)


@rule
def typo_sign(slip: Slip) -> bool:
    """A line with a different operator, one bracket more or less, or a quote more or less at an end is not a typo."""
    is_at_end = slip.position in (0, len(slip.old) - len(slip.removed))
    if is_at_end and slip.characters in _QUOTES:
        return True
    if slip.is_code and slip.characters in _OPERATORS and not slip.is_in_run:
        return True
    # One bracket that replaces another, two characters here, is allowed: the line opens and closes as much as before.
    if slip.characters in _BRACKETS:
        return True
    return slip.removed in _OPERATORS and slip.added in _OPERATORS


@rule
def typo_word(slip: Slip) -> bool:
    """A different word is not a typo if it occurs in the file, has a digit, or has fewer than four letters.

    In a name such as `max_id`, the part that differs counts, and needs three letters.
    """
    old_word, file_word = slip.old_word, slip.file_word
    # In a word of which two letters are swapped, a digit that stays where it is says nothing.
    is_swapped = _are_swapped(old_word, file_word)
    characters = slip.characters if is_swapped else slip.characters + old_word + file_word
    if any(map(str.isdigit, characters)):
        return True
    if not old_word or not file_word:
        # A word of one letter is there on one side only.
        return slip.characters.isalnum()
    if old_word == file_word:
        return False
    parts = [old_word.strip("_"), file_word.strip("_")]
    if slip.characters.isalnum():
        parts = [
            _part_of_name(old_word, slip.offset_in_old_word),
            _part_of_name(file_word, slip.offset_in_file_word),
        ]
    has_parts = "_" in old_word.strip("_")
    least = SHORTEST_WORD - 1 if has_parts else SHORTEST_WORD
    return old_word in slip.words or min(map(len, parts)) < least


def _part_of_name(name: str, offset: int) -> str:
    """The part of a name such as `max_id` that an offset is in."""
    return name[:offset].rpartition("_")[2] + name[offset:].partition("_")[0]


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
    if not slip.characters.isalpha():
        return slip.kind == "-"
    is_inside_old_word = 0 < slip.offset_in_old_word < len(slip.old_word) - 1
    is_inside_file_word = 0 < slip.offset_in_file_word < len(slip.file_word) - 1
    return slip.kind != " " and not (is_inside_old_word or is_inside_file_word)


@rule
def typo_name(slip: Slip) -> bool:
    """In code, a typo is two letters swapped, one letter doubled, or a letter inside a word; only one that is left out
    in a name that is defined, a selector or a heading.

    A name with a letter more or less at an end, such as a plural, or with two other letters is a different name.
    """
    is_of_name = slip.characters.replace("_", "a").isalnum()
    is_other_name = slip.is_code and is_of_name and slip.old_word != slip.file_word
    return is_other_name and not _is_slip_of_the_hand(slip.old_word, slip.file_word, strict=slip.is_naming)


def _different_parts(old_word: str, file_word: str) -> tuple[int, str, str]:
    """How long the common start of two words is, and what each has between that and their common end."""
    start, end = common_ends(old_word, file_word)
    return start, old_word[start : len(old_word) - end], file_word[start : len(file_word) - end]


def _are_swapped(old_word: str, file_word: str) -> bool:
    """Whether two words differ by two letters that are swapped."""
    _, old_part, file_part = _different_parts(old_word, file_word)
    return len(old_part) == 2 and old_part == file_part[::-1]


def _is_slip_of_the_hand(old_word: str, file_word: str, *, strict: bool) -> bool:
    """Whether two words differ by two swapped letters, one doubled letter, or one letter inside a part of a name.

    Where it is `strict`, that one letter must be missing from the old word.
    """
    if _are_swapped(old_word, file_word):
        return True
    position, old_part, file_part = _different_parts(old_word, file_word)
    if max(len(old_part), len(file_part)) != 1:
        return False
    longer = old_word if old_part else file_word
    neighbors = (longer[position - 1 : position], longer[position + 1 : position + 2])
    is_one_longer = not old_part or not file_part
    is_doubled = is_one_longer and longer[position] in neighbors
    if is_doubled:
        return True
    if strict and old_part:
        return False
    parts = [part.span() for part in _NAME_PART.finditer(longer)]
    return any(start < position < end - 1 for start, end in parts)


#: What makes two lines that nearly agree two lines.
RULES = (typo_sign, typo_word, typo_name, typo_removed_line)


def is_typo(old: LineParts, line: str, kind: str, words: Container[str]) -> bool:
    """Whether a folded old line of this kind is the file's line but for one or two slips, and no rule says otherwise.

    `words` are those of the file.
    """
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
    """A new line without the mistakes that it repeats from the old line that it replaces.

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
    """The name of the relation between a folded old line and a folded line of the file, which is at a row.

    The old line is context (" ") or removed ("-"), as `kind` says. A word that the file has, one of `words`, is not a
    typo. `new` is the added line that a removed one becomes.
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
    is_near = Indel.normalized_similarity(old[:LONGEST_COMPARED], line[:LONGEST_COMPARED], score_cutoff=NEAR) > 0
    if not is_near:
        # Asked first because most lines are not: what is mistyped or worded differently is near as well.
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
    """The best alignments of folded old lines with the file around a row: one, or two where it is not unique.

    `kinds` are the prefixes of the old lines. `new` has the added line that an old line becomes, by its index, where
    there is one.
    """
    # An old line can face the rows of a band. At an offset in its band, line `index` faces row `top + index + offset`.
    top = first - GAP
    lines = text.rows[0]
    rows_around = range(max(0, top), min(len(lines), first + len(old) + GAP))
    file = {row: FOLDS["whitespace"](lines[row]) for row in rows_around}
    relations: list[list[str]] = []
    scores: list[list[int]] = []
    for index, line in enumerate(old):
        names: list[str] = []
        for row in range(top + index, top + index + BAND):
            name = ""
            if row in file:
                name = relate(line, file[row], kinds[index], text.words, new.get(index), reader, row)
            names.append(name)
        relations.append(names)
        scores.append([_score(name, line) for name in names])
    best = _best_scores(scores)
    score = max(best[0])
    starts = [offset for offset in range(BAND) if best[0][offset] == score]
    alignments: dict[tuple[int | None, ...], Alignment] = {}
    for start, leftmost in ((starts[0], True), (starts[-1], False)):
        rows: list[int | None] = []
        names = []
        for index, offset in enumerate(_trace(best, scores, start, leftmost=leftmost)):
            rows.append(None if offset is None else top + index + offset)
            names.append("missing" if offset is None else relations[index][offset])
        alignments.setdefault(tuple(rows), Alignment(rows, names, score, file))
    return list(alignments.values())


def _best_scores(scores: Sequence[Sequence[int]]) -> list[list[int]]:
    """For each old line and offset in its band, the best score of an alignment of this line and all below it.

    It ends with a row for no line at all. The last cell of each row stands for any offset outside of the band.
    """
    best = [[0] * BAND + [_NEVER] for _ in range(len(scores) + 1)]
    for index in reversed(range(len(scores))):
        here, below = best[index], best[index + 1]
        for offset in reversed(range(BAND)):
            faced = below[offset] + scores[index][offset]
            # The cell before the first one is the last one: outside of the band.
            missing = below[offset - 1] + _MISSING
            # No line of the file is extra before the first old line.
            extra = here[offset + 1] + _EXTRA if index else _NEVER
            here[offset] = max(faced, missing, extra)
    return best


def _score(relation: str, old: str) -> int:
    """What a relation of an old line adds to the score of an alignment; an equal line counts by what it tells."""
    if relation != "equal":
        return _SCORES.get(relation, -100)
    if is_distinctive(old):
        return _DISTINCTIVE
    return _COMMON if old else _BLANK


def _trace(
    best: Sequence[Sequence[int]], scores: Sequence[Sequence[int]], start: int, *, leftmost: bool
) -> list[int | None]:
    """One best alignment: for each old line its offset in the band, None for a missing line.

    Of several best ones it is that in which lines face the file's as soon as they can, or as late.
    """
    offsets: list[int | None] = []
    offset = start
    for index, line_scores in enumerate(scores):
        here, below = best[index], best[index + 1]
        can_face = [score == below[at] + line_scores[at] for at, score in enumerate(here[:BAND])]
        while here[offset] == here[offset + 1] + _EXTRA and not (leftmost and can_face[offset]):
            offset += 1
        is_missing = here[offset] == below[offset - 1] + _MISSING and not (leftmost and can_face[offset])
        if is_missing:
            offsets.append(None)
            offset -= 1
        else:
            offsets.append(offset)
    return offsets
