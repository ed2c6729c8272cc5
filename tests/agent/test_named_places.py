"""Tools that name their place by a number, a definition or a sketch: they change what was shown, or nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.shared.agents import APP, READ, Agent, code, edit

from suture.agent import Answer, Callback, Request

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

PATH = "src/app.py"
LONG = "".join(f"line_{number} = {number}\n" for number in range(1, 61))


def agent(folder: Path, **given: Any) -> Agent:
    return Agent(folder, profile="all", **given)


def replace(first: int, last: int, content: str, path: str = PATH, **more: Any) -> tuple[str, Any]:
    return "replace_lines", {"filePath": path, "startLine": first, "endLine": last, "content": content, **more}


def reason(result: Any) -> str:
    return str(result.metadata["problems"][0]["details"].get("reason", result.metadata["problems"][0]["code"]))


class TestLines:
    def test_lines_that_were_shown_are_replaced(self, tmp_path: Path) -> None:
        one = agent(tmp_path)
        result = one.call(READ, replace(2, 2, "    print('Hello ' + name)\n"))
        assert not result.is_error, result.output
        assert one.text(PATH) == APP.replace("Hi", "Hello")

    def test_an_empty_text_deletes_lines(self, tmp_path: Path) -> None:
        one = agent(tmp_path)
        one.put("a", "one\ntwo\nthree\n")
        one.call(("read", {"filePath": "a"}), replace(2, 2, "", "a"))
        assert one.text("a") == "one\nthree\n"

    @pytest.mark.parametrize("mode", ["rebase", "require", "exact", "warn", "off"])
    def test_a_number_counts_in_no_mode_without_a_read(self, tmp_path: Path, mode: str) -> None:
        one = agent(tmp_path, reads={"replace_lines": mode, "insert": mode})
        assert code(one.call(replace(2, 2, "x"))) == "not_read"
        assert code(one.call(("insert", {"filePath": PATH, "line": 1, "content": "x"}))) == "not_read"
        assert one.text(PATH) == APP

    def test_a_part_that_was_read_is_enough_for_lines_of_it_and_for_no_others(self, tmp_path: Path) -> None:
        one = agent(tmp_path)
        one.put("a", LONG)
        read = ("read", {"filePath": "a", "offset": 10, "limit": 5})
        assert not one.call(read, replace(12, 12, "x = 1", "a")).is_error
        assert one.text("a") == LONG.replace("line_12 = 12", "x = 1")
        assert code(agent(tmp_path).call(read, replace(30, 30, "y = 1", "a"))) == "not_read"

    def test_lines_are_moved_along_with_a_change_of_somebody_else(self, tmp_path: Path) -> None:
        one = agent(tmp_path)
        one.put("a", LONG)
        one.call(("read", {"filePath": "a"}))
        one.put("a", f"first = 0\nsecond = 0\n{LONG}")
        result = one.call(replace(30, 30, "changed = 30", "a"))
        assert not result.is_error, result.output
        assert one.text("a") == f"first = 0\nsecond = 0\n{LONG}".replace("line_30 = 30", "changed = 30")

    def test_a_change_of_the_same_lines_by_somebody_else_is_a_conflict(self, tmp_path: Path) -> None:
        one = agent(tmp_path)
        one.put("a", LONG)
        one.call(("read", {"filePath": "a"}))
        theirs = LONG.replace("line_30 = 30", "line_30 = 31")
        one.put("a", theirs)
        assert one.call(replace(30, 30, "changed = 30", "a")).is_error
        assert one.text("a") == theirs

    @pytest.mark.parametrize("tool", ["replace_lines", "insert"])
    def test_a_number_below_an_own_change_may_be_of_either_text_and_is_refused(self, tmp_path: Path, tool: str) -> None:
        one = agent(tmp_path)
        one.put("a", LONG)
        one.call(("read", {"filePath": "a"}), replace(5, 5, "one = 1\ntwo = 2\nthree = 3", "a"))
        before = one.text("a")
        second = replace(30, 30, "x", "a")
        if tool == "insert":
            second = ("insert", {"filePath": "a", "line": 30, "content": "x"})
        result = one.call(second)
        assert reason(result) == "lines_moved"
        assert "line_28 = 28" in result.output
        assert one.text("a") == before
        assert not one.call(("read", {"filePath": "a"}), second).is_error

    def test_a_number_above_an_own_change_is_the_same_in_both_texts(self, tmp_path: Path) -> None:
        one = agent(tmp_path)
        one.put("a", LONG)
        calls = replace(30, 30, "one = 1\ntwo = 2", "a"), replace(5, 6, "x = 5", "a")
        assert not one.call(("read", {"filePath": "a"}), *calls).is_error
        assert "line_4 = 4\nx = 5\nline_7 = 7\n" in one.text("a")

    def test_an_own_change_that_keeps_the_count_of_lines_moves_nothing(self, tmp_path: Path) -> None:
        one = agent(tmp_path)
        one.put("a", LONG)
        calls = replace(5, 5, "x = 5", "a"), replace(30, 30, "y = 30", "a")
        assert not one.call(("read", {"filePath": "a"}), *calls).is_error
        assert "line_29 = 29\ny = 30\nline_31" in one.text("a")

    def test_the_text_of_the_lines_says_which_numbers_are_meant(self, tmp_path: Path) -> None:
        one = agent(tmp_path)
        one.put("a", LONG)
        one.call(("read", {"filePath": "a"}), replace(5, 5, "one = 1\ntwo = 2\nthree = 3", "a"))
        texts = {"startText": "line_30 = 30", "endText": "line_30 = 30"}
        assert reason(one.call(replace(30, 30, "x", "a", **texts))) == "other_line"
        assert not one.call(replace(32, 32, "x = 30", "a", **texts)).is_error
        assert "line_29 = 29\nx = 30\nline_31" in one.text("a")

    def test_closing_brackets_confirm_nothing(self, tmp_path: Path) -> None:
        one = agent(tmp_path)
        text = "".join(f"f({number}) {{\n}}\n" for number in range(20))
        one.put("a.js", text)
        one.call(("read", {"filePath": "a.js"}), replace(1, 2, "g() {\n  x;\n}\n", "a.js"))
        texts = {"startText": "}", "endText": "}"}
        assert reason(one.call(replace(11, 11, "};", "a.js", **texts))) == "lines_moved"

    def test_numbers_of_a_text_that_was_shown_earlier_do_not_count(self, tmp_path: Path) -> None:
        one = agent(tmp_path)
        one.put("a", LONG)
        one.call(("read", {"filePath": "a"}))
        one.put("a", "short = 1\n")
        assert reason(one.call(("read", {"filePath": "a"}), replace(30, 30, "x", "a"))) == "line_out_of_range"

    @pytest.mark.parametrize(("first", "last"), [(0, 1), (3, 2), (1, 99), (7, 7)])
    def test_a_range_that_the_file_does_not_have_is_refused(self, tmp_path: Path, first: int, last: int) -> None:
        one = agent(tmp_path)
        assert one.call(READ, replace(first, last, "x")).is_error
        assert one.text(PATH) == APP

    def test_lines_of_a_notebook_are_not_lines_of_its_file(self, tmp_path: Path) -> None:
        one = agent(tmp_path)
        text = '{"cells": [\n{"cell_type": "code", "metadata": {}, "outputs": [], "source": ["a\\n", "b"]}\n]}\n'
        one.put("a.ipynb", text)
        read = ("read", {"filePath": "a.ipynb"})
        assert reason(one.call(read, replace(2, 2, "x", "a.ipynb"))) == "notebook_lines"
        insert = ("insert", {"filePath": "a.ipynb", "line": 1, "content": "x"})
        assert reason(one.call(read, insert)) == "notebook_lines"
        assert one.text("a.ipynb") == text

    def test_the_same_call_is_not_applied_twice(self, tmp_path: Path) -> None:
        one = agent(tmp_path)
        one.put("a", LONG)
        call = replace(5, 5, "line_5 = 5\nmore = 5", "a")
        one.call(("read", {"filePath": "a"}), call)
        before = one.text("a")
        assert one.call(call).is_error
        assert one.text("a") == before

    def test_what_was_shown_is_remembered_by_the_next_process(self, tmp_path: Path) -> None:
        agent(tmp_path, id="one").call(READ)
        assert not agent(tmp_path, id="one").call(replace(2, 2, "    pass")).is_error


class TestDefinitions:
    def test_a_definition_is_replaced_by_its_name(self, tmp_path: Path) -> None:
        one = agent(tmp_path)
        call = "replace_definition", {"filePath": PATH, "name": "part", "content": "def part(name):\n    pass"}
        result = one.call(READ, call)
        assert not result.is_error, result.output
        assert one.text(PATH) == APP.replace("print('Bye ' + name)", "pass")

    def test_a_definition_is_added_before_another_one(self, tmp_path: Path) -> None:
        one = agent(tmp_path)
        call = {"filePath": PATH, "name": "part", "content": "def new():\n    pass\n", "where": "before"}
        assert not one.call(READ, ("insert_definition", call)).is_error
        assert one.text(PATH) == APP.replace("def part", "def new():\n    pass\n\n\ndef part")

    def test_a_place_that_is_neither_before_nor_after_is_refused(self, tmp_path: Path) -> None:
        call = {"filePath": PATH, "name": "part", "content": "def new():\n    pass\n", "where": "inside"}
        assert code(agent(tmp_path).call(READ, ("insert_definition", call))) == "invalid_arguments"

    def test_a_definition_that_was_not_read_is_not_replaced(self, tmp_path: Path) -> None:
        one = agent(tmp_path)
        read = ("read", {"filePath": PATH, "offset": 1, "limit": 2})
        call = "replace_definition", {"filePath": PATH, "name": "part", "content": "def part(name):\n    pass"}
        assert code(one.call(call)) == "not_read"
        assert code(one.call(read, call)) == "not_read"
        assert one.text(PATH) == APP

    def test_a_definition_is_merged_with_what_somebody_else_has_changed(self, tmp_path: Path) -> None:
        one = agent(tmp_path)
        one.call(READ)
        one.put(PATH, f"import os\n\n\n{APP}")
        call = "replace_definition", {"filePath": PATH, "name": "part", "content": "def part(name):\n    pass"}
        result = one.call(call)
        assert not result.is_error, result.output
        assert one.text(PATH) == f"import os\n\n\n{APP}".replace("print('Bye ' + name)", "pass")


SKETCH = "# ... existing code ...\ndef part(name):\n    print('Bye, ' + name)\n"


class TestSketches:
    def test_a_sketch_is_applied_and_the_answer_shows_what_changed(self, tmp_path: Path) -> None:
        one = agent(tmp_path)
        call = "edit_file", {"target_file": PATH, "code_edit": SKETCH, "instructions": "Add a comma."}
        result = one.call(READ, call)
        assert not result.is_error, result.output
        assert one.text(PATH) == APP.replace("'Bye '", "'Bye, '")
        assert "-    print('Bye ' + name)\n+    print('Bye, ' + name)" in result.output

    def test_a_file_that_does_not_exist_is_created_by_a_sketch_without_markers(self, tmp_path: Path) -> None:
        one = agent(tmp_path)
        assert not one.call(("edit_file", {"targetFile": "new.py", "codeEdit": "x = 1\n"})).is_error
        assert one.text("new.py") == "x = 1\n"
        assert code(one.call(("edit_file", {"targetFile": "b.py", "codeEdit": SKETCH}))) == "not_found"

    def test_a_sketch_needs_a_read_and_is_asked_for_with_its_difference(self, tmp_path: Path) -> None:
        requests: list[Request] = []

        def ask(request: Request) -> Answer:
            requests.append(request)
            return Answer.reject("no")

        one = agent(tmp_path, rules=(), approver=Callback(ask))
        call = "edit_file", {"targetFile": PATH, "codeEdit": SKETCH}
        assert [code(result) for result in one.calls(call, READ, call)[::2]] == ["not_read", "rejected"]
        assert [file.additions for request in requests for file in request.files] == [1]
        assert one.text(PATH) == APP


def test_an_edit_by_text_between_calls_by_number_counts_as_an_own_change(tmp_path: Path) -> None:
    one = agent(tmp_path)
    one.call(READ, edit("    print('Hi ' + name)", "    name = name.strip()\n    print('Hi ' + name)"))
    before = one.text(PATH)
    assert reason(one.call(replace(6, 6, "    pass"))) == "lines_moved"
    assert one.text(PATH) == before


def test_the_text_of_a_line_that_another_has_too_confirms_no_number(tmp_path: Path) -> None:
    one = agent(tmp_path)
    text = "A:\n  debug = True\nB:\n  debug = True\n"
    one.put("a", text)
    one.call(("read", {"filePath": "a"}), ("insert", {"filePath": "a", "line": 0, "content": "# 1\n# 2"}))
    said = {"startText": "  debug = True", "endText": "  debug = True"}
    assert reason(one.call(replace(4, 4, "  debug = False", "a", **said))) == "lines_moved"
    assert one.text("a") == f"# 1\n# 2\n{text}"


def test_lines_that_repeat_those_around_them_move_numbers_too(tmp_path: Path) -> None:
    one = agent(tmp_path)
    one.put("a", "x\ny\nx\ny\nx\ny\n")
    one.call(("read", {"filePath": "a"}), replace(1, 2, "x\ny\nx\ny", "a"))
    assert reason(one.call(replace(3, 3, "C", "a"))) == "lines_moved"
