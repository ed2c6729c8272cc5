"""Colors of a terminal, as `git diff --color` writes them: they are no part of an edit.

A text has colors if a line begins with one and goes on as a line of a form does. From that line on, or from a colored
path right above it, all of them are taken out. Escape sequences elsewhere are content: a file can have them, and its
edits then need them.
"""

from __future__ import annotations

import re

_COLOR = re.compile(r"\x1b\[[\d;:]*[mK]")
#: A colored line of a diff, an envelope, a block or a call.
_COLORED_LINE = re.compile(
    r"^(?:\x1b\[[\d;:]*+[mK])++[ \t]*+(?:diff --|Index: |[-+]|@@|\*\*\* |<{5}|[{\[<])", re.MULTILINE
)


def has_colors(text: str) -> bool:
    """Whether a text has colors."""
    return "\x1b" in text and _COLORED_LINE.search(text) is not None


class ColorFilter:
    """Takes the colors out of a text that arrives in pieces."""

    def __init__(self) -> None:
        #: The line, from 1, that the first color was found in; 0 as long as there is none.
        self.first_line = 0
        #: Pieces of a line that has an escape sequence and is not complete.
        self._rest: list[str] = []
        #: Lines that begin with a color and are no line of a form, such as a path above a block: the next one decides.
        self._undecided: list[str] = []
        #: How many lines were complete before those, and whether the text is at the start of a line.
        self._complete = 0
        self._is_line_start = True

    def feed(self, piece: str) -> str:
        """The part of the text without colors that is known after this piece."""
        if not self._rest and not self._undecided and "\x1b" not in piece:
            self._pass(piece)
            return piece
        self._rest.append(piece)
        if "\n" not in piece:
            return ""
        *lines, rest = "".join(self._rest).split("\n")
        known = "".join([self._read(f"{line}\n") for line in lines])
        if "\x1b" in rest or self._undecided:
            self._rest = [rest]
            return known
        self._rest = []
        self._pass(rest)
        return known + rest

    def close(self) -> str:
        """What is left, at the end of the text."""
        known = self._read("".join(self._rest))
        return known + "".join(self._undecided)

    def _pass(self, text: str) -> None:
        """Count what is passed on as it is."""
        self._complete += text.count("\n")
        if text:
            self._is_line_start = text.endswith("\n")

    def _read(self, line: str) -> str:
        """What is known after a line: itself without its colors, and those before it that were undecided."""
        if self.first_line:
            return _COLOR.sub("", line)
        if self._is_line_start and line.startswith("\x1b"):
            self._undecided.append(line)
            if _COLORED_LINE.match(line) is None:
                return ""
            self.first_line = self._complete + 1
        lines = self._undecided if self.first_line else [*self._undecided, line]
        self._undecided = []
        text = "".join(lines)
        self._pass(text)
        return _COLOR.sub("", text) if self.first_line else text
