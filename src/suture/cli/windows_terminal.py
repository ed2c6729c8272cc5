"""A terminal whose keys are read one by one: on Windows. Only loaded there."""

from __future__ import annotations

import ctypes
import msvcrt
import sys
import time
from contextlib import contextmanager
from threading import Event

assert sys.platform == "win32", "BUG: only for Windows"

from .terminal_keys import TICK, split_keys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType
    from typing import Self

    from .screen import Screen

#: Seconds between two looks whether a key was pressed: Windows can't wait for a key and for something else at once.
_PAUSE = 0.03
_OUTPUT = -11
#: Sequences that begin with an escape character are commands to the terminal, not characters.
_READS_COMMANDS = 0x4
#: The keys that come as two characters, as the sequences that other terminals send.
_SPECIAL = {
    "H": "\x1b[A",
    "P": "\x1b[B",
    "M": "\x1b[C",
    "K": "\x1b[D",
    "I": "\x1b[5~",
    "Q": "\x1b[6~",
    "G": "\x1b[H",
    "O": "\x1b[F",
}


class WindowsTerminal:
    """The terminal without echo and line editing, on its alternate screen; as it was before, afterwards."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._kernel = ctypes.WinDLL("kernel32", use_last_error=True)
        self._kernel.GetStdHandle.restype = ctypes.c_void_p
        self._output = ctypes.c_void_p(self._kernel.GetStdHandle(_OUTPUT))
        self._mode_before = ctypes.c_ulong()
        self._awake = Event()
        self._drawn = ""

    def __enter__(self) -> Self:
        self._kernel.GetConsoleMode(self._output, ctypes.byref(self._mode_before))
        self._kernel.SetConsoleMode(self._output, self._mode_before.value | _READS_COMMANDS)
        self._screen.write("\x1b[?1049h\x1b[?25l")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._screen.write("\x1b[?25h\x1b[?1049l")
        self._kernel.SetConsoleMode(self._output, self._mode_before)

    @contextmanager
    def lent(self) -> Iterator[None]:
        """The terminal as it was, for another program."""
        self._screen.write("\x1b[?25h\x1b[?1049l")
        self._kernel.SetConsoleMode(self._output, self._mode_before)
        try:
            yield
        finally:
            self._kernel.SetConsoleMode(self._output, self._mode_before.value | _READS_COMMANDS)
            self._screen.write("\x1b[?1049h\x1b[?25l")
            self._drawn = ""

    def wake(self) -> None:
        """End the wait for a key, from any thread."""
        self._awake.set()

    def read_keys(self) -> list[str]:
        """The keys that were pressed, after a wait; none if its time is over, or if something else has happened."""
        deadline = time.monotonic() + TICK
        while not msvcrt.kbhit():
            if self._awake.wait(_PAUSE):
                self._awake.clear()
                return []
            if time.monotonic() >= deadline:
                return []
        text = ""
        while msvcrt.kbhit():
            character = msvcrt.getwch()
            text += _SPECIAL.get(msvcrt.getwch(), "") if character in {"\0", "\xe0"} else character
        return split_keys(text.replace("\x08", "\x7f"))

    def draw(self, lines: list[str], cursor: bool) -> None:
        """Show these lines, and the cursor at the end of the last one if that is edited."""
        screen_text = "\r\n".join([f"{line}\x1b[K" for line in lines])
        text = f"\x1b[H{screen_text}\x1b[J\x1b[?25{'h' if cursor else 'l'}"
        if text != self._drawn:
            self._drawn = text
            self._screen.write(text)
