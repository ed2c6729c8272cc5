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
    content = operation.content
    lines = content.split("\n") if content else []
    how = dialect.added_final_newline
    has_newline = content[-1:] == "\n"
    # With "never", and with a blank last line in "unless_blank", the parser adds no newline.
    if has_newline and (how == "always" or (how == "unless_blank" and lines[-2:-1] != [""])):
        lines.pop()
    for line in lines:
        yield "+" + line
    if content and not has_newline and how != "never" and dialect.no_newline_marker:
        yield NO_NEWLINE


def _hunk(hunk: Hunk) -> Iterator[str]:
    numbers = "" if hunk.line_hint is None else f"-{hunk.line_hint} +{hunk.line_hint} @@"
    first, *more = hunk.anchors or ("",)
    yield " ".join(part for part in ("@@", numbers, first) if part)
    for anchor in more:
        yield f"@@ {anchor}"
    ends_without_newline: set[int] = set()
    kinds = [line[:1] for line in hunk.lines]
    for side, kind in (("old", "-"), ("new", "+")):
        if hunk.no_newline in (side, "both"):
            ends_without_newline.add(max((i for i, k in enumerate(kinds) if k in (kind, " ")), default=-1))
    for index, line in enumerate(hunk.lines):
        yield line
        if index in ends_without_newline:
            yield NO_NEWLINE
    if hunk.at_end:
        yield END_OF_FILE
