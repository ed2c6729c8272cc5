"""`suture replay` as a program: the whole way, as users go it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from jsonschema import Draft202012Validator
from tests.cli.test_cli_json import REGISTRY, SCHEMAS
from tests.shared import transcripts as made
from tests.shared.programs import Place

from suture.replay.rebuild import read_edits
from suture.replay.sources import Source

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def place(tmp_path: Path) -> Place:
    place = Place(tmp_path)
    project = tmp_path / "home" / ".claude" / "projects" / "p"
    project.mkdir(parents=True)
    (project / "1.jsonl").write_bytes(made.claude_code())
    return place


def test_it_finds_transcripts_and_reports(place: Place) -> None:
    before = place.files()
    done = place.suture("replay", "-j", "1", "--html", "page.html", "--export", "cases.jsonl")
    assert (done.status, done.err) == (0, "2 cases written to cases.jsonl.\n")
    assert "claude-code, 1 transcripts" in done.out
    assert "Rejected by the agent's tool, placed by Suture (1):" in done.out
    assert "claude-code: a-new-kind (1)" in done.out
    assert place.files().keys() - before.keys() == {"page.html", "cases.jsonl"}
    assert done.out.count("\n") < 30
    again = place.suture("replay", "-j", "1", "--html", "page.html")
    assert (again.status, "page.html exists" in again.err) == (1, True)


def test_its_document_is_as_its_schema_says(place: Place) -> None:
    check = Draft202012Validator(SCHEMAS["replay.json"], registry=REGISTRY)
    done = place.suture("replay", "-j", "1", "--json")
    document = json.loads(done.out)
    check.validate(document)
    assert document["total"]["placed"] == 1
    assert document["unknown_records"] == {"claude-code: a-new-kind": 1}
    shown = json.loads(place.suture("replay", "-j", "1", "--json", "--show", document["entries"][0]["id"][:6]).out)
    check.validate(shown)
    assert shown["edits"][0] == document["entries"][0] | {"edit": made.block(*made.BAD)}


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_a_path_is_relative_to_the_repository_that_the_file_is_in(place: Place, tmp_path: Path) -> None:
    (tmp_path / "repository" / ".git").mkdir(parents=True)
    (tmp_path / "repository" / "src").mkdir()
    transcript = tmp_path / "home" / ".claude" / "projects" / "p" / "1.jsonl"
    transcript.write_bytes(made.claude_code(str(tmp_path / "repository" / "src" / "a.py")))
    done = place.suture("replay", "-j", "1")
    assert "  claude-code  src/a.py" in done.out
    assert str(tmp_path / "repository") not in done.out


def test_one_edit_is_shown_with_both_answers(place: Place) -> None:
    _, edit = read_edits(Source(place.root.parent / "home" / ".claude"))
    done = place.suture("replay", "-j", "1", "--show", edit.id)
    assert done.status == 0
    for told in (
        "String to replace not found",
        "<<<<<<< SEARCH",
        "+    return 3 * x",
        "rejected: not found",
        "placed",
    ):
        assert told in done.out


def test_an_id_that_no_edit_has_is_an_error(tmp_path: Path) -> None:
    done = Place(tmp_path).suture("replay", "--show", "beef")
    assert (done.status, "No edit has an ID that starts with beef" in done.err) == (1, True)


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_without_transcripts_it_says_so(tmp_path: Path) -> None:
    place = Place(tmp_path)
    done = place.suture("replay")
    assert (done.status, done.out) == (0, "No place with transcripts was found.\n")
    (tmp_path / "work" / ".git").mkdir()
    assert "unknown: git: fatal: not a git repository" in place.suture("replay").out
    assert place.suture("replay", ".").out.startswith("No transcripts in ..\n")


@pytest.mark.parametrize("wrong", [["--redact", "--export", "x"], ["--redact", "--show", "x"], ["-j", "0"]])
def test_wrong_usage_is_told(place: Place, wrong: list[str]) -> None:
    assert place.suture("replay", *wrong).status == 2


def test_a_killed_run_leaves_no_half_export(place: Place) -> None:
    """Killed while cases are being written: the file is not there, and the next run makes it."""
    script = (
        "import os, signal, sys\n"
        "from suture.replay import case_export\n"
        "flush = case_export.CaseExport._flush\n"
        "case_export.CaseExport._flush = lambda self: (flush(self), os.kill(os.getpid(), signal.SIGKILL))\n"
        "from suture.cli.main import main\n"
        "if __name__ == '__main__':\n"
        "    sys.argv = ['suture', 'replay', '-j', '1', '--export', 'cases.jsonl']\n"
        "    main()\n"
    )
    place.write("run.py", script)
    killed = subprocess.run(
        [sys.executable, "run.py"], cwd=place.root, env=place.environment, capture_output=True, check=False
    )
    assert killed.returncode == -signal.SIGKILL
    assert not (place.root / "cases.jsonl").exists()
    assert place.suture("replay", "-j", "1", "--export", "cases.jsonl").status == 0
    assert len((place.root / "cases.jsonl").read_text().splitlines()) == 2


def test_hostile_names_and_contents_do_not_reach_the_terminal(place: Place) -> None:
    home = place.environment["HOME"]
    path = f"{home}/.claude/projects/p/1.jsonl"
    os.rename(path, path.replace("1.jsonl", "\x1b[31m.jsonl"))  # noqa: PTH104 - a name that no Path should make
    done = place.suture("replay", "-j", "1", f"{home}/.claude/projects/p/\x1b[31m.jsonl")
    assert done.status == 0
    assert "\x1b" not in done.out + done.err
