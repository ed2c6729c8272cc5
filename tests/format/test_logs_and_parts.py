"""Logs that have a call twice or one that failed, texts for a part of a file, and edits that are cut off."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.shared.form_samples import FILES, files_after

from suture import PatchInvalidError, apply_in_memory, parse

if TYPE_CHECKING:
    from typing import Any

EDIT = {"file_path": "app.py", "old_string": "    return 1\n", "new_string": "    return 11\n"}
OTHER = {"file_path": "twice.py", "old_string": "    wait()\n", "new_string": ""}
FUNCTION = {"id": "call_1", "type": "function", "function": {"name": "edit", "arguments": json.dumps(EDIT)}}
RECORDED = {"id": "call_1", "name": "edit", "args": EDIT}
#: OpenHands has the call of the model beside what it did with it.
OPEN_HANDS = {
    "id": 3,
    "action": "edit",
    "args": {"command": "str_replace", "path": "app.py", "old_str": "    return 1\n", "new_str": "    return 11\n"},
    "tool_call_metadata": {"tool_call_id": "call_1", "model_response": {"choices": [{"message": FUNCTION}]}},
}
TWICE = {
    "LangChain": {"type": "ai", "tool_calls": [RECORDED], "additional_kwargs": {"tool_calls": [FUNCTION]}},
    "Amazon Q": {"tool_uses": [{"id": "tooluse_1", "name": "edit", "args": EDIT, "orig_args": EDIT}]},
    "Continue": {
        "message": {"role": "assistant", "toolCalls": [FUNCTION]},
        "toolCallStates": [{"toolCallId": "call_1", "toolCall": FUNCTION, "parsedArgs": EDIT}],
    },
    "ACP": {
        "update": {
            "toolCallId": "call_1",
            "rawInput": EDIT,
            "content": [{"type": "diff", "path": "app.py", "oldText": "    return 1\n", "newText": "    return 11\n"}],
        }
    },
    "OpenHands": OPEN_HANDS,
}


@pytest.mark.parametrize("name", TWICE)
def test_a_call_that_a_log_has_twice_is_read_once(name: str) -> None:
    done = apply_in_memory(json.dumps(TWICE[name]), FILES)
    assert done.texts == files_after("changed")
    expected = [] if name == "OpenHands" else ["repeated_call"]
    assert list(dict.fromkeys(one.name for one in done.plan.concessions)) == expected


def test_calls_of_one_id_that_differ_are_both_read() -> None:
    second = {"id": "call_1", "name": "edit", "args": OTHER}
    assert (
        apply_in_memory(json.dumps([RECORDED, second]), FILES).texts["twice.py"] == files_after("removed")["twice.py"]
    )


def test_text_that_one_call_adds_twice_is_added_twice() -> None:
    call = {"id": "call_1", "name": "append_file", "args": {"file_name": "app.py", "content": "x = 1\n"}}
    assert len(parse(json.dumps([call, call])).operations) == 2


FAILED: dict[str, list[dict[str, Any]]] = {
    "goose": [
        {
            "role": "assistant",
            "content": [
                {
                    "type": "toolRequest",
                    "id": "t1",
                    "toolCall": {"status": "success", "value": {"name": "edit", "arguments": EDIT}},
                }
            ],
        },
        {
            "role": "user",
            "content": [{"type": "toolResponse", "id": "t1", "toolResult": {"status": "error", "error": "no match"}}],
        },
    ],
    "Gemini CLI": [{"type": "gemini", "toolCalls": [{**RECORDED, "status": "error"}]}],
    "Gemini CLI, cancelled": [{"type": "gemini", "toolCalls": [{**RECORDED, "status": "cancelled"}]}],
    "ACP": [{"toolCallId": "c", "rawInput": EDIT}, {"toolCallId": "c", "status": "failed"}],
    "AI SDK": [
        {"type": "tool-call", "toolCallId": "c", "toolName": "edit", "input": EDIT},
        {"type": "tool-result", "toolCallId": "c", "isError": True},
    ],
    "Cursor": [
        {"type": "tool_call", "call_id": "c", "tool_call": {"editToolCall": {"args": EDIT}}},
        {"type": "tool_call", "call_id": "c", "tool_call": {"editToolCall": {"args": EDIT, "result": {"error": {}}}}},
    ],
}


@pytest.mark.parametrize("name", FAILED)
def test_a_call_that_failed_is_no_edit(name: str) -> None:
    log = "\n".join(map(json.dumps, FAILED[name]))
    with pytest.raises(PatchInvalidError, match="no edits"):
        parse(log)
    other = json.dumps({"name": "edit", "arguments": OTHER})
    assert apply_in_memory(f"{log}\n{other}\n", FILES).texts == files_after("removed")


def test_what_the_model_says_in_data_for_training_is_read() -> None:
    block = "app.py\n<<<<<<< SEARCH\n    return 1\n=======\n    return 11\n>>>>>>> REPLACE\n"
    said = [{"from": "human", "value": block.replace("11", "9")}, {"from": "gpt", "value": block}]
    assert apply_in_memory(json.dumps({"conversations": said}), FILES).texts == files_after("changed")
    call = {"from": "function_call", "value": json.dumps({"name": "edit", "arguments": EDIT})}
    seen = {"from": "observation", "value": block.replace("11", "9")}
    assert apply_in_memory(json.dumps({"conversations": [call, seen]}), FILES).texts == files_after("changed")


@pytest.mark.parametrize(
    ("tool", "lines"),
    [
        ("edit_file", {"start": "2", "end": "2"}),
        ("write", {"start": "2", "end": "3"}),
        ("write_file", {"start_line": 2, "end_line": 3}),
        ("create_file", {"line": "2"}),
        ("write_to_file", {"startLine": 2}),
    ],
)
def test_a_text_for_some_lines_is_not_the_whole_file(tool: str, lines: dict[str, object]) -> None:
    """As JSON, and as markup, where every number is a text."""
    arguments = {"path": "app.py", "content": "    return 11\n", **lines}
    tags = "".join(f'<parameter name="{name}">{value}</parameter>\n' for name, value in arguments.items())
    for text in (
        json.dumps({"name": tool, "arguments": arguments}),
        f'<invoke name="{tool}">\n{tags}</invoke>\n',
        f"<function={tool}>\n" + tags.replace(' name="', "=").replace('">', ">") + "</function>\n",
    ):
        with pytest.raises(PatchInvalidError):
            parse(text)


def test_numbers_for_all_lines_are_a_whole_file() -> None:
    for lines in ({"start": 0, "end": -1}, {"insert_line": 0}, {"start_line": 1}, {"line_count": 7}):
        call = {"name": "write", "arguments": {"path": "new.py", "content": "x = 1\n", **lines}}
        assert apply_in_memory(json.dumps(call), FILES).texts == files_after("added")


@pytest.mark.parametrize("token", ["<|call|>", "<|return|>", "<|end|>\n", " <|call|>"])
def test_a_message_of_gpt_oss_may_be_a_patch(token: str) -> None:
    patch = "*** Begin Patch\n*** Update File: app.py\n@@ def one():\n-    return 1\n+    return 11\n*** End Patch"
    for head in ("<|channel|>commentary to=functions.apply_patch<|message|>", "<|channel|>final<|message|>", ""):
        assert apply_in_memory(f"{head}{patch}{token}", FILES).texts == files_after("changed")


GOOD = json.dumps({"name": "edit", "arguments": OTHER})


@pytest.mark.parametrize(
    "text",
    [
        "```python:app.py\ndef one():\n    return 11\n# ... existing code ...\n```",
        "```python\n# filepath: app.py\n# ...existing code...\ndef two():\n    return 22\n```",
        '<div><foo-write path="new.py">\nx = 1\n</foo-write></div>',
        '{"changes": {"app.py": [{"range": {"start": {"line": 1, "character": 4}}, "newText": "x"}]}}',
        '{"documentChanges": [{"textDocument": {"uri": "file:///app.py"}, "edits": [{"range": {}, "newText": "x"}]}]}',
    ],
)
def test_what_looks_like_an_edit_is_not_dropped_beside_another(text: str) -> None:
    for both in (f"{GOOD}\n\n{text}\n", f"{text}\n\n{GOOD}\n"):
        with pytest.raises(PatchInvalidError):
            parse(both)


@pytest.mark.parametrize(
    "text",
    [
        "```python\ndef one():\n    ...\n# ... existing code ...\n```",
        "```python:app.py\nprint(...)\n```",
        '<code-editor path="app.py"></code-editor>',
    ],
)
def test_code_in_prose_is_no_edit(text: str) -> None:
    assert len(parse(f"{GOOD}\n\n{text}\n").operations) == 1


@pytest.mark.parametrize(
    "lines",
    [
        ["diff --git a/app.py b/main.py"],
        ["diff --git a/app.py b/main.py", "similarity index 100%"],
        ["diff --git a/app.py b/main.py", "similarity index 100%", "rename from app.py"],
        ["diff --git a/app.py b/main.py", "similarity index 100%", "copy from app.py"],
        ["diff --git a/app.py b/main.py", "similarity index 100%", "copy from app.py", "copy to ma"],
        ["diff --git a/app.py b/main.py", "similarity index 100%", "rename from app.py", "rename to main.p"],
    ],
)
def test_a_rename_or_a_copy_that_is_cut_off_is_refused(lines: list[str]) -> None:
    with pytest.raises(PatchInvalidError):
        parse("\n".join(lines))
