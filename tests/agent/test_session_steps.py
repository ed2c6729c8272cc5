"""The steps of a call: their order, the events, the diagnostics."""

from __future__ import annotations

import asyncio
import sys
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from tests.shared.agents import APP, READ, Agent, FakeDiagnoser, edit
from tests.shared.sites import envelope, updated

from suture.agent import (
    AllowAll,
    DiagnosticsReceived,
    FileChanged,
    FileEdited,
    Formatter,
    PermissionAsked,
    PermissionReplied,
    SubscriberFailed,
)
from suture.agent.diagnostics import Report

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    from suture import Session
    from suture.agent import Result


class TestOrder:
    def test_the_steps_come_in_their_order(self, tmp_path: Path) -> None:
        fake = FakeDiagnoser("problems")
        agent = Agent(tmp_path, rules=(), approver=AllowAll(), diagnoser=fake)
        result = agent.call(READ, edit())
        kinds = [type(event) for event in agent.heard]
        assert kinds == [PermissionAsked, PermissionReplied, FileEdited, FileChanged, DiagnosticsReceived]
        file = f"{agent.workspace.root}/src/app.py"
        assert agent.heard[2] == FileEdited("src/app.py", result.metadata["receipt"], file)
        assert [getattr(event, "resolved", "") for event in agent.heard[2:]] == [file] * 3

    @pytest.mark.parametrize(
        ("call", "first"),
        [
            (("edit", {"filePath": "../x"}), "invalid_arguments"),
            (edit("a", "b", "../x"), "outside_workspace"),
            (edit("a", "a", "src/app.py"), "no_change"),
            (edit("a", "b", "lost.py"), "not_found"),
            (edit("lost", "b", "src/app.py"), "not_read"),
        ],
    )
    def test_what_is_wrong_first_is_told(self, tmp_path: Path, call: tuple[str, Any], first: str) -> None:
        """Validate, resolve and guard, the file, the read, the place, the permission: each before what follows."""
        result = Agent(tmp_path, rules=()).call(call)
        assert result.problems[0].code == first
        assert result.metadata["problems"] == [problem.asdict() for problem in result.problems]

    def test_the_place_is_looked_for_before_anybody_is_asked(self, tmp_path: Path) -> None:
        result = Agent(tmp_path, rules=()).call(READ, edit("lost", "b"))
        assert result.metadata["problems"][0]["code"] == "old_text_not_found"


class TestEvents:
    def test_each_kind_of_change(self, tmp_path: Path) -> None:
        agent = Agent(tmp_path)
        agent.put("gone.txt", "x\n")
        patch = envelope(
            "*** Add File: new.txt",
            "+x",
            *updated("src/app.py", "    print('Hi ' + name)", "    pass"),
        )
        agent.call(
            ("read", {"filePath": "gone.txt"}),
            ("apply_patch", {"patchText": patch}),
            ("delete", {"filePath": "gone.txt"}),
            ("move", {"filePath": "new.txt", "toPath": "newer.txt"}),
        )
        assert agent.changed() == [
            ("new.txt", "add"),
            ("src/app.py", "change"),
            ("gone.txt", "unlink"),
            ("new.txt", "unlink"),
            ("newer.txt", "add"),
        ]
        assert agent.edited() == ["new.txt", "src/app.py", "gone.txt", "newer.txt"]

    def test_what_was_refused_is_no_event(self, tmp_path: Path) -> None:
        agent = Agent(tmp_path)
        agent.call(edit(), READ, edit("lost()", "x"))
        assert agent.heard == []

    def test_a_subscriber_that_fails_or_is_slow_holds_nothing_up(self, tmp_path: Path) -> None:
        agent = Agent(tmp_path)
        held = threading.Event()

        def fails(_: object) -> None:
            message = "I can't"
            raise RuntimeError(message)

        async def work(session: Session) -> Result:
            session.bus.subscribe(fails, FileEdited)
            session.bus.subscribe(lambda _: held.wait(), FileEdited)
            await session.read("src/app.py")
            result = await session.edit("src/app.py", "'Hi '", "'Hello '")
            held.set()
            return result

        assert not agent.run(work).is_error
        (failed,) = [event for event in agent.heard if isinstance(event, SubscriberFailed)]
        assert "I can't" in failed.error


