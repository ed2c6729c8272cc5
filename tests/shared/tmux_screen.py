"""A program on the screen of tmux, as a person has it."""

from __future__ import annotations

import shlex
import subprocess
import time
import uuid
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path


#: How long a text may take to come, in seconds, if a test does not say it.
PATIENCE = 60.0
#: After how many seconds without an answer a key is taken for lost.
SLOWEST_ANSWER = 15.0


class TmuxScreen:
    """A program that runs on a screen of its own. Use it as a context."""

    def __init__(
        self,
        command: Sequence[str],
        root: Path,
        environment: Mapping[str, str],
        *,
        columns: int = 140,
        lines: int = 50,
        patience: float = PATIENCE,
    ) -> None:
        #: How long a text may take to come, in seconds.
        self._patience = patience
        # The path of a socket has to be short.
        self._name = f"suture-{uuid.uuid4().hex[:12]}"
        variables = [f"{name}={value}" for name, value in environment.items()]
        words = shlex.join(["env", "-i", *variables, "COLORTERM=truecolor", *command])
        size = ["-x", str(columns), "-y", str(lines)]
        self._tmux("-f", "/dev/null", "new-session", "-d", *size, "-s", "client", "-c", str(root), words)

    @property
    def text(self) -> str:
        """What is on the screen."""
        return self._tmux("capture-pane", "-p", "-t", "client")

    def until(self, *texts: str) -> str:
        """Wait until one of these texts is on the screen; which one."""
        end = time.monotonic() + self._patience
        while True:
            shown = self.text
            for text in texts:
                if text in shown:
                    return text
            assert time.monotonic() < end, f"{texts} never came:\n{shown}"
            time.sleep(0.1)

    def settle(self, text: str) -> None:
        """Wait a few seconds for a text to go; it may stay."""
        end = time.monotonic() + 3
        while text in self.text and time.monotonic() < end:
            time.sleep(0.1)

    def press_until(self, key: str, text: str) -> None:
        """Press a key until a text is on the screen: one that comes before the program listens is lost."""
        end = time.monotonic() + self._patience
        while text not in self.text:
            assert time.monotonic() < end, f"{text} never came:\n{self.text}"
            self.press(key)
            again = time.monotonic() + SLOWEST_ANSWER
            while text not in self.text and time.monotonic() < again:
                time.sleep(0.1)

    def press(self, *keys: str) -> None:
        """Press keys, by their names in tmux."""
        self._tmux("send-keys", "-t", "client", *keys)

    def _tmux(self, *words: str) -> str:
        command = ["tmux", "-L", self._name, *words]
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE).stdout

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._tmux("kill-server")
