"""Keeps one language server running: starts it when it is first needed, restarts it after a crash, and stops it.

Checks that arrive while it is busy wait and run together: first all texts before the edits, then all texts after them.
So files that were edited together are checked together, and many files cost hardly more than one. Whatever happens,
the server ends up with the texts on disk.
"""

from __future__ import annotations

import asyncio
from collections import deque

from ...core.value import Value
from ..threads import in_thread
from .client import Client, ServerError
from .connection import ConnectionBrokenError, ResponseError
from .delta import new_diagnostics
from .diagnostic_limits import MOST_FAILURES
from .report import UNKNOWN_BEFORE, Report, at_least, report_from

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .report import Diagnostic, EditedFile, Severity
    from .server_table import Server

#: The seconds within which the failures of a server are counted.
_FAILURE_WINDOW = 180.0


class ServerLimits(Value):
    """Time limits for a language server, in seconds.

    `start` is how long a server may take to start, even if the check that started it has given up. `grace` is how long
    each step of stopping it may take. `back_off` is the pause before the third start; it doubles each time after that.
    """

    start: float = 30.0
    grace: float = 1.0
    back_off: float = 0.5


class ReportFilter(Value):
    """Which diagnostics are reported: only new ones, and none less severe than `lowest`."""

    only_new: bool = True
    lowest: Severity = "error"


class ServerDownError(Exception):
    """The server cannot be used now; the message says why."""


class Job:
    """One file to check, open until its report is set or canceled."""

    def __init__(self, edited: EditedFile) -> None:
        self.edited = edited
        self.report: asyncio.Future[Report] = asyncio.get_running_loop().create_future()


