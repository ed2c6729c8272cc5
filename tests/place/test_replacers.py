"""The nine replacers, and `similar` behind them: what each takes, what it refuses, and its nearest wrong place."""

from __future__ import annotations

import pytest
from tests.shared.replacer_cases import REFUSED, TAKEN, WRONG, Refused, Taken, Wrong, swap

from suture import PatchRejectedError, replace
from suture.core.text import Text
from suture.place.readings import EditReading
from suture.place.replacers import REPLACERS


def code_of(content: str, old: str, new: str, *, replace_all: bool = False) -> str:
    with pytest.raises(PatchRejectedError) as raised:
        replace(content, old, new, replace_all)
    [problem] = raised.value.problems
    return problem.code


def test_these_are_the_nine_in_their_order_and_similar() -> None:
    """SPEC §6: "finds `old` by nine replacers"; their order is that of decision 8."""
    assert list(REPLACERS) == [
        "simple",
        "line-trimmed",
        "whitespace-normalized",
        "escape-normalized",
        "indentation-flexible",
        "trimmed-boundary",
        "block-anchor",
        "context-aware",
        "similar",
        "multi-occurrence",
    ]


@pytest.mark.parametrize(
    ("name", "row"),
    [pytest.param(name, row, id=f"{name}: {what}") for name in TAKEN for what, row in TAKEN[name].items()],
)
def test_a_replacer_takes(name: str, row: Taken) -> None:
    done = replace(row.content, row.old, row.new)
    assert (done.text, done.replacer) == (row.text, name)
    assert tuple(concession.name for concession in done.concessions) == row.concessions


@pytest.mark.parametrize(
    ("name", "row"),
    [pytest.param(name, row, id=f"{name}: {what}") for name in REFUSED for what, row in REFUSED[name].items()],
)
def test_a_replacer_refuses(name: str, row: Refused) -> None:
    assert not any(span.fits for span in REPLACERS[name](Text(row.content), EditReading(row.old, row.new)))


@pytest.mark.parametrize(
    ("name", "row"),
    [pytest.param(name, row, id=f"{name}: {what}") for name in WRONG for what, row in WRONG[name].items()],
)
def test_the_nearest_wrong_place_of_a_replacer_is_not_taken(name: str, row: Wrong) -> None:
    assert name in REPLACERS
    assert code_of(row.content, row.old, row.new) == row.code


# Indentation-flexible.

NESTED = "def f():\n    result = call(\n        first,\n        second,\n    )\n"
FLAT = "call(\n    first,\n    second,\n)"


def test_indentation_flexible_keeps_a_depth_that_is_right() -> None:
    [span] = REPLACERS["indentation-flexible"](
        Text(NESTED), EditReading("call( \n        first,\n        second,\n    )", "call()")
    )
    assert NESTED[span.start : span.end] == "    result = call(\n        first,\n        second,\n    )"
    assert span.place is not None
    assert (span.place.hunk.added, span.place.notes) == (["    result = call()"], ())


def test_an_old_text_that_begins_in_mid_line_and_is_too_flat_gets_the_depth_of_the_file() -> None:
    done = replace(NESTED, FLAT, swap(FLAT, ("second", "third")))
    assert done.text == swap(NESTED, ("second", "third"))
    assert done.replacer == "indentation-flexible"
    assert [one.name for one in done.concessions] == ["whitespace", "indentation_shifted"]


@pytest.mark.parametrize(
    ("content", "old"),
    [
        ("class A:\n        def f(self):\n            return 1\n", "\n    def f(self):\n        return 1\n"),
        ("if x:\n\tfirst(1)\n\treturn 1\n", "\n    first(1)\n    return 1\n"),
    ],
)
def test_lines_behind_a_line_break_that_the_file_lacks_get_the_depth_of_the_file(content: str, old: str) -> None:
    assert replace(content, old, swap(old, ("return 1", "return 2"))).text == swap(content, ("return 1", "return 2"))


@pytest.mark.parametrize("content", ["x = call(first,   last) + 1\n", "x = call(first,\u00a0last) + 1\n"])
def test_whitespace_normalized_takes_a_part_of_a_line(content: str) -> None:
    """SPEC §6: "equal when runs of white space are folded, within a line or over lines"."""
    assert replace(content, "call(first, last)", "call(last)").text == "x = call(last) + 1\n"


@pytest.mark.parametrize(
    ("content", "old", "new"),
    [
        ("if ready:\n    first()\n    last()\n", "if ready: first()\nlast()", "if ready: first()\nother()"),
        ("if ready: first()\nlast()\n", "if ready:\n    first()\n    last()", "if ready:\n    first()\n    other()"),
    ],
)
def test_a_line_at_another_depth_than_the_others_is_another_line(content: str, old: str, new: str) -> None:
    assert code_of(content, old, new) == "old_text_not_found"


# Whole lines that are no whole lines in the file.


