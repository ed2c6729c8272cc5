"""The bus that delivers events to subscribers.

A subscriber cannot delay or break an edit: `publish` puts the event into each subscriber's queue and returns. A sync
subscriber runs in its own thread, an async one as a task of the event loop; each gets one event at a time, in the order
of publishing. A full queue drops its oldest event and counts it, because only the newest state of a file matters.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress

from ..core.callbacks import is_async
from ..core.fork_lock import ForkLock
from .agent_limits import MOST_WAITING_EVENTS
from .event import Event, SubscriberFailed
from .subscribers import LoopSubscription, ThreadSubscription

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from .subscribers import Callback, Subscription

#: How long `close` waits for the async subscribers it canceled, in seconds.
CLOSE_TIMEOUT = 1.0


class Bus:
    """Delivers events to subscribers. Usable from any thread, except that `drain` and `close` need the event loop.

    Async subscribers run in the loop in which the bus is first used. Events published before that wait for it.
    """

    def __init__(self) -> None:
        #: Held briefly while queues change. Reentrant, because a garbage collection can publish while it is held.
        self.lock = ForkLock()
        self._subscriptions: tuple[Subscription, ...] = ()
        #: Those that have ended during a call that still runs.
        self._ending: list[Subscription] = []
        self._loop: asyncio.AbstractEventLoop | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._waiters: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []
        self._closed = False

    @property
    def is_heard(self) -> bool:
        """Whether anybody has subscribed."""
        return bool(self._subscriptions)

    def subscribe(
        self,
        callback: Callback,
        kinds: type[Event] | Iterable[type[Event]] | None = None,
        *,
        queue: int = MOST_WAITING_EVENTS,
    ) -> Subscription:
        """Call `callback` with every event from now on, or only with some kinds. Call the result to unsubscribe.

        At most `queue` events wait. When the queue is full the oldest is dropped, and `dropped` counts it.
        """
        if kinds is None:
            kinds = Event
        classes = (kinds,) if isinstance(kinds, type) else tuple(kinds)
        if not all(isinstance(kind, type) for kind in classes):
            message = f"expected event classes as kinds; found {classes!r}"
            raise TypeError(message)
        if queue < 1:
            message = f"expected a queue of at least 1 event; found {queue}"
            raise ValueError(message)
        subscription = (LoopSubscription if is_async(callback) else ThreadSubscription)(self, callback, classes, queue)
        with self.lock:
            self._find_loop()
            if self._closed:
                subscription.stop()
            else:
                self._subscriptions = (*self._subscriptions, subscription)
        return subscription

    def unsubscribe(self, subscription: Subscription) -> None:
        """End a subscription; one that has already ended is no error."""
        with self.lock:
            subscription.stop()
            self._ending = [one for one in (*self._ending, subscription) if not one.is_quiet]
            self._subscriptions = tuple([one for one in self._subscriptions if one is not subscription])
            self.wake_if_quiet()

    def publish(self, event: Event) -> None:
        """Queue an event for each of its subscribers. Never waits and never raises; after `close` it does nothing."""
        with self.lock:
            self._find_loop()
            # The tuple is replaced, never changed: a subscription made or ended meanwhile counts from the next event.
            for subscription in self._subscriptions:
                if subscription.wants(event):
                    subscription.put(event)

    async def drain(self, timeout: float | None = None) -> bool:  # noqa: ASYNC109 - a timeout is a result, not an error
        """Wait until all queues are empty and all calls have returned; False if the time ran out first.

        A subscriber must not call it: it would wait for itself.
        """
        loop = asyncio.get_running_loop()
        limit = None if timeout is None else loop.time() + timeout
        quiet = asyncio.Event()
        with self.lock:
            self._find_loop()
            self._waiters.append((loop, quiet))
        try:
            while not self._is_quiet():
                left = None if limit is None else limit - loop.time()
                if left is not None and left <= 0:
                    return False
                with suppress(TimeoutError):
                    await asyncio.wait_for(quiet.wait(), left)
                quiet.clear()
            return True
        finally:
            with self.lock:
                self._waiters.remove((loop, quiet))

    async def close(self, timeout: float = 0.0) -> None:  # noqa: ASYNC109 - as in drain
        """End all subscriptions, after waiting up to `timeout` seconds for queued events.

        Running async subscribers are canceled. A running sync subscriber finishes its current call and gets no other.
        """
        if timeout > 0:
            await self.drain(timeout)
        with self.lock:
            self._closed = True
            for subscription in self._subscriptions:
                subscription.stop()
            self._subscriptions = ()
            tasks = [task for task in self._tasks if task is not asyncio.current_task()]
        loop = asyncio.get_running_loop()
        here = [task for task in tasks if task.get_loop() is loop]
        for task in here:
            task.cancel()
        if here:
            await asyncio.wait(here, timeout=CLOSE_TIMEOUT)

    # Called by subscriptions.

    def call_in_loop(self, function: Callable[[], object]) -> bool:
        """Schedule a function in the event loop, from any thread; False if there is no loop."""
        loop = self._loop
        if loop is None:
            return False
        try:
            if loop is _running_loop():
                loop.call_soon(function)
            else:
                loop.call_soon_threadsafe(function)
        except RuntimeError:
            return False  # the loop is closed
        return True

    def report_failure(self, subscriber: str, event: Event, error: str) -> None:
        """Publish that a subscriber raised, unless it raised at such a report: that would never end."""
        if not isinstance(event, SubscriberFailed):
            self.publish(SubscriberFailed(subscriber, event, error))

    def keep_task(self, task: asyncio.Task[None]) -> None:
        """Hold a reference to a task until it is done; the event loop holds only a weak one."""
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def wake_if_quiet(self) -> None:
        """Wake the callers of `drain` if nothing is left to do. Call it with the lock held."""
        if self._waiters and self._is_quiet():
            for loop, quiet in self._waiters:
                with suppress(RuntimeError):
                    loop.call_soon_threadsafe(quiet.set)

    def _is_quiet(self) -> bool:
        with self.lock:
            self._ending = [subscription for subscription in self._ending if not subscription.is_quiet]
            return not self._ending and all(subscription.is_quiet for subscription in self._subscriptions)

    def _find_loop(self) -> None:
        """Use the running loop for async subscribers if there is none yet or the old one is closed."""
        if self._loop is not None and not self._loop.is_closed():
            return
        loop = _running_loop()
        if loop is not None:
            self._loop = loop
            self._tasks.clear()
            for subscription in self._subscriptions:
                subscription.restart()


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None
