"""What is kept of isolated sessions. If a process is killed, each call and the merge is done or not, never twice."""

from __future__ import annotations

import subprocess
import sys
from errno import EIO
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.shared.agents import ALLOW, APP, code

from suture import SyncSession, Workspace
from suture.state.overlay_store import OverlayStore
from suture.workspace import isolation
from suture.workspace.files.memory import MemoryFiles
from suture.workspace.isolation import isolated_sessions

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

HELLO = APP.replace("'Hi '", "'Hello '")
BOTH = HELLO.replace("'Bye '", "'See you '")


@pytest.fixture
def place(tmp_path: Path) -> Workspace:
    (tmp_path / "root" / "src").mkdir(parents=True)
    (tmp_path / "root" / "src" / "app.py").write_text(APP)
    return Workspace(tmp_path / "root", state_dir=tmp_path / "state", durability="process")


@pytest.fixture
def session(place: Workspace) -> Iterator[SyncSession]:
    with SyncSession(place, id="one", rules=ALLOW, isolated=True, profile="all", actor="claude") as session:
        yield session


def change(session: SyncSession, path: str, old: str, new: str) -> None:
    session.read(path)
    session.edit(path, old, new)


def app(place: Workspace) -> str:
    return place.read("src/app.py").content.decode()


def tree(root: str) -> dict[str, str]:
    return {str(path.relative_to(root)): path.read_text() for path in Path(root).rglob("*") if path.is_file()}


#: Edits in isolation, merges if it is told to, and kills itself at the operation with a number.
CHILD = """
import os, sys
from suture import SyncSession, Workspace
root, state, act, at = sys.argv[1:5]
place = Workspace(root, state_dir=state, durability="process")
session = SyncSession(place, id="one", rules=[("edit", "*", "allow")], isolated=True, actor="claude")
count = 0
def watch(name, path):
    global count
    count += 1
    if count == int(at):
        os.kill(os.getpid(), 9)
isolated = session.session.isolation
if act == "edit":
    session.read("src/app.py")
    isolated.files.watch = watch
    session.edit("src/app.py", "'Hi '", "'Hello '")
    session.move("src/app.py", "lib/app.py")
    session.write("b.txt", "b\\n")
else:
    place.files.watch = watch
    session.merge()
print("done")
"""


