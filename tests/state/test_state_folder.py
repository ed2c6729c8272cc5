"""Where the state lives: outside the workspace where that can be written, hidden inside where not."""

from __future__ import annotations

import hashlib
import os
import re
import stat
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from suture import PatchRejectedError
from suture.core.record import Entry
from suture.state.locks import Locks
from suture.state.state_folder import StateFolder, state_folder, state_folders_with_store
from suture.state.store import Store, leave_no_trace

if TYPE_CHECKING:
    from collections.abc import Callable

ENTRY = Entry("a1", 1.0, "me", "edit", "patch", ())


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "app"
    folder.mkdir()
    return folder


@pytest.fixture
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's state folder, which does not exist yet."""
    folder = tmp_path / "state"
    monkeypatch.setenv("SUTURE_STATE_DIR", str(folder))
    return folder


@pytest.fixture
def inside(root: Path, base: Path) -> StateFolder:
    """A state folder in the workspace, as there is a file where the user's own should be."""
    if sys.platform == "win32":
        pytest.skip("Windows has no state in a workspace")
    base.write_text("in the way")
    return state_folder(str(root))


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def tree(path: Path) -> list[str]:
    return sorted(str(found.relative_to(path)) for found in path.rglob("*"))


def code_of(call: Callable[[], object]) -> str:
    with pytest.raises(PatchRejectedError) as caught:
        call()
    (problem,) = caught.value.problems
    return problem.code


def record(folder: StateFolder) -> None:
    store = Store(folder.path, durability="process")
    store.begin(ENTRY)
    store.close()


