"""What the views of `suture review --terminal` are made of: rows, a selected one, and what has been on the screen.

A view gives the rows of a frame. Nothing here knows about the terminal.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

from ..core.dialect import NO_NEWLINE
from ..core.display import visible_whitespace
from ..core.write_diff import headed_sections
from ..words.word_diff import changed_words
from .screen_limits import MOST_LINES_BY_WORD
from .side_by_side import display_width

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..core.line_hunks import LineHunk
    from ..core.outcome import Change
    from .review_terminal import ReviewViews

#: Farther than any view has rows: what the keys for the first and the last row move by.
FAR = 10**9
#: How many rows a page key moves the selection of a list.
PAGE_ROWS = 10
#: The style of a line of a hunk, by its sign.
SIGNS = {"+": "added", "-": "removed"}

#: A place in wrapped rows: the number of a row, and of the piece of it.
Position = tuple[int, int]


class Row(NamedTuple):
    """A row of a view: its text, its style, and the characters in it that are marked, as pairs of positions.

    A row with the same `key` as another shows the same, such as a heading with another number in it.
    """

    text: str
    style: str = ""
    marks: tuple[tuple[int, int], ...] = ()
    key: str = ""

    @property
    def identity(self) -> str:
        """What it shows."""
        return self.key or self.text


class TerminalView:
    """Rows with a selected one. `keys` says what the most important keys do, `help` what all of them do."""

    keys = ""
    title = ""
    help: tuple[tuple[str, str], ...] = ()

    def __init__(self, views: ReviewViews) -> None:
        self.views = views
        self.selected = 0

    def rows(self) -> list[Row]:
        """What it shows."""
        raise NotImplementedError

    def frame(self, columns: int, room: int) -> list[Row]:  # noqa: ARG002 - a long row is cut by the terminal
        """The rows of a screen with so many lines, among them the selected one."""
        rows = self.rows()
        top = max(0, min(self.selected - 2, len(rows) - room), self.selected + 1 - room)
        return [
            row._replace(text=f"{'>' if number == self.selected else ' '} {row.text}", marks=_shifted(row.marks, 2))
            for number, row in enumerate(rows[top : top + room], top)
        ]

    def notice(self) -> str:
        """What is said where nothing else is."""
        return ""

    def count(self) -> int:
        """How many rows can be selected."""
        return len(self.rows())

    def press(self, key: str) -> None:
        """Do what a key says."""
        moves = {"j": 1, "k": -1, "page down": PAGE_ROWS, "page up": -PAGE_ROWS, "end": FAR, "home": -FAR}
        if key in moves:
            self.selected = max(0, min(self.count() - 1, self.selected + moves[key]))

    def refresh(self) -> None:
        """Read anew what it shows."""
        self.selected = max(0, min(self.count() - 1, self.selected))


class ScrolledView(TerminalView):
    """Rows that are wrapped, so that all of their text can be seen, and that remember which have been on the screen."""

    def __init__(self, views: ReviewViews) -> None:
        super().__init__(views)
        self.top: Position = (0, 0)
        self._columns = 80
        self._room = 1
        #: The rows that were on the screen as a whole, and the pieces of others at the current width.
        self._seen: set[int] = set()
        self._seen_pieces: dict[int, set[int]] = {}

    def frame(self, columns: int, room: int) -> list[Row]:
        """The rows from the top one on. They count as seen."""
        if columns != self._columns:
            self._columns, self.top = columns, (self.top[0], 0)
            self._seen_pieces.clear()
        self._room = room
        rows = self.rows()
        self.top = min(self.top, self._last_top())
        row, first = self.top
        drawn: list[Row] = []
        while row < len(rows) and len(drawn) < room:
            mark = ">" if self.is_selected(row) else " "
            pieces = self._pieces(row)[first : first + room - len(drawn)]
            start = sum(map(len, self._pieces(row)[:first]))
            for number, piece in enumerate(pieces, first):
                # The rest of a row is marked, so that it can't be taken for a row of its own.
                marks = _shifted(_cut_marks(rows[row].marks, start, start + len(piece)), 2 - start)
                drawn.append(Row(f"{mark}{'↪' if number else ' '}{piece}", rows[row].style, marks))
                start += len(piece)
            self._see(row, range(first, first + len(pieces)))
            row, first = row + 1, 0
        return drawn

    def is_selected(self, row: int) -> bool:  # noqa: ARG002 - by default, none is
        """Whether a row is marked."""
        return False

    def notice(self) -> str:
        """Which rows are on the screen, if not all are."""
        if self._last_top() == (0, 0):
            return ""
        visible = self.visible_rows()
        more = "" if self.top == self._last_top() else " Page Down shows more."
        return f"Rows {visible[0] + 1:,} to {visible[-1] + 1:,} of {len(self.rows()):,}.{more}"

    def press(self, key: str) -> None:
        """Scroll."""
        moves = {"j": 1, "k": -1, "page down": self._room, "page up": -self._room, "end": FAR, "home": -FAR}
        if key in moves:
            self.scroll(moves[key])

    def refresh(self) -> None:
        """Nothing is read anew."""

    def scroll(self, lines: int) -> None:
        """Move by so many lines of the screen."""
        if lines == FAR:
            self.top = self._last_top()
        elif lines == -FAR:
            self.top = (0, 0)
        elif lines < 0:
            self.top = self._backward(self.top, -lines)
        else:
            self.top = min(self._forward(self.top, lines), self._last_top())

    def forget_seen(self, before: Sequence[Row] = ()) -> None:
        """There are other rows. Of them, only those are seen that were among these rows before, and seen."""
        known = {row.identity for number, row in enumerate(before) if number in self._seen}
        self._seen = {number for number, row in enumerate(self.rows()) if row.identity in known}
        self._seen_pieces.clear()

    def is_seen(self, row: int) -> bool:
        """Whether all of a row has been on the screen."""
        return row in self._seen

    def visible_rows(self) -> range:
        """The rows that are on the screen, at least in part."""
        return range(self.top[0], self._forward(self.top, self._room - 1)[0] + 1)

    def show_unseen(self, row: int) -> None:
        """Scroll to the first piece of a row that was not on the screen."""
        seen = self._seen_pieces.get(row, set())
        self.top = (row, next(piece for piece in range(len(seen) + 1) if piece not in seen))

    def _see(self, row: int, pieces: range) -> None:
        if row in self._seen:
            return
        seen = self._seen_pieces.setdefault(row, set())
        seen.update(pieces)
        if len(seen) == len(self._pieces(row)):
            self._seen.add(row)
            del self._seen_pieces[row]

    def _pieces(self, row: int) -> tuple[str, ...]:
        # The mark of a selected row takes two columns.
        return wrap(self.rows()[row].text, max(2, self._columns - 2))

    def _forward(self, start: Position, lines: int) -> Position:
        """The position so many lines below another, at most the last one."""
        (row, piece), count = start, len(self.rows())
        while row < count:
            left = len(self._pieces(row)) - piece
            if lines < left:
                return row, piece + lines
            lines -= left
            row, piece = row + 1, 0
        return max(0, count - 1), 0

    def _backward(self, start: Position, lines: int) -> Position:
        """The position so many lines above another, at least the first one."""
        row, piece = start
        while lines > piece:
            if row == 0:
                return 0, 0
            lines -= piece + 1
            row -= 1
            piece = len(self._pieces(row)) - 1
        return row, piece - lines

    def _last_top(self) -> Position:
        """The top at which the last line is at the bottom of the screen."""
        last = len(self.rows()) - 1
        return self._backward((last, len(self._pieces(last)) - 1), self._room - 1) if last >= 0 else (0, 0)


class HelpView(ScrolledView):
    """What the keys of another view do."""

    keys = "j/k scroll  q back"
    title = "Keys"

    def __init__(self, views: ReviewViews, view: TerminalView) -> None:
        super().__init__(views)
        self._rows = [Row(f"{key:12} {meaning}") for key, meaning in (*view.help, *_KEYS_EVERYWHERE)]

    def rows(self) -> list[Row]:
        """A line for each key."""
        return self._rows

    def press(self, key: str) -> None:
        """Go back, or scroll."""
        if key in ("q", "back", "?", "enter"):
            self.views.leave(self)
        else:
            super().press(key)


_KEYS_EVERYWHERE = (
    ("Page Up/Down", "scroll by a screen; Home and End to the first and the last row"),
    ("Left, Esc, q", "go back"),
    ("Ctrl-C", "leave the review; nothing is answered by that"),
)


def diff_rows(changes: Iterable[Change]) -> list[Row]:
    """The diffs of changes."""
    rows: list[Row] = []
    for header, hunks in headed_sections([change.section for change in changes]):
        rows += [Row(visible_whitespace(line)) for line in header]
        for hunk in hunks:
            rows += hunk_rows(hunk)
    return rows


def hunk_rows(hunk: LineHunk) -> list[Row]:
    """The header of a hunk and its lines, each with its number: that before for a removed line, else that after."""
    last = max(hunk.old_start + hunk.old_count, hunk.new_start + hunk.new_count)
    width = len(str(last))
    old, new = hunk.old_start, hunk.new_start
    rows = [Row(visible_whitespace(hunk.header), "cyan")]
    for sign, lines in groupby_sign(hunk):
        marks = word_marks(lines) if sign == "±" else {}
        for place, line in enumerate(lines):
            if line == NO_NEWLINE:
                rows.append(Row(f"{'':{width}} {line}", "dim"))
                continue
            is_old, is_new = line[0] != "+", line[0] != "-"
            old, new = old + is_old, new + is_new
            text = f"{new if is_new else old:{width}} {line[0]}{visible_whitespace(line[1:])}"
            rows.append(Row(text, SIGNS.get(line[0], ""), _shifted(marks.get(place, ()), width + 2)))
    return rows


def groupby_sign(hunk: LineHunk) -> list[tuple[str, list[str]]]:
    """The lines of a hunk in runs: of unchanged ones, " ", and of changed ones, "±"."""
    runs: list[tuple[str, list[str]]] = []
    for is_changed, lines in groupby(hunk.written_lines, lambda line: line[0] in "+-\\"):
        runs.append(("±" if is_changed else " ", list(lines)))
    return runs


def word_marks(lines: Sequence[str]) -> dict[int, tuple[tuple[int, int], ...]]:
    """The words that differ in lines which replace each other in order, by the place of a line: pairs of positions."""
    removed = [place for place, line in enumerate(lines) if line[0] == "-"]
    added = [place for place, line in enumerate(lines) if line[0] == "+"]
    marks: dict[int, tuple[tuple[int, int], ...]] = {}
    if max(len(removed), len(added)) > MOST_LINES_BY_WORD:
        return marks
    for before, after in zip(removed, added, strict=False):
        words = changed_words(visible_whitespace(lines[before][1:]), visible_whitespace(lines[after][1:]))
        # A word that was only added has an empty span in the line before, and the other way round.
        marks[before] = tuple([old_span for old_span, _ in words if old_span[0] < old_span[1]])
        marks[after] = tuple([new_span for _, new_span in words if new_span[0] < new_span[1]])
    return marks


def _shifted(marks: Iterable[tuple[int, int]], by: int) -> tuple[tuple[int, int], ...]:
    return tuple([(start + by, end + by) for start, end in marks])


def _cut_marks(marks: Iterable[tuple[int, int]], first: int, last: int) -> list[tuple[int, int]]:
    """The parts of marks between two positions."""
    cut = [(max(start, first), min(end, last)) for start, end in marks]
    return [(start, end) for start, end in cut if start < end]


def wrap(text: str, columns: int) -> tuple[str, ...]:
    """A text in pieces that fit into so many columns of a terminal; an empty text is one piece."""
    if text.isascii():
        return tuple([text[start : start + columns] for start in range(0, len(text), columns)]) or ("",)
    return _wrap_wide(text, columns)


@lru_cache(maxsize=64)
def _wrap_wide(text: str, columns: int) -> tuple[str, ...]:
    pieces = []
    start = used = 0
    for index, character in enumerate(text):
        width = display_width(character)
        if used + width > columns:
            pieces.append(text[start:index])
            start, used = index, 0
        used += width
    return (*pieces, text[start:])
