"""Claude's text editor tool with a scripted API.

Run it with `python examples/adapters/with_anthropic.py`, after `pip install ".[anthropic]"`.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import anthropic
import httpx2

from suture import Answer, SyncSession, Workspace
from suture.adapters.anthropic import TextEditor, suture_tools
from suture.agent import Callback, Request

EDITOR = "str_replace_based_edit_tool"
TURNS: list[dict[str, Any]] = [
    {"command": "view", "path": "app.py"},
    {"command": "str_replace", "path": "app.py", "old_str": "'Hi'", "new_str": "'Hello'"},
]


def api(_: httpx2.Request) -> httpx2.Response:
    """Make one call each turn. Use the real API instead: `anthropic.Anthropic()`."""
    content: dict[str, Any] = {"type": "text", "text": "I have changed the greeting."}
    if TURNS:
        content = {"type": "tool_use", "id": f"toolu_{len(TURNS)}", "name": EDITOR, "input": TURNS.pop(0)}
    message = {"id": "msg", "type": "message", "role": "assistant", "model": "claude", "content": [content]}
    reason = {"stop_reason": "end_turn" if "text" in content else "tool_use", "stop_sequence": None}
    return httpx2.Response(200, json={**message, **reason, "usage": {"input_tokens": 1, "output_tokens": 1}})


async def ask(request: Request) -> Answer:
    """Show what would change, and approve it."""
    print(*request.lines, sep="\n")
    return Answer.once()


root = Path(tempfile.mkdtemp())
(root / "app.py").write_text("print('Hi')\n")
client = anthropic.Anthropic(api_key="none", http_client=httpx2.Client(transport=httpx2.MockTransport(api)))
with SyncSession(Workspace(root), approver=Callback(ask)) as session, client:
    runner = client.beta.messages.tool_runner(
        model="claude",
        max_tokens=1024,
        tools=[TextEditor(session), *suture_tools(session, only=["apply_patch"])],
        messages=[{"role": "user", "content": "Say hello instead of hi."}],
    )
    print(runner.until_done().content[0].text)
print((root / "app.py").read_text(), end="")
