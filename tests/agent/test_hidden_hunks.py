"""Hunks that have no place where there is little room: nobody approves there what they have not seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.shared.hunks import hunks_of

from suture.agent.answers import Answer
from suture.agent.hidden_hunks import approves_hidden, hidden_hunks
from suture.agent.requests import Request, is_told_by_name
from suture.workspace import Change

if TYPE_CHECKING:
    from collections.abc import Mapping

    from suture.core.outcome import Kind

#: Hunks of nearly 20 and of nearly 40 characters.
SHORT = "@@ -1 +1 @@\n-a\n+b\n"
LONG = "@@ -1 +1 @@\n-aaaaaaaaaa\n+bbbbbbbbbb\n"


def request_of(**files: tuple[str, ...]) -> Request:
    return Request.for_files("edit", [Change("update", name, hunks=hunks_of(*texts)) for name, texts in files.items()])


@pytest.mark.parametrize(
    ("room", "hidden"),
    [
        (110, {}),
        (100, {"b": (2,)}),
        # A short hunk has room where a long one before it has none.
        (80, {"b": (1,)}),
        (60, {"b": (1, 2)}),
        (40, {"a": (2,), "b": (1,)}),
        (30, {"a": (2,), "b": (1, 2)}),
        (10, {"a": (1, 2), "b": (1, 2)}),
    ],
)
def test_all_files_share_the_room(room: int, hidden: Mapping[str, tuple[int, ...]]) -> None:
    assert hidden_hunks(request_of(a=(SHORT, LONG), b=(LONG, SHORT)), room) == hidden


@pytest.mark.parametrize(
    ("answer", "is_refused"),
    [
        (Answer.once(), True),
        (Answer.always(), True),
        (Answer.reject(), False),
        (Answer.unreachable(), False),
        (Answer.some({"a": "all"}), True),
        (Answer.some({"a": [1, 2]}), True),
        (Answer.some({"a": [2]}), True),
        (Answer.some({"a": [1]}), False),
        (Answer.some({"b": "all"}), False),
        (Answer.some({}), False),
    ],
)
def test_a_hidden_hunk_is_approved_by_its_number_by_its_file_and_by_a_yes_to_everything(
    answer: Answer, is_refused: bool
) -> None:
    assert approves_hidden(answer, {"a": (2,)}) is is_refused
    assert not approves_hidden(answer, {})


@pytest.mark.parametrize(
    ("kind", "is_told"),
    [("delete", True), ("read", True), ("list", True), ("update", False), ("add", False), ("move", False)],
)
def test_only_what_changes_no_line_is_told_by_its_name(kind: Kind, is_told: bool) -> None:
    assert is_told_by_name(Change(kind, "a.py")) is is_told
