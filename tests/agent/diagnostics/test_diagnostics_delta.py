"""New errors only: what an edit introduced is told from what it found, left alone or moved."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, strategies as st

from suture.agent.diagnostics.columns import column_of, lines_of
from suture.agent.diagnostics.delta import new_diagnostics
from suture.agent.diagnostics.report import Diagnostic

if TYPE_CHECKING:
    from collections.abc import Sequence

BEFORE = """\
import os


def first(x):
    return x + wrong


def second(y):
    return y + mistaken
"""


def error(text: str, word: str, message: str = "", *, occurrence: int = 1, code: str = "E1") -> Diagnostic:
    """An error about a word, where it stands for the so-manieth time."""
    at = -1
    for _ in range(occurrence):
        at = text.index(word, at + 1)
    line, column = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
    return Diagnostic("/a.py", line, column, line, column + len(word), "error", message or f"{word}!", code, "lint")


def new(before: str, old: Sequence[Diagnostic], after: str, found: Sequence[Diagnostic]) -> list[Diagnostic]:
    return new_diagnostics(old, found, before, after)


def test_an_error_that_the_edit_brought_is_new() -> None:
    after = BEFORE.replace("import os", "import oops")
    brought = error(after, "oops")
    old = [error(BEFORE, "wrong"), error(BEFORE, "mistaken")]
    assert new(BEFORE, old, after, [error(after, "wrong"), brought, error(after, "mistaken")]) == [brought]


def test_an_error_that_the_edit_moved_down_or_up_is_not_new() -> None:
    for after in (BEFORE.replace("import os\n", "import os\nimport re\nimport sys\n"), BEFORE[BEFORE.index("def") :]):
        assert new(BEFORE, [error(BEFORE, "mistaken")], after, [error(after, "mistaken")]) == []


def test_a_second_error_of_the_same_kind_is_new() -> None:
    after = BEFORE.replace("    return x", "    print(wrong)\n    return x")
    found = [error(after, "wrong"), error(after, "wrong", occurrence=2)]
    assert new(BEFORE, [error(BEFORE, "wrong")], after, found) == [found[0]]


def test_a_second_error_of_the_same_kind_in_one_line_is_new() -> None:
    after = BEFORE.replace("x + wrong", "wrong + wrong")
    found = [error(after, "wrong"), error(after, "wrong", occurrence=2)]
    assert new(BEFORE, [error(BEFORE, "wrong")], after, found) == [found[1]]


def test_an_error_in_a_line_that_was_changed_elsewhere_is_not_new() -> None:
    after = BEFORE.replace("return x + wrong", "return 2 * x + wrong")
    assert new(BEFORE, [error(BEFORE, "wrong")], after, [error(after, "wrong")]) == []


def test_the_same_message_of_another_piece_of_text_is_new() -> None:
    """Of two errors with one message, one was mended and one brought: they are not the same."""
    after = BEFORE.replace("x + wrong", "x + worse")
    found = error(after, "worse", "not a number")
    assert new(BEFORE, [error(BEFORE, "wrong", "not a number")], after, [found]) == [found]


def test_an_error_in_a_function_that_was_moved_is_not_new() -> None:
    first, second = BEFORE.index("def first"), BEFORE.index("def second")
    after = BEFORE[:first] + BEFORE[second:] + "\n\n" + BEFORE[first:second]
    old = [error(BEFORE, "wrong"), error(BEFORE, "mistaken")]
    assert new(BEFORE, old, after, [error(after, "mistaken"), error(after, "wrong")]) == []


def test_an_error_in_lines_that_were_indented_is_not_new() -> None:
    after = BEFORE.replace("    return x + wrong", "    if x:\n        return x + wrong")
    assert new(BEFORE, [error(BEFORE, "wrong")], after, [error(after, "wrong")]) == []


@pytest.mark.parametrize("field", ["message", "code", "severity", "source"])
def test_an_error_that_says_something_else_at_the_same_place_is_new(field: str) -> None:
    after = "\n" + BEFORE
    found = error(after, "wrong").replace(**{field: "warning"})
    assert new(BEFORE, [error(BEFORE, "wrong")], after, [found]) == [found]


def test_a_line_number_in_a_message_may_have_moved_too() -> None:
    after = "\n" + BEFORE
    old, found = (
        error(BEFORE, "second", "already defined on line 4"),
        error(after, "second", "already defined on line 5"),
    )
    assert new(BEFORE, [old], after, [found]) == []


def test_what_is_said_of_the_whole_file_is_not_new_after_an_edit_of_its_ends() -> None:
    after = "# a comment\n" + BEFORE + "\n\nlast = 1\n"
    old = [
        Diagnostic("/a.py", 1, 1, 1, 1, "error", "no docstring"),
        Diagnostic("/a.py", 10, 1, 10, 1, "error", "no newline wanted"),
    ]
    found = [old[0], old[1].replace(line=13, end_line=13)]
    assert new(BEFORE, old, after, found) == []


def test_an_error_of_several_lines_is_known_by_all_of_them() -> None:
    block = Diagnostic("/a.py", 4, 1, 5, 21, "error", "unused")
    after = BEFORE.replace("def first(x):", "def first(x, y):")
    assert new(BEFORE, [block], after, [block]) == [block]
    reordered = BEFORE.replace("import os\n\n\n", "") + "\n\nimport os\n"
    moved = block.replace(line=1, end_line=2)
    assert new(BEFORE, [block], reordered, [moved]) == []


def test_an_error_of_very_many_lines_is_known_by_the_first_of_them() -> None:
    text = "".join(f"line {number}\n" for number in range(1000))
    indented = text.replace("line", "  line")
    whole = Diagnostic("/a.py", 2, 1, 1001, 1, "error", "too long")
    assert new(text, [whole], indented.replace("line 999", "end"), [whole]) == []
    assert new(text, [whole], indented.replace("line 9\n", "end\n"), [whole]) == [whole]


def test_a_place_behind_the_file_does_no_harm() -> None:
    beyond = Diagnostic("/a.py", 1000, 7, 1001, 3, "error", "where?")
    assert new(BEFORE, [beyond], BEFORE + "x\n", [beyond.replace(line=1001, end_line=1002)]) == []
    assert new("", [beyond], "", [beyond]) == []


def test_other_line_endings_are_line_endings() -> None:
    before, after = "a\rwrong\r", "a\r\rb\rwrong\r"
    old, found = (Diagnostic("/a", line, 1, line, 6, "error", "wrong!") for line in (2, 4))
    assert new(before, [old], after, [found]) == []
    assert lines_of("a\r\nb\rc\nd") == ["a", "b", "c", "d"]


@pytest.mark.parametrize(
    ("encoding", "units", "column"),
    [("utf-32", 3, 4), ("utf-16", 4, 4), ("utf-8", 7, 4), ("utf-16", 1, 1), ("utf-8", 99, 5), ("utf-32", 99, 5)],
)
def test_columns_count_characters(encoding: str, units: int, column: int) -> None:
    assert column_of(["", "𝔘é-x"], 1, units, encoding) == column
    assert column_of(["abc"], 7, units, encoding) == 1


TEXTS = st.lists(st.sampled_from(["a = wrong", "b = 1", "", "    c = wrong", "d"]), max_size=8)


def all_wrong(lines: list[str]) -> list[Diagnostic]:
    return [
        Diagnostic("/a", number, line.index("wrong") + 1, number, line.index("wrong") + 6, "error", "wrong!")
        for number, line in enumerate(lines, 1)
        if "wrong" in line
    ]


@given(TEXTS, TEXTS)
def test_as_many_are_new_as_there_are_more(before: list[str], after: list[str]) -> None:
    """Where all say the same of the same word, moves and re-indentation aside, only the count can tell them apart."""
    old, found = all_wrong(before), all_wrong(after)
    fresh = new_diagnostics(old, found, "\n".join(before), "\n".join(after))
    assert max(0, len(found) - len(old)) <= len(fresh) <= len(found)
    assert [each for each in found if each in fresh] == fresh


@given(TEXTS, TEXTS, TEXTS)
def test_nothing_is_new_in_lines_that_were_only_moved(above: list[str], text: list[str], below: list[str]) -> None:
    clean_above = [line for line in above if "wrong" not in line]
    clean_below = [line for line in below if "wrong" not in line]
    after = clean_above + text + clean_below
    assert new_diagnostics(all_wrong(text), all_wrong(after), "\n".join(text), "\n".join(after)) == []
