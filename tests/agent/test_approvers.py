"""Approvers: who is asked, and no question hangs or gets lost."""

from __future__ import annotations

import asyncio
import sys
import threading
from typing import TYPE_CHECKING

import pytest
from tests.shared.permission_requests import edit_request

from suture.agent.answers import Answer
from suture.agent.approvers import AllowAll, ApprovalQueue, Callback, DenyAll
from suture.state.approval_requests import NotPendingError

if TYPE_CHECKING:
    from suture.agent.requests import Request


def test_allow_all_says_yes_and_deny_all_says_no_and_why() -> None:
    assert asyncio.run(AllowAll().ask(edit_request())) == Answer.once()
    assert asyncio.run(DenyAll("not now").ask(edit_request())) == Answer.decline("not now")


class TestCallback:
    def test_an_async_function_is_asked_in_the_loop(self) -> None:
        async def answer(one: Request) -> Answer:
            await asyncio.sleep(0)
            return Answer.reject(f"{one.id} in {threading.current_thread().name}")

        assert asyncio.run(Callback(answer).ask(edit_request())) == Answer.reject("r1 in MainThread")

    def test_a_sync_function_is_asked_in_a_thread_so_that_it_may_wait(self) -> None:
        async def main() -> Answer:
            go_on = threading.Event()

            def answer(_: Request) -> Answer:
                go_on.wait(60)
                return Answer.once(threading.current_thread().name)

            asking = asyncio.create_task(Callback(answer).ask(edit_request()))
            await asyncio.sleep(0.001)
            assert not asking.done()
            go_on.set()
            return await asking

        assert asyncio.run(main()) == Answer.once("suture: approver")

    def test_a_function_that_exits_has_failed_and_leaves_no_open_question(self) -> None:
        async def main() -> Answer:
            return await asyncio.wait_for(Callback(lambda _: sys.exit(1)).ask(edit_request()), 60)

        with pytest.raises(RuntimeError, match="exit"):
            asyncio.run(main())

    def test_a_function_that_gives_a_coroutine_is_waited_for(self) -> None:
        async def answer() -> Answer:
            await asyncio.sleep(0)
            return Answer.once()

        assert asyncio.run(Callback(lambda _: answer()).ask(edit_request())) == Answer.once()

    def test_an_error_comes_out_where_it_was_asked(self) -> None:
        def answer(_: Request) -> Answer:
            raise ConnectionError

        with pytest.raises(ConnectionError):
            asyncio.run(Callback(answer).ask(edit_request()))

    def test_a_function_that_never_returns_keeps_neither_the_caller_nor_the_loop(self) -> None:
        never = threading.Event()

        def answer(_: Request) -> Answer:
            never.wait(5)
            return Answer.once()

        async def main() -> None:
            async with asyncio.timeout(0.002):
                await Callback(answer).ask(edit_request())

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
            answers = await asyncio.gather(*[queue.ask(edit_request(name)) for name in "abc"])
            queue.close()
            await answering
            return answers

        assert asyncio.run(main()) == [Answer.reject(f"about {name}") for name in "abc"]

    def test_several_wait_at_once_and_are_answered_in_any_order(self) -> None:
        async def main() -> None:
            queue = ApprovalQueue()
            asking = {name: asyncio.create_task(queue.ask(edit_request(name))) for name in "abc"}
            await asyncio.sleep(0)
            assert queue.pending() == (edit_request("a"), edit_request("b"), edit_request("c"))
            queue.reply("b", Answer.once())
            assert queue.pending() == (edit_request("a"), edit_request("c"))
            assert await asking["b"] == Answer.once()
            queue.reply("c", Answer.reject())
            queue.reply("a", Answer.always())
            assert (await asking["a"], await asking["c"]) == (Answer.always(), Answer.reject())

        asyncio.run(main())

    def test_another_thread_may_answer(self) -> None:
        async def main() -> Answer:
            queue = ApprovalQueue()
            asking = asyncio.create_task(queue.ask(edit_request()))
            await asyncio.sleep(0)
            await asyncio.to_thread(queue.reply, "r1", Answer.once())
            return await asking

        assert asyncio.run(main()) == Answer.once()

    def test_a_later_answer_is_told_what_became_of_the_request(self) -> None:
        async def main() -> None:
            queue = ApprovalQueue()
            with pytest.raises(NotPendingError, match="never made"):
                queue.reply("r1", Answer.once())
            asking = asyncio.create_task(queue.ask(edit_request()))
            await asyncio.sleep(0)
            queue.reply("r1", Answer.once())
            with pytest.raises(NotPendingError, match="it was answered"):
                queue.reply("r1", Answer.reject())
            assert await asking == Answer.once()
            withdrawn = asyncio.create_task(queue.ask(edit_request("r2")))
            await asyncio.sleep(0)
            withdrawn.cancel()
            await asyncio.wait([withdrawn])
            with pytest.raises(NotPendingError, match="withdrawn by the caller"):
                queue.reply("r2", Answer.once())

        asyncio.run(main())

    def test_what_is_no_answer_is_refused_and_the_request_stays_open(self) -> None:
        async def main() -> Answer:
            queue = ApprovalQueue()
            asking = asyncio.create_task(queue.ask(edit_request()))
            await asyncio.sleep(0)
            with pytest.raises(ValueError, match="has 1 hunk; there is no hunk 2"):
                queue.reply("r1", Answer.some({"a.py": [2]}))
            queue.reply("r1", Answer.some({"a.py": [1]}))
            return await asking

        assert asyncio.run(main()) == Answer.some({"a.py": [1]})

    def test_each_iteration_sees_what_is_open_and_what_comes_but_not_what_has_closed_requests(self) -> None:
        async def main() -> tuple[list[str], list[str]]:
            queue = ApprovalQueue()
            asking = [asyncio.create_task(queue.ask(edit_request(name))) for name in "ab"]
            await asyncio.sleep(0)
            one, two = aiter(queue), aiter(queue)
            seen_one, seen_two = [(await anext(one)).id], [(await anext(two)).id]
            queue.reply("a", Answer.once())
            queue.reply("b", Answer.once())
            asking.append(asyncio.create_task(queue.ask(edit_request("c"))))
            seen_one.append((await anext(one)).id)
            seen_two.append((await anext(two)).id)
            queue.close("enough")
            seen_one += [last.id async for last in one]
            seen_two += [last.id async for last in two]
            assert await asyncio.gather(*asking) == [Answer.once(), Answer.once(), Answer.unreachable("enough")]
            return seen_one, seen_two

        assert asyncio.run(main()) == (["a", "c"], ["a", "c"])

    def test_a_closed_queue_takes_nothing_and_iterates_over_nothing(self) -> None:
        async def main() -> list[Request]:
            queue = ApprovalQueue()
            queue.close()
            with pytest.raises(ValueError, match="closed"):
                await queue.ask(edit_request())
            return [one async for one in queue]

        assert asyncio.run(main()) == []

    def test_one_id_can_be_open_once_only(self) -> None:
        async def main() -> None:
            queue = ApprovalQueue()
            asking = asyncio.create_task(queue.ask(edit_request()))
            await asyncio.sleep(0)
            with pytest.raises(ValueError, match="already pending"):
                await queue.ask(edit_request())
            queue.reply("r1", Answer.once())
            assert await asking == Answer.once()

        asyncio.run(main())

    def test_an_answer_for_a_loop_that_is_closed_is_told_so(self) -> None:
        queue = ApprovalQueue()
        queue._open["r1"] = (edit_request(), _future_of_a_closed_loop())
        with pytest.raises(NotPendingError, match="closed"):
            queue.reply("r1", Answer.once())

    def test_what_closed_requests_is_remembered_within_a_bound(self) -> None:
        async def main() -> int:
            queue = ApprovalQueue()
            for number in range(1100):
                asking = asyncio.create_task(queue.ask(edit_request(str(number))))
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
