"""A place in a text where a hunk may go, and what the hunk would change there.

A `Place` is geometry: offsets of lines in the body, which of them go, where lines come in. It knows nothing of endings
or indentation; that is for `rewrite`.
"""

from __future__ import annotations

from itertools import pairwise

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..core.patch import Hunk


class Edit:
    """Lines from offset `start` up to offset `end` go; the lines `added` come in their stead.

    Offsets are those of line starts. A last line without a newline counts as if it had one, so `end` may lie one
    behind the body.
    """

    __slots__ = ("added", "end", "start")

    def __init__(self, start: int, end: int, added: list[str]) -> None:
        self.start = start
        self.end = end
        self.added = added


class Place:
    """One place for a hunk: the offset of its first line, its tier, and the rows of its old lines.

    `rows` has the offset of the file's line for each old line, None for one that the file lacks; it is itself None
    where the old lines stand one after another, which is so at every tier but `similar`.
    """

    __slots__ = ("_edits", "fitted", "hunk", "notes", "rows", "score", "start", "tier", "undone")

    def __init__(
        self,
        hunk: Hunk,
        start: int,
        tier: str,
        notes: tuple[str, ...] = (),
        rows: Sequence[int | None] | None = None,
        score: float = 1.0,
        undone: Mapping[str, str] | None = None,
        *,
        fitted: bool = False,
    ) -> None:
        self.hunk = hunk
        self.start = start
        self.tier = tier
        self.rows = rows
        self.score = score
        self.undone = undone
        #: Whether the added lines are at the file's depth already.
        self.fitted = fitted
        self.notes = notes
        self._edits: list[Edit] | None = None

    def edits(self, body: str) -> list[Edit]:
        """What the hunk changes here, worked out once."""
        if self._edits is None:
            self._edits = _edits(self.hunk.lines, body, self.start, self.rows, exact=self.tier == "exact")
        return self._edits

    def end(self, body: str) -> int:
        """The offset behind its last old line."""
        if self.rows is not None:
            return line_after(body, next(row for row in reversed(self.rows) if row is not None))
        end = self.start
        for line in self.hunk.lines:
            if line[0] != "+":
                end = line_after(body, end)
        return end

    def has_gap(self, body: str) -> bool:
        """Whether a line of the hunk is missing here, or the file has one more."""
        rows = self.rows or ()
        return any(
            row is None or following is None or line_after(body, row) != following for row, following in pairwise(rows)
        )

    def file_lines(self, body: str) -> list[str | None]:
        """The file's line for each old line of the hunk."""
        rows: Sequence[int | None]
        if self.rows is None:
            rows, position = [], self.start
            for line in self.hunk.lines:
                if line[0] != "+":
                    rows.append(position)
                    position = line_after(body, position)
        else:
            rows = self.rows
        return [None if row is None else body[row : line_after(body, row) - 1] for row in rows]


def line_after(body: str, offset: int) -> int:
    """Where the line after the one at this offset begins, as if the last one ended in a newline too."""
    newline = body.find("\n", offset)
    return (newline if newline >= 0 else len(body)) + 1


def _edits(
    lines: Sequence[str], body: str, start: int, rows: Sequence[int | None] | None, *, exact: bool
) -> list[Edit]:
    """What the hunk changes at this place: one Edit for each run of removed and added lines."""
    edits: list[Edit] = []
    cursor = start
    index = 0
    edit: Edit | None = None
    for line in lines:
        kind = line[0]
        if kind == "+":
            if edit is None:
                edit = Edit(cursor, cursor, [])
                edits.append(edit)
            edit.added.append(line[1:])
            continue
        if rows is not None:
            row = rows[index]
            index += 1
            if row is None:
                # A context line that the file lacks: nothing moves.
                edit = None
                continue
            if edit is not None and kind == "-" and edit.start == edit.end:
                edit.start = row
            cursor = row
        # An exact line is as long as in the hunk, its prefix standing for the newline.
        after = cursor + len(line) if exact else line_after(body, cursor)
        if kind == " ":
            edit = None
        elif edit is None:
            edit = Edit(cursor, after, [])
            edits.append(edit)
        else:
            edit.end = after
        cursor = after
    return edits
