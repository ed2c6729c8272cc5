"""A report says which tools changed files in the transcripts, also those whose calls were not read as edits.

And what it counts by place, and shows of paths."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.shared.form_samples import SAMPLES
from tests.shared.transcripts import gemini_cli, lines

from suture.core.string_edits import StringEdit
from suture.format.call_shapes import CALL_SHAPES
from suture.replay.outcomes import ReplayedEdit
from suture.replay.rebuild import read_edits
from suture.replay.recorded_edit import RecordedEdit
from suture.replay.recording import FileChange, RecordedCall, Recording
from suture.replay.replay_report import ReplayReport
from suture.replay.sources import Source

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("redact", [False, True])
def test_calls_are_counted_by_tool(redact: bool) -> None:
    recording = Recording("claude-code")
    edit = FileChange("a.py", "string", (StringEdit("x", "y"),))
    for number, (tool, changes) in enumerate(
        [
            ("Edit", (edit,)),
            ("Edit", (edit,)),
            ("NotebookEdit", ()),
            ("mcp__serena__replace_symbol_body", ()),
            ("Read", (FileChange("a.py", "read", after="x"),)),
            ("Bash", ()),
            ("my_tool", (edit,)),
            ("our_edit_of_a_file", ()),
        ]
    ):
        recording.add("one", RecordedCall(str(number), tool, changes=changes))
    report = ReplayReport(redact=redact)
    report.add_recording("place", recording)
    assert {(row["tool"], row["calls"], row["read"]) for row in report.to_json()["shapes"]} == {
        ("Edit", 2, 2),
        ("NotebookEdit", 1, 0),
        ("mcp__serena__replace_symbol_body", 1, 0),
        *([("…", 2, 1)] if redact else [("my_tool", 1, 1), ("our_edit_of_a_file", 1, 0)]),
    }
    assert any("NotebookEdit" in line for line in report.lines())


def arguments_by_tool() -> dict[str, dict[str, Any]]:
    """Arguments of every tool of the table: those of its sample, if that is a call in JSON."""
    arguments: dict[str, dict[str, Any]] = {tool: {} for shape in CALL_SHAPES for tool in shape.tools}
    for sample in SAMPLES:
        try:
            call = json.loads(sample.text)
        except ValueError:
            continue
        if isinstance(call, dict) and call.get("name") in arguments and isinstance(call.get("arguments"), dict):
            arguments[call["name"]] = call["arguments"]
    return arguments


def claude_code(calls: dict[str, dict[str, Any]]) -> bytes:
    """A transcript of Claude Code in which each of these tools is called once, and answers."""
    entries: list[dict[str, Any]] = []
    for number, (tool, given) in enumerate(calls.items()):
        use = {"type": "tool_use", "id": f"t{number}", "name": tool, "input": given}
        answer = {"type": "tool_result", "tool_use_id": f"t{number}", "content": "Done."}
        for kind, role, part in (("assistant", "assistant", use), ("user", "user", answer)):
            message = {"role": role, "model": "claude-x", "content": [part]}
            entries.append({"type": kind, "uuid": f"{kind}{number}", "sessionId": "s", "message": message})
    return lines(*entries)


def test_every_row_of_the_table_is_counted_in_transcripts_of_several_agents(tmp_path: Path) -> None:
    calls = arguments_by_tool()
    (tmp_path / "1.jsonl").write_bytes(claude_code(calls))
    (tmp_path / "session-1.json").write_bytes(gemini_cli())
    report = ReplayReport(redact=False)
    list(read_edits(Source(tmp_path), report.add_recording))
    rows = report.to_json()["shapes"]
    counts = {row["tool"]: row["calls"] for row in rows if row["agent"] == "claude-code"}
    assert counts == dict.fromkeys(calls, 1)
    assert [row["tool"] for row in rows if row["agent"] == "gemini-cli"] == ["replace"]
    assert next(row["read"] for row in rows if row["tool"] == "Edit") == 1


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("a.py", "….py"),
        ("a.tar.gz", "….gz"),
        ("a.scala", "….scala"),
        ("a.secret", "…"),
        ("a.p-y", "…"),
        ("secret", "…"),
    ],
)
def test_a_redacted_path_shows_only_an_ending_that_tells_the_language(name: str, shown: str) -> None:
    report = ReplayReport(redact=True)
    edit = RecordedEdit("1", "x", "m", "edit", "string", f"/secret/{name}", (), "rejected")
    report.add(ReplayedEdit(edit, "placed"))
    assert report.entries[0]["path"] == shown


def test_the_transcripts_of_a_place_are_one_row() -> None:
    report, recording = ReplayReport(), Recording("x")
    recording.documents = 2
    for place in ("here", "here", "there"):
        report.add_recording(place, recording)
    report.add_recording("empty", Recording("x"))
    assert [(row["path"], row["transcripts"]) for row in report.sources] == [("here", 4), ("there", 2)]
