"""Approvers answer requests for permission: a protocol with one method, and ready-made ones.

An approver may wait as long as it likes. The session sets the time limit and cancels it; the question must disappear
then. Whether an approval is needed is decided by the rules, not here.
"""

from __future__ import annotations

import asyncio
import os
import threading
from contextlib import suppress
from contextvars import copy_context

from ..core.callbacks import is_async
from ..core.fork_lock import ForkLock
from ..state.approval_requests import NotPendingError
from ..state.state_folder import approvals_path
from .agent_limits import MOST_CLOSED_REQUESTS
from .answers import Answer
from .approval_folder import ApprovalFolder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable
    from typing import Protocol, Self

    from .requests import Request
else:
    Protocol = object


class Approver(Protocol):
    """Answers requests."""

    async def ask(self, request: Request) -> Answer:
        """Wait for the answer. If cancelled, withdraw the question. An exception counts as a rejection."""
        raise NotImplementedError


class AllowAll:
    """Approves everything that the rules don't deny."""

    async def ask(self, request: Request) -> Answer:  # noqa: ARG002 - whatever it is
        """Yes."""
        return Answer.once()


class DenyAll:
    """Rejects everything that the rules don't allow, with a message for the model."""

    def __init__(self, message: str = "") -> None:
        self.message = message

    async def ask(self, request: Request) -> Answer:  # noqa: ARG002 - whatever it is
        """No."""
        return Answer.decline(self.message)


class Callback:
    """Asks a function. An async function runs in the event loop, a sync function in a thread, so that it may block."""

    def __init__(self, function: Callable[[Request], Answer | Awaitable[Answer]]) -> None:
        self._function = function

    async def ask(self, request: Request) -> Answer:
        """The answer of the function. A thread can't be cancelled: a late answer is ignored."""
        if is_async(self._function):
            answer = self._function(request)
        else:
            answer = await _in_thread(self._function, request)
        return answer if isinstance(answer, Answer) else await answer


