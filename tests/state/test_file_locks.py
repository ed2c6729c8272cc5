"""Locks of files for hosts: against other calls of a session, and against other commits."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from tests.shared.agents import APP, READ, Agent, code, edit

from suture import PatchRejectedError, Workspace

if TYPE_CHECKING:
    from pathlib import Path

    from suture import Session
    from suture.agent import Result


def test_a_tool_called_inside_of_the_lock_is_refused_instead_of_waiting_forever(tmp_path: Path) -> None:
    agent = Agent(tmp_path)
    agent.call(READ)

    async def work(session: Session) -> tuple[Result, Result]:
        async with session.lock("src/app.py"):
            other = await session.call("write", {"filePath": "other.txt", "content": "x\n"})
            return await session.call(*edit()), other

    same, other = agent.run(work)
    assert code(same) == "locked"
    assert not other.is_error
    assert agent.text("src/app.py") == APP


def test_a_call_that_came_from_elsewhere_waits_for_the_lock(tmp_path: Path) -> None:
    agent = Agent(tmp_path)
    agent.call(READ)

    async def work(session: Session) -> Result:
        ready, go = asyncio.Event(), asyncio.Event()

        async def call() -> Result:
            await go.wait()
            ready.set()
            return await session.call(*edit())

        task = asyncio.create_task(call())
        async with session.lock("src/app.py"):
            go.set()
            await ready.wait()
            await asyncio.sleep(0)
            assert agent.text("src/app.py") == APP
        return await task

    assert not agent.run(work).is_error
    assert "Hello" in agent.text("src/app.py")


def test_a_path_that_may_not_be_touched_can_not_be_locked(tmp_path: Path) -> None:
    agent = Agent(tmp_path, rules=[("read", "src", "deny")])
    for path in ("src/app.py", "../elsewhere"):
        with pytest.raises(PatchRejectedError):
            agent.session.lock(path)


def test_no_other_process_commits_a_locked_file(tmp_path: Path) -> None:
    agent = Agent(tmp_path)
    program = (
        "import sys; from suture import Workspace, PatchRejectedError\n"
        "workspace = Workspace(sys.argv[1], state_dir=sys.argv[2], lock_timeout=0.05)\n"
        "try: workspace.write(sys.argv[3], 'theirs'); print('done')\n"
        "except PatchRejectedError as error: print(error.problems[0].code)\n"
    )

    def other(name: str) -> str:
        arguments = [sys.executable, "-c", program, str(agent.root), str(tmp_path / "state"), name]
        return subprocess.run(arguments, capture_output=True, text=True, check=True).stdout.strip()

    with agent.workspace.lock("src/app.py"):
        assert (other("src/app.py"), other("free.txt")) == ("locked", "done")
    assert other("src/app.py") == "done"


def test_a_lock_times_out(tmp_path: Path) -> None:
    agent = Agent(tmp_path)
    other = Workspace(agent.root, state_dir=tmp_path / "state", lock_timeout=0.01)
    with agent.workspace.lock("src/app.py", actor="a host"), pytest.raises(PatchRejectedError) as caught:
        other.lock("src/app.py").__enter__()
    assert caught.value.problems[0].code == "locked"
    assert "a host" in str(caught.value)
