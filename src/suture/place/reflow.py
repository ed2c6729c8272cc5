"""Places where a file has the words of an edit, but breaks its lines, or blanks its words, differently.

The words are found by one pattern around the rarest of them. What changes is then written in the file's own lines.
"""

from __future__ import annotations

import re

from ..core.line_diff import changed_blocks
from ..core.patch import Hunk
from . import limits
from .indentation import shift_between, shifted
from .place import Place, line_after
from .readings import merged_lines
from .tiers import is_distinctive, is_of_word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..core.text import Text
    from .readings import EditReading

    #: The first row of the file that an old line is on and the one behind the last; None inside of a line of the file.
    RowRange = tuple[int | None, int | None]


#: What a text begins or ends with that begins or ends lines.
_LINE_EDGES = ("\n", "\t", "  ")


def find_reflowed(text: Text, edit: EditReading) -> list[Place]:
    """The places where the file breaks the lines of an edit differently; none if the edit can't be made at each.

    An edit that begins or ends with a blank line, or in the middle of a line of the file, has none.
    """
    old = edit.hunk.old
    if not old or not old[0].strip() or not old[-1].strip():
        return []
    body = text.body
    places: list[Place] = []
    for start, end in find_words(body, edit.old):
        top, bottom = whole_lines(body, start, end)
        has_own_lines = not (body[top:start] + body[end:bottom]).strip()
        place = reflow(body, edit, start, end) if has_own_lines else None
        if place is None:
            return []
        places.append(place)
    return places


