"""The grammar for models that are held to one: it describes the patches that the parser reads without concessions."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st
from tests.property.strategies import examples, patches

from suture import Patch, parse, render
from suture.format.lark_grammar import LARK_GRAMMAR

lark = pytest.importorskip("lark", reason="lark is installed for development only")
PARSER = lark.Lark(LARK_GRAMMAR, parser="lalr")


def is_accepted(text: str) -> bool:
    try:
        PARSER.parse(text)
    except lark.exceptions.LarkError:
        return False
    return True


words = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=8)
texts = st.lists(st.sampled_from(["", " ", "  ", "@@", "*** End Patch", "+", "-", "x", "é", "\t"]) | words, max_size=4)
contents = texts.map(" ".join)
paths = st.lists(words, min_size=1, max_size=3).map("/".join)


@st.composite
def sentences(draw: st.DrawFn) -> str:
    """A text of the grammar, drawn rule by rule, with nothing of Suture in between."""
    lines = ["*** Begin Patch"]
    for _ in range(draw(st.integers(1, 3))):
        kind, path = draw(st.sampled_from(["add", "delete", "update"])), draw(paths)
        if kind == "add":
            lines += [
                f"*** Add File: {path}",
                *[f"+{text}" for text in draw(st.lists(contents, min_size=1, max_size=4))],
            ]
        elif kind == "delete":
            lines.append(f"*** Delete File: {path}")
        else:
            lines.append(f"*** Update File: {path}")
            moves = draw(st.booleans())
            lines += [f"*** Move to: {draw(paths)}"] if moves else []
            lines += draw(hunk_lines(at_least=0 if moves else 1))
    return "\n".join([*lines, "*** End Patch"]) + draw(st.sampled_from(["", "\n"]))


@st.composite
def hunk_lines(draw: st.DrawFn, at_least: int) -> list[str]:
    lines: list[str] = []
    for number in range(draw(st.integers(at_least, 3))):
        anchors = draw(st.lists(words.map("@@ {}".format) | st.just("@@"), max_size=2))
        lines += anchors or (["@@"] if number else [])
        lines += [draw(st.sampled_from(" -+")) + draw(contents) for _ in range(draw(st.integers(1, 4)))]
    ends = draw(st.booleans())
    return [*lines, "*** End of File"] if lines and ends else lines


@examples(100)
@given(sentences())
def test_what_the_grammar_accepts_the_parser_reads(text: str) -> None:
    assert is_accepted(text), text
    assert parse(text).concessions == ()


@examples(100)
@given(patches())
def test_what_is_rendered_the_grammar_accepts(patch: Patch) -> None:
    """Except for what only programs say: line numbers, missing newlines, environments and quoted paths."""
    try:
        text = render(patch)
    except ValueError:
        return
    markers = [line for line in text.split("\n") if line.startswith(("***", "@@", "\\"))]
    special = any(line.startswith(("\\", "*** Environment", "@@ -")) or ': "' in line for line in markers)
    if not special and "\r" not in text:
        assert is_accepted(text), text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "*** Begin Patch\n*** End Patch",
        "*** Begin Patch\n*** Update File: a\n*** End Patch",
        "*** Begin Patch\n*** Add File: a\nx\n*** End Patch",
        "*** Begin Patch\n*** Update File: a\n@@\nx\n*** End Patch",
        "*** Begin Patch\n*** Update File:  \n@@\n x\n*** End Patch",
        "*** Begin Patch\n*** Update File: a\n@@\n x",
        "Here it is:\n*** Begin Patch\n*** Delete File: a\n*** End Patch",
    ],
)
def test_what_is_no_patch_is_not_accepted(text: str) -> None:
    assert not is_accepted(text)
