"""The content of a file after hunks: of its text, or of the cells of a notebook."""

from __future__ import annotations

from ..core.paths import NOTEBOOK
from ..core.value import Value
from .update import update

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ..core.match import Match
    from ..core.patch import Concession, Hunk


class UpdatedFile(Value):
    """A content after hunks, and where they went; those of the cells of a notebook have no place in its text."""

    content: bytes
    matches: tuple[Match, ...]
    concessions: tuple[Concession, ...]
    #: How many hunks took more than an exact search: those that are not exact, and those that have anchors.
    searches: int


def update_file(content: bytes, hunks: Sequence[Hunk], *, path: str, **options: Any) -> UpdatedFile:  # noqa: ANN401 - those of `update`
    """The content of a file after hunks. Of a notebook, a model sees the cells.

    Raises:
        PatchRejectedError: a hunk has no place, or more than one.
    """
    anchored = sum(bool(hunk.anchors) for hunk in hunks)
    if path.endswith(NOTEBOOK):
        from .notebook_edits import EditedCells, update_text

        updated = update_text(content, hunks, path, **options)
        if isinstance(updated, EditedCells):
            return UpdatedFile(updated.text, (), updated.concessions, updated.loose + anchored)
    else:
        updated = update(content, hunks, path=path, **options)
    matches = updated.matches
    return UpdatedFile(updated.text, matches, (), sum(match.tier != "exact" for match in matches) + anchored)
