"""SECURITY.md names a test for every promise, and the tests are there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "SECURITY.md").read_text("utf-8")
MODEL = PAGE.split("\n## Threat model\n")[1].split("\n## ", maxsplit=1)[0]
PROMISES = re.findall(r"^\| (?!promise|---)(.+?) \| (.+) \|$", MODEL, re.MULTILINE)


@pytest.mark.parametrize(("promise", "tests"), PROMISES)
def test_a_promise_names_tests_that_exist(promise: str, tests: str) -> None:
    files = [ROOT / path for path in re.findall(r"\]\(([^)]+)\)", tests)]
    assert files, promise
    assert all(file.exists() for file in files)
    text = "".join(file.read_text("utf-8") for file in files if file.is_file())
    for name in re.findall(r"`(test_\w+)`", tests):
        assert f"def {name}(" in text, name


def test_each_attacker_has_promises_and_limits() -> None:
    sections = re.split(r"^### ", MODEL, flags=re.MULTILINE)[1:]
    assert [section.partition("\n")[0] for section in sections] == [
        "The model",
        "The author of a file",
        "Another user of the machine",
        "Another process",
        "A client of the MCP server, and web pages",
    ]
    assert all("\n| promise | test |\n" in section and "\nNot promised:\n" in section for section in sections)
