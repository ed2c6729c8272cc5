"""The server on standard input and output, message by message. Nothing here needs the SDK."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, Any

import pytest
from tests.mcp.raw_client import APP, PATIENCE, VERSION, RawClient, environment, make_project, run_python
from tests.shared.hostile_times import timed
from tests.shared.programs import BIN

from suture.mcp.stdio_wire import MessageLines

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

HELLO = {"filePath": "app.py", "oldString": "'Hi '", "newString": "'Hello '"}
APPROVE = {"action": "accept", "content": {"decision": "approve"}}
ENVELOPE = "io.modelcontextprotocol/"
STATELESS = {
    f"{ENVELOPE}protocolVersion": "2026-07-28",
    f"{ENVELOPE}clientInfo": {"name": "raw", "version": "1"},
    f"{ENVELOPE}clientCapabilities": {"elicitation": {"form": {}}},
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_project(tmp_path)


def test_tools_are_listed_before_the_rest_is_loaded(root: Path) -> None:
    lines: list[dict[str, Any]] = [
        {"id": 1, "method": "initialize", "params": {"protocolVersion": VERSION, "capabilities": {}}},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "resources/templates/list"},
        {"id": 3, "method": "prompts/list"},
    ]
    stdin = b"".join(json.dumps({"jsonrpc": "2.0", **line}).encode() + b"\n" for line in lines)
    code = (
        "import sys\nfrom suture.cli.main import run\nrun(['mcp'])\n"
        "from suture.mcp.static_requests import StaticRequests\n"
        "from suture.mcp.server_settings import ServerSettings\n"
        "static = StaticRequests(ServerSettings())\n"
        "tools = static.answer('tools/list', static.peer('ping', {}))['tools']\n"
        "heavy = {'asyncio', 'typing', 'mcp', 'pydantic', 'sqlite3', 'suture.agent.session'}\n"
        "print(len(tools), sorted(heavy & sys.modules.keys()), file=sys.stderr)\n"
    )
    done = run_python(code, root, stdin)
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == [1, 2, 3]
    assert done.stderr == b"7 []\n"


def test_a_server_without_a_client_ends_at_once(root: Path) -> None:
    done = subprocess.run(
        [str(BIN / "suture"), "mcp"],
        cwd=root,
        env=environment(root),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_closed_standard_input_is_a_usage_error(root: Path) -> None:
    command = [f"exec {BIN / 'suture'} mcp <&-"]
    done = subprocess.run(["sh", "-c", *command], cwd=root, env=environment(root), capture_output=True, check=False)
    assert done.returncode == 2
    assert b"standard input and output are needed" in done.stderr


def test_a_handshake_names_the_version_that_both_speak(root: Path) -> None:
    for asked, expected in (("2024-11-05", "2024-11-05"), ("2099-01-01", VERSION)):
        client = RawClient(root)
        params = {"protocolVersion": asked, "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
        result = client.request("initialize", **params)["result"]
        assert (result["protocolVersion"], result["serverInfo"]["name"]) == (expected, "suture")
        assert client.request("ping")["result"] == {}
        assert client.end() == (0, "")


def test_a_model_reads_and_edits_with_an_approval(root: Path) -> None:
    with RawClient(root, forms=True) as client:
        client.answers.append(APPROVE)
        assert "     2\t    return 'Hi ' + name" in client.text("read", filePath="app.py")
        result = client.call("edit", **HELLO)
        assert result["content"] == [{"type": "text", "text": "Edit applied successfully.\nM app.py +1 -1"}]
        assert result["isError"] is False
        [form] = client.forms
        assert "+    return 'Hello ' + name" in form["message"]
        assert "The call waits 50 seconds. A later answer takes effect when the model asks again." in form["message"]
        assert form["mode"] == "form"
        resources = client.request("resources/list")["result"]["resources"]
        assert [one["uri"].startswith("suture://history/") for one in resources] == [True]
    assert "Hello" in (root / "app.py").read_text()


def test_what_is_beside_the_text_is_small(root: Path) -> None:
    with RawClient(root, "--approve", "client") as client:
        assert "_meta" not in client.call("read", filePath="app.py")
        refused = client.call("edit", **{**HELLO, "oldString": "'Ho ' * 7"})
        assert refused["_meta"] == {"suture/problems": ["old_text_not_found context_not_found"]}
        applied = client.call("edit", **HELLO)
        assert set(applied["_meta"]) == {"suture/files", "suture/commits"}
        assert "structuredContent" not in applied


def test_progress_is_reported_to_a_client_that_wants_it(root: Path) -> None:
    with RawClient(root, "--approve", "client") as client:
        client.request("tools/call", name="read", arguments={"filePath": "app.py"}, _meta={"progressToken": "t"})
        messages = [one["params"]["message"] for one in client.notifications]
        assert messages == ["Planning read"]


def test_a_cancelled_call_has_no_answer_and_changes_nothing(root: Path) -> None:
    with RawClient(root, forms=True) as client:
        client.text("read", filePath="app.py")
        client.send(id="edit", method="tools/call", params={"name": "edit", "arguments": HELLO})
        assert client.receive()["method"] == "elicitation/create"
        client.send(method="notifications/cancelled", params={"requestId": "edit", "reason": "esc"})
        assert client.request("ping") == {"id": 3, "result": {}}
        assert client.notifications == []
    assert (root / "app.py").read_text() == APP


def test_an_approval_that_comes_late_is_used_when_the_call_is_repeated(root: Path) -> None:
    with RawClient(root, "--approval-timeout", "0.05", forms=True) as client:
        client.text("read", filePath="app.py")
        client.send(id="edit", method="tools/call", params={"name": "edit", "arguments": HELLO})
        form, ended = client.receive(), client.receive()
        assert "send the same call again" in ended["result"]["content"][0]["text"]
        client.send(id=form["id"], result=APPROVE)
        assert client.text("edit", **HELLO) == "Edit applied successfully.\nM app.py +1 -1"
        assert client.forms == []


def test_always_covers_the_files_that_were_asked_for_and_no_others(root: Path) -> None:
    with RawClient(root, forms=True) as client:
        client.answers.append({"action": "accept", "content": {"decision": "approve always"}})
        client.answers.append({"action": "cancel"})
        for name in ("app.py", "other.py"):
            client.text("read", filePath=name)
        assert "applied" in client.text("edit", **HELLO)
        assert "applied" in client.text("edit", filePath="app.py", oldString="'world'", newString="'moon'")
        refused = client.text("edit", filePath="other.py", oldString="A = 1", newString="A = 2")
        assert "was declined, perhaps automatically." in refused
        assert "of app.py, and of nothing else" in json.dumps(client.forms[0]["requestedSchema"])
        assert len(client.forms) == 2


def test_arguments_that_a_client_adds_for_itself_are_ignored_with_a_note(root: Path) -> None:
    with RawClient(root, "--approve", "client") as client:
        first, second = (client.text("read", filePath="app.py", wait_for_previous=True) for _ in range(2))
        assert first.endswith("\nNote: wait_for_previous is not an argument of this tool and is ignored.")
        assert "wait_for_previous" not in second
        others = client.text("read", filePath="app.py", task_progress="- [ ] x", wait_for_previous_call=False)
        assert others.endswith(
            "\nNote: task_progress, wait_for_previous_call are not arguments of this tool and are ignored."
        )
        unknown = client.text("read", filePath="app.py", nonsense=1)
        assert "read has no argument nonsense." in unknown
        assert "Its arguments are filePath, offset, limit" in unknown


@pytest.mark.parametrize(("profile", "edit", "read"), [("core", "edit", "read"), ("claude", "Edit", "Read")])
def test_a_file_that_was_not_read_is_refused_with_the_tool_that_reads_it(
    profile: str, edit: str, read: str, root: Path
) -> None:
    with RawClient(root, "--profile", profile, "--approve", "client") as client:
        refused = client.text(edit, file_path="app.py", old_string="'Hi '", new_string="'Hello '")
        assert f"Read it first with the tool {read} of suture, then send the edit again." in refused


def test_an_edit_of_a_file_that_the_client_has_read_is_accepted_if_it_fits_one_place(root: Path) -> None:
    with RawClient(root, "--reads", "exact", "--approve", "client") as client:
        assert "has to fit exactly one place" in client.begin()["instructions"]
        assert "applied" in client.text("edit", **HELLO)
        loose = client.text("edit", filePath="other.py", oldString="A  =  1", newString="A = 2")
        assert "Read it first with the tool read of suture" in loose
        assert client.call("write", filePath="other.py", content="")["isError"]
    assert (root / "other.py").read_text() == "A = 1\nB = 2\n"


def test_nothing_is_written_while_codex_runs_in_its_read_only_sandbox(root: Path) -> None:
    lines = ["*** Update File: app.py", "@@", "-    return 'Hi ' + name", "+    return 'Ho ' + name"]
    patch = "\n".join(["*** Begin Patch", *lines, "*** End Patch"])
    call = {"name": "apply_patch", "arguments": {"patch_text": patch}}
    with RawClient(root, "--profile", "codex", "--approve", "client") as client:
        for kind, is_error in (("read-only", True), ("workspace-write", False)):
            meta = {"x-codex-turn-metadata": {"sandbox_mode": kind}}
            assert client.request("tools/call", **call, _meta=meta)["result"]["isError"] is is_error
    assert "'Ho '" in (root / "app.py").read_text()


def test_a_stateless_call_ends_at_a_question_and_goes_on_with_the_answer(root: Path) -> None:
    client = RawClient(root)
    found = client.request("server/discover", _meta=STATELESS)["result"]
    assert (found["supportedVersions"], found["resultType"]) == (["2026-07-28"], "complete")
    call = {"name": "write", "arguments": {"filePath": "new.txt", "content": "new\n"}, "_meta": STATELESS}
    asked = client.request("tools/call", **call)["result"]
    assert asked["resultType"] == "input_required"
    forged = client.request("tools/call", **call, requestState=asked["requestState"] + "x")
    assert "its state is not one of this server" in forged["error"]["message"]
    answer = {"requestState": asked["requestState"], "inputResponses": {"approval": APPROVE}}
    done = client.request("tools/call", **call, **answer)["result"]
    assert (done["isError"], done["resultType"]) == (False, "complete")
    assert client.request("ping", _meta=STATELESS)["error"]["code"] == -32601
    assert client.end() == (0, "")
    assert (root / "new.txt").read_text() == "new\n"


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"not json", -32700),
        (b"[]", -32600),
        (b'{"jsonrpc": "2.0", "id": 7, "method": "ping", "params": []}', -32600),
        (b'{"jsonrpc": "2.0", "id": 7, "method": "nonsense"}', -32601),
        (b'{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": 1}}', -32602),
        (b'{"jsonrpc": "2.0", "id": 7, "method": "prompts/get", "params": {"name": "x"}}', -32602),
        (b'{"jsonrpc": "2.0", "id": 7, "method": "resources/read", "params": {"uri": "file:///x"}}', -32602),
    ],
)
def test_a_wrong_message_is_answered_with_an_error_and_the_connection_goes_on(
    line: bytes, code: int, root: Path
) -> None:
    with RawClient(root) as client:
        client.send_line(line)
        assert client.receive()["error"]["code"] == code
        assert client.request("ping")["result"] == {}


@pytest.mark.parametrize(
    "message",
    [
        b'{"jsonrpc":"2.0","id":[],"method":"tools/call","params":{"name":"read","arguments":{}}}',
        b'{"jsonrpc":"2.0","id":{},"method":"ping"}',
        b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":[]}}',
        b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}',
    ],
)
def test_an_id_that_is_neither_a_number_nor_a_text_does_not_end_the_server(root: Path, message: bytes) -> None:
    with RawClient(root) as client:
        client.request("tools/list")
        client.send_line(message)
        assert "Hi" in str(client.call("read", filePath="app.py"))


def test_a_request_before_the_handshake_is_refused(root: Path) -> None:
    client = RawClient(root)
    assert client.request("tools/list")["error"]["code"] == -32602
    assert client.end() == (0, "")


def test_what_other_programs_print_is_no_message(root: Path) -> None:
    code = (
        "import os, sys\nfrom suture.mcp.stdio_wire import StdioWire\n"
        "wire = StdioWire()\nprint('noise', flush=True)\nos.system('echo more; cat')\n"
        "wire.send({'got': wire.receive()})\n"
    )
    done = run_python(code, root, b'{"a": 1}\n')
    assert json.loads(done.stdout) == {"jsonrpc": "2.0", "got": {"a": 1}}
    assert done.stderr == b"noise\nmore\n"


@pytest.mark.parametrize("value", ["1" + "0" * 5000, "[" * 50_000 + "]" * 50_000], ids=["number", "nesting"])
def test_a_call_that_can_not_be_read_is_answered_to_its_id(root: Path, value: str) -> None:
    """A model chooses what is in its arguments, and a client waits for the answer to its id."""
    params = f'{{"name":"read","arguments":{{"limit":{value}}}}}'
    call = f'{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{params}}}\n'
    done = subprocess.run(
        [str(BIN / "suture"), "mcp"],
        cwd=root,
        env=environment(root),
        input=call.encode(),
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )
    answer = json.loads(done.stdout)
    assert (answer["id"], answer["error"]["code"], done.stderr) == (7, -32700, b"")
    assert "set_int_max_str_digits" not in answer["error"]["message"]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 100])
def test_a_message_may_come_in_pieces_and_one_that_is_too_long_is_cut(
    size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("suture.mcp.stdio_wire.LARGEST_CLIENT_MESSAGE", 50)
    text = b"one\n\ntwo\n" + b"x" * 500 + b"\n" + b"y" * 50 + b"\nthe rest"
    lines = MessageLines()
    found: list[bytes] = []
    for at in range(0, len(text), size):
        lines.add(text[at : at + size])
        found += iter(lines.next, None)
    assert found[:3] == [b"one", b"", b"two"]
    assert 50 < len(found[3]) <= 50 + size
    assert found[4:] == [b"y" * 50]
    assert lines.rest() == b"the rest"
    assert lines.rest() == b""
    lines.add(b"z" * 51)
    assert lines.rest() == b""


def test_a_long_message_in_many_pieces_is_looked_through_once() -> None:
    """What had come so far was copied and searched again with each piece."""

    def reading(count: int) -> Callable[[], object]:
        def work() -> None:
            lines = MessageLines()
            for _ in range(count):
                lines.add(b"x" * 10)
            lines.add(b"\n")
            assert len(lines.next() or b"") == 10 * count

        return work

    assert timed(reading(400_000)) < 40 * max(0.05, timed(reading(40_000)))
