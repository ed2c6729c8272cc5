"""`suture install`, `suture uninstall` and `suture tool`, as programs in a scratch project and home."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.shared.programs import APP, BIN, Place
from tests.shared.terminals import Terminal

from suture.agent import PROFILES
from suture.agent.tools import TOOLS
from suture.cli.agent_commands import APPROVERS as CLI_APPROVERS, CLIENTS as CLI_CLIENTS
from suture.cli.table import BY_NAME
from suture.mcp import client_program
from suture.mcp.client_program import find_program, source_in
from suture.mcp.client_table import CLIENTS, Setup
from suture.mcp.server_settings import APPROVERS

if TYPE_CHECKING:
    from collections.abc import Sequence

#: A Codex that prints two models.
CODEX = """#!/bin/sh
case "$1" in
--version) echo "codex-cli 1.2.3" ;;
debug) echo '{"models": [{"slug": "a", "apply_patch_tool_type": "freeform", "supports_search_tool": true}]}' ;;
esac
"""
OF_PROJECTS = [name for name, client in CLIENTS.items() if "project" in client.scopes]
each_of_projects = pytest.mark.parametrize("client", OF_PROJECTS)
EDIT = {"filePath": "app.py", "oldString": "return 1", "newString": "return 11"}


@pytest.fixture
def place(tmp_path: Path) -> Place:
    place = Place(tmp_path)
    program = tmp_path / "bin" / "codex"
    program.parent.mkdir()
    program.write_text(CODEX)
    program.chmod(0o755)
    place.environment["PATH"] = f"{program.parent}:{place.environment['PATH']}"
    return place


def home_of(place: Place) -> Path:
    return Path(place.environment["HOME"])


def test_the_command_line_knows_every_client_profile_and_approver() -> None:
    assert set(CLI_CLIENTS) == set(CLIENTS)
    assert CLI_APPROVERS == APPROVERS
    choices = {option.key: option.choices for option in BY_NAME["mcp"].options}
    assert set(choices["profile"]) == set(PROFILES)


@each_of_projects
@pytest.mark.parametrize("headless", [(), ("--headless",)])
def test_a_client_is_set_up_once_and_cleaned_up_again(client: str, headless: Sequence[str], place: Place) -> None:
    before = place.files()
    done = place.suture("install", client, "--yes", *headless)
    assert done.status == 0, done.err
    assert "Who approves an edit: " in done.out
    written = place.files()
    assert str(BIN / "suture") in json.dumps(written)
    again = place.suture("install", client, "--yes", *headless)
    assert f"{CLIENTS[client].title} is set up already." in again.out
    assert place.suture("uninstall", client, "--yes").status == 0
    assert place.files() == before
    assert "has nothing of Suture" in place.suture("uninstall", client, "--yes").out
    # The last commit is the removal, and undoing it brings the setup back.
    assert place.suture("undo").status == 0
    assert place.files() == written


@pytest.mark.parametrize("client", CLIENTS)
def test_the_settings_of_the_user_are_changed_in_the_home_directory(client: str, place: Place) -> None:
    home = home_of(place)
    done = place.suture("install", client, "--user", "--yes")
    assert done.status == 0, done.err
    assert place.files() == {"app.py": APP}
    files = {path for path in home.rglob("*") if path.is_file()}
    assert files
    undo = re.search(r"To undo it: suture (.*)", done.out)
    assert undo
    assert place.suture(*undo[1].split()).status == 0
    assert not {path for path in home.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    ("platform", "client", "path"),
    [
        ("linux", "vscode", ".config/Code/User/mcp.json"),
        ("darwin", "vscode", "Library/Application Support/Code/User/mcp.json"),
        ("win32", "vscode", "AppData/Roaming/Code/User/mcp.json"),
        ("darwin", "zed", ".config/zed/settings.json"),
        ("win32", "zed", "AppData/Roaming/Zed/settings.json"),
    ],
)
def test_an_editor_keeps_the_settings_of_the_user_where_its_system_does(
    platform: str, client: str, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    [file] = CLIENTS[client].files(Setup(("suture",), ("suture", "mcp"), for_user=True))
    assert file.path == path


def test_a_client_without_settings_of_projects_is_refused(place: Place) -> None:
    done = place.suture("install", "copilot", "--yes")
    assert done.status == 1
    assert "only those of the user" in done.err
    assert "suture install copilot --user" in done.err
    assert place.files() == {"app.py": APP}


@pytest.mark.parametrize(("answer", "is_written"), [("y", True), ("n", False), ("", False)])
def test_the_diff_is_shown_and_asked_about(answer: str, is_written: bool, place: Place) -> None:
    terminal = Terminal(place, "install", "cursor", "--no-pager")
    shown = terminal.until("[y/N] ")
    assert '"mcpServers"' in shown
    terminal.send(f"{answer}\n")
    status, _ = terminal.end()
    assert status == (0 if is_written else 1)
    assert (".cursor/mcp.json" in place.files()) is is_written


def test_without_a_terminal_nothing_is_written_unasked(place: Place) -> None:
    done = place.suture("install", "cursor")
    assert (done.status, place.files()) == (2, {"app.py": APP})
    assert "use --yes to write this, or --print to only see it" in done.err


def test_print_shows_the_files_and_writes_nothing(place: Place) -> None:
    done = place.suture("install", "codex", "--print", "--approve", "queue")
    assert done.status == 0
    first, text = done.out.split("\n", 1)
    assert first == "# .codex/config.toml"
    server = tomllib.loads(text)["mcp_servers"]["suture"]
    assert server["args"][:5] == ["mcp", "--profile", "codex", "--approve", "queue"]
    assert place.files() == {"app.py": APP}


def test_the_catalog_of_codex_has_no_edit_tool_and_no_search(place: Place) -> None:
    assert place.suture("install", "codex", "--yes").status == 0
    settings = tomllib.loads((place.root / ".codex/config.toml").read_text())
    assert settings["model_catalog_json"].endswith("/suture-codex-1.2.3.json")
    [model] = json.loads(Path(settings["model_catalog_json"]).read_text())["models"]
    assert model == {"slug": "a", "apply_patch_tool_type": None, "supports_search_tool": False}


def test_without_codex_the_user_is_told_that_its_edit_tool_stays(place: Place) -> None:
    place.environment["PATH"] = "/usr/bin:/bin"
    done = place.suture("install", "codex", "--yes")
    assert "codex was not found, so its own apply_patch stays" in done.out
    assert "model_catalog_json" not in (place.root / ".codex/config.toml").read_text()


@pytest.mark.parametrize(
    ("client", "path", "profile"),
    [
        *[("claude-code", ".claude/settings.json", profile) for profile in PROFILES],
        ("qwen", ".qwen/settings.json", "core"),
    ],
)
def test_a_hook_denies_every_tool_that_writes_in_plan_mode(client: str, path: str, profile: str, place: Place) -> None:
    assert place.suture("install", client, "--yes", "--profile", profile).status == 0
    settings = json.loads((place.root / path).read_text())
    [hook] = settings["hooks"]["PreToolUse"]
    for ours, theirs in PROFILES[profile].tools.items():
        is_kept_back = re.fullmatch(hook["matcher"], f"mcp__suture__{theirs}") is not None
        assert is_kept_back is not TOOLS[ours].read_only, theirs
    [action] = hook["hooks"]
    event = '{"permission_mode":"plan","tool_input":{"content":"{\\"permission_mode\\":\\"default\\"}"}}'
    for text, is_denied in [(event, True), (event.replace("plan", "auto").replace("default", "plan"), False)]:
        answer = subprocess.run(["sh", "-c", action["command"]], input=text, capture_output=True, text=True, check=True)
        assert ('"permissionDecision": "deny"' in answer.stdout) is is_denied


def test_a_program_that_runs_elsewhere_is_started_by_its_command_line(place: Place) -> None:
    command = "ssh devbox '/opt/my tools/suture' --root /srv/app"
    done = place.suture("install", "claude-code", "--yes", "--program", command)
    assert done.status == 0, done.err
    server = json.loads((place.root / ".mcp.json").read_text())["mcpServers"]["suture"]
    assert server["command"] == "ssh"
    assert server["args"][:5] == ["devbox", "/opt/my tools/suture", "--root", "/srv/app", "mcp"]


@pytest.mark.parametrize("command", ["", "  ", "ssh 'devbox"])
def test_a_program_that_is_no_command_line_is_refused(command: str, place: Place) -> None:
    done = place.suture("install", "cursor", "--yes", "--program", command)
    assert (done.status, place.files()) == (2, {"app.py": APP})
    assert "--program is not a command line" in done.err


def test_a_value_of_somebody_else_stops_everything(place: Place) -> None:
    place.write(".claude/settings.json", '{"permissions": "mine"}')
    before = place.files()
    done = place.suture("install", "claude-code", "--yes")
    assert (done.status, place.files()) == (1, before)
    assert '.claude/settings.json has another value at permissions: "mine"' in done.err


OF_UVX = "/home/me/.cache/uv/archive-v0/x1/bin/suture"
WHEEL = "/home/me/suture-0.1.0-py3-none-any.whl"


@pytest.mark.parametrize(
    ("program", "source", "expected"),
    [
        (OF_UVX, "", ("/usr/bin/uvx", "suture")),
        (OF_UVX, WHEEL, ("/usr/bin/uvx", "--from", WHEEL, "suture")),
        ("/caches/environments-v2/x1/bin/suture", WHEEL, ("/usr/bin/uvx", "--from", WHEEL, "suture")),
        ("/home/me/.cache/pipx/x1/bin/suture", "", ("/usr/bin/pipx", "run", "suture")),
        ("/Users/me/Library/Caches/pipx/x1/bin/suture", WHEEL, ("/usr/bin/pipx", "run", "--spec", WHEEL, "suture")),
        (str(BIN / "suture"), WHEEL, (str(BIN / "suture"),)),
        ("/home/me/.local/share/pipx/venvs/suture/bin/suture", WHEEL, (str(BIN / "suture"),)),
        ("/x/pytest", WHEEL, (str(BIN / "suture"),)),
    ],
)
def test_a_program_for_one_run_is_named_by_what_makes_it(
    program: str, source: str, expected: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", [program])
    monkeypatch.setattr(client_program, "_source", lambda: source)
    monkeypatch.setattr(client_program, "find_on_path", lambda name: f"/usr/bin/{name}")
    assert find_program() == expected


def test_a_rule_that_was_there_before_is_there_after_the_removal(place: Place) -> None:
    place.write(".claude/settings.json", '{"permissions": {"deny": ["Edit", "Bash"]}}')
    for _ in range(2):
        assert place.suture("install", "claude-code", "--yes").status == 0
        settings = json.loads((place.root / ".claude/settings.json").read_text())
        assert settings["permissions"]["deny"] == ["Edit", "Bash", "Write", "NotebookEdit"]
        assert place.suture("uninstall", "claude-code", "--yes").status == 0
        assert json.loads((place.root / ".claude/settings.json").read_text()) == {
            "permissions": {"deny": ["Edit", "Bash"]}
        }


def test_who_approves_changes_with_the_variant_unless_the_user_has_chosen_it(place: Place) -> None:
    def approval() -> object:
        return json.loads((place.root / "opencode.json").read_text())["permission"]["edit"]

    assert place.suture("install", "opencode", "--yes").status == 0
    assert place.suture("install", "opencode", "--headless", "--yes").status == 0
    assert approval() == "allow"
    assert place.suture("undo").status == 0
    assert approval() == "ask"
    assert place.suture("install", "opencode", "--headless", "--yes").status == 0
    assert approval() == "allow"
    assert place.suture("uninstall", "opencode", "--yes").status == 0
    assert place.files() == {"app.py": APP}
    place.write("opencode.json", '{"permission": {"edit": "deny"}}')
    done = place.suture("install", "opencode", "--headless", "--yes")
    assert (done.status, approval()) == (1, "deny")
    assert 'it needs "allow"' in done.err


@pytest.mark.parametrize(
    ("origin", "source"),
    [
        ({"url": "file:///my%20wheels/s.whl", "archive_info": {}}, str(Path("/my wheels/s.whl"))),
        ({"url": "https://example.org/s.whl", "archive_info": {}}, "https://example.org/s.whl"),
        (
            {"url": "https://example.org/s", "vcs_info": {"vcs": "git", "commit_id": "beef"}, "subdirectory": "py"},
            "git+https://example.org/s@beef#subdirectory=py",
        ),
    ],
)
def test_a_program_for_one_run_is_made_again_from_where_it_came_from(origin: dict[str, Any], source: str) -> None:
    assert source_in(origin) == source


def tool(place: Place, *words: str, **arguments: Any) -> dict[str, Any]:
    done = place.suture("tool", *words, "--profile", "opencode", "--json", stdin=json.dumps(arguments))
    answer: dict[str, Any] = json.loads(done.out)
    assert done.status == int(answer["decision"] in ("deny", "fail"))
    return answer


def test_a_call_does_what_its_preview_showed(place: Place) -> None:
    shown = tool(place, "edit", "--preview", **EDIT)
    assert (shown["decision"], shown["files"]) == ("ask", ["app.py"])
    assert "+    return 11" in shown["diff"]
    assert place.files() == {"app.py": APP}
    done = tool(place, "edit", "--approved", shown["fingerprint"], **EDIT)
    assert (done["decision"], done["output"]) == ("done", "Edit applied successfully.\nM app.py +1 -1")
    assert "return 11" in place.files()["app.py"]


def test_a_call_is_refused_if_the_file_has_changed_since_the_preview(place: Place) -> None:
    shown = tool(place, "edit", "--preview", **EDIT)
    place.write("app.py", f"# new\n{APP}")
    done = tool(place, "edit", "--approved", shown["fingerprint"], **EDIT)
    assert done["decision"] == "fail"
    assert "the files have changed since they were shown" in done["output"]
    assert place.files() == {"app.py": f"# new\n{APP}"}


def test_a_rule_that_allows_does_not_approve_what_the_client_has_not_shown(place: Place) -> None:
    settings = Path(place.environment["HOME"]) / ".config/suture/config.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text('[[rules]]\npermission = "*"\nglob = "**"\naction = "allow"\n')
    place.environment.pop("XDG_CONFIG_HOME", None)
    new = {"filePath": "app.py", "content": "new\n"}
    shown = tool(place, "write", "--preview", **new)
    assert shown["decision"] == "ask"
    place.write("app.py", f"# precious\n{APP}")
    assert tool(place, "write", "--approved", shown["fingerprint"], **new)["decision"] == "fail"
    assert place.files() == {"app.py": f"# precious\n{APP}"}
    place.write("app.py", APP)
    assert tool(place, "write", "--approved", shown["fingerprint"], **new)["decision"] == "done"


def test_a_call_without_an_approval_changes_nothing(place: Place) -> None:
    done = tool(place, "edit", **EDIT)
    assert "has to show a preview" in done["output"]
    assert place.files() == {"app.py": APP}
    assert "     1\tdef one():" in tool(place, "read", filePath="app.py")["output"]


def test_a_refusal_names_the_arguments_of_the_tool(place: Place) -> None:
    refused = tool(place, "edit", "--preview", **{**EDIT, "oldString": "return 7 * 7"})
    assert refused["decision"] == "fail"
    assert "oldString" in refused["output"]
    assert "--" not in refused["output"]


def test_a_deny_rule_holds_for_a_call_that_was_approved(place: Place) -> None:
    place.write(".suture.toml", '[[rules]]\npermission = "edit"\nglob = "app.py"\naction = "deny"\n')
    assert tool(place, "edit", "--preview", **EDIT)["decision"] == "deny"
    assert tool(place, "edit", "--approved", "x", **EDIT)["decision"] == "fail"


def test_an_unknown_tool_is_a_usage_error(place: Place) -> None:
    done = place.suture("tool", "nonsense", stdin="{}")
    assert done.status == 2
    assert "expected one of the tools read, write" in done.err
