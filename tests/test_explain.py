"""Explanations: what is said of a hunk that has no place is true, short, and found within a budget.

The golden files have the prose; here are the cases behind it.
"""

from __future__ import annotations

import pytest

from suture import Hunk, PatchInvalidError, PatchRejectedError, Problem, parse, update
from suture.core.text import Text
from suture.explain.message_lines import header_form, line_list, line_range, visible, visible_pair
from suture.explain.surroundings import blocks_around, close_line, line_numbers, lines_like

APP = "class A:\n    def run(self):\n        check(1)\n        with open(path) as file:\n            read(file)\n"


def refused(content: str, *hunks: Hunk, dialect: str = "standard") -> Problem:
    """The last problem of an update that is refused."""
    with pytest.raises(PatchRejectedError) as raised:
        update(content, hunks, dialect=dialect, path="a.py")
    return raised.value.problems[-1]


def unread(*lines: str, dialect: str = "standard") -> str:
    with pytest.raises(PatchInvalidError) as raised:
        parse("\n".join(("*** Begin Patch", *lines, "*** End Patch", "")), dialect)
    return raised.value.for_model()


# Lines as they are shown.


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("", "||"),
        ("\ta  ", "|→a··|"),
        ("a\u00a0b", "|a⟨U+00A0⟩b|"),
        ("\udcff", "|⟨U+DCFF⟩|"),
        ("x" * 161, "|" + "x" * 159 + "…|"),
    ],
)
def test_a_line_is_shown_with_what_cannot_be_seen(line: str, shown: str) -> None:
    assert visible(line) == shown


@pytest.mark.parametrize("size", [200, 5000, 4096, 8192, 100_000])
def test_two_long_lines_are_cut_around_their_first_difference(size: int) -> None:
    one, other, legend = visible_pair("x" * size + "a", "x" * size + "b")
    assert one.endswith("xa|")
    assert other.endswith("xb|")
    assert f"from character {size - 59} on" in legend


def test_of_two_lines_one_may_be_the_beginning_of_the_other() -> None:
    one, other, _ = visible_pair("x" * 500, "x" * 501)
    assert (one[1], other[1], one != other) == ("…", "…", True)


def test_a_legend_is_there_where_a_sign_is() -> None:
    assert visible_pair("a b", "a c")[2] == ""
    assert visible_pair("\ta ", "b")[2] == "\n  (→ is a tab, · is a trailing space)"
    assert visible_pair("a", "\u2019\u200b")[2] == "\n  (⟨U+200B⟩ is ZERO WIDTH SPACE, ’ is U+2019)"


def test_an_anchor_that_is_proposed_is_the_beginning_of_its_line() -> None:
    line = "    def load(" + ", ".join(f"argument_{n}" for n in range(20)) + "):"
    form = header_form(line)
    assert len(form) <= 83
    assert line.strip().startswith(form.removeprefix("@@ "))
    assert header_form("x" * 100) == "@@ " + "x" * 80
    assert header_form("a\udcff") == "@@ a⟨U+DCFF⟩"


def test_numbers_of_lines_are_few() -> None:
    assert (line_list([6]), line_list([6, 14]), line_list([1, 2, 3])) == (
        "line 6",
        "lines 6 and 14",
        "lines 1, 2 and 3",
    )
    assert line_list(list(range(1, 9))) == "lines 1, 2, 3, 4, 5 and more"
    assert (line_range(3, 3), line_range(3, 5)) == ("line 3", "lines 3-5")


# The nearest place.


def test_every_line_that_differs_is_shown_beside_the_file() -> None:
    text = "a one\nb two\nc three\nd four\ne five\n"
    hunk = Hunk((" a one", " invented", " b two", " d four", "-e six", "+x"))
    assert refused(text, hunk).message.split("\n")[1:] == [
        "The nearest place is lines 1-5, where 3 of 5 lines match. The file has:",
        "  1 |a one|",
        "    |invented|  (only in the patch)",
        "  2 |b two|",
        "  3 |c three|  (not in the patch)",
        "  4 |d four|",
        "  5 |e five|",
        "    |e six|  (the patch)",
    ]


def test_of_a_long_place_the_lines_around_differences_are_shown() -> None:
    lines = [f"line number {index}" for index in range(100)]
    hunk = Hunk(
        (*(f" {line}" for line in lines[:50]), " another", *(f" {line}" for line in lines[51:]), "-absent", "+x")
    )
    message = refused("\n".join([*lines, "end", ""]), hunk).message
    assert message.count("\n") < 20
    assert "51 |line number 50|\n      |another|  (the patch)" in message


def test_of_places_on_both_sides_of_the_anchor_the_one_behind_it_is_near() -> None:
    text = "def a():\n    go(1)\n    stop(1)\n\ndef b():\n    go(1)\n    stop(2)\n"
    nearest = refused(text, Hunk(("     go(1)", "-    stop(3)", "+x"), ("def b():",))).details["nearest"]
    assert nearest == {"first": 6, "last": 7, "agree": 1, "of": 2, "line": 7}


def test_lines_with_other_blanks_are_found_also_where_they_are_part_of_another_line() -> None:
    assert lines_like(Text("alpha beta\na  b\n"), "a b") == [2]


def test_a_line_of_words_that_occur_everywhere_is_not_followed() -> None:
    text = Text("the word is common\n" * 1000)
    assert lines_like(text, "common") is None
    assert lines_like(text, "rare") == []
    assert lines_like(text, "") == []


