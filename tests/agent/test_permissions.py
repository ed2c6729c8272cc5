"""Permissions: what the rules allow goes ahead, what they deny does not, and a person decides about the rest."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from tests.shared.permission_requests import decide, edit, problem, refusal, three_hunk_request

from suture import PatchRejectedError
from suture.agent import Bus, Event, PermissionAsked, PermissionReplied
from suture.agent.answers import Answer, Decision
from suture.agent.approvers import AllowAll, ApprovalQueue, Callback
from suture.agent.authorization import Permissions
from suture.agent.rules import Rule

if TYPE_CHECKING:
    from suture.agent.approvers import Approver
    from suture.agent.requests import Request
    from suture.agent.rules import Action


class Asked:
    """An approver that keeps what it was asked, and gives its answers one after another."""

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers)
        self.requests: list[Request] = []

    async def ask(self, request: Request) -> Answer:
        self.requests.append(request)
        return self.answers.pop(0)


class TestCheck:
    def test_what_the_rules_allow_is_allowed_and_nobody_is_asked(self) -> None:
        approver = Asked()
        assert decide(Permissions([("edit", "*", "allow")], approver), edit("a.py")) == Decision(edit("a.py"))
        assert approver.requests == []

    def test_what_the_rules_deny_names_each_file_and_its_rule_and_nobody_is_asked(self) -> None:
        approver = Asked()
        rules: list[tuple[str, str, Action]] = [("edit", "*.lock", "deny"), ("*", "gen/**", "deny")]
        error = refusal(Permissions(rules, approver), edit("uv.lock", "a.py", "gen/x.py"))
        assert [(one.code, one.path, one.details["reason"], one.details["rule"]) for one in error.problems] == [
            ("rejected", "uv.lock", "rule", "edit *.lock deny"),
            ("rejected", "gen/x.py", "rule", "* gen/** deny"),
        ]
        assert not any(one.recoverable for one in error.problems)
        assert approver.requests == []

    def test_one_request_is_made_for_all_files_of_a_call(self) -> None:
        approver = Asked(Answer.once())
        request = edit("a.py", "b.py")
        permissions = Permissions([("edit", "a.py", "allow")], approver)
        assert decide(permissions, request) == Decision(request, Answer.once())
        assert approver.requests == [request]

    def test_without_anybody_to_ask_it_is_rejected_at_once_and_the_settings_are_named(self) -> None:
        found = problem(Permissions(), edit("a.py"))
        assert (found.code, found.details["reason"], found.recoverable) == ("rejected", "nobody", False)
        assert "setting approver" in found.hint
        assert "setting rules" in found.hint

    def test_a_rejection_has_the_persons_message(self) -> None:
        found = problem(Permissions(approver=Asked(Answer.reject("use tabs"))), edit("a.py"))
        assert (found.code, found.path, found.details["said"]) == ("rejected", "a.py", "use tabs")
        assert found.message.endswith("said: use tabs")

    def test_some_of_nothing_is_a_rejection(self) -> None:
        found = problem(Permissions(approver=Asked(Answer.some({}))), edit("a.py"))
        assert (found.code, found.details["reason"]) == ("rejected", "person")

    def test_some_hunks_are_a_decision_with_these(self) -> None:
        request = three_hunk_request()
        decision = decide(Permissions(approver=Asked(Answer.some({"a.py": [2]}))), request)
        assert decision.hunks_of("a.py") == (2,)

    def test_once_is_not_remembered(self) -> None:
        approver = Asked(Answer.once(), Answer.once())
        permissions = Permissions(approver=approver)
        for _ in range(2):
            decide(permissions, edit("a.py"))
        assert len(approver.requests) == 2
        assert permissions.always == ()

    def test_always_is_remembered_for_what_the_request_proposes(self) -> None:
        """SPEC §14: ""Always" never covers more than was asked for unless the person widens it"."""
        approver = Asked(Answer.always(), Answer.reject())
        permissions = Permissions(approver=approver)
        for _ in range(2):
            decide(permissions, edit("deep/[a]*.py"))
        assert permissions.always == (Rule("edit", r"deep/[a]\*.py", "allow"),)
        assert problem(permissions, edit("deep/[a]b.py")).code == "rejected"

    def test_always_is_remembered_for_the_pattern_of_the_answer_and_no_more(self) -> None:
        approver = Asked(Answer.always("src/**"), Answer.reject())
        permissions = Permissions(approver=approver)
        decide(permissions, edit("src/a.py"))
        decide(permissions, edit("src/b.py"))
        assert problem(permissions, edit("src/a.py", "docs/a.md")).code == "rejected"
        assert len(approver.requests) == 2

    def test_always_holds_for_its_permission_only(self) -> None:
        permissions = Permissions(approver=Asked(Answer.always(), Answer.reject()))
        decide(permissions, edit("a.py"))
        assert problem(permissions, edit("a.py").replace(permission="read")).code == "rejected"

    def test_always_lifts_no_deny(self) -> None:
        permissions = Permissions([("edit", ".ci/**", "deny")], Asked(Answer.always("*")))
        decide(permissions, edit("a.py"))
        assert problem(permissions, edit(".ci/run.yml")).details["reason"] == "rule"

    def test_the_same_always_twice_is_one_rule(self) -> None:
        permissions = Permissions()
        permissions.remember("edit", "a", "b")
        permissions.remember("edit", "b")
        assert permissions.always == (Rule("edit", "a", "allow"), Rule("edit", "b", "allow"))

    @pytest.mark.parametrize(
        ("approver", "said"),
        [
            (Callback(lambda _: 1 / 0), "ZeroDivisionError"),  # type: ignore[arg-type, return-value]
            (Callback(lambda _: None), "TypeError: the function returned None"),  # type: ignore[arg-type, return-value]
            (Asked("yes"), "TypeError: expected an Answer; found 'yes'"),  # type: ignore[arg-type]
            (Asked(Answer("withdrawn")), "ValueError: expected an answer of once"),
            (Asked(Answer.always("~/x")), "ValueError: The rules are invalid"),
            (Asked(Answer.some({"b.py": [1]})), "ValueError: the request has no file 'b.py', but 'a.py'"),
            (object(), "AttributeError"),
        ],
    )
    def test_an_approver_that_fails_has_not_allowed_anything(self, approver: Approver, said: str) -> None:
        permissions = Permissions(approver=approver)
        found = problem(permissions, edit("a.py"))
        assert (found.code, found.details["reason"]) == ("rejected", "approver")
        assert said in found.message
        assert (permissions.pending, permissions.always) == ((), ())

    def test_nobody_answers_in_time(self) -> None:
        queue = ApprovalQueue()
        permissions = Permissions(approver=queue, timeout=0.002)
        found = problem(permissions, edit("a.py"))
        assert (found.code, found.details["seconds"], found.recoverable) == ("timeout", 0.002, True)
        assert (permissions.pending, queue.pending()) == ((), ())

    def test_with_its_caller_a_question_is_taken_back(self) -> None:
        async def main() -> None:
            queue = ApprovalQueue()
            permissions = Permissions(approver=queue)
            call = asyncio.create_task(permissions.check(edit("a.py")))
            await anext(aiter(queue))
            assert permissions.pending == queue.pending() == (edit("a.py"),)
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            assert permissions.pending == queue.pending() == ()

        asyncio.run(main())

    def test_requests_that_an_always_covers_are_answered_with_it_and_others_wait_on(self) -> None:
        async def main() -> None:
            queue = ApprovalQueue()
            permissions = Permissions([("edit", "src/denied.py", "deny")], queue)
            paths = {"1": ["src/a.py"], "2": ["src/b.py"], "3": ["docs/a.md"], "4": ["src/c.py", "docs/b.md"]}
            asked = {name: edit(*listed, request_id=name) for name, listed in paths.items()}
            calls = {name: asyncio.create_task(permissions.check(one)) for name, one in asked.items()}
            open_ones = aiter(queue)
            assert [(await anext(open_ones)).id for _ in calls] == ["1", "2", "3", "4"]
            queue.reply("1", Answer.always("src/**"))
            assert await calls["1"] == Decision(asked["1"], Answer.always("src/**"))
            assert await calls["2"] == Decision(asked["2"], Answer.always("src/**"))
            assert [request.id for request in queue.pending()] == ["3", "4"]
            queue.reply("4", Answer.once())
            queue.reply("3", Answer.reject("not the docs"))
            assert await calls["4"] == Decision(asked["4"], Answer.once())
            with pytest.raises(PatchRejectedError, match="not the docs"):
                await calls["3"]

        asyncio.run(main())


class TestEvents:
    def events(self, permissions: Permissions, bus: Bus, request: Request) -> list[Event]:
        async def main() -> list[Event]:
            heard: list[Event] = []
            bus.subscribe(heard.append)
            with suppress(PatchRejectedError):
                await permissions.check(request)
            assert await bus.drain(60)
            return heard

        return asyncio.run(main())

    @pytest.mark.parametrize("answer", [Answer.once(), Answer.always("a*"), Answer.reject("no")])
    def test_a_question_and_its_answer_are_told(self, answer: Answer) -> None:
        bus, request = Bus(), edit("a.py")
        heard = self.events(Permissions(approver=Asked(answer), bus=bus), bus, request)
        assert heard == [PermissionAsked(request), PermissionReplied("r1", answer)]

    def test_a_question_that_ran_out_of_time_is_told_as_withdrawn(self) -> None:
        bus, request = Bus(), edit("a.py")
        heard = self.events(Permissions((), ApprovalQueue(), bus, 0.001), bus, request)
        (asked, replied) = heard
        assert isinstance(asked, PermissionAsked)
        assert asked.request.deadline > 0
        assert asked.request.replace(deadline=0.0) == request
        assert replied == PermissionReplied("r1", Answer("withdrawn", "timeout"))

    def test_what_the_rules_decide_is_no_question(self) -> None:
        for action in ("allow", "deny"):
            bus = Bus()
            assert self.events(Permissions([("edit", "*", action)], AllowAll(), bus), bus, edit("a.py")) == []

    def test_a_cancelled_question_is_told_as_withdrawn(self) -> None:
        async def main() -> list[Event]:
            bus, heard = Bus(), list[Event]()
            bus.subscribe(heard.append)
            queue = ApprovalQueue()
            call = asyncio.create_task(Permissions((), queue, bus).check(edit("a.py")))
            await anext(aiter(queue))
            call.cancel()
            await asyncio.wait([call])
            assert await bus.drain(60)
            return heard

        assert asyncio.run(main()) == [
            PermissionAsked(edit("a.py")),
            PermissionReplied("r1", Answer("withdrawn", "cancelled")),
        ]
