"""The content of a file after string edits: of its text, or of the cells of a notebook."""

from __future__ import annotations

from ..core.paths import NOTEBOOK
from ..core.value import Value
from .replace import multiedit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Literal

    from ..core.edit_options import EditOptions
    from ..core.patch import Concession
    from ..core.string_edits import AppliedEdit, StringEdit


class EditedContent(Value):
    """A content after string edits, and where they went; those of the cells of a notebook have no place in its text."""

    content: bytes
    edits: tuple[AppliedEdit, ...]
    #: What was conceded to the edits of cells; other edits have their own.
    concessions: tuple[Concession, ...]
    #: How many edits took more than an exact search.
    searches: int


def edit_file(
    content: bytes,
    edits: Sequence[StringEdit],
    *,
    path: str,
    options: EditOptions,
    against: Literal["result", "original"] = "result",
) -> EditedContent:
    """The content of a file after string edits. Of a notebook, a model sees the cells.

    Raises:
        PatchRejectedError: an edit has no place, more than one, or can't be written.
    """
    if path.endswith(NOTEBOOK):
        from .notebook_edits import EditedCells, edit_text

        edited = edit_text(content, edits, path, options=options, against=against)
        if isinstance(edited, EditedCells):
            return EditedContent(edited.text, (), edited.concessions, edited.loose)
    else:
        edited = multiedit(content, edits, path=path, options=options, against=against)
    searches = sum(edit.replacer != "simple" for edit in edited.edits)
    return EditedContent(edited.text, edited.edits, (), searches)
