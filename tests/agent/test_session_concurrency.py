"""Many calls of a session at once, calls within calls, and what they leave behind."""

from __future__ import annotations

import asyncio
import gc
import threading
import time
from contextvars import Context
from typing import TYPE_CHECKING

import pytest
from tests.shared.agents import READ, Agent, FakeDiagnoser, code, edit
from tests.shared.listeners import turns_of_the_loop
from tests.shared.processes import open_files

from suture.agent import Answer, Callback, FileEdited
from suture.agent.queues import Queues

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    from suture import Session
    from suture.agent import Request, Result
    from suture.agent.diagnostics.report import Report


class TestManyAtOnce:
    def test_fifty_edits_of_one_file_all_land_in_their_order(self, tmp_path: Path) -> None:
        agent = Agent(tmp_path)
        agent.put("list.txt", "end\n")

        async def work(session: Session) -> list[Result]:
            await session.read("list.txt")
            calls = [
                session.call("edit", {"filePath": "list.txt", "oldString": "end\n", "newString": f"{n}\nend\n"})
                for n in range(50)
            ]
            return await asyncio.gather(*calls)

        assert not any(result.is_error for result in agent.run(work))
        assert agent.text("list.txt") == "".join(f"{n}\n" for n in range(50)) + "end\n"

    def test_different_files_run_side_by_side(self, tmp_path: Path) -> None:
        together = asyncio.Barrier(20)

        class Meeting(FakeDiagnoser):
            """Answers nobody before it has been asked about all files."""

            async def check(self, path: str, before: str | None, after: str, *, timeout: float) -> Report:  # noqa: ASYNC109
                await together.wait()
                return await super().check(path, before, after, timeout=timeout)

        agent = Agent(tmp_path, diagnoser=Meeting(), diagnostics_timeout=1000)

        async def work(session: Session) -> list[Result]:
            return await asyncio.gather(*(session.write(f"{n}.txt", "x\n") for n in range(20)))

        assert not any(result.is_error for result in agent.run(work))

    def test_two_names_of_one_file_are_one_file(self, tmp_path: Path) -> None:
        agent = Agent(tmp_path)
        (agent.root / "link.py").symlink_to("src/app.py")

        async def work(session: Session) -> list[Result]:
            await session.read("src/app.py")
            calls = [session.edit("src/app.py", "'Hi '", "'Hey '"), session.edit("link.py", "'Hey '", "'Hello '")]
            return await asyncio.gather(*calls)

        agent.run(work)
        assert "'Hello '" in agent.text("src/app.py")

    def test_who_came_first_goes_first_also_with_several_files(self) -> None:
        async def main() -> list[str]:
            queues, done = Queues(), list[str]()
            free = asyncio.Event()

            async def call(name: str, *paths: str) -> None:
                async with queues.turn(paths):
                    if name == "first":
                        await free.wait()
                    done.append(name)

            calls = [("first", "a"), ("both", "a", "b"), ("last", "b"), ("other", "c")]
            tasks = [asyncio.create_task(call(*one)) for one in calls]
            await turns_of_the_loop()
            assert done == ["other"]
            free.set()
            await asyncio.gather(*tasks)
            assert queues._queues == {}
            return done

        assert asyncio.run(main()) == ["other", "first", "both", "last"]

    def test_who_gives_up_leaves_the_queue(self) -> None:
        async def main() -> None:
            queues = Queues()

            async def call() -> None:
                async with queues.turn("ab"):
                    pass

            async with queues.turn("a"):
                waiting = [asyncio.create_task(call(), context=Context()) for _ in range(3)]
                await asyncio.sleep(0)
                waiting[0].cancel()
                await asyncio.wait(waiting[:1])
            await asyncio.gather(*waiting[1:])
            assert queues._queues == {}

        asyncio.run(main())

    def test_a_call_that_is_cancelled_while_it_writes_is_brought_to_its_end(self, tmp_path: Path) -> None:
        agent = Agent(tmp_path)
        begun, go_on = threading.Event(), threading.Event()
        commit = agent.workspace.commit

        def slow(*given: Any, **more: Any) -> Any:
            begun.set()
            assert go_on.wait(60)
            return commit(*given, **more)

        agent.workspace.commit = slow  # type: ignore[method-assign]

        async def work(session: Session) -> Result:
            await session.read("src/app.py")
            task = asyncio.create_task(session.edit("src/app.py", "'Hi '", "'Hello '"))
            assert await asyncio.to_thread(begun.wait, 20)
            task.cancel()
            await turns_of_the_loop()
            task.cancel()
            assert not task.done()
            go_on.set()
            await asyncio.wait([task])
            assert task.cancelled()
            # It was written, told and remembered, so that the next call finds it so.
            return await session.edit("src/app.py", "'Hello '", "'Hey '")

        assert not agent.run(work).is_error
        assert agent.edited() == ["src/app.py", "src/app.py"]


def test_many_edits_leave_nothing_behind(tmp_path: Path) -> None:
    """No growth in objects, open files or threads; benchmarks/speed does it with 1,000 edits."""
    agent = Agent(tmp_path)
    agent.put("n.txt", "value = 0\n")

    def held() -> tuple[int, int, int]:
        gc.collect()
        return len(gc.get_objects()), open_files(), threading.active_count()

    async def work(session: Session) -> None:
        await session.read("n.txt")
        await asyncio.gather(*(asyncio.to_thread(time.sleep, 0.05) for _ in range(64)))
        before = held()
        for number in range(120):
            await session.edit("n.txt", f"value = {number}\n", f"value = {number + 1}\n")
            if number == 20:
                before = held()
        await session.bus.drain(5)
        agent.heard.clear()
        after = held()
        assert after[0] < before[0] + 1000
        assert all(now <= then + 1 for now, then in zip(after[1:], before[1:], strict=True))

    agent.run(work)


