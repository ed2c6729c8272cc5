"""The journal and the history: what was begun is known after any death, and what cannot be read is never touched."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from suture import PatchRejectedError, Problem
from suture.workspace.record import ABSENT, Entry, FileRecord, Snapshot
from suture.workspace.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

OLD = Snapshot("file", "a" * 64, 5, 0o644)
NEW = Snapshot("file", "b" * 64, 7, 0o755)

#: Everything that an entry can hold.
FULL = Entry(
    "0123456789abcdef",
    1700000000.123456,
    "Ärger \udcff",
    "apply_patch",
    "*** Begin Patch\n\0\r\u2028\ud800 … \U0001f600",
    (
        FileRecord("/w/a.py", OLD, NEW, 2, 1, b"\0\xff", "/w/a.py.x.apply-patch.tmp"),
        FileRecord("/w/\udcff/b", ABSENT, Snapshot("link", target="../\udcfe")),
        FileRecord("/w/c", Snapshot("link", target="d"), ABSENT, middle=b"x" * 100_000),
        FileRecord("/w/d", ABSENT, NEW, moved_from="/w/ä"),
    ),
    ("/w/\udcff", "/w/new/er"),
    receipt='{"id": "0123456789abcdef"}',
    undoes="fedc",
    undone_by="ba98",
)


def commit(id: str, time: float = 1.0, path: str = "/w/a", middle: bytes = b"old") -> Entry:  # noqa: A002
    return Entry(id, time, "me", "edit", f"patch of {id}", (FileRecord(path, OLD, NEW, middle=middle),))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "state"


@pytest.fixture(params=["disk", "memory"])
def store(request: pytest.FixtureRequest, folder: Path) -> Iterator[Store]:
    with closing(Store(str(folder) if request.param == "disk" else None, durability="process")) as store:
        yield store


def on_disk(folder: Path, patience: float = 10.0) -> closing[Store]:
    return closing(Store(str(folder), durability="process", patience=patience))


def ids(entries: list[Entry] | tuple[Entry, ...]) -> list[str]:
    return [entry.id for entry in entries]


def add(store: Store, *entries: Entry) -> None:
    for entry in entries:
        store.begin(entry)
        store.finish(entry.id)


def refusal(call: Callable[[], object]) -> Problem:
    with pytest.raises(PatchRejectedError) as caught:
        call()
    (problem,) = caught.value.problems
    return problem


def run(program: str, *arguments: str) -> str:
    """What a program prints that runs in an interpreter of its own."""
    command = [sys.executable, "-W", "error", "-c", PREAMBLE + program, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout


#: What the programs have in common that the tests run.
PREAMBLE = """
import os, signal, sys
from suture.workspace.record import ABSENT, Entry, FileRecord, Snapshot
from suture.workspace.store import Store
def commit(id, path="/w/a"):
    return Entry(id, 1.0, "me", "edit", "patch", (FileRecord(path, ABSENT, Snapshot("file"), middle=b"x" * 9000),))
