"""Edits on a text that breaks its lines elsewhere: what stays is the file's, what comes in is at its depth."""

from __future__ import annotations

import pytest

from suture import replace

CALL = "    x = f(a,\n      b)\n    y = 2\n    z\n"


@pytest.mark.parametrize(
    ("content", "old", "new", "text"),
    [
        (CALL, "x = f(a, b)\ny = 2", "first()\nx = f(a, b)\ny = 2", "    first()\n" + CALL),
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
    ],
)
def test_lines_that_are_broken_elsewhere(content: str, old: str, new: str, text: str) -> None:
    done = replace(content, old, new)
    assert (done.text, done.replacer) == (text, "whitespace-normalized")
