"""One subscriber of the bus: its queue, and who works on it, a thread or a task of the event loop.

Whatever a subscriber does, the next event comes to it and nothing comes to whoever published. What is told and to whom
is the business of the bus.
"""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections import deque
from contextlib import suppress
from contextvars import copy_context

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from typing import Any, TypeAlias

    from .bus import Bus, Event

    Callback: TypeAlias = Callable[[Any], object]

#: How long the thread of a sync subscriber waits for the next event before it ends, in seconds.
IDLE = 1.0


class Subscription:
    """One subscriber with its queue. Calling it unsubscribes: what still waits is dropped, and nothing more comes."""

    def __init__(self, bus: Bus, callback: Callback, kinds: tuple[type[Event], ...], queue: int) -> None:
        self.name = _name_of(callback)
        #: How many events were dropped because the queue was full, and how many calls failed.
        self.dropped = 0
        self.failures = 0
        self._bus = bus
        self._callback = callback
        self._kinds = kinds
        self._queue = queue
        self._waiting: deque[Event] = deque()
        self._active = True
        self._busy = False

    def __call__(self) -> None:
        """Unsubscribe. A call that is under way is not broken off."""
        self._bus.unsubscribe(self)

    def __repr__(self) -> str:
        return f"Subscription({self.name}, waiting={len(self._waiting)}, dropped={self.dropped})"

    # What follows is called by the bus, with its lock held.

    def wants(self, event: Event) -> bool:
        """Whether it has subscribed to events of this kind."""
        return isinstance(event, self._kinds)

    def put(self, event: Event) -> None:
        """Put an event into the queue, at the cost of the oldest where it is full."""
        if not self._active:
            return
        if len(self._waiting) >= self._queue:
            self._waiting.popleft()
            self.dropped += 1
        self._waiting.append(event)
        self.wake()

    def wake(self) -> None:
        """See to it that somebody works on the queue."""
        raise NotImplementedError

    def moved(self) -> None:
        """The event loop is another one now."""

    def stop(self) -> None:
        """Begin no call from now on."""
        self._active = False
        self._waiting.clear()

    @property
    def is_quiet(self) -> bool:
        """Whether nothing waits and no call is under way."""
        return not (self._waiting or self._busy)

    # What follows is called by whoever works on the queue, without the lock.

    def _failed(self, event: Event, error: BaseException) -> None:
        self.failures += 1
        self._bus.failed(self.name, event, _said(error))


class InThread(Subscription):
    """A sync subscriber. Its thread starts with the first event and ends when there is none for a while."""

    def __init__(self, bus: Bus, callback: Callback, kinds: tuple[type[Event], ...], queue: int) -> None:
        super().__init__(bus, callback, kinds, queue)
        self._changed = threading.Condition(bus.lock)
        self._thread: threading.Thread | None = None

    def wake(self) -> None:
        """Wake the thread, or start one."""
        if not self._waiting:
            return
        if self._thread is not None:
            self._changed.notify()
            return
        thread = threading.Thread(target=self._work, name=f"suture: {self.name}", daemon=True)
        # Where no thread can be had the events wait: the next one tries again.
        with suppress(RuntimeError):
            thread.start()
            self._thread = thread

    def stop(self) -> None:
        """Begin no call from now on, and let the thread end."""
        super().stop()
        self._changed.notify()

    def _work(self) -> None:
        while (event := self._next()) is not None:
            try:
                result = self._callback(event)
                if inspect.isawaitable(result):
                    if inspect.iscoroutine(result):
                        result.close()
                    message = "it gave an awaitable, but is no async function: subscribe one that is"
                    raise TypeError(message)  # noqa: TRY301 - it is told as any other error
            except BaseException as error:  # noqa: BLE001 - whatever it is, the next event has to come
                self._failed(event, error)

    def _next(self) -> Event | None:
        with self._changed:
            self._busy = False
            if not self._waiting:
                self._bus.settled()
                if self._active:
                    self._changed.wait(IDLE)
            if not self._waiting:
                self._thread = None
                return None
            self._busy = True
            return self._waiting.popleft()


class InLoop(Subscription):
    """An async subscriber. Its task lives as long as there are events."""

    _callback: Callable[[Any], Awaitable[object]]

    def __init__(self, bus: Bus, callback: Callback, kinds: tuple[type[Event], ...], queue: int) -> None:
        super().__init__(bus, callback, kinds, queue)
        self._scheduled = False
        #: That of who subscribed: it has nothing to do with the calls of those who publish.
        self._context = copy_context()

    def wake(self) -> None:
        """Have a task started, where there is none and there is a loop."""
        if self._waiting and not self._scheduled:
            self._scheduled = self._bus.call(self._start)

    def moved(self) -> None:
        """Begin anew in the other loop."""
        # What was scheduled in a loop that is closed never comes.
        self._scheduled = self._busy = False
        self.wake()

    def _start(self) -> None:
        loop = asyncio.get_running_loop()
        task = loop.create_task(self._work(), name=f"suture: {self.name}", context=self._context.copy())
        self._bus.keep(task)

    async def _work(self) -> None:
        task = asyncio.current_task()
        assert task is not None, "BUG: a coroutine runs outside of a task"
        try:
            while (event := self._next()) is not None:
                try:
                    await self._callback(event)
                except asyncio.CancelledError as error:
                    if task.cancelling():
                        raise
                    # Something that it waited for was cancelled, not this task.
                    self._failed(event, error)
                except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever it is, the next event has to come
                    self._failed(event, error)
                # A long queue must not keep others from their turn.
                await asyncio.sleep(0)
        finally:
            with self._bus.lock:
                self._scheduled = self._busy = False
                self._bus.settled()

    def _next(self) -> Event | None:
        with self._bus.lock:
            self._busy = bool(self._waiting)
            if self._waiting:
                return self._waiting.popleft()
            # Under the lock, so that no event can come between the last look and the end of the task.
            self._scheduled = False
            return None


def _name_of(callback: Callback) -> str:
    function = getattr(callback, "func", callback)
    name = getattr(function, "__qualname__", None) or type(function).__qualname__
    return f"{getattr(function, '__module__', None) or '?'}.{name}"


def _said(error: BaseException) -> str:
    try:
        said = str(error)
    except Exception:  # noqa: BLE001 - an error that can't even be shown
        said = ""
    return f"{type(error).__name__}: {said}" if said else type(error).__name__
