"""Taking times on a machine that others use too: the best of several, with the rivals in turn."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


def best(calls: Mapping[str, Callable[[], object]], rounds: int, each: int = 1) -> dict[str, float]:
    """The best time of each call in seconds, all of them called in turn, `each` times in every round.

    Every call is timed for itself: an interruption spoils one of them, not the round.
    """
    times = dict.fromkeys(calls, float("inf"))
    for _ in range(rounds):
        for name, call in calls.items():
            for _ in range(each):
                start = time.perf_counter()
                call()
                times[name] = min(times[name], time.perf_counter() - start)
    return times


def table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    """A Markdown table, numbers to the right."""
    lines = [head, ("---",) + ("---:",) * (len(head) - 1), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def milliseconds(seconds: float) -> str:
    """A time that is meant to be read beside another one."""
    return f"{seconds * 1000:.3g} ms"
