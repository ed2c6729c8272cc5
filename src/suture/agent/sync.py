"""A session for programs without asyncio: the same methods, but they block.

Each `SyncSession` has a thread of its own that runs the event loop of its session. Calls may come from any thread, also
at the same time. The thread ends with `close`, when the session is dropped, or when the program ends.
"""

from __future__ import annotations

import asyncio
import os
import threading
from functools import wraps
from weakref import finalize

from ..core.fork_lock import ForkLock
from ..core.system import wait_until
from .session import CLOSING, Session
from .tool_methods import BlockingToolMethods

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from types import TracebackType
    from typing import Any, Concatenate, ParamSpec, Self, TypeVar

    from ..workspace.workspace import Workspace

    P = ParamSpec("P")
    T = TypeVar("T")


def _blocking(
    method: Callable[Concatenate[Session, P], Coroutine[Any, Any, T]],
) -> Callable[Concatenate[SyncSession, P], T]:
    """The method of a session as one that waits for the result."""

    @wraps(method)
    def call(self: SyncSession, /, *arguments: P.args, **named: P.kwargs) -> T:
        return self.wait_for(method(self.session, *arguments, **named))

    return call


class SyncSession(BlockingToolMethods):
    """A `Session` whose methods block. It takes the same settings.

    `session` is the session itself. Use it only from its own event loop, except for its attributes and `tools`. A
    process that was forked needs a `SyncSession` of its own.
    """

    def __init__(self, workspace: Workspace, **settings: Any) -> None:  # noqa: ANN401 - those of `Session`
        self.session = Session(workspace, **settings)
        self.tools = self.session.tools
        self._process = os.getpid()
        self._lock = ForkLock()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=_run_loop, args=(self._loop,), name="suture: session", daemon=True)
        self._thread.start()
        # Neither the thread nor this callback knows the object, so it can be collected.
        self._stop = finalize(self, _stop_loop, self._loop, self._thread, self._process)

    apply_command = _blocking(Session.apply_command)
    read_raw = _blocking(Session.read_raw)
    call = _blocking(Session.call)
    preview = _blocking(Session.preview)
    start = _blocking(Session.start)
    resume = _blocking(Session.resume)

    def release(self, *paths: str) -> None:
        """Finish with files: see `Session.release`."""
        self.session.release(*paths)

    def wait_for(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine in the event loop of the session, and wait for its result.

        If waiting is interrupted, the coroutine is cancelled. A commit that has begun is completed first.

        Raises:
            RuntimeError: the session is closed, belongs to another process, or this is its own event loop.
        """
        tasks: list[asyncio.Task[T]] = []
        finished = threading.Event()

        def begin() -> None:
            tasks.append(self._loop.create_task(work))
            tasks[0].add_done_callback(lambda _: finished.set())

        with self._lock:
            reason = self._unusable()
            if reason:
                work.close()
                raise RuntimeError(reason)
            # In the context of the caller, so that a deadlock with a call on the same files is detected.
            self._loop.call_soon_threadsafe(begin)
        try:
            wait_until(finished.wait)
        except BaseException:
            # The task may not be there yet.
            self._loop.call_soon_threadsafe(lambda: tasks[0].cancel())  # noqa: PLW0108
            finished.wait(CLOSING)
            raise
        if tasks[0].cancelled():
            message = "the session was closed"
            raise RuntimeError(message)
        return tasks[0].result()

    def close(self) -> None:
        """End the session and its thread. The workspace stays open. Calls that run get a moment to finish."""
        if not self._stop.alive or self._process != os.getpid():
            return
        try:
            self.wait_for(self.session.close())
        except RuntimeError:
            # Another thread has closed it in the meantime.
            if self._stop.alive:
                raise
        with self._lock:
            self._stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _unusable(self) -> str:
        if self._process != os.getpid():
            return "the session belongs to another process: make one in this process, after the fork"
        if not self._stop.alive:
            return "the session is closed"
        if threading.current_thread() is self._thread:
            return "the session's own event loop can't wait for it: use the session itself there"
        return ""


def _run_loop(loop: asyncio.AbstractEventLoop) -> None:
    """Run a loop until it is stopped, and end what it runs then."""
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
        tasks = asyncio.all_tasks(loop)
        for task in tasks:
            task.cancel()
        loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.run_until_complete(loop.shutdown_default_executor())
    finally:
        loop.close()


def _stop_loop(loop: asyncio.AbstractEventLoop, thread: threading.Thread, process: int) -> None:
    """Stop a loop and wait for its thread. A forked process has no such thread, and must not touch the loop."""
    if process == os.getpid() and thread.is_alive():
        loop.call_soon_threadsafe(loop.stop)
        # The garbage collector may run in any thread.
        if threading.current_thread() is not thread:
            thread.join(CLOSING)
