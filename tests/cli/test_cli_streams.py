"""What the programs do where their streams fail them, and where signals reach them."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.shared.programs import APP, BIN, Place, patch, update
from tests.shared.reviews import until
from tests.shared.terminals import Terminal

from suture.cli.table import COMMANDS

if TYPE_CHECKING:
    from typing import Any

ONE = patch(update("app.py", " def one():", "-    return 1", "+    return 11"))
CHANGED = APP.replace("return 1\n", "return 11\n")
needs_a_full_disk = pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no device that is full")
LOST = "suture: cannot write to standard output: No space left on device.\n"


@pytest.fixture
def place(tmp_path: Path) -> Place:
    made = Place(tmp_path)
    made.write("../one.patch", ONE)
    return made


def in_a_shell(place: Place, script: str) -> tuple[int, str]:
    """How a shell's command ends, and what it says on standard error."""
    done = subprocess.run(
        ["/bin/sh", "-c", script.replace("suture", f"'{BIN}/suture'", 1)],
        cwd=place.root,
        env=place.environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    return done.returncode, done.stderr


@needs_a_full_disk
class TestAFullDisk:
    @pytest.mark.parametrize("command", ["diff app.py /dev/null --path x", "parse ../one.patch", "--help", "doctor"])
    def test_output_that_is_lost_is_a_failure(self, place: Place, command: str) -> None:
        place.write("other.py", CHANGED)
        command = command.replace("/dev/null --path x", "other.py")
        assert in_a_shell(place, f"suture {command} >/dev/full") == (1, LOST)

    @pytest.mark.parametrize("option", ["", "--json"])
    def test_but_what_was_done_is_done(self, place: Place, option: str) -> None:
        assert in_a_shell(place, f"suture apply {option} ../one.patch >/dev/full") == (0, LOST)
        assert place.files() == {"app.py": CHANGED}

    def test_the_status_is_right_where_nothing_can_be_said(self, place: Place) -> None:
        assert in_a_shell(place, "suture apply ../one.patch >/dev/full 2>&1") == (0, "")
        assert in_a_shell(place, "suture apply ../one.patch 2>/dev/full")[0] == 1


PIPES: dict[str, Any] = {"capture_output": True, "text": True, "timeout": 60}
#: Each command that prints, with a change of files or without, and how it ends if nobody reads what it prints.
UNREAD = {
    "apply ../one.patch": 0,
    "apply --json ../one.patch": 0,
    "apply --dry-run ../one.patch": 0,
    "check ../one.patch": 0,
    "edit app.py --old 1 --new 11": 0,
    "install cursor --yes": 0,
    "parse ../one.patch": 0,
    "parse --json ../one.patch": 0,
    "convert --to unified ../one.patch": 0,
    "explain ../one.patch": 0,
    "diff app.py ../one.patch": 0,
    "log": 0,
    "log --json": 0,
    "undo": 0,
    "recover": 0,
    "doctor": 0,
    "completion bash": 0,
    "permissions list": 0,
    "isolated list": 0,
    "review --terminal": 0,
    "batch ../rows.jsonl -j 1": 141,
    "--help": 0,
    "apply --help": 0,
    "--version": 0,
}


#: What commands say on standard error that have nothing to print.
NOTHING_TO_PRINT = (
    "",
    "Nothing waits for an answer.\n",
    "No approvals are kept.\n",
    "No isolated session has changes that are not merged.\n",
)


class TestAReaderThatIsGone:
    @pytest.fixture
    def place(self, place: Place) -> Place:
        place.write("../rows.jsonl", '{"text": "a", "old": "a", "new": "b"}\n' * 1000)
        place.write("other.py", "x = 1\n")
        assert place.suture("edit", "other.py", "--old", "1", "--new", "2").status == 0
        return place

    @pytest.mark.parametrize("command", UNREAD)
    def test_ends_every_command_quietly(self, place: Place, command: str) -> None:
        """What is done is done, as the status says; a command that only prints has nothing more to do."""
        reader, writer = os.pipe()
        os.close(reader)
        with os.fdopen(writer, "wb") as closed:
            done = subprocess.run(
                [str(BIN / "suture"), *command.split()],
                cwd=place.root,
                env=place.environment,
                stdin=subprocess.DEVNULL,
                stdout=closed,
                stderr=subprocess.PIPE,
                text=True,
                timeout=60,
                check=False,
            )
        assert done.returncode == UNREAD[command]
        assert done.stderr in NOTHING_TO_PRINT

    def test_ends_a_batch_after_the_first_row_in_a_real_pipe(self, place: Place) -> None:
        script = "{ suture batch ../rows.jsonl -j 1; echo status $? >&2; } | head -1 >/dev/null"
        assert in_a_shell(place, script) == (0, "status 141\n")

    def test_every_command_that_prints_is_here(self) -> None:
        serving = {"mcp", "replay", "trust", "redo", "show", "multiedit", "tool", "uninstall"}
        assert {command.name for command in COMMANDS} == {
            command.split()[0] for command in UNREAD if command[0] != "-"
        } | serving


@needs_a_full_disk
def test_a_command_that_only_reads_never_says_that_files_may_have_been_changed(place: Place) -> None:
    place.write("../rows.jsonl", '{"text": "a", "old": "a", "new": "b"}\n')
    said = "No space left on device.\n\nNo row was scored.\n"
    assert in_a_shell(place, "suture batch ../rows.jsonl -j 1 >/dev/full") == (1, said)


#: `suture`, which gets a signal when it loads a module.
LOADING = """
import os, sys
class Signal:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), {number})
sys.meta_path.insert(0, Signal())
from suture.cli.start import main
main()
"""
#: `suture`, which gets a signal in a callback of the interpreter, from which nothing can be raised.
IN_A_CALLBACK = """
import os, signal, sys, weakref
from suture.cli import main
class Thing:
    pass
def _run(*_):
    thing = Thing()
    kept = weakref.ref(thing, lambda _: os.kill(os.getpid(), {number}))
    del thing
    while True:
        signal.pause()
main._run = _run
main.main()
"""


def run_code(place: Place, code: str, *arguments: str) -> tuple[int, str, str]:
    command = [str(BIN / "python"), "-c", code, *arguments]
    done = subprocess.run(command, cwd=place.root, env=place.environment, check=False, **PIPES)
    return done.returncode, done.stdout, done.stderr


SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


@pytest.mark.parametrize("number", SIGNALS, ids=lambda one: one.name)
class TestSignalsAtOddMoments:
    @pytest.mark.parametrize("module", ["suture.cli.main", "suture.cli.table"])
    def test_while_it_loads_it_ends_by_the_signal(self, place: Place, number: signal.Signals, module: str) -> None:
        code = LOADING.format(module=module, number=int(number))
        assert run_code(place, code, "apply", "../one.patch") == (-number, "", "")
        assert place.files() == {"app.py": APP}

    def test_before_its_work_nothing_is_done(self, place: Place, number: signal.Signals) -> None:
        code = LOADING.format(module="suture.cli.commands.apply", number=int(number))
        assert run_code(place, code, "apply", "../one.patch") == (130, "", "Interrupted. Nothing was done.\n")
        assert place.files() == {"app.py": APP}

    def test_one_that_gets_lost_in_a_callback_is_repeated(self, place: Place, number: signal.Signals) -> None:
        said = "Interrupted. Nothing was done.\n"
        assert run_code(place, IN_A_CALLBACK.format(number=int(number)), "log") == (130, "", said)

    def test_a_batch_says_how_many_rows_were_scored(self, place: Place, number: signal.Signals) -> None:
        """Its input does not end, so that it waits for more."""
        command = [str(BIN / "suture"), "batch", "-j", "2", "-o", "../scored.jsonl"]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        with subprocess.Popen(command, cwd=place.root, env=place.environment, **pipes) as process:  # type: ignore[call-overload]
            process.stdin.write(b'{"text": "a", "old": "a", "new": "b"}\n' * 5000)
            process.stdin.flush()
            scored = place.root.parent / "scored.jsonl"
            until(lambda: scored.exists() and scored.stat().st_size > 0)
            process.send_signal(number)
            _, said = process.communicate(timeout=60)
        rows = scored.read_bytes().count(b"\n")
        told = f"Interrupted. {rows:,} rows were scored. They are in ../scored.jsonl: --resume goes on after them.\n"
        assert (process.returncode, said.decode()) == (130, told)


#: `suture` or `apply_patch`, which sends itself a signal at a step of its commit.
SIGNALLED = """
import os, sys
from suture.{module} import {owner}
real = {owner}.{method}
def signalled(self, *arguments, **named):
    done = real(self, *arguments, **named)
    os.kill(os.getpid(), {number})
    return done
{owner}.{method} = signalled
from suture.cli import {program}
{program}.main()
"""
PROGRAMS = {"main": ["apply", "../one.patch"], "apply_patch": [ONE]}


def signalled(place: Place, program: str, module: str, method: str, number: int, *more: str) -> tuple[int, str, str]:
    owner = {"workspace.files.disk": "DiskFiles", "state.store": "Store"}[module]
    code = SIGNALLED.format(program=program, module=module, owner=owner, method=method, number=int(number))
    command = [str(BIN / "python"), "-c", code, *PROGRAMS[program], *more]
    done = subprocess.run(command, cwd=place.root, env=place.environment, check=False, **PIPES)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("program", PROGRAMS)
class TestSignals:
    @pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=lambda one: one.name)
    @pytest.mark.parametrize("step", ["stage", "rename"])
    def test_in_the_middle_it_is_rolled_back(
        self, place: Place, program: str, step: str, number: signal.Signals
    ) -> None:
        """The way back takes the same step, and the signal comes once more: nobody hears it."""
        said = "Interrupted. No file was changed.\n"
        assert signalled(place, program, "workspace.files.disk", step, number) == (130, "", said)
        assert place.files() == {"app.py": APP}
        assert place.suture("log").out == ""

    def test_when_it_is_done_an_interrupt_is_too_late(self, place: Place, program: str) -> None:
        status, out, err = signalled(place, program, "state.store", "close", signal.SIGINT)
        assert (status, err) == (0, "")
        assert "M app.py" in out
        assert place.files() == {"app.py": CHANGED}

    def test_the_last_moment_is_that_at_which_the_journal_is_closed(self, place: Place, program: str) -> None:
        status, _, _ = signalled(place, program, "state.store", "_notify", signal.SIGINT)
        assert status == 130
        assert place.files() == {"app.py": APP}
        assert place.suture("recover").out == "Nothing to repair.\n"


