"""A call that ends where somebody has to be asked, and goes on later, also in another process."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from tests.shared.agents import ALLOW, APP, READ, Agent, code, edit

from suture import Session, Workspace
from suture.agent import AllowAll, Answer, Callback, Pending, PermissionAsked, PermissionReplied, Preview, Result
from suture.workspace import MemoryFiles

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

HELLO = APP.replace("'Hi '", "'Hello '")
LONG = "".join(f"line {number}\n" for number in range(1, 21))
TWO_HUNKS = LONG.replace("line 2\n", "two\n").replace("line 19\n", "nineteen\n")

#: A program that resumes a stored call with a stored answer and prints the outcome.
RESUME = """
import asyncio, sys
from pathlib import Path
from suture import Session, Workspace
from suture.agent import PermissionAsked, PermissionReplied
from suture.agent import Answer
from suture.agent import Pending

root, state, folder = sys.argv[1:]
pending = Pending.from_json(Path(folder, "pending.json").read_text())
answer = Answer.from_json(Path(folder, "answer.json").read_text())

async def main():
    events = []
    with Workspace(root, state_dir=state, durability="process") as workspace:
        async with Session(workspace) as session:
            session.bus.subscribe(events.append)
            outcome = await session.resume(pending, answer)
            await session.bus.drain(5)
    names = " ".join(type(event).__name__ for event in events)
    print(type(outcome).__name__, getattr(outcome, "is_error", ""), names)
    print(getattr(outcome, "output", ""))

