"""Directories that an edit makes: not too deep, and not too many at once."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.shared.agents import Agent, code

from suture import PatchRejectedError, Workspace
from suture.core.common_limits import DEEPEST_FOLDER
from suture.workspace import MemoryFiles, Plan, overlay, validate

if TYPE_CHECKING:
    from pathlib import Path

DEEP = "d/" * DEEPEST_FOLDER
ADD = "*** Begin Patch\n*** Add File: {path}\n+x\n*** End Patch\n"


def tools(path: str) -> list[tuple[str, dict[str, object]]]:
    """Calls of all tools that make directories."""
    move = "*** Begin Patch\n*** Update File: src/app.py\n*** Move to: {path}\n*** End Patch\n"
    return [
        ("write", {"filePath": path, "content": "x\n"}),
        ("edit", {"filePath": path, "oldString": "", "newString": "x\n"}),
        ("multiedit", {"filePath": path, "edits": [{"oldString": "", "newString": "x\n"}]}),
        ("apply_patch", {"patchText": ADD.format(path=path)}),
        ("apply_patch", {"patchText": move.format(path=path)}),
        ("move", {"filePath": "src/app.py", "toPath": path}),
    ]


@pytest.mark.parametrize("number", range(6))
@pytest.mark.parametrize("path", ["d/" * 1900 + "x", f"{DEEP}d/x"], ids=["4 kB", "one too many"])
def test_no_tool_makes_directories_that_are_nested_too_deeply(tmp_path: Path, number: int, path: str) -> None:
    one = Agent(tmp_path, profile="all", reads={"move": "off", "apply_patch": "off"})
    result = one.call(tools(path)[number])
    assert code(result) == "invalid_arguments"
    assert "directories deep, and 100 is the limit" in result.output
    assert "Choose a path with fewer directories." in result.output
    assert sorted(child.name for child in one.root.iterdir()) == ["src"]


def test_the_deepest_directory_can_be_made_and_what_is_there_can_be_used(tmp_path: Path) -> None:
    one = Agent(tmp_path)
    assert not one.call(("write", {"filePath": f"{DEEP}x", "content": "x\n"})).is_error
    one.put(f"{DEEP}d/there", "x\n")
    assert not one.call(("write", {"filePath": f"{DEEP}d/new", "content": "x\n"})).is_error


def test_one_call_makes_a_limited_number_of_directories(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(overlay, "MOST_NEW_FOLDERS", 4)
    workspace = Workspace(MemoryFiles({"a": ""}))
    sections = [f"*** Add File: {folder}/x\n+x\n" for folder in ("b/c", "b/d", "e")]
    assert len(workspace.plan(f"*** Begin Patch\n{''.join(sections)}*** End Patch\n").folders) == 4
    with pytest.raises(PatchRejectedError, match="f/x can't be created: this would make more than 4 directories"):
        workspace.apply(f"*** Begin Patch\n{''.join(sections)}*** Add File: f/x\n+x\n*** End Patch\n")
    assert workspace.files.names("/") == ["a"]


def test_a_stored_plan_has_the_same_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    workspace = Workspace(MemoryFiles({"a": ""}))
    stored = json.loads(workspace.plan(ADD.format(path=f"{DEEP}x")).to_json())
    text = json.dumps(stored).replace(f"{DEEP}x", f"{DEEP}d/x")
    deeper = json.loads(text)
    deeper["folders"].append(f"/{DEEP}d")
    with pytest.raises(PatchRejectedError, match="would be in more than 100 directories"):
        workspace.commit(Plan.from_json(json.dumps(deeper)))
    monkeypatch.setattr(validate, "MOST_NEW_FOLDERS", 4)
    with pytest.raises(PatchRejectedError, match="would make 100 directories, and 4 is the limit"):
        workspace.commit(Plan.from_json(json.dumps(stored)))
    assert workspace.files.names("/") == ["a"]
