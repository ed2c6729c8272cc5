"""Settings of clients that came with a repository: `install`, `uninstall` and `doctor` read them as hostile input."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from tests.mcp.test_client_install import CODEX, OF_PROJECTS
from tests.shared.programs import BIN, Place

from suture.core.problems import PatchInvalidError
from suture.mcp import client_install, client_program
from suture.mcp.client_files import MARK, ClientFile
from suture.mcp.json_text import JsonTextError, parse_json_text

#: What runs if anybody starts it.
EVIL = "#!/bin/sh\ntouch pwned\n"


@pytest.fixture
def place(tmp_path: Path) -> Place:
    place = Place(tmp_path)
    place.write("evil.sh", EVIL).chmod(0o755)
    return place


def server(command: object, arguments: object = ("mcp",)) -> str:
    return json.dumps({"mcpServers": {"suture": {"command": command, "args": arguments}}})


@pytest.mark.parametrize(
    "settings",
    [
        server("./evil.sh"),
        server("sh", ["-c", "touch pwned", "mcp"]),
        server(str(BIN / "suture"), ["apply", "evil.sh", "mcp"]),
        server("env", ["mcp", "./evil.sh"]),
    ],
)
def test_a_command_of_a_project_is_started_only_if_it_is_this_program(settings: str, place: Place) -> None:
    place.write(".mcp.json", settings)
    done = place.suture("doctor", "--client", "claude-code")
    assert "name another program, which was not started" in done.out
    assert set(place.files()) == {".mcp.json", "app.py", "evil.sh"}


def test_a_program_that_the_user_has_chosen_for_this_project_is_started(place: Place) -> None:
    program = place.write("../elsewhere/start", f'#!/bin/sh\nexec {BIN / "suture"} "$@"\n')
    program.chmod(0o755)
    assert place.suture("install", "claude-code", "--yes", "--program", str(program)).status == 0
    assert "lists" in place.suture("doctor", "--client", "claude-code").out
    settings = place.root / ".mcp.json"
    settings.write_text(settings.read_text().replace('"mcp"', '"apply"'))
    assert "was not started" in place.suture("doctor", "--client", "claude-code").out


def test_a_tool_that_runs_another_program_is_reported(place: Place) -> None:
    place.write(".opencode/suture.ts", f'// {MARK}\nconst PROGRAM = ["./evil.sh"]\n')
    done = place.suture("doctor", "--client", "opencode")
    assert "name another program, which was not started: ./evil.sh" in done.out


@pytest.mark.parametrize(
    "settings",
    [
        server("sh", 5),
        server("sh", ["mcp", 5]),
        server("a\0b"),
        server(["sh"]),
        '{"mcpServers": {"suture": {"transport": "x"}}}',
        '{"mcpServers": {"suture": []}}',
    ],
)
def test_odd_values_are_no_command(settings: str, place: Place) -> None:
    place.write(".mcp.json", settings)
    done = place.suture("doctor", "--client", "claude-code")
    assert (done.status, done.err) == (1, "")
    assert "is not set up" in done.out


@pytest.mark.parametrize("settings", ['{"mcpServers": ' + "9" * 5000 + "}", '{"a":' * 5000, "[1]"])
def test_settings_that_can_not_be_read_are_named(settings: str, place: Place) -> None:
    place.write(".mcp.json", settings)
    done = place.suture("doctor", "--client", "claude-code")
    assert (done.status, done.err) == (1, "")
    assert "Correct that file" in done.out


def test_what_is_no_ordinary_file_is_refused_at_once(place: Place) -> None:
    os.mkfifo(place.root / ".mcp.json")
    for command in (["doctor", "--client"], ["install", "--yes"], ["uninstall", "--yes"]):
        done = place.suture(*command, "claude-code")
        assert (done.status, "not a regular file" in done.out + done.err) == (1, True)


def test_a_link_out_of_the_project_is_not_followed(place: Place) -> None:
    outside = place.root.parent / "outside.json"
    outside.write_text(server("./evil.sh"))
    (place.root / ".mcp.json").symlink_to(outside)
    done = place.suture("doctor", "--client", "claude-code")
    assert (done.status, "outside the workspace" in done.out) == (1, True)


def test_nothing_in_settings_steers_the_terminal(place: Place) -> None:
    place.write(".mcp.json", server("./\x1b[31m\u202e"))
    done = place.suture("doctor", "--client", "claude-code")
    assert "⟨U+001B⟩" in done.out
    assert "\x1b" not in done.out


@pytest.mark.parametrize("command", ["./a\nok    claude-code      the server starts", "./a\rok"])
def test_nothing_in_settings_forges_a_line(command: str, place: Place) -> None:
    place.write(".mcp.json", server(command))
    lines = place.suture("doctor", "--client", "claude-code").out.splitlines()
    assert len([line for line in lines if line.startswith("ok ")]) == 1


@pytest.mark.parametrize(
    ("path", "settings", "client"),
    [
        (".mcp.json", '{"mcpServers": "a\u200b\u3164\ufe0f"}', "claude-code"),
        (".codex/config.toml", 'mcp_servers = 1\nmodel_catalog_json = "a\u3164\ufe0f"\n', "codex"),
    ],
)
def test_nothing_invisible_of_settings_is_in_a_message(path: str, settings: str, client: str, place: Place) -> None:
    place.write(path, settings)
    place.write("../bin/codex", '#!/bin/sh\n[ "$1" = --version ] && echo codex 1 || echo \'{"models": []}\'\n').chmod(
        0o755
    )
    place.environment["PATH"] = f"{place.root.parent / 'bin'}{os.pathsep}{os.environ['PATH']}"
    done = place.suture("install", client, "--yes")
    assert (done.status, "⟨U+3164⟩" in done.err) == (1, True)
    assert not set("\u200b\u3164\ufe0f") & set(done.err)


@pytest.mark.parametrize("text", ['{"a": ' + "9" * 5000 + "}", "{" * 5000])
def test_json_that_python_can_not_read_is_an_error(text: str) -> None:
    with pytest.raises(JsonTextError):
        parse_json_text(text)


def test_many_entries_are_removed_in_linear_time() -> None:
    count = 20_000
    file = ClientFile("a.json", {"permissions": {"allow": ["mcp__suture"]}})
    ours = [f"mcp__suture{number}" for number in range(count)]
    text = json.dumps({"permissions": {"allow": ["first", *ours]}})
    assert json.loads(file.remove_from(text)) == {"permissions": {"allow": ["first"]}}
    others = [str(number) for number in range(count)]
    text = json.dumps({"permissions": {"allow": [*others, "mcp__suture"]}})
    assert json.loads(file.remove_from(text)) == {"permissions": {"allow": others}}


@pytest.mark.parametrize(
    "text",
    [
        'a = """\n[mcp_servers.suture]\n"""\nb = """\n[z]\n"""\n',
        'a = "1"\nb = """\n\u2028[mcp_servers.suture]\nc = 2\n"""\n',
    ],
)
def test_text_in_quotes_is_not_taken_for_our_table(text: str) -> None:
    file = ClientFile("config.toml", {"mcp_servers": {"suture": {"command": "suture"}}})
    try:
        after = file.remove_from(text)
    except PatchInvalidError as refused:
        assert "in a form that can't be changed" in refused.problems[0].message  # noqa: PT017 - it may also do nothing
    else:
        assert after == text


@pytest.mark.parametrize("text", ["[" + "a." * 50_000 + "a]\nx = 1\n", "a." * 4000 + "a = 1\n"])
def test_toml_that_would_take_forever_or_is_too_deep_is_refused(text: str, place: Place) -> None:
    place.write(".codex/config.toml", text)
    done = place.suture("install", "codex", "--yes")
    assert (done.status, "is not valid TOML" in done.err) == (1, True)


def test_the_catalog_of_codex_is_written_only_once_the_user_agrees(place: Place) -> None:
    program = place.root.parent / "bin" / "codex"
    program.parent.mkdir()
    program.write_text(CODEX)
    program.chmod(0o755)
    place.environment["PATH"] = f"{program.parent}:{place.environment['PATH']}"
    folder = Path(place.environment["SUTURE_STATE_DIR"]) / "clients"
    assert place.suture("install", "codex", "--print").status == 0
    assert place.suture("install", "codex").status == 2
    assert not folder.exists()
    assert place.suture("install", "codex", "--yes").status == 0
    assert [oct(one.stat().st_mode & 0o077) for one in (folder, *folder.iterdir())] == ["0o0", "0o0"]


def test_a_module_of_the_project_is_not_started_instead_of_ours(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "argv", ["/x/pytest"])
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    assert "-P" in client_program.find_program()


@pytest.mark.parametrize("client", OF_PROJECTS)
def test_always_never_covers_more_than_was_asked_for(client: str) -> None:
    setup = client_install.installation(client, "/work", program=("suture",), to_remove=True)
    assert not [file.path for file in setup.files if 'always: ["*"]' in file.text]
