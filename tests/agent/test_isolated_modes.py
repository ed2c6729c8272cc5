"""An isolated session may change nothing of a file but its mode."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
from tests.shared.agents import ALLOW

from suture import SyncSession, Workspace

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = "diff --git a/run b/run\nold mode 100644\nnew mode 100755\n"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")
def test_a_mode_that_is_all_that_has_changed_is_merged(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    file = root / "run"
    file.write_text("true\n")
    file.chmod(0o644)
    place = Workspace(root, state_dir=tmp_path / "state", durability="process")
    with SyncSession(place, rules=ALLOW, isolated=True, profile="all") as session:
        session.session.workspace.apply(PROGRAM)
        assert not file.stat().st_mode & 0o100
        session.merge()
    assert (file.stat().st_mode & 0o777, file.read_text()) == (0o755, "true\n")
