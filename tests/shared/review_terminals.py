"""The review on a terminal, with the lines that are on its screen."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tests.shared.terminals import Terminal

if TYPE_CHECKING:
    from tests.shared.programs import Place


class ReviewTerminal(Terminal):
    """The review on a terminal of 80 × 24."""

    def __init__(self, place: Place, *arguments: str) -> None:
        super().__init__(place, *(arguments or ("review", "--terminal")), columns=80)
        self._frames = ""
        #: What the line above the keys said last.
        self._notice = ""

    def screen(self, text: str) -> list[str]:
        """The lines of the screen, once it has the text."""
        while True:
            for frame in self._frames.split("\x1b[H")[:0:-1]:
                if "\x1b[?25" in frame and text in frame:
                    self._frames = ""
                    lines = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", frame).split("\r\n")
                    self._notice = lines[-2]
                    return lines
            self._frames += self.until("\x1b[?25")

    def page_down(self) -> list[str]:
        """Page down to the end of a request that is longer than the screen; all lines that are shown, without marks."""
        lines: list[str] = []
        while not self._notice.startswith("Rows ") or "more" in self._notice:
            self.send("\x1b[6~")
            lines += [line[2:] for line in self.screen("Rows ")[1:-2]]
        return lines

    def quit(self) -> None:
        """Quit, and leave the terminal as it was."""
        self.send("\x03")
        self.until("\x1b[?1049l")
        assert self.end()[0] == 0
