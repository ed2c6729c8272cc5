"""Concurrent MCP clients over HTTP: how long calls take, and whether anything is lost.

Run it in the environment of `make test-adapters`: `python -m benchmarks.mcp_load --sessions 50`. Each client has a
session of its own. It reads a file that all share, creates its own file, and edits it again and again, while the other
clients do the same. In the end each file must hold all edits of its client, and the history must have one commit for
each change.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

TOKEN = "benchmark-" + "0" * 20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sessions", type=int, default=50, help="the number of clients")
    parser.add_argument("--edits", type=int, default=10, help="the number of edits of each client")
    parser.add_argument("--era", choices=("handshake", "stateless"), default="stateless", help="the protocol")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        print(measure(Path(place), options.sessions, options.edits, options.era))


def measure(place: Path, sessions: int, edits: int, era: str) -> str:
    """Run all clients against one server; the figures as text."""
    root = place / "project"
    root.mkdir()
    (root / "shared.txt").write_text("shared\n" * 100)
    home = {"HOME": str(place / "home"), "SUTURE_STATE_DIR": str(place / "state"), "SUTURE_MCP_TOKEN": TOKEN}
    command = [sys.executable, "-m", "suture", "mcp", "--http", "127.0.0.1:0", "--approve", "client"]
    environment = {**os.environ, **home, "SUTURE_DURABILITY": "process"}
    process = subprocess.Popen(command, cwd=root, env=environment, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        url = re.findall(r"http://\S+", process.stderr.readline())[0]
        start = time.perf_counter()
        results = asyncio.run(run_clients(url, sessions, edits, era))
        seconds = time.perf_counter() - start
        memory = resident(process.pid)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)
    lost = [number for number in range(sessions) if (root / f"{number}.txt").read_text() != f"version {edits}\n"]
    assert not lost, f"files with lost edits: {lost}"
    log = [sys.executable, "-m", "suture", "--root", str(root), "log", "--oneline", "-n", "100000"]
    commits = subprocess.run(log, env=environment, capture_output=True, text=True, check=True).stdout.splitlines()
    assert len(commits) == sessions * (edits + 1), f"expected {sessions * (edits + 1)} commits; found {len(commits)}"
    times = sorted(taken for result in results for taken in result)
    return (
        f"{sessions} sessions ({era}), {len(times)} calls, {len(commits)} commits, nothing lost: {seconds:.1f} s, "
        f"{len(times) / seconds:.0f} calls/s; a call takes {1000 * statistics.median(times):.0f} ms (median), "
        f"{1000 * times[int(len(times) * 0.99)]:.0f} ms (99 %); the server has {memory:.0f} MB"
    )


async def run_clients(url: str, sessions: int, edits: int, era: str) -> list[list[float]]:
    """All clients at once."""
    return await asyncio.gather(*[client(url, number, edits, era) for number in range(sessions)])


async def client(url: str, number: int, edits: int, era: str) -> list[float]:
    """One client at work; how long each of its calls took."""
    import httpx2
    from mcp.client.streamable_http import streamable_http_client

    from mcp import Client

    times: list[float] = []
    mode = "legacy" if era == "handshake" else "2026-07-28"
    headers = {"Authorization": f"Bearer {TOKEN}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=300) as http,
        Client(streamable_http_client(f"{url}?session=client-{number}", http_client=http), mode=mode) as agent,
    ):

        async def call(tool: str, **arguments: Any) -> None:  # noqa: ANN401 - as the tool has them
            start = time.perf_counter()
            result = await agent.call_tool(tool, arguments)
            times.append(time.perf_counter() - start)
            assert not result.is_error, result.content[0].text

        path = f"{number}.txt"
        await call("read", filePath="shared.txt")
        await call("write", filePath=path, content="version 0\n")
        for edit in range(edits):
            await call("edit", filePath=path, oldString=f"version {edit}\n", newString=f"version {edit + 1}\n")
    return times


def resident(pid: int) -> float:
    """The memory of a process in MB."""
    status = Path(f"/proc/{pid}/status").read_text("utf-8")
    return int(re.findall(r"VmRSS:\s+(\d+)", status)[0]) / 1024


if __name__ == "__main__":
    main()
