"""`rebase`: an edit that was written for one version of a text, applied to another version of it. No disk."""

from __future__ import annotations

from ..core.dialect import dialect_named
from ..core.patch import Concession, EditFile, Patch, paths_of
from ..core.problems import PEER_NAMES, PatchRejectedError, Problem
from ..core.string_edits import StringEdit
from ..core.value import Value
from ..place.merge_contents import merge_contents, rebased_concession, replaced_texts
from ..place.replace import read_edits
from ..words.file_problems import applied_already
from .evaluation import apply_in_memory
from .history_text import parse_patch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from ..core.dialect import Dialect
    from .evaluation import InMemory

#: The name of the text in memory, where nobody has said one.
_NAMELESS = "file"
#: Problems of an edit that has no place in a text.
_PLACE_CODES = PEER_NAMES["ComputeReplacements"] - {"no_change"}


class RebaseResult(Value):
    """The result of `rebase`: the new text, of the type that was given, and what was conceded.

    `file_lines` and `edit_lines` are the lines of the new text that the later change and the edit have written, as
    ranges of line numbers from 1, inclusive. Both are empty where nothing had to be merged.
    """

    text: Any
    concessions: tuple[Concession, ...] = ()
    file_lines: tuple[tuple[int, int], ...] = ()
    edit_lines: tuple[tuple[int, int], ...] = ()


def rebase(
    base: str | bytes,
    current: str | bytes,
    edit: str | Patch | StringEdit | Iterable[Any],
    path: str = "",
    *,
    dialect: str | Dialect = "standard",
    encoding: str | None = None,
) -> RebaseResult:
    """Apply an edit that was written for `base` to `current`, which was made from `base` by somebody else.

    `edit` is a text in any form that `parse` reads, a Patch, or string edits: one, or a list of what `multiedit` takes.
    It is placed in `base` and merged with what has changed since. If it has no place in `base`, it is applied to
    `current`. `path` is for messages and says which language the file is in; without it, the edit's own path does.

    Raises:
        PatchInvalidError: the edit can't be read.
        PatchRejectedError: the edit has no place, was applied already, or can't be merged (`conflict`).
    """
    patch = _read(edit, path, dialect)
    names = set(filter(None, paths_of(patch.operations)))
    if len(names) != 1:
        message = f"The edit is about {len(names)} files, and only one can be rebased at a time."
        raise PatchRejectedError([Problem("invalid_arguments", message, path, hint="Pass the edits of one file.")])
    name = names.pop()
    settings: dict[str, Any] = {"dialect": dialect, "encoding": encoding}
    try:
        applied = apply_in_memory(patch, {name: base}, **settings)
    except PatchRejectedError as refused:
        if base == current or any(problem.code not in _PLACE_CODES for problem in refused.problems):
            raise
        try:
            applied = apply_in_memory(patch, {name: current}, **settings)
        except PatchRejectedError:
            raise refused from None
        return RebaseResult(_text_of(applied, name, path), _concessions(applied))
    edited = _text_of(applied, name, path)
    if base == current:
        return RebaseResult(edited, _concessions(applied))
    edits: list[StringEdit] = []
    for operation in patch.operations:
        if isinstance(operation, EditFile):
            edits += operation.edits
    merged = merge_contents(base, current, edited, path or name, encoding, replaced_texts(edits))
    if merged.content == current:
        message = f"{path or name} already has what the edit does."
        raise PatchRejectedError([applied_already(path or name, message)])
    concessions = (*_concessions(applied), rebased_concession(merged))
    return RebaseResult(merged.content, concessions, merged.file_lines, merged.edit_lines)


def _read(edit: str | Patch | StringEdit | Iterable[Any], path: str, dialect: str | Dialect) -> Patch:
    """The edit as a patch."""
    if isinstance(edit, str | Patch):
        return parse_patch(edit, dialect_named(dialect), path=path or _NAMELESS)[0]
    edits = [edit] if isinstance(edit, StringEdit) else list(edit)
    return Patch((EditFile(path or _NAMELESS, tuple(read_edits(edits, path))),))


def _text_of(applied: InMemory, name: str, path: str) -> str | bytes:
    """The text after the edit, which must be about the file itself."""
    if set(applied.texts) != {name} or any(change.kind != "update" for change in applied.plan.changes):
        message = f"The edit does more to {path or name} than to change its text."
        hint = "Only edits of a text can be rebased, not moves and removals of files."
        raise PatchRejectedError([Problem("invalid_arguments", message, path or name, hint=hint)])
    return applied.texts[name]


def _concessions(applied: InMemory) -> tuple[Concession, ...]:
    """Everything that was conceded in reading and placing an edit."""
    concessions = [*applied.plan.concessions]
    for change in applied.plan.changes:
        concessions += change.concessions
        concessions += [concession for match in change.matches for concession in match.concessions]
        concessions += [concession for edit in change.edits for concession in edit.concessions]
    return tuple(dict.fromkeys(concessions))