class TestOutside:
    def test_each_workspace_has_a_folder_that_is_named_after_it(self, root: Path, base: Path) -> None:
        folder = state_folder(str(root))
        assert re.fullmatch(re.escape(f"{base}/") + "app-[0-9a-f]{16}", folder.path)
        assert folder == state_folder(str(root))
        assert tree(root) == []

    def test_without_extended_attributes_its_name_is_made_of_the_path(
        self, root: Path, base: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delattr(os, "setxattr", raising=False)
        digest = hashlib.sha256(os.fsencode(root.resolve())).hexdigest()[:16]
        assert state_folder(str(root)) == StateFolder(str(base / f"app-{digest}"), root=str(root.resolve()))

    def test_two_workspaces_of_one_name_have_two_folders(self, root: Path, base: Path) -> None:
        other = base.parent / "other" / "app"
        other.mkdir(parents=True)
        assert state_folder(str(root)) != state_folder(str(other))

    def test_a_workspace_is_the_same_by_whichever_link_it_is_reached(self, root: Path, base: Path) -> None:
        link = base.parent / "link"
        link.symlink_to(root)
        assert state_folder(str(link)) == state_folder(str(root))

    def test_the_caller_wins_over_the_variable_the_variable_over_xdg_and_xdg_over_the_home(
        self, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        home, xdg, own, given = (tmp_path / name for name in ("home", "xdg", "own", "given"))
        monkeypatch.setenv("HOME", str(home))
        found = [state_folder(str(root)).path]
        monkeypatch.setenv("XDG_STATE_HOME", str(xdg))
        found.append(state_folder(str(root)).path)
        monkeypatch.setenv("SUTURE_STATE_DIR", str(own))
        found.append(state_folder(str(root)).path)
        found.append(state_folder(str(root), str(given)).path)
        assert [Path(path).parent for path in found] == [home / ".local/state/suture", xdg / "suture", own, given]

    def test_a_relative_xdg_folder_is_ignored(
        self, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("HOME", str(tmp_path / "home"))
        monkeypatch.setenv("XDG_STATE_HOME", "relative")
        assert state_folder(str(root)).path.startswith(str(tmp_path / "home"))

    def test_a_tilde_is_the_home(self, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("HOME", str(tmp_path / "home"))
        assert state_folder(str(root), "~/mine").path.startswith(str(tmp_path / "home/mine"))

    def test_nobody_else_can_read_it(self, root: Path, base: Path) -> None:
        folder = base.parent / "deep" / "er"
        path = state_folder(str(root), str(folder)).path
        assert [mode(found) for found in (folder.parent, folder, folder / path)] == [0o700] * 3

    @pytest.mark.usefixtures("base")
    def test_a_folder_that_was_opened_to_others_is_closed_again(self, root: Path) -> None:
        folder = Path(state_folder(str(root)).path)
        folder.chmod(0o755)
        assert state_folder(str(root)).path == str(folder)
        assert mode(folder) == 0o700

    @pytest.mark.parametrize("name", ["a b/ä\n", "x" * 200, "-", "."])
    @pytest.mark.usefixtures("base")
    def test_any_name_of_a_workspace_makes_a_plain_name(self, tmp_path: Path, name: str) -> None:
        folder = Path(state_folder(str(tmp_path / name)).path).name
        assert folder.isascii()
        assert folder.isprintable()
        assert len(folder) <= 60

    @pytest.mark.usefixtures("base")
    def test_the_root_of_all_folders_has_a_name_too(self) -> None:
        assert Path(state_folder("/").path).name.startswith("root-")


class TestInside:
    def test_where_the_user_has_no_folder_it_is_hidden_in_the_workspace(self, root: Path, inside: StateFolder) -> None:
        assert (inside.path, inside.inside) == (str(root / ".suture"), True)
        assert mode(root / ".suture") == 0o700
        assert (root / ".suture/.gitignore").read_text() == "*\n"

    def test_a_second_use_finds_it_again(self, root: Path, inside: StateFolder) -> None:
        record(inside)
        assert state_folder(str(root)) == inside
        with closing(Store(inside.path)) as store:
            assert store.entry("a1") == ENTRY

    @pytest.mark.parametrize("given", ["/dev/null/state", "with\0nul"])
    def test_a_folder_that_cannot_be_is_not_written(self, root: Path, given: str) -> None:
        assert state_folder(str(root), given).inside

    @pytest.mark.usefixtures("base")
    def test_a_link_in_the_place_of_the_folder_is_not_followed(self, root: Path, tmp_path: Path) -> None:
        folder = Path(state_folder(str(root)).path)
        folder.rename(tmp_path / "elsewhere")
        folder.symlink_to(tmp_path / "elsewhere")
        assert state_folder(str(root)).inside

    @pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
    @pytest.mark.usefixtures("base")
    def test_a_folder_of_another_user_is_not_used(self, root: Path) -> None:
        os.chown(state_folder(str(root)).path, 12345, 12345)
        assert state_folder(str(root)).inside

    def test_what_came_with_a_clone_is_refused(self, root: Path, base: Path) -> None:
        base.write_text("in the way")
        (root / ".suture").mkdir(mode=0o755)
        (root / ".suture/store.db").write_text("a journal that somebody made up")
        assert code_of(lambda: state_folder(str(root))) == "io_error"
        assert tree(root) == [".suture", ".suture/store.db"]

    def test_a_link_is_refused_and_nothing_is_written_behind_it(self, root: Path, base: Path, tmp_path: Path) -> None:
        base.write_text("in the way")
        (tmp_path / "elsewhere").mkdir(mode=0o700)
        (root / ".suture").symlink_to(tmp_path / "elsewhere")
        assert code_of(lambda: state_folder(str(root))) == "io_error"
        assert tree(tmp_path / "elsewhere") == []

    def test_where_neither_can_be_made_both_are_named(self, root: Path, base: Path) -> None:
        base.write_text("in the way")
        (root / ".suture").write_text("in the way as well")
        with pytest.raises(PatchRejectedError) as caught:
            state_folder(str(root))
        answer = caught.value.for_model()
        assert str(base) in answer
        assert str(root / ".suture") in answer
        assert answer.endswith("No file was changed.")

    def test_a_workspace_that_is_gone_is_not_made_again(self, root: Path, base: Path) -> None:
        base.write_text("in the way")
        root.rmdir()
        assert code_of(lambda: state_folder(str(root))) == "io_error"
        assert not root.exists()


class TestKnown:
    def test_looking_makes_nothing(self, root: Path, base: Path) -> None:
        assert state_folders_with_store(str(root)) == ()
        assert not base.exists()
        assert tree(root) == []

    @pytest.mark.usefixtures("base")
    def test_a_folder_without_a_store_is_none(self, root: Path) -> None:
        state_folder(str(root))
        assert state_folders_with_store(str(root)) == ()

    def test_both_are_found(self, root: Path, base: Path, inside: StateFolder) -> None:
        record(inside)
        base.unlink()
        outside = state_folder(str(root))
        record(outside)
        assert state_folders_with_store(str(root)) == (outside, inside)

    def test_what_came_with_a_clone_is_passed_over(self, root: Path, inside: StateFolder) -> None:
        record(inside)
        Path(inside.path).chmod(0o755)
        assert state_folders_with_store(str(root)) == ()

    def test_what_cannot_be_written_is_passed_over(self, root: Path, inside: StateFolder) -> None:
        record(inside)
        locks = root / ".suture/locks"
        (locks / "use").unlink()
        (locks / "use").mkdir()
        assert state_folders_with_store(str(root)) == ()


class TestLeaveNoTrace:
    def test_a_hidden_folder_without_entries_goes(self, root: Path, inside: StateFolder) -> None:
        store = Store(inside.path, durability="process")
        store.begin(ENTRY)
        store.forget("a1")
        store.sessions.record_read("s", "/a", "0" * 64, "", 1.0)
        with Locks(inside.path).hold([f"/{number}" for number in range(200)], timeout=1, holder="me"):
            pass
        store.close()
        assert leave_no_trace(inside)
        assert tree(root) == []

    def test_one_that_was_never_used_goes_too(self, root: Path, inside: StateFolder) -> None:
        assert leave_no_trace(inside)
        assert tree(root) == []
        assert not leave_no_trace(inside)

    def test_one_with_an_entry_stays(self, inside: StateFolder) -> None:
        record(inside)
        assert not leave_no_trace(inside)
        store = Store(inside.path)
        assert [entry.id for entry in store.unfinished()] == ["a1"]
        store.close()

    def test_one_that_somebody_has_open_stays(self, inside: StateFolder) -> None:
        record(inside)
        store = Store(inside.path)
        store.forget("a1")
        assert not leave_no_trace(inside)
        store.close()
        assert leave_no_trace(inside)

    def test_one_in_which_somebody_holds_a_lock_stays(self, inside: StateFolder) -> None:
        with Locks(inside.path).hold(["/a"], timeout=1, holder="me"):
            assert not leave_no_trace(inside)
        assert leave_no_trace(inside)

    def test_one_whose_store_cannot_be_read_stays(self, root: Path, inside: StateFolder) -> None:
        (root / ".suture/store.db").write_text("not ours to throw away")
        assert not leave_no_trace(inside)
        assert (root / ".suture/store.db").read_text() == "not ours to throw away"

    def test_a_file_of_somebody_else_stays(self, root: Path, inside: StateFolder) -> None:
        (root / ".suture/notes").write_text("mine")
        assert not leave_no_trace(inside)
        assert tree(root) == [".suture", ".suture/notes"]

    @pytest.mark.usefixtures("base")
    def test_a_folder_outside_stays(self, root: Path) -> None:
        outside = state_folder(str(root))
        assert not leave_no_trace(outside)
        assert Path(outside.path).is_dir()

    def test_who_knew_the_folder_goes_on_when_it_is_gone(self, root: Path, inside: StateFolder) -> None:
        store, locks = Store(inside.path, durability="process"), Locks(inside.path)
        assert store.unfinished() == ()
        with locks.hold(["/a"], timeout=1, holder="me"):
            pass
        assert leave_no_trace(inside)
        with locks.hold(["/a"], timeout=1, holder="me"):
            store.begin(ENTRY)
        assert [entry.id for entry in store.unfinished()] == ["a1"]
        assert (root / ".suture/.gitignore").read_text() == "*\n"
        store.close()


def test_on_windows_the_hidden_directory_is_never_used(
    root: Path, inside: StateFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There, no mode tells a directory of ours from one that came with a clone."""
    record(inside)
    monkeypatch.setattr("suture.state.state_folder.WINDOWS", True)
    assert state_folders_with_store(str(root)) == ()
    assert code_of(lambda: state_folder(str(root))) == "io_error"
