"""A run of the Agents SDK, stopped and resumed.

Run it with `python examples/adapters/with_openai_agents.py`, after `pip install ".[openai-agents]"`.
"""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import Any

from agents import Agent, Model, ModelResponse, Runner, Usage, set_tracing_disabled
from openai.types.responses import ResponseCustomToolCall, ResponseOutputMessage, ResponseOutputText

from suture import Answer, Session, Workspace
from suture.adapters.openai_agents import SutureTools

PATCH = "*** Begin Patch\n*** Update File: app.py\n@@\n-print('Hi')\n+print('Hello')\n*** End Patch\n"


class Scripted(Model):
    """Sends a patch, then says that it is done. Use a real model instead: `Agent(model="gpt-…", …)`."""

    async def get_response(self, *_: Any, input: Any = None, **__: Any) -> ModelResponse:  # noqa: A002
        """The next message."""
        output: Any = ResponseCustomToolCall(name="apply_patch", input=PATCH, call_id="1", type="custom_tool_call")
        if not isinstance(input, str) and any(item.get("type") == "custom_tool_call" for item in input):
            text = ResponseOutputText(text="I have changed the greeting.", type="output_text", annotations=[])
            output = ResponseOutputMessage(id="2", content=[text], role="assistant", status="completed", type="message")
        return ModelResponse(output=[output], usage=Usage(), response_id=None)

    def stream_response(self, *_: Any, **__: Any) -> Any:
        """It does not stream."""
        raise NotImplementedError


async def main() -> None:
    """Run the agent, save it, and go on with an answer."""
    root = Path(tempfile.mkdtemp())
    (root / "app.py").write_text("print('Hi')\n")
    async with Session(Workspace(root)) as session:
        tools = SutureTools(session)
        agent = Agent(name="editor", model=Scripted(), tools=[*tools.functions("read", "edit"), tools.apply_patch()])
        result = await Runner.run(agent, "Say hello instead of hi.")
        stored = tools.save(result.to_state())
        # Later, perhaps in another process:
        state = await tools.load(agent, stored)
        for item in state.get_interruptions():
            print(tools.question(item)["text"])
            await tools.answer(state, item, Answer.once())
        result = await Runner.run(agent, state)
        print(result.final_output)
    print((root / "app.py").read_text(), end="")


set_tracing_disabled(disabled=True)
asyncio.run(main())
