"""Subscribers that fail: the failure is reported once, and the subscription goes on."""

from __future__ import annotations

import asyncio

from tests.shared.listeners import A, B, either

from suture.agent import Bus, Event, FileEdited, SubscriberFailed


@either
def test_a_subscriber_that_fails_is_reported_and_goes_on(is_async: bool) -> None:
    async def main() -> tuple[list[Event], list[Event], int]:
        bus, failures, heard = Bus(), list[Event](), list[Event]()

        def failing(event: Event) -> None:
            heard.append(event)
            message = "no"
            raise ValueError(message)

        async def failing_async(event: Event) -> None:
            failing(event)

        subscription = bus.subscribe(failing_async if is_async else failing, FileEdited)
        bus.subscribe(failures.append, SubscriberFailed)
        bus.publish(A)
        bus.publish(B)
        assert await bus.drain(60)
        return heard, failures, subscription.failures

    heard, failures, count = asyncio.run(main())
    name = f"{__name__}.test_a_subscriber_that_fails_is_reported_and_goes_on.<locals>.main.<locals>."
    name += "failing_async" if is_async else "failing"
    assert heard == [A, B]
    assert failures == [SubscriberFailed(name, A, "ValueError: no"), SubscriberFailed(name, B, "ValueError: no")]
    assert count == 2


@either
def test_who_fails_at_the_report_of_a_failure_too_is_not_reported_for_ever(is_async: bool) -> None:
    async def main() -> list[Event]:
        bus, heard = Bus(), list[Event]()

        def failing(event: Event) -> None:
            heard.append(event)
            raise KeyError

        async def failing_async(event: Event) -> None:
            failing(event)

        for _ in range(2):
            bus.subscribe(failing_async if is_async else failing)
        bus.publish(A)
        assert await bus.drain(60)
        return heard

    heard = asyncio.run(main())
    # Each of the two hears the event, and the two reports of it.
    assert sorted(type(event).__name__ for event in heard) == ["FileEdited"] * 2 + ["SubscriberFailed"] * 4


@either
def test_a_subscriber_that_exits_ends_neither_the_program_nor_its_subscription(is_async: bool) -> None:
    async def main() -> list[str]:
        bus, errors = Bus(), list[str]()

        def leaving(_: Event) -> None:
            raise SystemExit(3)

        async def leaving_async(event: Event) -> None:
            leaving(event)

        bus.subscribe(leaving_async if is_async else leaving, FileEdited)
        bus.subscribe(lambda event: errors.append(event.error), SubscriberFailed)
        bus.publish(A)
        bus.publish(B)
        assert await bus.drain(60)
        return errors

    assert asyncio.run(main()) == ["SystemExit: 3"] * 2


def test_an_error_that_cannot_be_shown_is_named() -> None:
    class Odd(Exception):
        def __str__(self) -> str:
            raise ValueError

    def failing(_: Event) -> None:
        raise Odd

    async def main() -> list[str]:
        bus, errors = Bus(), list[str]()
        bus.subscribe(failing, FileEdited)
        bus.subscribe(lambda event: errors.append(event.error), SubscriberFailed)
        bus.publish(A)
        assert await bus.drain(60)
        return errors

    assert asyncio.run(main()) == ["Odd"]


def test_a_thread_outlives_even_a_system_exit_of_its_subscriber() -> None:
    async def main() -> list[Event]:
        bus, heard = Bus(), list[Event]()

        def leave(event: Event) -> None:
            heard.append(event)
            raise SystemExit

        bus.subscribe(leave, FileEdited)
        bus.publish(A)
        bus.publish(B)
        assert await bus.drain(60)
        return heard

    assert asyncio.run(main()) == [A, B]


def test_a_subscriber_whose_own_wait_was_cancelled_has_failed_and_goes_on() -> None:
    async def main() -> tuple[list[Event], list[Event]]:
        bus, heard, failures = Bus(), list[Event](), list[Event]()

        async def gives_up(event: Event) -> None:
            heard.append(event)
            raise asyncio.CancelledError

        bus.subscribe(gives_up, FileEdited)
        bus.subscribe(failures.append, SubscriberFailed)
        bus.publish(A)
        bus.publish(B)
        assert await bus.drain(60)
        return heard, failures

    heard, failures = asyncio.run(main())
    assert heard == [A, B]
    assert len(failures) == 2


def test_a_sync_function_that_gives_a_coroutine_is_told_what_to_subscribe() -> None:
    async def listen(_: Event) -> None:
        pass

    async def main() -> list[SubscriberFailed]:
        bus, failures = Bus(), list[SubscriberFailed]()
        bus.subscribe(lambda event: listen(event), FileEdited)  # noqa: PLW0108 - that is what is tested
        bus.subscribe(failures.append, SubscriberFailed)
        bus.publish(A)
        assert await bus.drain(60)
        return failures

    (failure,) = asyncio.run(main())
    assert "not an async function" in failure.error
