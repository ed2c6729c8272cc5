"""An edited text keeps what a field of a form can't hold: carriage returns and a BOM."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from suture.review.edited_text import keep_unseen

_lines = st.lists(st.sampled_from(["a", "b", "c", ""]), max_size=12)
_ends = st.sampled_from(["\n", "\r\n"])


@given(_lines, st.lists(_ends, min_size=12, max_size=12), st.booleans())
def test_a_text_that_was_not_edited_comes_back_as_it_was(lines: list[str], ends: list[str], has_bom: bool) -> None:
    proposed = "\ufeff" * has_bom + "".join(line + end for line, end in zip(lines, ends, strict=False))
    assert keep_unseen(proposed, proposed.replace("\r\n", "\n").removeprefix("\ufeff")) == proposed


def test_new_lines_end_like_the_line_before() -> None:
    assert keep_unseen("a\r\nb\r\nc\n", "a\nb\nnew\nc\nlast\n") == "a\r\nb\r\nnew\r\nc\nlast\n"
    assert keep_unseen("a\r\n", "first\na\n") == "first\r\na\r\n"


def test_texts_without_carriage_returns_are_as_they_are() -> None:
    assert keep_unseen("a\nb\n", "x") == "x"
    assert keep_unseen("a\r\n", "x\r\ny\n") == "x\r\ny\n"


def test_carriage_returns_inside_of_lines_can_not_be_edited() -> None:
    with pytest.raises(ValueError, match="can't be edited"):
        keep_unseen("a\rb\r\n", "a\nb\n")
