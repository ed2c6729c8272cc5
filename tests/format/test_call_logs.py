"""Tool calls in a log: those that failed, and arguments that contradict each other."""

from __future__ import annotations

import json

import pytest

from suture import EditFile, PatchInvalidError, parse
from suture.core.string_edits import StringEdit
from suture.format import PatchParser


def call(number: int, new: str) -> dict[str, object]:
    arguments = {"file_path": "a.py", "old_string": "old", "new_string": new}
    use = {"type": "tool_use", "id": f"toolu_{number}", "name": "Edit", "input": arguments}
    return {"role": "assistant", "content": [use]}


def result(number: int, **more: object) -> dict[str, object]:
    content = [{"type": "tool_result", "tool_use_id": f"toolu_{number}", "content": "text", **more}]
    return {"role": "user", "content": content}


def lines(*records: object) -> str:
    return "".join(f"{json.dumps(record)}\n" for record in records)


FAILED = [call(1, "wrong"), result(1, is_error=True)]
LOG = [*FAILED, call(2, "right"), result(2, is_error=False)]
RIGHT = (EditFile("a.py", (StringEdit("old", "right"),)),)


@pytest.mark.parametrize("text", [lines(*LOG), json.dumps(LOG, indent=1), lines({"messages": LOG})])
def test_a_call_that_failed_is_left_out(text: str) -> None:
    patch = parse(text)
    assert patch.operations == RIGHT
    assert [concession.name for concession in patch.concessions] == ["failed_call"]


def test_a_call_of_a_function_is_found_by_its_id() -> None:
    arguments = json.dumps({"file_path": "a.py", "old_string": "old", "new_string": "wrong"})
    function = {"id": "call_1", "type": "function", "function": {"name": "edit", "arguments": arguments}}
    failed = {"type": "tool_result", "tool_call_id": "call_1", "isError": True}
    assert parse(lines({"tool_calls": [function]}, failed, call(2, "right"))).operations == RIGHT


def test_a_call_that_failed_is_taken_back_in_a_stream() -> None:
    parser = PatchParser()
    counts = []
    for record in LOG:
        parser.feed(lines(record))
        counts.append(len(parser.operations))
    assert counts == [1, 0, 1, 1]


def test_calls_without_an_error_stay() -> None:
    log = [call(1, "one"), result(1), call(2, "two"), result(3, is_error=True)]
    assert len(parse(lines(*log)).operations) == 2


def test_a_log_of_failed_calls_alone_has_no_edits() -> None:
    with pytest.raises(PatchInvalidError, match=r"no edits\. It has a tool call that failed"):
        parse(lines(*FAILED))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"old_string": "a", "new_string": "b", "new": "c"}, "both new_string and new, with different values"),
        ({"old_str": "a", "oldText": "b", "new_string": "c"}, "both old_str and oldText, with different values"),
        ({"old_string": "a", "new_string": "b", "expected_replacements": 0}, "expects 0 replacements"),
        ({"old_string": "a", "new_string": "b", "expectedReplacements": "all"}, "'all' where a number is needed"),
    ],
)
def test_arguments_that_leave_open_what_is_meant_are_refused(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(PatchInvalidError, match=message):
        parse(json.dumps({"file_path": "a.py", **arguments}))
    with pytest.raises(PatchInvalidError, match=message):
        parse(json.dumps({"file_path": "a.py", "edits": [arguments]}))


@pytest.mark.parametrize("more", [{"new": "b"}, {"expected_replacements": 1}, {"expected_replacements": "1"}])
def test_arguments_that_agree_are_an_edit(more: dict[str, object]) -> None:
    patch = parse(json.dumps({"file_path": "a.py", "old_string": "a", "new_string": "b", **more}))
    assert patch.operations == (EditFile("a.py", (StringEdit("a", "b"),)),)
