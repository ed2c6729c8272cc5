"""How clients reach the server over HTTP. It needs the SDK, which takes a second to load.

Every request needs the token, and the host and the origin are checked, so that no web page can use it: not
even one of another server on this machine, which has the same host and another port.
"""

from __future__ import annotations

import hmac
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import uvicorn
from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from ..agent.connection_limits import BACKLOG, ConnectionLimits, receive_in_time
from ..agent.local_server import stop_on_signals
from ..agent.own_host import LOOPBACK, is_own_host
from ..agent.server_end import LATEST, ServerEnd
from ..agent.server_log import limited_log
from .sdk_server import SESSION_NAME, SdkServer
from .server_limits import LARGEST_CLIENT_MESSAGE, MOST_SESSIONS

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Collection

    from .server_settings import ServerSettings

PATH = "/mcp"


async def run_http(
    settings: ServerSettings,
    listener: socket.socket,
    *,
    token: str,
    report: Callable[[str], object],
    host: str = "127.0.0.1",
    allowed_hosts: Collection[str] = (),
    state_key: str = "",
) -> None:
    """Serve any number of clients on a socket that listens, until a signal.

    `host` is the name that it listens on, and `allowed_hosts` are other names that lead to it. `report` is told errors
    of the server.
    """
    server = SdkServer(settings, state_key)
    limits = ConnectionLimits()
    names = [*LOOPBACK, host, *allowed_hosts]
    security = TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=[form for name in names for form in (name, f"{name}:*")],
        # The gate compares the ports as well, which can't be said here: a port may be forwarded.
        allowed_origins=[
            form
            for name in names
            for scheme in ("http", "https")
            for form in (f"{scheme}://{name}", f"{scheme}://{name}:*")
        ],
    )
    tools = server.server.streamable_http_app(
        streamable_http_path=PATH,
        transport_security=security,
        max_request_body_size=LARGEST_CLIENT_MESSAGE,
        session_idle_timeout=settings.session_timeout,
        max_sessions=MOST_SESSIONS,
    )
    app = ServerEnd(_Gate(tools, token, names, allowed_hosts, limits), limits)
    config = uvicorn.Config(
        app,
        http=limits.protocol(AutoHTTPProtocol),
        backlog=BACKLOG,
        log_config=None,
        log_level="warning",
        lifespan="on",
        timeout_graceful_shutdown=LATEST,
        proxy_headers=False,
        ws="none",
    )
    web: Any = uvicorn.Server(config)
    # The signals are handled here: uvicorn would raise them again at the end.
    web.capture_signals = nullcontext

    with limited_log(report) as log:

        def end() -> None:
            log.only_errors()
            app.start()
            web.should_exit = True

        with stop_on_signals(end):
            await web.serve(sockets=[listener])
    await server.close()


class _Gate:
    """Lets requests with the token through, and refuses those of other pages and what can't be the name of a session.

    A request has to be sent to one of the names of the server. Its origin has to be that address, or one of a host that
    was allowed.
    """

    def __init__(
        self, app: Any, token: str, names: Collection[str], allowed_hosts: Collection[str], limits: ConnectionLimits
    ) -> None:
        self._app = app
        self._header = f"Bearer {token}".encode()
        self._origins = {origin for host in allowed_hosts for origin in _origins(host)}
        self._names = {name.lower() for name in names}
        self._limits = limits

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        request = Request(scope)
        given = request.headers.get("authorization", "").encode("latin-1", "replace")
        if not hmac.compare_digest(given, self._header):
            await _refuse(401, "The token is missing or wrong.", scope, receive, send)
            return
        if not self._limits.admit(scope):
            await _refuse(503, "There are too many connections.", scope, receive, send)
            return
        try:
            names = request.query_params.getlist("session")
            if not is_own_host(request.headers.getlist("host"), self._names.__contains__):
                await _refuse(421, "This server answers to its own address only.", scope, receive, send)
            elif not self._is_own_origin(request):
                await _refuse(403, "Requests of other pages are refused.", scope, receive, send)
            elif names and not (len(names) == 1 and SESSION_NAME.fullmatch(names[0])):
                text = "A session has a name of letters, digits, '.', '_' and '-'."
                await _refuse(400, text, scope, receive, send)
            else:
                await self._app(scope, receive_in_time(receive), send)
        finally:
            self._limits.end_request(scope)

    def _is_own_origin(self, request: Request) -> bool:
        """Whether a request comes from no page, or from one of this server's own or of an allowed host."""
        own = _origins(request.headers.get("host", ""))
        return all(origin in own or origin in self._origins for origin in request.headers.getlist("origin"))


def _origins(host: str) -> tuple[str, str]:
    """The origins of a host, which may have a port."""
    return f"http://{host}", f"https://{host}"


async def _refuse(status: int, text: str, scope: Any, receive: Any, send: Any) -> None:
    headers = {"WWW-Authenticate": "Bearer"} if status == 401 else None
    await PlainTextResponse(text, status, headers)(scope, receive, send)
