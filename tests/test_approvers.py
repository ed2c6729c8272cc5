"""Approvers: who is asked, and that a question neither hangs nor gets lost, whoever answers and whoever dies."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from suture.permissions import approval_folder
from suture.permissions.answers import Answer
from suture.permissions.approval_folder import ApprovalFolder, NotPendingError
from suture.permissions.approvers import AllowAll, ApprovalQueue, Callback, DenyAll
from suture.permissions.requests import Request, RequestedFile


def request(name: str = "r1") -> Request:
    return Request(name, "edit", (RequestedFile("a.py", "/w/a.py", hunks=("@@ -1 +1 @@\n-a\n+b\n",)),), ("a.py",))


def test_allow_all_says_yes_and_deny_all_says_no_and_why() -> None:
    assert asyncio.run(AllowAll().ask(request())) == Answer.once()
    assert asyncio.run(DenyAll("not now").ask(request())) == Answer.reject("not now")


class TestCallback:
    def test_an_async_function_is_asked_in_the_loop(self) -> None:
        async def answer(one: Request) -> Answer:
            await asyncio.sleep(0)
            return Answer.reject(f"{one.id} in {threading.current_thread().name}")

        assert asyncio.run(Callback(answer).ask(request())) == Answer.reject("r1 in MainThread")

    def test_a_sync_function_is_asked_in_a_thread_so_that_it_may_wait(self) -> None:
        async def main() -> Answer:
            go_on = threading.Event()

            def answer(_: Request) -> Answer:
                go_on.wait(5)
                return Answer.once(threading.current_thread().name)

            asking = asyncio.create_task(Callback(answer).ask(request()))
            await asyncio.sleep(0.001)
            assert not asking.done()
            go_on.set()
            return await asking

        assert asyncio.run(main()) == Answer.once("suture: approver")

    def test_a_function_that_exits_has_failed_and_leaves_no_open_question(self) -> None:
        async def main() -> Answer:
            return await asyncio.wait_for(Callback(lambda _: sys.exit(1)).ask(request()), 10)

        with pytest.raises(RuntimeError, match="exit"):
            asyncio.run(main())

    def test_a_function_that_gives_a_coroutine_is_waited_for(self) -> None:
        async def answer() -> Answer:
            await asyncio.sleep(0)
            return Answer.once()

        assert asyncio.run(Callback(lambda _: answer()).ask(request())) == Answer.once()

    def test_an_error_comes_out_where_it_was_asked(self) -> None:
        def answer(_: Request) -> Answer:
            raise ConnectionError

        with pytest.raises(ConnectionError):
            asyncio.run(Callback(answer).ask(request()))

    def test_a_function_that_never_returns_keeps_neither_the_caller_nor_the_loop(self) -> None:
        never = threading.Event()

        def answer(_: Request) -> Answer:
            never.wait(5)
            return Answer.once()

        async def main() -> None:
            async with asyncio.timeout(0.002):
                await Callback(answer).ask(request())

        with pytest.raises(TimeoutError):
            asyncio.run(main())
        never.set()


class TestQueue:
    def test_another_task_answers_what_it_iterates_over(self) -> None:
        async def main() -> list[Answer]:
            queue = ApprovalQueue()

            async def answer_all() -> None:
                async for one in queue:
                    queue.reply(one.id, Answer.reject(f"about {one.id}"))

            answering = asyncio.create_task(answer_all())
            answers = await asyncio.gather(*[queue.ask(request(name)) for name in "abc"])
            queue.close()
            await answering
            return answers

        assert asyncio.run(main()) == [Answer.reject(f"about {name}") for name in "abc"]

    def test_several_wait_at_once_and_are_answered_in_any_order(self) -> None:
        async def main() -> None:
            queue = ApprovalQueue()
            asking = {name: asyncio.create_task(queue.ask(request(name))) for name in "abc"}
            await asyncio.sleep(0)
            assert queue.pending() == (request("a"), request("b"), request("c"))
            queue.reply("b", Answer.once())
            assert queue.pending() == (request("a"), request("c"))
            assert await asking["b"] == Answer.once()
            queue.reply("c", Answer.reject())
            queue.reply("a", Answer.always())
            assert (await asking["a"], await asking["c"]) == (Answer.always(), Answer.reject())

        asyncio.run(main())

    def test_another_thread_may_answer(self) -> None:
        async def main() -> Answer:
            queue = ApprovalQueue()
            asking = asyncio.create_task(queue.ask(request()))
            await asyncio.sleep(0)
            await asyncio.to_thread(queue.reply, "r1", Answer.once())
            return await asking

        assert asyncio.run(main()) == Answer.once()

    def test_a_later_answer_is_told_what_became_of_the_request(self) -> None:
        async def main() -> None:
            queue = ApprovalQueue()
            with pytest.raises(NotPendingError, match="never made"):
                queue.reply("r1", Answer.once())
            asking = asyncio.create_task(queue.ask(request()))
            await asyncio.sleep(0)
            queue.reply("r1", Answer.once())
            with pytest.raises(NotPendingError, match="it was answered"):
                queue.reply("r1", Answer.reject())
            assert await asking == Answer.once()
            withdrawn = asyncio.create_task(queue.ask(request("r2")))
            await asyncio.sleep(0)
            withdrawn.cancel()
            await asyncio.wait([withdrawn])
            with pytest.raises(NotPendingError, match="withdrawn by the caller"):
                queue.reply("r2", Answer.once())

        asyncio.run(main())

    def test_what_is_no_answer_is_refused_and_the_request_stays_open(self) -> None:
        async def main() -> Answer:
            queue = ApprovalQueue()
            asking = asyncio.create_task(queue.ask(request()))
            await asyncio.sleep(0)
            with pytest.raises(ValueError, match="has 1 hunk; there is no hunk 2"):
                queue.reply("r1", Answer.some({"a.py": [2]}))
            queue.reply("r1", Answer.some({"a.py": [1]}))
            return await asking

        assert asyncio.run(main()) == Answer.some({"a.py": [1]})

    def test_each_iteration_sees_what_is_open_and_what_comes_but_not_what_has_closed_requests(self) -> None:
        async def main() -> tuple[list[str], list[str]]:
            queue = ApprovalQueue()
            asking = [asyncio.create_task(queue.ask(request(name))) for name in "ab"]
            await asyncio.sleep(0)
            one, two = aiter(queue), aiter(queue)
            seen_one, seen_two = [(await anext(one)).id], [(await anext(two)).id]
            queue.reply("a", Answer.once())
            queue.reply("b", Answer.once())
            asking.append(asyncio.create_task(queue.ask(request("c"))))
            seen_one.append((await anext(one)).id)
            seen_two.append((await anext(two)).id)
            queue.close("enough")
            seen_one += [last.id async for last in one]
            seen_two += [last.id async for last in two]
            assert await asyncio.gather(*asking) == [Answer.once(), Answer.once(), Answer.reject("enough")]
            return seen_one, seen_two

        assert asyncio.run(main()) == (["a", "c"], ["a", "c"])

    def test_a_closed_queue_takes_nothing_and_iterates_over_nothing(self) -> None:
        async def main() -> list[Request]:
            queue = ApprovalQueue()
            queue.close()
            with pytest.raises(ValueError, match="closed"):
                await queue.ask(request())
            return [one async for one in queue]

        assert asyncio.run(main()) == []

    def test_one_id_can_be_open_once_only(self) -> None:
        async def main() -> None:
            queue = ApprovalQueue()
            asking = asyncio.create_task(queue.ask(request()))
            await asyncio.sleep(0)
            with pytest.raises(ValueError, match="already pending"):
                await queue.ask(request())
            queue.reply("r1", Answer.once())
            assert await asking == Answer.once()

        asyncio.run(main())

    def test_an_answer_for_a_loop_that_is_closed_is_told_so(self) -> None:
        queue = ApprovalQueue()
        queue._open["r1"] = (request(), _future_of_a_closed_loop())
        with pytest.raises(NotPendingError, match="closed"):
            queue.reply("r1", Answer.once())

    def test_what_closed_requests_is_remembered_within_a_bound(self) -> None:
        async def main() -> int:
            queue = ApprovalQueue()
            for number in range(1100):
                asking = asyncio.create_task(queue.ask(request(str(number))))
                await asyncio.sleep(0)
                queue.reply(str(number), Answer.once())
                await asking
            return len(queue._closed_requests)

        assert asyncio.run(main()) == 1000


def _future_of_a_closed_loop() -> asyncio.Future[Answer]:
    loop = asyncio.new_event_loop()
    future: asyncio.Future[Answer] = loop.create_future()
    loop.close()
    return future


#: Waits until there is a request, and does with it what the third argument says.
ANSWERER = """
import os, sys, time
from suture.permissions.answers import Answer
from suture.permissions.approval_folder import ApprovalFolder
folder, how = ApprovalFolder(sys.argv[1]), sys.argv[2]
while not (found := folder.pending()):
    time.sleep(0.001)
