"""What others commit, also in other processes, is told to a session as events with an author."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from errno import EMFILE
from threading import Event as ThreadEvent
from typing import TYPE_CHECKING

from tests.shared.agents import Agent

from suture import PatchRejectedError, Problem, Workspace
from suture.agent import FileChanged, commit_feed
from suture.agent.commit_feed import CommitFeed

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from suture import Session
    from suture.agent import Event
    from suture.core.outcome import Receipt

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


def test_a_history_that_can_not_be_read_for_a_moment_ends_no_feed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such as without free descriptors, or while another process locks it."""
    agent = Agent(tmp_path)
    place, other = agent.session.tree, Workspace(agent.root, state_dir=tmp_path / "state", durability="process")
    failures: list[Exception] = []
    read, was_read = place.log, ThreadEvent()

    def log(*given: int) -> list[Receipt]:
        if failures:
            raise failures.pop()
        receipts = read(*given)
        was_read.set()
        return receipts

    def fail() -> None:
        failures.extend([OSError(EMFILE, "no descriptors"), PatchRejectedError([Problem("locked", "It is locked.")])])

    monkeypatch.setattr(commit_feed, "PAUSE", 0.0)
    monkeypatch.setattr(place, "log", log)

    async def main() -> FileChanged:
        heard: asyncio.Queue[object] = asyncio.Queue()
        feed = CommitFeed(place, "me")
        fail()
        task = asyncio.ensure_future(feed.run(heard.put_nowait))
        async with asyncio.timeout(60):
            assert await asyncio.to_thread(was_read.wait, 60)
            fail()
            other.edit("src/app.py", "'Hi '", "'Hey '")
            event = await heard.get()
        task.cancel()
        assert isinstance(event, FileChanged)
        return event

    event = asyncio.run(main())
    assert (event.path, event.kind, failures) == ("src/app.py", "change", [])
