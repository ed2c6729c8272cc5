"""What happens in a session, as values, and the bus that tells it to whoever wants to know.

A subscriber can't hold up or break an edit: `publish` puts the event into the queue of each subscriber and returns. A
sync subscriber is called in a thread of its own, an async one as a task of the event loop, each with one event at a
time, in the order of publishing. Where a queue is full its oldest event is dropped and counted; the newest state of a
file is the one that matters. This module decides nothing about an edit and knows nothing of how events come about.
"""

from __future__ import annotations

import asyncio
import threading
from contextlib import suppress

from ..core.callbacks import is_async
from ..core.value import Value
from .subscribers import InLoop, InThread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Literal

    from ..permissions.answers import Answer
    from ..permissions.requests import Request
    from .subscribers import Callback, Subscription

#: How many events may wait for one subscriber.
QUEUE = 1000
#: How long `close` waits for async subscribers that it has cancelled, in seconds.
CLOSING = 1.0


class Event(Value):
    """The base of all events."""


class FileEdited(Event):
    """A tool of the session wrote a file; the receipt tells how, and `undo` takes its id."""

    path: str
    receipt_id: str


class FileChanged(Event):
    """A file came, changed or went, whoever did it: what a watcher of files would tell."""

    path: str
    kind: Literal["add", "change", "unlink"]


class PermissionAsked(Event):
    """Somebody has to answer a request. Exactly one `PermissionReplied` follows."""

    request: Request


class PermissionReplied(Event):
    """A request is not open any more; its answer is "withdrawn" where its caller gave up or the time ran out."""

    request_id: str
    answer: Answer


class DiagnosticsReceived(Event):
    """What a language server says of a file."""

    path: str
    report: object


class SubscriberFailed(Event):
    """A subscriber raised: its name, the event that it was given, and the error as a text."""

    subscriber: str
    event: Event
    error: str


class Bus:
    """Tells events to subscribers. It can be used from any thread; `drain` and `close` belong to the event loop.

    Async subscribers run in the loop in which the bus is first used. Events that are published before there is one
    wait for it.
    """

    def __init__(self) -> None:
        #: Held while queues change, for moments only. It may be taken again by whom a garbage collection calls.
        self.lock = threading.RLock()
        self._subscriptions: tuple[Subscription, ...] = ()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._waiters: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []
        self._closed = False

    def subscribe(
        self, callback: Callback, kinds: type[Event] | Iterable[type[Event]] | None = None, *, queue: int = QUEUE
    ) -> Subscription:
        """Call `callback` with every event from now on, or with those of some kinds; what comes back unsubscribes.

        At most `queue` events wait for it. Where there would be more the oldest is dropped, and `dropped` counts it.
        """
        wanted = (kinds,) if isinstance(kinds, type) else (Event,) if kinds is None else tuple(kinds)
        if not all(isinstance(kind, type) for kind in wanted):
            message = f"expected classes of events as kinds; found {wanted!r}"
            raise TypeError(message)
        if queue < 1:
            message = f"expected a queue of at least 1 event; found {queue}"
            raise ValueError(message)
        subscription = (InLoop if is_async(callback) else InThread)(self, callback, wanted, queue)
        with self.lock:
            self._find_loop()
            if self._closed:
                subscription.stop()
            else:
                self._subscriptions = (*self._subscriptions, subscription)
        return subscription

    def unsubscribe(self, subscription: Subscription) -> None:
        """End a subscription, which may have ended already."""
        with self.lock:
            subscription.stop()
            self._subscriptions = tuple([one for one in self._subscriptions if one is not subscription])
            self.settled()

    def publish(self, event: Event) -> None:
        """Tell an event to all who want it. Never waits and never raises; after `close` it does nothing."""
        with self.lock:
            self._find_loop()
            # The tuple is replaced, never changed: who comes or goes meanwhile does so from the next event on.
            for subscription in self._subscriptions:
                if subscription.wants(event):
                    subscription.put(event)

    async def drain(self, timeout: float | None = None) -> bool:  # noqa: ASYNC109 - running out is an answer, no error
        """Wait until nobody has anything left to do; False where the time ran out before.

        Not to be called by a subscriber, which would wait for itself.
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

    async def close(self, timeout: float = 0.0) -> None:  # noqa: ASYNC109 - as of drain
        """End all subscriptions, after as much time as is given for what still waits.

        Async subscribers at work are cancelled. A sync one can't be: its call ends when it ends, and no other begins.
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
            await asyncio.wait(here, timeout=CLOSING)

    # What follows is called by subscriptions.

    def call(self, function: Callable[[], object]) -> bool:
        """Have a function called in the event loop, from whatever thread; False where there is no loop."""
        loop = self._loop
        if loop is None:
            return False
        try:
            if loop is _running_loop():
                loop.call_soon(function)
            else:
                loop.call_soon_threadsafe(function)
        except RuntimeError:
            # It was closed.
            return False
        return True

    def failed(self, subscriber: str, event: Event, error: str) -> None:
        """Report that a subscriber raised. Who fails at the report too is not reported: it would go round for ever."""
        if not isinstance(event, SubscriberFailed):
            self.publish(SubscriberFailed(subscriber, event, error))

    def keep(self, task: asyncio.Task[None]) -> None:
        """Hold a task until it is done: the loop itself would forget it."""
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def settled(self) -> None:
        """Wake those that wait for quiet, if it is; the lock is held."""
        if self._waiters and self._is_quiet():
            for loop, quiet in self._waiters:
                with suppress(RuntimeError):
                    loop.call_soon_threadsafe(quiet.set)

    def _is_quiet(self) -> bool:
        with self.lock:
            return all(subscription.is_quiet for subscription in self._subscriptions)

    def _find_loop(self) -> None:
        """Take the running loop for async subscribers, where there is none yet or it is closed."""
        if self._loop is not None and not self._loop.is_closed():
            return
        loop = _running_loop()
        if loop is not None:
            self._loop = loop
            self._tasks.clear()
            for subscription in self._subscriptions:
                subscription.moved()


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None
