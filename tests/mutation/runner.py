"""Runs the closest tests for each mutant, each in a forked child that has everything loaded already.

The tests run once with coverage, so that a mutant needs only those that reach its lines: the quickest unit tests and
the groups of the ledger in turn, then the property tests. The sample of CI names its tests instead. In the child the
functions of the module get the mutated code in place, whoever holds them, and their caches are emptied. Programs that a
test starts run the code without the mutant.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import time
from collections import defaultdict
from contextlib import suppress
from importlib import import_module
from itertools import zip_longest
from pathlib import Path
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

import coverage
import pytest
from _pytest.runner import runtestprotocol

from .mutants import mutate_number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from .mutants import Mutant

    #: Functions, and caches.
    Functions = tuple[list[FunctionType], list[Any]]

#: Seconds of tests (as they took without a mutant) that a mutant gets.
BUDGET = 10.0
#: Numbers up to this one are shared by all that use them.
LARGEST_SHARED = 256


def _say(line: str) -> None:
    sys.stdout.write(f"\n{line}")
    sys.stdout.flush()


class MutationRun:
    """A pytest plugin: in place of running the tests once, it runs them for each mutant. `survivors` is the result.

    With `tests_by_mutant`, a mutant gets the tests below these paths; else those that reach it, for `budget` seconds.
    """

    def __init__(
        self,
        mutants: Sequence[Mutant],
        budget: float = BUDGET,
        tests_by_mutant: Mapping[Mutant, Sequence[str]] | None = None,
    ) -> None:
        self.mutants, self.budget, self.tests_by_mutant = mutants, budget, tests_by_mutant
        self.survivors: list[Mutant] = []
        self.unreached: list[Mutant] = []
        self.failed: list[str] = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        if self.tests_by_mutant is not None:
            seconds = self._time(session.items)
            tests = {
                mutant: [item for item in seconds if item.nodeid.startswith(tuple(paths))]
                for mutant, paths in self.tests_by_mutant.items()
            }
        else:
            seconds, reaching = self._measure(session)
            tests = {mutant: _reached(mutant, reaching, seconds, self.budget) for mutant in self.mutants}
        if self.failed:
            return True
        for mutant in self.mutants:
            # Much of the library is loaded on first use; a mutant needs it now.
            import_module(mutant.module)
        functions = _functions({path for mutant in self.mutants for path, _ in mutant.places()})
        # A test that needs a thread of this process fails in every child, and so it notices nothing.
        able = _passing_in_a_child(session.items, seconds)
        if len(able) < len(session.items):
            _say(f"{len(session.items) - len(able)} tests can't run in a forked child and are left out")
        tests = {mutant: [test for test in tests[mutant] if test in able] for mutant in self.mutants}
        started = time.monotonic()
        for at, mutant in enumerate(self.mutants):
            if not tests[mutant]:
                self.unreached.append(mutant)
                _say(f"not reached: {mutant.name}")
            elif self._survives(mutant, tests[mutant], seconds, functions):
                self.survivors.append(mutant)
                _say(f"survived: {mutant.name}")
            if at % 50 == 49:
                _say(f"{at + 1} of {len(self.mutants)}, {len(self.survivors)} left, {time.monotonic() - started:.0f}s")
        return True

    def _measure(
        self, session: pytest.Session
    ) -> tuple[dict[pytest.Item, float], dict[str, dict[int, list[pytest.Item]]]]:
        """The seconds of each test, and for each file and line the tests that run it."""
        files = sorted({path for mutant in self.mutants for path, _ in mutant.places()})
        measure = coverage.Coverage(data_file=None, include=files, config_file=False)
        measure.start()
        seconds = self._time(session.items, measure)
        measure.stop()
        by_name = {item.nodeid: item for item in session.items}
        reaching: dict[str, dict[int, list[pytest.Item]]] = defaultdict(dict)
        for file in files:
            for line, names in measure.get_data().contexts_by_lineno(file).items():
                reaching[file][line] = [by_name[name] for name in names if name in by_name]
        return seconds, reaching

    def _time(self, items: list[pytest.Item], measure: coverage.Coverage | None = None) -> dict[pytest.Item, float]:
        """The seconds of each test; those that fail without a mutant are noted."""
        seconds: dict[pytest.Item, float] = {}
        for item, following in zip_longest(items, items[1:]):
            if measure is not None:
                measure.switch_context(item.nodeid)
            started = time.perf_counter()
            if not _passes(item, following):
                self.failed.append(item.nodeid)
            seconds[item] = time.perf_counter() - started
        return seconds

    def _survives(
        self, mutant: Mutant, tests: Sequence[pytest.Item], seconds: Mapping[pytest.Item, float], functions: Functions
    ) -> bool:
        def run() -> bool:
            _install(mutant, functions)
            return all(_passes(test, following) for test, following in zip_longest(tests, tests[1:]))

        return _in_a_child(run, _patience(tests, seconds))


def _passing_in_a_child(tests: Sequence[pytest.Item], seconds: Mapping[pytest.Item, float]) -> set[pytest.Item]:
    """The tests that pass in a forked child without a mutant."""
    reading, writing = os.pipe()

    def run() -> bool:
        os.close(reading)
        for index, (test, following) in enumerate(zip_longest(tests, tests[1:])):
            if _passes(test, following):
                os.write(writing, f"{index}\n".encode())
        return True

    _in_a_child(run, _patience(tests, seconds))
    os.close(writing)
    with os.fdopen(reading, encoding="ascii") as lines:
        return {tests[int(line)] for line in lines}


def _patience(tests: Sequence[pytest.Item], seconds: Mapping[pytest.Item, float]) -> int:
    """Seconds after which tests in a child are taken to hang."""
    return 30 + 10 * int(sum(seconds[test] for test in tests))


def _in_a_child(run: Callable[[], bool], patience: int) -> bool:
    """What a function returns in a forked child; False if it raises or hangs. What it leaves running ends with it."""
    child = os.fork()
    if child == 0:
        os.setsid()
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(patience)
        try:
            result = run()
        except BaseException:  # noqa: BLE001  # whatever a mutant raises, it was noticed
            result = False
        os._exit(0 if result else 1)
    status = os.waitpid(child, 0)[1]
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    return status == 0


def _reached(
    mutant: Mutant,
    reaching: Mapping[str, Mapping[int, list[pytest.Item]]],
    seconds: Mapping[pytest.Item, float],
    budget: float,
) -> list[pytest.Item]:
    """The tests that run a line of the mutant, quick ones first, until the budget is spent."""
    tests = {test for path, line in mutant.places() for test in reaching[path].get(line, ())}
    return list(_take(tests, seconds, budget))


def _take(tests: set[pytest.Item], seconds: Mapping[pytest.Item, float], budget: float) -> Iterator[pytest.Item]:
    """The tests to run, in turn from the ledger and from the others, until the budget is spent."""
    kinds: dict[str, list[pytest.Item]] = {"ledger": [], "unit": [], "property": []}
    for test in sorted(tests, key=lambda test: (seconds[test], test.nodeid)):
        kinds["property" if "property" in test.nodeid else "ledger" if "ledger" in test.nodeid else "unit"].append(test)
    spent = dict.fromkeys(kinds, 0.0)
    while (
        left := [kind for kind in ("ledger", "unit") if kinds[kind]] or [kind for kind in kinds if kinds[kind]]
    ) and (sum(spent.values()) <= budget):
        kind = min(left, key=spent.__getitem__)
        test = kinds[kind].pop(0)
        spent[kind] += seconds[test]
        yield test


def _passes(item: pytest.Item, following: pytest.Item | None) -> bool:
    # The fixtures that the next one needs too stay.
    reports = runtestprotocol(item, nextitem=following, log=False)
    return not any(report.failed for report in reports)


def _functions(files: set[str]) -> Functions:
    """The functions of these files, and the caches of the library."""
    found: Functions = ([], [])
    for candidate in gc.get_objects():
        if isinstance(candidate, FunctionType):
            if candidate.__code__.co_filename in files:
                found[0].append(candidate)
        elif hasattr(type(candidate), "cache_clear") and candidate.__module__.startswith("suture."):
            found[1].append(candidate)
    return found


def _install(mutant: Mutant, functions: Functions) -> None:
    if mutant.constant:
        _install_number(mutant, functions)
        return
    codes = dict(_codes(mutant.compile()))
    for function in functions[0]:
        if function.__code__.co_filename == str(mutant.path):
            new = codes.get(_place(function.__code__))
            if new is not None and new.co_freevars == function.__code__.co_freevars:
                function.__code__ = new
    for cached in functions[1]:
        cached.cache_clear()


def _install_number(mutant: Mutant, functions: Functions) -> None:
    home: dict[str, Any] = next(vars(module) for module in list(sys.modules.values()) if _file(module) == mutant.path)
    old = home[mutant.constant]
    for module in list(sys.modules.values()):
        if module.__name__.startswith("suture.") and vars(module).get(mutant.constant) == old:
            setattr(module, mutant.constant, mutate_number(old))
    for function in functions[0]:
        # A default was read when its function was made. Small numbers are shared, and may be another one.
        if old > LARGEST_SHARED and any(value is old for value in function.__defaults__ or ()):
            function.__defaults__ = tuple(mutate_number(v) if v is old else v for v in function.__defaults__ or ())


def _file(module: Any) -> Path | None:
    file = getattr(module, "__file__", None)
    return Path(file) if file else None


def _codes(code: CodeType) -> Iterator[tuple[object, CodeType]]:
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield _place(inner), inner
            yield from _codes(inner)


def _place(code: CodeType) -> object:
    return (
        code.co_qualname,
        code.co_firstlineno,
        next(iter(code.co_positions()), None) if code.co_name == "<lambda>" else None,
    )
