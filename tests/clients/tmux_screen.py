"""A program on the screen of tmux, as a person has it."""

from __future__ import annotations

import shlex
import subprocess
import time
import uuid
from typing import TYPE_CHECKING, Self

from tests.clients.real_clients import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path


class TmuxScreen:
    """A program that runs on a screen of its own. Use it as a context."""

    def __init__(self, command: Sequence[str], root: Path, environment: Mapping[str, str]) -> None:
        # The path of a socket has to be short.
        self._name = f"suture-{uuid.uuid4().hex[:12]}"
        variables = [f"{name}={value}" for name, value in environment.items()]
        words = shlex.join(["env", "-i", *variables, "COLORTERM=truecolor", *command])
        self._tmux(
            "-f", "/dev/null", "new-session", "-d", "-x", "140", "-y", "50", "-s", "client", "-c", str(root), words
        )

    @property
    def text(self) -> str:
        """What is on the screen."""
        return self._tmux("capture-pane", "-p", "-t", "client")

    def until(self, *texts: str) -> str:
        """Wait until one of these texts is on the screen; which one."""
        end = time.monotonic() + PATIENCE
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
