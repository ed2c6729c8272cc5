"""The store between processes: shared, forked, killed at any statement, cut off from power."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from tests.shared.stores import PREAMBLE, ids, on_disk, run


class TestSharing:
    def test_processes_make_and_share_one_store(self, state_dir: Path) -> None:
        program = """
store = Store(sys.argv[1], durability=sys.argv[3])
for number in range(25):
    store.begin(commit(f"{sys.argv[2]}-{number}"))
    store.finish(f"{sys.argv[2]}-{number}")
    if number % 10 == 0: store.close()
store.close()
"""
        command = [sys.executable, "-W", "error", "-c", PREAMBLE + program, str(state_dir)]
        processes = [subprocess.Popen([*command, str(n), ("full", "process")[n % 2]]) for n in range(4)]
        assert [process.wait(60) for process in processes] == [0] * 4
        with on_disk(state_dir) as store:
            assert len(store.log(1000)) == 100
            assert store.unfinished() == ()

    def test_a_store_is_used_on_both_sides_of_a_fork(self, state_dir: Path) -> None:
        program = """
store, memory = Store(sys.argv[1]), Store(None)
store.begin(commit("before")); memory.begin(commit("before"))
child = os.fork()
name = "parent" if child else "child"
for number in range(50):
    store.begin(commit(f"{name}-{number}"))
memory.begin(commit(name))
if child:
    assert os.waitpid(child, 0)[1] == 0
    print(len(store.unfinished()), [entry.id for entry in memory.unfinished()])
store.close(); memory.close()
"""
        assert run(program, str(state_dir)) == "101 ['before', 'parent']\n"

    def test_a_child_keeps_its_store_when_the_parent_closes_its_own(self, state_dir: Path) -> None:
        """A child with the parent's connection would hold no lock, and the parent's end would take its log away."""
        program = """
store = Store(sys.argv[1])
store.begin(commit("before"))
to_child, to_parent = os.pipe(), os.pipe()
child = os.fork()
if child == 0:
    store.begin(commit("child 1"))
    os.write(to_parent[1], b".")
    os.read(to_child[0], 1)
    store.begin(commit("child 2"))
    os._exit(0)
store.begin(commit("parent"))
os.read(to_parent[0], 1)
store.close()
print(os.path.exists(sys.argv[1] + "/store.db-wal"))
os.write(to_child[1], b".")
os.waitpid(child, 0)
print(len(store.unfinished()))
store.close()
"""
        assert run(program, str(state_dir)) == "True\n4\n"

    def test_forks_while_other_threads_write_break_nothing(self, state_dir: Path) -> None:
        program = """
import threading, warnings
warnings.simplefilter("ignore", DeprecationWarning)  # of forking with threads: that is what is tested
store, done = Store(sys.argv[1], durability="process"), threading.Event()
def work(name):
    number = 0
    while not done.is_set():
        store.begin(commit(f"{name}-{number}")); store.finish(f"{name}-{number}")
        number += 1
threads = [threading.Thread(target=work, args=(name,)) for name in range(3)]
for thread in threads: thread.start()
failed = 0
for number in range(15):
    child = os.fork()
    if child == 0:
        store.begin(commit(f"child-{number}"))
        store.close()
        os._exit(0)
    failed += os.waitpid(child, 0)[1] != 0
done.set()
for thread in threads: thread.join()
print(failed, len(store.unfinished()))
store.close()
"""
        assert run(program, str(state_dir)) == "0 15\n"
        with closing(sqlite3.connect(state_dir / "store.db")) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


class TestDeath:
    #: Forks a child for each statement that it runs, which is killed there, until one comes through.
    KILLED = """
def die_at(k, store, act):
    child = os.fork()
    if child == 0:
        left = [k]
        def trace(statement):
            left[0] -= 1
            if left[0] < 0: os.kill(os.getpid(), signal.SIGKILL)
        with store._database as connection:
            connection.set_trace_callback(trace)
        act(store)
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    assert status in (0, signal.SIGKILL), status
    return status != 0
store, k = Store(sys.argv[1], durability="full"), 0
"""

    def test_a_process_killed_at_any_statement_of_begin_leaves_the_whole_entry_or_nothing(
        self, state_dir: Path
    ) -> None:
        program = """
while die_at(k, store, lambda store: store.begin(commit(f"id {k}"))):
    assert store.unfinished() in ((), (commit(f"id {k}"),))
    store.forget(f"id {k}")
    k += 1
