"""What `suture` reads: patches and JSON from files or standard input, and the settings of a workspace.

Everything that can't be read is said with the name of what it is; a patch that is no text is not guessed at.
"""

from __future__ import annotations

import os
import sys

from ..core.problems import PatchInvalidError, PatchRejectedError, Problem
from .arguments import UsageError
from .interrupts import until_done

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator, Sequence
    from typing import Any

    from ..core.patch import Patch
    from ..core.problems import Code
    from ..workspace.outcome import Receipt
    from ..workspace.store import Durability
    from ..workspace.workspace import Workspace

#: Bytes that are read of one input.
MOST_BYTES = 64 * 1024 * 1024
STDIN = "standard input"
#: How many commits are read at once: few at first, as most look at the last ones only.
FIRST_PAGE = 64
LARGEST_PAGE = 1024


def text_of(name: str | None) -> str:
    """The text of a file, or of standard input for `-` or no name.

    Raises:
        UsageError: nothing was given, and standard input is a terminal.
        PatchInvalidError: it can't be read, or is no text.
    """
    shown = STDIN if name in (None, "-") else str(name)
    try:
        if name is None or name == "-":
            data = _stdin(asked=name == "-")
        else:
            with open(name, "rb") as file:
                data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise PatchInvalidError([unreadable(shown, error)]) from error
    if len(data) > MOST_BYTES:
        raise _invalid("file_too_large", shown, f"{shown} has more than {MOST_BYTES >> 20} MB, which is too much.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        where = f"byte {error.start + 1} is {data[error.start]:#04x}"
        message = f"{shown} is not UTF-8, so it can't be read: {where}."
        raise _invalid("encoding_error", shown, message, "Save it as UTF-8.") from None


def _stdin(*, asked: bool) -> bytes:
    if sys.stdin is None:
        message = "standard input is closed, and no file was given"
        raise UsageError(message)
    if not asked and sys.stdin.isatty():
        message = "expected a file, or something on standard input"
        raise UsageError(message)
    return sys.stdin.buffer.read(MOST_BYTES + 1)


def unreadable(shown: str, error: OSError) -> Problem:
    """That something can't be read, and why."""
    codes: dict[type[OSError], tuple[Code, str]] = {
        FileNotFoundError: ("not_found", f"There is no file {shown}."),
        IsADirectoryError: ("is_directory", f"{shown} is a folder, not a patch."),
        PermissionError: ("permission_denied", f"{shown} may not be read."),
    }
    code, message = codes.get(type(error), ("io_error", f"{shown} can't be read: {error.strerror}."))
    return Problem(code, message, shown, None, {"path": shown})


def _invalid(code: Code, shown: str, message: str, hint: str = "") -> PatchInvalidError:
    return PatchInvalidError([Problem(code, message, shown, None, {"path": shown}, hint)])


def patches_of(names: Sequence[str], dialect: str) -> str | Patch:
    """The patch of all files in order: the text of a single one, or all operations of several."""
    if list(names).count("-") > 1:
        message = "standard input can be read once only"
        raise UsageError(message)
    if len(names) < 2:
        return patch_text(names[0] if names else None)
    from ..core.patch import Patch
    from ..format.envelope import parse

    parsed = []
    problems: list[Problem] = []
    for name in names:
        try:
            parsed.append(parse(patch_text(name), dialect))
        except PatchInvalidError as invalid:
            problems += [problem.replace(message=f"{name}: {problem.message}") for problem in invalid.problems]
    if problems:
        raise PatchInvalidError(problems)
    operations = tuple([operation for patch in parsed for operation in patch.operations])
    concessions = tuple([concession for patch in parsed for concession in patch.concessions])
    return Patch(operations, parsed[0].environment_id, concessions)


def patch_text(name: str | None) -> str:
    """The text of a patch; one that is empty is said to be so."""
    text = text_of(name)
    if not text.strip():
        shown = STDIN if name in (None, "-") else name
        raise _invalid("patch_parse_error", str(shown), f"There is no patch in {shown}: it is empty.")
    return text


def json_of(name: str | None) -> Any:  # noqa: ANN401 - as JSON has it
    """A JSON document from a file or standard input.

    Raises:
        PatchInvalidError: it is none.
    """
    from json import JSONDecodeError, loads

    text = text_of(name)
    shown = STDIN if name in (None, "-") else str(name)
    try:
        return loads(text)
    except JSONDecodeError as error:
        message = f"{shown} is no JSON: {error.msg} in line {error.lineno}, column {error.colno}."
    except RecursionError:
        message = f"{shown} is no JSON that can be read: it is nested too deeply."
    raise _invalid("invalid_arguments", shown, message)


def expected_of(options: Namespace) -> dict[str, str] | None:
    """What `--expect` says: the SHA-256 of files by their paths."""
    expected: dict[str, str] = {}
    for given in options.expect:
        path, equals, sha256 = given.rpartition("=")
        right = not sha256 or (len(sha256) == 64 and all(char in "0123456789abcdefABCDEF" for char in sha256))
        if not equals or not path or not right:
            message = f"expected --expect PATH=SHA256, with 64 hex digits; found {given!r}"
            raise UsageError(message)
        if expected.setdefault(path, sha256.lower()) != sha256.lower():
            message = f"--expect says of {path} that it has two contents"
            raise UsageError(message)
    return expected or None


def workspace_of(options: Namespace) -> Workspace:
    """The workspace that the options name."""
    from ..workspace.workspace import Workspace

    wanted = getattr(options, "durability", None) or os.environ.get("SUTURE_DURABILITY") or "full"
    if wanted not in ("full", "process"):
        message = f"SUTURE_DURABILITY is full or process, not {wanted!r}"
        raise UsageError(message)
    durability: Durability = "process" if wanted == "process" else "full"
    dialect = getattr(options, "dialect", None) or "standard"
    if problem := _no_workspace(options.root):
        raise PatchRejectedError([problem])
    actor = getattr(options, "actor", None) or ""
    workspace = Workspace(options.root, dialect=dialect, durability=durability, actor=actor)
    if not getattr(options, "no_atomic", False):
        until_done(workspace)
    return workspace


def _no_workspace(root: str) -> Problem | None:
    try:
        whole = os.path.abspath(root)
    except FileNotFoundError:
        message = "The current folder is gone: somebody has deleted it."
    else:
        if os.path.isdir(whole):
            return None
        message = f"The workspace {root} is not a folder." if os.path.lexists(whole) else f"There is no folder {root}."
    return Problem("not_found", message, root, None, {"path": root})


def commit_named(id: str) -> str:  # noqa: A002 - the word for it
    """The id of a commit, as it was given: empty is none, as an unset variable in a script would make it.

    Raises:
        UsageError: it is empty.
    """
    if not id:
        message = "expected the id of a commit; found an empty one"
        raise UsageError(message)
    return id


def commits(
    workspace: Workspace, limit: int | None = None, *, before: str | None = None, path: str | None = None
) -> Iterator[Receipt]:
    """The commits of a workspace, the newest first, read in pages that grow: who stops early has not read them all."""
    size = FIRST_PAGE
    last = ""
    while limit is None or limit > 0:
        asked = size if limit is None else min(size, limit)
        try:
            page = workspace.log(asked, before=last or before, path=path)
        except PatchRejectedError:
            if not last:
                raise
            return  # the last one that was read has been pruned meanwhile, and all before it
        yield from page
        if len(page) < asked:
            return
        last = page[-1].id
        limit = None if limit is None else limit - asked
        size = min(2 * size, LARGEST_PAGE)


def same_path(given: str | None, named: object) -> object:
    """The path on the command line or in a document, where not both name another one.

    Raises:
        PatchInvalidError: they do.
    """
    if given is not None and isinstance(named, str) and os.path.normpath(named) != os.path.normpath(given):
        message = f"The command line names {given}, and the document {named}."
        raise PatchInvalidError([Problem("invalid_arguments", message, given, hint="Name one file only.")])
    return given if given is not None else named