def find_words(body: str, old: str) -> list[tuple[int, int]]:
    """Where the words of an old text, of which one must be rare, occur with any whitespace between them."""
    words = old.split()
    size = sum(map(len, words))
    if not 1 < len(words) <= limits.MOST_WORDS or size > limits.LONGEST_PATTERN:
        return []
    longest_first = sorted(set(words), key=len, reverse=True)
    # Every word must be there; the longest one that is not tells soonest.
    if any(word not in body for word in longest_first[: limits.MOST_WORDS_LOOKED_FOR]):
        return []
    rarest = min(longest_first[: limits.PATTERN_CANDIDATES], key=body.count)
    if body.count(rarest) > min(limits.MOST_PIVOTS, limits.MOST_PATTERN_WORK // len(words)):
        return []
    # The pattern looks ahead, so that places that overlap are found too.
    pattern = re.compile("(?=(" + r"\s++".join(map(re.escape, words)) + "))")
    reach = 2 * size + len(words) * limits.PATTERN_BLANKS + limits.PATTERN_SLACK
    places: list[tuple[int, int]] = []
    for first, last in _windows(body, rarest, reach):
        for match in pattern.finditer(body, first, last):
            start, end = match.span(1)
            if has_edges(body, start, end, old):
                places.append((start, end))
    return places


def _windows(body: str, word: str, reach: int) -> list[tuple[int, int]]:
    """The parts of a text around a word, as offsets.

    Parts that overlap are one, so that no part of the text is searched twice.
    """
    windows: list[tuple[int, int]] = []
    position = body.find(word)
    while position >= 0:
        first, last = max(0, position - reach), position + reach
        if windows and first <= windows[-1][1]:
            first_of_both, _ = windows.pop()
            windows.append((first_of_both, last))
        else:
            windows.append((first, last))
        position = body.find(word, position + len(word))
    return windows


def whole_lines(body: str, start: int, end: int) -> tuple[int, int]:
    """The offsets of all lines that a span begins, goes on and ends in, without the last newline."""
    return body.rfind("\n", 0, start) + 1, line_after(body, end) - 1


def has_edges(body: str, start: int, end: int, old: str) -> bool:
    """Whether a span without the blank ends of an old text cuts no word, and begins and ends lines where that does."""
    for edge in (start, end):
        if is_of_word(body[edge - 1 : edge]) and is_of_word(body[edge : edge + 1]):
            return False
    top, bottom = whole_lines(body, start, end)
    # A text begins as a line does with a line break, a tab, or more than one blank, and ends so.
    if old.startswith(_LINE_EDGES) and body[top:start].strip():
        return False
    return not (old.endswith(_LINE_EDGES) and body[end:bottom].strip())


def reflow(body: str, edit: EditReading, start: int, end: int) -> Place | None:
    """The edit on the lines of the file that have its words; None where it can't be known how deep its lines are, what
    becomes of blank ends, or where what changes has no lines to itself.
    """
    top, bottom = whole_lines(body, start, end)
    before, behind = body[top:start], body[end:bottom]
    inner = edit.without_blank_ends().hunk
    old, new = inner.old, inner.new
    if len(edit.hunk.old) - len(old) != len(edit.hunk.new) - len(new):
        return None
    is_part_of_line = bool((before + behind).strip())
    if is_part_of_line:
        old = (before + edit.old.strip() + behind).split("\n")
        new = (before + edit.new.strip() + behind).split("\n")
    lines = body[top:bottom].split("\n")
    rows = list(_rows(old, lines))
    pairs = [(line, lines[first]) for line, (first, _) in zip(old, rows, strict=True) if first is not None]
    # A first line that is part of the file's begins there at its own depth.
    shift = shift_between(pairs[1:] if is_part_of_line else pairs, ())
    blocks = changed_blocks(old, new)
    if shift is None or not blocks:
        return None
    result: list[str] = []
    done = 0
    for old_start, old_end, new_start, new_end in blocks:
        changed_rows = _changed_rows(rows, old_start, old_end)
        if changed_rows is None:
            return None
        first_row, end_row = changed_rows
        result += lines[done:first_row]
        result += [shifted(line, shift) for line in new[new_start:new_end]]
        done = end_row
    result += lines[done:]
    hunk = Hunk(tuple(merged_lines(lines, result)))
    notes = () if set(hunk.added).issubset(new) else ("indentation_shifted",)
    return Place(hunk, top, "whitespace", notes, fitted=True)


def _changed_rows(rows: Sequence[RowRange], first: int, end: int) -> tuple[int, int] | None:
    """The rows of the file that the old lines from one up to another take up; None if these share a line with others.

    Where lines only come in, both are the row before which they do.
    """
    if first < end:
        first_row, end_row = rows[first][0], rows[end - 1][1]
        return None if first_row is None or end_row is None else (first_row, end_row)
    if first == 0:
        return 0, 0
    first_row_above, end_row_above = rows[first - 1]
    return None if first_row_above is None or end_row_above is None else (end_row_above, end_row_above)


def _rows(old: Sequence[str], lines: Sequence[str]) -> Iterator[RowRange]:
    """For each old line, the first line of the file that has its words and the one behind the last.

    None stands for an end in the middle of a line of the file; a blank line that the file lacks is on none.
    """
    row_of_words = [row for row, line in enumerate(lines) for _ in line.split()]
    # Between a row before the first one and a row behind the last, each word has a neighbor on both sides.
    rows = [-1, *row_of_words, len(lines)]
    #: The index in `rows` of the next word.
    word = 1
    first: int | None
    end: int | None = 0
    for line in old:
        word_count = len(line.split())
        if word_count:
            begins_row = rows[word] != rows[word - 1]
            first = rows[word] if begins_row else None
            word += word_count
            ends_row = rows[word] != rows[word - 1]
            end = rows[word - 1] + 1 if ends_row else None
        else:
            first = end
            if end is not None and end < len(lines) and not lines[end].strip():
                end += 1
        yield first, end


def is_inside_line(body: str, start: int, end: int, old: str) -> bool:
    """Whether the words of an old text begin in the middle of a line and end with one, broken as the old text is.

    A mere brace and what is behind a word are not in the middle of a line.
    """
    top, bottom = whole_lines(body, start, end)
    before, behind = body[top:start].strip(), body[end:bottom].strip()
    begins_inside_line = before != "" and not before[-1].isalnum()
    if not begins_inside_line or behind:
        return False
    if not is_distinctive(old.partition("\n")[0]):
        return False
    return _words_by_line(body[start:end]) == _words_by_line(old)


def is_reflowed(body: str, start: int, end: int, old: str) -> bool:
    """Whether the words of an old text are within one line, or have their lines to themselves and are broken otherwise.

    A place that differs in blank lines alone is left to the aligner.
    """
    top, bottom = whole_lines(body, start, end)
    shares_lines = bool(body[top:start].strip() or body[end:bottom].strip())
    if shares_lines:
        return "\n" not in body[start:end] and "\n" not in old.strip()
    file_words, old_words = _words_by_line(body[start:end]), _words_by_line(old)
    return [words for words in file_words if words] != [words for words in old_words if words]


def _words_by_line(text: str) -> list[list[str]]:
    """The words of each line of a text."""
    return [line.split() for line in text.split("\n")]
