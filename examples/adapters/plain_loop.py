"""A loop of your own, for any API with tool calls. Run it with `python examples/adapters/plain_loop.py`."""

from __future__ import annotations

import asyncio
import json
import tempfile
from pathlib import Path
from typing import Any

from suture import Answer, Session, Workspace
from suture.agent import Pending

CALLS: list[tuple[str, dict[str, Any]]] = [
    ("read", {"filePath": "app.py"}),
    ("edit", {"filePath": "app.py", "oldString": "'Hi'", "newString": "'Hello'"}),
]


def complete(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> dict[str, Any]:
    """Make one call each turn. Use `litellm.completion` or `client.chat.completions.create` instead."""
    assert tools
    turns = sum(message["role"] == "assistant" for message in messages)
    if turns == len(CALLS):
        return {"role": "assistant", "content": "I have changed the greeting."}
    name, arguments = CALLS[turns]
    call = {"id": f"call-{turns}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


async def main() -> None:
    """Run the model's calls until it makes none."""
    root = Path(tempfile.mkdtemp())
    (root / "app.py").write_text("print('Hi')\n")
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Say hello instead of hi."}]
    async with Session(Workspace(root)) as session:
        while True:
            message = complete(messages, session.tools("openai"))
            messages.append(message)
            if not message.get("tool_calls"):
                break
            for call in message["tool_calls"]:
                step = await session.start(call["function"]["name"], call["function"]["arguments"])
                while isinstance(step, Pending):
                    print(*step.request.lines, sep="\n")
                    step = await session.resume(step, Answer.once())
                messages.append({"role": "tool", "tool_call_id": call["id"], "content": step.output})
    print(messages[-1]["content"])
    print((root / "app.py").read_text(), end="")


asyncio.run(main())
