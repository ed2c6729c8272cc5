"""What the planner of patches asks about the hunks of one file."""

from __future__ import annotations

from ..core.patch import AddFile
from ..core.paths import NOTEBOOK
from ..place.update import update

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ..core.patch import Hunk, UpdateFile
    from ..place.update import Match, Update


def update_file(content: bytes, hunks: Sequence[Hunk], *, path: str, **options: Any) -> Update:  # noqa: ANN401 - those of `update`
    """The content of a file after hunks. Of a notebook, a model sees the cells.

    Raises:
        PatchRejectedError: a hunk has no place, or more than one.
    """
    if path.endswith(NOTEBOOK):
        from ..place.notebook_edits import update_text

        return update_text(content, hunks, path, **options)
    return update(content, hunks, path=path, **options)


def count_searches(operation: UpdateFile, matches: Sequence[Match]) -> int:
    """How many hunks took more than an exact search: those that are not exact, and those that have anchors."""
    loose = sum(match.tier != "exact" for match in matches)
    return loose + sum(bool(hunk.anchors) for hunk in operation.hunks)


def as_new_file(operation: UpdateFile) -> AddFile:
    """An update whose hunk adds lines to nothing, as the new file that it leaves."""
    (hunk,) = operation.hunks
    content = "".join([f"{line}\n" for line in hunk.new])
    if hunk.no_newline in ("new", "both"):
        content = content.removesuffix("\n")
    return AddFile(operation.path, content, operation.line, operation.mode, onto_empty=True)
