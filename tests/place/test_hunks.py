"""Hunks × text → places: order, uniqueness, the ends of the file, and what is refused to stay honest."""

from __future__ import annotations

import pytest
from tests.shared.hunk_refusals import TWICE, every_dialect, refusals, swap

from suture import Hunk, PatchRejectedError, update
from suture.core.problems import HunkRef

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


def test_all_bare_blank_lines_behind_a_hunk_are_layout() -> None:
    hunk = Hunk((" call(a)", "-done(b)", "+done(c)", " ", " "), bare=(3, 4))
    assert update("call(a)\ndone(b)\nmore()\n", [hunk]).text == "call(a)\ndone(c)\nmore()\n"


def test_a_hunk_of_blank_lines_alone_is_not_shortened_to_nothing() -> None:
    assert refusals("a = 1\nb = 2\n", [Hunk(("-", "+x"))]) == [("patch_apply_error", "context_not_found")]


def test_a_hunk_is_not_placed_above_the_context_that_names_its_block() -> None:
    """SPEC §13: "It narrows the next hunk to what is below its place"."""
    text = "def first():\n    limit = compute(10)\n\ndef second():\n    return other(20)\n"
    hunks = [Hunk((" def second():",)), Hunk(("-    limit = compute(10)", "+    limit = compute(99)"))]
    assert refusals(text, hunks) == [("patch_apply_error", "context_not_found")]
    below = text.replace("other(20)", "1\n    limit = compute(10)").replace("    limit = compute(10)\n", "", 1)
    assert update(below, hunks).text == below.replace("compute(10)", "compute(99)")


def test_a_first_line_may_lack_its_indentation_where_all_others_are_as_they_are() -> None:
    text = "func written() bool {\n\treturn w.written\n}\n\n// allow hijacking\nfunc hijack() {\n"
    hunk = Hunk((" return w.written", " }", " ", "-// allow hijacking", "+// Implements Hijacker", " func hijack() {"))
    assert update(text, [hunk], path="w.go").text == text.replace("allow hijacking", "Implements Hijacker")


def test_a_refusal_names_its_rule() -> None:
    with pytest.raises(PatchRejectedError) as refused:
        update("first = 1\nsecond = 2\nthird = 3\n", [Hunk((" first = 1", "-second = 5", "+second = 6", " third = 3"))])
    assert refused.value.problems[0].details["rule"] == "changed-lines"
