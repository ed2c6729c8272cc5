"""Fake language servers in the table of servers, and checks with them."""

from __future__ import annotations

import asyncio
import sys
import time
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from suture.agent.diagnostics import LanguageServers
from suture.agent.diagnostics.host import ServerLimits
from suture.agent.diagnostics.report import Diagnostic, Report
from suture.agent.diagnostics.server_table import Server

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

FAKE = str(Path(__file__).parent / "fake_language_server.py")
#: Long enough for any answer that comes, on the busiest machine.
PATIENT = 30.0


class Fake:
    """A fake server in the table, and what it was sent."""

    def __init__(self, folder: Path, *ways: str, name: str = "fake", **fields: Any) -> None:
        self.path = str(folder / "a.txt")
        # In a folder that nobody looks into.
        self.log = folder / ".log" / name
        self.log.parent.mkdir(parents=True, exist_ok=True)
        command = (sys.executable, "-I", "-S", FAKE, str(self.log), *ways)
        self.server = Server(name, command, {".txt": "plaintext"}, **fields)

    def noted(self) -> list[str]:
        return self.log.read_text("utf-8").splitlines() if self.log.exists() else []

    def pids(self, word: str = "pid") -> list[int]:
        return [int(line.split()[1]) for line in self.noted() if line.startswith(f"{word} ")]


def run(fakes: Fake | list[Fake], work: Callable[[LanguageServers], Coroutine[Any, Any, Any]], **options: Any) -> Any:
    """What some work with servers gives; they are closed afterwards, and no task of ours is left."""
    fakes = fakes if isinstance(fakes, list) else [fakes]
    options = {"limits": ServerLimits(start=PATIENT, grace=1.0, back_off=0.0), **options}

    async def main() -> Any:
        root = str(Path(fakes[0].path).parent)
        async with LanguageServers(root, [fake.server for fake in fakes], **options) as servers:
            result = await work(servers)
        assert asyncio.all_tasks() == {asyncio.current_task()}
        return result

    return asyncio.run(main())


def check(fakes: Fake | list[Fake], *texts: str | None, timeout: float = PATIENT, **options: Any) -> list[Report]:
    """The reports on a file that has these texts, one after the other."""
    path = (fakes[0] if isinstance(fakes, list) else fakes).path

    async def work(servers: LanguageServers) -> list[Report]:
        reports = []
        for before, after in pairwise(texts):
            assert after is not None
            reports.append(await servers.check(path, before, after, timeout=timeout))
        return reports

    reports: list[Report] = run(fakes, work, **options)
    return reports


def bad(path: str, line: int, column: int = 1) -> Diagnostic:
    return Diagnostic(path, line, column, line, column + 3, "error", "bad word", "bad", "fake")


async def until(condition: Callable[[], object]) -> None:
    """Wait for something that another process does."""
    limit = time.monotonic() + PATIENT
    while not condition():
        assert time.monotonic() < limit
        await asyncio.sleep(0.002)


async def start_server(servers: LanguageServers, fake: Fake) -> None:
    """Have a server started, whether it answers or not."""
    warm = asyncio.create_task(servers.check(str(Path(fake.path).parent / "warm.txt"), None, "", timeout=PATIENT))
    await until(lambda: "textDocument/diagnostic" in fake.noted())
    warm.cancel()
    await asyncio.wait([warm])
