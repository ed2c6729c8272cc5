"""What transcripts have at some keys, whatever else is there."""

from __future__ import annotations

import pytest

from suture.replay.readers.cline import Cline
from suture.replay.recording import number, pick

RECORD = {"a": [1, {"b": 2}], "c": "x"}


@pytest.mark.parametrize(
    ("keys", "value"),
    [
        (("a", 0), 1),
        (("a", 1, "b"), 2),
        (("a", -2), 1),
        (("a", 2), None),
        (("a", -3), None),
        (("a", "b"), None),
        (("c", 0), None),
        (("d", "e"), None),
    ],
)
def test_what_is_missing_on_the_way_is_none(keys: tuple[str | int, ...], value: object) -> None:
    assert pick(RECORD, *keys) == value


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0, 0),
        (7, 7),
        (7.9, 7),
        (-1, 0),
        (2**53 - 1, 2**53 - 1),
        (2**53, 0),
        (float("inf"), 0),
        (float("nan"), 0),
        ("7", 0),
    ],
)
def test_a_number_is_one_that_all_programs_can_write(value: object, expected: int) -> None:
    assert number({"n": value}, "n") == expected


def test_a_task_is_known_by_its_name_and_its_beginning() -> None:
    name = "tasks/1/api_conversation_history.json"
    assert Cline.recognizes(name, b'  [{"role"')
    assert not Cline.recognizes(name, b'{"role"')
    assert not Cline.recognizes("tasks/1/ui_messages.json", b"[")
