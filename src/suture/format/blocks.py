"""What the readers of all forms share: a block of lines in an answer, which becomes operations."""

from __future__ import annotations

from .format_limits import MOST_BLOCK_PROBLEMS
from .opening_lines import closes_fence
from .parse_errors import FEW, quote
from .parse_fault import ParseFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.patch import Operation
    from ..core.problems import Advice
    from .sections import ParserState


class Block:
    """Consecutive lines of an answer in one form. A reader of a form is a subclass."""

    #: The form, as `--format` names it, and what messages call the block.
    form = ""
    name = ""
    #: Whether the end of the fence around it ends the block.
    ends_with_fence = False
    #: Whether the block itself takes the end of the fence around it.
    takes_fence_end = False

    def __init__(self, state: ParserState) -> None:
        self.state = state
        self.line = state.number

    def is_ended_by(self, line: str, fence: str) -> bool:
        """Whether a line is the end of the fence around the block, which was opened by these marks, and ends it."""
        return self.ends_with_fence and closes_fence(line, fence)

    def read(self, line: str) -> bool:
        """Take a line; False if the block has ended before it."""
        raise NotImplementedError

    @property
    def is_complete(self) -> bool:
        """Whether the block ended with the line that it took last."""
        return False

    def operations(self) -> Sequence[Operation]:
        """The operations as far as they have been read."""
        raise NotImplementedError

    def finish(self) -> Sequence[Operation]:
        """The operations, at the end of the block. Errors go to the state."""
        raise NotImplementedError

    def error(
        self, message: str, hint: Advice = "", *, number: int = 0, found: str = "", reason: str = "", **more: object
    ) -> None:
        """Record an error at a line, by default the first of the block. Of many equal errors, the lines are kept."""
        number = number or self.line
        text = f"{message} Found {quote(found)}." if found else message
        is_full = len(self.state.problems) >= MOST_BLOCK_PROBLEMS
        if is_full and (text, hint) not in self.state.repeats:
            return
        lines = self.state.repeats.setdefault((text, hint), [])
        lines.append(number)
        if is_full or len(lines) > FEW:
            return
        fault = ParseFault(number, text, hint, found, (), self.form, reason, more, lines)
        self.state.problems.append(fault.problem())


class CallBlock(Block):
    """Calls, which may have other text beside them on their lines."""

    #: That text, once the block has ended.
    text_beside = ""
