"""Language servers and files that somebody else changes on the disk."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.shared.fake_servers import PATIENT, Fake, run

from suture.agent.diagnostics import LanguageServers, client as client_module, watched_files as disk_module

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("nothing_is_left")


def test_a_file_that_somebody_else_writes_or_deletes_is_read_from_the_disk_again(tmp_path: Path) -> None:
    fake = Fake(tmp_path, "pull", "names", "curious")
    written, deleted = tmp_path / "written.txt", tmp_path / "deleted.txt"

    async def work(servers: LanguageServers) -> None:
        for file in (written, deleted):
            file.write_text("good\n")
            await servers.check(str(file), "", "good\n", timeout=PATIENT)
        written.write_text("somebody else\n")
        deleted.unlink()
        await servers.check(fake.path, "", "good\n", timeout=PATIENT)

    run(fake, work)
    closed = [line for line in fake.noted() if line.startswith("textDocument/didClose")]
    assert closed == ["textDocument/didClose written.txt", "textDocument/didClose deleted.txt"]
    assert watched(fake)[-1] == "deleted.txt:3 written.txt:2"


def watched(fake: Fake) -> list[str]:
    """What the server was told of files, with 1 for made, 2 for written and 3 for deleted."""
    method = "workspace/didChangeWatchedFiles "
    return [line.removeprefix(method) for line in fake.noted() if line.startswith(method)]


def test_a_server_that_watches_is_told_what_else_has_changed_on_the_disk(tmp_path: Path) -> None:
    """A file that was moved, or that a program made, can be imported by the next edit."""
    fake = Fake(tmp_path, "pull", "names", "curious")
    for name in ("moved.py", "written.py", "src/deleted.py", ".git/index", "node_modules/a.js"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("1\n")

    async def work(servers: LanguageServers) -> None:
        await servers.check(fake.path, "", "good\n", timeout=PATIENT)
        (tmp_path / "moved.py").rename(tmp_path / "src" / "here.py")
        (tmp_path / "written.py").write_text("12\n")
        (tmp_path / "src" / "deleted.py").unlink()
        (tmp_path / ".git" / "index").write_text("12\n")
        (tmp_path / "node_modules" / "b.js").write_text("1\n")
        await servers.check(fake.path, "good\n", "better\n", timeout=PATIENT)
        await servers.check(fake.path, "better\n", "best\n", timeout=PATIENT)

    run(fake, work)
    assert watched(fake) == ["deleted.py:3 here.py:1 moved.py:3 written.py:2"]


def test_what_was_known_of_a_file_is_asked_for_again_after_the_disk_has_changed(tmp_path: Path) -> None:
    fake = Fake(tmp_path, "pull", "curious")

    async def work(servers: LanguageServers) -> None:
        await servers.check(fake.path, "", "good\n", timeout=PATIENT)
        (tmp_path / "new.py").write_text("1\n")
        await servers.check(fake.path, "good\n", "better\n", timeout=PATIENT)

    run(fake, work)
    assert fake.noted().count("textDocument/diagnostic") == 4


def test_a_folder_with_too_many_files_is_not_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disk_module, "MOST_WATCHED_FILES", 3)
    fake = Fake(tmp_path, "pull", "names", "curious")

    async def work(servers: LanguageServers) -> None:
        for number in range(5):
            (tmp_path / f"{number}.py").write_text("1\n")
            await servers.check(fake.path, "", f"{number}\n", timeout=PATIENT)

    run(fake, work)
    assert not any("4.py" in line for line in watched(fake))


def test_only_so_many_documents_stay_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_module, "MOST_DOCUMENTS", 3)
    fake = Fake(tmp_path, "pull", "names")

    async def work(servers: LanguageServers) -> None:
        for number in range(6):
            await servers.check(str(tmp_path / f"{number}.txt"), None, "good\n", timeout=PATIENT)

    run(fake, work)
    closed = [line for line in fake.noted() if line.startswith("textDocument/didClose")]
    assert closed == ["textDocument/didClose 0.txt", "textDocument/didClose 1.txt"]
