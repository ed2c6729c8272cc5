"""Loss of power: what was not flushed is forgotten or comes in another order, at every step; two outcomes are left."""

from __future__ import annotations

import itertools
import shutil
from typing import TYPE_CHECKING

import pytest
from tests.faults.trees import BEFORE, PATCH

from suture import RecoveryNeededError, Workspace
from suture.testing import CHANGES, PowerLossFiles

if TYPE_CHECKING:
    from pathlib import Path

    from suture.workspace import MemoryFiles

SEEDS = range(6)
MOST = 2000
PARTS = 4
TEXT_PATCH = PATCH.replace("link.py", "src/app.py")


class PowerGone(BaseException):
    """The power is gone: nothing after it is done."""


class Fuse:
    """Cuts the power at the k-th change, and keeps the journal as it was when it was last flushed."""

    def __init__(self, at: int, state: Path, kept: Path) -> None:
        self.at = at
        self.state = state
        self.kept = kept
        self.count = 0

    def __call__(self, name: str, path: str) -> None:
        if name == "store" and path == "after begin":
            # The one transaction that is flushed.
            shutil.copytree(self.state, self.kept)
        if name in CHANGES or name == "store":
            self.count += 1
            if self.count >= self.at:
                raise PowerGone


def texts(files: MemoryFiles) -> dict[str, str | bytes]:
    return files.texts()


def whole() -> dict[str, str | bytes]:
    files = PowerLossFiles(BEFORE)
    Workspace(files).apply(TEXT_PATCH)
    return texts(files)


@pytest.mark.parametrize("torn", [False, True], ids=["whole", "torn"])
@pytest.mark.parametrize("part", range(PARTS))
def test_a_loss_of_power_at_any_change_leaves_all_before_or_all_after(tmp_path: Path, part: int, torn: bool) -> None:
    after = whole()
    outcomes = set()
    for number in itertools.count(part + 1, PARTS):
        assert number < MOST
        state, kept = tmp_path / f"state-{number}", tmp_path / f"kept-{number}"
        files = PowerLossFiles(BEFORE, torn_renames=torn)
        files.watch = fuse = Fuse(number, state, kept)
        done = True
        try:
            Workspace(files, state_dir=state).apply(TEXT_PATCH)
        except (PowerGone, RecoveryNeededError):
            done = False
        for seed in SEEDS:
            # What was recorded last may be lost, or not.
            for journal in (state, kept):
                if not journal.exists():
                    continue
                copy = tmp_path / f"{journal.name}-{seed}"
                shutil.copytree(journal, copy)
                left = files.crash(seed)
                outcomes |= {one.outcome for one in Workspace(left, state_dir=copy).recover()}
                found = texts(left)
                assert found in (dict(BEFORE), after), (number, seed, journal.name)
                if done:
                    # Success was reported, so it has to stay.
                    assert found == after
        if done:
            assert fuse.count < number
            break
    assert outcomes == {"rolled_back", "completed"}
