"""A program on a real pseudo-terminal, all three of its streams."""

from __future__ import annotations

import codecs
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time
from typing import TYPE_CHECKING

from tests.shared.programs import BIN

if TYPE_CHECKING:
    from tests.shared.programs import Place


class Terminal:
    """A program that runs on a terminal of some columns."""

    def __init__(self, place: Place, *arguments: str, program: str = str(BIN / "suture"), columns: int = 100) -> None:
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        self.said = ""
        #: A character may arrive in two pieces.
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.process = subprocess.Popen(
            [program, *arguments],
            cwd=place.root,
            env=place.environment,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
        )
        os.close(slave)

    def until(self, text: str) -> str:
        """Read until the text was said, and give all since the last time."""
        found = ""
        limit = time.monotonic() + 30
        while text not in found:
            assert time.monotonic() < limit, found
            piece = self._read()
            assert piece, f"it ended, having said {found!r}"
            found += piece
        self.said += found
        return found

    def send(self, text: str) -> None:
        """Type something."""
        os.write(self._master, text.encode())

    def answer(self, *answers: str) -> None:
        """Answer questions, each when it is asked."""
        for one in answers:
            self.until("]? ")
            self.send(f"{one}\n")

    def end(self) -> tuple[int, str]:
        """Wait for the end, and give the exit status and all that was said."""
        while piece := self._read():
            self.said += piece
        status = self.process.wait(timeout=30)
        os.close(self._master)
        return status, self.said.replace("\r\n", "\n")

    def _read(self) -> str:
        poll = select.poll()
        poll.register(self._master, select.POLLIN | select.POLLHUP)
        ready = poll.poll(30_000)
        try:
            data = os.read(self._master, 65536) if ready else b""
        except OSError:  # the other side is closed
            return ""
        text = self._decoder.decode(data)
        return text or (self._read() if data else "")


def plain(text: str) -> str:
    """A text without its colours."""
    return re.sub(r"\x1b\[[0-9;]*m", "", text)
