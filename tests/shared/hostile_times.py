"""What a hostile input costs."""

from __future__ import annotations

import gc
import time
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


#: How many cases of a sample are part of every run.
QUICK = 25
#: Seconds that even the smallest input may take.
LEAST = 0.05


def timed(call: Callable[[], object]) -> float:
    """What a call costs, without the collection of garbage, which grows with all that other tests have left."""
    gc.disable()
    start = time.process_time()
    try:
        call()
        return time.process_time() - start
    finally:
        gc.enable()


def costs_at_most(times: float, call: Callable[[], object], baseline: Callable[[], object]) -> bool:
    """Whether a call costs at most so many times its baseline; a busy machine may spoil a pair, but not all."""
    return any(timed(call) <= times * timed(baseline) for _ in range(5))


def grows_linearly(build: Callable[[int], Callable[[], object]], size: int, least: float = LEAST) -> bool:
    """Whether four times the input costs at most eight times as much; a busy machine may spoil a pair, but not all.

    `least` are the seconds that the smaller input may take in any case.
    """
    small, large = build(size), build(4 * size)
    return any(timed(large) <= 8 * max(least, min(timed(small), timed(small))) for _ in range(4))


def marked(cases: Sequence[tuple[object, ...]]) -> list[object]:
    """Some cases for every run, and all of them for a slow one."""
    return [
        case if number < QUICK else pytest.param(*case, marks=(pytest.mark.slow, pytest.mark.long))
        for number, case in enumerate(cases)
    ]
