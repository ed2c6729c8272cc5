"""A session for programs without asyncio: it blocks, from any thread, and leaves nothing behind."""

from __future__ import annotations

import _thread
import asyncio
import gc
import inspect
import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
from tests.shared.agents import ALLOW, APP, READ, edit

from suture import PatchRejectedError, Session, SyncSession, Workspace
from suture.agent import Answer, Callback, FileEdited, Pending, Result

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    root = tmp_path / "root"
    (root / "src").mkdir(parents=True)
    (root / "src" / "app.py").write_text(APP)
    with Workspace(root, state_dir=tmp_path / "state", durability="process") as found:
        yield found


def threads() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name == "suture: session"]


def test_it_has_every_method_of_a_session() -> None:
    names = {name for name, _ in inspect.getmembers(Session, inspect.isfunction) if not name.startswith("_")}
    # The steps of a call use these, nobody else.
    names -= {"note_commit", "isolation_notices", "lock", "tools"}
    assert [name for name in names if not hasattr(SyncSession, name)] == []
    for name in names - {"close"}:
        assert inspect.signature(getattr(SyncSession, name)) == inspect.signature(getattr(Session, name))


def test_an_edit_is_made(workspace: Workspace) -> None:
    with SyncSession(workspace, rules=ALLOW) as session:
        session.read("src/app.py")
        assert session.edit("src/app.py", "'Hi '", "'Hello '").title == "src/app.py"
        assert session.call(*READ).output.splitlines()[1].endswith("print('Hello ' + name)")
        assert len(session.tools("json")) == 7
    assert threads() == []


def test_a_refusal_is_raised(workspace: Workspace) -> None:
    with SyncSession(workspace, rules=ALLOW) as session, pytest.raises(PatchRejectedError, match="was not read"):
        session.edit("src/app.py", "'Hi '", "''")


def test_a_call_can_be_pending(workspace: Workspace) -> None:
    with SyncSession(workspace) as session:
        session.read("src/app.py")
        assert session.preview(*edit()).action == "ask"
        pending = session.start(*edit())
        assert isinstance(pending, Pending)
        result = session.resume(pending, Answer.once())
        assert isinstance(result, Result)
        assert not result.is_error


def test_many_threads_can_use_it(workspace: Workspace) -> None:
    with SyncSession(workspace, rules=ALLOW) as session, ThreadPoolExecutor(8) as pool:
        names = [f"{number}.txt" for number in range(24)]
        results = list(pool.map(lambda name: session.write(name, name), names))
        assert not any(result.is_error for result in results)
        assert sorted(session.glob("*.txt").output.split()) == sorted(names)


def test_events_and_approvers_work(workspace: Workspace) -> None:
    heard: list[object] = []
    with SyncSession(workspace, approver=Callback(lambda _: Answer.once())) as session:
        session.session.bus.subscribe(heard.append, FileEdited)
        session.read("src/app.py")
        assert not session.call(*edit()).is_error
    assert len(heard) == 1


def test_an_approver_that_calls_the_session_on_the_same_file_is_refused(workspace: Workspace) -> None:
    outputs: list[str] = []

    def ask(_: object) -> Answer:
        outputs.append(session.call(*READ).output)
        return Answer.once()

    with SyncSession(workspace, approver=Callback(ask)) as session:
        session.read("src/app.py")
        assert not session.call(*edit()).is_error
    assert "is locked by a call that waits for this one" in outputs[0]


def test_a_closed_session_says_so(workspace: Workspace) -> None:
    session = SyncSession(workspace)
    session.close()
    session.close()
    with pytest.raises(RuntimeError, match="is closed"):
        session.read("src/app.py")


def test_many_threads_can_close_it(workspace: Workspace) -> None:
    session = SyncSession(workspace)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: session.close(), range(8)))
    assert threads() == []


def test_it_can_be_used_inside_another_event_loop(workspace: Workspace) -> None:
    async def main() -> str:
        with SyncSession(workspace) as session:
            return session.read("src/app.py").title

    assert asyncio.run(main()) == "src/app.py"


def test_its_own_event_loop_can_not_wait_for_it(workspace: Workspace) -> None:
    async def ask(_: object) -> Answer:
        session.read("src/app.py")
        return Answer.once()

    with SyncSession(workspace, approver=Callback(ask)) as session:
        session.read("src/app.py")
        assert "own event loop can't wait" in session.call(*edit()).output


def test_one_that_is_dropped_leaves_no_thread(workspace: Workspace) -> None:
    session = SyncSession(workspace)
    session.read("src/app.py")
    assert threads() == ["suture: session"]
    del session
    gc.collect()
    assert threads() == []


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_forked_process_is_told_to_make_its_own(workspace: Workspace) -> None:
    with SyncSession(workspace) as session:
        session.read("src/app.py")
        child = os.fork()
        if child == 0:
            status = 1
            try:
                session.read("src/app.py")
            except RuntimeError as error:
                status = 0 if "after the fork" in str(error) else 2
            session.close()
            os._exit(status)
        assert os.waitpid(child, 0)[1] == 0
        assert session.read("src/app.py").title == "src/app.py"


def test_a_program_that_does_not_close_it_ends(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x\n")
    program = (
        "from suture import SyncSession, Workspace; import sys\n"
        "session = SyncSession(Workspace(sys.argv[1], state_dir=sys.argv[2]))\n"
        "print(session.read('a.txt').title)"
    )
    command = [sys.executable, "-W", "error", "-c", program, str(tmp_path), str(tmp_path / "state")]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=30)
    assert (done.stdout, done.stderr) == ("a.txt\n", "")


def test_an_interrupt_cancels_the_call(workspace: Workspace) -> None:
    asked = threading.Event()

    async def ask(_: object) -> Answer:
        asked.set()
        await asyncio.Event().wait()
        return Answer.once()

    def interrupt() -> None:
        asked.wait(30)
        # On Windows, `os.kill` would end the process.
        if sys.platform == "win32":
            _thread.interrupt_main()
        else:
            os.kill(os.getpid(), signal.SIGINT)

    with SyncSession(workspace, approver=Callback(ask)) as session:
        session.read("src/app.py")
        threading.Thread(target=interrupt).start()
        with pytest.raises(KeyboardInterrupt):
            session.call(*edit())
        assert session.read("src/app.py").title == "src/app.py"
