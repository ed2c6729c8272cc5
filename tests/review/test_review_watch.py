"""The watch: it tells about requests, commits and refused edits, whether the system tells or it looks itself."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest
from tests.shared.permission_requests import edit_request

from suture import Workspace
from suture.agent import Answer, ApprovalFolder
from suture.review import Timeline, Watch, watch
from suture.state.state_folder import approvals_path

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("poll", [None, 0.01], ids=["by default", "by looking"])
def test_it_tells_when_something_comes_or_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, poll: float | None
) -> None:
    monkeypatch.setenv("SUTURE_STATE_DIR", str(tmp_path / "state"))
    (tmp_path / "root").mkdir()
    other = ApprovalFolder(tmp_path / "more")
    other.put(edit_request("r2"))
    told = threading.Event()
    with Workspace(tmp_path / "root", durability="process") as workspace:
        workspace.write("a", "a\n")
        with Watch(told.set, folders=[str(other.path)], roots=[workspace.root], poll=poll):
            folder = ApprovalFolder(approvals_path(workspace.root))
            folder.put(edit_request())
            assert told.wait(60), "a request in a new folder"
            told.clear()
            folder.reply("r1", Answer.once())
            folder.withdraw(edit_request(), Answer.once())
            assert told.wait(60), "an answer"
            told.clear()
            other.withdraw(edit_request("r2"))
            assert told.wait(60), "another folder"
            told.clear()
            workspace.write("a", "b\n")
            assert told.wait(60), "a commit"
        told.clear()
        folder.put(edit_request("r3"))
    assert not told.is_set(), "it has stopped"


@pytest.mark.parametrize("poll", [None, 0.01], ids=["by default", "by looking"])
def test_who_reads_a_history_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, poll: float | None
) -> None:
    monkeypatch.setenv("SUTURE_STATE_DIR", str(tmp_path / "state"))
    root = tmp_path / "root"
    root.mkdir()
    with Workspace(root, durability="process") as workspace:
        workspace.write("a", "a\n")
    asked, heard = threading.Event(), threading.Event()
    told_before: list[bool] = []

    def tell() -> None:
        told_before.append(not asked.is_set())
        if asked.is_set():
            heard.set()

    with Watch(tell, roots=[str(root)], poll=poll):
        for _ in range(20):
            timeline = Timeline.open(str(root))
            with timeline.workspace:
                assert len(timeline.commits()) == 1
        asked.set()
        ApprovalFolder(approvals_path(str(root))).put(edit_request())
        assert heard.wait(60)
    assert not any(told_before)


@pytest.mark.parametrize("error", [OSError("no more watches"), RuntimeError("an internal error")])
def test_where_the_system_cannot_tell_it_looks_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setenv("SUTURE_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setattr(watch, "_watchfiles", lambda: fail)
    told = threading.Event()
    with Watch(told.set):
        ApprovalFolder(approvals_path(str(tmp_path))).put(edit_request())
        assert told.wait(60)
