"""The state directory of a workspace: where it is, and what happens when it is damaged or not writable."""

from __future__ import annotations

import errno
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from tests.shared.sites import Site, codes, envelope, updated

from suture import CommitFailedError, PatchRejectedError, Workspace
from suture.testing import FaultyFiles


def test_the_workspace_stays_clean(disk: Site) -> None:
    disk.put("a", "one\n")
    disk.apply(*updated("a", "one", "two"))
    assert disk.tree() == {"a": "two\n"}
    (state,) = (disk.folder / "state").iterdir()
    assert stat.S_IMODE(state.stat().st_mode) == 0o700


@pytest.fixture
def sandboxed(tmp_path: Path) -> Site:
    """A workspace whose user has no state folder that can be written."""
    (tmp_path / "barred").write_text("a file where a folder should be")
    return Site("disk", tmp_path, state_dir=tmp_path / "barred")


def test_where_the_state_folder_can_not_be_written_it_is_inside_and_disappears(sandboxed: Site) -> None:
    sandboxed.put("a", "one\n").put("gone", "gone\n")
    receipt = sandboxed.apply(*updated("a", "one", "two"), "*** Delete File: gone")
    assert receipt.state_inside
    assert Path(sandboxed.at(".suture/.gitignore")).read_text() == "*\n"
    assert Path(next(file.trash for file in receipt.files if file.trash)).read_text() == "gone\n"
    assert sandboxed.workspace.undo(receipt).state_inside
    assert len(sandboxed.workspace.log()) == 2
    assert sandboxed.workspace.prune(keep_seconds=-1.0) == 2
    assert sandboxed.tree() == {"a": "one\n", "gone": "gone\n"}


def test_the_folder_inside_goes_when_a_workspace_without_history_is_closed(sandboxed: Site) -> None:
    with Workspace(sandboxed.root, state_dir=sandboxed.folder / "barred", history=False) as workspace:
        assert workspace.apply(envelope("*** Add File: a", "+a")).state_inside
    assert sandboxed.tree() == {"a": "a\n"}


def test_nothing_of_a_process_that_died_before_its_commit_began_is_left_inside(sandboxed: Site) -> None:
    sandboxed.put("gone", "gone\n")
    script = (
        "import os, sys, suture\n"
        "from suture.testing import KillingFiles\n"
        "files = KillingFiles(sys.argv[1], int(sys.argv[3]), counted={'store'})\n"
        "workspace = suture.Workspace(files, state_dir=sys.argv[2], durability='process')\n"
        "workspace.apply('*** Begin Patch\\n*** Delete File: gone\\n*** End Patch\\n')\n"
    )
    for number in (1, 2):
        arguments = [sys.executable, "-c", script, sandboxed.root, str(sandboxed.folder / "barred"), str(number)]
        assert subprocess.run(arguments, check=False).returncode == -9
        with Workspace(sandboxed.root, state_dir=sandboxed.folder / "barred") as workspace:
            workspace.recover()
        assert sandboxed.tree() == {"gone": "gone\n"}


def test_what_a_sandboxed_process_has_done_is_in_the_log_and_can_be_undone_from_outside(sandboxed: Site) -> None:
    sandboxed.put("a", "one\n")
    inside = sandboxed.apply(*updated("a", "one", "two"))
    outside = Workspace(sandboxed.root, state_dir=sandboxed.folder / "state", durability="process")
    later = outside.apply(envelope("*** Add File: b", "+b"))
    assert not later.state_inside
    assert [one.id for one in outside.log()] == [later.id, inside.id]
    assert [one.id for one in outside.log(before=later.id)] == [inside.id]
    assert outside.log(before=inside.id) == []
    undone = outside.undo(inside)
    assert outside.show(inside.id).undone_by == undone.id
    assert sandboxed.tree()["a"] == "one\n"
    with pytest.raises(PatchRejectedError) as raised:
        outside.undo(inside)
    assert codes(raised) == ["no_change"]
    sandboxed.workspace.close()
    outside.prune(keep_seconds=-1.0)
    outside.close()
    assert sandboxed.tree() == {"a": "one\n", "b": "b\n"}


def test_a_process_in_a_sandbox_and_one_outside_of_it_exclude_one_another(sandboxed: Site) -> None:
    sandboxed.put("a", "one\n")
    sandboxed.apply("*** Add File: b", "+b")
    outside = Workspace(
        sandboxed.root, state_dir=sandboxed.folder / "state", durability="process", lock_timeout=0.05, actor="outside"
    )
    with sandboxed.workspace._committer.hold([sandboxed.at("a")], "inside"):
        with pytest.raises(PatchRejectedError) as raised:
            outside.apply(envelope(*updated("a", "one", "two")))
        assert codes(raised) == ["locked"]
        assert raised.value.problems[0].details["holder"] == "inside"
        outside.apply(envelope("*** Add File: c", "+c"))


