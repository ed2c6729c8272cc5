"""The inspector of the Model Context Protocol, on the command line: `scripts/install-mcp-inspector` installs it.

It is a client by the authors of the protocol, which shares no code with ours or with Python's SDK.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.mcp.servers import TOKEN, command, environment, http_server, make_project

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

_INSTALLED = Path(__file__).parents[2] / "build" / "mcp-inspector" / "node_modules" / ".bin" / "mcp-inspector"
INSPECTOR = str(_INSTALLED) if _INSTALLED.exists() else shutil.which("mcp-inspector")

pytestmark = [
    pytest.mark.skipif(INSPECTOR is None, reason="the inspector is not installed"),
    # It is started for each request, and Node takes seconds for that on a busy machine.
    pytest.mark.timeout(900),
]
PATIENCE = 400


@pytest.fixture(params=["handshake", "stateless"])
def era(request: pytest.FixtureRequest) -> str:
    """The era of the protocol, as the inspector calls it."""
    return "legacy" if request.param == "handshake" else "modern"


@pytest.fixture(params=["stdio", "http"])
def inspect(request: pytest.FixtureRequest, era: str, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Sends one request to a server in `tmp_path / "project"`; what comes back."""
    root = make_project(tmp_path)
    # It passes on its own environment only in part.
    variables = [word for name, value in environment(tmp_path).items() for word in ("-e", f"{name}={value}")]
    options = ["--approve", "client", "--root", str(root)]

    def send(target: list[str], *arguments: str) -> Any:
        done = subprocess.run(
            [str(INSPECTOR), "--cli", *target, "--protocol-era", era, "--connect-timeout", "0", *arguments],
            cwd=root,
            env={**environment(tmp_path), "PYTHONWARNINGS": ""},
            capture_output=True,
            encoding="utf-8",
            timeout=PATIENCE,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    if request.param == "stdio":
        yield lambda *words: send([*variables, sys.executable, *command(*options)], *words)
        return
    with http_server(root, *options) as server:
        target = [f"{server.url}?session=tests", "--header", f"Authorization: Bearer {TOKEN}"]
        yield lambda *words: send(target, *words)


def test_the_inspector_lists_and_calls_the_tools(inspect: Callable[..., Any], tmp_path: Path) -> None:
    # With --strict it fails if a schema has an error for some client.
    names = [tool["name"] for tool in inspect("--method", "tools/list", "--strict")["tools"]]
    assert {"read", "edit", "apply_patch"} <= set(names)
    read = inspect("--method", "tools/call", "--tool-name", "read", "--tool-arg", "filePath=app.py")
    assert "greet" in read["content"][0]["text"]
    arguments = ["--tool-arg", "filePath=new.txt", "--tool-arg", "content=new"]
    assert not inspect("--method", "tools/call", "--tool-name", "write", *arguments).get("isError")
    assert (tmp_path / "project" / "new.txt").read_text() == "new"
    [commit] = inspect("--method", "resources/list")["resources"]
    assert commit["uri"].startswith("suture://history/")
    shown = inspect("--method", "resources/read", "--uri", commit["uri"])
    assert "new.txt" in json.dumps(shown)
    prompt = inspect("--method", "prompts/get", "--prompt-name", "edit_format")
    assert "*** Begin Patch" in json.dumps(prompt)


def test_the_schemas_of_all_tools_can_be_used_by_every_client(tmp_path: Path) -> None:
    root = make_project(tmp_path)
    server = [sys.executable, *command("--profile", "all", "--root", str(root))]
    variables = [word for name, value in environment(tmp_path).items() for word in ("-e", f"{name}={value}")]
    done = subprocess.run(
        [str(INSPECTOR), "--cli", *variables, *server, "--connect-timeout", "0", "--method", "tools/list", "--strict"],
        cwd=root,
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
