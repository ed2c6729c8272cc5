"""Refused edits have their full text, so they are kept for a time that can be set, and no longer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from suture import Workspace, open_project
from suture.core.readers import PYTHON
from suture.state.refused_files import RefusedEdits
from suture.state.workspace_state import KEEP_REFUSED_SECONDS
from suture.workspace.refused_edits import keep_refused

if TYPE_CHECKING:
    from pathlib import Path

DAY = 24 * 3600.0


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> dict[str, float]:
    """The time, which a test sets."""
    clock = {"now": 1_000_000.0}
    for module in ("suture.state.refused_files", "suture.workspace.refused_edits"):
        monkeypatch.setattr(f"{module}.time", lambda: clock["now"])
    return clock


def refuse(root: Path, keep_refused_seconds: float = KEEP_REFUSED_SECONDS) -> RefusedEdits:
    """Have an edit of a file refused; what is kept of the workspace's refused edits."""
    (root / "a.txt").write_text("one\n", "utf-8")
    with Workspace(root, state_dir=root.parent / "state", keep_refused_seconds=keep_refused_seconds) as workspace:
        plan = workspace.plan("*** Begin Patch\n*** Update File: a.txt\n@@\n-secret\n+x\n*** End Patch\n")
        assert plan.problems
        keep_refused(workspace, plan, PYTHON, tool="apply_patch")
    return RefusedEdits(str(root), str(root.parent / "state"))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "work"
    root.mkdir()
    return root


def test_one_is_shown_for_seven_days(root: Path, clock: dict[str, float]) -> None:
    kept = refuse(root)
    clock["now"] += 6.9 * DAY
    assert ["-secret" in edit.text for edit in kept.all()] == [True]
    clock["now"] += 0.2 * DAY
    assert kept.all() == []


def test_after_that_its_file_is_removed_with_the_next_one(root: Path, clock: dict[str, float]) -> None:
    kept = refuse(root)
    clock["now"] += 8 * DAY
    refuse(root)
    assert len(list((root.parent / "state" / "refused").rglob("*.json"))) == len(kept.all()) == 1


def test_the_time_can_be_set(root: Path, clock: dict[str, float]) -> None:
    kept = refuse(root, keep_refused_seconds=60.0)
    clock["now"] += 61
    assert kept.all() == []


def test_with_zero_none_is_kept(root: Path) -> None:
    refuse(root, keep_refused_seconds=0)
    assert list((root.parent / "state").rglob("refused/*/*")) == []


def test_a_user_can_set_it_in_days(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, root: Path) -> None:
    settings = tmp_path / "config" / "suture"
    settings.mkdir(parents=True)
    (settings / "config.toml").write_text("[limits]\nkeep_refused_days = 0\n", "utf-8")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    with open_project(root) as workspace:
        assert workspace.keep_refused_seconds == 0


def test_the_lines_of_the_edit_that_was_refused_are_kept(root: Path) -> None:
    (root / "a.txt").write_text("one\n", "utf-8")
    state_dir = root.parent / "state"
    with Workspace(root, state_dir=state_dir) as workspace:
        for edits in ([("lost", "x"), ("one", "1")], [("one", "1"), ("lost", "x")], []):
            keep_refused(workspace, workspace.plan_multiedit("a.txt", edits), PYTHON, tool="multiedit")
    kept = sorted(RefusedEdits(str(root), str(state_dir)).all(), key=lambda edit: edit.time)
    assert [[(hunk.old, hunk.new) for hunk in edit.problems] for edit in kept] == [
        [(("lost",), ("x",))],
        [(("lost",), ("x",))],
        [((), ())],
    ]
