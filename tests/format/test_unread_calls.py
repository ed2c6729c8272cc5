"""A call that looks like an edit and is not read as one is reported, whatever is beside it."""

from __future__ import annotations

import json

import pytest

from suture import PatchInvalidError, apply_in_memory, parse

TEXTS = {"app.py": "def one():\n    return 1\n", "b.py": "x = 1\ny = 2\n"}
READABLE = {
    "block": "app.py\n<<<<<<< SEARCH\n    return 1\n=======\n    return 11\n>>>>>>> REPLACE\n",
    "envelope": "*** Begin Patch\n*** Update File: app.py\n@@\n-    return 1\n+    return 11\n*** End Patch\n",
    "diff": "--- a/app.py\n+++ b/app.py\n@@ -1,2 +1,2 @@\n def one():\n-    return 1\n+    return 11\n",
    "call": '{"name": "Edit", "input": {"file_path": "app.py", "old_string": "return 1", "new_string": "return 11"}}\n',
    "markup": '<invoke name="Edit"><parameter name="file_path">app.py</parameter><parameter name="old_string">return 1'
    '</parameter><parameter name="new_string">return 11</parameter></invoke>\n',
}
EDIT = {"file_path": "b.py", "old_string": "x = 1", "new_string": "x = 5"}
#: Each with its tool and its arguments.
CALLS: dict[str, tuple[str, object]] = {
    "find-and-replacement": ("file_edit", {"path": "b.py", "find": "x = 1", "replacement": "x = 5"}),
    "json-encoded-twice": ("Edit", json.dumps(json.dumps(EDIT))),
    "no-arguments": ("Edit", {}),
    "null-arguments": ("Edit", None),
    "only-a-path": ("edit", {"path": "b.py"}),
    "a-json-patch": ("json_patch", {"file": "b.json", "patch": [{"op": "replace", "path": "/x", "value": 5}]}),
    "a-map-of-files": ("write_files", {"files": {"b.py": "x = 5\n", "c.py": "z\n"}}),
    "a-list-of-files": ("write_files", {"files": [{"path": "b.py", "content": "x = 5\n"}]}),
    "a-list-as-arguments": ("write_files", [{"path": "b.py", "content": "x = 5\n"}]),
    "an-unknown-tool": ("zap", {"where": "src/b.py", "was": "x = 1", "becomes": "x = 5"}),
    "an-unknown-tool-with-lines": ("zap", {"where": "b.py", "becomes": ["x = 5", "y = 2"]}),
    "of-a-server": ("mcp__files__modify_file", {"target": "b.py", "body": "x = 5\n"}),
    "reapply": ("reapply", {"target_file": "b.py"}),
    "an-artifact": ("artifacts", {"command": "update", "id": "b", "old_str": "x = 1", "new_str": "x = 5"}),
    "a-deletion": ("removeFiles", {"names": ["b.py"]}),
    "in-camel-case": ("applyChanges", {"uri": "b.py", "ops": [1]}),
}
HARMLESS: dict[str, tuple[str, object]] = {
    "Read": ("Read", {"file_path": "b.py"}),
    "Grep": ("Grep", {"pattern": "x = 1", "path": "src/b.py", "output_mode": "content"}),
    "Glob": ("Glob", {"pattern": "**/*.py", "path": "src/"}),
    "Bash": ("Bash", {"command": "cat b.py", "description": "Show the file"}),
    "TodoWrite": ("TodoWrite", {"todos": [{"content": "Edit b.py", "status": "pending"}]}),
    "write_todos": ("write_todos", {"todos": ["edit b.py"]}),
    "update_plan": ("update_plan", {"plan": [{"step": "edit src/b.py", "status": "done"}]}),
    "dispatch_agent": ("dispatch_agent", {"prompt": "look at b.py", "path": "b.py", "context": "x = 1"}),
    "codebase_search": ("codebase_search", {"query": "where is x?", "target_directories": ["src/"]}),
    "web_search": ("web_search", {"query": "how to edit b.py"}),
    "web_fetch": ("WebFetch", {"url": "https://example.org/b.py", "prompt": "What is it?"}),
    "think": ("think", {"thought": "I have to edit b.py: x = 5"}),
    "list_dir": ("list_dir", {"path": "src/"}),
    "view": ("str_replace_based_edit_tool", {"command": "view", "path": "b.py"}),
    "run_tests": ("run_tests", {"path": "tests/b.py", "code": "x == 1"}),
    "get_diagnostics": ("getDiagnostics", {"uri": "src/b.py"}),
    "unknown": ("outline_of", {"path": "b.py"}),
    "unknown-with-a-query": ("mcp__symbols__callers", {"path": "b.py", "query": "who calls x?"}),
    "unknown-with-a-language": ("count", {"path": "b.py", "language": "python"}),
    "other-names": ("rename_branch", {"old_name": "b", "new_name": "c"}),
    "a-replacement-in-a-text": ("transform", {"search": "x = 1", "replace": "x = 5"}),
    "a-message": ("edit_message", {"id": 5, "text": "in b.py: done"}),
    "a-commit": ("create_commit", {"path": "b.py", "text": "change b.py: x"}),
    "a-query": ("write_query", {"sql": "update t set x = 5"}),
}


