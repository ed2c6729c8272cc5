"""Hunks × text → places: order, uniqueness, the ends of the file, and what is refused to stay honest."""

from __future__ import annotations

import pytest

from suture import Hunk, PatchRejectedError, update
from suture.core.problems import HunkRef

every_dialect = pytest.mark.parametrize("dialect", ["standard", "codex", "opencode", "strict"])
TWICE = "one\nvalue = 1\ntwo\nvalue = 1\nthree\n"


def refusals(text: str, hunks: list[Hunk], dialect: str = "standard") -> list[tuple[str, object]]:
    with pytest.raises(PatchRejectedError) as raised:
        update(text, hunks, dialect=dialect)
    return [(problem.code, problem.details.get("reason")) for problem in raised.value.problems]


def swap(old: str, new: str = "new") -> Hunk:
    return Hunk((f"-{old}", f"+{new}"))


# Uniqueness.


@pytest.mark.parametrize("dialect", ["standard", "strict"])
def test_several_places_are_refused_with_their_lines(dialect: str) -> None:
    with pytest.raises(PatchRejectedError) as raised:
        update(TWICE, [swap("value = 1")], dialect=dialect, path="a.py")
    (problem,) = raised.value.problems
    assert (problem.code, problem.path, problem.hunk) == ("multiple_matches", "a.py", HunkRef(1, 1))
    assert problem.details["lines"] == [2, 4]


@pytest.mark.parametrize("dialect", ["codex", "opencode"])
def test_codex_takes_the_first_place_from_the_cursor_on(dialect: str) -> None:
    assert update(TWICE, [swap("value = 1")], dialect=dialect).text == TWICE.replace("value = 1", "new", 1)
    both = [swap("value = 1", "a"), swap("value = 1", "b")]
    assert update(TWICE, both, dialect=dialect).text == "one\na\ntwo\nb\nthree\n"
    assert (
        update(TWICE, [swap("two", "2"), swap("value = 1")], dialect=dialect).text == "one\nvalue = 1\n2\nnew\nthree\n"
    )


def test_a_looser_tier_is_never_used_where_a_stricter_one_finds_a_place() -> None:
    text = "  value = 1\nvalue = 1 \nvalue = 1\n"
    done = update(text, [swap("value = 1")])
    assert (done.text, done.matches[0].tier) == ("  value = 1\nvalue = 1 \nnew\n", "exact")


def test_several_places_at_a_stricter_tier_are_not_decided_by_a_looser_one() -> None:
    assert refusals("value = 1\nvalue = 1\n  value = 1\n", [swap("value = 1")]) == [("multiple_matches", None)]


def test_the_only_arrangement_in_order_is_taken_where_a_hunk_alone_would_fit_twice() -> None:
    """SPEC §4: "A set of hunks of which only one arrangement satisfies all the constraints is placed so"."""
    done = update(TWICE, [swap("two", "2"), swap("value = 1")])
    assert done.text == "one\nvalue = 1\n2\nnew\nthree\n"
    assert [(match.start, match.rivals) for match in done.matches] == [(3, ()), (4, (2,))]
    assert update(TWICE, [swap("value = 1"), swap("two", "2")]).text == "one\nnew\n2\nvalue = 1\nthree\n"


def test_as_many_equal_hunks_as_places_fill_them_all() -> None:
    done = update(TWICE, [swap("value = 1", "a"), swap("value = 1", "b")])
    assert done.text == "one\na\ntwo\nb\nthree\n"


def test_two_arrangements_are_refused_for_each_hunk_that_has_a_choice() -> None:
    text = "value = 1\none\nvalue = 1\ntwo\nvalue = 1\n"
    hunks = [swap("value = 1", "a"), swap("value = 1", "b")]
    assert refusals(text, hunks) == [("multiple_matches", None), ("multiple_matches", None)]


def test_a_list_of_candidates_that_was_cut_short_is_ambiguous() -> None:
    text = "value = 1\n" * 1500 + "last\nvalue = 1\n"
    assert refusals(text, [swap("last"), swap("value = 1")]) == [("multiple_matches", None)]


