"""A store that is damaged, locked or not ours is refused and stays as it is."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from tests.shared.stores import add, commit, ids, on_disk, refusal, run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


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
    def test_what_is_no_store_of_ours_is_refused_and_stays_as_it_is(self, state_dir: Path, damage: str) -> None:
        with on_disk(state_dir) as store:
            add(store, *(commit(f"{number}") for number in range(200)))
        path = state_dir / "store.db"
        spoil, word = DAMAGES[damage]
        spoil(path)
        before = path.read_bytes() if path.is_file() else b""
        with on_disk(state_dir) as store:
            for call in (store.unfinished, lambda: store.begin(commit("new")), lambda: store.entry("1"), store.log):
                problem = refusal(call)
                assert problem.code == "io_error"
                assert word in problem.message
                assert str(path) in problem.message
                assert "--set-aside" in problem.hint
                assert not problem.recoverable
        assert (path.read_bytes() if path.is_file() else b"") == before

    def test_a_log_without_its_database_is_not_played_into_a_new_one(self, state_dir: Path) -> None:
        state_dir.mkdir(mode=0o700)
        (state_dir / "store.db-wal").write_bytes(b"of another database")
        with on_disk(state_dir) as store:
            assert "its log exists" in refusal(lambda: store.begin(commit("a"))).message
        assert (state_dir / "store.db-wal").read_bytes() == b"of another database"

    def test_what_an_unfinished_creation_left_is_no_hindrance(self, state_dir: Path) -> None:
        state_dir.mkdir(mode=0o700)
        for name in ("store.db.new", "store.db.new-wal", "store.db.new-journal"):
            (state_dir / name).write_bytes(b"half of it")
        with on_disk(state_dir) as store:
            store.begin(commit("a"))
        assert sorted(path.name for path in state_dir.iterdir()) == ["locks", "store.db"]

    def test_a_file_in_the_place_of_the_folder_is_named(self, state_dir: Path) -> None:
        state_dir.write_text("in the way")
        with on_disk(state_dir) as store:
            problem = refusal(lambda: store.begin(commit("a")))
        assert (problem.code, problem.details["reason"]) == ("io_error", "store")
        assert str(state_dir) in problem.message

    def test_a_folder_in_which_nothing_can_be_made_is_named(self, state_dir: Path) -> None:
        """The log cannot be made: as on a disk that can only be read, and for root as well."""
        with on_disk(state_dir) as store:
            store.begin(commit("a"))
        (state_dir / "store.db-wal").mkdir()
        with on_disk(state_dir) as store:
            assert refusal(store.unfinished).code == "io_error"

    def test_a_full_disk_fails_and_leaves_what_was_there(self, state_dir: Path) -> None:
        with on_disk(state_dir) as store:
            add(store, commit("a"))
            with store._database as connection:
                connection.execute("PRAGMA max_page_count=20")
            problem = refusal(lambda: store.begin(commit("b", middle=bytes(1_000_000))))
            assert problem.code == "io_error"
            assert "full" in problem.message
            assert ids(store.log()) == ["a"]
            assert store.unfinished() == ()
            store.begin(commit("c"))

    def test_a_file_that_may_not_grow_fails_cleanly(self, state_dir: Path) -> None:
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
        assert run(program, str(state_dir)) == "io_error\nTrue None\n"

    def test_one_that_others_hold_for_too_long_is_locked(self, state_dir: Path) -> None:
        with on_disk(state_dir, patience=0.005) as store:
            add(store, commit("a"))
            with closing(sqlite3.connect(state_dir / "store.db", isolation_level=None)) as other:
                other.execute("BEGIN IMMEDIATE")
                problem = refusal(lambda: store.begin(commit("b")))
                assert (problem.code, problem.recoverable) == ("locked", True)
                assert ids(store.log()) == ["a"]
            store.begin(commit("b"))
