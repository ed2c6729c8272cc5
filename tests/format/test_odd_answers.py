"""Answers that are written or copied in odd ways: each broke something once."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from suture import SutureError, apply_in_memory, parse
from suture.format import PatchParser

if TYPE_CHECKING:
    from typing import Any

APP = "def one():\n    return 1\n\n\ndef two():\n    return 2\n"
DONE = APP.replace("return 1", "return 11")
DIFF = "--- a/app.py\n+++ b/app.py\n@@ -1,2 +1,2 @@\n def one():\n-    return 1\n+    return 11\n"
BLOCK = "<<<<<<< SEARCH\n    return 1\n=======\n    return 11\n>>>>>>> REPLACE\n"
PATCH = "*** Begin Patch\n*** Update File: app.py\n@@\n-    return 1\n+    return 11\n*** End Patch\n"
CALL = (
    '<invoke name="Edit">\n<parameter name="file_path">app.py</parameter>\n'
    '<parameter name="old_string">return 1</parameter>\n<parameter name="new_string">return 11</parameter>\n</invoke>\n'
)
PATCH_CALL = f'<invoke name="apply_patch">\n<parameter name="input">{PATCH}</parameter>\n</invoke>\n'
WRITE = "<write_to_file><path>{}</path><content>x\n</content></write_to_file>"


def indent(text: str) -> str:
    return "".join(f"   {line}\n" for line in text.splitlines())


APPLIED = {
    "diff-behind-a-bom": f"\ufeff{DIFF}",
    "block-behind-a-bom": f"\ufeffapp.py\n{BLOCK}",
    "patch-behind-a-bom": f"\ufeff{PATCH}",
    "diff-in-the-fence-of-a-list": "1. Change it:\n\n" + indent(f"```diff\n{DIFF}```\n") + "2. Run it.\n",
    "block-in-the-fence-of-a-list": "1. In `app.py`:\n\n" + indent(f"```\n{BLOCK}```\n") + "2. Run it.\n",
    "diff-in-a-fence-that-was-not-copied-to-its-end": f"```diff\n{DIFF}",
    "call-in-single-quotes": CALL.replace('"', "'"),
    "parameter-with-another-attribute-first": CALL.replace("parameter name=", 'parameter string="true" name='),
    "path-on-a-line-of-its-own-in-markup": CALL.replace(">app.py<", ">\napp.py\n<"),
    "markup-in-prose-before-a-block": f'I use `<invoke name="Edit">` here.\n\napp.py\n{BLOCK}',
    "patch-in-markup": PATCH_CALL,
    "patch-in-markup-with-crlf": PATCH_CALL.replace("\n", "\r\n"),
}


@pytest.mark.parametrize("text", APPLIED.values(), ids=APPLIED)
def test_an_odd_answer_does_what_it_says(text: str) -> None:
    assert apply_in_memory(text, {"app.py": APP}).texts == {"app.py": DONE}


def test_every_call_on_a_line_counts() -> None:
    line = CALL.replace("\n", "")
    other = CALL.replace("app.py", "b.py")
    texts = {"app.py": APP, "b.py": APP}
    for text in (line + other.replace("\n", ""), f"{line} {other}", CALL.rstrip() + other):
        assert apply_in_memory(text, texts).texts == {"app.py": DONE, "b.py": DONE}


def test_a_whole_file_below_another_one_is_read_too() -> None:
    text = "a.py\n```python\nx = 1\n```\nb.py\n```\ny = 2\n```\nc.py\n```\nz = 3\n```\n"
    patch = parse(text, form="whole")
    assert apply_in_memory(patch, {}).texts == {"a.py": "x = 1\n", "b.py": "y = 2\n", "c.py": "z = 3\n"}
    listed = "- `a.py`\n" + indent("```python\nif x:\n    y = 1\n```\n")
    assert apply_in_memory(parse(listed, form="whole"), {}).texts == {"a.py": "if x:\n    y = 1\n"}


@pytest.mark.parametrize("line", ["`my app.py`", "**`my app.py`**", "### `my app.py`", "File: `my app.py`"])
def test_a_path_with_spaces_is_never_a_part_of_it(line: str) -> None:
    texts = {"my app.py": APP, "app.py": APP}
    try:
        after = apply_in_memory(f"{line}\n{BLOCK}", texts).texts
    except SutureError:
        after = {**texts, "my app.py": DONE}
    assert after == {"my app.py": DONE, "app.py": APP}
    assert apply_in_memory(f"`my app.py`\n{BLOCK}", texts).texts["my app.py"] == DONE


def test_a_command_is_not_a_path() -> None:
    with pytest.raises(SutureError) as caught:
        parse(f"Then run `python app.py`:\n{BLOCK}")
    assert caught.value.problems[0].details["reason"] == "no_path"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"```diff\n{DIFF[:-4]}", "may have been cut off"),
        ("```diff\n" + DIFF.replace("-1,2 +1,2", "-1,9 +1,9"), "may have been cut off"),
        (WRITE.format("a.py") + WRITE.format("b.py"), "several calls of write_to_file on one line"),
    ],
)
def test_what_may_be_incomplete_is_refused(text: str, words: str) -> None:
    with pytest.raises(SutureError) as caught:
        parse(text)
    assert words in str(caught.value)


EDIT: dict[str, Any] = {
    "name": "Edit",
    "input": {"file_path": "app.py", "old_string": "return 1", "new_string": "return 11"},
}


@pytest.mark.parametrize(
    "call",
    [
        {"name": "other_tool", "input": {"path": "b.py", "code_edit": "# ... existing code ...\nx = 1"}},
        {"name": "NotebookEdit", "input": {"notebook_path": "b.ipynb", "new_source": "x = 1"}},
        {"name": "text_editor", "input": {"command": "undo_edit", "path": "app.py"}},
        {"name": "text_editor", "input": {"command": "insert", "path": "app.py", "new_str": "x"}},
        {"type": "apply_patch_call", "operation": {"type": "update_file", "path": "b.py", "diff": ""}},
    ],
    ids=str,
)
def test_a_call_that_changes_files_in_another_way_is_never_left_out(call: dict[str, object]) -> None:
    with pytest.raises(SutureError):
        parse(json.dumps([EDIT, call]))


@pytest.mark.parametrize(
    "call",
    [
        {"functionCall": {"name": "replace", "args": {**EDIT["input"], "expected_replacements": 1}}},
        {"name": "replace_string_in_file", "arguments": json.dumps({**EDIT["input"], "explanation": "x"})},
        {"name": "multi_replace_string_in_file", "input": {"replacements": [EDIT["input"]]}},
        {
            "method": "tools/call",
            "params": {"name": "edit_file", "arguments": {"path": "app.py", "edits": [EDIT["input"]]}},
        },
        {
            "name": "replace_file_content",
            "arguments": {
                "TargetFile": "app.py",
                "ReplacementChunks": [
                    {"TargetContent": "return 1", "ReplacementContent": "return 11", "AllowMultiple": False}
                ],
            },
        },
    ],
    ids=str,
)
def test_calls_of_other_tools_are_read(call: dict[str, object]) -> None:
    read = {"name": "read_file", "input": {"path": "app.py", "limit": 20}}
    assert apply_in_memory(json.dumps([read, call]), {"app.py": APP}).texts == {"app.py": DONE}


GEMMA = (
    "<start_function_call>call:replace_lines{{filePath:<escape>app.py<escape>,startLine:{0},endLine:{0},"
    "content:<escape>x<escape>}}<end_function_call>"
)
LINES_CALL = (
    '{{"name": "replace_lines", "arguments": '
    '{{"filePath": "app.py", "startLine": "{0}", "endLine": "{0}", "content": "x"}}}}'
)
HUNK = "--- a/app.py\n+++ b/app.py\n@@ -{0},2 +{0},2 @@\n def one():\n-    return 1\n+    return 11\n"
HINT = "app.py\n<<<<<<< SEARCH line={0}\n    return 1\n=======\n    return 11\n>>>>>>> REPLACE\n"
COUNT = (
    '{{"name": "replace", "arguments": '
    '{{"file_path": "app.py", "old_string": "1", "new_string": "2", "expected_replacements": "{0}"}}}}'
)


@pytest.mark.parametrize("form", [GEMMA, LINES_CALL, HUNK, HINT, COUNT])
@pytest.mark.parametrize("number", ["--2", "-", "+2", "\u00b2", "\u0662", "1_0", "9" * 6000, "1e400", "2.5", "0x2", ""])
def test_what_is_no_number_is_a_problem_or_means_nothing(form: str, number: str) -> None:
    try:
        done = apply_in_memory(form.format(number), {"app.py": APP})
    except SutureError:
        return
    assert done.texts["app.py"] in (DONE, APP.replace("one():\n    return 1", "one():\nx"), APP.replace("1", "2"))


def test_what_a_log_says_was_done_is_not_done_twice() -> None:
    result = {"filePath": "app.py", "oldString": "return 1", "newString": "return 11", "originalFile": APP}
    log = [
        {"type": "assistant", "message": {"content": [{"type": "tool_use", **EDIT}]}},
        {"type": "user", "message": {"content": [{"type": "tool_result", "content": [EDIT]}]}, "toolUseResult": result},
        {"type": "file_change", "changes": [{"path": "app.py", "kind": "update", "diff": "@@ -1 +1 @@"}]},
    ]
    text = "\n".join(map(json.dumps, log))
    assert apply_in_memory(text, {"app.py": APP}).texts == {"app.py": DONE}


def test_entities_in_markup_are_decoded_only_where_the_file_has_the_characters() -> None:
    call = CALL.replace("return 1<", "if a &lt; b:<").replace("return 11<", "if a &lt;= b:<")
    for before, after in (("if a < b:", "if a <= b:"), ("if a &lt; b:", "if a &lt;= b:")):
        assert apply_in_memory(call, {"app.py": f"{before}\n    pass\n"}).texts["app.py"] == f"{after}\n    pass\n"


def outcome(text: str, size: int) -> object:
    """What becomes of a text in pieces of this size."""
    parser = PatchParser()
    for start in range(0, len(text), size):
        parser.feed(text[start : start + size])
    parser.feed("")
    try:
        patch = parser.close()
    except SutureError as error:
        return error.problems
    return patch, patch.concessions, patch.form


@pytest.mark.parametrize("text", [*APPLIED.values(), CALL.replace("\n", "") * 2, f"```diff\n{DIFF[:-4]}"])
def test_an_odd_answer_in_pieces_is_the_same(text: str) -> None:
    assert outcome(text, 1) == outcome(text, 5) == outcome(text, len(text))


def call_of(path: str) -> str:
    """A call that edits a file."""
    return json.dumps({"name": "Edit", "input": {"file_path": path, "old_string": "a", "new_string": "b"}})


def test_a_call_behind_very_many_values_is_not_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first call was applied, and the second one was not."""
    monkeypatch.setattr("suture.format.call_blocks.MOST_CALL_VALUES", 20)
    assert len(parse(f"{call_of('x')} {'[] ' * 9}{call_of('y')}").operations) == 2
    with pytest.raises(SutureError, match="more than 20 JSON values"):
        parse(f"{call_of('x')} {'[] ' * 30}{call_of('y')}")


