"""Who is asked for permission: a protocol of one method, and the ready ones.

An approver waits for as long as it takes. Whoever asks it sees to time limits and cancels it; then the question has to
disappear. It never decides whether something has to be asked: that is the business of the rules.
"""

from __future__ import annotations

import asyncio
import threading
from contextlib import suppress
from contextvars import copy_context

from ..core.callbacks import is_async
from .answers import Answer
from .approval_folder import ApprovalFolder, NotPendingError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import AsyncIterator, Awaitable, Callable
    from typing import Protocol

    from .requests import Request
else:
    Protocol = object

#: How many requests that are not open any more are remembered, to tell a late answer what became of them.
_REMEMBERED = 1000


class Approver(Protocol):
    """Somebody who can be asked."""

    async def ask(self, request: Request) -> Answer:
        """Wait for the answer. Cancelled, the question is taken back. An error counts as a refusal."""
        raise NotImplementedError


class AllowAll:
    """Says yes to everything that the rules don't deny."""

    async def ask(self, request: Request) -> Answer:  # noqa: ARG002 - whatever it is
        """Yes."""
        return Answer.once()


class DenyAll:
    """Says no to everything that the rules don't allow, with a message for the model."""

    def __init__(self, message: str = "") -> None:
        self.message = message

    async def ask(self, request: Request) -> Answer:  # noqa: ARG002 - whatever it is
        """No."""
        return Answer.reject(self.message)


class Callback:
    """Asks a function. An async one runs in the event loop, a sync one in a thread of its own, so that it may wait."""

    def __init__(self, function: Callable[[Request], Answer | Awaitable[Answer]]) -> None:
        self._function = function

    async def ask(self, request: Request) -> Answer:
        """What the function answers. A thread can't be cancelled: what it says later is not heard."""
        if is_async(self._function):
            answer = self._function(request)
        else:
            answer = await _in_thread(self._function, request)
        return answer if isinstance(answer, Answer) else await answer


async def _in_thread(
    function: Callable[[Request], Answer | Awaitable[Answer]], request: Request
) -> Answer | Awaitable[Answer]:
    """Call a function in a thread that doesn't keep the program from ending, as one of the loop's pool would."""
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
            future.set_exception(TypeError("the function has answered nothing"))

    def call() -> None:
        answer, failure = None, None
        try:
            answer = function(request)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - it is raised where it was called
            # One that only ends the thread would leave the question open for ever.
            failure = RuntimeError("it wanted to exit") if isinstance(error, SystemExit) else error
        # The loop may be closed by now.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(settle, answer, failure)

    # In the context of the call that asks, so that a call of its own on the same files can be told from others.
    threading.Thread(target=copy_context().run, args=(call,), name="suture: approver", daemon=True).start()
    return await future


class ApprovalQueue:
    """Holds open requests until somebody answers: another task, another thread, or with a folder another process.

    Tasks of the same program iterate over it, or look at `pending` when an event says so, and call `reply`. Another
    process opens the same folder as an `ApprovalFolder` and calls `pending` and `reply` there.
    """

    def __init__(self, folder: ApprovalFolder | str | os.PathLike[str] | None = None) -> None:
        self.folder = folder if folder is None or isinstance(folder, ApprovalFolder) else ApprovalFolder(folder)
        self._lock = threading.Lock()
        self._open: dict[str, tuple[Request, asyncio.Future[Answer]]] = {}
        #: What became of requests that are not open any more, the oldest first.
        self._ended: dict[str, str] = {}
        self._listeners: list[asyncio.Queue[Request | None]] = []
        self._closed = False

    async def ask(self, request: Request) -> Answer:
        """Hold a request until its answer comes.

        Raises:
            ValueError: a request of this id is open already, or the queue is closed.
        """
        future: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        with self._lock:
            if self._closed or request.id in self._open:
                message = "the queue is closed" if self._closed else f"the request {request.id} is open already"
                raise ValueError(message)
            self._open[request.id] = (request, future)
        try:
            if self.folder is not None:
                self.folder.put(request)
            for listener in self._listeners:
                listener.put_nowait(request)
            return await self._answered(request, future)
        finally:
            self._end(request.id, "withdrawn by whoever asked")
            if self.folder is not None:
                self.folder.withdraw(request)

    def pending(self) -> tuple[Request, ...]:
        """The open requests, the oldest first."""
        with self._lock:
            return tuple([request for request, _ in self._open.values()])

    def reply(self, request_id: str, answer: Answer) -> None:
        """Answer a request, from any task or thread. The first answer counts.

        Raises:
            NotPendingError: the request is not open, and what became of it.
            ValueError: it is no answer to this request.
        """
        with self._lock:
            request, future = self._open.get(request_id, (None, None))
        if request is None or future is None:
            became = self._ended.get(request_id)
            message = f"the request {request_id} is not open: it was {became or 'never there, or long ago'}"
            raise NotPendingError(message)
        answer.check(request)
        if not self._end(request_id, "answered"):
            self.reply(request_id, answer)
            return
        try:
            future.get_loop().call_soon_threadsafe(_settle, future, answer)
        except RuntimeError:
            message = f"the request {request_id} is not open: its event loop is closed"
            raise NotPendingError(message) from None

    async def __aiter__(self) -> AsyncIterator[Request]:
        """The open requests and those that come, until the queue is closed; not those that ended meanwhile."""
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
        """Reject everything that is open, take nothing more, and end all iterations. Called in the event loop."""
        self._closed = True
        for request in self.pending():
            with suppress(NotPendingError):
                self.reply(request.id, Answer.reject(message))
        for listener in self._listeners:
            listener.put_nowait(None)

    async def _answered(self, request: Request, future: asyncio.Future[Answer]) -> Answer:
        folder = self.folder
        if folder is None:
            return await future
        while True:
            await asyncio.wait([future], timeout=folder.poll)
            if future.done():
                return future.result()
            answer = folder.answer(request)
            if answer is not None and self._end(request.id, "answered"):
                return answer

    def _end(self, request_id: str, became: str) -> bool:
        """Take a request out of those that are open; False where somebody has done so before."""
        with self._lock:
            if self._open.pop(request_id, None) is None:
                return False
            self._ended[request_id] = became
            if len(self._ended) > _REMEMBERED:
                del self._ended[next(iter(self._ended))]
            return True


def _settle(future: asyncio.Future[Answer], answer: Answer) -> None:
    # Its caller may be gone.
    if not future.done():
        future.set_result(answer)
