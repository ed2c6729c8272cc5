"""Other ways to read a hunk: what becomes of its lines, and when there is no other way."""

from __future__ import annotations

import pytest

from suture import Hunk, update
from suture.core.dialect import CODEX, STANDARD
from suture.place.readings import normalize, other_readings, without_last_blank, without_line_numbers


def readings(*lines: str, bare: tuple[int, ...] = ()) -> dict[str, tuple[str, ...]]:
    """The lines of each other reading, by what it concedes."""
    return {" ".join(notes): hunk.lines for hunk, _, notes in other_readings(Hunk(lines, bare=bare), STANDARD, "")}


def test_what_is_removed_and_added_again_is_context_and_bare_lines_are_still_bare() -> None:
    hunk = normalize(Hunk(("-a", "-b", "+a", "+c", " ", " d"), bare=(4,)))
    assert (hunk.lines, hunk.bare) == ((" a", "-b", "+c", " ", " d"), (3,))


def test_a_hunk_that_adds_no_line_again_stays_as_it_is_written() -> None:
    hunk = Hunk(("+a", "-b", "+c", "-d"))
    assert normalize(hunk) is hunk


def test_a_line_that_is_kept_under_its_number_stays_as_the_file_has_it() -> None:
    """Only without the numbers are the removed and the added line the same."""
    hunk = Hunk(("-1| alpha", "-2| beta", "+alpha", "+gamma"))
    assert next(other_readings(hunk, STANDARD, ""))[0].lines == (" alpha", "-beta", "+gamma")
    assert update("alpha  \nbeta\n", [hunk]).text == "alpha  \ngamma\n"


def test_a_hunk_with_a_word_on_the_last_newline_is_not_normalized() -> None:
    hunk = Hunk(("-a", "+a"), no_newline="new")
    assert normalize(hunk) is hunk
    assert update("a\n", [hunk]).text == "a"


def test_the_blank_old_line_at_the_end_is_left_out() -> None:
    shorter = without_last_blank(Hunk((" a", "+b", " ", "+c"), bare=(0,)))
    assert shorter is not None
    assert (shorter.lines, shorter.bare) == ((" a", "+b", "+c"), (0,))


@pytest.mark.parametrize("lines", [(" ",), ("+a",), (" a",), (" ", " a")])
def test_without_a_blank_last_line_behind_others_nothing_is_left_out(lines: tuple[str, ...]) -> None:
    assert without_last_blank(Hunk(lines)) is None


def test_of_blank_lines_at_the_end_all_that_are_bare_are_left_out_and_one_that_is_not() -> None:
    lines = (" a", " ", " ", " ")
    assert without_last_blank(Hunk(lines)) == Hunk(lines[:3])
    assert without_last_blank(Hunk(lines, bare=(3,))) == Hunk(lines[:2])
    assert without_last_blank(Hunk(lines, bare=(2, 3))) == Hunk(lines[:1])


def test_a_blank_line_with_lines_that_come_in_behind_it_stays() -> None:
    assert readings(" a", " ", "+b") == {"blank_line_added": (" a", "+", "+b")}
    assert readings(" a", "- ", "+b") == {"last_blank_left_out": (" a", "+b")}
    assert readings(" a", "+b", " ") == {"last_blank_left_out": (" a", "+b")}
    codex = [hunk.lines for hunk, _, _ in other_readings(Hunk((" a", " ", "+b")), CODEX, "")]
    assert codex == [(" a", "+b")] * 2


@pytest.mark.parametrize(
    ("lines", "read"),
    [
        ((" 7: a", "-8: b"), (" a", "-b")),
        ((" 7:a", "-8:b"), (" a", "-b")),
        ((" 7: a", "-8: b", "+c"), (" a", "-b", "+c")),
        ((" 7: a", "-8: b", "+8: c", "+9: d"), (" a", "-b", "+c", "+d")),
        ((" 7: a", "-8: b", "+7: c"), (" a", "-b", "+c")),
        ((" 7: a", "-8: b", "+10: c"), (" a", "-b", "+c")),
        ((" 7: a", "-8: b", "+", "+9: c"), (" a", "-b", "+", "+c")),
        ((" 7: a", "-8: b", "+c", "+100: d"), (" a", "-b", "+c", "+100: d")),
    ],
)
def test_the_numbers_of_a_viewer_are_taken_off(lines: tuple[str, ...], read: tuple[str, ...]) -> None:
    assert next(without_line_numbers(Hunk(lines))).lines == read


@pytest.mark.parametrize(
    "lines",
    [
        (" 7: a", "-9: b"),
        (" 7: a", "-b"),
        ("+7: a",),
        (" 7: a", "-8: b", "+c", "+8: d"),
        (" 7: a", "-8: b", "+100: c"),
        (" 7: a", "-8: b", "+11: c"),
        (" 7: a", "-8: b", "+6: c"),
    ],
)
def test_numbers_that_may_be_the_text_s_own_stay(lines: tuple[str, ...]) -> None:
    assert list(without_line_numbers(Hunk(lines))) == []


def test_a_line_without_a_prefix_may_be_the_rest_of_the_line_above_it() -> None:
    assert readings('-say("a', ' b")', "+go()", bare=(1,))["newline_unescaped"] == ('-say("a\\nb")', "+go()")
    joined = readings("-a", " b", " c", "+d", bare=(1, 2))["newline_unescaped"]
    assert joined == ("-a\\nb\\nc", "+d")


def test_a_first_a_blank_and_a_line_below_an_added_one_are_no_rest() -> None:
    assert "newline_unescaped" not in readings(" b", " c", bare=(0,))
    assert "newline_unescaped" not in readings(" b", " ", "+a", bare=(1,))
    assert "newline_unescaped" not in readings("+a", " b", " c", bare=(1,))
    assert "newline_unescaped" not in readings("+a", " b", " c", bare=(1, 2))


def test_a_line_without_a_prefix_between_added_ones_is_added() -> None:
    assert readings("+a", " b", "+c", " d", bare=(1,))["bare_line_added"] == ("+a", "+b", "+c", " d")
    assert readings("+a", " b", " c", "+d", bare=(1, 2))["bare_line_added"] == ("+a", "+b", "+c", "+d")
    assert "bare_line_added" not in readings(" b", "+c", bare=(0,))
    assert "bare_line_added" not in readings("+a", " b", " c", bare=(1,))
