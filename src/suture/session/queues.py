"""Calls on one file are done in the order in which they came; calls on others run side by side."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack, asynccontextmanager

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable


class Queues:
    """A queue for each path that a call is at; it goes with its last call."""

    def __init__(self) -> None:
        self._locks: dict[str, tuple[asyncio.Lock, int]] = {}

    @asynccontextmanager
    async def turn(self, paths: Iterable[str]) -> AsyncIterator[None]:
        """A context in which no other call is at any of these paths."""
        wanted = sorted(set(paths))
        for path in wanted:
            lock, waiting = self._locks.get(path) or (asyncio.Lock(), 0)
            self._locks[path] = lock, waiting + 1
        try:
            async with AsyncExitStack() as held:
                for path in wanted:
                    await held.enter_async_context(self._locks[path][0])
                yield
        finally:
            for path in wanted:
                lock, waiting = self._locks[path]
                if waiting == 1:
                    del self._locks[path]
                else:
                    self._locks[path] = lock, waiting - 1
