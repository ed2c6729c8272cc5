"""deepagents: the agent's own file tools go through a session."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from tests.adapters.conftest import APP

from suture import Session, SyncSession, Workspace
from suture.adapters import reply
from suture.agent import Answer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

pytest.importorskip("deepagents")
from deepagents import create_deep_agent
from deepagents.backends import CompositeBackend, StateBackend
from langchain_core.messages import ToolMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from tests.adapters.drive_langchain import CONFIG, ScriptedModel

from suture.adapters.deepagents import SutureBackend

ALLOW = [("edit", "*", "allow")]
HELLO = APP.replace("'Hi '", "'Hello '")
READ = ("read_file", {"file_path": "/app.py"})
EDIT = ("edit_file", {"file_path": "/app.py", "old_string": "'Hi '", "new_string": "'Hello '"})


class Script:
    """The calls of a model, one each turn."""

    def __init__(self, *calls: tuple[str, dict[str, Any]]) -> None:
        self.calls = calls

    def next_calls(self, turns: int) -> list[tuple[str, dict[str, Any]]]:
        return [self.calls[turns]] if turns < len(self.calls) else []


class Run:
    """A deep agent, run with `invoke` or `ainvoke`."""

    def __init__(
        self,
        workspace: Workspace,
        *calls: tuple[str, dict[str, Any]],
        waits: bool,
        within: Callable[[Any], Any] = lambda backend: backend,
        **settings: Any,
    ) -> None:
        self.runner = None if waits else asyncio.Runner()
        self.session = SyncSession(workspace, **settings)
        model = ScriptedModel(driver=Script(*calls))
        backend = within(SutureBackend(self.session))
        self.agent: Any = create_deep_agent(model, backend=backend, checkpointer=InMemorySaver())

    def go(self, given: Any = None) -> tuple[list[str], list[Any]]:
        """What the model has seen, and the questions."""
        sent = {"messages": [{"role": "user", "content": "go"}]} if given is None else Command(resume=given)
        if self.runner is None:
            state = self.agent.invoke(sent, CONFIG)
        else:
            state = self.runner.run(self.agent.ainvoke(sent, CONFIG))
        messages = [one for one in state["messages"] if isinstance(one, ToolMessage)]
        self.statuses = [one.status for one in messages]
        return [str(one.content) for one in messages], [one.value for one in state.get("__interrupt__", ())]

    def close(self) -> None:
        self.session.close()
        if self.runner is not None:
            self.runner.close()


@pytest.fixture(params=["sync", "async"])
def run(request: pytest.FixtureRequest, folder: Path) -> Iterator[Callable[..., Run]]:
    made: list[Run] = []
    with Workspace(folder / "root", state_dir=folder / "state", durability="process") as workspace:

        def make(*calls: tuple[str, dict[str, Any]], **settings: Any) -> Run:
            made.append(Run(workspace, *calls, waits=request.param == "sync", **settings))
            return made[-1]

        yield make
        for one in made:
            one.close()


def test_its_tools_read_edit_write_and_list(run: Callable[..., Run], folder: Path) -> None:
    write = ("write_file", {"file_path": "/new/b.txt", "content": "b\n"})
    texts, questions = run(READ, EDIT, write, ("ls", {"path": "/"}), rules=ALLOW).go()
    assert questions == []
    assert "print('Hi ' + name)" in texts[0]
    assert "/app.py" in texts[3]
    assert (folder / "root" / "app.py").read_text() == HELLO
    assert (folder / "root" / "new" / "b.txt").read_text() == "b\n"


def test_an_unread_file_and_a_missing_text_are_errors_in_its_words(run: Callable[..., Run], folder: Path) -> None:
    wrong = ("edit_file", {"file_path": "/app.py", "old_string": "nothing", "new_string": "x"})
    twice = ("edit_file", {"file_path": "/app.py", "old_string": "(name)", "new_string": "(who)"})
    texts, _ = run(EDIT, READ, wrong, twice, rules=ALLOW).go()
    assert "read" in texts[0]
    assert "old_string" in texts[2]
    assert "replace_all" in texts[3]
    assert "oldString" not in "".join(texts)
    assert (folder / "root" / "app.py").read_text() == APP


def test_what_may_not_be_read_is_neither_shown_nor_found(run: Callable[..., Run], folder: Path) -> None:
    (folder / "root" / "secret.txt").write_text("TOKEN = 'x'\n")
    calls = [
        ("read_file", {"file_path": "/secret.txt"}),
        ("ls", {"path": "/"}),
        ("grep", {"pattern": "TOKEN"}),
        ("glob", {"pattern": "**/*.txt"}),
    ]
    texts, _ = run(*calls, rules=[*ALLOW, ("read", "secret.txt", "deny")]).go()
    assert "TOKEN = " not in "".join(texts)
    assert not any("secret.txt" in text for text in texts[1:])
    assert "long.txt" in texts[3]


def test_an_approval_interrupts_the_graph(run: Callable[..., Run], folder: Path) -> None:
    one = run(READ, EDIT, EDIT)
    _, [question] = one.go()
    assert question["files"][0]["path"] == "app.py"
    texts, [again] = one.go(reply(question, Answer.reject("Keep it short.")))
    assert "Keep it short." in texts[1]
    _, questions = one.go(reply(again, Answer.once()))
    assert (questions, (folder / "root" / "app.py").read_text()) == ([], HELLO)


def test_a_rule_denies_a_path_and_none_leads_outside(run: Callable[..., Run], folder: Path) -> None:
    outside = ("write_file", {"file_path": "/../outside.txt", "content": "x"})
    texts, _ = run(READ, EDIT, outside, rules=[*ALLOW, ("edit", "app.py", "deny")]).go()
    assert "rule" in texts[1]
    assert (folder / "root" / "app.py").read_text() == APP
    assert not (folder / "outside.txt").exists()


def test_an_approval_of_some_hunks_is_written_and_the_model_learns_of_the_rest(
    run: Callable[..., Run], folder: Path
) -> None:
    path = folder / "root" / "long.txt"
    before = path.read_text().replace("line 2\n", "same\n").replace("line 19\n", "same\n")
    path.write_text(before)
    every = {"file_path": "/long.txt", "old_string": "same", "new_string": "other", "replace_all": True}
    one = run(("read_file", {"file_path": "/long.txt"}), ("edit_file", every))
    _, [question] = one.go()
    assert [len(file["hunks"]) for file in question["files"]] == [2]
    texts, questions = one.go(reply(question, Answer.some({"long.txt": [2]}, "Only the end.")))
    assert (questions, path.read_text()) == ([], before[::-1].replace("emas", "rehto", 1)[::-1])
    assert texts[1].startswith("Successfully replaced 1 instance(s) of the string in '/long.txt'.")
    assert "approved only a part" in texts[1]
    assert texts[1].endswith("Only the end.'")
    assert one.statuses == ["success", "success"]


@pytest.mark.parametrize(
    ("within", "at"),
    [
        (lambda backend: backend, "/"),
        (lambda backend: CompositeBackend(backend, {"/memories/": StateBackend()}), "/"),
        (lambda backend: CompositeBackend(StateBackend(), {"/repo/": backend}), "/repo/"),
    ],
    ids=["alone", "default", "routed"],
)
def test_what_a_person_says_with_an_approval_reaches_the_model_with_a_success(
    run: Callable[..., Run], folder: Path, within: Callable[[Any], Any], at: str
) -> None:
    calls = [
        ("read_file", {"file_path": f"{at}app.py"}),
        ("edit_file", EDIT[1] | {"file_path": f"{at}app.py"}),
        ("write_file", {"file_path": f"{at}new.txt", "content": "new\n"}),
        ("read_file", {"file_path": f"{at}long.txt"}),
        ("delete", {"file_path": f"{at}long.txt"}),
    ]
    one = run(*calls, within=within)
    texts, questions = one.go()
    while questions:
        texts, questions = one.go(reply(questions[0], Answer.once("Add a test next.")))
    assert ["Add a test next." in text for text in texts] == [False, True, True, False, True]
    assert [f"{at}{name}" in text for text, name in zip(texts[1:3], ["app.py", "new.txt"], strict=True)] == [True, True]
    assert one.statuses == ["success"] * 5
    assert (folder / "root" / "app.py").read_text() == HELLO
    assert (folder / "root" / "new.txt").read_text() == "new\n"
    assert not (folder / "root" / "long.txt").exists()


def test_a_new_file_that_appears_after_the_question_is_not_overwritten(run: Callable[..., Run], folder: Path) -> None:
    one = run(("write_file", {"file_path": "/new.txt", "content": "mine\n"}))
    _, [question] = one.go()
    (folder / "root" / "new.txt").write_text("theirs\n")
    texts, questions = one.go(reply(question, Answer.once()))
    assert (questions, (folder / "root" / "new.txt").read_text()) == ([], "theirs\n")
    assert "approval was not used" in texts[0]


def test_files_are_deleted_downloaded_and_uploaded_within_the_rules(folder: Path) -> None:
    (folder / "root" / "secret.txt").write_text("TOKEN\n")
    with (
        Workspace(folder / "root", state_dir=folder / "state", durability="process") as workspace,
        SyncSession(workspace, rules=[*ALLOW, ("read", "secret.txt", "deny")]) as session,
    ):
        backend = SutureBackend(session)
        found = backend.download_files(["/app.py", "/secret.txt", "/none.txt"])
        assert [(one.content, one.error) for one in found] == [
            (APP.encode(), None),
            (None, "permission_denied"),
            (None, "file_not_found"),
        ]
        assert [one.error for one in backend.upload_files([("/x.txt", b"x")])] == ["permission_denied"]
        backend.read("/long.txt")
        assert backend.delete("/long.txt").error is None
        assert backend.delete("/secret.txt").error
        assert sorted(path.name for path in (folder / "root").iterdir()) == ["app.py", "secret.txt"]


def test_a_session_that_needs_an_event_loop_is_refused(folder: Path) -> None:
    with Workspace(folder / "root", state_dir=folder / "state", durability="process") as workspace:
        other: Any = Session(workspace)
        with pytest.raises(TypeError, match="SyncSession"):
            SutureBackend(other)
