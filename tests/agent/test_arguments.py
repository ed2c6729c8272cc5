"""What a model may send to a tool, and what it is told where that is wrong."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

import pytest

from suture import PatchRejectedError, Session
from suture.agent.tool_arguments import check_arguments, drop_client_extras, parse_arguments
from suture.agent.tools import TOOLS

if TYPE_CHECKING:
    from typing import Any

EDIT = {"filePath": "a.py", "oldString": "x", "newString": "y"}


def told(name: str, given: Any) -> list[str]:
    with pytest.raises(PatchRejectedError) as caught:
        check_arguments(name, parse_arguments(name, given))
    assert {problem.code for problem in caught.value.problems} == {"invalid_arguments"}
    return [problem.message for problem in caught.value.problems]


@pytest.mark.parametrize("name", TOOLS)
def test_every_tool_is_a_method_and_all_its_arguments_are_parameters(name: str) -> None:
    parameters = list(inspect.signature(getattr(Session, name)).parameters)[1:]
    snake = [
        "".join(f"_{c.lower()}" if c.isupper() else c for c in argument.name) for argument in TOOLS[name].arguments
    ]
    assert snake == parameters


@pytest.mark.parametrize("name", TOOLS)
def test_a_description_is_short(name: str) -> None:
    assert len(TOOLS[name].description) <= 300


@pytest.mark.parametrize(
    "given",
    [
        EDIT,
        {"file_path": "a.py", "old_string": "x", "new_string": "y"},
        {"filePath": "a.py", "old_string": "x", "newString": "y"},
        {**EDIT, "replaceAll": None},
    ],
)
def test_camel_case_and_snake_case_are_the_same(given: dict[str, Any]) -> None:
    assert check_arguments("edit", given) == EDIT


@pytest.mark.parametrize(
    ("name", "given", "expected"),
    [
        ("edit", {"path": "a.py", "old_str": "x", "new_str": "y"}, EDIT),
        ("edit", {"file": "a.py", "old_text": "x", "new_text": "y"}, EDIT),
        ("write", {"path": "a", "file_text": "b"}, {"filePath": "a", "content": "b"}),
        ("apply_patch", {"input": "p"}, {"patchText": "p"}),
        ("apply_patch", {"patch": "p"}, {"patchText": "p"}),
        ("insert", {"path": "a", "insert_line": 1, "insert_text": "b"}, {"filePath": "a", "line": 1, "content": "b"}),
        ("move", {"source": "a", "destination": "b"}, {"filePath": "a", "toPath": "b"}),
        ("grep", {"pattern": "a", "glob": "*.py", "-i": True}, {"pattern": "a", "include": "*.py", "ignoreCase": True}),
        (
            "multiedit",
            {"file_path": "a", "edits": [{"old_str": "x", "new_str": "y"}]},
            {"filePath": "a", "edits": [{"oldString": "x", "newString": "y"}]},
        ),
    ],
)
def test_other_usual_names_are_accepted(name: str, given: dict[str, Any], expected: dict[str, Any]) -> None:
    assert check_arguments(name, given) == expected


@pytest.mark.parametrize("name", TOOLS)
def test_no_name_means_two_arguments(name: str) -> None:
    names = [alias.lower() for one in TOOLS[name].arguments for alias in (one.name, *one.aliases)]
    assert len(set(names)) == len(names)


def test_hashes_may_come_in_the_form_of_strict_schemas() -> None:
    given = {"patchText": "p", "expectedSha256ByPath": [{"path": "a", "sha256": "b"}]}
    assert check_arguments("apply_patch", given)["expectedSha256ByPath"] == {"a": "b"}


def test_a_bare_patch_is_the_patch_to_apply() -> None:
    assert parse_arguments("apply_patch", "*** Begin Patch\n") == {"patchText": "*** Begin Patch\n"}
    assert parse_arguments("apply_patch", ' {"input": "p"}') == {"input": "p"}


def test_the_long_names_too() -> None:
    given = {"patch_text": "p", "expected_sha256_by_path": {"a": "b"}, "dry_run": True, "atomic": False}
    assert check_arguments("apply_patch", given) == {
        "patchText": "p",
        "expectedSha256ByPath": {"a": "b"},
        "dryRun": True,
        "atomic": False,
    }


def test_what_is_given_under_both_names_is_refused() -> None:
    assert told("edit", {**EDIT, "file_path": "b.py"}) == ["filePath is there twice."]


def test_unknown_arguments_are_named_with_those_that_there_are() -> None:
    with pytest.raises(PatchRejectedError) as caught:
        check_arguments("delete", {"filePath": "a", "force": True})
    (problem,) = caught.value.problems
    assert problem.message == "delete has no argument force."
    assert problem.hint == "Its arguments are filePath, reason."


def test_missing_arguments_are_named_all_at_once() -> None:
    assert told("edit", {}) == ["filePath is required.", "oldString is required.", "newString is required."]


def test_an_argument_whose_name_is_nearly_right_does_not_hide_that_it_is_missing() -> None:
    assert told("delete", {"filePaths": "a"}) == ["delete has no argument filePaths.", "filePath is required."]


@pytest.mark.parametrize("value", ["", None])
def test_an_empty_path_is_a_missing_one(value: str | None) -> None:
    assert told("move", {"filePath": "a", "toPath": value}) == ["toPath is required."]


@pytest.mark.parametrize(
    ("name", "argument", "value", "message"),
    [
        ("write", "content", {"a": 1}, "content must be a string, not an object."),
        ("write", "content", 3, "content must be a string, not the number 3."),
        ("write", "filePath", ["a"], "filePath must be a path, not an array."),
        ("read", "offset", -1, "offset must be an integer, not the number -1."),
        ("read", "offset", 1.5, "offset must be an integer, not the number 1.5."),
        ("read", "limit", True, "limit must be an integer, not true."),
        ("read", "limit", "ten", "limit must be an integer, not the string 'ten'."),
        ("read", "limit", "1" * 5000, "limit must be an integer, not a string."),
        ("edit", "replaceAll", "yes", "replaceAll must be true or false, not the string 'yes'."),
        ("multiedit", "edits", 3, "edits must be an array of edits, not the number 3."),
        ("apply_patch", "atomic", 0, "atomic must be true or false, not the number 0."),
    ],
)
def test_a_value_of_another_type_is_reported(name: str, argument: str, value: Any, message: str) -> None:
    rest = {"filePath": "a", "content": "x", "oldString": "x", "newString": "y", "patchText": "p", "edits": []}
    known = {one.name for one in TOOLS[name].arguments if one.required}
    given = {key: one for key, one in rest.items() if key in known} | {argument: value}
    assert told(name, given) == [message]


@pytest.mark.parametrize(
    ("name", "argument", "value", "read"),
    [
        ("read", "offset", "12", 12),
        ("read", "offset", 12.0, 12),
        ("edit", "replaceAll", "true", True),
        ("edit", "replaceAll", "False", False),
        ("multiedit", "edits", '[{"oldString": "a", "newString": "b"}]', [{"oldString": "a", "newString": "b"}]),
        ("multiedit", "edits", {"oldString": "a", "newString": "b"}, [{"oldString": "a", "newString": "b"}]),
        ("multiedit", "edits", ['{"oldString": "a", "newString": "b"}'], [{"oldString": "a", "newString": "b"}]),
        (
            "multiedit",
            "edits",
            [{"old_string": "a", "new_string": "", "replace_all": "true"}],
            [{"oldString": "a", "newString": "", "replaceAll": True}],
        ),
        ("multiedit", "edits", [["a", "b"]], [["a", "b"]]),
        ("apply_patch", "expectedSha256ByPath", '{"a": ""}', {"a": ""}),
    ],
)
def test_what_can_be_read_with_certainty_is_read(name: str, argument: str, value: Any, read: Any) -> None:
    given = {"filePath": "a", "oldString": "x", "newString": "y", "patchText": "p"}
    known = {one.name for one in TOOLS[name].arguments}
    assert (
        check_arguments(name, {key: one for key, one in given.items() if key in known} | {argument: value})[argument]
        == read
    )


@pytest.mark.parametrize(
    ("item", "messages"),
    [
        ({"oldString": "a"}, ["newString of edit 2 is required."]),
        ({"oldString": "a", "newString": "b", "replace": 1}, ["Edit 2 has no argument replace."]),
        ({"oldString": "a", "newString": 5}, ["newString of edit 2 must be a string, not the number 5."]),
        ({"oldString": "a", "old_string": "c", "newString": "b"}, ["oldString of edit 2 is there twice."]),
        ({}, ["oldString of edit 2 is required.", "newString of edit 2 is required."]),
    ],
)
def test_what_is_wrong_with_an_edit_of_a_list_is_reported_by_its_number(item: Any, messages: list[str]) -> None:
    good = {"oldString": "x", "newString": "y"}
    assert told("multiedit", {"filePath": "a", "edits": [good, item]}) == messages


@pytest.mark.parametrize(
    ("value", "found"),
    [(["a"], "an array"), ({"a": 5}, "an object with the number 5 for a"), ({"a": None}, "an object with null for a")],
)
def test_hashes_that_are_none_are_reported(value: Any, found: str) -> None:
    (message,) = told("apply_patch", {"patchText": "p", "expectedSha256ByPath": value})
    assert message == f"expectedSha256ByPath must be an object of hashes, not {found}."


def test_a_name_that_is_no_text_is_an_unknown_one() -> None:
    assert told("delete", {1: "a"}) == ["delete has no argument 1.", "filePath is required."]


def test_edits_that_are_no_json_are_reported_with_the_reason() -> None:
    (message,) = told("multiedit", {"filePath": "a", "edits": '[{"oldString": "a"'})
    assert message.startswith("edits must be an array of edits, not a string that is not valid JSON (")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("{", "The arguments are not valid JSON: "),
        ("[1]", "The arguments must be an object, not an array."),
        (None, "The arguments must be an object, not null."),
        ([], "The arguments must be an object, not an array."),
        ("[" * 100_000, "The arguments are not valid JSON: "),
    ],
)
def test_arguments_that_are_no_object(given: Any, message: str) -> None:
    (said,) = told("read", given)
    assert said.startswith(message)


def test_what_a_client_adds_for_itself_is_no_argument_of_the_model() -> None:
    sent = {"filePath": "a.py", "wait_for_previous": True, "task_progress_2": "half", "progress": 1}
    assert drop_client_extras(sent) == ({"filePath": "a.py", "progress": 1}, ["wait_for_previous", "task_progress_2"])
