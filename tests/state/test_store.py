"""The store: the journal, the history and the reads come back as they were written."""

from __future__ import annotations

import os
import sqlite3
import stat
import threading
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from tests.shared.stores import NEW, OLD, add, commit, ids, on_disk, refusal, run

from suture.core.record import ABSENT, Entry, FileRecord, Snapshot
from suture.state.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

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


@pytest.fixture(params=["disk", "memory"])
def store(request: pytest.FixtureRequest, state_dir: Path) -> Iterator[Store]:
    with closing(Store(str(state_dir) if request.param == "disk" else None, durability="process")) as store:
        yield store


class TestJournal:
    def test_an_entry_comes_back_as_it_was(self, store: Store) -> None:
        store.begin(FULL)
        assert store.entry(FULL.id) == FULL
        assert store.unfinished() == (FULL,)

    def test_it_comes_back_in_another_process(self, state_dir: Path) -> None:
        with on_disk(state_dir) as store:
            store.begin(FULL)
            program = "store = Store(sys.argv[1]); print(ascii(store.entry(sys.argv[2]))); store.close()"
            assert run(program, str(state_dir), FULL.id) == ascii(FULL) + "\n"

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

    def test_the_file_gets_smaller_where_most_of_it_is_unused(self, state_dir: Path) -> None:
        with on_disk(state_dir) as store:
            add(store, *(commit(f"{number}", middle=bytes(1_000_000)) for number in range(8)))
        before = (state_dir / "store.db").stat().st_size
        with on_disk(state_dir) as store:
            assert store.prune(None, 0, 0.0) == 8
        assert (state_dir / "store.db").stat().st_size < before / 50

    def test_a_reader_does_not_keep_pruning_from_its_end(self, state_dir: Path) -> None:
        with on_disk(state_dir, patience=0.01) as store:
            add(store, *(commit(f"{number}", middle=bytes(1_000_000)) for number in range(6)))
            with closing(sqlite3.connect(state_dir / "store.db", isolation_level=None)) as reader:
                reader.execute("BEGIN")
                reader.execute("SELECT * FROM running").fetchall()
                assert store.prune(None, 0, 0.0) == 6
            assert store.log() == []


class TestReads:
    def test_the_last_read_of_a_session_is_known(self, store: Store) -> None:
        assert store.sessions.last_read("s", "/w/\udcff") is None
        store.sessions.record_read("s", "/w/\udcff", "a" * 64, "1-9", 1.5)
        store.sessions.record_read("other", "/w/\udcff", "c" * 64, "", 1.5)
        store.sessions.record_read("s", "/w/\udcff", "b" * 64, "2-3", 2.5)
        assert store.sessions.last_read("s", "/w/\udcff") == ("b" * 64, "2-3", 2.5)
        assert store.sessions.last_read("s", "/w/b") is None

    def test_it_goes_with_the_commits_of_its_age(self, store: Store) -> None:
        store.sessions.record_read("s", "/a", "a" * 64, "", 1.0)
        store.sessions.record_read("s", "/b", "b" * 64, "", 9.0)
        assert store.prune(5.0, None, 10.0) == 0
        assert store.sessions.last_read("s", "/a") is None
        assert store.sessions.last_read("s", "/b") is not None


class TestAppliedCalls:
    def test_the_results_of_a_call_are_known_by_path(self, store: Store) -> None:
        assert store.sessions.applied("s", "c") == {}
        store.sessions.record_applied("s", "c", {"/w/a": "1", "/w/\udcff": "2"}, 1.0)
        store.sessions.record_applied("other", "c", {"/w/a": "3"}, 1.0)
        assert store.sessions.applied("s", "c") == {"/w/a": "1", "/w/\udcff": "2"}
        store.sessions.record_applied("s", "c", {"/w/b": "4"}, 2.0)
        assert store.sessions.applied("s", "c") == {"/w/b": "4"}

    def test_a_call_is_forgotten_with_all_its_files(self, store: Store) -> None:
        store.sessions.forget_applied("s", "/w/a")
        store.sessions.record_applied("s", "c", {"/w/a": "1", "/w/b": "2"}, 1.0)
        store.sessions.record_applied("s", "d", {"/w/b": "3"}, 1.0)
        store.sessions.forget_applied("s", "/w/a")
        assert (store.sessions.applied("s", "c"), store.sessions.applied("s", "d")) == ({}, {"/w/b": "3"})

    def test_it_goes_with_the_commits_of_its_age(self, store: Store) -> None:
        for call, time in (("c", 1.0), ("d", 9.0)):
            store.sessions.record_applied("s", call, {"/w/a": "1"}, time)
        assert store.prune(5.0, None, 10.0) == 0
        assert (store.sessions.applied("s", "c"), store.sessions.applied("s", "d")) == ({}, {"/w/a": "1"})


