"""The places of a string edit: how many, how large, and what speaks against each."""

from __future__ import annotations

import pytest
from tests.shared.string_results import refused

from suture import PatchRejectedError, replace
from suture.core.text import Text
from suture.place.limits import MOST_PLACES
from suture.place.place import Place
from suture.place.placement import Refusal
from suture.place.readings import EditReading
from suture.place.replacers import (
    REPLACERS,
    EditPlaces,
    TextPlace,
    _find,
    _is_disproportionate,
    _is_indented_twice,
    _is_whole,
    _line_place,
    locate_edit,
)

# How many.


@pytest.mark.parametrize(
    ("body", "old", "replace_all", "count", "cut_short"),
    [
        ("a" * MOST_PLACES, "a", False, 0, True),
        ("a" * (MOST_PLACES - 1), "a", False, 0, False),
        ("a" * (MOST_PLACES + 9), "a", True, MOST_PLACES + 9, False),
        ("\tv1 = 1 \n" * MOST_PLACES, "    v1 = 1\n", True, 0, True),
        ("\tv1 = 1 \n" * (MOST_PLACES - 1), "    v1 = 1\n", True, MOST_PLACES - 1, False),
        ("\tv1 = 1 \n" * 2, "    v1 = 1\n", False, 0, False),
    ],
)
def test_a_list_of_places_that_was_cut_short_is_refused(
    body: str, old: str, count: int, *, replace_all: bool, cut_short: bool
) -> None:
    found = locate_edit(Text(body), EditReading(old, "b"), replace_all=replace_all)
    if isinstance(found, EditPlaces):
        assert len(found.spans) == count
    else:
        assert (found.kind, found.cut_short, count) == ("several", cut_short, 0)


def test_no_more_places_are_listed_than_can_be_told() -> None:
    assert len(REPLACERS["simple"](Text("a" * 2 * MOST_PLACES), EditReading("a", "b"))) == MOST_PLACES


def test_places_that_touch_are_two_and_those_that_overlap_are_one() -> None:
    done = replace('"a"a"a""a"\n', r"\"a\"", r"\"b\"", replace_all=True)
    assert (done.text, done.replacer) == ('"b"a"b""b"\n', "escape-normalized")


@pytest.mark.parametrize("replace_all", [False, True])
def test_a_second_place_where_the_edit_cannot_be_made_makes_it_ambiguous(*, replace_all: bool) -> None:
    content = "x1 = f(a,\n  b)\ny2 = 2\nq\nx1 = f(a, b) y2 = 2\n"
    problem = refused(content, "x1 = f(a, b)\ny2 = 2", "x1 = f(a, b)\ny2 = 3", replace_all=replace_all)
    assert (problem.code, problem.details["lines"]) == ("multiple_matches", [1, 5])


# Words with other whitespace.


@pytest.mark.parametrize(
    ("name", "body", "old", "count"),
    [
        ("indentation-flexible", "x = foo(a)\n  bar(b)\n", "\nfoo(a)\nbar(b)", 0),
        ("indentation-flexible", "x = foo(a)\n  bar(b)\n", "foo(a)\nbar(b)\n", 0),
        ("indentation-flexible", "x = foo(a)\n  bar(b)\n", "foo(a)\nbar(b)", 1),
        ("indentation-flexible", "x = foo(a)\n  bar(b)\n", "  foo(a)\n  bar(b)", 0),
        ("indentation-flexible", "x = foo(a)\n  bar(b) + 1\n", "foo(a)\nbar(b)", 0),
        ("indentation-flexible", "return foo(a)\n  bar(b)\n", "foo(a)\nbar(b)", 0),
        ("indentation-flexible", "x = {\n    foo(a)\n", "{\nfoo(a)", 0),
        ("whitespace-normalized", "foo  bar\n", "foo bar", 1),
        ("trimmed-boundary", "x\nfoo(a)\ny\n", "\n  foo(a)\n", 1),
        ("trimmed-boundary", "x\nfoo(a)\ny\n", "foo(a)", 0),
    ],
)
def test_a_text_with_other_whitespace_has_places(name: str, body: str, old: str, count: int) -> None:
    assert len(REPLACERS[name](Text(body), EditReading(old, f"{old}!"))) == count


