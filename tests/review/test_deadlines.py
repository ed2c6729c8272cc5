"""Until when an agent waits for an answer, and what a late answer does."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from suture.agent import Answer, ApprovalFolder, Callback, Permissions, Request
from suture.review import Inbox
from suture.workspace import Change

if TYPE_CHECKING:
    from pathlib import Path

REQUEST = Request("r1", "edit", (Change("update", "a.py", resolved="/w/a.py"),), ("a.py",))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ApprovalFolder:
    monkeypatch.setenv("SUTURE_STATE_DIR", str(tmp_path / "state"))
    return ApprovalFolder(tmp_path / "approvals")


def test_a_request_says_until_when_its_session_waits() -> None:
    asked: list[Request] = []

    def answer(request: Request) -> Answer:
        asked.append(request)
        return Answer.once()

    for timeout in (600, None):
        asyncio.run(Permissions((), Callback(answer), timeout=timeout).check(REQUEST.replace(time=0.0)))
    assert asked[0].deadline > 0
    assert not asked[0].stays_open
    assert asked[1].deadline == 0


def test_an_item_says_how_long_the_agent_waits(folder: ApprovalFolder) -> None:
    folder.put(REQUEST.replace(deadline=1000.0, stays_open=True))
    (item,) = Inbox([folder.path]).pending()
    assert item.waiting_note(875.0) == "The agent waits 2 min 5 s more."
    assert item.waiting_note(995.0) == "The agent waits 5 s more."
    assert item.late_note(999.0) == ""
    assert item.late_note(1000.0) == item.waiting_note(1000.0)
    assert "takes effect when it sends the same call again" in item.late_note(1000.0)


def test_a_request_that_is_withdrawn_then_promises_nothing(folder: ApprovalFolder) -> None:
    folder.put(REQUEST.replace(deadline=1000.0))
    (item,) = Inbox([folder.path]).pending()
    assert item.late_note(2000.0) == "The agent no longer waits: an answer may come too late."


def test_without_a_deadline_nothing_is_said(folder: ApprovalFolder) -> None:
    folder.put(REQUEST)
    (item,) = Inbox([folder.path]).pending()
    assert (item.deadline, item.waiting_note(1e12)) == (0.0, "")


def test_an_agent_that_asks_again_waits_again(folder: ApprovalFolder) -> None:
    folder.put(REQUEST.replace(deadline=1000.0, stays_open=True))
    inbox = Inbox([folder.path])
    (before,) = inbox.pending()
    folder.extend("r1", 5000.0)
    (after,) = inbox.pending()
    assert (before.deadline, after.deadline) == (1000.0, 5000.0)
    assert after.fingerprint == before.fingerprint
    inbox.answer("r1", Answer.once(), before.fingerprint)
    folder.withdraw(REQUEST, Answer.once())
    assert list(folder.path.glob("[!.]*")) == []


def test_a_deadline_that_can_not_be_read_is_that_of_the_request(folder: ApprovalFolder) -> None:
    folder.put(REQUEST.replace(deadline=1000.0))
    for text in ("soon", "inf", "nan", "9" * 500):
        (folder.path / "r1" / "deadline").write_text(text)
        (item,) = Inbox([folder.path]).pending()
        assert item.deadline == 1000.0


def test_a_closed_request_is_not_extended(folder: ApprovalFolder) -> None:
    folder.put(REQUEST)
    folder.withdraw(REQUEST)
    folder.extend("r1", 5000.0)
    assert not (folder.path / "r1").exists()
