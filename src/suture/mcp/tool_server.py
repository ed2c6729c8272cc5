"""The server: it lists the tools of a profile, runs calls, and asks for approvals.

A call runs until it ends or somebody has to be asked. How the question reaches a person depends on the client's version
of the protocol. Up to 2025-11-25 the server sends a request and the call waits. From 2026-07-28 on the call ends, and
the client sends it again with the answer and with the pending call, which is sealed. Both use the same `Pending`, so an
approval only counts for exactly what was shown.
"""

from __future__ import annotations

import asyncio
import re
from contextlib import suppress
from os import urandom
from typing import TYPE_CHECKING, Any

import anyio
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from .. import __version__
from ..agent.answers import Answer
from ..agent.approvers import ApprovalQueue
from ..agent.pending import Pending
from ..agent.profiles import profile_named
from ..agent.result import error_result
from ..agent.tool_styles import definitions
from ..core.display import safe_text
from ..core.problems import PatchRejectedError, Problem, SutureError
from ..state.state_folder import approvals_path
from .history_resources import HistoryResources
from .questions import answer_of, form_of
from .session_pool import SessionPool

if TYPE_CHECKING:
    from collections.abc import Coroutine, Sequence

    from ..agent.result import Result
    from .questions import Form
    from .server_settings import ServerSettings
    from .session_pool import ClientSession

NAME = "suture"
#: How often one call may ask: for a directory outside, for reading, for the edit, and again after a typing error.
MOST_ROUNDS = 8
#: How long a client may take to list its roots, in seconds.
ROOTS_TIMEOUT = 10.0
#: How long a question can be answered after its call has ended, in seconds (2026-07-28).
STATE_TIMEOUT = 3600.0
#: What a session may be called in a URL.
SESSION_NAME = re.compile(r"[A-Za-z0-9._-]{1,100}")


class ToolServer:
    """The tools of a profile for any number of clients. `state_key` seals pending calls; workers share it."""

    def __init__(self, settings: ServerSettings, state_key: str = "") -> None:
        self.settings = settings
        self.pool = SessionPool(settings)
        self._queue_of: dict[str, ApprovalQueue] = {}
        history = HistoryResources(self.session)
        self.server: Any = Server(
            NAME,
            version=__version__,
            instructions=_instructions(settings.profile),
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_resources=history.list_resources,
            on_list_resource_templates=history.list_templates,
            on_read_resource=history.read_resource,
            on_list_prompts=history.list_prompts,
            on_get_prompt=history.get_prompt,
        )
        security: dict[str, Any] = {"ttl": STATE_TIMEOUT, "bind_principal": lambda ctx: session_key(ctx) or "none"}
        keys = [state_key] if state_key else [_random_key()]
        sealed = RequestStateSecurity(keys=keys, **security)
        self.server.middleware.append(RequestStateBoundary(sealed, default_audience=NAME))

    def session(self, ctx: Any) -> Any:
        """The session that a request belongs to."""
        info = getattr(ctx.session.client_params, "client_info", None)
        actor = safe_text(str(getattr(info, "name", "") or "mcp"))[:60]
        return self.pool.session(session_key(ctx), actor, lambda: _client_roots(ctx))

    async def _list_tools(self, ctx: Any, params: Any) -> Any:
        tools = definitions(profile_named(self.settings.profile), "mcp")
        return types.ListToolsResult(tools=[types.Tool.model_validate(tool) for tool in tools])

    async def _call_tool(self, ctx: Any, params: Any) -> Any:
        try:
            async with self.session(ctx) as client:
                return await _ClientCall(self, ctx, client).run(params)
        except SutureError as error:
            return self.result(error_result(params.name, error))

    def result(self, result: Result) -> Any:
        """The answer of a tool as a client gets it: text for the model, details beside it."""
        details = {"suture/title": result.title, "suture/metadata": dict(result.metadata)}
        structured = {"title": result.title, "output": result.output, **result.metadata}
        return types.CallToolResult.model_validate(
            {
                "content": [types.TextContent(type="text", text=result.output)],
                "structuredContent": structured if self.settings.structured else None,
                "isError": result.is_error,
                "_meta": details,
            }
        )

    def queue(self, client: ClientSession) -> ApprovalQueue:
        """The queue in which other processes find the requests of a session."""
        workspace = client.session.workspace
        path = self.settings.approvals or approvals_path(workspace.root)
        if path not in self._queue_of:
            self._queue_of[path] = ApprovalQueue(path)
        queue = self._queue_of[path]
        assert queue.folder is not None, "BUG: a queue for other processes has a folder"
        try:
            queue.folder.check_outside(workspace.files.roots)
        except ValueError as error:
            message = f"{error}."
            raise PatchRejectedError(
                [Problem("rejected", message, hint="Start the server with --approvals.")]
            ) from None
        return queue

    async def close(self) -> None:
        """End all sessions."""
        await self.pool.close()


