"""The work that the searches of one update, or of one list of edits, may do together.

Each search is linear in the file. Many of them are not, so that their work is counted: in characters that are read.
"""

from __future__ import annotations

#: Characters that the searches of one update, or of one list of edits, may read in a file: beyond it, they are refused.
SEARCH_BUDGET = 10_000_000_000


class OutOfBudgetError(Exception):
    """The searches have read as much as they may."""


class SearchBudget:
    """How many characters may still be read."""

    def __init__(self) -> None:
        self._left = SEARCH_BUDGET

    def spend(self, characters: int) -> None:
        """Count characters that are about to be read.

        Raises:
            OutOfBudgetError: they are more than are left.
        """
        self._left -= characters
        if self._left < 0:
            raise OutOfBudgetError
