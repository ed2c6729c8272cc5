"""Which line of a text opens a call that is written as text: in Python, in a fence `tool`, or as a command."""

from __future__ import annotations

from .fenced_calls import TOOL_FENCE, FencedCallBlock, opens_fenced_call
from .line_commands import command_block
from .python_calls import CALL_FENCES, PythonCallBlock, opens_python_call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .blocks import Block
    from .sections import ParserState
    from .tool_calls import CallLog


class TextCalls:
    """Opens blocks of such calls, and follows the tags that may be around them."""

    def __init__(self, state: ParserState, log: CallLog) -> None:
        self._state = state
        self._log = log
        #: Whether the line is between tags that have calls in Python.
        self._is_inside = False

    def note(self, line: str) -> None:
        """Note a line outside of blocks."""
        if "function_calls>" in line:
            self._is_inside = line.strip() == "<function_calls>"

    def block(self, line: str, fence: str, info: str, take_path: Callable[[], str], *, is_first: bool) -> Block | None:
        """The block that a line opens, inside of a fence with some text after its marks, maybe as its first line."""
        language = info.partition(" ")[0].lower() if fence else ""
        if opens_python_call(line, in_call_fence=self._is_inside or language in CALL_FENCES):
            return PythonCallBlock(self._state, self._log)
        if is_first and language == TOOL_FENCE and opens_fenced_call(line):
            return FencedCallBlock(self._state, self._log, fence)
        return command_block(line, self._state, self._log, take_path)
