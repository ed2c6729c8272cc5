"""Suture in the OpenAI Agents SDK: function tools, the freeform `apply_patch` tool, and an editor for the hosted one.

The SDK asks for an approval before it runs a tool, and `RunState.approve` carries no payload. So questions and answers
go through `SutureTools`, and `save` stores them with the run. A call can't ask twice: if a file has changed since the
question, the answer says so, and the model can send the call again.
"""

from __future__ import annotations

from json import dumps, loads

from ..agent.answers import APPROVALS
from ..agent.pending import Pending
from .bridge import Bridge, Question, extra, reply

with extra("openai-agents"):
    from agents import ApplyPatchTool, CustomTool, FunctionTool, RunState

    from .openai_editor import SutureEditor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from agents import Agent, ToolContext
    from agents.items import ToolApprovalItem

    from ..agent.answers import Answer
    from ..agent.session import Session
    from ..agent.sync import SyncSession

__all__ = ["SutureEditor", "SutureTools"]


class SutureTools:
    """The tools of a session for one agent, and the questions that its runs wait for."""

    def __init__(self, session: Session | SyncSession, **choice: Any) -> None:
        self._bridge = Bridge(session, **choice)

    def functions(self, *only: str) -> list[FunctionTool]:
        """Function tools: those with these names, or all.

        Raises:
            ValueError: there is no such tool.
        """
        definitions = self._bridge.definitions("openai-responses", *only)
        schema = {"params_json_schema": "parameters", "strict_json_schema": "strict"}
        return [
            FunctionTool(**self._common(one), **{to: one[name] for to, name in schema.items()}) for one in definitions
        ]

    def apply_patch(self) -> CustomTool:
        """The tool that takes a patch as it is, with a grammar. A patch is applied as a whole or not at all."""
        [definition] = self._bridge.definitions("openai-freeform", "apply_patch")
        return CustomTool(**self._common(definition), format=definition["format"])

    def hosted_apply_patch(self) -> ApplyPatchTool:
        """The hosted tool. Its operations come one by one, so a patch can be applied in part: prefer `apply_patch`."""
        editor = SutureEditor(self._bridge)
        return ApplyPatchTool(editor=editor, needs_approval=editor.needs_approval)

    def question(self, item: ToolApprovalItem) -> dict[str, Any]:
        """What a person is asked about an interruption of a run: the files with their hunks.

        Raises:
            KeyError: it is not about a tool of this object.
        """
        return Question(self._bridge.open_questions()[item.call_id]).to_data()

    async def answer(self, state: RunState, item: ToolApprovalItem, answer: Answer) -> None:
        """Answer an interruption, and approve or reject it in the state of the run.

        Raises:
            KeyError: it is not about a tool of this object.
            ValueError: it is no answer to this question.
        """
        pending = self._bridge.open_questions()[item.call_id]
        answer.check(pending.request)
        self._bridge.replies[item.call_id] = reply(self.question(item), answer)
        if answer.kind in APPROVALS:
            state.approve(item)
        else:
            result = await self._bridge.wait(self._bridge.finish(item.call_id, pending.tool, {}))
            state.reject(item, rejection_message=result.output)

    def save(self, state: RunState) -> str:
        """A stopped run with its questions and answers, for another process."""
        calls = {item.call_id for item in state.get_interruptions()}
        pending = {key: loads(one.to_json()) for key, one in self._bridge.open_questions().items() if key in calls}
        replies = {key: one for key, one in self._bridge.replies.items() if key in calls}
        return dumps({"run": state.to_json(), "pending": pending, "replies": replies})

    async def load(self, agent: Agent, text: str) -> RunState:
        """The run that `save` has stored."""
        data = loads(text)
        for key, one in data["pending"].items():
            self._bridge.keep(key, Pending.from_json(dumps(one)))
        self._bridge.replies |= data["replies"]
        return await RunState.from_json(agent, data["run"])

    def _common(self, definition: Mapping[str, Any]) -> dict[str, Any]:
        """What function tools and freeform tools have in common."""
        bridge, name = self._bridge, definition["name"]

        async def needs_approval(_: object, arguments: Mapping[str, Any] | str, call_id: str) -> bool:
            return await bridge.wait(bridge.ask(call_id, name, arguments)) is not None

        async def invoke(context: ToolContext, arguments: str) -> str:
            return (await bridge.wait(bridge.finish(context.tool_call_id, name, arguments))).output

        return {
            "name": name,
            "description": definition["description"],
            "on_invoke_tool": invoke,
            "needs_approval": needs_approval,
        }