def in_json(tool: str, arguments: object) -> str:
    return json.dumps({"name": tool, "arguments": arguments}) + "\n"


def in_function_call(tool: str, arguments: object) -> str:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    call = {"id": "call_1", "type": "function", "function": {"name": tool, "arguments": text}}
    return json.dumps({"role": "assistant", "content": None, "tool_calls": [call]}) + "\n"


def in_kimi(tool: str, arguments: object) -> str:
    return (
        f"<|tool_call_begin|>functions.{tool}:0<|tool_call_argument_begin|>{json.dumps(arguments)}<|tool_call_end|>\n"
    )


def in_tool_call(tool: str, arguments: object) -> str:
    return f"<tool_call>\n{in_json(tool, arguments)}</tool_call>\n"


def in_function_tag(tool: str, arguments: object) -> str:
    assert isinstance(arguments, dict)
    values = "".join(f"<parameter={name}>\n{_text(value)}\n</parameter>\n" for name, value in arguments.items())
    return f"<function={tool}>\n{values}</function>\n"


def in_invoke(tool: str, arguments: object) -> str:
    assert isinstance(arguments, dict)
    values = "".join(f'<parameter name="{name}">{_text(value)}</parameter>\n' for name, value in arguments.items())
    return f'<invoke name="{tool}">\n{values}</invoke>\n'


def in_keys(tool: str, arguments: object) -> str:
    assert isinstance(arguments, dict)
    values = "".join(
        f"<arg_key>{name}</arg_key>\n<arg_value>{_text(value)}</arg_value>\n" for name, value in arguments.items()
    )
    return f"<tool_call>{tool}\n{values}</tool_call>\n"


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


ANY_SYNTAX = (in_json, in_function_call, in_tool_call)
OF_OBJECTS = (in_kimi, in_function_tag, in_invoke, in_keys)


def written(calls: dict[str, tuple[str, object]]) -> dict[str, tuple[str, str]]:
    """The tool and the text of each call in each syntax that can have it."""
    texts = {}
    for name, (tool, arguments) in calls.items():
        for syntax in (*ANY_SYNTAX, *(OF_OBJECTS if isinstance(arguments, dict) else ())):
            texts[f"{name}-{syntax.__name__}"] = (tool, syntax(tool, arguments))
    return texts


UNREAD = {
    **written({name: call for name, call in CALLS.items() if name != "an-unknown-tool-with-lines"}),
    **{f"lines-{one.__name__}": ("zap", one(*CALLS["an-unknown-tool-with-lines"])) for one in ANY_SYNTAX},
    "beside-its-name": ("file_edit", '{"tool": "file_edit", "path": "b.py", "find": "x = 1", "with": "x = 5"}\n'),
    "in-a-line": ("file_edit", f"I call {in_json(*CALLS['find-and-replacement'])}"),
    "edit-it": (
        "edit_it",
        "<edit_it>\n<path>b.py</path>\n<find>x = 1</find>\n<with>x = 5</with>\n</edit_it>\n",
    ),
    "edit-it-in-a-line": ("edit_it", "<edit_it><file>b.py</file><find>x = 1</find><with>x = 5</with></edit_it>\n"),
    "edit-it-with-attributes": ("edit_it", '<edit_it path="b.py">\nx = 5\n</edit_it>\n'),
    "edit-it-cut-off": ("edit_it", "<edit_it>\n<path>b.py</path>\n<find>x = 1</find>\n"),
}

