"""How much a message shows: each limit at the last case that it allows and at the first that it does not."""

from __future__ import annotations

import pytest

from suture import Hunk, PatchRejectedError, update
from suture.core.text import Text
from suture.place.limits import (
    CLOSE,
    CLOSE_CHARACTERS,
    CLOSE_LINES,
    CLOSE_PART,
    LONGEST_CLOSE,
    MOST_ABOVE,
    MOST_EXPLAINED,
    MOST_NUMBERED,
    MOST_TELLING,
    SHORTEST_PART,
)
from suture.place.nearest_place import close_line
from suture.place.several_places import blocks_around, lines_beside
from suture.words.message_limits import LINES_AROUND, LONGEST_HEADER, MOST_LISTED, MOST_NAMED, MOST_SHOWN_LINES
from suture.words.message_lines import compare_lines


def refusal(content: str, *lines: str, path: str = "") -> str:
    """What is said of a hunk that has no place."""
    with pytest.raises(PatchRejectedError) as caught:
        update(content, [Hunk(lines)], path=path)
    return caught.value.problems[0].message


def classes(count: int) -> str:
    return "".join(f"class Number{n}:\n    value = compute(1)\n\n" for n in range(count))


def test_so_many_places_are_listed_one_by_one() -> None:
    for count, rest in ((MOST_LISTED, False), (MOST_LISTED + 1, True)):
        message = refusal(classes(count), "-    value = compute(1)", "+    value = 2")
        assert message.count("\n  line ") == MOST_LISTED
        assert ("\n  and line" in message) == rest


def test_an_anchor_that_is_proposed_is_the_beginning_of_its_line() -> None:
    for size in (LONGEST_HEADER, LONGEST_HEADER + 1):
        content = "".join(f"{name * size}\n    value = 1\n" for name in "ab")
        with pytest.raises(PatchRejectedError) as caught:
            update(content, [Hunk(("-    value = 1", "+    value = 2"))])
        assert f"(for the first: @@ {'a' * LONGEST_HEADER})" in caught.value.problems[0].hint


def test_so_many_lines_beside_places_tell_them_apart() -> None:
    for distance, count in ((MOST_TELLING, MOST_TELLING), (MOST_TELLING + 1, 0)):
        lines: list[str] = []
        for name in ("first", "second"):
            lines += [f"the {name} of them", *["}"] * (distance - 1), "value = compute(1)"]
        assert len(lines_beside(lines, len(lines) - 1, [distance], 1)) == count


def test_blocks_around_a_place_are_looked_for_in_so_many_lines() -> None:
    for inside, found in ((MOST_ABOVE - 2, [0]), (MOST_ABOVE - 1, [])):
        lines = ["def outer():", *["    go()"] * inside, "    value = 1"]
        assert blocks_around(lines, len(lines) - 1) == found


def test_of_so_many_lines_those_that_match_are_shown_too() -> None:
    for count, is_cut in ((MOST_SHOWN_LINES, False), (MOST_SHOWN_LINES + 1, True)):
        lines = [f"line {n} of the file that nobody changes" for n in range(count)]
        message = refusal("\n".join([*lines, ""]), *(f" {line}" for line in lines[:-1]), "-another text", "+x")
        assert (f"… ({count - 2} lines that match)" in message) == is_cut


def test_so_many_characters_are_named() -> None:
    assert compare_lines(1, "plain", "plain öäüé", "patch").count(" is LATIN") == MOST_NAMED
    assert " is LATIN" not in compare_lines(1, "plain", "plain öäüéñ", "patch")


def test_so_many_lines_around_a_fault_are_shown() -> None:
    before = "\n".join([*(f"x{n} = {n}" for n in range(20)), "def f():", "    if ready:", "        go()"])
    message = refusal(before + "\n", " if ready:", "-    go()", "+    go(", "+    )+", path="f.py")
    result = message.partition("The file has:")[0].partition("Around it")[0]
    assert result.count("\n> ") == 1
    assert 0 < result.count("\n  ") <= LINES_AROUND * 3


def test_a_line_is_close_if_so_much_of_it_is_the_same() -> None:
    for same, is_close in ((CLOSE + 0.01, True), (CLOSE - 0.01, False)):
        count = round(same * 100)
        found = close_line(Text("b" * count + "c" * (100 - count)), "b" * count + "d" * (100 - count))
        assert bool(found) == is_close


def test_a_part_of_a_line_is_close_if_so_much_of_it_is_the_same() -> None:
    for same, is_close in ((CLOSE_PART, True), (CLOSE_PART - 1, False)):
        found = close_line(Text("=" * 200 + "b" * same + "=" * 200), "b" * same + "d" * (100 - same))
        assert bool(found) == is_close


def test_a_close_line_is_looked_for_in_lines_and_among_lines_of_some_length() -> None:
    for size, is_close in ((LONGEST_CLOSE, True), (LONGEST_CLOSE + 1, False)):
        assert bool(close_line(Text("b" * size), "b" * size)) == is_close


@pytest.mark.parametrize(
    ("filler", "most"), [("\n", CLOSE_LINES), ("x" * 999 + "\n", CLOSE_CHARACTERS // 1000)], ids=["lines", "characters"]
)
def test_a_close_line_is_looked_for_in_the_beginning_of_a_file(filler: str, most: int) -> None:
    for above, is_close in ((most - 1, True), (most, False)):
        found = close_line(Text(filler * above + "a line to look for\n"), "a line to look fur")
        assert bool(found) == is_close


def test_so_many_hunks_are_held_against_the_nearest_place() -> None:
    lines = [f"value_{n} = compute({n})" for n in range(MOST_EXPLAINED + 1)]
    hunks = [Hunk((f" {line} or None", f"-other_{n}", "+x")) for n, line in enumerate(lines)]
    with pytest.raises(PatchRejectedError) as caught:
        update("\n".join(lines) + "\n", hunks)
    assert ["either" in problem.message for problem in caught.value.problems] == [False] * MOST_EXPLAINED + [True]


def test_so_many_line_numbers_are_data() -> None:
    for count in (MOST_NUMBERED, MOST_NUMBERED + 1):
        with pytest.raises(PatchRejectedError) as caught:
            update("same_line()\n" * count, [Hunk(("-same_line()", "+x"))])
        assert caught.value.problems[0].details["lines"] == [*range(1, MOST_NUMBERED + 1)]


def test_a_part_of_a_line_is_close_from_a_length_on() -> None:
    for size, is_close in ((SHORTEST_PART, True), (SHORTEST_PART - 1, False)):
        assert bool(close_line(Text("=" * 50 + "abcdefghij"[:size] + "=" * 50), "abcdefghij"[:size])) == is_close
