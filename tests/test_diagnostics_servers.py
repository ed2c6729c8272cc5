"""Language servers, good ones and bad ones: what is known is exact, what is not is unknown in time, nothing is left."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from suture.diagnostics import (
    LanguageServers,
    client as client_module,
    connection as connection_module,
    host as host_module,
    watched_files as disk_module,
)
from suture.diagnostics.host import MOST_FAILURES, ServerLimits
from suture.diagnostics.report import Diagnostic, EditedFile, Report, check_all
from suture.diagnostics.server_table import Server

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator

FAKE = str(Path(__file__).parent / "fake_language_server.py")
#: Long enough for any answer that comes, on the busiest machine.
PATIENT = 30.0
#: For an answer that never comes.
IMPATIENT = 0.05


@pytest.fixture(autouse=True)
def nothing_is_left() -> Iterator[None]:
    """No process, no open file and no task outlives a test; warnings are errors."""
    gc.collect()
    before = sum(1 for _ in Path("/dev/fd").iterdir())
    yield
    gc.collect()
    assert sum(1 for _ in Path("/dev/fd").iterdir()) == before
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


class Fake:
    """A fake server in the table, and what it was sent."""

    def __init__(self, folder: Path, *ways: str, name: str = "fake", **fields: Any) -> None:
        self.path = str(folder / "a.txt")
        # In a folder that nobody looks into.
        self.log = folder / ".log" / name
        self.log.parent.mkdir(parents=True, exist_ok=True)
        command = (sys.executable, "-I", "-S", FAKE, str(self.log), *ways)
        self.server = Server(name, command, {".txt": "plaintext"}, **fields)

    def noted(self) -> list[str]:
        return self.log.read_text("utf-8").splitlines() if self.log.exists() else []

    def pids(self, word: str = "pid") -> list[int]:
        return [int(line.split()[1]) for line in self.noted() if line.startswith(f"{word} ")]


def run(fakes: Fake | list[Fake], work: Callable[[LanguageServers], Coroutine[Any, Any, Any]], **options: Any) -> Any:
    """What some work with servers gives; they are closed afterwards, and no task of ours is left."""
    fakes = fakes if isinstance(fakes, list) else [fakes]
    options = {"limits": ServerLimits(start=PATIENT, grace=1.0, back_off=0.0), **options}

    async def main() -> Any:
        root = str(Path(fakes[0].path).parent)
        async with LanguageServers(root, [fake.server for fake in fakes], **options) as servers:
            result = await work(servers)
        assert asyncio.all_tasks() == {asyncio.current_task()}
        return result

    return asyncio.run(main())


def check(fakes: Fake | list[Fake], *texts: str | None, timeout: float = PATIENT, **options: Any) -> list[Report]:
    """The reports on a file that has these texts, one after the other."""
    path = (fakes[0] if isinstance(fakes, list) else fakes).path

    async def work(servers: LanguageServers) -> list[Report]:
        reports = []
        for before, after in pairwise(texts):
            assert after is not None
            reports.append(await servers.check(path, before, after, timeout=timeout))
        return reports

    reports: list[Report] = run(fakes, work, **options)
    return reports


def bad(path: str, line: int, column: int = 1) -> Diagnostic:
    return Diagnostic(path, line, column, line, column + 3, "error", "bad word", "bad", "fake")


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that nobody has waited for yet is dead."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


async def until(condition: Callable[[], object]) -> None:
    """Wait for something that another process does."""
    limit = time.monotonic() + PATIENT
    while not condition():
        assert time.monotonic() < limit
        await asyncio.sleep(0.002)


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


def test_a_program_that_cannot_be_started_gives_unknown(tmp_path: Path) -> None:
    program = tmp_path / "broken"
    program.write_text("#!/no/such/interpreter\n")
    program.chmod(0o755)
    fake = Fake(tmp_path)
    fake.server = fake.server.replace(command=(str(program),))
    (report,) = check(fake, "", "bad\n")
    assert report.reason == "fake cannot be started: No such file or directory"


BAD = {
    "hang-at-first": "fake did not start within 0.05 s",
    "deaf": "fake did not start within 0.05 s",
}


@pytest.mark.parametrize("way", BAD)
def test_a_server_that_hangs_at_its_start_gives_unknown_in_time(tmp_path: Path, way: str) -> None:
    fake = Fake(tmp_path, way)
    limits = ServerLimits(start=PATIENT, grace=0.01)
    started = time.monotonic()
    reports = check(fake, "", "bad\n", "good\n", timeout=IMPATIENT, limits=limits)
    assert time.monotonic() - started < 5
    assert [report.reason for report in reports] == [BAD[way]] * 2


def test_a_server_that_takes_too_long_to_start_is_ended(tmp_path: Path) -> None:
    fake = Fake(tmp_path, "hang-at-first")
    (report,) = check(fake, "", "bad\n", limits=ServerLimits(start=0.1, grace=0.01))
    assert report.reason == "fake did not start within 0.1 s"


def test_a_server_that_hangs_later_gives_unknown_in_time_and_is_told_the_text(tmp_path: Path) -> None:
    fake = Fake(tmp_path, "hang")

    async def work(servers: LanguageServers) -> Report:
        await started(servers, fake)
        return await servers.check(fake.path, "bad\n", "good\n", timeout=IMPATIENT)

    report = run(fake, work)
    assert report.reason == "fake did not answer within 0.05 s"
    assert "textDocument/didChange 2" in fake.noted()


async def started(servers: LanguageServers, fake: Fake) -> None:
    """Have a server started, whether it answers or not."""
    warm = asyncio.create_task(servers.check(str(Path(fake.path).parent / "warm.txt"), None, "", timeout=PATIENT))
    await until(lambda: "textDocument/diagnostic" in fake.noted())
    warm.cancel()
    await asyncio.wait([warm])


def test_a_slow_start_goes_on_behind_a_check_that_gave_up(tmp_path: Path) -> None:
    fake = Fake(tmp_path, "pull")

    async def work(servers: LanguageServers) -> list[Report]:
        hasty = await servers.check(fake.path, "", "bad\n", timeout=0)
        return [hasty, await servers.check(fake.path, "bad\n", "bad\nbad\n", timeout=PATIENT)]

    hasty, patient = run(fake, work)
    assert hasty.reason == "fake did not start within 0 s"
    assert patient.diagnostics == (bad(fake.path, 2),)
    assert fake.noted().count("initialize") == 1


SPOILED = {
    "crash": "fake exited with status 3: no licence",
    "banner": "fake sent something that is not a message: 'Welcome to the fake server!\\n'",
    "mute": "fake cannot be used: it did not send its capabilities",
}


@pytest.mark.parametrize("way", SPOILED)
def test_a_server_that_is_of_no_use_gives_unknown_with_the_reason(tmp_path: Path, way: str) -> None:
    (report,) = check(Fake(tmp_path, way), "", "bad\n")
    assert report == Report(report.path, "unknown", reason=SPOILED[way])


STRANGE = {
    "refuse": "fake sent no diagnostics: I am not in the mood",
    "confused": "fake sent no diagnostics: it did not answer with diagnostics",
    "strange": "fake sent no diagnostics: it sent malformed diagnostics",
    "negative": "fake sent no diagnostics: it sent malformed diagnostics",
}


@pytest.mark.parametrize("way", STRANGE)
def test_an_answer_that_is_none_gives_unknown(tmp_path: Path, way: str) -> None:
    (report,) = check(Fake(tmp_path, "pull", way), "", "bad\n")
    assert (report.state, report.reason) == ("unknown", STRANGE[way])


def test_errors_whose_base_is_not_known_are_unknown_and_none_at_all_is_clean(tmp_path: Path) -> None:
    fake = Fake(tmp_path, "pull")
    (errors,) = check(fake, "refuse!\n", "bad\n")
    reason = "the errors before the edit are unknown: fake sent no diagnostics: I am not in the mood"
    assert errors == Report(fake.path, "unknown", reason=reason)
    (none,) = check(fake, "refuse!\n", "good\n")
    assert none == Report(fake.path, "clean", source="fake")


def test_a_flood_gives_unknown_and_ends_the_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection_module, "MOST_BYTES", 1_000_000)
    (report,) = check(Fake(tmp_path, "flood"), "", "bad\n")
    assert re.fullmatch(r"fake sent \d+ unsolicited bytes", report.reason)


def test_a_flood_does_not_hold_up_the_time_limit(tmp_path: Path) -> None:
    started = time.monotonic()
    (report,) = check(Fake(tmp_path, "flood"), "", "bad\n", timeout=0.2, limits=ServerLimits(grace=0.01))
    assert report.state == "unknown"
    assert time.monotonic() - started < 5


def test_a_server_that_does_not_read_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection_module, "MOST_UNREAD", 100_000)
    fake = Fake(tmp_path, "deaf", options={"long": "x" * 300_000})
    (report,) = check(fake, "", "bad\n")
    assert report.reason == "fake does not read its input"


def test_a_server_that_crashes_is_started_again(tmp_path: Path) -> None:
    fake = Fake(tmp_path, "pull")
    first, second, third = check(fake, "good\n", "crash!\n", "good\n", "bad\n")
    assert (first.state, first.reason) == ("unknown", "fake exited with status 3: a bug of mine")
    # The text before is what made it crash.
    assert second.reason == first.reason
    assert third.diagnostics == (bad(fake.path, 1),)
    assert fake.noted().count("initialize") == 3


def test_a_server_that_crashes_between_two_checks_is_started_again_at_once(tmp_path: Path) -> None:
    fake = Fake(tmp_path, "pull")

    async def work(servers: LanguageServers) -> Report:
        await servers.check(fake.path, "", "good\n", timeout=PATIENT)
        (pid,) = fake.pids()
        os.kill(pid, signal.SIGKILL)
        await until(lambda: not is_alive(pid))
        await asyncio.sleep(0.3)
        return await servers.check(fake.path, "good\n", "bad\n", timeout=PATIENT)

    assert run(fake, work, limits=ServerLimits(back_off=1000)).diagnostics == (bad(fake.path, 1),)


def test_after_two_crashes_there_is_a_pause(tmp_path: Path) -> None:
    fake = Fake(tmp_path, "crash")
    reports = check(fake, *["good\n"] * 5, limits=ServerLimits(back_off=1000))
    assert len(fake.pids()) == 2
    assert re.fullmatch(r"fake exited with status 3: no licence; it can be restarted in \d+\.\d s", reports[-1].reason)


def test_a_server_that_crashes_always_is_not_started_for_ever(tmp_path: Path) -> None:
    fake = Fake(tmp_path, "crash")
    reports = check(fake, *["good\n"] * (MOST_FAILURES + 3))
    assert len(fake.pids()) == MOST_FAILURES
    assert reports[-1].reason.endswith(f"it failed {MOST_FAILURES} times and will not be restarted for now")


def test_a_server_may_ask_for_anything(tmp_path: Path) -> None:
    fake = Fake(tmp_path, "pull", "curious", settings={"fake": {"depth": 3}})
    (report,) = check(fake, None, "bad\n")
    assert json.loads(report.diagnostics[0].message) == {
        "workspace/configuration": [3, None, {"fake": {"depth": 3}}],
        "client/registerCapability": None,
        "window/workDoneProgress/create": None,
        "workspace/applyEdit": {"applied": False},
        "window/showDocument": {"success": False},
        "workspace/diagnostic/refresh": None,
        "workspace/workspaceFolders": [{"uri": tmp_path.as_uri(), "name": tmp_path.name}],
        "fake/unknown": -32601,
    }


def test_a_server_that_offers_answers_and_has_none_is_listened_to(tmp_path: Path) -> None:
    fake = Fake(tmp_path, "offers", "push")
    (report,) = check(fake, "", "bad\n")
    assert report.diagnostics == (bad(fake.path, 1),)
    assert fake.noted().count("textDocument/diagnostic") == 1


def test_a_server_may_offer_answers_later(tmp_path: Path) -> None:
    fake = Fake(tmp_path, "unsaid", "registers")
    (report,) = check(fake, "", "bad\n")
    assert report.diagnostics == (bad(fake.path, 1),)


def test_answers_to_nothing_and_errors_of_no_shape_do_no_harm(tmp_path: Path) -> None:
    (report,) = check(Fake(tmp_path, "pull", "shapeless"), "", "bad\n")
    assert report.reason == "fake sent no diagnostics: no!"


def test_pushes_about_other_files_and_nonsense_are_passed_over(tmp_path: Path) -> None:
    fake = Fake(tmp_path, "push", "elsewhere")
    (report,) = check(fake, "", "bad\n")
    assert report.diagnostics == (bad(fake.path, 1),)


def test_a_server_that_leaves_questions_open_is_asked_no_more(tmp_path: Path) -> None:
    fake = Fake(tmp_path, "push", "hang")
    reports = check(fake, "", *["bad\n", "good\n"] * 5)
    assert {report.state for report in reports} == {"problems", "clean"}
    assert fake.noted().count("textDocument/diagnostic") == 3


def test_a_push_without_a_version_is_believed_late_while_an_older_one_is_due(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_module, "_LONG_SETTLE", 0.03)
    fake = Fake(tmp_path, "unversioned", settle=0.01)

    async def work(servers: LanguageServers) -> Report:
        await servers.check(fake.path, "", "good\n", timeout=PATIENT)
        await servers.check(fake.path, "good\n", "odd\n", timeout=0)
        return await servers.check(fake.path, "good\n", "bad\n", timeout=PATIENT)

    assert run(fake, work).diagnostics == (bad(fake.path, 1),)


def test_typescripts_server_is_asked_by_its_commands(tmp_path: Path) -> None:
    fake = Fake(tmp_path, "commands", asks="tsserver")
    (report,) = check(fake, "bad\n", "\nbad\nodd\nso 𝔟 bad\n", lowest="hint")
    assert [(found.line, found.column, found.severity, found.code) for found in report.diagnostics] == [
        (3, 1, "hint", "7"),
        (4, 6, "error", "7"),
    ]
    assert "textDocument/diagnostic" not in fake.noted()


def test_a_strange_answer_of_typescripts_server_gives_unknown(tmp_path: Path) -> None:
    (report,) = check(Fake(tmp_path, "commands", "strange", asks="tsserver"), "bad\n", "bad\n")
    assert report.reason == "fake sent no diagnostics: it sent malformed diagnostics"


def test_a_file_that_somebody_else_writes_or_deletes_is_read_from_the_disk_again(tmp_path: Path) -> None:
    fake = Fake(tmp_path, "pull", "names", "curious")
    written, deleted = tmp_path / "written.txt", tmp_path / "deleted.txt"

    async def work(servers: LanguageServers) -> None:
        for file in (written, deleted):
            file.write_text("good\n")
            await servers.check(str(file), "", "good\n", timeout=PATIENT)
        written.write_text("somebody else\n")
        deleted.unlink()
        await servers.check(fake.path, "", "good\n", timeout=PATIENT)

    run(fake, work)
    closed = [line for line in fake.noted() if line.startswith("textDocument/didClose")]
    assert closed == ["textDocument/didClose written.txt", "textDocument/didClose deleted.txt"]
    assert watched(fake)[-1] == "deleted.txt:3 written.txt:2"


def watched(fake: Fake) -> list[str]:
    """What the server was told of files, with 1 for made, 2 for written and 3 for deleted."""
    method = "workspace/didChangeWatchedFiles "
    return [line.removeprefix(method) for line in fake.noted() if line.startswith(method)]


def test_a_server_that_watches_is_told_what_else_has_changed_on_the_disk(tmp_path: Path) -> None:
    """A file that was moved, or that a program made, can be imported by the next edit."""
    fake = Fake(tmp_path, "pull", "names", "curious")
    for name in ("moved.py", "written.py", "src/deleted.py", ".git/index", "node_modules/a.js"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("1\n")

    async def work(servers: LanguageServers) -> None:
        await servers.check(fake.path, "", "good\n", timeout=PATIENT)
        (tmp_path / "moved.py").rename(tmp_path / "src" / "here.py")
        (tmp_path / "written.py").write_text("12\n")
        (tmp_path / "src" / "deleted.py").unlink()
        (tmp_path / ".git" / "index").write_text("12\n")
        (tmp_path / "node_modules" / "b.js").write_text("1\n")
        await servers.check(fake.path, "good\n", "better\n", timeout=PATIENT)
        await servers.check(fake.path, "better\n", "best\n", timeout=PATIENT)

    run(fake, work)
    assert watched(fake) == ["deleted.py:3 here.py:1 moved.py:3 written.py:2"]


def test_what_was_known_of_a_file_is_asked_for_again_after_the_disk_has_changed(tmp_path: Path) -> None:
    fake = Fake(tmp_path, "pull", "curious")

    async def work(servers: LanguageServers) -> None:
        await servers.check(fake.path, "", "good\n", timeout=PATIENT)
        (tmp_path / "new.py").write_text("1\n")
        await servers.check(fake.path, "good\n", "better\n", timeout=PATIENT)

    run(fake, work)
    assert fake.noted().count("textDocument/diagnostic") == 4


def test_a_folder_with_too_many_files_is_not_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disk_module, "MOST_FILES", 3)
    fake = Fake(tmp_path, "pull", "names", "curious")

    async def work(servers: LanguageServers) -> None:
        for number in range(5):
            (tmp_path / f"{number}.py").write_text("1\n")
            await servers.check(fake.path, "", f"{number}\n", timeout=PATIENT)

    run(fake, work)
    assert not any("4.py" in line for line in watched(fake))


def test_only_so_many_documents_stay_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_module, "MOST_DOCUMENTS", 3)
    fake = Fake(tmp_path, "pull", "names")

    async def work(servers: LanguageServers) -> None:
        for number in range(6):
            await servers.check(str(tmp_path / f"{number}.txt"), None, "good\n", timeout=PATIENT)

    run(fake, work)
    closed = [line for line in fake.noted() if line.startswith("textDocument/didClose")]
    assert closed == ["textDocument/didClose 0.txt", "textDocument/didClose 1.txt"]


def test_a_check_after_closing_is_unknown_and_closing_twice_is_nothing(tmp_path: Path) -> None:
    fake = Fake(tmp_path, "pull")

    async def work(servers: LanguageServers) -> Report:
        await servers.check(fake.path, "", "good\n", timeout=PATIENT)
        await servers.close()
        await servers.close()
        return await servers.check(fake.path, "", "bad\n", timeout=PATIENT)

    assert run(fake, work).reason == "the language servers are closed"


def test_closing_ends_whoever_waits(tmp_path: Path) -> None:
    fake = Fake(tmp_path, "hang")

    async def work(servers: LanguageServers) -> list[Report]:
        await started(servers, fake)
        checks = [asyncio.create_task(servers.check(fake.path, "", "good\n", timeout=PATIENT)) for _ in range(2)]
        await asyncio.sleep(0.005)
        await servers.close()
        return await asyncio.gather(*checks)

    assert [report.reason for report in run(fake, work)] == ["fake was stopped"] * 2


def test_a_server_that_ignores_everything_is_killed_with_its_children(tmp_path: Path) -> None:
    fake = Fake(tmp_path, "pull", "stubborn", "family")
    check(fake, "", "good\n", limits=ServerLimits(grace=0.02))
    assert "exit" in fake.noted()
    assert "end of input" in fake.noted()
    assert not any(is_alive(pid) for pid in (*fake.pids(), *fake.pids("child")))


def test_a_check_that_is_cancelled_leaves_the_server_at_work(tmp_path: Path) -> None:
    fake = Fake(tmp_path, "pull")

    async def work(servers: LanguageServers) -> Report:
        task = asyncio.create_task(servers.check(fake.path, "", "good\n", timeout=PATIENT))
        await asyncio.sleep(0.005)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return await servers.check(fake.path, "good\n", "bad\n", timeout=PATIENT)

    assert run(fake, work).diagnostics == (bad(fake.path, 1),)
    assert fake.noted().count("initialize") == 1


@pytest.mark.parametrize("way", ["pull", "hang", "hang-at-first", "stubborn"])
def test_nothing_is_left_of_a_loop_that_ends_without_closing(tmp_path: Path, way: str) -> None:
    fake = Fake(tmp_path, way, "family")

    async def main() -> None:
        servers = LanguageServers(str(tmp_path), [fake.server])
        check = asyncio.create_task(servers.check(fake.path, "", "good\n", timeout=PATIENT))
        await until(fake.pids)
        if way == "pull":
            await check

    asyncio.run(main())
    asyncio.run(until(lambda: not any(is_alive(pid) for pid in (*fake.pids(), *fake.pids("child")))))


def test_servers_can_be_used_in_one_loop_after_the_other(tmp_path: Path) -> None:
    fake = Fake(tmp_path, "pull")
    servers = LanguageServers(str(tmp_path), [fake.server])
    for _ in range(2):
        report = asyncio.run(servers.check(fake.path, "", "bad\n", timeout=PATIENT))
        assert (report.state, report.reason) == ("problems", "")


#: Starts a server, says so, and ends in one of several ways without closing it.
CARELESS = """
import asyncio, json, os, sys
from suture.diagnostics import LanguageServers
from suture.diagnostics.server_table import Server