class Host:
    """One language server, running or not."""

    def __init__(
        self,
        server: Server,
        command: Sequence[str],
        root: str,
        report_filter: ReportFilter,
        limits: ServerLimits,
        path: str,
    ) -> None:
        self._server = server
        self._command = command
        #: The server's PATH.
        self._path = path
        self._root = root
        self._filter = report_filter
        self._limits = limits
        self._client: Client | None = None
        self._runner: asyncio.Task[None] | None = None
        #: Groups of files that were edited together, no file twice in a group.
        self._waiting: list[list[Job]] = []
        self._at_work: list[Job] = []
        self._failures: deque[tuple[float, str]] = deque(maxlen=MOST_FAILURES)
        self._ready = False
        self._loop: asyncio.AbstractEventLoop | None = None

    async def check(self, edited: Iterable[EditedFile], timeout: float) -> list[Report]:
        """Check files within `timeout` seconds; one report each, in order."""
        loop = asyncio.get_running_loop()
        if loop is not self._loop:
            self._reset(loop)
        jobs = [Job(one) for one in edited]
        self._waiting += _groups(jobs)
        if self._runner is None or self._runner.done():
            self._runner = loop.create_task(self._run())
        try:
            await asyncio.wait([job.report for job in jobs], timeout=timeout)
        finally:
            for job in jobs:
                job.report.cancel()
        late = f"{self._server.name} did not {'answer' if self._ready else 'start'} within {timeout:g} s"
        return [self._unknown(job, late) if job.report.cancelled() else job.report.result() for job in jobs]

    async def close(self) -> None:
        """Stop the server; checks in progress become unknown."""
        runner, self._runner = self._runner, None
        try:
            if runner is not None and not runner.done():
                runner.cancel()
                await asyncio.wait([runner])
        finally:
            self._end_jobs(f"{self._server.name} was stopped")
            await self._drop()

    def _reset(self, loop: asyncio.AbstractEventLoop) -> None:
        """Drop everything that belongs to an event loop that is gone."""
        if self._client is not None:
            self._client.kill()
        self._loop, self._client, self._runner, self._ready = loop, None, None, False
        self._at_work, self._waiting = [], []

    async def _run(self) -> None:
        """Run batches until no job waits."""
        try:
            while self._waiting:
                batch = self._at_work = self._next_batch()
                reason = ""
                try:
                    await self._check(await self._running_client(), batch)
                except ServerDownError as down:
                    reason = str(down)
                except Exception as error:  # noqa: BLE001 - a check never raises, whatever a server does
                    reason = f"{self._server.name} cannot be understood: {error!r}"
                for job in batch:
                    if reason and not job.report.done():
                        job.report.set_result(self._unknown(job, reason))
        finally:
            self._end_jobs(f"{self._server.name} was stopped")

    def _next_batch(self) -> list[Job]:
        """The waiting groups up to the first that repeats a file; edits of one file are checked one after another."""
        batch: list[Job] = []
        paths: set[str] = set()
        while self._waiting and paths.isdisjoint(own := {job.edited.path for job in self._waiting[0]}):
            if not all(job.edited.is_on_disk for job in self._waiting[0]):
                # Texts that only one session sees are not checked together with those of others.
                return batch or self._waiting.pop(0)
            batch += self._waiting.pop(0)
            paths |= own
        return batch

    def _end_jobs(self, reason: str) -> None:
        jobs = [*self._at_work, *(job for group in self._waiting for job in group)]
        self._at_work, self._waiting = [], []
        for job in jobs:
            if not job.report.done():
                job.report.set_result(self._unknown(job, reason))

    async def _running_client(self) -> Client:
        """The client, after starting the server if needed.

        Raises:
            ServerDownError: the server cannot be used now.
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
        except ConnectionBrokenError as broken:
            reason = str(broken)
        except (ResponseError, ServerError) as error:
            reason = f"{self._server.name} cannot be used: {error}"
        if reason:
            self._failures.append((asyncio.get_running_loop().time(), reason))
            await self._drop()
            raise ServerDownError(reason)
        self._ready = True
        return client

    def _check_failures(self, now: float) -> None:
        recent = [(when, reason) for when, reason in self._failures if when > now - _FAILURE_WINDOW]
        if len(recent) >= MOST_FAILURES:
            message = f"{recent[-1][1]}; it failed {len(recent)} times and will not be restarted for now"
            raise ServerDownError(message)
        if len(recent) > 1:
            when, reason = recent[-1]
            left = when + self._limits.back_off * 2 ** (len(recent) - 2) - now
            if left > 0:
                message = f"{reason}; it can be restarted in {left:.1f} s"
                raise ServerDownError(message)

    async def _drop(self) -> None:
        client, self._client, self._ready = self._client, None, False
        if client is not None:
            await client.close(self._limits.grace)

    async def _check(self, client: Client, jobs: Sequence[Job]) -> None:
        """Check files together and set their reports as they come in."""
        await client.sync_files({job.edited.path for job in jobs})
        active = [job for job in jobs if not job.report.done()]
        try:
            bases = await self._old_diagnostics(client, active) if self._filter.only_new else {}
        finally:
            for job in jobs:
                one = job.edited
                is_new = one.before is None and one.is_on_disk
                client.write(one.path, one.after, created=is_new, saved=one.is_on_disk)
        try:
            await asyncio.gather(*(self._report(client, job, bases.get(job.edited.path, [])) for job in active))
        finally:
            client.close_documents([job.edited.path for job in jobs if not job.edited.is_on_disk])

    async def _old_diagnostics(self, client: Client, jobs: Sequence[Job]) -> dict[str, list[Diagnostic] | str]:
        """The diagnostics of each file before its edit, or the reason why they are unknown."""
        bases: dict[str, list[Diagnostic] | str] = {}
        uncached = []
        for job in jobs:
            one = job.edited
            if one.before is None:
                continue
            cached = client.cached(one.path, one.before)
            if cached is None:
                client.write(one.path, one.before)
                uncached.append(job)
            else:
                bases[one.path] = cached
        answers = await asyncio.gather(*(self._ask(client, job) for job in uncached))
        return bases | {job.edited.path: answer for job, answer in zip(uncached, answers, strict=True)}

    async def _report(self, client: Client, job: Job, base: list[Diagnostic] | str) -> None:
        """Set the report of a file whose new text the server has."""
        one = job.edited
        diagnostics = await self._ask(client, job)
        if job.report.done():
            return
        if isinstance(diagnostics, str):
            job.report.set_result(self._unknown(job, diagnostics))
            return
        diagnostics = at_least(diagnostics, self._filter.lowest)
        if diagnostics and isinstance(base, str):
            # There are errors, but they may be older than the edit.
            job.report.set_result(self._unknown(job, f"{UNKNOWN_BEFORE}: {base}"))
            return
        if isinstance(base, list) and one.before is not None and self._filter.only_new:
            # In a thread: the texts may be long, and the timeout must still work.
            diagnostics = await in_thread(
                new_diagnostics, at_least(base, self._filter.lowest), diagnostics, one.before, one.after
            )
        if not job.report.done():
            job.report.set_result(report_from(one.path, diagnostics, self._server.name, only_new=self._filter.only_new))

    async def _ask(self, client: Client, job: Job) -> list[Diagnostic] | str:
        """The server's diagnostics for a file, or the reason why there are none."""
        asking = asyncio.get_running_loop().create_task(client.diagnostics(job.edited.path))
        try:
            # A report that was given up on must not hold up the jobs behind it.
            await asyncio.wait((asking, job.report), return_when=asyncio.FIRST_COMPLETED)
            return asking.result() if asking.done() else "the check was abandoned"
        except ConnectionBrokenError as broken:
            return str(broken)
        except (ResponseError, ServerError) as error:
            return f"{self._server.name} sent no diagnostics: {error}"
        finally:
            if not asking.done():
                asking.cancel()
                await asyncio.wait([asking])

    def _unknown(self, job: Job, reason: str) -> Report:
        return Report(job.edited.path, "unknown", reason=reason, only_new=self._filter.only_new)


def _groups(jobs: Iterable[Job]) -> list[list[Job]]:
    """Split jobs into groups in which no file occurs twice."""
    groups: list[list[Job]] = []
    paths: set[str] = set()
    for job in jobs:
        if not groups or job.edited.path in paths:
            groups.append([])
            paths = set()
        groups[-1].append(job)
        paths.add(job.edited.path)
    return groups
