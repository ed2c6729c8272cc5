"""Language servers: an edit is told exactly the errors it introduced, and the servers that fit are used."""

from __future__ import annotations

import asyncio
import re
import threading
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from tests.shared.fake_servers import PATIENT, Fake, bad, check, run

from suture.agent.diagnostics import LanguageServers, client as client_module, host as host_module
from suture.agent.diagnostics.report import Diagnostic, EditedFile, Report, check_all

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("nothing_is_left")

ANSWERING = [["pull"], ["unsaid"], ["push"], ["unversioned"], ["push", "late"], ["pull", "impatient"]]
each_way = pytest.mark.parametrize("ways", ANSWERING, ids="+".join)


@each_way
def test_an_edit_is_told_what_it_introduced_and_nothing_else(tmp_path: Path, ways: list[str]) -> None:
    fake = Fake(tmp_path, *ways, settle=0.005)
    texts = ("bad\ngood\n", "new\nbad\nbad too\n", "bad\nnew\ngood\n", "good\n")
    reports = check(fake, *texts)
    assert reports == [
        Report(fake.path, "problems", (bad(fake.path, 3),), source="fake"),
        Report(fake.path, "clean", source="fake"),
        Report(fake.path, "clean", source="fake"),
    ]


def test_a_server_that_pushes_in_stages_is_believed_when_it_is_quiet(tmp_path: Path) -> None:
    """Many servers first push what they find quickly, which may be nothing, with the version that was wanted."""
    fake = Fake(tmp_path, "stages", settle=1.0)
    assert check(fake, "bad\n", "new\nbad\nbad too\n") == [
        Report(fake.path, "problems", (bad(fake.path, 3),), source="fake")
    ]


def test_a_new_file_has_no_errors_from_before(tmp_path: Path) -> None:
    fake = Fake(tmp_path, "pull", "curious")

    async def work(servers: LanguageServers) -> list[Report]:
        names = ("first.txt", "second.txt")
        return [await servers.check(str(tmp_path / name), None, "good\nbad\n", timeout=PATIENT) for name in names]

    assert [found.line for report in run(fake, work) for found in report.diagnostics] == [2, 2]
    # A server that runs already is told that there is one more file.
    assert fake.noted().count("workspace/didChangeWatchedFiles") == 1


def test_errors_from_before_are_reported_too_where_that_is_wanted(tmp_path: Path) -> None:
    fake = Fake(tmp_path, "pull")
    (report,) = check(fake, "bad\n", "bad\nbad\n", only_new=False)
    assert report == Report(fake.path, "problems", (bad(fake.path, 1), bad(fake.path, 2)), "", "fake", only_new=False)
    assert "textDocument/didChange 2" not in fake.noted()


def test_warnings_are_left_out_unless_they_are_wanted(tmp_path: Path) -> None:
    fake = Fake(tmp_path, "pull")
    assert check(fake, "", "odd\n")[0].state == "clean"
    (report,) = check(fake, "", "odd\n", lowest="warning")
    assert [found.severity for found in report.diagnostics] == ["warning"]


def test_columns_are_characters_whatever_the_server_counts(tmp_path: Path) -> None:
    fake = Fake(tmp_path, "pull")
    (report,) = check(fake, "", "𝔘𝔫 é \udcff bad\n")
    assert report.diagnostics == (bad(fake.path, 1, 8),)


def test_a_file_that_is_known_costs_one_more_question(tmp_path: Path) -> None:
    fake = Fake(tmp_path, "pull")
    check(fake, "a\n", "b\n", "c\n")
    assert fake.noted()[1:] == [
        "initialize",
        "initialized",
        "textDocument/didOpen 1",
        "textDocument/diagnostic",
        "textDocument/didChange 2",
        "textDocument/didSave",
        "textDocument/diagnostic",
        "textDocument/didChange 3",
        "textDocument/didSave",
        "textDocument/diagnostic",
        "shutdown",
        "exit",
    ]