def test_where_neither_folder_can_be_written_it_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "barred").write_text("")
    root = tmp_path / "root"
    root.mkdir()
    (root / ".suture").write_text("not a folder")
    with Workspace(root, state_dir=tmp_path / "barred") as workspace:
        with pytest.raises(PatchRejectedError) as raised:
            workspace.apply(envelope("*** Add File: a", "+a"))
        assert codes(raised) == ["io_error"]
        assert workspace.plan(envelope("*** Add File: a", "+a")).is_clean
    assert sorted(path.name for path in root.iterdir()) == [".suture"]


@pytest.mark.parametrize("error", [errno.EROFS, errno.EACCES, errno.ENOSPC])
def test_a_disk_that_takes_nothing_fails_cleanly(disk: Site, error: int) -> None:
    disk.put("a", "one\n")
    files = FaultyFiles(disk.root, 1, error, forever=True, counted={"create", "mkdir"})
    with Workspace(files, state_dir=disk.folder / "state", durability="process") as workspace:
        with pytest.raises(CommitFailedError) as raised:
            workspace.apply(envelope(*updated("a", "one", "two"), "*** Add File: x/b", "+b"))
        assert codes(raised) == ["io_error" if error == errno.ENOSPC else "permission_denied"]
        assert workspace.recover() == []
    assert disk.tree() == {"a": "one\n"}


@pytest.mark.parametrize("content", [b"", b"garbage" * 1000, b"SQLite format 3\0" + b"\xff" * 8000])
def test_a_store_that_can_not_be_read_is_a_problem_and_harms_nothing(disk: Site, content: bytes) -> None:
    disk.put("a", "one\n")
    receipt = disk.apply(*updated("a", "one", "two"))
    disk.workspace.close()
    (store,) = (disk.folder / "state").rglob("store.db")
    for companion in store.parent.glob("store.db-*"):
        companion.unlink()
    store.write_bytes(content)
    workspace = disk.open()
    actions = [
        lambda: workspace.apply(envelope(*updated("a", "two", "three"))),
        lambda: workspace.undo(receipt),
        workspace.log,
        workspace.recover,
        workspace.prune,
    ]
    for action in actions:
        with pytest.raises(PatchRejectedError) as raised:
            action()  # type: ignore[operator]
        assert codes(raised) == ["io_error"]
    assert disk.tree() == {"a": "two\n"}
    assert store.read_bytes() == content


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE document SET receipt = 'garbage'",
        "UPDATE document SET receipt = '[]'",
        "UPDATE file SET middle = x'00'",
        "UPDATE file SET before_sha256 = 'x'",
        "UPDATE file SET path = '/etc/passwd'",
        "UPDATE file SET path = 'relative'",
        "UPDATE entry SET folders = '/etc'",
        "UPDATE file SET middle = 'text'",
        "UPDATE file SET before_size = 'text'",
        "UPDATE file SET head = 3",
    ],
)
def test_a_history_that_was_tampered_with_is_a_problem_and_harms_nothing(disk: Site, change: str) -> None:
    disk.put("a", "one\n")
    receipt = disk.apply(*updated("a", "one", "two"))
    disk.workspace.close()
    with sqlite3.connect(next((disk.folder / "state").rglob("store.db"))) as connection:
        connection.execute(change)
    connection.close()
    workspace = disk.open()
    with pytest.raises(PatchRejectedError) as raised:
        workspace.undo(receipt.id)
    assert codes(raised)[0] in {"io_error", "outside_workspace", "invalid_arguments"}
    assert disk.tree() == {"a": "two\n"}


@pytest.mark.parametrize("where", ["state", "state/deep", "."])
def test_a_state_folder_in_the_workspace_can_not_be_reached_by_a_patch(tmp_path: Path, where: str) -> None:
    root = tmp_path / "root"
    root.mkdir()
    with Workspace(root, state_dir=root / where, durability="process") as workspace:
        workspace.apply(envelope("*** Add File: a", "+a"))
        (store,) = root.rglob("store.db")
        path = store.relative_to(root)
        lines = (f"*** Delete File: {path}", f"*** Add File: {path.parent}/new", "+x", "*** Add File: .suture/x", "+x")
        assert [p.code for p in workspace.plan(envelope(*lines)).problems] == ["permission_denied"] * 3
        (root / "link").symlink_to(path)
        assert [p.code for p in workspace.plan(envelope("*** Delete File: link")).problems] == ["permission_denied"]


def test_the_home_folder_as_a_workspace_hides_its_state_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    with Workspace("~", durability="process") as workspace:
        workspace.apply(envelope("*** Add File: a", "+a"))
        (store,) = tmp_path.rglob("store.db")
        other = store.parent.parent / "other" / "store.db"
        plan = workspace.plan(envelope(f"*** Delete File: {store}", f"*** Add File: {other}", "+x"))
        assert [problem.code for problem in plan.problems] == ["permission_denied"] * 2