def test_a_document_after_a_late_interrupt_tells_of_the_commit(place: Place) -> None:
    status, out, _ = signalled(place, "main", "state.store", "close", signal.SIGINT, "--json")
    assert status == 0
    assert '"exit_status": 0' in out


class TestPagers:
    @pytest.fixture
    def place(self, tmp_path: Path) -> Place:
        made = Place(tmp_path)
        made.environment |= {"TERM": "xterm", "LINES": "5"}
        made.write("../long.patch", patch("*** Add File: long.txt", *[f"+line {number}" for number in range(99)]))
        return made

    @pytest.mark.parametrize("pager", ["less '", "../no-program", "/", "no-such-pager -R", ""])
    def test_one_that_cant_be_started_is_done_without(self, place: Place, pager: str) -> None:
        place.write("../no-program", "neither a script nor a program").chmod(0o755)
        place.environment["PAGER"] = pager
        status, said = Terminal(place, "check", "../long.patch").end()
        assert status == 0
        assert said.endswith("+line 98\n")

    def test_one_that_is_left_early_changes_nothing(self, place: Place) -> None:
        place.environment["PAGER"] = "true"
        status, said = Terminal(place, "check", "../long.patch").end()
        assert status == 0
        assert said == ""

    def test_ctrl_c_is_for_the_pager(self, place: Place) -> None:
        """It shows that it got the signal, and the program ends as it would have."""
        script = "#!/bin/sh\ntrap 'echo trapped; exit 0' INT\necho ready\nwhile :; do sleep 0.05; done\n"
        pager = place.write("../pager.sh", script)
        pager.chmod(0o755)
        place.environment["PAGER"] = str(pager)
        terminal = Terminal(place, "check", "../long.patch")
        terminal.until("ready")
        os.killpg(terminal.process.pid, signal.SIGINT)
        status, said = terminal.end()
        assert status == 0
        assert said.endswith("trapped\n")


