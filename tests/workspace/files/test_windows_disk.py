"""The disk of Windows: errors, other programs that hold files, processes that write the same file."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import threading
from typing import TYPE_CHECKING

import pytest
from tests.shared.sites import envelope

from suture import CommitFailedError, PatchRejectedError, SyncSession, Workspace
from suture.testing import CHANGES, FaultyFiles

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(sys.platform != "win32", reason="it takes the disk of Windows")

BEFORE = {"a.txt": b"one\r\ntwo\r\n", "sub/b.txt": b"b\n", "gone.txt": b"gone\n", "old.txt": b"moved\n"}
AFTER = {"a.txt": b"one\r\n2\r\n", "sub/b.txt": b"B\n", "new/deep/c.txt": b"c\n", "NEW.txt": b"moved\n"}
PATCH = envelope(
    *("*** Update File: a.txt", "@@", "-two", "+2"),
    *("*** Update File: sub/b.txt", "@@", "-b", "+B"),
    *("*** Add File: new/deep/c.txt", "+c"),
    "*** Delete File: gone.txt",
    *("*** Update File: old.txt", "*** Move to: NEW.txt"),
)


def make(root: Path) -> None:
    for name, data in BEFORE.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)


def tree(root: Path) -> dict[str, bytes]:
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


@pytest.mark.parametrize("undo", [False, True], ids=["commit", "undo"])
def test_an_error_anywhere_leaves_everything_as_it_was(tmp_path: Path, undo: bool) -> None:
    for number in range(1, 200):
        root, state = tmp_path / f"root{number}", tmp_path / f"state{number}"
        make(root)
        before, after = (AFTER, BEFORE) if undo else (BEFORE, AFTER)
        commit = ""
        if undo:
            with Workspace(str(root), state_dir=str(state)) as workspace:
                commit = workspace.apply(PATCH).id
        files = FaultyFiles(str(root), number, counted=CHANGES)
        workspace = Workspace(files, state_dir=str(state))
        try:
            _ = workspace.undo(commit) if undo else workspace.apply(PATCH)
        except (CommitFailedError, PatchRejectedError):
            assert tree(root) == before
        else:
            assert tree(root) == after
            if not files.failed:
                return
            assert files.seen[number - 1][0] == "rmdir"  # an empty directory that can't be removed does no harm
        finally:
            workspace.close()
    pytest.fail("it never succeeds")


def test_a_file_that_another_program_holds_is_waited_for(tmp_path: Path, state_dir: Path) -> None:
    make(tmp_path / "root")
    opened = (tmp_path / "root" / "a.txt").open("rb")
    timer = threading.Timer(0.3, opened.close)
    timer.start()
    try:
        with Workspace(str(tmp_path / "root"), state_dir=str(state_dir)) as workspace:
            workspace.apply(PATCH)
    finally:
        timer.join()
    assert tree(tmp_path / "root") == AFTER


def test_a_file_that_another_program_keeps_is_reported_and_nothing_changes(tmp_path: Path, state_dir: Path) -> None:
    make(tmp_path / "root")
    with (
        (tmp_path / "root" / "a.txt").open("rb"),
        Workspace(str(tmp_path / "root"), state_dir=str(state_dir)) as workspace,
    ):
        try:
            workspace.apply(PATCH)
        except CommitFailedError as failed:
            problems = [problem.code for problem in failed.problems]
            assert set(problems) <= {"io_error", "permission_denied"}
            assert tree(tmp_path / "root") == BEFORE
        else:
            assert tree(tmp_path / "root") == AFTER  # the system replaces files that are open


COUNTER = """
import sys
from suture import PatchRejectedError, Workspace
root, state = sys.argv[1:]
left = 10
with Workspace(root, state_dir=state, lock_timeout=60) as workspace:
    while left:
        with open(root + "/count.txt") as file:
            number = int(file.read())
        patch = f"*** Begin Patch\\n*** Update File: count.txt\\n@@\\n-{number}\\n+{number + 1}\\n*** End Patch\\n"
        try:
            workspace.apply(patch)
            left -= 1
        except PatchRejectedError:
            pass
"""


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_four_processes_lose_no_edit(tmp_path: Path, state_dir: Path) -> None:
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "count.txt").write_bytes(b"0\n")
    command = [sys.executable, "-c", textwrap.dedent(COUNTER), str(tmp_path / "root"), str(state_dir)]
    processes = [subprocess.Popen(command) for _ in range(4)]
    assert [process.wait(600) for process in processes] == [0, 0, 0, 0]
    assert (tmp_path / "root" / "count.txt").read_bytes() == b"40\n"


def test_a_read_only_file_is_changed_and_stays_read_only(tmp_path: Path, state_dir: Path) -> None:
    make(tmp_path / "root")
    path = tmp_path / "root" / "a.txt"
    path.chmod(0o444)
    with Workspace(str(tmp_path / "root"), state_dir=str(state_dir)) as workspace:
        workspace.apply(PATCH)
        assert tree(tmp_path / "root") == AFTER
        assert not path.stat().st_mode & 0o200
    path.chmod(0o666)


def test_a_long_path_is_written_and_recovered(tmp_path: Path, state_dir: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    name = "/".join(["d" * 60] * 6) + "/file.txt"
    with Workspace(str(root), state_dir=str(state_dir)) as workspace:
        receipt = workspace.apply(envelope(f"*** Add File: {name}", "+x"))
        workspace.undo(receipt.id)
        assert list(root.iterdir()) == []


@pytest.mark.skipif(sys.platform != "win32", reason="it takes the disk of Windows")
def test_the_root_is_a_directory_that_is_listed(tmp_path: Path, state_dir: Path) -> None:
    make(tmp_path / "root")
    with Workspace(str(tmp_path / "root"), state_dir=str(state_dir)) as workspace:
        assert workspace.files.spelling(workspace.root) == workspace.root
        with SyncSession(workspace, rules=[("read", "**", "allow")]) as session:
            listing = session.call("read", {"filePath": "."})
    assert (listing.is_error, listing.output.splitlines()[0]) == (False, ". is a directory:")
