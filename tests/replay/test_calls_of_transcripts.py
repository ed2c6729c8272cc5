"""What the readers of transcripts say about a call: what it changes, and whether it may write anything else."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from suture.replay.readers.claude_code import ClaudeCode
from suture.replay.readers.copilot_cli import CopilotCli
from suture.replay.readers.gemini_cli import GeminiCli
from suture.replay.readers.opencode import OpenCode
from suture.replay.recording import RecordedCall, TranscriptFile, TranscriptReader, Turn

if TYPE_CHECKING:
    from typing import Any

TIME = "2026-01-02T03:04:05Z"


def claude_code(tool: str, given: dict[str, Any]) -> list[dict[str, Any]]:
    use = {"type": "tool_use", "id": "call", "name": tool, "input": given}
    return [{"type": "assistant", "sessionId": "s", "message": {"content": [use]}}]


def copilot_cli(tool: str, given: dict[str, Any]) -> list[dict[str, Any]]:
    start = {"toolCallId": "call", "toolName": tool, "arguments": given}
    return [{"type": "tool.execution_start", "data": start}]


def gemini_cli(tool: str, given: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"type": "gemini", "sessionId": "s", "toolCalls": [{"id": "call", "name": tool, "args": given}]}]


def opencode(tool: str, given: dict[str, Any]) -> list[dict[str, Any]]:
    state = {"status": "completed", "input": given}
    return [{"messageID": "m", "sessionID": "s", "type": "tool", "tool": tool, "state": state}]


#: Of each agent: its reader, its records of a call, its tools that read, change a file and run a command.
AGENTS = {
    "claude-code": (ClaudeCode, claude_code, "Read", ("Edit", ("file_path", "old_string", "new_string")), "Bash"),
    "copilot-cli": (CopilotCli, copilot_cli, "view", ("edit", ("path", "old_str", "new_str")), "bash"),
    "gemini-cli": (
        GeminiCli,
        gemini_cli,
        "read_file",
        ("replace", ("file_path", "old_string", "new_string")),
        "run_shell_command",
    ),
    "opencode": (OpenCode, opencode, "read", ("edit", ("filePath", "oldString", "newString")), "bash"),
}


def read(reader: TranscriptReader, *records: dict[str, Any]) -> dict[str, list[RecordedCall | Turn]]:
    """The items of each session."""
    data = "\n".join(map(json.dumps, records)).encode()
    reader.read(TranscriptFile("transcript.jsonl", data))
    return {name: list(items.values()) for name, items in reader.recording.sessions.items()}


def the_call(agent: str, tool: str, given: dict[str, Any]) -> RecordedCall:
    make_reader, records, *_ = AGENTS[agent]
    [items] = read(make_reader(), *records(tool, given)).values()
    [call] = [item for item in items if isinstance(item, RecordedCall)]
    return call


@pytest.mark.parametrize("agent", AGENTS)
def test_a_call_that_reads_may_not_write(agent: str) -> None:
    assert not the_call(agent, AGENTS[agent][2], {}).may_write


@pytest.mark.parametrize("agent", AGENTS)
def test_a_call_that_changes_a_file_may_write_nothing_else(agent: str) -> None:
    tool, names = AGENTS[agent][3]
    call = the_call(agent, tool, dict(zip(names, ("a.py", "old", "new"), strict=True)))
    assert [change.path for change in call.changes] == ["a.py"]
    assert not call.may_write


@pytest.mark.parametrize("agent", AGENTS)
def test_a_command_may_write_unless_it_only_reads(agent: str) -> None:
    shell = AGENTS[agent][4]
    assert not the_call(agent, shell, {"command": "cat a.py"}).may_write
    assert the_call(agent, shell, {"command": "make"}).may_write


@pytest.mark.parametrize("agent", AGENTS)
def test_a_call_of_a_tool_that_nobody_knows_may_write(agent: str) -> None:
    assert the_call(agent, "somebody_elses", {"command": "cat a.py"}).may_write


def test_a_message_of_claude_code_is_a_prompt_unless_it_is_an_answer_of_a_tool_or_about_the_session() -> None:
    prompt = {"type": "user", "sessionId": "s", "timestamp": TIME, "message": {"content": [{"type": "text"}]}}
    answer = prompt | {"uuid": "answer", "message": {"content": [{"type": "tool_result", "tool_use_id": "no"}]}}
    later = prompt | {"timestamp": "2026-01-02T03:04:06Z"}
    [turns] = read(ClaudeCode(), prompt, answer, prompt | {"uuid": "meta", "isMeta": True}, later).values()
    # Prompts without an id are told apart by their times.
    assert [turn.id for turn in turns] == ["1767323045.0", "1767323046.0"]
    assert all(isinstance(turn, Turn) and turn.is_prompt for turn in turns)


def test_a_session_of_copilot_is_named_after_its_file_until_it_has_an_id() -> None:
    message = {"type": "user.message", "id": "1", "data": {}}
    named = {"type": "session.start", "data": {"sessionId": "s"}}
    sessions = read(CopilotCli(), {"type": "session.start", "data": {}}, message, named, message | {"id": "2"})
    assert {name: [turn.id for turn in turns] for name, turns in sessions.items()} == {
        "transcript.jsonl": ["1"],
        "s": ["2"],
    }


@pytest.mark.parametrize(
    ("metadata", "diff"),
    [({"diff": "whole"}, "whole"), ({"diff": "whole", "filediff": {"patch": "of the file"}}, "of the file")],
)
def test_the_difference_of_an_edit_of_opencode_is_that_of_the_file_if_it_is_recorded(
    metadata: dict[str, Any], diff: str
) -> None:
    [record] = opencode("edit", {"filePath": "a.py", "oldString": "old", "newString": "new"})
    record["state"]["metadata"] = metadata
    [[call]] = read(OpenCode(), record).values()
    assert isinstance(call, RecordedCall)
    assert [change.diff for change in call.changes] == [diff]