#: The same call in Python, wherever models write one.
_PYTHON = 'edit_file_str(path="b.py", before="x = 1", after="x = 5")'
UNREAD_PYTHON = {
    "in-a-list": f"[{_PYTHON}]\n",
    "bare": f"{_PYTHON}\n",
    "in-a-fence-of-calls": f"```tool_code\n{_PYTHON}\n```\n",
    "printed": f"```tool_code\nprint(default_api.{_PYTHON})\n```\n",
    "assigned": f"```tool_code\nresult = {_PYTHON}\n```\n",
    "awaited": f"```tool_code\nawait {_PYTHON}\n```\n",
    "between-marks": f"<|tool_call_start|>[{_PYTHON}]<|tool_call_end|>\n",
    "behind-another": f'[read(path="a.py"), {_PYTHON}]\n',
    "between-tags": f"<function_calls>\n{_PYTHON}\n</function_calls>\n",
    "in-a-sentence": f"I call [{_PYTHON}] now.\n",
    "behind-a-word": f"Action: {_PYTHON}\n",
    "in-a-list-of-markdown": f"* [{_PYTHON}]\n",
    "on-several-lines": '[\n  edit_it(\n    path="b.py",\n    before="x = 1",\n    after="x = 5",\n  )\n]\n',
    "bare-on-several-lines": 'edit_file_str(\n  path="b.py",\n  old_string="x = 1",\n  new_string="x = 5",\n)\n',
    "in-code-tags": f"<code>\nresult = {_PYTHON}\nprint(result)\n</code>\n",
    "with-places": '[edit_file_str("b.py", "x = 1", "x = 5")]\n',
    "of-lines": 'replace_lines("b.py", 1, 1, "x = 5")\n',
    "an-insertion": 'insert(path="b.py", line=1, text="z")\n',
    "called-as-a-method": f"<|python_tag|>{_PYTHON.replace('(', '.call(')}\n",
    "a-known-tool-in-a-fence-of-code": f"```py\n{_PYTHON.replace('_str', '')}\n```<end_code>\n",
    "a-known-tool-in-a-sentence": f"Calling {_PYTHON.replace('_str', '')}\n",
    "of-an-unknown-tool": '[zap(path="b.py", was="x = 1", becomes="x = 5")]\n',
}
_CUT = '[edit_file_str(path="b.py", before="x = 1", after="x'
_PATH_AND_TEXT = '"path": "b.py", "before": "x = 1", "after": "x = 5"'
UNREAD_OTHERS = {
    "single-quotes": "{'name': 'edit_zap', 'arguments': {'path': 'b.py', 'before': 'x = 1', 'after': 'x = 5'}}\n",
    "no-quotes": "{name: 'edit', arguments: {path: 'b.py', old_string: 'x = 1', new_string: 'x = 5'}}\n",
    "a-name-before-json": f"edit_zap {{{_PATH_AND_TEXT}}}\n",
    "a-call-with-json": f"edit_zap({{{_PATH_AND_TEXT}}})\n",
    "an-action": f'{{"action": "edit", {_PATH_AND_TEXT}}}\n',
    "an-action-with-its-input": f'{{"action": "edit_zap", "action_input": {{{_PATH_AND_TEXT}}}}}\n',
    "a-function": f'{{"function": "edit_zap", "args": {{{_PATH_AND_TEXT}}}}}\n',
    "a-function-name": f'{{"function_name": "edit_zap", "arguments": {{{_PATH_AND_TEXT}}}}}\n',
    "a-tool-as-key": f'{{"edit_zap": {{{_PATH_AND_TEXT}}}}}\n',
    "attributes": '<edit path="b.py" old="x = 1" new="x = 5"/>\n',
    "capitals": "<EDIT><PATH>b.py</PATH><OLD>x = 1</OLD><NEW>x = 5</NEW></EDIT>\n",
    "camel-case": "<editFile><path>b.py</path><find>x = 1</find><with>x = 5</with></editFile>\n",
    "a-tag-for-all-tools": '<tool name="edit"><arg name="path">b.py</arg><arg name="old">x = 1</arg></tool>\n',
    "in-a-sentence": "I do <edit_it><path>b.py</path><find>x = 1</find></edit_it>\n",
    "a-known-tag-in-a-sentence": "I do <write_file><path>b.py</path><content>x = 5</content></write_file>\n",
    "a-name-in-a-tag": '<tool_use><name>edit_it</name><input>{"path": "b.py", "before": "x"}</input></tool_use>\n',
    "a-server": "<use_mcp_tool><server_name>fs</server_name><tool_name>edit_zap</tool_name>"
    '<arguments>{"path": "b.py", "before": "x = 1"}</arguments></use_mcp_tool>\n',
    "gptme-in-tags": '<tool-use>\n<save args="b.py">\nx = 5\n</save>\n</tool-use>\n',
    "gptme-with-a-strange-path": "```save my odd file\nx = 5\n```\n",
    "a-command-without-a-file": "edit 1:1\nx = 5\nend_of_edit\n",
    "a-call-in-a-fence": "```tool\nTOOL_NAME: zap\nBEGIN_ARG: path\nb.py\nEND_ARG\nBEGIN_ARG: x\nx = 1\nEND_ARG\n```\n",
}


