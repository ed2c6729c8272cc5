"""Many requests for approval: how soon an answer is at the agent, whether one is lost, and what memory it takes.

`python -m benchmarks.review_load` asks 200 times a minute for five minutes, from several processes, each a session that
edits its own files. Requests are approved, approved in part, or rejected with a message by turns, through an `Inbox`,
or with `--page` through the HTTP API of `suture review`, which needs `suture[review]`. Each call must end the way its
request was answered.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING

from suture.agent import Answer
from suture.review import Inbox, RefusedAnswerError, Watch

if TYPE_CHECKING:
    from typing import Any

    #: By file: how many lines are changed, whether the model got a message, when the answer came, when the call ended.
    Told = dict[str, tuple[Any, ...]]

#: One agent: a call every so many seconds. Prints the file, how its call ended, and when it had the answer and ended.
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
    root, name, interval, count = sys.argv[1], sys.argv[2], float(sys.argv[3]), int(sys.argv[4])
    before = "".join(f"line {n}\\n" for n in range(40))
    after = before.replace("line 3\\n", "LINE 3\\n").replace("line 30\\n", "LINE 30\\n")
    with Workspace(root, durability="process") as workspace:
        queue = TimedQueue.for_workspace(root)
        async with Session(workspace, approver=queue, actor=name, reads={"write": "off"}) as session:
            async def call(number):
                path = f"{name}-{number}.txt"
                with open(f"{root}/{path}", "w") as file:
                    file.write(before)
                result = await session.call("write", {"filePath": path, "content": after})
                with open(f"{root}/{path}") as file:
                    changed = file.read().count("LINE")
                print(json.dumps([path, changed, "not now" in result.output, arrived[path], time.time()]), flush=True)
            async def measure_lag():
                late = 0
                while True:
                    before = time.monotonic()
                    await asyncio.sleep(0.05)
                    late = max(late, time.monotonic() - before - 0.05)
                    arrived["lag"] = late
            lag = asyncio.ensure_future(measure_lag())
            calls, start = [], time.monotonic()
            for number in range(count):
                calls.append(asyncio.ensure_future(call(number)))
                await asyncio.sleep(max(0, start + (number + 1) * interval - time.monotonic()))
            await asyncio.gather(*calls)
            lag.cancel()
            print(json.dumps(["", arrived["lag"]]), flush=True)

asyncio.run(main())
"""
#: The answers by turns: what is sent, how many lines the file has changed then, and whether the model gets a message.
TURNS = (("once", 2, False), ("some", 1, False), ("reject", 0, True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=5.0, help="how long to ask")
    parser.add_argument("--rate", type=float, default=200.0, help="requests a minute, of all agents together")
    parser.add_argument("--agents", type=int, default=4, help="the number of processes that ask")
    parser.add_argument("--page", action="store_true", help="answer through the HTTP API of suture review")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        os.environ |= {"HOME": place, "SUTURE_STATE_DIR": f"{place}/state"}
        print(measure(Path(place), options.minutes, options.rate, options.agents, page=options.page))


class Reviewer:
    """Answers what waits, and remembers when it answered which file how."""

    def __init__(self, inbox: Inbox) -> None:
        self.inbox = inbox
        self.given: dict[str, tuple[int, float]] = {}
        self.most = 0

    def answer_all(self) -> None:
        """Answer everything that waits."""
        items = self.inbox.pending()
        self.most = max(self.most, len(items))
        for item in items:
            path = item.request.files[0].path
            turn = len(self.given) % len(TURNS)
            kind = TURNS[turn][0]
            some = Answer.some({path: [1]})
            answer = {"once": Answer.once(), "some": some, "reject": Answer.reject("not now")}[kind]
            sent = time.time()
            try:
                self.send(item.id, answer, item.fingerprint)
            except RefusedAnswerError:
                continue  # it was answered a moment ago, and the agent has not seen it yet
            self.given[path] = turn, sent

    def send(self, request: str, answer: Answer, fingerprint: str) -> None:
        """Give one answer."""
        self.inbox.answer(request, answer, fingerprint)


class PageReviewer(Reviewer):
    """The same, through the API of a page."""

    def __init__(self, inbox: Inbox, address: str, token: str) -> None:
        super().__init__(inbox)
        self._base = address.rstrip("/")
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def send(self, request: str, answer: Answer, fingerprint: str) -> None:
        """Give one answer."""
        body = json.loads(answer.to_json()) | {"fingerprint": fingerprint}
        del body["by_person"]
        data = json.dumps(body).encode()
        url = f"{self._base}/api/requests/{request}/answer"
        with urllib.request.urlopen(urllib.request.Request(url, data, self._headers)) as response:
            assert response.status == 200, response.status


def measure(place: Path, minutes: float, rate: float, agents: int, *, page: bool) -> str:
    """Ask and answer; the figures as text."""
    root = place / "project"
    root.mkdir()
    server, reviewer = None, Reviewer(Inbox())
    if page:
        command = [sys.executable, "-m", "suture", "review", "--no-open", "--root", str(root)]
        server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        assert server.stderr is not None
        address, token = (server.stderr.readline().split()[-1] for _ in range(2))
        reviewer = PageReviewer(Inbox(), address, token)
    measured = server.pid if server is not None else os.getpid()
    count = max(1, int(minutes * rate / agents))
    arguments = [str(60 / rate * agents), str(count)]
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", AGENT, str(root), f"a{n}", *arguments], stdout=subprocess.PIPE, text=True
        )
        for n in range(agents)
    ]
    told: Told = {}
    lags: list[float] = []
    readers = [threading.Thread(target=read_answers, args=(process, told, lags)) for process in processes]
    for reader in readers:
        reader.start()
    awake, memory = threading.Event(), list[int]()
    with Watch(awake.set):
        while any(reader.is_alive() for reader in readers):
            awake.wait(0.5)
            awake.clear()
            reviewer.answer_all()
            memory.append(resident(measured))
    if server is not None:
        server.send_signal(signal.SIGTERM)
        server.communicate(timeout=30)
    return report(reviewer, told, lags, count * agents, memory, [process.wait() for process in processes])


