"""The server on standard input and output: requests as tasks, and requests of its own to the client."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

from ..agent.local_server import stop_on_signals
from .request_seal import RequestSeal
from .server_limits import MOST_SECONDS_FOR_ROOTS
from .static_requests import INTERNAL_ERROR, ProtocolError, complete
from .stdio_wire import answer_at_once
from .tool_server import ToolServer

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from .questions import Form
    from .server_settings import ServerSettings
    from .static_requests import Peer, StaticRequests
    from .stdio_wire import Message, StdioWire

#: The first version in which a form says that it is one.
FORM_MODES = "2025-11-25"


def run_stdio(
    settings: ServerSettings,
    state_key: str,
    wire: StdioWire,
    static: StaticRequests,
    first: Message | ProtocolError | None,
) -> None:
    """Serve the rest of a connection, beginning with a message that came before this was loaded."""
    asyncio.run(_run(StdioServer(settings, state_key, wire, static), first))


async def _run(server: StdioServer, first: Message | ProtocolError | None) -> None:
    serving = asyncio.ensure_future(server.serve(first))
    with stop_on_signals(serving.cancel), suppress(asyncio.CancelledError):
        await serving
    await server.close()


class StdioServer:
    """One connection: the requests of the client that run, and those of the server that wait for an answer."""

    def __init__(self, settings: ServerSettings, state_key: str, wire: StdioWire, static: StaticRequests) -> None:
        self._tools = ToolServer(settings)
        self._wire = wire
        self._static = static
        self._seal = RequestSeal(state_key)
        #: The running requests by their ids, which are numbers or texts.
        self._running: dict[object, asyncio.Task[None]] = {}
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._asked = 0

    async def serve(self, first: Message | ProtocolError | None) -> None:
        """Answer messages until there are no more."""
        loop = asyncio.get_running_loop()
        messages: asyncio.Queue[Message | ProtocolError | None] = asyncio.Queue()
        self._wire.write_in_background()
        if first is not None:
            self._handle(first)
        self._wire.read_in_background(lambda message: _deliver(loop, messages, message))
        while (message := await messages.get()) is not None:
            self._handle(message)

    async def close(self) -> None:
        """End what still runs, then the sessions."""
        running = list(self._running.values())
        for task in running:
            task.cancel()
        if running:
            await asyncio.wait(running)
        await self._tools.close()
        self._wire.close()

    def _handle(self, message: Message | ProtocolError) -> None:
        if answer_at_once(self._wire, self._static, message) or isinstance(message, ProtocolError):
            return
        method, number, params = message.get("method"), message.get("id"), message.get("params", {})
        if method is None:
            self._take_answer(message)
        elif number is not None:
            self._running[number] = asyncio.ensure_future(self._answer(str(method), number, params))
        elif method == "notifications/cancelled":
            cancelled = params.get("requestId")
            task = None if isinstance(cancelled, dict | list) else self._running.get(cancelled)
            if task is not None:
                task.cancel()

    def _take_answer(self, message: Message) -> None:
        """Hand on the client's answer to a request of the server."""
        waiting = self._waiting.pop(message["id"], None) if isinstance(message.get("id"), int) else None
        if waiting is None or waiting.done():
            return
        if "error" in message:
            error = message["error"]
            text = error.get("message") if isinstance(error, dict) else ""
            waiting.set_exception(ProtocolError(INTERNAL_ERROR, str(text or "the client reports an error")))
        else:
            waiting.set_result(message.get("result"))

    async def _answer(self, method: str, number: object, params: Mapping[str, Any]) -> None:
        """Answer one request. A cancelled one has no answer."""
        try:
            peer = self._static.peer(method, params)
            if params.get("requestState") is not None:
                params = {**params, "requestState": self._seal.open(params["requestState"])}
            link = _StdioLink(self, peer, params.get("_meta"))
            result = await self._tools.answer(method, params, link)
            if "requestState" in result:
                result["requestState"] = self._seal.close(result["requestState"])
            reply = {"result": complete(result, peer, is_list=method.startswith("resources/"))}
        except ProtocolError as error:
            reply = {"error": error.fields}
        except Exception as error:  # noqa: BLE001 - the client gets an answer, and the connection goes on
            reply = {"error": {"code": INTERNAL_ERROR, "message": f"Unexpected error: {type(error).__name__}: {error}"}}
        finally:
            self._running.pop(number, None)
        self._wire.send({"id": number, **reply})

    async def request(self, method: str, params: Mapping[str, Any] | None = None) -> Any:
        """Ask the client, and wait for its answer.

        Raises:
            ProtocolError: the client reports an error.
        """
        self._asked += 1
        number = self._asked
        waiting = self._waiting[number] = asyncio.get_running_loop().create_future()
        self._wire.send({"id": number, "method": method, **({} if params is None else {"params": params})})
        try:
            return await waiting
        finally:
            self._waiting.pop(number, None)

    def notify(self, method: str, params: Mapping[str, Any]) -> None:
        """Tell the client something."""
        self._wire.send({"method": method, "params": params})


class _StdioLink:
    """The way back to the client for one request."""

    #: There is one client, so there is one session.
    key = "stdio"

    def __init__(self, server: StdioServer, peer: Peer, meta: object) -> None:
        self._server = server
        self.peer = peer
        self._token = meta.get("progressToken") if isinstance(meta, dict) else None

    async def roots(self) -> Sequence[str]:
        """The roots of the client; none where it has no roots, or does not tell."""
        if self.peer.is_stateless or "roots" not in self.peer.capabilities:
            return ()
        try:
            answer = await asyncio.wait_for(self._server.request("roots/list"), MOST_SECONDS_FOR_ROOTS)
        except (ProtocolError, TimeoutError):
            return ()
        roots = answer.get("roots") if isinstance(answer, dict) else ()
        return [str(root["uri"]) for root in roots or () if isinstance(root, dict) and "uri" in root]

    async def elicit(self, form: Form) -> tuple[str, Mapping[str, Any] | None]:
        """Show a form."""
        mode = {"mode": "form"} if self.peer.version >= FORM_MODES else {}
        params = {**mode, "message": form.message, "requestedSchema": dict(form.schema)}
        answer = await self._server.request("elicitation/create", params)
        if not isinstance(answer, dict):
            return "", None
        content = answer.get("content")
        return str(answer.get("action", "")), content if isinstance(content, dict) else None

    async def report_progress(self, step: int, message: str) -> None:
        """Tell the client that the call goes on, if it wants to know."""
        if self._token is not None:
            progress = {"progressToken": self._token, "progress": step, "message": message}
            self._server.notify("notifications/progress", progress)

    async def settle(self, task: asyncio.Future[Any]) -> None:
        """Wait for a task that was cancelled, also if the server ends meanwhile."""
        while not task.done():
            with suppress(asyncio.CancelledError):
                await asyncio.wait([task])


def _deliver(loop: asyncio.AbstractEventLoop, messages: asyncio.Queue[Any], message: object) -> None:
    """Put a message into the queue of an event loop, from another thread; the loop may have ended."""
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(messages.put_nowait, message)