def problems_of(answer: str) -> str:
    with pytest.raises(PatchInvalidError) as invalid:
        apply_in_memory(answer, TEXTS)
    return "\n".join(problem.message for problem in invalid.value.problems)


@pytest.mark.parametrize(("tool", "text"), UNREAD.values(), ids=UNREAD)
def test_alone_it_is_named(tool: str, text: str) -> None:
    assert f"The call of {tool}" in problems_of(text)


@pytest.mark.parametrize("readable", READABLE.values(), ids=READABLE)
@pytest.mark.parametrize(("tool", "text"), UNREAD.values(), ids=UNREAD)
def test_beside_an_edit_it_refuses_the_answer(tool: str, text: str, readable: str) -> None:
    assert f"The call of {tool}" in problems_of(readable + text)
    assert f"The call of {tool}" in problems_of(f"{readable}\nAnd the other:\n\n{text}")
    if text != UNREAD["edit-it-cut-off"][1]:
        answer = f"First:\n\n{text}\nThen this.\n\n{readable}\nThat is all.\n"
        assert f"The call of {tool}" in problems_of(answer)


@pytest.mark.parametrize("readable", READABLE.values(), ids=READABLE)
@pytest.mark.parametrize(
    "text",
    [*UNREAD_PYTHON.values(), *UNREAD_OTHERS.values()],
    ids=[*UNREAD_PYTHON, *UNREAD_OTHERS],
)
def test_a_call_in_any_other_syntax_refuses_the_answer_too(text: str, readable: str) -> None:
    for answer in (readable + text, f"{text}\n{readable}", f"First:\n\n{text}\nThen:\n\n{readable}\nDone.\n"):
        assert problems_of(answer)
    assert "contains no edits" not in problems_of(text)


@pytest.mark.parametrize("readable", READABLE.values(), ids=READABLE)
def test_a_call_in_python_that_is_cut_off_refuses_the_answer(readable: str) -> None:
    assert "looks like an edit" in problems_of(f"{readable}\nThen:\n\n{_CUT}")
    assert "looks like an edit" in problems_of(f"{_CUT}\n\n{readable}")


#: Markup whose tags have more white space and attributes than usual.
LOOSE = {
    "spaces": '<invoke  name = "edit" >{}</invoke>\n',
    "another-attribute": '<invoke id="1" name="edit">{}</invoke>\n',
    "a-function": "<function=edit >{}</function>\n",
}


@pytest.mark.parametrize("opening", LOOSE.values(), ids=LOOSE)
@pytest.mark.parametrize("readable", READABLE.values(), ids=READABLE)
def test_markup_with_more_in_its_tags_is_read(opening: str, readable: str) -> None:
    named = "<parameter={0} >{1}</parameter>" if "function" in opening else '<parameter  name="{0}" >{1}</parameter>'
    values = {"path": "b.py", "old_string": "x = 1", "new_string": "x = 5"}
    call = opening.format("".join(named.format(*value) for value in values.items()))
    for answer in (readable + call, f"{call}\n{readable}"):
        assert apply_in_memory(answer, TEXTS).texts == {
            "app.py": "def one():\n    return 11\n",
            "b.py": "x = 5\ny = 2\n",
        }


