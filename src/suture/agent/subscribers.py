"""Subscriptions: a queue each, and the thread or task that works on it.

Whatever a subscriber raises, it still gets the next event, and the publisher never notices.
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

    from .bus import Bus
    from .event import Event

    Callback: TypeAlias = Callable[[Any], object]

#: How long a sync subscriber's thread waits for the next event before it ends, in seconds.
IDLE_TIMEOUT = 1.0


class Subscription:
    """One subscriber with its queue. Calling it unsubscribes and drops the events that still wait."""

    def __init__(self, bus: Bus, callback: Callback, kinds: tuple[type[Event], ...], queue: int) -> None:
        self.name = _name_of(callback)
        #: How many events were dropped because the queue was full, and how many calls raised.
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
        """Unsubscribe. A running call is not interrupted."""
        self._bus.unsubscribe(self)

    def __repr__(self) -> str:
        return f"Subscription({self.name}, waiting={len(self._waiting)}, dropped={self.dropped})"

    # Called by the bus with its lock held.

    def wants(self, event: Event) -> bool:
        """Whether it subscribed to events of this kind."""
        return isinstance(event, self._kinds)

    def put(self, event: Event) -> None:
        """Queue an event; if the queue is full, drop the oldest."""
        if not self._active:
            return
        if len(self._waiting) >= self._queue:
            self._waiting.popleft()
            self.dropped += 1
        self._waiting.append(event)
        self.wake()

    def wake(self) -> None:
        """Make sure that a thread or task works on the queue."""
        raise NotImplementedError

    def restart(self) -> None:
        """Continue in a new event loop."""

    def stop(self) -> None:
        """Start no more calls."""
        self._active = False
        self._waiting.clear()

    @property
    def is_quiet(self) -> bool:
        """Whether the queue is empty and no call is running."""
        return not (self._waiting or self._busy)

    # Called by the thread or task, without the lock.

    def _report(self, event: Event, error: BaseException) -> None:
        self.failures += 1
        self._bus.report_failure(self.name, event, _error_text(error))


class ThreadSubscription(Subscription):
    """A sync subscriber. Its thread starts with the first event and ends after a while without events."""

    def __init__(self, bus: Bus, callback: Callback, kinds: tuple[type[Event], ...], queue: int) -> None:
        super().__init__(bus, callback, kinds, queue)
        self._thread: threading.Thread | None = None
        #: Set when there is something for the thread to do. Each thread has its own: in the child of a fork, that of
        #: the parent's thread may be in use for ever.
        self._woken = threading.Event()

    def wake(self) -> None:
        """Wake the thread, or start one."""
        if not self._waiting:
            return
        if self._is_working():
            self._woken.set()
            return
        self._woken = threading.Event()
        thread = threading.Thread(target=self._work, name=f"suture: {self.name}", daemon=True)
        # If no thread can be started the events wait, and the next event tries again.
        with suppress(RuntimeError):
            thread.start()
            self._thread = thread

    def stop(self) -> None:
        """Start no more calls, and let the thread end."""
        super().stop()
        if self._is_working():
            self._woken.set()

    def _is_working(self) -> bool:
        """Whether there is a thread; there is none in the child of a fork."""
        return self._thread is not None and self._thread.is_alive()

    def _work(self) -> None:
        while (event := self._next()) is not None:
            try:
                result = self._callback(event)
                if inspect.isawaitable(result):
                    if inspect.iscoroutine(result):
                        result.close()
                    message = "it returned an awaitable, but is not an async function: subscribe an async function"
                    raise TypeError(message)  # noqa: TRY301 - reported like any other error
            except BaseException as error:  # noqa: BLE001 - the next event must still be delivered
                self._report(event, error)

    def _next(self) -> Event | None:
        """The next event; None if none came for a while, or the subscription has ended."""
        with self._bus.lock:
            self._busy = False
            if not self._waiting:
                self._bus.wake_if_quiet()
            is_idle = self._active and not self._waiting
            self._woken.clear()
        if is_idle:
            self._woken.wait(IDLE_TIMEOUT)
        with self._bus.lock:
            if not self._waiting:
                self._thread = None
                return None
            self._busy = True
            return self._waiting.popleft()


class LoopSubscription(Subscription):
    """An async subscriber. Its task lives as long as there are events."""

    _callback: Callable[[Any], Awaitable[object]]

    def __init__(self, bus: Bus, callback: Callback, kinds: tuple[type[Event], ...], queue: int) -> None:
        super().__init__(bus, callback, kinds, queue)
        self._scheduled = False
        #: The context of the code that subscribed, not of the code that publishes.
        self._context = copy_context()

    def wake(self) -> None:
        """Start a task if none is running and there is a loop."""
        if self._waiting and not self._scheduled:
            self._scheduled = self._bus.call_in_loop(self._start)

    def restart(self) -> None:
        """Continue in a new event loop."""
        # A task scheduled in the closed loop never runs.
        self._scheduled = self._busy = False
        self.wake()

    def _start(self) -> None:
        loop = asyncio.get_running_loop()
        task = loop.create_task(self._work(), name=f"suture: {self.name}", context=self._context.copy())
        self._bus.keep_task(task)

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
                    # Something it awaited was canceled, not this task.
                    self._report(event, error)
                except (Exception, SystemExit) as error:  # noqa: BLE001 - the next event must still be delivered
                    self._report(event, error)
                # A long queue must not block other tasks.
                await asyncio.sleep(0)
        finally:
            with self._bus.lock:
                self._scheduled = self._busy = False
                self._bus.wake_if_quiet()

    def _next(self) -> Event | None:
        with self._bus.lock:
            self._busy = bool(self._waiting)
            if self._waiting:
                return self._waiting.popleft()
            # Under the lock, so that no event can arrive between the last look and the end of the task.
            self._scheduled = False
            return None


def _name_of(callback: Callback) -> str:
    function = getattr(callback, "func", callback)
    name = getattr(function, "__qualname__", None) or type(function).__qualname__
    return f"{getattr(function, '__module__', None) or '?'}.{name}"


def _error_text(error: BaseException) -> str:
    try:
        text = str(error)
    except Exception:  # noqa: BLE001 - even its message raises
        text = ""
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
