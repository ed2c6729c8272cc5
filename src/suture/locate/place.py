"""A place in a text where a hunk may go, and what the hunk would change there: geometry alone, in offsets of lines."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

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
        notes = (*self.notes, name)
        return Place(self.hunk, self.start, self.tier, notes, self.rows, self.score, fitted=self.fitted)

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
            self._splices = list(_splices(self.hunk.lines, body, self.start, iter(self.line_starts(body))))
        return self._splices

    def end(self, body: str) -> int:
        """The offset behind its last old line."""
        rows = [row for row in self.line_starts(body) if row is not None]
        return line_after(body, rows[-1]) if rows else self.start

    def line_starts(self, body: str) -> Sequence[int | None]:
        """The offset of the file's line for each old line of the hunk."""
        if self.rows is not None:
            return self.rows
        rows: list[int] = []
        after = self.start
        for line in self.hunk.lines:
            if line[0] != "+":
                rows.append(after)
                after = line_after(body, after)
        return rows

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


def _splices(lines: Sequence[str], body: str, cursor: int, rows: Iterator[int | None]) -> Iterator[Splice]:
    """One splice for each run of removed and added lines."""
    # Most updates never come here, and it takes time to load.
    from itertools import groupby

    from ..core.splices import Splice

    for is_context, group in groupby(lines, key=lambda line: line[0] == " "):
        run = list(group)
        # A context line that the file lacks moves nothing.
        there = [row for line in run if line[0] != "+" and (row := next(rows)) is not None]
        first = there[0] if there else cursor
        cursor = line_after(body, there[-1]) if there else cursor
        if not is_context:
            yield Splice(first, cursor, "".join([line[1:] + "\n" for line in run if line[0] == "+"]))
