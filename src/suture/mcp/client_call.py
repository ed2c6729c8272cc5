"""One call of a tool by a client: it runs until it ends or somebody has to be asked.

How the question reaches a person depends on the client's version of the protocol. Up to 2025-11-25 the server sends a
request and the call waits. From 2026-07-28 on the call ends, and the client sends it again with the answer and with the
pending call. Both use the same `Pending`, so an approval only counts for exactly what was shown.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from time import time
from typing import TYPE_CHECKING

from ..agent.answers import Answer
from ..agent.pending import Pending
from ..agent.result import error_result
from ..agent.tool_arguments import drop_client_extras
from ..core.display import safe_text
from ..core.problems import PatchRejectedError, Problem, SutureError
from .questions import answer_of, form_of
from .server_limits import MOST_ROUNDS
from .static_requests import INVALID_PARAMS, ProtocolError

if TYPE_CHECKING:
    from collections.abc import Coroutine, Mapping, Sequence
    from typing import Any, Protocol

    from ..agent.result import Result
    from .questions import Form
    from .session_pool import ClientSession
    from .static_requests import Peer
    from .tool_server import ToolServer

    class ClientLink(Protocol):
        """The way back to the client that has sent a request."""

        @property
        def peer(self) -> Peer:
            """Who the client is, and what it can do."""
            ...

        @property
        def key(self) -> str | None:
            """What its session is known by; None if it has none."""
            ...

        async def roots(self) -> Sequence[str]:
            """The roots of the client, as URIs."""
            ...

        async def elicit(self, form: Form) -> tuple[str, Mapping[str, Any] | None]:
            """Show a form; what the person did with it, and what they entered."""
            ...

        async def report_progress(self, step: int, message: str) -> None:
            """Tell the client that the call goes on."""
            ...

        async def settle(self, task: asyncio.Future[Any]) -> None:
            """Wait for a task that was cancelled, also if the call is cancelled again meanwhile."""
            ...


#: Where Codex describes its turn, and the mode of its sandbox in which nothing may be written.
CODEX_TURN = "x-codex-turn-metadata"
READ_ONLY = "read-only"
#: Where the user is asked if the client cuts forms.
_INSTEAD_OF_FORM = (
    "The user is not asked in this client, which does not show all of a form. The user can run: suture review."
)


class ClientCall:
    """One call of a tool."""

    def __init__(self, server: ToolServer, link: ClientLink, client: ClientSession) -> None:
        self._server = server
        self._link = link
        self._client = client
        self._session = client.session
        self._steps = 0
        peer, approve = link.peer, server.settings.approve
        #: Whether the client's forms are cut, so that the user is asked in the queue instead.
        self._replaces_form = approve == "elicit" and peer.can_elicit and peer.cuts_forms
        self._approve = "queue" if self._replaces_form else approve
        self._asks_by_ending = self._approve == "elicit" and peer.is_stateless

    async def run(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """Run a call to its end, or to a question that ends it.

        Raises:
            ProtocolError: it is no call.
        """
        name, arguments = params.get("name"), params.get("arguments")
        if not isinstance(name, str) or not (arguments is None or isinstance(arguments, dict)):
            message = "A call has the name of a tool, and an object of arguments."
            raise ProtocolError(INVALID_PARAMS, message)
        kept, extras = drop_client_extras(arguments or {})
        outcome: Result | Pending
        if params.get("requestState") is not None:
            pending = Pending.from_json(str(params["requestState"]))
            if self._asks_by_ending:
                try:
                    answer = _response_answer(params.get("inputResponses"), pending)
                except ValueError as fault:
                    return _input_required(pending, self._form(pending, str(fault)))
                outcome = await self._step("Applying", self._session.resume(pending, answer))
            else:
                # No form of ours was shown for it, so nothing that comes with it is an answer.
                outcome = pending
        elif _is_read_only(params.get("_meta")) and not self._server.reads_only(name):
            return self._server.result(_read_only_refusal(name))
        else:
            outcome = await self._step(f"Planning {safe_text(name)}", self._session.start(name, kept))
        for _ in range(MOST_ROUNDS):
            if not isinstance(outcome, Pending):
                return self._server.result(self._with_note(outcome, extras))
            if self._asks_by_ending and self._link.peer.can_elicit:
                return _input_required(outcome, self._form(outcome))
            try:
                waiting = await self._answer(outcome)
            except (asyncio.CancelledError, SutureError):
                self._session.permissions.withdraw(outcome.request, "cancelled")
                raise
            if waiting is None:
                self._session.permissions.withdraw(outcome.request, "timeout")
                return self._server.result(self._still_open(outcome))
            outcome = await self._step("Applying", self._session.resume(outcome, waiting))
        error = PatchRejectedError(
            [Problem("stale_file", "The files keep changing while the call waits for approvals.")]
        )
        return self._server.result(error_result(name, error))

    def _with_note(self, result: Result, extras: Sequence[str]) -> Result:
        """A result with a note on arguments that were ignored, once for each of them."""
        new = [name for name in extras if name not in self._client.ignored_arguments]
        if not new:
            return result
        self._client.ignored_arguments.update(new)
        what = "is not an argument of this tool and is" if len(new) == 1 else "are not arguments of this tool and are"
        note = f"Note: {', '.join(map(safe_text, new))} {what} ignored."
        return result.replace(output=f"{result.output}\n{note}")

    async def _answer(self, pending: Pending) -> Answer | None:
        """The answer to a question, or None if it takes too long. The question stays open then, also if cancelled."""
        settings = self._server.settings
        if self._approve == "client":
            return Answer.once()
        deadline = time() + settings.approval_timeout
        request = pending.request.replace(deadline=deadline, stays_open=True)
        pending = pending.replace(request=request)
        question = self._client.ask(pending.fingerprint, request.id, lambda: self._ask(pending))
        folder = self._server.queue(self._client).folder if self._approve == "queue" else None
        if folder is not None and question.get_name() != request.id:
            # The same call was sent before: its question is still open, and somebody waits for the answer again.
            folder.extend(question.get_name(), deadline)
        where = " in `suture review`" if self._replaces_form else ""
        message = f"Waiting for an approval{where}: {safe_text(pending.request.subject)}"
        if not await self._wait(question, message, settings.approval_timeout):
            return None
        self._client.questions.pop(pending.fingerprint, None)
        return _answer_of_task(question)

    async def _ask(self, pending: Pending) -> Answer:
        if self._approve == "queue":
            return await self._server.queue(self._client).ask(pending.request)
        if not self._link.peer.can_elicit:
            return Answer.unreachable(
                "the client can't ask; the user can start the server with --approve client or queue"
            )
        fault = ""
        for _ in range(MOST_ROUNDS):
            form = self._form(pending, fault, self._server.settings.approval_timeout)
            action, content = await self._link.elicit(form)
            try:
                return answer_of(action, content, pending.request)
            except ValueError as error:
                fault = str(error)
        return Answer.unreachable("the answers could not be read")

    def _form(self, pending: Pending, fault: str = "", seconds: float = 0) -> Form:
        """The form for a question, as this client can show it."""
        return form_of(pending.request, fault, seconds, only_decision=self._link.peer.needs_all_fields)

    def _still_open(self, pending: Pending) -> Result:
        request, seconds = pending.request, self._server.settings.approval_timeout
        message = (
            f"{safe_text(request.subject)}: nobody has answered the request for an approval within {seconds:g} seconds."
        )
        hint = "It was not rejected, and the question is still open. To get the answer, send the same call again."
        if self._replaces_form:
            hint = f"{hint} {_INSTEAD_OF_FORM}"
        details = {"reason": "timeout", "permission": request.permission, "request": request.id, "seconds": seconds}
        problem = Problem("timeout", message, details=details, hint=hint)
        return error_result(pending.tool, PatchRejectedError([problem]), pending.arguments)

    async def _step(self, message: str, call: Coroutine[Any, Any, Result | Pending]) -> Result | Pending:
        """Run a step of the call. If the call is cancelled, so is the step, but a write that has begun is completed."""
        task = asyncio.ensure_future(call)
        try:
            await self._wait(task, message)
        except BaseException:
            task.cancel()
            await self._link.settle(task)
            with suppress(asyncio.CancelledError):
                task.exception()
            raise
        return task.result()

    async def _wait(self, task: asyncio.Future[Any], message: str, seconds: float = 1e9) -> bool:
        """Wait for a task at most so long, and report progress meanwhile; whether the task is done."""
        while not task.done() and seconds > 0:
            self._steps += 1
            await self._link.report_progress(self._steps, message)
            beat = min(self._server.settings.heartbeat, seconds)
            await asyncio.wait([task], timeout=beat)
            seconds -= beat
        return task.done()


def _is_read_only(meta: object) -> bool:
    """Whether the client says that nothing may be written now: Codex, in its sandbox for looking only."""
    turn = meta.get(CODEX_TURN) if isinstance(meta, dict) else None
    return isinstance(turn, dict) and turn.get("sandbox_mode") == READ_ONLY


def _read_only_refusal(name: str) -> Result:
    message = "The client runs with a read-only sandbox, so no file may be written."
    hint = "Describe the change instead. The user can start Codex with --sandbox workspace-write."
    problem = Problem("rejected", message, hint=hint, recoverable=False)
    return error_result(name, PatchRejectedError([problem]))


def _input_required(pending: Pending, form: Form) -> dict[str, Any]:
    """The end of a call that the client sends again with the answer."""
    params = {"mode": "form", "message": form.message, "requestedSchema": dict(form.schema)}
    return {
        "resultType": "input_required",
        "inputRequests": {"approval": {"method": "elicitation/create", "params": params}},
        "requestState": pending.to_json(),
    }


def _response_answer(responses: object, pending: Pending) -> Answer:
    response = responses.get("approval") if isinstance(responses, dict) else None
    if not isinstance(response, dict) or not isinstance(response.get("action"), str):
        return Answer.unreachable("the client answered without a decision")
    content = response.get("content")
    return answer_of(response["action"], content if isinstance(content, dict) else None, pending.request)


def _answer_of_task(question: asyncio.Task[Answer]) -> Answer:
    if question.cancelled():
        return Answer.unreachable("the question was withdrawn")
    error = question.exception()
    if isinstance(error, SutureError):
        raise error
    return question.result() if error is None else Answer.unreachable(f"the client failed ({error})")
