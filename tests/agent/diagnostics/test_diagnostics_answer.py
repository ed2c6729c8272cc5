"""What a model reads about diagnostics, word for word, and how reports of several sources become one.

`tests/golden/diagnostics/<name>.txt` is the text of the report of that name. To write them anew::

    SUTURE_GOLDEN=write .venv/bin/python -m pytest -n 0 tests/agent/diagnostics/test_diagnostics_answer.py
"""

from __future__ import annotations

import asyncio

import pytest
from tests.shared.goldens import FOLDER, compare

from suture.agent.diagnostics.diagnostic_limits import LONGEST_DIAGNOSTIC
from suture.agent.diagnostics.report import (
    Diagnoser,
    Diagnostic,
    EditedFile,
    NoDiagnoser,
    Report,
    at_least,
    check_all,
    merge_reports,
)
from suture.agent.diagnostics.summary import summarize

PATH = "/home/me/app/src/app.py"


def found(line: int, message: str, code: str = "", severity: str = "error") -> Diagnostic:
    return Diagnostic(PATH, line, 5, line, 9, severity, message, code, "basedpyright")  # type: ignore[arg-type]


TYPE = 'Type "int" is not assignable to declared type "str"\n\u00a0\u00a0"int" is not assignable to "str"'
ONE = found(7, TYPE, "reportAssignmentType")
MANY = tuple(found(line, f'"name_{line}" is not defined', "reportUndefinedVariable") for line in range(1, 24))

REPORTS = {
    "clean": Report(PATH, "clean", source="basedpyright, ruff"),
    "clean-of-all": Report(PATH, "clean", source="ruff", only_new=False),
    "one-error": Report(PATH, "problems", (ONE,), source="basedpyright, ruff"),
    "all-errors": Report(PATH, "problems", (ONE, found(9, "late")), source="ruff", only_new=False),
    "many-errors": Report(PATH, "problems", MANY, source="basedpyright"),
    "errors-and-warnings": Report(
        PATH,
        "problems",
        (ONE, found(8, '"os" is not used', "F401", "warning"), found(9, "hm", "", "hint"), found(9, "", "X1")),
        source="basedpyright, ruff",
    ),
    "one-source-is-missing": Report(PATH, "problems", (ONE,), "ruff did not answer within 5 s", "basedpyright"),
    "unknown": Report(PATH, "unknown", reason="basedpyright did not answer within 5 s"),
    "unknown-of-all": Report(PATH, "unknown", reason="ruff exited with status 2: no such option", only_new=False),
    "not-checked": Report(PATH, "unknown", reason="no language server is known for .py files", asked=False),
    "strange-characters": Report(
        PATH,
        "problems",
        (found(1, "\x1b[31mred\x1b[0m \u202eesrever\r\n\n\tsecond line\x00" + " and so on" * 60, "C\n1"),),
    ),
}


@pytest.mark.parametrize("name", REPORTS)
def test_a_report_reads_as_its_golden_file(name: str) -> None:
    """A model is told the same words each time: those of the golden file."""
    text = summarize(REPORTS[name], name="src/app.py") + "\n"
    compare(f"diagnostics/{name}.txt", text)


def test_every_golden_file_has_its_report() -> None:
    assert {file.stem for file in (FOLDER / "diagnostics").glob("*.txt")} == set(REPORTS)


@pytest.mark.parametrize("name", REPORTS)
def test_every_text_begins_with_the_word_that_the_edit_was_applied(name: str) -> None:
    text = summarize(REPORTS[name])
    assert text.startswith("The edit was applied. ")
    assert PATH in text
    assert all(line.isprintable() for line in text.split("\n"))


def test_so_many_are_shown_as_are_asked_for() -> None:
    text = summarize(REPORTS["many-errors"], 3)
    assert text.count("is not defined") == 3
    assert text.endswith("\n  … and 20 more")


def test_reports_of_several_sources_are_sorted_and_each_thing_is_said_once() -> None:
    late, early = found(9, "late"), found(2, "early")
    reports = [
        Report(PATH, "problems", (late, early), source="one"),
        Report(PATH, "problems", (early,), source="two"),
        Report(PATH, "unknown", reason="three is ill"),
        Report(PATH, "clean", source="four"),
    ]
    both = Report(PATH, "problems", (early, late), "three is ill", "one, two, four")
    assert merge_reports(PATH, reports, only_new=True) == both
    assert merge_reports(PATH, [], only_new=True).state == "unknown"
    assert merge_reports(PATH, reports[3:], only_new=True) == reports[3]


def test_a_file_that_nobody_can_be_asked_about_is_another_thing_than_no_answer() -> None:
    nobody = Report(PATH, "unknown", reason="nobody knows it", asked=False)
    assert merge_reports(PATH, [nobody], only_new=True) == nobody
    assert merge_reports(PATH, [nobody, Report(PATH, "unknown", reason="late")], only_new=True).asked
    assert not merge_reports(PATH, [], only_new=True).asked


def test_a_message_of_the_limit_is_whole_and_a_longer_one_is_cut() -> None:
    whole = "m" * LONGEST_DIAGNOSTIC
    assert f"{whole}\n" in summarize(Report(PATH, "problems", (found(1, whole),))) + "\n"
    assert f"{whole[2:]} …\n" in summarize(Report(PATH, "problems", (found(1, whole + "m"),))) + "\n"


def test_what_others_say_without_end_is_cut() -> None:
    endless = Report(PATH, "problems", (found(1, "m" * 5_000_000, "c" * 5_000_000),), "r" * 5_000_000)
    assert len(summarize(endless)) < 2_000
    assert len(summarize(Report(PATH, "unknown", reason="r" * 5_000_000))) < 2_000


def test_problems_without_a_diagnostic_are_told_too() -> None:
    """A diagnoser of somebody else may know no more."""
    assert summarize(Report(PATH, "problems", source="make")).endswith(f"It introduced problems in {PATH} (make):")


def test_less_grave_ones_can_be_left_out() -> None:
    all_of_them = [found(1, "x", "", severity) for severity in ("error", "warning", "information", "hint")]
    assert at_least(all_of_them, "error") == all_of_them[:1]
    assert at_least(all_of_them, "hint") == all_of_them


def test_diagnostics_can_be_switched_off() -> None:
    async def main(diagnoser: Diagnoser) -> list[Report]:
        reports = [await diagnoser.check(PATH, "", "x", timeout=0)]
        reports += await check_all(diagnoser, [EditedFile(PATH, "", "x")] * 2, timeout=0)
        await diagnoser.close()
        return reports

    assert (
        asyncio.run(main(NoDiagnoser()))
        == [Report(PATH, "unknown", reason="diagnostics are switched off", asked=False)] * 3
    )
