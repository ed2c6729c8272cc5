"""Real death: a child process is killed at every call that changes the disk; recovery leaves one of two trees."""

from __future__ import annotations

import itertools
import os
import signal
from typing import TYPE_CHECKING, NoReturn

import pytest
from tests.faults.trees import PATCH, build, tree

from suture import Workspace
from suture.testing import CHANGES, FaultyFiles, KillingFiles

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

COUNTED = CHANGES | {"store"}
MOST = 2000
#: Each part of the kill points is a test of its own, so that they run side by side.
PARTS = 4


def in_a_child(action: Callable[[], object]) -> int:
    """Run something in a process of its own; the signal that ended it, 0 where it came to its end."""
    child = os.fork()
    if child == 0:
        _end_with(action)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _end_with(action: Callable[[], object]) -> NoReturn:
    status = 1
    try:
        action()
        status = 0
    finally:
        os._exit(status)


@pytest.mark.parametrize("durability", ["full", "process"])
@pytest.mark.parametrize("part", range(PARTS))
def test_a_process_killed_at_any_change_leaves_all_before_or_all_after(
    tmp_path: Path, part: int, durability: str
) -> None:
    before = tree(build(tmp_path / "before"))
    whole = build(tmp_path / "whole")
    with Workspace(whole, state_dir=tmp_path / "whole-state") as workspace:
        workspace.apply(PATCH)
    after = tree(whole)
    outcomes = set()
    for number in itertools.count(part + 1, PARTS):
        assert number < MOST
        root, state = build(tmp_path / f"tree-{number}"), tmp_path / f"state-{number}"

        def apply() -> object:
            files = KillingFiles(str(root), number, counted=COUNTED)  # noqa: B023 - called at once
            return Workspace(files, state_dir=state, durability=durability).apply(PATCH)  # type: ignore[arg-type] # noqa: B023

        status = in_a_child(apply)
        assert status in (0, -signal.SIGKILL)
        with Workspace(root, state_dir=state, durability="process") as workspace:
            outcomes |= {one.outcome for one in workspace.recover()}
        assert tree(root) in (before, after), number
        if status == 0:
            assert tree(root) == after
            break
    assert "rolled_back" in outcomes


@pytest.mark.parametrize("part", range(PARTS))
def test_a_recovery_killed_at_any_change_can_be_done_again(tmp_path: Path, part: int) -> None:
    before = tree(build(tmp_path / "before"))
    counting = FaultyFiles(str(build(tmp_path / "count")), MOST * 2, counted=COUNTED)
    Workspace(counting, state_dir=tmp_path / "count-state", durability="process").apply(PATCH)
    # A death shortly before the last rename leaves the most to repair.
    last = max(number for number, (name, _) in enumerate(counting.seen, 1) if name == "rename")
    for number in itertools.count(part + 1, PARTS):
        assert number < MOST
        root, state = build(tmp_path / f"tree-{number}"), tmp_path / f"state-{number}"

        def apply() -> object:
            files = KillingFiles(str(root), last, counted=COUNTED)  # noqa: B023
            return Workspace(files, state_dir=state, durability="process").apply(PATCH)  # noqa: B023

        def recover() -> object:
            files = KillingFiles(str(root), number, counted=COUNTED)  # noqa: B023
            return Workspace(files, state_dir=state, durability="process").recover()  # noqa: B023

        assert in_a_child(apply) == -signal.SIGKILL
        status = in_a_child(recover)
        with Workspace(root, state_dir=state, durability="process") as workspace:
            workspace.recover()
        assert tree(root) == before, number
        if status == 0:
            break
