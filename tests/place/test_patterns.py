"""Words with other whitespace between them, and where a part of a line begins and ends."""

from __future__ import annotations

import pytest

from suture.place.limits import LONGEST_PATTERN, MOST_PATTERN_WORK, MOST_PIVOTS, MOST_WORDS
from suture.place.reflow import find_words, has_edges, whole_lines
from suture.place.tiers import is_of_word


@pytest.mark.parametrize(
    ("body", "words", "spans"),
    [
        ("ab  cd\nab\n\ncd", ["ab", "cd"], [(0, 6), (7, 13)]),
        ("ab ab ab", ["ab", "ab"], [(0, 5), (3, 8)]),
        ("xab cd ab cdx", ["ab", "cd"], []),
        (".ab cd.", ["ab", "cd"], [(1, 6)]),
        ("x( cd )x", ["(", "cd", ")"], [(1, 7)]),
        ("ab", ["ab", "cd"], []),
        ("ab cd" + " " * 9000 + "ab\ncd", ["ab", "cd"], [(0, 5), (9005, 9010)]),
    ],
)
def test_words_are_found_as_whole_words(body: str, words: list[str], spans: list[tuple[int, int]]) -> None:
    assert find_words(body, " ".join(words)) == spans


@pytest.mark.parametrize(
    ("words", "times", "count"),
    [
        ([f"w{number}" for number in range(MOST_WORDS)], 1, 1),
        ([f"w{number}" for number in range(MOST_WORDS + 1)], 1, 0),
        (["a" * (LONGEST_PATTERN - 1), "b"], 1, 1),
        (["a" * LONGEST_PATTERN, "b"], 1, 0),
        (["ab", "cd"], MOST_PIVOTS, MOST_PIVOTS),
        (["ab", "cd"], MOST_PIVOTS + 1, 0),
        ([f"w{number}" for number in range(1000)], MOST_PATTERN_WORK // 1000, MOST_PATTERN_WORK // 1000),
        ([f"w{number}" for number in range(1000)], MOST_PATTERN_WORK // 1000 + 1, 0),
    ],
    ids=["words", "too many words", "long", "too long", "places", "too many places", "work", "too much work"],
)
def test_a_text_that_is_too_much_work_is_not_looked_for(words: list[str], times: int, count: int) -> None:
    assert len(find_words(f"{' '.join(words)}\n" * times, " ".join(words))) == count


@pytest.mark.parametrize(
    ("body", "start", "end", "apart"),
    [
        ("ab", 0, 2, True),
        ("ab c", 0, 2, True),
        ("abc", 0, 2, False),
        ("xab", 1, 3, False),
        ("x ab", 2, 4, True),
        ("x(", 1, 2, True),
        ("(x", 0, 1, True),
    ],
)
def test_a_span_is_apart_that_cuts_no_word(body: str, start: int, end: int, *, apart: bool) -> None:
    assert has_edges(body, start, end, body[start:end]) is apart


@pytest.mark.parametrize(
    ("start", "end", "lines"), [(0, 1, (0, 2)), (1, 4, (0, 5)), (3, 5, (3, 5)), (6, 7, (6, 7)), (7, 7, (6, 7))]
)
def test_a_span_is_in_whole_lines(start: int, end: int, lines: tuple[int, int]) -> None:
    assert whole_lines("ab\ncd\ne", start, end) == lines


@pytest.mark.parametrize(("old", "begins"), [("\na", True), ("\ta", True), ("  a", True), (" a", False), ("a", False)])
def test_a_text_begins_a_line_with_more_than_a_blank(old: str, *, begins: bool) -> None:
    assert has_edges("xx abc", 3, 6, f"{old}bc") is not begins


@pytest.mark.parametrize(
    ("body", "span", "old", "edges"),
    [
        ("x = }", (4, 5), "}", True),
        ("x = ab", (4, 6), " ab", True),
        ("x = ab", (4, 6), "  ab", False),
        ("  ab", (2, 4), "\tab", True),
        ("} x", (0, 1), "}", True),
        ("ab x", (0, 2), "ab ", True),
        ("ab x", (0, 2), "ab\n", False),
        ("ab  ", (0, 2), "ab\n", True),
    ],
)
def test_a_span_begins_and_ends_lines_where_the_text_does(
    body: str, span: tuple[int, int], old: str, *, edges: bool
) -> None:
    assert has_edges(body, *span, old) is edges


def test_letters_digits_and_bytes_that_are_no_characters_are_of_a_word() -> None:
    assert all(map(is_of_word, "a9_é\udc80\udcff"))
    assert not any(map(is_of_word, ("", "-", " ", "\udc7f", "\udd00")))
