"""Patches as immutable values that never touch the disk.

A `Patch` is a list of operations on files; an `UpdateFile` has hunks, an `EditFile` string edits; a `Hunk` is one `@@`
block. Every form in which models write edits is read into these. They say what was written, not where it belongs.
Positions in the patch text are kept for messages and ignored by equality.
"""

from __future__ import annotations

from .value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import ClassVar, Literal, TypeAlias

    from .string_edits import StringEdit

    Operation: TypeAlias = "AddFile | DeleteFile | UpdateFile | EditFile | WriteFile"
    NoNewline: TypeAlias = Literal["", "old", "new", "both"]


class Concession(Value):
    """A leniency that was used, by name, with the patch line it was used on (0 if no line applies)."""

    name: str
    line: int = 0


class Hunk(Value):
    """One `@@` block.

    `lines` are as written, prefix included: `" context"`, `"-removed"`, `"+added"`. `line_hint` is the line number of a
    unified header, `no_newline` the side that a `\\ No newline at end of file` follows. `bare` are the indices of the
    lines that were written without a prefix and read as context. `is_block` says that it was written as a
    SEARCH/REPLACE block, for messages.
    """

    lines: tuple[str, ...]
    anchors: tuple[str, ...] = ()
    at_end: bool = False
    no_newline: NoNewline = ""
    line_hint: int | None = None
    bare: tuple[int, ...] = ()
    line: int = 0
    is_block: bool = False

    _not_compared: ClassVar[tuple[str, ...]] = ("bare", "line", "is_block")
    _not_in_json: ClassVar[tuple[str, ...]] = ("is_block",)

    @property
    def old(self) -> list[str]:
        """Context and removed lines: what the file should contain."""
        return [line[1:] for line in self.lines if line[0] != "+"]

    @property
    def new(self) -> list[str]:
        """Context and added lines: what they should become."""
        return [line[1:] for line in self.lines if line[0] != "-"]

    @property
    def added(self) -> list[str]:
        """The lines that the hunk adds."""
        return [line[1:] for line in self.lines if line[0] == "+"]

    @property
    def removed(self) -> list[str]:
        """The lines that the hunk removes."""
        return [line[1:] for line in self.lines if line[0] == "-"]


class AddFile(Value):
    """Create a file with this content."""

    path: str
    content: str = ""
    line: int = 0

    _not_compared: ClassVar[tuple[str, ...]] = ("line",)


class DeleteFile(Value):
    """Delete a file. `content` is what a diff says that the file has; None if nothing is said about it."""

    path: str
    line: int = 0
    content: str | None = None

    _not_compared: ClassVar[tuple[str, ...]] = ("line", "content")


class UpdateFile(Value):
    """Change a file by hunks, rename it, or both."""

    path: str
    hunks: tuple[Hunk, ...] = ()
    move_to: str | None = None
    line: int = 0

    _not_compared: ClassVar[tuple[str, ...]] = ("line",)


class EditFile(Value):
    """Change a file by string edits, each on the result of the one before."""

    path: str
    edits: tuple[StringEdit, ...]
    line: int = 0

    _not_compared: ClassVar[tuple[str, ...]] = ("line",)


class WriteFile(Value):
    """Give a file this content, whether it exists or not."""

    path: str
    content: str
    line: int = 0

    _not_compared: ClassVar[tuple[str, ...]] = ("line",)


class Patch(Value):
    """An ordered list of operations on files.

    `concessions` name what was read leniently, `form` the form of the text ("mixed" for several), and `strip` how many
    directories its reader was told to remove from the paths of diffs. They are about the text, not the patch, and
    ignored by equality.
    """

    operations: tuple[Operation, ...]
    environment_id: str | None = None
    concessions: tuple[Concession, ...] = ()
    form: str = "envelope"
    strip: int | None = None

    _not_compared: ClassVar[tuple[str, ...]] = ("concessions", "form", "strip")
    _not_in_json: ClassVar[tuple[str, ...]] = ("strip",)
