"""A place in a text where a hunk may go, and what the hunk would change there.

A `Place` is geometry: offsets of lines in the body, which of them are removed, where lines are added. It knows nothing
of endings or indentation; that is for `rewrite`.
"""

from __future__ import annotations

from itertools import pairwise

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.patch import Hunk
    from ..core.splices import Splice


class Place:
    """One place for a hunk: the offset of its first line, its tier, and the rows of its old lines.

    `rows` has the offset of the file's line for each old line, None for one that the file lacks; it is itself None
    where the old lines stand one after another, which is so at every tier but `similar`.
    """

    __slots__ = ("_splices", "fitted", "hunk", "notes", "rows", "score", "start", "tier")

    def __init__(
        self,
        hunk: Hunk,
        start: int,
        tier: str,
        notes: tuple[str, ...] = (),
        rows: Sequence[int | None] | None = None,
        score: float = 1.0,
        *,
        fitted: bool = False,
    ) -> None:
        self.hunk = hunk
        self.start = start
        self.tier = tier
        self.rows = rows
        self.score = score
        #: Whether the added lines are at the file's depth already.
        self.fitted = fitted
        self.notes = notes
        self._splices: list[Splice] | None = None

    def noted(self, name: str) -> Place:
        """The same place with one more note."""
        place = Place(self.hunk, self.start, self.tier, (*self.notes, name), self.rows, self.score)
        place.fitted = self.fitted
        return place

    @property
    def concession_names(self) -> tuple[str, ...]:
        """What was conceded to place the hunk here: the tier, and the notes."""
        return self.notes if self.tier == "exact" else (self.tier, *self.notes)

    def splices(self, body: str) -> list[Splice]:
        """What the hunk changes here, worked out once: one splice for each run of removed and added lines.

        Offsets are those of line starts, and every added line ends in a newline. So does the last line of the body,
        even if it has none there: a splice may end one character after the body.
        """
        if self._splices is None:
            self._splices = _splices(self.hunk.lines, body, self.start, self.rows, exact=self.tier == "exact")
        return self._splices

    def end(self, body: str) -> int:
        """The offset behind its last old line."""
        if self.rows is not None:
            return line_after(body, next(row for row in reversed(self.rows) if row is not None))
        return self._old_starts(body)[-1]

    def has_gap(self, body: str) -> bool:
        """Whether a line of the hunk is missing here, or the file has one more."""
        rows = self.rows or ()
        return any(
            row is None or following is None or line_after(body, row) != following for row, following in pairwise(rows)
        )

    def line_starts(self, body: str) -> Sequence[int | None]:
        """The offset of the file's line for each old line of the hunk."""
        if self.rows is not None:
            return self.rows
        return self._old_starts(body)[:-1]

    def _old_starts(self, body: str) -> list[int]:
        """The offset of each old line and of what is behind them, where they stand one after another."""
        position, exact = self.start, self.tier == "exact"
        starts = [position]
        for line in self.hunk.lines:
            if line[0] != "+":
                # An exact line is as long as in the hunk, its prefix standing for the newline.
                position = position + len(line) if exact else line_after(body, position)
                starts.append(position)
        return starts

    def file_lines(self, body: str) -> list[str | None]:
        """The file's line for each old line of the hunk."""
        starts = self.line_starts(body)
        return [None if start is None else body[start : line_after(body, start) - 1] for start in starts]


def applied_place(hunk: Hunk, start: int) -> Place:
    """The place of a hunk that is applied already: it covers and changes nothing."""
    return Place(hunk.replace(lines=(), bare=()), start, "exact", ("already_applied",))


def line_after(body: str, offset: int) -> int:
    """Where the line after the one at this offset begins, as if the last one ended in a newline too."""
    newline = body.find("\n", offset)
    return (newline if newline >= 0 else len(body)) + 1


def _splices(
    lines: Sequence[str], body: str, start: int, rows: Sequence[int | None] | None, *, exact: bool
) -> list[Splice]:
    # Most updates never come here, and it takes time to load.
    from ..core.splices import Splice

    runs: list[tuple[int, int, list[str]]] = []
    cursor = start
    index = 0
    is_open = False
    for line in lines:
        kind = line[0]
        if kind == "+":
            if not is_open:
                runs.append((cursor, cursor, []))
                is_open = True
            runs[-1][2].append(line[1:] + "\n")
            continue
        if rows is not None:
            row = rows[index]
            index += 1
            if row is None:
                # A context line that the file lacks: nothing moves.
                is_open = False
                continue
            cursor = row
        # An exact line is as long as in the hunk, its prefix standing for the newline.
        after = cursor + len(line) if exact else line_after(body, cursor)
        if kind == "-":
            first, last, added = runs.pop() if is_open else (cursor, cursor, [])
            # Lines that were only added so far go where the first removed line is.
            runs.append((cursor if first == last else first, after, added))
        is_open = kind == "-"
        cursor = after
    return [Splice(first, last, "".join(added)) for first, last, added in runs]
