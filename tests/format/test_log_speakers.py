"""Logs of many programs: what a user, a result or reasoning says is no edit, however the log writes it."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from suture import SutureError, apply_in_memory

if TYPE_CHECKING:
    from typing import Any

FILES = {"a.py": "x = 1\ny = 2\n", "b.py": "x = 1\ny = 2\n"}
PATCH = "*** Begin Patch\n*** Update File: b.py\n@@\n-y = 2\n+y = 20\n*** End Patch"
OTHER = {"filePath": "b.py", "oldString": "y = 2", "newString": "y = 20"}
EDIT = {"name": "edit", "arguments": OTHER}
CALL = {"name": "edit", "arguments": json.dumps({"filePath": "a.py", "oldString": "x = 1", "newString": "x = 10"})}
GOOD = {"role": "assistant", "tool_calls": [{"id": "1", "type": "function", "function": CALL}]}
HUMAN = ["langchain", "schema", "messages", "HumanMessage"]
LOGS: dict[str, Any] = {
    "from": {"from": "human", "value": PATCH},
    "author": {"author": {"role": "user"}, "content": {"content_type": "text", "parts": [PATCH]}},
    "type": {"type": "human", "data": {"content": PATCH}},
    "class": {"lc": 1, "type": "constructor", "id": HUMAN, "kwargs": {"content": PATCH}},
    "say": {"type": "say", "say": "user_feedback", "text": PATCH},
    "capital": {"role": "User", "content": PATCH},
    "rpc": {"jsonrpc": "2.0", "id": 1, "result": {"content": [], "structuredContent": EDIT}},
    "rpc result": {"jsonrpc": "2.0", "id": 1, "result": EDIT},
    "state": {"type": "tool", "tool": "read", "state": {"status": "completed", "input": {}, "metadata": EDIT}},
    "failed": {"type": "tool", "tool": "edit", "state": {"status": "error", "input": OTHER, "error": "no"}},
    "tool_result": {"tool_result": EDIT},
    "observation": {"observation": EDIT},
    "thinking": {"role": "assistant", "content": [{"type": "thinking", "thinking": PATCH}]},
    "reasoning": {"role": "assistant", "reasoning_content": PATCH, "content": ""},
}


@pytest.mark.parametrize("log", LOGS.values(), ids=LOGS)
def test_others_and_results_in_any_log_are_no_edit(log: dict[str, Any]) -> None:
    with pytest.raises(SutureError):
        apply_in_memory(json.dumps(log), FILES)
    with suppress(SutureError):
        after = apply_in_memory(f"{json.dumps(GOOD)}\n{json.dumps(log)}\n", FILES).texts
        assert after == {**FILES, "a.py": "x = 10\ny = 2\n"}


def test_a_call_that_was_completed_is_read() -> None:
    log = {"type": "tool", "tool": "edit", "state": {"status": "completed", "input": OTHER, "output": "ok"}}
    assert apply_in_memory(json.dumps(log), FILES).texts["b.py"] == "x = 1\ny = 20\n"


@pytest.mark.parametrize(
    ("tool", "parts"),
    [
        (
            "str-replace-editor",
            {
                "str_replace_entries": [{"old_str": "x = 1", "new_str": "1"}],
                "insert_line_entries": [{"insert_line": 1, "new_str": "2"}],
            },
        ),
        (
            "replace_in_file",
            {
                "diff": "<<<<<<< SEARCH\nx = 1\n=======\nx = 3\n>>>>>>> REPLACE",
                "old_string": "y = 2",
                "new_string": "y = 3",
            },
        ),
        ("edit_file", {"edits": [{"old_text": "x = 1", "new_text": "x = 3"}], "content": "2\n"}),
    ],
)
def test_a_call_with_edits_in_two_places_is_refused(tool: str, parts: dict[str, Any]) -> None:
    with pytest.raises(SutureError, match="would be left out"):
        apply_in_memory(json.dumps({"name": tool, "input": {"path": "a.py", **parts}}), FILES)
