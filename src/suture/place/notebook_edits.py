"""String edits and hunks of a notebook, as a model sees it: of the source of its cells, or of the JSON of the file.

The cells come first. An edit that fits the source of exactly one cell is made there, and the JSON is written anew for
those lines alone. Any other edit is one of the JSON, which must stay a notebook.
"""

from __future__ import annotations

from ..core.notebook import Notebook
from ..core.paths import NOTEBOOK
from ..core.problems import PatchRejectedError
from ..core.text import Text
from ..core.value import Value
from ..words.change_problems import change_refusal
from .change_cells import edit_each
from .replace import multiedit
from .update import Update, update

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ..core.edit_options import EditOptions
    from ..core.patch import Hunk
    from ..core.string_edits import AppliedEdit, StringEdit
    from .replace import MultiEdit


class EditedCells(Value):
    """A notebook after edits of its cells. Where these went is said by the difference, not by places in the JSON."""

    text: bytes
    edits: tuple[AppliedEdit, ...] = ()


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
    text = _notebook_text(content, path, options.encoding)
    if text is None:
        return multiedit(content, edits, path=path, options=options, **more)
    after = edit_each(text, edits, lambda source, edit: multiedit(source, [edit], path=path, options=options).text)
    if after is not None:
        return EditedCells(after)
    edited = multiedit(content, edits, path=path, options=options, **more)
    _check_notebook(edited.text, path, options.encoding)
    return edited


def update_text(
    content: bytes,
    hunks: Sequence[Hunk],
    path: str,
    *,
    options: EditOptions,
    **more: Any,  # noqa: ANN401 - those of the function for other files
) -> Update:
    """The content of a file after hunks; those of a notebook may be hunks of its cells.

    Raises:
        PatchRejectedError: a hunk has no place, or more than one.
    """
    text = _notebook_text(content, path, options.encoding)
    if text is None:
        return update(content, hunks, path=path, options=options, **more)
    own = {name: value for name, value in more.items() if name != "is_pristine"}
    after = edit_each(text, hunks, lambda source, hunk: update(source, [hunk], path=path, options=options, **own).text)
    if after is not None:
        return Update(after, [])
    updated = update(content, hunks, path=path, options=options, **more)
    _check_notebook(updated.text, path, options.encoding)
    return updated


def _notebook_text(content: bytes, path: str, encoding: str | None) -> Text | None:
    """The text of a notebook; None for any other file."""
    if not path.endswith(NOTEBOOK):
        return None
    try:
        text = Text(content, encoding, path)
        Notebook(text.raw)
    except (PatchRejectedError, ValueError):
        return None
    return text


def _check_notebook(content: bytes, path: str, encoding: str | None) -> None:
    """Refuse an edit of the JSON after which the file is no notebook."""
    try:
        Notebook(Text(content, encoding, path).raw)
    except ValueError as error:
        message = f"{path} would no longer be a notebook: {error}."
        hint = "Use lines of the source of one cell as the text to find, without the quotes and escapes of JSON."
        raise change_refusal("invalid_arguments", path, message, hint, reason="not_a_notebook") from None
