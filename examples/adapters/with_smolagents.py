"""A `CodeAgent` of smolagents with a scripted model.

Run it with `python examples/adapters/with_smolagents.py`, after `pip install ".[smolagents]"`.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from smolagents import ChatMessage, CodeAgent, Model

from suture import Answer, SyncSession, Workspace
from suture.adapters.smolagents import suture_tools
from suture.agent import Callback, Request

CODE = [
    'print(read("app.py"))',
    'print(edit("app.py", oldString="Hi", newString="Hello"))',
    'final_answer("I have changed the greeting.")',
]


class Scripted(Model):
    """Writes one piece of code each step. Use a real model instead, such as `LiteLLMModel`."""

    def generate(self, *_: Any, **__: Any) -> ChatMessage:
        """The next step."""
        return ChatMessage(role="assistant", content=f"Thought: next.\n<code>\n{CODE.pop(0)}\n</code>")


async def ask(request: Request) -> Answer:
    """Show what would change, and approve it."""
    print(*request.lines, sep="\n")
    return Answer.once()


root = Path(tempfile.mkdtemp())
(root / "app.py").write_text("print('Hi')\n")
with SyncSession(Workspace(root), approver=Callback(ask)) as session:
    agent = CodeAgent(tools=suture_tools(session), model=Scripted(model_id="scripted"), verbosity_level=0)
    print(agent.run("Say hello instead of hi."))
print((root / "app.py").read_text(), end="")
