"""A real server process and the SDK's real client, over standard input and output in both eras, and over HTTP."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import sys
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx2
import mcp_types as types
from mcp.client.streamable_http import streamable_http_client

from mcp import Client, StdioServerParameters

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Coroutine, Iterator

SOURCE = str(Path(__file__).parents[2] / "src")
TOKEN = "a token of the tests"[:20].replace(" ", "-")
#: The eras: the handshake versions up to 2025-11-25, and the stateless one.
ERAS = {"handshake": "legacy", "stateless": "2026-07-28"}
APP = "def greet(name):\n    return 'Hi ' + name\n\n\nprint(greet('world'))\n"
#: How long anything may take. It is only reached if something is wrong.
PATIENCE = 60.0
#: What a person answers in a form to approve everything.
APPROVE = {"decision": "approve"}


def environment(place: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "LC_ALL", "TZ", "COVERAGE_FILE")}
    state = {"SUTURE_STATE_DIR": str(place / "state"), "HOME": str(place / "home"), "SUTURE_MCP_TOKEN": TOKEN}
    return {**kept, **state, "PYTHONPATH": SOURCE, "PYTHONWARNINGS": "error"}


def make_project(place: Path) -> Path:
    """A project with a few files."""
    root = place / "project"
    root.mkdir(parents=True)
    (place / "home").mkdir()
    (root / ".git").mkdir()
    (root / "app.py").write_text(APP)
    (root / "other.py").write_text("A = 1\nB = 2\n")
    return root


class Form:
    """A person at the client: answers each form as told, in order, and keeps what was shown."""

    def __init__(self, *answers: dict[str, Any] | str) -> None:
        self.answers = list(answers)
        self.shown: list[str] = []
        self.schemas: list[dict[str, Any]] = []
        #: Set once a form is shown; the answer waits until `reply` is set.
        self.is_shown = asyncio.Event()
        self.reply = asyncio.Event()
        self.reply.set()

    async def __call__(self, context: object, params: Any) -> Any:
        del context
        self.shown.append(params.message)
        self.schemas.append(params.requested_schema)
        self.is_shown.set()
        await self.reply.wait()
        answer = self.answers.pop(0)
        if isinstance(answer, str):
            return types.ElicitResult(action=answer)
        return types.ElicitResult(action="accept", content=answer)


class Agent:
    """A client with a few short ways to say things."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def call(self, tool: str, /, **arguments: Any) -> Any:
        return await asyncio.wait_for(self.client.call_tool(tool, arguments), PATIENCE)

    async def text(self, tool: str, /, **arguments: Any) -> str:
        return text_of(await self.call(tool, **arguments))


def text_of(result: Any) -> str:
    return "\n".join(block.text for block in result.content)


def problems_of(result: Any) -> list[str]:
    """The codes of what was wrong, each with its reason."""
    found: list[str] = result.meta["suture/problems"]
    return found


def run(main: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(main, 2 * PATIENCE))


def command(*options: str) -> list[str]:
    return ["-m", "suture", "mcp", *options]


@asynccontextmanager
async def stdio(root: Path, era: str, *options: str, **settings: Any) -> AsyncIterator[Agent]:
    """A client with a server of its own that it starts in the project."""
    cwd = settings.pop("cwd", root)
    parameters = StdioServerParameters(
        command=sys.executable, args=command(*options), env=environment(root.parent), cwd=str(cwd)
    )
    async with Client(parameters, mode=ERAS[era], **settings) as client:
        yield Agent(client)


class HttpServer:
    """A server that several clients reach."""

    def __init__(self, url: str, process: subprocess.Popen[str]) -> None:
        self.url = url
        self.process = process

    @asynccontextmanager
    async def client(self, era: str, session: str = "", **settings: Any) -> AsyncIterator[Agent]:
        url = f"{self.url}?session={session}" if session else self.url
        headers = {"Authorization": f"Bearer {TOKEN}"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=PATIENCE) as http,
            Client(streamable_http_client(url, http_client=http), mode=ERAS[era], **settings) as client,
        ):
            yield Agent(client)


@contextmanager
def http_server(root: Path, *options: str, **more: str) -> Iterator[HttpServer]:
    """A server on a free port of the loopback interface."""
    process = subprocess.Popen(
        [sys.executable, *command("--http", "127.0.0.1:0", *options)],
        cwd=root,
        env={**environment(root.parent), **more},
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    try:
        line = process.stderr.readline()
        found = re.search(r"http://\S+", line)
        assert found, line + process.stderr.read()
        yield HttpServer(found[0], process)
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(PATIENCE)
        finally:
            process.kill()
            process.wait()
            process.stderr.close()


@asynccontextmanager
async def connect(kind: str, root: Path, *options: str, **settings: Any) -> AsyncIterator[Agent]:
    """A client of a server process: "handshake", "stateless", or the same with "http "."""
    era = kind.removeprefix("http ")
    if era == kind:
        async with stdio(root, era, *options, **settings) as agent:
            yield agent
    else:
        with http_server(root, *options) as server:
            async with server.client(era, "tests" if era == "stateless" else "", **settings) as agent:
                yield agent


def watch(into: list[str]) -> Callable[[float, float | None, str | None], Coroutine[Any, Any, None]]:
    """A progress callback that keeps the messages."""

    async def progress(value: float, total: float | None, message: str | None) -> None:
        del value, total
        into.append(message or "")

    return progress
