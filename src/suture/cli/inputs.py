"""Reads the input of `suture`: patches and JSON from files or standard input, and the options of a workspace."""

from __future__ import annotations

import os
import sys
from json import JSONDecodeError, loads

from ..agent.configuration.project_workspace import open_project
from ..core.common_limits import MOST_INPUT_BYTES
from ..core.patch import Patch
from ..core.problems import PatchInvalidError, PatchRejectedError, Problem
from ..core.text_encodings import EXPECTED, text_encoding
from ..format.patch_parser import parse
from ..words.remarks import InInput
from ..workspace.globs import excluder
from .arguments import UsageError
from .environment import environment_durability
from .interrupts import ignore_after_commit
from .project_options import configuration, find_root
from .screen_limits import LARGEST_PAGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator, Sequence
    from typing import Any

    from ..core.outcome import Receipt
    from ..core.problems import Code
    from ..workspace.workspace import Workspace

STDIN = "standard input"
#: How many commits are read at once: few at first, because most callers need only the latest.
FIRST_PAGE = 64


def read_text(name: str | None) -> str:
    """The text of a file, or of standard input for `-` or no name.

    Raises:
        UsageError: there is no name, and standard input is closed or a terminal.
        PatchInvalidError: it cannot be read, or is not UTF-8.
    """
    label = _label(name)
    try:
        if name is None or name == "-":
            data = _read_stdin(explicit=name == "-")
        else:
            with open(name, "rb") as file:
                data = file.read(MOST_INPUT_BYTES + 1)
    except OSError as error:
        raise PatchInvalidError([read_problem(label, error)]) from error
    if len(data) > MOST_INPUT_BYTES:
        raise _invalid("file_too_large", label, f"{label} is larger than {MOST_INPUT_BYTES >> 20} MB.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        message = f"{label} is not UTF-8: byte {error.start + 1} is {data[error.start]:#04x}."
        raise _invalid("encoding_error", label, message, "Save it as UTF-8.") from None


def _label(name: str | None) -> str:
    return STDIN if name is None or name == "-" else name


def _read_stdin(*, explicit: bool) -> bytes:
    if sys.stdin is None:
        message = "standard input is closed, and no file was given"
        raise UsageError(message)
    if not explicit and sys.stdin.isatty():
        message = "expected a file, or input on standard input"
        raise UsageError(message)
    return sys.stdin.buffer.read(MOST_INPUT_BYTES + 1)


def read_problem(label: str, error: OSError) -> Problem:
    """The problem for an input that cannot be read."""
    if isinstance(error, PermissionError) and isinstance(error.filename, str) and os.path.isdir(error.filename):
        # What Windows says when a directory is opened.
        error = IsADirectoryError(*error.args)
    codes: dict[type[OSError], tuple[Code, str]] = {
        FileNotFoundError: ("not_found", f"File {label} not found."),
        IsADirectoryError: ("is_directory", f"{label} is a directory, not a file."),
        PermissionError: ("permission_denied", f"{label} cannot be read: permission denied."),
    }
    code, message = codes.get(type(error), ("io_error", f"{label} cannot be read: {error.strerror}."))
    return Problem(code, message, label, None, {"path": label})


def _invalid(code: Code, label: str, message: str, hint: str = "") -> PatchInvalidError:
    return PatchInvalidError([Problem(code, message, label, None, {"path": label}, hint)])


def read_patches(
    names: Sequence[str], dialect: str, form: str | None = None, strip: str | None = None, exclude: Sequence[str] = ()
) -> str | Patch:
    """The patches in these files as one: the text of a single file, or the operations of several.

    `form` is the only form to read, `strip` how many directories the paths of unified diffs lose, and `exclude` are
    globs of files that are left out of what is parsed here.
    """
    if list(names).count("-") > 1:
        message = "standard input can be read only once"
        raise UsageError(message)
    count = _strip_count(strip)
    if len(names) < 2 and form is None and count is None:
        return read_patch(names[0] if names else None)

    parsed = []
    problems: list[Problem] = []
    for name in (*names, *([] if names else [None])):
        try:
            parsed.append(parse(read_patch(name), dialect, form=form, strip=count, exclude=excluder(exclude)))
        except PatchInvalidError as invalid:
            if len(names) < 2:
                raise
            remark = InInput(str(name))
            problems += [problem.replace(remarks=(*problem.remarks, remark)) for problem in invalid.problems]
    if problems:
        raise PatchInvalidError(problems)
    operations = tuple([operation for patch in parsed for operation in patch.operations])
    concessions = tuple([concession for patch in parsed for concession in patch.concessions])
    forms = {patch.form for patch in parsed}
    if count is not None and not forms & {"unified", "mixed"}:
        message = f"--strip is for unified diffs, and there is none in {', '.join(map(_label, names or '-'))}"
        raise UsageError(message)
    form = forms.pop() if len(forms) == 1 else "mixed"
    return Patch(operations, parsed[0].environment_id, concessions, form, count)


def _strip_count(strip: str | None) -> int | None:
    if strip is None:
        return None
    if not (strip.isdecimal() and strip.isascii() and len(strip) < 4):
        message = f"expected a number of directories for --strip; found {strip!r}"
        raise UsageError(message)
    return int(strip)


def read_patch(name: str | None) -> str:
    """The text of a patch.

    Raises:
        PatchInvalidError: it is empty.
    """
    text = read_text(name)
    if not text.strip():
        label = _label(name)
        raise _invalid("patch_parse_error", label, f"There is no patch in {label}: it is empty.")
    return text


def read_json(name: str | None, hint: str = "") -> Any:  # noqa: ANN401 - as JSON has it
    """A JSON document from a file or standard input; `hint` is what to do if it is empty.

    Raises:
        PatchInvalidError: it is not valid JSON.
    """
    text = read_text(name)
    label = _label(name)
    if not text.strip():
        raise _invalid("invalid_arguments", label, f"There is no JSON in {label}: it is empty.", hint)
    try:
        return loads(text)
    except JSONDecodeError as error:
        message = f"{label} is not valid JSON: {error.msg}, line {error.lineno}, column {error.colno}."
    except RecursionError:
        message = f"{label} cannot be read as JSON: it is nested too deeply."
    raise _invalid("invalid_arguments", label, message)


def expected_hashes(options: Namespace) -> dict[str, str] | None:
    """The values of `--expect`: SHA-256 hashes by path, and an empty text for a file that must not exist.

    Raises:
        UsageError: a value is wrong, or two of them contradict each other.
    """
    expected: dict[str, str] = {}
    for given in options.expect:
        path, equals, sha256 = given.rpartition("=")
        means_no_file = sha256 == ""
        is_hash = len(sha256) == 64 and all(char in "0123456789abcdefABCDEF" for char in sha256)
        if not equals or not path or not (means_no_file or is_hash):
            message = f"expected --expect PATH=SHA256, with 64 hex digits; found {given!r}"
            raise UsageError(message)
        if expected.setdefault(path, sha256.lower()) != sha256.lower():
            message = f"--expect has two different hashes for {path}"
            raise UsageError(message)
    return expected or None


def open_workspace(options: Namespace, *, for_history: bool = False) -> Workspace:
    """The workspace the options describe. The history can be used even if the project's settings are wrong."""
    level = getattr(options, "durability", None) or environment_durability()
    root, start = find_root(options)
    # The command line wins over the environment, and that over the configuration.
    given = {"dialect": getattr(options, "dialect", None), "durability": level}
    given |= {name: getattr(options, name, False) or None for name in ("allow_syntax_errors", "skip_applied")}
    settings: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    if getattr(options, "encoding", None):
        settings["encodings"] = (("**", _checked_encoding(options.encoding)),)
    workspace = open_project(
        root,
        configuration=configuration(options, for_history=for_history),
        lift=getattr(options, "allow", ()),
        relative_to=start,
        actor=getattr(options, "actor", None) or "",
        **settings,
    )
    if not getattr(options, "no_atomic", False):
        ignore_after_commit(workspace)
    return workspace


def _checked_encoding(name: str) -> str:
    """The value of `--encoding`.

    Raises:
        UsageError: there is no such encoding, or it is not one for files.
    """
    encoding = text_encoding(name)
    if encoding is None:
        message = f"expected --encoding with {EXPECTED}; found {name!r}"
        raise UsageError(message)
    return encoding


def commit_id(text: str) -> str:
    """The ID of a commit from the command line.

    Raises:
        UsageError: it is empty, for example because a variable in a script is not set.
    """
    if not text:
        message = "expected a commit ID; found an empty one"
        raise UsageError(message)
    return text


def commits(
    workspace: Workspace, limit: int | None = None, *, before: str | None = None, path: str | None = None
) -> Iterator[Receipt]:
    """The commits of a workspace, newest first, read in growing pages so that a caller can stop early."""
    size = FIRST_PAGE
    last = ""
    while limit is None or limit > 0:
        count = size if limit is None else min(size, limit)
        try:
            page = workspace.log(count, before=last or before, path=path)
        except PatchRejectedError:
            if not last:
                raise
            return  # the commit that was read last was pruned meanwhile, and all older ones with it
        yield from page
        if len(page) < count:
            return
        last = page[-1].id
        limit = None if limit is None else limit - count
        size = min(2 * size, LARGEST_PAGE)


def agreed_path(argument: str | None, field: object) -> object:
    """The path from the command line or from a JSON document.

    Raises:
        PatchInvalidError: they name different files.
    """
    if argument is not None and isinstance(field, str) and os.path.normpath(field) != os.path.normpath(argument):
        message = f"The command line names {argument}, but the JSON document names {field}."
        raise PatchInvalidError([Problem("invalid_arguments", message, argument, hint="Name only one file.")])
    return argument if argument is not None else field
