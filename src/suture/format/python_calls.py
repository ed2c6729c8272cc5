"""Calls that a model writes as Python: `[edit(file_path="a.py", old_string="x", new_string="y")]`.

Llama and LFM2 write them in a list, Gemma in a fence `tool_code`, Olmo between `<function_calls>` tags. The text is
parsed, never run: every argument has to be a literal.
"""

from __future__ import annotations

import ast
import re

from ..core.advice import Copy
from ..core.python_source import UNPARSABLE, parse_python
from .blocks import CallBlock
from .call_arguments import CallError
from .call_shapes import shapes_of
from .format_limits import LONGEST_CALL, LONGEST_CALLED_NAME, LONGEST_MARK, MOST_TRIES
from .tool_calls import operations_in
from .unread_calls import has_path_and_text, looks_like_edit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from ..core.patch import Operation
    from .sections import ParserState
    from .tool_calls import CallLog

_CALL = r"(?:default_api\.|functions\.)?(\w{1,100})\(\s*(?:\w{1,100}\s*=|$|\))"
#: What models write before their calls on the same line: Llama 4, LFM2 and Olmo 3.
_OPENING = r"(?:<\|python_start\|>|<\|tool_call_start\|>|<function_calls>)"
#: What they write behind them, and special tokens at both ends.
_MARK = re.compile(r"(?:<[|｜][^<>|｜]{1,60}[|｜]>|</?function_calls>)\s*")
_END = "<|tool_call_end|>"
_LISTED = re.compile(rf"\s*{_OPENING}?\s*\[\s*{_CALL}")
_BARE = re.compile(rf"\s*{_OPENING}?\s*(?:print\()?{_CALL}")
#: What follows the name of a call, wherever it is in a line, and that name.
_ARGUMENTS = re.compile(r"\(\s*\w{1,100}\s*=")
_NAME_BEFORE = re.compile(r"\w+\Z")
#: Fences in which a call stands without brackets.
CALL_FENCES = ("tool_code", "tool_call", "tool_calls")


def opens_python_call(line: str, *, in_call_fence: bool) -> bool:
    """Whether a line begins with a call of a tool that the table of call shapes has, or that looks like an edit."""
    if "(" not in line:
        return False
    call = _LISTED.match(line) or (_BARE.match(line) if in_call_fence or line.lstrip()[:1] == "<" else None)
    if call is None:
        return False
    if any(map(shapes_of, _names_of_calls(line))):
        return True
    # A call of any other tool is no edit that can be read, but it may look like one.
    return any(
        has_path_and_text(one["input"]) and looks_like_edit(one["name"], one["input"]) for one in _parse(line) or ()
    )


def _names_of_calls(line: str) -> Iterator[str]:
    """The names of all calls in a line that have a named argument."""
    for arguments in _ARGUMENTS.finditer(line):
        start = arguments.start()
        name = _NAME_BEFORE.search(line[max(0, start - LONGEST_CALLED_NAME) : start])
        if name is not None:
            yield name[0]


class PythonCallBlock(CallBlock):
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
        self.text_beside = line[max(line.rfind(")"), line.rfind("]")) + 1 :]
        end = _without_marks(line).rstrip()
        if end.endswith((")", "]")) and self._tries < MOST_TRIES and self._size <= LONGEST_CALL:
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


def _without_marks(text: str) -> str:
    """A text without the marks of models around it. Those inside belong to the arguments."""
    before, end_mark, _ = text.rpartition(_END)
    text = before.strip() if end_mark else text.strip()
    start, end = 0, len(text)
    while opening := _MARK.match(text, start):
        start = opening.end()
    while True:
        mark_start = text.rfind("<", max(start, end - LONGEST_MARK), end)
        if mark_start < 0 or _MARK.fullmatch(text, mark_start, end) is None:
            return text[start:end]
        end = mark_start


def _parse(text: str) -> list[dict[str, Any]] | None:
    """The calls of a text with their arguments; None if it is no call with literals, or not complete."""
    try:
        tree = parse_python(_without_marks(text).strip(), "eval")
    except UNPARSABLE:
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
