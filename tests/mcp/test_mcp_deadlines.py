"""Questions in the queue say until when a call waits for an answer, and a late answer counts all the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.mcp.raw_client import RawClient, make_project

from suture.agent import Answer, ApprovalFolder
from suture.review import Inbox

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SUTURE_STATE_DIR", str(tmp_path / "state"))
    return make_project(tmp_path)


def test_a_call_that_is_sent_again_waits_again_and_gets_the_late_answer(root: Path, tmp_path: Path) -> None:
    folder = ApprovalFolder(tmp_path / "approvals")
    inbox = Inbox([folder.path])
    options = ("--approve", "queue", "--approvals", str(folder.path), "--approval-timeout", "0.1")
    call = {"filePath": "new.txt", "content": "x\n"}
    with RawClient(root, *options) as client:
        assert "still open" in client.text("write", **call, reason="Because.")
        (first,) = inbox.pending()
        assert first.request.reason == "Because."
        assert first.request.stays_open
        assert "takes effect when it sends the same call again" in first.late_note(first.deadline)
        assert "still open" in client.text("write", **call, reason="In other words.")
        (second,) = inbox.pending()
        assert second.id == first.id
        assert second.deadline > first.deadline
        inbox.answer(second.id, Answer.once("Late, but yes."), second.fingerprint)
        said = client.text("write", **call)
        while "still open" in said:
            said = client.text("write", **call)
        assert "Late, but yes." in said
    assert (root / "new.txt").read_text() == "x\n"
