"""A place in a text where a hunk may go, and what the hunk would change there: geometry alone, in offsets of lines."""

from __future__ import annotations

from ..core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.patch import Hunk
    from ..core.splices import Splice


class Place(Value):
    """One place for a hunk: the offset of its first line, and how it was found."""

    hunk: Hunk
    start: int
    tier: str
    notes: tuple[str, ...] = ()
    #: The offset of the file's line for each old line, None for one that the file lacks; it is itself None where the
    #: old lines stand one after another, which is so at every tier but `similar`.
    rows: Sequence[int | None] | None = None
    score: float = 1.0
    #: Whether the added lines are at the file's depth already.
    fitted: bool = False

    def noted(self, name: str) -> Place:
        """The same place with one more note."""
        return self.replace(notes=(*self.notes, name))

    @property
    def concession_names(self) -> tuple[str, ...]:
        """What was conceded to place the hunk here: the tier, and the notes."""
        return self.notes if self.tier == "exact" else (self.tier, *self.notes)

    def splices(self, body: str) -> list[Splice]:
        """What the hunk changes here: one splice for each run of removed and added lines.

        Offsets are those of line starts, and every added line ends in a newline. So does the last line of the body,
        even if it has none there: a splice may end one character after the body.
        """
        # Most updates never come here, and it takes time to load.
        from itertools import groupby

        from ..core.splices import Splice

        found: list[Splice] = []
        cursor, rows = self.start, iter(self.line_starts(body))
        for is_context, group in groupby(self.hunk.lines, key=lambda line: line[0] == " "):
            run = list(group)
            # A context line that the file lacks moves nothing.
            there = [row for line in run if line[0] != "+" and (row := next(rows)) is not None]
            first = there[0] if there else cursor
            cursor = line_after(body, there[-1]) if there else cursor
            if not is_context:
                found.append(Splice(first, cursor, "".join([line[1:] + "\n" for line in run if line[0] == "+"])))
        return found

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
