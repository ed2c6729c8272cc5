"""A place in a text where a hunk may go, and what the hunk would change there: geometry alone, in offsets of lines."""

from __future__ import annotations

from itertools import groupby

from ..core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.patch import Hunk
    from ..core.splices import Splice


class Place(Value):
    """One place for a hunk: the offset of its first line, and the tier at which its lines match there."""

    hunk: Hunk
    start: int
    tier: str
    #: The names of what was conceded beside the tier.
    notes: tuple[str, ...] = ()
    #: The offset of the file's line for each old line, None for one that the file lacks. There is no such list where
    #: the old lines follow one another in the file, as they do at every tier but `similar`.
    rows: Sequence[int | None] | None = None
    score: float = 1.0
    #: Whether the added lines are at the file's depth already, and whether it can't be known how deep they belong.
    fitted: bool = False
    is_depth_unclear: bool = False

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

        from ..core.splices import Splice

        splices: list[Splice] = []
        line_starts = iter(self.line_starts(body))
        # Behind the last line of the file that was passed.
        cursor = self.start
        for is_context, run in groupby(self.hunk.lines, key=lambda line: line[0] == " "):
            lines = list(run)
            old_starts = [next(line_starts) for line in lines if line[0] != "+"]
            # A context line that the file lacks moves nothing.
            starts = [start for start in old_starts if start is not None]
            # Added lines alone come in where the run before them ends.
            first = starts[0] if starts else cursor
            if starts:
                cursor = line_after(body, starts[-1])
            if not is_context:
                added = "".join([line[1:] + "\n" for line in lines if line[0] == "+"])
                splices.append(Splice(first, cursor, added))
        return splices

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


def end_of_lines(body: str) -> int:
    """Where the line after the last one would begin, as if the last one ended in a newline."""
    return len(body) if body.endswith("\n") else len(body) + 1


def line_after(body: str, offset: int) -> int:
    """Where the line after the one at this offset begins, as if the last one ended in a newline too."""
    newline = body.find("\n", offset)
    return (newline if newline >= 0 else len(body)) + 1
