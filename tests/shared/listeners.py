"""Events to publish, and subscribers that keep what they hear."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from suture.agent import Event, FileChanged, FileEdited

if TYPE_CHECKING:
    from collections.abc import Callable

A = FileEdited("a.py", "1")
B = FileEdited("b.py", "2")
CHANGED = FileChanged("a.py", "change")


def edits(count: int) -> list[Event]:
    return [FileEdited("a.py", str(number)) for number in range(count)]


def listener(heard: list[Any], *, is_async: bool) -> Callable[[Any], object]:
    async def in_the_loop(event: Event) -> None:
        await asyncio.sleep(0)
        heard.append(event)

    return in_the_loop if is_async else heard.append


async def turns_of_the_loop(count: int = 100) -> None:
    """Let all tasks that can go on do so, for so many turns: more than any of them needs."""
    for _ in range(count):
        await asyncio.sleep(0)


async def until(condition: Callable[[], object]) -> None:
    """Let others work until something is so; a thread can't wake a task by itself. A time limit is no promise here."""
    async with asyncio.timeout(120):
        while not condition():  # noqa: ASYNC110 - as said
            await asyncio.sleep(0.0005)


either = pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
