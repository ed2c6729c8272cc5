"""Seeds: the lines of an edit that occur in the file, and the windows in which the edit may lie."""

from __future__ import annotations

import pytest

from suture.core.text import Text
from suture.place.limits import MOST_PIVOTS, MOST_WINDOWS
from suture.place.loose import Seeds, first_lines


@pytest.mark.parametrize(
    ("old", "common", "windows"),
    [
        (["alpha one"], False, [2]),
        (["}"], False, []),
        # An explanation looks for common lines where there are no others.
        (["}"], True, [0]),
        (["", "}"], True, [-1]),
        (["}", "alpha one"], True, [1]),
        (["}", "nowhere here"], True, []),
    ],
)
def test_distinctive_lines_say_where_an_edit_may_be(old: list[str], common: bool, windows: list[int]) -> None:
    assert Seeds(Text("}\nx\nalpha one\n"), old, common=common).windows == windows


def test_lines_with_other_blanks_are_found_also_where_they_are_part_of_another_line() -> None:
    seeds = Seeds(Text("alpha beta\na  b\n"), ["a b"])
    assert (seeds.windows, seeds.count(0)) == ([1], 1)


def test_a_line_of_words_that_occur_everywhere_is_not_followed() -> None:
    seeds = Seeds(Text("the word is common\n" * 1000), ["common", "rare", ""])
    assert (seeds.windows, [seeds.count(index) for index in range(3)]) == ([], [MOST_PIVOTS, 0, 0])


def test_a_line_is_counted_also_where_its_words_are_everywhere() -> None:
    text = "the word is common\n" * (MOST_PIVOTS + 1) + "a common line\n"
    assert Seeds(Text(text), ["a common line"]).count(0) == 1


def test_an_edit_may_begin_at_the_lowest_offset_itself() -> None:
    old = ["alpha one", "some longer text which nobody wrote"]
    assert Seeds(Text("x\nalpha one\n"), old, 2).windows == [1]
    assert Seeds(Text("x\nalpha one\n"), old, 3).windows == []


def test_of_neighboring_windows_only_the_best_is_looked_at() -> None:
    body = "x\n" * 20
    assert first_lines(body, [(0, 0), (6, 0)]) == [0]
    assert first_lines(body, [(0, 0), (8, 0)]) == [0, 4]


def test_so_many_windows_are_looked_at_and_no_more() -> None:
    hits = [(10 * number, 0) for number in range(MOST_WINDOWS + 1)]
    assert first_lines("x\n" * 200, hits) == [5 * number for number in range(MOST_WINDOWS)]
