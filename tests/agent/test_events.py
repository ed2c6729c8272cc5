"""The bus: every subscriber hears all events in order, and can neither delay nor break an edit."""

from __future__ import annotations

import asyncio
import functools
import threading
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings, strategies as st
from tests.shared.listeners import CHANGED, A, B, edits, either, listener, turns_of_the_loop, until

from suture.agent import Bus, DiagnosticsReceived, Event, FileChanged, FileEdited, subscribers
from suture.agent.diagnostics import Report

if TYPE_CHECKING:
    from typing import Any


def threads_of(name: str) -> int:
    return sum(thread.name.endswith(name) for thread in threading.enumerate())


@either
def test_a_subscriber_hears_every_event_in_the_order_of_publishing(is_async: bool) -> None:
    async def main() -> list[Event]:
        bus, heard = Bus(), list[Event]()
        bus.subscribe(listener(heard, is_async=is_async))
        for event in edits(50):
            bus.publish(event)
        assert await bus.drain(60)
        return heard

    assert asyncio.run(main()) == edits(50)


@settings(max_examples=30)
@given(st.lists(st.integers(0, 3), max_size=60), st.lists(st.booleans(), min_size=1, max_size=4))
def test_each_subscriber_sees_the_events_of_each_file_in_order(files: list[int], kinds: list[bool]) -> None:
    """Published by one thread a file, as a session does: the order of each file is kept for everybody."""
    published = [FileEdited(f"{file}.py", str(number)) for number, file in enumerate(files)]

    async def main() -> list[list[Event]]:
        bus = Bus()
        heard: list[list[Event]] = [[] for _ in kinds]
        for one, is_async in zip(heard, kinds, strict=True):
            bus.subscribe(listener(one, is_async=is_async))

        def publish(path: str) -> None:
            for event in published:
                if event.path == path:
                    bus.publish(event)

        threads = [threading.Thread(target=publish, args=(f"{file}.py",)) for file in set(files)]
        for thread in threads:
            thread.start()
        for thread in threads:
            await asyncio.to_thread(thread.join)
        assert await bus.drain(10)
        await bus.close()
        return heard

    def of_a_file(events: list[Any], file: int) -> list[Event]:
        return [event for event in events if event.path == f"{file}.py"]

    heard = asyncio.run(main())
    for one in heard:
        assert len(one) == len(published)
        for file in range(4):
            assert of_a_file(one, file) == of_a_file(list(published), file)
    # Not only of each file: all of them see one and the same order.
    assert all(one == heard[0] for one in heard)


@either
def test_a_subscriber_hears_only_the_kinds_that_it_has_subscribed_to(is_async: bool) -> None:
    async def main() -> tuple[list[Event], list[Event], list[Event]]:
        bus = Bus()
        one, two, every = list[Event](), list[Event](), list[Event]()
        bus.subscribe(listener(one, is_async=is_async), FileEdited)
        bus.subscribe(listener(two, is_async=is_async), [FileChanged, DiagnosticsReceived])
        bus.subscribe(listener(every, is_async=is_async))
        for event in (A, CHANGED, DiagnosticsReceived("a.py", Report("a.py", "clean"))):
            bus.publish(event)
        assert await bus.drain(60)
        return one, two, every

    report = DiagnosticsReceived("a.py", Report("a.py", "clean"))
    assert asyncio.run(main()) == ([A], [CHANGED, report], [A, CHANGED, report])


@either
def test_a_slow_subscriber_holds_up_neither_the_publisher_nor_another_subscriber(is_async: bool) -> None:
    async def main() -> None:
        bus, heard = Bus(), list[Event]()
        go_on, go_on_async = threading.Event(), asyncio.Event()

        def wait(_: Event) -> None:
            go_on.wait(60)

        async def wait_async(_: Event) -> None:
            await go_on_async.wait()

        bus.subscribe(wait_async if is_async else wait)
        bus.subscribe(listener(heard, is_async=is_async))
        bus.publish(A)
        bus.publish(B)
        await until(lambda: heard == [A, B])
        assert not await bus.drain(0.001)
        go_on.set()
        go_on_async.set()
        assert await bus.drain(60)

    asyncio.run(main())


@either
def test_of_a_full_queue_the_oldest_is_dropped_and_counted(is_async: bool) -> None:
    async def main() -> tuple[list[Event], int]:
        bus, heard = Bus(), list[Event]()
        started, go_on = threading.Event(), threading.Event()

        def slow(event: Event) -> None:
            heard.append(event)
            started.set()
            go_on.wait(60)

        async def slow_async(event: Event) -> None:
            heard.append(event)
            started.set()
            await until(go_on.is_set)

        subscription = bus.subscribe(slow_async if is_async else slow, queue=3)
        first, *rest = edits(10)
        bus.publish(first)
        await until(started.is_set)
        for event in rest:
            bus.publish(event)
        go_on.set()
        assert await bus.drain(60)
        return heard, subscription.dropped

    assert asyncio.run(main()) == ([edits(10)[0], *edits(10)[-3:]], 6)


class Listener:
    """Objects of all kinds that can be called."""

    def __init__(self) -> None:
        self.heard: list[Event] = []

    async def __call__(self, event: Event) -> None:
        self.heard.append(event)

    async def method(self, event: Event) -> None:
        self.heard.append(event)

    async def with_more(self, _: str, event: Event) -> None:
        self.heard.append(event)


