"""String edits and hunks of a notebook, as a model sees it: of the source of its cells, or of the JSON of the file.

The cells come first. They are one text, with a line between them that no edit can have: so an edit has one place among
all cells or none, and whether it was applied before, in whichever cell, is seen as in any other file. Only an edit that
has no place there is one of the JSON, which must stay a notebook.
"""

from __future__ import annotations

from ..core.notebook import Notebook
from ..core.paths import NOTEBOOK
from ..core.problems import PatchRejectedError
from ..core.text import Text
from ..core.value import Value
from ..words.change_problems import change_refusal
from .replace import multiedit
from .update import update

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from ..core.edit_options import EditOptions
    from ..core.patch import Concession, Hunk
    from ..core.string_edits import StringEdit
    from .replace import MultiEdit
    from .update import Update

#: What may be between two cells: characters without ink, of which the first one is taken that nothing else has.
_MARKS = "\x01\x02\x03\x04\x05\x06\x07\x08"

#: The codes of edits that were not found.
_NOT_FOUND = ("old_text_not_found", "patch_apply_error")


class EditedCells(Value):
    """A notebook after edits of its cells. Where these went is said by the difference, not by places in the JSON."""

    text: bytes
    concessions: tuple[Concession, ...]
    #: How many of the edits took more than an exact search.
    loose: int


def edit_text(
    content: bytes,
    edits: Sequence[StringEdit],
    path: str,
    *,
    options: EditOptions,
    **more: Any,  # noqa: ANN401 - those of the function for other files
) -> MultiEdit | EditedCells:
    """The content of a file after string edits; those of a notebook may be edits of its cells.

    Raises:
        PatchRejectedError: an edit has no place, more than one, or can't be written.
    """

    def edit_cells(cells: str) -> tuple[str, list[Concession], int]:
        edited = multiedit(cells, edits, path=path, options=options, **more)
        concessions: list[Concession] = []
        loose_count = 0
        for edit in edited.edits:
            concessions += edit.concessions
            if edit.concessions:
                loose_count += 1
        return edited.text, concessions, loose_count

    words = [text for edit in edits for text in (edit.old, edit.new)]
    after = _edit_cells(content, path, options.encoding, words, edit_cells)
    if after is not None:
        return after
    edited = multiedit(content, edits, path=path, options=options, **more)
    _check_notebook(content, edited.text, path, options.encoding)
    return edited


def update_text(
    content: bytes,
    hunks: Sequence[Hunk],
    path: str,
    *,
    options: EditOptions,
    **more: Any,  # noqa: ANN401 - those of the function for other files
) -> Update | EditedCells:
    """The content of a file after hunks; those of a notebook may be hunks of its cells.

    Raises:
        PatchRejectedError: a hunk has no place, or more than one.
    """
    # The hash of a diff is about the file, not about its cells.
    settings_for_cells = {name: value for name, value in more.items() if name != "is_pristine"}

    def update_cells(cells: str) -> tuple[str, list[Concession], int]:
        updated = update(cells, hunks, path=path, options=options, **settings_for_cells)
        concessions: list[Concession] = []
        loose_count = 0
        for match in updated.matches:
            concessions += match.concessions
            if match.tier != "exact":
                loose_count += 1
        return updated.text, concessions, loose_count

    words = [line for hunk in hunks for line in (*hunk.old, *hunk.new)]
    after = _edit_cells(content, path, options.encoding, words, update_cells)
    if after is not None:
        return after
    updated = update(content, hunks, path=path, options=options, **more)
    _check_notebook(content, updated.text, path, options.encoding)
    return updated


def _edit_cells(
    content: bytes,
    path: str,
    encoding: str | None,
    words: Iterable[str],
    edit: Callable[[str], tuple[str, list[Concession], int]],
) -> EditedCells | None:
    """The notebook after an edit of its cells; None if it is no notebook, or if the edit has no place among them.

    Raises:
        PatchRejectedError: the edit has more than one place, was applied before, or is not about whole cells.
    """
    notebook = _notebook(content, path, encoding)
    if notebook is None:
        return None
    texts = [*[cell.source for cell in notebook.cells], *words]
    mark = next((mark for mark in _MARKS if not any(mark in text for text in texts)), None)
    if mark is None:
        return None
    try:
        cells, concessions, loose = edit("".join([f"{mark}\n{_lines(cell.source)}" for cell in notebook.cells]))
    except PatchRejectedError as refused:
        if all(problem.code in _NOT_FOUND and problem.reason != "already_applied" for problem in refused.problems):
            return None
        raise
    sources = [part.removeprefix("\n") for part in cells.split(mark)[1:]]
    if len(sources) != len(notebook.cells) or not cells.startswith(mark):
        message = f"The edit of {path} would join cells of the notebook."
        hint = "Send an edit for each cell, with lines of that cell alone."
        raise change_refusal("patch_apply_error", path, message, hint, reason="context_not_found")
    text = Text(content, encoding, path)
    after = text.content(notebook.with_sources(_changed_sources(notebook, sources)))
    assert isinstance(after, bytes), "BUG: the file was given as bytes"
    return EditedCells(after, tuple(concessions), loose)


def _changed_sources(notebook: Notebook, sources: Sequence[str]) -> dict[int, str]:
    """The sources of the cells that were edited, by the numbers of the cells. `sources` has those of all as lines."""
    changed: dict[int, str] = {}
    for cell, lines in zip(notebook.cells, sources, strict=True):
        if lines != _lines(cell.source):
            source = lines.removesuffix("\n")
            ends_line = cell.source.endswith("\n")
            changed[cell.number] = f"{source}\n" if source and ends_line else source
    return changed


def _lines(source: str) -> str:
    """A source as whole lines."""
    return source.removesuffix("\n") + "\n"


def _notebook(content: bytes, path: str, encoding: str | None) -> Notebook | None:
    """The notebook in a file; None for any other file."""
    if not path.endswith(NOTEBOOK):
        return None
    try:
        return Notebook(Text(content, encoding, path).raw)
    except (PatchRejectedError, ValueError):
        return None


def _check_notebook(before: bytes, after: bytes, path: str, encoding: str | None) -> None:
    """Refuse an edit of the JSON of a notebook after which the file is none."""
    if _notebook(before, path, encoding) is None:
        return
    try:
        Notebook(Text(after, encoding, path).raw)
    except ValueError as error:
        message = f"{path} would no longer be a notebook: {error}."
        hint = "Use lines of the source of one cell as the text to find, without the quotes and escapes of JSON."
        raise change_refusal("invalid_arguments", path, message, hint, reason="not_a_notebook") from None