class TestDiagnostics:
    def test_they_stand_behind_the_answer(self, tmp_path: Path) -> None:
        fake = FakeDiagnoser("problems")
        result = Agent(tmp_path, diagnoser=fake).call(READ, edit())
        assert result.output == (
            "Edit applied successfully.\nM src/app.py +1 -1\n"
            "The edit was applied. It introduced 1 error in src/app.py (fake):\n"
            "  line 2, column 5: no such name [E1]"
        )
        assert result.metadata["diagnostics"]["src/app.py"]["state"] == "problems"
        assert not result.is_error
        assert fake.asked == [(str(tmp_path / "root/src/app.py"), APP, APP.replace("'Hi '", "'Hello '"))]
        assert fake.closed

    def test_clean(self, tmp_path: Path) -> None:
        result = Agent(tmp_path, diagnoser=FakeDiagnoser()).call(READ, edit())
        assert result.output.endswith("The edit was applied. fake found no new errors in src/app.py.")

    def test_a_new_file_has_no_text_before_and_a_moved_one_has(self, tmp_path: Path) -> None:
        fake = FakeDiagnoser()
        moved = envelope(
            "*** Update File: src/app.py", "*** Move to: b.py", "@@", "-    print('Hi ' + name)", "+    pass"
        )
        agent = Agent(tmp_path, diagnoser=fake)
        agent.call(("write", {"filePath": "new.py", "content": "x\n"}), ("apply_patch", {"patchText": moved}))
        assert [before for _, before, _ in fake.asked] == [None, APP]

    def test_deleted_renamed_and_binary_files_are_not_asked_about(self, tmp_path: Path) -> None:
        fake = FakeDiagnoser()
        agent = Agent(tmp_path, diagnoser=fake)
        agent.put("odd.txt", b"caf\xe9\n")
        agent.call(
            READ,
            ("move", {"filePath": "src/app.py", "toPath": "b.py"}),
            ("delete", {"filePath": "b.py"}),
            ("read", {"filePath": "odd.txt"}),
            edit("caf", "tea", "odd.txt"),
        )
        assert fake.asked == []

    def test_one_that_hangs_never_holds_the_result_longer_than_its_limit(self, tmp_path: Path) -> None:
        fake = FakeDiagnoser(seconds=1000)
        agent = Agent(tmp_path, diagnoser=fake, diagnostics_timeout=0.3)
        agent.call(READ)
        result = agent.call(edit())
        assert fake.limits[0] < 0.3
        assert result.output.endswith("is unknown: there was no answer within 0.3 seconds.")
        assert result.metadata["diagnostics"]["src/app.py"]["state"] == "unknown"

    def test_one_that_will_not_be_cancelled_does_not_hold_it_either(self, tmp_path: Path) -> None:
        class Stubborn(FakeDiagnoser):
            released = False

            async def check(self, path: str, before: str | None, after: str, *, timeout: float) -> Report:  # noqa: ASYNC109, ARG002
                while not self.released:
                    with suppress(asyncio.CancelledError):
                        await asyncio.sleep(0.02)
                return Report(path, "clean")

        stubborn = Stubborn()
        agent = Agent(tmp_path, diagnoser=stubborn, diagnostics_timeout=0.1)

        async def work(session: Session) -> Result:
            await session.read("src/app.py")
            try:
                return await session.edit("src/app.py", "'Hi '", "'Hello '")
            finally:
                stubborn.released = True

        assert "is unknown" in agent.run(work).output

    def test_one_that_fails_is_told_as_unknown(self, tmp_path: Path) -> None:
        result = Agent(tmp_path, diagnoser=FakeDiagnoser(error=RuntimeError("broken"))).call(READ, edit())
        assert not result.is_error
        assert result.output.endswith("is unknown: the check failed (RuntimeError: broken).")

    def test_one_that_leaves_a_file_out_is_told_as_unknown(self, tmp_path: Path) -> None:
        class Forgetful(FakeDiagnoser):
            async def check_all(self, _: object, *, timeout: float) -> list[Report]:  # noqa: ARG002, ASYNC109
                return []

        result = Agent(tmp_path, diagnoser=Forgetful()).call(READ, edit())
        assert result.output.endswith("is unknown: the check left out a file.")

    def test_they_see_what_the_formatter_has_made(self, tmp_path: Path) -> None:
        swap = (sys.executable, "-c", "import sys; print(sys.stdin.read().replace('Hello', 'HELLO'), end='')")
        fake = FakeDiagnoser()
        Agent(tmp_path, diagnoser=fake, formatters=[Formatter("**/*.py", swap)]).call(READ, edit())
        assert fake.asked[0][2] == APP.replace("'Hi '", "'HELLO '")
