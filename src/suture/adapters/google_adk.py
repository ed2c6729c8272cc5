"""Suture in Google's Agent Development Kit: `LlmAgent(tools=[SutureToolset(session)])`.

A call that needs an approval calls `request_confirmation` with the question as its payload. The client sends the
payload back, since ADK keeps only the client's: `confirmation` writes the response. Without it, a confirmation does
not say what it is about.
"""

from __future__ import annotations

from ..agent.answers import APPROVALS, Answer
from .bridge import Bridge, Question, extra, reply

with extra("google-adk"):
    from google.adk.tools.base_tool import BaseTool
    from google.adk.tools.base_toolset import BaseToolset
    from google.genai import types

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from google.adk.agents.readonly_context import ReadonlyContext
    from google.adk.tools.tool_context import ToolContext

    from ..agent.session import Session
    from ..agent.sync import SyncSession


class SutureToolset(BaseToolset):
    """The tools of a session. `only`, `names` and `profile` choose them, as in `Session.tools`."""

    def __init__(self, session: Session | SyncSession, **choice: Any) -> None:
        super().__init__()
        self._bridge = Bridge(session, **choice)

    async def get_tools(self, readonly_context: ReadonlyContext | None = None) -> list[AdkTool]:  # noqa: ARG002
        """The tools as ADK wants them."""
        return [AdkTool(self._bridge, one) for one in self._bridge.definitions()]


class AdkTool(BaseTool):
    """One tool of a session."""

    def __init__(self, bridge: Bridge, definition: Mapping[str, Any]) -> None:
        super().__init__(name=definition["name"], description=definition["description"])
        self._bridge = bridge
        self._schema = definition["parameters"]

    def _get_declaration(self) -> types.FunctionDeclaration:
        return types.FunctionDeclaration(
            name=self.name, description=self.description, parameters_json_schema=self._schema
        )

    async def run_async(self, *, args: dict[str, Any], tool_context: ToolContext) -> dict[str, Any]:
        """Run a call: its `result`, or an `error` for the model."""
        step = await self._bridge.wait(
            self._advance(tool_context.function_call_id, args, tool_context.tool_confirmation)
        )
        # ADK does not ask a second time about the same call.
        if isinstance(step, Question) and tool_context.tool_confirmation is None:
            tool_context.request_confirmation(hint=step.text, payload=step.to_data())
            tool_context.actions.skip_summarization = True
            return {"error": "This call needs a confirmation. Nothing was changed yet."}
        return {"error" if step.is_error else "result": step.output}

    async def _advance(self, key: object, args: dict[str, Any], confirmation: Any) -> Any:
        if confirmation is None:
            return await self._bridge.advance(key, self.name, args)
        given = confirmation.payload if isinstance(confirmation.payload, dict) else {}
        if confirmation.confirmed:
            # A question that comes back as it was is approved.
            return await self._bridge.advance(key, self.name, args, {"answer": {"kind": "once"}, **given})
        if given.get("answer"):
            return await self._bridge.advance(key, self.name, args, given)
        # A plain "no" is about whatever is asked now.
        step = await self._bridge.advance(key, self.name, args)
        if not isinstance(step, Question):
            return step
        return await self._bridge.advance(key, self.name, args, reply(step.to_data(), Answer.reject()))


def confirmation(question: Mapping[str, Any], answer: Answer) -> dict[str, Any]:
    """The response to the call `adk_request_confirmation`, with an answer to its question (the payload)."""
    return {"confirmed": answer.kind in APPROVALS, "payload": reply(question, answer)}
