"""Two texts side by side: which lines belong together, which words differ, and the work that this takes."""

from __future__ import annotations

from itertools import cycle, islice
from typing import TYPE_CHECKING

import pytest
from tests.shared.hostile_times import grows_linearly

from suture.review.explanations import compared_lines
from suture.words.message_limits import LONGEST_BY_WORD
from suture.words.word_diff import changed_words, pair_lines

if TYPE_CHECKING:
    from collections.abc import Callable

#: Units that are repeated, where each piece of one text has very many partners in the other one.
PERIODS = [(".,.", ".,,"), ("a b ", "b a "), (".", ".,"), ("(", "()")]


def repeated(unit: str, length: int) -> str:
    return "".join(islice(cycle(unit), length))


@pytest.mark.parametrize(("one", "other"), PERIODS)
def test_lines_that_have_many_partners_are_paired_in_linear_time(one: str, other: str) -> None:
    def pairing(count: int) -> Callable[[], object]:
        return lambda: list(pair_lines(repeated(one, count), repeated(other, count)))

    assert grows_linearly(pairing, 1500)


@pytest.mark.parametrize(("one", "other"), PERIODS)
def test_words_that_have_many_partners_are_compared_in_linear_time(one: str, other: str) -> None:
    def comparing(length: int) -> Callable[[], object]:
        return lambda: [changed_words(repeated(one, length), repeated(other, length)) for _ in range(20)]

    assert grows_linearly(comparing, LONGEST_BY_WORD // 4)


def test_a_refused_edit_of_very_many_like_lines_is_explained() -> None:
    edit, file = list(repeated(".,.", 20_000)), list(repeated(".,,", 20_000))
    rows = list(compared_lines(edit, file, 1))
    assert [row.edit for row in rows if row.edit is not None] == edit
    assert [row.file for row in rows if row.file is not None] == file


def test_every_line_of_both_texts_is_in_one_pair() -> None:
    pairs = list(pair_lines(["a", "  b", "c", "d"], ["x", "b", "c", "e", "f"]))
    assert pairs == [(0, 0), (1, 1), (2, 2), (3, 3), (None, 4)]


def test_the_words_that_differ_are_told_by_their_places() -> None:
    assert changed_words("f(a, b)", "f(a, c)") == [((5, 6), (5, 6))]


def test_lines_with_little_in_common_have_no_marks() -> None:
    assert changed_words("import sys", "return 1 + 2") == []
