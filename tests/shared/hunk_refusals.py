"""Hunks and what they are refused with, for the tests of placement."""

from __future__ import annotations

import pytest

from suture import Hunk, PatchRejectedError, update

every_dialect = pytest.mark.parametrize("dialect", ["standard", "codex", "opencode", "strict"])


TWICE = "one\nvalue = 1\ntwo\nvalue = 1\nthree\n"


def refusals(text: str, hunks: list[Hunk], dialect: str = "standard") -> list[tuple[str, object]]:
    with pytest.raises(PatchRejectedError) as raised:
        update(text, hunks, dialect=dialect)
    return [(problem.code, problem.details.get("reason")) for problem in raised.value.problems]


def swap(old: str, new: str = "new") -> Hunk:
    return Hunk((f"-{old}", f"+{new}"))
