"""Shows a hunk and the lines of a file side by side."""

from __future__ import annotations

from itertools import zip_longest
from unicodedata import combining, east_asian_width

from ..core.display import visible_whitespace
from ..core.line_diff import common_ends
from ..words.word_diff import changed_words, pair_lines
from .render import mark_words
from .screen import width
from .screen_limits import MOST_LINES_SIDE_BY_SIDE, MOST_ROWS_OF_A_LINE, MOST_ROWS_SIDE_BY_SIDE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .screen import Screen

#: How many rows around those that differ are shown.
AROUND = 2
_TAB_WIDTH = 4
#: If a side has fewer columns, the two are shown one above the other.
LEAST_COLUMNS = 20
#: How many characters are shown before and after the part of a long line that differs.
AROUND_DIFFERENCE = 12


def side_by_side(
    screen: Screen, hunk: Sequence[str], lines: Sequence[str], first: int, heading: str = "the patch"
) -> Iterator[str]:
    """Rows of the hunk's old lines and the file's lines, which start at line number `first`."""
    old, there = list(hunk[:MOST_LINES_SIDE_BY_SIDE]), list(lines[:MOST_LINES_SIDE_BY_SIDE])
    column = min(70, (width() - 13) // 2)
    if column >= LEAST_COLUMNS:
        yield screen.style(f"          {heading:{column}}   the file", "dim")
    pairs = [
        (first + other if other is not None else None, old[one] if one is not None else None, _line(there, other))
        for one, other in pair_lines(old, there)
    ]
    chosen = _chosen_rows([left != right for _, left, right in pairs])
    hidden = 0
    for index, (line_number, left, right) in enumerate(pairs):
        if index not in chosen:
            hidden += 1
            continue
        yield from _elided(screen, hidden)
        hidden = 0
        number = "" if line_number is None else str(line_number)
        if column >= LEAST_COLUMNS:
            yield from _row(screen, number, left, right, column)
        else:
            yield from _stacked(screen, number, left, right)
    yield from _elided(screen, hidden)
    left_out = max(len(hunk), len(lines)) - MOST_LINES_SIDE_BY_SIDE
    if left_out > 0:
        yield screen.style(f"          … {left_out} more lines are not compared", "dim")


def _line(lines: Sequence[str], index: int | None) -> str | None:
    return None if index is None else lines[index]


def _chosen_rows(differ: Sequence[bool]) -> set[int]:
    """The rows that are shown: all, or of too many those that differ and some around them."""
    everything = set(range(len(differ)))
    if len(differ) <= MOST_ROWS_SIDE_BY_SIDE:
        return everything
    around: set[int] = set()
    for index, is_different in enumerate(differ):
        if is_different:
            around.update(range(index - AROUND, index + AROUND + 1))
    return everything & (around or set(range(MOST_ROWS_SIDE_BY_SIDE)))


def _elided(screen: Screen, count: int) -> Iterator[str]:
    """A row for those that are not shown, which are the same on both sides."""
    if count:
        lines = "1 line that agrees" if count == 1 else f"{count} lines that agree"
        yield screen.style(f"          … {lines}", "dim")


def _row(screen: Screen, number: str, left: str | None, right: str | None, column: int) -> Iterator[str]:
    """A line of each side; where they differ and are long, the part that differs, in as many rows as it needs."""
    if left is not None and left == right:
        plain = show_whitespace(left)
        cell = plain if display_width(plain) <= column else cut(plain, column - 1) + "…"
        pad = " " * (column - display_width(cell))
        yield f"  {number:>6} {screen.style('=', 'dim')}{cell}{pad} | {cell}".rstrip()
        return
    sign = "~"
    if right is None:
        sign = "<"
    elif left is None:
        sign = ">"
    one, other = ("" if line is None else show_whitespace(line) for line in (left, right))
    spans = [] if left is None or right is None else changed_words(one, other)
    start, end, other_end = _different_part(one, other, column)
    olds = _cells(screen, one, range(start, end), [span[0] for span in spans], column, "removed")
    news = _cells(screen, other, range(start, other_end), [span[1] for span in spans], column, "added")
    for row, (old, new) in enumerate(zip_longest(olds, news, fillvalue=("", 0))):
        # Further rows of the same line have neither a number nor a sign.
        head = f"{'':10}" if row else f"  {number:>6} {screen.style(sign, 'yellow')}"
        yield f"{head}{old[0]}{' ' * (column - old[1])} | {new[0]}".rstrip()


def _different_part(one: str, other: str, column: int) -> tuple[int, int, int]:
    """Where the part of two lines begins that has to be shown, and where it ends in each: all of it, if it is short."""
    if max(display_width(one), display_width(other)) <= column:
        return 0, len(one), len(other)
    head, tail = common_ends(one, other)
    # The beginning is left out only if the first difference would not be in the first row.
    is_near = display_width(one[:head]) + AROUND_DIFFERENCE <= column
    start = 0 if is_near else max(0, head - AROUND_DIFFERENCE)
    behind = max(0, tail - AROUND_DIFFERENCE)
    return start, len(one) - behind, len(other) - behind


def _cells(
    screen: Screen, line: str, part: range, spans: Sequence[tuple[int, int]], column: int, style: str
) -> list[tuple[str, int]]:
    """A part of a line in pieces that fit into a column, with their widths; a mark shows where the line is cut off."""
    before = "…" if part.start else ""
    after = "…" if part.stop < len(line) else ""
    cells: list[tuple[str, int]] = []
    position = part.start - len(before)
    for piece in _pieces(f"{before}{line[part.start : part.stop]}{after}", column):
        end = position + len(piece)
        marked = []
        for span_start, span_end in spans:
            if span_start < end and position < span_end:
                marked.append((max(span_start, position) - position, min(span_end, end) - position))
        cells.append((mark_words(screen, piece, marked, style), display_width(piece)))
        position = end
    return cells


def _pieces(text: str, column: int) -> list[str]:
    """A text in pieces that fit into a column; the last one has a mark if there is no room for more."""
    pieces = [cut(text, column)]
    rest = text[len(pieces[0]) :]
    while rest and len(pieces) < MOST_ROWS_OF_A_LINE:
        pieces.append(cut(rest, column))
        rest = rest[len(pieces[-1]) :]
    if rest:
        pieces[-1] = cut(pieces[-1], column - 1) + "…"
    return pieces


def _stacked(screen: Screen, number: str, left: str | None, right: str | None) -> Iterator[str]:
    """A row for a narrow terminal: the patch's line, and the file's line below it if they differ."""
    if left is not None and left != right:
        yield f"  {'':>4} {screen.style('<', 'yellow')}{screen.style(show_whitespace(left), 'removed')}"
    if right is not None:
        sign, style = ("=", "dim") if left == right else (">", "yellow")
        text = show_whitespace(right) if left == right else screen.style(show_whitespace(right), "added")
        yield f"  {number:>4} {screen.style(sign, style)}{text}"


def display_width(text: str) -> int:
    """The columns a text takes on a terminal: two for wide East Asian characters, none for combining marks."""
    if text.isascii():
        return len(text)
    columns = 0
    for character in text:
        if not combining(character):
            columns += 2 if east_asian_width(character) in "WF" else 1
    return columns


def cut(text: str, columns: int) -> str:
    """As much of a text as fits into so many columns of a terminal."""
    if text.isascii():
        return text[:columns]
    left = columns
    for index, char in enumerate(text):
        left -= display_width(char)
        if left < 0:
            return text[:index]
    return text


def show_whitespace(line: str) -> str:
    """A line with visible tabs and trailing spaces; a tab takes four columns."""
    return visible_whitespace(line, "→" + " " * (_TAB_WIDTH - 1))
