"""Two equal texts are refused first, also two empty ones, whatever the path is and whatever the file has (SPEC §14)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.shared.agents import APP, READ, Agent, code, edit
from tests.shared.programs import Place
from tests.shared.string_results import refused, refused_list

from suture import PatchRejectedError, Workspace

if TYPE_CHECKING:
    from pathlib import Path

EQUAL = ["", "x", "    print('Hi ' + name)\n"]
#: A file, one that is missing, a directory, and what is no path of the workspace.
PATHS = ["src/app.py", "missing.py", "src", "../outside.py"]
equal = pytest.mark.parametrize("text", EQUAL)
paths = pytest.mark.parametrize("path", PATHS)


@equal
def test_in_memory(text: str) -> None:
    for content in ("", APP, APP.encode(), b"\0"):
        assert refused(content, text, text).code == "no_change"
        assert refused(content, text, text, replace_all=True).code == "no_change"
        assert refused_list(content, [("a", "b"), (text, text)]) == [("no_change", 1)]
    assert refused(APP, text, text, max_size=1).code == "no_change"


@equal
@paths
def test_of_a_workspace(text: str, path: str, tmp_path: Path) -> None:
    workspace = Agent(tmp_path).workspace
    with pytest.raises(PatchRejectedError) as one:
        workspace.edit(path, text, text)
    with pytest.raises(PatchRejectedError) as several:
        workspace.multiedit(path, [("a", "b"), (text, text)])
    assert [problem.code for raised in (one, several) for problem in raised.value.problems] == ["no_change"] * 2
    assert not (tmp_path / "root" / "missing.py").exists()


@equal
@paths
@pytest.mark.parametrize("profile", ["core", "opencode", "claude"])
def test_of_a_session(text: str, path: str, profile: str, tmp_path: Path) -> None:
    """Also where nothing was read, and where nothing may be."""
    several = "multiedit", {"filePath": path, "edits": [{"oldString": text, "newString": text}]}
    agent = Agent(tmp_path, profile=profile)
    results = agent.calls(edit(text, text, path), several, READ, edit(text, text, path), several)
    denied = Agent(tmp_path, profile=profile, rules=[("*", "*", "deny")]).calls(edit(text, text, path), several)
    assert {code(result) for result in (*results[:2], *results[3:], *denied)} == {"no_change"}
    assert agent.text("src/app.py") == APP
    assert not (tmp_path / "root" / "missing.py").exists()


@pytest.mark.parametrize("text", ["", "x"])
@pytest.mark.parametrize("path", ["app.py", "missing.py", "../outside.py"])
def test_of_the_program(text: str, path: str, tmp_path: Path) -> None:
    place = Place(tmp_path)
    done = place.suture("edit", path, "--old", text, "--new", text)
    assert done.status == 1
    assert "--old and --new must be different" in done.err


def test_an_empty_file_is_made_by_writing_it(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path, state_dir=tmp_path / "state")
    workspace.write("empty.txt", "")
    assert (tmp_path / "empty.txt").read_bytes() == b""
