"""Closing a session: calls that still run, and its diagnoser."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import TYPE_CHECKING

from tests.shared.agents import APP, Agent, FakeDiagnoser, code, edit

from suture.agent import ApprovalQueue, PermissionReplied, session as session_module

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    import pytest

    from suture import Session
    from suture.agent import Result


def test_a_session_that_is_closed_has_closed_its_diagnoser(tmp_path: Path) -> None:
    fake = FakeDiagnoser()
    agent = Agent(tmp_path, diagnoser=fake)

    async def work(session: Session) -> None:
        async with session:
            await session.read("src/app.py")

    agent.run(work)
    assert fake.closed


class TestClosing:
    def test_what_waits_for_an_answer_is_refused_and_told_as_withdrawn(self, tmp_path: Path) -> None:
        queue = ApprovalQueue()
        agent = Agent(tmp_path, rules=(), approver=queue, reads={"edit": "off"})

        async def work(session: Session) -> list[Result]:
            # The second waits for its turn, and would ask when it has come.
            calls = [asyncio.create_task(session.call(*edit())) for _ in range(2)]
            await anext(aiter(queue))
            await session.close()
            return await asyncio.wait_for(asyncio.gather(*calls), 60)

        for result in agent.run(work):
            assert (code(result), result.metadata["problems"][0]["details"]["reason"]) == ("rejected", "closed")
            assert "the session was closed" in result.output
        assert queue.pending() == ()
        assert agent.text("src/app.py") == APP
        kinds = [event.answer.kind for event in agent.heard if isinstance(event, PermissionReplied)]
        assert kinds == ["withdrawn"]

    def test_a_commit_that_is_under_way_is_finished_and_told(self, tmp_path: Path) -> None:
        agent = Agent(tmp_path)
        begun = threading.Event()
        commit = agent.workspace.commit

        def slow(*given: Any, **more: Any) -> Any:
            begun.set()
            time.sleep(0.1)
            return commit(*given, **more)

        agent.workspace.commit = slow  # type: ignore[method-assign]

        async def work(session: Session) -> bool:
            await session.read("src/app.py")
            task = asyncio.create_task(session.call(*edit()))
            assert await asyncio.to_thread(begun.wait, 20)
            await session.close()
            return task.done() and not task.result().is_error

        assert agent.run(work)
        assert agent.edited() == ["src/app.py"]

    def test_a_call_that_does_not_end_is_not_waited_for_for_ever(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(session_module, "CLOSING", 0.05)
        agent = Agent(tmp_path)

        async def work(session: Session) -> None:
            async with session.queues.turn(["a"]):
                await asyncio.wait_for(session.close(), 60)

        agent.run(work)