async def _in_thread(
    function: Callable[[Request], Answer | Awaitable[Answer]], request: Request
) -> Answer | Awaitable[Answer]:
    """Call a function in a daemon thread. One from the loop's pool would keep the program from ending."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Answer | Awaitable[Answer]] = loop.create_future()

    def settle(answer: Answer | Awaitable[Answer] | None, error: BaseException | None) -> None:
        if future.done():
            return
        if error is not None:
            future.set_exception(error)
        elif answer is not None:
            future.set_result(answer)
        else:
            future.set_exception(TypeError("the function returned None"))

    def call() -> None:
        answer, failure = None, None
        try:
            answer = function(request)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - it is raised where it was called
            # SystemExit would only end the thread and leave the question open forever.
            failure = RuntimeError("it tried to exit") if isinstance(error, SystemExit) else error
            if isinstance(error, StopIteration):
                # A future can't have it, and would never be done.
                failure = RuntimeError("it raised StopIteration")
        # The loop may be closed by now.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(settle, answer, failure)

    # In the context of the call that asks, so that a deadlock with it on the same files is detected.
    threading.Thread(target=copy_context().run, args=(call,), name="suture: approver", daemon=True).start()
    return await future


class ApprovalQueue:
    """Holds requests until they are answered: by another task, another thread, or with a folder by another process.

    Tasks of the same program iterate over it, or call `pending` after an event, and then `reply`. Another process opens
    the same folder as an `ApprovalFolder` and calls `pending` and `reply` there.
    """

    def __init__(self, folder: ApprovalFolder | str | os.PathLike[str] | None = None) -> None:
        self.folder = folder if folder is None or isinstance(folder, ApprovalFolder) else ApprovalFolder(folder)
        self._lock = ForkLock()
        self._open: dict[str, tuple[Request, asyncio.Future[Answer]]] = {}
        #: What became of closed requests, oldest first.
        self._closed_requests: dict[str, str] = {}
        self._listeners: list[asyncio.Queue[Request | None]] = []
        self._closed = False

    @classmethod
    def for_workspace(cls, root: str | os.PathLike[str]) -> Self:
        """The queue of a workspace, whose requests `suture review` shows together with those of all others."""
        return cls(approvals_path(os.fspath(root)))

    async def ask(self, request: Request) -> Answer:
        """Hold a request until it is answered.

        Raises:
            ValueError: a request with this id is already pending, or the queue is closed.
        """
        future: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        with self._lock:
            if self._closed or request.id in self._open:
                message = "the queue is closed" if self._closed else f"the request {request.id} is already pending"
                raise ValueError(message)
            self._open[request.id] = (request, future)
        answer = None
        try:
            if self.folder is not None:
                self.folder.put(request)
            for listener in self._listeners:
                listener.put_nowait(request)
            answer = await self._wait_for_answer(request, future)
            return answer
        finally:
            self._close_request(request.id, "withdrawn by the caller")
            if self.folder is not None:
                self.folder.withdraw(request, answer)

    def pending(self) -> tuple[Request, ...]:
        """The pending requests, oldest first."""
        with self._lock:
            return tuple([request for request, _ in self._open.values()])

    def reply(self, request_id: str, answer: Answer) -> None:
        """Answer a request, from any task or thread. The first answer counts.

        Raises:
            NotPendingError: the request is not pending; the message says what became of it.
            ValueError: it does not answer this request.
        """
        with self._lock:
            request, future = self._open.get(request_id, (None, None))
        if request is None or future is None:
            became = self._closed_requests.get(request_id)
            message = f"the request {request_id} is not pending: it was {became or 'never made, or long ago'}"
            raise NotPendingError(message)
        answer.check(request)
        if not self._close_request(request_id, "answered"):
            # Another thread has closed it since: the same call says what became of it.
            self.reply(request_id, answer)
            return
        try:
            future.get_loop().call_soon_threadsafe(_settle, future, answer)
        except RuntimeError:
            message = f"the request {request_id} is not pending: its event loop is closed"
            raise NotPendingError(message) from None

    async def __aiter__(self) -> AsyncIterator[Request]:
        """The pending requests and new ones, until the queue is closed. Requests that were closed are skipped."""
        listener: asyncio.Queue[Request | None] = asyncio.Queue()
        for request in self.pending():
            listener.put_nowait(request)
        if self._closed:
            listener.put_nowait(None)
        self._listeners.append(listener)
        try:
            while (request_or_end := await listener.get()) is not None:
                if request_or_end.id in self._open:
                    yield request_or_end
        finally:
            self._listeners.remove(listener)

    def close(self, message: str = "") -> None:
        """Close all pending requests as unreachable, accept no new ones, and end all iterations.

        Call it in the event loop.
        """
        self._closed = True
        for request in self.pending():
            with suppress(NotPendingError):
                self.reply(request.id, Answer.unreachable(message or "the queue was closed"))
        for listener in self._listeners:
            listener.put_nowait(None)

    async def _wait_for_answer(self, request: Request, future: asyncio.Future[Answer]) -> Answer:
        """The answer to a request: from this process, or from the folder in which other processes put theirs."""
        folder = self.folder
        if folder is None:
            return await future
        loop = asyncio.get_running_loop()
        timer: asyncio.TimerHandle | None = None

        def look() -> None:
            """Look for an answer in the folder. A timer costs a tenth of a task that waits, and there may be many."""
            nonlocal timer
            answer = None
            try:
                answer = folder.answer(request)
            except Exception as error:  # noqa: BLE001 - it is raised where it is waited for
                if not future.done():
                    future.set_exception(error)
            if answer is not None and self._close_request(request.id, "answered"):
                _settle(future, answer)
            timer = loop.call_later(folder.poll, look)

        timer = loop.call_later(folder.poll, look)
        try:
            return await future
        finally:
            timer.cancel()

    def _close_request(self, request_id: str, became: str) -> bool:
        """Close a request; False if it was closed before."""
        with self._lock:
            if self._open.pop(request_id, None) is None:
                return False
            self._closed_requests[request_id] = became
            if len(self._closed_requests) > MOST_CLOSED_REQUESTS:
                del self._closed_requests[next(iter(self._closed_requests))]
            return True


def _settle(future: asyncio.Future[Answer], answer: Answer) -> None:
    # The caller may be gone.
    if not future.done():
        future.set_result(answer)