#: Edits right behind the token of gpt-oss that a message follows.
BEHIND_A_TOKEN = {
    "a-diff": "--- a/b.py\n+++ b/b.py\n@@ -1,2 +1,2 @@\n-x = 1\n+x = 5\n y = 2\n",
    "an-envelope": "*** Begin Patch\n*** Update File: b.py\n@@\n-x = 1\n+x = 5\n*** End Patch\n",
    "a-path": "b.py\n<<<<<<< SEARCH\nx = 1\n=======\nx = 5\n>>>>>>> REPLACE\n",
}


@pytest.mark.parametrize("text", BEHIND_A_TOKEN.values(), ids=BEHIND_A_TOKEN)
def test_an_edit_behind_the_token_of_a_message_is_read(text: str) -> None:
    assert apply_in_memory(f"<|channel|>final<|message|>{text}", TEXTS).texts["b.py"] == "x = 5\ny = 2\n"
    with pytest.raises(PatchInvalidError):
        parse(f"<|start|>user<|message|>{text}")


@pytest.mark.parametrize("readable", READABLE.values(), ids=READABLE)
def test_a_block_without_a_path_behind_that_token_is_refused(readable: str) -> None:
    block = "<<<<<<< SEARCH\nx = 1\n=======\nx = 5\n>>>>>>> REPLACE\n"
    assert "names no file" in problems_of(f"<|channel|>final<|message|>{block}\n{readable}")


def test_a_call_of_langchain_is_read() -> None:
    call = {"action": "edit", "action_input": {"path": "b.py", "old_string": "x = 1", "new_string": "x = 5"}}
    answer = f"```json\n{json.dumps(call)}\n```\n"
    assert apply_in_memory(answer, TEXTS).texts["b.py"] == "x = 5\ny = 2\n"


#: Code and prose that name functions which only sound like edits.
EXAMPLES = (
    '```python\nwrite_report(path="out/b.txt", text="all is well")\n```\n',
    '```python\ndef edit(path="b.py", text="x = 1"):\n    return replace_text(path, text)\n```\n',
    '```js\nwriteFile("b.py", "x = 5");\n```\n',
    'Use `edit_file_str(path="b.py", old_string="x = 1", new_string="x = 5")` for that.\n',
    'The function `one` now calls replace("a/b", "c d") and insert(1).\n',
    "edit(\n",
    "<EditForm path='/b.py' />\n",
    "> write_it(path, text)\n",
    '{"action": "opened", "path": "b.py", "reason": "to look"}\n',
)


@pytest.mark.parametrize("readable", READABLE.values(), ids=READABLE)
@pytest.mark.parametrize("text", EXAMPLES)
def test_code_that_only_sounds_like_an_edit_is_left_out(text: str, readable: str) -> None:
    for answer in (f"{text}\n{readable}", f"{readable}\nNow:\n\n{text}"):
        assert apply_in_memory(answer, TEXTS).texts["app.py"] == "def one():\n    return 11\n"


@pytest.mark.parametrize("readable", READABLE.values(), ids=READABLE)
@pytest.mark.parametrize("text", [text for _, text in written(HARMLESS).values()], ids=written(HARMLESS))
def test_a_call_that_changes_nothing_is_left_out(text: str, readable: str) -> None:
    for answer in (f"{text}\nNow I know.\n\n{readable}", f"{readable}\nNow I look.\n\n{text}"):
        assert apply_in_memory(answer, TEXTS).texts["app.py"] == "def one():\n    return 11\n"


LEFT_OUT = {
    "a-definition": {"name": "edit_file", "parameters": {"type": "object", "properties": {"path": {}, "text": {}}}},
    "definitions": {"tools": [{"name": "edit_it", "description": "Edits.", "input_schema": {"properties": {}}}]},
    "a-package": {"name": "patch-it", "main": "index.js", "description": "Patches things, and more."},
    "a-server": {"name": "edit", "command": "run", "args": ["b.py", "x = 5"], "input": {"command": "view"}},
    "a-result": {"type": "tool_result", "name": "file_edit", "input": {"path": "b.py"}},
    "of-a-user": {"role": "user", "content": [{"name": "file_edit", "input": {"path": "b.py"}}]},
    "a-case": {"name": "edit a file", "input": {"path": "b.py", "text": "x = 5\n"}},
}


@pytest.mark.parametrize("value", LEFT_OUT.values(), ids=LEFT_OUT)
def test_data_that_is_no_call_of_the_model_is_left_out(value: object) -> None:
    answer = f"{READABLE['block']}\nIt is:\n\n{json.dumps(value)}\n"
    assert len(parse(answer).operations) == 1


