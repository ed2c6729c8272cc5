"""LangGraph's own traps: resume values by order, synchronous runs, small artifacts."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.adapters.conftest import APP, LONG

from suture import Session, SyncSession, Workspace
from suture.adapters import reply
from suture.agent import Answer

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("langgraph")
from langchain_core.messages import ToolCall
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from langgraph.types import Command
from tests.adapters.drive_langchain import CONFIG

from suture.adapters.langchain import suture_tools

FIRST = {"filePath": "app.py", "oldString": "'Hi '", "newString": "'Hello '"}
SECOND = {"filePath": "long.txt", "oldString": "line 2\n", "newString": "two\n"}


def test_a_reply_goes_by_order_to_another_call_and_does_not_approve_it(folder: Path) -> None:
    """The first call of a node no longer asks when the node runs again, so its reply is handed to the second."""

    async def main() -> None:
        with Workspace(folder / "root", state_dir=folder / "state", durability="process") as workspace:
            edits = suture_tools(Session(workspace, reads={"edit": "off"}), only=["edit"])

            async def node(_: dict[str, Any]) -> dict[str, Any]:
                return {"seen": [await edits[-1].ainvoke(FIRST), await edits[-1].ainvoke(SECOND)]}

            builder: Any = StateGraph(dict)
            builder.add_node("node", node)
            builder.add_edge(START, "node")
            graph = builder.compile(checkpointer=InMemorySaver())
            [first] = (await graph.ainvoke({}, CONFIG))["__interrupt__"]
            assert first.value["files"][0]["path"] == "app.py"
            # Another process goes on, whose rules allow the first edit.
            edits += suture_tools(
                Session(workspace, reads={"edit": "off"}, rules=[("edit", "app.py", "allow")]), only=["edit"]
            )
            given = Command(resume=reply(first.value, Answer.once()))
            [second] = (await graph.ainvoke(given, CONFIG))["__interrupt__"]
            assert second.value["files"][0]["path"] == "long.txt"
            assert "something else" in second.value["notice"]
            assert (folder / "root" / "long.txt").read_text() == LONG

    asyncio.run(main())


@pytest.mark.parametrize("value", [True, "approve", {"type": "approve"}, {"fingerprint": "x"}, [{"answer": 1}]])
def test_a_resume_value_without_a_fingerprint_approves_nothing(folder: Path, value: Any) -> None:
    with (
        Workspace(folder / "root", state_dir=folder / "state", durability="process") as workspace,
        SyncSession(workspace, reads={"edit": "off"}) as session,
    ):
        [edit] = suture_tools(session, only=["edit"])
        builder: Any = StateGraph(dict)
        builder.add_node("node", lambda _: {"seen": edit.invoke(FIRST)})
        builder.add_edge(START, "node")
        graph = builder.compile(checkpointer=InMemorySaver())
        graph.invoke({}, CONFIG)
        state = graph.invoke(Command(resume=value), CONFIG)
        [again] = state["__interrupt__"]
        assert "fingerprint" in again.value["notice"]
        assert (folder / "root" / "app.py").read_text() == APP
        state = graph.invoke(Command(resume=reply(again.value, Answer.once())), CONFIG)
        assert "__interrupt__" not in state
        assert (folder / "root" / "app.py").read_text() != APP


def test_an_answer_with_a_hunk_that_does_not_exist_is_asked_again(folder: Path) -> None:
    with (
        Workspace(folder / "root", state_dir=folder / "state", durability="process") as workspace,
        SyncSession(workspace, reads={"edit": "off"}) as session,
    ):
        [edit] = suture_tools(session, only=["edit"])
        builder: Any = StateGraph(dict)
        builder.add_node("node", lambda _: {"seen": edit.invoke(FIRST)})
        builder.add_edge(START, "node")
        graph = builder.compile(checkpointer=InMemorySaver())
        [first] = graph.invoke({}, CONFIG)["__interrupt__"]
        wrong = reply(first.value, Answer.some({"app.py": [7]}))
        [again] = graph.invoke(Command(resume=wrong), CONFIG)["__interrupt__"]
        assert "there is no hunk 7" in again.value["notice"]
        assert (folder / "root" / "app.py").read_text() == APP


def test_an_artifact_is_small_and_a_session_for_another_loop_is_refused(folder: Path) -> None:
    with (
        Workspace(folder / "root", state_dir=folder / "state", durability="process") as workspace,
        SyncSession(workspace, rules=[("edit", "*", "allow")]) as session,
    ):
        [write] = suture_tools(session, only=["write"])
        given = {"filePath": "large.txt", "content": "x\n" * 50_000}
        message = write.invoke(ToolCall(name="write", args=given, id="1", type="tool_call"))
        assert message.artifact["changedFiles"] == ["large.txt"]
        assert len(json.dumps(message.artifact)) < 300
        [read] = suture_tools(Session(workspace), only=["read"])
        with pytest.raises(TypeError, match="SyncSession"):
            read.invoke({"filePath": "app.py"})
        asyncio.run(read.ainvoke({"filePath": "app.py"}))
