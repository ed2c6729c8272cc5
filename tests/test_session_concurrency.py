"""A session at work: the order of the steps, events, diagnostics, many calls at once, and what they leave behind."""

from __future__ import annotations

import asyncio
import gc
import sys
import threading
import time
from contextlib import suppress
from contextvars import Context
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.agents import APP, READ, Agent, code, edit
from tests.sites import envelope, updated

from suture.diagnostics import Diagnostic, Report
from suture.events import (
    DiagnosticsReceived,
    FileChanged,
    FileEdited,
    PermissionAsked,
    PermissionReplied,
    SubscriberFailed,
)
from suture.permissions import AllowAll, Answer, ApprovalQueue, Callback
from suture.session import Formatter, session as session_module
from suture.session.queues import Queues

if TYPE_CHECKING:
    from typing import Any

    from suture import Session
    from suture.permissions import Request
    from suture.session import Result


class Fake:
    """A diagnoser that says what it is told to."""

    def __init__(self, state: str = "clean", seconds: float = 0.0, error: Exception | None = None) -> None:
        self.state = state
        self.seconds = seconds
        self.error = error
        self.asked: list[tuple[str, str | None, str]] = []
        self.limits: list[float] = []
        self.closed = False

    async def check(self, path: str, before: str | None, after: str, *, timeout: float) -> Report:  # noqa: ASYNC109
        self.asked.append((path, before, after))
        self.limits.append(timeout)
        assert Path(path).read_bytes().decode() == after  # noqa: ASYNC240 - a small file
        await asyncio.sleep(self.seconds)
        if self.error is not None:
            raise self.error
        found = (Diagnostic(path, 2, 5, 2, 9, "error", "no such name", "E1", "fake"),)
        return Report(path, self.state, found if self.state == "problems" else (), source="fake")  # type: ignore[arg-type]

    async def close(self) -> None:
        self.closed = True


class TestOrder:
    def test_the_steps_come_in_their_order(self, tmp_path: Path) -> None:
        fake = Fake("problems")
        agent = Agent(tmp_path, rules=(), approver=AllowAll(), diagnoser=fake)
        result = agent.call(READ, edit())
        kinds = [type(event) for event in agent.heard]
        assert kinds == [PermissionAsked, PermissionReplied, FileEdited, FileChanged, DiagnosticsReceived]
        assert agent.heard[2] == FileEdited("src/app.py", result.metadata["receipt"])

    @pytest.mark.parametrize(
        ("call", "first"),
        [
            (("edit", {"filePath": "../x"}), "invalid_arguments"),
            (edit("a", "b", "../x"), "outside_workspace"),
            (edit("a", "a", "src/app.py"), "no_change"),
            (edit("a", "b", "lost.py"), "not_found"),
            (edit("lost", "b", "src/app.py"), "not_read"),
        ],
    )
    def test_what_is_wrong_first_is_told(self, tmp_path: Path, call: tuple[str, Any], first: str) -> None:
        """Validate, resolve and guard, the file, the read, the place, the permission: each before what follows."""
        result = Agent(tmp_path, rules=()).call(call)
        assert result.metadata["problems"][0]["code"] == first

    def test_the_place_is_looked_for_before_anybody_is_asked(self, tmp_path: Path) -> None:
        result = Agent(tmp_path, rules=()).call(READ, edit("lost", "b"))
        assert result.metadata["problems"][0]["code"] == "old_text_not_found"


