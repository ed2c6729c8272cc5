"""What a thread of a call raises always ends the call: asyncio alone would wait forever for a StopIteration."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from tests.shared.agents import APP, READ, Agent, code, edit

from suture import Session, Workspace
from suture.agent import Callback
from suture.agent.search_turns import SearchTurns
from suture.agent.threads import LostExceptionError, in_thread

if TYPE_CHECKING:
    from pathlib import Path
    from typing import NoReturn

    from suture.agent import Result


def stops() -> NoReturn:
    raise StopIteration


@pytest.mark.timeout(60)
def test_a_stop_iteration_while_a_call_is_planned_is_a_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    agent = Agent(tmp_path)

    async def work(session: Session) -> tuple[Result, Result]:
        await session.call(*READ)
        with monkeypatch.context() as patched:
            patched.setattr(Workspace, "plan_edit", lambda *_, **__: stops())
            first = await session.call(*edit())
        # Its turn has ended, so the next call on the file has one.
        return first, await session.call(*edit())

    first, second = agent.run(work)
    assert first.is_error
    assert code(first) == "io_error"
    assert "StopIteration" in first.output
    assert not second.is_error
    assert agent.text("src/app.py") != APP


@pytest.mark.timeout(60)
def test_a_thread_hands_on_that_its_work_stopped() -> None:
    with pytest.raises(LostExceptionError):
        asyncio.run(in_thread(stops))
    with pytest.raises(LostExceptionError):
        asyncio.run(SearchTurns().run(stops, stops))


@pytest.mark.timeout(60)
def test_an_approver_that_stops_is_one_that_failed(tmp_path: Path) -> None:
    agent = Agent(tmp_path, rules=(), approver=Callback(lambda _: stops()))
    assert code(agent.call(READ, edit())) == "rejected"
    assert agent.text("src/app.py") == APP
