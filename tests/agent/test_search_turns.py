"""Many searches at once: they hold up nothing else, few run at a time, and what was cancelled has ended."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING

from tests.shared.agents import Agent, code

from suture import Session
from suture.agent.agent_limits import MOST_RUNNING, MOST_WAITING
from suture.agent.search_turns import SearchTurns

if TYPE_CHECKING:
    from pathlib import Path

    from suture.agent import Result

#: An expression that takes as long as a search may, in a file of `a` and one `b`.
SLOW = {"pattern": "(a+)+$"}
MOST = MOST_RUNNING + MOST_WAITING


def agent(folder: Path) -> Agent:
    made = Agent(folder, profile="all")
    made.put("slow.txt", "a" * 40 + "b")
    return made


def start(session: Session, count: int) -> list[asyncio.Task[Result]]:
    """Start slow searches."""
    return [asyncio.create_task(session.call("grep", SLOW)) for _ in range(count)]


async def cancel(tasks: list[asyncio.Task[Result]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def test_slow_searches_hold_up_neither_reads_nor_writes_nor_another_session(tmp_path: Path) -> None:
    one = agent(tmp_path)

    async def work(session: Session) -> None:
        slow = start(session, MOST)
        await asyncio.sleep(0)
        other = Session(one.workspace, rules=[("edit", "*", "allow")], profile="all")
        for name, arguments in (
            ("read", {"filePath": "src/app.py"}),
            ("edit", {"filePath": "src/app.py", "oldString": "Hi", "newString": "Hello"}),
            ("grep", {"pattern": "Hello"}),
        ):
            result = await other.call(name, arguments)
            assert not result.is_error, result.output
        assert not any(task.done() for task in slow)
        await cancel(slow)

    one.run(work)


def test_too_many_searches_of_a_session_are_refused(tmp_path: Path) -> None:
    async def work(session: Session) -> None:
        slow = start(session, MOST + 1)
        (refused,) = (await asyncio.wait(slow, return_when=asyncio.FIRST_COMPLETED))[0]
        result = refused.result()
        assert code(result) == "locked"
        assert f"{MOST} searches of this session are running or waiting, so this one was not started." in result.output
        await cancel(slow)

    agent(tmp_path).run(work)


def test_a_search_that_is_cancelled_ends_and_gives_its_turn_to_the_next(tmp_path: Path) -> None:
    one = agent(tmp_path)

    async def work(session: Session) -> None:
        await cancel(start(session, MOST))
        slow = start(session, MOST_RUNNING)
        later = asyncio.create_task(session.call("grep", {"pattern": "^def part"}))
        await asyncio.sleep(0)
        await cancel(slow)
        assert (await later).output == "src/app.py:5:def part(name):"

    one.run(work)


def test_few_searches_of_a_session_run_at_a_time() -> None:
    free = threading.Event()
    counts: list[int] = []
    running: set[int] = set()

    def search(number: int) -> int:
        running.add(number)
        counts.append(len(running))
        assert free.wait(30)
        running.discard(number)
        return number

    async def main() -> list[int]:
        turns = SearchTurns()
        tasks = [asyncio.create_task(turns.run(lambda n=n: search(n), free.set)) for n in range(8)]  # type: ignore[misc]
        await asyncio.sleep(0)
        free.set()
        return await asyncio.gather(*tasks)

    assert asyncio.run(main()) == list(range(8))
    assert max(counts) <= MOST_RUNNING
