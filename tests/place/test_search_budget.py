"""Many hunks or edits in one call: they cost what one pass costs, or they are refused by counted work.

Each search is linear in the file, so many of them are as large as file times edits. The budget of the tests is smaller
than the real one, which makes it count at sizes that are tested quickly.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from itertools import product
from random import Random
from typing import TYPE_CHECKING

import pytest
from tests.shared.hostile_times import grows_linearly, marked
from tests.shared.hostile_updates import EDITS, FILES, HUNKS, every_fifth

from suture import Hunk, PatchRejectedError, SutureError, multiedit, update
from suture.core import search_budget
from suture.core.search_budget import SEARCH_BUDGET
from suture.place.limits import MOST_EXPLAINED

if TYPE_CHECKING:
    from collections.abc import Callable

untraced = pytest.mark.skipif(sys.gettrace() is not None, reason="what is traced is many times slower")

#: The part of the real budget that the tests have.
PART = 100
#: The lines of the smaller one of two files; the larger one has four times as many.
SMALL = 1500
NAMES = ("a.py", "a.md", "a.html", "a.css", "a.yaml", "a.txt", "a.json", "a.c", "")
DIALECTS = ("standard", "codex", "opencode", "strict")


@pytest.fixture
def small_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_budget, "SEARCH_BUDGET", SEARCH_BUDGET // PART)


def updating(file: str, hunk: str, dialect: str, path: str, *, skip: bool) -> Callable[[int], Callable[[], object]]:
    """Calls of `update` with a hunk for every fifth line."""

    def build(count: int) -> Callable[[], object]:
        lines = FILES[file](count)
        hunks = [HUNKS[hunk](lines, at) for at in every_fifth(count)]
        text = "\n".join([*lines, ""])

        def call() -> None:
            with suppress(SutureError):
                update(text, hunks, dialect=dialect, path=path, skip_applied=skip, seconds=1000.0)

        return call

    return build


def editing(
    file: str, edit: str, path: str, ending: str, *, on_original: bool
) -> Callable[[int], Callable[[], object]]:
    """Calls of `multiedit` with an edit for every fifth line."""

    def build(count: int) -> Callable[[], object]:
        lines = FILES[file](count)
        edits = [EDITS[edit](lines, at) for at in every_fifth(count)]
        text = ending.join([*lines, ""])

        def call() -> None:
            with suppress(SutureError):
                result = multiedit(text, edits, against="original" if on_original else "result", path=path)
                assert result.edits

        return call

    return build


def sample(count: int, *choices: tuple[object, ...]) -> list[tuple[object, ...]]:
    """Some of all combinations: the same ones in every run."""
    return Random(11).sample(list(product(*choices)), count)


UPDATES = sample(400, tuple(FILES), tuple(HUNKS), DIALECTS, NAMES, (False, True))
LISTS = sample(200, tuple(FILES), tuple(EDITS), NAMES, ("\n", "\r\n"), (False, True))


@untraced
@pytest.mark.usefixtures("small_budget")
@pytest.mark.parametrize(("file", "hunk", "dialect", "path", "skip"), marked(UPDATES))
def test_four_times_the_file_and_its_hunks_cost_at_most_eight_times(
    file: str, hunk: str, dialect: str, path: str, *, skip: bool
) -> None:
    assert grows_linearly(updating(file, hunk, dialect, path, skip=skip), SMALL)


@untraced
@pytest.mark.usefixtures("small_budget")
@pytest.mark.parametrize(("file", "edit", "path", "ending", "on_original"), marked(LISTS))
def test_four_times_the_file_and_its_edits_cost_at_most_eight_times(
    file: str, edit: str, path: str, ending: str, *, on_original: bool
) -> None:
    assert grows_linearly(editing(file, edit, path, ending, on_original=on_original), SMALL)


def numbered(count: int) -> str:
    return "".join(f"line number {index} of a text that goes on\n" for index in range(count))


def test_three_thousand_hunks_with_absent_anchors_are_explained_briefly_after_the_first() -> None:
    """They took 19 seconds, most of them for lines of the file that nobody could read in so long an answer."""
    hunks = [Hunk((f"-absent {index}", "+x"), (f"a{index}",)) for index in range(3000)]
    with pytest.raises(PatchRejectedError) as raised:
        update(numbered(4000), hunks, seconds=1000.0)
    *problems, last = raised.value.problems
    messages = [problem.message for problem in problems]
    assert {problem.details["reason"] for problem in problems} == {"anchor_not_found"}
    assert last.details["reason"] == "search_budget"
    assert len(messages) > 2000
    assert "None of the hunk's distinctive lines is in the file" in messages[MOST_EXPLAINED - 1]
    assert messages[1999] == "Hunk 2000 of 3000: no line of the file is or begins with its @@ line |a1999|."


@pytest.mark.usefixtures("small_budget")
def test_hunks_that_need_too_many_searches_are_refused_with_the_one_at_which_it_was_too_much() -> None:
    text = numbered(2000)
    hunks = [Hunk((f"-line  number  {index} of a text that goes on", "+x")) for index in range(2000)]
    with pytest.raises(PatchRejectedError) as raised:
        update(text, hunks, path="a.txt", seconds=1000.0)
    [problem] = raised.value.problems
    assert (problem.code, problem.details["reason"]) == ("timeout", "search_budget")
    number = problem.details["hunkIndex"]
    assert isinstance(number, int)
    assert problem.message == (
        f"Hunk {number + 1} of 2000 was not placed: this and the hunks before it need too many searches in a.txt."
    )
    assert problem.hint == "Send fewer hunks at a time, with the lines exactly as the file has them."
    assert update(text, hunks[:number], seconds=1000.0).text.count("x\n") == number


@pytest.mark.usefixtures("small_budget")
@pytest.mark.parametrize("against", ["result", "original"])
def test_edits_that_need_too_many_searches_are_refused_with_the_one_at_which_it_was_too_much(against: str) -> None:
    text = numbered(5000)
    edits = [(f"number {index} of", f"number {index}, of") for index in range(5000)]
    with pytest.raises(PatchRejectedError) as raised:
        multiedit(text, edits, against="original" if against == "original" else "result", path="a.txt")
    [problem] = raised.value.problems
    assert (problem.code, problem.details["reason"]) == ("timeout", "search_budget")
    number = problem.details["editIndex"]
    assert isinstance(number, int)
    assert problem.message == (
        f"Edit {number + 1} of 5000: The edit was not placed: "
        "this and the edits before it need too many searches in a.txt."
    )
    assert len(multiedit(text, edits[:number]).edits) == number


def test_exact_hunks_of_a_large_file_do_not_spend_the_budget() -> None:
    """An index has their places, so that ten thousand of them are as good as one."""
    text = numbered(60_000)
    hunks = [Hunk((f"-line number {index} of a text that goes on", f"+{index}")) for index in range(0, 60_000, 6)]
    assert len(update(text, hunks, seconds=1000.0).matches) == 10_000


def test_anchors_of_blank_hunks_that_are_passed_on_do_not_add_up() -> None:
    hunks = [Hunk((" ",), ("a",))] * 20_000
    with pytest.raises(PatchRejectedError):
        update("a\n\nb\n", [*hunks, Hunk(("-c", "+d"))], seconds=1000.0)
