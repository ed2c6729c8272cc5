"""What holds in every framework that has its own way to ask: one contract, run with the real packages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.adapters.conftest import APP, LONG

from suture.agent import Answer, Callback

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.adapters.driver import Call, Driver

    from suture.agent import Request

pytestmark = pytest.mark.parametrize(
    "framework", ["pydantic-ai", "langchain", "deepagents", "openai-agents", "openai-agents-freeform", "google-adk"]
)

ALLOW = [("edit", "*", "allow")]
READ: Call = ("read", {"filePath": "app.py"})
EDIT: Call = ("edit", {"filePath": "app.py", "oldString": "'Hi '", "newString": "'Hello '"})
HELLO = APP.replace("'Hi '", "'Hello '")
PATCH: Call = (
    "apply_patch",
    {
        "patchText": """\
*** Begin Patch
*** Update File: long.txt
@@
 line 1
-line 2
+two
 line 3
@@
 line 18
-line 19
+nineteen
 line 20
*** Add File: new.txt
+new
*** End Patch
"""
    },
)
TWO, NINETEEN = LONG.replace("line 2\n", "two\n"), LONG.replace("line 19\n", "nineteen\n")
BOTH = TWO.replace("line 19\n", "nineteen\n")


def test_a_model_reads_and_edits(make: Callable[..., Driver]) -> None:
    driver = make(rules=ALLOW)
    turn = driver.start([READ], [EDIT])
    assert [one.is_error for one in turn.results] == [False, False]
    assert "print('Hi ' + name)" in turn.results[0].text
    assert "success" in turn.results[1].text.lower()
    assert (turn.questions, driver.text()) == ([], HELLO)


def test_a_patch_changes_several_files_or_none(make: Callable[..., Driver]) -> None:
    driver = make(rules=ALLOW)
    broken = {"patchText": PATCH[1]["patchText"].replace("line 19", "line nowhere")}
    turn = driver.start([("apply_patch", broken)], [PATCH])
    assert [one.is_error for one in turn.results] == [driver.marks_errors, False]
    assert "line nowhere" in turn.results[0].text
    assert (driver.text("long.txt"), driver.text("new.txt")) == (BOTH, "new\n")


def test_lines_are_inserted(make: Callable[..., Driver]) -> None:
    driver = make(rules=ALLOW, profile="all")
    if not driver.has_insert:
        pytest.skip("has no such tool")
    turn = driver.start([READ], [("insert", {"filePath": "app.py", "content": "import os\n", "line": 0})])
    assert [one.is_error for one in turn.results] == [False, False]
    assert driver.text() == "import os\n" + APP


def test_a_refusal_is_an_answer_and_the_run_goes_on(make: Callable[..., Driver]) -> None:
    driver = make(rules=ALLOW)
    wrong = [("edit", {"filePath": "app.py", "oldString": f"nothing {n}", "newString": "x"}) for n in range(5)]
    turn = driver.start([READ], *[[one] for one in wrong], [("edit", {"filePath": "app.py"})], [EDIT])
    assert [one.is_error for one in turn.results] == [False, *[driver.marks_errors] * 6, False]
    assert "nothing 3" in turn.results[4].text
    assert driver.missing in turn.results[6].text
    assert driver.text() == HELLO


def test_a_rule_denies_what_nobody_is_asked_about(make: Callable[..., Driver]) -> None:
    driver = make(rules=[*ALLOW, ("edit", "app.py", "deny")])
    turn = driver.start([READ], [EDIT])
    assert (turn.questions, driver.text()) == ([], APP)
    assert turn.results[1].is_error == driver.marks_errors
    assert "rule" in turn.results[1].text


def test_a_question_shows_what_would_change_and_an_approval_writes_it(make: Callable[..., Driver]) -> None:
    driver = make()
    turn = driver.start([READ], [EDIT])
    [question] = turn.questions
    assert question["files"][0]["path"] == "app.py"
    assert "+    print('Hello ' + name)" in question["files"][0]["hunks"][0]
    assert driver.text() == APP
    turn = driver.answer(Answer.once())
    assert (turn.questions, driver.text()) == ([], HELLO)
    assert [one.is_error for one in turn.results] == [False, False]


def test_a_session_with_an_event_loop_of_its_own_works_too(make: Callable[..., Driver]) -> None:
    driver = make(blocks=True)
    driver.start([READ], [EDIT])
    turn = driver.answer(Answer.once())
    assert (turn.questions, driver.text()) == ([], HELLO)
    assert [one.is_error for one in turn.results] == [False, False]


def test_an_approval_in_part_writes_that_part_and_says_so(make: Callable[..., Driver]) -> None:
    driver = make()
    turn = driver.start([PATCH])
    assert [len(file["hunks"]) for file in turn.questions[0]["files"]] == [2, 1]
    turn = driver.answer(Answer.some({"long.txt": [2]}, "Only the end."))
    assert (driver.text("long.txt"), (driver.root / "new.txt").exists()) == (NINETEEN, False)
    assert "approved only a part" in turn.results[0].text
    assert "Only the end." in turn.results[0].text


def test_an_approver_of_the_session_is_asked_instead_of_the_framework(make: Callable[..., Driver]) -> None:
    asked = []

    async def ask(request: Request) -> Answer:
        asked.append(request.subject)
        return Answer.once()

    driver = make(approver=Callback(ask))
    turn = driver.start([READ], [EDIT])
    assert (turn.questions, asked, driver.text()) == ([], ["app.py"], HELLO)


def test_a_rejection_tells_the_model_why(make: Callable[..., Driver]) -> None:
    driver = make()
    driver.start([READ], [EDIT])
    turn = driver.answer(Answer.reject("Keep it short."))
    assert (turn.questions, driver.text()) == ([], APP)
    assert turn.results[1].is_error == driver.marks_errors
    assert "Keep it short." in turn.results[1].text


def test_a_file_that_changed_after_the_question_is_not_written(make: Callable[..., Driver]) -> None:
    driver = make()
    driver.start([PATCH])
    changed = LONG.replace("line 10\n", "ten\n")
    driver.put("long.txt", changed)
    turn = driver.answer(Answer.once())
    assert driver.text("long.txt") == changed
    assert not (driver.root / "new.txt").exists()
    if driver.asks_again:
        assert [bool(question.get("replaces")) for question in turn.questions] == [True]
        turn = driver.answer(Answer.once())
        assert driver.text("long.txt") == BOTH.replace("line 10\n", "ten\n")
    else:
        assert "has changed since" in turn.results[0].text


def test_an_edit_of_a_file_that_changed_after_the_question_is_not_written_by_its_answer(
    make: Callable[..., Driver],
) -> None:
    """What would be written now was not shown. Where the framework can ask twice, the merged edit is asked for."""
    driver = make()
    driver.start([READ], [EDIT])
    driver.put("app.py", "# new\n" + APP)
    turn = driver.answer(Answer.once())
    assert driver.text() == "# new\n" + APP
    if not turn.questions:
        assert turn.results[1].is_error == driver.marks_errors
        return
    driver.answer(Answer.once())
    assert driver.text() == "# new\n" + HELLO


def test_two_questions_at_once_have_an_answer_each(make: Callable[..., Driver]) -> None:
    driver = make()
    bye = ("edit", {"filePath": "long.txt", "oldString": "line 2\n", "newString": "two\n"})
    turn = driver.start([READ, ("read", {"filePath": "long.txt"})], [EDIT, bye])
    paths = [one["files"][0]["path"] for one in turn.questions]
    assert sorted(paths) == ["app.py", "long.txt"]
    given = {"app.py": Answer.reject("Not this."), "long.txt": Answer.once()}
    turn = driver.answer(*[given[path] for path in paths])
    assert (driver.text(), driver.text("long.txt")) == (APP, TWO)
    assert turn.questions == []


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [("app.py", "'Bye '", "'See you '"), ("long.txt", "line 2\n", "two\n")],
    ids=["same", "other"],
)
def test_an_answer_to_one_question_does_not_approve_another(
    make: Callable[..., Driver], path: str, old: str, new: str
) -> None:
    driver = make()
    if path == "app.py" and not driver.edits_at_once:
        pytest.skip("refuses two changes of one file in a turn")
    second = ("edit", {"filePath": path, "oldString": old, "newString": new})
    before = {"app.py": APP, "long.txt": LONG}
    turn = driver.start([READ, ("read", {"filePath": "long.txt"})], [EDIT, second])
    assert len(turn.questions) == 2
    if not driver.has_replies:
        driver.answer(Answer.reject("No."), Answer.once())
        changed = {**before, path: before[path].replace(old, new)}
        assert {name: driver.text(name) for name in before} == changed
        return
    driver.swaps_replies = True
    turn = driver.answer(Answer.once(), Answer.once())
    assert {name: driver.text(name) for name in before} == before
    if driver.asks_again:
        assert ["something else" in one["notice"] for one in turn.questions] == [True, True]
    else:
        assert ["no approval for exactly this" in one.text for one in turn.results] == [False, False, True, True]


def test_a_run_is_resumed_in_another_process(make: Callable[..., Driver], framework: str) -> None:
    if framework == "openai-agents-freeform":
        pytest.skip("the same way as with function tools")
    driver = make(id="one")
    driver.start([("read", {"filePath": "long.txt"})], [PATCH])
    assert len(driver.save()) < 40_000
    said = driver.answer_elsewhere(framework, Answer.some({"long.txt": [1]}, "Only this."))
    assert (said["questions"], said["is_error"]) == (0, False)
    assert "Only this." in said["text"]
    assert (driver.text("long.txt"), (driver.root / "new.txt").exists()) == (TWO, False)


def test_what_is_stored_stays_small_where_files_are_large(make: Callable[..., Driver]) -> None:
    driver = make()
    large = "".join(f"value_{number} = {number}\n" for number in range(20_000))
    driver.put("large.py", large)
    edit = {"filePath": "large.py", "oldString": "value_7 = 7\n", "newString": "value_7 = 8\n"}
    driver.start([("read", {"filePath": "large.py", "limit": 20})], [("edit", edit)])
    assert len(driver.save()) < 20_000
    driver.answer(Answer.once())
    assert driver.text("large.py") == large.replace("value_7 = 7\n", "value_7 = 8\n")


def test_nobody_is_asked_about_a_change_that_a_question_cannot_show(make: Callable[..., Driver]) -> None:
    driver = make()
    large = "".join(f"value_{number} = {number}\n" for number in range(20_000))
    turn = driver.start([("write", {"filePath": "copy.py", "content": large})])
    assert turn.questions == []
    assert "the change is too large to be shown to the user" in turn.results[0].text
    assert not (driver.root / "copy.py").exists()
