"""The mutants that are named are those of the code as it is: whoever changes such a line names others."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from tests.mutation.mutants import find_mutants

import suture

SOURCE = Path(suture.__file__).parent
ROOT = Path(__file__).parents[2]
ROWS = tomllib.loads((ROOT / "tests/mutation/sample.toml").read_text("utf-8"))["sample"]
SURVIVORS = tomllib.loads((ROOT / "tests/mutation/survivors.toml").read_text("utf-8"))
NAMES = {name for row in ROWS for name in row["mutants"]} | set(SURVIVORS)


@pytest.mark.parametrize("file", sorted({name.partition(" ")[0] for name in NAMES}))
def test_each_mutant_that_is_named_can_be_made(file: str) -> None:
    named = {name for name in NAMES if name.startswith(f"{file} ")}
    gone = named - {mutant.name for mutant in find_mutants(SOURCE / file, file)}
    assert not gone, "sample.toml or survivors.toml in tests/mutation names what is no longer there"


def test_each_test_of_the_sample_is_there() -> None:
    paths = {test.partition("::")[0] for row in ROWS for test in row["tests"]}
    assert not [path for path in paths if not (ROOT / path).exists()]
