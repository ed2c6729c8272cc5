"""Text as messages and terminals show it."""

from __future__ import annotations

import pytest

from suture.core.display import blank_out, encodable, one_line, printable, shorten, visible_whitespace


@pytest.mark.parametrize(
    ("function", "text", "expected"),
    [
        (printable, "a\tb\n", "a\tb\n"),
        (printable, "\x1b[31m\r\u202e", "⟨U+001B⟩[31m⟨U+000D⟩⟨U+202E⟩"),
        (printable, "é\udcff\U0001f600", "é⟨U+DCFF⟩😀"),
        (one_line, "a\tb\nc", "a⟨U+0009⟩b⟨U+000A⟩c"),
        (visible_whitespace, "\tx = 1  ", "→x = 1··"),
        (visible_whitespace, "x \t", "x →"),
        (visible_whitespace, "x\xa0", "x⟨U+00A0⟩"),
        (blank_out, "a\x1b\nb", "a  b"),
        (encodable, "é\udcff", "é\\udcff"),
    ],
)
def test_text_is_shown_without_anything_invisible(function: object, text: str, expected: str) -> None:
    assert callable(function)
    assert function(text) == expected


def test_a_long_text_is_cut_to_the_limit() -> None:
    assert [shorten("abcd", limit) for limit in (3, 4, 5)] == ["ab…", "abcd", "abcd"]
