"""The public doubles: files that fail, that kill, that lose what was not flushed."""

from __future__ import annotations

import errno
import itertools
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

import suture
from suture.testing import CHANGES, FaultyFiles, MemoryFiles, PowerLossFiles

SEEDS = range(60)


def commit(files: FaultyFiles | MemoryFiles, root: str = "", *, flush: bool = True) -> None:
    """A small commit: a new file in a new folder, an updated one, one that goes."""
    files.make_folder(f"{root}/new")
    files.stage(f"{root}/new/b.tmp", b"added\n", flush=flush)
    files.stage(f"{root}/a.tmp", b"after\n", like=f"{root}/a", flush=flush)
    files.rename(f"{root}/new/b.tmp", f"{root}/new/b", replace=False)
    files.rename(f"{root}/a.tmp", f"{root}/a", replace=True)
    files.remove(f"{root}/c")
    if flush:
        files.flush_folder(f"{root}/new")
        files.flush_folder(root or "/")


BEFORE = {"a": "before\n", "c": "gone\n"}
AFTER = {"a": "after\n", "new/b": "added\n"}


@pytest.mark.parametrize("error", [errno.ENOSPC, OSError(errno.EIO, "x"), KeyboardInterrupt])
def test_the_operation_of_that_number_fails(error: int | BaseException | type[BaseException]) -> None:
    kind = KeyboardInterrupt if error is KeyboardInterrupt else OSError
    for fail_at in itertools.count(1):
        files = FaultyFiles(MemoryFiles(BEFORE), fail_at, error)
        try:
            commit(files)
        except kind:
            assert files.failed
            assert files.count >= fail_at
        else:
            break
    assert not files.failed
    assert files.count == fail_at - 1 == len(files.seen)
    assert {name for name, _ in files.seen} <= CHANGES | {"open", "stat", "list"}


def test_an_error_may_be_given_by_its_number() -> None:
    with pytest.raises(OSError, match="No space") as raised:
        commit(FaultyFiles(MemoryFiles(BEFORE), 3, errno.ENOSPC))
    assert raised.value.errno == errno.ENOSPC


def test_once_or_from_then_on() -> None:
    once = FaultyFiles(MemoryFiles(BEFORE), 1, errno.EIO)
    always = FaultyFiles(MemoryFiles(BEFORE), 1, errno.EIO, forever=True)
    for files in (once, always):
        with pytest.raises(OSError, match="error"):
            files.stat("/a")
    assert once.stat("/a") is not None
    with pytest.raises(OSError, match="error"):
        always.stat("/a")
    assert (once.count, always.count) == (2, 2)


def test_only_some_operations_may_be_counted() -> None:
    files = FaultyFiles(MemoryFiles(BEFORE), 1, errno.EIO, counted=CHANGES)
    assert files.read("/a", 100)[0] == b"before\n"
    assert files.names("/") == ["a", "c"]
    assert files.count == 0
    with pytest.raises(OSError, match="error"):
        files.set_mode("/a", 0o600)
    assert files.seen == [("mode", "/a")]


def test_a_folder_of_the_disk_fails_as_well(tmp_path: Path) -> None:
    for name, text in BEFORE.items():
        (tmp_path / name).write_text(text)
    files = FaultyFiles(str(tmp_path), 10**9)
    assert files.roots == (str(tmp_path),)
    commit(files, str(tmp_path))
    on_disk = {str(path.relative_to(tmp_path)): path.read_text() for path in tmp_path.rglob("*") if path.is_file()}
    assert on_disk == AFTER
    files.make_link(f"{tmp_path}/link", "a")
    assert files.link(f"{tmp_path}/link") == "a"
    files.remove(f"{tmp_path}/new/b")
    files.remove_folder(f"{tmp_path}/new")
    # What is watched is the same everywhere, but that the disk has no rename that refuses.
    in_memory = FaultyFiles(MemoryFiles(BEFORE), 10**9)
    commit(in_memory)
    names = [name for name, path in files.seen if not (name == "unlink" and path.endswith(".tmp"))]
    assert names[: in_memory.count] == [name for name, _ in in_memory.seen]


KILLED = """
import sys
from suture.testing import KillingFiles
files = KillingFiles(sys.argv[1], int(sys.argv[2]))
files.stage(sys.argv[1] + "/a", b"text", flush=False)
files.rename(sys.argv[1] + "/a", sys.argv[1] + "/b", replace=True)
"""


@pytest.mark.parametrize(("kill_at", "left"), [(1, {}), (2, {"a": ""}), (3, {"a": "text"}), (4, {"b": "text"})])
def test_a_process_is_killed_at_that_change(tmp_path: Path, kill_at: int, left: dict[str, str]) -> None:
    source = str(Path(suture.__file__).parent.parent)
    program = f"import sys\nsys.path.insert(0, {source!r})\n{KILLED}"
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path), str(kill_at)], check=False)
    assert done.returncode == (0 if kill_at == 4 else -signal.SIGKILL)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == left