async def main():
    servers = LanguageServers(os.getcwd(), [Server("fake", tuple(json.loads(sys.argv[1])), {".txt": "x"})])
    report = await servers.check(os.path.abspath("a.txt"), "", "bad", timeout=30)
    print(report.state, flush=True)
    return servers

way = sys.argv[2]
if way == "loop":
    loop = asyncio.new_event_loop()
    servers = loop.run_until_complete(main())
    loop.stop()
    sys.exit()
if way == "exception":
    async def fail():
        await main()
        raise SystemExit(0)
    asyncio.run(fail())
if way == "fork":
    loop = asyncio.new_event_loop()
    servers = loop.run_until_complete(main())
    child = os.fork()
    if child == 0:
        sys.exit()
    os.waitpid(child, 0)
    report = loop.run_until_complete(servers.check(os.path.abspath("a.txt"), "bad", "bad\\nbad", timeout=30))
    print(len(report.diagnostics), report.reason, flush=True)
    loop.run_until_complete(servers.close())
    loop.close()
if way == "kill":
    async def wait():
        await main()
        await asyncio.sleep(600)
    asyncio.run(wait())
"""


@pytest.mark.parametrize("way", ["loop", "exception", "fork", "kill"])
def test_nothing_is_left_of_a_program_that_ends_without_closing(tmp_path: Path, way: str) -> None:
    """Not of a loop that is dropped, an exception, a fork that ends, nor of a program that is killed."""
    fake = Fake(tmp_path, "pull", *["family"] * (way != "kill"))
    command = [sys.executable, "-c", CARELESS, json.dumps(fake.server.command), way]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == "problems\n"
        if way == "fork":
            assert program.stdout.readline() == "1 \n"
        if way == "kill":
            program.kill()
    assert program.returncode == (-signal.SIGKILL if way == "kill" else 0)
    asyncio.run(until(lambda: not any(is_alive(pid) for pid in (*fake.pids(), *fake.pids("child")))))
