"""Run the fuzzers: `python -m tests.fuzz.run --calls 1000000`, or one call again by the name that a failure prints."""

from __future__ import annotations

import argparse
import signal
import sys
import time
import traceback
from random import Random
from typing import TYPE_CHECKING

from tests.fuzz.targets import TARGETS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import FrameType

#: How many seconds of CPU time a call may take, and how many more for each 1,000 characters of its input.
SECONDS, SECONDS_PER_1000 = 2.0, 0.05


class Hang(BaseException):
    """A call has taken too long. Not an `Exception`, so that nothing catches it on its way."""


class Failure(Exception):
    """A call that broke a promise: its name, what was passed, and why."""

    def __init__(self, name: str, given: object, reason: str) -> None:
        super().__init__(f"call {name} failed; again: python -m tests.fuzz.run {name}\ninput: {given!r}\n{reason}")


def run_call(name: str) -> None:
    """Make the call of this name: seed/target/number.

    Raises:
        Failure: it broke a promise.
    """
    target = TARGETS[name.split("/")[1]]
    call = target(Random(name))

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise Hang

    previous = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, SECONDS + SECONDS_PER_1000 * call.size / 1000)
    try:
        call.run()
    except Hang:
        raise Failure(name, call.given, f"it took too long:\n{traceback.format_exc()}") from None
    except Exception as error:
        raise Failure(name, call.given, traceback.format_exc()) from error
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, previous)


def names(seed: int, targets: Sequence[str], calls: int, first: int = 0) -> Iterator[str]:
    """The names of that many calls, the targets in turn."""
    for number in range(first, first + calls):
        yield f"{seed}/{targets[number % len(targets)]}/{number // len(targets)}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run calls, and print those that fail."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.run", description=main.__doc__)
    parser.add_argument("name", nargs="*", help="a call to make again: seed/target/number")
    parser.add_argument("--calls", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", action="append", choices=TARGETS, help="a target; can be given several times")
    parser.add_argument("--most", type=int, default=10, help="stop after this many failures")
    given = parser.parse_args(arguments)
    started, failures, count = time.monotonic(), 0, 0
    for name in given.name or names(given.seed, given.only or list(TARGETS), given.calls):
        count += 1
        try:
            run_call(name)
        except Failure as failure:
            failures += 1
            sys.stderr.write(f"{failure}\n")
            if failures >= given.most:
                break
    sys.stdout.write(f"{count:,} calls, {failures} failures, {time.monotonic() - started:.0f} s\n")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
