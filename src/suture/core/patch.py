"""Patches as immutable values that never touch the disk.

A `Patch` is a list of operations on files; an `UpdateFile` has hunks, an `EditFile` string edits; a `Hunk` is one `@@`
block. Every form in which models write edits is read into these. They say what was written, not where it belongs.
Positions in the patch text are kept for messages and ignored by equality.
"""

from __future__ import annotations

from .value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import ClassVar, Literal, TypeAlias

    from .string_edits import StringEdit
    from .text_changes import TextChange

    Operation: TypeAlias = "AddFile | DeleteFile | UpdateFile | EditFile | WriteFile | ChangeFile"
    NoNewline: TypeAlias = Literal["", "old", "new", "both"]
    Mode: TypeAlias = Literal["", "100644", "100755"]


#: The byte order mark, which in a diff is a character of a file's first line.
BOM = "\ufeff"
#: The modes of git for a file that can't be executed, and for one that can.
PLAIN: Mode = "100644"
EXECUTABLE: Mode = "100755"


class Concession(Value):
    """A leniency that was used, by name, with the patch line it was used on (0 if no line applies).

    `about` is what it was used on, such as the path of a file that was left out; empty if the name says enough.
    """

    name: str
    line: int = 0
    about: str = ""


class Hunk(Value):
    """One `@@` block.

    `lines` are as written, prefix included: `" context"`, `"-removed"`, `"+added"`. `line_hint` is the line number of a
    unified header and `heading` the text behind its numbers: a line somewhere above the hunk. `no_newline` is the side
    that a `\\ No newline at end of file` follows. `bare` are the indices of the lines that were written without a
    prefix and read as context. `is_block` says that it was written as a SEARCH/REPLACE block, for messages. `exact` are
    the lines of a diff with the CR and the byte order marks that `lines` leave out; empty if there are none.
    `position` is its number and how many there are, for messages about a hunk that is planned without the others.
    """

    lines: tuple[str, ...]
    anchors: tuple[str, ...] = ()
    at_end: bool = False
    no_newline: NoNewline = ""
    line_hint: int | None = None
    bare: tuple[int, ...] = ()
    line: int = 0
    is_block: bool = False
    heading: str = ""
    exact: tuple[str, ...] = ()
    position: tuple[int, int] | None = None

    _not_compared: ClassVar[tuple[str, ...]] = ("bare", "line", "is_block", "exact", "position")
    _not_in_json: ClassVar[tuple[str, ...]] = ("is_block", "position")

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
    """Create a file with this content.

    `mode` is "100755" if a diff makes it executable; empty leaves it to the system. `onto_empty` says that a diff may
    have meant a file that exists and is empty: its hunk is `@@ -0,0`, but nothing says that the file is new.
    """

    path: str
    content: str = ""
    line: int = 0
    mode: Mode = ""
    onto_empty: bool = False

    _not_compared: ClassVar[tuple[str, ...]] = ("line", "onto_empty")


class DeleteFile(Value):
    """Delete a file. `content` is what a diff says that the file has; None if nothing is said about it.

    `blobs` are the hashes of the diff's `index` line, as for `UpdateFile`.
    """

    path: str
    line: int = 0
    content: str | None = None
    blobs: tuple[str, ...] = ()

    _not_compared: ClassVar[tuple[str, ...]] = ("line", "content", "blobs")


class UpdateFile(Value):
    """Change a file by hunks, rename it, change its mode, or several of these.

    With `is_copy`, the file stays as it is, and what becomes of it goes to `move_to`, as a diff says it. `mode` is the
    one that a diff gives it: "100755" makes it executable, "100644" takes that back. `blobs` are the hashes of git in
    the diff's `index` line, of the content before and after, which may be shortened.
    """

    path: str
    hunks: tuple[Hunk, ...] = ()
    move_to: str | None = None
    line: int = 0
    mode: Mode = ""
    blobs: tuple[str, ...] = ()
    is_copy: bool = False

    _not_compared: ClassVar[tuple[str, ...]] = ("line", "blobs")

    @property
    def is_from_nothing(self) -> bool:
        """Whether its one hunk adds lines to an empty file, by its header `@@ -0,0`."""
        return len(self.hunks) == 1 and self.hunks[0].line_hint == 0 and not self.hunks[0].old


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


class ChangeFile(Value):
    """Change a file in a way that carries no text to find, such as by a line number."""

    path: str
    change: TextChange
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


def paths_of(operations: Iterable[Operation]) -> list[str]:
    """The paths that operations name, in order: of each file, and where it moves to."""
    paths: list[str] = []
    for operation in operations:
        paths.append(operation.path)
        if isinstance(operation, UpdateFile) and operation.move_to is not None:
            paths.append(operation.move_to)
    return paths


def changes_endings(hunks: Sequence[Hunk]) -> bool:
    """Whether lines of a diff end differently, or a byte order mark comes or goes; only `exact` lines say so."""
    return _mixes_endings(hunks) or any(map(_changes_mark, hunks))


def _mixes_endings(hunks: Sequence[Hunk]) -> bool:
    has_lf = has_crlf = False
    for hunk in hunks:
        # A line that begins with a backslash says that the line above it has no line ending.
        is_above_mark = False
        for line in reversed(hunk.exact):
            is_mark = line[0] == "\\"
            has_ending = not is_mark and not is_above_mark
            if has_ending and line.strip(" "):
                if line.endswith("\r"):
                    has_crlf = True
                else:
                    has_lf = True
            is_above_mark = is_mark
    return has_lf and has_crlf


def _changes_mark(hunk: Hunk) -> bool:
    first = {line[0]: line[1:2] == BOM for line in reversed(hunk.exact)}
    return first.get("-", False) != first.get("+", False)
