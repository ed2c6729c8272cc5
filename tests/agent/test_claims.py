"""Claims: a session keeps out of files that another living one has read and not finished with."""

from __future__ import annotations

import errno
import os
import re
import subprocess
import sys
from time import time
from typing import TYPE_CHECKING

import pytest
from tests.shared.agents import ALLOW, APP, code, edit

from suture import PatchRejectedError, SyncSession, Workspace
from suture.agent import claims_check
from suture.agent.claims_check import live_claims
from suture.state import claims, system_locks

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

READ = ("read", {"filePath": "src/app.py"})


@pytest.fixture
def place(tmp_path: Path) -> Workspace:
    (tmp_path / "root" / "src").mkdir(parents=True)
    (tmp_path / "root" / "src" / "app.py").write_text(APP)
    return Workspace(tmp_path / "root", state_dir=tmp_path / "state", durability="process")


@pytest.fixture
def claude(place: Workspace) -> Iterator[SyncSession]:
    with SyncSession(place, id="one", rules=ALLOW, actor="claude", claims=600) as session:
        yield session


@pytest.fixture
def other(place: Workspace) -> Iterator[SyncSession]:
    with SyncSession(place, id="two", rules=ALLOW, actor="bob", claims=600) as session:
        session.read("src/app.py")
        session.release("src/app.py")
        yield session


def test_a_session_keeps_out_of_what_another_has_read(claude: SyncSession, other: SyncSession) -> None:
    claude.read("src/app.py")
    result = other.call(*edit())
    assert code(result) == "locked"
    assert re.search(r"claude read src/app.py \d+ s ago and may be working on it. This session keeps", result.output)
    assert not claude.call(*edit()).is_error, "its own claims do not matter"


def test_a_session_without_claims_is_only_told(place: Workspace, claude: SyncSession) -> None:
    claude.read("src/app.py")
    with SyncSession(place, rules=ALLOW) as session:
        session.read("src/app.py")
        result = session.call(*edit())
    assert not result.is_error
    assert re.search(r"claude read src/app.py \d+ s ago and may be", result.output)


def test_a_claim_ends_with_its_release_and_begins_with_the_next_read(claude: SyncSession, other: SyncSession) -> None:
    claude.read("src/app.py")
    claude.release("src/app.py")
    assert not other.call(*edit()).is_error
    claude.read("src/app.py")
    assert code(other.call(*edit("'Bye '", "'x '"))) == "locked"


def test_a_claim_ends_with_the_session(place: Workspace, other: SyncSession) -> None:
    with SyncSession(place, id="one", rules=ALLOW, actor="claude", claims=600) as session:
        session.read("src/app.py")
        assert [one.actor for one in live_claims(place) if one.session == "one"] == ["claude"]
    assert not other.call(*edit()).is_error


def test_a_claim_ends_with_its_time(claude: SyncSession, other: SyncSession, monkeypatch: pytest.MonkeyPatch) -> None:
    claude.read("src/app.py")
    now = time()
    monkeypatch.setattr(claims_check, "time", lambda: now + 601)
    assert not other.call(*edit()).is_error


#: Reads a file with claims, says so, and waits until it is killed.
CHILD = """
import sys
from suture import PatchRejectedError, SyncSession, Workspace
place = Workspace(sys.argv[1], state_dir=sys.argv[2], durability="process")
session = SyncSession(place, rules=[("edit", "*", "allow")], actor="claude", claims=600)
session.read("src/app.py")
print("ready", flush=True)
sys.stdin.read()
"""


