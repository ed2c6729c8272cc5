"""`open_project`: the one way to a workspace with the settings of its configuration."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.shared.programs import Place

import suture
from suture import EditOptions, PatchRejectedError, apply_in_memory, multiedit, open_project, replace, update
from suture.core.patch import Hunk

SETTINGS = """
dialect = "strict"
durability = "process"
encodings = {"old/**" = "latin-1"}
rules = [{permission = "edit", glob = "vendor/**", action = "deny"}]
"""


@pytest.fixture
def configured(tmp_path: Path) -> Place:
    place = Place(tmp_path)
    place.write(".suture.toml", SETTINGS)
    place.write("vendor/a.txt", "one\n")
    return place


def test_the_settings_of_the_project_are_used(configured: Place) -> None:
    with open_project(configured.root) as workspace:
        assert workspace.dialect.name == "strict"
        assert workspace.encoding_of(f"{workspace.root}/old/a.txt") == "latin-1"
        with pytest.raises(PatchRejectedError, match="the rule `edit vendor"):
            workspace.edit("vendor/a.txt", "one", "two")


def test_what_is_passed_wins_and_what_is_listed_is_added(configured: Place) -> None:
    with open_project(configured.root, dialect="codex", lift=["vendor/**"], encodings=[("new/**", "cp1252")]) as opened:
        assert opened.dialect.name == "codex"
        assert opened.encoding_of(f"{opened.root}/old/a.txt") == "latin-1"
        assert opened.encoding_of(f"{opened.root}/new/a.txt") == "cp1252"
        opened.edit("vendor/a.txt", "one", "two")
    assert configured.files()["vendor/a.txt"] == "two\n"


def test_a_session_decides_by_the_rules_itself(configured: Place) -> None:
    with open_project(configured.root, for_session=True) as workspace:
        assert workspace.plan_edit("vendor/a.txt", "one", "two").is_clean


def test_nothing_else_makes_the_workspace_of_a_project() -> None:
    source = Path(suture.__file__).parent
    texts = {path.relative_to(source).as_posix(): path.read_text("utf-8") for path in source.rglob("*.py")}
    makers = {path for path, text in texts.items() if "= Workspace(" in text or "with Workspace(" in text}
    # The other two are about texts in memory, and about files of clients in the user's home directory.
    expected = {"agent/configuration/project_workspace.py", "workspace/evaluation.py", "mcp/client_install.py"}
    assert makers == expected


def test_options_are_one_value_for_texts_and_workspaces() -> None:
    options, bell = EditOptions(allow_control=True), "\x07"
    assert replace("a\n", "a", bell, options=options).text == f"{bell}\n"
    assert multiedit("a\n", [("a", bell)], options=options).text == f"{bell}\n"
    assert update("a\n", [Hunk(("-a", f"+{bell}"))], options=options).text == f"{bell}\n"
    patch = f"*** Begin Patch\n*** Update File: a\n@@\n-a\n+{bell}\n*** End Patch\n"
    assert apply_in_memory(patch, {"a": "a\n"}, options=options).texts == {"a": f"{bell}\n"}


def test_a_setting_by_its_own_name_wins_over_the_options() -> None:
    options = EditOptions(allow_control=True, max_size=100)
    with pytest.raises(PatchRejectedError, match=re.escape("U+0007")):
        replace("a\n", "a", "\x07", options=options, allow_control=False)
    with pytest.raises(PatchRejectedError, match="the limit is 100"):
        update("a\n" * 100, [Hunk(("-a", "+b"))], options=options)


def test_a_setting_that_does_not_exist_is_an_error() -> None:
    with pytest.raises(TypeError, match="allow_everything"):
        replace("a\n", "a", "b", allow_everything=True)  # type: ignore[call-arg]
