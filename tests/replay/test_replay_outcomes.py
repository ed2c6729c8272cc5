"""What became of an edit beside what the transcript has, and how the report says it."""

from __future__ import annotations

import pytest

from suture import StringEdit
from suture.replay.outcomes import ReplayedEdit, replay
from suture.replay.recorded_edit import RecordedEdit
from suture.replay.replay_report import ReplayReport

EDIT = RecordedEdit(
    "0123456789abcdef",
    "x",
    "m",
    "edit",
    "string",
    "/home/ann/a.py",
    (StringEdit("old", "new line"),),
    "accepted",
    before="old\n",
    origin="recorded",
)


@pytest.mark.parametrize(
    ("results", "outcome", "is_whitespace"),
    [
        (("new line\n",), "same", False),
        (("other\n", "new line\n"), "same", False),
        (("new  line\n",), "different", True),
        (("other\n",), "different", False),
    ],
)
def test_a_result_is_compared_with_those_that_are_recorded(
    results: tuple[str, ...], outcome: str, is_whitespace: bool
) -> None:
    [replayed] = replay([EDIT.replace(results=results)], processes=1)
    assert (replayed.outcome, replayed.is_whitespace) == (outcome, is_whitespace)


def test_an_edit_is_listed_by_its_name_in_the_repository_or_else_by_its_path() -> None:
    report = ReplayReport()
    paths = [report.entry(ReplayedEdit(edit, "different"))["path"] for edit in (EDIT, EDIT.replace(name="src/a.py"))]
    assert paths == ["/home/ann/a.py", "src/a.py"]


def test_what_could_not_be_read_is_told_if_there_is_anything() -> None:
    report = ReplayReport()
    assert list(report.troubles()) == []
    report.broken = 2
    assert list(report.troubles()) == ["\nNot understood: 2 unreadable records; unknown: none."]
    report.broken = 0
    report.unknown["x: y"] = 3
    assert list(report.troubles()) == ["\nNot understood: 0 unreadable records; unknown: x: y (3)."]
