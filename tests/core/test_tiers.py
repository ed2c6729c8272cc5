"""The tiers: ways of holding two lines equal."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, strategies as st
from tests.property.strategies import examples

from suture import Hunk, update
from suture.core import dialect as dialect_module
from suture.core.dialect import ALL_TIERS, DIALECTS, Dialect
from suture.place.escapes import decode, line_ways
from suture.place.rule import first_refusal, rule, without
from suture.place.tiers import ANY_DEPTH, ANY_SPACING, FOLDS, depth_matters, fold_punctuation, fold_text, is_distinctive

if TYPE_CHECKING:
    from typing import Any


@pytest.mark.parametrize(
    ("one", "other", "tier"),
    [
        ("a b", "a b", "exact"),
        ("a b", "a b  ", "trailing"),
        ("a b", "a b\t", "trailing"),
        ("a b", "    a b", "indent"),
        ("a b", "\ta b ", "indent"),
        ("a-b", "a–b", "punctuation"),
        ("a-b", "a—b", "punctuation"),
        ("a-b", "a\u2212b", "punctuation"),
        ("a-b", "a\u2011b", "punctuation"),
        ("'a'", "‘a’", "punctuation"),
        ('"a"', "“a”", "punctuation"),
        ("a b", "a\xa0b", "punctuation"),
        ("a b", "a\u202fb", "punctuation"),
        ("a b", "a\u3000b", "punctuation"),
        ("a...", "a…", "punctuation"),
        ("a...", "  a… ", "punctuation"),
        ("a b", "a  b", "whitespace"),
        ("a b", "a\tb", "whitespace"),
        ("a b", " a \t b", "whitespace"),
    ],
)
def test_two_lines_are_equal_from_a_tier_on(one: str, other: str, tier: str) -> None:
    equal = [name for name, fold in FOLDS.items() if fold(one) == fold(other)]
    names = list(FOLDS)
    assert equal == names[names.index(tier) :]


@pytest.mark.parametrize(
    ("one", "other"), [("a b", "ab"), ("a", "A"), ("a1", "a2"), ("a", ""), ("a-b", "a_b"), ("«a»", '"a"')]
)
def test_no_tier_that_folds_holds_other_lines_equal(one: str, other: str) -> None:
    assert [name for name, fold in FOLDS.items() if fold(one) == fold(other)] == []


def test_the_tiers_that_fold_come_in_the_order_of_the_dialects() -> None:
    assert tuple(FOLDS) == tuple(tier for tier in ALL_TIERS if tier not in ("escapes", "similar"))


@pytest.mark.parametrize("dialect", DIALECTS.values(), ids=lambda dialect: dialect.name)
def test_a_dialect_has_its_tiers_in_their_order(dialect: Dialect) -> None:
    assert dialect.tiers == tuple(tier for tier in ALL_TIERS if tier in dialect.tiers)


@pytest.mark.parametrize("place", range(len(ALL_TIERS) + 1))
def test_a_tier_that_is_inserted_changes_no_dialect(place: int) -> None:
    source = Path(dialect_module.__file__).with_suffix(".py").read_text("utf-8")
    longer = repr(dict.fromkeys([*ALL_TIERS[:place], "new", *ALL_TIERS[place:]], "words"))
    changed, count = re.subn(r"^ALL_TIERS = .*$", f"ALL_TIERS = tuple({longer})", source, flags=re.MULTILINE)
    assert count == 1
    module: dict[str, Any] = {"__name__": "suture.core.dialect_with_a_new_tier", "__package__": "suture.core"}
    exec(changed, module)  # noqa: S102 - our own module, with another table
    assert "new" in module["ALL_TIERS"]
    tiers = {name: dialect.tiers for name, dialect in module["DIALECTS"].items()}
    assert tiers == {name: dialect.tiers for name, dialect in DIALECTS.items()}


def test_a_tier_with_a_row_and_a_fold_is_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing else has to know it, as long as its fold keeps the words of a line."""
    monkeypatch.setitem(FOLDS, "tabs", lambda line: line.expandtabs(4).rstrip())
    dialect = DIALECTS["standard"].replace(tiers=("exact", "trailing", "tabs", "indent", "punctuation", "whitespace"))
    hunk = Hunk(("-    first = 1", "+    first = 3", "     second = 2"))
    [match] = update("\tfirst = 1\n\tsecond = 2\n", [hunk], dialect=dialect).matches
    assert match.tier == "tabs"


