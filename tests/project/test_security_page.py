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
    # What is before a link names tests of the file or the directory that it leads to.
    *links, rest = re.split(r"\[[^\]]+\]\(([^)]+)\)", tests)
    assert links, promise
    assert "`test_" not in rest
    for names, path in zip(links[::2], links[1::2], strict=True):
        assert (ROOT / path).exists(), path
        files = [ROOT / path] if (ROOT / path).is_file() else sorted((ROOT / path).rglob("test_*.py"))
        for name in re.findall(r"`(test_\w+)`", names):
            assert any(f"def {name}(" in file.read_text("utf-8") for file in files), name


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
