"""`suture log`, `show`, `undo`, `recover` and `doctor`: what was done, taken back, repaired, looked at."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from typing import TYPE_CHECKING

import pytest
from tests.shared.programs import APP, BIN, Place, compare, patch, update

from suture import Workspace
from suture.cli.inputs import commits

if TYPE_CHECKING:
    from pathlib import Path

ONE = patch(update("app.py", " def one():", "-    return 1", "+    return 11"))
TWO = patch(update("app.py", " def two():", "-    return 2", "+    return 22"))
CHANGED = APP.replace("return 1\n", "return 11\n")


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def ids(place: Place) -> list[str]:
    return [line.split()[0] for line in place.suture("log").out.splitlines()]


def test_an_empty_history(place: Place) -> None:
    assert place.suture("log") == (0, "", "No commits yet.\n")
    assert place.suture("undo").err == "Nothing to undo.\n\nNo file was changed.\n"
    assert place.suture("recover") == (0, "Nothing to repair.\n", "")


def test_the_log_and_a_commit(place: Place) -> None:
    place.suture("apply", "--actor", "me", stdin=ONE)
    place.suture("edit", "app.py", "--old", "return 2", "--new", "return 22")
    compare("log", place.stable(place.suture("log").out))
    assert len(place.suture("log", "-n", "1").out.splitlines()) == 1
    assert place.suture("log", "--path", "other.py").out == ""
    newest, oldest = ids(place)
    assert place.suture("log", "--before", newest).out.startswith(oldest)
    done = place.suture("show", oldest[:6])
    assert done.status == 0
    compare("show", place.stable(done.out))


def test_without_an_id_the_last_commit_is_shown(place: Place) -> None:
    assert place.suture("show") == (
        1,
        "",
        "There is no commit to show: nothing has been changed here yet.\n\nNo file was changed.\n",
    )
    place.suture("apply", stdin=ONE)
    place.suture("edit", "app.py", "--old", "return 2", "--new", "return 22")
    assert place.suture("show").out == place.suture("show", ids(place)[0]).out


def test_the_log_in_short_lines_and_with_diffs(place: Place) -> None:
    place.suture("apply", "--actor", "me", stdin=ONE)
    place.suture("undo")
    newest, oldest = ids(place)
    assert place.suture("log", "--oneline").out == (
        f"{newest} app.py +1 -1 (undoes {oldest})\n{oldest} app.py +1 -1 (undone by {newest})\n"
    )
    done = place.suture("log", "-p")
    assert done.out == place.suture("show", newest).out + "\n" + place.suture("show", oldest).out


def test_a_commit_that_is_not_there(place: Place) -> None:
    place.suture("apply", stdin=ONE)
    for command in ("show", "undo"):
        done = place.suture(command, "beef")
        assert (done.status, done.out) == (1, "")
        assert done.err.startswith("There is no commit beef in the history.\n")


def test_an_empty_id_is_not_the_last_commit(place: Place) -> None:
    """A script whose variable is not set must not take back whatever was done last."""
    place.suture("apply", stdin=ONE)
    for arguments in (["undo", ""], ["show", ""], ["log", "--before", ""]):
        done = place.suture(*arguments)
        assert (done.status, done.out) == (2, "")
        assert "expected a commit ID; found an empty one" in done.err
    assert place.files() == {"app.py": CHANGED}


def test_the_log_takes_any_number(place: Place) -> None:
    place.suture("apply", stdin=ONE)
    for limit in ("1", "0" * 50 + "1", "9" * 50, "9" * 5000):
        assert len(place.suture("log", "-n", limit).out.splitlines()) == 1
    for limit in ("0", "-1", "1.5", "٣", ""):
        assert place.suture("log", f"--limit={limit}").status == 2


def test_a_commit_is_one_line_of_the_log_whatever_names_it_has(place: Place) -> None:
    place.write("../one.patch", ONE)
    place.write("../more.patch", patch(update("app.py", "-    return 11", "+    return 111")))
    place.suture("apply", "--actor", "me\nbeef  forged", "../one.patch", "../more.patch")
    (line,) = place.suture("log").out.splitlines()
    assert line.endswith("  suture apply by me⟨U+000A⟩beef  forged  app.py +2 -2")
    assert "actor:     me⟨U+000A⟩beef  forged\n" in place.suture("show", line[:6]).out


def test_the_history_is_read_in_pages(place: Place) -> None:
    """Nothing is left out or told twice where one page ends and another begins."""
    for number in range(7):
        place.suture("edit", f"{number}.txt", "--old", "", "--new", "x\n")
    code = "from suture.cli import inputs, main\ninputs.FIRST_PAGE = 1\ninputs.LARGEST_PAGE = 2\nmain.main()"
    for limit in (1, 3, 6, 7, 9):
        done = place.run("python", "-c", code, "log", "-n", str(limit))
        assert [line.split()[-3] for line in done.out.splitlines()] == [f"{n}.txt" for n in range(6, -1, -1)][:limit]
    for number in range(6, -1, -1):
        assert place.run("python", "-c", code, "undo").out.startswith(f"D {number}.txt")


def test_a_history_that_is_pruned_while_it_is_read_ends_there(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    with Workspace(tmp_path / "work", state_dir=tmp_path / "state", durability="process") as workspace:
        for number in range(70):
            workspace.write("a.txt", f"{number}\n")
        read = commits(workspace)
        for _ in range(64):
            next(read)
        workspace.prune(keep_seconds=-1)
        assert list(read) == []


def test_undo_goes_back_in_time(place: Place) -> None:
    place.suture("apply", stdin=ONE)
    place.suture("apply", stdin=TWO)
    assert place.suture("undo").status == 0
    assert place.files() == {"app.py": CHANGED}
    assert place.suture("undo").status == 0
    assert place.files() == {"app.py": APP}
    assert place.suture("undo").status == 1


def test_an_undo_can_be_undone(place: Place) -> None:
    place.suture("apply", stdin=ONE)
    place.suture("undo")
    assert place.suture("undo", ids(place)[0]).status == 0
    assert place.files() == {"app.py": CHANGED}


def test_an_older_commit_needs_a_merge(place: Place) -> None:
    place.suture("apply", stdin=ONE)
    place.suture("apply", stdin=TWO)
    first = ids(place)[1]
    assert place.suture("undo", first).status == 1
    assert place.suture("undo", first, "--merge").status == 0
    assert place.files() == {"app.py": APP.replace("return 2\n", "return 22\n")}


def test_what_a_killed_process_has_left_is_repaired(place: Place) -> None:
    """The process kills itself before the second of two files gets its name."""
    place.write("other.py", APP)
    text = patch(
        update("app.py", "-    return 1", "+    return 11"), update("other.py", "-    return 1", "+    return 11")
    )
    code = """
