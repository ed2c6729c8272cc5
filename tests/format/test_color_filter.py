"""Texts with the colors of a terminal: every form is read as if they had none, and that is noted."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest
from tests.shared.programs import Place

from suture import PatchRejectedError, UpdateFile, parse, update
from suture.format import PatchParser

if TYPE_CHECKING:
    from pathlib import Path

ENVELOPE = "*** Begin Patch\n*** Update File: a.py\n@@\n-old\n+new\n*** End Patch\n"
DIFF = "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n keep\n-old\n+new\n"
BLOCK = "a.py\n<<<<<<< SEARCH\nold\n=======\nnew\n>>>>>>> REPLACE\n"
CALL = '{"file_path": "a.py", "old_string": "old", "new_string": "new"}\n'
FORMS = {"envelope": ENVELOPE, "unified": DIFF, "search-replace": BLOCK, "json": CALL}
#: Ways to color a line.
COLORS = {
    "git": "\x1b[32m{}\x1b[m",
    "256 colors": "\x1b[1;38;5;28m{}\x1b[0m",
    "erased line ends": "\x1b[36m\x1b[K{}\x1b[m\x1b[K",
    "true colors": "\x1b[38:2:1:2:3m{}\x1b[0m",
}


def colored(text: str, color: str = COLORS["git"]) -> str:
    """A text with every line that is not context in color, and a reset behind each of the others, as git writes it."""
    lines = text.splitlines()
    return "".join(f"{line}\x1b[m\n" if line.startswith(" ") else f"{color.format(line)}\n" for line in lines)


def without_colors(text: str, form: str | None = None) -> object:
    patch = parse(text, form=form)
    assert patch.concessions[0].name == "colors"
    return patch.operations


@pytest.mark.parametrize("color", COLORS.values(), ids=list(COLORS))
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("is_named", [False, True], ids=["recognized", "named"])
def test_every_form_is_read_without_its_colors(form: str, color: str, *, is_named: bool) -> None:
    text = FORMS[form]
    assert without_colors(colored(text, color), form if is_named else None) == parse(text).operations


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("size", [1, 2, 3, 7, 50])
def test_pieces_of_any_size_are_read_like_the_whole(form: str, size: int) -> None:
    text = "Here you are:\n" + colored(FORMS[form])
    parser = PatchParser()
    for start in range(0, len(text), size):
        parser.feed(text[start : start + size])
    assert parser.close() == parse(text)


def test_a_named_form_is_read_without_colors_in_every_dialect() -> None:
    for dialect in ("standard", "codex", "opencode", "strict"):
        assert parse(colored(DIFF), dialect, form="unified").operations == parse(DIFF).operations


def test_a_diff_of_which_only_some_lines_are_colored_is_read() -> None:
    """The colors of git can be configured: here only hunks have them."""
    head, at, hunk = DIFF.partition("@@")
    assert without_colors(head + colored(at + hunk)) == parse(DIFF).operations


def test_the_first_colored_line_is_noted() -> None:
    patch = parse(f"See below.\n\n{colored(DIFF)}")
    assert (patch.concessions[0].name, patch.concessions[0].line) == ("colors", 3)


def test_escape_sequences_that_a_file_has_are_content() -> None:
    """Lines of a hunk begin with a prefix, so that a color behind it is the file's own."""
    text = "\x1b[1mtitle\x1b[0m\nold\n"
    [operation] = parse(ENVELOPE.replace("-old", " \x1b[1mtitle\x1b[0m\n-old")).operations
    assert isinstance(operation, UpdateFile)
    assert update(text, operation.hunks).text == "\x1b[1mtitle\x1b[0m\nnew\n"
    [block] = parse(BLOCK.replace("\nold\n", "\n\x1b[1mtitle\x1b[0m\n")).operations
    assert isinstance(block, UpdateFile)
    assert block.hunks[0].old == ["\x1b[1mtitle\x1b[0m"]


def test_what_shows_words_in_color_is_not_applied() -> None:
    """`git diff --color-words` marks changes by nothing but their color: without it, its lines are in no file."""
    text = colored(DIFF.partition(" keep")[0]) + "keep\x1b[m\n\x1b[31mold\x1b[m\x1b[32mnew\x1b[m\n"
    [operation] = parse(text).operations
    assert isinstance(operation, UpdateFile)
    with pytest.raises(PatchRejectedError):
        update("keep\nold\n", operation.hunks)


@pytest.mark.skipif(shutil.which("git") is None, reason="git writes the diff")
def test_what_git_colors_is_applied_by_the_program(tmp_path: Path) -> None:
    place = Place(tmp_path)
    before = "".join(f"line {number}\n" for number in range(300))
    after = "".join(f"{'Line' if number % 2 else 'line'} {number}\n" for number in range(300))
    place.write("a.txt", before)
    place.write("../b.txt", after)
    command = ["git", "diff", "--color=always", "--no-index", "a.txt", "../b.txt"]
    diff = subprocess.run(command, cwd=place.root, capture_output=True, text=True, check=False).stdout
    assert diff.startswith("\x1b[1mdiff --git")
    done = place.suture("apply", "--no-diff", stdin=diff.replace("../b.txt", "a.txt").replace("b/../", "b/"))
    assert (done.status, done.err) == (0, "")
    assert "color codes ignored" in done.out
    assert place.files()["a.txt"] == after
