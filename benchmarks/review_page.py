"""The review page with many requests, in a real Chromium and with the server in a process of its own.

`python -m benchmarks.review_page` prints how soon the first diff of 500 pending requests is there, beside an empty page
in the same run; what an answer to fifteen at once costs beside one; and how many bytes the list takes after an answer,
beside all of it. It needs `suture[review]`, Selenium and Chromium: run it with the environment of `make test-adapters`.
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
import time
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING

from tests.review.chromium import Browser

from suture import Workspace
from suture.agent.approval_folder import ApprovalFolder
from suture.agent.requests import Request
from suture.state.state_folder import approvals_path

if TYPE_CHECKING:
    from typing import Any

LINES = [f"def name_{n}(value):\n    return value + {n}\n\n\n" for n in range(60)]
#: How often a page is opened; the median counts.
RUNS = 5
#: When an element appeared, in milliseconds after the page was asked for.
APPEARED = """
    const [selector, done] = arguments;
    const look = () => (document.querySelector(selector) ? done(performance.now()) : setTimeout(look, 5));
    look();
"""


class Review:
    """A workspace, its requests, and `suture review` in another process."""

    def __init__(self, place: Path) -> None:
        self.root = place / "project"
        self.root.mkdir()
        self.folder = ApprovalFolder(approvals_path(str(self.root)))
        self.waiting: dict[str, Request] = {}
        self._made = 0
        self._workspace = Workspace(self.root, durability="process")
        command = [sys.executable, "-m", "suture", "review", "--no-open", "--root", str(self.root)]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        assert self.process.stderr is not None
        self.address, self.token = (self.process.stderr.readline().split()[-1] for _ in range(2))

    def ask(self, count: int) -> None:
        """Ask for small changes of real files."""
        for _ in range(count):
            self._made += 1
            path = f"src/pkg{self._made % 7}/module_{self._made}.py"
            file = self.root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("".join(LINES))
            plan = self._workspace.plan_write(path, "".join(LINES).replace("value + 7\n", "value - 7\n"))
            request = Request.from_plan(plan, tool="write", actor=f"agent-{self._made % 3}")
            request = request.replace(workspace=str(self.root), session=f"s{self._made % 3}", time=time.time())
            self.folder.put(request)
            self.waiting[request.id] = request

    def end_answered(self) -> int:
        """Take the answers, as agents do; how many there were."""
        given = {name: self.folder.answer(request) for name, request in self.waiting.items()}
        answered = [name for name, answer in given.items() if answer is not None]
        for name in answered:
            self.folder.withdraw(self.waiting.pop(name), given[name])
        return len(answered)

    def call(self, path: str, body: object = None) -> bytes:
        """What the API answers."""
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        address = f"{self.address.split('#')[0].rstrip('/')}/api/{path}"
        with urllib.request.urlopen(urllib.request.Request(address, data, headers)) as response:
            content: bytes = response.read()
            return content

    def close(self) -> None:
        """Withdraw what waits, and end the server."""
        for request in self.waiting.values():
            self.folder.withdraw(request)
        self.process.send_signal(signal.SIGTERM)
        self.process.communicate(timeout=60)
        self._workspace.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pending", type=int, default=500)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        os.environ |= {"HOME": place, "SUTURE_STATE_DIR": f"{place}/state"}
        browser = Browser(Path(place) / "chromium")
        review = Review(Path(place))
        try:
            show(first_diff(review, browser, options.pending))
            show(list_bytes(review))
            show(several_at_once(review))
        finally:
            browser.driver.quit()
            review.close()


def show(figures: dict[str, str]) -> None:
    """Print figures as soon as there are some."""
    for name, value in figures.items():
        print(f"{name + ':':44} {value}", flush=True)


def open_page(review: Review, browser: Browser) -> None:
    """Open the page in a tab that has the token."""
    browser.driver.get("about:blank")
    browser.driver.get(review.address.split("#")[0])
    browser.run("sessionStorage.setItem('suture-token', arguments[0])", review.token)
    browser.driver.get("about:blank")
    browser.driver.get(review.address.split("#")[0])


def moment(review: Review, browser: Browser, selector: str) -> float:
    """When an element appears: the median of some times, in milliseconds."""
    times = []
    for _ in range(RUNS):
        open_page(review, browser)
        times.append(float(browser.driver.execute_async_script(APPEARED, selector)))
    return statistics.median(times)


def first_diff(review: Review, browser: Browser, pending: int) -> dict[str, str]:
    """The first diff of many requests, beside an empty page."""
    empty = moment(review, browser, ".blank")
    review.ask(1)
    one = moment(review, browser, ".diff tr")
    review.ask(pending - 1)
    full = moment(review, browser, ".diff tr")
    return {
        "empty page": f"{empty:.0f} ms",
        "first diff of one request": f"{one:.0f} ms, {one / empty:.1f} times an empty page",
        f"first diff of {pending} requests": f"{full:.0f} ms, {full / empty:.1f} times an empty page",
    }


def list_bytes(review: Review) -> dict[str, str]:
    """The list after an answer, beside all of it."""
    whole = review.call("requests")
    rows: dict[str, Any] = json.loads(whole)
    first = rows["requests"][0]
    review.call(f"requests/{first['id']}/answer", {"kind": "reject", "fingerprint": first["fingerprint"]})
    review.end_answered()
    after = review.call(f"requests?mark={rows['mark']}")
    return {"list of all, and after an answer": f"{len(whole):,} and {len(after):,} bytes"}


def several_at_once(review: Review) -> dict[str, str]:
    """Fifteen answers in one call, beside one answer in a call, while the others wait."""

    def seconds(count: int) -> float:
        review.ask(max(0, count - len(review.waiting)))
        rows = json.loads(review.call("requests"))["requests"][:count]
        answers = [{"id": row["id"], "fingerprint": row["fingerprint"], "kind": "once"} for row in rows]
        start = time.perf_counter()
        review.call("answers", {"answers": answers})
        used = time.perf_counter() - start
        review.end_answered()
        return used

    one = statistics.median([seconds(1) for _ in range(5)])
    many = statistics.median([seconds(15) for _ in range(5)])
    return {"15 answers in a call": f"{many * 1000:.0f} ms, {many / one:.1f} times one answer ({one * 1000:.0f} ms)"}


if __name__ == "__main__":
    main()
