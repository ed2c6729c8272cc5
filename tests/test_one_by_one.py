"""Hunks of the dialect `strict`: each in the result of those before it, and no two that change the same."""

from __future__ import annotations

import pytest
from tests.hunk_refusals import refusals

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
    ],
    ids=["the same line", "overlapping lines", "one point", "one point from both sides", "an added line", "one change"],
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
