"""Whether a line is another one, mistyped: what counts as a slip of the keyboard, and what is carried over."""

from __future__ import annotations

import pytest

from suture.place.align import carry, is_typo
from suture.place.limits import LONGEST_COMPARED
from suture.place.line_parts import LineParts, LineReader

LONG = "a sentence is long " * (LONGEST_COMPARED // 19)


def fill(size: int) -> str:
    return LONG + "x" * (size - len(LONG))


@pytest.mark.parametrize(
    ("old", "line", "expected"),
    [
        # Two edits in a context line, one for every five characters.
        ("say hello wrld", "say hello world", True),
        ("say helo wrld", "say hello world", True),
        ("sy helo wrld now", "say hello world now", False),
        ("helo", "hello", True),
        ("hell", "help", False),
        ("hel wrld", "hello world", False),
        (fill(LONGEST_COMPARED).replace("sentence", "sentnce", 1), fill(LONGEST_COMPARED), True),
        (fill(LONGEST_COMPARED + 1).replace("sentence", "sentnce", 1), fill(LONGEST_COMPARED + 1), False),
        # An operator for another; a sign that is missing, or none that is an operator, is a slip.
        ("total = first + other", "total = first - other", False),
        ("total first other", "total-first other", True),
        ("total = first_other", "total = first-other", True),
        ("total-first other", "total_first other", True),
        # A bracket more or less, or a quote at an end; one sign for another is no more and no less.
        ("total(first other", "total(first) other", False),
        ("total(first] other", "total(first) other", True),
        ("'total first other", "total first other", False),
        ("total first other", "total first other'", False),
        ("'total first other", '"total first other', True),
        ("total 'first other", "total first other", True),
        ("total first other", "total 'first other", True),
        ("total first other.", "total first other", True),
        # Digits, and words that have one.
        ("total = first2 + thing", "total = first3 + thing", False),
        ("total = firts2 + thing", "total = first2 + thing", True),
        ("total = fxrst2 + thing", "total = first2 + thing", False),
        # Words of three letters are other words, and so is one letter that is there on one side only.
        ("the cat sat down there", "the car sat down there", False),
        ("the cart sat down there", "the carp sat down there", True),
        ("the cart a down there", "the cart down there", False),
        ("the cart down there x", "the cart down there", False),
        ("call(x) of them all", "call() of them all", False),
        ("call() of them all", "call(x) of them all", False),
        ("the cart, down there", "the cart down there", True),
        ("the set_ sat down there", "the set_s sat down there", False),
        # Parts of names: those of fewer than three letters are other parts.
        ("take max_ib of them all", "take max_id of them all", False),
        ("take max_age of them all", "take max_aged of them all", True),
        ("take is_valid of them all", "take isvalid of them all", True),
        ("take is_valid of them all", "take is_valit of them all", True),
        ("take data_ of them all", "take data_b of them all", False),
        # A word that the file has is no typo.
        ("the known sat down there", "the knows sat down there", False),
        ("the known, sat down there", "the known sat down there", True),
    ],
)
def test_a_context_line_may_have_two_slips_that_make_no_other_word(old: str, line: str, expected: bool) -> None:
    assert is_typo(LineParts(old, ((0, len(old)),)), line, " ", {"known"}) is expected


@pytest.mark.parametrize(
    ("old", "line", "expected"),
    [
        ("say helo world", "say hello world", True),
        ("say helo wrld now", "say hello world now", False),
        ("say hello worl", "say hello world", False),
        ("say ello world", "say hello world", False),
        ("say shello world", "say hello world", False),
        ("say hellos world", "say hello world", False),
        ("say hello, world", "say hello world", False),
        ("say hel_o world", "say hello world", False),
        ("say hxllo world", "say hello world", True),
        ("say hellxo world", "say hello world", True),
        ("say hell world", "say hello world", False),
        ("say xello world", "say hello world", False),
        ("say hellx world", "say hello world", False),
        # A run of one sign may be one longer or shorter, wherever it is; two of them are no run.
        ("say -------- world", "say ------- world", True),
        ("say --- world", "say -- world", True),
        ("=== world, say it", "==== world, say it", True),
        # Context that lost its space: its own dash was taken for the sign.
        ("--- world, say it", "---- world, say it", False),
        ("---- world, say it", "--- world, say it", True),
        ("say it: -----", "say it: ----", True),
        ("say -- world", "say - world", False),
        ("say ==== world", "say ==-= world", False),
        ("say ..:. world", "say .... world", False),
    ],
)
def test_a_removed_line_may_have_one_letter_inside_a_word_or_a_longer_run(old: str, line: str, expected: bool) -> None:
    assert is_typo(LineParts(old, ((0, len(old)),)), line, "-", ()) is expected


@pytest.mark.parametrize(
    ("old", "line", "expected"),
    [
        ("say helo wrld now", "say hello world now", True),
        ("say hello, world", "say hello world", True),
        ("say hellos world", "say hello world", False),
        ("say ello world", "say hello world", False),
        ("say -------- world", "say ------- world", False),
    ],
)
def test_in_a_part_that_the_added_line_keeps_other_characters_may_differ_too(
    old: str, line: str, expected: bool
) -> None:
    assert is_typo(LineParts(old, ((0, len(old)),)), line, "=", ()) is expected


@pytest.mark.parametrize(
    ("old", "line", "new", "expected"),
    [
        ("say helo world", "say hello world", "say helo there", "say hello there"),
        ("say hello, world", "say hello world", "tell hello, world", "tell hello world"),
        ("say hell world", "say hello world", "say hell, world", None),
        ("say hxllo world", "say hello world", "say hello world", None),
        ("say helo world", "say hello world", "say helo", "say hello"),
        ("say helo world", "say hello world", "say hel", None),
        ("ay hello world", "say hello world", "ay hello there", "say hello there"),
        ("say hello worl", "say hello world", "tell hello worl", "tell hello world"),
        ("sy helo world", "say hello world", "sy helo there", "say hello there"),
        # The signs beside the mistake are the same as well, on both sides.
        ("abcdef", "abXcdef", "Zbcdef", "ZbXcdef"),
        ("abcdef", "abXcdef", "aZcdef", None),
        ("abcdef", "abXcdef", "abZdef", None),
        ("abcdef", "abXcdef", "abcZef", "abXcZef"),
        ("abcdef", "abXdef", "Zbcdef", "ZbXdef"),
        ("abcdef", "abXdef", "aZcdef", None),
        ("abcdef", "abXdef", "abcZef", None),
        ("abcdef", "abXdef", "abcdZf", "abXdZf"),
        (LONG, LONG[:-2] + "x", fill(LONGEST_COMPARED), LONG[:-2] + "x" + "x" * (LONGEST_COMPARED - len(LONG))),
        (LONG, "x" + LONG, fill(LONGEST_COMPARED + 1), None),
    ],
)
def test_a_mistake_is_carried_over_where_the_new_line_repeats_it(
    old: str, line: str, new: str, expected: str | None
) -> None:
    assert carry(old, line, new) == expected


@pytest.mark.parametrize(
    ("old", "line", "expected"),
    [
        # Two letters swapped, one doubled or halved, or a letter inside a word.
        ("open_connectoin(host)", "open_connection(host)", True),
        ("open_conection(host)", "open_connection(host)", True),
        ("open_connnection(host)", "open_connection(host)", True),
        ("open_connaction(host)", "open_connection(host)", True),
        ("open_conxnection(host)", "open_connection(host)", True),
        ("stratgey: fast", "strategy: fast", True),
        # A letter more or less at an end of a part of a name, another first letter, and two other letters.
        ("open_connections(host)", "open_connection(host)", False),
        ("openConnectionsOf(host)", "openConnectionOf(host)", False),
        ("unlock_row(host)", "lock_row(host)", False),
        ("row = encode(host)", "row = decode(host)", False),
        ("async_run(first, second)", "sync_run(first, second)", False),
        ("setter(first, second)", "getter(first, second)", False),
        ("row._name = first_name", "row.name = first_name", False),
        ("reread(first, second)", "read(first, second)", False),
        # An operator more or less.
        ("if (!ready) return first", "if (ready) return first", False),
        ("first = -second + third", "first = second + third", False),
    ],
)
def test_a_name_in_code_is_mistyped_by_a_slip_of_the_hand(old: str, line: str, expected: bool) -> None:
    assert is_typo(LineParts(old, ()), line, " ", ()) is expected


@pytest.mark.parametrize(
    ("old", "expected"),
    [
        ("def open_connectoin(host):", True),
        ("def open_conection(host):", True),
        ("def open_connaction(host):", False),
        ("def open_conxnection(host):", False),
        ("def open_connection(hust):", True),
    ],
)
def test_every_letter_of_a_name_that_is_defined_counts(old: str, expected: bool) -> None:
    assert is_typo(LineReader().parts(old, 0), "def open_connection(host):", " ", ()) is expected
