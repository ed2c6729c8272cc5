"""A session with the real basedpyright and the real ruff: what a model is told after each edit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.shared.agents import Agent, edit

from suture.agent.diagnostics import LanguageServers
from suture.agent.diagnostics.server_table import find_program

if TYPE_CHECKING:
    from pathlib import Path

BEFORE = """\
def name() -> str:
    return "Suture"


def length() -> int:
    return len(name())


ratio: int = "an error from before"
"""


@pytest.mark.slow
@pytest.mark.skipif(find_program("basedpyright-langserver", ()) is None, reason="basedpyright is not installed")
def test_an_edit_is_told_what_it_broke_and_that_it_was_mended(tmp_path: Path) -> None:
    agent = Agent(tmp_path)
    agent.put("app.py", BEFORE)
    agent.session.diagnoser = LanguageServers(str(agent.root))
    agent.session.diagnostics_timeout = 60
    broken, mended = agent.calls(
        ("read", {"filePath": "app.py"}),
        edit("def length() -> int:\n    return len(name())", "\n\ndef length() -> int:\n    return name()", "app.py"),
        edit("return name()", "return len(name())", "app.py"),
    )[1:]
    (report,) = broken.metadata["diagnostics"].values()
    assert [(found["line"], found["code"]) for found in report["diagnostics"]] == [(8, "reportReturnType")]
    assert "The edit was applied. It introduced 1 error in app.py" in broken.output
    assert not broken.is_error
    assert "found no new errors in app.py." in mended.output
