"""`suture apply --base`: a patch that is older than the tree, merged with what has changed since."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest
from tests.shared.programs import Place

from suture import Workspace, parse
from suture.cli.arguments import UsageError
from suture.cli.base_texts import base_texts
from suture.replay import git_history, transcript_limits
from suture.replay.git_history import GitHistory

if TYPE_CHECKING:
    from pathlib import Path

BASE = "import os\n\n\ndef f():\n    return 1\n\n\ndef g():\n    return 2\n"
CURRENT = BASE.replace("import os\n", "import os\nimport sys\n").replace("def f():", "def f(x):")
RESULT = CURRENT.replace("return 2", "return 3")
#: Its context has a line that the file no longer has.
DIFF = (
    "--- a/a.py\n+++ b/a.py\n@@ -4,6 +4,6 @@\n def f():\n     return 1\n \n \n def g():\n-    return 2\n+    return 3\n"
)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """A repository with a commit, in which a file has changed since."""
    place = Place(tmp_path)
    place.write("a.py", BASE)
    for command in ("init -q", "add a.py", "-c user.name=a -c user.email=a@b commit -q -m one"):
        subprocess.run(["git", *command.split()], cwd=place.root, check=True)
    place.write("a.py", CURRENT)
    return place


def test_without_a_base_the_patch_does_not_fit(place: Place) -> None:
    assert place.suture("apply", stdin=DIFF).status == 1


def test_a_patch_is_merged_on_a_revision_of_git(place: Place) -> None:
    done = place.suture("apply", "--base", "HEAD", stdin=DIFF)
    assert (done.status, done.err) == (0, "")
    assert "merged with a later change of the file; lines of the file 2, 5, of the edit 10" in done.out
    assert place.files()["a.py"] == RESULT


def test_a_patch_is_merged_on_a_file(place: Place) -> None:
    place.write("base.py", BASE)
    assert place.suture("apply", "--base", "base.py", stdin=DIFF).status == 0
    assert place.files()["a.py"] == RESULT


def test_nothing_that_the_repository_configures_is_run(place: Place) -> None:
    evil = place.write("evil.sh", "#!/bin/sh\ntouch pwned\n")
    evil.chmod(0o755)
    git = ["git", "-C", str(place.root)]
    blob = subprocess.run([*git, "rev-parse", "HEAD:a.py"], check=True, capture_output=True, text=True).stdout.strip()
    (place.root / ".git/objects" / blob[:2] / blob[2:]).unlink()
    settings = {
        "core.repositoryformatversion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.url": str(place.root),
        "remote.origin.promisor": "true",
        "remote.origin.uploadpack": str(evil),
        "core.fsmonitor": str(evil),
    }
    for name, value in settings.items():
        subprocess.run([*git, "config", name, value], check=True)
    place.suture("apply", "--base", "HEAD", stdin=DIFF)
    assert not list(place.root.rglob("pwned"))


@pytest.mark.parametrize("settings", ["remote.origin.url", "remote.origin.vcs"])
def test_a_git_that_fetches_of_itself_runs_no_command_of_the_repository(
    place: Place, settings: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before 2.39.4, git knows no `GIT_NO_LAZY_FETCH`. For a protocol, it runs a command of that name."""
    kept = git_history._environment()
    (protocol,) = (value for name, value in kept.items() if name == "GIT_ALLOW_PROTOCOL")
    test_nothing_that_the_repository_configures_is_run(place)
    value = f"{protocol}::x" if settings.endswith("url") else protocol
    names = [settings, f"alias.remote-{protocol}", f"alias.remote.{protocol}"]
    for name, setting in zip(names, (value, "!touch pwned", "!touch pwned"), strict=True):
        subprocess.run(["git", "-C", str(place.root), "config", name, setting], capture_output=True, check=False)
    evil = place.write(f"git-remote-{protocol}", "#!/bin/sh\ntouch pwned\n")
    evil.chmod(0o755)
    old = {name: value for name, value in kept.items() if name != "GIT_NO_LAZY_FETCH"}
    monkeypatch.setattr(git_history, "_environment", lambda: old)
    with GitHistory(str(place.root)) as history:
        assert history.content_at("HEAD", "a.py") is None
    assert not list(place.root.rglob("pwned"))