def test_a_dead_process_claims_nothing(place: Workspace, other: SyncSession, tmp_path: Path) -> None:
    command = [sys.executable, "-c", CHILD, str(tmp_path / "root"), str(tmp_path / "state")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        assert code(other.call(*edit())) == "locked"
        child.kill()
        child.wait()
    assert not other.call(*edit()).is_error
    assert [one.session for one in live_claims(place)] == ["two"], "it has edited the file just now"


def claimed_by(place: Workspace, session: str) -> list[str]:
    return [one.path.rpartition("/")[2] for one in live_claims(place) if one.session == session]


def test_a_session_that_has_finished_with_very_many_files_still_claims(
    place: Workspace, claude: SyncSession, tmp_path: Path
) -> None:
    claude.read("src/app.py")
    claude.release("src/app.py")
    assert claimed_by(place, "one") == []
    (tmp_path / "root" / "other.py").write_text("x\n")
    claude.read("other.py")
    claude.release(*[f"{'ä' * 60}/{number}/{'ö' * 60}" for number in range(3000)])
    (file,) = (tmp_path / "state").rglob("claims/*")
    assert file.stat().st_size <= 1_000_000
    assert "other.py" in claimed_by(place, "one")


def test_that_a_claim_is_just_being_written_does_not_end_it(
    place: Workspace, claude: SyncSession, tmp_path: Path
) -> None:
    claude.read("src/app.py")
    claude.release("elsewhere.py")
    (file,) = (tmp_path / "state").rglob("claims/*")
    content = file.read_bytes()
    for size in range(content.index(b"\n"), len(content) + 1):
        file.write_bytes(content[:size])
        assert claimed_by(place, "one") == ["app.py"]


def test_a_session_that_others_look_at_before_it_has_locked_its_file_claims_all_the_same(
    place: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[list[claims.Claimant]] = []
    lock = system_locks.lock

    def look_first(descriptor: int, how: int) -> None:
        if how == system_locks.EXCLUSIVE and len(looks) < 2:
            looks.append([])
            looks[-1] += claims.claimants(place.state)
        lock(descriptor, how)

    monkeypatch.setattr(claims, "lock", look_first)
    with SyncSession(place, id="one", rules=ALLOW, claims=600) as session:
        session.read("src/app.py")
        assert claimed_by(place, "one") == ["app.py"]
    # Windows removes no file that is open, so the first one is not lost.
    assert len(looks) == (1 if sys.platform == "win32" else 2)


class FailingSystem:
    """The module `os` with a function that fails for files of claims."""

    def __init__(self, name: str, number: int) -> None:
        self._failing, self._number = name, number

    def __getattr__(self, name: str) -> object:
        return self._fail if name == self._failing else getattr(os, name)

    def _fail(self, *_: object) -> None:
        raise OSError(self._number, os.strerror(self._number))


@pytest.mark.parametrize("name", ["listdir", "open", "fstat"])
@pytest.mark.parametrize("number", [errno.EMFILE, errno.EIO])
def test_a_session_that_can_not_be_looked_at_holds_others_up(
    claude: SyncSession, other: SyncSession, name: str, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    claude.read("src/app.py")
    monkeypatch.setattr(claims, "os", FailingSystem(name, number))
    assert code(other.call(*edit())) == "io_error"


@pytest.mark.parametrize(("name", "number"), [("open", errno.EMFILE), ("write", errno.ENOSPC), ("lseek", errno.EIO)])
def test_a_claim_that_can_not_be_written_is_a_problem(
    place: Workspace, claude: SyncSession, name: str, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    claude.read("src/app.py")
    monkeypatch.setattr(claims, "os", FailingSystem(name, number))
    with pytest.raises(PatchRejectedError, match="could not be completed"):
        SyncSession(place, claims=600)
    if name != "open":
        with pytest.raises(PatchRejectedError, match="could not be completed"):
            claude.release("src/app.py")
    monkeypatch.undo()
    assert [one.session for one in live_claims(place)] == ["one"]


def test_what_a_session_finished_with_long_ago_is_not_kept(
    claude: SyncSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = time()
    for minute in range(100):
        monkeypatch.setattr("suture.state.claims.time", lambda at=now + minute * 60: at)
        claude.release(f"{minute}.py")
    (file,) = (tmp_path / "state").rglob("claims/*")
    assert file.read_bytes().count(b".py") == 10


def test_a_session_whose_name_has_no_room_can_not_claim(place: Workspace) -> None:
    with pytest.raises(ValueError, match="the id and the actor of a session"):
        SyncSession(place, actor="x" * 1_000_000, claims=600)
