"""The bar of a long job: on a terminal only, after a while only, and nothing of it stays.

The patience is set to nothing, and the job is held up until its bar was seen: no test waits for a second to pass.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.shared.programs import APP, BIN, Place, patch, update
from tests.shared.terminals import Terminal

from suture import Workspace, parse
from suture.cli.progress import ProgressBar, count_files
from suture.cli.screen import Screen
from suture.workspace import MemoryFiles

if TYPE_CHECKING:
    from pathlib import Path

#: `suture` without patience, and with a `held` that waits for a line from the terminal.
PROGRAM = """
import sys
from suture import Workspace
from suture.cli import inputs, main, progress
from suture.place import compare_trees
progress.DELAY = {patience}
inputs.FIRST_PAGE = inputs.LARGEST_PAGE = 1

def held(call):
    def waits(*arguments, **named):
        result = call(*arguments, **named)
        sys.stdin.readline()
        return result
    return waits

{hold}
main.main()
"""
NAMES = ("a.txt", "b.txt", "c.txt")
THREE = patch(*[update(name, "-old", "+new") for name in NAMES])


@pytest.fixture
def place(tmp_path: Path) -> Place:
    made = Place(tmp_path)
    made.environment |= {"TERM": "xterm-256color", "SUTURE_PAGER": "cat"}
    for name in NAMES:
        made.write(name, "old\n")
    made.write("../three.patch", THREE)
    return made


def without_patience(place: Place, *arguments: str, hold: str = "", patience: int = 0, columns: int = 100) -> Terminal:
    code = PROGRAM.format(hold=hold, patience=patience)
    return Terminal(place, "-c", code, *arguments, program=str(BIN / "python"), columns=columns)


HOLD_THE_RENAMES = "from suture.workspace.files.open_files import DiskFiles\nDiskFiles.rename = held(DiskFiles.rename)"


class TestManyFiles:
    def test_a_commit_shows_how_many_files_are_through(self, place: Place) -> None:
        terminal = without_patience(place, "apply", "--no-diff", "../three.patch", hold=HOLD_THE_RENAMES)
        for number, bar in enumerate(["######", "#############", "####################"], 1):
            terminal.until(f"\r[{bar:.<20}] publishing {number} of 3 files\x1b[K")
            terminal.send("\n")
        status, said = terminal.end()
        assert status == 0
        assert "\r\x1b[K a.txt | 2 " in said
        assert place.files() == {"app.py": APP} | dict.fromkeys(NAMES, "new\n")

    def test_an_undo(self, place: Place) -> None:
        place.suture("apply", "../three.patch")
        terminal = without_patience(place, "undo", "--no-diff", hold=HOLD_THE_RENAMES)
        for number in (1, 2, 3):
            terminal.until(f"publishing {number} of 3 files\x1b[K")
            terminal.send("\n")
        assert terminal.end()[0] == 0
        assert place.files() == {"app.py": APP} | dict.fromkeys(NAMES, "old\n")

    def test_a_plan(self, place: Place) -> None:
        terminal = without_patience(place, "check", "../three.patch", hold="Workspace.plan = held(Workspace.plan)")
        terminal.until("[####################] reading 3 of 3 files\x1b[K")
        terminal.send("\n")
        assert terminal.end()[0] == 0

    def test_two_trees(self, place: Place) -> None:
        for name in NAMES:
            place.write(f"before/{name}", "old\n")
            place.write(f"after/{name}", "new\n")
        hold = "compare_trees._hunks = held(compare_trees._hunks)"
        terminal = without_patience(place, "diff", "before", "after", hold=hold)
        for number, bar in enumerate(["", "######", "#############"]):
            terminal.until(f"\r[{bar:.<20}] comparing {number} of 3 files\x1b[K")
            terminal.send("\n")
        assert terminal.end()[0] == 0

    def test_a_narrow_terminal_has_no_room_for_the_bar(self, place: Place) -> None:
        arguments = ("apply", "--no-diff", "../three.patch")
        terminal = without_patience(place, *arguments, hold=HOLD_THE_RENAMES, columns=20)
        for share in (33, 66, 100):
            terminal.until(f"\rpublishing {share} %\x1b[K")
            terminal.send("\n")
        assert terminal.end()[0] == 0


class TestLongHistory:
    def test_the_log_shows_how_many_commits_were_read(self, place: Place) -> None:
        for name in NAMES:
            place.suture("edit", name, "--old", "old", "--new", "new")
        terminal = without_patience(place, "log", hold="Workspace.log = held(Workspace.log)")
        for read in ("reading …", "reading 1 commit", "reading 2 commits", "reading 3 commits"):
            terminal.until(f"\r{read}\x1b[K")
            terminal.send("\n")
        status, said = terminal.end()
        assert status == 0
        assert len(said.rpartition("\r\x1b[K")[2].splitlines()) == 3

    @pytest.mark.parametrize("arguments", [["recover"], ["doctor"], ["undo"]], ids=lambda words: words[0])
    def test_other_commands_have_a_bar_too(self, place: Place, arguments: list[str]) -> None:
        place.suture("apply", "../three.patch")
        hold = "Workspace.recover, Workspace.log = held(Workspace.recover), held(Workspace.log)"
        terminal = without_patience(place, *arguments, hold=hold)
        terminal.until("\x1b[K")
        terminal.send("\n\n\n")
        assert terminal.end()[0] == 0


class TestNoBar:
    def test_where_it_takes_no_time(self, place: Place) -> None:
        status, said = without_patience(place, "apply", "--no-diff", "../three.patch", patience=3600).end()
        assert status == 0
        assert "\x1b[K" not in said

    def test_on_a_terminal_that_knows_no_bars(self, place: Place) -> None:
        place.environment["TERM"] = "dumb"
        hold = HOLD_THE_RENAMES.replace("= held(", "= (")
        status, said = without_patience(place, "apply", "--no-diff", "../three.patch", hold=hold).end()
        assert status == 0
        assert "\x1b" not in said
        assert "publishing" not in said

    def test_beside_a_document(self, place: Place) -> None:
        terminal = without_patience(place, "apply", "--json", "../three.patch", hold=HOLD_THE_RENAMES)
        terminal.send("\n\n\n")
        status, said = terminal.end()
        assert status == 0
        assert said.lstrip("\n").startswith("{\n")
        assert "\x1b" not in said

    def test_in_a_pipe(self, place: Place) -> None:
        code = PROGRAM.format(hold=HOLD_THE_RENAMES, patience=0)
        done = place.run("python", "-c", code, "apply", "../three.patch")
        assert (done.status, done.err) == (0, "")
        assert "\x1b" not in done.out


def test_files_are_counted_once_however_often_they_are_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("suture.cli.progress._can_draw", lambda: True)
    workspace = Workspace(MemoryFiles(dict.fromkeys(NAMES, "old\n")))
    with ProgressBar(Screen(), workspace, count_files(THREE)) as progress:
        workspace.plan(THREE)
        assert progress.bar() == "[####################] reading 3 of 3 files"
        workspace.apply(THREE)
        assert progress.bar() == "[####################] publishing 3 of 3 files"


def test_how_many_files_a_patch_is_about() -> None:
    assert (count_files(THREE), count_files(parse(THREE)), count_files("no patch")) == (3, 3, 0)
