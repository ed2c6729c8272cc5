"""`suture mcp --http`: the tools for clients that come over HTTP."""

from __future__ import annotations

import asyncio
import os
from secrets import token_urlsafe

from ..agent.local_server import listen
from .arguments import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from types import ModuleType

    from ..mcp.server_settings import ServerSettings
    from .screen import Screen


def serve_http(options: Namespace, settings: ServerSettings, key: str, screen: Screen) -> int:
    """Serve clients over HTTP until a signal."""
    (host, port), token = _address(options.http), _token(screen)
    transport = _http_transport()
    try:
        listener = listen(host, port)
    except OSError as error:
        message = f"cannot listen on {options.http}: {error.strerror or error}"
        raise UsageError(message) from error
    url_host = f"[{host}]" if ":" in host else host
    screen.error(f"suture mcp: http://{url_host}:{listener.getsockname()[1]}{transport.PATH}")
    serving = transport.run_http(
        settings,
        listener,
        token=token,
        report=screen.error,
        host=url_host,
        allowed_hosts=options.allow_host,
        state_key=key,
    )
    asyncio.run(serving)
    return 0


def _http_transport() -> ModuleType:
    """The module that serves over HTTP. It imports the SDK, which takes a second."""
    try:
        from ..mcp import http_transport
    except ModuleNotFoundError as error:
        if (error.name or "suture").partition(".")[0] == "suture":
            raise
        message = f"--http needs the package {error.name}; install suture[mcp]"
        raise UsageError(message) from None
    return http_transport


def _address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not (port.isascii() and port.isdigit() and int(port) < 65536):
        message = f"--http expects HOST:PORT or :PORT; found {text!r}"
        raise UsageError(message)
    return host.removeprefix("[").removesuffix("]") or "127.0.0.1", int(port)


def _token(screen: Screen) -> str:
    """The token of the environment, or a new one, which is printed."""
    token = os.environ.get("SUTURE_MCP_TOKEN", "")
    if token:
        if len(token) < 16 or not token.isprintable() or not token.isascii() or " " in token:
            message = "SUTURE_MCP_TOKEN must have at least 16 ASCII characters and no spaces"
            raise UsageError(message)
        return token
    token = token_urlsafe(32)
    screen.error(f"suture mcp: the token of this run is {token} (set SUTURE_MCP_TOKEN to keep one)")
    return token
