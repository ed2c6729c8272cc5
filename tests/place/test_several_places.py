"""Several places that an edit fits: what tells each of them from the others."""

from __future__ import annotations

from tests.place.test_explain import refused

from suture import Hunk
from suture.place.several_places import blocks_around, lines_beside, tell_places_apart, telling_blocks


def listed(lines: list[str], rows: list[int], old: list[str], *, room: int = 3000, has_anchors: bool = False) -> str:
    return tell_places_apart(lines, rows, old).show(room, has_anchors=has_anchors)


def test_the_blocks_around_a_line_are_those_that_lines_above_open() -> None:
    text = (
        "class A:\n    x = 1\n    def f(self):\n        if x:\n            go()\n\n        else:\n            stop()\n"
    )
    lines = text.split("\n")
    assert [lines[row].strip() for row in blocks_around(lines, 7)] == ["if x:", "def f(self):", "class A:"]
    assert [lines[row].strip() for row in blocks_around(lines, 5)] == ["if x:", "def f(self):", "class A:"]
    assert blocks_around(["a", "", "b"], 1) == []
    assert blocks_around(["int f()", "{", "    go();", "}"], 2) == [0]


def test_a_block_tells_if_no_other_place_is_in_one_that_is_opened_so() -> None:
    lines = ["class A:", "    def run(self):", "        go()", "class B:", "    def run(self):", "        go()"]
    assert telling_blocks(lines, [2, 5]) == [0, 3]
    assert telling_blocks([*lines[:3], "def b():", "    go()"], [2, 4]) == [1, 3]
    assert telling_blocks([*lines, "go()"], [2, 5, 6]) == []


def test_the_fewest_lines_beside_a_place_tell_it_from_others() -> None:
    assert lines_beside(["one()", "go()", "two()", "go()"], 1, [3], 1) == range(1)
    assert lines_beside(["go()", "one()", "go()", "two()"], 0, [2], 1) == range(1, 2)
    assert lines_beside(["one()", "}", "go()", "two()", "}", "go()"], 5, [2], 1) == range(3, 5)
    # A blank line may be mere layout, and there may be no line at all.
    assert lines_beside(["one()", "", "go()", "}", "two()", "go()", "}"], 2, [5], 1) == range(2)
    assert not lines_beside(["go()", ""], 0, [], 1)


def test_an_edit_without_anchors_is_shown_lines_that_it_can_repeat() -> None:
    lines = ["def a():", "    set()", "    go()", "def b():", "    get()", "    go()"]
    entries = "\n  line 3: |    go()|, in |def a():| (line 1){}\n  line 6: |    go()|, in |def b():| (line 4){}"
    assert listed(lines, [2, 5], ["    go()"], has_anchors=True) == entries.format("", "")
    beside = (", below |    set()| (line 2)", ", below |    get()| (line 5)")
    assert listed(lines, [2, 5], ["    go()"]) == entries.format(*beside)


def test_several_lines_beside_a_place_are_shown_one_by_one() -> None:
    lines = ["one()", "}", "go()", "two()", "}", "go()"]
    text = listed(lines, [2, 5], ["go()"])
    assert text == ("\n  line 3: |go()|, above |two()| (line 4)\n  line 6: |go()|, below:\n    4 |two()|\n    5 |}|")


def test_where_too_many_lines_would_be_needed_the_nearest_that_tells_is_named() -> None:
    lines = ["the first", *["}"] * 40, "go()", "the second", *["}"] * 40, "go()"]
    assert listed(lines, [41, 83], ["go()"]).endswith("line 84: |go()|, 41 lines below |the second| (line 43)")


def test_places_that_nothing_tells_apart_are_one_line() -> None:
    assert listed(["go()"] * 9, list(range(9)), ["go()"]) == "\n  lines 1, 2, 3, 4, 5 and more: |go()|"


def test_places_that_are_not_as_the_edit_has_them_are_shown_as_they_are() -> None:
    lines = ["begin(1)", "beta = one", "end(1)", "", "begin(1)", "beta = two", " end(1)"]
    text = listed(lines, [0, 4], ["begin(1)", "beta = 1", "end(1)"])
    assert text == "\n  line 2: |beta = one|\n  line 6: |beta = two|, and:\n    7 | end(1)|"


def test_places_for_which_there_is_no_room_are_numbers() -> None:
    lines = [text for number in range(8) for text in (f"def number_{number}():", "    go()")]
    text = listed(lines, list(range(1, 16, 2)), ["    go()"], room=200, has_anchors=True)
    assert text.count("\n  line ") == 3
    assert text.endswith("\n  and lines 8, 10, 12, 14 and 16")


def test_a_hunk_whose_lines_are_already_added_is_told_so_where_it_fits_several_places() -> None:
    problem = refused("a()\nend\nb()\nend\nc()\nadded = here\n", Hunk((" end", "+added = here")))
    assert "line 2: |end|" in problem.message
