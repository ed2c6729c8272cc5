"""`insert`, `undo`, `history`, and the raw read of a host."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.shared.agents import APP, READ, Agent, code, edit

from suture import PatchRejectedError
from suture.agent import Answer, Pending

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any


def agent(folder: Path, **given: Any) -> Agent:
    return Agent(folder, profile="all", **given)


def insert(content: str, path: str = "a", **where: Any) -> tuple[str, Any]:
    return "insert", {"filePath": path, "content": content, **where}


class TestInsert:
    @pytest.mark.parametrize(
        ("before", "where", "after"),
        [
            ("one\ntwo\n", {"line": 0}, "new\none\ntwo\n"),
            ("one\ntwo\n", {"line": 1}, "one\nnew\ntwo\n"),
            ("one\ntwo\n", {"line": 2}, "one\ntwo\nnew\n"),
            ("one\ntwo", {"line": 2}, "one\ntwo\nnew"),
            ("one\r\ntwo\n", {"line": 1}, "one\r\nnew\r\ntwo\n"),
            ("\ufeffone\r\ntwo\r\n", {"line": 1}, "\ufeffone\r\nnew\r\ntwo\r\n"),
            ("", {"line": 0}, "new\n"),
            ("one\ntwo\n", {"after": "one"}, "one\nnew\ntwo\n"),
            ("one\ntwo\n", {"after": "n"}, "one\nnew\ntwo\n"),
            ("one\ntwo\nthree\n", {"after": "one\ntwo\n"}, "one\ntwo\nnew\nthree\n"),
            ("x = f( 1) # c\ny\n", {"after": "f(  1)"}, "x = f( 1) # c\nnew\ny\n"),
            ("x = f( 1) # c\r\ny\r\n", {"after": "= f(  1)"}, "x = f( 1) # c\r\nnew\r\ny\r\n"),
            ("def f():\n    one = 1  \n    two = 2\n", {"after": "    one = 1\n    two = 2"}, None),
        ],
    )
    def test_lines_go_where_they_belong(self, before: str, where: Any, after: str | None, tmp_path: Path) -> None:
        one = agent(tmp_path)
        one.put("a", before)
        result = one.call(("read", {"filePath": "a"}), insert("new", **where))
        assert not result.is_error, result.output
        assert one.text("a") == (before + "new\n" if after is None else after)

    def test_a_final_newline_of_the_content_is_no_line(self, tmp_path: Path) -> None:
        one = agent(tmp_path)
        one.put("a", "one\n")
        one.call(("read", {"filePath": "a"}), insert("x\n\n", line=1))
        assert one.text("a") == "one\nx\n\n"

    @pytest.mark.parametrize(
        ("where", "expected"),
        [
            ({}, "invalid_arguments"),
            ({"line": 1, "after": "one"}, "invalid_arguments"),
            ({"line": 9}, "invalid_arguments"),
            ({"after": "same"}, "multiple_matches"),
            ({"after": "no such line anywhere"}, "old_text_not_found"),
        ],
    )
    def test_a_place_that_is_unclear_is_refused(self, where: Any, expected: str, tmp_path: Path) -> None:
        one = agent(tmp_path)
        one.put("a", "one\nsame\nsame\n")
        assert code(one.call(("read", {"filePath": "a"}), insert("new", **where))) == expected
        assert one.text("a") == "one\nsame\nsame\n"

    @pytest.mark.parametrize("after", ["same", "no such line anywhere"])
    def test_a_refusal_names_the_argument_that_was_sent(self, after: str, tmp_path: Path) -> None:
        one = agent(tmp_path)
        one.put("a", "one\nsame\nsame\n")
        output = one.call(("read", {"filePath": "a"}), insert("new", after=after)).output
        assert ("oldString" in output, "after" in output.splitlines()[0]) == (False, True)

    def test_a_place_that_is_found_loosely_is_noted(self, tmp_path: Path) -> None:
        one = agent(tmp_path)
        one.put("a", "x = f( 1) # c\n")
        result = one.call(("read", {"filePath": "a"}), insert("new", after="f(  1)"))
        assert "(whitespace normalized)" in result.output

    def test_the_file_must_be_read_first(self, tmp_path: Path) -> None:
        assert code(agent(tmp_path).call(insert("x", "src/app.py", line=1))) == "not_read"

    def test_a_missing_file_is_not_found(self, tmp_path: Path) -> None:
        assert code(agent(tmp_path).call(insert("x", "nowhere", line=1))) == "not_found"


class TestUndo:
    def test_the_last_change_of_the_session_is_taken_back(self, tmp_path: Path) -> None:
        one = agent(tmp_path)
        result = one.call(READ, edit(), edit("'Bye '", "''"), ("undo", {}), ("undo", {}))
        assert not result.is_error, result.output
        assert one.text("src/app.py") == APP

    def test_what_was_undone_counts_as_read(self, tmp_path: Path) -> None:
        one = agent(tmp_path)
        assert not one.call(READ, edit(), ("undo", {}), edit()).is_error

    def test_a_change_can_be_named(self, tmp_path: Path) -> None:
        one = agent(tmp_path)
        receipt = one.calls(READ, edit())[1].metadata["receipt"]
        other = agent(tmp_path)
        assert not other.call(READ, ("undo", {"commit": receipt})).is_error
        assert code(agent(tmp_path).call(("undo", {"commit": receipt}))) == "no_change"

    def test_a_change_of_somebody_else_is_undone_only_if_what_would_be_lost_was_read(self, tmp_path: Path) -> None:
        one = agent(tmp_path)
        one.session.workspace.write("src/app.py", "a person wrote this\n")
        undo = "undo", {"commit": one.session.workspace.log(1)[0].id}
        assert code(one.call(undo)) == "not_read"
        assert one.text("src/app.py") == "a person wrote this\n"
        assert not one.call(READ, undo).is_error
        assert one.text("src/app.py") == APP

    def test_a_host_can_let_it_undo_everything(self, tmp_path: Path) -> None:
        one = agent(tmp_path, reads={"undo": "off"})
        one.session.workspace.write("src/app.py", "a person wrote this\n")
        assert not one.call(("undo", {"commit": one.session.workspace.log(1)[0].id})).is_error

    def test_without_a_change_there_is_nothing_to_undo(self, tmp_path: Path) -> None:
        assert code(agent(tmp_path).call(("undo", {}))) == "no_change"

    def test_a_file_that_has_changed_since_is_left_alone(self, tmp_path: Path) -> None:
        one = agent(tmp_path)
        receipt = one.calls(READ, edit())[1].metadata["receipt"]
        one.put("src/app.py", "other\n")
        assert code(agent(tmp_path).call(READ, ("undo", {"commit": receipt}))) == "stale_file"

    def test_it_needs_the_permission_to_edit(self, tmp_path: Path) -> None:
        receipt = agent(tmp_path).calls(READ, edit())[1].metadata["receipt"]
        denied = agent(tmp_path, rules=[("edit", "src", "deny")])
        assert code(denied.call(("undo", {"commit": receipt}))) == "rejected"

    def test_an_undo_can_wait_for_an_answer(self, tmp_path: Path) -> None:
        async def work(session: Any) -> Any:
            await session.read("src/app.py")
            session.permissions.remember("edit", "*")
            await session.call(*edit())
            return None

        async def start(session: Any) -> Any:
            await session.read("src/app.py")
            return await session.start("undo", {"commit": receipt})

        one = agent(tmp_path)
        receipt = one.calls(READ, edit())[1].metadata["receipt"]
        pending = agent(tmp_path, rules=()).run(start)
        assert isinstance(pending, Pending)
        assert pending.request.whole_only
        result = agent(tmp_path, rules=()).run(lambda session: session.resume(pending, Answer.once()))
        assert not result.is_error
        assert one.text("src/app.py") == APP


class TestHistory:
    def test_changes_are_listed_newest_first(self, tmp_path: Path) -> None:
        one = agent(tmp_path)
        *_, first, second, result = one.calls(READ, edit(), edit("'Bye '", "''"), ("history", {}))
        rows = result.output.splitlines()
        assert [row.split()[0] for row in rows] == [second.metadata["receipt"], first.metadata["receipt"]]
        assert rows[0].endswith("edit: M src/app.py +1 -1")

    def test_it_can_be_that_of_one_file_and_short(self, tmp_path: Path) -> None:
        one = agent(tmp_path)
        other = ("write", {"filePath": "b", "content": "b\n"})
        calls = [READ, edit(), other, ("history", {"filePath": "b"}), ("history", {"limit": 1})]
        *_, of_file, of_one = one.calls(*calls)
        assert "src/app.py" not in of_file.output
        assert len(of_one.output.splitlines()) == 1

    def test_an_empty_history_is_told_so(self, tmp_path: Path) -> None:
        assert agent(tmp_path).call(("history", {})).output == "There are no changes."

    def test_what_may_not_be_read_is_not_named(self, tmp_path: Path) -> None:
        agent(tmp_path).call(READ, edit())
        assert "app.py" not in agent(tmp_path, rules=[("read", "src", "deny")]).call(("history", {})).output


class TestReadRaw:
    def test_the_content_is_given_as_it_is_and_counts_as_read(self, tmp_path: Path) -> None:
        async def work(session: Any) -> Any:
            return await session.read_raw("src/app.py"), await session.call(*edit())

        content, result = agent(tmp_path).run(work)
        assert (content.content, content.text) == (APP.encode(), APP)
        assert not result.is_error

    def test_what_may_not_be_read_is_refused(self, tmp_path: Path) -> None:
        one = agent(tmp_path, rules=[("read", "src", "deny")])
        with pytest.raises(PatchRejectedError, match="may not be read"):
            one.run(lambda session: session.read_raw("src/app.py"))
