"""Changes of a notebook by cell: everything else in the file stays byte for byte as it is.

A cell is named by its id. Its number alone is a weak claim, like a line number: it counts where the caller says which
content it is about, or where an edit of the cell also has the text to find.
"""

from __future__ import annotations

import hashlib

from ..core.notebook import Notebook
from ..core.text import Text, check_size
from ..words.change_problems import change_refusal
from .limits import LONGEST_LISTED_CELL, MOST_LISTED_CELLS
from .replace import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.notebook import Cell
    from ..core.text_changes import ChangeCell

#: The ends of a notebook, as calls name them.
_TOP, _BOTTOM = ("", "TOP"), ("BOTTOM",)


def change_cell(
    content: bytes, change: ChangeCell, *, path: str, encoding: str | None, is_known: bool, max_size: int
) -> bytes:
    """The notebook with a cell changed.

    Raises:
        PatchRejectedError: it is not a notebook, or there is no such cell.
    """
    check_size(content, path, max_size)
    text = Text(content, encoding, path)
    notebook = read_notebook(text)
    after = _changed(notebook, change, path, is_known=is_known)
    if after == text.raw:
        message = f"The change of {path} makes no difference."
        raise change_refusal("no_change", path, message, "Leave it out.")
    return _content(text, after)


def _content(text: Text, raw: str) -> bytes:
    data = text.content(raw)
    assert isinstance(data, bytes), "BUG: the file was given as bytes"
    return data


def read_notebook(text: Text) -> Notebook:
    """The notebook in a file.

    Raises:
        PatchRejectedError: it is not one.
    """
    try:
        return Notebook(text.raw)
    except ValueError as error:
        message = f"{text.path} can't be read as a notebook: {error}."
        raise change_refusal(
            "patch_apply_error", text.path, message, "Edit it as text.", reason="not_a_notebook"
        ) from None


def _changed(notebook: Notebook, change: ChangeCell, path: str, *, is_known: bool) -> str:
    """The JSON of the notebook after a change."""
    if change.act == "insert":
        if change.cell in _TOP:
            number = 0
        elif change.cell in _BOTTOM:
            number = len(notebook.cells)
        else:
            number = _find(notebook, change, path, is_known=is_known).number + 1
        # The same call gives the same notebook.
        name = hashlib.sha256(f"{number}\0{change.text}".encode()).hexdigest()[:8]
        return notebook.with_cell(number, change.kind or "code", change.text, name)
    # The text to find of an edit confirms the number of its cell.
    is_confirmed = change.act == "edit" and bool(change.old)
    cell = _find(notebook, change, path, is_known=is_known or is_confirmed)
    if change.act == "delete":
        return notebook.without(cell)
    if change.act == "edit":
        return notebook.with_source(cell, replace(cell.source, change.old, change.text, path=path).text)
    return notebook.with_source(cell, change.text)


def _find(notebook: Notebook, change: ChangeCell, path: str, *, is_known: bool) -> Cell:
    """The cell of this id, or of this number where that counts.

    Raises:
        PatchRejectedError: with the cells that there are.
    """
    with_id = [cell for cell in notebook.cells if cell.id and cell.id == change.cell]
    if len(with_id) == 1 and not change.is_number:
        return with_id[0]
    cell = _numbered_cell(notebook, change.cell)
    if cell is None:
        message = f"{path} has no cell {change.cell!r:.60}. It has:{_listing(notebook.cells)}"
        ids = [one.id or str(one.number) for one in notebook.cells]
        raise change_refusal(
            "patch_apply_error", path, message, "Name one of these cells.", reason="no_cell", cells=ids
        )
    if not is_known:
        message = f"The change names a cell of {path} by number alone, and numbers may be out of date. It is "
        message += f"{cell.name}:{_listing([cell])}"
        hint = (
            "If this cell is meant, name it by its id, use an edit with the text to find, or name the SHA-256 of the "
        )
        hint += "file that the number is about."
        raise change_refusal("patch_apply_error", path, message, hint, reason="cell_number_alone", cell=cell.number)
    return cell


def _numbered_cell(notebook: Notebook, name: str) -> Cell | None:
    """The cell that a name such as `3` or `cell-3` counts, from 0; None if it is no number, or none of a cell."""
    digits = name.removeprefix("cell-")
    # No notebook has so many cells that a number has more digits.
    is_number = digits.isdecimal() and len(digits) < 9
    if is_number and int(digits) < len(notebook.cells):
        return notebook.cells[int(digits)]
    return None


def _listing(cells: Sequence[Cell]) -> str:
    rows: list[str] = []
    for cell in cells[:MOST_LISTED_CELLS]:
        first = next((line for line in cell.source.split("\n") if line.strip()), "")[:LONGEST_LISTED_CELL]
        rows.append(f"\n  {cell.name}: {first}")
    more = f"\n  … and {len(cells) - MOST_LISTED_CELLS} more" if len(cells) > MOST_LISTED_CELLS else ""
    return "".join(rows) + more
