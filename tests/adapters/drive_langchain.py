"""LangChain's `create_agent` on LangGraph, with a scripted chat model."""

from __future__ import annotations

import base64
import pickle
from typing import TYPE_CHECKING, Any

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from tests.adapters.driver import Answered, Driver, Turn

from suture.adapters import reply
from suture.adapters.langchain import suture_tools

if TYPE_CHECKING:
    from collections.abc import Sequence

    from suture.agent import Answer

CONFIG: Any = {"configurable": {"thread_id": "one"}}


class ScriptedModel(BaseChatModel):
    """A chat model that makes the calls of a driver's script."""

    driver: Any

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **_: Any) -> ScriptedModel:
        assert tools
        return self

    def _generate(self, messages: list[Any], *_: Any, **__: Any) -> ChatResult:
        turns = sum(isinstance(message, AIMessage) for message in messages)
        calls = [
            {"name": name, "args": given, "id": f"call-{turns}-{number}"}
            for number, (name, given) in enumerate(self.driver.next_calls(turns))
        ]
        message = AIMessage("" if calls else "done", tool_calls=calls)
        return ChatResult(generations=[ChatGeneration(message=message)])


class LangChainDriver(Driver):
    """An agent with a checkpointer."""

    interrupts: Sequence[Any] = ()

    def open(self) -> None:
        self.saver = InMemorySaver()
        model = ScriptedModel(driver=self)
        self.agent: Any = create_agent(model, suture_tools(self.session), checkpointer=self.saver)

    async def begin(self) -> Turn:
        return await self._run({"messages": [{"role": "user", "content": "go"}]})

    async def go_on(self, answers: Sequence[Answer]) -> Turn:
        replies = self.in_order([reply(one.value, a) for one, a in zip(self.interrupts, answers, strict=True)])
        return await self._run(Command(resume={one.id: r for one, r in zip(self.interrupts, replies, strict=True)}))

    async def _run(self, given: Any) -> Turn:
        state = await self.agent.ainvoke(given, CONFIG)
        return self._turn(state["messages"], state.get("__interrupt__", ()))

    def _turn(self, messages: Sequence[Any], interrupts: Sequence[Any]) -> Turn:
        self.interrupts = interrupts
        results = [Answered(one.content, one.status == "error") for one in messages if isinstance(one, ToolMessage)]
        return Turn(results, [one.value for one in interrupts])

    def dump(self) -> Any:
        kept = {
            thread: {space: dict(found) for space, found in spaces.items()}
            for thread, spaces in self.saver.storage.items()
        }
        writes = {key: dict(found) for key, found in self.saver.writes.items()}
        return base64.b64encode(pickle.dumps((kept, writes, dict(self.saver.blobs)))).decode()

    async def restore(self, data: Any) -> Turn:
        kept, writes, blobs = pickle.loads(base64.b64decode(data))  # noqa: S301 - our own
        for thread, spaces in kept.items():
            self.saver.storage[thread].update(spaces)
        self.saver.writes.update(writes)
        self.saver.blobs.update(blobs)
        state = await self.agent.aget_state(CONFIG)
        return self._turn(state.values["messages"], state.interrupts)
