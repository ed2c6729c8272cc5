"""Language servers that hang, crash, flood or talk nonsense: the answer is `unknown`, in time."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import sys
from typing import TYPE_CHECKING

import pytest
from tests.shared.fake_servers import PATIENT, Fake, bad, check, run, start_server, until
from tests.shared.processes import is_alive

from suture.agent.diagnostics import LanguageServers, client as client_module, connection as connection_module
from suture.agent.diagnostics.diagnostic_limits import MOST_FAILURES
from suture.agent.diagnostics.host import ServerLimits
from suture.agent.diagnostics.report import Report

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("nothing_is_left")

#: For an answer that never comes.
IMPATIENT = 0.05
#: Seconds. A test that waits for this long is stopped by the limit that every test has.
LONGER_THAN_A_TEST = 1000.0


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
    limits = ServerLimits(start=LONGER_THAN_A_TEST, grace=0.01)
    reports = check(fake, "", "bad\n", "good\n", timeout=IMPATIENT, limits=limits)
    assert [report.reason for report in reports] == [BAD[way]] * 2


def test_a_server_that_takes_too_long_to_start_is_ended(tmp_path: Path) -> None:
    fake = Fake(tmp_path, "hang-at-first")
    (report,) = check(fake, "", "bad\n", limits=ServerLimits(start=0.1, grace=0.01))
    assert report.reason == "fake did not start within 0.1 s"


def test_a_server_that_hangs_later_gives_unknown_in_time_and_is_told_the_text(tmp_path: Path) -> None:
    fake = Fake(tmp_path, "hang")

    async def work(servers: LanguageServers) -> Report:
        await start_server(servers, fake)
        return await servers.check(fake.path, "bad\n", "good\n", timeout=IMPATIENT)

    report = run(fake, work)
    assert report.reason == "fake did not answer within 0.05 s"
    assert "textDocument/didChange 2" in fake.noted()


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
    monkeypatch.setattr(connection_module, "LARGEST_SERVER_MESSAGE", 1_000_000)
    (report,) = check(Fake(tmp_path, "flood"), "", "bad\n")
    assert re.fullmatch(r"fake sent \d+ unsolicited bytes", report.reason)


def test_a_flood_does_not_hold_up_the_time_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection_module, "LARGEST_SERVER_MESSAGE", sys.maxsize)
    limits = ServerLimits(start=LONGER_THAN_A_TEST, grace=0.01)
    (report,) = check(Fake(tmp_path, "flood"), "", "bad\n", timeout=0.2, limits=limits)
    assert report.state == "unknown"
    assert report.reason.endswith("within 0.2 s")


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
        "workspace/unknown": -32601,
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
