"""Finding a block of lines, held against a search that is too simple to be wrong."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import example, given, strategies as st
from tests.property.strategies import examples

from suture.core.dialect import ALL_TIERS
from suture.place.limits import MOST_PLACES
from suture.place.search import find_block, line_index, occurrences
from suture.place.tiers import FOLDS

FOLDING = ALL_TIERS[:5]


def simply(body: str, old: list[str], tiers: tuple[str, ...], start: int = 0) -> tuple[str, list[int]] | None:
    """Every line folded and compared with every other, tier by tier."""
    lines = body.split("\n")
    if not lines[-1]:
        lines.pop()
    offsets = [0]
    for line in lines:
        offsets.append(offsets[-1] + len(line) + 1)
    for tier in tiers:
        fold = FOLDS[tier]
        wanted = [fold(line) for line in old]
        folded = [fold(line) for line in lines]
        count = len(old)
        places = [offsets[i] for i in range(len(lines) - count + 1) if folded[i : i + count] == wanted]
        places = [place for place in places if place >= start]
        if places:
            return tier, places
    return None


_line = st.one_of(
    st.sampled_from(
        ["", "a", "a ", " a", "  a", "a b", "a  b", "‘a’", "'a'", "a…", "a...", "b", "ba", "ab", "\t", "aa"]
    ),
    st.text(st.sampled_from("ab …"), max_size=4),
)
_bodies = st.builds(
    lambda lines, end: "\n".join(lines) + end, st.lists(_line, max_size=12), st.sampled_from(["\n", ""])
)


@examples(800)
@given(_bodies, st.lists(_line, min_size=1, max_size=4), st.integers(1, 5))
@example("\t", [""], 2)
@example("a\n ", ["a", ""], 2)
def test_the_search_finds_what_the_simple_one_finds(body: str, old: list[str], count: int) -> None:
    """SPEC §4: "tiers are tried from strict to loose, … and a looser tier is never used where a stricter one finds a
    place".
    """
    found = find_block(body, old, FOLDING[:count])
    assert (None if found is None else (found.tier, found.starts)) == simply(body, old, FOLDING[:count])


@examples(500)
@given(_bodies, st.lists(_line, min_size=1, max_size=3), st.integers(0, 12))
def test_the_search_from_a_line_on_finds_nothing_before_it(body: str, old: list[str], line: int) -> None:
    starts = [0, *(index + 1 for index, character in enumerate(body) if character == "\n")]
    start = starts[min(line, len(starts) - 1)]
    found = find_block(body, old, FOLDING, start)
    assert (None if found is None else (found.tier, found.starts)) == simply(body, old, FOLDING, start)


@pytest.mark.parametrize(
    ("body", "block", "starts"),
    [
        ("", "", []),
        ("\n", "", [0]),
        ("\n\n", "", [0, 1]),
        ("\n\n", "\n", [0]),
        ("a\n\nb\n", "", [2]),
        ("a\n", "a\n", []),
        ("a\n\n", "a\n", [0]),
        ("a", "a", [0]),
        ("ab\na\nba\na", "a", [3, 8]),
        ("a\na\na\n", "a\na", [0, 2]),
        ("aa\na\n", "a", [3]),
    ],
)
def test_a_block_stands_only_where_it_is_whole_lines(body: str, block: str, starts: list[int]) -> None:
    assert occurrences(body, block) == starts


def test_a_list_of_places_is_cut_short() -> None:
    found = find_block("a\n" * 5000, ["a"], FOLDING)
    assert found is not None
    assert len(found.starts) == MOST_PLACES


def test_a_telling_line_that_stands_everywhere_is_found_all_the_same() -> None:
    body = "".join(f"a telling line\nnumber {index}\n" for index in range(1000))
    found = find_block(body, ["  a telling line", "number 700"], FOLDING)
    assert found is not None
    assert (found.tier, found.starts) == ("indent", [body.index("a telling line\nnumber 700\n")])


@pytest.mark.parametrize(
    ("body", "old", "starts"),
    [
        ('say "a"\n', ['say \\"a\\"'], [0]),
        ('x\nsay "a\\n"\n', ['say \\"a\\\\n\\"'], [2]),
        ("a\tb\n", ["a\\tb"], [0]),
        ("cost: $5\n", ["cost: \\$5"], [0]),
        ('say \\"a\\"\n', ['say "a"'], [0]),
        ('  say "a"\n', ['say \\"a\\"'], None),
        ('"\\r\\n"\n', ['\\"\\t\\n\\"'], None),
        ("a\\\n", ["a\\\\"], [0]),
    ],
)
def test_escapes_are_undone_in_the_hunk_and_compared_without_folding(
    body: str, old: list[str], starts: list[int] | None
) -> None:
    found = find_block(body, old, ALL_TIERS)
    assert (None if found is None else found.starts) == starts
    assert found is None or found.tier == "escapes"


def test_a_looser_tier_comes_before_escapes() -> None:
    body = 'say \\"a\\" \nsay "a"\n'
    found = find_block(body, ['say \\"a\\"'], ALL_TIERS)
    assert found is not None
    assert (found.tier, found.starts) == ("trailing", [0])


def test_a_tier_is_found_without_the_ones_before_it() -> None:
    found = find_block("a  few words\n", ["a few words"], ("exact", "whitespace"))
    assert found is not None
    assert (found.tier, found.starts) == ("whitespace", [0])


def test_an_index_of_lines_finds_what_the_search_finds() -> None:
    """With many hunks an index of the lines stands in for the search, and gives the same places from a line on."""
    words = ("", "a", "b", "ab")
    blocks = [list(old) for count in (1, 2) for old in product(words, repeat=count)]
    for lines in (lines for count in range(5) for lines in product(words, repeat=count)):
        for body in ("\n".join(lines), "\n".join((*lines, ""))):
            index = line_index(body)
            starts = {0, *(at + 1 for at, character in enumerate(body) if character == "\n")}
            for old, start in product(blocks, starts):
                one = find_block(body, old, ("exact",), start)
                other = find_block(body, old, ("exact",), start, index)
                assert (one and one.starts) == (other and other.starts), (body, old, start)


def test_an_index_gives_as_many_places_as_are_listed() -> None:
    body = "a\n" * (MOST_PLACES + 1)
    found = find_block(body, ["a"], ("exact",), 0, line_index(body))
    assert found is not None
    assert len(found.starts) == MOST_PLACES
