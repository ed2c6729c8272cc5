"""What others commit, also in other processes, is told to a session as events with an author."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from typing import TYPE_CHECKING

from tests.shared.agents import Agent

from suture.agent import FileChanged

if TYPE_CHECKING:
    from pathlib import Path

    from suture import Session
    from suture.agent import Event

#: Edits the file as somebody else.
CHILD = """
import sys
from suture import Workspace
place = Workspace(sys.argv[1], state_dir=sys.argv[2], durability="process", actor="bob")
receipt = place.edit("src/app.py", "'Hi '", "'Hey '")
place.move("src/app.py", "lib/app.py")
print(receipt.id)
"""


def test_the_commits_of_another_process_are_events_with_their_author(tmp_path: Path) -> None:
    agent = Agent(tmp_path)
    heard: asyncio.Queue[Event] = asyncio.Queue()

    async def listen(event: Event) -> None:
        await heard.put(event)

    async def main(session: Session) -> list[FileChanged]:
        session.bus.subscribe(listen, FileChanged)
        await session.read("src/app.py")
        await session.edit("src/app.py", "'Bye '", "'See you '")
        own = await heard.get()
        assert own == FileChanged("src/app.py", "change", str(agent.root / "src" / "app.py"))
        command = [sys.executable, "-c", CHILD, str(agent.root), str(tmp_path / "state")]
        done = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True, check=True)
        found: list[FileChanged] = []
        async with asyncio.timeout(60):
            while len(found) < 3:
                event = await heard.get()
                assert isinstance(event, FileChanged)
                found.append(event)
        assert found[0].receipt_id == done.stdout.strip()
        return found

    found = agent.run(main)
    assert [(one.path, one.kind, one.actor) for one in found] == [
        ("src/app.py", "change", "bob"),
        ("src/app.py", "unlink", "bob"),
        ("lib/app.py", "add", "bob"),
    ]
