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
from .tiers import is_of_word

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
    longest = sorted(set(words), key=len, reverse=True)
    # Every word must be there; the longest one that is not tells soonest.
    if any(word not in body for word in longest[: limits.MOST_WORDS_LOOKED_FOR]):
        return []
    rarest = min(longest[: limits.PATTERN_CANDIDATES], key=body.count)
    if body.count(rarest) > min(limits.MOST_PIVOTS, limits.MOST_PATTERN_WORK // len(words)):
        return []

    reach = 2 * size + len(words) * limits.PATTERN_BLANKS + limits.PATTERN_SLACK
    # Places that overlap are places too.
    pattern = re.compile("(?=(" + r"\s++".join(map(re.escape, words)) + "))")
    spans = [match.span(1) for window in _windows(body, rarest, reach) for match in pattern.finditer(body, *window)]
    return [span for span in spans if has_edges(body, *span, old)]


def _windows(body: str, word: str, reach: int) -> list[tuple[int, int]]:
    """The parts of a text around a word, as offsets.

    Parts that overlap are one, so that no part of the text is searched twice.
    """
    windows: list[tuple[int, int]] = []
    position = body.find(word)
    while position >= 0:
        first, last = max(0, position - reach), position + reach
        if windows and first <= windows[-1][1]:
            windows[-1] = (windows[-1][0], last)
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
        old, new = ((before + text + behind).split("\n") for text in (edit.old.strip(), edit.new.strip()))
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
    for a, b, c, d in blocks:
        changed_rows = _changed_rows(rows, a, b)
        if changed_rows is None:
            return None
        first, last = changed_rows
        result += [*lines[done:first], *(shifted(line, shift) for line in new[c:d])]
        done = last
    hunk = Hunk(tuple(merged_lines(lines, [*result, *lines[done:]])))
    notes = () if set(hunk.added).issubset(new) else ("indentation_shifted",)
    return Place(hunk, top, "whitespace", notes, fitted=True)


def _changed_rows(rows: Sequence[RowRange], first: int, end: int) -> tuple[int, int] | None:
    """The rows of the file that the old lines from one up to another take up; None if these share a line with others.

    Where lines only come in, both are the row before which they do.
    """
    if first == end:
        if not end:
            return 0, 0
        begins_line, row = rows[end - 1][0] is not None, rows[end - 1][1]
        return (row, row) if begins_line and row is not None else None
    first_row, end_row = rows[first][0], rows[end - 1][1]
    return None if first_row is None or end_row is None else (first_row, end_row)


def _rows(old: Sequence[str], lines: Sequence[str]) -> Iterator[RowRange]:
    """For each old line, the first line of the file that has its words and the one behind the last.

    None stands for an end in the middle of a line of the file; a blank line that the file lacks is on none.
    """
    # The row of each word of the file, between a row before the first and one behind the last.
    rows = [-1, *(row for row, line in enumerate(lines) for _ in line.split()), len(lines)]
    #: The place in `rows` of the next word.
    word = 1
    first: int | None
    end: int | None = 0
    for line in old:
        count = len(line.split())
        if count:
            begins_row = rows[word] != rows[word - 1]
            first = rows[word] if begins_row else None
            word += count
            ends_row = rows[word] != rows[word - 1]
            end = rows[word - 1] + 1 if ends_row else None
        else:
            first = end
            if end is not None and end < len(lines) and not lines[end].strip():
                end += 1
        yield first, end
