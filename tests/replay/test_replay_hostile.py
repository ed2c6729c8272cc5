"""`suture replay` on hostile transcripts and repositories: nothing is started, ends the run, or leaks."""

from __future__ import annotations

import errno
import os
import re
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest
from tests.shared import transcripts as made
from tests.shared.programs import Place

from suture.core.problems import PatchInvalidError
from suture.replay import transcript_limits
from suture.replay.case_export import CaseExport
from suture.replay.git_history import GitHistory, Histories
from suture.replay.outcomes import ReplayedEdit
from suture.replay.readers.aider import Aider
from suture.replay.rebuild import Rebuilder, read_edits
from suture.replay.recording import FileChange, RecordedCall, TranscriptFile, Turn
from suture.replay.replay_report import ReplayReport
from suture.replay.sources import Source, read_source


class TestRepositories:
    """What a repository says is data."""

    def test_no_program_of_a_repository_is_started(self, tmp_path: Path) -> None:
        """A monitor, pagers, hooks, filters, and a remote from which an absent object would be fetched."""
        repository, trap = tmp_path / "repository", tmp_path / "trap"
        made.repository(repository, made.BEFORE, made.AFTER)
        (repository / ".gitattributes").write_text("* diff=t filter=t\n")
        blob = made.git(repository, "rev-parse", "HEAD:a.py")
        (repository / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
        trap.write_text(f"#!/bin/sh\necho >> '{tmp_path}/started'\n")
        trap.chmod(0o755)
        programs = ("core.fsmonitor", "core.pager", "pager.rev-list", "pager.diff-tree", "pager.cat-file",
                    "diff.external", "diff.t.textconv", "filter.t.smudge", "filter.t.process", "gpg.program",
                    "core.sshCommand", "core.alternateRefsCommand", "remote.o.uploadpack")  # fmt: skip
        settings = {
            **dict.fromkeys(programs, str(trap)),
            "core.hooksPath": str(tmp_path),
            "core.repositoryformatversion": "1",
            "extensions.partialClone": "o",
            "remote.o.promisor": "true",
            "remote.o.url": f"ext::{trap}",
            "protocol.allow": "always",
            "log.showSignature": "true",
        }
        with (repository / ".git" / "config").open("a") as file:
            for name, value in settings.items():
                section, _, key = name.rpartition(".")
                top, _, sub = section.partition(".")
                file.write(f'[{top} "{sub}"]\n' if sub else f"[{top}]\n")
                file.write(f'\t{key} = "{value}"\n')
        before = sorted(repository.rglob("*"))
        with GitHistory(str(repository)) as history:
            list(history.documents())
            assert list(history.versions("a.py", 0)) == [made.BEFORE]
        assert not (tmp_path / "started").exists()
        assert sorted(repository.rglob("*")) == before

    def test_names_of_branches_and_files_are_never_options_or_marks(self, tmp_path: Path) -> None:
        made.repository(tmp_path, made.BEFORE, name="a\x01b")
        made.repository(tmp_path, made.AFTER, name="HEAD")
        made.git(tmp_path, "branch", "x\u2028--entire/checkpoints")
        with GitHistory(str(tmp_path)) as history:
            assert list(history.documents()) == []
            assert list(history.versions("a\x01b", 0)) == [made.BEFORE]
            assert list(history.versions("HEAD", 0)) == [made.AFTER]
            assert history.failure == ""

    def test_a_repository_without_a_checked_out_branch_has_its_files(self, tmp_path: Path) -> None:
        made.repository(tmp_path, made.BEFORE)
        made.git(tmp_path, "symbolic-ref", "HEAD", "refs/heads/unborn")
        with GitHistory(str(tmp_path)) as history:
            assert list(history.versions("a.py", 0)) == [made.BEFORE]
            assert history.failure == ""

    def test_branches_above_the_limit_are_counted(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(transcript_limits, "MOST_BRANCHES", 1)
        made.repository(tmp_path, made.BEFORE)
        for name in ("1", "2", "3"):
            made.git(tmp_path, "branch", f"entire/checkpoints/{name}")
        [reading] = read_source(Source(tmp_path, is_repository=True))
        assert reading.readers[0].recording.unknown == {"too many branches": 2}

    def test_a_repository_that_makes_git_wait_costs_its_limit(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(transcript_limits, "GIT_SECONDS", 0.2)
        made.repository(tmp_path, made.BEFORE)
        (tmp_path / ".git" / "config").unlink()
        os.mkfifo(tmp_path / ".git" / "config")
        with GitHistory(str(tmp_path)) as history:
            assert history.file_at("HEAD", "a.py") is None
            assert list(history.documents()) == list(history.versions("a.py", 0)) == []
            assert history.failure == "git does not end"

    def test_an_object_that_is_a_pipe_costs_the_limit_of_time(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(transcript_limits, "GIT_SECONDS", 0.5)
        made.repository(tmp_path, made.BEFORE)
        blob = _git_input(tmp_path, "", "rev-parse", "HEAD:a.py")
        place = tmp_path / ".git" / "objects" / blob[:2] / blob[2:]
        place.unlink()
        os.mkfifo(place)
        with GitHistory(str(tmp_path)) as history:
            assert history.file_at("HEAD", "a.py") is None
            assert history.failure == "git does not end"

    @pytest.mark.parametrize("branch", ["entire/checkpoints/v1", "bomb"])
    def test_a_tree_that_holds_another_one_many_times_costs_a_limited_amount(
        self, branch: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(transcript_limits, "MOST_LISTED_BYTES", 100_000)
        monkeypatch.setattr(transcript_limits, "GIT_MEMORY", 1 << 25)
        made.repository(tmp_path, made.BEFORE)
        _plant_tree_bomb(tmp_path, branch)
        with GitHistory(str(tmp_path)) as history:
            assert list(history.documents()) == []
            assert re.search("git lists too much|out of memory", history.failure, re.IGNORECASE)
            assert sum(map(len, history._known_versions())) <= transcript_limits.MOST_LISTED_BYTES

    def test_only_the_newest_commits_are_searched(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(transcript_limits, "MOST_HISTORY_COMMITS", 1)
        made.repository(tmp_path, made.BEFORE, made.AFTER, made.LAST)
        with GitHistory(str(tmp_path)) as history:
            assert set(history.versions("a.py", 0)) == {made.AFTER, made.LAST}

    def test_the_versions_that_are_kept_have_a_limit(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(transcript_limits, "MOST_VERSIONS_BYTES", len(made.BEFORE) + 1)
        made.repository(tmp_path, made.BEFORE, made.AFTER, made.LAST)
        with GitHistory(str(tmp_path)) as history:
            for _ in range(2):
                assert set(history.versions("a.py", 0)) == {made.BEFORE, made.AFTER, made.LAST}
                assert len(history._texts) == 1


def _plant_tree_bomb(repository: Path, branch: str) -> None:
    """Add a branch with a tree of 8 objects that stands for ten million files."""
    blob = _git_input(repository, "x", "hash-object", "-w", "--stdin")
    tree = _git_input(repository, f"100644 blob {blob}\tf\n", "mktree")
    for _ in range(7):
        tree = _git_input(repository, "".join([f"040000 tree {tree}\td{n}\n" for n in range(10)]), "mktree")
    commit = _git_input(repository, "m", "-c", "user.name=a", "-c", "user.email=a@b", "commit-tree", tree)
    made.git(repository, "update-ref", f"refs/heads/{branch}", commit)


def _git_input(repository: Path, given: str, *arguments: str) -> str:
    command = ["git", "-C", str(repository), *arguments]
    return subprocess.run(command, input=given, capture_output=True, check=True, text=True).stdout.strip()


class TestTranscripts:
    """What a transcript says is data."""

    def test_a_long_answer_to_a_patch_of_many_files_is_read_once(self) -> None:
        changes = tuple(FileChange(f"/{number}.py", "envelope", "x") for number in range(300))
        call = RecordedCall("1", "patch", changes=changes, accepted=False, answer="not found in file" + "y" * (1 << 23))
        edits = list(Rebuilder("x", "", [call], Histories()).edits(set()))
        assert {(edit.verdict, edit.reason) for edit in edits} == {("rejected", "not found")}

    @pytest.mark.parametrize("path", ["/" + "a/" * 5000 + "x", "/" + "a" * 300 + "/x", "/proc/1/root/../x", "/\0/x"])
    def test_a_path_that_nobody_can_look_at_does_not_end_the_run(self, tmp_path: Path, path: str) -> None:
        (tmp_path / "1.jsonl").write_bytes(made.claude_code(path, recorded=False))
        assert [edit.path for edit in read_edits(Source(tmp_path))] == [path, path]

    @pytest.mark.parametrize(
        ("told", "tokens"), [("1.2.3", 2), ("9" * 400, 999_999_999_999), (".,", None), ("1,234", 1234), ("1.5k", 1500)]
    )
    def test_any_number_of_tokens_is_read(self, told: str, tokens: int | None) -> None:
        reader = Aider()
        reader.read(TranscriptFile("x", f"#### x\n\nyes\n\n> Tokens: 1k sent, {told} received.\n".encode()))
        [timeline] = [items for _, items in reader.recording.timelines()]
        counted = [item.tokens for item in timeline if isinstance(item, Turn) and not item.is_prompt]
        assert counted == ([] if tokens is None else [tokens])

    def test_a_text_of_a_database_that_is_no_utf8_costs_that_text(self, tmp_path: Path) -> None:
        path = tmp_path / "opencode.db"
        made.opencode_database(path)
        count = len(list(read_edits(Source(tmp_path))))
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("INSERT INTO message (id, session_id, data) VALUES ('0', 's', CAST(X'FF' AS TEXT))")
            connection.commit()
        assert len(list(read_edits(Source(tmp_path)))) == count > 0

    @pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="the test needs a file that no one can read")
    def test_a_file_that_cannot_be_read_is_counted(self, tmp_path: Path) -> None:
        (tmp_path / "1.jsonl").write_bytes(made.claude_code())
        (tmp_path / "2.jsonl").symlink_to("/proc/self/mem")
        (tmp_path / "3.jsonl").symlink_to("3.jsonl")
        os.mkfifo(tmp_path / "4.jsonl")
        (tmp_path / "5.jsonl").mkdir()
        readings = list(read_source(Source(tmp_path)))
        assert [reader.agent for reading in readings for reader in reading.readers] == ["claude-code", ""]
        assert readings[-1].readers[0].recording.unknown == {f"a file: {os.strerror(errno.EIO)}": 1}


class TestReports:
    """What is written, and what a redacted report tells."""

    @pytest.mark.parametrize("option", ["--html", "--export"])
    def test_a_link_is_never_replaced(self, tmp_path: Path, option: str) -> None:
        place = Place(tmp_path)
        (place.root / "link").symlink_to("nowhere")
        done = place.suture("replay", option, "link")
        assert (done.status, "link exists" in done.err) == (1, True)
        assert (place.root / "link").is_symlink()
        done = place.suture("replay", option, "no/file")
        assert (done.status, "no/file can't be written: there is no such directory" in done.err) == (1, True)
        assert not (place.root / "no").exists()

    def test_a_file_that_came_in_the_meantime_is_kept(self, tmp_path: Path) -> None:
        target = tmp_path / "cases.jsonl"
        with pytest.raises(PatchInvalidError, match="exists"), CaseExport(str(target)):
            target.write_text("mine")
        assert [(path, path.read_text()) for path in tmp_path.iterdir()] == [(target, "mine")]

    def test_texts_without_valid_unicode_are_cases_of_a_table(self, tmp_path: Path) -> None:
        pytest.importorskip("pyarrow")
        (tmp_path / "1.jsonl").write_bytes(made.claude_code("/\ud800.py"))
        with CaseExport(str(tmp_path / "cases.parquet")) as export:
            for edit in read_edits(Source(tmp_path)):
                export.add(edit)
        assert (tmp_path / "cases.parquet").stat().st_size

    def test_a_redacted_report_names_no_path_and_no_record(self, tmp_path: Path) -> None:
        place = Place(tmp_path)
        records = made.claude_code("/home/.env-secret").replace(b"a-new-kind", b"secret kind")
        place.write("secret/1.jsonl", records + made.lines({"type": "secret/2"}))
        (place.root / "secret" / ".git").write_text("gitdir: /secret")
        for options in (("--json",), ("--html", "page.html")):
            done = place.suture("replay", "-j", "1", "--redact", *options, "secret")
            assert done.status == 0
            assert "secret" not in done.out + done.err
        assert "secret" not in (place.root / "page.html").read_text()
        assert "secret" not in place.suture("replay", "--redact", "secret/.git").out

    @pytest.mark.parametrize(
        ("path", "shown"),
        [
            ("/a.b/x.py", "….py"),
            ("C:\\a.b\\x", "…"),
            (".env", "…"),
            ("a.my secret", "…"),
            ("a.secretname", "…"),
            ("", "…"),
        ],
    )
    def test_a_redacted_path_is_its_ending(self, tmp_path: Path, path: str, shown: str) -> None:
        (tmp_path / "1.jsonl").write_bytes(made.claude_code(path))
        edit = next(read_edits(Source(tmp_path)))
        assert ReplayReport(redact=True).entry(ReplayedEdit(edit, "placed"))["path"] == shown
