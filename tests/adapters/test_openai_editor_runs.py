"""The hosted `apply_patch` tool of the OpenAI Agents SDK in whole runs with a scripted model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.adapters.conftest import APP, LONG

from suture.agent import Answer, Callback

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.adapters.driver import Call

    from suture.agent import Request

pytest.importorskip("agents")
from agents import ApplyPatchTool
from tests.adapters.drive_openai_agents import HostedDriver

from suture.adapters.openai_agents import SutureEditor

ALLOW = [("edit", "*", "allow")]
HELLO = APP.replace("'Hi '", "'Hello '")
TWO = LONG.replace("line 2\n", "two\n")
NINETEEN = LONG.replace("line 19\n", "nineteen\n")


def operation(kind: str, path: str, diff: str = "") -> Call:
    return "apply_patch", {"type": kind, "path": path, **({"diff": diff} if diff else {})}


GREET = operation("update_file", "app.py", "@@\n-    print('Hi ' + name)\n+    print('Hello ' + name)\n")
WRONG = operation("update_file", "app.py", "@@\n-nothing like it\n+x\n")
ENDS = operation("update_file", "long.txt", "@@\n line 1\n-line 2\n+two\n@@\n-line 19\n+nineteen\n line 20\n")
CREATE = operation("create_file", "new.txt", "+new\n")
DELETE = operation("delete_file", "new.txt")


class EditorDriver(HostedDriver):
    """An agent whose tool has an editor and asks nobody by itself."""

    def choose(self) -> list[Any]:
        return [ApplyPatchTool(editor=SutureEditor(self.session))]


@pytest.fixture
def drive(folder: Path) -> Iterator[Callable[..., Any]]:
    made: list[HostedDriver] = []

    def make(kind: type[HostedDriver], **settings: Any) -> HostedDriver:
        made.append(kind(folder, **settings))
        return made[-1]

    yield make
    for one in made:
        one.close()


def test_a_run_creates_updates_and_deletes_and_goes_on_after_a_failure(drive: Callable[..., Any]) -> None:
    driver = drive(EditorDriver, rules=ALLOW)
    turn = driver.start([GREET, CREATE], [WRONG], [DELETE])
    assert driver.statuses() == ["completed", "completed", "failed", "completed"]
    assert "nothing like it" in turn.results[2].text
    assert (driver.text(), (driver.root / "new.txt").exists()) == (HELLO, False)
    assert driver.result.final_output == "done"


def test_an_operation_that_nobody_was_asked_about_fails_and_says_so(drive: Callable[..., Any]) -> None:
    driver = drive(EditorDriver)
    turn = driver.start([GREET])
    assert (turn.questions, driver.statuses(), driver.text()) == ([], ["failed"], APP)
    assert "no approval for exactly this" in turn.results[0].text


def test_a_rule_denies_an_operation(drive: Callable[..., Any]) -> None:
    driver = drive(EditorDriver, rules=[*ALLOW, ("edit", "app.py", "deny")])
    turn = driver.start([GREET])
    assert (driver.statuses(), driver.text()) == (["failed"], APP)
    assert "rule" in turn.results[0].text


def test_the_approver_of_the_session_is_asked(drive: Callable[..., Any]) -> None:
    async def ask(request: Request) -> Answer:
        assert request.files[0].path == "long.txt"
        return Answer.some({"long.txt": [1]}, "Only this.")

    driver = drive(EditorDriver, approver=Callback(ask))
    turn = driver.start([ENDS])
    assert (driver.statuses(), driver.text("long.txt")) == (["completed"], TWO)
    assert "Only this." in turn.results[0].text


def test_each_operation_has_its_own_question_and_answer(drive: Callable[..., Any]) -> None:
    driver = drive(HostedDriver)
    turn = driver.start([GREET, ENDS, CREATE])
    assert [one["files"][0]["path"] for one in turn.questions] == ["app.py", "long.txt", "new.txt"]
    answers = [Answer.reject("Keep it short."), Answer.some({"long.txt": [2]}, "Only the end."), Answer.once()]
    turn = driver.answer(*answers)
    assert turn.questions == []
    said = {name: text for name in ("Keep it short.", "Only the end.") for text, _ in turn.results if name in text}
    assert set(said) == {"Keep it short.", "Only the end."}
    assert sorted(driver.statuses()) == ["completed", "completed", "failed"]
    assert (driver.text(), driver.text("long.txt"), driver.text("new.txt")) == (APP, NINETEEN, "new\n")


def test_of_two_equal_operations_the_one_that_was_approved_is_run(drive: Callable[..., Any]) -> None:
    driver = drive(HostedDriver)
    driver.start([GREET, GREET])
    turn = driver.answer(Answer.reject("Once is enough."), Answer.once())
    assert (turn.questions, driver.text()) == ([], HELLO)
    assert sorted(driver.statuses()) == ["completed", "failed"]


def test_a_file_that_changed_after_the_question_is_not_written(drive: Callable[..., Any]) -> None:
    driver = drive(HostedDriver)
    driver.start([ENDS])
    changed = LONG.replace("line 10\n", "ten\n")
    driver.put("long.txt", changed)
    turn = driver.answer(Answer.once())
    assert (driver.text("long.txt"), driver.statuses()) == (changed, ["failed"])
    assert "has changed since" in turn.results[0].text


def test_a_stored_run_is_answered_in_another_process(drive: Callable[..., Any]) -> None:
    driver = drive(HostedDriver, id="one")
    driver.start([ENDS])
    driver.save()
    said = driver.answer_elsewhere("openai-agents-hosted", Answer.some({"long.txt": [1]}, "Only this."))
    assert (said["questions"], driver.text("long.txt")) == (0, TWO)
    assert "Only this." in said["text"]


def test_a_stored_run_and_its_questions_stay_small_where_files_are_large(drive: Callable[..., Any]) -> None:
    driver = drive(HostedDriver)
    large = "".join(f"value_{number} = {number}\n" for number in range(20_000))
    driver.put("large.py", large)
    driver.start([operation("update_file", "large.py", "@@\n-value_7 = 7\n+value_7 = 8\n")])
    assert len(driver.save()) < 20_000
    turn = driver.answer(Answer.once())
    assert (driver.text("large.py"), len(turn.results[0].text) < 1000) == (large.replace("= 7\n", "= 8\n", 1), True)
    added = "".join(f"+{line}\n" for line in large.splitlines())
    turn = drive(HostedDriver).start([operation("create_file", "copy.py", added)])
    assert turn.questions == []
    assert "the change is too large to be shown to the user" in turn.results[0].text