def test_what_was_known_of_a_file_is_asked_for_again_after_another_has_changed(tmp_path: Path) -> None:
    fake = Fake(tmp_path, "pull")
    other = str(tmp_path / "b.txt")

    async def work(servers: LanguageServers) -> None:
        await servers.check(fake.path, "a\n", "b\n", timeout=PATIENT)
        await servers.check(other, "a\n", "b\n", timeout=PATIENT)
        await servers.check(fake.path, "b\n", "c\n", timeout=PATIENT)

    run(fake, work)
    assert fake.noted().count("textDocument/diagnostic") == 6


def test_files_that_were_edited_together_are_judged_together(tmp_path: Path) -> None:
    fake = Fake(tmp_path, "pull", "names")
    paths = [str(tmp_path / f"{name}.txt") for name in "abc"]
    edited = [EditedFile(path, "good\n", "good\nbad\n") for path in paths]

    reports = run(fake, lambda servers: check_all(servers, edited, timeout=PATIENT))
    assert [report.diagnostics for report in reports] == [(bad(path, 2),) for path in paths]
    told = [line for line in fake.noted() if re.search("didOpen|didChange|diagnostic", line)]
    kinds = [line.split()[0].removeprefix("textDocument/") for line in told]
    assert kinds == ["didOpen"] * 3 + ["diagnostic"] * 3 + ["didChange"] * 3 + ["diagnostic"] * 3


def test_many_edits_at_once_are_each_told_their_own_errors(tmp_path: Path) -> None:
    fake = Fake(tmp_path, "pull")
    shared = str(tmp_path / "shared.txt")

    async def work(servers: LanguageServers) -> list[Report]:
        texts = ["good\n" + "bad\n" * count for count in range(6)]
        checks = [servers.check(str(tmp_path / f"{n}.txt"), "", "bad\n" * n, timeout=PATIENT) for n in range(20)]
        checks += [servers.check(shared, old, new, timeout=PATIENT) for old, new in pairwise(texts)]
        return await asyncio.gather(*checks)

    reports = run(fake, work)
    assert [len(report.diagnostics) for report in reports] == [*range(20), *[1] * 5]
    assert fake.noted().count("initialize") == 1


def test_two_edits_of_one_file_in_one_call_are_done_in_their_order(tmp_path: Path) -> None:
    fake = Fake(tmp_path, "pull")
    other = str(tmp_path / "b.txt")
    edited = [
        EditedFile(fake.path, "", "bad\n"),
        EditedFile(other, "", "good\n"),
        EditedFile(fake.path, "bad\n", "bad\nbad\n"),
        EditedFile(fake.path, "bad\nbad\n", "good\n"),
    ]
    reports = run(fake, lambda servers: servers.check_all(edited, timeout=PATIENT))
    assert [len(report.diagnostics) for report in reports] == [1, 0, 1, 0]


def test_reports_of_several_servers_are_one(tmp_path: Path) -> None:
    fakes = [Fake(tmp_path, "pull"), Fake(tmp_path, "push", name="other")]
    (report,) = check(fakes, "", "bad\n")
    assert report.source == "fake, other"
    assert [(found.line, found.message) for found in report.diagnostics] == [(1, "bad word")]


def test_clean_by_one_and_unknown_by_another_is_unknown(tmp_path: Path) -> None:
    fakes = [Fake(tmp_path, "pull"), Fake(tmp_path, "crash", name="other")]
    clean, problems = check(fakes, "", "good\n", "bad\n")
    assert (clean.state, clean.reason) == ("unknown", "other exited with status 3: no licence")
    assert (problems.state, problems.source) == ("problems", "fake")
    assert problems.reason.startswith("other exited with status 3")


def test_of_servers_of_one_kind_the_first_that_is_installed_is_used(tmp_path: Path) -> None:
    fakes = [Fake(tmp_path, "pull", name=name, kind="types") for name in ("none", "first", "second")]
    fakes[0].server = fakes[0].server.replace(command=("no-such-server",))
    (report,) = check(fakes, "", "bad\n")
    assert report.source == "first"
    assert not fakes[2].noted()


def test_a_server_that_is_missing_gives_unknown(tmp_path: Path) -> None:
    fake = Fake(tmp_path)
    fake.server = fake.server.replace(command=("no-such-server",), needs=("no-such-tool",))
    (report,) = check(fake, "", "bad\n")
    reason = "no language server for .txt files is installed (missing: no-such-server, no-such-tool)"
    assert report == Report(fake.path, "unknown", reason=reason, asked=False)


