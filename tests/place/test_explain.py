"""Explanations: what is said of a hunk that has no place is true, short, and found within a budget.

The golden files have the prose; here are the cases behind it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.place import test_answers, test_string_answers
from tests.shared.answer_cases import REJECTED

from suture import Hunk, PatchInvalidError, PatchRejectedError, Problem, multiedit, parse, update
from suture.core.text import Text
from suture.place.nearest_place import close_line
from suture.place.refusals import CANDIDATE_RULES, PLACE_RULES
from suture.words import bad_edit, made_already, no_place, other_place, uncertain_place
from suture.words.edit_phrases import PlacementCause
from suture.words.message_lines import compare_lines, line_list, visible
from suture.words.other_place import Elsewhere
from suture.words.uncertain_place import UNCERTAIN, UncertainPlace

if TYPE_CHECKING:
    from types import ModuleType

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
    _, line, other = compare_lines(7, "x" * size + "a", "x" * size + "b", "patch").split("\n")
    assert line == f"  7 |…{'x' * 60}a|"
    assert other == f"    |…{'x' * 60}b|  (the patch, from character {size - 59} on)"


def test_two_long_lines_are_cut_behind_their_last_difference() -> None:
    _, line, other = compare_lines(7, f"one{'x' * 500}", f"two, three{'x' * 500}", "patch").split("\n")
    assert line == f"  7 |one{'x' * 59}…|"
    assert other == f"    |two, three{'x' * 59}…|  (the patch)"


def test_of_two_long_lines_that_have_nothing_in_common_each_is_shown() -> None:
    _, line, other = compare_lines(7, "x" * 900, "y" * 900, "patch").split("\n")
    assert (line, other) == (f"  7 |{'x' * 900}|", f"    |{'y' * 900}|  (the patch)")


def test_of_two_lines_one_may_be_the_beginning_of_the_other() -> None:
    _, line, other = compare_lines(1, "x" * 500, "x" * 501, "patch").split("\n")
    assert line == f"  1 |…{'x' * 60}|"
    assert other == f"    |…{'x' * 61}|  (the patch, from character 441 on)"


def test_a_legend_is_there_where_a_sign_is() -> None:
    def legend(line: str, other: str) -> list[str]:
        return compare_lines(10, line, other, "edit").split("\n")[3:]

    assert legend("a b", "a c") == []
    assert legend("\ta ", "b") == ["     (→ is a tab, · is a trailing space)"]
    assert legend("a", "\u2019\u200b") == ["     (⟨U+200B⟩ is ZERO WIDTH SPACE, ’ is RIGHT SINGLE QUOTATION MARK)"]


def test_numbers_of_lines_are_few() -> None:
    assert (line_list([6]), line_list([6, 14]), line_list([1, 2, 3])) == (
        "line 6",
        "lines 6 and 14",
        "lines 1, 2 and 3",
    )
    assert line_list(list(range(1, 9))) == "lines 1, 2, 3, 4, 5 and more"


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


def test_a_line_is_looked_for_near_the_beginning_alone() -> None:
    text = Text("".join(f"value_{index} = compute({index})\n" for index in range(30_000)))
    assert close_line(text, "value_12 = comput(12)") == 13
    assert [close_line(text, line) for line in ("}", "x" * 2000, "zzzz qqqq")] == [0, 0, 0]


# What is said.


def causes_in(*modules: ModuleType) -> set[str]:
    """The names of all causes of modules, apart from those that others derive from."""
    found = [one for module in modules for one in vars(module).values() if isinstance(one, type)]
    bases = (PlacementCause, Elsewhere, UncertainPlace)
    return {one.__name__ for one in found if issubclass(one, PlacementCause) and one not in bases}


def test_every_cause_has_an_answer_that_is_known_word_for_word() -> None:
    # Of many hunks, of a parser, whose words depend on its version, and of values made by hand.
    causes = {"NotFoundEither", "OutOfBudget", "NoLongerParses", "NotALine", "NotAnEdit", "NestedCopy", "ForgottenPlus"}
    for case in REJECTED.values():
        with pytest.raises(PatchRejectedError) as caught:
            test_answers.apply(case)
        causes |= {type(problem.cause).__name__ for problem in caught.value.problems}
    for edits in test_string_answers.CASES.values():
        with pytest.raises(PatchRejectedError) as caught:
            test_string_answers.apply(edits)
        causes |= {type(problem.cause).__name__ for problem in caught.value.problems}
    assert causes_in(bad_edit, made_already, no_place, other_place, uncertain_place) <= causes


def test_every_rule_that_can_refuse_a_place_as_uncertain_has_its_cause() -> None:
    names = {rule.name for rule in CANDIDATE_RULES + PLACE_RULES}
    assert {name for name in names if not name.startswith("already")} == set(UNCERTAIN)


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
    assert "hunk 1 adds |first = 2|" in problem.message
    assert problem.hint == "Merge the two hunks into one."


def test_after_some_hunks_that_have_no_place_an_answer_is_brief() -> None:
    hunks = [Hunk((f"-absent {index}", "+x")) for index in range(30)]
    with pytest.raises(PatchRejectedError) as raised:
        update("one line\n", hunks)
    messages = [problem.message for problem in raised.value.problems]
    assert ["no line is close to" in message for message in messages] == [True] * 20 + [False] * 10


def test_a_hunk_of_very_many_lines_is_compared_by_its_first_ones() -> None:
    lines = [f"line number {index}" for index in range(20_002)]
    hunk = Hunk((" line zero", *(" " + line for line in lines), "-absent"))
    message = refused("\n".join(["another", *lines, ""]), hunk, dialect="strict").message
    assert "1999 of 2000 lines match" in message


def test_a_path_that_is_no_text_can_be_sent() -> None:
    with pytest.raises(PatchRejectedError) as raised:
        update("a\n", [Hunk(("-b c", "+x"))], path="a\udcff")
    assert "a⟨U+DCFF⟩" in raised.value.problems[0].message


def test_a_line_number_after_other_edits_is_told_to_be_one() -> None:
    note = "\nLine numbers are those after the"
    first = Hunk((" class A:", "+    x = 1"))
    assert f"{note} hunks" in refused(APP, first, Hunk(("-        check(2)", "+x")), dialect="strict").message
    assert note not in refused(APP, first, Hunk(("-nothing like that", "+x")), dialect="strict").message
    with pytest.raises(PatchRejectedError) as raised:
        multiedit(APP, [("class A:", "class B:"), ("lost = 1", "        check(1)")])
    [problem] = raised.value.problems
    assert (problem.details["reason"], problem.details["line"]) == ("already_applied", 3)
    assert f"{note} edits" in problem.message


def test_a_block_is_called_one_whatever_is_wrong_with_it() -> None:
    block = Hunk(("-class A:", "+class \x07:"), is_block=True)
    assert refused(APP, block).message == "Block 1 of 1 adds the control character U+0007 to a.py."


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