def test_a_call_that_failed_is_left_out() -> None:
    call = {"type": "tool_use", "id": "t1", "name": "file_edit", "input": {"path": "b.py", "find": "x"}}
    result = {"type": "tool_result", "tool_use_id": "t1", "is_error": True, "content": "no such tool"}
    log = f"{json.dumps(call)}\n{json.dumps(result)}\n{READABLE['call']}"
    assert len(parse(log).operations) == 1
    assert "The call of file_edit for b.py" in problems_of(log.replace('"tool_use_id": "t1"', '"tool_use_id": "t2"'))


def test_tags_around_an_edit_that_is_read_are_none() -> None:
    block = READABLE["block"].removeprefix("app.py\n")
    answer = f"<replace_in_file>\n<path>app.py</path>\n<diff>\n{block}</diff>\n</replace_in_file>\n"
    assert len(parse(answer).operations) == 1


@pytest.mark.parametrize("line", ["<EditForm path='/b.py' />", "<edit-form>", "Use `<edit_it>` there.", "<edit_it>"])
def test_tags_without_a_file_are_prose(line: str) -> None:
    assert len(parse(f"{READABLE['block']}\n{line}\n").operations) == 1


CUT_OFF = {
    "a-write": '{"name": "write_file", "arguments": {"path": "b.py", "content": "x = ',
    "an-unknown-edit": '{"name": "file_edit", "arguments": {"path": "b.py", "find": "x = ',
    "kimi": '<|tool_call_begin|>functions.edit:0<|tool_call_argument_begin|>{"path": "b.py", "before": "x',
}


@pytest.mark.parametrize("text", CUT_OFF.values(), ids=CUT_OFF)
def test_a_call_that_was_cut_off_refuses_the_answer(text: str) -> None:
    assert "cut off" in problems_of(f"{READABLE['block']}\n{text}")


KIMI = in_kimi("edit", {"path": "b.py", "before": "x = 1", "after": "x = 5"})


@pytest.mark.parametrize("rest", ["", "\n", "<|tool_calls_section_end|>\n", "\nDone.\n", f"\n{KIMI}", KIMI])
def test_a_raw_call_without_its_end_token_is_refused(rest: str) -> None:
    cut = KIMI.removesuffix("<|tool_call_end|>\n")
    assert "no <|tool_call_end|>; it may have been cut off" in problems_of(cut + rest)


@pytest.mark.parametrize("end", ["<|tool_call_end|>", "\n<|tool_call_end|>\n", "\n\n <|tool_call_end|>\nDone.\n"])
def test_the_end_token_may_be_below(end: str) -> None:
    text = KIMI.removesuffix("<|tool_call_end|>\n") + end
    assert apply_in_memory(text, TEXTS).texts["b.py"] == "x = 5\ny = 2\n"


#: What lists of lines mean.
LISTS = {
    "bare": (["x = 5", "y = 6", ""], "x = 5\ny = 6\n"),
    "with-newlines": (["x = 5\n", "y = 6\n"], "x = 5\ny = 6\n"),
    "the-last-without": (["x = 5\n", "y = 6"], "x = 5\ny = 6"),
    "one-text": (["x = 5\ny = 6\n"], "x = 5\ny = 6\n"),
}


@pytest.mark.parametrize(("lines", "text"), LISTS.values(), ids=LISTS)
def test_a_list_of_lines_is_one_text(lines: list[str], text: str) -> None:
    call = in_json("write_file", {"path": "b.py", "content": lines})
    assert apply_in_memory(call, TEXTS).texts["b.py"] == text
    edit = in_json("Edit", {"file_path": "b.py", "old_string": ["x = 1", "y = 2", ""], "new_string": lines})
    assert apply_in_memory(edit, TEXTS).texts["b.py"] == text


@pytest.mark.parametrize("lines", [["x = 5\n", "y = 6", "z\n"], ["x", 5], [["x"]], [], {"x": 5}, 5], ids=repr)
def test_any_other_list_is_refused(lines: object) -> None:
    for call in (
        in_json("write_file", {"path": "b.py", "content": lines}),
        in_json("Edit", {**EDIT, "new_string": lines}),
        in_json("Edit", {**EDIT, "old_string": lines}),
    ):
        assert problems_of(call)
        assert problems_of(READABLE["block"] + call)