def test_of_very_many_calls_in_a_stream_none_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("suture.format.stream_events.MOST_OPEN_CALLS", 20)

    def stream(count: int) -> str:
        arguments = json.dumps({"file_path": "a", "old_string": "a", "new_string": "b"})
        function = {"name": "Edit", "arguments": arguments}
        deltas = [
            {"tool_calls": [{"index": number, "id": f"c{number}", "function": function}]} for number in range(count)
        ]
        events = [{"choices": [{"index": 0, "delta": delta}]} for delta in deltas]
        end = {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}
        return "".join(f"data: {json.dumps(event)}\n" for event in [*events, end])

    assert len(parse(stream(15)).operations) == 15
    with pytest.raises(SutureError, match="calls and texts at a time"):
        parse(stream(30))


def test_a_call_in_python_behind_a_long_one_is_not_left_out() -> None:
    """Only the first 10,000 characters of a line were looked at for the names of tools."""
    thought = "x" * 20_000
    text = f"{call_of('x')}\n\n[think(text='{thought}'), str_replace(path='y', old_str='a', new_str='b')]\n"
    assert [operation.path for operation in parse(text).operations] == ["x", "y"]


@pytest.mark.parametrize("key", ["{}", "{}path", "path{}", "path{0}</arg_key>{0}x"])
def test_blanks_around_the_key_of_an_argument_take_time_for_their_number(key: str) -> None:
    text = f"<tool_call>write\n<arg_key>{key.format(' ' * 30_000)}\n<arg_value>x</arg_value>\n</tool_call>\n"
    with pytest.raises(SutureError):
        parse(text)