def read_answers(process: subprocess.Popen[str], told: Told, lags: list[float]) -> None:
    """Note what an agent prints."""
    assert process.stdout is not None
    for line in process.stdout:
        path, *facts = json.loads(line)
        if path:
            told[path] = tuple(facts)
        else:
            lags.append(facts[0])


def report(
    reviewer: Reviewer, told: Told, lags: list[float], count: int, memory: list[int], statuses: list[int]
) -> str:
    """The figures as text."""
    wrong = [
        path for path, (turn, _) in reviewer.given.items() if path not in told or told[path][:2] != TURNS[turn][1:]
    ]
    first, last = memory[len(memory) // 10], memory[-1]
    figures: dict[str, Any] = {
        "requests": count,
        "answered": len(reviewer.given),
        "lost or wrong": len(wrong) + count - len(told),
        "agents that failed": sum(map(bool, statuses)),
        "most that waited at once": reviewer.most,
        "answer to agent (median, 99 %, most)": delays(reviewer, told, 2),
        "an agent's own timer was late by": f"{max(lags) * 1000:.0f} ms at most",
        "answer to end of the call": delays(reviewer, told, 3),
        "memory after a tenth of the time": f"{first / 1e6:.1f} MB",
        "memory at the end": f"{last / 1e6:.1f} MB",
    }
    return "\n".join(f"{name + ':':38} {value}" for name, value in figures.items())


def delays(reviewer: Reviewer, told: Told, which: int) -> str:
    """How long after the answer something happened: the median, the 99th percentile, and the longest."""
    found = sorted(float(told[path][which]) - sent for path, (_, sent) in reviewer.given.items() if path in told)
    chosen = (statistics.median(found), found[int(len(found) * 0.99)], found[-1])
    return ", ".join(f"{seconds * 1000:.0f} ms" for seconds in chosen)


def resident(pid: int) -> int:
    """The memory of a process in bytes."""
    (line,) = [line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("VmRSS")]
    return int(line.split()[1]) * 1024


if __name__ == "__main__":
    main()
