"""A notebook is read by its cells: outputs that nobody has seen are not lost by what was read."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.shared.agents import code

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


def session_in(folder: Path) -> SyncSession:
    return SyncSession(Workspace(folder), rules=[("edit", "**", "allow")], profile="all")


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


PICTURE = {"a.png": {"image/png": "QUFB"}}


@pytest.mark.parametrize(
    "unseen",
    [
        {"cells": [{**CELL, "outputs": [], "attachments": PICTURE}]},
        {"cells": [{**CELL, "outputs": [], "metadata": {"tags": ["kept"]}}]},
        {"metadata": {"kernelspec": {"name": "python3"}, "title": "three days of work"}},
        {"notes": "three days of work"},
    ],
)
def test_other_parts_that_were_not_shown_are_not_lost(unseen: dict[str, Any], tmp_path: Path) -> None:
    before = json.dumps({"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5, **unseen})
    (tmp_path / "a.ipynb").write_text(before)
    with session_in(tmp_path) as session:
        assert not session.call("read", {"filePath": "a.ipynb"}).is_error
        assert code(session.call("delete", {"filePath": "a.ipynb"})) == "not_read"
    assert (tmp_path / "a.ipynb").read_text() == before


def test_a_notebook_without_anything_unseen_is_deleted(tmp_path: Path) -> None:
    data = json.loads(write(tmp_path / "a.ipynb"))
    data["metadata"] = {"kernelspec": {"name": "python3"}, "language_info": {"name": "python"}}
    (tmp_path / "a.ipynb").write_text(json.dumps(data))
    with session_in(tmp_path) as session:
        session.call("read", {"filePath": "a.ipynb"})
        assert not session.call("delete", {"filePath": "a.ipynb"}).is_error


def test_what_was_shown_as_cells_is_unread_under_another_name(tmp_path: Path) -> None:
    before = write(tmp_path / "a.ipynb", OUTPUT)
    with session_in(tmp_path) as session:
        session.call("read", {"filePath": "a.ipynb"})
        assert not session.call("move", {"filePath": "a.ipynb", "toPath": "b.txt"}).is_error
        lines = {"filePath": "b.txt", "startLine": 2, "endLine": 2, "content": "y\n"}
        for tool, arguments in (("delete", {"filePath": "b.txt"}), ("replace_lines", lines)):
            assert code(session.call(tool, arguments)) == "not_read"
            assert (tmp_path / "b.txt").read_text() == before
        session.call("read", {"filePath": "b.txt"})
        assert not session.call("delete", {"filePath": "b.txt"}).is_error


def test_a_link_shows_what_its_file_shows(tmp_path: Path) -> None:
    """Otherwise the numbers of cells would count as those of lines, and cells as the whole file."""
    before = write(tmp_path / "data.json", OUTPUT)
    write(tmp_path / "b.ipynb", OUTPUT)
    (tmp_path / "a.ipynb").symlink_to("data.json")
    (tmp_path / "b.txt").symlink_to("b.ipynb")
    with session_in(tmp_path) as session:
        assert '"nbformat": 4' in session.call("read", {"filePath": "a.ipynb"}).output
        assert "1 output not shown" in session.call("read", {"filePath": "b.txt"}).output
        assert code(session.call("write", {"filePath": "b.txt", "content": "x\n"})) == "not_read"
        lines = {"filePath": "b.txt", "startLine": 2, "endLine": 2, "content": "y\n"}
        assert session.call("replace_lines", lines).is_error
    assert (tmp_path / "b.ipynb").read_text() == before
