"""A state directory that is removed under an open workspace is noticed."""

from __future__ import annotations

import shutil
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from tests.shared.sites import envelope, updated

from suture import CommitFailedError, RecoveryNeededError, Workspace
from suture.testing import CHANGES, FaultyFiles

if TYPE_CHECKING:
    from pathlib import Path

PATCH = envelope(*updated("a", "one", "two"), *updated("b", "one", "two"), "*** Add File: c/d", "+d")


class Died(BaseException):
    """What stands for the end of a process: nothing after it is done."""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    root.mkdir()
    for name in "abx":
        (root / name).write_text("one\n")
    return root


def contents(root: Path) -> dict[str, str]:
    return {str(path.relative_to(root)): path.read_text() for path in root.rglob("*") if path.is_file()}


@pytest.mark.parametrize("moved", [False, True], ids=["removed", "moved away"])
def test_commits_after_that_are_recorded_in_a_new_state(root: Path, tmp_path: Path, moved: bool) -> None:
    state = tmp_path / "state"
    with Workspace(root, state_dir=state) as workspace:
        workspace.write("x", "two\n")
        if moved:
            state.rename(tmp_path / "elsewhere")
        else:
            shutil.rmtree(state)
        assert workspace.log() == []
        receipt = workspace.apply(PATCH)
        with Workspace(root, state_dir=state) as other:
            assert [one.id for one in other.log()] == [receipt.id]
            other.undo(receipt)
        assert len(workspace.log()) == 2
    assert contents(root) == {"a": "one\n", "b": "one\n", "x": "two\n"}


def test_a_commit_that_dies_after_that_is_recovered(root: Path, tmp_path: Path) -> None:
    outcomes = set()
    for died_at in range(3, 40, 4):
        state = tmp_path / f"state-{died_at}"
        dying = FaultyFiles(str(root), 1000, Died, forever=True, counted=CHANGES | {"store"})
        workspace = Workspace(dying, state_dir=state, durability="process")
        workspace.write("x", f"{died_at}\n")
        shutil.rmtree(state)
        before = contents(root)
        dying.fail_at = dying.count + died_at
        with suppress(Died, RecoveryNeededError):
            workspace.apply(PATCH)
        with Workspace(root, state_dir=state, durability="process") as other:
            outcomes |= {one.outcome for one in other.recover()}
            done = other.log(1)
            if done:
                other.undo(done[0])
        assert contents(root) == before
    assert "rolled_back" in outcomes


def test_a_commit_during_which_it_is_removed_is_rolled_back(root: Path, tmp_path: Path) -> None:
    state = tmp_path / "state"
    with Workspace(root, state_dir=state) as workspace:
        workspace.write("x", "two\n")
        before = contents(root)

        def watch(name: str, path: str) -> None:
            if (name, path) == ("store", "before finish"):
                shutil.rmtree(state)

        workspace.state.own().store._watch = watch  # type: ignore[attr-defined]
        with pytest.raises(CommitFailedError) as raised:
            workspace.apply(PATCH)
        assert [problem.details["reason"] for problem in raised.value.problems] == ["state_removed"]
        assert contents(root) == before
        assert not (root / "c").exists()