# Whole lines, and how much of them.


@pytest.mark.parametrize(
    ("start", "end", "whole"),
    [(0, 2, True), (0, 3, True), (0, 1, False), (1, 2, False), (3, 5, True), (3, 4, False), (4, 5, False)],
)
def test_a_span_is_whole_lines_or_a_part(start: int, end: int, *, whole: bool) -> None:
    assert _is_whole("ab\ncd", TextPlace(start, end, "")) is whole


def test_a_place_of_a_hunk_is_whole_lines() -> None:
    reading = EditReading("b", "c")
    assert _is_whole("ab", TextPlace(1, 2, "", (), Place(reading.hunk, 0, "similar")))


@pytest.mark.parametrize(("old", "starts"), [("2| cd", [3]), ("1| cd", []), ("2| c", []), ("5| ab\n6| cd", [0])])
def test_a_numbered_line_has_its_number(old: str, starts: list[int]) -> None:
    found = _find(Text("ab\ncd\n"), EditReading(old, ""), replace_all=False)
    assert [span.start for span in (found.spans if found else ())] == starts


@pytest.mark.parametrize(
    ("old", "taken", "too_much"),
    [
        ("a", "x\n" * 2 + "x", False),
        ("a", "x\n" * 3 + "x", True),
        ("a\nb\nc\nd", "x\n" * 6 + "x", False),
        ("a\nb\nc\nd", "x\n" * 7 + "x", True),
        ("a\nb", "x" * 503, False),
        ("a\nb", "x" * 504, True),
        ("a b", "x" * 504, False),
        ("a" * 200 + "\n" + "b" * 199, "x" * 1600, False),
        ("a" * 200 + "\n" + "b" * 199, "x" * 1601, True),
    ],
)
def test_a_span_that_is_much_longer_than_the_text_took_too_much(old: str, taken: str, *, too_much: bool) -> None:
    assert _is_disproportionate(Text(taken), EditReading(old, ""), TextPlace(0, len(taken), "")) is too_much


@pytest.mark.parametrize(
    ("body", "span", "new", "lines"),
    [
        ("a\nb\nc", (2, 3), "x", ("-b", "+x")),
        ("a\nbb\nc", (3, 4), "x", ("-bb", "+bx")),
        ("a\nb\nc", (1, 3), "\nx", ("-b", "+x")),
        ("a\nb\nc", (1, 3), "x", ("-a", "-b", "+ax")),
        ("a\nb\nc", (2, 3), "\nx", ("-b", "+", "+x")),
        ("a\nb\nc", (2, 4), "x\n", ("-b", "+x")),
        ("a\nb\nc", (2, 4), "x", ("-b", "-c", "+xc")),
        ("a\nb\nc", (2, 3), "x\n", ("-b", "+x", "+")),
        ("a\n\nc", (1, 3), "\n", ("-", " c")),
    ],
)
def test_a_part_of_a_text_is_the_place_of_its_lines(
    body: str, span: tuple[int, int], new: str, lines: tuple[str, ...]
) -> None:
    place = _line_place(body, TextPlace(*span, new), "exact")
    assert (place.hunk.lines, place.tier) == (lines, "exact")


@pytest.mark.parametrize(
    ("body", "start", "new", "twice"),
    [
        ("    a\n", 4, "    b\n    c", True),
        ("    a\n", 4, "    b\n        c", False),
        ("    a\n", 4, "    b\n   c", False),
        ("    a\n", 4, "    b\n\n       c", True),
        ("    a\n", 4, "    b", False),
        ("    a\n", 4, "    b:\n        c", True),
        ("    a\n", 4, "    b:\n         c", False),
        ("    a\n", 4, "    b {\nc", False),
        ("    a\n", 4, "    b:", False),
        ("    a\n", 4, "b:\nc", False),
        ("a\n", 0, "b:\nc", False),
        ("  a\n", 2, "    b\n    c", False),
        ("     a\n", 4, "    b\n    c", False),
        ("x\n    a\n", 6, "    b\n    c", True),
        ("    a\n", 4, "", False),
    ],
)
def test_a_new_text_that_repeats_the_indentation_before_it_is_indented_twice(
    body: str, start: int, new: str, *, twice: bool
) -> None:
    assert _is_indented_twice(body, TextPlace(start, start + 1, new)) is twice


