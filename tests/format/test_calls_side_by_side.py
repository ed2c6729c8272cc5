"""Several calls on one line, and syntax of models around calls: none of them is lost or read as part of another."""

from __future__ import annotations

import pytest

from suture import PatchInvalidError, apply_in_memory, parse

EDIT = {"file_path": "a.py", "old_string": "x = 1", "new_string": "x = 2"}
OTHER = {**EDIT, "file_path": "b.py"}
FILES = {"a.py": "x = 1\n", "b.py": "x = 1\n"}
BOTH = {"a.py": "x = 2\n", "b.py": "x = 2\n"}


def function(given: dict[str, str]) -> str:
    rows = "".join(f"<parameter={name}>\n{value}\n</parameter>\n" for name, value in given.items())
    return f"<tool_call>\n<function=edit>\n{rows}</function>\n</tool_call>"


def invoke(given: dict[str, str]) -> str:
    rows = "".join(f'<parameter name="{name}">{value}</parameter>\n' for name, value in given.items())
    return f'<function_calls><invoke name="edit">\n{rows}</invoke></function_calls>'


def keyed(given: dict[str, str]) -> str:
    rows = "".join(f"<arg_key>{name}</arg_key><arg_value>{value}</arg_value>" for name, value in given.items())
    return f"<tool_call>edit{rows}</tool_call>"


@pytest.mark.parametrize("write", [function, invoke, keyed])
@pytest.mark.parametrize("between", ["", "\n", " "])
def test_a_call_may_begin_on_the_line_of_the_one_before(write: object, between: str) -> None:
    assert callable(write)
    text = f"{write(EDIT)}{between}{write(OTHER)}"
    assert apply_in_memory(text, FILES).texts == BOTH


def test_tags_that_close_themselves_may_share_a_line() -> None:
    text = '<lov-delete file_path="a.py" /><lov-delete file_path="b.py"/>'
    assert [operation.path for operation in parse(text).operations] == ["a.py", "b.py"]


@pytest.mark.parametrize(
    "text",
    [
        '<dyad-delete path="a.py"></dyad-delete><dyad-write path="b.py">y</dyad-write>',
        '<dyad-write path="a.py">x</dyad-write><dyad-write path="b.py">y</dyad-write>',
        '<dyad-write path="a.py">\nx\n</dyad-write> <dyad-delete path="b.py"></dyad-delete>',
        '<lov-delete file_path="a.py"/> <lov-write file_path="b.py">\ny\n</lov-write>',
    ],
)
def test_a_call_in_other_markup_on_the_same_line_is_reported(text: str) -> None:
    with pytest.raises(PatchInvalidError, match=r"on the line of another|on one line"):
        parse(text)


def test_tokens_of_models_inside_of_an_argument_stay() -> None:
    text = """<|python_start|>[edit(file_path="a.py", old_string="x = 1", new_string="x = '<|eot|>'")]<|python_end|>"""
    assert apply_in_memory(text, FILES).texts["a.py"] == "x = '<|eot|>'\n"


@pytest.mark.parametrize(
    "text",
    [
        '<|tool_call>call:edit{file_path:<|"|>a.py<|"|>,old_string:<|"|>x = 1<tool_call|>',
        '<|tool_call>call:edit{file_path:<|"|>a.py<|"|>,old_string<tool_call|>',
        '<|tool_call>call:edit{file_path:<|"|>a.py<|"|>,edits:' + "[" * 50 + "<tool_call|>",
        "<start_function_call>call:edit{file_path:<escape>a.py<escape>",
        "```tool\nTOOL_NAME: edit\nBEGIN_ARG: file_path\na.py\n```",
        "```tool\nTOOL_NAME: edit\nBEGIN_ARG: file_path\na.py\nEND_ARG\nx = 1\n```",
        "```tool\nTOOL_NAME: edit\nBEGIN_ARG: path\na.py\nEND_ARG\nBEGIN_ARG: path\nb.py\nEND_ARG\n```",
        'open a.py\n\nedit "x = 1" "x = 2\n',
        "str_replace_editor str_replace a.py --old_str 'x = 1\n2' --new_str",
    ],
)
def test_a_call_that_is_cut_off_or_broken_is_reported(text: str) -> None:
    good = "b.py\n<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n\n"
    for whole in (text, good + text):
        with pytest.raises(PatchInvalidError) as raised:
            parse(whole)
        assert "contains no edits" not in str(raised.value)


@pytest.mark.parametrize("prose", ['edit "x" to be y', "edit 'the file'", "str_replace_editor view a.py"])
def test_a_sentence_is_no_command(prose: str) -> None:
    text = f"a.py\n<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n\n{prose}\n"
    assert apply_in_memory(text, FILES).texts["a.py"] == "x = 2\n"


def test_every_occurrence_is_replaced_by_a_command_that_says_so() -> None:
    text = 'open a.py\n\nedit "x" "y" replace-all\n'
    assert apply_in_memory(text, {"a.py": "x = x\n"}).texts["a.py"] == "y = y\n"


@pytest.mark.parametrize("comment", ["# filepath: a.py", "// filepath: a.py", "<!-- filepath: a.py -->"])
def test_a_comment_names_the_file_of_a_fence_on_request(comment: str) -> None:
    text = f"I rewrite it.\n\n```python\n{comment}\nx = 2\n```\n"
    assert apply_in_memory(parse(text, form="whole"), FILES).texts["a.py"] == "x = 2\n"
    with pytest.raises(PatchInvalidError):
        parse(text)


def test_the_line_of_a_block_chooses_between_equal_places() -> None:
    """Zed asks for `<<<<<<< SEARCH line=5`."""
    text = "a.py\n<<<<<<< SEARCH line=5\n    check_the_value(x)\n=======\n    check_the_value(y)\n>>>>>>> REPLACE\n"
    before = "def one(x):\n    check_the_value(x)\n\ndef two(x):\n    check_the_value(x)\n"
    patch = parse(text)
    assert not patch.concessions
    after = apply_in_memory(patch, {"a.py": before}).texts["a.py"]
    assert after == before[:-4] + "(y)\n"


def test_a_block_with_lines_in_another_way_is_reported() -> None:
    with pytest.raises(PatchInvalidError, match="start of a SEARCH/REPLACE block"):
        parse("a.py\n<<<<<<< SEARCH (lines 1-2)\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n")


def test_a_failed_call_of_the_ai_sdk_is_no_edit() -> None:
    text = (
        '{"role": "assistant", "parts": [{"type": "tool-write", "toolCallId": "c", "state": "output-error", '
        '"input": {"path": "a.py", "content": "y"}, "errorText": "No."}]}'
    )
    with pytest.raises(PatchInvalidError, match="contains no edits"):
        parse(text)


def test_a_folder_that_is_made_is_no_edit() -> None:
    folder = '{"name": "create_file_or_folder", "input": {"uri": "docs/"}}'
    text = f'{folder}\n{{"name": "rewrite_file", "input": {{"uri": "a.py", "new_content": "y\\n"}}}}'
    assert apply_in_memory(text, FILES).texts == {"a.py": "y\n", "b.py": "x = 1\n"}
