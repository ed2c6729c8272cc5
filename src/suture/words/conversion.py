"""From one form of edits to another: by the values alone, or by what they do to files.

Without the files, a patch is written as it was read. With them, it is placed and written anew from the texts before and
after, with as much context as each hunk needs; a unified diff has line numbers only this way, unless it came with them.
"""

from __future__ import annotations

from ..core.dialect import Dialect, dialect_named
from ..core.line_hunks import line_hunks
from ..core.patch import EXECUTABLE, PLAIN, AddFile, DeleteFile, UpdateFile
from ..core.write_diff import FileSection, join_sections
from ..format.write_forms import plain_patch, write_envelope, write_json, write_search_replace
from .patch_hunks import from_patch_hunk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..core.line_hunks import LineHunk
    from ..core.patch import Hunk, Mode, Operation, Patch

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
    return join_sections(unified_sections(patch))


def unified_sections(patch: Patch) -> list[FileSection]:
    """A patch as the files of a unified diff.

    Raises:
        ValueError: a diff can't express the patch, or not without the files.
    """
    plain_patch(patch)
    return [_section(operation) for operation in patch.operations]


def _refuse_loss(patch: Patch, to: str) -> None:
    """Refuse a form that says less about the place of a hunk or whether its file exists: only the files can tell."""
    for operation in patch.operations:
        if isinstance(operation, AddFile) and operation.onto_empty and to != "unified":
            message = f"whether {operation.path} is a new file or an empty one, only the files tell"
            raise ValueError(message)
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


def _section(operation: Operation) -> FileSection:
    """One operation as a file of a diff."""
    path = operation.path
    if isinstance(operation, AddFile):
        if operation.onto_empty:
            old_mode, new_mode = _modes(operation.mode)
            hunks = line_hunks("", operation.content)
            return FileSection(path, path, hunks, old_mode=old_mode, new_mode=new_mode)
        hunks = line_hunks(None, operation.content)
        return FileSection(path, path, hunks, is_new=True, new_mode=operation.mode or PLAIN)
    if isinstance(operation, UpdateFile):
        return _update(operation)
    assert isinstance(operation, DeleteFile), "BUG: string edits and whole files have been refused"
    if operation.content is not None:
        return FileSection(path, path, line_hunks(operation.content, None), is_deleted=True)
    message = f"{path} is deleted, and a diff has the lines that it deletes"
    raise ValueError(message)


def _modes(mode: Mode) -> tuple[Mode, Mode]:
    """The modes before and after of a file that gets a mode, or that keeps the one that it has."""
    if not mode:
        return PLAIN, PLAIN
    return PLAIN if mode == EXECUTABLE else EXECUTABLE, mode


def _update(operation: UpdateFile) -> FileSection:
    path, new_path = operation.path, operation.move_to or operation.path
    old_mode, new_mode = _modes(operation.mode)
    return FileSection(
        path,
        new_path,
        tuple(_hunks(path, operation.hunks)),
        old_mode=old_mode,
        new_mode=new_mode,
        is_copy=operation.is_copy,
        blobs=operation.blobs,
    )


def _hunks(path: str, hunks: tuple[Hunk, ...]) -> Iterator[LineHunk]:
    shift = 0
    for hunk in hunks:
        if hunk.line_hint is None or hunk.at_end or hunk.anchors:
            message = f"a hunk of {path} has no line number"
            raise ValueError(message)
        yield from_patch_hunk(hunk, shift)
        shift += len(hunk.added) - len(hunk.removed)
