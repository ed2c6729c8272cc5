"""Permissions in a session: what is asked, what comes of each answer, and that nothing is left by who gave up."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from tests.shared.agents import ALLOW, APP, READ, Agent, code, edit
from tests.shared.sites import envelope, updated

from suture import PatchRejectedError, Session
from suture.agent import AllowAll, Answer, ApprovalQueue, Callback, PermissionAsked, PermissionReplied, Request

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    from suture.agent import Result

LONG = "".join(f"line {number}\n" for number in range(1, 21))


def reason(result: Result) -> object:
    assert code(result) == "rejected"
    return result.metadata["problems"][0]["details"]["reason"]


def asked(agent: Agent) -> list[Request]:
    return [event.request for event in agent.heard if isinstance(event, PermissionAsked)]


class TestAnswers:
    def test_a_rule_denies(self, tmp_path: Path) -> None:
        agent = Agent(tmp_path, rules=[*ALLOW, ("edit", "src", "deny")])
        result = agent.call(READ, edit())
        assert reason(result) == "rule"
        assert result.output.startswith("src/app.py may not be edited: the rule 'edit src deny' denies it.")
        assert agent.text("src/app.py") == APP

    def test_no_approval_is_stronger_than_a_rule_that_denies(self, tmp_path: Path) -> None:
        everything = Callback(lambda _: Answer.always("*"))
        agent = Agent(tmp_path, rules=[("edit", "src", "deny")], approver=everything, reads={"write": "off"})
        allowed, denied = agent.calls(("write", {"filePath": "new.txt", "content": "x\n"}), READ, edit())[::2]
        assert not allowed.is_error
        assert agent.session.permissions.always != ()
        assert reason(denied) == "rule"
        assert [one.files[0].path for one in asked(agent)] == ["new.txt"]
        assert agent.text("src/app.py") == APP

    def test_what_a_rule_denies_is_not_even_explained(self, tmp_path: Path) -> None:
        agent = Agent(tmp_path, rules=[*ALLOW, ("edit", "src", "deny")], reads={"edit": "off"})
        patch = envelope(*updated("src/app.py", "    print('Hi  ' + nam)", "x"))
        for call in (edit("print('Hi ' + nam"), ("apply_patch", {"patchText": patch, "dryRun": True})):
            result = agent.call(call)
            assert reason(result) == "rule"
            assert "print" not in result.output

    def test_the_prefix_of_a_diff_is_no_way_around_a_rule(self, tmp_path: Path) -> None:
        agent = Agent(tmp_path, rules=[*ALLOW, ("edit", "src", "deny")])
        patch = envelope(*updated("a/src/app.py", "    print('Hi  ' + nam)", "x"))
        result = agent.call(("apply_patch", {"patchText": patch}))
        assert reason(result) == "rule"
        assert "print" not in result.output

    def test_without_rules_and_approver_nobody_can_be_asked(self, tmp_path: Path) -> None:
        result = Agent(tmp_path, rules=()).call(READ, edit())
        assert reason(result) == "nobody"
        assert "the setting approver" in result.output

    def test_a_person_refuses(self, tmp_path: Path) -> None:
        assert (
            reason(Agent(tmp_path, rules=(), approver=Callback(lambda _: Answer.reject())).call(READ, edit()))
            == "person"
        )

    def test_a_person_refuses_with_a_message(self, tmp_path: Path) -> None:
        agent = Agent(tmp_path, rules=(), approver=Callback(lambda _: Answer.reject("Say good day instead.")))
        result = agent.call(READ, edit())
        assert "said: Say good day instead." in result.output
        assert agent.text("src/app.py") == APP

    def test_once_is_asked_each_time(self, tmp_path: Path) -> None:
        agent = Agent(tmp_path, rules=(), approver=AllowAll())
        agent.call(READ, edit(), edit("'Hello '", "'Hey '"))
        assert len(asked(agent)) == 2

    def test_always_is_asked_once(self, tmp_path: Path) -> None:
        agent = Agent(tmp_path, rules=(), approver=Callback(lambda _: Answer.always("src/**")))
        result = agent.call(READ, edit(), edit("'Hello '", "'Hey '"))
        assert not result.is_error
        assert len(asked(agent)) == 1

    def test_a_message_with_a_yes_reaches_the_model(self, tmp_path: Path) -> None:
        agent = Agent(tmp_path, rules=(), approver=Callback(lambda _: Answer.once("Run the tests.")))
        assert agent.call(READ, edit()).output.endswith("The user said: Run the tests.")

    def test_some_hunks(self, tmp_path: Path) -> None:
        agent = Agent(tmp_path, rules=(), approver=Callback(lambda _: Answer.some({"long.txt": [2]})))
        agent.put("long.txt", LONG)
        after = LONG.replace("line 2\n", "two\n").replace("line 19\n", "nineteen\n")
        result = agent.call(("read", {"filePath": "long.txt"}), ("write", {"filePath": "long.txt", "content": after}))
        assert agent.text("long.txt") == LONG.replace("line 19\n", "nineteen\n")
        assert result.output.startswith("Applied in part.\nM long.txt +1 -1\n")
        assert "long.txt: hunk 1 of 2\n" in result.output
        assert result.metadata["filediff"]["after"] == agent.text("long.txt")

    def test_some_hunks_of_a_file_in_another_encoding(self, tmp_path: Path) -> None:
        some = Callback(lambda _: Answer.some({"a.txt": [1]}))
        agent = Agent(tmp_path, rules=(), approver=some, settings={"encoding": "latin-1"})
        agent.put("a.txt", ("café 0\n" + LONG).encode("latin-1"))
        after = ("café 1\n" + LONG).replace("line 19\n", "nineteen\n")
        agent.call(("read", {"filePath": "a.txt"}), ("write", {"filePath": "a.txt", "content": after}))
        assert (agent.root / "a.txt").read_bytes() == ("café 1\n" + LONG).encode("latin-1")

    def test_some_files(self, tmp_path: Path) -> None:
        agent = Agent(tmp_path, rules=(), approver=Callback(lambda _: Answer.some({"a.txt": "all"})))
        patch = envelope("*** Add File: a.txt", "+a", "*** Add File: b.txt", "+b")
        result = agent.call(("apply_patch", {"patchText": patch}))
        assert "b.txt: not changed" in result.output
        assert (agent.root / "a.txt").exists()
        assert not (agent.root / "b.txt").exists()

    def test_nobody_answers_in_time(self, tmp_path: Path) -> None:
        agent = Agent(tmp_path, rules=(), approver=ApprovalQueue(), approval_timeout=0.05)
        result = agent.call(READ, edit())
        assert code(result) == "timeout"
        assert agent.text("src/app.py") == APP

    def test_an_approver_that_fails_counts_as_a_no(self, tmp_path: Path) -> None:
        agent = Agent(tmp_path, rules=(), approver=Callback(lambda _: 1 / 0))  # type: ignore[arg-type, return-value]
        assert reason(agent.call(READ, edit())) == "approver"


class TestTheQuestion:
    def test_it_has_every_file_its_kind_its_counts_and_its_diff(self, tmp_path: Path) -> None:
        agent = Agent(tmp_path, rules=(), approver=AllowAll(), actor="agent 7")
        patch = envelope("*** Add File: a.txt", "+a", *updated("src/app.py", "    print('Hi ' + name)", "    pass"))
        agent.call(("apply_patch", {"patchText": patch}))
        (request,) = asked(agent)
        assert (request.permission, request.tool, request.actor) == ("edit", "apply_patch", "agent 7")
        assert (request.patterns, request.always) == (("a.txt", "src/app.py"),) * 2
        assert request.lines == ("add a.txt +1 -0", "update src/app.py +1 -1")
        assert request.files[1].resolved == str(agent.root / "src" / "app.py")
        assert "-    print('Hi ' + name)" in request.files[1].diff

    def test_every_question_is_told_with_its_answer(self, tmp_path: Path) -> None:
        agent = Agent(tmp_path, rules=(), approver=Callback(lambda _: Answer.reject("no")))
        agent.call(READ, edit())
        ask, reply = agent.heard
        assert isinstance(ask, PermissionAsked)
        assert reply == PermissionReplied(ask.request.id, Answer.reject("no"))

    def test_nothing_is_asked_for_what_can_not_be_done(self, tmp_path: Path) -> None:
        agent = Agent(tmp_path, rules=(), approver=AllowAll())
        agent.call(edit(), READ, edit("lost()", "x"), edit("x", "x"))
        assert agent.heard == []

    def test_nothing_is_written_while_it_waits_and_a_change_meanwhile_is_noticed(self, tmp_path: Path) -> None:
        agent = Agent(tmp_path, rules=())

        def meanwhile(_: Request) -> Answer:
            assert agent.text("src/app.py") == APP
            agent.put("src/app.py", "theirs\n")
            return Answer.once()

        agent.session.permissions.approver = Callback(meanwhile)
        assert code(agent.call(READ, edit())) == "conflict"
        assert agent.text("src/app.py") == "theirs\n"

    def test_several_wait_at_once_and_are_answered_in_any_order(self, tmp_path: Path) -> None:
        queue = ApprovalQueue()
        agent = Agent(tmp_path, rules=(), approver=queue)

        async def work(session: Session) -> list[Result]:
            calls = [session.call("write", {"filePath": f"{name}.txt", "content": name}) for name in "abc"]
            tasks = [asyncio.ensure_future(call) for call in calls]
            requests: dict[str, Request] = {}
            async for request in queue:
                requests[request.files[0].path] = request
                if len(requests) == 3:
                    break
            assert {one.id for one in session.permissions.pending} == {one.id for one in requests.values()}
            queue.reply(requests["c.txt"].id, Answer.once())
            queue.reply(requests["a.txt"].id, Answer.reject())
            queue.reply(requests["b.txt"].id, Answer.once())
            return await asyncio.gather(*tasks)

        assert [result.is_error for result in agent.run(work)] == [True, False, False]
        assert sorted(path.name for path in agent.root.glob("*.txt")) == ["b.txt", "c.txt"]

    def test_a_cancelled_caller_leaves_nothing(self, tmp_path: Path) -> None:
        queue = ApprovalQueue()
        agent = Agent(tmp_path, rules=(), approver=queue)

        async def work(session: Session) -> Any:
            await session.read("src/app.py")
            task = asyncio.create_task(session.edit("src/app.py", "'Hi '", "'Hello '"))
            await anext(aiter(queue))
            task.cancel()
            await asyncio.wait([task])
            assert task.cancelled()
            assert session.permissions.pending == queue.pending() == ()
            # The file's queue is free again.
            session.permissions.approver = AllowAll()
            return await session.edit("src/app.py", "'Bye '", "'See you '")

        assert not agent.run(work).is_error
        assert agent.text("src/app.py") == APP.replace("'Bye '", "'See you '")
        replies = [event.answer.kind for event in agent.heard if isinstance(event, PermissionReplied)]
        assert replies == ["withdrawn", "once"]


class TestOutside:
    @pytest.fixture
    def other(self, tmp_path: Path) -> Path:
        (tmp_path / "other").mkdir()
        (tmp_path / "other" / "a.txt").write_text("one\n")
        return tmp_path / "other"

    def calls(self, other: Path) -> list[tuple[str, Any]]:
        path = str(other / "a.txt")
        return [("read", {"filePath": path}), edit("one", "two", path)]

    def test_another_folder_needs_a_permission_of_its_own(self, tmp_path: Path, other: Path) -> None:
        agent = Agent(tmp_path, settings={"extra_roots": [other]}, rules=[("edit", "*", "allow")])
        for result in agent.calls(*self.calls(other)):
            assert reason(result) in ("nobody", "rule")
            assert "outside" in result.output

    def test_with_it_both_are_asked(self, tmp_path: Path, other: Path) -> None:
        agent = Agent(tmp_path, settings={"extra_roots": [other]}, rules=(), approver=AllowAll())
        result = agent.call(*self.calls(other))
        assert not result.is_error
        assert [one.permission for one in asked(agent)] == ["external_directory", "external_directory", "edit"]
        assert asked(agent)[0].always == (f"{other}/**",)
        assert (other / "a.txt").read_text() == "two\n"

    def test_of_a_folder_that_is_listed_not_more_is_asked_for_than_that_folder(
        self, tmp_path: Path, other: Path
    ) -> None:
        always = Callback(lambda _: Answer.always())
        agent = Agent(tmp_path, settings={"extra_roots": [other]}, rules=(), approver=always)
        first, second = agent.calls(("read", {"filePath": str(other)}), ("read", {"filePath": str(other / "a.txt")}))
        assert not first.is_error
        assert not second.is_error
        (request,) = asked(agent)
        assert request.patterns == request.always == (str(other), f"{other}/**")
        assert request.lines == (f"list {other}",)

    @pytest.mark.parametrize("name", ["*", "?", "a b", "**", "a\\\\*", "[x]"])
    def test_an_answer_for_a_folder_with_an_odd_name_does_not_cover_its_siblings(
        self, tmp_path: Path, other: Path, name: str
    ) -> None:
        for folder in (name, "a", "b"):
            (other / folder / "deep").mkdir(parents=True, exist_ok=True)
            (other / folder / "x").write_text("x\n")
            (other / folder / "deep" / "x").write_text("x\n")
        agent = Agent(
            tmp_path, settings={"extra_roots": [other]}, rules=(), approver=Callback(lambda _: Answer.always())
        )
        paths = [str(other / path) for path in (f"{name}/x", f"{name}/deep/x", "a/x", "b/deep/x")]
        results = agent.calls(*[("read", {"filePath": path}) for path in paths])
        assert not any(result.is_error for result in results)
        # The second one is below the first, and is not asked for.
        assert [one.files[0].path for one in asked(agent)] == [paths[0], *paths[2:]]

    def test_rules_allow_it(self, tmp_path: Path, other: Path) -> None:
        rules = [*ALLOW, ("external_directory", f"{other}/**", "allow")]
        agent = Agent(tmp_path, settings={"extra_roots": [other]}, rules=rules)
        assert not agent.call(*self.calls(other)).is_error


class TestReading:
    def test_reading_is_free_where_no_rule_speaks_of_it(self, tmp_path: Path) -> None:
        assert not Agent(tmp_path, rules=()).call(READ).is_error

    def test_a_rule_can_deny_it(self, tmp_path: Path) -> None:
        agent = Agent(tmp_path, rules=[("*", "src", "deny")])
        result = agent.call(READ)
        assert reason(result) == "rule"
        assert "greet" not in result.output

    def test_a_rule_can_deny_what_a_link_leads_to(self, tmp_path: Path) -> None:
        agent = Agent(tmp_path, rules=[("read", "src", "deny")])
        (agent.root / "link.py").symlink_to("src/app.py")
        assert reason(agent.call(("read", {"filePath": "link.py"}))) == "rule"

    def test_a_rule_can_have_it_asked(self, tmp_path: Path) -> None:
        agent = Agent(tmp_path, rules=[("read", "*", "ask")], approver=AllowAll())
        assert not agent.call(READ).is_error
        assert [one.permission for one in asked(agent)] == ["read"]

    def test_a_method_raises(self, tmp_path: Path) -> None:
        with pytest.raises(PatchRejectedError):
            Agent(tmp_path, rules=[("read", "*", "deny")]).run(lambda session: session.read("src/app.py"))