class TestEvents:
    def test_each_kind_of_change(self, tmp_path: Path) -> None:
        agent = Agent(tmp_path)
        agent.put("gone.txt", "x\n")
        patch = envelope(
            "*** Add File: new.txt",
            "+x",
            *updated("src/app.py", "    print('Hi ' + name)", "    pass"),
        )
        agent.call(
            ("read", {"filePath": "gone.txt"}),
            ("apply_patch", {"patchText": patch}),
            ("delete", {"filePath": "gone.txt"}),
            ("move", {"filePath": "new.txt", "toPath": "newer.txt"}),
        )
        assert agent.changed() == [
            ("new.txt", "add"),
            ("src/app.py", "change"),
            ("gone.txt", "unlink"),
            ("new.txt", "unlink"),
            ("newer.txt", "add"),
        ]
        assert agent.edited() == ["new.txt", "src/app.py", "gone.txt", "newer.txt"]

    def test_what_was_refused_is_no_event(self, tmp_path: Path) -> None:
        agent = Agent(tmp_path)
        agent.call(edit(), READ, edit("lost()", "x"))
        assert agent.heard == []

    def test_a_subscriber_that_fails_or_is_slow_holds_nothing_up(self, tmp_path: Path) -> None:
        agent = Agent(tmp_path)
        held = threading.Event()

        def fails(_: object) -> None:
            message = "I can't"
            raise RuntimeError(message)

        async def work(session: Session) -> Result:
            session.bus.subscribe(fails, FileEdited)
            session.bus.subscribe(lambda _: held.wait(20), FileEdited)
            await session.read("src/app.py")
            start = time.monotonic()
            result = await session.edit("src/app.py", "'Hi '", "'Hello '")
            assert time.monotonic() - start < 10
            held.set()
            return result

        assert not agent.run(work).is_error
        (failed,) = [event for event in agent.heard if isinstance(event, SubscriberFailed)]
        assert "I can't" in failed.error


