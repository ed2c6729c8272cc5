"""An envelope as one block of an answer that may have other forms too."""

from __future__ import annotations

from ..core.problems import PatchInvalidError
from .blocks import Block
from .envelope import EnvelopeParser

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.patch import Operation, Patch
    from .sections import ParserState


class EnvelopeBlock(Block):
    """One envelope of an answer that may have other forms too."""

    form = "envelope"
    name = "a patch"

    def __init__(self, state: ParserState, max_size: int, max_sections: int) -> None:
        super().__init__(state)
        self._parser = EnvelopeParser(
            state.dialect, max_size=max_size, max_sections=max_sections, first_line=state.number
        )
        #: Lines that the parser has not got yet.
        self.lines: list[str] = []
        #: The result, once the block has ended.
        self.result: Patch | PatchInvalidError | None = None

    @property
    def is_complete(self) -> bool:
        """Whether its end was read."""
        return not self.lines and self._parser.is_complete

    def read(self, line: str) -> bool:
        """Take a line. Only a line with stars can end the envelope, so the others wait for it."""
        self.lines.append(line)
        if "***" in line:
            self._flush()
        return True

    def _flush(self) -> None:
        if self.lines:
            self._parser.feed("\n".join((*self.lines, "")))
            self.lines.clear()

    def operations(self) -> Sequence[Operation]:
        """The operations so far."""
        self._flush()
        return self._parser.operations

    def finish(self) -> Sequence[Operation]:
        """The operations of the envelope."""
        self._flush()
        try:
            patch = self._parser.close()
        except PatchInvalidError as invalid:
            self.result = invalid
            self.state.problems += invalid.problems
            return ()
        self.result = patch
        self.state.concessions += patch.concessions
        return patch.operations
