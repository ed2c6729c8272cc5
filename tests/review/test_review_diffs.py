"""Diffs as rows for the review page: which lines belong together, marked words, and limits."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, strategies as st
from tests.shared.hostile_times import grows_linearly
from tests.shared.hunks import hunks_of

from suture.core.line_hunks import LineHunk, line_hunks
from suture.core.split_hunks import split_hunk
from suture.review.diff_view import RowBudget, hunk_view, hunk_views
from suture.review.review_limits import LONGEST_ROW, MOST_ROWS
from suture.words.notebook_diff import cell_hunks

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def rows(before: str, after: str) -> list[dict[str, Any]]:
    """The rows of a diff with one hunk."""
    (hunk,) = line_hunks(before, after)
    return list(hunk_view(hunk, 1)["rows"])


def test_a_changed_line_is_a_row_with_the_changed_words_apart() -> None:
    assert rows("a\nx = old(1)\n", "a\nx = new(1)\n") == [
        {"old": 1, "new": 1, "text": "a"},
        {"old": 2, "new": 2, "before": ["x = ", "old", "(1)"], "after": ["x = ", "new", "(1)"]},
    ]


def test_lines_that_belong_together_are_beside_each_other() -> None:
    found = rows("first = 1\nsecond = 2\n", "added\nfirst = one\nmore\nsecond = two\n")
    assert [(row["old"], row["new"]) for row in found] == [(None, 1), (1, 2), (None, 3), (2, 4)]


def test_lines_without_a_partner_share_rows() -> None:
    found = rows("aaaa\nbbbb\n", "1234\n5678\n9\n")
    assert [(row["old"], row["new"]) for row in found] == [(1, 1), (2, 2), (None, 3)]


def test_a_missing_newline_is_on_the_side_that_lacks_it() -> None:
    assert rows("a\n", "a") == [{"old": 1, "new": 1, "no_newline": ["after"], "before": ["a"], "after": ["a"]}]
    found = rows("a\nb", "c\nb")
    assert found[-1] == {"old": 2, "new": 2, "no_newline": ["before", "after"], "text": "b"}


def test_a_line_ending_that_changes_is_a_changed_word() -> None:
    assert rows("a b\r\n", "a b\n") == [{"old": 1, "new": 1, "before": ["a b", "\r", ""], "after": ["a b", "", ""]}]


def test_rows_have_the_text_of_the_file_for_the_page_to_mark() -> None:
    (row,) = rows("", "\t\u202e\x1b\x00\udcff\u2028\r\n")
    assert row["after"] == ["\t\u202e\x1b\x00\udcff\u2028\r"]


def test_a_long_line_is_cut_and_says_so() -> None:
    (row,) = rows("", "x" * (LONGEST_ROW + 5) + "\n")
    assert (len(row["after"][0]), row["cut"]) == (LONGEST_ROW, 5)


def test_a_long_line_is_sent_as_a_whole_to_whoever_asks_for_it() -> None:
    long = "x" * 10_000
    for hunk in hunks_of(f"@@ -0,0 +1 @@\n+{long}\n", f"@@ -1,2 +1,2 @@\n {long}\n-{long}y\n+{long}z\n"):
        for row in hunk_view(hunk, 1, longest=None)["rows"]:
            texts = (
                [row["text"]] if "text" in row else ["".join(row[side]) for side in ("before", "after") if side in row]
            )
            assert all(text.startswith(long) for text in texts)
            assert "cut" not in row


def test_a_hunk_says_which_lines_it_replaces_and_how_far_the_rest_moves() -> None:
    before = "".join([f"{n}\n" for n in range(1, 41)])
    first, second = line_hunks(before, before.replace("5\n", "5\nx\ny\n", 1).replace("35\n", ""))
    one, two = hunk_view(first, 1), hunk_view(second, 2)
    assert [(view["first"], view["last"], view["shift"]) for view in (one, two)] == [(3, 8, 2), (32, 38, 1)]
    (added,) = line_hunks(None, "a\nb\n")
    assert [hunk_view(added, 1)[name] for name in ("first", "last", "shift")] == [1, 0, 2]


def test_a_long_hunk_is_sent_in_parts() -> None:
    (hunk,) = line_hunks(None, "".join([f"{n}\n" for n in range(10_000)]))
    (view,) = hunk_views([hunk], RowBudget())
    assert (len(view["rows"]), view["total"]) == (MOST_ROWS, 10_000)
    rest = hunk_view(hunk, 1, 9_999)
    assert (rest["start"], rest["rows"]) == (9_999, [{"old": None, "new": 10_000, "after": ["9999"]}])


def test_all_hunks_share_one_budget() -> None:
    (hunk,) = hunks_of("@@ -1 +1 @@\n-a\n+b\n")
    budget = RowBudget(2)
    assert [len(view["rows"]) for view in hunk_views([hunk] * 3, budget)] == [1, 1, 0]
    assert budget.rows == 0


def hostile_hunk(blocks: int, lines: int, words: int) -> LineHunk:
    """A hunk of lines that are all alike, so that any of a block could be paired with any other."""
    removed = [f"-{'a b ' * words}{n}\n" for n in range(lines)]
    added = [f"+{'a c ' * words}{n}\n" for n in range(lines)]
    return LineHunk(0, 0, (*removed, *added, " \n") * blocks)


@pytest.mark.parametrize(
    "hunk",
    [
        pytest.param(lambda size: hostile_hunk(size, 30, 100), id="blocks"),
        pytest.param(lambda size: hostile_hunk(10, 2 * size, 100), id="lines in a block"),
        pytest.param(lambda size: hostile_hunk(10, 30, 10 * size), id="words in a line"),
    ],
)
def test_hostile_hunks_cost_what_their_length_costs(hunk: Callable[[int], LineHunk]) -> None:
    def build(size: int) -> Callable[[], object]:
        built = hunk(size)
        return lambda: hunk_views([built], RowBudget())

    assert grows_linearly(build, 25, least=0.005)


def test_a_hunk_beyond_the_rows_of_a_page_still_has_its_total() -> None:
    views = hunk_views([hostile_hunk(100, 30, 100)] * 8, RowBudget())
    assert [view["total"] for view in views][-1] == 6100


def test_lines_that_look_the_same_but_differ_are_a_changed_row() -> None:
    before = '{"cells": [{"source": [\n  "a = 1\\n",\n  "b = 2"\n]}]}\n'
    after = before.replace("a = 1", "a = 5").replace('"b = 2"', '"b = 2",\n  "\\nc = 3"')
    (hunk,) = line_hunks(before, after)
    (shown,) = cell_hunks("a.ipynb", [hunk])
    changed = ["text" not in row for row in hunk_view(shown, 1)["rows"]]
    assert changed == [False, True, True, True, False]


#: Lines of a notebook, of which different ones can look the same as lines of a cell.
item = st.sampled_from(['"a"', '"a",', ' "a"', '"\\u0061"', '"b\\n",', "]", '"x": [', "b"])


@given(st.lists(item, max_size=12), st.lists(item, max_size=12))
def test_a_page_counts_as_many_parts_of_a_hunk_as_there_are(old: list[str], new: list[str]) -> None:
    before, after = "".join([f"{one}\n" for one in old]), "".join([f"{one}\n" for one in new])
    for hunk in line_hunks(before, after):
        (shown,) = cell_hunks("a.ipynb", [hunk])
        changed = ["text" not in row for row in hunk_view(shown, 1)["rows"]]
        starts = [now and not above for above, now in pairwise([False, *changed])]
        assert sum(starts) == len(split_hunk(hunk))


line = st.text("ab \t\r\u202e<", max_size=6)


@given(st.lists(line, max_size=12), st.lists(line, max_size=12))
def test_rows_have_every_line_once_and_in_order(old: list[str], new: list[str]) -> None:
    before, after = "".join([f"{one}\n" for one in old]), "".join([f"{one}\n" for one in new])
    for hunk in line_hunks(before, after):
        view = hunk_view(hunk, 1)
        for side, number, text in (("before", "old", old), ("after", "new", new)):
            shown = [row for row in view["rows"] if row[number] is not None]
            numbers = [row[number] for row in shown]
            assert numbers == list(range(numbers[0], numbers[0] + len(numbers))) if numbers else True
            written = [row["text"] if "text" in row else "".join(row[side]) for row in shown]
            assert written == [text[n - 1] for n in numbers]
