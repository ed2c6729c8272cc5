"""Changes of a file that name their place by a line number, by the name of a definition, or not at all.

Hunks and string edits carry the text that they change. These carry less, so each says what it claims, and the engine
decides whether that is enough.
"""

from __future__ import annotations

from .value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    LineChange: TypeAlias = "AppendText | InsertLines | ReplaceLines"
    TextChange: TypeAlias = "LineChange | ChangeCell | ReplaceDefinition | InsertDefinition | Sketch"


class AppendText(Value):
    """Put whole lines at the end of a file; a file that does not exist is created."""

    text: str


class InsertLines(Value):
    """Put whole lines after a line, by its number from 1; 0 is the beginning of the file."""

    text: str
    after: int


class ReplaceLines(Value):
    """Replace the lines from one number to another, both included and counted from 1.

    `first_text` and `last_text` are what the call says that the first and the last of these lines are; None if it says
    nothing about them. An empty `text` deletes the lines.
    """

    text: str
    first: int
    last: int
    first_text: str | None = None
    last_text: str | None = None


class ChangeCell(Value):
    """Change a cell of a notebook.

    `cell` is its id, or its number from 0 as `cell-3` or `3`; "TOP" and "BOTTOM" are the ends of the notebook. `act` is
    "replace" for all of its source, "edit" for a string edit of it (`old` becomes `text`), "insert" for a new cell
    after it, and "delete". `kind` is that of a new cell: "code" or "markdown". With `is_number`, `cell` is a number and
    no id, even if a cell has an id of these digits.
    """

    text: str
    cell: str
    act: str = "replace"
    old: str = ""
    kind: str = ""
    is_number: bool = False


class ReplaceDefinition(Value):
    """Replace the whole definition of a name, which may be qualified: `Loader.read`.

    `renames` says that the new definition may have another name.
    """

    text: str
    name: str
    renames: bool = False


class InsertDefinition(Value):
    """Add a definition after the one of a name, or before it."""

    text: str
    name: str
    before: bool = False


class Sketch(Value):
    """The new code of a file, with comments such as `... existing code ...` where lines stay."""

    text: str
