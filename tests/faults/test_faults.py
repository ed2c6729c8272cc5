"""Fail the k-th operation for k = 1, 2, 3 … until a run has no failure, once and from then on, as SQLite is tested."""

from __future__ import annotations

import errno
import itertools
from contextlib import suppress
from typing import TYPE_CHECKING, Literal

import pytest
from tests.faults.trees import PATCH, build, tree

from suture import CommitFailedError, PatchRejectedError, RecoveryNeededError, Workspace
from suture.testing import CHANGES, FaultyFiles

if TYPE_CHECKING:
    from pathlib import Path

#: Failures of the disk and of the journal.
COUNTED = CHANGES | {"store", "stat", "open", "list"}
MOST = 2000


class Died(BaseException):
    """What stands for the end of a process: nothing after it is done."""


@pytest.fixture
def after(tmp_path: Path) -> dict[str, tuple[str, int, bytes]]:
    """The tree that the patch makes when nothing fails."""
    root = build(tmp_path / "after")
    with Workspace(root, state_dir=tmp_path / "after-state") as workspace:
        workspace.apply(PATCH)
    return tree(root)


def fresh(tmp_path: Path, number: int) -> tuple[Path, Path]:
    """A tree and a state folder of their own."""
    return build(tmp_path / f"tree-{number}"), tmp_path / f"state-{number}"


@pytest.mark.parametrize("forever", [False, True], ids=["once", "forever"])
@pytest.mark.parametrize(
    "error", [errno.ENOSPC, errno.EIO, errno.EACCES, KeyboardInterrupt], ids=["ENOSPC", "EIO", "EACCES", "interrupt"]
)
def test_a_commit_that_fails_anywhere_leaves_all_before_or_all_after(
    tmp_path: Path,
    after: dict[str, tuple[str, int, bytes]],
    error: int | type[BaseException],
    forever: bool,
) -> None:
    before = tree(build(tmp_path / "before"))
    outcomes = set()
    for number in itertools.count(1):
        assert number < MOST
        root, state = fresh(tmp_path, number)
        files = FaultyFiles(str(root), number, error, forever=forever, counted=COUNTED)
        durability: Literal["full", "process"] = "full" if error == errno.EIO else "process"
        try:
            Workspace(files, state_dir=state, durability=durability).apply(PATCH)
        except (PatchRejectedError, CommitFailedError) as failure:
            outcomes.add(type(failure).__name__)
            assert tree(root) == before, (number, files.seen[-1])
        except KeyboardInterrupt:
            # Rolled back, or done already and interrupted while it tidied up.
            assert tree(root) in (before, after), (number, files.seen[-1])
        except RecoveryNeededError:
            outcomes.add("RecoveryNeededError")
        else:
            outcomes.add("done")
            assert tree(root) == after, (number, files.seen[-1])
        with Workspace(root, state_dir=state, durability="process") as workspace:
            workspace.recover()
            assert workspace.recover() == []
        assert tree(root) in (before, after), (number, files.seen[number - 1])
        if not files.failed:
            break
    assert "done" in outcomes
    if not forever and error == errno.ENOSPC:
        assert "CommitFailedError" in outcomes
    if forever:
        assert "RecoveryNeededError" in outcomes


@pytest.mark.parametrize("start", range(4))
def test_a_recovery_that_fails_anywhere_can_be_done_again(
    tmp_path: Path, after: dict[str, tuple[str, int, bytes]], start: int
) -> None:
    before = tree(build(tmp_path / "before"))
    seen = set()
    for died_at in itertools.count(start + 1, 12):
        for number in itertools.count(1):
            assert number < MOST
            root, state = fresh(tmp_path, died_at * MOST + number)
            dying = FaultyFiles(str(root), died_at, Died, forever=True, counted=CHANGES | {"store"})
            with suppress(Died, RecoveryNeededError):
                Workspace(dying, state_dir=state, durability="process").apply(PATCH)
            files = FaultyFiles(str(root), number, errno.EIO, counted=CHANGES | {"store"})
            try:
                done = Workspace(files, state_dir=state, durability="process").recover()
            except RecoveryNeededError:
                seen.add("failed")
            else:
                seen |= {one.outcome for one in done}
            with Workspace(root, state_dir=state, durability="process") as workspace:
                seen |= {one.outcome for one in workspace.recover()}
            assert tree(root) in (before, after), (died_at, number)
            if not files.failed:
                break
        if not dying.failed:
            break
    assert {"failed", "rolled_back"} <= seen


def test_an_undo_that_dies_anywhere_is_completed_or_rolled_back_with_its_folders(
    tmp_path: Path, after: dict[str, tuple[str, int, bytes]]
) -> None:
    before = tree(build(tmp_path / "before"))
    outcomes = set()
    for died_at in itertools.count(1):
        assert died_at < MOST
        root, state = fresh(tmp_path, died_at)
        with Workspace(root, state_dir=state, durability="process") as workspace:
            receipt = workspace.apply(PATCH)
        dying = FaultyFiles(str(root), died_at, Died, forever=True, counted=CHANGES | {"store"})
        with suppress(Died, RecoveryNeededError):
            Workspace(dying, state_dir=state, durability="process").undo(receipt)
        with Workspace(root, state_dir=state, durability="process") as workspace:
            outcomes |= {one.outcome for one in workspace.recover()}
        assert tree(root) in (before, after), died_at
        if not dying.failed:
            break
    assert outcomes == {"rolled_back", "completed"}
