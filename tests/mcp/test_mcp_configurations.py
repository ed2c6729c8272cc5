"""What `suture mcp --print-config` prints and merges. Nothing here needs the SDK."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest
from tests.shared.pages import text_of

from suture import PatchInvalidError, PatchRejectedError, Workspace
from suture.agent import PROFILES
from suture.cli.table import BY_NAME
from suture.mcp.client_configurations import CLIENTS, configuration_for
from suture.mcp.server_settings import APPROVERS
from suture.mcp.workspace_roots import choose_roots

if TYPE_CHECKING:
    from pathlib import Path

    from suture.mcp.client_configurations import ClientConfiguration


def configuration(client: str) -> ClientConfiguration:
    return configuration_for(client, {}, ["suture"])


def test_the_command_line_knows_every_client_profile_and_approver() -> None:
    choices = {option.key: option.choices for option in BY_NAME["mcp"].options}
    assert set(choices["print_config"]) == set(CLIENTS)
    assert set(choices["profile"]) == set(PROFILES)
    assert choices["approve"] == APPROVERS


@pytest.mark.parametrize("client", CLIENTS)
def test_the_page_shows_what_is_printed(client: str) -> None:
    blocks = re.findall(r"```(json|toml)\n(.*?)```", text_of("docs/mcp.md"), re.DOTALL)
    shown = [json.loads(code) if kind == "json" else tomllib.loads(code) for kind, code in blocks]
    for file in configuration(client).files:
        assert file.content in shown
        assert f"`{file.path}`" in text_of("docs/mcp.md")


@pytest.mark.parametrize("client", CLIENTS)
def test_merging_adds_what_is_missing_once_and_can_be_undone(client: str, tmp_path: Path) -> None:
    found = configuration(client)
    written = found.merge(str(tmp_path))
    assert written == tuple(file.path for file in found.files)
    for file in found.files:
        text = (tmp_path / file.path).read_text()
        assert (tomllib.loads(text) if file.path.endswith(".toml") else json.loads(text)) == file.content
    assert found.merge(str(tmp_path)) == ()
    with Workspace(tmp_path) as workspace:
        [commit] = workspace.log()
    assert commit.actor == "suture mcp"


def test_what_is_there_stays_in_its_order_and_with_its_indentation(tmp_path: Path) -> None:
    settings = tmp_path / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text('{\n    "model": "ä",\n    "permissions": {"deny": ["Edit", "Bash"], "ask": ["Read"]}\n}\n')
    configuration("claude-code").merge(str(tmp_path))
    rules = {"deny": ["Edit", "Bash", "Write", "NotebookEdit"], "ask": ["Read"], "allow": ["mcp__suture"]}
    expected = {"model": "ä", "permissions": rules}
    assert settings.read_text() == json.dumps(expected, indent=4, ensure_ascii=False) + "\n"


def test_a_table_is_added_to_toml_and_everything_else_stays(tmp_path: Path) -> None:
    file = tmp_path / ".codex" / "config.toml"
    file.parent.mkdir()
    before = '# mine\nmodel = "x"\n\n[mcp_servers.other]\ncommand = "other"  # kept\n'
    file.write_text(before)
    configuration("codex").merge(str(tmp_path))
    assert file.read_text().startswith(before)
    assert set(tomllib.loads(file.read_text())["mcp_servers"]) == {"other", "suture"}


@pytest.mark.parametrize(
    ("client", "path", "text"),
    [
        ("claude-code", ".mcp.json", '{"mcpServers": {"suture": {"command": "mine", "args": []}}}'),
        ("claude-code", ".claude/settings.json", '{"permissions": "none"}'),
        ("cursor", ".cursor/mcp.json", '{"mcpServers": []}'),
        ("vscode", ".vscode/mcp.json", '{\n  // a comment\n  "servers": {}\n}'),
        ("zed", ".zed/settings.json", '{"a": 1, "a": 2}'),
        ("gemini", ".gemini/settings.json", "[" * 100_000),
        ("opencode", "opencode.json", '{"permission": {"edit": "ask"}}'),
        ("opencode", "opencode.json", "\ufeff{}"),
        ("codex", ".codex/config.toml", "mcp_servers = {}\n"),
        ("codex", ".codex/config.toml", '[mcp_servers.suture]\ncommand = "mine"\n'),
        ("codex", ".codex/config.toml", "not toml"),
    ],
)
def test_nothing_is_ever_replaced_or_lost(client: str, path: str, text: str, tmp_path: Path) -> None:
    (tmp_path / path).parent.mkdir(exist_ok=True)
    (tmp_path / path).write_text(text)
    with pytest.raises(PatchInvalidError, match=re.escape(path)):
        configuration(client).merge(str(tmp_path))
    files = [str(found.relative_to(tmp_path)) for found in tmp_path.rglob("*") if found.is_file()]
    assert (files, (tmp_path / path).read_text()) == ([path], text)


def test_options_change_the_printed_command() -> None:
    [file] = configuration_for("zed", {"approve": "queue", "root": "/x"}, ["python", "-m", "suture"]).files
    server = file.content["context_servers"]["suture"]
    assert server["command"] == "python"
    assert server["args"] == ["-m", "suture", "mcp", "--profile", "core", "--approve", "queue", "--root", "/x"]


@pytest.mark.skipif(find_spec("mcp") is not None, reason="the SDK is installed")
def test_without_the_sdk_the_user_is_told_what_to_install(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "suture", "mcp"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert re.search(r"the package \w+ is missing; install suture\[mcp\]", done.stderr)


def test_printing_does_not_import_the_sdk(tmp_path: Path) -> None:
    code = "import sys; from suture.cli.main import run; run(['mcp', '--print-config', 'codex'])\n"
    code += "assert not {'mcp', 'mcp_types', 'pydantic', 'anyio', 'asyncio'} & sys.modules.keys()"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.splitlines()[1]) == (0, "[mcp_servers.suture]"), done.stderr


def test_the_roots_of_a_client_are_cleaned_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home, first, second = (tmp_path / name for name in ("home", "a b", "second"))
    for folder in (home, first / "inside", second):
        folder.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    uris = [first.as_uri(), second.as_uri(), (first / "inside").as_uri(), second.as_uri(), home.as_uri(), "file:///"]
    assert choose_roots(None, uris) == (str(first), str(second))
    assert choose_roots(None, ["https://example.com/x", second.as_uri()]) == (str(second),)
    assert choose_roots(str(second), uris) == (str(second),)
    for wrong in (home.as_uri(), tmp_path.as_uri(), "file:///", (tmp_path / "none").as_uri()):
        with pytest.raises(PatchRejectedError):
            choose_roots(None, [wrong, second.as_uri()])
    for wrong_root in ("/", str(home), os.path.relpath(home), str(tmp_path / "none")):
        with pytest.raises(PatchRejectedError):
            choose_roots(wrong_root)
