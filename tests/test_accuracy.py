"""The quick accuracy benchmark: the project's own files, spoilt as models spoil patches, with floors."""

from __future__ import annotations

from collections import Counter

from benchmarks.accuracy.peers import TOOLS
from benchmarks.accuracy.quick import quick_cases
from benchmarks.accuracy.score import run


def test_spoilt_patches_land_and_stale_ones_are_refused() -> None:
    """At least 99 % of the spoilt patches are placed byte for byte, and none of any kind is placed wrongly."""
    outcomes: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
    wrong: list[str] = []
    for case in quick_cases():
        outcome = run(case, "suture", TOOLS).outcome
        outcomes[not case.safety][outcome] += 1
        if outcome == "wrong":
            wrong.append(case.name)
    assert wrong == []
    spoilt = outcomes[True]
    assert spoilt.total() >= 300
    assert spoilt["exact"] / spoilt.total() >= 0.99
    assert outcomes[False].total() >= 80
