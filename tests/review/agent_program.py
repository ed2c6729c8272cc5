"""An agent in a process of its own: python agent_program.py WORKSPACE FOLDER ACTOR, with tool calls on standard input.

Each line in is one call as JSON, `{"tool": …, "arguments": …}`; each line out is what it got, with the time.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from typing import TYPE_CHECKING

from suture import Session, Workspace
from suture.agent import ApprovalQueue

if TYPE_CHECKING:
    from typing import Any

    from suture.agent.read_checks import Mode

#: What the agent edits it need not have read: these tests are about the answers.
UNCHECKED: dict[str, Mode] = dict.fromkeys(
    ("write", "edit", "multiedit", "apply_patch", "delete", "move", "insert"), "off"
)


async def main(root: str, folder: str, actor: str) -> None:
    with Workspace(root, actor=actor) as workspace:
        session = Session(workspace, approver=ApprovalQueue(folder), reads=UNCHECKED, actor=actor)
        calls = [json.loads(line) for line in sys.stdin]
        async with asyncio.TaskGroup() as group:
            for call in calls:
                group.create_task(run(session, call))


async def run(session: Session, call: dict[str, Any]) -> None:
    try:
        result = await session.call(call["tool"], call["arguments"])
        said = {"ok": not result.is_error, "output": result.output}
    except Exception as error:  # noqa: BLE001 - it is reported
        said = {"ok": False, "output": f"{type(error).__name__}: {error}"}
    sys.stdout.write(json.dumps(said | {"time": time.time()}) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:4]))
