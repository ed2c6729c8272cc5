"""Anchors: the lines that `@@` names, and the blocks that they open."""

from __future__ import annotations

import pytest

from suture import Hunk, PatchRejectedError, update
from suture.place.limits import MOST_ANCHORS

TWO_FUNCTIONS = """\
def first(path):
    value = load(path)
    return value


def second(path):
    value = load(path)
    return value
"""
SWAP = ("-    value = load(path)", "+    value = read(path)")


def refusal(text: str, *hunks: Hunk, dialect: str = "standard") -> tuple[str, object]:
    with pytest.raises(PatchRejectedError) as raised:
        update(text, hunks, dialect=dialect)
    (problem,) = raised.value.problems
    return problem.code, problem.details.get("reason")


def test_a_snippet_that_occurs_twice_belongs_to_the_function_that_the_anchor_names() -> None:
    for number, name in enumerate(["first", "second"]):
        done = update(TWO_FUNCTIONS, [Hunk(SWAP, (f"def {name}(path):",))])
        parts = TWO_FUNCTIONS.split("load")
        parts[number : number + 2] = [parts[number] + "read" + parts[number + 1]]
        assert done.text == "load".join(parts)


@pytest.mark.parametrize(
    ("anchor", "notes"),
    [
        ("def second(path):", []),
        ("def second(path):  ", []),
        ("  def second(path):", []),
        ("def  second(path):", ["anchor_normalized"]),
        ("def second", ["anchor_shortened"]),
        ("def second(", ["anchor_shortened"]),
    ],
)
def test_an_anchor_is_found_by_the_tiers_or_as_the_beginning_of_a_line(anchor: str, notes: list[str]) -> None:
    """SPEC §4: "by the same tiers, or as a prefix of a line (a function's name without the rest of its signature)"."""
    done = update(TWO_FUNCTIONS, [Hunk(SWAP, (anchor,))])
    assert done.matches[0].start == 7
    assert [concession.name for concession in done.matches[0].concessions] == notes


def test_an_anchor_that_ends_inside_a_name_is_another_name() -> None:
    text = "class FooBar:\n    x = 1\n\nclass Zed:\n    x = 1\n"
    assert refusal(text, Hunk(("-    x = 1", "+    x = 2"), ("class Foo",)))[1] == "anchor_not_found"
    assert refusal("def foo_bar():\n    pass\n", Hunk(("+    q()",), ("def foo",)))[1] == "anchor_not_found"


def test_a_heading_that_git_has_cut_inside_a_word_is_found() -> None:
    heading = f"def {'compute_' * 10}all(items):"
    text = f"{heading}\n    x = 1\n\ndef other():\n    x = 1\n"
    done = update(text, [Hunk(("-    x = 1", "+    x = 2"), (heading[:79],))])
    assert done.matches[0].start == 2
    assert [concession.name for concession in done.matches[0].concessions] == ["anchor_shortened"]


def test_a_whole_word_is_a_better_beginning_than_a_part_of_one() -> None:
    text = "def load_all():\n    x = 1\n\ndef load(path):\n    x = 1\n"
    assert update(text, [Hunk(("-    x = 1", "+    x = 2"), ("def load",))]).matches[0].start == 5


def test_an_anchor_with_curly_quotes_is_found() -> None:
    text = "say('a')\n    x = 1\nsay('b')\n    x = 1\n"
    assert update(text, [Hunk(("-    x = 1", "+    x = 2"), ("say(‘b’)",))]).matches[0].start == 4


def test_an_anchor_is_found_in_a_text_with_ellipses() -> None:
    text = "wait…\ndef f():\n    x = 1\n\ndef g():\n    x = 1\n"
    assert update(text, [Hunk(("-    x = 1", "+    x = 2"), ("def g():",))]).matches[0].start == 6


@pytest.mark.parametrize("dialect", ["standard", "codex", "opencode"])
def test_an_anchor_that_is_not_there_is_an_error(dialect: str) -> None:
    hunk = Hunk(("-    return value", "+    return 1"), ("def third():",))
    assert refusal(TWO_FUNCTIONS, hunk, dialect=dialect) == ("patch_apply_error", "anchor_not_found")


def test_in_strict_the_text_after_the_header_is_information_only() -> None:
    text = "a\nb\n"
    assert update(text, [Hunk(("-b", "+c"), ("nowhere",))], dialect="strict").text == "a\nc\n"
    assert refusal(TWO_FUNCTIONS, Hunk(SWAP, ("def second(path):",)), dialect="strict") == ("multiple_matches", None)


def test_the_first_line_of_a_hunk_may_be_the_anchor_line_itself() -> None:
    text = "import a\nimport b\n"
    for dialect in ("standard", "codex"):
        done = update(text, [Hunk(("-import b", "+import b, c"), ("import b",))], dialect=dialect)
        assert done.text == "import a\nimport b, c\n"


