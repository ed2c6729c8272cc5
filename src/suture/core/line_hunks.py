"""The difference between two texts as hunks: lines that change, with the lines around them.

Diffs, counts, rows and colors are derived from these values; nothing reads a diff to get them. Lines end at LF only, as
in git: a CR is part of its line.
"""

from __future__ import annotations

from .dialect import NO_NEWLINE
from .line_diff import changed_blocks, common_ends, split_lines
from .value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any, AnyStr

    from .line_diff import Block


class LineHunk(Value):
    """Some lines of a text and what they become, with the lines around them that stay.

    `old_start` and `new_start` are how many lines are above it, before and after. Each of its lines begins with a sign,
    " " if it stays, "-" if it is removed or "+" if it is added, and ends with its newline; only the last line of a text
    may have none. `heading` is the text behind the line numbers in a diff.
    """

    old_start: int
    new_start: int
    lines: tuple[str, ...]
    heading: str = ""

    @property
    def old(self) -> list[str]:
        """The lines before."""
        return [line[1:] for line in self.lines if line[0] != "+"]

    @property
    def new(self) -> list[str]:
        """The lines after."""
        return [line[1:] for line in self.lines if line[0] != "-"]

    @property
    def additions(self) -> int:
        """How many lines it adds."""
        return sum([line[0] == "+" for line in self.lines])

    @property
    def deletions(self) -> int:
        """How many lines it removes."""
        return sum([line[0] == "-" for line in self.lines])

    @property
    def old_count(self) -> int:
        """How many lines of the text before it covers."""
        return len(self.lines) - self.additions

    @property
    def new_count(self) -> int:
        """How many lines of the text after it covers."""
        return len(self.lines) - self.deletions

    @property
    def changed_lines(self) -> list[tuple[int, int]]:
        """The lines of the text before that change, from 0 with an exclusive end; an empty range is an insertion."""
        ranges: list[tuple[int, int]] = []
        number, is_changing = self.old_start, False
        for line in self.lines:
            if line[0] != " " and not is_changing:
                ranges.append((number, number))
            is_changing = line[0] != " "
            if line[0] == "-":
                ranges[-1] = (ranges[-1][0], number + 1)
            if line[0] != "+":
                number += 1
        return ranges

    @property
    def header(self) -> str:
        """Its `@@` line in a diff."""
        old, new = _range(self.old_start, self.old_count), _range(self.new_start, self.new_count)
        return f"@@ -{old} +{new} @@" + (f" {self.heading}" if self.heading else "")

    @property
    def written_lines(self) -> list[str]:
        """Its lines as a diff has them, without newlines: below a line that no newline ends, a line says so."""
        written: list[str] = []
        for line in self.lines:
            if line[-1] == "\n":
                written.append(line[:-1])
            else:
                written += (line, NO_NEWLINE)
        return written

    @property
    def reverted(self) -> LineHunk:
        """The hunk that leads back from the text after to the text before."""
        lines: list[str] = []
        removed: list[str] = []
        added: list[str] = []
        for line in self.lines:
            if line[0] == "+":
                removed.append("-" + line[1:])
            elif line[0] == "-":
                added.append("+" + line[1:])
            else:
                lines += (*removed, *added, line)
                removed, added = [], []
        return LineHunk(self.new_start, self.old_start, (*lines, *removed, *added), self.heading)

    def __str__(self) -> str:
        return "".join([f"{line}\n" for line in (self.header, *self.written_lines)])


def _range(start: int, count: int) -> str:
    """A range of lines in the header of a hunk. An empty one is named by the line before it."""
    first = start + 1 if count else start
    return str(first) if count == 1 else f"{first},{count}"


def count_lines(hunks: Iterable[LineHunk]) -> tuple[int, int]:
    """How many lines hunks add, and how many they remove."""
    signs = [line[0] for hunk in hunks for line in hunk.lines]
    return signs.count("+"), signs.count("-")


def line_hunks(before: AnyStr | None, after: AnyStr | None, context: int = 3) -> tuple[LineHunk, ...]:
    """The hunks that lead from one text to the other, with so many lines of context.

    `before` is None for a new file, `after` for a deleted one. Bytes must be UTF-8 without a BOM; only the part that
    differs is decoded.
    """
    above, old, new = _differing_lines(before, after, context)
    return tuple([_hunk(old, new, group, context, above) for group in _groups(changed_blocks(old, new), context)])


def _differing_lines(before: AnyStr | None, after: AnyStr | None, context: int) -> tuple[int, list[str], list[str]]:
    """The number of lines to skip at the start, then the lines of both texts that differ, with their context."""
    if before is None or after is None:
        return 0, _lines(before or ""), _lines(after or "")
    newline: AnyStr = _newline(before)
    head, tail = common_ends(before, after)
    head = before.rfind(newline, 0, head) + 1
    start = head
    for _ in range(context):
        start = before.rfind(newline, 0, max(0, start - 1)) + 1
    end = len(before) - min(tail, len(before) - head, len(after) - head)
    # One line more than the context: the common end may begin in the middle of a line.
    for _ in range(context + 1):
        end = before.find(newline, end) + 1 or len(before)
    end_after = len(after) - (len(before) - end)
    return before.count(newline, 0, start), _lines(before[start:end]), _lines(after[start:end_after])


def _newline(text: str | bytes) -> Any:  # noqa: ANN401 - of the same type as the text
    return "\n" if isinstance(text, str) else b"\n"


def _lines(text: str | bytes) -> list[str]:
    return split_lines(text if isinstance(text, str) else text.decode("utf-8", "surrogateescape"))


def _groups(blocks: Iterable[Block], context: int) -> Iterator[list[Block]]:
    """Blocks that share context, which form one hunk."""
    group: list[Block] = []
    last_end = 0
    for block in blocks:
        old_start, old_end, _, _ = block
        if group and old_start - last_end > 2 * context:
            yield group
            group = []
        group.append(block)
        last_end = old_end
    if group:
        yield group


def _hunk(old: Sequence[str], new: Sequence[str], group: Sequence[Block], context: int, above: int) -> LineHunk:
    """The hunk for blocks that share context; `above` is how many lines both texts have above these lines."""
    first_old, _, first_new, _ = group[0]
    _, last_end, _, _ = group[-1]
    context_above = min(context, first_old)
    start = first_old - context_above
    end = min(len(old), last_end + context)
    lines: list[str] = []
    position = start
    for old_start, old_end, new_start, new_end in group:
        lines += [" " + line for line in old[position:old_start]]
        lines += ["-" + line for line in old[old_start:old_end]]
        lines += ["+" + line for line in new[new_start:new_end]]
        position = old_end
    lines += [" " + line for line in old[position:end]]
    return LineHunk(above + start, above + first_new - context_above, tuple(lines))