(request,) = found
if how == "answers":
    folder.reply(request.id, Answer.some({request.files[0].path: [1]}, "from another process"))
elif how == "is killed":
    # The answer is half written, and that is the end of it.
    (folder.path / request.id / "half.tmp").write_text('{"kind": "on')
    os.kill(os.getpid(), 9)
"""
#: Asks, says so, and waits for ever.
ASKER = """
import asyncio, sys
from suture.permissions.approvers import ApprovalQueue
from suture.permissions.requests import Request
async def main():
    asking = asyncio.create_task(ApprovalQueue(sys.argv[1]).ask(Request("dead", "edit")))
    await asyncio.sleep(0)
    print("asked", flush=True)
    await asking
asyncio.run(main())
"""


def another_process(program: str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", program, *arguments], stdout=subprocess.PIPE, text=True)


@pytest.fixture
def folder(tmp_path: Path) -> ApprovalFolder:
    return ApprovalFolder(tmp_path / "approvals", poll=0.001)


class TestProcesses:
    def test_another_process_answers(self, folder: ApprovalFolder) -> None:
        with another_process(ANSWERER, str(folder.path), "answers") as process:
            answer = asyncio.run(asyncio.wait_for(ApprovalQueue(folder).ask(request()), 10))
        assert process.returncode == 0
        assert answer == Answer.some({"a.py": [1]}, "from another process")
        assert list(folder.path.iterdir()) == []

    def test_one_that_dies_while_it_answers_leaves_the_request_open_for_another(self, folder: ApprovalFolder) -> None:
        async def main() -> Answer:
            asking = asyncio.create_task(ApprovalQueue(folder).ask(request()))
            with another_process(ANSWERER, str(folder.path), "is killed") as first:
                assert await asyncio.to_thread(first.wait) == -9
            assert folder.pending() == [request()]
            assert not asking.done()
            with another_process(ANSWERER, str(folder.path), "answers") as second:
                assert await asyncio.to_thread(second.wait) == 0
            return await asyncio.wait_for(asking, 10)

        assert asyncio.run(main()).message == "from another process"
        assert list(folder.path.iterdir()) == []

    def test_the_requests_of_a_process_that_died_are_not_open(self, folder: ApprovalFolder) -> None:
        with another_process(ASKER, str(folder.path)) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "asked\n"
            assert folder.pending() == [Request("dead", "edit")]
            process.kill()
        assert (folder.path / "dead").exists()
        with pytest.raises(NotPendingError, match="the request dead is not pending"):
            folder.reply("dead", Answer.once())
        assert folder.pending() == []
        assert list(folder.path.iterdir()) == []


class TestFolder:
    def test_the_first_answer_counts_and_the_second_is_told_so(self, folder: ApprovalFolder) -> None:
        folder.put(request())
        folder.reply("r1", Answer.once())
        with pytest.raises(NotPendingError):
            folder.reply("r1", Answer.reject())
        assert folder.pending() == []
        assert folder.answer(request()) == Answer.once()
        folder.withdraw(request())
        assert list(folder.path.iterdir()) == []

    def test_of_many_that_answer_at_once_exactly_one_has(self, folder: ApprovalFolder) -> None:
        folder.put(request())
        done: list[str] = []
        late: list[str] = []

        def answer(name: str) -> None:
            try:
                folder.reply("r1", Answer.reject(name))
                done.append(name)
            except NotPendingError:
                late.append(name)

        threads = [threading.Thread(target=answer, args=(str(number),)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert (len(done), len(late)) == (1, 7)
        assert folder.answer(request()) == Answer.reject(done[0])
        folder.withdraw(request())

    def test_an_answer_to_what_was_withdrawn_is_told_so(self, folder: ApprovalFolder) -> None:
        async def main() -> None:
            asking = asyncio.create_task(ApprovalQueue(folder).ask(request()))
            await asyncio.sleep(0)
            assert folder.pending() == [request()]
            asking.cancel()
            await asyncio.wait([asking])

        asyncio.run(main())
        with pytest.raises(NotPendingError):
            folder.reply("r1", Answer.once())
        assert list(folder.path.iterdir()) == []

    def test_a_task_may_answer_what_is_in_a_folder_too(self, folder: ApprovalFolder) -> None:
        async def main() -> Answer:
            queue = ApprovalQueue(folder)
            asking = asyncio.create_task(queue.ask(request()))
            await asyncio.sleep(0)
            queue.reply("r1", Answer.once())
            return await asking

        assert asyncio.run(main()) == Answer.once()
        assert list(folder.path.iterdir()) == []

    def test_the_oldest_request_comes_first(self, folder: ApprovalFolder) -> None:
        for name in ("a2", "a1", "a3"):
            folder.put(request(name))
        assert [one.id for one in folder.pending()] == ["a1", "a2", "a3"]
        for name in ("a2", "a1", "a3"):
            folder.withdraw(request(name))

    def test_what_is_no_answer_is_refused_before_it_is_written(self, folder: ApprovalFolder) -> None:
        folder.put(request())
        with pytest.raises(ValueError, match="no file"):
            folder.reply("r1", Answer.some({"b.py": "all"}))
        assert folder.pending() == [request()]
        folder.withdraw(request())

    @pytest.mark.parametrize("text", ["", '{"kind": "on', '{"kind": "yes"}', "\ufffd"])
    def test_an_answer_by_hand_that_is_none_is_waited_for_and_then_taken_away(
        self, folder: ApprovalFolder, text: str
    ) -> None:
        folder.put(request())
        by_hand = folder.path / "r1/answer.json"
        by_hand.write_text(text)
        assert folder.answer(request()) is None
        assert by_hand.exists()
        long_ago = time.time() - 10
        os.utime(by_hand, (long_ago, long_ago))
        assert folder.answer(request()) is None
        assert not by_hand.exists()
        by_hand.write_text('{"kind": "reject", "message": "by hand"}')
        assert folder.answer(request()) == Answer.reject("by hand")
        folder.withdraw(request())

    def test_what_a_process_has_left_that_died_in_between_is_swept_away(self, folder: ApprovalFolder) -> None:
        folder.put(request())
        for name in (".new-x", ".gone-y"):
            (folder.path / name).mkdir()
            (folder.path / name / "request.json").write_text("{")
        assert len(list(folder.path.iterdir())) == 3
        long_ago = time.time() - 100
        for name in (".new-x", ".gone-y"):
            os.utime(folder.path / name, (long_ago, long_ago))
        assert folder.pending() == [request()]
        assert [entry.name for entry in folder.path.iterdir()] == ["r1"]
        folder.withdraw(request())

    def test_a_request_that_cannot_be_read_is_not_shown(self, folder: ApprovalFolder) -> None:
        folder.put(request())
        (folder.path / "r1/request.json").write_text("{")
        assert folder.pending() == []
        folder.withdraw(request())

    def test_a_folder_that_is_cleared_away_meanwhile_does_no_harm(self, folder: ApprovalFolder) -> None:
        folder.put(request())
        (folder.path / "r1/request.json").unlink()
        (folder.path / "r1").rmdir()
        assert folder.answer(request()) is None
        folder.withdraw(request())
        assert folder._held == {}

    def test_only_the_user_can_look_into_it(self, folder: ApprovalFolder) -> None:
        folder.put(request())
        modes = [entry.stat().st_mode & 0o777 for entry in (folder.path, *folder.path.rglob("*"))]
        assert modes == [0o700, 0o700, 0o600]
        folder.withdraw(request())

    def test_a_folder_that_others_can_write_is_refused(self, folder: ApprovalFolder) -> None:
        folder.path.mkdir()
        folder.path.chmod(0o777)
        with pytest.raises(PermissionError, match="could approve"):
            asyncio.run(ApprovalQueue(folder).ask(request()))

    def test_a_request_that_cannot_be_written_leaves_nothing_behind(
        self, folder: ApprovalFolder, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def full(_descriptor: int, _text: str) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(approval_folder, "_write", full)
        queue = ApprovalQueue(folder)
        with pytest.raises(OSError, match="No space"):
            asyncio.run(queue.ask(request()))
        assert (list(folder.path.iterdir()), folder._held, queue.pending()) == ([], {}, ())

    @pytest.mark.parametrize("name", ["", "..", "../x", "a/b", ".x", "ä", "a b"])
    def test_an_id_cannot_lead_elsewhere(self, folder: ApprovalFolder, name: str) -> None:
        with pytest.raises(ValueError, match="expected an id"):
            folder.reply(name, Answer.once())
        with pytest.raises(ValueError, match="expected an id"):
            folder.put(request(name))

    def test_a_folder_that_is_not_there_has_nothing_in_it(self, folder: ApprovalFolder) -> None:
        assert folder.pending() == []
        with pytest.raises(NotPendingError):
            folder.reply("r1", Answer.once())

    def test_requests_leave_no_descriptor_behind(self, folder: ApprovalFolder) -> None:
        def descriptors() -> int:
            return len(list(Path("/dev/fd").iterdir()))

        folder.put(request())
        before = descriptors()
        for number in range(20):
            folder.put(request(str(number)))
            folder.reply(str(number), Answer.once())
            folder.withdraw(request(str(number)))
        assert descriptors() == before
        folder.withdraw(request())