def test_the_first_line_may_be_the_anchor_line_that_is_only_begun() -> None:
    text = "import { OLD } from './old'\nrest()\n"
    hunk = Hunk(("-import { OLD } from './old'", "+import { NEW } from './new'"), ("import { OLD }",))
    assert update(text, [hunk]).text == "import { NEW } from './new'\nrest()\n"


def test_a_pure_insertion_goes_right_behind_its_anchor() -> None:
    for dialect in ("standard", "codex", "opencode"):
        done = update("a 1\nb 2\nc 3\n", [Hunk(("+new",), ("b 2",))], dialect=dialect)
        assert done.text == "a 1\nb 2\nnew\nc 3\n"
        assert (done.matches[0].start, done.matches[0].end) == (3, 2)


def test_a_pure_insertion_behind_an_anchor_that_occurs_twice_is_ambiguous() -> None:
    hunk = Hunk(("+new",), ("b 2",))
    assert refusal("b 2\na\nb 2\n", hunk) == ("multiple_matches", None)
    assert update("b 2\na\nb 2\n", [hunk], dialect="codex").text == "b 2\nnew\na\nb 2\n"


def test_a_pure_insertion_behind_the_last_line_keeps_its_missing_newline() -> None:
    assert update("a 1\nb 2", [Hunk(("+new",), ("b 2",))]).text == "a 1\nb 2\nnew"


def test_a_hunk_before_its_anchor_is_refused() -> None:
    assert refusal("x = 1\ndef f():\n    pass\n", Hunk(("-x = 1", "+x = 2"), ("def f():",))) == (
        "patch_apply_error",
        "context_not_found",
    )


def test_two_hunks_that_name_the_same_function_both_find_it() -> None:
    """SPEC §4: "Two hunks that name the same function both find it"."""
    text = "def f():\n    a = 1\n    b = 2\n    c = 3\n"
    hunks = [Hunk(("-    a = 1", "+    a = 9"), ("def f():",)), Hunk(("-    c = 3", "+    c = 9"), ("def f():",))]
    for dialect in ("standard", "codex", "opencode"):
        assert update(text, hunks, dialect=dialect).text == "def f():\n    a = 9\n    b = 2\n    c = 9\n"


def test_an_anchor_may_stand_before_the_hunk_that_came_before() -> None:
    text = "class A:\n    def f():\n        a = 1\n    def g():\n        b = 2\n"
    hunks = [
        Hunk(("-        a = 1", "+        a = 9"), ("def f():",)),
        Hunk(("-        b = 2", "+        b = 9"), ("class A:",)),
    ]
    for dialect in ("standard", "codex"):
        assert update(text, hunks, dialect=dialect).text == text.replace("1", "9").replace("2", "9")


NESTED = """\
class One:
    def run(self):
        value = 1

class Two:
    def run(self):
        value = 1

    def stop(self):
        value = 1
"""


def test_stacked_anchors_are_found_in_order() -> None:
    swap = ("-        value = 1", "+        value = 2")
    assert update(NESTED, [Hunk(swap, ("class One:", "def run(self):"))]).matches[0].start == 3
    assert update(NESTED, [Hunk(swap, ("class Two:", "def run(self):"))]).matches[0].start == 7
    assert update(NESTED, [Hunk(swap, ("class Two:", "def stop(self):"))]).matches[0].start == 10
    assert update(NESTED, [Hunk(swap, ("class Two", "def stop"))]).matches[0].start == 10


def test_stacked_anchors_out_of_order_are_not_found() -> None:
    hunk = Hunk(("-        value = 1", "+        value = 2"), ("def stop(self):", "class One:"))
    assert refusal(NESTED, hunk) == ("patch_apply_error", "anchor_not_found")


def test_places_inside_the_block_of_an_anchor_win_over_those_behind_it() -> None:
    """SPEC §4: "among several candidates those inside the block of an anchor … win"."""
    done = update(NESTED, [Hunk(("-        value = 1", "+        value = 2"), ("class One:",))])
    assert done.matches[0].start == 3
    assert done.matches[0].rivals == (7, 10)


def test_a_closing_bracket_belongs_to_its_block() -> None:
    text = "f = {\n  a: 1\n}\ng = {\n  a: 1\n}\n"
    done = update(text, [Hunk(("   a: 1", "-}", "+} // end"), ("f = {",))])
    assert done.text == "f = {\n  a: 1\n} // end\ng = {\n  a: 1\n}\n"


def test_several_places_inside_the_block_are_ambiguous() -> None:
    text = "def f():\n    a = 1\n    a = 1\n"
    assert refusal(text, Hunk(("-    a = 1", "+    a = 2"), ("def f():",))) == ("multiple_matches", None)


def test_an_anchor_that_occurs_several_times_is_followed_by_the_place() -> None:
    """SPEC §4: "An anchor may occur several times: the place must follow one of them"."""
    text = "it()\n  a = 1\nit()\n  b = 2\nit()\n  c = 3\n"
    assert update(text, [Hunk(("-  b = 2", "+  b = 3"), ("it()",))]).text == text.replace("b = 2", "b = 3")


