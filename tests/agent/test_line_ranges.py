"""Which lines of a text are known."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, strategies as st

from suture.agent.line_ranges import carry, from_text, gaps, holds, join_ranges, to_text

RANGES = st.lists(st.tuples(st.integers(1, 20), st.integers(0, 5)).map(lambda one: (one[0], sum(one)))).map(tuple)


def lines_of(ranges: tuple[tuple[int, int], ...]) -> set[int]:
    return {number for first, last in ranges for number in range(first, last + 1)}


@given(RANGES, RANGES)
def test_joined_ranges_are_in_order_apart_and_have_the_same_lines(
    one: tuple[tuple[int, int], ...], other: tuple[tuple[int, int], ...]
) -> None:
    joined = join_ranges(one, other)
    assert joined is not None
    assert lines_of(joined) == lines_of(one) | lines_of(other)
    assert all(before[1] + 1 < after[0] for before, after in pairwise(joined))
    assert from_text(to_text(joined)) == joined


@given(RANGES)
def test_gaps_are_the_lines_that_are_not_known(ranges: tuple[tuple[int, int], ...]) -> None:
    known = join_ranges(ranges)
    assert known is not None
    assert lines_of(tuple(gaps(known, 30))) == set(range(1, 31)) - lines_of(known)


def test_all_of_a_text_is_not_the_same_as_none_of_it() -> None:
    assert (to_text(None), from_text("")) == ("", None)
    assert from_text(to_text(())) == ()
    assert from_text("1-2,x-3,4") == ((1, 2),)
    assert join_ranges(None, ((1, 2),)) is None
    assert gaps(None, 5) == []
    assert gaps((), 5) == [(1, 5)]


def test_an_insertion_is_known_by_its_neighbors() -> None:
    assert holds(((3, 4),), 5, 4)
    assert holds(((3, 4),), 3, 2)
    assert not holds(((3, 4),), 6, 5)
    assert holds(((3, 6),), 4, 5)
    assert not holds(((3, 4), (6, 7)), 4, 6)


@given(st.text("abc", max_size=12), st.text("abc", max_size=12), RANGES)
def test_lines_that_stay_keep_what_is_known_of_them(old: str, new: str, ranges: tuple[tuple[int, int], ...]) -> None:
    known = tuple([(first, min(last, len(old))) for first, last in join_ranges(ranges) or () if first <= len(old)])
    carried = carry(known, list(old), list(new), is_change_known=False)
    expected = lines_of(carried) if carried is not None else set(range(1, len(new) + 1))
    assert len(expected) <= len(lines_of(known))
    everything = carry(None, list(old), list(new))
    assert everything is None
    assert carry(known, list(old), list(old), is_change_known=False) in (known, None)


def test_changed_lines_are_known_if_the_change_is() -> None:
    old, new = ["a", "b", "c", "d"], ["a", "x", "y", "c", "d"]
    assert carry((), old, new) == ((2, 3),)
    assert carry(((1, 1), (4, 4)), old, new) == ((1, 3), (5, 5))
    assert carry(((1, 2),), old, new, is_change_known=False) == ((1, 1),)
    assert carry(None, old, new, is_change_known=False) == ((1, 1), (4, 5))
