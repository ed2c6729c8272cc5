"""A Patch as an envelope again.

The invariant: what was read in a dialect and is rendered for it reads as an equal Patch.
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
from ..core.patch import AddFile, DeleteFile
from ..core.problems import PatchInvalidError
from .envelope import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..core.patch import Hunk, Operation, Patch


def render(patch: Patch, dialect: str | Dialect = STANDARD) -> str:
    """The patch as an envelope.

    Raises:
        ValueError: the dialect has no way to say it: what is written would not read as this patch.
    """
    dialect = dialect_named(dialect)
    lines = [BEGIN]
    if patch.environment_id is not None:
        lines.append(ENVIRONMENT + patch.environment_id)
    for operation in patch.operations:
        lines += _section(operation, dialect)
    text = "\n".join((*lines, END, ""))
    try:
        read = parse(text, dialect, max_size=len(text), max_sections=len(patch.operations))
    except PatchInvalidError as invalid:
        message = f"expected a patch that {dialect.name} can say; {invalid.problems[0].message}"
        raise ValueError(message) from invalid
    if read != patch:
        message = f"expected a patch that {dialect.name} can say; it would read as {read!r}"
        raise ValueError(message)
    return text


def _section(operation: Operation, dialect: Dialect) -> Iterator[str]:
    if isinstance(operation, DeleteFile):
        yield DELETE + operation.path
        return
    if isinstance(operation, AddFile):
        yield ADD + operation.path
        yield from _added(operation, dialect)
        return
    if operation.move_to is not None and MOVE_TO not in dialect.headers:
        yield f"{MOVE}{operation.path} -> {operation.move_to}"
    else:
        yield UPDATE + operation.path
        if operation.move_to is not None:
            yield MOVE_TO + operation.move_to
    for hunk in operation.hunks:
        yield from _hunk(hunk)


def _added(operation: AddFile, dialect: Dialect) -> Iterator[str]:
    content = operation.content
    lines = content.split("\n") if content else []
    how = dialect.added_final_newline
    ends = content[-1:] == "\n"
    # "never" and a blank last line in "unless_blank" end the file with the last line as it is.
    if ends and (how == "always" or (how == "unless_blank" and lines[-2:-1] != [""])):
        lines.pop()
    for line in lines:
        yield "+" + line
    if content and not ends and how != "never" and dialect.no_newline_marker:
        yield NO_NEWLINE


def _hunk(hunk: Hunk) -> Iterator[str]:
    numbers = "" if hunk.line_hint is None else f"-{hunk.line_hint} +{hunk.line_hint} @@"
    first, *more = hunk.anchors or ("",)
    yield " ".join(part for part in ("@@", numbers, first) if part)
    for anchor in more:
        yield f"@@ {anchor}"
    unfinished: set[int] = set()
    kinds = [line[:1] for line in hunk.lines]
    for side, kind in (("old", "-"), ("new", "+")):
        if hunk.no_newline in (side, "both"):
            unfinished.add(max((i for i, k in enumerate(kinds) if k in (kind, " ")), default=-1))
    for index, line in enumerate(hunk.lines):
        yield line
        if index in unfinished:
            yield NO_NEWLINE
    if hunk.at_end:
        yield END_OF_FILE
