"""Writing a `Patch` in forms other than the envelope: SEARCH/REPLACE blocks, and tool calls in JSON.

The invariant: parsing what was written gives an equal patch, without a concession. What a form can't express is a
`ValueError`, never left out.
"""

from __future__ import annotations

from json import dumps

from ..core.dialect import STANDARD, Dialect
from ..core.patch import AddFile, ChangeFile, DeleteFile, EditFile, Patch, UpdateFile, WriteFile
from ..core.problems import PatchInvalidError
from ..core.string_edits import StringEdit
from .patch_parser import parse
from .search_replace import DIVIDER, REPLACE, SEARCH, hunk_lines, is_marker
from .writer import refuse_unsaid, render

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..core.patch import Hunk, Operation


#: What a file is changed by, where it is not hunks.
_KINDS = {"EditFile": "a string edit", "WriteFile": "a whole file", "ChangeFile": "a change without its old text"}


def plain_patch(patch: Patch, *, end_of_file: bool = True) -> Patch:
    """The patch without what only some programs read: line numbers, and the mark of a missing newline where it stays.

    Raises:
        ValueError: a string edit or a whole file can't be said as hunks without the file.
    """
    return patch.replace(operations=tuple([_plain(one, end_of_file=end_of_file) for one in patch.operations]))


def _plain(operation: Operation, *, end_of_file: bool) -> Operation:
    if isinstance(operation, EditFile | WriteFile | ChangeFile):
        what = _KINDS[type(operation).__name__]
        message = f"{operation.path} is changed by {what}, which becomes hunks only where the file is"
        raise ValueError(message)  # noqa: TRY004 - it is about the patch, not its type
    if not isinstance(operation, UpdateFile):
        return operation
    hunks = []
    for hunk in operation.hunks:
        stays = hunk.no_newline == "both" and end_of_file
        ends = {"no_newline": "", "at_end": True} if stays else {}
        hunks.append(hunk.replace(line_hint=None, **ends))
    return operation.replace(hunks=tuple(hunks))


def write_envelope(patch: Patch, dialect: Dialect = STANDARD) -> str:
    """The patch as an envelope that every dialect reads, where the patch allows it.

    Raises:
        ValueError: the dialect can't express it.
    """
    return render(plain_patch(patch, end_of_file=dialect.end_of_file), dialect)


def write_search_replace(patch: Patch) -> str:
    """The patch as SEARCH/REPLACE blocks, each below the path of its file.

    Raises:
        ValueError: it deletes or renames a file, or a hunk is more than lines and their replacement.
    """
    for operation in patch.operations:
        refuse_unsaid(operation)
    parts = [part for operation in plain_patch(patch).operations for part in _blocks(operation)]
    return _checked(patch, "\n".join(parts), "search-replace")


def _blocks(operation: Operation) -> Iterator[str]:
    path = operation.path
    if isinstance(operation, AddFile):
        if not operation.content or operation.content[-1] != "\n":
            message = f"{path} is empty or does not end with a newline, and parts of a block are whole lines"
            raise ValueError(message)
        yield _block(path, [], operation.content[:-1].split("\n"))
    elif isinstance(operation, UpdateFile) and operation.move_to is None:
        for hunk in operation.hunks:
            if hunk.no_newline in ("old", "new"):
                message = f"a hunk of {path} is about the newline at the end of the file"
                raise ValueError(message)
            if not hunk.old or not any(map(str.strip, hunk.old)):
                message = f"a hunk of {path} has no line to search for"
                raise ValueError(message)
            yield _block(path, hunk.old, hunk.new)
    else:
        message = f"{path} is {'deleted' if isinstance(operation, DeleteFile) else 'renamed'}"
        raise ValueError(message)


def _block(path: str, old: list[str], new: list[str]) -> str:
    for line in (*old, *new):
        if is_marker(line):
            message = f"a line of {path} would be read as a marker: {line!r}"
            raise ValueError(message)
    parts = ([f"\\{line}" if line.startswith(DIVIDER) else line for line in part] for part in (old, new))
    return "\n".join((path, SEARCH, *next(parts), DIVIDER, *next(parts), REPLACE, ""))


def write_json(patch: Patch) -> str:
    """The patch as a list of tool calls in JSON, in the names that `Session` has.

    Raises:
        ValueError: a hunk has no lines to find, or says more than lines and their replacement.
    """
    for operation in patch.operations:
        refuse_unsaid(operation)
    calls = [_call(operation) for operation in patch.operations]
    return dumps(calls, indent=2, ensure_ascii=False) + "\n"


def _call(operation: Operation) -> dict[str, object]:
    """The call of a tool that does what an operation does: edit, multiedit, write, delete or move.

    Raises:
        ValueError: no tool does it.
    """
    path = {"filePath": operation.path}
    if isinstance(operation, AddFile):
        if not operation.content:
            message = f"{operation.path} is empty, and an edit needs a text"
            raise ValueError(message)
        return {"name": "edit", "input": {**path, "oldString": "", "newString": operation.content}}
    if isinstance(operation, DeleteFile):
        return {"name": "delete", "input": path}
    if isinstance(operation, ChangeFile):
        message = f"{operation.path} is changed without its old text, which only the file has"
        raise ValueError(message)  # noqa: TRY004 - it is about the patch, not its type
    if isinstance(operation, WriteFile):
        return {"name": "write", "input": {**path, "content": operation.content}}
    if isinstance(operation, UpdateFile):
        if operation.move_to is not None:
            if operation.hunks:
                message = f"{operation.path} is changed and renamed in one step"
                raise ValueError(message)
            return {"name": "move", "input": {**path, "toPath": operation.move_to}}
        operation = EditFile(operation.path, tuple([_string_edit(operation.path, hunk) for hunk in operation.hunks]))
    edits = [
        {"oldString": edit.old, "newString": edit.new, **({"replaceAll": True} if edit.replace_all else {})}
        for edit in operation.edits
    ]
    if len(edits) == 1:
        return {"name": "edit", "input": {**path, **edits[0]}}
    return {"name": "multiedit", "input": {**path, "edits": edits}}


def _string_edit(path: str, hunk: Hunk) -> StringEdit:
    """A hunk as a string edit of whole lines."""
    old, new = "\n".join(hunk.old), "\n".join(hunk.new)
    if not old.strip() or hunk.no_newline in ("old", "new"):
        message = f"a hunk of {path} has no text to find, or is about the newline at the end of the file"
        raise ValueError(message)
    # Without a newline, to replace a line by an empty one would delete it.
    return StringEdit(old, new) if new or not hunk.new else StringEdit(f"{old}\n", f"{new}\n")


def _checked(patch: Patch, text: str, form: str) -> str:
    """The text, if it is read as the same change.

    Raises:
        ValueError: it is read as another one.
    """
    try:
        parsed = parse(text, form=form, max_size=len(text) + 1)
    except PatchInvalidError as invalid:
        raise ValueError(invalid.problems[0].message) from invalid
    if parsed.concessions or _texts(parsed) != _texts(patch):
        message = f"it would be read as another change: {_texts(parsed)!r}"[:500]
        raise ValueError(message)
    return text


def _texts(patch: Patch) -> list[tuple[str, object]]:
    """What a patch changes, apart from how hunks are cut into context, removed and added lines."""
    texts: list[tuple[str, object]] = []
    for one in patch.operations:
        if isinstance(one, UpdateFile):
            texts += [(one.path, tuple(hunk_lines(hunk.old, hunk.new))) for hunk in one.hunks]
        elif isinstance(one, AddFile):
            texts.append((one.path, one.content))
    return texts
