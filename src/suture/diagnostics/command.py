"""Diagnostics of a command: a linter that looks at one file and says what is wrong with it.

It runs once on the text before the edit and once on the one after, side by side, and is ended when the time is over.
What it prints is read strictly: a status or an output that can't be understood is unknown, never clean.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import tempfile

from .delta import introduced
from .process import Process
from .report import MOST_DIAGNOSTICS, SEVERITIES, Diagnostic, Report, at_least, looked_at, type_of
from .servers import find_program

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from typing import Any, TypeAlias

    from .report import Severity

    #: Reads what a command printed; gives `line` and `message` of each finding, and what else a Diagnostic has.
    Reader: TypeAlias = Callable[[str], Iterable[Mapping[str, Any]]]

#: So much is read of what a command prints, in bytes.
MOST_OUTPUT = 4_000_000

#: A line as most linters print it: file:line:column: message, with a severity and a code if there are any.
LINE = (
    r"^(?P<path>[^\n:]+):(?P<line>\d+):(?:(?P<column>\d+):)?[^\S\n]*"
    r"(?:(?P<severity>error|warning|note|info|information|hint)\b:?[^\S\n]*)?"
    r"(?P<message>\S.*?)(?:(?<!\s)\s+\[(?P<code>[\w-]+)\])?$"
)
_OTHER_NAMES: Mapping[str, Severity] = {"note": "information", "info": "information"}
#: How linters call what comes from their input.
_INPUT = frozenset({"", "-", "<stdin>", "stdin"})


class Unreadable(Exception):
    """A command has not done what was expected; the text says what it did."""

    asked = True


class Unasked(Unreadable):
    """There is no command for such a file."""

    asked = False


def lines(pattern: str = LINE) -> Reader:
    """A reader of lines by a regular expression with groups named as the fields of a Diagnostic."""
    compiled = re.compile(pattern, re.MULTILINE)
    return lambda text: (found.groupdict() for found in compiled.finditer(text))


def ruff_json(text: str) -> Iterator[Mapping[str, Any]]:
    """A reader of `ruff check --output-format json`."""
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

    `{path}` in its arguments stands for the file; where none has it, the path is the last argument. With `stdin` the
    command reads the text from its input. Without, the text before the edit is put into a temporary folder under the
    file's name, where the command finds no settings that lie beside the file.

    `endings` are those of the files that it is for, all if empty. `statuses` are those with which it ends when it has
    looked; any but 0 means that it found something.
    """

    def __init__(
        self,
        command: Sequence[str],
        reader: Reader | None = None,
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
        self._reader = reader or lines()
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
        """A report on one file, within `timeout` seconds."""
        try:
            async with asyncio.timeout(timeout):
                found = await self._found(path, before, after)
        except TimeoutError:
            return self._unknown(path, f"{self._name} did not end within {timeout:g} s")
        except Unreadable as unreadable:
            return self._unknown(path, str(unreadable), asked=unreadable.asked)
        except OSError as error:
            return self._unknown(path, f"{self._name} cannot be run: {error.strerror or error}")
        return looked_at(path, found, self._name, only_new=self._only_new)

    async def close(self) -> None:
        """Nothing runs between checks; a check afterwards is unknown."""
        self._closed = True

    def _unknown(self, path: str, reason: str, *, asked: bool = True) -> Report:
        return Report(path, "unknown", reason=reason, only_new=self._only_new, asked=asked)

    async def _found(self, path: str, before: str | None, after: str) -> list[Diagnostic]:
        if self._closed:
            message = f"{self._name} was closed"
            raise Unreadable(message)
        if self._endings and not path.endswith(self._endings):
            message = f"{self._name} is not for {type_of(path)}"
            raise Unasked(message)
        program = find_program(self._command[0], self._folders)
        if program is None:
            message = f"{self._command[0]} is not installed"
            raise Unasked(message)
        if before is None or not self._only_new:
            return at_least(await self._run(program, path, path, after), self._lowest)
        with tempfile.TemporaryDirectory(prefix="suture-") as folder:
            copy = path if self._stdin else _copy(folder, path, before)
            async with asyncio.TaskGroup() as group:
                old = group.create_task(self._try(program, copy, path, before))
                new = group.create_task(self._try(program, path, path, after))
        base, found = old.result(), new.result()
        if isinstance(found, Exception):
            raise found
        found = at_least(found, self._lowest)
        if found and isinstance(base, Exception):
            message = f"what was wrong before the edit is not known: {base}"
            raise Unreadable(message)
        return found if isinstance(base, Exception) else await asyncio.to_thread(introduced, base, found, before, after)

    async def _try(self, program: str, file: str, path: str, text: str) -> list[Diagnostic] | Unreadable | OSError:
        """As `_run`; what it raises is given, so that the other run is not cancelled by it."""
        try:
            return await self._run(program, file, path, text)
        except (Unreadable, OSError) as error:
            return error

    async def _run(self, program: str, file: str, path: str, text: str) -> list[Diagnostic]:
        """What the command finds in `file`, which stands for `path`."""
        arguments = [argument.replace("{path}", file) for argument in self._command[1:]]
        if arguments == list(self._command[1:]) and not self._stdin:
            arguments.append(file)
        status, output, words = await self._output([program, *arguments], text)
        if status not in self._statuses:
            message = f"{self._name} ended with status {status}" + (f": {words}" if words else "")
            raise Unreadable(message)
        try:
            items = list(self._reader(output)) if output.strip() else []
            if len(items) > MOST_DIAGNOSTICS:
                message = f"{self._name} found {len(items):,} things, too many to compare"
                raise Unreadable(message)
            found = [self._diagnostic(item, path) for item in items if self._is_about(item.get("path"), file)]
        except (TypeError, KeyError, ValueError, AttributeError, RecursionError) as error:
            message = f"{self._name} printed something that can't be read: {error!r}"
            raise Unreadable(message) from error
        if status and not items:
            message = f"{self._name} ended with status {status} and printed nothing that can be read"
            raise Unreadable(message + (f": {words}" if words else ""))
        return found

    async def _output(self, command: Sequence[str], text: str) -> tuple[int | None, str, str]:
        """The status of a command, what it printed, and its last words of complaint."""
        output = bytearray()

        def received(data: bytes) -> None:
            # One that prints without end is read on, or it would wait, but not kept.
            if len(output) <= MOST_OUTPUT:
                output.extend(data)

        process = await Process.start(command, self._root, received, lambda _: None)
        try:
            if self._stdin:
                process.write(text.encode("utf-8", "surrogateescape"))
            process.finish_input()
            await process.wait()
        finally:
            process.kill()
            await process.wait()
        if len(output) > MOST_OUTPUT:
            message = f"{self._name} printed more than {MOST_OUTPUT:,} bytes"
            raise Unreadable(message)
        return process.status, output.decode("utf-8", "replace"), process.last_words

    def _is_about(self, named: object, file: str) -> bool:
        if named is None or named in _INPUT:
            return True
        return isinstance(named, str) and os.path.realpath(os.path.join(self._root, named)) == os.path.realpath(file)

    def _diagnostic(self, item: Mapping[str, Any], path: str) -> Diagnostic:
        line, column = int(item["line"]), int(item.get("column") or 1)
        said: Any = item.get("severity") or "error"
        severity: Severity = _OTHER_NAMES.get(said, said)
        if severity not in SEVERITIES:
            raise ValueError(said)
        end_line, end_column = int(item.get("end_line") or line), int(item.get("end_column") or column)
        message, code = str(item["message"]), str(item.get("code") or "")
        source = str(item.get("source") or self._name)
        return Diagnostic(path, line, column, end_line, end_column, severity, message, code, source)


def _copy(folder: str, path: str, text: str) -> str:
    copy = os.path.join(folder, os.path.basename(path))
    with open(copy, "wb") as file:
        file.write(text.encode("utf-8", "surrogateescape"))
    return copy
