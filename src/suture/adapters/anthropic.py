"""Suture in the Anthropic SDK: tools for `tool_runner`, among them an implementation of Claude's text editor tool.

An `Anthropic` client needs a `SyncSession`. An `AsyncAnthropic` client takes either, but each call blocks its event
loop if it is not a `Session`. The approver of the session is asked, since the tool runner can't stop a call. Failures
are `ToolError`, which the model sees as results with `is_error`.
"""

from __future__ import annotations

from asyncio import get_running_loop
from contextlib import suppress

from ..agent.sync import SyncSession
from ..core.readers import TEXT_EDITOR
from .bridge import Bridge, extra, told_to

with extra("anthropic"):
    from anthropic.lib.tools import BetaAsyncBuiltinFunctionTool, BetaBuiltinFunctionTool, ToolError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Coroutine, Generator, Mapping
    from typing import Any

    from ..agent.result import Result
    from ..agent.session import Session

#: The commands of the text editor: our tool, and its arguments by theirs. Those with a `?` may be missing.
_COMMANDS = {
    "view": ("read", {"path": "filePath", "view_range?": "view_range"}),
    "str_replace": ("edit", {"path": "filePath", "old_str": "oldString", "new_str?": "newString"}),
    "create": ("write", {"path": "filePath", "file_text": "content"}),
    "insert": ("insert", {"path": "filePath", "insert_line": "line", "insert_text": "content"}),
}


class AwaitableText(str):
    """A result for either client: the SDK does not say which one runs a tool, and one of them waits for results."""

    __slots__ = ()

    def __await__(self) -> Generator[None, None, str]:
        yield from ()
        return str(self)


class SessionTool(BetaBuiltinFunctionTool, BetaAsyncBuiltinFunctionTool):
    """One tool of a session, for a tool runner."""

    def __init__(self, session: Session | SyncSession, definition: Mapping[str, Any]) -> None:
        self._definition = dict(definition)
        self._bridge = Bridge(session)
        self._is_sync = isinstance(session, SyncSession)

    def to_dict(self) -> dict[str, Any]:
        """The definition for the API."""
        return self._definition

    def call(self, input: object) -> Any:  # noqa: A002 - the SDK's name
        """Run a call: a text, or with a `Session` a coroutine of it.

        Raises:
            TypeError: there is no event loop, and the session needs one.
        """
        work = self._call(input)
        if not self._is_sync:
            with suppress(RuntimeError):
                get_running_loop()
                return work
        return AwaitableText(self._bridge.block(work))

    async def _call(self, given: object) -> str:
        result = await self._run(given if isinstance(given, dict) else {})
        if result.is_error:
            raise ToolError(result.output)
        return result.output

    def _run(self, given: dict[str, Any]) -> Coroutine[Any, Any, Result]:
        return self._bridge.session.call(self._definition["name"], given)


class TextEditor(SessionTool):
    """Claude's text editor tool: `view`, `str_replace`, `create` and `insert`, within the rules of the session."""

    def __init__(self, session: Session | SyncSession) -> None:
        super().__init__(session, {"type": "text_editor_20250728", "name": "str_replace_based_edit_tool"})
        self._bridge.session.tools("json", only=[tool for tool, _ in _COMMANDS.values()])

    async def _run(self, given: dict[str, Any]) -> Result:
        tool, arguments = _translate(given)
        return await told_to(self._bridge.session, TEXT_EDITOR).call(tool, arguments)


def suture_tools(session: Session | SyncSession, **choice: Any) -> list[SessionTool]:
    """The tools of a session. `only`, `names` and `profile` choose them, as in `Session.tools`."""
    return [SessionTool(session, one) for one in Bridge(session, **choice).definitions("anthropic")]


def _translate(given: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """The tool of ours that a command of the text editor means, and its arguments."""
    command = given.get("command")
    if not isinstance(command, str) or command not in _COMMANDS:
        message = f"There is no command {command!r:.60}. The commands are {', '.join(_COMMANDS)}. Nothing was changed."
        raise ToolError(message)
    tool, names = _COMMANDS[command]
    missing = [name for name in names if not name.endswith("?") and name not in given]
    if missing:
        message = f"The command {command} needs {' and '.join(missing)}. Nothing was changed."
        raise ToolError(message)
    arguments = {ours: given.get(name.rstrip("?"), "") for name, ours in names.items()}
    lines = arguments.pop("view_range", None)
    if lines:
        if not isinstance(lines, list) or [type(one) for one in lines] != [int, int]:
            message = "view_range must be a list of two line numbers, such as [1, 40]; [40, -1] reads to the end."
            raise ToolError(message)
        first, last = lines
        arguments |= {"offset": first, **({"limit": max(1, last - first + 1)} if last != -1 else {})}
    return tool, arguments
