"""Hunks that are refused although they have a place, hints, and other readings."""

from __future__ import annotations

import pytest
from tests.shared.hunk_refusals import TWICE, every_dialect, refusals

from suture import Hunk, PatchRejectedError, replace, update

# Honesty.


def test_a_place_needs_a_distinctive_line_unless_it_is_the_only_one() -> None:
    """SPEC §4, about lines that could be anywhere."""
    assert update("a = 1\n}\n", [Hunk(("-}", "+};"))]).text == "a = 1\n};\n"
    assert refusals("a = 1\n}\n}\n", [Hunk(("-}", "+};"))]) == [("multiple_matches", None)]


def test_lines_that_say_nothing_have_a_place_also_at_a_loose_tier_where_it_is_the_only_one() -> None:
    """SPEC §4 again: the tier makes no difference."""
    assert update("a = 1\n    }\n", [Hunk(("-}", "+};"))]).text == "a = 1\n    };\n"


def test_a_one_sided_insertion_whose_only_telling_line_occurs_elsewhere_is_ambiguous() -> None:
    """SPEC §4: "A one-sided insertion whose only telling line occurs elsewhere is ambiguous." """
    text = "call(a)\n}\n\ncall(a)\n)\n"
    assert refusals(text, [Hunk((" call(a)", " }", "+new"))]) == [("multiple_matches", None)]
    assert update(text, [Hunk((" call(a)", "-}", "+new"))]).text == "call(a)\nnew\n\ncall(a)\n)\n"


@pytest.mark.parametrize(
    "added", [("one line", "another line", "a third line"), ("one line", "", "another line", "a third line")]
)
def test_three_telling_lines_that_are_there_already_are_refused(added: tuple[str, ...]) -> None:
    hunk = Hunk((" def f():", *[f"+    {line}".rstrip() for line in added]))
    text = str(update("def f():\n    pass\n", [hunk]).text)
    assert refusals(text, [hunk]) == [("patch_apply_error", "already_applied")]


def test_a_line_at_another_depth_is_not_meant_where_the_result_is_there_at_its_own() -> None:
    """The edit was made where the indentation is as written; the other place has kept the old version."""
    text = 'kotlin:\n    depends("okio:2.8.0")\n\njava:\ndepends("okio:2.7.0")\n'
    hunk = Hunk(('-    depends("okio:2.7.0")', '+    depends("okio:2.8.0")'))
    assert refusals(text, [hunk]) == [("patch_apply_error", "already_applied")]


@pytest.mark.parametrize("condition", ['("ready")', "(“ready”)"])
def test_lines_at_another_depth_are_not_meant_where_they_are_at_their_own_with_other_spacing(condition: str) -> None:
    text = 'if ("ready") {\n  begin(1);\n}\n  if ("ready")  {\n    begin(1);\n  }\n'
    hunk = Hunk((f"   if {condition} {{", "-    begin(1);", "+    begin(2);", "   }"))
    with pytest.raises(PatchRejectedError) as raised:
        update(text, [hunk], path="app.js")
    assert raised.value.problems[0].details["rule"] == "own-depth"


def test_what_is_there_already_is_said_of_a_hunk_that_has_no_place() -> None:
    hunk = Hunk((" a = 1", "-b = 2", "+b = 3"))
    assert refusals("a = 1\nb = 3\n", [hunk]) == [("patch_apply_error", "already_applied")]


def test_lines_that_were_added_at_that_place_are_not_added_twice() -> None:
    """SPEC §13: "also where an insertion's lines are already at that very place"."""
    hunk = Hunk((" def f():", "+    one line"))
    once = update("def f():\n    pass\n", [hunk]).text
    assert refusals(once, [hunk]) == [("patch_apply_error", "already_applied")]


def test_lines_between_two_that_touch_may_equal_the_one_above_them() -> None:
    hunk = Hunk((" say('a')", "+say('a')", " say('b')"))
    assert update("say('a')\nsay('b')\n", [hunk]).text == "say('a')\nsay('a')\nsay('b')\n"