class _ClientCall:
    """One call of a tool."""

    def __init__(self, server: ToolServer, ctx: Any, client: ClientSession) -> None:
        self._server = server
        self._ctx = ctx
        self._client = client
        self._session = client.session
        self._steps = 0
        self._asks_by_ending = server.settings.approve == "elicit" and ctx.protocol_version in MODERN_PROTOCOL_VERSIONS

    async def run(self, params: Any) -> Any:
        """Run a call to its end, or to a question that ends it."""
        outcome: Result | Pending
        if params.request_state is not None:
            pending = Pending.from_json(params.request_state)
            try:
                answer = _response_answer((params.input_responses or {}).get("approval"), pending)
            except ValueError as fault:
                return _input_required(pending, form_of(pending.request, str(fault)))
            outcome = await self._step("Applying", self._session.resume(pending, answer))
        else:
            step = self._session.start(params.name, params.arguments or {})
            outcome = await self._step(f"Planning {safe_text(params.name)}", step)
        for _ in range(MOST_ROUNDS):
            if not isinstance(outcome, Pending):
                return self._server.result(outcome)
            if self._asks_by_ending and _can_elicit(self._ctx):
                return _input_required(outcome, form_of(outcome.request))
            try:
                waiting = await self._answer(outcome)
            except (asyncio.CancelledError, SutureError):
                self._session.permissions.withdraw(outcome.request, "cancelled")
                raise
            if waiting is None:
                self._session.permissions.withdraw(outcome.request, "timeout")
                return self._server.result(_still_open(outcome, self._server.settings.approval_timeout))
            outcome = await self._step("Applying", self._session.resume(outcome, waiting))
        error = PatchRejectedError(
            [Problem("stale_file", "The files keep changing while the call waits for approvals.")]
        )
        return self._server.result(error_result(params.name, error))

    async def _answer(self, pending: Pending) -> Answer | None:
        """The answer to a question, or None if it takes too long. The question stays open then, also if cancelled."""
        settings = self._server.settings
        if settings.approve == "client":
            return Answer.once()
        question = self._client.ask(pending.fingerprint, lambda: self._ask(pending))
        message = f"Waiting for an approval: {safe_text(pending.request.subject)}"
        if not await self._wait(question, message, settings.approval_timeout):
            return None
        self._client.questions.pop(pending.fingerprint, None)
        return _answer_of_task(question)

    async def _ask(self, pending: Pending) -> Answer:
        if self._server.settings.approve == "queue":
            return await self._server.queue(self._client).ask(pending.request)
        if not _can_elicit(self._ctx):
            return Answer.unreachable(
                "the client can't ask; the user can start the server with --approve client or queue"
            )
        fault = ""
        for _ in range(MOST_ROUNDS):
            form = form_of(pending.request, fault)
            found = await self._ctx.session.elicit_form(form.message, dict(form.schema), self._ctx.request_id)
            try:
                return answer_of(found.action, found.content, pending.request)
            except ValueError as error:
                fault = str(error)
        return Answer.unreachable("the answers could not be read")

    async def _step(self, message: str, call: Coroutine[Any, Any, Result | Pending]) -> Result | Pending:
        """Run a step of the call. If the call is cancelled, so is the step, but a write that has begun is completed.

        The SDK cancels again and again until a task ends, which a step must not see.
        """
        task = asyncio.ensure_future(call)
        try:
            await self._wait(task, message)
        except BaseException:
            task.cancel()
            with anyio.CancelScope(shield=True):
                await asyncio.wait([task])
            with suppress(asyncio.CancelledError):
                task.exception()
            raise
        return task.result()

    async def _wait(self, task: asyncio.Future[Any], message: str, seconds: float = 1e9) -> bool:
        """Wait for a task at most so long, and report progress meanwhile; whether the task is done."""
        while not task.done() and seconds > 0:
            self._steps += 1
            await self._ctx.session.report_progress(float(self._steps), None, message)
            beat = min(self._server.settings.heartbeat, seconds)
            await asyncio.wait([task], timeout=beat)
            seconds -= beat
        return task.done()


