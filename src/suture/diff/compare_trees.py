"""Two files or two trees as a Patch whose hunks have one place each.

The context of a hunk grows until the patch gives back, byte for byte, what it was made from. So what is printed is
known to apply; what an envelope can't say is a problem, and never left out in silence.
"""

from __future__ import annotations

from ..apply.update import update
from ..core.patch import AddFile, DeleteFile, Patch, UpdateFile
from ..core.paths import check_path, visible_path
from ..core.problems import PatchRejectedError, Problem
from ..core.text import Text
from .read_unified import diff_hunks
from .unified import unified_diff

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import TypeAlias

    from ..core.patch import Hunk, Operation

    Told: TypeAlias = Callable[[str, int, int], None]

#: Lines of context that are tried, from what people like to read to what tells one place from all others.
CONTEXTS = (3, 6, 12, 25, 100)


def untold(_what: str, _done: int, _whole: int) -> None:
    """Nobody wants to know how far it is."""


def compared(before: Mapping[str, bytes], after: Mapping[str, bytes], dialect: str, tell: Told = untold) -> Patch:
    """The patch that makes one set of files of the other; `tell` hears how far it is.

    Raises:
        PatchRejectedError: a file is no text, or its change can't be said, for all such files.
    """
    operations: list[Operation] = []
    problems: list[Problem] = []
    moves = _moves(before, after)
    names = sorted(before.keys() | after.keys())
    for number, name in enumerate(names):
        tell("comparing", number, len(names))
        try:
            made = list(_operations(name, before, after, moves, dialect))
            if made:
                _check_names([name, moves.get(name, name)], dialect)
            operations += made
        except PatchRejectedError as rejected:
            problems += rejected.problems
    if problems:
        raise PatchRejectedError(problems)
    return Patch(tuple(operations))


def _operations(
    name: str,
    before: Mapping[str, bytes],
    after: Mapping[str, bytes],
    moves: Mapping[str, str],
    dialect: str,
) -> Iterator[Operation]:
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
    """Hold names to what an envelope can say, and a workspace takes.

    Raises:
        PatchRejectedError: one of them can't be said.
    """
    from ..format.writer import render

    for name in names:
        try:
            name.encode()
            check_path(name)
            render(Patch((DeleteFile(name),)), dialect)
        except UnicodeEncodeError:
            raise PatchRejectedError([_unsayable(name, "its name is not UTF-8")]) from None
        except PatchRejectedError:
            raise PatchRejectedError([_unsayable(name, "a workspace takes no such name")]) from None
        except ValueError:
            raise PatchRejectedError([_unsayable(name, "its name would be read as another one")]) from None


def _moves(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> dict[str, str]:
    """Files that have another name now and are otherwise as they were, where no other file is the same."""
    gone: dict[bytes, list[str]] = {}
    come: dict[bytes, list[str]] = {}
    for names, one, other in ((gone, before, after), (come, after, before)):
        for name, data in one.items():
            if name not in other and data:
                names.setdefault(data, []).append(name)
    return {names[0]: come[data][0] for data, names in gone.items() if len(names) == len(come.get(data, ())) == 1}


def _text(name: str, data: bytes) -> str:
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise PatchRejectedError([_unsayable(name, "it is not UTF-8")]) from None
    if "\r" in text or "\0" in text:
        raise PatchRejectedError([_unsayable(name, "a new file has LF as its line ends and no NUL")])
    return text


def _hunks(name: str, before: bytes, after: bytes, dialect: str) -> tuple[Hunk, ...]:
    one, other = Text(before, None, name), Text(after, None, name)
    for lines in CONTEXTS:
        hunks = diff_hunks(unified_diff(one.raw, other.raw, name, context=lines))
        plain = tuple([hunk.replace(line_hint=None) for hunk in hunks])
        if _gives(name, before, after, plain, dialect):
            return plain
    if dialect == "standard" and _gives(name, before, after, tuple(hunks), dialect):
        return tuple(hunks)
    raise PatchRejectedError([_unsayable(name, "no hunks give what it became; --unified can say more")])


def _gives(name: str, before: bytes, after: bytes, hunks: tuple[Hunk, ...], dialect: str) -> bool:
    from ..format.writer import render

    try:
        # An envelope is text: bytes that are no characters would keep all of it from being read.
        render(Patch((UpdateFile(name, hunks),)), dialect).encode()
        made = update(before, hunks, dialect=dialect, path=name, allow_control=True)
    except (PatchRejectedError, ValueError):
        return False
    return bool(made.text == after)


def _unsayable(name: str, why: str) -> Problem:
    message = f"The change of {visible_path(name)} can't be said in an envelope: {why}."
    return Problem("encoding_error", message, name, None, {"path": name}, recoverable=False)
