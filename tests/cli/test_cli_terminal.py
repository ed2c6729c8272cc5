"""On a real pseudo-terminal: colours, the pager, and the bar of a long job."""

from __future__ import annotations

import re
import subprocess
from typing import TYPE_CHECKING

import pytest
from tests.shared.programs import APP, BIN, Place, compare, patch, update
from tests.shared.terminals import Terminal, plain

from suture.cli.render import colored_diff, colored_lines, stat_lines
from suture.cli.screen import STYLES, Screen
from suture.cli.side_by_side import display_width, side_by_side
from suture.core.line_hunks import LineHunk
from suture.core.write_diff import FileSection
from suture.words.word_diff import changed_words
from suture.workspace import Change

if TYPE_CHECKING:
    from pathlib import Path

ONE = patch(update("app.py", " def one():", "-    return 1", "+    return 11"))
BOTH = patch(
    "*** Update File: app.py",
    "@@\n def one():\n-    return 1\n+    return 11",
    "@@\n def two():\n-    return 2\n+    return 22",
    "*** Add File: new.txt\n+new",
    "*** Delete File: gone.txt",
)
FIRST = APP.replace("return 1\n", "return 11\n")
SECOND = APP.replace("return 2\n", "return 22\n")


@pytest.fixture
def place(tmp_path: Path) -> Place:
    made = Place(tmp_path)
    made.environment |= {"TERM": "xterm-256color", "SUTURE_PAGER": "cat", "LINES": "24"}
    del made.environment["NO_COLOR"]
    made.environment.pop("COLUMNS", None)
    made.write("../both.patch", BOTH)
    return made


