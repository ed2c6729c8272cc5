"""Edits in tool calls, as JSON and as markup, in the names of every tool."""

from __future__ import annotations

import json

import pytest

from suture import (
    AddFile,
    DeleteFile,
    EditFile,
    PatchInvalidError,
    PatchRejectedError,
    StringEdit,
    UpdateFile,
    WriteFile,
    apply_in_memory,
    parse,
)

EDIT = EditFile("a.py", (StringEdit("x", "y"),))


@pytest.mark.parametrize(
    "value",
    [
        {"file_path": "a.py", "old_string": "x", "new_string": "y"},
        {"filePath": "a.py", "oldString": "x", "newString": "y", "replaceAll": False},
        {"path": "a.py", "old_str": "x", "new_str": "y", "command": "str_replace"},
        {"path": "a.py", "edits": [{"oldText": "x", "newText": "y"}], "dryRun": False},
        {"path": "a.py", "edits": json.dumps([{"oldText": "x", "newText": "y"}])},
        {"name": "Edit", "input": {"file_path": "a.py", "old_string": "x", "new_string": "y"}},
        {"tool": "edit", "args": {"filePath": "a.py", "oldString": "x", "newString": "y"}},
        {"function": {"name": "edit", "arguments": '{"filePath": "a.py", "oldString": "x", "newString": "y"}'}},
        [[{"a": {"b": {"file_path": "a.py", "old_string": "x", "new_string": "y"}}}]],
    ],
    ids=repr,
)
@pytest.mark.parametrize("indent", [None, 2])
def test_an_edit_in_every_spelling(value: object, indent: int | None) -> None:
    text = json.dumps(value, indent=indent)
    for answer in (text, f"I do this:\n{text}\nDone.\n", f"```json\n{text}\n```\n"):
        assert parse(answer).operations == (EDIT,)


@pytest.mark.parametrize(
    ("value", "operation"),
    [
        ({"name": "write", "input": {"filePath": "a.py", "content": "x\n"}}, WriteFile("a.py", "x\n")),
        ({"command": "create", "path": "a.py", "file_text": "x\n"}, WriteFile("a.py", "x\n")),
        ({"name": "create_file", "arguments": {"path": "a.py", "content": ""}}, WriteFile("a.py", "")),
        ({"file_path": "a.py", "old_string": "", "new_string": "x\n"}, AddFile("a.py", "x\n")),
        ({"name": "delete", "input": {"filePath": "a.py"}}, DeleteFile("a.py")),
        ({"name": "move", "input": {"filePath": "a.py", "toPath": "b.py"}}, UpdateFile("a.py", (), "b.py")),
        ({"command": "str_replace", "path": "a.py", "old_str": "x"}, EditFile("a.py", (StringEdit("x", ""),))),
    ],
)
def test_other_calls_that_change_files(value: object, operation: object) -> None:
    assert parse(json.dumps(value)).operations == (operation,)


@pytest.mark.parametrize(
    "value",
    [
        {"path": "a.py", "content": "x"},
        {"name": "read", "input": {"filePath": "a.py"}},
        {"name": "bash", "input": {"command": "rm a.py"}},
        {"command": "view", "path": "a.py"},
        {"file_path": 1, "old_string": "x", "new_string": "y"},
        {"old_string": "x", "new_string": "y"},
        ["a", 1, None],
    ],
    ids=repr,
)
def test_what_is_no_edit_is_never_guessed_to_be_one(value: object) -> None:
    with pytest.raises(PatchInvalidError):
        parse(json.dumps(value))


@pytest.mark.parametrize(
    "text",
    [
        '{"file_path": "a.py", "old_string": "x", "new_string": "y"',
        '{"file_path": "a.py", "old_string": "x" "new_string": "y"}',
        '{"path": "a.py", "edits": [{"old_string": "x", "new_string": "y"}, {"old_string": "x"}]}',
        '{"command": "insert", "path": "a.py", "insert_line": 1}',
        '<invoke name="Edit"><parameter name="file_path">a.py</parameter>',
        '<invoke name="Edit">\n<parameter name="file_path">a.py\n</invoke>',
    ],
)
def test_an_edit_that_can_not_be_read_is_an_error(text: str) -> None:
    good = '{"file_path": "b.py", "old_string": "x", "new_string": "y"}\n'
    with pytest.raises(PatchInvalidError):
        parse(good + text)


def test_several_calls_on_a_line_and_line_by_line() -> None:
    one = '{"file_path": "a.py", "old_string": "x", "new_string": "y"}'
    assert parse(f"{one} {one}\n{one}, then\n{one}\n").operations == (EDIT,) * 4


def test_a_real_newline_in_a_string_is_read() -> None:
    text = '{"file_path": "a.py", "old_string": "a\n{b", "new_string": "c"}'
    assert parse(text).operations == (EditFile("a.py", (StringEdit("a\n{b", "c"),)),)


def test_markup_keeps_texts_as_they_are() -> None:
    text = (
        '<invoke name="Edit">\n<parameter name="path">a.html</parameter>\n'
        '<parameter name="old_str">\n<b>&amp;</b>\n</parameter>\n<parameter name="new_str"></parameter>\n</invoke>\n'
    )
    assert parse(text).operations == (EditFile("a.html", (StringEdit("\n<b>&amp;</b>\n", ""),)),)


def test_all_calls_are_applied_or_none() -> None:
    calls = [
        {"file_path": "a.py", "old_string": "one", "new_string": "two"},
        {"name": "write", "input": {"file_path": "b.py", "content": "new\n"}},
    ]
    text = "\n".join(map(json.dumps, calls))
    after = apply_in_memory(text, {"a.py": "one\n", "b.py": "old\n"}).texts
    assert after == {"a.py": "two\n", "b.py": "new\n"}
    with pytest.raises(PatchRejectedError):
        apply_in_memory(text, {"a.py": "three\n", "b.py": "old\n"})


def test_a_whole_file_with_a_placeholder_is_refused() -> None:
    text = "a.py\n```python\ndef f():\n    # ... rest of the code ...\n```\n"
    with pytest.raises(PatchRejectedError) as raised:
        apply_in_memory(parse(text, form="whole"), {"a.py": "def f():\n    return 1\n"})
    assert raised.value.problems[0].details["reason"] == "placeholder"
