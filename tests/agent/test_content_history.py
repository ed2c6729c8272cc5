"""What happens to the content of each file in a plan: the checks of reads rely on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from suture import Workspace
from suture.agent.content_history import follow_content

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    root = tmp_path / "work"
    root.mkdir()
    (root / "a.txt").write_text("one\n")
    (root / "link.txt").symlink_to("a.txt")
    with Workspace(root, state_dir=tmp_path / "state") as workspace:
        yield workspace


def follow(workspace: Workspace, *lines: str) -> tuple[dict[str, bool], dict[str, str]]:
    """Whether each content is lost, and whose content each path has in the end."""
    plan = workspace.plan("\n".join(("*** Begin Patch", *lines, "*** End Patch", "")))
    assert plan.is_clean
    histories, owners = follow_content(plan)
    return {path: history.is_lost for path, history in histories.items()}, owners


def test_behind_a_link_it_is_the_content_of_its_target(workspace: Workspace) -> None:
    assert follow(workspace, "*** Update File: link.txt", "@@", "-one", "+two") == ({"a.txt": False}, {})


def test_a_file_that_moves_takes_its_content_along(workspace: Workspace) -> None:
    moved = follow(workspace, "*** Update File: a.txt", "*** Move to: b.txt", "@@", "-one", "+two")
    assert moved == ({"a.txt": False, "b.txt": True}, {"a.txt": "", "b.txt": "a.txt"})


def test_a_file_that_is_deleted_loses_its_content(workspace: Workspace) -> None:
    assert follow(workspace, "*** Delete File: a.txt") == ({"a.txt": True}, {"a.txt": ""})
