"""The history of a workspace follows its directory: moved, copied, replaced by another, moved by a killed process."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from suture import PatchRejectedError, Workspace
from suture.state.state_folder import ID_ATTRIBUTE, places, state_folder
from suture.state.store import Store


def _has_attributes(folder: Path) -> bool:
    with suppress(OSError, AttributeError):
        os.setxattr(folder, ID_ATTRIBUTE, b"try")
        os.removexattr(folder, ID_ATTRIBUTE)
        return True
    return False


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    if not _has_attributes(folder):
        pytest.skip("the file system has no extended attributes")
    monkeypatch.setenv("SUTURE_STATE_DIR", str(tmp_path / "state"))
    (folder / "src").mkdir()
    (folder / "src/a.py").write_text("x = 1\n")
    return folder


def edit(root: Path, old: str = "x = 1", new: str = "x = 2") -> str:
    with Workspace(root) as workspace:
        return workspace.edit("src/a.py", old, new).id


def log(root: Path) -> list[str]:
    with Workspace(root) as workspace:
        return [receipt.id for receipt in workspace.log()]


def undo(root: Path, commit: str) -> str:
    with Workspace(root) as workspace:
        workspace.undo(commit)
    return (root / "src/a.py").read_text()


def test_a_moved_workspace_keeps_its_history_and_can_undo(root: Path, tmp_path: Path) -> None:
    commit = edit(root)
    (tmp_path / "deep/er").mkdir(parents=True)
    moved = root.rename(tmp_path / "deep/er/renamed")
    assert log(moved) == [commit]
    with Workspace(moved) as workspace:
        assert [one.id for one in workspace.log(path="src/a.py")] == [commit]
    assert undo(moved, commit) == "x = 1\n"
    assert not root.exists()


def test_everything_that_a_commit_did_can_be_undone_after_a_move(root: Path, tmp_path: Path) -> None:
    (root / "b.txt").write_text("b\n")
    (root / "c.txt").write_text("c\n")
    patch = (
        "*** Begin Patch\n*** Add File: new/deep/n.txt\n+n\n*** Delete File: b.txt\n"
        "*** Update File: c.txt\n*** Move to: moved/c.txt\n@@\n-c\n+C\n*** End Patch\n"
    )
    with Workspace(root) as workspace:
        commit = workspace.apply(patch)
    moved = root.rename(tmp_path / "elsewhere")
    with Workspace(moved) as workspace:
        (trash,) = [file.trash for file in workspace.show(commit.id).files if file.trash]
        workspace.undo(commit.id)
    assert (moved / "b.txt").read_text() == "b\n"
    assert (moved / "c.txt").read_text() == "c\n"
    assert sorted(path.name for path in moved.iterdir()) == ["b.txt", "c.txt", "src"]
    assert Path(trash).read_text() == "b\n"


def test_a_workspace_can_be_moved_to_and_fro(root: Path, tmp_path: Path) -> None:
    first = edit(root)
    moved = root.rename(tmp_path / "b")
    second = edit(moved, "x = 2", "x = 3")
    moved.rename(root)
    assert log(root) == [second, first]
    assert undo(root, second) == "x = 2\n"
    assert undo(root, first) == "x = 1\n"


def test_a_directory_that_takes_the_place_of_a_moved_one_has_a_history_of_its_own(root: Path, tmp_path: Path) -> None:
    commit = edit(root)
    moved = root.rename(tmp_path / "old")
    (root / "src").mkdir(parents=True)
    (root / "src/a.py").write_text("x = 1\n")
    assert log(root) == []
    other = edit(root)
    assert log(root) == [other]
    assert log(moved) == [commit]
    assert undo(moved, commit) == "x = 1\n"
    assert (root / "src/a.py").read_text() == "x = 2\n"


@pytest.mark.parametrize("attributes", [True, False])
def test_a_copy_does_not_take_the_history_of_the_original(root: Path, tmp_path: Path, attributes: bool) -> None:
    commit = edit(root)
    copy = tmp_path / "copy"
    shutil.copytree(root, copy)
    if attributes:
        os.setxattr(copy, ID_ATTRIBUTE, os.getxattr(root, ID_ATTRIBUTE))
    else:
        with suppress(OSError):
            os.removexattr(copy, ID_ATTRIBUTE)
    assert log(copy) == []
    own = edit(copy, "x = 2", "x = 3")
    assert log(copy) == [own]
    assert log(root) == [commit]
    assert undo(root, commit) == "x = 1\n"
    assert (copy / "src/a.py").read_text() == "x = 3\n"
    assert os.getxattr(copy, ID_ATTRIBUTE) != os.getxattr(root, ID_ATTRIBUTE)


def test_a_history_inside_the_workspace_is_moved_with_it(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUTURE_STATE_DIR", "/dev/null/none")
    with Workspace(root) as workspace:
        commit = workspace.delete("src/a.py")
    assert commit.state_inside
    moved = root.rename(tmp_path / "moved")
    with Workspace(moved) as workspace:
        (receipt,) = workspace.log()
        assert receipt.files[0].trash.startswith(f"{moved}/.suture/trash/")
        assert Path(receipt.files[0].trash).exists()
    assert undo(moved, commit.id) == "x = 1\n"


def test_a_state_base_inside_the_workspace_moves_along(root: Path, tmp_path: Path) -> None:
    with Workspace(root, state_dir=root / "state") as workspace:
        commit = workspace.delete("src/a.py")
    moved = root.rename(tmp_path / "moved")
    with Workspace(moved, state_dir=moved / "state") as workspace:
        (receipt,) = workspace.log()
        assert receipt.files[0].trash.startswith(f"{moved}/state/")
        workspace.undo(commit.id)
    assert (moved / "src/a.py").read_text() == "x = 1\n"


def test_another_state_base_has_another_history(root: Path, tmp_path: Path) -> None:
    commit = edit(root)
    moved = root.rename(tmp_path / "moved")
    with Workspace(moved, state_dir=tmp_path / "other") as workspace:
        assert workspace.log() == []
        other = workspace.edit("src/a.py", "x = 2", "x = 3").id
    back = moved.rename(root)
    assert log(back) == [commit]
    with Workspace(back, state_dir=tmp_path / "other") as workspace:
        assert [one.id for one in workspace.log()] == [other]


def test_a_commit_that_was_cut_short_is_repaired_after_a_move(root: Path, tmp_path: Path) -> None:
    (root / "b.txt").write_text("b\n")
    program = (
        "import os, sys\nfrom suture import Workspace\nfrom suture.workspace import commit\n"
        "from suture.workspace.files.open_files import DiskFiles\n"
        "rename, count = DiskFiles.rename, [0]\n"
        "def die(self, *args, **kw):\n"
        "    count[0] += 1\n"
        "    if count[0] == 2: os.kill(os.getpid(), 9)\n"
        "    return rename(self, *args, **kw)\n"
        "DiskFiles.rename = die\n"
        "Workspace(sys.argv[1]).apply('*** Begin Patch\\n*** Update File: src/a.py\\n@@\\n-x = 1\\n+x = 2\\n'\n"
        "    '*** Update File: b.txt\\n@@\\n-b\\n+B\\n*** End Patch\\n')\n"
    )
    killed = subprocess.run([sys.executable, "-c", program, str(root)], check=False, timeout=60)
    assert killed.returncode == -9
    moved = root.rename(tmp_path / "moved")
    with Workspace(moved) as workspace:
        (repaired,) = workspace.recover() or workspace.recovered
    assert repaired.outcome == "rolled_back"
    assert ((moved / "src/a.py").read_text(), (moved / "b.txt").read_text()) == ("x = 1\n", "b\n")
    assert sorted(path.name for path in moved.iterdir()) == ["b.txt", "src"]


@pytest.mark.parametrize("statement", ["UPDATE file", "UPDATE document", "UPDATE home", "COMMIT"])
def test_a_process_that_is_killed_while_it_moves_a_history_leaves_it_to_the_next(
    root: Path, tmp_path: Path, statement: str
) -> None:
    with Workspace(root, state_dir=root / "state") as workspace:
        commit = workspace.delete("src/a.py").id
    moved = root.rename(tmp_path / "moved")
    program = (
        "import os, sys\nfrom suture.state import relocation\nfrom suture import Workspace\n"
        "class Connection:\n"
        "    def __init__(self, real): self.real = real\n"
        "    def __getattr__(self, name):\n"
        "        def call(query, *rest):\n"
        "            if query.startswith(sys.argv[2]): os.kill(os.getpid(), 9)\n"
        "            return getattr(self.real, name)(query, *rest)\n"
        "        return call\n"
        "from suture.state.database import Database\n"
        "enter = Database.__enter__\n"
        "Database.__enter__ = lambda self: Connection(enter(self))\n"
        "Workspace(sys.argv[1], state_dir=sys.argv[1] + '/state').log()\n"
    )
    killed = subprocess.run([sys.executable, "-c", program, str(moved), statement], check=False, timeout=60)
    assert killed.returncode == -9
    with Workspace(moved, state_dir=moved / "state") as workspace:
        assert [one.id for one in workspace.log()] == [commit]
        workspace.undo(commit)
    assert (moved / "src/a.py").read_text() == "x = 1\n"


def test_a_history_from_before_there_were_ids_is_kept_and_follows(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.delattr(os, "setxattr")
        first = edit(root)
    assert places(str(root), None)[0].startswith(str(tmp_path / "state/project-"))
    second = edit(root, "x = 2", "x = 3")
    assert log(root) == [second, first]
    moved = root.rename(tmp_path / "moved")
    (root / "src").mkdir(parents=True)
    (root / "src/a.py").write_text("x = 1\n")
    assert log(root) == []
    edit(root)
    assert log(moved) == [second, first]


@pytest.mark.parametrize("value", [b"../../etc", b"", b".", b"a/b", b"\xff", b"x" * 300, b"-".join([b"a"] * 60)])
def test_an_id_from_elsewhere_is_not_a_path(root: Path, tmp_path: Path, value: bytes) -> None:
    os.setxattr(root, ID_ATTRIBUTE, value)
    outside, _ = places(str(root), None)
    assert Path(outside).parent == tmp_path / "state"
    edit(root)
    assert len(log(root)) == 1


def test_an_id_that_names_the_state_of_a_workspace_without_one_is_replaced(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    victim = tmp_path / "victim"
    shutil.copytree(root, victim)
    with monkeypatch.context() as patch:
        patch.delattr(os, "setxattr")
        commit = edit(victim)
    name = Path(places(str(victim), None)[0]).name
    os.setxattr(root, ID_ATTRIBUTE, name.encode())
    assert log(root) == []
    edit(root)
    assert log(victim) == [commit]
    assert len(log(root)) == 1


def test_a_copy_whose_id_cannot_be_changed_is_refused_with_advice(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    edit(root)
    copy = tmp_path / "copy"
    shutil.copytree(root, copy)
    os.setxattr(copy, ID_ATTRIBUTE, os.getxattr(root, ID_ATTRIBUTE))
    monkeypatch.delattr(os, "setxattr")
    with pytest.raises(PatchRejectedError) as caught:
        edit(copy, "x = 2", "x = 3")
    (problem,) = caught.value.problems
    assert problem.code == "io_error"
    assert problem.details["reason"] == "copied_id"
    assert ID_ATTRIBUTE in problem.hint
    assert (copy / "src/a.py").read_text() == "x = 2\n"


def test_a_move_waits_for_a_commit_that_is_running(root: Path, tmp_path: Path) -> None:
    edit(root)
    program = (
        "import sys\nfrom suture import Workspace\nworkspace = Workspace(sys.argv[1])\n"
        "with workspace.lock('src/a.py'):\n    print('held', flush=True)\n    sys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, str(root)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdin is not None
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        moved = root.rename(tmp_path / "moved")
        folder = state_folder(str(moved))
        store = Store(folder.path, patience=0, home=folder)
        with pytest.raises(PatchRejectedError) as caught:
            store.settle()
        assert caught.value.problems[0].code == "locked"
        holder.stdin.close()
        holder.wait(30)
        store.close()
    assert len(log(moved)) == 1


@pytest.mark.parametrize(
    "id_", ["approvals", "refused", "clients", "trusted", "app", "../app-0123456789abcdef", "a-0123456789ABCDEF"]
)
def test_an_id_that_came_with_an_archive_names_nothing_else_of_the_state(root: Path, tmp_path: Path, id_: str) -> None:
    os.setxattr(root, ID_ATTRIBUTE, id_.encode())
    edit(root)
    (folder,) = (tmp_path / "state").iterdir()
    assert folder.name == os.getxattr(root, ID_ATTRIBUTE).decode() != id_