def test_quiet_says_nothing_unless_it_fails(place: Place) -> None:
    good = patch(update("app.py", "-    return 1", "+    return 11"))
    assert place.suture("check", "-q", stdin=good) == (0, "", "")
    assert place.suture("apply", "--check", stdin=good) == (0, "", "")
    assert place.files() == {"app.py": APP}
    assert place.suture("apply", "-q", stdin=good) == (0, "", "")
    for arguments in (["apply", "--check"], ["apply", "-q"], ["check", "-q"]):
        done = place.suture(*arguments, stdin=good)
        assert (done.status, done.out) == (1, "")
        assert "No file was changed." in done.err
    assert place.suture("undo", "--quiet") == (0, "", "")
    assert place.suture("edit", "app.py", "--old", "return 1", "--new", "return 3", "-q") == (0, "", "")


def test_a_history_inside_the_project_is_announced(place: Place) -> None:
    """As in a sandbox that only lets the workspace be written."""
    place.write("../state", "a file, so nothing can be made below it")
    place.environment["SUTURE_STATE_DIR"] = str(place.root.parent / "state" / "x")
    note = "Note: the history is kept in .suture in the project, because no other directory can be written. "
    good = patch(update("app.py", "-    return 1", "+    return 11"))
    assert place.suture("apply", stdin=good).err == f"{note}Git ignores it.\n"
    done = place.run("apply_patch", stdin=patch(update("app.py", "-    return 2", "+    return 22")))
    assert (done.status, done.err) == (0, f"{note}Git ignores it.\n")
