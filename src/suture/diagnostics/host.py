"""Keeps one language server at work: starts it when it is first needed, again after a crash, and ends it.

Checks that come while it is busy wait and are done together: first all texts as they were before, then all as they are
now. So files that were edited together are judged together, and many files cost hardly more than one. Whatever
happens, the server is left with the texts that stand on the disk.
"""

from __future__ import annotations

import asyncio
from collections import deque

from ..core.value import Value
from .client import Client, Malformed
from .connection import Broken, Refused
from .delta import introduced
from .report import Report, at_least, looked_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .report import Diagnostic, Edited, Severity
    from .servers import Server

#: After so many failures within so many seconds a server is not started again.
MOST_FAILURES = 5
_WITHIN = 180.0


class Limits(Value):
    """How patient a host is, in seconds.

    `start` is how long a server may take to start, whoever waits for it; `grace` how long it may take to end at each
    step of asking; `back_off` the pause before it is started for the third time, doubled each time after that.
    """

    start: float = 30.0
    grace: float = 1.0
    back_off: float = 0.5


class Wanted(Value):
    """What is to be reported: only what is new, and nothing less grave than that."""

    only_new: bool = True
    lowest: Severity = "error"


class Down(Exception):
    """The server can't be used now; the text says why."""


class Job:
    """One file to be checked, until somebody sets its report or cancels it."""

    def __init__(self, edited: Edited) -> None:
        self.edited = edited
        self.report: asyncio.Future[Report] = asyncio.get_running_loop().create_future()