# What is there already.

STEPS = "  one()\n  two()\n  three()"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param('f("x"):', f'f("x"):\n{STEPS}', id="a part of a line that stays"),
        pytest.param('f(\\"x\\"):', f'g(\\"x\\"):\n{STEPS}', id="a part of a line that was escaped"),
        pytest.param('def f("x"):', f'def f("x"):\n{STEPS}', id="a whole line"),
        pytest.param('def f("x"):\n', f'def f("x"):\n{STEPS}\n', id="a line with its newline"),
    ],
)
def test_lines_that_are_there_already_are_not_added_again(old: str, new: str) -> None:
    problem = refused(f'def f("x"):\n{STEPS}\n', old, new)
    assert (problem.code, problem.details["reason"]) == ("patch_apply_error", "already_applied")


def test_lines_at_another_depth_are_not_edited_where_those_at_their_own_are_edited_already() -> None:
    problem = refused("one()\nthree()\nif x:\n    one()\n    two()\n", "one()\ntwo()", "one()\nthree()")
    assert (problem.details["reason"], problem.details["rule"]) == ("already_applied", "already-there")


@pytest.mark.parametrize(
    ("content", "old", "new", "right"),
    [
        # Lines of the new text that are near are not enough, nor is all of it elsewhere.
        ("# Setup\nx = 1\ny = 2\n", "x = 1\n", "# Setup\nx = 10\n", "# Setup\n# Setup\nx = 10\ny = 2\n"),
        ("k(1)\nold(1)\n-\nk(1)\nb(1)\nc(1)\nd(1)\n", "k(1)\nold(1)", "k(1)\nb(1)\nc(1)\nd(1)", None),
        (f'def f("x"):\n{STEPS}\n', 'def f("x"):', f'def g("x"):\n{STEPS}', None),
        # A deletion whose remaining lines are elsewhere.
        ("a(1)\nb(2)\nc(3)\n" + "-\n" * 9 + "a(1)\nc(3)\n", "a(1)\nb(2)\nc(3)", "a(1)\nc(3)", None),
        # The newline beside whole lines is no blank line.
        ("import re\nimport os\n", "import os", "\nimport os", "import re\n\nimport os\n"),
        ("x = 1\ny = 2\n", "x = 1", "x = 1\n", "x = 1\n\ny = 2\n"),
        ("x = 1\n", "x = 1\n", "x = 1\n\n", "x = 1\n\n"),
        ("x = 1\n", "x = 1", "x = 1\n", "x = 1\n\n"),
    ],
)
def test_an_exact_and_unique_edit_is_not_taken_for_applied(content: str, old: str, new: str, right: str | None) -> None:
    """SPEC §14: "Exact and unique wins over 'looks applied'"."""
    assert replace(content, old, new).text == (right or content.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("x = 1", "x = 10"),
        ("go(a)", "go(a)\nstop(b)"),
        ("go(a)\n", "go(a)\nstop(b)\n"),
        ("stop(b)", "go(a)\nstop(b)"),
        ("go(a)", "go(a)\n}"),
        ("go(", "go(now, "),
        ("    go(a)", "        go(a)"),
    ],
)
@pytest.mark.parametrize("end", ["", "\n", "\n\n\nend()\n"])
def test_an_insertion_that_is_sent_again_is_not_made_again(old: str, new: str, end: str) -> None:
    """SPEC §14: an edit is refused as applied where "all of its new text is at that very place"."""
    first = replace(f"begin()\n{old}{end}", old, new).text
    problem = refused(first, old, new)
    assert (problem.code, problem.details["reason"]) == ("patch_apply_error", "already_applied")
    assert problem.details["rule"] == "already-written"


def test_blank_lines_are_not_added_again() -> None:
    first = replace("x = 1\ny = 2\n", "x = 1", "x = 1\n").text
    assert refused(first, "x = 1", "x = 1\n").details["rule"] == "already-written"
    # Old text that ends in fewer of them than the file is there all the same.
    first = replace("go(a)\n\n\nend()\n", "go(a)\n\n", "start(c)\ngo(a)\n").text
    assert first == "start(c)\ngo(a)\n\nend()\n"
    assert refused(first, "go(a)\n\n", "start(c)\ngo(a)\n").details["rule"] == "already-written"


