"""Formatters: commands that format files after they were written and before they are checked for errors.

A command reads the text from its standard input and prints the new text. What it changes is a commit of its own. A
command that fails, takes too long, or prints nothing or binary data changes nothing, and the answer says so.
"""

from __future__ import annotations

import asyncio

from ..core.display import safe_text
from ..core.problems import PatchRejectedError, SutureError
from ..core.system import WINDOWS
from ..core.text import Text
from ..core.value import Value
from ..workspace.changes import change_of
from ..workspace.globs import Globs
from .agent_limits import MOST_FORMATTED_BYTES
from .diagnostics.process import Process
from .threads import in_thread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

    from ..core.outcome import Plan, Receipt
    from ..core.record import PlannedFile
    from ..workspace.workspace import Workspace


class Formatter(Value):
    """A command for files that match a glob. `{path}` in it stands for the absolute path of the file."""

    glob: str
    command: tuple[str, ...]
    timeout: float = 10.0


class Formatters:
    """The formatters of a session. The first one whose glob matches is used."""

    def __init__(self, formatters: Iterable[Formatter] = ()) -> None:
        self._known = [(Globs([one.glob]), one) for one in formatters]

    def __bool__(self) -> bool:
        return bool(self._known)

    def find(self, display_path: str) -> Formatter | None:
        """The formatter for a file, if there is one."""
        return next((one for globs, one in self._known if globs.matching(display_path)), None)


class Formatting(Value):
    """What formatters did to the files of a plan: the plan with their changes, the commits, and notices."""

    plan: Plan
    receipts: tuple[Receipt, ...] = ()
    notices: tuple[str, ...] = ()


async def format_files(
    formatters: Formatters, plan: Plan, workspace: Workspace, commit: Callable[[Plan, str], Awaitable[Receipt]]
) -> Formatting:
    """Format the files that a plan has written. `commit` writes what a formatter changes."""
    receipts: list[Receipt] = []
    notices: list[str] = []
    for file in plan.files if formatters else ():
        formatter = formatters.find(file.shown)
        if formatter is None or file.after.kind != "file" or file.moved_from:
            continue
        encoding = file.encoding or None
        content, reason = await run_formatter(formatter, file.path, workspace.root, file.content, encoding)
        if content is not None:
            try:
                # Somebody may have written the file since; the formatter's text is made from the old content.
                expected = {file.shown: file.after.sha256}
                formatted = await in_thread(workspace.plan_write, file.shown, content, expected_sha256=expected)
                receipts.append(await commit(formatted, "format"))
            except SutureError as error:
                reason = error.problems[0].message.rstrip(".")
            else:
                plan = _with_formatted(plan, file, formatted)
                notices.append(f"{file.shown} was formatted by {formatter.command[0]}:\n{formatted.diff.rstrip()}")
        if reason:
            notices.append(f"{file.shown} was not formatted: {safe_text(reason, 'message')}.")
    return Formatting(plan, tuple(receipts), tuple(notices))


def _with_formatted(plan: Plan, file: PlannedFile, formatted: Plan) -> Plan:
    """The plan with the content that the plan of a formatter gives to one of its files."""
    new = formatted.files[0]
    files = [one.replace(content=new.content, after=new.after) if one is file else one for one in plan.files]
    changes = plan.changes_of(file)
    if len(changes) != 1:
        return plan.replace(files=tuple(files), changes=(*plan.changes, *formatted.changes))
    (change,) = changes
    origin = plan.origin_of(file)
    net = change_of(
        change.kind,
        change.path,
        (origin.before, origin.was),
        (new.after, new.content),
        move_to=change.move_to,
        target=change.target,
        encoding=file.encoding or None,
    )
    net = net.replace(matches=change.matches, edits=change.edits, concessions=change.concessions)
    return plan.replace(files=tuple(files), changes=tuple([net if one is change else one for one in plan.changes]))


async def run_formatter(
    formatter: Formatter, path: str, root: str, content: bytes, encoding: str | None = None
) -> tuple[bytes | None, str]:
    """The formatted content, or None if nothing changed; and the reason if it could not be formatted."""
    command = [part.replace("{path}", path) for part in formatter.command]
    name = command[0]
    out = bytearray()
    most = max(MOST_FORMATTED_BYTES, 10 * len(content))
    process: Process | None = None

    def receive(data: bytes) -> None:
        out.extend(data)
        if len(out) > most and process is not None:
            process.kill()

    try:
        process = await Process.start(command, root, receive, lambda _: None)
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
    printed = _with_line_ends_of(content, bytes(out)) if WINDOWS else bytes(out)
    if printed == content:
        return None, ""
    if _is_text(content, encoding) and not _is_text(printed, encoding):
        return None, f"the formatter {name} printed binary data"
    return printed, ""


def _with_line_ends_of(content: bytes, printed: bytes) -> bytes:
    """What was printed, with LF where the file has no CR: many programs print CRLF on Windows, whatever they read."""
    if b"\r" not in content and printed.count(b"\r\n") == printed.count(b"\n"):
        return printed.replace(b"\r\n", b"\n")
    return printed


def _is_text(content: bytes, encoding: str | None) -> bool:
    try:
        # Undecodable bytes become lone surrogates, which cannot be encoded.
        Text(content, encoding).raw.encode("utf-8")
    except (PatchRejectedError, UnicodeEncodeError):
        return False
    return True
