"""The beginning of a server on standard input and output, which loads as little as possible.

It answers what needs no workspace, above all the list of tools. The rest is loaded when the tools have been listed, or
when something else is asked for: by then the client talks to its model.
"""

from __future__ import annotations

from .static_requests import StaticRequests
from .stdio_wire import StdioWire, answer_at_once

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .server_settings import ServerSettings


def serve_stdio(settings: ServerSettings, state_key: str) -> None:
    """Serve one client until it closes standard input, or until a signal.

    Raises:
        OSError: standard input or output is closed.
    """
    wire = StdioWire()
    static = StaticRequests(settings)
    unanswered = None
    while unanswered is None:
        message = wire.receive()
        if message is None:
            return
        if not answer_at_once(wire, static, message):
            unanswered = message
        elif isinstance(message, dict) and message.get("method") == "tools/list":
            break
    from .stdio_server import run_stdio

    run_stdio(settings, state_key, wire, static, unanswered)
