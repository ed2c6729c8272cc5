"""Comparing two sets of files: the patch that turns one into the other.

The context of hunks grows until the patch reproduces the new files byte for byte, so the result is known to apply. A
change that a patch can't express is a problem; it is never left out silently.
"""

from __future__ import annotations

from ..core.line_hunks import line_hunks
from ..core.patch import AddFile, DeleteFile, Patch, UpdateFile
from ..core.paths import check_path
from ..core.problems import PatchRejectedError, Problem
from ..core.text import Text
from ..format.writer import render
from ..words.file_problems import not_expressible
from ..words.patch_hunks import to_patch_hunk
from ..words.remarks import OnlyDiffs
from .update import update

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import TypeAlias

    from ..core.patch import Hunk, Operation

    #: Called with what is being done, how many files are done, and how many there are.
    Progress: TypeAlias = Callable[[str, int, int], None]

#: Lines of context to try, from what people like to read to what makes a place unique.
CONTEXTS = (3, 6, 12, 25, 100)


def no_progress(_what: str, _done: int, _total: int) -> None:
    """Report no progress."""


def compare_trees(
    before: Mapping[str, bytes], after: Mapping[str, bytes], dialect: str, progress: Progress = no_progress
) -> Patch:
    """The patch that turns one set of files into the other.

    Raises:
        PatchRejectedError: some changes can't be expressed in a patch; the exception has a problem for each.
    """
    operations: list[Operation] = []
    problems: list[Problem] = []
    moves = _moves(before, after)
    names = sorted(before.keys() | after.keys())
    for number, name in enumerate(names):
        progress("comparing", number, len(names))
        try:
            changes = list(_operations(name, before, after, moves, dialect))
            if changes:
                _check_names([name, moves.get(name, name)], dialect)
            operations += changes
        except PatchRejectedError as rejected:
            problems += rejected.problems
    if problems:
        problems[-1] = problems[-1].replace(remarks=(OnlyDiffs(len(problems)),))
        raise PatchRejectedError(problems)
    return Patch(tuple(operations))


def _operations(
    name: str,
    before: Mapping[str, bytes],
    after: Mapping[str, bytes],
    moves: Mapping[str, str],
    dialect: str,
) -> Iterator[Operation]:
    """What a patch does with the file of a name; nothing with one that stays, or that another one is renamed to.

    Raises:
        PatchRejectedError: a patch can't express its content.
    """
    if name in moves:
        yield UpdateFile(name, (), moves[name])
    elif name not in before:
        if name not in moves.values():
            yield AddFile(name, _text(name, after[name]))
    elif name not in after:
        yield DeleteFile(name)
    elif before[name] != after[name]:
        yield UpdateFile(name, _hunks(name, before[name], after[name], dialect))


def _check_names(names: Sequence[str], dialect: str) -> None:
    """Check that a patch can express these names and a workspace accepts them.

    Raises:
        PatchRejectedError: one of them is refused.
    """
    for name in names:
        try:
            name.encode()
            check_path(name)
            render(Patch((DeleteFile(name),)), dialect)
        except UnicodeEncodeError:
            raise PatchRejectedError([not_expressible(name, "its name is not UTF-8")]) from None
        except PatchRejectedError:
            raise PatchRejectedError([not_expressible(name, "a workspace does not accept its name")]) from None
        except ValueError:
            raise PatchRejectedError([not_expressible(name, "its name would be read as a different one")]) from None


def _moves(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> dict[str, str]:
    """Files that were renamed but not changed: the only ones with their content, before and after."""
    removed, added = _names_by_content(before, after), _names_by_content(after, before)
    moves: dict[str, str] = {}
    for data, names in removed.items():
        new_names = added.get(data, [])
        if len(names) == 1 and len(new_names) == 1:
            moves[names[0]] = new_names[0]
    return moves


def _names_by_content(files: Mapping[str, bytes], others: Mapping[str, bytes]) -> dict[bytes, list[str]]:
    """The names of files that are not among others, by their content; empty files left out."""
    names: dict[bytes, list[str]] = {}
    for name, data in files.items():
        if name not in others and data:
            names.setdefault(data, []).append(name)
    return names


def _text(name: str, data: bytes) -> str:
    """The text of a new file.

    Raises:
        PatchRejectedError: a patch can't express it.
    """
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise PatchRejectedError([not_expressible(name, "it is not UTF-8")]) from None
    if "\r" in text or "\0" in text:
        raise PatchRejectedError([not_expressible(name, "a new file must have LF line endings and no NUL character")])
    return text


def _hunks(name: str, before: bytes, after: bytes, dialect: str) -> tuple[Hunk, ...]:
    """The hunks that turn one content of a file into another, with as little context as reproduces it.

    Raises:
        PatchRejectedError: no hunks do.
    """
    text, new_text = Text(before, None, name), Text(after, None, name)
    for context in CONTEXTS:
        hunks = tuple([to_patch_hunk(hunk) for hunk in line_hunks(text.raw, new_text.raw, context)])
        without_numbers = tuple([hunk.replace(line_hint=None) for hunk in hunks])
        if _reproduces(name, before, after, without_numbers, dialect):
            return without_numbers
    # With the most context, line numbers may still tell equal places apart.
    if dialect == "standard" and _reproduces(name, before, after, hunks, dialect):
        return hunks
    raise PatchRejectedError([not_expressible(name, "no hunks reproduce its new content")])


def _reproduces(name: str, before: bytes, after: bytes, hunks: tuple[Hunk, ...], dialect: str) -> bool:
    """Whether hunks can be written as a patch of a dialect, and make the new content of the old one."""
    try:
        # A patch is text: it can't contain bytes that are not UTF-8.
        render(Patch((UpdateFile(name, hunks),)), dialect).encode()
        updated = update(before, hunks, dialect=dialect, path=name, allow_control=True)
    except (PatchRejectedError, ValueError):
        return False
    return bool(updated.text == after)
