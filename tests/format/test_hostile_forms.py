"""Every form is read in linear time, whatever the text is made of: no marker makes a scan start again."""

from __future__ import annotations

import os
from contextlib import suppress

import pytest
from tests.shared.hostile_times import timed

from suture import SutureError, parse

SIZE = int(os.environ.get("SUTURE_HOSTILE_BYTES", "1000000"))
#: What texts are made of: the marker lines of all forms, halves of them, and what makes a regular expression go back.
PIECES = [
    "*** Begin Patch\n",
    "*** End Patch\n",
    "*** Begin\n",
    "*** \n",
    "@@\n",
    "@@ -1,9 +1,9 @@\n",
    "@@ -1,9 +1,9 @@\n--- a\n+++ b\n",
    "--- a/x\n",
    "--- a/x\n+++ b/x\n",
    "diff --git a/x b/x\n",
    "GIT binary patch\n",
    "Index: x\n",
    "\\ No newline at end of file\n",
    "<<<<<<< SEARCH\n",
    "=======\n",
    ">>>>>>> REPLACE\n",
    "a.py\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n",
    "a.py\n",
    "`a.py` ",
    "# # ",
    "```\n",
    "```diff\n",
    "~~~\n",
    "{\n",
    "[",
    '{"',
    "{}",
    '{"a":',
    '"\\',
    '{"old_string": "',
    '<invoke name="x">\n',
    '<invoke name="x"></invoke>\n',
    '<parameter name="x">',
    "<write_to_file><path>a</path><content>\n",
    "-- \n",
    "--- a 2026-01-01 ",
    "\n",
    " ",
    "+x\n",
]
SMALL = 20_000


def read(text: str) -> None:
    """Parse a text, which may be refused."""
    with suppress(SutureError):
        parse(text, max_size=len(text))


@pytest.mark.parametrize("piece", PIECES, ids=repr)
def test_eight_times_the_text_costs_at_most_sixteen_times(piece: str) -> None:
    small, large = (piece * (size // len(piece)) for size in (SMALL, 8 * SMALL))
    read(piece)
    assert any(timed(lambda: read(large)) < 16 * timed(lambda: read(small)) + 0.1 for _ in range(5))


@pytest.mark.parametrize(
    ("piece", "count"),
    [
        ("<<<<<<< SEARCH\n", 3000),
        ("a.py\n<<<<<<< SEARCH\nx\n>>>>>>> REPLACE\n", 3000),
        ("--- a/x\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n\n\n", 2000),
        ('<invoke name="Edit"><parameter name="path">a</invoke>\n', 3000),
        ('{"command": "insert", "path": "a", "insert_line": 1}\n', 3000),
        ("*** Begin Patch\n*** Update File: a\n@@\n*** End Patch\n", 300),
    ],
)
def test_what_is_wrong_in_the_same_way_everywhere_is_told_once_with_a_count(piece: str, count: int) -> None:
    with pytest.raises(SutureError) as caught:
        parse(piece * count)
    [problem] = caught.value.problems
    assert f"The same is wrong at {count - 1:,} more lines: " in problem.message
    assert problem.details["count"] == count
    assert len(problem.message) < 300


@pytest.mark.slow
@pytest.mark.parametrize("piece", PIECES, ids=repr)
def test_a_megabyte_costs_what_a_loop_over_its_lines_costs(piece: str) -> None:
    """SUTURE_HOSTILE_BYTES=10000000 asks the same of ten."""
    text = piece * (SIZE // len(piece))

    def loop() -> None:
        for line in text.split("\n"):
            line.strip().startswith("```")

    def steps() -> None:
        """Eight steps for each character: what the calls in a text cost, which may have few lines."""
        for _ in range(8):
            for _ in text:
                pass

    assert any(timed(lambda: read(text)) < 60 * timed(loop) + 80 * timed(steps) for _ in range(5))
