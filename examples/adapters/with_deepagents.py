"""A deep agent whose file tools go through Suture.

Run it with `python examples/adapters/with_deepagents.py`, after `pip install ".[deepagents]"`.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from deepagents import create_deep_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from suture import SyncSession, Workspace
from suture.adapters import reply
from suture.adapters.deepagents import SutureBackend
from suture.agent import Answer

CALLS = [
    ("read_file", {"file_path": "/app.py"}),
    ("edit_file", {"file_path": "/app.py", "old_string": "Hi", "new_string": "Hello"}),
]


class Scripted(BaseChatModel):
    """Makes one call each turn. Use a real model instead."""

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, *_: Any, **__: Any) -> Scripted:
        """Ignore the tools."""
        return self

    def _generate(self, messages: list[Any], *_: Any, **__: Any) -> ChatResult:
        turns = sum(isinstance(message, AIMessage) for message in messages)
        message = AIMessage("I have changed the greeting.")
        if turns < len(CALLS):
            name, args = CALLS[turns]
            message = AIMessage("", tool_calls=[{"name": name, "args": args, "id": f"call-{turns}"}])
        return ChatResult(generations=[ChatGeneration(message=message)])


root = Path(tempfile.mkdtemp())
(root / "app.py").write_text("print('Hi')\n")
config: Any = {"configurable": {"thread_id": "conversation-7"}}
with SyncSession(Workspace(root), id="conversation-7") as session:
    agent: Any = create_deep_agent(Scripted(), backend=SutureBackend(session), checkpointer=InMemorySaver())
    state = agent.invoke({"messages": [{"role": "user", "content": "Say hello instead of hi."}]}, config)
    while questions := state.get("__interrupt__"):
        print(*[question.value["text"] for question in questions], sep="\n")
        replies = {question.id: reply(question.value, Answer.once()) for question in questions}
        state = agent.invoke(Command(resume=replies), config)
    print(state["messages"][-1].content)
print((root / "app.py").read_text(), end="")
