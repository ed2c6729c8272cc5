"""From one form of edits to another: by the values alone, or by what they do to files.

Without the files, a patch is written as it was read. With them, it is placed and written anew from the texts before and
after, with as much context as each hunk needs; a unified diff has line numbers only this way, unless it came with them.
"""

from __future__ import annotations

from ..core.dialect import Dialect, dialect_named
from ..core.patch import AddFile, DeleteFile, UpdateFile
from ..format.write_forms import plain_patch, write_envelope, write_json, write_search_replace
from .write_diff import join_diffs, unified_diff, write_hunk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..core.patch import Hunk, Operation, Patch

#: The forms that can be written.
WRITABLE = ("envelope", "unified", "search-replace", "json")


def convert(patch: Patch, to: str, dialect: str | Dialect = "standard", *, is_checked: bool = False) -> str:
    """A patch in another form: "envelope", "unified", "search-replace" or "json".

    `dialect` is that of an envelope. What is written is read back as an equal patch, without a concession. With
    `is_checked`, it may say less about the place than the patch does: the caller tries it on the files.

    Raises:
        ValueError: the form can't express the patch, or not without the files.
    """
    if not is_checked:
        _refuse_loss(patch, to)
    if to == "envelope":
        return write_envelope(patch, dialect_named(dialect))
    if to == "search-replace":
        return write_search_replace(patch)
    if to == "json":
        return write_json(patch)
    if to != "unified":
        message = f"expected one of the forms {', '.join(WRITABLE)}; found {to!r}"
        raise ValueError(message)
    plain_patch(patch)
    return join_diffs(_diff(operation) for operation in patch.operations)


def _refuse_loss(patch: Patch, to: str) -> None:
    """Refuse a form that says less about the place of a hunk: without the files, it may be found in another one."""
    if to not in ("search-replace", "json"):
        return
    updates = [operation for operation in patch.operations if isinstance(operation, UpdateFile) and operation.hunks]
    for operation in updates:
        if to == "json":
            message = f"a hunk of {operation.path} is whole lines, and a string may be found inside of a line"
            raise ValueError(message)
        if any(hunk.anchors or hunk.at_end for hunk in operation.hunks):
            message = f"a hunk of {operation.path} has an anchor or is at the end of the file"
            raise ValueError(message)


def _diff(operation: Operation) -> str:
    if isinstance(operation, AddFile):
        return unified_diff(None, operation.content, operation.path)
    if isinstance(operation, UpdateFile):
        header = unified_diff("", "", operation.path, to_path=operation.move_to)
        hunks = "".join(_hunks(operation.path, operation.hunks))
        names = unified_diff("", "x", operation.path, to_path=operation.move_to).removeprefix(header)
        return header + (names[: names.index("@@")] + hunks if hunks else "")
    assert isinstance(operation, DeleteFile), "BUG: string edits and whole files have been refused"
    if operation.content is not None:
        return unified_diff(operation.content, None, operation.path)
    message = f"{operation.path} is deleted, and a diff has the lines that it deletes"
    raise ValueError(message)


def _hunks(path: str, hunks: tuple[Hunk, ...]) -> Iterator[str]:
    shift = 0
    for hunk in hunks:
        if hunk.line_hint is None or hunk.at_end or hunk.anchors:
            message = f"a hunk of {path} has no line number"
            raise ValueError(message)
        yield from write_hunk(hunk, shift)
        shift += len(hunk.added) - len(hunk.removed)
