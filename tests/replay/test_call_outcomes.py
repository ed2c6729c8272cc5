"""What a recorded call did and whether it was accepted is told from its answer, in all the forms that agents use."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from suture.replay import rebuild, sources, transcript_limits
from suture.replay.readers.claude_code import ClaudeCode
from suture.replay.readers.cline import Cline
from suture.replay.readers.codex import Codex
from suture.replay.readers.copilot_cli import CopilotCli
from suture.replay.readers.gemini_cli import GeminiCli
from suture.replay.recording import RecordedCall, TranscriptFile, plain_text
from suture.replay.sources import usual_places

if TYPE_CHECKING:
    from pathlib import Path

    from suture.replay.recording import TranscriptReader


def only_call(reader: TranscriptReader, name: str, *records: object, is_list: bool = False) -> RecordedCall:
    """The one call of a transcript: records one a line, or one JSON list of them."""
    data = json.dumps(records) if is_list else "".join(f"{json.dumps(record)}\n" for record in records)
    reader.read(TranscriptFile(name, data.encode()))
    (items,) = reader.recording.sessions.values()
    (call,) = [item for item in items.values() if isinstance(item, RecordedCall)]
    return call


def cline_call(tool: str, answer: str, **given: str) -> RecordedCall:
    use = {"type": "tool_use", "id": "t", "name": tool, "input": {"path": "a.py", **given}}
    result = {"type": "tool_result", "tool_use_id": "t", "content": answer}
    messages = ({"role": "assistant", "content": [use]}, {"role": "user", "content": [result]})
    return only_call(Cline(), "api_conversation_history.json", *messages, is_list=True)


@pytest.mark.parametrize(
    ("answer", "accepted"),
    [
        ("The content was successfully saved to a.py.", True),
        ('<final_file_content path="a.py">\nx\n</final_file_content>', True),
        ("<file_write_result>\n<path>a.py</path>\n</file_write_result>", True),
        ("<error>\nno\n</error>", False),
        ("The SEARCH block does not match anything in the file.", False),
        ("The tool execution failed with an error.", False),
        ("The user said nothing.", None),
        ("It was successfully saved, but it failed with an error.", None),
    ],
)
def test_cline_tells_in_words_whether_a_file_was_saved(answer: str, accepted: bool | None) -> None:
    assert cline_call("write_to_file", answer, content="x").accepted is accepted


@pytest.mark.parametrize(
    ("answer", "content"),
    [
        ('<file_content path="a.py">\none\n\n</file_content>', "one\n"),
        ("one\ntwo\n", "one\ntwo\n"),
        ("1 | one\n2 | two\n(File has 2 lines total.)", "one\ntwo\n"),
        ("1 | one\n(File has 2 lines total.)", None),
        ("  1 | one\n  2 | two\n", None),
        ("<error>\nno such file\n</error>", None),
        ("<files>\n</files>", None),
    ],
)
def test_a_file_that_cline_has_read_is_known_if_all_of_it_was_shown(answer: str, content: str | None) -> None:
    read = [(change.form, change.after) for change in cline_call("read_file", answer).changes]
    assert read == ([] if content is None else [("read", content)])


def test_a_message_has_its_text_under_either_name() -> None:
    assert plain_text([{"text": "one"}, {"content": "two"}]) == "one\ntwo"


@pytest.mark.parametrize(("command", "may_write"), [("ls -l", False), ("rm a.py", True), ("sed -i s/a/b/ a.py", True)])
def test_claude_code_may_have_written_with_a_command(command: str, may_write: bool) -> None:
    part = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": command}}
    record = {"type": "assistant", "sessionId": "s", "message": {"role": "assistant", "content": [part]}}
    assert only_call(ClaudeCode(), "1.jsonl", record).may_write is may_write


@pytest.mark.parametrize(
    ("tool", "given", "forms"),
    [
        ("edit", {"old_str": "a", "new_str": "b"}, ["string"]),
        ("edit", {"new_str": "b"}, []),
        ("bash", {"old_str": "a"}, []),
        ("str_replace_editor", {"command": "str_replace", "old_str": "a", "new_str": "b"}, ["string"]),
        ("create", {"file_text": "a"}, ["whole"]),
    ],
)
def test_copilot_edits_with_its_own_tools_alone(tool: str, given: dict[str, str], forms: list[str]) -> None:
    data = {"toolCallId": "c", "toolName": tool, "arguments": {"path": "a.py", **given}}
    call = only_call(CopilotCli(), "events.jsonl", {"type": "tool.execution_start", "data": data})
    assert [change.form for change in call.changes] == forms


@pytest.mark.parametrize(("tool", "forms"), [("write_file", ["whole"]), ("replace", ["string"]), ("read_file", [])])
def test_gemini_writes_whole_files_with_one_tool(tool: str, forms: list[str]) -> None:
    call = {"id": "c", "name": tool, "args": {"file_path": "a.py", "content": "a"}, "status": "success"}
    chat = {"sessionId": "s", "messages": [{"type": "gemini", "id": "m", "toolCalls": [call]}]}
    assert [change.form for change in only_call(GeminiCli(), "session-1.json", chat).changes] == forms


@pytest.mark.parametrize(
    ("output", "accepted"),
    [
        ("Success. Updated the following files:", True),
        ({"content": "Success. Updated the following files:"}, True),
        ({"output": "Success. Updated the following files:"}, True),
        ({"output": "error: invalid patch"}, False),
    ],
)
def test_codex_answers_with_a_text_or_a_value_that_has_one(output: Any, accepted: bool) -> None:
    patch = "*** Begin Patch\n*** Delete File: a.py\n*** End Patch"
    payloads = (
        {"type": "custom_tool_call", "call_id": "c", "name": "apply_patch", "input": patch},
        {"type": "custom_tool_call_output", "call_id": "c", "output": output},
    )
    records = [{"type": "response_item", "timestamp": "", "payload": payload} for payload in payloads]
    assert only_call(Codex(), "rollout-1.jsonl", *records).accepted is accepted


@pytest.mark.parametrize("absolute", ["/home/ann/src/a.py", "C:/work/src/a.py"])
def test_a_relative_path_is_the_only_absolute_one_that_ends_with_it(absolute: str) -> None:
    names = rebuild._same_files([absolute, "src/a.py", "b.py"])
    assert names == {absolute: absolute, "src/a.py": absolute, "b.py": "b.py"}


@pytest.mark.parametrize("is_set", [True, False])
def test_on_windows_settings_are_in_the_roaming_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_set: bool
) -> None:
    settings = tmp_path / ("data" if is_set else "home/AppData/Roaming")
    monkeypatch.setenv("APPDATA", str(settings) if is_set else "")
    tasks = settings / "Code/User/globalStorage/saoudrizwan.claude-dev/tasks"
    tasks.mkdir(parents=True)
    (tmp_path / "work").mkdir()
    places = usual_places(tmp_path / "home", tmp_path / "work", system="win32")
    assert [source.path for source in places] == [tasks]


@pytest.mark.parametrize(("count", "trouble"), [(2, {}), (3, {"too many files": 1})])
def test_a_directory_may_have_as_many_transcripts_as_the_limit_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int, trouble: dict[str, int]
) -> None:
    monkeypatch.setattr(transcript_limits, "MOST_TRANSCRIPT_FILES", 2)
    for number in range(count):
        (tmp_path / f"{number}.jsonl").write_text("{}\n")
    troubles: Counter[str] = Counter()
    assert len(list(sources._files(tmp_path, troubles))) == 2
    assert troubles == trouble
