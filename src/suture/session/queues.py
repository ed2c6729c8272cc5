"""Calls on one file are done in the order in which they came; calls on others run side by side."""

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

    T = TypeVar("T")


class _Call:
    """A call that waits, or is at work: the paths that it wants, and whether its turn has come."""

    def __init__(self, queues: Queues, paths: Iterable[str]) -> None:
        self.queues = queues
        self.paths = frozenset(paths)
        self.turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.is_over = False


#: The calls at whose behest the current task works: such as an approver that is asked by one of them.
_OUTER: ContextVar[tuple[_Call, ...]] = ContextVar("suture_calls", default=())


class Queues:
    """A queue for each path that a call is at; it goes with its last call.

    A call stands in the queues of all its paths from the moment it comes, and its turn is when it is the first in each
    of them. Since everybody joins all queues at once, none of two calls can be before the other in one and behind it in
    the next: nobody waits for ever.
    """

    def __init__(self) -> None:
        self._queues: dict[str, deque[_Call]] = {}
        self._waiters: list[asyncio.Future[None]] = []

    @asynccontextmanager
    async def turn(self, paths: Iterable[str]) -> AsyncIterator[None]:
        """A context in which no other call is at any of these paths.

        Raises:
            PatchRejectedError: a call at one of them waits for this one, which would wait for it in turn (`locked`).
        """
        call = _Call(self, paths)
        outer = tuple([one for one in _OUTER.get() if not one.is_over])
        for one in outer:
            if one.queues is self and one.paths & call.paths:
                raise PatchRejectedError([_waits_for_itself(min(one.paths & call.paths))])
        for path in call.paths:
            self._queues.setdefault(path, deque()).append(call)
        try:
            self._call(call)
            await call.turn
            before = _OUTER.set((*outer, call))
            try:
                yield
            finally:
                _OUTER.reset(before)
        finally:
            self._leave(call)

    async def quiet(self, limit: float) -> None:
        """Wait until no call is at work and none waits, for so many seconds at most."""
        if self._queues:
            self._waiters.append(asyncio.get_running_loop().create_future())
            await asyncio.wait([self._waiters[-1]], timeout=limit)

    def _leave(self, call: _Call) -> None:
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
            self._call(waiting)
        while self._waiters and not self._queues:
            waiter = self._waiters.pop()
            if not waiter.done():
                waiter.set_result(None)

    def _call(self, call: _Call) -> None:
        """Let a call go ahead if it is the first everywhere."""
        if not call.turn.done() and all(self._queues[path][0] is call for path in call.paths):
            call.turn.set_result(None)


def _waits_for_itself(path: str) -> Problem:
    message = f"{path} is in the hands of a call that waits for this one."
    hint = "Answer that call first: whoever is asked about a file can't call tools on it."
    return Problem("locked", message, path, None, {"path": path}, hint, recoverable=False)


async def to_its_end(work: Coroutine[Any, Any, T]) -> T:
    """Wait for what must not be left half done. Whoever is cancelled meanwhile is so once it is done."""
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        while not task.done():
            with suppress(asyncio.CancelledError):
                await asyncio.wait([task])
        if not task.cancelled():
            # Nobody is left to be told of it.
            task.exception()
        raise