# Order.


@pytest.mark.parametrize("dialect", ["standard", "strict"])
def test_hunks_may_be_out_of_order_where_each_has_one_place(dialect: str) -> None:
    done = update("a = 1\nb = 2\nc = 3\n", [swap("c = 3", "C"), swap("a = 1", "A")], dialect=dialect)
    assert done.text == "A\nb = 2\nC\n"


def test_out_of_order_is_noted_in_standard() -> None:
    done = update("a = 1\nb = 2\nc = 3\n", [swap("c = 3", "C"), swap("a = 1", "A")])
    assert {concession.name for match in done.matches for concession in match.concessions} == {"out_of_order"}


@pytest.mark.parametrize("dialect", ["codex", "opencode"])
def test_codex_refuses_hunks_out_of_order_and_says_so(dialect: str) -> None:
    hunks = [swap("c = 3", "C"), swap("a = 1", "A")]
    assert refusals("a = 1\nb = 2\nc = 3\n", hunks, dialect) == [("patch_apply_error", "context_not_found")]


def test_where_no_order_exists_each_hunk_needs_exactly_one_candidate() -> None:
    text = "value = 1\nother\nvalue = 1\nlast = 1\n"
    assert refusals(text, [swap("last = 1"), swap("value = 1")]) == [("multiple_matches", None)]


def test_a_hunks_tier_is_chosen_before_order_is_looked_at() -> None:
    """SPEC §4: "A hunk's tier is chosen before order is looked at": a loose place in order is no rival."""
    text = "value = 1\nmiddle = 1\n  value = 1\n"
    done = update(text, [swap("middle = 1", "m"), swap("value = 1", "v")])
    assert done.text == "v\nm\n  value = 1\n"


@every_dialect
def test_hunks_may_share_context(dialect: str) -> None:
    text = "a = 1\nb = 2\nc = 3\n"
    hunks = [Hunk(("-a = 1", "+A", " b = 2")), Hunk((" b = 2", "-c = 3", "+C"))]
    assert update(text, hunks, dialect=dialect).text == "A\nb = 2\nC\n"


# Overlap.


@pytest.mark.parametrize(
    "hunks",
    [
        [swap("b = 2", "x"), swap("b = 2", "y")],
        [Hunk(("-a = 1", "-b = 2", "+x")), Hunk(("-b = 2", "-c = 3", "+y"))],
        [Hunk(("-a = 1", "-b = 2", "-c = 3")), swap("b = 2")],
        [Hunk((" a = 1", "+x", " b = 2")), Hunk((" a = 1", "+y", " b = 2"))],
        [Hunk(("-a = 1", "-b = 2", "-c = 3", "+x")), Hunk((" b = 2", "+y"))],
    ],
)
def test_hunks_that_change_the_same_lines_are_refused(hunks: list[Hunk]) -> None:
    """SPEC §4: "Removed lines and insertion points of two hunks may not coincide or overlap"."""
    text = "a = 1\nb = 2\nc = 3\nd = 4\n"
    assert refusals(text, hunks) == [("overlapping_edits", None)]
    assert refusals(text, hunks[::-1]) == [("overlapping_edits", None)]


def test_an_overlap_names_both_hunks() -> None:
    with pytest.raises(PatchRejectedError) as raised:
        update("a = 1\nb = 2\n", [Hunk(("-a = 1", "+x")), Hunk(("-b = 2", "+y")), Hunk(("-b = 2", "+z"))])
    (problem,) = raised.value.problems
    assert (problem.hunk, problem.details["hunkIndex"]) == (HunkRef(3, 3), 2)
    assert "hunk 2" in problem.message


def test_edits_that_touch_do_not_overlap() -> None:
    assert update("a = 1\nb = 2\n", [swap("a = 1", "A"), swap("b = 2", "B")]).text == "A\nB\n"


def test_strict_may_use_as_context_what_an_earlier_hunk_left() -> None:
    hunks = [swap("a = 1", "A = 1"), Hunk((" A = 1", "-b = 2", "+B = 2"))]
    assert update("a = 1\nb = 2\n", hunks, dialect="strict").text == "A = 1\nB = 2\n"