def session_key(ctx: Any) -> str | None:
    """What a client is known by: its connection, the name of a session in the URL, or the protocol's session id."""
    request = ctx.request
    if request is None:
        return "stdio"
    name = request.query_params.get("session")
    if name:
        return f"name {name}"
    protocol = request.headers.get("mcp-session-id")
    return f"id {protocol}" if protocol and ctx.protocol_version not in MODERN_PROTOCOL_VERSIONS else None


def _can_elicit(ctx: Any) -> bool:
    """Whether the client shows forms."""
    elicitation = getattr(ctx.session.client_capabilities, "elicitation", None)
    return elicitation is not None and (elicitation.form is not None or elicitation.url is None)


async def _client_roots(ctx: Any) -> Sequence[str]:
    """The roots of a client. From 2026-07-28 on there are none."""
    modern = ctx.protocol_version in MODERN_PROTOCOL_VERSIONS
    if modern or getattr(ctx.session.client_capabilities, "roots", None) is None:
        return ()
    try:
        found = await ctx.session.send_request(
            types.ListRootsRequest(),
            types.ListRootsResult,
            request_read_timeout_seconds=ROOTS_TIMEOUT,
            metadata=ServerMessageMetadata(related_request_id=ctx.request_id),
        )
    except MCPError:
        return ()
    return [str(root.uri) for root in found.roots]


def _input_required(pending: Pending, form: Form) -> Any:
    """The end of a call that the client sends again with the answer."""
    params = types.ElicitRequestFormParams(message=form.message, requested_schema=dict(form.schema))
    return types.InputRequiredResult(
        input_requests={"approval": types.ElicitRequest(params=params)}, request_state=pending.to_json()
    )


def _response_answer(response: Any, pending: Pending) -> Answer:
    if not isinstance(response, types.ElicitResult):
        return Answer.unreachable("the client answered without a decision")
    return answer_of(response.action, response.content, pending.request)


def _answer_of_task(question: asyncio.Task[Answer]) -> Answer:
    if question.cancelled():
        return Answer.unreachable("the question was withdrawn")
    error = question.exception()
    if isinstance(error, SutureError):
        raise error
    return question.result() if error is None else Answer.unreachable(f"the client failed ({error})")


def _still_open(pending: Pending, seconds: float) -> Result:
    request = pending.request
    message = (
        f"{safe_text(request.subject)}: nobody has answered the request for an approval within {seconds:g} seconds."
    )
    hint = "It was not rejected, and the question is still open. To get the answer, send the same call again."
    details = {"reason": "timeout", "permission": request.permission, "request": request.id, "seconds": seconds}
    problem = Problem("timeout", message, details=details, hint=hint)
    return error_result(pending.tool, PatchRejectedError([problem]), pending.arguments)


def _random_key() -> bytes:
    return urandom(32)


def _instructions(profile: str) -> str:
    """What a model is told about the server."""
    names = profile_named(profile).tools
    lines = ["Tools that change files exactly where it was meant, all or nothing. A refusal says what to do next."]
    if "read" in names and len(names) > 1:
        lines.append(f"Read a file with {names['read']} before you change it; other ways to read it do not count.")
    if "apply_patch" in names and len(names) > 1:
        lines.append(f"To change several files together, use {names['apply_patch']}.")
    return " ".join(lines)
