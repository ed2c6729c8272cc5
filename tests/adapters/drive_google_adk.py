"""Google's ADK with a scripted model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from google.adk.agents import LlmAgent
from google.adk.events import Event
from google.adk.models import BaseLlm, LlmResponse
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.genai import types
from tests.adapters.driver import Answered, Driver, Turn

from suture.adapters.google_adk import SutureToolset, confirmation

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from suture.agent import Answer

WHERE = {"app_name": "app", "user_id": "user", "session_id": "one"}
ASK = "adk_request_confirmation"


class ScriptedModel(BaseLlm):
    """A model that makes the calls of a driver's script."""

    driver: Any

    async def generate_content_async(self, llm_request: Any, stream: bool = False) -> AsyncIterator[LlmResponse]:  # noqa: ARG002
        assert "edit" in {one.name for tool in llm_request.config.tools for one in tool.function_declarations}
        said = [content for content in llm_request.contents if content.role == "model"]
        turns = sum(any(part.function_call and part.function_call.name != ASK for part in one.parts) for one in said)
        calls = self.driver.next_calls(turns)
        parts = [
            types.Part(function_call=types.FunctionCall(id=f"call-{turns}-{number}", name=name, args=given))
            for number, (name, given) in enumerate(calls)
        ]
        yield LlmResponse(content=types.Content(role="model", parts=parts or [types.Part(text="done")]))


class GoogleADKDriver(Driver):
    """An agent with sessions in memory."""

    asks_again = False
    asks: Sequence[Any] = ()

    def open(self) -> None:
        self.service = InMemorySessionService()
        agent = LlmAgent(
            name="editor", model=ScriptedModel(model="scripted", driver=self), tools=[SutureToolset(self.session)]
        )
        self.adk = Runner(app_name="app", agent=agent, session_service=self.service)

    async def begin(self) -> Turn:
        await self.service.create_session(**WHERE)
        return await self._run([types.Part(text="go")])

    async def go_on(self, answers: Sequence[Answer]) -> Turn:
        questions = [ask.args["toolConfirmation"]["payload"] for ask in self.asks]
        replies = self.in_order([confirmation(one, answer) for one, answer in zip(questions, answers, strict=True)])
        parts = [
            types.Part(function_response=types.FunctionResponse(id=ask.id, name=ASK, response=reply))
            for ask, reply in zip(self.asks, replies, strict=True)
        ]
        return await self._run(parts)

    async def _run(self, parts: list[Any]) -> Turn:
        message = types.Content(role="user", parts=parts)
        events = [event async for event in self.adk.run_async(user_id="user", session_id="one", new_message=message)]
        return await self._turn(events)

    async def _turn(self, events: Sequence[Any]) -> Turn:
        self.asks = [call for event in events for call in event.get_function_calls() if call.name == ASK]
        kept = await self.service.get_session(**WHERE)
        latest = {one.id: one for event in kept.events for one in event.get_function_responses() if one.name != ASK}
        results = [Answered(str(next(iter(one.response.values()))), "error" in one.response) for one in latest.values()]
        return Turn(results, [ask.args["toolConfirmation"]["payload"] for ask in self.asks])

    def dump(self) -> Any:
        kept = self.service.sessions["app"]["user"]["one"]
        return [event.model_dump(mode="json", exclude_none=True) for event in kept.events]

    async def restore(self, data: Any) -> Turn:
        kept = await self.service.create_session(**WHERE)
        events = [Event.model_validate(one) for one in data]
        for event in events:
            await self.service.append_event(kept, event)
        return await self._turn(events)
