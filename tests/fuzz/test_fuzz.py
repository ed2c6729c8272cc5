"""A short run of every fuzzer, always the same calls; `SUTURE_FUZZ_CALLS` makes it longer, `make fuzz` much longer."""

from __future__ import annotations

import os
from contextlib import suppress

import pytest
from tests.fuzz.run import Failure, main, names, run_call
from tests.fuzz.targets import TARGETS, Call

#: Calls of each target.
CALLS = int(os.environ.get("SUTURE_FUZZ_CALLS", "100"))
SEED = int(os.environ.get("SUTURE_FUZZ_SEED", "13"))


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
def test_mutated_calls_break_no_promise(target: str) -> None:
    for name in names(SEED, [target], CALLS):
        run_call(name)


def test_a_failure_names_the_call_and_its_input(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise KeyError("lost")

    monkeypatch.setitem(TARGETS, "parse_patch", lambda _: Call(fail, 0, "the input"))
    with pytest.raises(Failure, match=r"call 1/parse_patch/0 failed(.|\n)*the input(.|\n)*KeyError: 'lost'"):
        run_call("1/parse_patch/0")
    assert main(["--calls", "1", "--only", "parse_patch"]) == 1


def test_a_call_that_hangs_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    def hang() -> None:
        while True:
            with suppress(Exception):
                sum(range(100))

    monkeypatch.setattr("tests.fuzz.run.SECONDS", 0.05)
    monkeypatch.setitem(TARGETS, "parse_patch", lambda _: Call(hang, 0, "the input"))
    with pytest.raises(Failure, match="it took too long"):
        run_call("1/parse_patch/0")