@pytest.mark.parametrize(
    ("content", "old", "new"),
    [
        ("rate = 1.5\n", "rate = 1\n", "rate = 2\n"),
        ("    return x + 1\n", "return x\n", "return y\n"),
        ("flush().close()\n", "flush()\n", "sync()\n"),
        ("a = -rate\n", "\nrate\n", "\nprice\n"),
    ],
)
def test_a_line_that_goes_on_is_not_the_line_that_ends_in_the_old_text(content: str, old: str, new: str) -> None:
    assert code_of(content, old, new) == "old_text_not_found"


@pytest.mark.parametrize("content", ["count_all = 1\n", "all_count = 1\n", "_count = 1\n"])
def test_a_part_of_a_name_is_not_the_word_that_was_meant(content: str) -> None:
    assert code_of(content, " count ", " total ") == "old_text_not_found"


# Multi-occurrence, and `replace_all` at looser replacers.


def test_multi_occurrence_takes_all_from_left_to_right_and_none_that_overlap() -> None:
    done = replace("aaaaa b aa\n", "aa", "x", replace_all=True)
    assert (done.text, done.replacer, done.concessions) == ("xxa b x\n", "multi-occurrence", ())
    assert [(span.start, span.end) for span in done.spans] == [(0, 2), (2, 4), (8, 10)]


def test_replace_all_takes_one_place_too() -> None:
    assert replace("a b\n", "a", "x", replace_all=True).text == "x b\n"


def test_replace_all_takes_exact_places_only_where_there_are_any() -> None:
    done = replace("go(1)\n  go(1) \nGO(1)\n\tgo( 1)\n", "go(1)", "x", replace_all=True)
    assert done.text == "x\n  x \nGO(1)\n\tgo( 1)\n"


@pytest.mark.parametrize(
    ("first", "is_found"), [("dict(", True), ("call({", True), ("{", False), ("(", False), ("[{", False), ("f(", False)]
)
def test_a_first_line_in_the_middle_of_a_line_must_be_distinctive(first: str, is_found: bool) -> None:
    """docs/strings.md, Replacers."""
    content = f"    x = {first}\n        one,\n        two,\n    )\n"
    old = f"{first}\n    one,\n    two,\n)"
    if is_found:
        done = replace(content, old, old.replace("two", "three"))
        assert (done.text, done.replacer) == (content.replace("two", "three"), "indentation-flexible")
    else:
        with pytest.raises(PatchRejectedError, match="not found"):
            replace(content, old, old.replace("two", "three"))


@pytest.mark.parametrize(
    ("wrong", "is_found"), [((2, 3), True), ((1, 2), True), ((3, 4), False), ((1, 4), False), ((1, 2, 3), False)]
)
def test_half_of_the_middle_lines_may_be_wrong_but_not_beside_the_change(
    wrong: tuple[int, ...], is_found: bool
) -> None:
    """docs/strings.md, Replacers."""
    lines = ["start here now", "alpha one two", "beta two three", "gamma three four", "delta four five", "end here now"]
    content = "".join(f"{line}\n" for line in lines)
    for index in wrong:
        lines[index] = "quite other words"
    old = "".join(f"{line}\n" for line in lines)
    if is_found:
        done = replace(content, old, old.replace("end here", "end there"))
        assert (done.text, done.replacer) == (content.replace("end here", "end there"), "context-aware")
    else:
        with pytest.raises(PatchRejectedError, match="not found"):
            replace(content, old, old.replace("end here", "end there"))


def test_replace_all_takes_all_places_of_the_replacer_that_decided_each_at_its_own_depth() -> None:
    """SPEC §6: "`replace_all` (all spans of the replacer that decided)"."""
    done = replace("  go(1)\n    go(1)\ngo( 1)\n", "\tgo(1)", "\tgo(2)", replace_all=True)
    assert (done.text, done.replacer) == ("  go(2)\n    go(2)\ngo( 1)\n", "line-trimmed")
    assert [(span.first_line, span.last_line) for span in done.spans] == [(1, 1), (2, 2)]


def test_replace_all_finds_every_exact_place_however_many() -> None:
    assert replace("a\n" * 3000, "a", "b", replace_all=True).text == "b\n" * 3000


@pytest.mark.parametrize(
    ("content", "old", "new"),
    [
        ("\tvalue = 1 \n", "    value = 1\n", "    value = 2\n"),
        ('f("a") x\n', 'f(\\"a\\")', "f(2)"),
        ("f(name) x\n", " name ", " title "),
    ],
    ids=["line-trimmed", "escape-normalized", "trimmed-boundary"],
)
def test_replace_all_changes_all_loose_places_or_none(content: str, old: str, new: str) -> None:
    """SPEC §4: "A list of candidates that was cut short is ambiguous."."""
    try:
        done = replace(content * 1500, old, new, replace_all=True)
    except PatchRejectedError as rejected:
        assert rejected.problems[0].code == "multiple_matches"  # noqa: PT017
    else:
        assert len(done.spans) == 1500