asyncio.run(main())
"""


def start(agent: Agent, *calls: tuple[str, Any]) -> Any:
    """Start calls one after another; the last outcome."""

    async def work(session: Session) -> Any:
        return [await session.start(*one) for one in calls][-1]

    return agent.run(work)


def resume(agent: Agent, pending: Pending, answer: Answer) -> Any:
    """Resume a call in another session of the same workspace."""
    other = Agent(agent.folder, rules=())
    agent.heard = other.heard
    return other.run(lambda session: session.resume(pending, answer))


def pending_edit(folder: Path) -> tuple[Agent, Pending]:
    agent = Agent(folder, rules=())
    pending = start(agent, READ, edit())
    assert isinstance(pending, Pending)
    return agent, pending


class TestStart:
    def test_a_call_that_needs_no_answer_runs_to_its_end(self, tmp_path: Path) -> None:
        agent = Agent(tmp_path)
        result = start(agent, READ, edit())
        assert (result.is_error, agent.text("src/app.py")) == (False, HELLO)

    def test_a_call_that_needs_an_answer_ends_there_and_nothing_is_written(self, tmp_path: Path) -> None:
        agent, pending = pending_edit(tmp_path)
        assert (pending.tool, pending.request.tool, agent.text("src/app.py")) == ("edit", "edit", APP)
        assert pending.request.lines == ("update src/app.py +1 -1",)
        assert (pending.request.session, pending.request.workspace) == (agent.session.id, str(agent.root))
        assert pending.request.time > 0

    def test_the_approver_of_the_session_is_not_asked(self, tmp_path: Path) -> None:
        agent = Agent(tmp_path, rules=(), approver=AllowAll())
        assert isinstance(start(agent, READ, edit()), Pending)

    def test_a_refusal_is_an_answer_for_the_model(self, tmp_path: Path) -> None:
        agent = Agent(tmp_path, rules=())
        assert code(start(agent, edit())) == "not_read"
        assert code(start(Agent(tmp_path, rules=()), ("edit", "{"))) == "invalid_arguments"

    def test_a_denied_call_is_refused_and_not_pending(self, tmp_path: Path) -> None:
        agent = Agent(tmp_path, rules=[("edit", "src", "deny")])
        assert code(start(agent, READ, edit())) == "rejected"

    def test_a_read_that_a_rule_asks_about_can_wait_too(self, tmp_path: Path) -> None:
        agent = Agent(tmp_path, rules=[("read", "*", "ask")])
        pending = start(agent, READ)
        assert pending.request.permission == "read"
        assert "greet" in resume(agent, pending, Answer.once()).output

    def test_while_a_call_is_pending_others_on_its_file_go_on(self, tmp_path: Path) -> None:
        async def work(session: Session) -> tuple[object, Result]:
            await session.read("src/app.py")
            first = await session.start(*edit())
            return first, await session.read("src/app.py")

        first, second = Agent(tmp_path, rules=()).run(work)
        assert (type(first), second.is_error) == (Pending, False)


class TestResume:
    def test_an_approved_call_is_done(self, tmp_path: Path) -> None:
        agent, pending = pending_edit(tmp_path)
        result = resume(agent, pending, Answer.once("Run the tests."))
        assert (result.is_error, agent.text("src/app.py")) == (False, HELLO)
        assert "The user said: Run the tests." in result.output

    def test_a_rejected_call_is_not(self, tmp_path: Path) -> None:
        agent, pending = pending_edit(tmp_path)
        result = resume(agent, pending, Answer.reject("Keep it."))
        assert (code(result), agent.text("src/app.py")) == ("rejected", APP)
        assert "said: Keep it." in result.output

    @pytest.mark.parametrize("answer", [Answer.unreachable(), Answer.unreachable("offline"), Answer.decline("policy")])
    def test_no_message_says_that_a_person_refused_where_none_did(self, answer: Answer, tmp_path: Path) -> None:
        agent, pending = pending_edit(tmp_path)
        result = resume(agent, pending, answer)
        assert code(result) == "rejected"
        assert "user rejected" not in result.output
        assert "user said" not in result.output

    def test_chosen_hunks_are_applied(self, tmp_path: Path) -> None:
        agent = Agent(tmp_path, rules=())
        agent.put("long.txt", LONG)
        write = ("write", {"filePath": "long.txt", "content": TWO_HUNKS})
        pending = start(agent, ("read", {"filePath": "long.txt"}), write)
        result = resume(agent, pending, Answer.some({"long.txt": [2]}))
        assert agent.text("long.txt") == LONG.replace("line 19\n", "nineteen\n")
        assert result.output.startswith("Applied in part.")

    def test_an_answer_for_other_hunks_is_an_error_of_the_program(self, tmp_path: Path) -> None:
        agent, pending = pending_edit(tmp_path)
        with pytest.raises(ValueError, match="no hunk 7"):
            resume(agent, pending, Answer.some({"src/app.py": [7]}))

    def test_always_holds_for_the_session_that_resumes(self, tmp_path: Path) -> None:
        async def work(session: Session) -> list[object]:
            await session.read("src/app.py")
            pending = await session.start(*edit())
            assert isinstance(pending, Pending)
            return [await session.resume(pending, Answer.always("src/**")), await session.start(*edit("'Bye '", "''"))]

        first, second = Agent(tmp_path, rules=()).run(work)
        assert isinstance(first, Result)
        assert isinstance(second, Result)

    def test_a_second_answer_to_the_same_request_is_refused(self, tmp_path: Path) -> None:
        async def work(session: Session) -> Result | Pending:
            await session.read("src/app.py")
            pending = await session.start(*edit())
            assert isinstance(pending, Pending)
            await session.resume(pending, Answer.once())
            return await session.resume(pending, Answer.once())

        result = Agent(tmp_path, rules=()).run(work)
        assert (code(result), result.metadata["problems"][0]["details"]["reason"]) == ("rejected", "answered")

    def test_a_resume_that_was_cancelled_can_be_done_again(self, tmp_path: Path) -> None:
        async def work(session: Session) -> Result | Pending:
            await session.read("src/app.py")
            pending = await session.start(*edit())
            assert isinstance(pending, Pending)
            task = asyncio.ensure_future(session.resume(pending, Answer.once()))
            await asyncio.sleep(0)
            task.cancel()
            await asyncio.wait([task])
            assert task.cancelled()
            return await session.resume(pending, Answer.once())

        agent = Agent(tmp_path, rules=())
        assert not agent.run(work).is_error
        assert agent.text("src/app.py") == HELLO

    def test_a_call_with_two_questions_is_pending_twice(self, tmp_path: Path) -> None:
        extra = tmp_path / "extra"
        extra.mkdir()
        settings = {"extra_roots": [extra]}
        patch = f"*** Begin Patch\n*** Add File: {extra}/new.txt\n+new\n*** End Patch"
        agent = Agent(tmp_path, rules=(), settings=settings)
        first = start(agent, ("apply_patch", {"patchText": patch}))
        assert first.request.permission == "external_directory"
        second = Agent(tmp_path, rules=(), settings=settings).run(lambda s: s.resume(first, Answer.once()))
        assert (second.request.permission, second.replaces) == ("edit", "")
        assert list(second.answers) == [first.fingerprint]
        stored = Pending.from_json(second.to_json())
        assert stored == second
        result = Agent(tmp_path, rules=(), settings=settings).run(lambda s: s.resume(stored, Answer.once()))
        assert not result.is_error
        assert (extra / "new.txt").read_text() == "new\n"


class TestApprovalForOtherContent:
    def test_a_file_that_has_changed_is_asked_about_again(self, tmp_path: Path) -> None:
        agent = Agent(tmp_path, rules=(), reads={"edit": "off"})
        pending = start(agent, edit())
        agent.put("src/app.py", APP + "# changed\n")
        other = Agent(tmp_path, rules=(), reads={"edit": "off"})
        again = other.run(lambda session: session.resume(pending, Answer.once()))
        assert isinstance(again, Pending)
        assert (again.replaces, again.tool, again.arguments) == (pending.request.id, pending.tool, pending.arguments)
        assert again.fingerprint != pending.fingerprint
        assert again.request.id != pending.request.id
        assert agent.text("src/app.py") == APP + "# changed\n"
        assert not resume(agent, again, Answer.once()).is_error
        assert agent.text("src/app.py") == HELLO + "# changed\n"

    def test_a_file_that_must_be_read_is_stale_then(self, tmp_path: Path) -> None:
        agent, pending = pending_edit(tmp_path)
        agent.put("src/app.py", APP + "# changed\n")
        result = resume(agent, pending, Answer.once())
        assert code(result) == "stale_file"
        assert "the approval was not used" in result.output

    def test_an_edit_that_no_longer_fits_is_explained(self, tmp_path: Path) -> None:
        agent = Agent(tmp_path, rules=(), reads={"edit": "off"})
        pending = start(agent, edit())
        agent.put("src/app.py", "nothing\n")
        other = Agent(tmp_path, rules=(), reads={"edit": "off"})
        result = other.run(lambda session: session.resume(pending, Answer.once()))
        assert code(result) == "old_text_not_found"
        assert "the approval was not used" in result.output

    @pytest.mark.parametrize(
        "change",
        [
            {"arguments": {"filePath": "src/app.py", "oldString": "'Hi '", "newString": "'Evil '"}},
            {"arguments": {"filePath": "other.py", "oldString": "'Hi '", "newString": "'Hello '"}},
            {
                "tool": "multiedit",
                "arguments": {"filePath": "src/app.py", "edits": [{"oldString": "a", "newString": ""}]},
            },
            {"fingerprint": "0" * 64},
        ],
        ids=["content", "path", "tool", "fingerprint"],
    )
    def test_an_approval_counts_for_nothing_else(self, change: dict[str, Any], tmp_path: Path) -> None:
        agent, pending = pending_edit(tmp_path)
        agent.put("other.py", APP)
        outcome = resume(agent, pending.replace(**change), Answer.once())
        assert isinstance(outcome, Pending) or outcome.is_error
        assert (agent.text("src/app.py"), agent.text("other.py")) == (APP, APP)

    def test_a_rule_that_allows_by_now_does_not_widen_an_answer(self, tmp_path: Path) -> None:
        agent = Agent(tmp_path, rules=(), reads={"edit": "off"})
        pending = start(agent, edit())
        agent.put("src/app.py", APP + "# changed\n")
        other = Agent(tmp_path, rules=ALLOW, reads={"edit": "off"})
        again = other.run(lambda session: session.resume(pending, Answer.some({"src/app.py": "all"})))
        assert isinstance(again, Pending)

    def test_a_rule_that_denies_by_now_wins(self, tmp_path: Path) -> None:
        agent, pending = pending_edit(tmp_path)
        other = Agent(tmp_path, rules=[("edit", "src", "deny")])
        result = other.run(lambda session: session.resume(pending, Answer.once()))
        assert (code(result), agent.text("src/app.py")) == ("rejected", APP)

    def test_the_same_text_in_a_binary_file_is_told_apart(self, tmp_path: Path) -> None:
        agent = Agent(tmp_path, rules=(), reads={"delete": "off"})
        agent.put("data.bin", b"\0one")
        pending = start(agent, ("delete", {"filePath": "data.bin"}))
        assert pending.request.files[0].diff == ""
        agent.put("data.bin", b"\0two")
        other = Agent(tmp_path, rules=(), reads={"delete": "off"})
        assert isinstance(other.run(lambda session: session.resume(pending, Answer.once())), Pending)

    def test_a_file_that_was_only_touched_has_not_changed(self, tmp_path: Path) -> None:
        agent, pending = pending_edit(tmp_path)
        agent.put("src/app.py", APP)
        assert not resume(agent, pending, Answer.once()).is_error


class TestPreview:
    @pytest.mark.parametrize(
        ("rules", "call", "action"),
        [
            (ALLOW, edit(), "allow"),
            ((), edit(), "ask"),
            ([("edit", "src", "deny")], edit(), "deny"),
            (ALLOW, edit("lost()"), "fail"),
            (ALLOW, ("edit", {}), "fail"),
            ((), READ, "allow"),
            ([("read", "*", "ask")], READ, "ask"),
            (
                ALLOW,
                ("apply_patch", {"patchText": "*** Begin Patch\n*** Delete File: src/app.py\n*** End Patch"}),
                "fail",
            ),
        ],
    )
    def test_it_says_what_would_happen(self, rules: Any, call: tuple[str, Any], action: str, tmp_path: Path) -> None:
        agent = Agent(tmp_path, rules=rules, reads={"edit": "off"})
        preview = agent.run(lambda session: session.preview(*call))
        assert (preview.action, preview.result.is_error) == (action, action in ("deny", "fail"))
        assert (preview.request is None, preview.fingerprint == "") == (action != "ask", action != "ask")
        assert (agent.text("src/app.py"), agent.heard) == (APP, [])

    def test_it_asks_for_what_start_would_ask(self, tmp_path: Path) -> None:
        async def work(session: Session) -> tuple[Preview, Result | Pending]:
            await session.read("src/app.py")
            return await session.preview(*edit()), await session.start(*edit())

        preview, pending = Agent(tmp_path, rules=()).run(work)
        assert preview.fingerprint == pending.fingerprint
        assert preview.request.files == pending.request.files
        assert "M src/app.py +1 -1" in preview.result.output

    def test_it_counts_as_no_read(self, tmp_path: Path) -> None:
        async def work(session: Session) -> list[Result]:
            for _ in range(3):
                await session.preview(*READ)
                await session.preview(*edit())
            return [await session.call(*edit())]

        (result,) = Agent(tmp_path).run(work)
        assert code(result) == "not_read"
        assert "greet" not in result.output


class TestEvents:
    def test_a_question_is_told_once_and_answered_once(self, tmp_path: Path) -> None:
        agent, pending = pending_edit(tmp_path)
        assert agent.heard == [PermissionAsked(pending.request)]
        resume(agent, pending, Answer.once())
        replies = [event for event in agent.heard if isinstance(event, PermissionAsked | PermissionReplied)]
        assert replies == [PermissionReplied(pending.request.id, Answer.once())]

    def test_a_stale_question_is_withdrawn_before_the_new_one(self, tmp_path: Path) -> None:
        agent = Agent(tmp_path, rules=(), reads={"edit": "off"})
        pending = start(agent, edit())
        agent.put("src/app.py", APP + "# changed\n")
        other = Agent(tmp_path, rules=(), reads={"edit": "off"})
        again = other.run(lambda session: session.resume(pending, Answer.once()))
        assert other.heard == [
            PermissionReplied(pending.request.id, Answer("withdrawn", "stale")),
            PermissionAsked(again.request),
        ]


def test_a_call_with_an_approver_does_the_same_as_the_three_in_a_row(tmp_path: Path) -> None:
    answer = Answer.some({"src/app.py": [1]}, "Fine.")
    whole = Agent(tmp_path / "one", rules=(), approver=Callback(lambda _: answer)).call(READ, edit())
    agent, pending = pending_edit(tmp_path / "two")
    parts = resume(agent, pending, answer)
    assert (parts.output, parts.metadata["diff"]) == (whole.output, whole.metadata["diff"])


class TestOtherProcess:
    def outcome(self, agent: Agent, pending: Pending, answer: Answer) -> list[str]:
        """What a new process makes of a stored call and a stored answer."""
        (agent.folder / "pending.json").write_text(pending.to_json())
        (agent.folder / "answer.json").write_text(answer.to_json())
        command = [sys.executable, "-c", RESUME, str(agent.root), str(agent.folder / "state"), str(agent.folder)]
        process = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60)
        return process.stdout.splitlines()

    def test_a_new_process_goes_on(self, tmp_path: Path) -> None:
        agent, pending = pending_edit(tmp_path)
        first, second, *_ = self.outcome(agent, pending, Answer.once())
        assert first == "Result False PermissionReplied FileEdited FileChanged"
        assert second == "Edit applied successfully."
        assert agent.text("src/app.py") == HELLO

    def test_a_new_process_with_a_new_state_goes_on_too(self, tmp_path: Path) -> None:
        agent, pending = pending_edit(tmp_path)
        agent.workspace.close()
        (tmp_path / "state").rename(tmp_path / "old-state")
        assert self.outcome(agent, pending, Answer.once())[0].startswith("Result False")
        assert agent.text("src/app.py") == HELLO

    def test_a_new_process_applies_the_chosen_hunks(self, tmp_path: Path) -> None:
        agent = Agent(tmp_path, rules=())
        agent.put("long.txt", LONG)
        write = ("write", {"filePath": "long.txt", "content": TWO_HUNKS})
        pending = start(agent, ("read", {"filePath": "long.txt"}), write)
        self.outcome(agent, pending, Answer.some({"long.txt": [1]}))
        assert agent.text("long.txt") == LONG.replace("line 2\n", "two\n")

    def test_a_new_process_notices_that_a_file_has_changed(self, tmp_path: Path) -> None:
        agent, pending = pending_edit(tmp_path)
        agent.put("src/app.py", APP + "# changed\n")
        first, *rest = self.outcome(agent, pending, Answer.once())
        assert first == "Result True PermissionReplied"
        assert "src/app.py has changed since it was read." in rest[0]
        assert agent.text("src/app.py") == APP + "# changed\n"


def test_a_stored_call_that_was_damaged_is_refused() -> None:
    with pytest.raises(ValueError, match="expected a Pending as JSON"):
        Pending.from_json('{"tool": "edit", "arguments": {}, "request": 3, "fingerprint": ""}')


def test_a_pending_call_in_memory_goes_on_too() -> None:
    async def main() -> Result | Pending:
        async with Session(Workspace(MemoryFiles({"a.txt": "one\n"}))) as session:
            pending = await session.start("write", {"filePath": "b.txt", "content": "two\n"})
            assert isinstance(pending, Pending)
            return await session.resume(Pending.from_json(pending.to_json()), Answer.once())

    result = asyncio.run(main())
    assert isinstance(result, Result)
    assert not result.is_error
