"""Edits on a text that breaks its lines elsewhere: what stays is the file's, what comes in is at its depth."""

from __future__ import annotations

import pytest

from suture import PatchRejectedError, replace
from suture.place.readings import EditReading
from suture.place.reflow import _rows, reflow

CALL = "    x = f(a,\n      b)\n    y = 2\n    z\n"


@pytest.mark.parametrize(
    ("content", "old", "new", "text"),
    [
        (CALL, "x = f(a, b)\ny = 2", "first()\nx = f(a, b)\ny = 2", "    first()\n" + CALL),
        ("x = f(a, b)\n", "x = f(a,\n  b)", "first()\nx = f(a,\n  b)", "first()\nx = f(a, b)\n"),
        (CALL, "x = f(a, b)\ny = 2", "y = 2", "    y = 2\n    z\n"),
        (CALL, "    x = f(a, b)\n    y = 2\n", "", "    z\n"),
        (
            CALL,
            "    x = f(a, b)\n    y = 2\n",
            "    x = f(a, b)\n    y = 2\n    w = 3\n\n",
            "    x = f(a,\n      b)\n    y = 2\n    w = 3\n\n    z\n",
        ),
        (CALL, "    x = f(a, b)\n    y = 2\n", "    x = f(b)\n\n    y = 2\n", "    x = f(b)\n\n    y = 2\n    z\n"),
        (
            CALL,
            "    x = f(a, b)\n    y = 2\n",
            "    x = f(a, b)\n\n    y = 2\n",
            "    x = f(a,\n      b)\n\n    y = 2\n    z\n",
        ),
        (
            CALL,
            "x = f(a, b)\ny = 2\n",
            "x = f(a, b)\n\n\nif y:\n    y = 3\n",
            "    x = f(a,\n      b)\n\n\n    if y:\n        y = 3\n    z\n",
        ),
        (
            CALL,
            "x = f(a, b)\ny = 2\n",
            "if q:\n    x = f(a, b)\n    y = 2\n",
            "    if q:\n        x = f(a, b)\n        y = 2\n    z\n",
        ),
        (CALL, "x = f(a, b)\ny = 2\n", "x = f(a, b)\n\n", "    x = f(a,\n      b)\n\n    z\n"),
        (
            "a\n    - D A: $ m\n        - there\n    - ex\nz\n",
            "    - D A:\n     $ m\n        - there\n    - ex",
            "        - there\n    - ex2",
            "a\n        - there\n    - ex2\nz\n",
        ),
        ("q = x  =  f(a)\n", "x = f(a)", "x = g(a)", "q = x = g(a)\n"),
        ("x  =  f(a) + 1\n", "x = f(a)", "y = g(a)", "y = g(a) + 1\n"),
        # Blank lines are lines like any other.
        (
            "f(a,\n  b)\n\nx = 1\ny = 2\n",
            "f(a, b)\n\nx = 1\ny = 2\n",
            "f(a, b)\n\ny = 2\n",
            "f(a,\n  b)\n\ny = 2\n",
        ),
        ("x = 1\n\nf(a,\n  b)\ny\n", "x = 1\n\nf(a, b)\n", "\nf(a, b)\n", "\nf(a,\n  b)\ny\n"),
        (
            "f(a,\n  b)\n\ndef g():\n    pass\n",
            "f(a, b)\n\ndef g():\n",
            "f(a, b)\n\n@deco\ndef g():\n",
            "f(a,\n  b)\n\n@deco\ndef g():\n    pass\n",
        ),
        # Blanks at the end of a line are that line's.
        (
            "A  line\nwith text.  \nNext\n",
            "A line with text.\n",
            "A line with text.\nMore.\n",
            "A  line\nwith text.  \nMore.\nNext\n",
        ),
        ("a = f(x,\n  y)\nz\n", "a = f(x, y)", "a = f(x, y)\n", "a = f(x,\n  y)\n\nz\n"),
    ],
)
def test_lines_that_are_broken_elsewhere(content: str, old: str, new: str, text: str) -> None:
    done = replace(content, old, new)
    assert (done.text, done.replacer) == (text, "whitespace-normalized")


