"""The quick accuracy benchmark: the project's own files, spoilt as models spoil edits, with floors."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from benchmarks.accuracy.__main__ import ask
from benchmarks.accuracy.quick import quick_cases, quick_strings, quick_twins

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.accuracy.cases import Case


def outcomes(cases: Sequence[Case]) -> tuple[Counter[str], Counter[str], list[str]]:
    """What became of the spoilt edits and of the stale ones, and the names of those that were placed wrongly."""
    spoilt: Counter[str] = Counter()
    stale: Counter[str] = Counter()
    wrong: list[str] = []
    for case in cases:
        _, [result] = ask(case, ["suture"])
        (stale if case.safety else spoilt)[result.outcome] += 1
        if result.outcome == "wrong":
            wrong.append(f"{case.way} {case.name}")
    return spoilt, stale, wrong


def test_spoilt_patches_land_and_stale_ones_are_refused() -> None:
    """At least 99 % of the spoilt patches are placed byte for byte, and none of any kind is placed wrongly."""
    spoilt, stale, wrong = outcomes(quick_cases())
    assert wrong == []
    assert spoilt.total() >= 300
    assert spoilt["exact"] / spoilt.total() >= 0.99
    assert stale.total() >= 80


def test_spoilt_string_edits_land_and_stale_ones_are_refused() -> None:
    """At least 98 % of the spoilt string edits are placed byte for byte, none wrongly; stale ones are refused."""
    spoilt, stale, wrong = outcomes(quick_strings())
    assert wrong == []
    assert spoilt.total() >= 275
    assert spoilt["exact"] / spoilt.total() >= 0.98
    assert stale.total() >= 100
    assert stale["exact"] == stale.total()


def test_an_edit_whose_block_is_gone_is_never_put_into_its_twin() -> None:
    """A block that differs in one word, one number, one line or one level of depth is another block."""
    _, twins, wrong = outcomes(quick_twins())
    assert wrong == []
    assert twins.total() >= 300
