"""Rendering a `Patch` as an envelope.

The invariant: parsing the rendered text in the same dialect gives an equal patch.
"""

from __future__ import annotations

from ..core.dialect import (
    ADD,
    BEGIN,
    DELETE,
    END,
    END_OF_FILE,
    ENVIRONMENT,
    MOVE,
    MOVE_TO,
    NO_NEWLINE,
    STANDARD,
    UPDATE,
    Dialect,
    dialect_named,
)
from ..core.patch import AddFile, ChangeFile, DeleteFile, EditFile, UpdateFile, WriteFile, changes_endings
from ..core.problems import PatchInvalidError
from .envelope import parse_envelope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..core.patch import Hunk, Operation, Patch


def render(patch: Patch, dialect: str | Dialect = STANDARD) -> str:
    """The patch as an envelope.

    Raises:
        ValueError: the dialect can't express the patch: the text would not parse as an equal one.
    """
    dialect = dialect_named(dialect)
    for operation in patch.operations:
        refuse_unsaid(operation)
    lines = [BEGIN]
    if patch.environment_id is not None:
        lines.append(ENVIRONMENT + patch.environment_id)
    for operation in patch.operations:
        lines += _section(operation, dialect)
    text = "\n".join((*lines, END, ""))
    try:
        parsed = parse_envelope(text, dialect, max_size=len(text), max_sections=len(patch.operations))
    except PatchInvalidError as invalid:
        message = f"expected a patch that the {dialect.name} dialect can express; {invalid.problems[0].message}"
        raise ValueError(message) from invalid
    if parsed != patch:
        message = f"expected a patch that the {dialect.name} dialect can express; it would be parsed as {parsed!r}"
        raise ValueError(message)
    return text


def refuse_unsaid(operation: Operation) -> None:
    """Refuse what only a unified diff can say about a file: its mode, its line endings, that it is a copy.

    Raises:
        ValueError: the operation says one of these.
    """
    what = ""
    if isinstance(operation, AddFile | UpdateFile) and operation.mode:
        what = f"{operation.path} gets the mode {operation.mode}"
    elif isinstance(operation, UpdateFile) and operation.is_copy:
        what = f"{operation.move_to} is a copy of {operation.path}"
    elif isinstance(operation, UpdateFile) and changes_endings(operation.hunks):
        what = f"line endings or the byte order mark of {operation.path} change"
    if what:
        message = f"{what}, which only a unified diff can say"
        raise ValueError(message)


def _section(operation: Operation, dialect: Dialect) -> Iterator[str]:
    if isinstance(operation, DeleteFile):
        yield DELETE + operation.path
        return
    if isinstance(operation, AddFile):
        yield ADD + operation.path
        yield from _added_lines(operation, dialect)
        return
    if isinstance(operation, EditFile | WriteFile | ChangeFile):
        message = f"expected hunks; {operation.path} is changed by string edits or as a whole"
        raise ValueError(message)  # noqa: TRY004 - it is about the patch, not its type
    if operation.move_to is not None and MOVE_TO not in dialect.headers:
        yield f"{MOVE}{operation.path} -> {operation.move_to}"
    else:
        yield UPDATE + operation.path
        if operation.move_to is not None:
            yield MOVE_TO + operation.move_to
    for hunk in operation.hunks:
        yield from _hunk(hunk)


def _added_lines(operation: AddFile, dialect: Dialect) -> Iterator[str]:
    """The lines of a new file with their signs, so that the parser of the dialect reads back the same content."""
    content = operation.content
    if not content:
        return
    final_newline = dialect.added_final_newline
    has_newline = content.endswith("\n")
    text = content.removesuffix("\n")
    ends_with_blank_line = has_newline and (text == "" or text.endswith("\n"))
    parser_adds_newline = final_newline == "always"
    if final_newline == "unless_blank" and not ends_with_blank_line:
        parser_adds_newline = True
    lines = text.split("\n")
    if has_newline and not parser_adds_newline:
        # The newline is written as one more line, which is empty.
        lines.append("")
    for line in lines:
        yield "+" + line
    if not has_newline and final_newline != "never" and dialect.no_newline_marker:
        yield NO_NEWLINE


def _hunk(hunk: Hunk) -> Iterator[str]:
    """The lines of a hunk, with its `@@` lines."""
    numbers = "" if hunk.line_hint is None else f"-{hunk.line_hint} +{hunk.line_hint} @@"
    first, *more = hunk.anchors or ("",)
    yield " ".join(part for part in ("@@", numbers, first) if part)
    for anchor in more:
        yield f"@@ {anchor}"
    without_newline = _lines_without_newline(hunk)
    for index, line in enumerate(hunk.lines):
        yield line
        if index in without_newline:
            yield NO_NEWLINE
    if hunk.at_end:
        yield END_OF_FILE


def _lines_without_newline(hunk: Hunk) -> set[int]:
    """The indices of the lines that no newline ends: the last one of each side that the hunk names."""
    last_old = last_new = -1
    for index, line in enumerate(hunk.lines):
        if line.startswith((" ", "-")):
            last_old = index
        if line.startswith((" ", "+")):
            last_new = index
    indices: set[int] = set()
    if hunk.no_newline in ("old", "both"):
        indices.add(last_old)
    if hunk.no_newline in ("new", "both"):
        indices.add(last_new)
    return indices
