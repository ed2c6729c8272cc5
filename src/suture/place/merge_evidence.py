"""A merge that would be clean, with what each side has changed: what the rules look at."""

from __future__ import annotations

import re
from functools import cached_property

from ..core.value import Value
from .merge_blocks import BlockTable, LineShapes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from .merge_lines import LineRange, MergedLines, SideChange

#: A number, or a word, which may come right behind one, such as the type in `1u32`.
WORD = re.compile(r"[^\W\d]\w*|\d+")
#: What the messages call the two sides.
SIDES = ("The file's change", "The edit")


class AddedLine(Value):
    """A line that a side adds, and its number in the text of that side and in the merged one."""

    line: str
    number: int
    merged: int


class MergeEvidence:
    """A merge that would be clean: the path, the three texts and the merged one, and what each side has changed.

    `ending` is the ending of the file, or what stands for it where its name says more.
    """

    def __init__(
        self,
        path: str,
        ending: str,
        base: Sequence[str],
        sides: tuple[Sequence[str], Sequence[str]],
        merged: MergedLines,
    ) -> None:
        self.path = path
        self.ending = ending
        self.base = base
        self.current, self.edited = sides
        self.merged = merged
        self._added_words: dict[int, frozenset[str]] = {}
        #: The lines that each side adds, by the names that they use, as far as somebody has asked for them.
        self.uses: dict[int, dict[str, list[AddedLine]]] = {}
        #: The names to which the lines that each side removes give a meaning, in the same way.
        self.given: dict[int, set[str]] = {}
        shapes = self._shapes = LineShapes(ending)
        self.side_blocks = tuple([BlockTable(text, ending, shapes) for text in sides])
        self.merged_blocks = BlockTable(merged.lines, ending, shapes)

    @cached_property
    def base_blocks(self) -> BlockTable:
        """The blocks of the base."""
        return BlockTable(self.base, self.ending, self._shapes)

    @cached_property
    def sides(self) -> tuple[tuple[Sequence[str], Sequence[SideChange]], ...]:
        """The text of each side and what only it has changed: first the current one, then the edited one."""
        changes = self.merged.current_changes, self.merged.edited_changes
        both = {change.key for change in changes[0]} & {change.key for change in changes[1]}
        own = [[change for change in side if change.key not in both] for side in changes]
        return (self.current, own[0]), (self.edited, own[1])

    @cached_property
    def shared(self) -> tuple[SideChange, ...]:
        """The changes that both sides have made."""
        keys = {change.key for change in self.merged.edited_changes}
        return tuple([change for change in self.merged.current_changes if change.key in keys])

    @property
    def written(self) -> tuple[Sequence[LineRange], Sequence[LineRange]]:
        """Where the own changes of each side are in the merged text."""
        return self.merged.current, self.merged.edited

    def added_lines(self, at: int) -> Sequence[AddedLine]:
        """The lines of a side's own changes that were not at that place, with their numbers."""
        return self._added[at]

    @cached_property
    def _added(self) -> tuple[Sequence[AddedLine], ...]:
        return tuple([tuple(self._added_of(at)) for at in range(2)])

    def _added_of(self, at: int) -> Iterator[AddedLine]:
        for change, (low, _) in zip(self.sides[at][1], self.written[at], strict=True):
            known = set(self.base[change.start : change.end])
            for offset, line in enumerate(change.lines):
                if line not in known:
                    yield AddedLine(line, change.low + offset, low + offset)

    def added_words(self, at: int) -> frozenset[str]:
        """All words of the lines that a side adds: what has none of them is not about these lines."""
        if at not in self._added_words:
            text = "".join([row.line for row in self.added_lines(at)])
            self._added_words[at] = frozenset(WORD.findall(text))
        return self._added_words[at]

    def removed(self, changes: Iterable[SideChange]) -> list[str]:
        """The lines of the base that a side no longer has at that place."""
        rows: list[str] = []
        for change in changes:
            kept = set(change.lines)
            rows += [line for line in self.base[change.start : change.end] if line not in kept]
        return rows
