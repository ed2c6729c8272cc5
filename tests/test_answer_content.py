"""A refusal alone holds what a correct edit needs, in at least 95 of 100 cases."""

from __future__ import annotations

import pytest
from benchmarks.accuracy.answers import measure, patch_answer, string_answer
from benchmarks.accuracy.quick import quick_cases, quick_strings


@pytest.mark.slow
def test_the_answer_to_a_patch_holds_the_lines_that_its_next_version_needs() -> None:
    refused, complete, others = measure((case, patch_answer(case)) for case in quick_cases())
    assert refused >= 20
    assert complete >= 0.95 * refused, others


@pytest.mark.slow
def test_the_answer_to_a_string_edit_holds_the_lines_that_its_next_version_needs() -> None:
    refused, complete, others = measure((case, string_answer(case)) for case in quick_strings())
    assert refused >= 15
    assert complete >= 0.95 * refused, others
