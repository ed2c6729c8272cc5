"""What all adapters share, without a framework: questions, replies, and sessions of another event loop."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest

from suture import Session, SyncSession, Workspace
from suture.adapters import bridge as module, reply
from suture.adapters.bridge import Bridge, Question, _with_real_paths
from suture.agent import Answer, Request, Result
from suture.workspace import Change

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

EDIT = {"filePath": "a.txt", "oldString": "one", "newString": "two"}


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    (tmp_path / "root").mkdir()
    (tmp_path / "extra").mkdir()
    (tmp_path / "root" / "a.txt").write_text("one\n")
    (tmp_path / "extra" / "b.txt").write_text("one\n")
    roots = [tmp_path / "root", tmp_path / "extra"]
    with Workspace(roots[0], extra_roots=roots[1:], state_dir=tmp_path / "state", durability="process") as workspace:
        yield workspace


def advance(workspace: Workspace, arguments: dict[str, Any], given: Any = None, **settings: Any) -> Any:
    """Run a call as another process would: with a session and a bridge of its own."""

    async def main() -> Any:
        async with Session(workspace, reads={"edit": "off"}, **settings) as session:
            return await Bridge(session).advance("call", "edit", arguments, given)

    return asyncio.run(main())


def test_a_question_and_its_reply_are_json_and_end_the_call(workspace: Workspace, tmp_path: Path) -> None:
    question = json.loads(json.dumps(advance(workspace, EDIT).to_data()))
    assert question["text"] == (
        "edit needs the permission edit for:\nupdate a.txt +1 -1\n\na.txt:\n@@ -1 +1 @@\n-one\n+two"
    )
    given = json.loads(json.dumps(reply(question, Answer.once())))
    assert isinstance(advance(workspace, EDIT, given), Result)
    assert (tmp_path / "root" / "a.txt").read_text() == "two\n"


def test_a_call_that_asks_twice_keeps_its_first_answer(workspace: Workspace, tmp_path: Path) -> None:
    arguments = EDIT | {"filePath": str(tmp_path / "extra" / "b.txt")}
    first = advance(workspace, arguments).to_data()
    assert first["permission"] == "external_directory"
    second = advance(workspace, arguments, reply(first, Answer.once())).to_data()
    assert second["permission"] == "edit"
    assert "notice" not in second
    assert isinstance(advance(workspace, arguments, reply(second, Answer.once())), Result)
    assert (tmp_path / "extra" / "b.txt").read_text() == "two\n"


def test_a_reply_about_other_arguments_is_not_used(workspace: Workspace, tmp_path: Path) -> None:
    given = reply(advance(workspace, EDIT).to_data(), Answer.once())
    again = advance(workspace, EDIT | {"newString": "three"}, given)
    assert isinstance(again, Question)
    assert "something else" in again.notice
    assert (tmp_path / "root" / "a.txt").read_text() == "one\n"


@pytest.mark.parametrize(
    "given",
    [
        True,
        "yes",
        [],
        {},
        {"fingerprint": 1, "answer": {}},
        {"fingerprint": "x", "answer": {"kind": "some", "hunks": 1}},
    ],
)
def test_what_is_no_reply_approves_nothing(workspace: Workspace, tmp_path: Path, given: Any) -> None:
    question = advance(workspace, EDIT, given)
    assert isinstance(question, Question)
    assert question.notice
    assert (tmp_path / "root" / "a.txt").read_text() == "one\n"


@pytest.mark.parametrize("field", ["answers", "reads"])
@pytest.mark.parametrize("value", [1, "x", ["y"], {"a": 1}, {"a": "not a hash"}])
def test_a_reply_with_garbage_in_it_does_no_harm(workspace: Workspace, field: str, value: Any) -> None:
    given = reply(advance(workspace, EDIT).to_data(), Answer.once()) | {field: value}
    assert isinstance(advance(workspace, EDIT, given), Question | Result)


def test_a_session_of_another_loop_works_in_any(workspace: Workspace, tmp_path: Path) -> None:
    with SyncSession(workspace, reads={"edit": "off"}) as session:
        bridge = Bridge(session)

        async def first() -> Any:
            return await bridge.wait(bridge.advance("call", "edit", EDIT))

        given = reply(asyncio.run(first()).to_data(), Answer.once())
        assert isinstance(bridge.block(bridge.advance("call", "edit", EDIT, given)), Result)
    assert (tmp_path / "root" / "a.txt").read_text() == "two\n"


def test_old_questions_are_forgotten(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_OPEN_QUESTIONS", 2)

    async def main() -> list[object]:
        async with Session(workspace, reads={"edit": "off"}) as session:
            bridge = Bridge(session)
            for key in range(4):
                await bridge.advance(key, "edit", EDIT)
            return list(bridge.open_questions())

    assert asyncio.run(main()) == [2, 3]


class TestLargeChanges:
    """What a question can't show nobody is asked about, and nobody can approve."""

    @pytest.fixture(autouse=True)
    def little_room(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(module, "MOST_ASKED_CHARACTERS", 200)

    def test_a_change_that_is_too_large_is_refused(self, workspace: Workspace, tmp_path: Path) -> None:
        result = advance(workspace, EDIT | {"newString": "two\n" * 100})
        assert result.is_error
        assert "the change is too large to be shown" in result.output
        assert "No file was changed." in result.output
        assert (tmp_path / "root" / "a.txt").read_text() == "one\n"

    def test_an_approval_of_a_small_change_does_not_write_a_large_one(
        self, workspace: Workspace, tmp_path: Path
    ) -> None:
        given = reply(advance(workspace, EDIT).to_data(), Answer.once())
        assert advance(workspace, EDIT | {"newString": "two\n" * 100}, given).is_error
        assert (tmp_path / "root" / "a.txt").read_text() == "one\n"

    def test_a_framework_that_asks_first_neither_asks_nor_writes(self, workspace: Workspace, tmp_path: Path) -> None:
        arguments = EDIT | {"newString": "two\n" * 100}

        async def main() -> Any:
            async with Session(workspace, reads={"edit": "off"}) as session:
                bridge = Bridge(session)
                assert await bridge.ask("call", "edit", arguments) is None
                return await bridge.finish("call", "edit", arguments)

        assert asyncio.run(main()).is_error
        assert (tmp_path / "root" / "a.txt").read_text() == "one\n"

    def test_a_large_file_can_be_deleted(self, workspace: Workspace, tmp_path: Path) -> None:
        (tmp_path / "root" / "a.txt").write_text("one\n" * 1000)

        async def main(given: Any = None) -> Any:
            async with Session(workspace, profile="all", reads={"delete": "off"}) as session:
                return await Bridge(session).advance("call", "delete", {"filePath": "a.txt"}, given)

        question = asyncio.run(main()).to_data()
        assert question["files"][0]["hunks"] == ["(5,019 characters of a file that is deleted)"]
        assert not asyncio.run(main(reply(question, Answer.once()))).is_error


def test_a_question_shows_nothing_invisible(workspace: Workspace) -> None:
    question = advance(workspace, EDIT | {"newString": "t\u3164wo "}).to_data()
    assert question["files"][0]["hunks"] == ["@@ -1 +1 @@\n-one\n+t⟨U+3164⟩wo·"]
    assert "⟨U+3164⟩" in Question(_renamed(workspace)).to_data()["text"]


def test_a_path_is_shown_with_nothing_invisible_and_a_reply_may_use_it(workspace: Workspace, tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "a\u3164.txt").write_text("one\n")
    arguments = EDIT | {"filePath": "a\u3164.txt"}
    question = advance(workspace, arguments).to_data()
    assert question["files"][0]["path"] == "a⟨U+3164⟩.txt"
    given = reply(question, Answer.some({"a⟨U+3164⟩.txt": [1]}))
    assert not advance(workspace, arguments, given).is_error
    assert (root / "a\u3164.txt").read_text() == "two\n"


def test_a_path_that_two_files_are_shown_with_names_neither() -> None:
    files = (Change("update", "a\u3164"), Change("update", "a⟨U+3164⟩"))
    request = Request.for_files("edit", files)
    with pytest.raises(ValueError, match="two of its files are shown as a⟨U\\+3164⟩"):
        _with_real_paths(Answer.some({"a⟨U+3164⟩": "all"}), request)
    assert _with_real_paths(Answer.some({"a\u3164": "all"}), request) == Answer.some({"a\u3164": "all"})


def _renamed(workspace: Workspace) -> Any:
    """The question about a file with a blank letter in its name."""

    async def main() -> Any:
        async with Session(workspace, profile="all") as session:
            return await session.start("write", {"filePath": "a\u3164.txt", "content": "x\n"})

    return asyncio.run(main())
