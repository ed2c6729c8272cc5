"""smolagents: agents that send JSON and agents that write code, with a scripted model."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.adapters.conftest import APP, LONG

from suture import Session, SyncSession, Workspace
from suture.agent import Answer, Callback

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from suture.agent import Request

smolagents = pytest.importorskip("smolagents")
from suture.adapters.smolagents import suture_tools  # noqa: E402

ALLOW = [("edit", "*", "allow")]
HELLO = APP.replace("'Hi '", "'Hello '")
READ = ("read", {"filePath": "app.py"})
EDIT = ("edit", {"filePath": "app.py", "oldString": "'Hi '", "newString": "'Hello '"})


class ScriptedModel(smolagents.Model):  # type: ignore[name-defined]
    """A model that sends what a script says, one message each step."""

    def __init__(self, *script: Any) -> None:
        super().__init__(model_id="scripted")
        self.script = [*script, ("final_answer", {"answer": "done"})]
        self.step = 0

    def generate(self, messages: Any, **_: Any) -> Any:
        del messages
        self.step += 1
        sent = self.script[self.step - 1]
        if isinstance(sent, str):
            return smolagents.ChatMessage(role="assistant", content=f"Thought: go on.\n<code>\n{sent}\n</code>")
        name, arguments = sent
        function = smolagents.models.ChatMessageToolCallFunction(name=name, arguments=arguments)
        call = smolagents.models.ChatMessageToolCall(function=function, id=f"call-{self.step}", type="function")
        return smolagents.ChatMessage(role="assistant", content="", tool_calls=[call])


@pytest.fixture
def workspace(folder: Path) -> Iterator[Workspace]:
    with Workspace(folder / "root", state_dir=folder / "state", durability="process") as workspace:
        yield workspace


def observations(workspace: Workspace, *script: Any, agent: Any = None, **settings: Any) -> list[str]:
    """What the model has seen after each step; errors of the framework begin with `Error`."""
    with SyncSession(workspace, **settings) as session:
        kind = agent or smolagents.ToolCallingAgent
        made = kind(tools=suture_tools(session), model=ScriptedModel(*script), verbosity_level=0, max_steps=9)
        made.run("go")
        steps = [step for step in made.memory.steps if isinstance(step, smolagents.ActionStep)]
        return [f"Error: {step.error}" if step.error else str(step.observations) for step in steps]


def test_a_model_reads_edits_and_patches(workspace: Workspace, folder: Path) -> None:
    patch = (
        "*** Begin Patch\n*** Update File: long.txt\n@@\n line 1\n-line 2\n+two\n*** Add File: b.txt\n+b\n*** End Patch"
    )
    seen = observations(workspace, READ, EDIT, ("apply_patch", {"patchText": patch}), rules=ALLOW)
    assert "print('Hi ' + name)" in seen[0]
    assert "Edit applied successfully." in seen[1]
    assert (folder / "root" / "app.py").read_text() == HELLO
    assert (folder / "root" / "long.txt").read_text() == LONG.replace("line 2\n", "two\n")


def test_several_edits_in_one_call(workspace: Workspace, folder: Path) -> None:
    edits = [{"oldString": "'Hi '", "newString": "'Hello '"}, {"oldString": "'Bye '", "newString": "'See you '"}]
    observations(workspace, READ, ("multiedit", {"filePath": "app.py", "edits": edits}), rules=ALLOW)
    assert (folder / "root" / "app.py").read_text() == HELLO.replace("'Bye '", "'See you '")


def test_lines_are_inserted(workspace: Workspace, folder: Path) -> None:
    given = {"filePath": "app.py", "content": "import os\n", "line": 0}
    seen = observations(workspace, READ, ("insert", given), rules=ALLOW, profile="all")
    assert "Lines inserted." in seen[1]
    assert (folder / "root" / "app.py").read_text() == "import os\n" + APP


def test_what_an_agent_remembers_stays_small_where_files_are_large(workspace: Workspace, folder: Path) -> None:
    large = "".join(f"value_{number} = {number}\n" for number in range(20_000))
    (folder / "root" / "large.py").write_text(large)
    edit = {"filePath": "large.py", "oldString": "value_7 = 7\n", "newString": "value_7 = 8\n"}
    with SyncSession(workspace, rules=ALLOW) as session:
        model = ScriptedModel(("read", {"filePath": "large.py", "limit": 20}), ("edit", edit))
        agent = smolagents.ToolCallingAgent(tools=suture_tools(session), model=model, verbosity_level=0)
        agent.run("go")
        steps = [step for step in agent.memory.steps if isinstance(step, smolagents.ActionStep)]
        # Without what the framework itself sends to the model again at each step.
        kept = json.dumps([{**step.dict(), "model_input_messages": None} for step in steps], default=str)
    assert (folder / "root" / "large.py").read_text() == large.replace("= 7\n", "= 8\n", 1)
    assert len(kept) < 10_000


def test_an_agent_that_writes_code_passes_arguments_by_order(workspace: Workspace, folder: Path) -> None:
    code = """print(read("app.py"))\nprint(edit("app.py", "'Hi '", newString="'Hello '"))"""
    seen = observations(
        workspace, code, 'print(edit("app.py", "nothing", "x"))', 'final_answer("done")', rules=ALLOW,
        agent=smolagents.CodeAgent,
    )  # fmt: skip
    assert "Edit applied successfully." in seen[0]
    assert "nothing" in seen[1]
    assert not seen[1].startswith("Error")
    assert (folder / "root" / "app.py").read_text() == HELLO


def test_a_refusal_is_a_text_without_the_advice_to_try_again(workspace: Workspace, folder: Path) -> None:
    wrong = ("edit", {"filePath": "app.py", "oldString": "nothing", "newString": "x"})
    seen = observations(workspace, EDIT, READ, wrong, EDIT, rules=[*ALLOW, ("edit", "app.py", "deny")])
    assert not any(one.startswith("Error") or "Please try again" in one for one in seen)
    assert "rule" in seen[3]
    assert (folder / "root" / "app.py").read_text() == APP


def test_the_approver_of_the_session_is_asked(workspace: Workspace, folder: Path) -> None:
    answers = [Answer.reject("Keep it short."), Answer.some({"app.py": [1]})]

    async def ask(request: Request) -> Answer:
        assert request.files[0].path == "app.py"
        return answers.pop(0)

    edits = [{"oldString": "'Hi '", "newString": "'Hello '"}]
    both = ("multiedit", {"filePath": "app.py", "edits": edits})
    seen = observations(workspace, READ, EDIT, both, approver=Callback(ask))
    assert "Keep it short." in seen[1]
    assert (folder / "root" / "app.py").read_text() == HELLO


def test_an_approval_in_part_and_a_file_that_changes_meanwhile(workspace: Workspace, folder: Path) -> None:
    path = folder / "root" / "long.txt"

    async def ask(request: Request) -> Answer:
        if "b.txt" in request.patterns:
            return Answer.some({"long.txt": "all"}, "Only this.")
        path.write_text("all new\n")
        return Answer.once()

    patch = "*** Begin Patch\n*** Update File: long.txt\n@@\n{}\n*** Add File: {}\n+b\n*** End Patch"
    calls = [patch.format("-line 2\n+two", "b.txt"), patch.format("-line 3\n+three", "c.txt")]
    seen = observations(workspace, *[("apply_patch", {"patchText": one}) for one in calls], approver=Callback(ask))
    assert "Only this." in seen[0]
    assert "has changed" in seen[1]
    assert path.read_text() == "all new\n"
    assert not {"b.txt", "c.txt"} & {one.name for one in path.parent.iterdir()}


def test_a_session_that_needs_an_event_loop_is_refused(workspace: Workspace) -> None:
    other: Any = Session(workspace)
    [tool] = suture_tools(other, only=["read"])
    with pytest.raises(TypeError, match="SyncSession"):
        tool("app.py")


def test_what_the_model_is_told_about_a_tool_is_its_schema(workspace: Workspace) -> None:
    with SyncSession(workspace) as session:
        [tool] = suture_tools(session, only=["edit"])
        told = smolagents.models.get_tool_json_schema(tool)["function"]
    assert told["parameters"]["required"] == ["filePath", "oldString", "newString"]
    assert json.dumps(told)
