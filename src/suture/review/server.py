"""The server of `suture review`: the page, the events, and the routes of the HTTP API.

`gate` refuses requests that come neither from the page nor with the token.
"""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from pathlib import Path
from secrets import token_urlsafe
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from ..agent.connection_limits import ConnectionLimits
from ..agent.threads import in_thread
from .api_call import ApiCall, ApiCallError, handle_call, no_route
from .api_schema import api_schema
from .event_stream import EventStream
from .gate import EXCHANGE_PATH, Gate
from .history_routes import HistoryRoutes
from .inbox import Inbox, RefusedAnswerError
from .one_time_link import OneTimeCode
from .request_routes import RequestRoutes
from .syntax_colors import SyntaxColors

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.requests import Request as HttpRequest

    from .review_settings import ReviewSettings

STATIC = Path(__file__).parent / "static"
#: How often a review of one request looks whether that is closed, in seconds.
POLL = 0.2


class ReviewServer:
    """The routes. `token` is a new one by default."""

    def __init__(
        self,
        settings: ReviewSettings,
        *,
        token: str | None = None,
    ) -> None:
        self._inbox = Inbox(settings.approvals)
        self.settings = settings
        self.token = token_urlsafe(24) if token is None else token
        self.code = OneTimeCode()
        self.limits = ConnectionLimits()
        syntax = SyntaxColors()
        self._requests = RequestRoutes(self._inbox, syntax)
        self._history = HistoryRoutes(self._inbox, syntax, settings.root)
        self.events = EventStream(self._inbox, settings.approvals, [settings.root])

    def app(self) -> Gate:
        """The ASGI application."""
        routes = [
            Route("/api/openapi.json", handle_call(self._schema)),
            Route("/api/events", self._events),
            *self._requests.routes(),
            *self._history.routes(),
            Route(EXCHANGE_PATH, handle_call(self._exchange), methods=["POST"]),
            # Only what has no secret is compressed.
            Mount("/", GZipMiddleware(StaticFiles(directory=STATIC, html=True), minimum_size=500)),
        ]
        app = Starlette(routes=routes, lifespan=self._lifespan, exception_handlers={HTTPException: no_route})
        return Gate(app, self.token, self.settings.host, self.limits)

    def _exchange(self, call: ApiCall) -> object:
        code = call.body.get("code")
        if not isinstance(code, str) or not self.code.take(code):
            raise ApiCallError(403, "wrong_code", "This link was used before, or is too old.")
        return {"token": self.token}

    @asynccontextmanager
    async def _lifespan(self, _: Starlette) -> AsyncIterator[None]:
        watching = asyncio.ensure_future(self.events.run())
        try:
            yield
        finally:
            self.events.close()
            await in_thread(self._history.close)
            await watching

    async def _events(self, _: HttpRequest) -> Response:
        return StreamingResponse(self.events.listen(), media_type="text/event-stream")

    def _schema(self, _: ApiCall) -> object:
        return api_schema()

    async def wait_for_end(self) -> None:
        """Wait until the one request that this review is for is closed; for ever if it is for all."""
        while self.settings.request:
            try:
                await in_thread(self._inbox.item, self.settings.request)
            except RefusedAnswerError:
                return
            await asyncio.sleep(POLL)
        await asyncio.Event().wait()
