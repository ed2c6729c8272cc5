"""The aligner: how a line of an edit relates to a line of the file, and which lines face each other."""

from __future__ import annotations

import pytest

from suture.core.text import Text
from suture.place.align import align, relate, without_escapes


@pytest.mark.parametrize(
    ("old", "line", "expected"),
    [
        ("total = 1", "total = 1", "equal"),
        ("", "total = 1", "blank"),
        ("total = 1", "", "blank"),
        ("\\", "", "blank"),
        ("total=first_of(others)", "total = first_of(others)", "spacing"),
        ("total = first_of(all)", "total=first_of(all)", "spacing"),
        ("total=a+b+c+d+e+f+gh", "total = a + b + c + d + e + f + gh", "near"),
        ('say(\\"hello\\")', 'say("hello")', "escaped"),
        ('say("h\\u00e9llo")', 'say("héllo")', "escaped"),
        ('say("hello\\n")', 'say("hellon")', "escaped"),
        ("total = frst + other", "total = first + other", "typo"),
        ("tot(x);", "tot(x);, count(many) and the others", "other"),
        ("total of", "total often there is more of the others", "other"),
        ("of total", "there is more than the proof total", "other"),
        ("the total of all of these", "another line that has no such words", "other"),
        ("abcdefgxyz", "abcdefghij", "near"),
        ("// open the file before reading it", "// open a file before reading it", "reworded"),
        ("# ----------- reading", "# ------- reading", "spacing"),
        ("abcdefgxyz", "abcdemnopq", "other"),
    ],
)
def test_a_line_relates_to_another_in_one_way(old: str, line: str, expected: str) -> None:
    assert relate(old, line, " ", ()) == expected


def test_a_mistake_that_the_added_line_keeps_is_carried_over() -> None:
    old, line = "total = frst, other", "total = first other"
    assert relate(old, line, "-", (), new="total = frst, others") == "carried"
    assert relate(old, line, "-", (), new="total = none") == "near"
    assert relate(old, line, "-", ()) == "near"
    assert relate("total = 2, other", line, "-", (), new="total = 2, others") == "near"


def test_escapes_are_read_as_characters() -> None:
    assert without_escapes("\\u00e9\\n\\\\u00g9") == "énu00g9"


def align_in(old: str, lines: str, first: int = 0) -> list[tuple[list[int | None], list[str]]]:
    """The alignments of the words of `old` with those of `lines`; blank lines are dots."""
    each, file = ([line.strip(".") for line in text.split()] for text in (old, lines))
    found = align(each, Text("".join(f"{line}\n" for line in file)), first, " " * len(each), {})
    return [(one.rows, [name[0] for name in one.relations]) for one in found]


@pytest.mark.parametrize(
    ("old", "lines", "expected"),
    [
        ("alpha beta gamma", "alpha beta gamma", [([0, 1, 2], "eee")]),
        ("alpha beta gamma", "x alpha beta gamma", [([1, 2, 3], "eee")]),
        ("alpha beta gamma", "a b c alpha beta gamma", [([3, 4, 5], "eee")]),
        ("alpha beta gamma", "alpha beta ; gamma", [([0, 1, 3], "eee")]),
        ("alpha beta gamma", "alpha ; ; ; beta gamma", [([0, 4, 5], "eee")]),
        ("alpha beta ; gamma", "alpha beta gamma", [([0, 1, None, 2], "eeme")]),
        ("alpha ; ; ; beta gamma", "alpha beta gamma", [([0, None, None, None, 1, 2], "emmmee")]),
        ("; alpha beta gamma", "alpha beta gamma", [([None, 0, 1, 2], "meee")]),
        # Which of two equal lines is meant can't be known: both ways are given.
        ("alpha ; gamma", "alpha ; ; gamma", [([0, 1, 3], "eee"), ([0, 2, 3], "eee")]),
        ("alpha ; ; gamma", "alpha ; gamma", [([0, 1, None, 2], "eeme"), ([0, None, 1, 2], "emee")]),
        ("alpha", "x alpha y alpha", [([1], "e"), ([3], "e")]),
        # A distinctive line counts more than a brace, and a brace more than a blank line.
        ("alpha }", "} x alpha", [([2, None], "em")]),
        ("} .", ". x }", [([2, None], "em")]),
        ("alpha beta gamma", "alpha other gamma", [([0, 1, 2], "eoe")]),
        ("alpha betamax gamma", "alpha betamix gamma", [([0, 1, 2], "ete")]),
    ],
)
def test_lines_face_their_equals_and_the_rest_is_missing_or_extra(
    old: str, lines: str, expected: list[tuple[list[int | None], str]]
) -> None:
    assert align_in(old, lines) == [(rows, list(names)) for rows, names in expected]
