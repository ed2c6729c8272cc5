"""Stored runs of the OpenAI Agents SDK: the answer may be given in one process and used in the next."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.adapters.conftest import APP

from suture.agent import Answer

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("agents")
from agents import Runner, RunState
from tests.adapters.drive_openai_agents import OpenAIAgentsDriver

SCRIPT = [
    [("read", {"filePath": "app.py"})],
    [("edit", {"filePath": "app.py", "oldString": "'Hi '", "newString": "'Hello '"})],
]


def test_an_answer_is_stored_with_the_run(folder: Path) -> None:
    first = OpenAIAgentsDriver(folder)
    first.start(*SCRIPT)
    [item] = first.state.get_interruptions()
    first.runner.run(first.tools.answer(first.state, item, Answer.once("Fine.")))
    stored = first.tools.save(first.state)
    first.close()
    second = OpenAIAgentsDriver(folder)
    second.script = SCRIPT
    state = second.runner.run(second.tools.load(second.agent, stored))
    result = second.runner.run(Runner.run(second.agent, state))
    assert result.final_output == "done"
    assert second.text() == APP.replace("'Hi '", "'Hello '")
    second.close()


def test_a_run_that_was_stored_without_its_questions_is_refused(folder: Path) -> None:
    first = OpenAIAgentsDriver(folder, id="one")
    first.start(*SCRIPT)
    stored = first.state.to_string()
    first.close()
    second = OpenAIAgentsDriver(folder, id="one")
    second.script = SCRIPT
    state = second.runner.run(RunState.from_string(second.agent, stored))
    [item] = state.get_interruptions()
    with pytest.raises(KeyError):
        second.tools.question(item)
    state.approve(item)
    result = second.runner.run(Runner.run(second.agent, state))
    assert "no approval for exactly this" in str(result.to_input_list())
    assert second.text() == APP
    second.close()


def test_a_plain_approval_in_the_same_process_is_for_what_was_asked(folder: Path) -> None:
    driver = OpenAIAgentsDriver(folder)
    driver.start(*SCRIPT)
    [item] = driver.state.get_interruptions()
    with pytest.raises(ValueError, match="no hunk 9"):
        driver.runner.run(driver.tools.answer(driver.state, item, Answer.some({"app.py": [9]})))
    driver.state.approve(item)
    driver.runner.run(Runner.run(driver.agent, driver.state))
    assert driver.text() == APP.replace("'Hi '", "'Hello '")
    driver.close()