def test_a_part_of_a_line_may_become_what_others_are() -> None:
    done = replace(f'def f("x"):\n{STEPS}\n', 'f("x"):', f'g("x"):\n{STEPS}')
    assert done.text == f'def g("x"):\n{STEPS}\n{STEPS}\n'


JOBS = """\
def test_a_job_runs_once(scheduler, clock):
    scheduler.at(110, lambda: calls.append("a"))
    assert scheduler.run_pending() == 0
    clock.now = 110
    assert scheduler.run_pending() == 1
    assert calls == ["a"]


def test_a_job_runs_again(scheduler, clock):
    assert scheduler.run_pending() == 1
    clock.now = 120
    assert scheduler.run_pending() == 1
"""


def test_a_block_without_its_blank_ends_is_held_against_the_text_as_it_was_written() -> None:
    old = "    \n    clock.now = 110\n    assert scheduler.run_pending() == 1"
    done = replace(JOBS, old, old[5:].replace("110", "120"))
    assert (done.text, done.replacer) == (JOBS.replace("now = 110", "now = 120"), "trimmed-boundary")


def test_a_refusal_names_the_one_place_whose_depth_is_unclear() -> None:
    found = locate_edit(Text("      a1\n    b1\n"), EditReading("  a1\n     b1", "  x1"), replace_all=False)
    assert isinstance(found, Refusal)
    assert (found.kind, found.starts, found.rule) == ("several", (0,), "")


def test_a_rule_against_the_candidates_of_a_hunk_holds_for_a_string_edit() -> None:
    content, old = "pump:\n    image: pump:0.9\n    devices:\n", "image: pump:0.9\n        devices:"
    problem = refused(content, old, old.replace("dev", "new_dev"), path="services.yaml")
    assert (problem.code, problem.details["rule"]) == ("multiple_matches", "uneven-depth")


@pytest.mark.parametrize("new", ["", "one()\nthree()", "one()"])
def test_an_edit_that_only_removes_lines_is_not_told_about_added_lines(new: str) -> None:
    content = "def f():\n    if a:\n        one()\n        two()\n    three()\n"
    problem = refused(content, "one()\ntwo()\nthree()", new, path="a.py")
    assert problem.details["rule"] == "uneven-depth"
    assert "different depths in the file than the edit says" in problem.message
    assert "adds" not in problem.message


@pytest.mark.parametrize(
    ("old", "new", "right"),
    [
        # The texts of the report: the old one ends in a blank line, the new one without a newline.
        ("if (a &lt; b) clean(dry)\n\n", "clean2(dry)", "clean2(dry)\nrun(dry)\n"),
        ("1| if (a < b) clean(dry)\n2| \n", "clean2(dry)", "clean2(dry)\nrun(dry)\n"),
        ("if (a < b) clean(dry)\\n\\n", "clean2(dry)", "clean2(dry)\nrun(dry)\n"),
        ("if (a < b) clean(dry) \n \n", "clean2(dry)", "clean2(dry)\nrun(dry)\n"),
        # At the beginning, and of a text that is deleted.
        ("\\n\\nrun(dry)\\n", "run(wet)\n", "if (a < b) clean(dry)\nrun(wet)\n"),
        ("\\nrun(dry)\\n", "", "if (a < b) clean(dry)\n\n"),
        ("clean(dry)\\n\\n", "", "if (a < b) \nrun(dry)\n"),
        # Blanks alone are no loose match.
        ("\\n\\n", "", None),
    ],
)
def test_lines_that_are_matched_loosely_are_not_joined(old: str, new: str, right: str | None) -> None:
    """SPEC §14: "A loose match never joins two lines."."""
    content = "if (a < b) clean(dry)\n\nrun(dry)\n"
    if right is None:
        with pytest.raises(PatchRejectedError):
            replace(content, old, new, path="a.ts")
    else:
        assert replace(content, old, new, path="a.ts").text == right