import os, signal, sys
from suture import Workspace
workspace = Workspace(".")
seen = []
def watch(step, path):
    if step == "rename":
        seen.append(path)
        if len(seen) == 2:
            os.kill(os.getpid(), signal.SIGKILL)
workspace.files.watch = watch
workspace.apply(sys.argv[1])
"""
    command = [str(BIN / "python"), "-c", code, text]
    killed = subprocess.run(command, cwd=place.root, env=place.environment, check=False)
    assert killed.returncode == -signal.SIGKILL
    done = place.suture("recover")
    assert done.status == 0
    compare("recover", place.stable(done.out))
    assert place.files() == {"app.py": APP, "other.py": APP}


def test_the_doctor(place: Place) -> None:
    place.write("../rules.toml", '[[rule]]\npermission = "edit"\nglob = "**"\naction = "allow"\n')
    place.suture("apply", stdin=ONE)
    done = place.suture("doctor", "--permissions", "../rules.toml")
    assert (done.status, done.err) == (0, "")
    found = {line[6:22].strip(): line[:5].strip() for line in done.out.splitlines()}
    assert found.keys() >= {"suture", "workspace", "state directory", "history", "permissions"}
    assert re.match(r"ok    suture           \S+ \(pure Python\), Python 3", done.out)
    assert "1 commit," in done.out
    assert done.out.endswith("permissions: everything is in order.\n")
    assert "1 rule" in done.out


def test_the_doctor_says_what_is_wrong(place: Place) -> None:
    place.write("../rules.toml", "[[rule]]\n")
    done = place.suture("doctor", "--permissions", "../rules.toml")
    assert done.status == 1
    assert "WRONG permissions" in done.out
    missing = place.suture("doctor", "--permissions", "none").out
    assert "WRONG permissions      File none not found.\nChecked suture, configuration, workspace, " in missing
    assert missing.endswith("permissions: 1 problem found.\n")
    nowhere = place.suture("--root", "nowhere", "doctor")
    assert nowhere.status == 1
    assert "WRONG workspace        The workspace nowhere does not exist.\n" in nowhere.out


def test_the_doctor_sees_a_store_of_which_only_the_log_is_left(place: Place) -> None:
    """As the next commit does, which is refused."""
    assert place.run("apply_patch", ONE).status == 0
    (store,) = (place.root.parent / "state").glob("*/store.db")
    store.unlink()
    place.write("app.py", APP)
    assert "it is missing, but its log exists" in place.run("apply_patch", ONE).err
    done = place.suture("doctor")
    assert done.status == 1
    assert f"WRONG state directory  {store} is missing, but its log exists" in done.out


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everything")
def test_the_doctor_sees_a_state_folder_that_cant_be_made(place: Place) -> None:
    place.root.parent.chmod(0o555)
    try:
        assert "note  state directory" in place.suture("doctor").out
    finally:
        place.root.parent.chmod(0o755)