@every_dialect
def test_an_update_that_changes_nothing(dialect: str) -> None:
    """SPEC §2: "update that changes nothing": `no_change`, in codex "success, noted"."""
    for hunk in (Hunk(("-a = 1", "+a = 1")), Hunk((" a = 1",))):
        if dialect in ("standard", "strict"):
            with pytest.raises(PatchRejectedError) as raised:
                update("a = 1\nb = 2\n", [hunk], dialect=dialect)
            (problem,) = raised.value.problems
            assert problem.code == "no_change" or problem.details["reason"] == "already_applied"
        else:
            done = update("a = 1\nb = 2\n", [hunk], dialect=dialect)
            assert done.text == "a = 1\nb = 2\n"
            assert [concession.name for concession in done.matches[0].concessions] == ["no_change"]


@pytest.mark.parametrize("dialect", ["standard", "strict"])
def test_no_hunks_change_nothing(dialect: str) -> None:
    assert refusals("a\n", [], dialect) == [("no_change", None)]


# Hints.


def test_a_line_number_breaks_a_tie_where_it_names_a_candidates_line() -> None:
    """SPEC §4: "The line-number hint, only to break a tie and only where it names a candidate's line exactly." """
    done = update(TWICE, [Hunk(("-value = 1", "+new"), line_hint=4)])
    assert done.text == "one\nvalue = 1\ntwo\nnew\nthree\n"
    assert [concession.name for concession in done.matches[0].concessions] == ["line_hint"]
    assert done.matches[0].rivals == (2,)


@pytest.mark.parametrize("hint", [0, 1, 3, 5, 400])
def test_a_line_number_that_names_no_candidate_breaks_nothing(hint: int) -> None:
    assert refusals(TWICE, [Hunk(("-value = 1", "+new"), line_hint=hint)]) == [("multiple_matches", None)]


def test_a_line_number_never_overrules_a_place() -> None:
    done = update("x\nvalue = 1\n  value = 1\n", [Hunk(("-value = 1", "+new"), line_hint=3)])
    assert (done.matches[0].start, done.matches[0].concessions) == (2, ())


# Other readings.


@pytest.mark.parametrize(
    "numbered",
    [
        ("1|a = 1", "2|b = 2"),
        ("  1 | a = 1", "  2 | b = 2"),
        ("1: a = 1", "2: b = 2"),
        ("    1\ta = 1", "    2\tb = 2"),
        ("     1→a = 1", "     2→b = 2"),
        ("9│a = 1", "10│b = 2"),
    ],
)
def test_line_numbers_in_front_of_every_old_line_are_taken_off(numbered: tuple[str, str]) -> None:
    """SPEC §3: "line numbers in front of every old line as a file viewer prints them"."""
    done = update("a = 1\nb = 2\nc = 3\n", [Hunk((f" {numbered[0]}", f"-{numbered[1]}", "+B"))])
    assert done.text == "a = 1\nB\nc = 3\n"
    assert "line_numbers" in [concession.name for concession in done.matches[0].concessions]


def test_line_numbers_are_taken_off_added_lines_where_all_have_them() -> None:
    done = update("a = 1\nb = 2\n", [Hunk((" 1|a = 1", "-2|b = 2", "+2|B", "+3|C"))])
    assert done.text == "a = 1\nB\nC\n"


def test_indentation_behind_a_line_number_is_kept() -> None:
    done = update("def f():\n    b = 2\n", [Hunk((" 1|def f():", "-2|    b = 2", "+    b = 3"))])
    assert done.text == "def f():\n    b = 3\n"


@pytest.mark.parametrize("lines", [(" 1|a = 1", "-3|b = 2"), (" 1|a = 1", "-b = 2"), (" 2|a = 1", "-1|b = 2")])
def test_line_numbers_that_are_not_consecutive_are_text(lines: tuple[str, ...]) -> None:
    assert refusals("a = 1\nb = 2\n", [Hunk((*lines, "+B"))])[0][0] == "patch_apply_error"


