"""Hostile string edits: small calls that would take long or fill memory, each beside a baseline that is linear."""

from __future__ import annotations

import sys
import tracemalloc

import pytest
from tests.shared.hostile_times import costs_at_most

from suture import PatchRejectedError, Workspace, multiedit, replace
from suture.workspace import MemoryFiles

untraced = pytest.mark.skipif(sys.gettrace() is not None, reason="what is traced is many times slower")

OCCURRENCES = 100_000


@untraced
@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        ("a b\n" * OCCURRENCES, "a", "xy"),
        ("ab" * OCCURRENCES, "a", "xy"),
        ("a b\n" * OCCURRENCES, "a ", ""),
        ("a\nb\n" * OCCURRENCES, "a\n", ""),
    ],
    ids=["in lines", "in one line", "deleted", "deleted lines"],
)
def test_replacing_every_occurrence_costs_at_most_ten_times_str_replace(text: str, old: str, new: str) -> None:
    result = replace(text, old, new, replace_all=True)
    assert result.text == text.replace(old, new)
    # One call of str.replace is too short for the clock.
    assert costs_at_most(
        1,
        lambda: replace(text, old, new, replace_all=True),
        lambda: [len(text.replace(old, new)) for _ in range(10)],
    )


@untraced
@pytest.mark.parametrize("text", ["ab" * 20_000 + "\r\n", "a b\r\n" * 20_000, "a\n" * 20_000 + "a"])
def test_what_each_occurrence_decides_for_itself_is_linear_too(text: str) -> None:
    quarter = text[: len(text) // 4 // 4 * 4] + text[-2:]
    assert costs_at_most(
        8,
        lambda: replace(text, "a", "", replace_all=True),
        lambda: replace(quarter, "a", "", replace_all=True),
    )


def test_the_spans_of_every_occurrence_are_there_for_whoever_asks() -> None:
    result = replace("a b\n" * 5_000, "a", "xy", replace_all=True)
    assert len(result.spans) == len(result.written) == 5_000
    assert (result.spans[-1].start, result.written[-1].end) == (19_996, 24_997)
    assert (result.additions, result.deletions) == (5_000, 5_000)


@pytest.mark.parametrize("text", ["a\nb\na\n", "a\na", "a\n\na b\na", "\na\n", "aa\na\naaa\n"])
def test_deleting_every_occurrence_removes_the_lines_that_it_empties(text: str) -> None:
    """A line that is only the old text goes with its newline; every other line keeps the rest of it."""
    kept = "\n".join(line.replace("a", "") for line in text.split("\n") if line != "a")
    assert replace(text, "a", "", replace_all=True).text in (kept, kept.removesuffix("\n"))


DOUBLING = [("a", "aa", True)] * 40


def test_a_list_of_doubling_edits_is_stopped_at_the_size_limit() -> None:
    """SPEC §13: "every intermediate text of a list of edits is held to the size limit"."""
    with pytest.raises(PatchRejectedError) as raised:
        multiedit("a", DOUBLING, path="a.txt", max_size=1_000_000)
    [problem] = raised.value.problems
    assert (problem.code, problem.details["editIndex"]) == ("file_too_large", 19)


def test_one_edit_is_stopped_before_its_result_is_computed() -> None:
    with pytest.raises(PatchRejectedError) as raised:
        replace("a" * 1_000_000, "a", "b" * 1_000_000, replace_all=True)
    assert [problem.code for problem in raised.value.problems] == ["file_too_large"]


def test_edits_of_the_original_are_held_to_the_limit_together() -> None:
    with pytest.raises(PatchRejectedError) as raised:
        multiedit("one two", [("one", "1" * 60), ("two", "2" * 60)], against="original", max_size=100)
    assert [problem.code for problem in raised.value.problems] == ["file_too_large"]


def test_a_small_call_of_a_workspace_stays_small() -> None:
    """Plans and receipts name up to 10,000 places; of more, the one span is the whole text."""
    workspace = Workspace(MemoryFiles({"a.txt": "a\n"}))
    plan = workspace.plan_multiedit("a.txt", [{"oldString": "a", "newString": "aa", "replaceAll": True}] * 16)
    assert len(plan.changes[0].edits) == 16
    assert [len(edit.spans) for edit in plan.changes[0].edits] == [1] * 16
    assert plan.changes[0].edits[0].written[0].end == 2**16 + 1


@untraced
def test_a_list_takes_memory_for_the_file_and_its_edits() -> None:
    text = "".join(f"line number {index} with some text\n" for index in range(30_000))
    edits = [(f"line number {index} with", f"line {index} with") for index in range(0, 30_000, 300)]
    tracemalloc.start()
    try:
        multiedit(text, edits)
        assert tracemalloc.get_traced_memory()[1] < 8 * len(text)
    finally:
        tracemalloc.stop()


@untraced
def test_a_list_takes_the_time_of_its_edits() -> None:
    text = "".join(f"line number {index} with some text\n" for index in range(30_000))
    edits = [(f"line number {index} with", f"line {index} with") for index in range(0, 30_000, 300)]

    def one_by_one() -> None:
        edited = text
        for old, new in edits:
            edited = replace(edited, old, new).text

    assert costs_at_most(2.5, lambda: multiedit(text, edits), one_by_one)
