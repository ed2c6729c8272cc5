"""The end of a server: requests that are still running get a moment, then their connections are closed.

The package that serves would cancel them instead, and report each as an error with a traceback.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from typing import TypeAlias

    from .connection_limits import ConnectionLimits, Receive, Scope

    Send: TypeAlias = Callable[[Scope], Awaitable[None]]
    #: An ASGI application.
    App: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

#: How many seconds requests with the token have to end. Those of strangers are ended at once.
SECONDS = 2.0
#: When the package that serves would end requests itself, in seconds: later, so that it has nothing to do.
LATEST = 10


class ServerEnd:
    """Ends the requests of a server; an ASGI application around another."""

    def __init__(self, app: App, limits: ConnectionLimits) -> None:
        self._app = app
        self._limits = limits
        self._requests: set[asyncio.Task[object]] = set()
        self._is_ending = False

    def start(self) -> None:
        """End all requests, within seconds."""
        if not self._is_ending:
            self._is_ending = True
            self._limits.close_all(strangers_only=True)
            asyncio.get_running_loop().call_later(SECONDS, self._end_requests)

    def _end_requests(self) -> None:
        self._limits.close_all()
        # The connections are lost in the next round of the loop. After that, no answer is expected of a request.
        asyncio.get_running_loop().call_soon(self._cancel_requests)

    def _cancel_requests(self) -> None:
        for request in self._requests:
            request.cancel()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on. If it is cancelled at the end, it has just ended."""
        task = asyncio.current_task()
        if scope["type"] != "http" or task is None:
            await self._app(scope, receive, send)
            return
        self._requests.add(task)
        try:
            await self._app(scope, receive, send)
        except asyncio.CancelledError:
            if not self._is_ending:
                raise
        finally:
            self._requests.discard(task)
