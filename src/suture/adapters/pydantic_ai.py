"""Suture in pydantic-ai: `Agent(model, toolsets=[SutureToolset(session)], output_type=[str, DeferredToolRequests])`.

A call that needs an approval ends the run with `DeferredToolRequests`. Failures are `ToolFailed`, since a `ModelRetry`
ends the run after a few of them.
"""

from __future__ import annotations

from .bridge import Bridge, Question, extra, reply, summary

with extra("pydantic-ai"):
    from pydantic_ai import ApprovalRequired, DeferredToolResults, ToolDefinition, ToolFailed, ToolReturn
    from pydantic_ai.toolsets import AbstractToolset
    from pydantic_ai.toolsets.abstract import ToolsetTool
    from pydantic_core import SchemaValidator, core_schema

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from pydantic_ai import DeferredToolRequests, RunContext

    from ..agent.answers import Answer
    from ..agent.session import Session
    from ..agent.sync import SyncSession

#: The session checks the arguments itself, and explains what is wrong.
_ANYTHING = SchemaValidator(core_schema.any_schema())


class SutureToolset(AbstractToolset):
    """The tools of a session. `only`, `names` and `profile` choose them, as in `Session.tools`."""

    def __init__(self, session: Session | SyncSession, *, id: str | None = "suture", **choice: Any) -> None:  # noqa: A002
        self._bridge = Bridge(session, **choice)
        self._id = id

    @property
    def id(self) -> str | None:
        """The id of the toolset within its agent."""
        return self._id

    async def get_tools(self, ctx: RunContext) -> dict[str, ToolsetTool]:  # noqa: ARG002
        """The tools as pydantic-ai wants them."""
        tools = [
            ToolDefinition(name=one["name"], description=one["description"], parameters_json_schema=one["parameters"])
            for one in self._bridge.definitions()
        ]
        made = {"toolset": self, "max_retries": 1, "args_validator": _ANYTHING}
        return {tool.name: ToolsetTool(tool_def=tool, **made) for tool in tools}

    async def call_tool(
        self,
        name: str,
        tool_args: Mapping[str, Any],
        ctx: RunContext,
        tool: ToolsetTool,  # noqa: ARG002
    ) -> ToolReturn:
        """Run a call.

        Raises:
            ApprovalRequired: a person has to be asked.
            ToolFailed: it was refused or has failed.
        """
        # A question that comes back as it was, with the framework's own approval, is approved.
        given = {"answer": {"kind": "once"}, **(ctx.tool_call_metadata or {})} if ctx.tool_call_approved else None
        step = await self._bridge.wait(self._bridge.advance(ctx.tool_call_id, name, tool_args, given))
        if isinstance(step, Question):
            raise ApprovalRequired(step.to_data())
        if step.is_error:
            raise ToolFailed(step.output)
        return ToolReturn(step.output, metadata=summary(step))


def answer(requests: DeferredToolRequests, answers: Mapping[str, Answer]) -> DeferredToolResults:
    """The results for `Agent.run(deferred_tool_results=…)`, from answers by the ids of the calls."""
    replies = {call: reply(requests.metadata[call], given) for call, given in answers.items()}
    return requests.build_results(approvals=dict.fromkeys(answers, True), metadata=replies)
