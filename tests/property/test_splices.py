"""Properties of splices: lists of them compose, and ranges can be followed there and back."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given, strategies as st
from tests.property.strategies import examples
from tests.shared.hostile_times import grows_linearly

from suture import multiedit, replace
from suture.core.splices import Splice, blocks_of, compose, follow, reverse, splice

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Chain = tuple[str, list[list[Splice]]]


@st.composite
def chains(draw: st.DrawFn) -> Chain:
    """A text, and steps of splices of which each is made on the result of the one before."""
    text = original = "abcdefghij"[: draw(st.integers(0, 10))]
    steps: list[list[Splice]] = []
    for letter in "XYZ"[: draw(st.integers(1, 3))]:
        edges = sorted(draw(st.lists(st.integers(0, len(text)), max_size=8)))
        pairs = dict(zip(edges[::2], edges[1::2], strict=False))
        step = [Splice(start, end, letter * draw(st.integers(0, 3))) for start, end in sorted(pairs.items())]
        steps.append(step)
        text = splice(text, step)
    return original, steps


def composed(steps: Sequence[Sequence[Splice]]) -> Sequence[Splice]:
    result = steps[0]
    for step in steps[1:]:
        result = compose(result, step)
    return result


@examples(500)
@given(chains())
@example(("abc", [[Splice(1, 2, "XXX")], [Splice(1, 2, ""), Splice(2, 2, "Y"), Splice(3, 4, "Y")]]))
def test_composed_splices_do_what_the_steps_do_one_after_another(chain: Chain) -> None:
    text, steps = chain
    after = text
    for step in steps:
        after = splice(after, step)
    at_once = composed(steps)
    assert splice(text, at_once) == after
    assert all(one.end <= other.start for one, other in pairwise(at_once))


@examples(300)
@given(chains())
def test_it_makes_no_difference_which_two_steps_are_composed_first(chain: Chain) -> None:
    text, steps = chain
    right = steps[-1]
    for step in reversed(steps[:-1]):
        right = compose(step, right)
    assert splice(text, right) == splice(text, composed(steps))


@examples(300)
@given(chains(), st.integers(0, 10), st.integers(0, 10))
def test_a_range_that_nothing_touches_is_the_same_text_there_and_back(chain: Chain, one: int, other: int) -> None:
    text, steps = chain
    start, end = sorted((min(one, len(text)), min(other, len(text))))
    splices = composed(steps)
    if start == end or any(each.start <= end and start <= each.end for each in splices):
        return
    blocks = blocks_of(splices)
    [(low, high)] = follow([(start, end)], blocks)
    assert splice(text, splices)[low:high] == text[start:end]
    assert follow([(low, high)], reverse(blocks)) == [(start, end)]


@pytest.mark.parametrize(
    ("place", "followed"),
    [
        pytest.param((0, 2), (0, 2), id="before"),
        pytest.param((6, 8), (8, 10), id="after"),
        pytest.param((2, 4), (2, 6), id="all of it"),
        pytest.param((1, 3), (1, 6), id="an end inside"),
        pytest.param((3, 5), (2, 7), id="a start inside"),
        pytest.param((3, 3), (2, 6), id="both inside"),
    ],
)
def test_an_edge_inside_of_a_change_moves_to_its_outer_edge(place: tuple[int, int], followed: tuple[int, int]) -> None:
    assert follow([place], blocks_of([Splice(2, 4, "XXXX")])) == [followed]


def test_what_is_inserted_at_an_edge_is_outside() -> None:
    assert follow([(2, 4)], blocks_of([Splice(2, 2, "X"), Splice(4, 4, "X")])) == [(3, 5)]


@pytest.mark.slow
def test_following_a_list_of_many_edits_is_not_quadratic() -> None:
    """SPEC §4: "No input makes it quadratic or worse."."""

    def build(count: int) -> Callable[[], object]:
        content = "".join(f"<{number}>\n" for number in range(count))
        edits = [(f"<{number}>", f"({number} …)") for number in range(count)]
        return lambda: multiedit(content, edits).edits[-1].spans

    assert grows_linearly(build, 400, least=0.005)


@pytest.mark.slow
def test_replacing_every_occurrence_is_linear() -> None:
    def build(count: int) -> Callable[[], object]:
        return lambda: replace("a = b\n" * count, "a", "c", replace_all=True).written

    assert grows_linearly(build, 100_000, least=0.001)