def test_a_line_is_looked_for_near_the_beginning_alone() -> None:
    text = Text("".join(f"value_{index} = compute({index})\n" for index in range(30_000)))
    assert close_line(text, "value_12 = comput(12)") == (13, "value_12 = comput(12)")
    assert close_line(text, "}", "x" * 2000, "zzzz qqqq") is None


def test_the_blocks_around_a_line_are_those_that_lines_above_open() -> None:
    body = "class A:\n    x = 1\n    def f(self):\n        if x:\n            go()\n        else:\n            stop()\n"
    at = body.index("            stop")
    assert [line.strip() for _, line in blocks_around(body, at)] == ["if x:", "def f(self):", "class A:"]
    assert blocks_around("a\n\nb\n", 2) == []
    assert [line for _, line in blocks_around("int f()\n{\n    go();\n}\n", 10)] == ["int f()"]


def test_line_numbers_are_counted_in_one_pass() -> None:
    assert line_numbers("a\nb\nc", [0, 2, 4, 6]) == [1, 2, 3, 4]


# What is said.


def test_lines_that_look_numbered_and_are_nowhere_are_not_said_to_be() -> None:
    message = refused(APP, Hunk(("-12: absent from it", "+x"))).message
    assert "line numbers" not in message


def test_the_file_may_begin_below_the_first_line_of_a_hunk() -> None:
    message = refused(APP, Hunk((" import os", " class A:", "-    def run(me):", "+x"))).message
    assert "|import os|  (only in the patch)" in message


def test_a_difference_is_named_by_its_line() -> None:
    hunk = Hunk((" class A:", "         check(1)", "-            read(file)", "+x"))
    problem = refused(APP, hunk, dialect="strict")
    assert problem.details["nearest"] == {"first": 1, "last": 5, "agree": 3, "of": 3, "line": 2}


def test_what_an_earlier_hunk_adds_is_named_also_where_nothing_else_is_near() -> None:
    problem = refused("a = 1\n", Hunk(("-a = 1", "+first = 2")), Hunk(("-first = 2", "+third = 3")))
    assert problem.details["otherHunkIndex"] == 0
    assert problem.hint == "Merge the two hunks into one."


def test_after_some_hunks_that_have_no_place_an_answer_is_brief() -> None:
    hunks = [Hunk((f"-absent {index}", "+x")) for index in range(30)]
    with pytest.raises(PatchRejectedError) as raised:
        update("one line\n", hunks)
    messages = [problem.message for problem in raised.value.problems]
    assert ["It is not in the file" in message for message in messages] == [True] * 20 + [False] * 10


def test_a_hunk_of_very_many_lines_is_compared_by_its_first_ones() -> None:
    lines = [f"line number {index}" for index in range(20_002)]
    hunk = Hunk((" line zero", *(" " + line for line in lines), "-absent"))
    message = refused("\n".join(["another", *lines, ""]), hunk, dialect="strict").message
    assert "1999 of 2000 lines match" in message


def test_a_path_that_is_no_text_can_be_sent() -> None:
    with pytest.raises(PatchRejectedError) as raised:
        update("a\n", [Hunk(("-b c", "+x"))], path="a\udcff")
    assert "a⟨U+DCFF⟩" in raised.value.problems[0].message


# Lines that can't be read.


@pytest.mark.parametrize(
    ("line", "form"),
    [
        ("*** Update: a.py", "*** Update File: a.py"),
        ("*** Update File a.py", "*** Update File: a.py"),
        ("*** Create File: a.py", "*** Add File: a.py"),
        ("** Remove File: a.py", "*** Delete File: a.py"),
        ("*** Rename: a.py -> b.py", "*** Move File: a.py -> b.py"),
        ("*** Rename File a.py -> b.py", "*** Move File: a.py -> b.py"),
        ("*** New", "*** Add File:"),
    ],
)
def test_a_header_that_is_nearly_one_is_written_out(line: str, form: str) -> None:
    assert form in unread(line, "*** Delete File: b.py")


def test_a_move_under_another_name_is_written_out() -> None:
    assert "*** Move File: a.py -> b.py" in unread(
        "*** Update File: a.py", "*** Rename to: b.py", "@@", "-x", dialect="strict"
    )
    answer = unread("*** Update File: a.py", "@@", "-x", "*** Rename to: b.py")
    assert "must directly follow an *** Update File: line" in answer


def test_a_long_line_without_prefix_is_not_written_twice() -> None:
    assert unread("*** Update File: a.py", "@@", "y" * 500, dialect="codex").count("y" * 100) == 1


def test_a_corrected_form_can_be_sent() -> None:
    unread("*** Update: a\udcff").encode()


def test_text_behind_the_envelope_is_one_error() -> None:
    with pytest.raises(PatchInvalidError) as raised:
        parse("*** Begin Patch\n*** Delete File: a\n*** End Patch\n" + "more\n" * 50, "codex")
    assert len(raised.value.problems) == 1


@pytest.mark.parametrize("text", ["```\n{}\n~~~", "```\n{", "```"])
def test_a_fence_that_does_not_close_hides_nothing(text: str) -> None:
    with pytest.raises(PatchInvalidError):
        parse(text.replace("{", '{"p": "*** Begin Patch'))
