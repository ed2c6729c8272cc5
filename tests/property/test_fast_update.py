"""The short way and the long way place hunks and string edits alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, strategies as st
from tests.property.strategies import examples

from suture import DIALECTS, Hunk, PatchRejectedError, replace, update
from suture.place import edit_step, replace as replace_module, update as update_module

if TYPE_CHECKING:
    from collections.abc import Sequence

_LINES = st.sampled_from(["a = 1", "b = 2", "    setup()", "    run(x)", "}", "", "import os", "import sys", "# note"])
_KINDS = st.sampled_from(" -+")


@st.composite
def _cases(draw: st.DrawFn) -> tuple[str, list[Hunk]]:
    """A short text and hunks that mostly quote it."""
    lines = draw(st.lists(_LINES, min_size=1, max_size=10))
    hunks = []
    for _ in range(draw(st.integers(1, 3))):
        first = draw(st.integers(0, len(lines) - 1))
        last = draw(st.integers(first, min(len(lines), first + 4)))
        written = []
        for line in lines[first:last]:
            written += ["+" + added for added in draw(st.lists(_LINES, max_size=2))]
            written.append(draw(st.sampled_from(" -")) + line)
        written += ["+" + added for added in draw(st.lists(_LINES, max_size=2))]
        anchors = draw(st.lists(st.sampled_from(lines).map(str.strip).filter(bool), max_size=1)) if any(lines) else []
        hunks.append(Hunk(tuple(written or [draw(_KINDS) + "a = 1"]), tuple(anchors)))
    return "\n".join(lines) + "\n" * draw(st.integers(0, 1)), hunks


def _answer(text: str | bytes, hunks: Sequence[Hunk], dialect: str) -> object:
    try:
        return update(text, hunks, dialect=dialect)
    except PatchRejectedError as rejected:
        return rejected.problems


#: First lines with what may be taken for the end of a line, and with bytes that are no text.
ABOVE = ["", "é = 3\n", "\ufeff", "x\r\n", "x\r", "x\x0cy\u2028z\x85\n", "x\udcff\udcc3\n", "\udcef\n"]


@examples(1000)
@given(_cases(), st.sampled_from(list(DIALECTS)), st.sampled_from(ABOVE), st.booleans())
def test_the_short_way_decides_as_the_long_way_does(
    case: tuple[str, list[Hunk]], dialect: str, above: str, as_bytes: bool
) -> None:
    """What `fast_update` decides, the long way decides alike; it is only slower."""
    text, hunks = above + case[0], case[1]
    content = text.encode("utf-8", "surrogateescape") if as_bytes else text
    short = _answer(content, hunks, dialect)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(update_module, "fast_update", lambda *_args, **_named: None)
        assert short == _answer(content, hunks, dialect)


@st.composite
def _edits(draw: st.DrawFn) -> tuple[str, str, str]:
    """A short text, a part of it, and what mostly is that part with some lines or words of the text more or less."""
    text = "\n".join(draw(st.lists(_LINES, min_size=1, max_size=8))) + "\n" * draw(st.integers(0, 1))
    start = draw(st.integers(0, len(text)))
    old = text[start : draw(st.integers(start, len(text)))]
    pieces = st.sampled_from([old, "\n", "    ", *text.split("\n"), "x = 3", "# ... existing code ...", "\x07", "\r\n"])
    return text, old, "".join(draw(st.lists(pieces, max_size=6)))


@examples(1000)
@given(_edits(), st.sampled_from(ABOVE), st.booleans(), st.sampled_from([30, 10_000]))
def test_the_short_way_of_a_string_edit_decides_as_the_long_way_does(
    case: tuple[str, str, str], above: str, allowed: bool, max_size: int
) -> None:
    """What is found plainly, the replacers and the refusals decide alike."""

    def answer() -> object:
        try:
            return replace(above + case[0], case[1], case[2], allow_placeholders=allowed, max_size=max_size)
        except PatchRejectedError as rejected:
            return rejected.problems

    short = answer()
    with pytest.MonkeyPatch.context() as patched:
        for module in (edit_step, replace_module):
            patched.setattr(module, "find_plain", lambda *_: -1)
        assert short == answer()
