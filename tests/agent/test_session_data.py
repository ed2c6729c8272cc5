"""What programs get from a session beside the answers for models: the data of a result, of a request and of reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.shared.agents import ALLOW

from suture import SyncSession, Workspace
from suture.agent.requests import Request

if TYPE_CHECKING:
    from pathlib import Path


def test_a_moved_file_is_named_by_its_new_path(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.txt").write_text("one\n")
    with SyncSession(Workspace(root, state_dir=tmp_path / "state"), rules=ALLOW, profile="all") as session:
        session.read("a.txt")
        moved = session.move("a.txt", "b.txt")
    assert [file["file"] for file in moved.metadata["filediffs"]] == ["b.txt"]
    assert moved.metadata["changedFiles"] == ["b.txt"]


def test_only_what_was_read_as_it_is_is_known_of_a_plan(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    for name in ("a.txt", "b.txt", "c.txt"):
        (root / name).write_text("one\n")
    workspace = Workspace(root, state_dir=tmp_path / "state")
    with SyncSession(workspace, rules=ALLOW, profile="all") as session:
        session.read("a.txt")
        session.read("b.txt")
        (root / "b.txt").write_text("one\ntwo\n")
        plans = [workspace.plan_edit(name, "one", "1") for name in ("a.txt", "b.txt", "c.txt")]
        known = [session.session.reads.current(plan) for plan in plans]
    digest = plans[0].files[0].before.sha256
    assert known == [{str(root / "a.txt"): digest}, {}, {}]


def test_a_request_has_the_data_that_came_with_it(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\n")
    plan = Workspace(tmp_path, history=False).plan_edit("a.txt", "one", "1")
    request = Request.from_plan(plan, tool="edit", metadata={"ticket": "7"})
    assert request.metadata["ticket"] == "7"