def test_an_anchor_that_is_more_common_than_can_be_looked_at_is_no_hang() -> None:
    text = "it()\n" * 3000 + "  b = 2\n"
    assert update(text, [Hunk(("-  b = 2", "+  b = 3"), ("it()",))]).text == text.replace("b = 2", "b = 3")


def test_the_nearest_line_to_a_missing_anchor_is_named() -> None:
    with pytest.raises(PatchRejectedError) as raised:
        update(TWO_FUNCTIONS, [Hunk(SWAP, ("def secund(path):",))])
    (problem,) = raised.value.problems
    assert "line 6" in problem.message
    assert "|def second(path):|" in problem.message
    assert problem.hint


def test_where_the_blocks_are_too_large_to_read_all_places_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("suture.place.scopes.BLOCK_BUDGET", 5)
    hunk = Hunk(("-        value = 1", "+        value = 2"), ("class One:",))
    assert refusal(NESTED, hunk) == ("multiple_matches", None)


NORMALIZED, REFUSED = ("anchor_normalized",), "anchor_not_found"


@pytest.mark.parametrize(
    ("line", "anchor", "standard", "codex"),
    [
        ("def f(a):", "def f(a):", (), ()),
        ("    def f(a):", "def f(a):", (), ()),
        ("def f(a):  ", "def f(a):", (), ()),
        ("def f(a='é'):", "def f(a=\u2018é\u2019):", NORMALIZED, NORMALIZED),
        ("    say(1 - 2):", "say(1 \u2013 2):", NORMALIZED, NORMALIZED),
        ("    say(1 - 2):", "    say(1 \u2013 2):", NORMALIZED, NORMALIZED),
        ("def f(a,  b):", "def f(a, b):", NORMALIZED, REFUSED),
        ("def f(a):", "def f", ("anchor_shortened",), REFUSED),
    ],
)
def test_an_anchor_that_is_found_loosely_is_a_concession_and_only_by_the_tiers_of_the_dialect(
    line: str, anchor: str, standard: object, codex: object
) -> None:
    text = f"x = 1\ny = 1\n{line}\n        x = 1\n"
    hunk = Hunk(("-        x = 1", "+        x = 2"), anchors=(anchor,))
    for dialect, expected in (("standard", standard), ("codex", codex), ("opencode", codex)):
        try:
            (match,) = update(text, [hunk], dialect=dialect).matches
            found: object = tuple([one.name for one in match.concessions])
        except PatchRejectedError as rejected:
            found = rejected.problems[0].details["reason"]
        assert found == expected, dialect


def test_an_anchor_prefers_the_line_that_it_is_to_one_that_is_spaced_differently() -> None:
    text = "def f(a,  b):\n    x = 1\ndef f(a, b):\n    x = 1\n"
    done = update(text, [Hunk(("-    x = 1", "+    x = 2"), anchors=("def f(a, b):",))])
    assert done.text == "def f(a,  b):\n    x = 1\ndef f(a, b):\n    x = 2\n"
    assert done.matches[0].concessions == ()


def test_a_shortened_anchor_is_found_in_a_text_with_ellipses() -> None:
    """An ellipsis is three characters at a looser tier, so that offsets differ there."""
    text = "first…\nclass Second {\n  value\n}\nvalue\n"
    done = update(text, [Hunk(("-  value", "+  other"), anchors=("class Second",))])
    assert done.text == "first…\nclass Second {\n  other\n}\nvalue\n"


def test_an_anchor_with_other_punctuation_is_found_in_a_text_whose_folded_copy_is_longer() -> None:
    text = "# wait\u2026\ntitle = \u201cone\u201d\n  go()\ntitle = \u201ctwo\u201d\n  go()\n"
    done = update(text, [Hunk(("-  go()", "+  stop()"), ('title = "two"',))])
    assert done.text == "stop()".join(text.rsplit("go()", 1))
    assert [one.name for one in done.matches[0].concessions] == ["anchor_normalized"]


def test_an_anchor_whose_text_is_in_very_many_lines_is_a_whole_line() -> None:
    text = "x = 1\n" * (MOST_ANCHORS + 1) + "x\n  go()\ny\n  go()\n"
    done = update(text, [Hunk(("-  go()", "+  stop()"), ("x",))])
    assert done.text == text.replace("go()", "stop()", 1)
    assert done.matches[0].concessions == ()


def test_an_anchor_that_ends_in_a_bracket_begins_every_line_that_goes_on_behind_it() -> None:
    text = "call(first,\n  go_on()\n)\ncall()\n  stop()\n"
    done = update(text, [Hunk(("-  go_on()", "+  go_back()"), ("call(",))])
    assert done.text == text.replace("go_on", "go_back")


def test_the_line_that_ends_a_block_is_not_inside_it() -> None:
    text = "with one:\n    step_forward()\nstep_forward()\n"
    done = update(text, [Hunk(("-  step_forward()", "+  step_back()"), ("with one:",))], path="a.txt")
    assert done.text == "with one:\n    step_back()\nstep_forward()\n"