@pytest.mark.parametrize(
    "hunks",
    [
        [swap("a = 1", "A = 1"), swap("A = 1", "again")],
        [Hunk((" a = 1", "+x", "+y")), Hunk(("-y", "+z"))],
        [swap("b = 2", "B"), Hunk(("-a = 1",)), swap("B", "again")],
        [swap("c = 3", "C"), Hunk(("+zero", " a = 1")), swap("C", "again")],
        [swap("a = 1", "A"), Hunk((" A", "+more")), swap("more", "again")],
        [Hunk((" a = 1", "+x", "+y", "+z")), Hunk((" x", "+between", " y")), swap("z", "again")],
    ],
)
def test_strict_may_not_remove_a_line_that_an_earlier_hunk_added(hunks: list[Hunk]) -> None:
    assert refusals("a = 1\nb = 2\nc = 3\n", hunks, "strict") == [("overlapping_edits", None)]


def test_strict_may_remove_a_line_beside_one_that_was_added() -> None:
    hunks = [Hunk((" a = 1", "+x")), swap("b = 2", "B"), swap("a = 1", "A")]
    assert update("a = 1\nb = 2\n", hunks, dialect="strict").text == "A\nx\nB\n"


def test_strict_wants_each_hunk_to_fit_once_in_what_those_before_have_left() -> None:
    text = "a = 1\nb = 2\n"
    assert refusals(text, [swap("a = 1", "b = 2"), swap("b = 2")], "strict") == [("multiple_matches", None)]
    assert update("x\nx\n", [Hunk(("-x", " x")), swap("x", "y")], dialect="strict").text == "y\n"


# The end of the file.

REPEATED = "start = 1\nend = 1\nmiddle\nstart = 1\nend = 1\n"


@pytest.mark.parametrize("dialect", ["standard", "codex", "opencode"])
def test_at_the_end_of_the_file_the_last_place_is_meant(dialect: str) -> None:
    hunk = Hunk((" start = 1", "-end = 1", "+END"), at_end=True)
    done = update(REPEATED, [hunk], dialect=dialect)
    assert done.text == "start = 1\nend = 1\nmiddle\nstart = 1\nEND\n"


@pytest.mark.parametrize("dialect", ["standard", "codex", "opencode"])
def test_lines_that_are_not_at_the_end_are_refused_with_where_they_are(dialect: str) -> None:
    hunk = Hunk(("-start = 1", "+x"), at_end=True)
    with pytest.raises(PatchRejectedError) as raised:
        update(REPEATED, [hunk], dialect=dialect)
    (problem,) = raised.value.problems
    assert (problem.code, problem.details["reason"]) == ("patch_apply_error", "not_at_end")
    assert problem.details["lines"] == [1, 4]


@pytest.mark.parametrize("dialect", ["standard", "codex", "opencode"])
def test_a_hunk_longer_than_the_file_is_not_at_its_end(dialect: str) -> None:
    assert refusals("a\n", [Hunk((" x", " a", "-b"), at_end=True)], dialect)[0][0] == "patch_apply_error"


def test_at_the_end_also_without_a_final_newline_and_at_looser_tiers() -> None:
    assert update("a = 1\nb = 2", [Hunk(("-b = 2", "+B"), at_end=True)]).text == "a = 1\nB"
    assert update("a = 1\n  b = 2 \n", [Hunk(("-b = 2", "+B"), at_end=True)]).text == "a = 1\n  B\n"


# Limits.


@pytest.mark.parametrize("dialect", ["standard", "codex", "strict"])
def test_a_search_that_is_out_of_time_is_refused(dialect: str) -> None:
    """SPEC §4: "with a limit in seconds behind it that refuses"."""
    with pytest.raises(PatchRejectedError) as raised:
        update("a = 1\n", [swap("b = 2"), swap("c = 3")], dialect=dialect, seconds=-1.0)
    assert {problem.code for problem in raised.value.problems} == {"timeout"}


# Hunks of added lines alone.


