"""How long a client waits for the list of tools, next to an empty Python; and what a call costs next to a session.

python -m benchmarks.mcp_start
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from suture import Session, Workspace

if TYPE_CHECKING:
    from collections.abc import Callable

RUNS = 15
CALLS = 200
INFO = {"name": "benchmark", "version": "1"}
BEGINNING: list[dict[str, Any]] = [
    {
        "id": 1,
        "method": "initialize",
        "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": INFO},
    },
    {"method": "notifications/initialized"},
    {"id": 2, "method": "tools/list"},
]


class Server:
    """A server, and the time that it took to list its tools."""

    def __init__(self, root: Path) -> None:
        start = time.perf_counter()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "suture", "mcp", "--approve", "client"],
            cwd=root,
            env={**os.environ, "SUTURE_STATE_DIR": str(root.parent / "state"), "SUTURE_DURABILITY": "process"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        for message in BEGINNING:
            self._send(message)
        self._receive()
        self._receive()
        self.seconds = time.perf_counter() - start
        self.processor_ms = processor_ms(self._process.pid)

    def call(self, name: str, arguments: dict[str, Any]) -> None:
        """Call a tool, which must not be refused."""
        self._send({"id": 3, "method": "tools/call", "params": {"name": name, "arguments": arguments}})
        answer = self._receive()
        assert not answer["result"]["isError"]

    def close(self) -> None:
        """End the server."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self._process.stdin.flush()

    def _receive(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        message: dict[str, Any] = json.loads(self._process.stdout.readline())
        return message


def milliseconds(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return (time.perf_counter() - start) * 1000


def processor_ms(process: int) -> float:
    """The processor time of a process until now, which does not depend on how busy a machine is; 0 except on Linux."""
    try:
        threads = [(task / "schedstat").read_text() for task in Path(f"/proc/{process}/task").iterdir()]
    except OSError:
        return 0.0
    return sum(int(thread.split()[0]) for thread in threads) / 1e6


def empty_processor_ms() -> float:
    """The processor time of an empty Python, at the moment when it could read its input."""
    with subprocess.Popen(
        [sys.executable, "-c", "print(flush=True); input()"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        used = processor_ms(process.pid)
        process.communicate(b"\n")
    return used


def edits() -> list[dict[str, Any]]:
    """Edits that each undo the one before."""
    texts = ["x = 1", "x = 2"]
    return [
        {"filePath": "app.py", "oldString": texts[number % 2], "newString": texts[1 - number % 2]}
        for number in range(CALLS)
    ]


def measure_start(root: Path) -> None:
    """Measure starts of an empty Python and of a server, in turn."""
    empty, listed, empty_used, listed_used = [], [], [], []
    for _ in range(RUNS):
        empty.append(milliseconds(lambda: subprocess.run([sys.executable, "-c", "pass"], check=True)))
        server = Server(root)
        listed.append(server.seconds * 1000)
        listed_used.append(server.processor_ms)
        server.close()
        empty_used.append(empty_processor_ms())
    here, there = statistics.median(empty), statistics.median(listed)
    print(f"tools listed: {there:.0f} ms, empty Python: {here:.0f} ms, {there / here:.1f} times")
    here, there = statistics.median(empty_used), statistics.median(listed_used)
    if here:
        print(f"the same in processor time: {there:.0f} ms, {here:.0f} ms, {there / here:.1f} times")


async def measure_calls(root: Path, other: Path) -> None:
    """Measure the same calls over stdio and on a session, in turn, each in a project of its own."""
    server = Server(root)
    server.call("read", {"filePath": "app.py"})
    calls = [("read", {"filePath": "app.py"})] * CALLS + [("edit", edit) for edit in edits()]
    times: dict[tuple[str, str], list[float]] = {}
    with Workspace(other, state_dir=str(root.parent / "other state"), durability="process") as workspace:
        async with Session(workspace, rules=[("edit", "*", "allow")]) as session:
            await session.call("read", {"filePath": "app.py"})
            for name, arguments in calls:
                over_stdio = milliseconds(lambda: server.call(name, arguments))  # noqa: B023 - called at once
                times.setdefault((name, "stdio"), []).append(over_stdio)
                start = time.perf_counter()
                result = await session.call(name, arguments)
                times.setdefault((name, "session"), []).append((time.perf_counter() - start) * 1000)
                assert not result.is_error, result.output
    server.close()
    for name in ("read", "edit"):
        there, here = (statistics.median(times[name, way]) for way in ("stdio", "session"))
        print(f"{name}: {there:.2f} ms over stdio, {here:.2f} ms on a session, {there / here:.1f} times")


def make_project(root: Path) -> Path:
    """A project with one file."""
    root.mkdir()
    (root / ".git").mkdir()
    (root / "app.py").write_text("x = 1\n" + "".join(f"line_{number} = {number}\n" for number in range(200)))
    return root


def main() -> None:
    with tempfile.TemporaryDirectory() as place:
        root = make_project(Path(place) / "project")
        measure_start(root)
        asyncio.run(measure_calls(root, make_project(Path(place) / "other")))


if __name__ == "__main__":
    main()
