"""The workspace is the project that the user is in, and paths are relative to where the user stands."""

from __future__ import annotations

import os
import subprocess
from argparse import Namespace
from typing import TYPE_CHECKING

import pytest
from tests.shared.programs import APP, BIN, Done, Place, patch, update

from suture import PatchInvalidError
from suture.cli.project_options import configuration
from suture.workspace.project import find_project

if TYPE_CHECKING:
    from pathlib import Path

ONE = patch(update("app.py", " def one():", "-    return 1", "+    return 11"))
CHANGED = APP.replace("return 1\n", "return 11\n")


class Project(Place):
    """A project with the files `app.py` and `src/lib/app.py`, and the user somewhere in it."""

    def __init__(self, base: Path) -> None:
        super().__init__(base)
        (self.root / ".git").mkdir()
        self.write("src/lib/app.py", APP)
        self.top = self.root

    def below(self, folder: str, *arguments: str, stdin: str = "", program: str = "suture") -> Done:
        """Run a program in a folder of the project."""
        self.root = self.top / folder
        try:
            return self.run(program, *arguments, stdin=stdin)
        finally:
            self.root = self.top


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def test_a_patch_is_applied_where_the_user_stands(project: Project) -> None:
    done = project.below("src/lib", "apply", stdin=ONE)
    assert (done.status, done.err) == (0, "")
    assert done.out.startswith("M src/lib/app.py +1 -1\n")
    assert project.files() == {"app.py": APP, "src/lib/app.py": CHANGED}


def test_one_history_for_the_whole_project(project: Project) -> None:
    project.below("src/lib", "apply", stdin=ONE)
    project.suture("edit", "app.py", "--old", "return 2", "--new", "return 22")
    logs = [project.below(folder, "log").out for folder in ("", "src", "src/lib")]
    assert len(logs[0].splitlines()) == 2
    assert logs[0] == logs[1] == logs[2]
    assert project.below("src", "log", "--path", "lib/app.py").out == logs[0].splitlines(keepends=True)[1]
    assert project.below("src", "undo").status == 0
    assert project.files() == {"app.py": APP, "src/lib/app.py": CHANGED}


def test_the_history_follows_a_moved_project_and_log_below_its_root_shows_it(project: Project) -> None:
    project.below("src/lib", "apply", stdin=ONE)
    before = project.below("src", "log").out
    project.root = project.top = project.root.rename(project.root.with_name("renamed"))
    assert project.below("src", "log").out == before != ""
    assert project.below("src", "undo").status == 0
    assert project.files() == {"app.py": APP, "src/lib/app.py": APP}


def test_paths_may_lead_up_but_not_out(project: Project) -> None:
    edit = ("--old", "return 1", "--new", "return 11")
    assert project.below("src/lib", "edit", "../../app.py", *edit).status == 0
    assert project.files()["app.py"] == CHANGED
    done = project.below("src/lib", "edit", "../../../app.py", *edit)
    assert (done.status, done.out) == (1, "")
    assert "outside the workspace" in done.err


def test_a_path_that_exists_from_the_root_is_hinted_at(project: Project) -> None:
    section = patch(update("src/lib/app.py", " def one():", "-    return 1", "+    return 11"))
    done = project.below("src", "apply", stdin=section)
    assert done.status == 1
    assert project.stable(done.err) == (
        "File src/src/lib/app.py not found.\n"
        "src/lib/app.py exists from the root of the project. To name files from there, use -C <root>.\n\n"
        "No file was changed.\n"
    )
    assert project.below("src", "-C", str(project.top), "apply", stdin=section).status == 0
    assert project.files()["src/lib/app.py"] == CHANGED


def test_dash_c_is_a_change_of_directory(project: Project) -> None:
    project.write("src/one.patch", ONE)
    assert project.suture("-C", "src", "-C", "lib", "apply", "../one.patch").status == 0
    assert project.files()["src/lib/app.py"] == CHANGED
    done = project.suture("-C", "nowhere", "log")
    assert (done.status, done.out) == (2, "")
    # Windows has other words for the reason.
    assert done.err.startswith("suture log: cannot change to nowhere: ")
    assert done.err.endswith("\nTry: suture log --help\n")


def test_root_is_the_workspace_whatever_is_above(project: Project) -> None:
    """Paths start at the root, as they do for a patch that names files from there."""
    assert project.suture("--root", "src/lib", "apply", stdin=ONE).out.startswith("M app.py +1 -1\n")
    assert project.files()["src/lib/app.py"] == CHANGED
    assert project.suture("log").err == "No commits yet.\n"
    assert project.below("src", "--root", "..", "apply", stdin=ONE).status == 0
    assert project.files()["app.py"] == CHANGED