@pytest.mark.parametrize(
    ("dialect", "text", "after"),
    [
        ("standard", "", "new\n"),
        ("codex", "", "new\n"),
        ("opencode", "", "new\n"),
        ("codex", "a\n", "a\nnew\n"),
        ("opencode", "a", "a\nnew\n"),
    ],
)
def test_added_lines_alone_go_into_an_empty_file_and_in_codex_to_the_end(dialect: str, text: str, after: str) -> None:
    assert update(text, [Hunk(("+new",))], dialect=dialect).text == after


@pytest.mark.parametrize(
    ("dialect", "text"), [("standard", "a\n"), ("strict", "a\n"), ("strict", ""), ("standard", "\n")]
)
def test_added_lines_alone_are_refused_where_nothing_says_where(dialect: str, text: str) -> None:
    """SPEC §2: "hunk with only `+` lines": `standard` "otherwise error", `strict` "error"."""
    assert refusals(text, [Hunk(("+new",))], dialect) == [("patch_apply_error", "no_context")]


@every_dialect
def test_a_hunk_with_no_lines_is_an_error(dialect: str) -> None:
    """SPEC §2: "In every dialect: … a hunk with no lines and a patch with no sections are errors"."""
    assert len(refusals("a\n", [Hunk(())], dialect)) == 1


# A last blank line.


@pytest.mark.parametrize("dialect", ["standard", "codex", "opencode"])
def test_a_blank_last_old_line_that_the_file_lacks_is_left_out(dialect: str) -> None:
    hunk = Hunk((" a = 1", "-b = 2", "+B", " "))
    done = update("a = 1\nb = 2\nc = 3\n", [hunk], dialect=dialect)
    assert done.text == "a = 1\nB\nc = 3\n"
    names = [concession.name for concession in done.matches[0].concessions]
    assert names == ["last_blank_left_out"] or (dialect != "standard" and names == [])


def test_a_blank_last_old_line_that_the_file_has_is_context() -> None:
    done = update("a = 1\nc = 3\na = 1\n\nb = 2\n", [Hunk(("-a = 1", "+A", " "))])
    assert done.text == "a = 1\nc = 3\nA\n\nb = 2\n"
    assert done.matches[0].concessions == ()


def test_strict_leaves_nothing_out() -> None:
    assert refusals("a = 1\nb = 2\n", [Hunk(("-a = 1", "+A", " "))], "strict") == [
        ("patch_apply_error", "context_not_found")
    ]


def test_a_bare_blank_last_line_must_not_decide_between_two_places() -> None:
    """A blank line written without its prefix may be layout: then both places fit."""
    hunk = Hunk((" call(a)", "-done(b)", "+done(c)", " "), bare=(3,))
    text = "call(a)\ndone(b)\n\ncall(a)\ndone(b)\nmore()\n"
    assert refusals(text, [hunk]) == [("multiple_matches", None)]
    assert update(text, [hunk.replace(bare=())]).matches[0].start == 1


def test_all_bare_blank_lines_behind_a_hunk_are_layout() -> None:
    hunk = Hunk((" call(a)", "-done(b)", "+done(c)", " ", " "), bare=(3, 4))
    assert update("call(a)\ndone(b)\nmore()\n", [hunk]).text == "call(a)\ndone(c)\nmore()\n"


def test_a_hunk_of_blank_lines_alone_is_not_shortened_to_nothing() -> None:
    assert refusals("a = 1\nb = 2\n", [Hunk(("-", "+x"))]) == [("patch_apply_error", "context_not_found")]


# Honesty.


def test_a_place_needs_a_distinctive_line_unless_it_is_the_only_one() -> None:
    """SPEC §4: "a place needs at least one line that says something, unless it is the only one in the file"."""
    assert update("a = 1\n}\n", [Hunk(("-}", "+};"))]).text == "a = 1\n};\n"
    assert refusals("a = 1\n}\n}\n", [Hunk(("-}", "+};"))]) == [("multiple_matches", None)]


def test_lines_that_say_nothing_have_a_place_also_at_a_loose_tier_where_it_is_the_only_one() -> None:
    """SPEC §4: "unless it is the only one in the file": of whatever tier."""
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