"""


class TestJournal:
    def test_an_entry_comes_back_as_it_was(self, store: Store) -> None:
        store.begin(FULL)
        assert store.entry(FULL.id) == FULL
        assert store.unfinished() == (FULL,)

    def test_it_comes_back_in_another_process(self, folder: Path) -> None:
        with on_disk(folder) as store:
            store.begin(FULL)
            program = "store = Store(sys.argv[1]); print(ascii(store.entry(sys.argv[2]))); store.close()"
            assert run(program, str(folder), FULL.id) == ascii(FULL) + "\n"

    def test_what_is_finished_is_done_and_has_the_receipt_it_was_begun_with(self, store: Store) -> None:
        store.begin(FULL)
        store.finish(FULL.id)
        assert store.unfinished() == ()
        assert store.entry(FULL.id) == FULL.replace(state="done")

    def test_to_finish_twice_changes_nothing(self, store: Store) -> None:
        add(store, commit("a"))
        store.finish("a")
        assert store.log() == [commit("a", middle=b"").replace(state="done")]

    def test_what_is_forgotten_is_gone(self, store: Store) -> None:
        add(store, commit("a"))
        store.begin(commit("b"))
        store.forget("b")
        store.forget("never there")
        assert store.unfinished() == ()
        assert store.entry("b") is None
        assert ids(store.log()) == ["a"]

    def test_several_run_at_once_and_are_told_oldest_first(self, store: Store) -> None:
        for id_ in ("b", "c", "a"):
            store.begin(commit(id_))
        store.finish("c")
        assert store.unfinished() == (commit("b"), commit("a"))

    def test_the_contents_before_can_be_left_out(self, store: Store) -> None:
        store.begin(commit("a"))
        assert store.unfinished(whole=False) == (commit("a", middle=b""),)

    def test_an_undo_marks_what_it_undoes_when_it_is_finished(self, store: Store) -> None:
        add(store, commit("a"))
        undo = commit("b").replace(undoes="a")
        store.begin(undo)
        assert [entry.undone_by for entry in store.log()] == [""]
        store.finish("b")
        assert [(entry.id, entry.undone_by) for entry in store.log()] == [("b", ""), ("a", "b")]

    def test_the_mark_can_be_set_and_taken_back(self, store: Store) -> None:
        add(store, commit("a"))
        for by in ("z", ""):
            store.mark_undone("a", by)
            assert [entry.undone_by for entry in store.log()] == [by]

    def test_a_thousand_files_are_one_entry(self, store: Store) -> None:
        files = tuple(FileRecord(f"/w/{number}", OLD, NEW, middle=b"x" * number) for number in range(1000))
        entry = commit("a").replace(files=files)
        store.begin(entry)
        assert store.entry("a") == entry


class TestHistory:
    def test_the_beginning_of_an_id_is_enough_where_it_is_the_only_one(self, store: Store) -> None:
        add(store, commit("abc1"), commit("abd2"))
        found = [store.entry(id_) for id_ in ("abc", "abd2", "x", "")]
        assert [entry and entry.id for entry in found] == ["abc1", "abd2", None, None]

    def test_a_beginning_of_several_is_refused_with_the_ids(self, store: Store) -> None:
        add(store, *(commit(f"ab{number}") for number in range(7)))
        problem = refusal(lambda: store.entry("ab"))
        assert problem.code == "invalid_arguments"
        assert problem.details["ids"] == ["ab0", "ab1", "ab2", "ab3", "ab4"]

    def test_a_whole_id_wins_over_longer_ones(self, store: Store) -> None:
        add(store, commit("ab"), commit("abc"))
        assert store.entry("ab") is not None

    def test_the_log_is_newest_first_by_the_order_of_the_commits_and_has_no_contents(self, store: Store) -> None:
        add(store, commit("b", 3.0), commit("a", 1.0))
        store.begin(commit("still running"))
        expected = [commit("a", 1.0, middle=b""), commit("b", 3.0, middle=b"")]
        assert store.log() == [e.replace(state="done") for e in expected]

    def test_the_log_can_be_read_in_pieces(self, store: Store) -> None:
        add(store, *(commit(f"{number}") for number in range(5)))
        assert ids(store.log(2)) == ["4", "3"]
        assert ids(store.log(2, before="3")) == ["2", "1"]
        assert ids(store.log(2, before="0")) == []

    def test_the_log_before_something_that_is_not_there_is_refused(self, store: Store) -> None:
        add(store, commit("a"))
        assert refusal(lambda: store.log(before="b")).code == "not_found"
        assert refusal(lambda: store.log(before="")).code == "not_found"

    def test_the_log_of_a_path(self, store: Store) -> None:
        add(store, commit("1", path="/w/\udcff"), commit("2", path="/w/b"), commit("3", path="/w/\udcff"))
        assert ids(store.log(path="/w/\udcff")) == ["3", "1"]
        assert ids(store.log(path="/w/\udcff", before="3", limit=5)) == ["1"]
        assert ids(store.log(path="/w")) == []

    def test_old_commits_are_pruned_but_never_those_that_run(self, store: Store) -> None:
        store.begin(commit("running", 10.0))
        add(store, commit("old", 10.0), commit("new", 20.0))
        assert store.prune(max_age=5.0, max_bytes=None, now=22.0) == 1
        assert ids(store.log()) == ["new"]
        assert ids(store.unfinished()) == ["running"]
        assert store.entry("old") is None

    def test_the_oldest_go_until_the_rest_fits(self, store: Store) -> None:
        add(store, *(commit(f"{number}", middle=bytes(100_000)) for number in range(20)))
        assert store.prune(None, 10**9, 0.0) == 0
        pruned = store.prune(None, 1_000_000, 0.0)
        assert 9 <= pruned <= 13
        assert ids(store.log())[-1] == str(pruned)
        store.begin(commit("running"))
        assert store.prune(None, 0, 0.0) == 20 - pruned
        assert ids(store.unfinished()) == ["running"]

    def test_no_limits_prune_nothing(self, store: Store) -> None:
        add(store, commit("a"))
        assert store.prune(None, None, 1e12) == 0

    def test_the_file_gets_smaller_where_most_of_it_is_unused(self, folder: Path) -> None:
        with on_disk(folder) as store:
            add(store, *(commit(f"{number}", middle=bytes(1_000_000)) for number in range(8)))
        before = (folder / "store.db").stat().st_size
        with on_disk(folder) as store:
            assert store.prune(None, 0, 0.0) == 8
        assert (folder / "store.db").stat().st_size < before / 50

    def test_a_reader_does_not_keep_pruning_from_its_end(self, folder: Path) -> None:
        with on_disk(folder, patience=0.01) as store:
            add(store, *(commit(f"{number}", middle=bytes(1_000_000)) for number in range(6)))
            with closing(sqlite3.connect(folder / "store.db", isolation_level=None)) as reader:
                reader.execute("BEGIN")
                reader.execute("SELECT * FROM running").fetchall()
                assert store.prune(None, 0, 0.0) == 6
            assert store.log() == []


class TestReads:
    def test_the_last_read_of_a_session_is_known(self, store: Store) -> None:
        assert store.last_read("s", "/w/\udcff") is None
        store.record_read("s", "/w/\udcff", "a" * 64, "1-9", 1.5)
        store.record_read("other", "/w/\udcff", "c" * 64, "", 1.5)
        store.record_read("s", "/w/\udcff", "b" * 64, "2-3", 2.5)
        assert store.last_read("s", "/w/\udcff") == ("b" * 64, "2-3", 2.5)
        assert store.last_read("s", "/w/b") is None

    def test_it_goes_with_the_commits_of_its_age(self, store: Store) -> None:
        store.record_read("s", "/a", "a" * 64, "", 1.0)
        store.record_read("s", "/b", "b" * 64, "", 9.0)
        assert store.prune(5.0, None, 10.0) == 0
        assert store.last_read("s", "/a") is None
        assert store.last_read("s", "/b") is not None


class TestFile:
    def test_reading_makes_nothing(self, folder: Path) -> None:
        with on_disk(folder) as store:
            assert store.unfinished() == ()
            assert store.log() == []
            assert store.entry("a") is None
            assert store.last_read("s", "/a") is None
            assert store.prune(0.0, 0, 1.0) == 0
            store.forget("a")
            store.mark_undone("a", "b")
        assert not folder.exists()

    def test_only_the_user_can_read_it(self, folder: Path) -> None:
        with on_disk(folder) as store:
            before = os.umask(0)
            try:
                store.begin(commit("a"))
            finally:
                os.umask(before)
            modes = {stat.S_IMODE(path.stat().st_mode) for path in folder.rglob("*") if path.is_file()}
            assert len(list(folder.glob("store.db*"))) == 3
        assert modes == {0o600}

    def test_nothing_but_the_database_is_left_when_it_is_closed(self, folder: Path) -> None:
        with on_disk(folder) as store:
            store.begin(commit("a"))
        assert sorted(path.name for path in folder.iterdir()) == ["locks", "store.db"]

    def test_it_opens_again_after_it_was_closed(self, folder: Path) -> None:
        with on_disk(folder) as store:
            store.begin(commit("a"))
            store.close()
            store.close()
            assert ids(store.unfinished()) == ["a"]

    @pytest.mark.parametrize("name", ["a b?c#d%20e", "ä", "x'y\"z", "\udcff"])
    def test_any_name_of_a_folder_will_do(self, tmp_path: Path, name: str) -> None:
        for _ in range(2):
            with on_disk(tmp_path / name) as store:
                store.begin(commit(os.urandom(4).hex()))
        assert [path.name for path in tmp_path.iterdir()] == [name]

    def test_both_durabilities_share_one_file(self, folder: Path) -> None:
        with on_disk(folder) as fast, closing(Store(str(folder), durability="full")) as safe:
            for number in range(4):
                (fast, safe)[number % 2].begin(commit(f"{number}"))
                (fast, safe)[number % 2].finish(f"{number}")
            assert ids(fast.log()) == ids(safe.log()) == ["3", "2", "1", "0"]

    def test_the_watch_sees_each_change_before_and_after_and_may_break_it_off(self, folder: Path) -> None:
        seen: list[tuple[str, str]] = []
        stop_at = ""

        def watch(name: str, what: str) -> None:
            seen.append((name, what))
            if what == stop_at:
                raise KeyboardInterrupt

        with closing(Store(str(folder), durability="process", watch=watch)) as store:
            add(store, commit("a"))
            store.unfinished()
            assert seen == [("store", f"{when} {what}") for what in ("begin", "finish") for when in ("before", "after")]
            for stop_at, there in (("before begin", False), ("after begin", True)):
                with pytest.raises(KeyboardInterrupt):
                    store.begin(commit(stop_at))
                assert (store.entry(stop_at) is not None) is there


def aside(path: Path) -> Path:
    """The same file under another name."""
    return path.rename(path.with_name("aside"))


def overwrite(path: Path) -> None:
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xa5" * (path.stat().st_size - 4096))


def statement(path: Path, sql: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(sql)


#: Every way in which a file can be no store of ours, and a word of the reason.
DAMAGES: dict[str, tuple[Callable[[Path], object], str]] = {
    "garbage": (lambda path: path.write_bytes(os.urandom(8192)), "not a database"),
    "text": (lambda path: path.write_text("dear diary\n" * 500), "not a database"),
    "empty": (lambda path: path.write_bytes(b""), "empty"),
    "cut in half": (lambda path: os.truncate(path, path.stat().st_size // 2), "malformed"),
    "cut short": (lambda path: os.truncate(path, 50), "truncated"),
    "cut after the first page": (lambda path: os.truncate(path, 4096), "malformed"),
    "overwritten pages": (overwrite, "malformed"),
    "a folder": (lambda path: aside(path).parent.joinpath("store.db").mkdir(), "not a regular file"),
    "a link": (lambda path: path.symlink_to(aside(path)), "not a regular file"),
    "a pipe": (lambda path: os.mkfifo(aside(path).with_name("store.db")), "not a regular file"),
    "another program's": (lambda path: statement(path, "PRAGMA application_id=1"), "another program"),
    "a newer version's": (lambda path: statement(path, "PRAGMA user_version=99"), "newer Suture"),
}


class TestDamage:
    @pytest.mark.parametrize("damage", DAMAGES)
    def test_what_is_no_store_of_ours_is_refused_and_stays_as_it_is(self, folder: Path, damage: str) -> None:
        with on_disk(folder) as store:
            add(store, *(commit(f"{number}") for number in range(200)))
        path = folder / "store.db"
        spoil, word = DAMAGES[damage]
        spoil(path)
        before = path.read_bytes() if path.is_file() else b""
        with on_disk(folder) as store:
            for call in (store.unfinished, lambda: store.begin(commit("new")), lambda: store.entry("1"), store.log):
                problem = refusal(call)
                assert problem.code == "io_error"
                assert word in problem.message
                assert str(path) in problem.message
                assert "move it" in problem.hint
                assert not problem.recoverable
        assert (path.read_bytes() if path.is_file() else b"") == before

    def test_a_log_without_its_database_is_not_played_into_a_new_one(self, folder: Path) -> None:
        folder.mkdir(mode=0o700)
        (folder / "store.db-wal").write_bytes(b"of another database")
        with on_disk(folder) as store:
            assert "its log exists" in refusal(lambda: store.begin(commit("a"))).message
        assert (folder / "store.db-wal").read_bytes() == b"of another database"

    def test_what_an_unfinished_creation_left_is_no_hindrance(self, folder: Path) -> None:
        folder.mkdir(mode=0o700)
        for name in ("store.db.new", "store.db.new-wal", "store.db.new-journal"):
            (folder / name).write_bytes(b"half of it")
        with on_disk(folder) as store:
            store.begin(commit("a"))
        assert sorted(path.name for path in folder.iterdir()) == ["locks", "store.db"]

    def test_a_file_in_the_place_of_the_folder_is_named(self, folder: Path) -> None:
        folder.write_text("in the way")
        with on_disk(folder) as store:
            problem = refusal(lambda: store.begin(commit("a")))
        assert (problem.code, problem.details["reason"]) == ("io_error", "store")
        assert str(folder) in problem.message

    def test_a_folder_in_which_nothing_can_be_made_is_named(self, folder: Path) -> None:
        """The log cannot be made: as on a disk that can only be read, and for root as well."""
        with on_disk(folder) as store:
            store.begin(commit("a"))
        (folder / "store.db-wal").mkdir()
        with on_disk(folder) as store:
            assert refusal(store.unfinished).code == "io_error"

    def test_a_full_disk_fails_and_leaves_what_was_there(self, folder: Path) -> None:
        with on_disk(folder) as store:
            add(store, commit("a"))
            with store._database as connection:
                connection.execute("PRAGMA max_page_count=20")
            problem = refusal(lambda: store.begin(commit("b", middle=bytes(1_000_000))))
            assert problem.code == "io_error"
            assert "full" in problem.message
            assert ids(store.log()) == ["a"]
            assert store.unfinished() == ()
            store.begin(commit("c"))

    def test_a_file_that_may_not_grow_fails_cleanly(self, folder: Path) -> None:
        """The system refuses to write, as a quota does."""
        program = """
