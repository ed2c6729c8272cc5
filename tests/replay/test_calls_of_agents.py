"""What the readers of `suture.replay` make of single calls: what they change, and whether they may change more."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.shared import transcripts as made

from suture import StringEdit
from suture.replay.readers.aider import Aider
from suture.replay.readers.claude_code import ClaudeCode
from suture.replay.readers.cline import Cline
from suture.replay.readers.codex import Codex
from suture.replay.readers.copilot_cli import CopilotCli
from suture.replay.readers.gemini_cli import GeminiCli
from suture.replay.recording import FileChange, RecordedCall, TranscriptFile

if TYPE_CHECKING:
    from suture.replay.recording import TranscriptReader


def calls(reader: TranscriptReader, name: str, data: bytes) -> list[RecordedCall]:
    """The calls of a transcript."""
    reader.read(TranscriptFile(name, data))
    items = [item for session in reader.recording.sessions.values() for item in session.values()]
    return [item for item in items if isinstance(item, RecordedCall)]


@pytest.mark.parametrize(("tool", "may_write"), [("Grep", False), ("Glob", False), ("Task", True), ("NewTool", True)])
def test_a_tool_of_claude_code_may_write_unless_it_is_known_to_read(tool: str, may_write: bool) -> None:
    transcript = made.claude_code().replace(b'"Read"', f'"{tool}"'.encode())
    assert {call.may_write for call in calls(ClaudeCode(), "1.jsonl", transcript) if call.tool == tool} == {may_write}


@pytest.mark.parametrize(
    ("tool", "changes"), [("read_file", (FileChange("a.py", "read", after="text\n"),)), ("list_files", ())]
)
def test_what_a_tool_of_cline_answers_is_a_file_only_if_it_reads_one(
    tool: str, changes: tuple[FileChange, ...]
) -> None:
    use = {"type": "tool_use", "id": "t", "name": tool, "input": {"path": "a.py"}}
    answer = {"type": "text", "text": f"[{tool} for 'a.py'] Result:\ntext\n"}
    messages = [{"role": "assistant", "content": [use]}, {"role": "user", "content": [answer]}]
    [call] = calls(Cline(), "api_conversation_history.json", json.dumps(messages).encode())
    assert call.changes == changes


def test_a_rollout_of_codex_without_an_id_is_a_session_of_its_file() -> None:
    rollout = made.codex().split(b"\n", 1)[1]
    reader = Codex()
    for name in ("rollout-1.jsonl", "rollout-2.jsonl"):
        reader.read(TranscriptFile(name, rollout))
    sessions = reader.recording.sessions
    assert list(sessions) == ["rollout-1.jsonl", "rollout-2.jsonl"]
    assert [len(items) for items in sessions.values()] == [7, 7]


ADDED = "*** Begin Patch\n*** Add File: b.py\n+new\n*** End Patch"


@pytest.mark.parametrize(
    ("patch", "forms"),
    [
        (made.envelope("a.py", "-old", "+new"), [("envelope", "the difference")]),
        (ADDED, [("whole", "")]),
        (made.envelope("a.py", "-old", "+new").replace("*** End Patch", ADDED.split("\n", 1)[1]),
         [("envelope", ""), ("whole", "")]),
    ],
)  # fmt: skip
def test_the_difference_that_copilot_shows_is_that_of_the_only_update(patch: str, forms: list[tuple[str, str]]) -> None:
    given = {"toolCallId": "1", "toolName": "apply_patch", "arguments": {"input": patch}}
    end = {"toolCallId": "1", "success": True, "result": {"detailedContent": "the difference"}}
    events = made.lines(
        {"type": "tool.execution_start", "data": given}, {"type": "tool.execution_complete", "data": end}
    )
    [call] = calls(CopilotCli(), "events.jsonl", events)
    assert [(change.form, change.diff) for change in call.changes] == forms


@pytest.mark.parametrize(
    ("more", "replace_all"),
    [
        ({}, False),
        ({"allow_multiple": True}, True),
        ({"allow_multiple": "yes"}, False),
        ({"expected_replacements": 2}, True),
    ],
)
def test_an_edit_of_gemini_replaces_all_only_if_it_says_so(more: dict[str, Any], replace_all: bool) -> None:
    given = {"file_path": "a.py", "old_string": "old", "new_string": "new", **more}
    message = {"id": "1", "type": "gemini", "toolCalls": [{"id": "call", "name": "replace", "args": given}]}
    [call] = calls(GeminiCli(), "session-1.json", json.dumps({"sessionId": "s", "messages": [message]}).encode())
    assert call.changes[0].edit == (StringEdit("old", "new", replace_all),)


def test_what_aider_prints_behind_its_report_of_a_failed_block_is_about_the_same_answer() -> None:
    chat = "\n".join(
        (
            "# aider chat started at 2026-01-01 00:00:00",
            "#### Change both.",
            "",
            "a.py", made.block("old", "new"),
            "b.py", made.block("old", "new"),
            "> ## SearchReplaceNoExactMatch: This SEARCH block failed to exactly match lines in a.py",
            "The SEARCH section must exactly match an existing block of lines.",
            "# The other 1 SEARCH/REPLACE block were applied successfully.",
            "> Applied edit to b.py",
        )
    )  # fmt: skip
    verdicts = {call.changes[0].path: call.accepted for call in calls(Aider(), ".aider.chat.history.md", chat.encode())}
    assert verdicts == {"a.py": False, "b.py": True}