def test_apply_patch_shares_the_history_and_names_paths_as_they_were_sent(project: Project) -> None:
    up = patch("*** Add File: ../new.py", "+x = 1", "*** Update File: app.py", "@@", "-    return 1", "+    return 11")
    done = project.below("src/lib", stdin=up, program="apply_patch")
    assert done == (0, "Success. Updated the following files:\nA ../new.py\nM app.py\n", "")
    assert project.files() == {"app.py": APP, "src/lib/app.py": CHANGED, "src/new.py": "x = 1\n"}
    assert len(project.suture("log").out.splitlines()) == 1


def test_explanations_and_checks_work_below_the_root(project: Project) -> None:
    wrong = patch(update("app.py", " def one():", "-    return 7", "+    return 11"))
    done = project.below("src/lib", "explain", stdin=wrong)
    assert "Nearest place (1 of 2 lines agree):" in done.out
    done = project.below("src/lib", "explain", stdin=ONE)
    assert "hunk 1 (patch line 3): lines 1-2" in done.out
    assert project.below("src/lib", "check", stdin=ONE).status == 0


def test_a_configuration_file_marks_a_project_and_the_nearest_one_wins(project: Project) -> None:
    project.write("src/.suture.toml", "")
    assert project.below("src/lib", "apply", stdin=ONE).out.startswith("M lib/app.py +1 -1\n")
    assert project.suture("log").err == "No commits yet.\n"


def test_a_folder_without_a_project_is_its_own(tmp_path: Path) -> None:
    (tmp_path / "a/b").mkdir(parents=True)
    assert find_project(str(tmp_path / "a/b")) == (str(tmp_path / "a/b"), "")


def test_the_home_directory_is_not_the_project_of_everything_below(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(tmp_path))
    (tmp_path / ".git").mkdir()
    (tmp_path / "notes").mkdir()
    assert find_project(str(tmp_path / "notes")) == (str(tmp_path / "notes"), "")
    assert find_project(str(tmp_path)) == (str(tmp_path), "")


def test_nothing_above_the_home_directory_is_its_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    (tmp_path / ".git").mkdir()
    assert find_project(str(tmp_path / "home")) == (str(tmp_path / "home"), "")
    assert find_project(str(tmp_path)) == (str(tmp_path), "")


def test_a_marker_of_another_user_does_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "a").mkdir()
    assert find_project(str(tmp_path / "a")) == (str(tmp_path), "a")
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    assert find_project(str(tmp_path / "a")) == (str(tmp_path / "a"), "")


@pytest.mark.parametrize("program", ["suture", "apply_patch"])
def test_a_directory_that_is_gone(project: Project, program: str) -> None:
    gone = project.write("gone/x", "").parent
    command = f"{BIN / program} {'apply' if program == 'suture' else ''}"
    script = f'cd gone && rm -r "{gone}" && exec {command}'
    env = project.environment
    done = subprocess.run(
        ["sh", "-c", script], cwd=project.root, env=env, input=ONE, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "The current directory no longer exists." in done.stderr


def test_a_person_can_allow_what_is_denied_by_default(project: Project) -> None:
    project.write(".env", "A=1\n")
    edit = ("edit", ".env", "--old", "A=1", "--new", "A=2")
    done = project.suture(*edit)
    assert done.status == 1
    assert "To allow it, use --allow '.env'." in done.err
    assert project.suture(*edit, "--allow", ".env").status == 0
    assert project.suture("undo").status == 1
    assert project.suture("undo", "--allow", ".env").status == 0
    secret = patch(update(".env", "-A=1", "+A=3"))
    done = project.run("apply_patch", stdin=secret)
    assert "SUTURE_ALLOW: '.env'" in done.err
    allowed = {"SUTURE_ALLOW": "other:**/.env"}
    assert project.run("apply_patch", stdin=secret, environment=allowed).status == 0
    assert project.files()[".env"] == "A=3\n"


def test_settings_that_are_wrong_are_named_even_after_the_history_has_left_them_out(project: Project) -> None:
    project.write(".suture.toml", "unknown = 1\n")
    options = Namespace(root=str(project.root))
    assert configuration(options, for_history=True).files == ()
    with pytest.raises(PatchInvalidError):
        configuration(options)
