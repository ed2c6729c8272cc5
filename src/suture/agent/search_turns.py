"""Searches in threads of their own, so that slow ones hold up neither reads and commits nor other sessions.

asyncio's threads are shared by everything that reads and writes. A model can send any number of searches that each take
as long as a search may, so those wait here: some for each session, and few threads for all sessions of an event loop.
"""

from __future__ import annotations

import asyncio
import contextvars
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from ..core.problems import PatchRejectedError, Problem
from .agent_limits import MOST_RUNNING, MOST_THREADS, MOST_WAITING
from .queues import run_to_end
from .threads import carried

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from typing import TypeVar

    T = TypeVar("T")


_THREADS: WeakKeyDictionary[asyncio.AbstractEventLoop, ThreadPoolExecutor] = WeakKeyDictionary()


class SearchTurns:
    """The searches of one session."""

    def __init__(self) -> None:
        self._running = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def run(self, search: Callable[[], T], stop: Callable[[], object]) -> T:
        """What a search returns, once it is its turn. If the call is cancelled, `stop` ends the search early.

        Raises:
            PatchRejectedError: too many searches of the session run or wait (`locked`).
        """
        async with self._turn():
            job = _threads().submit(contextvars.copy_context().run, carried(search))
            end = asyncio.wrap_future(job)
            try:
                return await asyncio.shield(end)
            except asyncio.CancelledError:
                stop()
                end.add_done_callback(_forget)
                if not job.cancel():
                    # Its turn is over once its thread is free.
                    await run_to_end(_wait_for(end))
                raise

    @asynccontextmanager
    async def _turn(self) -> AsyncIterator[None]:
        if self._running < MOST_RUNNING:
            self._running += 1
        else:
            await self._wait()
        try:
            yield
        finally:
            self._end_turn()

    async def _wait(self) -> None:
        """Wait until another search hands its turn over."""
        if len(self._waiting) >= MOST_WAITING:
            raise PatchRejectedError([_too_many()])
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.cancelled():
                self._waiting.remove(turn)
            else:
                self._end_turn()
            raise

    def _end_turn(self) -> None:
        """Hand the turn over to the search that has waited longest, if there is one."""
        if self._waiting:
            self._waiting.popleft().set_result(None)
        else:
            self._running -= 1


def _threads() -> ThreadPoolExecutor:
    """The threads for searches of the current event loop."""
    loop = asyncio.get_running_loop()
    if loop not in _THREADS:
        _THREADS[loop] = ThreadPoolExecutor(MOST_THREADS, thread_name_prefix="suture-search")
    return _THREADS[loop]


async def _wait_for(end: asyncio.Future[T]) -> None:
    await asyncio.wait([end])


def _forget(end: asyncio.Future[T]) -> None:
    """Look at the failure of a search that nobody waits for, so that asyncio does not report it."""
    if not end.cancelled():
        end.exception()


def _too_many() -> Problem:
    most = MOST_RUNNING + MOST_WAITING
    message = f"{most} searches of this session are running or waiting, so this one was not started."
    details = {"reason": "too_many_searches", "most": most}
    return Problem("locked", message, details=details, hint="Wait for their answers, then search again.")
