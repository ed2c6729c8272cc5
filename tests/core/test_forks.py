"""Forks: whatever other threads do at that moment, the child can use everything that it inherits."""

from __future__ import annotations

import ast
import os
import signal
import threading
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import suture
from suture import Session, Workspace
from suture.agent import ApprovalQueue, Bus, FileEdited
from suture.core.fork_lock import ForkLock
from suture.workspace import MemoryFiles

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

#: A child that hangs is killed then; it is not what a test takes.
SECONDS = 30.0


@pytest.fixture(autouse=True)
def no_warning() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forking with threads: that is what is tested
        yield


def in_child(action: Callable[[], object]) -> int:
    """How a child ended that did this: 0 where all went well."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            action()
            status = 0
        finally:
            os._exit(status)
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        threading.Event().wait(0.001)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return -signal.SIGKILL


def held_elsewhere(lock: ForkLock, action: Callable[[], object]) -> int:
    """How a child ended that did this after a fork while another thread held the lock."""
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with lock:
            held.set()
            done.wait(SECONDS)

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait(SECONDS)
    try:
        return in_child(action)
    finally:
        done.set()
        thread.join()


def test_a_child_uses_a_workspace_whose_state_another_thread_was_opening(tmp_path: Path) -> None:
    with Workspace(tmp_path, state_dir=tmp_path / ".state") as workspace:
        state = workspace.state
        assert held_elsewhere(state._lock, lambda: workspace.write("a", "a\n")) == 0
        assert workspace.read("a").text == "a\n"


def test_a_child_uses_a_workspace_in_memory_that_another_thread_was_changing() -> None:
    workspace = Workspace(MemoryFiles({"a": "a\n"}))
    locks = workspace.state.own().locks
    assert held_elsewhere(locks._lock, lambda: workspace.write("a", "b\n")) == 0  # type: ignore[attr-defined]


def test_a_child_publishes_and_delivers_events(tmp_path: Path) -> None:
    bus, first, seen = Bus(), threading.Event(), tmp_path / "seen"

    def note(event: object) -> None:
        with seen.open("a") as file:
            file.write(f"{type(event).__name__}\n")
        first.set()

    bus.subscribe(note)
    bus.publish(FileEdited("a", ""))
    assert first.wait(SECONDS)  # its thread runs

    def publish() -> None:
        first.clear()
        bus.publish(FileEdited("b", ""))
        assert first.wait(SECONDS)

    assert held_elsewhere(bus.lock, publish) == 0
    assert seen.read_text().count("FileEdited") == 2


def test_a_child_asks_what_waits_for_approval() -> None:
    queue = ApprovalQueue()
    assert held_elsewhere(queue._lock, queue.pending) == 0


def test_a_child_records_a_read() -> None:
    session = Session(Workspace(MemoryFiles({"a": "a\n"})))
    assert held_elsewhere(session.reads._lock, lambda: session.reads.record("a")) == 0


def test_the_thread_that_forks_keeps_what_it_holds() -> None:
    lock = ForkLock()

    def release() -> None:
        assert lock.is_mine()
        lock.release()
        assert not lock.is_mine()

    with lock:
        assert in_child(release) == 0
        assert lock.is_mine()


def test_every_lock_of_the_library_survives_a_fork() -> None:
    """Only three modules make a lock of their own: this one, and two with hooks that also close files."""
    makers = set()
    source = Path(suture.__file__).parent
    for path in source.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            # Those of asyncio belong to one loop, which no child goes on with.
            if isinstance(node, ast.Call) and not ast.unparse(node.func).startswith("asyncio."):
                name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                if name in {"Lock", "RLock", "allocate_lock", "Semaphore", "BoundedSemaphore"}:
                    makers.add(path.relative_to(source).as_posix())
    assert makers == {"core/fork_lock.py", "state/locks.py", "state/database.py"}


def test_forks_under_load_all_end(tmp_path: Path) -> None:
    """Threads that edit, read, open workspaces and fork, all at once; two of them fork."""
    for name in "abcd":
        (tmp_path / name).write_text("0\n")
    ended = threading.Event()
    results: list[int] = []

    def open_workspace() -> Workspace:
        return Workspace(tmp_path, state_dir=tmp_path / ".state", durability="process")

    with open_workspace() as shared:

        def work(name: str) -> None:
            while not ended.is_set():
                shared.write(name, f"{time.monotonic()}\n")
                with open_workspace() as other:
                    other.read(name)

        def use() -> None:
            shared.write("child", f"{os.getpid()}\n")
            with open_workspace() as other:
                other.log(1)

        def fork() -> None:
            results.extend([in_child(use) for _ in range(12)])

        workers = [threading.Thread(target=work, args=(name,)) for name in "abc"]
        forkers = [threading.Thread(target=fork) for _ in range(2)]
        for thread in (*workers, *forkers):
            thread.start()
        for thread in forkers:
            thread.join()
        ended.set()
        for thread in workers:
            thread.join()
    assert results == [0] * 24
