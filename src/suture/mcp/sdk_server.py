"""The server for HTTP, where the SDK speaks the protocol: requests are passed on, results become the SDK's values."""

from __future__ import annotations

import asyncio
import os
import re
from typing import TYPE_CHECKING, Any

import anyio
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata

from .. import __version__
from .request_seal import STATE_TIMEOUT
from .server_limits import MOST_SECONDS_FOR_ROOTS
from .static_requests import NAME, Peer, ProtocolError, StaticRequests, instructions
from .tool_server import ToolServer

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .questions import Form
    from .server_settings import ServerSettings

#: What a session may be called in a URL.
SESSION_NAME = re.compile(r"[A-Za-z0-9._-]{1,100}")


class SdkServer:
    """A `ToolServer` behind the SDK. `state_key` seals pending calls; workers share it."""

    def __init__(self, settings: ServerSettings, state_key: str = "") -> None:
        self._tools = ToolServer(settings)
        self._static = StaticRequests(settings)
        handlers = {
            "on_list_tools": self._handler("tools/list", types.ListToolsResult),
            "on_call_tool": self._call_tool,
            "on_list_resources": self._handler("resources/list", types.ListResourcesResult),
            "on_list_resource_templates": self._handler("resources/templates/list", types.ListResourceTemplatesResult),
            "on_read_resource": self._handler("resources/read", types.ReadResourceResult),
            "on_list_prompts": self._handler("prompts/list", types.ListPromptsResult),
            "on_get_prompt": self._handler("prompts/get", types.GetPromptResult),
        }
        self.server: Any = Server(NAME, version=__version__, instructions=instructions(settings), **handlers)
        security: dict[str, Any] = {"ttl": STATE_TIMEOUT, "bind_principal": lambda ctx: session_key(ctx) or "none"}
        keys = [state_key] if state_key else [os.urandom(32)]
        sealed = RequestStateSecurity(keys=keys, **security)
        self.server.middleware.append(RequestStateBoundary(sealed, default_audience=NAME))

    def _handler(self, method: str, result_type: Any) -> Any:
        """A handler of the SDK for a request."""

        async def handle(ctx: Any, params: Any) -> Any:
            return result_type.model_validate(await self._answer(method, ctx, params))

        return handle

    async def _call_tool(self, ctx: Any, params: Any) -> Any:
        answer = await self._answer("tools/call", ctx, params)
        needs_input = answer.get("resultType") == "input_required"
        return (types.InputRequiredResult if needs_input else types.CallToolResult).model_validate(answer)

    async def _answer(self, method: str, ctx: Any, params: Any) -> Any:
        link = _HttpLink(ctx)
        given = {} if params is None else params.model_dump(mode="json", by_alias=True, exclude_none=True)
        # The era belongs to the request, and the SDK adds to a result what that era wants.
        known = self._static.answer(method, link.peer.replace(version="2025-11-25"))
        try:
            return known if known is not None else await self._tools.answer(method, given, link)
        except ProtocolError as error:
            raise MCPError(code=error.code, message=str(error), data=error.data) from error

    async def close(self) -> None:
        """End all sessions."""
        await self._tools.close()


class _HttpLink:
    """The way back to the client for one request."""

    def __init__(self, ctx: Any) -> None:
        self._ctx = ctx
        info = getattr(ctx.session.client_params, "client_info", None)
        given = ctx.session.client_capabilities
        capabilities = {} if given is None else given.model_dump(mode="json", by_alias=True, exclude_none=True)
        name, release = (str(getattr(info, field, "") or "") for field in ("name", "version"))
        self.peer = Peer(ctx.protocol_version, name, capabilities, release)
        self.key = session_key(ctx)

    async def roots(self) -> Sequence[str]:
        """The roots of the client; none where it has no roots, or does not tell."""
        if self.peer.is_stateless or "roots" not in self.peer.capabilities:
            return ()
        try:
            answer = await self._ctx.session.send_request(
                types.ListRootsRequest(),
                types.ListRootsResult,
                request_read_timeout_seconds=MOST_SECONDS_FOR_ROOTS,
                metadata=ServerMessageMetadata(related_request_id=self._ctx.request_id),
            )
        except MCPError:
            return ()
        return [str(root.uri) for root in answer.roots]

    async def elicit(self, form: Form) -> tuple[str, Mapping[str, Any] | None]:
        """Show a form."""
        answer = await self._ctx.session.elicit_form(form.message, dict(form.schema), self._ctx.request_id)
        return answer.action, answer.content

    async def report_progress(self, step: int, message: str) -> None:
        """Tell the client that the call goes on."""
        await self._ctx.session.report_progress(float(step), None, message)

    async def settle(self, task: asyncio.Future[Any]) -> None:
        """Wait for a task that was cancelled. The SDK cancels again and again until the call ends."""
        with anyio.CancelScope(shield=True):
            await asyncio.wait([task])


def session_key(ctx: Any) -> str | None:
    """What a client is known by: the name of a session in the URL, or the protocol's session id."""
    name = ctx.request.query_params.get("session")
    if name:
        return f"name {name}"
    protocol = ctx.request.headers.get("mcp-session-id")
    is_stateless = Peer(ctx.protocol_version, "", {}).is_stateless
    return f"id {protocol}" if protocol and not is_stateless else None
