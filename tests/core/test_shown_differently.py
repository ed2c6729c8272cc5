"""Two texts that differ are shown differently: nothing in a text can forge the code or the mark of a character."""

from __future__ import annotations

import re
from itertools import product

import pytest
from hypothesis import given, strategies

from suture.core.display import one_line, printable, visible_ends, visible_whitespace

#: What codes and marks are made of, and what they stand for.
PIECES = (
    "⟨",
    "U",
    "+",
    "200B",
    "⟩",
    "\u200b",
    "⟨U+200B⟩",
    "⟨U+27E8⟩",
    "·",
    "→",
    " ",
    "\t",
    "\r",
    "x",
    "\u0301",
    "⟨U+0301⟩",
)
TEXTS = strategies.lists(strategies.sampled_from(PIECES) | strategies.characters(codec="utf-8"), max_size=12).map(
    "".join
)


def original(shown: str) -> str:
    """The text that is shown like this."""
    return re.sub(r"⟨U\+([0-9A-F]{4,6})⟩", lambda code: chr(int(code[1], 16)), shown)


@given(TEXTS)
def test_the_text_can_be_told_from_how_it_is_shown(text: str) -> None:
    assert original(printable(text)) == text
    assert original(one_line(text)) == text


@pytest.mark.parametrize("show", [printable, one_line, visible_ends, visible_whitespace])
def test_short_texts_that_differ_are_shown_differently(show: object) -> None:
    assert callable(show)
    texts = {"".join(pieces) for pieces in product(PIECES, repeat=4)}
    assert len({show(text) for text in texts}) == len(texts)


def test_a_bracket_that_begins_no_code_stays() -> None:
    assert printable("exact ⟨a, b⟩") == "exact ⟨a, b⟩"
    assert printable("⟨U+200B⟩") == "⟨U+27E8⟩U+200B⟩"