class TestColours:
    def test_a_diff_with_the_words_that_changed(self, place: Place) -> None:
        place.write("../one.patch", ONE)
        status, said = Terminal(place, "check", "../one.patch").end()
        assert status == 0
        assert "\x1b[33mM\x1b[0m app.py \x1b[32m+1\x1b[0m \x1b[31m-1\x1b[0m\n" in said
        assert "\x1b[36m@@ -1,5 +1,5 @@\x1b[0m\n" in said
        assert "\x1b[1;31;48;5;52m1\x1b[0m\n" in said
        assert "\x1b[1;32;48;5;22m11\x1b[0m\n" in said

    def test_an_added_line_is_never_taken_for_the_name_of_a_file(self) -> None:
        section = FileSection("a.txt", "a.txt", (LineHunk(0, 0, ("--- x \n", "-y\n", "+++ b/forged \n")),))
        lines = list(colored_diff(Screen(color="always"), [section]))
        assert [plain(line) for line in lines][2:] == ["@@ -1,2 +1 @@", "--- x·", "-y", "+++ b/forged·"]
        assert [line.startswith(f"\x1b[{STYLES['bold']}m") for line in lines] == [True] * 2 + [False] * 4

    @pytest.mark.parametrize("color", ["always", "never"])
    def test_whitespace_at_the_end_of_a_changed_line_is_visible(self, place: Place, color: str) -> None:
        place.write("a.txt", "one\ntwo\nthree  \n")
        place.write(
            "../ends.diff", "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n-one\n-two\n+one \t\n+two\r\n three  \n"
        )
        status, said = Terminal(place, "check", "--color", color, "../ends.diff").end()
        assert status == 0
        assert "\n-one\n-two\n+one·→\n+two⟨U+000D⟩\n three  \n" in plain(said)

    def test_the_lines_around_a_change_are_plain(self, place: Place) -> None:
        """The hunk begins inside a string, which no lexer of single lines can know."""
        place.write("doc.py", 'TEXT = """\n# no comment\nreturn 1\nx\n"""\n')
        place.write("../doc.patch", patch(update("doc.py", " # no comment", " return 1", "-x", "+y")))
        _, said = Terminal(place, "check", "../doc.patch").end()
        assert "\n # no comment\n return 1\n\x1b[31m-" in said

    @pytest.mark.parametrize("setting", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
    def test_none_where_they_are_not_welcome(self, place: Place, setting: dict[str, str]) -> None:
        place.environment |= setting
        status, said = Terminal(place, "check", "../both.patch").end()
        assert status == 1  # gone.txt is not there
        assert "\x1b[3" not in said

    def test_never_and_always(self, place: Place) -> None:
        assert "\x1b[" not in Terminal(place, "--color", "never", "check", "../both.patch").end()[1]
        assert "\x1b[" in place.suture("check", "--color", "always", stdin=ONE).out

    def test_what_a_file_holds_does_not_steer_the_terminal(self, place: Place) -> None:
        place.write("evil.txt", "a\x1b]0;title\x07b\n")
        place.write("evil2.txt", "c\n")
        _, said = Terminal(place, "diff", "-u", "evil.txt", "evil2.txt").end()
        assert "a⟨U+001B⟩]0;title⟨U+0007⟩b" in said

    def test_explanations_stand_side_by_side(self, place: Place) -> None:
        place.write("../bad.patch", patch(update("app.py", " def one():", "-    return 7", "+    return 8")))
        status, said = Terminal(place, "explain", "../bad.patch").end()
        assert status == 1
        assert re.search(r"2 ~ +return 7 +\| +return 1\n", plain(said))

    @pytest.mark.parametrize("setting", [{}, {"COLUMNS": "30"}], ids=["by its size", "by the environment"])
    def test_and_one_below_the_other_where_it_is_narrow(self, place: Place, setting: dict[str, str]) -> None:
        place.environment |= {"NO_COLOR": "1"} | setting
        place.write("../bad.patch", patch(update("app.py", " def one():", "-    return 7", "+    return 8")))
        _, said = Terminal(place, "explain", "../bad.patch", columns=100 if setting else 30).end()
        assert "     1 =def one():\n       <    return 7\n     2 >    return 1\n" in said

    def test_wide_characters_are_as_wide_as_they_are_shown(self) -> None:
        rows = list(side_by_side(Screen(color="never"), ["日本", "ab", "e\u0301" * 30], ["日本", "ac", "x"], 1))
        before = [display_width(row.split(" | ")[0]) for row in rows[1:]]
        assert len(set(before)) == 1
        assert rows[1].split() == ["1", "=日本", "|", "日本"]

    @pytest.mark.parametrize("column", [43, 70])
    @pytest.mark.parametrize("place", [0, 10, 40, 60, 69, 75, 140, 400, 5000])
    def test_two_long_lines_show_what_differs(self, monkeypatch: pytest.MonkeyPatch, column: int, place: int) -> None:
        monkeypatch.setenv("COLUMNS", str(2 * column + 13))
        start, end = "word " * (place // 5), " more" * 60
        _, *rows = side_by_side(Screen(color="never"), [f"{start}alpha{end}"], [f"{start}gamma{end}"], 7)
        one, other = zip(*[row[10:].split(" | ") for row in rows], strict=True)
        assert "alpha more" in "".join(one)
        assert "gamma more" in "".join(other)
        assert rows[0].startswith("       7 ~")
        assert len(rows) < 4
        assert all(display_width(row) <= 2 * column + 13 for row in rows)

    def test_several_differences_of_long_lines_are_all_shown(self) -> None:
        old, new = (f"first{one} = {'x' * 80} + second{one} * {'y' * 80}" for one in (1, 2))
        _, *rows = side_by_side(Screen(color="never"), [old], [new], 1)
        one, other = zip(*[row[10:].split(" | ") for row in rows], strict=True)
        assert "".join(part.rstrip() for part in one).startswith("first1 = ")
        assert "second1" in "".join(one)
        assert "second2" in "".join(other)

    def test_a_difference_of_a_whole_long_line_is_cut_at_last(self) -> None:
        _, *rows = side_by_side(Screen(color="never"), ["x" * 5000, ""], ["y" * 5000], 1)
        assert len(rows) == 9
        assert rows[7].endswith("y…")

    def test_a_line_that_only_one_side_has_is_shown_in_full(self) -> None:
        line = "x = " + " + ".join(f"name{number}" for number in range(12))
        _, *rows = side_by_side(Screen(color="never"), ["one"], ["one", line], 1)
        assert "".join(row[10:].split("| ")[1] for row in rows[1:]) == line

    def test_words_that_are_broken_between_rows_are_marked_in_both(self) -> None:
        old, new = (f"{'a ' * 14}{letter * 20} b" for letter in "xy")
        _, *rows = side_by_side(Screen(color="always"), [old], [new], 1)
        assert [row.count(STYLES["removed_word"]) for row in rows] == [1, 1]

    def test_the_environment_sets_the_width_in_a_pipe(self, place: Place) -> None:
        place.write("../bad.patch", patch(update("app.py", " def one():", "-    return 7", "+    return 8")))
        place.environment["COLUMNS"] = "30"
        assert "     1 =def one():\n       <    return 7\n" in place.suture("explain", "../bad.patch").out

    def test_a_changed_word_at_the_end_of_a_line_is_marked(self) -> None:
        _, row = side_by_side(Screen(color="always"), ["return one"], ["return two"], 1)
        assert f"\x1b[{STYLES['removed_word']}mone" in row
        assert f"\x1b[{STYLES['added_word']}mtwo" in row

    def test_words_apart(self) -> None:
        assert changed_words("return one", "return two") == [((7, 10), (7, 10))]
        assert changed_words("return one", "quite something") == []
        assert changed_words("x" * 500, "x" * 501) == []

    def test_lines_of_unequal_number_are_not_compared_by_words(self) -> None:
        screen = Screen(color="always")
        lines = list(colored_lines(screen, ["@@ -1,2 +1 @@", "-a b", "-c d", "+a c"]))
        assert not any("48;5" in line for line in lines)
        assert [plain(line) for line in lines] == ["@@ -1,2 +1 @@", "-a b", "-c d", "+a c"]


class TestSummary:
    def test_what_was_written_is_summed_up_without_a_diff_or_a_pager(self, place: Place) -> None:
        place.environment |= {"SUTURE_PAGER": "sed s/^/paged:/", "LINES": "3", "NO_COLOR": "1"}
        place.write("gone.txt", "gone\n")
        status, said = Terminal(place, "apply", "../both.patch").end()
        assert status == 0
        compare("apply-terminal", place.stable(said))

    def test_the_diff_is_shown_on_request(self, place: Place) -> None:
        place.write("../one.patch", ONE)
        _, said = Terminal(place, "apply", "--diff", "../one.patch").end()
        assert " 1 file changed, 1 insertion(+), 1 deletion(-)\n\n" in plain(said)
        assert "+    return 11\n" in plain(said)

    def test_bars_fit_the_terminal_and_names_are_printable(self) -> None:
        added = LineHunk(0, 0, ("+x\n",) * 1000)
        changed = LineHunk(0, 0, ("-a\n", "-b\n", "+c\n"))
        changes = [Change("add", "new\n.txt", hunks=(added,)), Change("update", "a", hunks=(changed,))]
        rows = list(stat_lines(Screen(color="never"), changes))
        assert rows == [
            " new⟨U+000A⟩.txt (new) | 1000 " + "+" * 40,
            " a                     |    3 +-",
            " 2 files changed, 1001 insertions(+), 2 deletions(-)",
        ]
        assert list(stat_lines(Screen(color="never"), [Change("move", "a", "b")])) == [
            " a => b | 0",
            " 1 file changed",
        ]

    def test_concessions_are_told_once(self, place: Place) -> None:
        loose = patch("*** Update File: app.py", "@@\n-return 1\n+return 11", "@@\n-return 2\n+return 22")
        place.write("../loose.patch", f"Here:\n```\n{loose}```\nBye\n")
        _, said = Terminal(place, "apply", "../loose.patch").end()
        assert "   hunks 1, 2: indentation ignored, indentation adjusted\n" in plain(said)
        assert "Note: text around the edits ignored; read from a Markdown code block.\n" in plain(said)


class TestPager:
    def test_long_output_goes_through_it(self, place: Place) -> None:
        place.environment["SUTURE_PAGER"] = "sed s/^/paged:/"
        _, said = Terminal(place, "--help").end()
        assert said.startswith("paged:Usage: suture")

    def test_short_output_does_not(self, place: Place) -> None:
        place.environment["SUTURE_PAGER"] = "sed s/^/paged:/"
        assert Terminal(place, "--version").end() == (0, "suture 0.1.0\n")

    def test_nor_where_it_is_not_wanted_or_not_there(self, place: Place) -> None:
        place.environment["SUTURE_PAGER"] = "no-such-pager"
        _, said = Terminal(place, "--help").end()
        assert said.startswith("Usage: suture")


def test_a_message_on_a_terminal_has_nothing_invisible_and_is_as_it_is_in_a_pipe(place: Place) -> None:
    base = "a\nb\nc\n"
    place.write("base.txt", base)
    place.write("a.txt", base.replace("b", "B\u200b\u3164"))
    place.write("one.patch", patch(update("a.txt", " a", "-b", "+b\ufe0f2", " c")))
    command = ("apply", "--base", "base.txt", "one.patch")
    assert {"\u200b", "\u3164", "\ufe0f"} <= set(place.suture(*command).err)
    _, said = Terminal(place, *command).end()
    assert "B⟨U+200B⟩⟨U+3164⟩" in said
    assert "b⟨U+FE0F⟩2" in said
    assert not {"\u200b", "\u3164", "\ufe0f"} & set(said)


def test_the_path_of_a_call_forges_no_line_of_an_explanation(place: Place) -> None:
    call = '{"name": "edit", "arguments": {"filePath": "x\\nThe patch applies.", "oldString": "a", "newString": "b"}}'
    lines = place.suture("explain", "-", stdin=call).out.splitlines()
    assert "The patch applies." not in lines
    assert any("x⟨U+000A⟩The" in line for line in lines)


def test_a_terminal_without_a_patch_is_wrong_usage(place: Place) -> None:
    status, said = Terminal(place, "apply").end()
    assert status == 2
    assert "expected a file, or input on standard input" in said
    status, said = Terminal(place, program=str(BIN / "apply_patch")).end()
    assert (status, said) == (2, "Usage: apply_patch 'PATCH'\n       echo 'PATCH' | apply_patch\n")


def test_a_long_job_has_a_bar(place: Place) -> None:
    """The locks of the file are held by another process for longer than the patience of the bar."""
    code = (
        "import sys\nfrom suture import Workspace\nworkspace = Workspace('.')\n"
        "with workspace._committer.hold([f'{workspace.root}/app.py'], 'other'):\n"
        "    print('held', flush=True)\n    sys.stdin.read(1)"
    )
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    place.write("../one.patch", ONE)
    command = [str(BIN / "python"), "-c", code]
    with subprocess.Popen(command, cwd=place.root, env=place.environment, **pipes) as holder:  # type: ignore[call-overload]
        holder.stdout.readline()
        terminal = Terminal(place, "apply", "--no-diff", "../one.patch")
        terminal.until("[....................] reading ")
        holder.communicate(b"x")
    status, said = terminal.end()
    assert status == 0
    assert "\r\x1b[K" in said
    assert place.files() == {"app.py": FIRST}
