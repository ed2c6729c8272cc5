"""`suture mcp`: serves the tools to clients of the Model Context Protocol."""

from __future__ import annotations

import os
from contextlib import suppress

from ..arguments import UsageError
from ..inputs import environment_durability

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from types import ModuleType

    from ...mcp.server_settings import ServerSettings
    from ..screen import Screen


def run(options: Namespace, screen: Screen) -> int:
    """Serve until the client is gone."""
    settings, key = _settings(options), _key()
    if options.http is None:
        return _serve_stdio(settings, key, screen)
    return _serve_http(options, settings, key, screen)


def _serve_stdio(settings: ServerSettings, key: str, screen: Screen) -> int:
    from ...mcp.stdio_start import serve_stdio

    if os.isatty(0):
        screen.error("suture mcp: waiting for a client on standard input; to set one up: suture install CLIENT")
    try:
        with suppress(KeyboardInterrupt):
            serve_stdio(settings, key)
    except OSError as error:
        message = f"standard input and output are needed: {error.strerror}"
        raise UsageError(message) from error
    return 0


def _serve_http(options: Namespace, settings: ServerSettings, key: str, screen: Screen) -> int:
    import asyncio

    from ...agent.local_server import listen

    (host, port), token = _address(options.http), _token(screen)
    transport = _http_transport()
    try:
        listener = listen(host, port)
    except OSError as error:
        message = f"cannot listen on {options.http}: {error.strerror or error}"
        raise UsageError(message) from error
    shown = f"[{host}]" if ":" in host else host
    screen.error(f"suture mcp: http://{shown}:{listener.getsockname()[1]}{transport.PATH}")
    serving = transport.run_http(
        settings,
        listener,
        token=token,
        report=screen.error,
        host=shown,
        allowed_hosts=options.allow_host,
        state_key=key,
    )
    asyncio.run(serving)
    return 0


def _http_transport() -> ModuleType:
    """The module that serves over HTTP. It imports the SDK, which takes a second."""
    try:
        from ...mcp import http_transport
    except ModuleNotFoundError as error:
        if (error.name or "suture").partition(".")[0] == "suture":
            raise
        message = f"--http needs the package {error.name}; install suture[mcp]"
        raise UsageError(message) from None
    return http_transport


def _key() -> str:
    key = os.environ.get("SUTURE_MCP_KEY", "")
    if key and len(key) < 32:
        message = "SUTURE_MCP_KEY must have at least 32 characters"
        raise UsageError(message)
    return key


def _settings(options: Namespace) -> ServerSettings:
    from ...mcp.server_settings import ServerSettings

    given = {
        "profile": options.profile,
        "approve": options.approve,
        "reads": options.reads,
        "durability": environment_durability(),
        "approvals": None if options.approvals is None else os.path.abspath(options.approvals),
        "approval_timeout": _seconds(options.approval_timeout, "--approval-timeout"),
        "session_timeout": _seconds(options.session_timeout, "--session-timeout"),
    }
    return ServerSettings(
        root=None if options.root is None else os.path.abspath(options.root),
        keep_always=options.keep_always,
        structured=options.structured,
        **{name: value for name, value in given.items() if value is not None},
    )


def _seconds(text: str | None, flag: str) -> float | None:
    if text is None:
        return None
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < 1e9:
        message = f"{flag} expects a number of seconds; found {text!r}"
        raise UsageError(message)
    return seconds


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
    from secrets import token_urlsafe

    token = token_urlsafe(32)
    screen.error(f"suture mcp: the token of this run is {token} (set SUTURE_MCP_TOKEN to keep one)")
    return token
