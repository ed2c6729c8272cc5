"""A notebook is read by its cells: outputs that nobody has seen are not lost by what was read."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from suture import SyncSession, Workspace

if TYPE_CHECKING:
    from pathlib import Path

OUTPUT = {"output_type": "stream", "name": "stdout", "text": "three days of work\n"}
CELL: dict[str, Any] = {"cell_type": "code", "id": "c0", "metadata": {}, "source": "x = 1\n", "outputs": [OUTPUT]}


def write(path: Path, *outputs: object) -> str:
    cell = {**CELL, "outputs": list(outputs)}
    text = json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1)
    path.write_text(text)
    return text


DELETE = "*** Begin Patch\n*** Delete File: a.ipynb\n*** End Patch"


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("write", {"filePath": "a.ipynb", "content": "{}"}),
        ("delete", {"filePath": "a.ipynb"}),
        ("apply_patch", {"patchText": DELETE}),
    ],
)
def test_outputs_that_were_not_shown_are_not_lost(tool: str, arguments: dict[str, str], tmp_path: Path) -> None:
    before = write(tmp_path / "a.ipynb", OUTPUT)
    rules = [("edit", "**", "allow")]
    with Workspace(tmp_path) as workspace, SyncSession(workspace, rules=rules, profile="all") as session:
        session.call("read", {"filePath": "a.ipynb"})
        refused = session.call(tool, arguments)
        assert refused.is_error
        assert [problem["code"] for problem in refused.metadata["problems"]] == ["not_read"]
        assert (tmp_path / "a.ipynb").read_text() == before
        edited = session.call("edit", {"filePath": "a.ipynb", "oldString": "x = 1", "newString": "x = 2"})
        assert not edited.is_error, edited.output
        assert (tmp_path / "a.ipynb").read_text() == before.replace("x = 1", "x = 2")
        write(tmp_path / "a.ipynb")
        session.call("read", {"filePath": "a.ipynb"})
        assert not session.call(tool, arguments).is_error