def test_a_git_of_the_repository_is_not_run(place: Place) -> None:
    """On Windows, a program is looked for in the directory that one is in; elsewhere if the PATH says so."""
    place.write("git", "#!/bin/sh\ntouch pwned\n").chmod(0o755)
    place.environment["PATH"] = f".{os.pathsep}{place.environment['PATH']}"
    assert place.suture("apply", "--base", "HEAD", stdin=DIFF).status == 0
    assert not (place.root / "pwned").exists()


def test_an_object_that_is_a_pipe_costs_the_limit_of_time_and_is_not_taken_for_absent(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An unpacked archive can have such a repository; git waits for the pipe."""
    named = subprocess.run(
        ["git", "rev-parse", "HEAD:a.py"], cwd=place.root, check=True, capture_output=True, text=True
    )
    blob = place.root / ".git/objects" / named.stdout[:2] / named.stdout.strip()[2:]
    blob.unlink()
    os.mkfifo(blob)
    monkeypatch.setattr(transcript_limits, "GIT_SECONDS_FOR_A_BASE", 0.5)
    with Workspace(place.root) as workspace, pytest.raises(UsageError, match="git does not end"):
        base_texts("HEAD", parse(DIFF), workspace)


def test_a_file_with_the_name_of_a_revision_is_not_taken_for_it(place: Place) -> None:
    subprocess.run(["git", "branch", "old"], cwd=place.root, check=True)
    place.write("old", BASE)
    done = place.suture("apply", "--base", "old", stdin=DIFF)
    assert (done.status, "for the file, write ./old" in done.err) == (2, True)
    assert place.suture("apply", "--base", "./old", stdin=DIFF).status == 0


def test_a_dry_run_shows_the_merged_change_and_writes_nothing(place: Place) -> None:
    done = place.suture("apply", "--base", "HEAD", "--dry-run", stdin=DIFF)
    assert (done.status, place.files()["a.py"]) == (0, CURRENT)
    assert "+    return 3" in done.out or "M a.py +1 -1" in done.out


def test_a_conflict_shows_all_three_texts_and_writes_nothing(place: Place) -> None:
    later = CURRENT.replace("return 2", "return 4")
    place.write("a.py", later)
    done = place.suture("apply", "--base", "HEAD", stdin=DIFF)
    assert (done.status, place.files()["a.py"]) == (1, later)
    for line in ("    return 2", "    return 4", "    return 3", "No file was changed."):
        assert line in done.err


def test_a_patch_that_the_file_has_already_is_told_so(place: Place) -> None:
    place.write("a.py", RESULT)
    done = place.suture("apply", "--base", "HEAD", stdin=DIFF)
    assert (done.status, place.files()["a.py"]) == (1, RESULT)
    assert "already has what the edit does" in done.err


@pytest.mark.parametrize("base", ["", "no-such-revision", "-x", "HEAD:a.py"])
def test_what_is_neither_a_file_nor_a_revision_is_a_usage_error(place: Place, base: str) -> None:
    done = place.suture("apply", f"--base={base}", stdin=DIFF)
    assert (done.status, place.files()["a.py"]) == (2, CURRENT)


def test_a_file_that_the_revision_does_not_have_is_edited_as_it_is(place: Place) -> None:
    place.write("new.py", "x = 1\n")
    added = "--- a/new.py\n+++ b/new.py\n@@ -1 +1 @@\n-x = 1\n+x = 2\n"
    assert place.suture("apply", "--base", "HEAD", stdin=DIFF + added).status == 0
    assert (place.files()["a.py"], place.files()["new.py"]) == (RESULT, "x = 2\n")


def test_the_log_lists_what_was_merged_and_who_did_it(place: Place) -> None:
    place.write("b.py", "x = 1\n")
    edit = ("edit", "b.py", "--old", "x = 1", "--new", "x = 2")
    assert place.suture(*edit, "--actor", "claude").status == 0
    assert place.suture("apply", "--base", "HEAD", stdin=DIFF).status == 0
    assert "a.py" in place.suture("log").out
    merged, by = place.suture("log", "--rebased").out, place.suture("log", "--by", "claude").out
    assert ("a.py" in merged, "b.py" in merged) == (True, False)
    assert ("a.py" in by, "b.py" in by) == (False, True)
    assert place.suture("log", "--by", "nobody").err == "No matching commits.\n"