print(k > 6, store.unfinished() == (commit(f"id {k}"),))
store.close()
"""
        assert run(self.KILLED + program, str(state_dir)) == "True True\n"

    def test_a_process_killed_at_any_statement_of_finish_leaves_it_open_or_done(self, state_dir: Path) -> None:
        program = """
store.begin(commit("first")); store.finish("first")
entry = commit("id").replace(undoes="first")
store.begin(entry)
while die_at(k, store, lambda store: store.finish("id")):
    assert store.unfinished() == (entry,), store.unfinished()
    assert store.entry("first").undone_by == ""
    k += 1
print(k > 4, store.unfinished(), store.entry("first").undone_by)
store.close()
"""
        assert run(self.KILLED + program, str(state_dir)) == "True () id\n"

    @pytest.mark.slow
    def test_a_process_killed_while_the_store_is_made_leaves_none(self, state_dir: Path) -> None:
        """At each call of the system that makes it: the next process makes it anew, and there is never a half."""
        program = """
from suture.state import database
def killing(k):
    left = [k]
    def watched(call):
        def wrapped(*arguments, **keywords):
            left[0] -= 1
            if left[0] < 0: os.kill(os.getpid(), signal.SIGKILL)
            return call(*arguments, **keywords)
        return wrapped
    os.open, os.rename, os.mkdir, os.fsync = map(watched, (os.open, os.rename, os.mkdir, os.fsync))
    make_tables = database.Database._make_tables
    def slowly(self, connection):
        class Watched:
            execute = staticmethod(watched(connection.execute))
        make_tables(self, Watched)
    database.Database._make_tables = slowly
k = 0
while True:
    folder = f"{sys.argv[1]}/{k}"
    child = os.fork()
    if child == 0:
        killing(k)
        Store(folder).begin(commit("a"))
        os._exit(0)
    if os.waitpid(child, 0)[1] == 0: break
    store = Store(folder)
    assert len(store.unfinished()) <= 1
    store.begin(commit("b"))
    assert store.unfinished()[-1] == commit("b")
    store.close()
    assert sorted(os.listdir(folder)) == ["locks", "store.db"], os.listdir(folder)
    k += 1
print(k > 15)
"""
        assert run(program, str(state_dir)) == "True\n"

    def test_what_a_process_has_written_that_left_its_store_is_there(self, state_dir: Path) -> None:
        program = """
store = Store(sys.argv[1], durability="process")
store.begin(commit("done")); store.finish("done"); store.begin(commit("open"))
store.leave()
print(len(store.unfinished()))
store.leave()
os._exit(0)
"""
        run(program, str(state_dir))
        assert (state_dir / "store.db-wal").stat().st_size > 0
        with on_disk(state_dir) as store:
            assert ids(store.log()) == ["done"]
            assert ids(store.unfinished()) == ["open"]
        assert not (state_dir / "store.db-wal").exists()

    def test_the_log_does_not_grow_with_the_processes_that_left_it(self, state_dir: Path) -> None:
        """Each of them finds it as the one before has left it, and must once move it out and begin it anew."""
        program = """
for number in range(400):
    child = os.fork()
    if child == 0:
        store = Store(sys.argv[1], durability="process")
        store.begin(commit(str(number))); store.finish(str(number))
        store.leave()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
"""
        run(program, str(state_dir))
        assert (state_dir / "store.db-wal").stat().st_size < 6_000_000
        with on_disk(state_dir) as store:
            assert ids(store.log(limit=1000)) == [str(number) for number in reversed(range(400))]

    def test_what_a_killed_process_has_written_is_there(self, state_dir: Path) -> None:
        """Without any flush: the system still has it."""
        program = """
store = Store(sys.argv[1], durability="process")
store.begin(commit("done")); store.finish("done"); store.begin(commit("open"))
os.kill(os.getpid(), signal.SIGKILL)
"""
        with pytest.raises(subprocess.CalledProcessError):
            run(program, str(state_dir))
        with on_disk(state_dir) as store:
            assert ids(store.log()) == ["done"]
            assert ids(store.unfinished()) == ["open"]


def can_trace() -> bool:
    if shutil.which("strace") is None:
        return False
    return subprocess.run(["strace", "-o", os.devnull, "true"], check=False, capture_output=True).returncode == 0


@pytest.mark.skipif(not can_trace(), reason="strace is not there or not allowed")
class TestPowerLoss:
    #: Writes a mark before each step, so that the flushes of a step can be told.
    STEPS = """
