"""The command: see the package's docstring."""

from __future__ import annotations

import argparse
import os
import random
import sys
import tomllib
from pathlib import Path

import pytest

from .mutants import Mutant, find_mutants
from .runner import BUDGET, MutationRun

SOURCE = Path(__file__).parents[2] / "src" / "suture"
SURVIVORS = Path(__file__).with_name("survivors.toml")
#: The tests that are close to the engine; those of programs, disks, and sessions would be slow and prove nothing more.
TESTS = Path(__file__).with_name("tests.txt")


def find_all(places: list[str]) -> list[Mutant]:
    files = [
        file
        for place in places
        for file in ([SOURCE / place] if place.endswith(".py") else sorted((SOURCE / place).glob("*.py")))
    ]
    return [mutant for file in files for mutant in find_mutants(file, file.relative_to(SOURCE).as_posix())]


def _say(*lines: str) -> None:
    sys.stdout.write("".join(f"{line}\n" for line in lines))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("places", nargs="*", default=["place"], help="files or folders below src/suture")
    parser.add_argument("--sample", type=int, help="so many mutants, chosen at random")
    parser.add_argument("--only", type=Path, metavar="FILE", help="the mutants that a file names, one a line")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--budget", type=float, default=BUDGET, help="seconds of tests for each mutant")
    parser.add_argument("--tests", nargs="+", metavar="PATH", help="these tests only, instead of those in tests.txt")
    parser.add_argument("--list", action="store_true", help="print the names of the mutants and stop")
    options = parser.parse_args()
    mutants = find_all(options.places)
    if options.only is not None:
        by_name = {mutant.name: mutant for mutant in mutants}
        names = options.only.read_text(encoding="utf-8").splitlines()
        if gone := [name for name in names if name not in by_name]:
            _say(f"{options.only} names mutants that there are no more; choose others:", *gone)
            return 1
        mutants = [by_name[name] for name in names]
    if options.sample is not None:
        mutants = random.Random(options.seed).sample(mutants, min(options.sample, len(mutants)))
    if options.list:
        _say(*(mutant.name for mutant in mutants))
        return 0
    explained = set(tomllib.loads(SURVIVORS.read_text(encoding="utf-8")))
    run = MutationRun(mutants, options.budget)
    os.environ.setdefault("HYPOTHESIS_PROFILE", "brief")
    tests = options.tests or TESTS.read_text(encoding="utf-8").split()
    # The run ends a mutant that hangs with an alarm of its own, which the time limit of a test would cancel.
    pytest_options = ["-n", "0", "-p", "no:cacheprovider", "--timeout=0"]
    if pytest.main([*pytest_options, *tests], plugins=[run]) != pytest.ExitCode.OK:
        _say("The tests could not be run.")
        return 1
    if run.failed:
        _say("These tests fail without a mutant:", *run.failed)
        return 1
    survivors = [*run.survivors, *run.unreached]
    new = [mutant for mutant in survivors if mutant.name not in explained]
    share = len(survivors) / max(1, len(mutants))
    _say(f"{len(survivors)} of {len(mutants)} mutants survive ({share:.1%}), {len(new)} without an explanation")
    for mutant in new:
        _say(f"  {'not reached' if mutant in run.unreached else 'survived'}: {mutant.name}")
    return 1 if new else 0


if __name__ == "__main__":
    sys.exit(main())
