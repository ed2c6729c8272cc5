"""Requests for approval as forms, and forms as answers. Nothing here needs the SDK."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, strategies as st

from suture.mcp.questions import MOST_SHOWN, answer_of, form_of
from suture.permissions import Answer, Request
from suture.permissions.requests import RequestedFile

if TYPE_CHECKING:
    from typing import Any

HUNK = "@@ -1 +1 @@\n-a\n+b\n"
REQUEST = Request(
    "1",
    "edit",
    (
        RequestedFile("a.py", kind="update", additions=2, deletions=2, hunks=(HUNK, HUNK)),
        RequestedFile("logo.png", kind="add"),
    ),
)


def test_a_form_numbers_what_can_be_approved() -> None:
    form = form_of(REQUEST)
    assert form.message.splitlines()[:4] == [
        "May the model change a.py and 1 more file?",
        "",
        "update a.py +2 -2",
        "[1] @@ -1 +1 @@",
    ]
    assert form.message.splitlines()[-1] == "[3] add logo.png"
    assert form.schema["required"] == ["decision"]
    assert "default" not in str(form.schema)


def test_hunks_are_only_offered_where_some_can_be_approved() -> None:
    assert "hunks" in form_of(REQUEST).schema["properties"]
    assert "hunks" not in form_of(REQUEST.replace(whole_only=True)).schema["properties"]
    assert "hunks" not in form_of(REQUEST.replace(files=REQUEST.files[1:])).schema["properties"]


def test_a_long_diff_is_cut_and_says_so() -> None:
    long = RequestedFile("a.py", hunks=(HUNK, "+x\n" * MOST_SHOWN))
    shown = form_of(REQUEST.replace(files=(long,))).message
    assert len(shown) < 2 * MOST_SHOWN
    assert shown.endswith("1 of 2 hunks are too long to be shown here.")


@pytest.mark.parametrize(
    ("action", "content", "answer"),
    [
        ("accept", {"decision": "approve", "message": "fine"}, Answer.once("fine")),
        ("accept", {"decision": "approve always"}, Answer.always()),
        ("accept", {"decision": "reject", "message": "no"}, Answer.reject("no")),
        ("accept", {"decision": "approve some", "hunks": "3 1"}, Answer.some({"a.py": [1], "logo.png": "all"})),
        ("accept", {"decision": "approve some", "hunks": "1, 2,3"}, Answer.some({"a.py": [1, 2], "logo.png": "all"})),
        ("decline", {"decision": "approve"}, Answer.decline()),
        ("cancel", {"decision": "approve"}, Answer.unreachable("the question was dismissed")),
        ("accept", {}, Answer.unreachable("the client answered without a decision")),
        ("accept", None, Answer.unreachable("the client answered without a decision")),
        ("accept", {"decision": True}, Answer.unreachable("the client answered without a decision")),
        ("accept", {"decision": "Approve"}, Answer.unreachable("the client answered without a decision")),
    ],
)
def test_only_an_explicit_decision_approves(action: str, content: Any, answer: Answer) -> None:
    assert answer_of(action, content, REQUEST) == answer


@pytest.mark.parametrize(
    "hunks", ["", "x", "0", "4", "1 4", "-1", "1.5", "all", "99999999999999999999", "1 1 1 1", "²"]
)
def test_hunks_that_are_not_there_are_asked_for_again(hunks: str) -> None:
    with pytest.raises(ValueError, match="Expected"):
        answer_of("accept", {"decision": "approve some", "hunks": hunks}, REQUEST)


@given(st.text(), st.text())
def test_no_name_and_no_hunk_begins_a_line_of_a_form(path: str, hunk: str) -> None:
    file = RequestedFile(path or "x", hunks=(f"@@ -1 +1 @@\n{hunk}",))
    lines = form_of(REQUEST.replace(files=(file,))).message.split("\n")
    assert lines[0].startswith("May the model change ")
    assert lines[2].startswith("update ")
    assert lines[3].startswith("[1] @@ -1 +1 @@")
    assert all(line.startswith("    ") or not line for line in lines[4:])


@given(st.text() | st.none(), st.dictionaries(st.text(), st.text() | st.integers() | st.booleans() | st.none()))
def test_whatever_comes_back_is_an_answer(action: str | None, content: dict[str, Any]) -> None:
    assert answer_of(str(action), content, REQUEST).kind in {"reject", "unreachable"}
