"""A report says which tools changed files in the transcripts, also those whose calls were not read as edits."""

from __future__ import annotations

import pytest

from suture.core.string_edits import StringEdit
from suture.replay.recording import FileChange, RecordedCall, Recording
from suture.replay.replay_report import ReplayReport


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
        ]
    ):
        recording.add("one", RecordedCall(str(number), tool, changes=changes))
    report = ReplayReport(redact=redact)
    report.add_recording("place", recording)
    assert {(row["tool"], row["calls"], row["read"]) for row in report.to_json()["shapes"]} == {
        ("Edit", 2, 2),
        ("NotebookEdit", 1, 0),
        ("mcp__serena__replace_symbol_body", 1, 0),
        ("…" if redact else "my_tool", 1, 1),
    }
    assert any("NotebookEdit" in line for line in report.lines())