def test_a_line_without_prefix_that_the_file_has_is_context() -> None:
    hunk = Hunk((" a = 1", "+one", " b = 2", "+three"), bare=(2,))
    assert update("a = 1\nb = 2\n", [hunk]).text == "a = 1\none\nb = 2\nthree\n"


# Explanations.


def message_of(text: str, *lines: str) -> str:
    with pytest.raises(PatchRejectedError) as raised:
        update(text, [Hunk(lines)], path="a.py")
    return raised.value.for_model()


def test_the_first_line_that_differs_is_shown_in_both_versions_with_its_white_space() -> None:
    """SPEC §8: "the first line that differs, both versions, with tabs and trailing spaces made visible"."""
    text = "def f():\n\tfirst = 1\n\tsecond = 2  \n\tthird = 3\n"
    answer = message_of(text, " def f():", " \tfirst = 1", "-\tsecond = 22", " \tthird = 3", "+x")
    assert "Hunk 1 of 1" in answer
    assert "a.py" in answer
    assert "|→second = 22|" in answer
    assert "|→second = 2··|" in answer
    assert "3 of 4 lines match" in answer
    assert answer.endswith("No file was changed.")


def test_a_character_that_only_looks_alike_is_named() -> None:
    answer = message_of("value = αbc\nother = 1\nmore = 2\n", "-value = abc", " other = 1", "+x")
    assert "U+03B1" in answer


def test_a_place_that_runs_over_the_end_of_the_file_is_shown() -> None:
    answer = message_of("alpha line\nbeta line\n", " alpha line", " beta line", "-gamma line", "+delta")
    assert "2 of 3 lines match" in answer
    assert "|gamma line|" in answer


def test_a_hunk_of_another_file_is_said_to_be_so() -> None:
    answer = message_of("alpha\nbeta\n", "-zzzzzzzz qqqqqqqq", "+x")
    assert "|zzzzzzzz qqqqqqqq|" in answer


def test_the_nearest_line_is_shown_where_none_is_equal() -> None:
    assert "|value = compute(1)|" in message_of("value = compute(1)\n", "-value = compute(2)", "+x")


def test_an_empty_file_has_no_nearest_place() -> None:
    assert message_of("", "-a line", "+x").endswith("No file was changed.")


def test_a_long_line_is_cut_in_a_message() -> None:
    assert len(message_of("x" * 5000 + "\n", "-" + "y" * 5000, "+x")) < 1500


def test_many_places_are_not_all_listed() -> None:
    answer = message_of("value = 1\n" * 900, "-value = 1", "+x")
    assert "900" in answer
    assert len(answer) < 1000


STORY = "".join(f"the {word} line of the story\n" for word in "first second third fourth fifth sixth seventh".split())


def told(text: str, *lines: str, anchors: tuple[str, ...] = ()) -> tuple[str, object]:
    """The message of the one problem, and the nearest place as data."""
    with pytest.raises(PatchRejectedError) as raised:
        update(text, [Hunk(lines, anchors)])
    (problem,) = raised.value.problems
    return problem.message, problem.details.get("nearest")


@pytest.mark.parametrize(
    ("lines", "shown", "nearest"),
    [
        pytest.param(
            (
                " the first line of the story",
                " nobody wrote this",
                " nor did anybody write that",
                "-the second line of the story",
            ),
            ["|nobody wrote this|"],
            {"first": 1, "last": 2, "agree": 2, "of": 4},
            id="several lines are invented",
        ),
        pytest.param(
            (" the first line of the story", "-the fourth line of the story", " the fifth line of the story"),
            ["|the second line of the story|"],
            {"first": 1, "last": 5, "agree": 3, "of": 3},
            id="several lines are skipped",
        ),
        pytest.param(
            (" the seventh line of the story", "-nobody wrote this", " nor did anybody write that"),
            ["|nobody wrote this|"],
            {"agree": 1, "of": 3},
            id="the file ends before it",
        ),
        pytest.param(
            (" nobody wrote this", " nor did anybody write that", "-the first line of the story"),
            ["|nobody wrote this|"],
            {"agree": 1, "of": 3},
            id="the file begins below it",
        ),
        pytest.param(
            (" the sixth line of the story", "-the second line of the story", " the seventh line of the story"),
            ["|the second line of the story|", "2"],
            {"agree": 2, "of": 3},
            id="a line stands elsewhere",
        ),
    ],
)
def test_the_nearest_place_is_told_with_its_lines_and_how_many_agree(
    lines: tuple[str, ...], shown: list[str], nearest: dict[str, int]
) -> None:
    """SPEC §8: "the nearest place with its line numbers and how many lines agree"."""
    message, details = told(STORY, *lines, "+new")
    assert isinstance(details, dict)
    assert {name: details[name] for name in nearest} == nearest
    assert all(word in message for word in shown)