def mark(text): os.write(2, f"MARK {text}\\n".encode())
folder, durability, other = sys.argv[1:]
mark("other")
if other != "alone":
    beside = Store(folder, durability="process")
    beside.begin(commit(other)); beside.close(); beside.unfinished()
    if other == "filled": beside.begin(commit("more"))
mark("first")
store = Store(folder, durability=durability)
store.begin(commit(other + "1"))
mark("finish"); store.finish(other + "1")
mark("second"); store.begin(commit(other + "2"))
mark("forget"); store.forget(other + "2")
mark("read"); store.sessions.record_read("s", "/a", "", "", 1.0); store.unfinished()
mark("end")
store.close()
if other != "alone": beside.close()
"""

    @staticmethod
    def flushes(state_dir: Path, durability: str, other: str, program: str = STEPS) -> dict[str, list[str]]:
        """The names of what is flushed, for each step."""
        trace = next(parent for parent in state_dir.parents if parent.exists()) / "trace"
        command = ["strace", "-f", "-y", "-o", str(trace), "-e", "trace=fsync,fdatasync,write"]
        command += [sys.executable, "-c", PREAMBLE + program, str(state_dir), durability, other]
        subprocess.run(command, check=True, capture_output=True, timeout=60)
        found: dict[str, list[str]] = {}
        names: list[str] = []
        for line in trace.read_text().splitlines():
            if "MARK " in line:
                names = found.setdefault(line.split("MARK ")[1].split("\\n")[0], [])
            elif "sync(" in line:
                names.append(Path(line.split("<")[1].split(">")[0]).name)
        return found

    def test_what_is_begun_is_flushed_with_all_the_names_above_it(self, state_dir: Path) -> None:
        found = self.flushes(state_dir / "new" / "deep", "full", "alone")
        assert found["first"][:5] == [state_dir.parent.name, state_dir.name, "new", "store.db.new", "deep"]
        # The head of a new log and its name, then the entry in it.
        assert found["first"][5:] == ["store.db-wal", "deep", "store.db-wal"]
        assert found["second"] == ["store.db-wal"]

    def test_the_rest_is_not_flushed(self, state_dir: Path) -> None:
        found = self.flushes(state_dir, "full", "alone")
        assert [found[step] for step in ("finish", "forget", "read")] == [[], [], []]

    def test_the_name_of_a_log_that_another_has_made_and_not_flushed_is_flushed(self, state_dir: Path) -> None:
        assert self.flushes(state_dir, "full", "made")["first"] == ["store.db-wal", state_dir.name, "store.db-wal"]
        assert self.flushes(state_dir, "full", "filled")["first"] == ["store.db-wal", state_dir.name]

    def test_without_durability_only_the_making_is_flushed(self, state_dir: Path) -> None:
        found = self.flushes(state_dir, "process", "alone")
        # The second time it is the head of a new log, before anything is in it.
        assert found["first"] == [state_dir.parent.name, "store.db.new", state_dir.name, "store.db-wal", state_dir.name]
        assert [found[step] for step in ("finish", "second", "forget", "read")] == [[]] * 4

    def test_a_process_that_leaves_its_store_flushes_nothing(self, state_dir: Path) -> None:
        program = """
os.write(2, b"MARK begin\\n")
store = Store(sys.argv[1], durability="process")
store.begin(commit(sys.argv[3])); store.finish(sys.argv[3])
os.write(2, b"MARK end\\n")
store.leave()
os._exit(0)
"""
        assert self.flushes(state_dir, "", "first", program)["end"] == []
        assert self.flushes(state_dir, "", "second", program) == {"begin": [], "end": []}

    def test_pages_are_moved_out_of_the_log_only_once_it_is_flushed(self, state_dir: Path) -> None:
        """Also without durability: or a loss of power would damage what others have flushed."""
        program = """
store = Store(sys.argv[1], durability="process")
store.begin(commit("0"))
os.write(2, b"MARK fill\\n")
for number in range(1, 600): store.begin(commit(str(number)))
store.close()
"""
        assert self.flushes(state_dir, "", "", program)["fill"][:2] == ["store.db-wal", "store.db"]
