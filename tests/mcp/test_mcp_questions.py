"""Requests for approval as forms, and forms as answers. Nothing here needs the SDK."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, strategies as st
from tests.shared.hunks import hunks_of

from suture import Session, Workspace
from suture.agent import Answer, Request
from suture.core.line_hunks import LineHunk
from suture.mcp import session_pool
from suture.mcp.questions import answer_of, form_of
from suture.mcp.request_seal import RequestSeal
from suture.mcp.server_limits import MOST_FORM_CHARACTERS
from suture.mcp.static_requests import ProtocolError
from suture.workspace import Change, MemoryFiles

if TYPE_CHECKING:
    from typing import Any

HUNK = LineHunk(0, 0, ("-a\n", "+b\n"))
REQUEST = Request(
    "1",
    "edit",
    (
        Change("update", "a.py", hunks=(HUNK, HUNK)),
        Change("add", "logo.png"),
    ),
)


def test_a_form_numbers_what_can_be_approved() -> None:
    form = form_of(REQUEST)
    assert form.message.splitlines()[:4] == [
        "May the model edit a.py, and create logo.png?",
        "",
        "update a.py +2 -2",
        "[1] @@ -1 +1 @@",
    ]
    assert form.message.splitlines()[-1] == "[3] add logo.png: There is no diff to show."
    assert form.schema["required"] == ["decision"]
    assert "default" not in str(form.schema)


def test_hunks_are_only_offered_where_some_can_be_approved() -> None:
    assert "hunks" in form_of(REQUEST).schema["properties"]
    assert "hunks" not in form_of(REQUEST.replace(whole_only=True)).schema["properties"]
    assert "hunks" not in form_of(REQUEST.replace(files=REQUEST.files[1:])).schema["properties"]


LONG_HUNK = LineHunk(8, 8, ("+x\n",) * MOST_FORM_CHARACTERS)


def test_all_that_an_answer_for_later_changes_covers_is_named() -> None:
    globs = tuple([f"/srv/{'d' * 120}{number}/**" for number in range(20)])
    form = form_of(REQUEST.replace(permission="external_directory", always=globs))
    assert all(glob in form.schema["properties"]["decision"]["description"] for glob in globs)


class TestLongHunks:
    """What a form does not show can't be approved in it."""

    request = REQUEST.replace(files=(Change("update", "a.py", hunks=(HUNK, LONG_HUNK)), REQUEST.files[1]))

    def test_a_hunk_that_is_too_long_is_left_out_and_the_form_says_what_to_do(self) -> None:
        shown = form_of(self.request).message
        assert len(shown) < 2 * MOST_FORM_CHARACTERS
        assert "[2] (too long for this form: " in shown
        assert "1 of 3 hunks is too long to be shown here" in shown
        assert "`suture review`" in shown

    def test_only_what_is_shown_can_be_approved(self) -> None:
        assert form_of(self.request).schema["properties"]["decision"]["enum"] == ["approve some", "reject"]
        for content in ({"decision": "approve"}, {"decision": "approve always"}):
            with pytest.raises(ValueError, match="too long to be shown"):
                answer_of("accept", content, self.request)
        for hunks in ("2", "1 2", "1 2 3"):
            with pytest.raises(ValueError, match="too long to be shown"):
                answer_of("accept", {"decision": "approve some", "hunks": hunks}, self.request)
        answer = answer_of("accept", {"decision": "approve some", "hunks": "1 3"}, self.request)
        assert answer == Answer.some({"a.py": [1], "logo.png": "all"})
        assert answer_of("accept", {"decision": "reject"}, self.request) == Answer.reject()

    def test_what_is_approved_as_a_whole_or_not_at_all_can_only_be_rejected(self) -> None:
        whole = self.request.replace(whole_only=True)
        assert form_of(whole).schema["properties"]["decision"]["enum"] == ["reject"]
        alone = self.request.replace(files=(Change("update", "a.py", hunks=(LONG_HUNK,)),))
        assert form_of(alone).schema["properties"]["decision"]["enum"] == ["reject"]

    def test_a_file_that_is_deleted_need_not_be_shown(self) -> None:
        deleted = self.request.replace(files=(Change("delete", "a.py", hunks=(LONG_HUNK,)),))
        assert answer_of("accept", {"decision": "approve"}, deleted) == Answer.once()

    def test_what_becomes_too_long_by_its_codes_is_too_long(self) -> None:
        hidden = Change(
            "update", "a.py", hunks=(LineHunk(0, 0, ("+" + "\u3164" * (MOST_FORM_CHARACTERS // 2) + "\n",)),)
        )
        with pytest.raises(ValueError, match="too long to be shown"):
            answer_of("accept", {"decision": "approve"}, REQUEST.replace(files=(hidden,)))


def test_a_form_shows_notes_long_names_line_endings_and_spaces_at_the_end() -> None:
    name = "d/" * 400 + "a.py"
    hunk = "@@ -1,2 +1,2 @@\n-a\n+a \n-b\n+b\r\n\\ No newline at end of file\n"
    file = Change("update", name, hunks=hunks_of(hunk), mode="100755")
    lines = form_of(REQUEST.replace(files=(file,))).message.split("\n")
    assert lines[2:] == [
        f"update {name} +2 -2 (executable)",
        "[1] @@ -1,2 +1,2 @@",
        "    -a",
        "    +a·",
        "    -b",
        "    +b⟨U+000D⟩",
        "    \\ No newline at end of file",
    ]


def test_a_form_for_a_client_that_needs_all_fields_has_only_the_decision() -> None:
    schema = form_of(REQUEST, only_decision=True).schema
    assert list(schema["properties"]) == ["decision"]
    assert schema["properties"]["decision"]["enum"] == ["approve", "approve always", "reject"]


@pytest.mark.parametrize(
    ("action", "content", "answer"),
    [
        ("accept", {"decision": "approve", "message": "fine"}, Answer.once("fine")),
        ("accept", {"decision": "approve always"}, Answer.always()),
        ("accept", {"decision": "reject", "message": "no"}, Answer.reject("no")),
        ("accept", {"decision": "approve some", "hunks": "3 1"}, Answer.some({"a.py": [1], "logo.png": "all"})),
        ("accept", {"decision": "approve some", "hunks": "1, 2,3"}, Answer.some({"a.py": [1, 2], "logo.png": "all"})),
        ("decline", {"decision": "approve"}, Answer.decline()),
        ("cancel", {"decision": "approve"}, Answer.decline()),
        ("accept", {}, Answer.unreachable("the client answered without a decision")),
        ("accept", None, Answer.unreachable("the client answered without a decision")),
        ("accept", {"decision": True}, Answer.unreachable("the client answered without a decision")),
        ("accept", {"decision": "Approve"}, Answer.unreachable("the client answered without a decision")),
    ],
)
def test_only_an_explicit_decision_approves(action: str, content: Any, answer: Answer) -> None:
    assert answer_of(action, content, REQUEST) == answer


@pytest.mark.parametrize(
    "hunks",
    ["", "x", "0", "4", "1 4", "-1", "1.5", "all", "99999999999999999999", "1 999999", "1 1 1 1", "²", "1 x", "x 1"],
)
def test_hunks_that_are_not_there_are_asked_for_again(hunks: str) -> None:
    with pytest.raises(ValueError, match="Expected"):
        answer_of("accept", {"decision": "approve some", "hunks": hunks}, REQUEST)


@given(st.text(), st.text())
def test_no_name_and_no_hunk_begins_a_line_of_a_form(path: str, hunk: str) -> None:
    file = Change("update", path or "x", hunks=(LineHunk(0, 0, (f"-{hunk}\n", "+b\n")),))
    lines = form_of(REQUEST.replace(files=(file,))).message.split("\n")
    assert lines[0].startswith("May the model edit ")
    assert lines[2].startswith("update ")
    assert lines[3].startswith("[1] @@ -1 +1 @@")
    assert all(line.startswith("    ") or not line for line in lines[4:])


@given(st.text() | st.none(), st.dictionaries(st.text(), st.text() | st.integers() | st.booleans() | st.none()))
def test_whatever_comes_back_is_an_answer(action: str | None, content: dict[str, Any]) -> None:
    assert answer_of(str(action), content, REQUEST).kind in {"reject", "unreachable"}


def test_a_client_that_opens_ever_more_questions_loses_the_oldest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_pool, "MOST_QUESTIONS", 2)

    async def never_answered() -> Answer:
        await asyncio.Event().wait()
        return Answer.once()

    async def main() -> None:
        client = session_pool.ClientSession(Session(Workspace(MemoryFiles({}))), {})
        first, second, third = [client.ask(name, name, never_answered) for name in ("first", "second", "third")]
        assert client.ask("second", "fourth", never_answered) is second
        await asyncio.wait([first])
        assert (first.cancelled(), second.done(), third.done()) == (True, False, False)
        assert list(client.questions) == ["second", "third"]
        await client.close()
        assert second.cancelled()
        assert third.cancelled()

    asyncio.run(main())


@pytest.mark.parametrize("sealed", ["", ".", "\ud800.x", "x.\ud800", "é.[0, 1]", '0.[9e99, "other"]', None, 3])
def test_a_state_that_the_server_has_not_sealed_is_refused(sealed: object) -> None:
    seal = RequestSeal()
    assert seal.open(seal.close("\ud800 and more")) == "\ud800 and more"
    with pytest.raises(ProtocolError, match="The call can't be continued"):
        seal.open(sealed)
