"""`suture mcp --isolated`: nothing of the workspace changes before the model merges, and what is left is not lost."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, Any

import pytest
from tests.mcp.raw_client import APP, PATIENCE, RawClient, environment, make_project
from tests.shared.agents import ALLOW
from tests.shared.programs import BIN

from suture import SyncSession, Workspace, open_project

if TYPE_CHECKING:
    from pathlib import Path

HELLO = {"filePath": "app.py", "oldString": "'Hi '", "newString": "'Hello '"}
OTHER = {"filePath": "other.py", "oldString": "A", "newString": "C"}
CHANGED = APP.replace("'Hi '", "'Hello '")
APPROVE = {"action": "accept", "content": {"decision": "approve"}}
REJECT = {"action": "accept", "content": {"decision": "reject", "message": "not yet"}}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_project(tmp_path)


def suture(root: Path, *arguments: str) -> dict[str, Any]:
    """The document of a command."""
    command = [str(BIN / "suture"), *arguments, "--json"]
    done = subprocess.run(command, cwd=root, env=environment(root), capture_output=True, check=False, timeout=PATIENCE)
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def test_a_person_is_asked_for_the_merge_alone(root: Path) -> None:
    with RawClient(root, "--isolated", forms=True) as client:
        tools = [tool["name"] for tool in client.request("tools/list")["result"]["tools"]]
        assert tools[-2:] == ["merge", "discard"]
        client.text("read", filePath="app.py")
        assert "isolated" in client.text("edit", **HELLO)
        assert (root / "app.py").read_text() == APP
        client.answers = [REJECT, APPROVE]
        assert "not yet" in client.text("merge")
        assert (root / "app.py").read_text() == APP
        assert client.text("merge").startswith("Merged.")
        assert len(client.forms) == 2
    assert (root / "app.py").read_text() == CHANGED
    assert suture(root, "isolated", "list")["sessions"] == []


def test_what_a_client_leaves_can_be_listed_merged_and_discarded(root: Path) -> None:
    for name in ("app.py", "other.py"):
        client = RawClient(root, "--isolated", "--approve", "client")
        client.begin()
        client.text("read", filePath=name)
        client.text("edit", **(HELLO if name == "app.py" else OTHER))
        if name == "other.py":
            client.process.kill()
        client.end()
    sessions = suture(root, "isolated", "list")["sessions"]
    assert [(one["actor"], one["paths"]) for one in sessions] == [("raw", ["other.py"]), ("raw", ["app.py"])]
    assert (root / "app.py").read_text() == APP
    assert suture(root, "isolated", "merge", sessions[1]["session"][:6], "--dry-run")["receipt"] is None
    merged = suture(root, "isolated", "merge", sessions[1]["session"][:6])
    assert merged["receipt"]["tool"] == "merge"
    discarded = suture(root, "isolated", "discard", sessions[0]["session"])
    assert discarded["sessions"][0]["paths"] == ["other.py"]
    assert suture(root, "isolated", "list")["sessions"] == []
    assert (root / "app.py").read_text() == CHANGED
    assert (root / "other.py").read_text() == "A = 1\nB = 2\n"
    assert suture(root, "isolated", "merge", "none")["problems"][0]["code"] == "not_found"


DENIALS = {
    "deny": 'deny = ["secret*"]\n',
    "rule": '[[rules]]\npermission = "edit"\nglob = "secret*"\naction = "deny"\n',
    "allow": 'allow = ["app.py"]\n',
}


@pytest.mark.parametrize("settings", DENIALS.values(), ids=list(DENIALS))
def test_what_is_denied_by_now_is_neither_shown_as_a_merge_nor_merged(
    root: Path, monkeypatch: pytest.MonkeyPatch, settings: str
) -> None:
    for name, value in environment(root).items():
        monkeypatch.setenv(name, value)
    with Workspace(root) as place, SyncSession(place, id="mine", isolated=True, reads={"write": "off"}) as session:
        session.write("app.py", CHANGED)
        session.write("folder/secret.txt", "a\n")
        session.write("secret.txt", "a\n")
    (root / ".suture.toml").write_text(settings)
    for options in (["--dry-run"], []):
        document = suture(root, "isolated", "merge", "mine", *options)
        assert document["exit_status"] == 1
        assert {problem["code"] for problem in document["problems"]} == {"permission_denied"}
        assert "secret.txt" in {problem["path"] for problem in document["problems"]}
    with open_project(root) as place, SyncSession(place, id="mine", isolated=True, rules=ALLOW) as session:
        assert session.call("merge", {}).is_error
    assert (root / "app.py").read_text() == APP
    assert not (root / "secret.txt").exists()
    (root / ".suture.toml").unlink()
    assert suture(root, "isolated", "merge", "mine")["exit_status"] == 0
    assert (root / "folder" / "secret.txt").read_text() == "a\n"


def test_a_merge_of_what_is_denied_by_default_goes_through_with_the_option_that_the_advice_names(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in environment(root).items():
        monkeypatch.setenv(name, value)
    with Workspace(root, lift=[".env"]) as place, SyncSession(place, id="mine", isolated=True) as session:
        session.write(".env", "a\n")
    (problem,) = suture(root, "isolated", "merge", "mine", "--dry-run")["problems"]
    assert "--allow" in problem["hint"]
    assert suture(root, "isolated", "merge", "mine", "--allow", ".env")["exit_status"] == 0
    assert (root / ".env").read_text() == "a\n"


def test_the_id_of_a_session_can_not_write_to_the_terminal(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in environment(root).items():
        monkeypatch.setenv(name, value)
    with Workspace(root) as place, SyncSession(place, id="x\x1b[31m", isolated=True) as session:
        session.write("new.txt", "a\n")
    command = [str(BIN / "suture"), "isolated", "discard", "x"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True, timeout=PATIENCE)
    assert done.stdout == "Discarded the changes of the session x⟨U+001B⟩[31m in new.txt.\n"
