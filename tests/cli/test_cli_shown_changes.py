"""`suture apply -i` on a real terminal: what it asks about is what it writes, for every kind of operation."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.shared.programs import Place, patch, update
from tests.shared.terminals import Terminal, plain

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def place(tmp_path: Path) -> Place:
    made = Place(tmp_path)
    made.environment |= {"TERM": "xterm-256color", "LINES": "24"}
    return made


def call(tool: str, **arguments: object) -> str:
    """A call of a tool as a text has it."""
    return json.dumps({"name": tool, "arguments": arguments})


def shown(place: Place, text: str, *answers: str) -> str:
    """What was said until the last question, once the answers were given and the program has ended well."""
    place.write("../change.patch", text)
    terminal = Terminal(place, "apply", "-i", "--no-diff", "../change.patch")
    terminal.answer(*answers)
    said = terminal.said
    status, _ = terminal.end()
    assert status == 0, terminal.said
    return plain(said).replace("\r\n", "\n")


class TestEverything:
    def test_everything_that_would_be_written_is_shown(self, place: Place) -> None:
        lines = [f"+line {number}" for number in range(200)]
        text = patch("*** Add File: long.txt", *lines, "+trailing \t", "+hidden\u3164")
        said = shown(place, text, "y")
        assert [line for line in lines if f"\n{line}\n" not in said] == []
        assert "\n+trailing·→\n+hidden⟨U+3164⟩\n" in said

    def test_every_place_of_an_edit_that_replaces_all_is_shown(self, place: Place) -> None:
        place.write("a.py", "x = 1\n" + "\n" * 20 + "secret = x\n")
        said = shown(place, call("edit", filePath="a.py", oldString="x", newString="y", replaceAll=True), "y")
        assert "Update a.py\n@@ -1,4 +1,4 @@\n-x = 1\n+y = 1\n" in said
        assert "\n-secret = x\n+secret = y\nApply this change" in said

    def test_a_list_of_edits_is_shown_by_what_becomes_of_the_file(self, place: Place) -> None:
        place.write("a.py", "keep\none\n")
        edits = [{"oldString": "one", "newString": "two"}, {"oldString": "two", "newString": "three"}]
        said = shown(place, call("multiedit", filePath="a.py", edits=edits), "y")
        assert "Update a.py\n@@ -1,2 +1,2 @@\n keep\n-one\n+three\nApply this change" in said

    def test_what_a_write_replaces_is_shown(self, place: Place) -> None:
        place.write("a.py", "one\nprecious\n")
        said = shown(place, call("write", filePath="a.py", content="one\n"), "y")
        assert "Update a.py\n@@ -1,2 +1 @@\n one\n-precious\nApply this change" in said

    def test_a_hunk_is_shown_with_the_lines_of_the_file(self, place: Place) -> None:
        place.write("a.py", "def f():\n    return 1  # the only one\n")
        said = shown(place, patch(update("a.py", "-return 1  # the only one", "+return 2")), "y")
        assert "Hunk 1 of 1, line 2\n@@ -1,2 +1,2 @@\n def f():\n-    return 1  # the only one\n+    return 2\n" in said

    def test_a_later_hunk_is_shown_on_top_of_those_that_were_accepted(self, place: Place) -> None:
        place.write("a.py", "one\ntwo\n")
        hunks = ("@@\n-one\n+1\n+1.5", "@@\n-two\n+2")
        said = shown(place, patch("*** Update File: a.py", *hunks), "y", "y")
        assert "Hunk 2 of 2, line 2\n@@ -1,3 +1,3 @@\n 1\n 1.5\n-two\n+2\nApply this hunk" in said

    def test_a_link_is_shown_with_the_file_that_it_leads_to(self, place: Place) -> None:
        place.write("real.txt", "one\n")
        (place.root / "link.txt").symlink_to("real.txt")
        assert "Update link.txt (a link to real.txt)\n" in shown(
            place, call("write", filePath="link.txt", content="two\n"), "y"
        )
        assert "Hunk 1 of 1, line 1 of real.txt\n" in shown(place, patch(update("link.txt", "-two", "+three")), "y")

    def test_a_text_that_becomes_binary_is_shown_with_its_new_content(self, place: Place) -> None:
        place.write("a.bin", b"\x00old")
        said = shown(place, call("write", filePath="a.bin", content="echo ran\n"), "y")
        assert "Update a.bin (was binary)\n@@ -0,0 +1 @@\n+echo ran\n" in said

    def test_operations_that_are_possible_only_together_are_shown_together(self, place: Place) -> None:
        place.write("a.txt", "one\n")
        new = "diff --git a/a.txt b/a.txt\nnew file mode 100644\n--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1 @@\n+two\n"
        rename = "diff --git a/a.txt b/b.txt\nsimilarity index 100%\nrename from a.txt\nrename to b.txt\n"
        said = shown(place, new + rename, "y", "y", "y")
        assert "\nalready_exists: a.txt already exists" in said
        assert said.endswith(
            "Move a.txt to b.txt\nRenamed without changes.\n"
            "Add a.txt\n@@ -0,0 +1 @@\n+two\nApply all of this [y,n,q,?]? "
        )
        assert (place.files()["a.txt"], place.files()["b.txt"]) == ("two\n", "one\n")


def test_a_file_that_changes_between_the_question_and_the_answer_is_not_written(place: Place) -> None:
    place.write("a.txt", "one\ntwo\n")
    place.write("../change.patch", call("edit", filePath="a.txt", oldString="one", newString="1"))
    terminal = Terminal(place, "apply", "-i", "../change.patch")
    terminal.until("]? ")
    place.write("a.txt", "one\ntwo\nthree\n")
    terminal.send("y\n")
    status, said = terminal.end()
    assert status == 1
    assert "a.txt has changed: its content is not the expected one." in said
    assert place.files()["a.txt"] == "one\ntwo\nthree\n"
