"""Agents in processes of their own, which ask through the queue and wait."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import Self

    from suture.review import Inbox, InboxItem

#: An agent that makes calls, asks for each, and prints what it is told, and when it got the answer.
AGENT = """
import asyncio, json, sys, time
from suture import Session, Workspace
from suture.agent import ApprovalQueue

arrived = {}

class TimedQueue(ApprovalQueue):
    async def ask(self, request):
        answer = await super().ask(request)
        arrived[request.files[0].path] = time.time()
        return answer

async def main():
    root, actor, calls = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
    with Workspace(root, durability="process") as workspace:
        queue = TimedQueue.for_workspace(root)
        reads = {"write": "off", "edit": "off", "delete": "off"}
        async with Session(workspace, approver=queue, actor=actor, reads=reads) as session:
            async def call(tool, arguments):
                result = await session.call(tool, arguments)
                told = arrived.get(arguments["filePath"], 0)
                print(json.dumps([result.output, result.is_error, told]), flush=True)
            await asyncio.gather(*[call(*one) for one in calls])

asyncio.run(main())
"""


class AskingAgent:
    """An agent in another process, with calls that all need an approval."""

    def __init__(self, root: Path, *calls: tuple[str, dict[str, Any]], actor: str = "agent") -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", AGENT, str(root), actor, json.dumps(calls)], stdout=subprocess.PIPE, text=True
        )

    def answer(self) -> tuple[str, bool, float]:
        """What the model is told, whether it is an error, and when the answer came."""
        assert self.process.stdout is not None
        output, is_error, when = json.loads(self.process.stdout.readline())
        return output, is_error, when

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()


def write_call(path: str, content: str) -> tuple[str, dict[str, Any]]:
    return "write", {"filePath": path, "content": content}


def waits(inbox: Inbox, count: int = 1) -> list[InboxItem]:
    """The pending requests, once there are so many."""
    found: list[InboxItem] = until(lambda: items if len(items := inbox.pending()) == count else None)
    return found


def until(found: Callable[[], Any]) -> Any:
    """What a function gives, once it gives something."""
    limit = time.monotonic() + 60
    while (value := found()) is None or value is False:
        assert time.monotonic() < limit, "it never came"
        time.sleep(0.005)
    return value