def test_a_server_without_a_program_that_it_needs_is_not_used(tmp_path: Path) -> None:
    fake = Fake(tmp_path, "pull", needs=("no-such-tool",))
    assert check(fake, "", "bad\n")[0].state == "unknown"
    assert fake.noted() == []


def tool_in(folder: Path, program: str) -> Path:
    """A program that is on no search path."""
    tool = folder / "tools" / "tool"
    tool.parent.mkdir()
    tool.write_text(program)
    tool.chmod(0o755)
    return tool


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        ("#!/bin/sh\nexit 3\n", "fake cannot be used: tool --version exited with status 3"),
        ("#!/no/such/interpreter\n", "fake cannot be used: tool --version cannot be run"),
    ],
    ids=["fails", "cannot be run"],
)
def test_a_server_whose_tool_does_not_run_is_not_used(tmp_path: Path, program: str, reason: str) -> None:
    """It would find nothing, and call that clean: what a package manager left half installed is such a tool."""
    tool = tool_in(tmp_path, program)
    fake = Fake(tmp_path, "pull", needs=("tool",))
    (report,) = check(fake, "", "good\n", folders=[str(tool.parent)])
    assert (report.state, report.reason) == ("unknown", reason)
    assert fake.noted() == []


def test_a_server_finds_the_program_that_it_needs_where_we_found_it(tmp_path: Path) -> None:
    """Else it would find nothing, and call that clean."""
    tool = tool_in(tmp_path, "#!/bin/sh\n")
    fake = Fake(tmp_path, "pull", "tool", needs=("tool",))
    assert check(fake, "", "good\n", folders=[str(tool.parent)])[0].state == "clean"
    assert f"tool {tool}" in fake.noted()


def test_a_file_that_no_server_is_for_is_unknown(tmp_path: Path) -> None:
    fake = Fake(tmp_path, "pull")
    fake.path = str(tmp_path / "a.unknown")
    (report,) = check(fake, "", "bad\n")
    assert report == Report(fake.path, "unknown", reason="no language server is known for .unknown files", asked=False)
    fake.path = str(tmp_path / "Makefile")
    (report,) = check(fake, "", "bad\n")
    assert report.reason == "no language server is known for Makefile"


def test_more_diagnostics_than_can_be_compared_in_time_are_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_module, "MOST_DIAGNOSTICS", 2)
    reports = check(Fake(tmp_path, "pull"), "", "bad\n" * 2, "bad\n" * 3)
    assert [report.state for report in reports] == ["problems", "unknown"]
    assert reports[1].reason == "fake sent no diagnostics: it sent 3, too many to compare"


def test_a_comparison_that_takes_long_does_not_hold_up_the_time_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = threading.Event()

    def slow(*_: object) -> list[Diagnostic]:
        seen.wait(PATIENT)
        return []

    monkeypatch.setattr(host_module, "new_diagnostics", slow)

    async def work(servers: LanguageServers) -> Report:
        assert (await servers.check(fake.path, None, "bad\n", timeout=PATIENT)).state == "problems"
        late = await servers.check(fake.path, "bad\n", "bad\nbad\n", timeout=0.2)
        seen.set()
        return late

    fake = Fake(tmp_path, "pull")
    assert run(fake, work).reason == "fake did not answer within 0.2 s"


def test_a_byte_order_mark_is_no_column(tmp_path: Path) -> None:
    (report,) = check(Fake(tmp_path, "pull"), None, "\ufeffbad\n")
    assert [found.column for found in report.diagnostics] == [1]


def test_a_place_that_no_file_can_have_is_none(tmp_path: Path) -> None:
    (report,) = check(Fake(tmp_path, "pull", "far"), None, "bad\n")
    assert report.reason == "fake sent no diagnostics: it sent malformed diagnostics"


def test_a_text_that_is_too_large_is_unknown(tmp_path: Path) -> None:
    fake = Fake(tmp_path, "pull")
    (report,) = check(fake, "", "x" * 5_000_001)
    assert report.reason == "the file has more than 5,000,000 characters"