class Host:
    """One server of the table, running or not."""

    def __init__(
        self, server: Server, command: Sequence[str], root: str, wanted: Wanted, limits: Limits, path: str
    ) -> None:
        self._server = server
        self._command = command
        #: Where the server looks for programs.
        self._path = path
        self._root = root
        self._wanted = wanted
        self._limits = limits
        self._client: Client | None = None
        self._runner: asyncio.Task[None] | None = None
        #: Files that were edited together, no file twice in a group.
        self._waiting: list[list[Job]] = []
        self._at_work: list[Job] = []
        self._failures: deque[tuple[float, str]] = deque(maxlen=MOST_FAILURES)
        self._ready = False
        self._loop: asyncio.AbstractEventLoop | None = None

    async def check(self, edited: Iterable[Edited], timeout: float) -> list[Report]:
        """A report on each of the files, in their order, within `timeout` seconds."""
        loop = asyncio.get_running_loop()
        if loop is not self._loop:
            self._begin_anew(loop)
        jobs = [Job(one) for one in edited]
        self._waiting += _groups(jobs)
        if self._runner is None or self._runner.done():
            self._runner = loop.create_task(self._run())
        try:
            await asyncio.wait([job.report for job in jobs], timeout=timeout)
        finally:
            for job in jobs:
                job.report.cancel()
        doing = "answer" if self._ready else "start"
        late = f"{self._server.name} did not {doing} within {timeout:g} s"
        return [self._unknown(job, late) if job.report.cancelled() else job.report.result() for job in jobs]

    async def close(self) -> None:
        """End the server and whoever waits for it."""
        runner, self._runner = self._runner, None
        try:
            if runner is not None and not runner.done():
                runner.cancel()
                await asyncio.wait([runner])
        finally:
            self._end_jobs(f"{self._server.name} was ended")
            await self._drop()

    def _begin_anew(self, loop: asyncio.AbstractEventLoop) -> None:
        """Leave behind what belongs to another event loop, which is gone."""
        if self._client is not None:
            self._client.kill()
        self._loop, self._client, self._runner, self._ready = loop, None, None, False
        self._at_work, self._waiting = [], []

    async def _run(self) -> None:
        """Do what waits until nothing does."""
        try:
            while self._waiting:
                batch = self._at_work = self._next_batch()
                reason = ""
                try:
                    await self._check(await self._started(), batch)
                except Down as down:
                    reason = str(down)
                except Exception as error:  # noqa: BLE001 - a check promises to raise nothing, whatever a server does
                    reason = f"{self._server.name} could not be understood: {error!r}"
                for job in batch:
                    if reason and not job.report.done():
                        job.report.set_result(self._unknown(job, reason))
        finally:
            self._end_jobs(f"{self._server.name} was ended")

    def _next_batch(self) -> list[Job]:
        """The groups that wait, up to the first that has a file once more: its edits are done one after the other."""
        batch: list[Job] = []
        paths: set[str] = set()
        while self._waiting and paths.isdisjoint(own := {job.edited.path for job in self._waiting[0]}):
            batch += self._waiting.pop(0)
            paths |= own
        return batch

    def _end_jobs(self, reason: str) -> None:
        jobs = [*self._at_work, *(job for group in self._waiting for job in group)]
        self._at_work, self._waiting = [], []
        for job in jobs:
            if not job.report.done():
                job.report.set_result(self._unknown(job, reason))

    async def _started(self) -> Client:
        """The server, started where it does not run.

        Raises:
            Down: it can't be used now.
        """
        now = asyncio.get_running_loop().time()
        if self._client is not None:
            if not self._client.broken:
                return self._client
            self._failures.append((now, self._client.broken))
            await self._drop()
        self._check_failures(now)
        client = self._client = Client(self._server, self._root)
        reason = ""
        try:
            async with asyncio.timeout(self._limits.start):
                await client.start(self._command, self._path)
        except TimeoutError:
            reason = f"{self._server.name} did not start within {self._limits.start:g} s"
        except Broken as broken:
            reason = str(broken)
        except (Refused, Malformed) as error:
            reason = f"{self._server.name} can't be used: {error}"
        if reason:
            self._failures.append((asyncio.get_running_loop().time(), reason))
            await self._drop()
            raise Down(reason)
        self._ready = True
        return client

    def _check_failures(self, now: float) -> None:
        recent = [(when, reason) for when, reason in self._failures if when > now - _WITHIN]
        if len(recent) >= MOST_FAILURES:
            message = f"{recent[-1][1]}; it failed {len(recent)} times and is not started again for now"
            raise Down(message)
        if len(recent) > 1:
            when, reason = recent[-1]
            left = when + self._limits.back_off * 2 ** (len(recent) - 2) - now
            if left > 0:
                message = f"{reason}; it is started again in {left:.1f} s"
                raise Down(message)

    async def _drop(self) -> None:
        client, self._client, self._ready = self._client, None, False
        if client is not None:
            await client.close(self._limits.grace)

    async def _check(self, client: Client, jobs: Sequence[Job]) -> None:
        """Check files together, and set their reports as they come in."""
        await client.look_around({job.edited.path for job in jobs})
        wanted = [job for job in jobs if not job.report.done()]
        try:
            bases = await self._bases(client, wanted) if self._wanted.only_new else {}
        finally:
            for job in jobs:
                one = job.edited
                client.write(one.path, one.after, created=one.before is None, saved=True)
        await asyncio.gather(*(self._judge(client, job, bases.get(job.edited.path, [])) for job in wanted))

    async def _bases(self, client: Client, jobs: Sequence[Job]) -> dict[str, list[Diagnostic] | str]:
        """What there was to say of each file before it was edited, or why that is not known."""
        bases: dict[str, list[Diagnostic] | str] = {}
        asked = []
        for job in jobs:
            one = job.edited
            if one.before is None:
                continue
            known = client.known(one.path, one.before)
            if known is None:
                client.write(one.path, one.before)
                asked.append(job)
            else:
                bases[one.path] = known
        answers = await asyncio.gather(*(self._ask(client, job) for job in asked))
        return bases | {job.edited.path: answer for job, answer in zip(asked, answers, strict=True)}

    async def _judge(self, client: Client, job: Job, base: list[Diagnostic] | str) -> None:
        """Set the report of a file whose text the server was told."""
        one = job.edited
        found = await self._ask(client, job)
        if job.report.done():
            return
        if isinstance(found, str):
            job.report.set_result(self._unknown(job, found))
            return
        found = at_least(found, self._wanted.lowest)
        if found and isinstance(base, str):
            # That there are errors is known, but not whether they are the edit's.
            job.report.set_result(self._unknown(job, f"what was wrong before the edit is not known: {base}"))
            return
        if isinstance(base, list) and one.before is not None and self._wanted.only_new:
            # In a thread, as the texts may be long, and whoever waits does so no longer than the limit.
            found = await asyncio.to_thread(
                introduced, at_least(base, self._wanted.lowest), found, one.before, one.after
            )
        if not job.report.done():
            job.report.set_result(looked_at(one.path, found, self._server.name, only_new=self._wanted.only_new))

    async def _ask(self, client: Client, job: Job) -> list[Diagnostic] | str:
        """What the server says of a file, or why it does not."""
        asking = asyncio.get_running_loop().create_task(client.diagnostics(job.edited.path))
        try:
            # Who gives up on the report lets those go on who wait behind it.
            await asyncio.wait((asking, job.report), return_when=asyncio.FIRST_COMPLETED)
            return asking.result() if asking.done() else "nobody waits for it"
        except Broken as broken:
            return str(broken)
        except (Refused, Malformed) as error:
            return f"{self._server.name} gave no diagnostics: {error}"
        finally:
            if not asking.done():
                asking.cancel()
                await asyncio.wait([asking])

    def _unknown(self, job: Job, reason: str) -> Report:
        return Report(job.edited.path, "unknown", reason=reason, only_new=self._wanted.only_new)


def _groups(jobs: Iterable[Job]) -> list[list[Job]]:
    """Jobs in groups, a new one where a file comes for the second time."""
    groups: list[list[Job]] = []
    paths: set[str] = set()
    for job in jobs:
        if not groups or job.edited.path in paths:
            groups.append([])
            paths = set()
        groups[-1].append(job)
        paths.add(job.edited.path)
    return groups