class TestCallsWithinCalls:
    """Whoever is asked by a call and calls the session would wait for that call, which waits for the answer."""

    def asked(self, folder: Path, name: str, *, in_thread: bool) -> tuple[Result, Result]:
        """What an approver is told that reads a file while it is asked about an edit, and what became of that."""
        inner: list[Result] = []
        agent = Agent(folder, rules=(), reads={"edit": "off"})
        agent.put("other.txt", "x\n")

        async def in_loop(_: Request) -> Answer:
            inner.append(await agent.session.call("read", {"filePath": name}))
            return Answer.once()

        async def work(session: Session) -> Result:
            loop = asyncio.get_running_loop()

            def blocking(request: Request) -> Answer:
                return asyncio.run_coroutine_threadsafe(in_loop(request), loop).result(60)

            session.permissions.approver = Callback(blocking if in_thread else in_loop)
            return await asyncio.wait_for(session.call(*edit()), 60)

        result: Result = agent.run(work)
        return inner[0], result

    @pytest.mark.parametrize("in_thread", [False, True])
    def test_an_approver_that_calls_a_tool_on_the_same_file_is_refused(self, tmp_path: Path, in_thread: bool) -> None:
        inner, result = self.asked(tmp_path, "src/app.py", in_thread=in_thread)
        assert code(inner) == "locked"
        assert "Answer that call first" in inner.output
        assert not result.is_error

    @pytest.mark.parametrize("in_thread", [False, True])
    def test_an_approver_may_call_tools_on_other_files(self, tmp_path: Path, in_thread: bool) -> None:
        inner, result = self.asked(tmp_path, "other.txt", in_thread=in_thread)
        assert inner.output == "     1\tx"
        assert not result.is_error

    def test_an_approver_of_another_session_cannot_come_back_to_the_file_either(self, tmp_path: Path) -> None:
        """The first session asks, its approver edits in the second, whose approver reads the first file: a circle."""
        first, second = (Agent(tmp_path / name, rules=(), reads={"edit": "off"}) for name in ("first", "second"))
        inner: list[Result] = []

        async def read_the_first_file(_: Request) -> Answer:
            inner.append(await first.session.call(*READ))
            return Answer.once()

        async def edit_in_the_second(_: Request) -> Answer:
            inner.append(await second.session.call(*edit()))
            return Answer.once()

        async def work(session: Session) -> Result:
            session.permissions.approver = Callback(edit_in_the_second)
            second.session.permissions.approver = Callback(read_the_first_file)
            try:
                return await asyncio.wait_for(session.call(*edit()), 60)
            finally:
                await second.session.close()

        result: Result = first.run(work)
        assert [one.is_error for one in (*inner, result)] == [True, False, False]
        assert code(inner[0]) == "locked"

    def test_an_approver_may_read_the_file_through_another_session(self, tmp_path: Path) -> None:
        """The queue of one session is not that of another: nobody waits there."""
        first, second = (Agent(tmp_path, rules=(), reads={"edit": "off"}) for _ in range(2))
        inner: list[Result] = []

        async def read_in_the_second(_: Request) -> Answer:
            inner.append(await second.session.call(*READ))
            return Answer.once()

        async def work(session: Session) -> Result:
            session.permissions.approver = Callback(read_in_the_second)
            try:
                return await asyncio.wait_for(session.call(*edit()), 60)
            finally:
                await second.session.close()

        result: Result = first.run(work)
        assert [one.is_error for one in (*inner, result)] == [False, False]

    def test_a_call_that_is_over_locks_nothing_for_what_it_has_started(self, tmp_path: Path) -> None:
        agent = Agent(tmp_path, rules=(), reads={"edit": "off"})
        later: list[asyncio.Task[Result]] = []
        is_over = asyncio.Event()

        async def read_later() -> Result:
            await is_over.wait()
            return await agent.session.call(*READ)

        async def start_reading(_: Request) -> Answer:
            later.append(asyncio.create_task(read_later()))
            return Answer.once()

        async def work(session: Session) -> Result:
            session.permissions.approver = Callback(start_reading)
            await session.call(*edit())
            is_over.set()
            return await later[0]

        assert not agent.run(work).is_error

    def test_a_subscriber_may_call_tools_on_the_file_that_it_hears_of(self, tmp_path: Path) -> None:
        """It is not waited for, so it waits for its turn like anybody else."""
        agent = Agent(tmp_path, diagnoser=FakeDiagnoser(seconds=0.05))
        shown: list[Result] = []

        async def work(session: Session) -> None:
            async def look(event: FileEdited) -> None:
                shown.append(await session.call("read", {"filePath": event.path}))

            session.bus.subscribe(look, FileEdited)
            await session.call(*READ)
            await session.call(*edit())
            assert await session.bus.drain(10)

        agent.run(work)
        assert [result.is_error for result in shown] == [False]
        assert "'Hello '" in shown[0].output

    def test_a_task_of_a_call_that_is_over_may_call_tools_on_its_file(self, tmp_path: Path) -> None:
        later: list[asyncio.Task[Result]] = []
        go_on = asyncio.Event()

        async def afterwards(session: Session) -> Result:
            await go_on.wait()
            return await session.call(*READ)

        async def answer(_: Request) -> Answer:
            later.append(asyncio.create_task(afterwards(agent.session)))
            return Answer.once()

        agent = Agent(tmp_path, rules=(), approver=Callback(answer), reads={"edit": "off"})

        async def work(session: Session) -> Result:
            await session.call(*edit())
            go_on.set()
            return await later[0]

        assert not agent.run(work).is_error
