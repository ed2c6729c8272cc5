"""Tells the pages that are open when something has changed: as server-sent events, by name only.

A page asks for what it needs, so that nothing piles up for one that is slow. Two things no file system reports: that a
program that asked was killed, and that a file of a request has changed. These are looked for every second while
somebody listens.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from time import time
from typing import TYPE_CHECKING

from ..agent.threads import in_thread
from .watch import Watch

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable
    from typing import TypeAlias

    from .inbox import Inbox

    #: The requests that wait, each with what else of it may change: why it can't be approved, how long its agent waits.
    Requests: TypeAlias = list[tuple[str, tuple[str, ...]]]

#: How often requests are looked at although nothing was reported, in seconds.
TICK = 1.0
#: How often a line is sent to find out whether somebody still listens, in seconds.
KEEP_ALIVE = 15.0


class EventStream:
    """The events of a server. `run` finds out what has changed, and `listen` is one page's stream."""

    def __init__(self, inbox: Inbox, folders: Iterable[str] = (), roots: Iterable[str] = ()) -> None:
        self._inbox = inbox
        self._folders = tuple(folders)
        self._roots = frozenset(roots)
        self._changed = asyncio.Event()
        self._listeners: set[_Listener] = set()
        self._is_closed = False

    async def run(self) -> None:
        """Watch until the stream is closed."""
        loop = asyncio.get_running_loop()

        def changed() -> None:
            with suppress(RuntimeError):  # the loop may be closed by now
                loop.call_soon_threadsafe(self._changed.set)

        seen: Requests | None = None
        while not self._is_closed:
            # Requests of another workspace bring its history along.
            watch = Watch(changed, folders=self._folders, roots=self._roots)
            await in_thread(watch.start)
            roots = self._roots
            try:
                while roots == self._roots and not self._is_closed:
                    is_reported = await _wait(self._changed, TICK)
                    self._changed.clear()
                    seen = await self._look(seen, is_reported=is_reported)
            finally:
                await in_thread(watch.stop)

    async def _look(self, seen: Requests | None, *, is_reported: bool) -> Requests | None:
        """Tell what has changed since the last look; what this one sees, or `None` if nobody listens.

        After a time without listeners, the first look tells about requests in any case: the page may have asked for
        its list before a change that no look has seen.
        """
        if not self._listeners:
            return None
        items = await in_thread(self._inbox.pending)
        self._roots |= {item.request.workspace for item in items if item.request.workspace}
        # That an agent stops waiting, no file system reports either.
        now = [(item.id, (*item.stale, item.late_note(time()), str(item.deadline))) for item in items]
        for listener in self._listeners:
            listener.tell(({"requests"} if now != seen else set()) | ({"history"} if is_reported else set()))
        return now

    def close(self) -> None:
        """End all streams."""
        self._is_closed = True
        self._changed.set()
        for listener in self._listeners:
            listener.tell({"end"})

    async def listen(self) -> AsyncIterator[bytes]:
        """The events as bytes: `requests` if the pending ones may have changed, `history` for all else."""
        listener = _Listener()
        self._listeners.add(listener)
        try:
            yield b": welcome\n\n"
            while not self._is_closed:
                names = await listener.names(KEEP_ALIVE)
                yield b"".join([f"event: {name}\ndata: {{}}\n\n".encode() for name in names]) or b": still here\n\n"
        finally:
            self._listeners.discard(listener)


class _Listener:
    """What one page has not been told yet."""

    def __init__(self) -> None:
        self._event = asyncio.Event()
        self._names: set[str] = set()

    def tell(self, names: set[str]) -> None:
        if names:
            self._names |= names
            self._event.set()

    async def names(self, timeout: float) -> list[str]:  # noqa: ASYNC109 - its end is not an error
        await _wait(self._event, timeout)
        self._event.clear()
        names, self._names = sorted(self._names), set()
        return names


async def _wait(event: asyncio.Event, timeout: float) -> bool:  # noqa: ASYNC109 - its end is not an error
    """Whether the event came within the time."""
    with suppress(TimeoutError):
        return await asyncio.wait_for(event.wait(), timeout)
    return False
