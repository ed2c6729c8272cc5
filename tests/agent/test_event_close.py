"""Closing the bus, and buses in several event loops."""

from __future__ import annotations

import asyncio
import threading

from tests.shared.listeners import CHANGED, A, B, edits, either, listener, turns_of_the_loop, until

from suture.agent import Bus, Event


class TestClose:
    def test_it_cancels_async_subscribers_and_leaves_no_task(self) -> None:
        async def main() -> tuple[list[str], int]:
            bus, said = Bus(), list[str]()

            async def waits_for_ever(_: Event) -> None:
                said.append("began")
                try:
                    await asyncio.Event().wait()
                finally:
                    said.append("cleared up")

            bus.subscribe(waits_for_ever)
            bus.publish(A)
            bus.publish(B)
            await until(lambda: said)
            await bus.close()
            return said, len(asyncio.all_tasks())

        assert asyncio.run(main()) == (["began", "cleared up"], 1)

    def test_with_time_given_what_waits_is_told_first(self) -> None:
        async def main() -> list[Event]:
            bus, heard = Bus(), list[Event]()
            bus.subscribe(listener(heard, is_async=True))
            for event in edits(10):
                bus.publish(event)
            await bus.close(5)
            return heard

        assert asyncio.run(main()) == edits(10)

    @either
    def test_nothing_comes_after_it(self, is_async: bool) -> None:
        async def main() -> list[Event]:
            bus, heard = Bus(), list[Event]()
            bus.subscribe(listener(heard, is_async=is_async))
            await bus.close()
            bus.subscribe(listener(heard, is_async=is_async))
            bus.publish(A)
            await bus.close()
            assert await bus.drain(1)
            await turns_of_the_loop()
            return heard

        assert asyncio.run(main()) == []

    def test_a_subscriber_may_close_the_bus(self) -> None:
        async def main() -> bool:
            bus, closed = Bus(), asyncio.Event()

            async def close(_: Event) -> None:
                await bus.close()
                closed.set()

            bus.subscribe(close)
            bus.publish(A)
            async with asyncio.timeout(60):
                return await closed.wait()

        assert asyncio.run(main())


class TestLoops:
    def test_a_sync_subscriber_needs_no_loop(self) -> None:
        bus, heard, done = Bus(), list[Event](), threading.Event()

        def hear(event: Event) -> None:
            heard.append(event)
            done.set()

        bus.subscribe(hear)
        bus.publish(A)
        assert done.wait(60)
        assert heard == [A]

    def test_events_from_before_there_is_a_loop_wait_for_it(self) -> None:
        bus, heard = Bus(), list[Event]()
        bus.subscribe(listener(heard, is_async=True))
        bus.publish(A)
        assert asyncio.run(bus.drain(5))
        assert heard == [A]

    def test_a_second_loop_goes_on_where_the_first_has_ended(self) -> None:
        bus, heard = Bus(), list[Event]()

        async def main(event: Event, *, wait: bool) -> None:
            bus.publish(event)
            if wait:
                assert await bus.drain(60)

        async def begin() -> None:
            bus.subscribe(listener(heard, is_async=True))
            await main(A, wait=True)
            # Published, and the loop ends before it is delivered.
            await main(B, wait=False)

        asyncio.run(begin())
        bus.publish(CHANGED)
        asyncio.run(main(A, wait=True))
        assert heard == [A, B, CHANGED, A]