def test_a_line_that_stands_in_too_many_places_is_not_looked_for_in_all() -> None:
    text = "start of it\nmiddle of it\n" + "the same line again\n" * 3000
    message, _ = told(text, " start of it", "-the same line again", " middle of it", "+new")
    assert "|the same line again|" in message


def test_an_anchor_below_the_place_is_said_to_be_so() -> None:
    message, _ = told("x = 1\ny = 2\n\ndef f():\n    pass\n", "-x = 1", "+x = 2", anchors=("def f():",))
    assert "|def f():|" in message


def test_stacked_anchors_in_another_order_are_said_to_be_so() -> None:
    text = "class One:\n    def run(self):\n        value = 1\n"
    for anchors in (("def run(self):", "class One:"), ("class One:", "class One:", "class One:")):
        message, _ = told(text, "-        value = 1", "+        value = 2", anchors=anchors)
        assert "|class One:|" in message


def test_a_long_difference_is_shown_where_it_is() -> None:
    """SPEC §8: "the first line that differs, both versions": also where it differs far from its start."""
    line = "value = [" + ", ".join(map(str, range(400))) + "]"
    message, _ = told(
        f"start of it\n{line}\nend of it\n",
        " start of it",
        "-" + line.replace("350", "three-fifty"),
        " end of it",
        "+x",
    )
    assert "three-fifty" in message
    assert "350" in message
    assert len(message) < 1500


# A list that was cut short is ambiguous, also where a constraint leaves one place of it.


def test_one_place_in_the_anchors_block_of_a_list_that_was_cut_short_is_ambiguous() -> None:
    """SPEC §4: "A list of candidates that was cut short is ambiguous." """
    block = "def target():\n    x = 1\n    y = 2\n"
    text = block + "def other():\n" + "    x = 1\n" * 1500
    hunk = Hunk(("-    x = 1", "+    x = 3"), anchors=("def target():",))
    assert refusals(text, [hunk]) == [("multiple_matches", None)]


def test_anchors_that_are_too_many_to_list_do_not_choose_among_places() -> None:
    """SPEC §4: an anchor beyond the list may open the block of another place."""
    text = "if x:\n    first()\n" + "if x:\n    pass\n" * 2500 + "if x:\n    first()\n" + "end()\nfirst()\n"
    hunk = Hunk(("-    first()", "+    second()"), anchors=("if x:",))
    assert refusals(text, [hunk]) == [("multiple_matches", None)]


def test_an_overlap_is_not_told_of_the_wrong_hunk_where_another_has_no_place() -> None:
    hunks = [Hunk(("-absent", "+x")), Hunk((" a", "-b", "+1")), Hunk(("-b", "+2", " c"))]
    assert refusals("a\nb\nc\n", hunks) == [("patch_apply_error", "context_not_found")]


def test_an_anchor_does_not_speak_for_a_place_behind_its_block() -> None:
    """A hunk of lines that stand everywhere is not telling because some anchor stands far above it."""
    text = "class A:\n    x = 1\n\n\nclass B:\n    y = 2\n        )\n"
    assert refusals(text, [Hunk((" )", "+z = 3"), anchors=("class A:",))]) == [("multiple_matches", None)]
    assert update(text, [Hunk((" )", "+z = 3"), anchors=("class B:",))]).text.endswith("        )\n        z = 3\n")