_lines = st.text(st.sampled_from("ab \t\xa0-–'’.…\x0c\u2028"), max_size=6)


@examples(500)
@given(_lines, _lines)
def test_each_of_the_first_five_tiers_includes_those_before_it(one: str, other: str) -> None:
    """SPEC §4: "each of the first five includes those before it"."""
    for strict, loose in pairwise(FOLDS.values()):
        if strict(one) == strict(other):
            assert loose(one) == loose(other)


@examples(300)
@given(st.lists(_lines, max_size=5))
def test_a_text_is_folded_like_its_lines(lines: list[str]) -> None:
    assert fold_text("\n".join(lines)) == "\n".join(map(fold_punctuation, lines))


@pytest.mark.parametrize(
    "line", ["def f():", "x = 1", "    value = 2", "import os", "return value", "  - item one", "if a:", "λx", "第一"]
)
def test_a_line_of_words_is_distinctive(line: str) -> None:
    assert is_distinctive(line)


@pytest.mark.parametrize(
    "line",
    ["", "   ", "}", "    }", "});", "{", ")", "],", "else:", "    else {", "end", "return", "*/", "/**", "---", "#"],
)
def test_a_line_that_occurs_everywhere_is_not_distinctive(line: str) -> None:
    """SPEC §4: "A blank context line is weak evidence, and so is a line that occurs everywhere (`}`)"."""
    assert not is_distinctive(line)


@pytest.mark.parametrize(
    ("line", "way", "plain"),
    [
        ("a", {'\\"': '"'}, "a"),
        ('\\"a\\"', {'\\"': '"'}, '"a"'),
        ("\\'a\\'", {'\\"': '"'}, "\\'a\\'"),
        ("a\\\\b", {"\\\\": "\\"}, "a\\b"),
        ('\\\\\\"', {"\\\\": "\\", '\\"': '"'}, '\\"'),
        ('\\\\"', {'\\"': '"'}, '\\\\"'),
        ("a\\", {'\\"': '"'}, "a\\"),
        ("a\\tb", {"\\t": "\t"}, "a\tb"),
        ("\\d\\t", {"\\t": "\t"}, "\\d\t"),
    ],
)
def test_escapes_are_undone_from_left_to_right(line: str, way: dict[str, str], plain: str) -> None:
    assert decode(line, way) == plain


def test_lines_without_backslashes_have_no_escapes_to_undo_but_their_quotes_may_have_lost_some() -> None:
    assert line_ways(" a\nb") == []
    assert line_ways(" a\n'b'") == [{"'": "\\'"}]


def test_escapes_are_undone_first_and_those_that_were_lost_last() -> None:
    quote, tab, lost = {'\\"': '"'}, {"\\t": "\t"}, {"\\": "\\\\"}
    assert line_ways('\\"a\\tb') == [quote | tab, lost, {'"': '\\"'}, {'"': '\\"'} | lost]
    assert line_ways("a\\\\b") == [{"\\\\": "\\"}, lost]
    assert line_ways("\\d") == [lost]


@pytest.mark.parametrize(
    ("line", "expected"), [("x", False), ("ab", True), ("return", False), ("return x1", True), ("RETURN", False)]
)
def test_a_line_is_distinctive_from_two_characters_on_unless_it_is_everywhere(line: str, expected: bool) -> None:
    assert is_distinctive(line) == expected


@pytest.mark.parametrize(
    ("path", "matters", "surely"), [("a.py", True, True), ("a.C", False, False), ("Makefile", True, False)]
)
def test_depth_matters_in_known_and_perhaps_in_unknown_languages(path: str, matters: bool, surely: bool) -> None:
    assert (depth_matters(path), depth_matters(path, surely=True)) == (matters, surely)


def test_a_rule_has_the_name_and_the_sentence_of_its_condition() -> None:
    def has_two_words(evidence: object) -> object:
        """A sentence
        of two lines."""
        return evidence

    made = rule(has_two_words)
    assert (made.name, made.sentence) == ("has-two-words", "A sentence of two lines.")
    assert rule(lambda _evidence: None).sentence == ""
    assert first_refusal([made], "against") == (made, "against")
    assert first_refusal([made], "") is None
    with without(made.name):
        assert first_refusal([made], "against") is None


def test_what_a_tier_ignores_follows_from_its_fold() -> None:
    """So a new tier is treated right wherever indentation or spacing matters, without being named there."""
    assert {"indent", "punctuation", "whitespace"} == ANY_DEPTH
    assert {"whitespace"} == ANY_SPACING
