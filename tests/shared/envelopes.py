"""Envelopes to read: their hunks, errors and concessions."""

from __future__ import annotations

import pytest
from tests.shared.sites import envelope

from suture import DIALECTS, Hunk, PatchInvalidError, UpdateFile, parse

every_dialect = pytest.mark.parametrize("dialect", DIALECTS)
lenient_dialects = pytest.mark.parametrize("dialect", ["standard", "codex", "opencode"])


def update_of(*lines: str) -> str:
    return envelope("*** Update File: a.txt", *lines)


def hunks(text: str, dialect: str = "standard") -> tuple[Hunk, ...]:
    (operation,) = parse(text, dialect).operations
    assert isinstance(operation, UpdateFile)
    return operation.hunks


def errors(text: str, dialect: str = "standard") -> list[tuple[object, object]]:
    """The line of every error, and what stood there."""
    with pytest.raises(PatchInvalidError) as raised:
        parse(text, dialect)
    for problem in raised.value.problems:
        assert problem.code == "patch_parse_error"
        expected = problem.details["expected"]
        assert isinstance(expected, list)
        assert expected
        assert all(choice in problem.message for choice in expected)
        assert f"Patch line {problem.details['line']}" in problem.message
    return [(problem.details["line"], problem.details["found"]) for problem in raised.value.problems]


def concessions_of(text: str, dialect: str = "standard") -> list[tuple[str, int]]:
    return [(concession.name, concession.line) for concession in parse(text, dialect).concessions]


INNER = envelope("*** Delete File: a")