class TestFile:
    def test_reading_makes_nothing(self, state_dir: Path) -> None:
        with on_disk(state_dir) as store:
            assert store.unfinished() == ()
            assert store.log() == []
            assert store.entry("a") is None
            assert store.sessions.last_read("s", "/a") is None
            assert store.sessions.applied("s", "c") == {}
            store.sessions.forget_applied("s", "/a")
            assert store.prune(0.0, 0, 1.0) == 0
            store.forget("a")
            store.mark_undone("a", "b")
        assert not state_dir.exists()

    def test_only_the_user_can_read_it(self, state_dir: Path) -> None:
        with on_disk(state_dir) as store:
            before = os.umask(0)
            try:
                store.begin(commit("a"))
            finally:
                os.umask(before)
            modes = {stat.S_IMODE(path.stat().st_mode) for path in state_dir.rglob("*") if path.is_file()}
            assert len(list(state_dir.glob("store.db*"))) == 3
        assert modes == {0o600}

    def test_nothing_but_the_database_is_left_when_it_is_closed(self, state_dir: Path) -> None:
        with on_disk(state_dir) as store:
            store.begin(commit("a"))
        assert sorted(path.name for path in state_dir.iterdir()) == ["locks", "store.db"]

    def test_it_opens_again_after_it_was_closed(self, state_dir: Path) -> None:
        with on_disk(state_dir) as store:
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

    def test_both_durabilities_share_one_file(self, state_dir: Path) -> None:
        with on_disk(state_dir) as fast, closing(Store(str(state_dir), durability="full")) as safe:
            for number in range(4):
                (fast, safe)[number % 2].begin(commit(f"{number}"))
                (fast, safe)[number % 2].finish(f"{number}")
            assert ids(fast.log()) == ids(safe.log()) == ["3", "2", "1", "0"]

    def test_the_watch_sees_each_change_before_and_after_and_may_break_it_off(self, state_dir: Path) -> None:
        seen: list[tuple[str, str]] = []
        stop_at = ""

        def watch(name: str, what: str) -> None:
            seen.append((name, what))
            if what == stop_at:
                raise KeyboardInterrupt

        with closing(Store(str(state_dir), durability="process", watch=watch)) as store:
            add(store, commit("a"))
            store.unfinished()
            assert seen == [("store", f"{when} {what}") for what in ("begin", "finish") for when in ("before", "after")]
            for stop_at, there in (("before begin", False), ("after begin", True)):
                with pytest.raises(KeyboardInterrupt):
                    store.begin(commit(stop_at))
                assert (store.entry(stop_at) is not None) is there


def test_threads_share_one_store(store: Store) -> None:
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


def test_a_store_of_the_first_version_is_upgraded(state_dir: Path) -> None:
    with on_disk(state_dir) as store:
        store.begin(FULL)
    with closing(sqlite3.connect(state_dir / "store.db")) as connection:
        connection.execute("ALTER TABLE entry DROP COLUMN emptied")
        connection.execute("ALTER TABLE file DROP COLUMN before_uid")
        connection.execute("ALTER TABLE file DROP COLUMN before_gid")
        connection.execute("DROP TABLE applied")
        connection.execute("PRAGMA user_version=1")
        connection.commit()
    with on_disk(state_dir) as store:
        assert store.entry(FULL.id) == FULL
        store.begin(FULL.replace(id="f" * 12, emptied=("/w/new",)))
        entry = store.entry("f" * 12)
        assert entry is not None
        assert entry.emptied == ("/w/new",)
        store.sessions.record_applied("s", "c", {"/w/a": "1"}, 1.0)
