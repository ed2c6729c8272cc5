"""A terminal whose keys are read one by one: on Linux and macOS."""

from __future__ import annotations

import os
import select
import sys
import termios
import tty
from contextlib import contextmanager, suppress

assert sys.platform != "win32", "BUG: Windows has another terminal; see windows_terminal"

from .terminal_keys import TICK, split_keys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType
    from typing import Any, Self

    from .screen import Screen


class RawTerminal:
    """The terminal without echo and line editing, on its alternate screen; as it was before, afterwards."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._input = sys.stdin.fileno()
        self._before: Any = None
        self._awake = os.pipe()
        self._drawn = ""

    def __enter__(self) -> Self:
        self._before = termios.tcgetattr(self._input)
        tty.setraw(self._input, termios.TCSADRAIN)
        os.set_blocking(self._awake[1], False)
        self._screen.write("\x1b[?1049h\x1b[?25l")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._screen.write("\x1b[?25h\x1b[?1049l")
        termios.tcsetattr(self._input, termios.TCSADRAIN, self._before)
        for descriptor in self._awake:
            os.close(descriptor)

    @contextmanager
    def lent(self) -> Iterator[None]:
        """The terminal as it was, for another program."""
        self._screen.write("\x1b[?25h\x1b[?1049l")
        termios.tcsetattr(self._input, termios.TCSADRAIN, self._before)
        try:
            yield
        finally:
            tty.setraw(self._input, termios.TCSADRAIN)
            self._screen.write("\x1b[?1049h\x1b[?25l")
            self._drawn = ""

    def wake(self) -> None:
        """End the wait for a key, from any thread."""
        with suppress(BlockingIOError):  # then it is awake already
            os.write(self._awake[1], b"!")

    def read_keys(self) -> list[str]:
        """The keys that were pressed, after a wait; none if something else has happened."""
        ready, _, _ = select.select([self._input, self._awake[0]], [], [], TICK)
        if self._awake[0] in ready:
            os.read(self._awake[0], 1000)
        if self._input not in ready:
            return []
        # A terminal that is gone is at its end.
        return split_keys(os.read(self._input, 1000).decode("utf-8", "ignore")) or ["quit"]

    def draw(self, lines: list[str], cursor: bool) -> None:
        """Show these lines, and the cursor at the end of the last one if that is edited."""
        screen_text = "\r\n".join([f"{line}\x1b[K" for line in lines])
        text = f"\x1b[H{screen_text}\x1b[J\x1b[?25{'h' if cursor else 'l'}"
        if text != self._drawn:
            self._drawn = text
            self._screen.write(text)
