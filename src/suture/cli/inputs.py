"""What `suture` reads: patches and JSON from files or standard input, and the settings of a workspace.

Everything that can't be read is said with the name of what it is; a patch that is no text is not guessed at.
"""

from __future__ import annotations

import os
import sys

from ..problems import PatchInvalid, Problem
from .arguments import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence
    from typing import Any

    from ..patch import Patch
    from ..problems import Code
    from ..workspace.remembering import Durability
    from ..workspace.workspace import Workspace

#: Bytes that are read of one input.
MOST_BYTES = 64 * 1024 * 1024
STDIN = "standard input"


def text_of(name: str | None) -> str:
    """The text of a file, or of standard input for `-` or no name.

    Raises:
        UsageError: nothing was given, and standard input is a terminal.
        PatchInvalid: it can't be read, or is no text.
    """
    shown = STDIN if name in (None, "-") else str(name)
    try:
        if name is None or name == "-":
            data = _stdin(asked=name == "-")
        else:
            with open(name, "rb") as file:
                data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise PatchInvalid([_unreadable(shown, error)]) from error
    if len(data) > MOST_BYTES:
        raise _invalid("file_too_large", shown, f"{shown} has more than {MOST_BYTES >> 20} MB, too much for a patch.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        where = f"byte {error.start + 1} is {data[error.start]:#04x}"
        message = f"{shown} is not UTF-8, so it is no patch: {where}."
        raise _invalid("encoding_error", shown, message, "Save it as UTF-8.") from None


def _stdin(*, asked: bool) -> bytes:
    if sys.stdin is None:
        message = "standard input is closed, and no file was given"
        raise UsageError(message)
    if not asked and sys.stdin.isatty():
        message = "expected a file, or something on standard input"
        raise UsageError(message)
    return sys.stdin.buffer.read(MOST_BYTES + 1)


def _unreadable(shown: str, error: OSError) -> Problem:
    codes: dict[type[OSError], tuple[Code, str]] = {
        FileNotFoundError: ("not_found", f"There is no file {shown}."),
        IsADirectoryError: ("is_directory", f"{shown} is a folder, not a patch."),
        PermissionError: ("permission_denied", f"{shown} may not be read."),
    }
    code, message = codes.get(type(error), ("io_error", f"{shown} can't be read: {error.strerror}."))
    return Problem(code, message, shown, None, {"path": shown})


def _invalid(code: Code, shown: str, message: str, hint: str = "") -> PatchInvalid:
    return PatchInvalid([Problem(code, message, shown, None, {"path": shown}, hint)])


def patches_of(names: Sequence[str], dialect: str) -> str | Patch:
    """The patch of all files in order: the text of a single one, or all operations of several."""
    if list(names).count("-") > 1:
        message = "standard input can be read once only"
        raise UsageError(message)
    if len(names) < 2:
        return patch_text(names[0] if names else None)
    from ..envelope import parse
    from ..patch import Patch

    parsed = []
    problems: list[Problem] = []
    for name in names:
        try:
            parsed.append(parse(patch_text(name), dialect))
        except PatchInvalid as invalid:
            problems += [problem.replace(message=f"{name}: {problem.message}") for problem in invalid.problems]
    if problems:
        raise PatchInvalid(problems)
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
        PatchInvalid: it is none.
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
    expected = {}
    for given in options.expect:
        path, equals, sha256 = given.rpartition("=")
        right = not sha256 or (len(sha256) == 64 and all(char in "0123456789abcdefABCDEF" for char in sha256))
        if not equals or not path or not right:
            message = f"expected --expect PATH=SHA256, with 64 hex digits; found {given!r}"
            raise UsageError(message)
        expected[path] = sha256.lower()
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
    return Workspace(options.root, dialect=dialect, durability=durability, actor=getattr(options, "actor", None) or "")
