"""A client that does not show all of a form gets none: the user decides in the queue, where everything is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.mcp.raw_client import APP, RawClient, make_project

from suture.agent import Answer, ApprovalFolder
from suture.mcp.form_table import cuts_forms
from suture.mcp.static_requests import Peer
from suture.review import Inbox
from suture.state.state_folder import approvals_path

if TYPE_CHECKING:
    from pathlib import Path

ENVELOPE = "io.modelcontextprotocol/"
HELLO = {"filePath": "app.py", "oldString": "'Hi '", "newString": "'Hello '"}
APPROVE = {"action": "accept", "content": {"decision": "approve"}}
CUTS = {"name": "claude-code", "title": "Claude Code", "version": "2.1.328"}
SHOWS_ALL = {**CUTS, "version": "2.1.197"}
#: No test waits for an answer that does not come: a call that asks in the queue ends at once.
AT_ONCE = ("--reads", "exact", "--approval-timeout", "0.1")


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SUTURE_STATE_DIR", str(tmp_path / "state"))
    return make_project(tmp_path)


def call_of(info: dict[str, str]) -> dict[str, Any]:
    """A call of a client that speaks the version without a handshake."""
    meta = {
        f"{ENVELOPE}protocolVersion": "2026-07-28",
        f"{ENVELOPE}clientInfo": info,
        f"{ENVELOPE}clientCapabilities": {"elicitation": {"form": {}}},
    }
    return {"name": "edit", "arguments": HELLO, "_meta": meta}


@pytest.mark.parametrize(
    ("release", "cuts"),
    [
        ("2.1.197", False),
        ("2.1.9", False),
        ("2.0.300", False),
        ("2.1.198", True),
        ("2.1.328", True),
        ("2.2.0", True),
        ("10.0.0", True),
        # What can't be read is no release that was run.
        ("", True),
        ("2.1.197-beta", True),
        ("2..1", True),
        ("²", True),
        pytest.param("1" * 5000, True, id="long"),
    ],
)
def test_only_releases_that_were_run_are_trusted_to_show_all_of_a_form(release: str, *, cuts: bool) -> None:
    assert cuts_forms("claude-code", release) is cuts
    assert Peer("2025-11-25", "claude-code", {}, release).cuts_forms is cuts


def test_a_client_that_is_not_in_the_table_shows_all_of_a_form() -> None:
    assert not cuts_forms("raw", "1")
    assert not cuts_forms("codex-mcp-client", "0.169.0")
    assert Peer("2025-11-25", "codex-mcp-client", {}, "0.169.0").needs_all_fields
    assert not Peer("2025-11-25", "claude-code", {}, "2.1.328").needs_all_fields


def test_a_client_that_cuts_forms_is_shown_none_and_the_answer_from_the_review_counts(root: Path) -> None:
    inbox = Inbox([approvals_path(str(root))])
    with RawClient(root, *AT_ONCE, forms=True, info=CUTS) as client:
        said = client.text("edit", **HELLO)
        assert "the question is still open" in said
        assert "The user can run: suture review." in said
        assert client.forms == []
        (waiting,) = inbox.pending()
        assert "'Hello '" in str(waiting.request.files[0].hunks)
        assert (root / "app.py").read_text() == APP
        inbox.answer(waiting.id, Answer.once("Seen."), waiting.fingerprint)
        while "still open" in said:
            said = client.text("edit", **HELLO)
        assert "Seen." in said
        assert client.forms == []
    assert "'Hello '" in (root / "app.py").read_text()


def test_while_the_call_waits_the_user_is_told_where_to_decide(root: Path) -> None:
    with RawClient(root, *AT_ONCE, forms=True, info=CUTS) as client:
        client.request("tools/call", name="edit", arguments=HELLO, _meta={"progressToken": "p"})
        messages = [note["params"]["message"] for note in client.notifications]
    assert "Waiting for an approval in `suture review`: app.py" in messages


def test_the_release_that_shows_all_of_a_form_is_shown_one(root: Path) -> None:
    with RawClient(root, "--reads", "exact", forms=True, info=SHOWS_ALL) as client:
        client.answers = [APPROVE]
        client.call("edit", **HELLO)
        assert "+    return 'Hello ' + name" in client.forms[0]["message"]
    assert "'Hello '" in (root / "app.py").read_text()


def test_without_a_handshake_a_client_that_cuts_forms_gets_none_either(root: Path) -> None:
    client = RawClient(root, *AT_ONCE)
    result = client.request("tools/call", **call_of(CUTS))["result"]
    assert result["resultType"] == "complete"
    assert "The user can run: suture review." in result["content"][0]["text"]
    assert len(ApprovalFolder(approvals_path(str(root))).pending()) == 1
    assert client.end() == (0, "")
    assert (root / "app.py").read_text() == APP


def test_an_answer_of_a_client_that_cuts_forms_approves_nothing(root: Path) -> None:
    """Also if the question was put to a release that shows all of it."""
    client = RawClient(root, *AT_ONCE)
    asked = client.request("tools/call", **call_of(SHOWS_ALL))["result"]
    assert asked["resultType"] == "input_required"
    again = {"requestState": asked["requestState"], "inputResponses": {"approval": APPROVE}}
    result = client.request("tools/call", **call_of(CUTS), **again)["result"]
    assert "still open" in result["content"][0]["text"]
    assert (root / "app.py").read_text() == APP
    assert len(ApprovalFolder(approvals_path(str(root))).pending()) == 1
    done = client.request("tools/call", **call_of(SHOWS_ALL), **again)["result"]
    assert not done["isError"]
    assert client.end() == (0, "")
    assert "'Hello '" in (root / "app.py").read_text()


def test_a_client_that_cuts_forms_and_approves_by_itself_is_not_asked(root: Path) -> None:
    with RawClient(root, *AT_ONCE, "--approve", "client", forms=True, info=CUTS) as client:
        client.call("edit", **HELLO)
    assert "'Hello '" in (root / "app.py").read_text()