def run_child(tmp_path: Path, act: str, at: int) -> bool:
    """Run the child; whether it came to its end."""
    command = [sys.executable, "-c", CHILD, str(tmp_path / "root"), str(tmp_path / "state"), act, str(at)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode in (0, -9), done.stderr
    return done.returncode == 0


def kills(at: tuple[int, ...], rarely: tuple[int, ...]) -> list[Any]:
    """The operations at which a process is killed."""
    return [*at, *[pytest.param(one, marks=pytest.mark.long) for one in rarely]]


class TestKilled:
    @pytest.mark.parametrize("at", kills(at=(8, 55), rarely=(1, 3, 5, 13, 21, 34, 89)))
    def test_a_process_that_is_killed_leaves_each_call_done_or_not(
        self, place: Workspace, tmp_path: Path, at: int
    ) -> None:
        is_whole = run_child(tmp_path, "edit", at)
        assert tree(place.root) == {"src/app.py": APP}
        with SyncSession(place, id="one", rules=ALLOW, isolated=True, profile="all") as session:
            session.session.workspace.recover()
            names = session.glob("**/*").output.splitlines()
            states = {
                ("src/app.py",): {APP, HELLO},
                ("lib/app.py",): {HELLO},
                ("b.txt", "lib/app.py"): {HELLO},
            }
            assert tuple(sorted(names)) in states
            path = next(name for name in names if name.endswith("app.py"))
            assert session.session.workspace.read(path).text in states[tuple(sorted(names))]
            assert not is_whole or len(names) == 2
            session.merge()
        assert set(tree(place.root)) == set(names)

    @pytest.mark.parametrize("at", kills(at=(30, 45), rarely=(1, 10, 20, 25, 35, 40, 50, 60, 80)))
    def test_a_merge_that_is_killed_is_done_or_not_and_is_never_done_twice(
        self, place: Workspace, tmp_path: Path, at: int
    ) -> None:
        assert run_child(tmp_path, "edit", 10_000)
        run_child(tmp_path, "merge", at)
        assert set(tree(place.root)) in ({"src/app.py"}, {"lib/app.py", "b.txt"}) or place.recover()
        with SyncSession(place, id="one", rules=ALLOW, isolated=True) as session:
            session.merge()
        assert tree(place.root) == {"lib/app.py": HELLO, "b.txt": "b\n"}
        assert [receipt.tool for receipt in place.log()] == ["merge"]


class TestKept:
    def test_what_others_took_back_after_a_merge_that_was_cut_short_is_not_done_again(
        self, place: Workspace, session: SyncSession, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        change(session, "src/app.py", "'Hi '", "'Hello '")
        isolated = session.session.isolation
        assert isolated is not None
        # The process dies after the commit, before it has forgotten what was merged.
        monkeypatch.setattr(isolated.store, "end_merge", lambda **_: None)
        session.merge()
        monkeypatch.undo()
        place.undo(place.log()[0])
        assert session.merge().output.startswith("There is nothing to merge")
        assert app(place) == APP

    def test_the_merge_of_another_session_is_not_taken_for_one_that_was_cut_short(
        self, place: Workspace, session: SyncSession, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        # Both sessions have changed the same file by the same number of steps.
        with SyncSession(place, id="other", rules=ALLOW, isolated=True) as other:
            change(other, "src/app.py", "'Bye '", "'See you '")
            other.merge()
        change(session, "src/app.py", "'Hi '", "'Hello '")

        def die(*_: object, **__: object) -> None:
            raise OSError(EIO, "the process ends before the commit")

        monkeypatch.setattr(place, "commit", die)
        assert session.call("merge", {}).is_error
        monkeypatch.undo()
        assert session.merge().output.startswith("Merged.")
        assert app(place) == BOTH

    def test_a_session_with_the_same_id_goes_on(self, place: Workspace) -> None:
        with SyncSession(place, id="one", rules=ALLOW, isolated=True) as session:
            change(session, "src/app.py", "'Hi '", "'Hello '")
        with SyncSession(place, id="two", rules=ALLOW, isolated=True) as session:
            assert "Hi" in session.read("src/app.py").output
        with SyncSession(place, id="one", rules=ALLOW, isolated=True) as session:
            # It also knows what it has read.
            session.edit("src/app.py", "'Bye '", "'See you '")
            session.merge()
        assert app(place) == BOTH

    def test_a_session_without_changes_leaves_nothing_behind(self, place: Workspace, tmp_path: Path) -> None:
        with SyncSession(place, id="one", rules=ALLOW, isolated=True) as session:
            session.read("src/app.py")
        assert list((tmp_path / "state").rglob("isolated/*")) == []

    def test_it_works_in_memory(self) -> None:
        files = MemoryFiles({"src/app.py": APP})
        with SyncSession(Workspace(files), rules=ALLOW, isolated=True) as session:
            change(session, "src/app.py", "'Hi '", "'Hello '")
            assert files.texts() == {"src/app.py": APP}
            session.merge()
        assert files.texts() == {"src/app.py": HELLO}

    def test_what_files_were_counts_unpacked(
        self, place: Workspace, session: SyncSession, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Files that are packed well filled the memory: with each edit and each merge, all of them were unpacked."""
        monkeypatch.setattr(isolation, "MOST_ISOLATED_BYTES", 10_000)
        for name in ("a.txt", "b.txt"):
            place.commit(place.plan_write(name, "xyz\n" * 1500))
            session.read(name)
        assert not session.call("delete", {"filePath": "a.txt"}).is_error
        assert code(session.call("delete", {"filePath": "b.txt"})) == "file_too_large"
        # From here on, nothing can be unpacked.
        monkeypatch.setattr("suture.state.overlay_store.decompress", None)
        assert not session.call("write", {"filePath": "c.txt", "content": "c\n"}).is_error


def test_what_another_process_writes_while_a_session_ends_is_not_lost(
    place: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two processes can go on with one session, by its id. One ends without changes while the other makes its first."""
    other = Workspace(tmp_path / "root", state_dir=tmp_path / "state", durability="process")
    settings: Any = {"id": "one", "rules": ALLOW, "isolated": True, "reads": {"write": "off"}}
    with SyncSession(other, **settings) as going_on:
        ending = SyncSession(place, **settings)
        close = OverlayStore.close

        def write_first(store: OverlayStore) -> None:
            monkeypatch.undo()
            close(store)
            assert not going_on.call("write", {"filePath": "new.txt", "content": "x\n"}).is_error

        monkeypatch.setattr(OverlayStore, "close", write_first)
        ending.close()
        assert [one.session for one in isolated_sessions(other)] == ["one"]
        assert going_on.read("new.txt").output
    with SyncSession(other, **settings) as session:
        session.discard()
    assert not list((tmp_path / "state").rglob("isolated/*"))
