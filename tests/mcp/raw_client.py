"""A client of a server process on standard input and output, message by message. It needs no SDK."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any, Self

from tests.shared.programs import BIN

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

APP = "def greet(name):\n    return 'Hi ' + name\n\n\nprint(greet('world'))\n"
#: How a client of the handshake era begins.
VERSION = "2025-11-25"
#: How long a process may take to end, in seconds. It is only reached if something is wrong.
PATIENCE = 60


def make_project(place: Path) -> Path:
    """A project with two files, next to a home and a state directory."""
    root = place / "project"
    root.mkdir()
    (place / "home").mkdir()
    (root / ".git").mkdir()
    (root / "app.py").write_text(APP)
    (root / "other.py").write_text("A = 1\nB = 2\n")
    return root


def environment(root: Path) -> dict[str, str]:
    """The environment of a server: nothing of the developer's."""
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "LC_ALL", "COVERAGE_FILE")}
    place = root.parent
    more = {"HOME": str(place / "home"), "SUTURE_STATE_DIR": str(place / "state"), "PYTHONWARNINGS": "error"}
    return {**kept, **more, "SUTURE_DURABILITY": "process"}


class RawClient:
    """A server, and the client that has started it. The client answers forms with `answers`, in order."""

    def __init__(
        self,
        root: Path,
        *options: str,
        forms: bool = False,
        program: Sequence[str] = (str(BIN / "suture"),),
        info: Mapping[str, str] | None = None,
    ) -> None:
        self.process = subprocess.Popen(
            [*program, "mcp", *options],
            cwd=root,
            env=environment(root),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        #: How the client introduces itself.
        self.info = info or {"name": "raw", "version": "1"}
        self.capabilities: dict[str, Any] = {"elicitation": {}} if forms else {}
        self.answers: list[dict[str, Any]] = []
        #: The forms that were shown, and all notifications.
        self.forms: list[dict[str, Any]] = []
        self.notifications: list[dict[str, Any]] = []
        self._number = 0

    def send(self, **message: Any) -> None:
        """Send a message."""
        self.send_line(json.dumps({"jsonrpc": "2.0", **message}).encode())

    def send_line(self, line: bytes) -> None:
        """Send a line, whatever it is."""
        assert self.process.stdin is not None
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def receive(self) -> dict[str, Any]:
        """The next message."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            assert self.process.stderr is not None
            raise AssertionError(self.process.stderr.read().decode())
        message: dict[str, Any] = json.loads(line)
        assert message.pop("jsonrpc") == "2.0"
        return message

    def request(self, method: str, **params: Any) -> dict[str, Any]:
        """The answer to a request: a `result` or an `error`. Meanwhile forms are answered."""
        self._number += 1
        self.send(id=self._number, method=method, params=params)
        while True:
            message = self.receive()
            if message.get("id") == self._number and "method" not in message:
                return message
            if message.get("method") == "elicitation/create":
                self.forms.append(message["params"])
                self.send(id=message["id"], result=self.answers.pop(0))
            else:
                self.notifications.append(message)

    def begin(self) -> dict[str, Any]:
        """Shake hands; what the server says about itself."""
        params = {"protocolVersion": VERSION, "capabilities": self.capabilities, "clientInfo": self.info}
        result: dict[str, Any] = self.request("initialize", **params)["result"]
        self.send(method="notifications/initialized")
        return result

    def call(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """The result of a tool call."""
        result: dict[str, Any] = self.request("tools/call", name=tool, arguments=arguments)["result"]
        return result

    def text(self, tool: str, /, **arguments: Any) -> str:
        """The text of the result of a tool call."""
        text: str = self.call(tool, **arguments)["content"][0]["text"]
        return text

    def end(self) -> tuple[int, str]:
        """Close standard input; how the server ended, and its errors."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        try:
            self.process.stdin.close()
            status = self.process.wait(PATIENCE)
            return status, self.process.stderr.read().decode()
        finally:
            self.process.kill()
            self.process.wait()
            self.process.stdout.close()
            self.process.stderr.close()

    def __enter__(self) -> Self:
        self.begin()
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        ended = self.end()
        if kind is None:
            assert ended == (0, "")


def run_python(code: str, root: Path, stdin: bytes) -> subprocess.CompletedProcess[bytes]:
    """Run a program in Python with something on its standard input."""
    return subprocess.run(
        [sys.executable, "-c", code], cwd=root, env=environment(root), input=stdin, capture_output=True, check=False
    )
