"""Runs the closest tests for each mutant, each in a forked child that has everything loaded already.

The tests run once with coverage, so that a mutant needs only those that reach its lines: the quickest unit tests and
the groups of the ledger in turn, then the property tests. A small sample is not worth that: it is held against all of
them but the property tests, the ledger first. In the child the functions of the module get the mutated code in place,
whoever holds them, and their caches are emptied.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import time
from collections import defaultdict
from importlib import import_module
from itertools import zip_longest
from math import inf
from pathlib import Path
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

import coverage
import pytest
from _pytest.runner import runtestprotocol

from .mutants import mutate_number

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .mutants import Mutant

    #: Functions, and caches.
    Functions = tuple[list[FunctionType], list[Any]]

#: Seconds of tests (as they took without a mutant) that a mutant gets.
BUDGET = 10.0
#: Numbers up to this one are shared by all that use them.
LARGEST_SHARED = 256
#: Mutants from which on it is worth to find out which tests reach them.
MANY = 60


def _say(line: str) -> None:
    sys.stdout.write(f"\n{line}")
    sys.stdout.flush()


class MutationRun:
    """A pytest plugin: in place of running the tests once, it runs them for each mutant. `survivors` is the result."""

    def __init__(self, mutants: Sequence[Mutant], budget: float = BUDGET) -> None:
        self.mutants, self.budget = mutants, budget
        self.survivors: list[Mutant] = []
        self.unreached: list[Mutant] = []
        self.failed: list[str] = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        budget, reaching = self.budget, None
        if len(self.mutants) < MANY:
            budget = inf
            seconds = self._time([item for item in session.items if "property" not in item.nodeid])
        else:
            seconds, reaching = self._measure(session)
        if self.failed:
            return True
        for mutant in self.mutants:
            # Much of the library is loaded on first use; a mutant needs it now.
            import_module(f"suture.{mutant.path.parent.name}.{mutant.path.stem}")
        functions = _functions({path for mutant in self.mutants for path, _ in mutant.places()})
        started = time.monotonic()
        for at, mutant in enumerate(self.mutants):
            reached = set(seconds)
            if reaching is not None:
                reached = {test for path, line in mutant.places() for test in reaching[path].get(line, ())}
            if not reached:
                self.unreached.append(mutant)
            elif not self._is_killed(mutant, list(_take(reached, seconds, budget)), seconds, functions):
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

    def _is_killed(
        self, mutant: Mutant, tests: list[pytest.Item], seconds: dict[pytest.Item, float], functions: Functions
    ) -> bool:
        child = os.fork()
        if child == 0:
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, 1)
            os.dup2(null, 2)
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.alarm(10 + 10 * int(sum(seconds[test] for test in tests)))
            try:
                _install(mutant, functions)
                survives = all(_passes(test, following) for test, following in zip_longest(tests, tests[1:]))
            except BaseException:  # noqa: BLE001  # whatever a mutant raises, it was noticed
                survives = False
            os._exit(0 if survives else 1)
        return os.waitpid(child, 0)[1] != 0


def _take(tests: set[pytest.Item], seconds: dict[pytest.Item, float], budget: float) -> Iterator[pytest.Item]:
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
