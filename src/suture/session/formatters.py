"""Formatters: a command that a file goes through after it was written, and before anybody looks for errors in it.

The command gets the text on its standard input and gives the new one on its standard output. What it changes is a
commit like any other. One that fails, takes too long, or prints nothing or no text changes nothing, and is told of.
"""

from __future__ import annotations

import asyncio

from ..core.problems import PatchRejectedError
from ..core.text import Text
from ..core.value import Value
from ..diagnostics.process import Process
from ..workspace.globs import Globs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

#: A formatter that prints more bytes than this, and than ten times its input, is stopped.
MOST_OUTPUT = 10_000_000


class Formatter(Value):
    """A command for files that match a glob; `{path}` in it is the file's absolute path."""

    glob: str
    command: tuple[str, ...]
    timeout: float = 10.0


class Formatters:
    """The formatters of a session; the first whose glob matches is taken."""

    def __init__(self, formatters: Iterable[Formatter] = ()) -> None:
        self._known = [(Globs([one.glob]), one) for one in formatters]

    def __bool__(self) -> bool:
        return bool(self._known)

    def find(self, shown: str) -> Formatter | None:
        """The formatter for a file, if there is one."""
        return next((one for globs, one in self._known if globs.matching(shown)), None)


async def formatted(
    formatter: Formatter, path: str, root: str, content: bytes, encoding: str | None = None
) -> tuple[bytes | None, str]:
    """The content as the formatter has it, None where it is the same; and what went wrong."""
    command = [part.replace("{path}", path) for part in formatter.command]
    name = command[0]
    out = bytearray()
    most = max(MOST_OUTPUT, 10 * len(content))
    process: Process | None = None

    def received(data: bytes) -> None:
        out.extend(data)
        if len(out) > most and process is not None:
            process.kill()

    try:
        process = await Process.start(command, root, received, lambda _: None)
    except (OSError, ValueError) as error:
        return None, f"the formatter {name} can't be run ({getattr(error, 'strerror', None) or error})"
    try:
        async with asyncio.timeout(formatter.timeout):
            process.write(content)
            process.finish_input()
            await process.wait()
    except TimeoutError:
        return None, f"the formatter {name} took longer than {formatter.timeout:g} seconds"
    finally:
        process.kill()
        await process.wait()
    if len(out) > most:
        return None, f"the formatter {name} printed more than {most:,} bytes"
    if process.status:
        return None, f"the formatter {name} failed ({process.last_words or f'exit status {process.status}'})"
    if content and not out:
        return None, f"the formatter {name} printed nothing"
    if out == content:
        return None, ""
    if _is_text(content, encoding) and not _is_text(bytes(out), encoding):
        return None, f"the formatter {name} printed what is no text"
    return bytes(out), ""


def _is_text(content: bytes, encoding: str | None) -> bool:
    try:
        # A byte that could not be read stands in the text as a character that can't be written.
        Text(content, encoding).raw.encode("utf-8")
    except (PatchRejectedError, UnicodeEncodeError):
        return False
    return True
