"""Shows a hunk and the lines of a file side by side."""

from __future__ import annotations

from ..core.display import visible_whitespace
from ..diff.word_diff import changed_words, pair_lines
from .render import mark_words
from .screen import width

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .screen import Screen

#: How many lines of a hunk and of a place are compared. Of more than so many rows, those that differ are shown, with
#: some around them.
MOST_COMPARED = 1000
MOST_ROWS = 40
AROUND = 2
_TAB_WIDTH = 4
#: If a side has fewer columns, the two are shown one above the other.
LEAST_COLUMNS = 20


def side_by_side(
    screen: Screen, hunk: Sequence[str], lines: Sequence[str], first: int, heading: str = "the patch"
) -> Iterator[str]:
    """Rows of the hunk's old lines and the file's lines, which start at line number `first`."""
    old, there = list(hunk[:MOST_COMPARED]), list(lines[:MOST_COMPARED])
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
            yield _row(screen, number, left, right, column)
        else:
            yield from _stacked(screen, number, left, right)
    yield from _elided(screen, hidden)
    left_out = max(len(hunk), len(lines)) - MOST_COMPARED
    if left_out > 0:
        yield screen.style(f"          … {left_out} more lines are not compared", "dim")


def _line(lines: Sequence[str], index: int | None) -> str | None:
    return None if index is None else lines[index]


def _chosen_rows(differ: Sequence[bool]) -> set[int]:
    """The rows that are shown: all, or of too many those that differ and some around them."""
    everything = set(range(len(differ)))
    if len(differ) <= MOST_ROWS:
        return everything
    around = {index + away for index in everything if differ[index] for away in range(-AROUND, AROUND + 1)}
    return everything & (around or set(range(MOST_ROWS)))


def _elided(screen: Screen, count: int) -> Iterator[str]:
    """A row for those that are not shown, which are the same on both sides."""
    if count:
        yield screen.style(f"          … {count} line{'s' * (count > 1)} that agree{'s' * (count == 1)}", "dim")


def _row(screen: Screen, number: str, left: str | None, right: str | None, column: int) -> str:
    same = left == right
    sign = "=" if same else "<" if right is None else ">" if left is None else "~"
    spans = (
        [] if same or left is None or right is None else changed_words(show_whitespace(left), show_whitespace(right))
    )
    one = _cell(screen, left, [span[0] for span in spans], column, "" if same else "removed")
    other = _cell(screen, right, [span[1] for span in spans], column, "" if same else "added").rstrip()
    return f"  {number:>6} {screen.style(sign, 'dim' if same else 'yellow')}{one} | {other}".rstrip()


def _stacked(screen: Screen, number: str, left: str | None, right: str | None) -> Iterator[str]:
    """A row for a narrow terminal: the patch's line, and the file's line below it if they differ."""
    if left is not None and left != right:
        yield f"  {'':>4} {screen.style('<', 'yellow')}{screen.style(show_whitespace(left), 'removed')}"
    if right is not None:
        sign, style = ("=", "dim") if left == right else (">", "yellow")
        text = show_whitespace(right) if left == right else screen.style(show_whitespace(right), "added")
        yield f"  {number:>4} {screen.style(sign, style)}{text}"


def _cell(screen: Screen, text: str | None, spans: Sequence[tuple[int, int]], column: int, style: str) -> str:
    plain = "" if text is None else show_whitespace(text)
    cell = plain if display_width(plain) <= column else cut(plain, column - 1) + "…"
    pad = " " * (column - display_width(cell))
    if not style or not screen.color:
        return f"{cell}{pad}"
    end = len(cell) - (cell != plain)
    return mark_words(screen, cell, [span for span in spans if span[1] <= end], style) + pad


def display_width(text: str) -> int:
    """The columns a text takes on a terminal: two for wide East Asian characters, none for combining marks."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(char) else 1 + (east_asian_width(char) in "WF") for char in text)


def cut(text: str, columns: int) -> str:
    """As much of a text as fits into so many columns of a terminal."""
    part = text[:columns]
    while display_width(part) > columns:
        part = part[:-1]
    return part


def show_whitespace(line: str) -> str:
    """A line with visible tabs and trailing spaces; a tab takes four columns."""
    return visible_whitespace(line, "→" + " " * (_TAB_WIDTH - 1))