import resource
from suture import PatchRejectedError
store = Store(sys.argv[1])
store.begin(commit("a"))
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
before = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (70_000, before[1]))
try:
    for number in range(100): store.begin(commit(str(number)))
except PatchRejectedError as rejected:
    print(rejected.problems[0].code)
resource.setrlimit(resource.RLIMIT_FSIZE, before)
print(len(store.unfinished()) == number + 1, store.entry(str(number)))
store.begin(commit("b"))
store.close()
"""
        assert run(program, str(folder)) == "io_error\nTrue None\n"

    def test_one_that_others_hold_for_too_long_is_locked(self, folder: Path) -> None:
        with on_disk(folder, patience=0.005) as store:
            add(store, commit("a"))
            with closing(sqlite3.connect(folder / "store.db", isolation_level=None)) as other:
                other.execute("BEGIN IMMEDIATE")
                problem = refusal(lambda: store.begin(commit("b")))
                assert (problem.code, problem.recoverable) == ("locked", True)
                assert ids(store.log()) == ["a"]
            store.begin(commit("b"))


class TestSharing:
    def test_threads_share_one_store(self, store: Store) -> None:
        def work(name: int) -> None:
            for number in range(25):
                add(store, commit(f"{name}-{number}"))

        threads = [threading.Thread(target=work, args=(name,)) for name in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(store.log(1000)) == 150
        assert store.unfinished() == ()

    def test_processes_make_and_share_one_store(self, folder: Path) -> None:
        program = """
