"""The server, whatever carries its messages: the tools of a profile, calls, resources, and the sessions behind them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..agent.approvers import ApprovalQueue
from ..agent.result import error_result
from ..agent.tools import TOOLS
from ..core.display import safe_text
from ..core.problems import PatchRejectedError, Problem, SutureError
from ..state.state_folder import approvals_path
from .client_call import ClientCall
from .history_resources import get_prompt, list_resources, read_resource
from .server_limits import LONGEST_CLIENT_NAME
from .session_pool import SessionPool
from .static_requests import INVALID_PARAMS, METHOD_NOT_FOUND, ProtocolError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..agent.result import Result
    from .client_call import ClientLink
    from .server_settings import ServerSettings
    from .session_pool import ClientSession


class ToolServer:
    """The tools of a profile for any number of clients. Requests and results are plain data, as JSON has it."""

    def __init__(self, settings: ServerSettings) -> None:
        self.settings = settings
        self.pool = SessionPool(settings)
        self._profile = settings.tools
        self._queue_of: dict[str, ApprovalQueue] = {}

    async def answer(self, method: str, params: Mapping[str, Any], link: ClientLink) -> dict[str, Any]:
        """The result of a request that needs a workspace.

        Raises:
            ProtocolError: there is no such request, or it is wrong.
        """
        if method == "tools/call":
            return await self._call_tool(params, link)
        if method == "prompts/get":
            return get_prompt(params)
        if method not in ("resources/list", "resources/read"):
            raise ProtocolError(METHOD_NOT_FOUND, "Method not found", method)
        try:
            async with self._session(link) as client:
                if method == "resources/list":
                    return await list_resources(client.session)
                return await read_resource(client.session, params)
        except SutureError as error:
            raise ProtocolError(INVALID_PARAMS, error.for_model()) from error

    async def _call_tool(self, params: Mapping[str, Any], link: ClientLink) -> dict[str, Any]:
        try:
            async with self._session(link) as client:
                return await ClientCall(self, link, client).run(params)
        except SutureError as error:
            return self.result(error_result(str(params.get("name", "")), error))

    def _session(self, link: ClientLink) -> Any:
        """The session that a request belongs to, for the time of the request."""
        actor = safe_text(link.peer.name or "mcp")[:LONGEST_CLIENT_NAME]
        return self.pool.session(link.key, actor, link.roots)

    def reads_only(self, name: str) -> bool:
        """Whether a tool of the profile changes nothing."""
        ours = {theirs.lower(): our for our, theirs in self._profile.tools.items()}
        return name.lower() in ours and TOOLS[ours[name.lower()]].read_only

    def result(self, result: Result) -> dict[str, Any]:
        """The answer of a tool as a client gets it: text for the model, and little beside it.

        Some clients show `_meta` to the model, so it is small: the files and commits of a change, or what was wrong.
        """
        answer: dict[str, Any] = {"content": [{"type": "text", "text": result.output}], "isError": result.is_error}
        if self.settings.structured:
            answer["structuredContent"] = {"title": result.title, "output": result.output, **result.metadata}
        meta = {
            "suture/files": result.metadata.get("changedFiles"),
            "suture/commits": result.metadata.get("receipts"),
            "suture/problems": [_problem_name(problem) for problem in result.problems],
        }
        small = {name: value for name, value in meta.items() if value}
        return {**answer, "_meta": small} if small else answer

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
            hint = "The user has to start the server with another directory in --approvals."
            raise PatchRejectedError([Problem("rejected", message, hint=hint)]) from None
        return queue

    async def close(self) -> None:
        """End all sessions."""
        await self.pool.close()


def _problem_name(problem: Problem) -> str:
    """The code of a problem, with its reason if there is one."""
    return f"{problem.code} {problem.reason}".rstrip()
