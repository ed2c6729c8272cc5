"""An edit and a change of layout alone become one text: the tokens of the edit in the layout of the file."""

from __future__ import annotations

import pytest

from suture.place.merge_tokens import merge_layout
from suture.place.rebase import MergedText, merge_texts

BASE = "def f(a, b):\n    return g(a, b, c='x')\n\ndef h():\n  pass\n"
FORMATTED = 'def f(a, b):\n    return g(\n        a,\n        b,\n        c="x",\n    )\n\n\ndef h():\n    pass\n'


@pytest.mark.parametrize(
    ("edit", "result"),
    [
        pytest.param(("a, b, c=", "a, bb, c="), ("        b,", "        bb,"), id="a token is replaced"),
        pytest.param(("c='x')", "c='x', d=1)"), ('c="x",', 'c="x", d=1,'), id="tokens are added before a comma"),
        pytest.param(("a, b, c", "a, c"), ("        b,\n", ""), id="a token is removed"),
        pytest.param(("    return", "    a += 1\n    return"), ("    return", "    a += 1\n    return"), id="a line"),
        pytest.param(("  pass", "  i()\n  return 2"), ("    pass", "    i()\n    return 2"), id="at the new depth"),
    ],
)
def test_an_edit_is_written_in_the_layout_of_the_file(edit: tuple[str, str], result: tuple[str, str]) -> None:
    assert merge_layout(BASE, FORMATTED, BASE.replace(*edit)) == FORMATTED.replace(*result)


def test_another_change_than_one_of_layout_is_not_merged_by_tokens() -> None:
    assert merge_layout(BASE, FORMATTED.replace("pass", "other"), BASE.replace("a, b, c", "a, c")) is None


def test_a_gap_that_both_sides_have_changed_is_not_decided() -> None:
    assert merge_layout("x = a + b\n", "x = (a + b)\n", "x = a + b;\n") is None


def test_what_the_edit_says_survives_every_layout() -> None:
    """The program of the merged file is the program of the edit."""
    edited = BASE.replace("a, b, c", "b, a, c")
    merged = merge_texts(BASE, FORMATTED, edited, "a.py")
    assert isinstance(merged, MergedText)
    assert merged.is_layout
    names: dict[str, object] = {}
    exec(merged.text + "\ndef g(*a, **k): return a, k\n", names)  # noqa: S102 - ours
    assert eval("f(1, 2)", names) == ((2, 1), {"c": "x"})  # noqa: S307 - ours


def test_lines_that_only_end_differently_are_not_changes() -> None:
    merged = merge_texts("a\nb\nc\n", "a\r\nb\r\nc\r\n", "a\nX\nc\n", "a.txt")
    assert isinstance(merged, MergedText)
    assert merged.text == "a\r\nX\r\nc\r\n"
