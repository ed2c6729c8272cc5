"""The inspector of the Model Context Protocol, on the command line: `scripts/install-mcp-inspector` installs it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.mcp.servers import PATIENCE, command, environment, make_project

if TYPE_CHECKING:
    from typing import Any

_INSTALLED = Path(__file__).parents[2] / "build" / "mcp-inspector" / "node_modules" / ".bin" / "mcp-inspector"
INSPECTOR = str(_INSTALLED) if _INSTALLED.exists() else shutil.which("mcp-inspector")

pytestmark = pytest.mark.skipif(INSPECTOR is None, reason="the inspector is not installed")


def test_the_inspector_lists_and_calls_the_tools(tmp_path: Path) -> None:
    root = make_project(tmp_path)

    def inspect(*arguments: str) -> Any:
        # It passes on its own environment only in part.
        variables = [word for name, value in environment(tmp_path).items() for word in ("-e", f"{name}={value}")]
        server = [sys.executable, *command("--approve", "client", "--root", str(root))]
        done = subprocess.run(
            [str(INSPECTOR), "--cli", *variables, *server, *arguments],
            cwd=root,
            capture_output=True,
            encoding="utf-8",
            timeout=PATIENCE,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    names = [tool["name"] for tool in inspect("--method", "tools/list")["tools"]]
    assert {"read", "edit", "apply_patch"} <= set(names)
    read = inspect("--method", "tools/call", "--tool-name", "read", "--tool-arg", "filePath=app.py")
    assert "greet" in read["content"][0]["text"]
    arguments = ["--tool-arg", "filePath=new.txt", "--tool-arg", "content=new"]
    assert not inspect("--method", "tools/call", "--tool-name", "write", *arguments).get("isError")
    assert (root / "new.txt").read_text() == "new"
    [commit] = inspect("--method", "resources/list")["resources"]
    assert commit["uri"].startswith("suture://history/")
