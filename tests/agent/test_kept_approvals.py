"""Answers "always" that a workspace keeps, and the command that lists and revokes them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.shared.agents import READ, Agent, code, edit
from tests.shared.programs import Place

from suture import Workspace
from suture.agent import Answer, Callback, PermissionAsked

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

ALWAYS = Callback(lambda _: Answer.always("src/**"))
NEXT = edit("'Hello '", "'Hey '")


def agent(folder: Path, **given: Any) -> Agent:
    return Agent(folder, rules=(), keep_always=True, **given)


def test_an_answer_holds_for_later_sessions(tmp_path: Path) -> None:
    agent(tmp_path, approver=ALWAYS).call(READ, edit())
    later = agent(tmp_path)
    assert not later.call(READ, NEXT).is_error
    assert not [event for event in later.heard if isinstance(event, PermissionAsked)]


def test_it_holds_for_what_it_covers_and_nothing_else(tmp_path: Path) -> None:
    agent(tmp_path, approver=ALWAYS).call(READ, edit())
    assert code(agent(tmp_path).call(("write", {"filePath": "other.txt", "content": "x"}))) == "rejected"


def test_a_rule_that_denies_wins(tmp_path: Path) -> None:
    agent(tmp_path, approver=ALWAYS).call(READ, edit())
    denied = Agent(tmp_path, rules=[("edit", "src", "deny")], keep_always=True)
    assert code(denied.call(READ, NEXT)) == "rejected"


def test_nothing_is_kept_without_the_setting(tmp_path: Path) -> None:
    first = Agent(tmp_path, rules=(), approver=ALWAYS)
    assert not first.call(READ, edit()).is_error
    assert first.workspace.approvals.all() == []
    agent(tmp_path, approver=ALWAYS).call(READ, NEXT)
    assert code(Agent(tmp_path, rules=()).call(READ, edit("'Hey '", "''"))) == "rejected"


def test_a_running_session_asks_again_once_an_answer_is_revoked(tmp_path: Path) -> None:
    async def work(session: Any) -> Any:
        await session.read("src/app.py")
        first = await session.start(*edit())
        await session.resume(first, Answer.always("src/**"))
        with Workspace(tmp_path / "root", state_dir=tmp_path / "state") as other:
            assert [str(one) for one in other.approvals.all()] == ["edit src/**"]
            assert other.approvals.revoke("edit", "src/**")
            assert not other.approvals.revoke("edit", "src/**")
        return await session.call(*NEXT)

    assert code(agent(tmp_path).run(work)) == "rejected"


def test_nothing_is_kept_inside_the_workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = agent(tmp_path, approver=ALWAYS)
    monkeypatch.setattr(one.workspace.state.own(), "is_inside", True)
    assert not one.call(READ, edit(), NEXT).is_error
    monkeypatch.undo()
    assert one.workspace.approvals.all() == []


class TestCommand:
    @pytest.fixture
    def place(self, tmp_path: Path) -> Place:
        found = Place(tmp_path)
        with Workspace(found.root, state_dir=tmp_path / "state", durability="process") as workspace:
            workspace.approvals.keep("edit", "src/**")
            workspace.approvals.keep("read", "docs/*")
        return found

    def test_approvals_are_listed(self, place: Place) -> None:
        done = place.suture("permissions", "list")
        assert (done.status, done.out) == (0, "edit src/**\nread docs/*\n")

    def test_one_is_revoked(self, place: Place) -> None:
        assert place.suture("permissions", "revoke", "edit", "src/**").out == "Revoked: edit src/**\n"
        assert place.suture("permissions", "list").out == "read docs/*\n"
        done = place.suture("permissions", "revoke", "edit", "src/**")
        assert (done.status, done.err) == (1, "There is no such approval.\n")

    def test_all_are_revoked(self, place: Place) -> None:
        document = json.loads(place.suture("permissions", "revoke", "--all", "--json").out)
        assert [one["glob"] for one in document["approvals"]] == ["src/**", "docs/*"]
        done = place.suture("permissions", "list")
        assert (done.status, done.out, done.err) == (0, "", "No approvals are kept.\n")

    @pytest.mark.parametrize(
        "words",
        [["drop"], ["revoke"], ["revoke", "edit"], ["revoke", "edit", "--all"], ["list", "edit"], ["list", "--all"]],
    )
    def test_anything_else_is_a_usage_error(self, place: Place, words: list[str]) -> None:
        assert place.suture("permissions", *words).status == 2
