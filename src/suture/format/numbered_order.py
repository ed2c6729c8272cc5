"""The order of changes by line numbers: from the last line up, because all numbers are about the file before them.

Of those at the same line, lines are replaced before others are put above them, and what is inserted at one place keeps
the order of the call. Changes that overlap are refused where they are placed.
"""

from __future__ import annotations

from ..core.patch import ChangeFile, EditFile
from ..core.text_changes import InsertLines, ReplaceLines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.patch import Operation


def from_last_line(operations: Sequence[Operation]) -> list[Operation]:
    """Changes of one call in the order in which they are made."""
    numbered = enumerate(operations)
    return [operation for _, operation in sorted(numbered, key=lambda one: (*_key(one[1]), -one[0]))]


def _key(operation: Operation) -> tuple[int, bool]:
    change = operation.change if isinstance(operation, ChangeFile) else None
    if isinstance(change, InsertLines):
        return -change.after - 1, True
    if isinstance(change, ReplaceLines):
        return -change.first, False
    within = operation.edits[0].within if isinstance(operation, EditFile) else None
    return (-within[0] if within else 1), False
