"""Hunks of the dialect `strict`: each in the result of those before it, and no two that change the same."""

from __future__ import annotations

import pytest
from tests.shared.hunk_refusals import refusals

from suture import Hunk, PatchRejectedError, Workspace, parse, update
from suture.workspace import MemoryFiles

TEXT = "one\ntwo\nthree\nfour\n"


@pytest.mark.parametrize(
    "hunks",
    [
        [Hunk((" one", "-two", " three")), Hunk(("-two",))],
        [Hunk(("-one", "-two")), Hunk(("-two", "-three"))],
        [Hunk((" one", "+x")), Hunk((" one", "+y"))],
        [Hunk((" one", "+x")), Hunk(("+y", " two"))],
        [Hunk((" one", "-two", "+2")), Hunk(("-2", "+x"))],
        [Hunk((" one", "-two", "+2")), Hunk((" one", "-two", "+3"))],
        [Hunk(("-one", "+one", "+2")), Hunk((" two", "+x")), Hunk((" two", "+x"))],
    ],
    ids=[
        "the same line",
        "overlapping lines",
        "one point",
        "one point from both sides",
        "an added line",
        "one change",
        "one point, below a line that is written again",
    ],
)
@pytest.mark.parametrize("dialect", ["strict", "standard"])
def test_hunks_that_change_the_same_overlap(hunks: list[Hunk], dialect: str) -> None:
    expected: list[tuple[str, str | None]] = [("overlapping_edits", None)]
    if dialect == "standard" and "-2" in hunks[1].lines:
        # There the file has no such line.
        expected = [("patch_apply_error", "context_not_found")]
    assert refusals(TEXT, hunks, dialect) == expected


@pytest.mark.parametrize(
    ("hunks", "after"),
    [
        ([Hunk((" one", "-two", "+2")), Hunk((" 2", "-three", "+3"))], "one\n2\n3\nfour\n"),
        ([Hunk((" one", "+x")), Hunk((" x", "+y"))], "one\nx\ny\ntwo\nthree\nfour\n"),
        ([Hunk((" one", "-two", "+2")), Hunk((" one", "+x"))], "one\nx\n2\nthree\nfour\n"),
        ([Hunk(("-two", "+2a", "+2b")), Hunk((" 2a", "+x", " 2b"))], "one\n2a\nx\n2b\nthree\nfour\n"),
        ([Hunk((" one", "+x")), Hunk((" x", "+y", " two", "-three"))], "one\nx\ny\ntwo\nfour\n"),
        ([Hunk((" one", "+x")), Hunk((" x", "+y")), Hunk(("+w", " x"))], "one\nw\nx\ny\ntwo\nthree\nfour\n"),
    ],
)
def test_what_an_earlier_hunk_left_is_context(hunks: list[Hunk], after: str) -> None:
    assert update(TEXT, hunks, dialect="strict").text == after


@pytest.mark.parametrize(
    "hunks",
    [
        [Hunk((" one", "-two")), Hunk((" two", "-three", "+3"))],
        [Hunk((" one", "-two")), Hunk((" two", "-absent", "+3"))],
        [Hunk(("-one", "-two")), Hunk(("-two", "-three"))],
    ],
)
def test_a_line_of_the_file_is_never_called_absent(hunks: list[Hunk]) -> None:
    with pytest.raises(PatchRejectedError) as raised:
        update(TEXT, hunks, dialect="strict", path="a.txt")
    [problem] = raised.value.problems
    assert "|two|  (only in the patch)" not in problem.message
    assert "no line is close to |two|" not in problem.message


NO_NEWLINE = "\\ No newline at end of file"


def last_line(*lines: str) -> list[Hunk]:
    """The hunks of a patch with these lines."""
    text = "\n".join(("*** Begin Patch", "*** Update File: a", "@@", *lines, "*** End Patch", ""))
    return list(parse(text, "strict").operations[0].hunks)  # type: ignore[union-attr]


@pytest.mark.parametrize("dialect", ["strict", "standard"])
@pytest.mark.parametrize(
    "lines",
    [("-b", NO_NEWLINE, "+c"), ("-b", NO_NEWLINE, "+c", NO_NEWLINE), ("-a", "+x", " b", NO_NEWLINE)],
    ids=["removed", "both", "context"],
)
def test_a_marker_below_an_old_line_is_checked_against_the_file(lines: tuple[str, ...], dialect: str) -> None:
    """A context line never loses its newline by it."""
    assert refusals("a\nb\n", last_line(*lines), dialect) == [("patch_apply_error", "not_at_end")]
    assert update("a\nb", last_line(*lines), dialect=dialect).text in ("a\nc\n", "a\nc", "x\nb")


def test_an_add_where_a_directory_is_already_exists() -> None:
    workspace = Workspace(MemoryFiles({"src/a.txt": "a\n"}))
    patch = "*** Begin Patch\n*** Add File: src\n+x\n*** End Patch\n"
    for dialect in ("strict", "standard"):
        plan = workspace.plan(patch, dialect=dialect)
        assert [problem.code for problem in plan.problems] == ["already_exists"]


def test_an_earlier_overlap_is_told_before_a_hunk_that_has_no_place() -> None:
    hunks = [Hunk((" one", "+x")), Hunk(("+y", " two")), Hunk(("-absent from it", "+z"))]
    assert refusals(TEXT, hunks, "strict") == [("overlapping_edits", None)]


@pytest.mark.parametrize(
    "hunks",
    [
        [Hunk((" one", "+x", "+z")), Hunk((" x", "-z"))],
        [Hunk(("-one", "+1")), Hunk((" 1", " two", "+x")), Hunk((" 1", " two", "+y"))],
        [Hunk((" one", "+x")), Hunk((" x", "+y")), Hunk(("-y", "+z"))],
        [Hunk((" one", "+x", "+z")), Hunk((" x", "+y", "-z"))],
    ],
    ids=["a line that was added", "one point, context elsewhere", "a line that was led", "a line beside a led one"],
)
def test_a_line_that_was_added_as_context_excuses_no_other_overlap(hunks: list[Hunk]) -> None:
    assert refusals(TEXT, hunks, "strict") == [("overlapping_edits", None)]


@pytest.mark.parametrize(
    ("hunks", "message"),
    [
        ([("-four", "+4"), ("-one", "+1"), (" one", "-two", "+2")], "Hunk 3 of 3 fits line 1 of a.txt, but hunk 2"),
        ([("-three", "+3"), ("-one", "+1"), (" one", "-two", "+2")], "Hunk 3 of 3 fits line 1 of a.txt, but hunk 2"),
        ([("-two", "+2"), ("-three", "+3"), (" three", "-four")], "Hunk 3 of 3 fits line 3 of a.txt, but hunk 2"),
    ],
    ids=["far below it", "next below it", "next above it"],
)
def test_the_earlier_hunk_that_changed_the_context_is_named(hunks: list[tuple[str, ...]], message: str) -> None:
    with pytest.raises(PatchRejectedError) as raised:
        update(TEXT, map(Hunk, hunks), dialect="strict", path="a.txt")
    [problem] = raised.value.problems
    assert problem.message.startswith(f"{message}, which comes before, changes its context lines.")
