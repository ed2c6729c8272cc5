"""An agent of pydantic-ai with a scripted model.

Run it with `python examples/adapters/with_pydantic_ai.py`, after `pip install ".[pydantic-ai]"`.
"""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import Any

from pydantic_ai import Agent, DeferredToolRequests
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel

from suture import Answer, Session, Workspace
from suture.adapters.pydantic_ai import SutureToolset, answer

CALLS = [
    ToolCallPart("read", {"filePath": "app.py"}),
    ToolCallPart("edit", {"filePath": "app.py", "oldString": "'Hi'", "newString": "'Hello'"}),
]


def scripted(messages: list[Any], _: Any) -> ModelResponse:
    """Make one call each turn. Use a real model instead: `Agent("anthropic:…", …)`."""
    turns = sum(isinstance(message, ModelResponse) for message in messages)
    return ModelResponse([CALLS[turns] if turns < len(CALLS) else TextPart("I have changed the greeting.")])


async def main() -> None:
    """Run the agent, approve what it asks for, and go on."""
    root = Path(tempfile.mkdtemp())
    (root / "app.py").write_text("print('Hi')\n")
    async with Session(Workspace(root), id="conversation-7") as session:
        agent = Agent(
            FunctionModel(scripted), toolsets=[SutureToolset(session)], output_type=[str, DeferredToolRequests]
        )
        run = await agent.run("Say hello instead of hi.")
        while isinstance(run.output, DeferredToolRequests):
            for call in run.output.approvals:
                print(run.output.metadata[call.tool_call_id]["text"])
            answers = {call.tool_call_id: Answer.once() for call in run.output.approvals}
            results = answer(run.output, answers)
            run = await agent.run(message_history=run.all_messages(), deferred_tool_results=results)
        print(run.output)
    print((root / "app.py").read_text(), end="")


asyncio.run(main())
