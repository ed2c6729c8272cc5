"""The numbers of hunks in the questions of `suture apply -i`, which plans each hunk with the accepted ones alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.shared.programs import Place, patch
from tests.shared.terminals import Terminal, plain

if TYPE_CHECKING:
    from pathlib import Path


def test_a_problem_has_the_number_of_its_hunk_among_all(tmp_path: Path) -> None:
    """The path has words that look like such a number."""
    place = Place(tmp_path)
    place.write("a 1 of 1.py", "one\ntwo\nthree\n")
    hunks = ("@@\n-one\n+1", "@@\n-two\n+2", "@@\n-nowhere\n+anywhere")
    place.write("../three.patch", patch("*** Update File: a 1 of 1.py", *hunks))
    terminal = Terminal(place, "apply", "-i", "../three.patch")
    terminal.answer("n", "n")
    problem = "Hunk 3 of 3\npatch_apply_error: Hunk 3 of 3 (patch line 9) does not fit a 1 of 1.py."
    assert problem in plain(terminal.until("]? ")).replace("\r", "")
    terminal.send("n\n")
    assert terminal.end()[0] == 1


def test_a_problem_names_another_hunk_by_its_number_among_all(tmp_path: Path) -> None:
    place = Place(tmp_path)
    hunks = ("@@\n def two():\n-    return 2\n+    return 22", "@@\n def one():\n-    return 1\n+    return 11")
    overlapping = "@@\n def one():\n-    return 1\n+    return 111"
    place.write("../three.patch", patch("*** Update File: app.py", *hunks, overlapping))
    terminal = Terminal(place, "apply", "-i", "../three.patch")
    terminal.answer("n", "y")
    said = plain(terminal.until("]? ")).replace("\r", "")
    assert "overlapping_edits: Hunk 3 of 3" in said
    assert "hunk 2" in said
    terminal.send("n\n")
    assert terminal.end()[0] == 0