def test_async_methods_objects_and_partials_are_known_as_async() -> None:
    async def main() -> list[Event]:
        bus, one = Bus(), Listener()
        for callback in (one, one.method, functools.partial(one.with_more, "x")):
            bus.subscribe(callback)
        bus.publish(A)
        assert await bus.drain(60)
        return one.heard

    assert asyncio.run(main()) == [A, A, A]


@either
def test_events_may_come_from_any_thread(is_async: bool) -> None:
    async def main() -> list[Event]:
        bus, heard = Bus(), list[Event]()
        bus.subscribe(listener(heard, is_async=is_async))

        def work() -> None:
            for event in edits(20):
                bus.publish(event)

        await asyncio.to_thread(work)
        assert await bus.drain(60)
        return heard

    assert asyncio.run(main()) == edits(20)


def test_drain_waits_for_a_call_whose_subscription_has_ended() -> None:
    """A subscriber that unsubscribes itself is not done before it returns."""

    async def main() -> list[str]:
        bus, done, gone = Bus(), list[str](), threading.Event()

        def once(_: Event) -> None:
            unsubscribe()
            gone.set()
            left.wait(60)
            done.append("returned")

        left = threading.Event()
        unsubscribe = bus.subscribe(once)
        bus.publish(A)
        gone.wait(60)
        assert not await bus.drain(0)
        left.set()
        assert await bus.drain(60)
        return done

    assert asyncio.run(main()) == ["returned"]


@either
def test_who_comes_or_goes_in_the_middle_does_so_from_the_next_event_on(is_async: bool) -> None:
    async def main() -> tuple[list[Event], list[Event]]:
        bus, first, second = Bus(), list[Event](), list[Event]()

        def once(event: Event) -> None:
            first.append(event)
            unsubscribe()
            bus.subscribe(listener(second, is_async=is_async))

        async def once_async(event: Event) -> None:
            once(event)

        unsubscribe = bus.subscribe(once_async if is_async else once)
        bus.publish(A)
        assert await bus.drain(60)
        bus.publish(B)
        assert await bus.drain(60)
        unsubscribe()  # a second time does nothing
        return first, second

    assert asyncio.run(main()) == ([A], [B])


@either
def test_what_waits_for_who_unsubscribes_is_dropped(is_async: bool) -> None:
    async def main() -> list[Event]:
        bus, heard = Bus(), list[Event]()
        started, go_on = threading.Event(), threading.Event()

        def slow(event: Event) -> None:
            heard.append(event)
            started.set()
            go_on.wait(60)

        async def slow_async(event: Event) -> None:
            heard.append(event)
            started.set()
            await until(go_on.is_set)

        unsubscribe = bus.subscribe(slow_async if is_async else slow)
        bus.publish(A)
        bus.publish(B)
        await until(started.is_set)
        unsubscribe()
        go_on.set()
        assert await bus.drain(60)
        await turns_of_the_loop()
        return heard

    assert asyncio.run(main()) == [A]


def test_a_subscriber_may_publish() -> None:
    async def main() -> list[Event]:
        bus, heard = Bus(), list[Event]()
        bus.subscribe(lambda event: bus.publish(FileChanged(event.path, "change")), FileEdited)
        bus.subscribe(heard.append, FileChanged)
        bus.publish(A)
        assert await bus.drain(60)
        return heard

    assert asyncio.run(main()) == [CHANGED]


def test_an_idle_thread_ends_by_itself_and_another_takes_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subscribers, "IDLE_TIMEOUT", 0.001)

    async def main() -> list[Event]:
        bus, heard = Bus(), list[Event]()

        def comes_and_goes(event: Event) -> None:
            heard.append(event)

        bus.subscribe(comes_and_goes)
        for event in edits(3):
            bus.publish(event)
            await until(lambda: threads_of("comes_and_goes") == 0)
        return heard

    assert asyncio.run(main()) == edits(3)


def test_a_thousand_events_leave_no_task_no_memory_and_one_thread_behind() -> None:
    async def main() -> None:
        bus = Bus()

        def counted(_: Event) -> None:
            pass

        subscriptions = [bus.subscribe(counted), bus.subscribe(listener([], is_async=True))]
        for number in range(1000):
            bus.publish(FileEdited("a.py", str(number)))
            if number % 100 == 0:
                assert await bus.drain(60)
        assert await bus.drain(60)
        await asyncio.sleep(0)
        assert (threads_of("counted"), len(asyncio.all_tasks())) == (1, 1)
        assert [len(one._waiting) for one in subscriptions] == [0, 0]
        assert (len(bus._waiters), len(bus._tasks)) == (0, 0)
        await bus.close()
        await until(lambda: threads_of("counted") == 0)

    asyncio.run(main())


def test_wrong_arguments_are_refused_at_once() -> None:
    bus = Bus()
    with pytest.raises(ValueError, match="at least 1"):
        bus.subscribe(print, queue=0)
    with pytest.raises(TypeError, match="event classes"):
        bus.subscribe(print, ["FileEdited"])  # type: ignore[list-item]


def test_a_subscription_says_what_it_is() -> None:
    assert repr(Bus().subscribe(Listener())) == f"Subscription({__name__}.Listener, waiting=0, dropped=0)"


def test_events_are_values() -> None:
    assert FileEdited("a.py", "1") == A != FileChanged("a.py", "change")
    assert repr(A) == "FileEdited(path='a.py', receipt_id='1', resolved='')"
