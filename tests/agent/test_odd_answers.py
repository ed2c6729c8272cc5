"""Answers whose fields have values that no annotation allows: each is refused, and nothing is written."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from tests.shared.agents import APP, Agent, code, edit

from suture.agent import Answer, ApprovalQueue, Callback, Pending, Request, Rule
from suture.agent.answers import LineComment

if TYPE_CHECKING:
    from pathlib import Path

    from suture import Session

PATH = "src/app.py"
ODD: dict[str, dict[str, Any]] = {
    "kind is a number": {"kind": 1},
    "kind is a list": {"kind": ["once"]},
    "message is bytes": {"message": b"yes"},
    "message is a number": {"message": 7},
    "pattern is a number": {"kind": "always", "patterns": (7,)},
    "patterns is None": {"kind": "always", "patterns": None},
    "patterns is a text": {"kind": "always", "patterns": "src"},
    "hunks is a list": {"kind": "some", "hunks": [PATH]},
    "hunks is None": {"kind": "some", "hunks": None},
    "a choice is a number": {"kind": "some", "hunks": {PATH: 1}},
    "a choice is None": {"kind": "some", "hunks": {PATH: None}},
    "a choice is another word": {"kind": "some", "hunks": {PATH: "none"}},
    "the path of a choice is no text": {"kind": "some", "hunks": {1: "all"}},
    "by_person is a text": {"by_person": "no"},
    "comments is None": {"comments": None},
    "a comment is a text": {"comments": ("fine",)},
    "the line of a comment is a text": {"comments": (LineComment(PATH, "1", "x"),)},  # type: ignore[arg-type]
    "the line of a comment is a fraction": {"comments": (LineComment(PATH, 1.5, "x"),)},  # type: ignore[arg-type]
    "the text of a comment is bytes": {"comments": (LineComment(PATH, 1, b"x"),)},  # type: ignore[arg-type]
    "the path of a comment is None": {"comments": (LineComment(None, 1, "x"),)},  # type: ignore[arg-type]
    "the side of a comment is another word": {"comments": (LineComment(PATH, 1, "x", "left"),)},  # type: ignore[arg-type]
    "edits is a list": {"edits": [PATH]},
    "edits is None": {"edits": None},
    "edits is a text": {"edits": PATH},
    "an edit is bytes": {"edits": {PATH: b"mine\n"}},
    "an edit is a number": {"edits": {PATH: 5}},
    "an edit is None": {"edits": {PATH: None}},
    "an edit is a list": {"edits": {PATH: ["mine\n"]}},
    "the path of an edit is no text": {"edits": {5: "mine\n"}},
}


@pytest.fixture(params=ODD.values(), ids=list(ODD))
def answer(request: pytest.FixtureRequest) -> Answer:
    return Answer.once().replace(**request.param)


def test_an_approver_that_gives_one_has_failed(tmp_path: Path, answer: Answer) -> None:
    agent = Agent(tmp_path, rules=(), approver=Callback(lambda _: answer), reads={"edit": "off"})
    result = agent.call(edit())
    assert code(result) == "rejected"
    assert "the approver failed (ValueError: expected" in result.output
    assert agent.text(PATH) == APP
    assert agent.session.permissions.always == ()


def test_a_call_that_waits_does_not_go_on_with_one(tmp_path: Path, answer: Answer) -> None:
    async def work(session: Session) -> None:
        pending = await session.start(*edit())
        assert isinstance(pending, Pending)
        with pytest.raises(ValueError, match=r"^expected"):
            await session.resume(pending, answer)
        assert agent.text(PATH) == APP
        # The question is still open.
        await session.resume(pending, Answer.once())

    agent = Agent(tmp_path, rules=(), reads={"edit": "off"})
    agent.run(work)
    assert agent.text(PATH) == APP.replace("'Hi '", "'Hello '")


def test_a_queue_refuses_one_and_still_waits(tmp_path: Path, answer: Answer) -> None:
    queue = ApprovalQueue()

    def reply(request: Request) -> None:
        with pytest.raises(ValueError, match=r"^expected"):
            queue.reply(request.id, answer)
        queue.reply(request.id, Answer.reject("no"))

    async def work(session: Session) -> Any:
        calling = asyncio.ensure_future(session.call(*edit()))
        async for request in queue:
            reply(request)
            break
        return await calling

    agent = Agent(tmp_path, rules=[Rule("edit", "*", "ask")], approver=queue, reads={"edit": "off"})
    assert code(agent.run(work)) == "rejected"
    assert agent.text(PATH) == APP
