"""The native code and the Python that defines it decide alike, whatever the text is made of."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, strategies as st
from tests.property.strategies import examples

from suture import plain, whole

if TYPE_CHECKING:
    from types import ModuleType

_native: ModuleType = pytest.importorskip("suture._native", reason="the native code was not built")

# Few characters, so that blocks stand twice, within lines and across them; of every width, and alike in their bytes.
_ALPHABETS = st.sampled_from(
    ["ab", "ab é", "ab\u0101\u0a0a", "ab🐍", "aбé🐍", "a\ud800\udfff", "a\0\r", "a\ufeff\u2028\t", "\u0100\u0001"]
)


@st.composite
def _cases(draw: st.DrawFn) -> tuple[str, tuple[tuple[str, ...], ...]]:
    """A short text and hunks that mostly quote it, mostly in order."""
    words = st.text(draw(_ALPHABETS), max_size=4)
    lines = draw(st.lists(words, min_size=1, max_size=12))
    hunks = []
    at = 0
    for _ in range(draw(st.integers(1, 4))):
        first = draw(st.integers(min(at, len(lines) - 1), len(lines) - 1))
        at = draw(st.integers(first, min(len(lines), first + 4)))
        written = []
        for line in lines[first:at]:
            written += ["+" + added for added in draw(st.lists(words, max_size=2))]
            written.append(draw(st.sampled_from("  -?")) + draw(st.sampled_from([line, line, line, "a"])))
        written += ["+" + added for added in draw(st.lists(words, max_size=3))]
        hunks.append(tuple(written))
    return "\n".join(lines) + "\n" * draw(st.integers(0, 1)), tuple(hunks)


@examples(1500)
@given(_cases())
def test_hunks_are_placed_alike(case: tuple[str, tuple[tuple[str, ...], ...]]) -> None:
    """Decision 7: "What native code decides, the Python beside it decides alike."""
    body, hunks = case
    placed = plain.place_lines(body, hunks)
    quick = _native.place_lines(body, hunks)
    assert quick == placed
    if placed is not None:
        assert sys.getsizeof(quick[0]) == sys.getsizeof(placed[0]), "as narrow as its characters allow"
    content = body.encode("utf-8", "surrogatepass")
    in_bytes = plain.place_lines(content, hunks)
    assert _native.place_lines(content, hunks) == in_bytes
    if in_bytes is not None and placed is not None:
        assert in_bytes[0] == str(placed[0]).encode("utf-8", "surrogatepass")


_MARKERS = [
    "*** Begin Patch",
    "*** Update File: a",
    "*** Update File: ä b",
    "*** Update File: ",
    "*** End Patch",
    "*** ",
]
_LINES = ["@@", "@@", "@@ a", " a", "-a", "+б", "+🐍", "+\ud800", " ", "", "a", "\\ No", "-\0", "+\r"]
_PIECES = st.sampled_from([*_MARKERS, *_LINES])
_WHOLE = ["*** Begin Patch", "*** Update File: a.py", "@@", " a", "-b", "+c", "@@", "-d", "*** End Patch", ""]


@st.composite
def _envelopes(draw: st.DrawFn) -> str:
    """A plain envelope with a few lines put in and taken out."""
    lines = list(_WHOLE)
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(lines)))
        lines[at : at + draw(st.integers(0, 1))] = draw(st.lists(_PIECES, max_size=3))
    return "\n".join(lines)


@examples(1500)
@given(_envelopes())
def test_envelopes_are_read_alike(text: str) -> None:
    """Decision 7: "What native code decides, the Python beside it decides alike."""
    assert _native.split_envelope(text) == whole.split_envelope(text)
