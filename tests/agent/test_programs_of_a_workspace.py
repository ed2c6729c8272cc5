"""A workspace can have programs with the names of others: none is run for its bare name, also where `.` is in PATH."""

from __future__ import annotations

import asyncio
import os
import sys
from typing import TYPE_CHECKING

import pytest

from suture.agent import Formatter
from suture.agent.diagnostics import CommandDiagnoser
from suture.agent.diagnostics.server_table import find_program
from suture.agent.formatters import run_formatter

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the programs are shell scripts")


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace with a program `tidy`, which we are in; PATH begins with it."""
    root = tmp_path / "work"
    root.mkdir()
    _script(root / "tidy", f"#!/bin/sh\ntouch {root}/was-run\ncat\n")
    monkeypatch.chdir(root)
    monkeypatch.setenv("PATH", os.pathsep.join(["", ".", os.environ["PATH"]]))
    return root


def _script(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o755)


@pytest.mark.parametrize("inside", [False, True], ids=["itself", "what-it-starts"])
@pytest.mark.parametrize("kind", ["formatter", "linter"])
def test_no_program_of_the_workspace_is_run_by_its_bare_name(
    root: Path, tmp_path: Path, kind: str, *, inside: bool
) -> None:
    command = "tidy"
    if inside:
        command = str(tmp_path / "wrapper")
        _script(tmp_path / "wrapper", "#!/usr/bin/env tidy\n")
    if kind == "formatter":
        asyncio.run(run_formatter(Formatter("**", (command,)), str(root / "a.py"), str(root), b"x\n"))
    else:
        linter = CommandDiagnoser([command], root=str(root))
        asyncio.run(linter.check(str(root / "a.py"), None, "x\n", timeout=20))
    assert not (root / "was-run").exists()


@pytest.mark.usefixtures("root")
def test_a_program_of_the_current_directory_is_not_found() -> None:
    assert find_program("tidy") is None
