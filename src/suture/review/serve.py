"""Serves the page of `suture review`, and tells the user how to open it.

It listens on this machine unless told otherwise.
"""

from __future__ import annotations

import asyncio
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

import uvicorn
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from ..agent.connection_limits import BACKLOG
from ..agent.local_server import listen, stop_on_signals
from ..agent.server_end import LATEST, ServerEnd
from ..agent.server_log import limited_log
from .one_time_link import opened_in_browser
from .server import ReviewServer

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Iterator

    from .review_settings import ReviewSettings


def serve(settings: ReviewSettings, report: Callable[[str], object]) -> int:
    """Serve the page until a signal, or until the request that it is for is closed; the exit status.

    `report` is told the address, the token, which is new for each run, and errors of the server.

    Raises:
        OSError: the address is wrong or in use.
    """
    server = ReviewServer(settings)
    with listen(settings.host, settings.port) as listener, announced(server, listener, report):
        asyncio.run(run_server(server, listener, report))
    return 0


@contextmanager
def announced(server: ReviewServer, listener: socket.socket, report: Callable[[str], object]) -> Iterator[None]:
    """Tell the user where the page is, and open it if the settings say so."""
    request = server.settings.request
    report(f"Review at {_page_address(listener)}" + (f"#/requests/{request}" if request else ""))
    report(f"Token for this page, until this program ends: {server.token}")
    with opened_in_browser(link(server, listener)) if server.settings.opens_browser else nullcontext():
        yield


def link(server: ReviewServer, listener: socket.socket) -> str:
    """An address that opens the page once, without the token. Browsers never send what comes after `#`."""
    request = server.settings.request
    return f"{_page_address(listener)}#code={server.code.renew()}" + (f"&request={request}" if request else "")


def _page_address(listener: socket.socket) -> str:
    """The address of the page."""
    host, port = listener.getsockname()[:2]
    local = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - it is replaced
    url_host = f"[{local}]" if ":" in local else local
    return f"http://{url_host}:{port}/"


async def run_server(
    server: ReviewServer,
    listener: socket.socket,
    report: Callable[[str], object],
    stop: asyncio.Event | None = None,
) -> None:
    """Serve until a signal, until `stop` is set, or until the request that it is for is closed.

    With `stop`, signals are left to the caller.
    """
    app = ServerEnd(server.app(), server.limits)
    config = uvicorn.Config(
        app,
        http=server.limits.protocol(AutoHTTPProtocol),
        backlog=BACKLOG,
        log_config=None,
        log_level="warning",
        lifespan="on",
        timeout_graceful_shutdown=LATEST,
        server_header=False,
        proxy_headers=False,
        ws="none",
    )
    web: Any = uvicorn.Server(config)
    # Uvicorn would raise the signals again at the end.
    web.capture_signals = nullcontext

    def end() -> None:
        server.events.close()
        app.start()
        web.should_exit = True

    ends: list[asyncio.Future[Any]] = [asyncio.ensure_future(server.wait_for_end())]
    if stop is not None:
        ends.append(asyncio.ensure_future(stop.wait()))
    for one in ends:
        one.add_done_callback(lambda _: end())
    with limited_log(report), nullcontext() if stop is not None else stop_on_signals(end):
        await web.serve(sockets=[listener])
    for one in ends:
        one.cancel()
    await asyncio.gather(*ends, return_exceptions=True)
