"""A hunk beside the lines of a file, for people: what agrees, what differs, what is only on one side."""

from __future__ import annotations

from ..core.display import visible_whitespace
from .render import words_apart
from .screen import width

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .screen import Screen

#: Lines of a hunk or of a place that are shown.
MOST_LINES = 40
_TABS = 4
#: Columns of one side, below which the two stand one below the other.
NARROWEST = 20


def side_by_side(screen: Screen, hunk: Sequence[str], lines: Sequence[str], first: int) -> Iterator[str]:
    """Rows of the hunk's old lines and the file's lines, which begin with number `first`."""
    from difflib import SequenceMatcher

    old, there = list(hunk[:MOST_LINES]), list(lines[:MOST_LINES])
    column = min(70, (width() - 13) // 2)
    if column >= NARROWEST:
        yield screen.styled(f"          {'the patch':{column}}   the file", "dim")
    pairs = SequenceMatcher(None, [line.strip() for line in old], [line.strip() for line in there], autojunk=False)
    for _, a, b, c, d in pairs.get_opcodes():
        for step in range(max(b - a, d - c)):
            left = old[a + step] if a + step < b else None
            right = there[c + step] if c + step < d else None
            number = str(first + c + step) if right is not None else ""
            if column >= NARROWEST:
                yield _row(screen, number, left, right, column)
            else:
                yield from _one_below_the_other(screen, number, left, right)
    if max(len(hunk), len(lines)) > MOST_LINES:
        yield screen.styled("          …", "dim")


def _row(screen: Screen, number: str, left: str | None, right: str | None, column: int) -> str:
    same = left == right
    sign = "=" if same else "<" if right is None else ">" if left is None else "~"
    spans = [] if same or left is None or right is None else words_apart(visible(left), visible(right))
    one = _cell(screen, left, [span[0] for span in spans], column, "" if same else "removed")
    other = _cell(screen, right, [span[1] for span in spans], column, "" if same else "added").rstrip()
    return f"  {number:>6} {screen.styled(sign, 'dim' if same else 'yellow')}{one} | {other}".rstrip()


def _one_below_the_other(screen: Screen, number: str, left: str | None, right: str | None) -> Iterator[str]:
    """A row for a narrow terminal: the line of the patch, and below it that of the file where it is another."""
    if left is not None and left != right:
        yield f"  {'':>4} {screen.styled('<', 'yellow')}{screen.styled(visible(left), 'removed')}"
    if right is not None:
        sign, style = ("=", "dim") if left == right else (">", "yellow")
        shown = visible(right) if left == right else screen.styled(visible(right), "added")
        yield f"  {number:>4} {screen.styled(sign, style)}{shown}"


def _cell(screen: Screen, text: str | None, spans: Sequence[tuple[int, int]], column: int, style: str) -> str:
    plain = "" if text is None else visible(text)
    shown = plain if columns_of(plain) <= column else _cut(plain, column - 1) + "…"
    pad = " " * (column - columns_of(shown))
    if not style or not screen.colour:
        return f"{shown}{pad}"
    parts = []
    end = 0
    for start, stop in spans:
        if stop > len(shown) - 1:
            break
        parts += [screen.styled(shown[end:start], style), screen.styled(shown[start:stop], f"{style}_word")]
        end = stop
    return "".join(parts) + screen.styled(shown[end:], style) + pad


def columns_of(text: str) -> int:
    """How wide a terminal shows a text: characters of East Asia take two columns, and marks on others none."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(char) else 1 + (east_asian_width(char) in "WF") for char in text)


def _cut(text: str, columns: int) -> str:
    cut = text[:columns]
    while columns_of(cut) > columns:
        cut = cut[:-1]
    return cut


def visible(line: str) -> str:
    """A line whose tabs and trailing spaces can be seen, in columns of a tab's width."""
    return visible_whitespace(line, "→" + " " * (_TABS - 1))
