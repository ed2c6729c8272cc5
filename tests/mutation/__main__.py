"""The command: see the package's docstring."""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from .mutants import Mutant, find_mutants
from .runner import BUDGET, MutationRun

SOURCE = Path(__file__).parents[2] / "src" / "suture"
SURVIVORS = Path(__file__).with_name("survivors.toml")
#: The tests that are close to each folder.
TESTS = Path(__file__).with_name("tests.toml")
SAMPLE = Path(__file__).with_name("sample.toml")
#: Prints which of the modules in its arguments can't be imported.
_TRY_IMPORTS = """
import importlib, sys
for name in sys.argv[1:]:
    try:
        importlib.import_module(name)
    except (ModuleNotFoundError, AssertionError):
        print(name)
"""


def main() -> int:
    options = _options()
    os.environ.setdefault("HYPOTHESIS_PROFILE", "brief")
    if options.sample_of_ci:
        return _hold_the_sample()
    mutants = _find_all(options.places)
    if options.only is not None:
        names = options.only.read_text(encoding="utf-8").splitlines()
        mutants = [mutant for mutant in mutants if mutant.name in names]
    if options.sample is not None:
        mutants = random.Random(options.seed).sample(mutants, min(options.sample, len(mutants)))
    if options.list:
        _say(*(mutant.name for mutant in mutants))
        return 0
    by_folder: dict[str, list[str]] = tomllib.loads(TESTS.read_text(encoding="utf-8"))
    folders = {mutant.name.partition("/")[0] for mutant in mutants}
    tests = options.tests or [test for folder in sorted(folders) for test in by_folder[folder]]
    run = MutationRun(mutants, options.budget)
    if not _was_run(run, tests):
        return 1
    explained = set(tomllib.loads(SURVIVORS.read_text(encoding="utf-8")))
    survivors = [*run.survivors, *run.unreached]
    new = [mutant for mutant in survivors if mutant.name not in explained]
    share = len(survivors) / max(1, len(mutants))
    _say(f"{len(survivors)} of {len(mutants)} mutants survive ({share:.1%}), {len(new)} without an explanation")
    for mutant in new:
        _say(f"  {'not reached' if mutant in run.unreached else 'survived'}: {mutant.name}")
    return 1 if new else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("places", nargs="*", default=["place"], help="files or folders below src/suture")
    parser.add_argument("--sample", type=int, help="so many mutants, chosen at random")
    parser.add_argument("--only", type=Path, metavar="FILE", help="of these, the mutants that a file names, one a line")
    parser.add_argument("--sample-of-ci", action="store_true", help="the mutants of sample.toml, with their tests")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--budget", type=float, default=BUDGET, help="seconds of tests for each mutant")
    parser.add_argument("--tests", nargs="+", metavar="PATH", help="these tests only, instead of those in tests.toml")
    parser.add_argument("--list", action="store_true", help="print the names of the mutants and stop")
    return parser.parse_args()


def _hold_the_sample() -> int:
    """Break the code as each row of the sample says; the tests that the row names have to notice."""
    rows = tomllib.loads(SAMPLE.read_text(encoding="utf-8"))["sample"]
    names = [name for row in rows for name in row["mutants"]]
    by_name = {mutant.name: mutant for mutant in _find_all(sorted({name.partition(" ")[0] for name in names}))}
    gone = [name for name in names if name not in by_name]
    if gone:
        _say(f"{SAMPLE.name} names mutants that there are no more; choose others:", *gone)
        return 1
    tests_by_mutant = {by_name[name]: row["tests"] for row in rows for name in row["mutants"]}
    run = MutationRun(list(tests_by_mutant), tests_by_mutant=tests_by_mutant)
    if not _was_run(run, sorted({test for row in rows for test in row["tests"]})):
        return 1
    _say(f"{len(run.survivors)} of {len(names)} mutants of the sample survive")
    return 1 if run.survivors else 0


def _was_run(run: MutationRun, tests: list[str]) -> bool:
    # The run ends a mutant that hangs with an alarm of its own, which the time limit of a test would cancel.
    status = pytest.main(["-n", "0", "-q", "-p", "no:cacheprovider", "--timeout=0", *tests], plugins=[run])
    if run.failed:
        _say("These tests fail without a mutant:", *run.failed)
    elif status != pytest.ExitCode.OK:
        _say("The tests could not be run.")
    return not run.failed and status == pytest.ExitCode.OK


def _find_all(places: list[str]) -> list[Mutant]:
    files = [
        file
        for place in places
        for file in ([SOURCE / place] if place.endswith(".py") else sorted((SOURCE / place).rglob("*.py")))
    ]
    by_file = {file: find_mutants(file, file.relative_to(SOURCE).as_posix()) for file in files}
    missing = _not_importable([mutants[0].module for mutants in by_file.values() if mutants])
    for module in missing:
        _say(f"left out, because it can't be imported here: {module}")
    return [mutant for mutants in by_file.values() for mutant in mutants if mutant.module not in missing]


def _not_importable(modules: list[str]) -> list[str]:
    """The modules that need another system, or the package of an extra that is not installed.

    They are tried in another process: what pytest rewrites must not be imported before it starts.
    """
    done = subprocess.run([sys.executable, "-c", _TRY_IMPORTS, *modules], capture_output=True, text=True, check=True)
    return done.stdout.split()


def _say(*lines: str) -> None:
    sys.stdout.write("".join(f"{line}\n" for line in lines))


if __name__ == "__main__":
    sys.exit(main())
