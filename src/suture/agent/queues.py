"""Calls on the same file run in the order in which they came; calls on different files run in parallel."""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import asynccontextmanager, suppress
from contextvars import ContextVar

from ..core.problems import PatchRejectedError, Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Coroutine, Iterable
    from typing import Any, TypeVar

    from ..workspace.guard import ResolvedPath

    T = TypeVar("T")


class _Call:
    """A call that waits or runs: the paths that it needs, and whether its turn has come."""

    def __init__(self, queues: Queues, paths: Iterable[str]) -> None:
        self.queues = queues
        self.paths = frozenset(paths)
        self.turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.is_over = False


#: The calls on whose behalf the current task runs, such as a call that asked an approver.
_OUTER: ContextVar[tuple[_Call, ...]] = ContextVar("suture_calls", default=())


class Queues:
    """A queue for each path in use; it is removed with its last call.

    A call joins the queues of all its paths at once, and its turn comes when it is the first in each of them. Because
    it joins them at once, two calls are in the same order in all queues: there is no deadlock.
    """

    def __init__(self) -> None:
        self._queues: dict[str, deque[_Call]] = {}
        self._waiters: list[asyncio.Future[None]] = []

    @asynccontextmanager
    async def turn(self, paths: Iterable[str]) -> AsyncIterator[None]:
        """A context in which no other call uses any of these paths.

        Raises:
            PatchRejectedError: a call on one of the paths waits for this one: a deadlock (`locked`).
        """
        call = _Call(self, paths)
        outer = tuple([one for one in _OUTER.get() if not one.is_over])
        for one in outer:
            if one.queues is self and one.paths & call.paths:
                raise PatchRejectedError([_deadlock(min(one.paths & call.paths))])
        for path in call.paths:
            self._queues.setdefault(path, deque()).append(call)
        try:
            self._start(call)
            await call.turn
            before = _OUTER.set((*outer, call))
            try:
                yield
            finally:
                _OUTER.reset(before)
        finally:
            self._leave(call)

    async def quiet(self, limit: float) -> None:
        """Wait until no call runs or waits, for at most `limit` seconds."""
        if self._queues:
            self._waiters.append(asyncio.get_running_loop().create_future())
            await asyncio.wait([self._waiters[-1]], timeout=limit)

    def _leave(self, call: _Call) -> None:
        """Remove a call from the queues of its paths, and start what waited for it."""
        call.is_over = True
        next_ones: dict[_Call, None] = {}
        for path in call.paths:
            queue = self._queues[path]
            queue.remove(call)
            if queue:
                next_ones[queue[0]] = None
            else:
                del self._queues[path]
        for waiting in next_ones:
            self._start(waiting)
        while self._waiters and not self._queues:
            waiter = self._waiters.pop()
            if not waiter.done():
                waiter.set_result(None)

    def _start(self, call: _Call) -> None:
        """Start a call if it is the first in all its queues."""
        if not call.turn.done() and all(self._queues[path][0] is call for path in call.paths):
            call.turn.set_result(None)


def _deadlock(path: str) -> Problem:
    message = f"{path} is locked by a call that waits for this one."
    hint = "Answer that call first. While it waits for an answer, no tool can be called on its files."
    return Problem("locked", message, path, None, {"path": path}, hint, recoverable=False)


async def run_to_end(work: Coroutine[Any, Any, T]) -> T:
    """Wait for work that must not be left half done. A cancellation takes effect once it is done."""
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        while not task.done():
            with suppress(asyncio.CancelledError):
                await asyncio.wait([task])
        if not task.cancelled():
            # Retrieved, so that asyncio does not log it: nobody waits for it.
            task.exception()
        raise


def paths_to_lock(names: Iterable[ResolvedPath]) -> list[str]:
    """The paths that no other call may use at the same time: of each file, its own and where it leads."""
    return [path for resolved in names for path in (resolved.name, resolved.path)]
