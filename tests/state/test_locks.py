"""Locks: who shares a file waits, others don't; nobody waits for the dead, and nobody waits for ever."""

from __future__ import annotations

import fcntl
import random
import shutil
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from suture import PatchRejectedError, Problem
from suture.state.locks import EVERYTHING_FROM, Locks, stripe_of

if TYPE_CHECKING:
    from collections.abc import Iterator

#: So many paths that they are held by one lock for all.
MANY = [f"/many/{number}" for number in range(2 * EVERYTHING_FROM)]
A, B = "/some/a.py", "/some/b.py"

#: Holds what it is told to, says so, and waits to be told or killed.
HOLDER = """
import sys
from suture.state.locks import Locks
with Locks(sys.argv[1]).hold(sys.argv[2:], timeout=5, holder="agent 7"):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def folder(tmp_path: Path) -> str:
    return str(tmp_path / "state")


@pytest.fixture
def locks(folder: str) -> Locks:
    return Locks(folder)


@contextmanager
def another_process(folder: str, *paths: str) -> Iterator[subprocess.Popen[str]]:
    """A process that holds these paths until the end, or until it is killed."""
    command = [sys.executable, "-c", HOLDER, folder, *paths]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        assert process.stdin is not None
        process.stdin.close()


def run(program: str, *arguments: str) -> str:
    """What a program prints that runs in an interpreter of its own."""
    command = [sys.executable, "-W", "error", "-c", program, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout


def is_free(locks: Locks, *paths: str) -> bool:
    hold = locks.try_hold(paths, "me")
    if hold is None:
        return False
    with hold:
        return True


def descriptors() -> int:
    """How many files this process has open."""
    return sum(1 for _ in Path("/dev/fd").iterdir())


def refusal(locks: Locks, *paths: str, timeout: float = 0.002) -> Problem:
    with pytest.raises(PatchRejectedError) as caught, locks.hold(paths, timeout=timeout, holder="me"):
        pass
    (problem,) = caught.value.problems
    return problem


class TestExclusion:
    def test_a_path_is_held_once_and_free_afterwards(self, locks: Locks) -> None:
        with locks.hold([A], timeout=1, holder="me"):
            assert not is_free(locks, A)
        assert is_free(locks, A)

    def test_other_paths_are_free(self, locks: Locks) -> None:
        with locks.hold([A], timeout=1, holder="me"):
            assert is_free(locks, B)

    def test_one_common_path_is_enough(self, locks: Locks) -> None:
        with locks.hold([A, B], timeout=1, holder="me"):
            assert not is_free(locks, "/else", B)
        assert is_free(locks, "/else", B)

    def test_what_was_held_before_the_one_that_is_not_free_is_let_go(self, locks: Locks) -> None:
        first, second = sorted([A, B], key=stripe_of)
        with locks.hold([second], timeout=1, holder="me"):
            assert not is_free(locks, first, second)
            assert is_free(locks, first)

    def test_a_path_named_twice_does_not_wait_for_itself(self, locks: Locks) -> None:
        assert is_free(locks, A, A)

    def test_spellings_of_one_name_exclude_one_another(self, locks: Locks) -> None:
        with locks.hold(["/w/Ä.py", "/w/README"], timeout=1, holder="me"):
            assert not is_free(locks, "/w/a\u0308.py")
            assert not is_free(locks, "/w/readme")

    def test_a_name_that_is_no_text_can_be_held(self, locks: Locks) -> None:
        with locks.hold(["/w/\udcff"], timeout=1, holder="me"):
            assert not is_free(locks, "/w/\udcff")

    def test_nothing_to_hold_is_held_at_once(self, locks: Locks, folder: str) -> None:
        assert is_free(locks)
        with locks.hold([], timeout=0, holder="me"):
            assert not Path(folder).exists()

    def test_an_exception_lets_go(self, locks: Locks) -> None:
        with pytest.raises(KeyError), locks.hold([A], timeout=1, holder="me"):
            raise KeyError
        assert is_free(locks, A)

    def test_what_nobody_enters_is_let_go(self, locks: Locks) -> None:
        hold = locks.try_hold([A], "me")
        assert not is_free(locks, A)
        del hold
        assert is_free(locks, A)

    def test_an_interrupt_while_waiting_lets_go(self, locks: Locks, monkeypatch: pytest.MonkeyPatch) -> None:
        first, second = sorted([A, B], key=stripe_of)

        def interrupt(_: float) -> None:
            raise KeyboardInterrupt

        with locks.hold([second], timeout=1, holder="me"):
            monkeypatch.setattr(time, "sleep", interrupt)
            with pytest.raises(KeyboardInterrupt), locks.hold([A, B], timeout=1, holder="me"):
                pass
            assert is_free(locks, first)

    def test_no_descriptor_is_left(self, locks: Locks) -> None:
        assert is_free(locks, A)
        before = descriptors()
        for paths in ([A, B], MANY):
            with locks.hold(paths, timeout=1, holder="me"):
                refusal(locks, A)
                refusal(locks, *MANY)
        assert descriptors() == before


class TestAll:
    def test_very_many_paths_need_no_more_descriptors_than_one(self, locks: Locks) -> None:
        assert is_free(locks, A)
        before = descriptors()
        with locks.hold(MANY, timeout=1, holder="me"):
            assert descriptors() == before + 1

    def test_who_holds_all_excludes_everybody(self, locks: Locks) -> None:
        with locks.hold(MANY, timeout=1, holder="me"):
            assert not is_free(locks, A)
            assert not is_free(locks, *MANY)
        assert is_free(locks, A)

    def test_who_holds_one_excludes_who_wants_all(self, locks: Locks) -> None:
        with locks.hold([A], timeout=1, holder="me"):
            assert not is_free(locks, *MANY)
            assert is_free(locks, B)
        assert is_free(locks, *MANY)

    def test_small_commits_do_not_keep_a_large_one_out(self, locks: Locks) -> None:
        """Four threads always hold something, and no two of them let go at once."""
        done = threading.Event()

        def commit_all_the_time(path: str) -> None:
            while not done.is_set():
                with locks.hold([path], timeout=10, holder="small"):
                    time.sleep(0.002)

        threads = [threading.Thread(target=commit_all_the_time, args=(f"/{number}",)) for number in range(4)]
        for thread in threads:
            thread.start()
        try:
            with locks.hold(MANY, timeout=5, holder="large"):
                pass
        finally:
            done.set()
            for thread in threads:
                thread.join()

    def test_while_somebody_waits_for_all_others_stand_behind(self, locks: Locks) -> None:
        with locks.hold([A], timeout=1, holder="first"):
            blocked = locks.hold(MANY, timeout=5, holder="large")
            waiting = threading.Thread(target=blocked.__enter__)
            waiting.start()
            while is_free(locks, B):
                time.sleep(0.0005)
            assert refusal(locks, B).details["holder"] == "large"
        waiting.join()
        blocked.release()
        assert is_free(locks, B)

    def test_who_waited_for_all_and_died_is_not_waited_for(self, locks: Locks, folder: str) -> None:
        assert is_free(locks, A)
        left = Path(folder, "locks", "next")
        left.write_text("1 1.0 dead")
        assert is_free(locks, A)
        assert not left.exists()


def test_a_file_that_is_taken_away_before_it_is_locked_is_no_lock(
    locks: Locks, folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or the next one would make another file of that name, and both would hold it."""
    flock = fcntl.flock
    left = 2

    def take_away_first(descriptor: int, how: int) -> None:
        nonlocal left
        left -= 1
        if left >= 0:
            shutil.rmtree(folder)
        flock(descriptor, how)

    monkeypatch.setattr(fcntl, "flock", take_away_first)
    with locks.hold([A], timeout=1, holder="me"):
        assert left < 0
        assert not is_free(locks, A)


