"""A refusal alone holds what a correct edit needs, in at least 90 of 100 cases."""

from __future__ import annotations

import pytest
from benchmarks.accuracy.answers import Figures, is_shown, named_lines
from benchmarks.accuracy.quick import changes
from benchmarks.accuracy.refused_edits import refused_patches, refused_strings


@pytest.mark.slow
@pytest.mark.parametrize("form", ["patch", "string"])
def test_a_refusal_leaves_nothing_to_look_up(form: str) -> None:
    refused = refused_patches if form == "patch" else refused_strings
    figures = Figures(refused(list(changes()), 7))
    assert figures.count((form, "all")) >= 150
    assert figures.complete[form, "all"] >= 0.9 * figures.count((form, "all")), "\n".join(figures.table())


def test_a_line_is_shown_with_its_number_and_in_full() -> None:
    assert is_shown(6, "\tx = 1 ", (), "The file has:\n   7 |→x = 1·|\n")
    assert is_shown(6, "x = 1", (), "  line 9: |y|, in |x = 1| (line 7)")
    assert not is_shown(6, "x = 1", (), "  17 |x = 1|\n   8 |x = 1|\n   7 |x = 12|\n   7 |x …|")


def test_a_long_line_may_be_cut_where_the_edit_has_it_right() -> None:
    answer = "  7 |…one two three…|\n"
    assert is_shown(6, "zero one two three four", ("zero 1 2 3 four",), answer)
    assert not is_shown(6, "zero one two three four", ("zero 1 2 3 five",), answer)


def test_lines_are_named_by_number_and_by_range() -> None:
    answer = "Hunk 1 of 2 (patch line 3) fits lines 6 and 14 of a.py.\nThe nearest place is lines 20-22:\n  31 |x|\n"
    assert named_lines(answer) == {6, 14, 20, 22, 31}
