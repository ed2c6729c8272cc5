"""Calls in a fence `tool`, as Continue asks models for them that have no calls of their own::

    ```tool
    TOOL_NAME: edit
    BEGIN_ARG: path
    src/app.py
    END_ARG
    ```

The lines of an argument are its text, as they are.
"""

from __future__ import annotations

import re

from ..core.advice import Copy
from .blocks import CallBlock
from .call_arguments import CallError, put_argument
from .tool_calls import operations_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ..core.patch import Operation
    from .sections import ParserState
    from .tool_calls import CallLog

#: The language of such a fence.
TOOL_FENCE = "tool"
_NAME = re.compile(r"\s*TOOL_NAME:\s*([\w.:/-]{1,100})\s*$")
_ARGUMENT = re.compile(r"\s*BEGIN_ARG:\s*([\w.-]{1,100})\s*$")
_END = "END_ARG"


def opens_fenced_call(line: str) -> bool:
    """Whether a line in such a fence names the tool of a call."""
    return _NAME.match(line) is not None


class FencedCallBlock(CallBlock):
    """One call, from the name of its tool to the end of its fence."""

    form = "json"
    name = "a tool call in a fence"
    takes_fence_end = True

    def __init__(self, state: ParserState, log: CallLog, mark: str) -> None:
        super().__init__(state)
        self._log = log
        self._mark = mark
        self._tool = ""
        self._arguments: dict[str, Any] = {}
        #: The argument that is open, and its lines.
        self._argument = ""
        self._lines: list[str] = []
        self._closed = False
        self._error = ""

    @property
    def is_complete(self) -> bool:
        """Whether the end of the fence was read."""
        return self._closed

    def read(self, line: str) -> bool:
        """Take a line."""
        if self._argument:
            self._read_argument(line)
        elif not self._tool and (named := _NAME.match(line)):
            self._tool = named[1]
        elif opening := _ARGUMENT.match(line):
            self._argument = opening[1]
        elif line.strip().startswith(self._mark):
            self._closed = True
        elif line.strip():
            self._error = self._error or f"The call of {self._tool} has a line outside of its arguments."
        return True

    def _read_argument(self, line: str) -> None:
        if line.strip() != _END:
            self._lines.append(line)
            return
        try:
            put_argument(self._arguments, self._argument, "\n".join(self._lines))
        except CallError as error:
            self._error = self._error or str(error)
        self._argument, self._lines = "", []

    def operations(self) -> Sequence[Operation]:
        """The operations, once the call is complete."""
        try:
            return self._read_call() if self._closed and not self._error else ()
        except CallError:
            return ()

    def finish(self) -> Sequence[Operation]:
        """The operations of the call."""
        hint = Copy("the whole call again, and close its arguments and its fence.")
        if not self._closed:
            self.error(f"This call of {self._tool} has no end; it may have been cut off.", hint)
            return ()
        if self._error:
            self.error(self._error, hint)
            return ()
        try:
            return self._read_call()
        except CallError as error:
            self.error(str(error), error.hint)
        return ()

    def _read_call(self) -> Sequence[Operation]:
        return operations_in([{"name": self._tool, "input": self._arguments}], self.line, self._log)
