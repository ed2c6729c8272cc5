"""Every tool of the table is a method of sessions: `agent/tool_methods.py` is written from the table and `ToolCall`.

To write it anew, set `SUTURE_GOLDEN=write` in the environment and run this test without `-n`.
"""

from __future__ import annotations

import ast
import inspect
from pathlib import Path
from typing import TYPE_CHECKING

from tests.shared.goldens import WRITE

import suture.agent.call
from suture import Session, SyncSession
from suture.agent.call import ToolCall
from suture.agent.profiles import PROFILES, READ_MODES
from suture.agent.tool_styles import STYLES, definitions
from suture.agent.tools import TOOLS, Tool, ToolArgument, snake_case

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest

MODULE = Path(suture.agent.call.__file__).with_name("tool_methods.py")
HEAD = '''\
"""The tools as methods of `Session` and `SyncSession`. Written from `tools` and `call`: do not edit it.

To write it anew: SUTURE_GOLDEN=write .venv/bin/python -m pytest -n 0 tests/agent/test_tool_methods.py
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Coroutine, Mapping, Sequence
    from typing import Any, TypeVar

    from ..format.invocations import Invocation
    from .result import Result
    from .session import Session

    T = TypeVar("T")
'''
ASYNC_CLASS = '''

class ToolMethods:
    """The tools of a session. Each raises a `SutureError` if the call is refused, and waits where somebody is asked."""

    async def _run_tool(self, tool: str, *arguments: object) -> Result:
        """Run a tool with these arguments."""
        raise NotImplementedError
'''
BLOCKING_CLASS = '''

class BlockingToolMethods:
    """The tools of a session as methods that block."""

    session: Session

    def wait_for(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine in the event loop of the session, and wait for its result."""
        raise NotImplementedError
'''


def tool_methods() -> Iterator[tuple[str, str, str]]:
    """The tools of the table: the name, the head of the method of `ToolCall`, and the names of its parameters."""
    source = Path(suture.agent.call.__file__).read_text("utf-8")
    lines = source.splitlines(keepends=True)
    [of_class] = [one for one in ast.parse(source).body if isinstance(one, ast.ClassDef) and one.name == "ToolCall"]
    functions = {one.name: one for one in of_class.body if isinstance(one, ast.AsyncFunctionDef)}
    for name in TOOLS:
        function = functions[name]
        head = "".join(lines[function.lineno - 1 : function.body[0].end_lineno])
        yield name, head, ", ".join([one.arg for one in function.args.args[1:]])


def module_source() -> str:
    """What `agent/tool_methods.py` has to be."""
    waiting, blocking = ASYNC_CLASS, BLOCKING_CLASS
    for name, head, arguments in tool_methods():
        all_arguments = ", ".join(filter(None, [f'"{name}"', arguments]))
        waiting += f"\n{head}        return await self._run_tool({all_arguments})\n"
        blocking += f"\n{head.replace('async def', 'def')}"
        blocking += f"        return self.wait_for(self.session.{name}({arguments}))\n"
    return HEAD + waiting + blocking


def test_the_methods_of_sessions_are_those_of_the_table() -> None:
    if WRITE:
        MODULE.write_text(module_source(), "utf-8", newline="\n")
    assert module_source() == MODULE.read_text("utf-8")


def test_a_tool_takes_the_arguments_of_its_row() -> None:
    for tool in TOOLS.values():
        rows = [snake_case(argument.name) for argument in tool.arguments]
        for owner in (ToolCall, Session, SyncSession):
            assert list(inspect.signature(getattr(owner, tool.name)).parameters)[1:] == rows, tool.name


def test_a_new_row_is_in_every_style_and_may_say_how_it_treats_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    row = Tool("new_tool", "Touch a file", "Makes an empty file.", (ToolArgument("filePath", "path", "The path"),))
    monkeypatch.setitem(TOOLS, "new_tool", row)
    profile = PROFILES["all"].replace(tools={name: name for name in TOOLS})
    for style in STYLES:
        assert len(definitions(profile, style)) == len(TOOLS)
    assert {name for name, tool in TOOLS.items() if tool.reads} == set(READ_MODES)