@pytest.mark.parametrize(
    ("content", "old", "new", "code"),
    [
        ("q\na = f(x,\n  y)\nz\n", "a = f(x, y)\n", "a = f(x, y)", "old_text_not_found"),
        # What the file has on one line does not come apart.
        ("x = 1; y = 2\n", "x = 1;\ny = 2", "x = 1;\ny = 3", "old_text_not_found"),
        ("  x = 1; y = 2\n", "x = 1;\ny = 2", "y = 2", "old_text_not_found"),
        ("int a; int b;\nint c;\n", "int a;\n\nint b;\nint c;", "int a;\nint b;\nint c;", "old_text_not_found"),
        ("if a: b()\nc()\n", "if a:\n    b()\nc()\n", "if a:\n    b()\n    x()\nc()\n", "old_text_not_found"),
        (
            "x = 1  # c note\nz()\n",
            "x = 1\n# c note\nz()\n",
            "x = 1\ny = 2\nz()\n",
            "old_text_not_found",
        ),
        # A place where the edit can't be made is a place all the same.
        (
            "keep\nfoo(a)\nbar(b)\nkeep\n\nfoo(a) bar(b)\n",
            "foo(a)\n\nbar(b)\n",
            "foo(a)\nNEW\n\nbar(b)\n",
            "old_text_not_found",
        ),
        ("add(1,\n 2)\n" * 3 + "z\n", "add(1, 2)\nadd(1, 2)", "add(1, 2)\nadd(1, 3)", "multiple_matches"),
        ("x()\n  x()\n  x()\nz\n", "x() x()", "y()", "multiple_matches"),
    ],
)
def test_what_changes_nothing_or_overlaps_is_refused(content: str, old: str, new: str, code: str) -> None:
    with pytest.raises(PatchRejectedError) as caught:
        replace(content, old, new)
    assert caught.value.problems[0].code == code


@pytest.mark.parametrize(
    ("old", "lines", "rows"),
    [
        (["a b", "c"], ["a", "b", "c"], [(0, 2), (2, 3)]),
        (["a", "b"], ["a b"], [(0, None), (None, 1)]),
        (["a", "", "b"], ["a b"], [(0, None), (None, None), (None, 1)]),
        (["a", "", "b"], ["a", "b"], [(0, 1), (1, 1), (1, 2)]),
        (["a", "", "b"], ["a", " ", "b"], [(0, 1), (1, 2), (2, 3)]),
        (["a", "b"], ["a", "", "b"], [(0, 1), (2, 3)]),
        (["a", ""], ["a"], [(0, 1), (1, 1)]),
    ],
)
def test_each_old_line_is_on_the_lines_that_have_its_words(
    old: list[str], lines: list[str], rows: list[tuple[int | None, int | None]]
) -> None:
    assert list(_rows(old, lines)) == rows


@pytest.mark.parametrize(
    ("lines", "old", "new", "changed"),
    [
        # A first line that is off by something else is another one.
        (
            ["  x1 = f(a,", "    b)", "    y1", "    z1"],
            ["x1 = f(a, b)", "    y1", "    z1"],
            ["x1 = f(a, b)", "    y2", "    z1"],
            None,
        ),
        # All lines are off by the same.
        (
            ["\tx1 = f(a,", "\t\tb)", "\t\ty1", "\t\tz1"],
            ["x1 = f(a, b)", "    y1", "    z1"],
            ["x1 = f(a, b)", "    y1", "    z1", "w1"],
            [" \tx1 = f(a,", " \t\tb)", " \t\ty1", " \t\tz1", "+\tw1"],
        ),
        (
            ["  x1 = f(a,", "    b)", "  y1"],
            ["x1 = f(a, b)", "y1"],
            ["  x2", "y1"],
            ["-  x1 = f(a,", "-    b)", "+    x2", "   y1"],
        ),
        (["x1"], ["x1"], ["x1"], None),
    ],
)
def test_the_depth_of_new_lines_is_told_by_the_old_ones(
    lines: list[str], old: list[str], new: list[str], changed: list[str] | None
) -> None:
    body, wanted = "\n".join(lines), EditReading("\n".join(old), "\n".join(new))
    place = reflow(body, wanted, body.index("x1"), len(body))
    assert (place and list(place.hunk.lines)) == changed