store = Store(sys.argv[1], durability=sys.argv[3])
for number in range(25):
    store.begin(commit(f"{sys.argv[2]}-{number}"))
    store.finish(f"{sys.argv[2]}-{number}")
    if number % 10 == 0: store.close()
store.close()
"""
        command = [sys.executable, "-W", "error", "-c", PREAMBLE + program, str(folder)]
        processes = [subprocess.Popen([*command, str(n), ("full", "process")[n % 2]]) for n in range(4)]
        assert [process.wait(60) for process in processes] == [0] * 4
        with on_disk(folder) as store:
            assert len(store.log(1000)) == 100
            assert store.unfinished() == ()

    def test_a_store_is_used_on_both_sides_of_a_fork(self, folder: Path) -> None:
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
        assert run(program, str(folder)) == "101 ['before', 'parent']\n"

    def test_a_child_keeps_its_store_when_the_parent_closes_its_own(self, folder: Path) -> None:
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
        assert run(program, str(folder)) == "True\n4\n"

    def test_forks_while_other_threads_write_break_nothing(self, folder: Path) -> None:
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
        assert run(program, str(folder)) == "0 15\n"
        with closing(sqlite3.connect(folder / "store.db")) as connection:
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

    def test_a_process_killed_at_any_statement_of_begin_leaves_the_whole_entry_or_nothing(self, folder: Path) -> None:
        program = """
