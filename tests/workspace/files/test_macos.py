"""What macOS has not (`O_PATH`, `/proc`, extended attributes, limits on memory), and has instead (`F_FULLFSYNC`)."""

from __future__ import annotations

import errno
import os
import sqlite3
import subprocess
import sys
from importlib import import_module
from typing import TYPE_CHECKING

import pytest
from tests.shared.sites import envelope

from suture import Workspace
from suture.agent import limited_process
from suture.agent.diagnostics.documents import path_of, uri_of
from suture.batch import workers
from suture.replay import git_history
from suture.replay.sources import usual_places
from suture.workspace.files.open_files import DiskFiles

if sys.platform != "win32":
    import fcntl
    import resource

    from suture.workspace.files import disk, openat

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any, NoReturn

PATCH = envelope(
    *("*** Update File: a.txt", "@@", "-one", "+two"), *("*** Add File: new/b.txt", "+b"), "*** Delete File: c.txt"
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.txt").write_bytes(b"one\n")
    (root / "c.txt").write_bytes(b"c\n")
    return root


def commit_and_undo(root: Path, state_dir: Path) -> None:
    with Workspace(str(root), state_dir=str(state_dir), durability="full") as workspace:
        receipt = workspace.apply(PATCH)
        assert sorted(path.name for path in root.rglob("*")) == ["a.txt", "b.txt", "new"]
        workspace.undo(receipt.id)
    assert (root / "a.txt").read_bytes() == b"one\n"
    assert sorted(path.name for path in root.rglob("*")) == ["a.txt", "c.txt"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows opens directories in another way")
def test_a_commit_needs_no_o_path(root: Path, state_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    through = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    monkeypatch.delattr(os, "O_PATH", raising=False)
    monkeypatch.setattr(openat, "THROUGH", through)
    monkeypatch.setattr(disk, "THROUGH", through)
    commit_and_undo(root, state_dir)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such links")
@pytest.mark.parametrize("name", ["/var/project", "/private/var/project"])
def test_a_path_below_var_names_the_same_file_with_and_without_private(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On macOS, `/var` is a link to `/private/var`."""
    root = "/private/var/project"
    monkeypatch.setattr(os.path, "realpath", {"/var/project": root, root: root}.__getitem__)
    aliases = set(disk._aliases([name], (root,)))
    assert aliases == {("/var/project", root)}


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other modes")
def test_the_mode_of_an_unreadable_file_is_set_without_o_path_and_proc(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """macOS changes the mode of a name and follows no link; Linux, which can't, does it by a path below `/proc`."""
    monkeypatch.delattr(os, "O_PATH", raising=False)
    calls = []

    def refuse(name: str, folder: int, path: str) -> NoReturn:  # noqa: ARG001
        raise PermissionError(errno.EACCES, "unreadable", path)

    def record(name: str, mode: int, *, dir_fd: int, follow_symlinks: bool) -> None:
        calls.append((name, oct(mode), os.fstat(dir_fd).st_ino == root.stat().st_ino, follow_symlinks))

    monkeypatch.setattr(disk, "open_file", refuse)
    monkeypatch.setattr(os, "chmod", record)
    files = DiskFiles([str(root)])
    try:
        files.set_mode(f"{root}/a.txt", 0o640)
    finally:
        files.close()
    assert calls == [("a.txt", "0o640", True, False)]


def no_call(*_: object, **__: object) -> NoReturn:
    pytest.fail("macOS has no such call")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limits of this kind")
def test_a_worker_of_a_batch_needs_no_proc_and_no_limit_on_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(resource, "setrlimit", no_call)
    monkeypatch.setattr("builtins.open", no_call)
    with workers._limited_memory(1):
        assert bytearray(2)


def test_a_batch_has_workers_for_all_processors_where_a_process_has_no_set_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 7)
    assert workers.count_cores() == 7


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limits of this kind")
def test_git_needs_no_limit_on_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(resource, "prlimit", no_call, raising=False)
    with subprocess.Popen([sys.executable, "-c", ""]) as run:
        git_history._limit_memory(run)


#: What a limited program does on macOS, which refuses limits on memory.
REFUSING_LIMITS = """
import resource, sys
sys.platform = "darwin"
def refuse(*_):
    raise ValueError("current limit exceeds maximum limit")
resource.setrlimit = refuse
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limits of this kind")
def test_a_limited_program_runs_where_the_system_refuses_limits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "program.py"
    program.write_text("import sys\nsys.stdout.write(sys.stdin.read().upper())\n")
    monkeypatch.setattr(limited_process, "_START", REFUSING_LIMITS + limited_process._START)
    assert limited_process.run_limited(str(program), b"text", memory=1 << 20, seconds=60.0) == b"TEXT"


@pytest.mark.skipif(sys.platform == "win32", reason="the test is of macOS, and Windows can't be taken for it")
def test_the_database_is_flushed_to_the_drive(root: Path, state_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    statements: list[str] = []

    class Recorded(sqlite3.Connection):
        def execute(self, sql: str, *given: Any) -> sqlite3.Cursor:
            statements.append(sql)
            return super().execute(sql, *given)

    raw: Any = import_module("_sqlite3")
    connect = raw.connect

    def connect_recorded(*given: Any, **named: Any) -> Any:
        return connect(*given, **{**named, "factory": Recorded})

    monkeypatch.setattr(raw, "connect", connect_recorded)
    monkeypatch.setattr(sys, "platform", "darwin")
    commit_and_undo(root, state_dir)
    assert {"PRAGMA fullfsync=1", "PRAGMA checkpoint_fullfsync=1"} <= set(statements)


def test_a_commit_needs_no_extended_attributes(root: Path, state_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("getxattr", "setxattr", "listxattr", "removexattr"):
        monkeypatch.delattr(os, name, raising=False)
    if sys.platform != "win32":
        monkeypatch.setattr(disk, "_HAS_ATTRIBUTES", False)
    commit_and_undo(root, state_dir)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows flushes in another way")
def test_a_commit_is_flushed_to_the_drive_where_the_system_can(
    root: Path, state_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = []
    real = fcntl.fcntl

    def record(descriptor: int, command: int, argument: int = 0) -> int:
        if command == 51:
            calls.append(descriptor)
            return 0
        return real(descriptor, command, argument)

    monkeypatch.setattr(fcntl, "F_FULLFSYNC", 51, raising=False)
    monkeypatch.setattr(fcntl, "fcntl", record)
    commit_and_undo(root, state_dir)
    assert len(calls) > 2


@pytest.mark.skipif(sys.platform == "win32", reason="Windows flushes in another way")
def test_a_file_system_that_can_not_flush_to_the_drive_is_flushed_as_elsewhere(
    root: Path, state_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flushed = []
    real = os.fsync

    def refuse(descriptor: int, command: int, argument: int = 0) -> int:  # noqa: ARG001
        raise OSError(errno.ENOTSUP, "not supported")

    def record(descriptor: int) -> None:
        flushed.append(descriptor)
        real(descriptor)

    monkeypatch.setattr(fcntl, "F_FULLFSYNC", 51, raising=False)
    monkeypatch.setattr(fcntl, "fcntl", refuse)
    monkeypatch.setattr(os, "fsync", record)
    commit_and_undo(root, state_dir)
    assert len(flushed) > 2


@pytest.mark.parametrize(
    ("system", "folder"),
    [("darwin", "Library/Application Support"), ("win32", "AppData/Roaming"), ("linux", ".config")],
)
def test_editors_keep_their_transcripts_where_the_system_has_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, system: str, folder: str
) -> None:
    for name in ("APPDATA", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    place = tmp_path / folder / "Code" / "User" / "globalStorage" / "saoudrizwan.claude-dev" / "tasks"
    place.mkdir(parents=True)
    assert [source.path for source in usual_places(tmp_path, tmp_path / "work", system=system)] == [place]


def test_a_uri_of_windows_has_its_drive() -> None:
    assert uri_of("C:/a b/c.py", windows=True) == "file:///C:/a%20b/c.py"
    assert path_of("file:///C:/a%20b/c.py", windows=True) == "C:/a b/c.py"
    assert path_of("file:///c%3A/a.py", windows=True) == "C:/a.py"
    assert path_of(uri_of("/a b", windows=False), windows=False) == "/a b"
