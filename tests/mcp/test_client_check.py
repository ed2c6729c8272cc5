"""`suture doctor --client`: what is wrong with the setup of a client, in one sentence."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.mcp.test_client_install import CODEX, OF_PROJECTS
from tests.shared.programs import BIN, Place


@pytest.fixture
def place(tmp_path: Path) -> Place:
    place = Place(tmp_path)
    program = tmp_path / "bin" / "codex"
    program.parent.mkdir()
    program.write_text(CODEX)
    program.chmod(0o755)
    place.environment["PATH"] = f"{program.parent}:{place.environment['PATH']}"
    return place


@pytest.mark.parametrize("client", OF_PROJECTS)
def test_a_client_that_was_set_up_is_in_order(client: str, place: Place) -> None:
    place.suture("install", client, "--yes")
    done = place.suture("doctor", "--client", client)
    assert done.status == 0, done.out
    assert "note" not in done.out
    assert done.out.endswith("everything is in order.\n")
    assert "lists" in done.out or "its tools run" in done.out


def test_a_client_that_was_not_set_up_is_named_with_the_command(place: Place) -> None:
    done = place.suture("doctor", "--client", "gemini")
    assert done.status == 1
    assert "Gemini CLI is not set up" in done.out
    assert "Run: suture install gemini" in done.out


def test_the_settings_of_the_user_are_found_too(place: Place) -> None:
    place.suture("install", "copilot", "--user", "--yes")
    done = place.suture("doctor", "--client", "copilot")
    assert done.status == 0
    assert place.environment["HOME"] in done.out


def test_a_program_that_has_moved_is_reported(place: Place) -> None:
    place.suture("install", "cursor", "--yes")
    settings = place.root / ".cursor/mcp.json"
    settings.write_text(settings.read_text().replace(str(BIN / "suture"), "/gone/suture"))
    done = place.suture("doctor", "--client", "cursor")
    assert done.status == 1
    assert "The program /gone/suture does not exist or can't be run. Run: suture install cursor" in done.out


@pytest.mark.parametrize(
    ("client", "path", "text", "expected"),
    [
        ("claude-code", ".mcp.json", '{\n"mcpServers" 1}', ".mcp.json can't be read: expected ':' in line 2."),
        (
            "claude-code",
            ".claude/settings.json",
            "{",
            ".claude/settings.json can't be read: expected a value in line 1.",
        ),
        ("codex", ".codex/config.toml", "a = 1\na = 2\n", ".codex/config.toml is not valid TOML: "),
        ("opencode", "opencode.json", "[]", "opencode.json does not hold an object."),
    ],
)
@pytest.mark.parametrize("is_set_up", [False, True])
def test_settings_that_can_not_be_read_are_reported(
    client: str, path: str, text: str, expected: str, is_set_up: bool, place: Place
) -> None:
    if is_set_up:
        place.suture("install", client, "--yes")
    place.write(path, text)
    done = place.suture("doctor", "--client", client)
    assert done.status == 1
    assert expected in done.out
    assert f"Correct that file, then run: suture install {client}\n" in done.out


@pytest.mark.parametrize(
    ("client", "path", "text", "trusted"),
    [
        (
            "claude-code",
            ".claude.json",
            '{"projects": {"ROOT": {}}}',
            '{"projects": {"ROOT": {"hasTrustDialogAccepted": true}}}',
        ),
        ("codex", ".codex/config.toml", 'model = "x"', '[projects."ROOT"]\ntrust_level = "trusted"\n'),
        ("gemini", ".gemini/trustedFolders.json", '{"ROOT": "DO_NOT_TRUST"}', '{"PARENT": "TRUST_FOLDER"}'),
    ],
)
def test_a_client_that_does_not_trust_the_project_is_noted(
    client: str, path: str, text: str, trusted: str, place: Place
) -> None:
    place.suture("install", client, "--yes")
    file = Path(place.environment["HOME"]) / path
    file.parent.mkdir(exist_ok=True)
    file.write_text(text.replace("ROOT", str(place.root)))
    done = place.suture("doctor", "--client", client)
    assert done.status == 0
    assert f"does not trust {place.root}, so it ignores these settings." in done.out
    file.write_text(trusted.replace("ROOT", str(place.root)).replace("PARENT", str(place.root.parent)))
    assert "does not trust" not in place.suture("doctor", "--client", client).out


@pytest.mark.parametrize("text", ["", "{", '{"projects": []}', '{"projects": 7}', "\0", "[]"])
def test_odd_files_of_a_client_in_the_home_directory_end_nothing(text: str, place: Place) -> None:
    place.suture("install", "claude-code", "--yes")
    (Path(place.environment["HOME"]) / ".claude.json").write_text(text)
    done = place.suture("doctor", "--client", "claude-code")
    assert (done.status, done.err) == (0, "")


def test_a_setting_that_is_missing_is_reported(place: Place) -> None:
    place.suture("install", "claude-code", "--yes")
    (place.root / ".claude/settings.json").write_text("{}")
    done = place.suture("doctor", "--client", "claude-code")
    assert ".claude/settings.json differs from what install writes. Run: suture install claude-code" in done.out


def test_a_server_that_fails_is_reported_with_its_own_words(place: Place) -> None:
    place.suture("install", "cursor", "--yes")
    settings = place.root / ".cursor/mcp.json"
    settings.write_text(settings.read_text().replace('"core"', '"nonsense"'))
    done = place.suture("doctor", "--client", "cursor")
    assert done.status == 1
    assert "The server does not list its tools (exit status 2): suture mcp: argument --profile: " in done.out


def test_variables_of_the_entry_are_passed_on_if_the_user_has_set_them(place: Place) -> None:
    place.suture("install", "gemini", "--user", "--yes")
    settings = Path(place.environment["HOME"]) / ".gemini/settings.json"
    text = settings.read_text().replace('"command"', '"env": {"SUTURE_MCP_KEY": "short"}, "command"')
    settings.write_text(text)
    done = place.suture("doctor", "--client", "gemini")
    assert done.status == 1
    assert "SUTURE_MCP_KEY must have at least 32 characters" in done.out


def test_variables_in_the_settings_of_a_project_start_nothing(place: Place) -> None:
    place.suture("install", "gemini", "--yes")
    (place.root / "sitecustomize.py").write_text("open('started', 'w')\n")
    settings = place.root / ".gemini/settings.json"
    entry = f'"env": {{"PYTHONPATH": "{place.root}"}}, "command"'
    settings.write_text(settings.read_text().replace('"command"', entry))
    done = place.suture("doctor", "--client", "gemini")
    assert "The settings of the project set PYTHONPATH for the server, so it was not started." in done.out
    assert not (place.root / "started").exists()


def test_an_old_catalog_of_codex_is_reported(place: Place) -> None:
    place.suture("install", "codex", "--yes")
    program = place.root.parent / "bin" / "codex"
    program.write_text(CODEX.replace("1.2.3", "1.2.4"))
    done = place.suture("doctor", "--client", "codex")
    assert done.status == 1
    assert "The catalog of models is not that of codex 1.2.4. Run: suture install codex" in done.out
    place.suture("install", "codex", "--yes")
    assert place.suture("doctor", "--client", "codex").status == 0


def test_an_old_catalog_is_noticed_by_the_check_of_everything(place: Place) -> None:
    assert "codex" not in place.suture("doctor").out
    place.suture("install", "codex", "--yes")
    place.suture("install", "codex", "--user", "--yes")
    assert "codex" not in place.suture("doctor").out
    (place.root.parent / "bin" / "codex").write_text(CODEX.replace("1.2.3", "1.2.4"))
    done = place.suture("doctor")
    assert done.status == 0
    for command in ("suture install codex\n", "suture install codex --user\n"):
        assert f"The catalog of models is not that of codex 1.2.4. Run: {command}" in done.out
    place.write(".codex/config.toml", "model_catalog_json = ")
    assert place.suture("doctor").status == 0
