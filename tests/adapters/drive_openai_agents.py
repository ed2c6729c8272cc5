"""The OpenAI Agents SDK with a scripted model: function tools, the freeform `apply_patch`, or the hosted one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from agents import Agent, Model, ModelResponse, Runner, Usage, set_tracing_disabled
from openai.types.responses import (
    ResponseApplyPatchToolCall,
    ResponseCustomToolCall,
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)
from tests.adapters.driver import Answered, Driver, Turn

from suture.adapters.openai_agents import SutureTools

if TYPE_CHECKING:
    from collections.abc import Sequence

    from suture.agent import Answer

set_tracing_disabled(disabled=True)


class ScriptedModel(Model):
    """A model that makes the calls of a script."""

    def __init__(self, driver: OpenAIAgentsDriver) -> None:
        self._driver = driver

    async def get_response(self, *_: Any, input: Any = None, **__: Any) -> ModelResponse:  # noqa: A002
        items = [] if isinstance(input, str) else input
        seen = [one["call_id"] for one in items if one.get("type", "").endswith("_call")]
        turns = len({name.split("-")[1] for name in seen})
        calls = self._driver.next_calls(turns)
        output = [self._driver.call(*one, f"call-{turns}-{number}") for number, one in enumerate(calls)]
        if not output:
            text = ResponseOutputText(text="done", type="output_text", annotations=[])
            output = [
                ResponseOutputMessage(id="m", content=[text], role="assistant", status="completed", type="message")
            ]
        return ModelResponse(output=output, usage=Usage(), response_id=None)

    def stream_response(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError


class OpenAIAgentsDriver(Driver):
    """An agent whose runs are stopped by interruptions."""

    marks_errors = False
    asks_again = False
    has_replies = False
    result: Any = None
    state: Any = None

    def open(self) -> None:
        self.tools = SutureTools(self.session)
        self.agent = Agent(name="editor", model=ScriptedModel(self), tools=self.choose())

    def choose(self) -> list[Any]:
        return self.tools.functions()

    def call(self, name: str, arguments: dict[str, Any], call_id: str) -> Any:
        """A call as the model sends it."""
        return ResponseFunctionToolCall(
            name=name, arguments=json.dumps(arguments), call_id=call_id, type="function_call"
        )

    async def begin(self) -> Turn:
        return self._turn(await Runner.run(self.agent, "go"))

    async def go_on(self, answers: Sequence[Answer]) -> Turn:
        for item, answer in zip(self.state.get_interruptions(), answers, strict=True):
            await self.tools.answer(self.state, item, answer)
        return self._turn(await Runner.run(self.agent, self.state))

    def _turn(self, result: Any) -> Turn:
        self.result, self.state = result, result.to_state()
        outputs = [one.raw_item["output"] for one in result.new_items if one.type == "tool_call_output_item"]
        return Turn(
            [Answered(text, is_error=False) for text in outputs],
            [self.tools.question(item) for item in result.interruptions],
        )

    def dump(self) -> Any:
        return self.tools.save(self.state)

    async def restore(self, data: Any) -> Turn:
        self.state = await self.tools.load(self.agent, data)
        return Turn([], [self.tools.question(item) for item in self.state.get_interruptions()])


class FreeformDriver(OpenAIAgentsDriver):
    """An agent that sends patches as they are."""

    has_insert = False

    def choose(self) -> list[Any]:
        return [*self.tools.functions("read", "edit", "write"), self.tools.apply_patch()]

    def call(self, name: str, arguments: dict[str, Any], call_id: str) -> Any:
        if name != "apply_patch":
            return super().call(name, arguments, call_id)
        return ResponseCustomToolCall(name=name, input=arguments["patchText"], call_id=call_id, type="custom_tool_call")


class HostedDriver(OpenAIAgentsDriver):
    """An agent with the hosted tool, whose questions go through `SutureTools`."""

    def choose(self) -> list[Any]:
        return [self.tools.hosted_apply_patch()]

    def call(self, name: str, arguments: dict[str, Any], call_id: str) -> Any:
        item = {"id": call_id, "call_id": call_id, "type": f"{name}_call", "status": "completed"}
        return ResponseApplyPatchToolCall.model_validate({**item, "operation": arguments})

    def statuses(self) -> list[str]:
        """The statuses that the API is sent for the calls so far."""
        return [item["status"] for item in self.result.to_input_list() if item.get("type") == "apply_patch_call_output"]
