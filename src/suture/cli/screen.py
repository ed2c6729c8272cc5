"""The output of `suture`: plain and stable in a pipe, with colors and a pager on a terminal.

A reader that has gone away is no error, because the exit status tells what was done. If output cannot be written for
another reason, such as a full disk, `write_error` says why.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress

from ..core.readers import COMMAND
from .interrupts import ignore_ctrl_c, restore_ctrl_c

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO, Literal

    When = Literal["auto", "always", "never"]

STYLES = {
    "bold": "1",
    "dim": "2",
    "red": "31",
    "green": "32",
    "yellow": "33",
    "blue": "34",
    "magenta": "35",
    "cyan": "36",
    "removed": "31",
    "added": "32",
    "removed_word": "1;31;48;5;52",
    "added_word": "1;32;48;5;22",
}


#: The exit status of a program that a closed pipe has ended, as shells report it.
PIPE_CLOSED = 128 + 13


class ReaderGoneError(Exception):
    """Nobody reads standard output any more, and there is nothing else to do."""


class Screen:
    """Standard output and standard error of one run."""

    def __init__(self, *, color: When = "auto", pager: bool = True, json: bool = False) -> None:
        self.is_terminal = is_terminal(sys.stdout) and not json
        self.json = json
        use_color = color == "always" or (color == "auto" and self.is_terminal and _allows_color())
        self.color = use_color and not json
        self._pager = pager and self.is_terminal
        self._pages: list[str] | None = None
        #: Who reads the messages: what they can act on are options of the command.
        self.reader = COMMAND
        #: Why output is missing; empty if it is complete.
        self.write_error = ""
        #: Whether files were changed: then the exit status says so even if output is missing.
        self.files_changed = False

    def style(self, text: str, style: str) -> str:
        """The text in a style, if colors are used."""
        return f"\x1b[{STYLES[style]}m{text}\x1b[0m" if self.color and text else text

    def print(self, text: str = "") -> None:
        """Write a line to standard output."""
        self.write(f"{text}\n")

    def write(self, text: str) -> None:
        """Write text to standard output."""
        if self._pages is not None:
            self._pages.append(text)
        else:
            self.write_error = _write(sys.stdout, text, exact=not self.is_terminal) or self.write_error

    def error(self, text: str) -> None:
        """Write a line to standard error."""
        _write(sys.stderr, f"{text}\n")

    def draw(self, text: str) -> None:
        """Write text to standard error, without a newline."""
        _write(sys.stderr, text)

    def start_paging(self) -> None:
        """Collect the output for a pager until `end_paging`."""
        if self._pager:
            self._pages = []

    def end_paging(self) -> None:
        """Show the collected output, in a pager if it is long."""
        pages, self._pages = self._pages, None
        if not pages:
            return
        text = "".join(pages)
        if text.count("\n") >= size()[1] and _page(text):
            return
        self.write(text)


def width() -> int:
    """The number of columns of the terminal."""
    return size()[0]


def size() -> tuple[int, int]:
    """The columns and lines of the terminal; COLUMNS and LINES take precedence, also where there is no terminal."""
    try:
        size = os.get_terminal_size(sys.stdout.fileno())
        columns, lines = size.columns or 80, size.lines or 24
    except (OSError, ValueError, AttributeError):
        columns, lines = 100, 24
    return _size_set("COLUMNS") or columns, _size_set("LINES") or lines


def _size_set(name: str) -> int:
    """A size that the environment sets; 0 if it does not."""
    text = os.environ.get(name, "")
    return int(text) if text.isdecimal() and len(text) < 6 else 0


def is_terminal(stream: object) -> bool:
    """Whether a stream is a terminal."""
    try:
        return bool(stream.isatty())  # type: ignore[attr-defined]
    except (AttributeError, ValueError):
        return False


def _allows_color() -> bool:
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM", "") != "dumb"


def _page(text: str) -> bool:
    """Show a text in the user's pager; False if there is none."""
    from subprocess import PIPE, Popen

    from .user_commands import user_command

    environment = {"LESS": "FRX", "LV": "-c"} | dict(os.environ)
    # From its start on, Ctrl-C belongs to the pager.
    handler = ignore_ctrl_c()
    try:
        try:
            command = user_command(os.environ.get("SUTURE_PAGER", os.environ.get("PAGER", "less")))
            if not command or command == ["cat"]:
                return False
            pager = Popen(command, stdin=PIPE, env=environment)  # noqa: S603 - the user's own choice
        except (OSError, ValueError):
            return False
        # The user may quit before the end.
        with suppress(OSError), pager:
            assert pager.stdin is not None, "BUG: a pipe was asked for"
            pager.stdin.write(text.encode("utf-8", "backslashreplace"))
            pager.stdin.close()
    finally:
        restore_ctrl_c(handler)
    return True


def _write(stream: object, text: str, *, exact: bool = False) -> str:
    """Write text. Returns why it could not be written, or "".

    It is no error that the reader is gone, nor that the stream is closed or has no bytes below it, as one that a caller
    has replaced. With `exact`, undecodable bytes are written as they were read; otherwise they are escaped.
    """
    try:
        buffer: BinaryIO = stream.buffer  # type: ignore[attr-defined]
        try:
            data = text.encode("utf-8", "surrogateescape" if exact else "backslashreplace")
        except UnicodeEncodeError:
            data = text.encode("utf-8", "backslashreplace")
        buffer.write(data)
        buffer.flush()
    except (BrokenPipeError, AttributeError, ValueError):
        return ""
    except OSError as error:
        return str(error.strerror or error)
    return ""
