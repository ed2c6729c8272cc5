"""Files of very many lines: refused before they are split, because each line takes far more memory than its bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.shared.agents import Agent

from suture import PatchRejectedError, parse, replace, update
from suture.core.common_limits import MOST_LINES
from suture.core.patch import UpdateFile

if TYPE_CHECKING:
    from pathlib import Path

MANY = "\n" * (MOST_LINES + 1)
PATCH = "*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n*** End Patch"
ADDITION = "*** Begin Patch\n*** Add File: b\n" + "+\n" * (MOST_LINES + 1) + "*** End Patch"


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("read", {"filePath": "a"}),
        ("write", {"filePath": "a", "content": "x"}),
        ("edit", {"filePath": "a", "oldString": "x", "newString": "y"}),
        ("edit", {"filePath": "a", "oldString": "\n\n\n", "newString": "y", "replaceAll": True}),
        ("insert", {"filePath": "a", "content": "x", "line": 0}),
        ("apply_patch", {"patchText": PATCH}),
        ("move", {"filePath": "a", "toPath": "b"}),
        ("delete", {"filePath": "a"}),
    ],
    ids=["read", "write", "edit", "edit all", "insert", "apply_patch", "move", "delete"],
)
@pytest.mark.parametrize("ending", ["\n", "\r", "\r\n"], ids=repr)
def test_a_file_of_newlines_is_refused_by_every_tool(name: str, arguments: Any, ending: str, tmp_path: Path) -> None:
    agent = Agent(tmp_path, profile="all", settings={"history": False})
    agent.put("a", MANY.replace("\n", ending).encode())
    result = agent.call((name, arguments))
    assert result.is_error
    assert "a has too many lines: 1,000,001, and the limit is 1,000,000." in result.output


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("write", {"filePath": "b", "content": MANY}),
        ("edit", {"filePath": "a", "oldString": "x", "newString": "\n" * 1001, "replaceAll": True}),
        ("apply_patch", {"patchText": ADDITION}),
    ],
    ids=["write", "edit", "apply_patch"],
)
def test_no_tool_makes_a_file_of_too_many_lines(name: str, arguments: Any, tmp_path: Path) -> None:
    agent = Agent(tmp_path, profile="all")
    agent.put("a", "x" * 1000)
    result = agent.call(("read", {"filePath": "a"}), (name, arguments))
    assert result.is_error
    assert "would have too many lines: 1,00" in result.output
    assert not (agent.root / "b").exists()
    assert agent.text("a") == "x" * 1000


def test_texts_in_memory_have_the_same_limit() -> None:
    with pytest.raises(PatchRejectedError, match="has too many lines"):
        replace(MANY, "x", "y")
    (operation,) = parse(PATCH).operations
    assert isinstance(operation, UpdateFile)
    with pytest.raises(PatchRejectedError, match="has too many lines"):
        update(MANY, operation.hunks)


def test_a_file_of_as_many_lines_as_are_allowed_is_edited(tmp_path: Path) -> None:
    agent = Agent(tmp_path)
    agent.put("a", MANY[2:] + "x\n")
    result = agent.call(("edit", {"filePath": "a", "oldString": "x", "newString": "y"}))
    assert "too many lines" not in result.output