class TestRefusal:
    def test_it_names_the_path_the_holder_its_process_and_the_time(self, locks: Locks, folder: str) -> None:
        start = time.time()
        with another_process(folder, A) as process:
            problem = refusal(locks, B, A)
            assert (problem.code, problem.path, problem.recoverable) == ("locked", A, True)
            since = problem.details["since"]
            assert isinstance(since, float)
            assert start - 0.01 <= since <= time.time()
            shown = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(since))
            assert f"{A} is locked by agent 7 (process {process.pid}, since {shown})" in problem.message
            details = {key: problem.details[key] for key in ("path", "holder", "pid")}
            assert details == {"path": A, "holder": "agent 7", "pid": process.pid}

    def test_another_thread_is_named_as_this_process(self, locks: Locks) -> None:
        with locks.hold([A], timeout=1, holder="other thread"):
            assert "other thread (this process, since" in refusal(locks, A).message

    @pytest.mark.parametrize(("held", "wanted"), [([A], MANY), (MANY, [A]), (MANY, MANY)])
    def test_the_holder_of_all_and_who_keeps_from_all_are_named(
        self, locks: Locks, held: list[str], wanted: list[str]
    ) -> None:
        with locks.hold(held, timeout=1, holder="agent 8"):
            assert refusal(locks, *wanted).details["holder"] == "agent 8"

    def test_it_waits_no_longer_than_it_was_told(self, locks: Locks) -> None:
        with locks.hold([A], timeout=1, holder="me"):
            waited = refusal(locks, A, timeout=0.01).details["waited"]
        assert isinstance(waited, float)
        assert 0.01 <= waited < 1

    def test_a_name_cannot_break_the_message(self, locks: Locks) -> None:
        with locks.hold([A], timeout=1, holder="x\n\x1b[31m" + "y" * 500):
            message = refusal(locks, A).message
        assert message.isprintable()
        assert len(message) < 300

    @pytest.mark.parametrize("text", ["", "nonsense", "1 nan x", "1 1e999 x", "-5 -5 \udcff"])
    def test_a_lock_file_with_other_text_is_a_lock_all_the_same(self, locks: Locks, folder: str, text: str) -> None:
        with locks.hold([A], timeout=1, holder="me"):
            Path(folder, "locks", f"{stripe_of(A):03x}").write_text(text, errors="surrogateescape")
            assert refusal(locks, A).code == "locked"

    def test_a_folder_that_cannot_be_made_is_named(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("in the way")
        problem = refusal(Locks(str(tmp_path / "file/state")), A)
        assert problem.code == "io_error"
        assert str(tmp_path / "file/state") in problem.message

    def test_a_workspace_that_is_gone_is_no_endless_wait(self, tmp_path: Path) -> None:
        assert refusal(Locks(str(tmp_path / "gone/.suture")), A).code == "io_error"


class TestProcesses:
    def test_a_killed_process_holds_nothing(self, locks: Locks, folder: str) -> None:
        with another_process(folder, A) as process:
            assert not is_free(locks, A)
            process.kill()
            process.wait()
            assert is_free(locks, A)

    def test_who_waits_gets_it_when_the_holder_ends(self, locks: Locks, folder: str) -> None:
        with another_process(folder, A) as process:
            assert process.stdin is not None
            timer = threading.Timer(0.005, process.stdin.close)
            timer.start()
            with locks.hold([A], timeout=5, holder="me"):
                pass
            timer.join()

    def test_a_program_that_is_started_meanwhile_does_not_inherit_a_lock(self, locks: Locks) -> None:
        command = [sys.executable, "-c", "import sys; print(flush=True); sys.stdin.read()"]
        with locks.hold([A], timeout=1, holder="me"):
            process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, close_fds=False)
        with process:
            assert process.stdout is not None
            process.stdout.readline()
            assert is_free(locks, A)
            process.communicate()

    def test_the_child_of_a_fork_neither_keeps_nor_ends_a_lock(self, folder: str) -> None:
        program = """
import os, sys
from suture.state.locks import Locks
locks = Locks(sys.argv[1])
left, go = os.pipe(), os.pipe()
with locks.hold(["/a"], timeout=1, holder="parent"):
    child = os.fork()
    if child == 0:
        pass  # it leaves the context as well
    else:
        os.read(left[0], 1)
        print("held while the child is outside:", locks.try_hold(["/a"], "me") is None)
if child == 0:
    os.write(left[1], b".")
    os.read(go[0], 1)
    with locks.hold(["/a"], timeout=1, holder="child"):
        os._exit(0)
free = locks.try_hold(["/a"], "me")
print("free while the child lives:", free is not None)
free.release()
os.write(go[1], b".")
print("the child can hold it:", os.waitpid(child, 0)[1] == 0)
"""
        assert run(program, folder).splitlines() == [
            "held while the child is outside: True",
            "free while the child lives: True",
            "the child can hold it: True",
        ]

    def test_threads_that_lock_and_fork_at_random_leave_no_lock_behind(self, folder: str) -> None:
        program = """
import os, sys, threading, warnings
warnings.simplefilter("ignore", DeprecationWarning)  # of forking with threads: that is what is tested
from suture.state.locks import Locks
locks, done = Locks(sys.argv[1]), threading.Event()
def work(path):
    while not done.is_set():
        with locks.hold([path], timeout=10, holder="thread"):
            pass
threads = [threading.Thread(target=work, args=(f"/{n}",)) for n in range(3)]
for thread in threads: thread.start()
children, keep = [], os.pipe()
for _ in range(30):
    child = os.fork()
    if child == 0:
        os.close(keep[1])
        os.read(keep[0], 1)  # lives on until the parent is through
        os._exit(0)
    children.append(child)
done.set()
for thread in threads: thread.join()
# A child that was forked last lets go when it first runs.
with locks.hold([f"/{n}" for n in range(300)], timeout=20, holder="me"):
    print(True)
os.close(keep[1])
for child in children: os.waitpid(child, 0)
"""
        assert run(program, folder) == "True\n"

    @pytest.mark.slow
    def test_many_with_random_sets_of_paths_lose_nothing_and_never_block_one_another(
        self, folder: str, tmp_path: Path
    ) -> None:
        """Each of 4 processes adds 1 to some of 8 numbers, 60 times, by reading and writing files."""
        program = """
import os, random, sys
from suture.state.locks import Locks
folder, numbers, seed = sys.argv[1:]
chance, locks, added = random.Random(int(seed)), Locks(folder), 0
more = [f"/many/{n}" for n in range(300)]
for turn in range(60):
    paths = [os.path.join(numbers, str(n)) for n in chance.sample(range(8), chance.randint(1, 6))]
    with locks.hold(paths + (more if turn % 15 == 0 else []), timeout=30, holder=seed):
        for path in paths:
            with open(path, "r+") as file:
                value = int(file.read())
                file.seek(0)
                file.write(str(value + 1))
    added += len(paths)
print(added)
"""
        numbers = tmp_path / "numbers"
        numbers.mkdir()
        for name in range(8):
            (numbers / str(name)).write_text("0")
        command = [sys.executable, "-c", program, folder, str(numbers)]
        processes = [subprocess.Popen([*command, str(seed)], stdout=subprocess.PIPE, text=True) for seed in range(4)]
        added = sum(int(process.communicate(timeout=60)[0]) for process in processes)
        assert sum(int((numbers / str(name)).read_text()) for name in range(8)) == added


def test_threads_with_random_sets_of_paths_never_meet(locks: Locks) -> None:
    busy: set[str] = set()
    met: list[str] = []

    def work(seed: int) -> None:
        chance = random.Random(seed)
        for _ in range(40):
            paths = chance.sample(["/a", "/b", "/c", "/d", "/e"], chance.randint(1, 4))
            with locks.hold(paths, timeout=30, holder=str(seed)):
                met.extend(busy.intersection(paths))
                busy.update(paths)
                time.sleep(0.0001)
                busy.difference_update(paths)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert met == []


def test_stripes_are_the_same_in_every_process() -> None:
    program = "from suture.state.locks import stripe_of; print(stripe_of('/some/ä.py'))"
    assert int(run(program)) == stripe_of("/some/ä.py")
