"""An agent of Google's ADK with a scripted model.

Run it with `python examples/adapters/with_google_adk.py`, after `pip install ".[google-adk]"`.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from google.adk.agents import LlmAgent
from google.adk.models import BaseLlm, LlmResponse
from google.adk.runners import InMemoryRunner
from google.genai.types import Content, FunctionCall, FunctionResponse, Part

from suture import Answer, Session, Workspace
from suture.adapters.google_adk import SutureToolset, confirmation

CALLS = [
    FunctionCall(id="1", name="read", args={"filePath": "app.py"}),
    FunctionCall(id="2", name="edit", args={"filePath": "app.py", "oldString": "Hi", "newString": "Hello"}),
]


class Scripted(BaseLlm):
    """Makes one call each turn. Use a real model instead: `LlmAgent(model="gemini-…", …)`."""

    async def generate_content_async(self, llm_request: Any, stream: bool = False) -> AsyncIterator[LlmResponse]:  # noqa: ARG002
        """The next message."""
        part = Part(function_call=CALLS.pop(0)) if CALLS else Part(text="I have changed the greeting.")
        yield LlmResponse(content=Content(role="model", parts=[part]))


async def main() -> None:
    """Run the agent, approve what it asks for, and go on."""
    root = Path(tempfile.mkdtemp())
    (root / "app.py").write_text("print('Hi')\n")
    async with Session(Workspace(root)) as session:
        agent = LlmAgent(name="editor", model=Scripted(model="scripted"), tools=[SutureToolset(session)])
        runner = InMemoryRunner(agent, app_name="app")
        await runner.session_service.create_session(app_name="app", user_id="me", session_id="one")
        parts = [Part(text="Say hello instead of hi.")]
        while parts:
            message, parts = Content(role="user", parts=parts), []
            async for event in runner.run_async(user_id="me", session_id="one", new_message=message):
                for call in event.get_function_calls():
                    if call.name == "adk_request_confirmation":
                        question = call.args["toolConfirmation"]["payload"]
                        print(question["text"])
                        response = confirmation(question, Answer.once())
                        answered = FunctionResponse(id=call.id, name=call.name, response=response)
                        parts.append(Part(function_response=answered))
    print((root / "app.py").read_text(), end="")


asyncio.run(main())
