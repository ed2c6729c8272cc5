"""Diagnostics from a command: a linter that checks one file.

It runs on the text before the edit and on the text after it, at the same time, and is killed at the timeout. Its output
is read strictly: an unexpected exit status or unreadable output is reported as unknown, never as clean.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import tempfile

from ..threads import in_thread
from .delta import new_diagnostics
from .diagnostic_limits import MOST_DIAGNOSTICS, MOST_LINTER_BYTES
from .process import run_process
from .report import SEVERITIES, UNKNOWN_BEFORE, Diagnostic, EditedFile, Report, at_least, file_type, report_from
from .server_table import find_program

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from typing import Any, TypeAlias

    from .report import Severity

    #: Reads a command's output: `line`, `message` and any other fields of a Diagnostic for each finding.
    OutputReader: TypeAlias = Callable[[str], Iterable[Mapping[str, Any]]]


#: A line as most linters print it: file:line:column: message, with an optional severity and code. The file may begin
#: with the drive of Windows.
LINE = (
    r"^(?P<path>(?:[A-Za-z]:[\\/])?[^\n:]+):(?P<line>\d+):(?:(?P<column>\d+):)?[^\S\n]*"
    r"(?:(?P<severity>error|warning|note|info|information|hint)\b:?[^\S\n]*)?"
    r"(?P<message>\S.*?)(?:(?<!\s)\s+\[(?P<code>[\w-]+)\])?$"
)
_OTHER_NAMES: Mapping[str, Severity] = {"note": "information", "info": "information"}
#: The names linters use for standard input.
_STDIN_NAMES = frozenset({"", "-", "<stdin>", "stdin"})


class CommandError(Exception):
    """A command failed or its output cannot be read; the message says how."""

    asked = True


class NotApplicableError(CommandError):
    """The command is not installed, or not meant for this type of file."""

    asked = False


def line_reader(pattern: str = LINE) -> OutputReader:
    """A reader for lines that match a regular expression, whose named groups are fields of a Diagnostic."""
    compiled = re.compile(pattern, re.MULTILINE)
    return lambda text: (match.groupdict() for match in compiled.finditer(text))


def read_ruff_json(text: str) -> Iterator[Mapping[str, Any]]:
    """Read the output of `ruff check --output-format json`."""
    for item in json.loads(text):
        start, end = item["location"], item["end_location"]
        yield {
            "path": item["filename"],
            "line": start["row"],
            "column": start["column"],
            "end_line": end["row"],
            "end_column": end["column"],
            "code": item["code"],
            "message": item["message"],
        }


class CommandDiagnoser:
    """A command that checks one file.

    `{path}` in the arguments stands for the file; if no argument has it, the path is added as the last one. With
    `stdin` the command reads the text from standard input. Without it, the text before the edit is written to a
    temporary directory under the file's name, where the command does not see configuration files next to the original.

    `endings` limits it to file names with these endings. `statuses` are the exit statuses of a completed check; any
    but 0 means that it found something.
    """

    #: Whether it can check texts that are not on the disk: they are written to a temporary directory too.
    checks_texts = True

    def __init__(
        self,
        command: Sequence[str],
        reader: OutputReader | None = None,
        *,
        root: str = "",
        name: str = "",
        endings: Collection[str] = (),
        stdin: bool = False,
        statuses: Collection[int] = (0, 1),
        only_new: bool = True,
        lowest: Severity = "error",
        folders: Sequence[str] = (),
    ) -> None:
        self._command = tuple(command)
        self._reader = reader or line_reader()
        self._root = os.path.abspath(root)
        self._name = name or os.path.basename(command[0])
        self._endings = tuple(endings)
        self._stdin = stdin
        self._statuses = frozenset(statuses)
        self._only_new = only_new
        self._lowest = lowest
        self._folders = tuple(folders)
        self._closed = False

    async def check(self, path: str, before: str | None, after: str, *, timeout: float) -> Report:
        """Check one file within `timeout` seconds."""
        return await self._check(EditedFile(path, before, after), timeout)

    async def check_all(self, edited: Sequence[EditedFile], *, timeout: float) -> list[Report]:
        """Check files one by one, at the same time; one report each, in order."""
        return list(await asyncio.gather(*(self._check(one, timeout) for one in edited)))

    async def _check(self, edited: EditedFile, limit: float) -> Report:
        path = edited.path
        try:
            async with asyncio.timeout(limit):
                diagnostics = await self._diagnose(edited)
        except TimeoutError:
            return self._unknown(path, f"{self._name} did not finish within {limit:g} s")
        except CommandError as error:
            return self._unknown(path, str(error), asked=error.asked)
        except OSError as error:
            return self._unknown(path, f"{self._name} cannot be run: {error.strerror or error}")
        return report_from(path, diagnostics, self._name, only_new=self._only_new)

    async def close(self) -> None:
        """Turn later checks into unknown; nothing runs between checks."""
        self._closed = True

    def _unknown(self, path: str, reason: str, *, asked: bool = True) -> Report:
        return Report(path, "unknown", reason=reason, only_new=self._only_new, asked=asked)

    async def _diagnose(self, edited: EditedFile) -> list[Diagnostic]:
        """The diagnostics of a file after an edit, or only those that it did not have before.

        Raises:
            CommandError: the command can't be run, or says nothing usable.
            NotApplicableError: it is not installed, or not for this type of file.
        """
        path, before, after = edited.path, edited.before, edited.after
        if self._closed:
            message = f"{self._name} is closed"
            raise CommandError(message)
        if self._endings and not path.endswith(self._endings):
            message = f"{self._name} does not check {file_type(path)}"
            raise NotApplicableError(message)
        program = find_program(self._command[0], self._folders)
        if program is None:
            message = f"{self._command[0]} is not installed"
            raise NotApplicableError(message)
        with tempfile.TemporaryDirectory(prefix="suture-") as folder:
            is_read = self._stdin or edited.is_on_disk
            new = path if is_read else _copy(f"{folder}/after", path, after)
            if before is None or not self._only_new:
                return at_least(await self._run(program, new, path, after), self._lowest)
            old = path if self._stdin else _copy(f"{folder}/before", path, before)
            runs = (self._run(program, old, path, before), self._run(program, new, path, after))
            base, diagnostics = await asyncio.gather(*runs, return_exceptions=True)
        if isinstance(diagnostics, BaseException):
            raise diagnostics
        diagnostics = at_least(diagnostics, self._lowest)
        if not diagnostics:
            return []
        if isinstance(base, BaseException):
            message = f"{UNKNOWN_BEFORE}: {base}"
            raise CommandError(message)
        return await in_thread(new_diagnostics, base, diagnostics, before, after)

    async def _run(self, program: str, file: str, path: str, text: str) -> list[Diagnostic]:
        """Run the command on `file`, which stands for `path`."""
        arguments = [argument.replace("{path}", file) for argument in self._command[1:]]
        if arguments == list(self._command[1:]) and not self._stdin:
            arguments.append(file)
        status, output, words = await self._output([program, *arguments], text)
        if status not in self._statuses:
            message = f"{self._name} exited with status {status}" + (f": {words}" if words else "")
            raise CommandError(message)
        try:
            items = list(self._reader(output)) if output.strip() else []
            if len(items) > MOST_DIAGNOSTICS:
                message = f"{self._name} reported {len(items):,} problems, too many to compare"
                raise CommandError(message)
            diagnostics = [self._diagnostic(item, path) for item in items if self._is_about(item.get("path"), file)]
        except (TypeError, KeyError, ValueError, AttributeError, RecursionError) as error:
            message = f"{self._name} printed something unreadable: {error!r}"
            raise CommandError(message) from error
        if status and not items:
            message = f"{self._name} exited with status {status} and printed nothing readable"
            raise CommandError(message + (f": {words}" if words else ""))
        return diagnostics

    async def _output(self, command: Sequence[str], text: str) -> tuple[int | None, str, str]:
        """The exit status of a command, its output, and the last line of its error output."""
        output = bytearray()

        def receive(data: bytes) -> None:
            # Output beyond the limit is still read, or the command would block, but it is not kept.
            if len(output) <= MOST_LINTER_BYTES:
                output.extend(data)

        data = text.encode("utf-8", "surrogateescape") if self._stdin else b""
        process = await run_process(command, self._root, receive, data=data)
        if len(output) > MOST_LINTER_BYTES:
            message = f"{self._name} printed more than {MOST_LINTER_BYTES:,} bytes"
            raise CommandError(message)
        printed = output.decode("utf-8", "replace").replace("\r\n", "\n")
        return process.status, printed, process.last_words

    def _is_about(self, named: object, file: str) -> bool:
        if named is None or named in _STDIN_NAMES:
            return True
        return isinstance(named, str) and os.path.realpath(os.path.join(self._root, named)) == os.path.realpath(file)

    def _diagnostic(self, item: Mapping[str, Any], path: str) -> Diagnostic:
        line, column = int(item["line"]), int(item.get("column") or 1)
        word: Any = item.get("severity") or "error"
        severity: Severity = _OTHER_NAMES.get(word, word)
        if severity not in SEVERITIES:
            raise ValueError(word)
        end_line, end_column = int(item.get("end_line") or line), int(item.get("end_column") or column)
        message, code = str(item["message"]), str(item.get("code") or "")
        source = str(item.get("source") or self._name)
        return Diagnostic(path, line, column, end_line, end_column, severity, message, code, source)


def _copy(folder: str, path: str, text: str) -> str:
    os.mkdir(folder)
    copy = os.path.join(folder, os.path.basename(path))
    with open(copy, "wb") as file:
        file.write(text.encode("utf-8", "surrogateescape"))
    return copy