class TestDiagnostics:
    def test_they_stand_behind_the_answer(self, tmp_path: Path) -> None:
        fake = Fake("problems")
        result = Agent(tmp_path, diagnoser=fake).call(READ, edit())
        assert result.output == (
            "Edit applied successfully.\nM src/app.py +1 -1\n"
            "The edit was applied. It introduced 1 error in src/app.py (fake):\n"
            "  line 2, column 5: no such name [E1]"
        )
        assert result.metadata["diagnostics"]["src/app.py"]["state"] == "problems"
        assert not result.is_error
        assert fake.asked == [(str(tmp_path / "root/src/app.py"), APP, APP.replace("'Hi '", "'Hello '"))]
        assert fake.closed

    def test_clean(self, tmp_path: Path) -> None:
        result = Agent(tmp_path, diagnoser=Fake()).call(READ, edit())
        assert result.output.endswith("The edit was applied. fake found no new errors in src/app.py.")

    def test_a_new_file_has_no_text_before_and_a_moved_one_has(self, tmp_path: Path) -> None:
        fake = Fake()
        moved = envelope(
            "*** Update File: src/app.py", "*** Move to: b.py", "@@", "-    print('Hi ' + name)", "+    pass"
        )
        agent = Agent(tmp_path, diagnoser=fake)
        agent.call(("write", {"filePath": "new.py", "content": "x\n"}), ("apply_patch", {"patchText": moved}))
        assert [before for _, before, _ in fake.asked] == [None, APP]

    def test_deleted_renamed_and_binary_files_are_not_asked_about(self, tmp_path: Path) -> None:
        fake = Fake()
        agent = Agent(tmp_path, diagnoser=fake)
        agent.put("odd.txt", b"caf\xe9\n")
        agent.call(
            READ,
            ("move", {"filePath": "src/app.py", "toPath": "b.py"}),
            ("delete", {"filePath": "b.py"}),
            ("read", {"filePath": "odd.txt"}),
            edit("caf", "tea", "odd.txt"),
        )
        assert fake.asked == []

    def test_one_that_hangs_never_holds_the_result_longer_than_its_limit(self, tmp_path: Path) -> None:
        fake = Fake(seconds=60)
        agent = Agent(tmp_path, diagnoser=fake, diagnostics_timeout=0.3)
        agent.call(READ)
        start = time.monotonic()
        result = agent.call(edit())
        assert time.monotonic() - start < 10
        assert fake.limits[0] < 0.3
        assert result.output.endswith("is unknown: there was no answer within 0.3 seconds.")
        assert result.metadata["diagnostics"]["src/app.py"]["state"] == "unknown"

    def test_one_that_will_not_be_cancelled_does_not_hold_it_either(self, tmp_path: Path) -> None:
        class Stubborn(Fake):
            released = False

            async def check(self, path: str, before: str | None, after: str, *, timeout: float) -> Report:  # noqa: ASYNC109, ARG002
                while not self.released:
                    with suppress(asyncio.CancelledError):
                        await asyncio.sleep(0.02)
                return Report(path, "clean")

        stubborn = Stubborn()
        agent = Agent(tmp_path, diagnoser=stubborn, diagnostics_timeout=0.1)

        async def work(session: Session) -> Result:
            await session.read("src/app.py")
            try:
                return await session.edit("src/app.py", "'Hi '", "'Hello '")
            finally:
                stubborn.released = True

        assert "is unknown" in agent.run(work).output

    def test_one_that_fails_is_told_as_unknown(self, tmp_path: Path) -> None:
        result = Agent(tmp_path, diagnoser=Fake(error=RuntimeError("broken"))).call(READ, edit())
        assert not result.is_error
        assert result.output.endswith("is unknown: the check failed (RuntimeError: broken).")

    def test_one_that_leaves_a_file_out_is_told_as_unknown(self, tmp_path: Path) -> None:
        class Forgetful(Fake):
            async def check_all(self, _: object, *, timeout: float) -> list[Report]:  # noqa: ARG002, ASYNC109
                return []

        result = Agent(tmp_path, diagnoser=Forgetful()).call(READ, edit())
        assert result.output.endswith("is unknown: the check left out a file.")

    def test_they_see_what_the_formatter_has_made(self, tmp_path: Path) -> None:
        swap = (sys.executable, "-c", "import sys; print(sys.stdin.read().replace('Hello', 'HELLO'), end='')")
        fake = Fake()
        Agent(tmp_path, diagnoser=fake, formatters=[Formatter("**/*.py", swap)]).call(READ, edit())
        assert fake.asked[0][2] == APP.replace("'Hi '", "'HELLO '")


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
        agent = Agent(tmp_path, diagnoser=Fake(seconds=0.5))

        async def work(session: Session) -> float:
            start = time.monotonic()
            await asyncio.gather(*(session.write(f"{n}.txt", "x\n") for n in range(20)))
            return time.monotonic() - start

        assert agent.run(work) < 8

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
            await asyncio.sleep(0.05)
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
            assert go_on.wait(20)
            return commit(*given, **more)

        agent.workspace.commit = slow  # type: ignore[method-assign]

        async def work(session: Session) -> Result:
            await session.read("src/app.py")
            task = asyncio.create_task(session.edit("src/app.py", "'Hi '", "'Hello '"))
            assert await asyncio.to_thread(begun.wait, 20)
            task.cancel()
            await asyncio.sleep(0.05)
            task.cancel()
            assert not task.done()
            go_on.set()
            await asyncio.wait([task])
            assert task.cancelled()
            # It was written, told and remembered, so that the next call finds it so.
            return await session.edit("src/app.py", "'Hello '", "'Hey '")

        assert not agent.run(work).is_error
        assert agent.edited() == ["src/app.py", "src/app.py"]


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="no /proc here")
def test_many_edits_leave_nothing_behind(tmp_path: Path) -> None:
    """No growth in objects, open files or threads; benchmarks/speed does it with 1,000 edits."""
    agent = Agent(tmp_path)
    agent.put("n.txt", "value = 0\n")

    def held() -> tuple[int, int, int]:
        gc.collect()
        return len(gc.get_objects()), len(list(Path("/proc/self/fd").iterdir())), threading.active_count()

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


def test_a_session_that_is_closed_has_closed_its_diagnoser(tmp_path: Path) -> None:
    fake = Fake()
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
            return await asyncio.wait_for(asyncio.gather(*calls), 10)

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
            async with session._queues.turn(["a"]):
                await asyncio.wait_for(session.close(), 10)

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
                return asyncio.run_coroutine_threadsafe(in_loop(request), loop).result(10)

            session.permissions.approver = Callback(blocking if in_thread else in_loop)
            return await asyncio.wait_for(session.call(*edit()), 10)

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

    def test_a_subscriber_may_call_tools_on_the_file_that_it_hears_of(self, tmp_path: Path) -> None:
        """It is not waited for, so it waits for its turn like anybody else."""
        agent = Agent(tmp_path, diagnoser=Fake(seconds=0.05))
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
