"""Calls that a model writes as Python: `[edit(file_path="a.py", old_string="x", new_string="y")]`.

Llama writes them in a list, Gemma in a fence `tool_code`. The text is parsed, never run: every argument has to be a
literal.
"""

from __future__ import annotations

import ast
import re

from ..core.advice import Copy
from ..core.python_source import parse_python
from .blocks import Block
from .call_arguments import CallError
from .call_shapes import shapes_of
from .raw_syntax import without_tokens
from .tool_calls import operations_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from ..core.patch import Operation
    from .sections import ParserState
    from .tool_calls import CallLog

_CALL = r"(?:default_api\.|functions\.)?(\w{1,100})\(\s*(?:\w{1,100}\s*=|$|\))"
_LISTED = re.compile(rf"(?:<\|python_start\|>)?\s*\[\s*{_CALL}")
_BARE = re.compile(rf"(?:<\|python_start\|>)?\s*(?:print\()?{_CALL}")
_ANY_CALL = re.compile(r"(\w{1,100})\(\s*\w{1,100}\s*=")
#: How much of a line is looked at for calls.
_LONGEST_LINE = 10_000
#: Fences in which a call stands without brackets.
CALL_FENCES = ("tool_code", "tool_call", "tool_calls")
#: The longest call that is parsed, and how often a call of several lines is tried.
_LONGEST = 1_000_000
_MOST_TRIES = 50


def opens_python_call(line: str, *, in_call_fence: bool) -> bool:
    """Whether a line begins with a call of a tool that the table of call shapes has."""
    if "(" not in line:
        return False
    call = _LISTED.match(line) or (_BARE.match(line) if in_call_fence or "<|python_start|>" in line else None)
    return call is not None and any(shapes_of(tool) for tool in _ANY_CALL.findall(line[:_LONGEST_LINE]))


class PythonCallBlock(Block):
    """Calls in Python, up to the line that makes them complete."""

    form = "json"
    name = "a tool call in Python"
    ends_with_fence = True

    def __init__(self, state: ParserState, log: CallLog) -> None:
        super().__init__(state)
        self._log = log
        self._lines: list[str] = []
        self._tries = 0
        self._size = 0
        self._values: list[dict[str, Any]] | None = None

    @property
    def is_complete(self) -> bool:
        """Whether the calls have been parsed."""
        return self._values is not None

    def read(self, line: str) -> bool:
        """Take a line, and parse the call where it may be complete."""
        self._lines.append(line)
        self._size += len(line) + 1
        end = without_tokens(line).rstrip()
        if end.endswith((")", "]")) and self._tries < _MOST_TRIES and self._size <= _LONGEST:
            self._tries += 1
            self._values = _parse("\n".join(self._lines))
        return True

    def operations(self) -> Sequence[Operation]:
        """The operations, once the call is complete."""
        try:
            return operations_in(self._values, self.line, self._log) if self._values else ()
        except CallError:
            return ()

    def finish(self) -> Sequence[Operation]:
        """The operations of the calls."""
        if self._values is None:
            hint = Copy("the call again, with every argument as a literal.")
            self.error("This tool call is not complete, or not a call with literals; it may have been cut off.", hint)
            return ()
        try:
            return operations_in(self._values, self.line, self._log)
        except CallError as error:
            self.error(str(error), error.hint)
        return ()


def _parse(text: str) -> list[dict[str, Any]] | None:
    """The calls of a text with their arguments; None if it is no call with literals, or not complete."""
    try:
        tree = parse_python(without_tokens(text).strip(), "eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    assert isinstance(tree, ast.Expression), "BUG: it was parsed as one"
    items = tree.body.elts if isinstance(tree.body, ast.List) else [tree.body]
    try:
        return [{"name": tool, "input": arguments} for one in items for tool, arguments in _calls(one)]
    except ValueError:
        return None


def _calls(node: ast.expr) -> Iterator[tuple[str, dict[str, Any]]]:
    if not isinstance(node, ast.Call):
        message = "not a call"
        raise ValueError(message)  # noqa: TRY004 - it is about the text
    name = ast.unparse(node.func)
    if name == "print" and len(node.args) == 1:
        yield from _calls(node.args[0])
        return
    yield name, {one.arg: ast.literal_eval(one.value) for one in node.keywords if one.arg is not None}
