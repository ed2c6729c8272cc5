"""`suture mcp`: serves the tools to clients of the Model Context Protocol."""

from __future__ import annotations

import os
from contextlib import suppress

from ...mcp.server_settings import ServerSettings
from ...mcp.stdio_start import serve_stdio
from ..arguments import UsageError
from ..environment import environment_durability

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

    from ..screen import Screen


def run(options: Namespace, screen: Screen) -> int:
    """Serve until the client is gone."""
    settings, key = _settings(options), _key()
    if options.http is None:
        return _serve_stdio(settings, key, screen)
    from ..mcp_over_http import serve_http

    return serve_http(options, settings, key, screen)


def _serve_stdio(settings: ServerSettings, key: str, screen: Screen) -> int:
    if os.isatty(0):
        screen.error("suture mcp: waiting for a client on standard input; to set one up: suture install CLIENT")
    try:
        with suppress(KeyboardInterrupt):
            serve_stdio(settings, key)
    except OSError as error:
        message = f"standard input and output are needed: {error.strerror}"
        raise UsageError(message) from error
    return 0


def _key() -> str:
    key = os.environ.get("SUTURE_MCP_KEY", "")
    if key and len(key) < 32:
        message = "SUTURE_MCP_KEY must have at least 32 characters"
        raise UsageError(message)
    return key


def _settings(options: Namespace) -> ServerSettings:
    given = {
        "profile": options.profile,
        "approve": options.approve,
        "reads": options.reads,
        "durability": environment_durability(),
        "approvals": None if options.approvals is None else os.path.abspath(options.approvals),
        "approval_timeout": _seconds(options.approval_timeout, "--approval-timeout"),
        "claims": _seconds(options.claims, "--claims"),
        "session_timeout": _seconds(options.session_timeout, "--session-timeout"),
    }
    return ServerSettings(
        root=None if options.root is None else os.path.abspath(options.root),
        keep_always=options.keep_always,
        isolated=options.isolated,
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
