"""A workspace with agents in other processes, and the server of a review."""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import queue
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from suture.agent.approval_folder import ApprovalFolder
from suture.agent.local_server import listen
from suture.review.review_settings import ReviewSettings
from suture.review.serve import link, run_server
from suture.review.server import ReviewServer
from suture.state.state_folder import approvals_path

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    from tests.review.chromium import Browser

    from suture.agent.requests import Request

TOKEN = "0123456789abcdef" * 2
#: How long anything may take, in seconds, on a busy machine.
PATIENCE = 200.0
AGENT = Path(__file__).with_name("agent_program.py")
SOURCE = Path(__file__).parents[2] / "src"
NUMBERED = "".join([f"line {n}\n" for n in range(1, 61)])

Call = dict[str, Any]


def edit(path: str, old: str, new: str) -> Call:
    return {"tool": "edit", "arguments": {"filePath": path, "oldString": old, "newString": new}}


def write(path: str, content: str) -> Call:
    return {"tool": "write", "arguments": {"filePath": path, "content": content}}


def patch(*lines: str) -> Call:
    text = "\n".join(["*** Begin Patch", *lines, "*** End Patch"])
    return {"tool": "apply_patch", "arguments": {"patchText": text}}


class Agent:
    """An agent in a process of its own, with calls that it makes at once."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self._lines: queue.Queue[str] = queue.Queue()
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line)
        self.process.stdout.close()

    def result(self) -> dict[str, Any]:
        """What the next call got that ended.

        Raises:
            queue.Empty: the agent still waits.
        """
        found: dict[str, Any] = json.loads(self._lines.get(timeout=PATIENCE))
        return found

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        self._reader.join()


class ReviewSite:
    """A review of one workspace, served by this process on a port of its own."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "project"
        self.root.mkdir()
        self.folder = approvals_path(str(self.root))
        self.agents: list[Agent] = []
        self.queue = ApprovalFolder(self.folder)
        self._requests: list[Request] = []
        #: What the server has reported.
        self.reports: list[str] = []

    @property
    def address(self) -> str:
        """An address that opens the page once."""
        return link(self.server, self._listener)

    def __enter__(self) -> Self:
        self._listener = listen("127.0.0.1", 0)
        self.port = self._listener.getsockname()[1]
        self.server = ReviewServer(ReviewSettings(str(self.root)), token=TOKEN)
        self._loop = asyncio.new_event_loop()
        self._stop = asyncio.Event()
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()
        return self

    def _serve(self) -> None:
        self._loop.run_until_complete(run_server(self.server, self._listener, self.reports.append, self._stop))
        self._loop.close()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for request in self._requests:
            self.queue.withdraw(request)
        for agent in self.agents:
            agent.kill()
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(PATIENCE)
        self._listener.close()
        assert not self._thread.is_alive()

    def file(self, path: str, content: str | bytes) -> Path:
        """Write a file of the workspace."""
        where = self.root / path
        where.parent.mkdir(parents=True, exist_ok=True)
        where.write_bytes(content if isinstance(content, bytes) else content.encode())
        return where

    def agent(self, *calls: Call, actor: str = "agent") -> Agent:
        """Start an agent in another process."""
        process = subprocess.Popen(
            [sys.executable, str(AGENT), str(self.root), self.folder, actor],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONPATH": str(SOURCE)},
        )
        assert process.stdin is not None
        process.stdin.write("".join([json.dumps(call) + "\n" for call in calls]))
        process.stdin.close()
        self.agents.append(Agent(process))
        return self.agents[-1]

    def ask(self, request: Request) -> None:
        """Open a request, without an agent."""
        self.queue.put(request)
        self._requests.append(request)

    def call(
        self,
        method: str,
        path: str,
        body: object = None,
        headers: dict[str, str] | None = None,
        *,
        token: str | None = TOKEN,
    ) -> tuple[int, dict[str, str], bytes]:
        """One HTTP request: the status, the headers and the body of the answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        given = {} if token is None else {"Authorization": f"Bearer {token}"}
        data = None
        if body is not None:
            data = body if isinstance(body, bytes) else json.dumps(body).encode()
            given["Content-Type"] = "application/json"
        try:
            connection.request(method, path, data, given | (headers or {}))
            response = connection.getresponse()
            return response.status, {k.lower(): v for k, v in response.getheaders()}, response.read()
        finally:
            connection.close()

    def get(self, path: str) -> Any:
        """What the API answers."""
        status, _, data = self.call("GET", path)
        assert status == 200, data
        return json.loads(data)

    def post(self, path: str, body: object) -> tuple[int, Any]:
        """The status and the answer of the API."""
        status, _, data = self.call("POST", path, body)
        return status, json.loads(data)

    def waiting(self, count: int = 1) -> list[dict[str, Any]]:
        """The requests that wait, once there are as many."""
        end = time.monotonic() + PATIENCE
        while len(found := self.get("/api/requests")["requests"]) < count:
            assert time.monotonic() < end, "nobody has asked"
        return list(found)


def three_hunks(site: ReviewSite, browser: Browser) -> Agent:
    """A page that shows a request with three hunks."""
    site.file("app.py", NUMBERED)
    browser.open(site.address)
    agent = site.agent(
        patch(
            "*** Update File: app.py",
            "@@",
            "-line 5",
            "+line five",
            "@@",
            "-line 30",
            "+line thirty",
            "@@",
            "-line 55",
            "+line fifty-five",
        )
    )
    browser.wait("document.querySelectorAll('.hunk').length === 3")
    return agent