def trees(files: PowerLossFiles) -> list[dict[str, str | bytes]]:
    """All trees that some seeds leave, each once."""
    found: list[dict[str, str | bytes]] = []
    for seed in SEEDS:
        tree = files.crash(seed).texts()
        if tree not in found:
            found.append(tree)
    return found


def test_what_was_given_is_on_the_disk() -> None:
    files = PowerLossFiles({"a": "one\n", "b/c": b"\xff"})
    assert trees(files) == [{"a": "one\n", "b/c": b"\xff"}]


def test_what_was_flushed_stays_whatever_happens() -> None:
    files = PowerLossFiles(BEFORE)
    commit(files)
    files.flush_folder("/")
    assert trees(files) == [AFTER]


def test_a_file_that_was_not_flushed_may_be_empty_or_half() -> None:
    files = PowerLossFiles()
    files.stage("/a", b"12345678", flush=False)
    files.flush_folder("/")
    assert sorted(tree["a"] for tree in trees(files)) == ["", "1234", "12345678"]


def test_a_name_that_was_not_flushed_may_be_there_or_not() -> None:
    files = PowerLossFiles({"a": "old", "b": "old"})
    files.stage("/a.tmp", b"new", flush=True)
    files.rename("/a.tmp", "/a", replace=True)
    files.remove("/b")
    possible = [
        {"a": "old", "b": "old"},
        {"a": "old", "a.tmp": "new", "b": "old"},
        {"a": "new", "b": "old"},
        {"a": "old"},
        {"a": "old", "a.tmp": "new"},
        {"a": "new"},
    ]
    found = trees(files)
    assert all(tree in possible for tree in found)
    assert len(found) == len(possible)


def test_a_rename_comes_to_the_disk_as_one_unless_it_may_be_torn() -> None:
    def moved(*, torn: bool) -> list[dict[str, str | bytes]]:
        files = PowerLossFiles({"one/a": "text", "two/b": ""}, torn_renames=torn)
        files.rename("/one/a", "/two/a", replace=False)
        return trees(files)

    whole = [{"one/a": "text", "two/b": ""}, {"two/a": "text", "two/b": ""}]
    assert all(tree in whole for tree in moved(torn=False))
    assert {"two/b": ""} in moved(torn=True)
    assert {"one/a": "text", "two/a": "text", "two/b": ""} in moved(torn=True)


def test_what_is_in_a_folder_that_was_lost_is_lost() -> None:
    files = PowerLossFiles()
    files.make_folder("/a")
    files.stage("/a/b", b"text", flush=True)
    files.flush_folder("/a")
    assert sorted(trees(files), key=len) == [{}, {"a/b": "text"}]
    files.flush_folder("/")
    assert trees(files) == [{"a/b": "text"}]


def test_a_later_operation_on_a_name_is_not_there_without_the_earlier_ones() -> None:
    files = PowerLossFiles({"a": "1"})
    for text in (b"2", b"3"):
        files.stage("/b", text, flush=True)
        files.rename("/b", "/a", replace=True)
    possible = [{"a": "1"}, {"a": "1", "b": "2"}, {"a": "2"}, {"a": "2", "b": "3"}, {"a": "3"}]
    assert all(tree in possible for tree in trees(files))


def test_modes_and_links_are_kept() -> None:
    files = PowerLossFiles({"a": "text"})
    files.make_link("/b", "a")
    files.make_folder("/c")
    files.set_mode("/a", 0o755)
    files.set_mode("/c", 0o700)
    modes = set()
    for seed in SEEDS:
        stat = files.crash(seed).stat("/a")
        assert stat is not None
        modes.add(stat.mode)
    assert modes == {0o644, 0o755}
    files.flush_folder("/")
    after = files.crash(0)
    assert after.link("/b") == "a"
    kinds = [(stat.kind, stat.mode) for name in "ac" if (stat := after.stat(f"/{name}"))]
    assert kinds == [("file", 0o755), ("folder", 0o700)]


def test_a_commit_may_be_stopped_and_the_power_lost() -> None:
    for fail_at in itertools.count(1):
        files = PowerLossFiles(BEFORE)
        faulty = FaultyFiles(files, fail_at, KeyboardInterrupt, forever=True)
        try:
            commit(faulty)
        except KeyboardInterrupt:
            # A file that was flushed before it got its name is whole wherever that name is.
            for tree in trees(files):
                assert tree.get("a") in {"before\n", "after\n"}
                assert tree.get("new/b") in {None, "added\n"}
        else:
            break


@given(st.integers(), st.booleans())
def test_the_same_seed_gives_the_same_tree_and_the_files_go_on(seed: int, torn: bool) -> None:
    files = PowerLossFiles(BEFORE, torn_renames=torn)
    commit(files, flush=False)
    assert files.crash(seed).texts() == files.crash(seed).texts()
    assert files.texts() == AFTER
