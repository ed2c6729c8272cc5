"""The work of sketches and of stacked anchors grows with their size, and is counted where it could grow faster."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest
from tests.shared.counted_calls import calls_of, lines_of

from suture import PatchRejectedError
from suture.place.scopes import ScopeReader
from suture.place.sketches import apply_sketch

if TYPE_CHECKING:
    from collections.abc import Callable


def applied(parts: int) -> Callable[[], object]:
    """A sketch of so many parts, in a file with as many places."""
    content = "".join(f"u{number} line one\nv{number} line two\n" for number in range(parts))
    sketch = "...\n".join(f"u{number} line one\nv{number} line two\n" for number in range(parts)) + "...\n"

    def work() -> None:
        with pytest.raises(PatchRejectedError, match="applied already"):
            apply_sketch(content, sketch, path="a.txt")

    return work


def test_four_times_the_parts_of_a_sketch_cost_at_most_eight_times() -> None:
    applied(2)()
    assert calls_of(applied(400)) <= 8 * calls_of(applied(100))


def test_a_sketch_that_fits_many_long_ranges_is_refused() -> None:
    edges = ["open block here\n" + f"r{number} some row\n" for number in range(20)]
    ends = ["s t row\nclose block here\n"] * 20
    content = "".join([*edges, *[f"row {number} is here\n" for number in range(3000)], *ends])
    sketch = "...\nopen block here\nnew row\nclose block here\n...\n"
    with pytest.raises(PatchRejectedError, match="so often that no place was looked for"):
        apply_sketch(content, sketch, path="a.txt")


NESTED = "".join("  " * depth + "if x:\n" for depth in range(60)) + "  " * 60 + "y = 1\n"


def test_the_scope_of_a_line_is_read_once_for_all_stacked_anchors() -> None:
    spots = [at for at in range(len(NESTED)) if at == 0 or NESTED[at - 1] == "\n"]
    reader = ScopeReader(NESTED, "a.py")
    scopes = reader.scopes(spots)
    assert reader.take_read() > 0
    assert reader.scopes(spots) == scopes
    assert reader.take_read() == 0


def edges(count: int) -> tuple[str, str]:
    """A sketch whose first and last lines are everywhere in the file."""
    pairs = "a(\n)\n" * count
    quarter = "a(\n)\n" * (count // 4)
    return "a(\n)\n" + pairs, f"...\n{quarter}newline here = 3\n{quarter}...\n"


def blanks(count: int) -> tuple[str, str]:
    """A sketch with blank lines at its edges, for a file with as many."""
    gap = "\n" * count
    block = f"one line here\n{gap}other line here\n"
    return block * 2, f"...\n{block}...\n"


@pytest.mark.parametrize("texts", [edges, blanks])
def test_four_times_the_lines_at_an_edge_cost_at_most_eight_times(
    texts: Callable[[int], tuple[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("suture.place.single_change.MOST_LINES_LAID", 10_000)

    def sketching(count: int) -> Callable[[], object]:
        content, sketch = texts(count)

        def work() -> None:
            with pytest.raises(PatchRejectedError):
                apply_sketch(content, sketch, path="a.txt")

        return work

    sketching(8)()
    assert lines_of(sketching(1600)) <= 8 * lines_of(sketching(400))


def test_lines_that_are_hard_to_tell_apart_are_compared_by_counted_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines of the same letters in another order took forty seconds, in a sketch and a file of 25 kB together."""
    pick = Random(1)

    def lines(count: int) -> list[str]:
        return ["".join(pick.sample("abcdefghijklmnopqrstuvwxyz" * 4, 100)) for _ in range(count)]

    start, end = ["start one here", "start two here"], ["end one here", "end two here"]
    blocks = [*start, *end, *[line for _ in range(44) for line in (*lines(2), *end)]]
    content = "\n".join([*blocks, ""])
    sketch = "\n".join(["...", *start, *lines(40), *end, "...", ""])
    monkeypatch.setattr("suture.core.search_budget.SEARCH_BUDGET", 100_000_000)
    with pytest.raises(PatchRejectedError, match="so often that no place was looked for"):
        apply_sketch(content, sketch, path="a.txt")


def test_where_not_all_places_were_looked_at_none_of_them_is_the_only_one(monkeypatch: pytest.MonkeyPatch) -> None:
    block = "{\n  first line\n  last line\n}\n"
    sketch = "...\n{\n  first line\n  a new line\n  last line\n}\n...\n"
    content = f"{{\n}}\n{block}{{\n}}\n"
    assert "a new line" in str(apply_sketch(content, sketch, path="a.txt"))
    for limit in ("MOST_EDGE_PAIRS", "MOST_LINES_LAID"):
        with monkeypatch.context() as patched:
            patched.setattr(f"suture.place.single_change.{limit}", 4)
            with pytest.raises(PatchRejectedError):
                apply_sketch(content * 2, sketch, path="a.txt")
