"""`apply_patch` is a drop-in: one argument or standard input, the texts, the statuses; all of a patch or nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest
from tests.shared.programs import APP, BIN, Place, compare, patch, update

if TYPE_CHECKING:
    from pathlib import Path

ONE = patch(update("app.py", " def one():", "-    return 1", "+    return 11"))
CHANGED = APP.replace("return 1\n", "return 11\n")
#: The second operation fails.
HALF = patch("*** Add File: new.txt", "+new", update("app.py", "-nowhere", "+anywhere"))


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.mark.parametrize("program", ["apply_patch", "applypatch"])
def test_a_patch_is_its_one_argument(place: Place, program: str) -> None:
    assert place.run(program, ONE) == (0, "Success. Updated the following files:\nM app.py\n", "")
    assert place.files() == {"app.py": CHANGED}


def test_or_it_comes_on_standard_input(place: Place) -> None:
    assert place.run("apply_patch", stdin=ONE) == (0, "Success. Updated the following files:\nM app.py\n", "")
    assert place.files() == {"app.py": CHANGED}


def test_files_are_listed_by_groups_and_a_move_with_its_new_path(place: Place) -> None:
    place.write("old.txt", "old\n")
    place.write("gone.txt", "gone\n")
    text = patch(
        "*** Delete File: gone.txt",
        "*** Update File: old.txt\n*** Move to: sub/new.txt\n@@\n-old\n+new",
        update("app.py", "-    return 1", "+    return 11"),
        "*** Add File: added.txt\n+added",
    )
    done = place.run("apply_patch", text)
    listed = "A added.txt\nM sub/new.txt\nM app.py\nD gone.txt\n"
    assert done == (0, f"Success. Updated the following files:\n{listed}", "")
    assert place.files() == {"added.txt": "added\n", "app.py": CHANGED, "sub/new.txt": "new\n"}


def test_an_envelope_in_a_heredoc_is_taken(place: Place) -> None:
    assert place.run("apply_patch", f"<<'EOF'\n{ONE}EOF\n").status == 0
    assert place.files() == {"app.py": CHANGED}


def test_the_current_folder_is_the_workspace(place: Place) -> None:
    done = place.run("apply_patch", patch("*** Add File: ../outside.txt", "+x"))
    assert (done.status, done.out) == (1, "")
    assert "outside" in done.err
    assert not (place.root.parent / "outside.txt").exists()


def test_the_codex_dialect_takes_the_first_of_several_places(place: Place) -> None:
    place.write("same.txt", "a\na\n")
    assert place.run("apply_patch", patch(update("same.txt", "-a", "+b"))).status == 0
    assert place.files()["same.txt"] == "b\na\n"


def test_a_failure_is_told_for_a_model_and_changes_nothing(place: Place) -> None:
    done = place.run("apply_patch", HALF)
    assert (done.status, done.out) == (1, "")
    compare("apply-patch-refused", done.err)
    assert place.files() == {"app.py": APP}


def test_one_by_one_where_the_environment_asks_for_it(place: Place) -> None:
    done = place.run("apply_patch", HALF, environment={"SUTURE_ATOMIC": "0"})
    assert (done.status, done.out) == (1, "")
    compare("apply-patch-partly", done.err)
    assert place.files() == {"app.py": APP, "new.txt": "new\n"}


USAGE = "Usage: apply_patch 'PATCH'\n       echo 'PATCH' | apply_patch\n"


def test_nothing_at_all_is_wrong_usage(place: Place) -> None:
    assert place.run("apply_patch") == (2, "", USAGE)


def test_two_arguments_are_wrong_usage(place: Place) -> None:
    assert place.run("apply_patch", ONE, ONE) == (2, "", "Error: apply_patch accepts exactly one argument.\n")


def test_an_argument_that_is_no_text_is_refused(place: Place) -> None:
    assert place.run("apply_patch", b"\xff") == (1, "", "Error: apply_patch requires a UTF-8 PATCH argument.\n")


def test_an_input_that_is_no_text_is_refused(place: Place) -> None:
    said = "Error: Failed to read PATCH from stdin.\nIt is not UTF-8: byte 3 is 0xff.\n"
    assert place.run("apply_patch", stdin=b"ab\xff") == (1, "", said)


def test_a_folder_as_standard_input_is_told(place: Place) -> None:
    command = [BIN / "apply_patch"]
    folder = os.open(place.root, os.O_RDONLY)
    try:
        done = subprocess.run(command, stdin=folder, capture_output=True, env=place.environment, check=False, text=True)
    finally:
        os.close(folder)
    # The interpreter itself refuses it, before anything of ours is run.
    assert (done.returncode, done.stdout) == (1, "")
    assert "is a directory" in done.stderr


@pytest.mark.parametrize("text", ["", "no patch", "*** Begin Patch\n", "\0"])
def test_what_is_no_patch_is_told_without_a_traceback(place: Place, text: str) -> None:
    done = place.run("apply_patch", stdin=text)
    assert done.status in (1, 2)
    assert done.out == ""
    assert done.err
    assert "Traceback" not in done.err


def test_closed_streams_are_no_traceback(place: Place) -> None:
    shell = f"'{BIN}/apply_patch' <&- 2>err; echo $? >status; '{BIN}/apply_patch' \"$1\" >&- 2>>err; echo $? >>status"
    subprocess.run(["/bin/sh", "-c", shell, "sh", ONE], cwd=place.root, env=place.environment, check=True)
    assert place.files() == {"app.py": CHANGED, "err": USAGE, "status": "2\n0\n"}


def test_a_reader_that_has_gone_changes_nothing_of_what_was_done(place: Place) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command = [str(BIN / "apply_patch"), ONE]
    done = subprocess.run(
        command, cwd=place.root, env=place.environment, stdout=writing, stderr=subprocess.PIPE, check=False
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")
    assert place.files() == {"app.py": CHANGED}


def test_help_and_version(place: Place) -> None:
    assert place.run("apply_patch", "--help").out.startswith(USAGE)
    assert place.run("apply_patch", "--version").out.startswith("apply_patch (suture 0.1.0)")


def test_an_unknown_durability_is_wrong_usage(place: Place) -> None:
    done = place.run("apply_patch", ONE, environment={"SUTURE_DURABILITY": "none"})
    assert (done.status, done.out) == (2, "")
    assert place.files() == {"app.py": APP}


def interrupted(place: Place, *command: str, sign: Path) -> tuple[int, str]:
    """Run a program, interrupt it as soon as a sign of its work is there, and give how it ended."""
    with subprocess.Popen(
        [str(BIN / command[0]), *command[1:]], cwd=place.root, env=place.environment, stderr=subprocess.PIPE, text=True
    ) as process:
        before = sign.stat().st_mtime_ns
        limit = time.monotonic() + 30
        while sign.stat().st_mtime_ns == before and process.poll() is None and time.monotonic() < limit:
            time.sleep(0.0005)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
    return process.returncode, said


@pytest.mark.parametrize("program", [["apply_patch"], ["suture", "apply", "--no-diff"]], ids=lambda words: words[0])
def test_an_interrupt_in_the_middle_rolls_back(place: Place, tmp_path: Path, program: list[str]) -> None:
    """The first folder that changes shows that the commit has begun; then it is all or nothing."""
    place.environment["SUTURE_DURABILITY"] = "full"
    names = [f"d/{number:03}.txt" for number in range(150)]
    for name in names:
        place.write(name, "old\n")
    text = patch(*[update(name, "-old", "+new") for name in names])
    given = text
    if program[0] == "suture":
        (tmp_path / "p.patch").write_text(text)
        given = str(tmp_path / "p.patch")
    status, said = interrupted(place, *program, given, sign=place.root / "d")
    assert "Traceback" not in said
    found = {content for name, content in place.files().items() if name != "app.py"}
    if status == 130:
        assert said == "Interrupted. No file was changed.\n"
        assert found == {"old\n"}
    else:
        # It was too quick for us.
        assert (status, found) == (0, {"new\n"})


PIPES: dict[str, Any] = {"capture_output": True, "text": True}
#: Modules that an edit has no use for. What `site` brings in is not ours.
NEVER = {"argparse", "asyncio", "dataclasses", "difflib", "enum", "inspect", "json", "logging", "pathlib", "rapidfuzz"}
NEVER |= {"re", "socket", "subprocess", "tempfile", "traceback", "typing", "urllib"}
NEVER |= {"suture.agent.session", "suture.agent.configuration.settings", "suture.agent.configuration.find_settings"}
NEVER |= {"suture.cli.main", "suture.place.hunks", "suture.place.slow_update", "suture.place.replace"}


def test_nothing_is_loaded_that_an_edit_does_not_use(place: Place) -> None:
    """What the script of pip loads is not ours either; it depends on its version."""
    bare = "import sys; print(*sys.modules, file=sys.stderr)"
    code = (
        "import os, sys\nos._exit = lambda _: sys.exit(print(*sys.modules, file=sys.stderr))\n"
        "from suture.cli.apply_patch import main\nmain()"
    )
    used, there = (
        subprocess.run([sys.executable, "-c", program, ONE], cwd=place.root, env=place.environment, check=True, **PIPES)
        for program in (code, bare)
    )
    assert used.stdout == "Success. Updated the following files:\nM app.py\n"
    assert (set(used.stderr.split()) - set(there.stderr.split())) & NEVER == set()


def test_what_was_done_is_in_the_history_though_the_store_was_left_as_it_was(place: Place) -> None:
    """The program ends without closing its store, over and over; nothing is lost by that."""
    for number in range(1, 6):
        text = patch(update("app.py", f"-    return {number}", f"+    return {number + 10}"))
        place.write("app.py", f"    return {number}\n")
        assert place.run("apply_patch", text).status == 0
    assert ", 0.0 MB" not in place.suture("doctor").out, "the log is a part of the store"
    assert len(place.suture("log").out.splitlines()) >= 5
    assert place.suture("undo").status == 0
    assert place.files() == {"app.py": "    return 5\n"}


def test_it_can_be_run_as_a_module(place: Place) -> None:
    command = [sys.executable, "-m", "suture.cli.apply_patch", ONE]
    done = subprocess.run(command, cwd=place.root, env=place.environment, check=True, **PIPES)
    assert done.stdout == "Success. Updated the following files:\nM app.py\n"
    assert place.files() == {"app.py": CHANGED}


def test_a_python_without_the_native_parts_of_its_library_does_the_same(place: Place) -> None:
    code = "import sys\nsys.modules |= dict.fromkeys(['_hashlib', '_json'])\n"
    code += "from suture.cli.apply_patch import main\nmain()"
    done = subprocess.run([sys.executable, "-c", code, ONE], cwd=place.root, env=place.environment, check=True, **PIPES)
    assert done.stdout == "Success. Updated the following files:\nM app.py\n"
    assert "app.py +1 -1" in place.suture("log").out
    assert place.suture("undo").status == 0
    assert place.files() == {"app.py": APP}
