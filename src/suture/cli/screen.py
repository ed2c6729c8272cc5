"""Where `suture` writes: plain and stable in a pipe, with colours and a pager on a terminal.

Colours are written by hand. Whoever has gone away is not written to: the exit status tells what was done. What could
not be written for another reason, such as a full disk, is known as `lost`.
"""

from __future__ import annotations

import os
import sys

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


class Screen:
    """Standard output and standard error of one run."""

    def __init__(self, *, colour: When = "auto", pager: bool = True, json: bool = False) -> None:
        self.is_terminal = _is_terminal(sys.stdout) and not json
        self.json = json
        wanted = colour == "always" or (colour == "auto" and self.is_terminal and _colours_are_welcome())
        self.colour = wanted and not json
        self._pager = pager and self.is_terminal
        self._kept: list[str] | None = None
        #: Why something is missing on standard output, where that is so.
        self.lost = ""
        #: Whether files were changed: then the exit status tells that, whatever becomes of the output.
        self.is_done = False

    def styled(self, text: str, style: str) -> str:
        """The text in a style, where there are colours."""
        return f"\x1b[{STYLES[style]}m{text}\x1b[0m" if self.colour and text else text

    def say(self, text: str = "") -> None:
        """A line on standard output, or several."""
        self.write(f"{text}\n")

    def write(self, text: str) -> None:
        """A text on standard output, as it is."""
        if self._kept is not None:
            self._kept.append(text)
        else:
            self.lost = _write(sys.stdout, text, exact=not self.is_terminal) or self.lost

    def tell(self, text: str) -> None:
        """A line on standard error."""
        _write(sys.stderr, f"{text}\n")

    def draw(self, text: str) -> None:
        """Something on standard error that does not stay."""
        _write(sys.stderr, text)

    def keep(self) -> None:
        """From now on keep what is said, for a pager if it is long; `release` shows it."""
        if self._pager:
            self._kept = []

    def release(self) -> None:
        """Show what was kept."""
        kept, self._kept = self._kept, None
        if not kept:
            return
        text = "".join(kept)
        if text.count("\n") >= _size()[1] and _page(text):
            return
        self.write(text)


def width() -> int:
    """The columns of the terminal."""
    return _size()[0]


def _size() -> tuple[int, int]:
    """The columns and lines of the terminal; where the environment says another number, it knows better."""
    try:
        found = os.get_terminal_size(sys.stdout.fileno())
    except (OSError, ValueError, AttributeError):
        return 100, 24
    said = [os.environ.get(name, "") for name in ("COLUMNS", "LINES")]
    columns, lines = (int(text) if text.isdecimal() and len(text) < 6 else 0 for text in said)
    return columns or found.columns or 80, lines or found.lines or 24


def _is_terminal(stream: object) -> bool:
    try:
        return bool(stream.isatty())  # type: ignore[attr-defined]
    except (AttributeError, ValueError):
        return False


def _colours_are_welcome() -> bool:
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM", "") != "dumb"


def _page(text: str) -> bool:
    """Show a text in the user's pager; False where there is none."""
    from shlex import split
    from subprocess import PIPE, Popen

    from .interrupts import deaf, hear

    wanted = os.environ.get("SUTURE_PAGER", os.environ.get("PAGER", "less"))
    environment = {"LESS": "FRX", "LV": "-c"} | dict(os.environ)
    try:
        command = split(wanted)
        if not command or command == ["cat"]:
            return False
        pager = Popen(command, stdin=PIPE, env=environment)  # noqa: S603 - the user's own choice
    except (OSError, ValueError):
        return False
    # Ctrl-C is for the pager as long as it is there.
    heard = deaf()
    try:
        with pager:
            assert pager.stdin is not None, "BUG: a pipe was asked for"
            try:
                pager.stdin.write(text.encode("utf-8", "backslashreplace"))
                pager.stdin.close()
            except OSError:
                pass  # it was left before the end
    finally:
        hear(heard)
    return True


def _write(stream: object, text: str, *, exact: bool = False) -> str:
    """Write what can be written, and give why it could not be, where somebody still listens.

    Bytes that are no text are written as they were read, where no person looks on.
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
