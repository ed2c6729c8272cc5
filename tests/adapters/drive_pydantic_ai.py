"""pydantic-ai with a `FunctionModel`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic_ai import Agent, DeferredToolRequests
from pydantic_ai.messages import (
    ModelMessagesTypeAdapter,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
)
from pydantic_ai.models.function import FunctionModel
from pydantic_core import to_jsonable_python
from tests.adapters.driver import Answered, Driver, Turn

from suture.adapters.pydantic_ai import SutureToolset, answer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from suture.agent import Answer


class PydanticAIDriver(Driver):
    """An agent whose output is a text or `DeferredToolRequests`."""

    messages: list[Any]
    requests: Any = None

    def open(self) -> None:
        self.messages = []
        model = FunctionModel(self._reply)
        self.agent = Agent(model, toolsets=[SutureToolset(self.session)], output_type=[str, DeferredToolRequests])

    def _reply(self, messages: list[Any], info: Any) -> ModelResponse:
        assert {tool.name for tool in info.function_tools} >= {"read", "edit", "apply_patch"}
        turns = sum(isinstance(message, ModelResponse) for message in messages)
        calls = self.next_calls(turns)
        parts = [ToolCallPart(name, given, f"call-{turns}-{number}") for number, (name, given) in enumerate(calls)]
        return ModelResponse(parts=parts or [TextPart("done")])

    async def begin(self) -> Turn:
        return self._turn(await self.agent.run("go"))

    async def go_on(self, answers: Sequence[Answer]) -> Turn:
        ids = [call.tool_call_id for call in self.requests.approvals]
        results = answer(self.requests, dict(zip(ids, answers, strict=True)))
        results.metadata = dict(zip(ids, self.in_order([results.metadata[call] for call in ids]), strict=True))
        return self._turn(await self.agent.run(message_history=self.messages, deferred_tool_results=results))

    def _turn(self, run: Any) -> Turn:
        self.messages = run.all_messages()
        results = [
            Answered(str(part.content), part.outcome != "success")
            for message in self.messages
            for part in message.parts
            if isinstance(part, ToolReturnPart)
        ]
        self.requests = run.output if isinstance(run.output, DeferredToolRequests) else None
        questions = []
        if self.requests is not None:
            questions = [self.requests.metadata[call.tool_call_id] for call in self.requests.approvals]
        return Turn(results, questions, "" if self.requests else run.output)

    def dump(self) -> Any:
        return {"messages": to_jsonable_python(self.messages), "requests": to_jsonable_python(self.requests)}

    async def restore(self, data: Any) -> Turn:
        self.messages = ModelMessagesTypeAdapter.validate_python(data["messages"])
        found = data["requests"]
        calls = [ToolCallPart(one["tool_name"], one["args"], one["tool_call_id"]) for one in found["approvals"]]
        self.requests = DeferredToolRequests(approvals=calls, metadata=found["metadata"])
        return Turn([], [self.requests.metadata[call.tool_call_id] for call in calls])