def test_the_literal_reading_of_numbers_comes_first() -> None:
    """SPEC §3: "the literal reading is tried first and the other one only where the literal one has no place"."""
    text = "1|a = 1\n2|b = 2\n\na = 1\nb = 2\n"
    assert update(text, [Hunk((" 1|a = 1", "-2|b = 2", "+B"))]).text == "1|a = 1\nB\n\na = 1\nb = 2\n"


def test_a_number_longer_than_any_file_is_no_crash() -> None:
    assert refusals("a\n", [Hunk((f"-{'9' * 5000}|a", "+b"))]) == [("patch_apply_error", "context_not_found")]


def test_only_standard_takes_line_numbers_off() -> None:
    for dialect in ("codex", "opencode", "strict"):
        assert len(refusals("a = 1\n", [Hunk(("-1|a = 1", "+B"))], dialect)) == 1


def test_a_line_without_prefix_between_added_ones_may_be_an_added_one() -> None:
    """SPEC §3: "an unprefixed line between two `+` lines that may be an added one"."""
    hunk = Hunk((" a = 1", "+one", " two", "+three"), bare=(2,))
    done = update("a = 1\nb = 2\n", [hunk])
    assert done.text == "a = 1\none\ntwo\nthree\nb = 2\n"
    assert [concession.name for concession in done.matches[0].concessions] == ["bare_line_added"]


def test_a_line_without_prefix_may_be_an_added_one_among_lines_that_are_removed_and_added_again() -> None:
    text = "if a:\n    one(a)\n\nif b:\n    two(b)\n"
    lines = (" if a:", "-    one(a)", "-", "-if b:", "-    two(b)", "+    one(a)", " ", "+if c:", "+    two(c)")
    done = update(text, [Hunk(lines, bare=(6,))])
    assert done.text == text.replace("b", "c")
    assert [concession.name for concession in done.matches[0].concessions] == ["bare_line_added"]


def test_a_line_without_prefix_that_the_file_has_is_context() -> None:
    hunk = Hunk((" a = 1", "+one", " b = 2", "+three"), bare=(2,))
    assert update("a = 1\nb = 2\n", [hunk]).text == "a = 1\none\nb = 2\nthree\n"


@pytest.mark.parametrize(
    ("text", "removed", "added", "right"),
    [
        ("def f():\n\treturn 1\n", "\\treturn 1", "\\treturn 2", "def f():\n\treturn 2\n"),
        ("cost = $5 now\n", "cost = \\$5 now", "cost = \\$6 now", "cost = $6 now\n"),
        ("path: a/b/c\n", "path: a\\/b\\/c", "path: a\\/b\\/d", "path: a/b/d\n"),
        ('x = "one\\ttwo"\n', 'x = "one\ttwo"', 'x = "one\tthree"', 'x = "one\\tthree"\n'),
        ('p = "C:\\\\temp"\n', 'p = "C:\\temp"', 'p = "D:\\temp"', 'p = "D:\\\\temp"\n'),
    ],
)
def test_escapes_that_made_the_match_are_read_the_same_way_in_added_lines(
    text: str, removed: str, added: str, right: str
) -> None:
    """SPEC §13: a hunk and a string edit of the same lines have the same result."""
    assert update(text, [Hunk((f"-{removed}", f"+{added}"))]).text == right
    assert replace(text, removed, added).text == right


@pytest.mark.parametrize(
    ("text", "removed", "added"),
    [
        ('say("hi")\n', 'say(\\"hi\\")', 'say(\\"ho\\n\\")'),
        ('say("hi")\n', 'say(\\"hi\\")', 'say(\\"ho\\", "x")'),
        ('p = "C:\\\\temp"\n', 'p = "C:\\temp"', 'p = "D:\\\\temp"'),
    ],
)
def test_escapes_of_added_lines_that_may_be_meant_are_refused(text: str, removed: str, added: str) -> None:
    assert refusals(text, [Hunk((f"-{removed}", f"+{added}"))]) == [("patch_apply_error", "unclear_escapes")]
    with pytest.raises(PatchRejectedError) as raised:
        replace(text, removed, added)
    assert raised.value.problems[0].details["reason"] == "unclear_escapes"
