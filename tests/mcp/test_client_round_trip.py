"""Settings that were there before `suture install` are there after `suture uninstall` and `suture undo`, byte for byte.

Each client, in a project and for the user, with settings as people and programs write them.
"""

from __future__ import annotations

import json
import os
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from tests.mcp.test_client_install import CODEX

from suture.mcp import client_install
from suture.mcp.client_files import NAME, ClientFile
from suture.mcp.client_install import FileChanges, installation
from suture.mcp.client_table import CLIENTS
from suture.workspace.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from suture.mcp.client_install import Installation

JSON = {
    "nothing": "{}",
    "an empty file": "",
    "a blank file": " \n",
    "a comment alone": "// mine\n{}\n",
    "one line": '{"a":1,"b":[1, 2]}',
    "a comma at the end": '{\n\t"a": 1,\n}\n\n\n',
    "comments": '/* "b": {} */\r\n{ // x\r\n  "a": "// no comment", /* y */ // z\r\n\r\n  // last\r\n}\r\n// end',
    "a byte order mark": '\ufeff{\n  "\u00e9": "\\u00e9", "n": 1e10\n}\n',
    "numbers and escapes": '{"big": 123456789012345678901234567890, "s": "\\/\\ud83d\\ude00"}\n',
}
TOML = {
    "an empty file": "",
    "a comment alone": "# mine",
    "no newline at the end": "a = 1",
    "line endings of two kinds": "a = 1\r\n[b]\nc = 2\r\n",
    "a table of others": '[mcp_servers.other]\ncommand = "x" # kept\n\n[mcp_servers.other.env]\nA = "b"\n\n\n[z]\n',
    "text in quotes": 'a = """\n# no comment\n\n"""\n\n',
    "blank lines": "\n\n# about b\n[b]\nc = 1\n\n\n# end",
}
YAML = {
    "an empty file": "",
    "a comment alone": "# mine",
    "no newline at the end": "name: x",
    "empty lists": "name: x\nmcpServers: []\nexclude: []\nallow:\n",
    "keys without a value": "mcpServers:\n\nexclude:\n",
    "items of others": "mcpServers:\n- name: other\n  command: x\nexclude:\n# mine\n- Bash\n",
    "CRLF": "---\r\nname: x\r\nexclude:\r\n  - Bash # x\r\n",
}
SCOPES = [(name, scope) for name, client in CLIENTS.items() for scope in client.scopes]
#: How often, and for whom, a client is set up before that is taken back.
VARIANTS = [("person",), ("headless", "person"), ("person", "headless", "person")]


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home, program = tmp_path / "home", tmp_path / "bin" / "codex"
    program.parent.mkdir()
    program.write_text(CODEX)
    program.chmod(0o755)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    monkeypatch.setenv("SUTURE_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("PATH", str(program.parent), prepend=os.pathsep)
    # Many commits are made, and none has to survive a power failure.
    monkeypatch.setattr(client_install, "Workspace", partial(Workspace, durability="process"))


def setup_of(name: str, scope: str, root: Path, variant: str, *, to_remove: bool = False) -> Installation:
    return installation(
        name,
        str(root),
        headless=variant == "headless",
        for_user=scope == "user",
        program=("suture",),
        to_remove=to_remove,
    )


def install(name: str, scope: str, root: Path, variant: str) -> str:
    """Set a client up; the commit, empty if that variant changes nothing."""
    with FileChanges.to_install(setup_of(name, scope, root, variant)) as changes:
        plan = changes.plan()
        return changes.commit(plan) if plan is not None else ""


def uninstall(name: str, scope: str, root: Path) -> None:
    setups = [setup_of(name, scope, root, variant, to_remove=True) for variant in ("person", "headless")]
    with FileChanges.to_uninstall(*setups) as changes:
        plan = changes.plan()
        assert plan is not None
        changes.commit(plan)


def emptied(content: Mapping[str, Any]) -> dict[str, Any]:
    """What holds the settings that we write, with the first rule of each list and nothing else."""
    rest: dict[str, Any] = {}
    for key, value in content.items():
        if isinstance(value, dict) and key != NAME:
            rest[key] = emptied(value)
        elif isinstance(value, list):
            rest[key] = [item for item in value if NAME not in json.dumps(item)][:1]
    return rest


def texts_for(file: ClientFile) -> Mapping[str, str]:
    """Settings in a file that a client has."""
    if file.is_whole:
        return {}
    if file.path.endswith(".toml"):
        return TOML
    if file.path.endswith(".yaml"):
        return YAML
    there = emptied(file.content)
    others = {"what we write": json.dumps({"z": 1, **there}), "what we write, indented": json.dumps(there, indent=4)}
    return {**JSON, **others}


def written(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


@pytest.mark.parametrize(("name", "scope"), SCOPES)
def test_settings_are_what_they_were_byte_for_byte(name: str, scope: str, tmp_path: Path) -> None:
    files = setup_of(name, scope, tmp_path, "person").files
    for number, kind in enumerate(dict.fromkeys(kind for file in files for kind in texts_for(file))):
        root = tmp_path / f"project{number}"
        place = tmp_path / "home" if scope == "user" else root
        (root / ".git").mkdir(parents=True)
        for file in files:
            texts = texts_for(file)
            if kind in texts:
                path = place / file.path
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(texts[kind].encode())
        before = written(place)
        for variant in VARIANTS[number % len(VARIANTS)]:
            install(name, scope, root, variant)
        uninstall(name, scope, root)
        assert written(place) == before, kind
        commit = install(name, scope, root, "person")
        with Workspace(str(place), durability="process") as workspace:
            workspace.undo(commit)
        assert written(place) == before, kind
        for written_path in before:
            (place / written_path).unlink()


def test_what_was_changed_since_the_setup_stays_and_what_it_wrote_goes(tmp_path: Path) -> None:
    root = tmp_path / "project"
    (root / ".git").mkdir(parents=True)
    settings = root / ".cursor" / "cli.json"
    settings.parent.mkdir()
    settings.write_text('{"permissions": {"deny": ["Read(x)"]}}')
    install("cursor", "project", root, "person")
    settings.write_text(settings.read_text().replace("Read(x)", "Read(y)"))
    # The hand-made change is between two setups, so that neither left the file as it is.
    (root / ".cursor" / "mcp.json").unlink()
    assert install("cursor", "project", root, "person")
    uninstall("cursor", "project", root)
    assert written(root) == {".cursor/cli.json": b'{"permissions": {"deny": ["Read(y)"]}}'}


def test_comments_around_settings_stay_where_no_history_tells_what_was_there() -> None:
    file = ClientFile("settings.json", {"permissions": {"deny": ["Edit"]}})
    before = "// mine\n{}\n"
    assert "// mine" in file.remove_from(file.merge_into(before))