while die_at(k, store, lambda store: store.begin(commit(f"id {k}"))):
    assert store.unfinished() in ((), (commit(f"id {k}"),))
    store.forget(f"id {k}")
    k += 1
print(k > 6, store.unfinished() == (commit(f"id {k}"),))
store.close()
"""
        assert run(self.KILLED + program, str(folder)) == "True True\n"

    def test_a_process_killed_at_any_statement_of_finish_leaves_it_open_or_done(self, folder: Path) -> None:
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
        assert run(self.KILLED + program, str(folder)) == "True () id\n"

    @pytest.mark.slow
    def test_a_process_killed_while_the_store_is_made_leaves_none(self, folder: Path) -> None:
        """At each call of the system that makes it: the next process makes it anew, and there is never a half."""
        program = """
from suture.workspace import database
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
        assert run(program, str(folder)) == "True\n"

    def test_what_a_process_has_written_that_left_its_store_is_there(self, folder: Path) -> None:
        program = """
store = Store(sys.argv[1], durability="process")
store.begin(commit("done")); store.finish("done"); store.begin(commit("open"))
store.leave()
print(len(store.unfinished()))
store.leave()
os._exit(0)
"""
        run(program, str(folder))
        assert (folder / "store.db-wal").stat().st_size > 0
        with on_disk(folder) as store:
            assert ids(store.log()) == ["done"]
            assert ids(store.unfinished()) == ["open"]
        assert not (folder / "store.db-wal").exists()

    def test_the_log_does_not_grow_with_the_processes_that_left_it(self, folder: Path) -> None:
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
        run(program, str(folder))
        assert (folder / "store.db-wal").stat().st_size < 6_000_000
        with on_disk(folder) as store:
            assert ids(store.log(limit=1000)) == [str(number) for number in reversed(range(400))]

    def test_what_a_killed_process_has_written_is_there(self, folder: Path) -> None:
        """Without any flush: the system still has it."""
        program = """
store = Store(sys.argv[1], durability="process")
store.begin(commit("done")); store.finish("done"); store.begin(commit("open"))
os.kill(os.getpid(), signal.SIGKILL)
"""
        with pytest.raises(subprocess.CalledProcessError):
            run(program, str(folder))
        with on_disk(folder) as store:
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
mark("read"); store.record_read("s", "/a", "", "", 1.0); store.unfinished()
mark("end")
store.close()
if other != "alone": beside.close()
"""

    @staticmethod
    def flushes(folder: Path, durability: str, other: str, program: str = STEPS) -> dict[str, list[str]]:
        """The names of what is flushed, for each step."""
        trace = next(parent for parent in folder.parents if parent.exists()) / "trace"
        command = ["strace", "-f", "-y", "-o", str(trace), "-e", "trace=fsync,fdatasync,write"]
        command += [sys.executable, "-c", PREAMBLE + program, str(folder), durability, other]
        subprocess.run(command, check=True, capture_output=True, timeout=60)
        found: dict[str, list[str]] = {}
        names: list[str] = []
        for line in trace.read_text().splitlines():
            if "MARK " in line:
                names = found.setdefault(line.split("MARK ")[1].split("\\n")[0], [])
            elif "sync(" in line:
                names.append(Path(line.split("<")[1].split(">")[0]).name)
        return found

    def test_what_is_begun_is_flushed_with_all_the_names_above_it(self, folder: Path) -> None:
        found = self.flushes(folder / "new" / "deep", "full", "alone")
        assert found["first"][:5] == [folder.parent.name, folder.name, "new", "store.db.new", "deep"]
        # The head of a new log and its name, then the entry in it.
        assert found["first"][5:] == ["store.db-wal", "deep", "store.db-wal"]
        assert found["second"] == ["store.db-wal"]

    def test_the_rest_is_not_flushed(self, folder: Path) -> None:
        found = self.flushes(folder, "full", "alone")
        assert [found[step] for step in ("finish", "forget", "read")] == [[], [], []]

    def test_the_name_of_a_log_that_another_has_made_and_not_flushed_is_flushed(self, folder: Path) -> None:
        assert self.flushes(folder, "full", "made")["first"] == ["store.db-wal", folder.name, "store.db-wal"]
        assert self.flushes(folder, "full", "filled")["first"] == ["store.db-wal", folder.name]

    def test_without_durability_only_the_making_is_flushed(self, folder: Path) -> None:
        found = self.flushes(folder, "process", "alone")
        # The second time it is the head of a new log, before anything is in it.
        assert found["first"] == [folder.parent.name, "store.db.new", folder.name, "store.db-wal", folder.name]
        assert [found[step] for step in ("finish", "second", "forget", "read")] == [[]] * 4

    def test_a_process_that_leaves_its_store_flushes_nothing(self, folder: Path) -> None:
        program = """
os.write(2, b"MARK begin\\n")
store = Store(sys.argv[1], durability="process")
store.begin(commit(sys.argv[3])); store.finish(sys.argv[3])
os.write(2, b"MARK end\\n")
store.leave()
os._exit(0)
"""
        assert self.flushes(folder, "", "first", program)["end"] == []
        assert self.flushes(folder, "", "second", program) == {"begin": [], "end": []}

    def test_pages_are_moved_out_of_the_log_only_once_it_is_flushed(self, folder: Path) -> None:
        """Also without durability: or a loss of power would damage what others have flushed."""
        program = """
store = Store(sys.argv[1], durability="process")
store.begin(commit("0"))
os.write(2, b"MARK fill\\n")
for number in range(1, 600): store.begin(commit(str(number)))
store.close()
"""
        assert self.flushes(folder, "", "", program)["fill"][:2] == ["store.db-wal", "store.db"]
