"""The hosted `apply_patch` tool of the OpenAI Agents SDK: operations one by one, each within the rules."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from tests.adapters.conftest import APP

from suture import Session, Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytest.importorskip("agents")
from agents.editor import ApplyPatchOperation

from suture.adapters.openai_agents import SutureEditor, SutureTools

ALLOW = [("edit", "*", "allow")]
UPDATE = ApplyPatchOperation("update_file", "app.py", "@@\n-    print('Hi ' + name)\n+    print('Hello ' + name)\n")


@pytest.fixture
def workspace(folder: Path) -> Iterator[Workspace]:
    with Workspace(folder / "root", state_dir=folder / "state", durability="process") as workspace:
        yield workspace


def run(workspace: Workspace, *operations: ApplyPatchOperation, asks: bool = False, **settings: Any) -> list[Any]:
    """The results of operations; with `asks`, each is asked about first, as the SDK does."""

    async def main() -> list[Any]:
        async with Session(workspace, **settings) as session:
            editor = SutureEditor(session)
            results = []
            for one in operations:
                if asks:
                    assert await editor.needs_approval(None, one, "call")
                results.append(await getattr(editor, one.type)(one))
            return results

    return asyncio.run(main())


def test_files_are_created_updated_moved_and_deleted(workspace: Workspace, folder: Path) -> None:
    create = ApplyPatchOperation("create_file", "new.txt", "+new\n")
    move = ApplyPatchOperation("update_file", "new.txt", "@@\n-new\n+newer\n", move_to="moved.txt")
    delete = ApplyPatchOperation("delete_file", "moved.txt")
    results = run(workspace, UPDATE, create, move, delete, rules=ALLOW)
    assert [one.status for one in results] == ["completed"] * 4
    assert (folder / "root" / "app.py").read_text() == APP.replace("'Hi '", "'Hello '")
    assert sorted(path.name for path in (folder / "root").iterdir()) == ["app.py", "long.txt"]


def test_a_failure_is_a_result_with_the_reason(workspace: Workspace, folder: Path) -> None:
    wrong = ApplyPatchOperation("update_file", "app.py", "@@\n-nothing like it\n+x\n")
    broken = ApplyPatchOperation("update_file", "app.py", "*** nonsense\n")
    results = run(workspace, wrong, broken, rules=ALLOW)
    assert [one.status for one in results] == ["failed", "failed"]
    assert "nothing like it" in results[0].output
    assert (folder / "root" / "app.py").read_text() == APP


def test_an_operation_can_not_smuggle_in_another(workspace: Workspace, folder: Path) -> None:
    diff = f"{UPDATE.diff}*** Delete File: long.txt\n"
    path = "a.txt\n*** Delete File: long.txt\n*** Add File: b.txt"
    smuggled = [ApplyPatchOperation("update_file", "app.py", diff), ApplyPatchOperation("create_file", path, "+x\n")]
    assert [one.status for one in run(workspace, *smuggled, rules=ALLOW)] == ["failed", "failed"]
    assert sorted(path.name for path in (folder / "root").iterdir()) == ["app.py", "long.txt"]
    assert (folder / "root" / "app.py").read_text() == APP


def test_an_operation_runs_only_if_it_was_asked_about(workspace: Workspace, folder: Path) -> None:
    [unasked] = run(workspace, UPDATE)
    assert unasked.status == "failed"
    assert (folder / "root" / "app.py").read_text() == APP
    [asked] = run(workspace, UPDATE, asks=True)
    assert asked.status == "completed"


def test_the_hosted_tool_asks_with_the_editor_and_unknown_tools_are_named(workspace: Workspace) -> None:
    tools = SutureTools(Session(workspace))
    assert callable(tools.hosted_apply_patch().needs_approval)
    with pytest.raises(ValueError, match="nothing"):
        tools.functions("nothing")
