"""Every call shape of the table, through every way in: alone, in prose, in a transcript, and through each command."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.shared.form_samples import APPLIED, FILES, READABLE, SAMPLES, Sample, files_after, hashes

from suture import PatchInvalidError, PatchRejectedError, Workspace, apply_in_memory, parse
from suture.batch import score
from suture.format import tool_calls
from suture.format.call_acts import read_call
from suture.format.call_arguments import COMMON
from suture.format.call_fit import fits, shape_of
from suture.format.call_shape import bare_tool, normal
from suture.format.call_shapes import CALL_SHAPES
from suture.workspace import MemoryFiles

if TYPE_CHECKING:
    from suture.format.call_shape import CallShape

PROSE = "I change the function now.\n\n{}\n\nThat is all.\n"


@pytest.mark.parametrize("sample", APPLIED, ids=repr)
def test_a_sample_does_what_it_says(sample: Sample) -> None:
    assert apply_in_memory(sample.text, FILES).texts == sample.files_after


@pytest.mark.parametrize("sample", APPLIED, ids=repr)
def test_a_sample_in_prose_does_what_it_says(sample: Sample) -> None:
    assert apply_in_memory(PROSE.format(sample.text), FILES).texts == sample.files_after


@pytest.mark.parametrize("sample", [one for one in READABLE if one.refused], ids=repr)
def test_a_weak_claim_is_refused_with_its_reason(sample: Sample) -> None:
    with pytest.raises(PatchRejectedError) as raised:
        apply_in_memory(sample.text, FILES)
    assert [problem.details["reason"] for problem in raised.value.problems] == [sample.refused]


@pytest.mark.parametrize("sample", [one for one in READABLE if one.known], ids=repr)
def test_a_line_number_counts_against_a_file_that_the_caller_knows(sample: Sample) -> None:
    workspace = Workspace(MemoryFiles(FILES))
    plan = workspace.plan(sample.text, expected_sha256=hashes())
    assert not plan.problems
    after = {file.shown: (file.content_after or b"").decode() for file in plan.files}
    assert {**FILES, **after} == files_after(sample.known)


@pytest.mark.parametrize("sample", [one for one in SAMPLES if one.unreadable], ids=repr)
def test_a_shape_that_can_not_be_read_is_reported(sample: Sample) -> None:
    good = json.dumps({"file_path": "twice.py", "old_string": "wait()", "new_string": "stop()"})
    for text in (sample.text, PROSE.format(sample.text), f"{good}\n{sample.text}\n"):
        with pytest.raises(PatchInvalidError) as raised:
            parse(text)
        assert sample.unreadable in str(raised.value)


def value_of(sample: Sample) -> Any:
    """The call of a sample that is JSON; None for markup and raw syntax."""
    try:
        return json.loads(sample.text)
    except ValueError:
        return None


CALLS = [(sample, value_of(sample)) for sample in APPLIED if isinstance(value_of(sample), dict)]


@pytest.mark.parametrize(("sample", "call"), [(s, c) for s, c in CALLS if "arguments" in c], ids=str)
def test_a_call_in_a_transcript_is_read(sample: Sample, call: dict[str, Any]) -> None:
    """As the APIs of OpenAI and Anthropic have it, with results that are no edits."""
    arguments = call["arguments"] if isinstance(call["arguments"], dict) else json.loads(call["arguments"])
    function = {"name": call["name"], "arguments": json.dumps(arguments)}
    openai = [
        {"role": "user", "content": "Change it."},
        {"role": "assistant", "content": "Yes.", "tool_calls": [{"id": "a", "type": "function", "function": function}]},
        {"role": "tool", "tool_call_id": "a", "content": "Done."},
    ]
    anthropic = [
        {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": call["name"], "input": arguments}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "Done."}]},
    ]
    for log in (openai, anthropic):
        for text in ("\n".join(map(json.dumps, log)), json.dumps({"messages": log}, indent=1)):
            assert apply_in_memory(text, FILES).texts == sample.files_after


SPOKEN = [sample for sample in APPLIED if value_of(sample) is None]


@pytest.mark.parametrize("sample", SPOKEN, ids=repr)
def test_an_edit_in_the_text_of_a_message_is_read(sample: Sample) -> None:
    """Of the model, in a transcript without other edits; not what somebody else says."""
    said = PROSE.format(sample.text)
    openai = {"role": "assistant", "content": said}
    anthropic = {"role": "assistant", "content": [{"type": "text", "text": said}]}
    for message in (openai, anthropic):
        log = [{"role": "user", "content": "Change it."}, message]
        for text in ("\n".join(map(json.dumps, log)), json.dumps({"messages": log}, indent=1)):
            assert apply_in_memory(text, FILES).texts == sample.files_after
    if "*** Begin Patch" not in said:
        with pytest.raises(PatchInvalidError):
            parse(json.dumps({"role": "user", "content": said}))


def test_text_beside_a_call_is_not_read_as_the_same_edit_once_more() -> None:
    call = {
        "id": "a",
        "type": "function",
        "function": {"name": "edit", "arguments": '{"path": "app.py", "before": "1\\n", "after": "11\\n"}'},
    }
    said = "I do this:\n\napp.py\n<<<<<<< SEARCH\n    return 1\n=======\n    return 11\n>>>>>>> REPLACE\n"
    log = [{"role": "assistant", "content": said, "tool_calls": [call]}]
    assert apply_in_memory(json.dumps(log), FILES).texts == files_after("changed")


def test_every_row_of_the_table_has_a_sample_of_its_agent(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: dict[str, list[tuple[str, Any]]] = {}

    def note_call(tool: str, given: Any, *more: Any) -> Any:
        calls[sample.agent].append((bare_tool(tool), given))
        return read_call(tool, given, *more)

    monkeypatch.setattr(tool_calls, "read_call", note_call)
    for sample in SAMPLES:
        calls.setdefault(sample.agent, [])
        try:
            parse(sample.text)
        except PatchInvalidError:
            assert sample.unreadable, sample

    def has_sample(shape: CallShape) -> bool:
        tools = set(map(bare_tool, shape.tools))
        return any(tool in tools and fits(shape, given) for tool, given in calls.get(shape.agent, ()))

    assert [(shape.agent, shape.tools, shape.act) for shape in CALL_SHAPES if not has_sample(shape)] == []


def whole_call(shape: CallShape) -> dict[str, Any]:
    """A call that has every argument of a shape."""
    values = {"path": "app.py", "line": 3, "last": 4, "every": True, "count": 2, "cell": "x"}
    call = {name: values.get(role, "some text") for role, name in shape.names.items()}
    call |= {name: 3 if isinstance(value, type) else value for name, value in shape.when.items()}
    if "edits" in shape.names:
        roles = ("old", "new", "every", "count", "line", "last", "content")
        item = {name: call.pop(name) for role, name in shape.names.items() if role in roles and name in call}
        call[shape.names["edits"]] = [item]
    return call


#: The others have no arguments, or ones that are made from the lines of a file.
WITH_ARGUMENTS = [shape for shape in CALL_SHAPES if shape.act not in ("refuse", "other", "anchors")]


@pytest.mark.parametrize("shape", WITH_ARGUMENTS, ids=lambda shape: f"{shape.agent}-{shape.tools[0]}-{shape.act}")
def test_no_argument_of_a_row_is_lost_to_another_row_of_the_same_tool(shape: CallShape) -> None:
    call = whole_call(shape)
    for tool in shape.tools:
        taken = shape_of(tool, call)
        assert taken is not None
        known = {normal(name) for name in taken.names.values()}
        common = {name for names in COMMON.values() for name in names}
        lost = {name for name in shape.names.values() if normal(name) not in known | common}
        assert not lost or taken.act != shape.act, (tool, taken)


@pytest.mark.parametrize("sample", APPLIED, ids=repr)
def test_a_sample_is_scored_in_a_batch(sample: Sample) -> None:
    scored = score({"edit": sample.text, "files": FILES, "wanted": sample.files_after})
    assert (scored["applied"], scored["equal"]) == (True, True), scored["answer"]
