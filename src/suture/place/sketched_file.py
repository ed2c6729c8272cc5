"""A file that a sketch is laid on: its lines from both ends, and where each of them is."""

from __future__ import annotations

from ..core.python_source import UNPARSABLE
from ..core.search_budget import SearchBudget
from .definitions import definitions_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class SketchedFile:
    """The lines of a file from both ends, and where each of them is. Whitespace at their ends makes no difference."""

    def __init__(self, rows: Sequence[str], path: str) -> None:
        #: Where the first definition begins. What is above it, such as imports, is needed by what follows.
        self.first_definition = _first_definition(rows, path)
        self.plain = [row.rstrip() for row in rows]
        self.turned = self.plain[::-1]
        self.index = _index_of(self.plain)
        self.turned_index = _index_of(self.turned)
        #: What may be read to lay parts on ranges of lines.
        self.budget = SearchBudget()


def _first_definition(rows: Sequence[str], path: str) -> int:
    """The row in which the first definition begins; 0 if none is known."""
    try:
        return min([one.first for one in definitions_in(path, "\n".join(rows)) or []], default=0)
    except UNPARSABLE:
        return 0


def _index_of(rows: Sequence[str]) -> dict[str, list[int]]:
    """Where each line is."""
    index: dict[str, list[int]] = {}
    for number, row in enumerate(rows):
        index.setdefault(row, []).append(number)
    return index
