"""Formatters: a command that a file goes through after it was written, and before anybody looks for errors in it.

The command gets the text on its standard input and gives the new one on its standard output. What it changes is a
commit like any other. One that fails, or takes too long, changes nothing and is told of.
"""

from __future__ import annotations

import asyncio

from ..value import Value
from ..workspace.globs import Globs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


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


async def formatted(formatter: Formatter, path: str, root: str, content: bytes) -> tuple[bytes | None, str]:
    """The content as the formatter has it, None where it is the same; and what went wrong."""
    command = [part.replace("{path}", path) for part in formatter.command]
    pipe = asyncio.subprocess.PIPE
    try:
        process = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe, stderr=pipe, cwd=root)
    except OSError as error:
        return None, f"the formatter {command[0]} can't be run ({error.strerror or error})"
    try:
        async with asyncio.timeout(formatter.timeout):
            out, said = await process.communicate(content)
    except TimeoutError:
        return None, f"the formatter {command[0]} took longer than {formatter.timeout:g} seconds"
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode:
        first = said.decode("utf-8", "replace").strip().split("\n")[0][:200]
        return None, f"the formatter {command[0]} failed ({first or f'exit status {process.returncode}'})"
    return (None if out == content else out), ""
