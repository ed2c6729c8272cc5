"""A process without free descriptors, and a journal that others lock: every call raises what the docs say, in time."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

import suture
from suture import PartlyAppliedError, PatchRejectedError, SyncSession, Workspace
from suture.core.system_errors import system_failure
from suture.state.state_folder import STORE
from suture.workspace.committer import one_by_one

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import Self

    from suture.workspace import Receipt

PATCH = "*** Begin Patch\n*** Update File: a.py\n@@ def two\n-    return 2\n+    return 22\n*** End Patch"
BEFORE = "def one():\n    return 1\n\n\ndef two():\n    return 2\n"

#: Runs one call with so many descriptors left, and says how it ended and whether the file has changed.
PROGRAM = """
import asyncio, os, resource, sys
import suture
from suture import Session, Workspace, apply_in_memory, multiedit, parse, replace, update
root, call, spare, patch = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
wrong = patch.replace("return 2\\n", "return 3  # nowhere\\n")
hunks = parse(patch).operations[0].hunks

async def session():
    async with Session(Workspace(root), rules=[("*", "**", "allow")]) as session:
        result = await session.call("apply_patch", {"patchText": patch})
        if result.is_error:
            print("is_error", end=" ")

calls = {
    "apply": lambda: Workspace(root).apply(patch),
    "apply what does not fit": lambda: Workspace(root).apply(wrong),
    "plan": lambda: Workspace(root).plan(patch),
    "edit": lambda: Workspace(root).edit("a.py", "return 2", "return 22"),
    "edit what is not there": lambda: Workspace(root).edit("a.py", "return one hundred", "return 11"),
    "multiedit": lambda: Workspace(root).multiedit("a.py", [("return 2", "return 22")]),
    "write": lambda: Workspace(root).write("b.py", "x"),
    "delete": lambda: Workspace(root).delete("b.py"),
    "move": lambda: Workspace(root).move("a.py", "a.py2"),
    "read": lambda: Workspace(root).read("a.py"),
    "log": lambda: Workspace(root).log(),
    "undo": lambda: Workspace(root).undo("abcdef"),
    "recover": lambda: Workspace(root).recover(),
    "lock": lambda: Workspace(root).lock("a.py").__enter__(),
    "parse": lambda: parse("some prose\\n" + patch),
    "update": lambda: update("a\\nb\\n", hunks),
    "replace": lambda: replace("a b c", "bb", "d"),
    "multiedit in memory": lambda: multiedit("a b c", [("bb", "d")]),
    "apply in memory": lambda: apply_in_memory(patch, {"a.py": "def two():\\n    return 2\\n"}),
    "session": lambda: asyncio.run(session()),
}
if call == "session":
    # An event loop needs descriptors of its own.
    spare += 3
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
held = []
try:
    while True:
        held.append(os.open("/dev/null", os.O_RDONLY))
except OSError:
    pass
for _ in range(spare):
    os.close(held.pop())
try:
    calls[call]()
    print("done")
except suture.SutureError as error:
    print("refused", error.problems[0].code)
finally:
    while held:
        os.close(held.pop())
"""
CALLS = (
    "apply", "apply what does not fit", "plan", "edit", "edit what is not there", "multiedit", "write", "delete",
    "move", "read", "log", "undo", "recover", "lock", "parse", "update", "replace", "multiedit in memory",
    "apply in memory", "session",
)  # fmt: skip


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("spare", [0, 1, 2, 3, 4, 6])
def test_without_descriptors_a_call_is_refused_with_a_problem(tmp_path: Path, call: str, spare: int) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.py").write_text(BEFORE)
    environment = os.environ | {"SUTURE_STATE_DIR": str(tmp_path / "state")}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(root), call, str(spare), PATCH],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    if "done" not in done.stdout or "is_error" in done.stdout:
        assert (root / "a.py").read_text() == BEFORE


def test_a_name_that_cannot_be_loaded_is_an_import_error() -> None:
    program = """
import os, resource, suture
resource.setrlimit(resource.RLIMIT_NOFILE, (32, 32))
held = []
try:
    while True:
        held.append(os.open("/dev/null", os.O_RDONLY))
except OSError:
    pass
try:
    suture.replace
except ImportError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert done.stderr == ""
    assert done.stdout == "suture.replace can't be loaded: Too many open files\n"


def test_the_answer_says_what_to_do() -> None:
    (problem,) = system_failure(OSError(24, "Too many open files")).problems
    assert (problem.code, problem.details["reason"], problem.details["errno"]) == ("io_error", "system", "EMFILE")
    assert "ulimit -n" in problem.hint


def test_a_decorated_function_keeps_its_name_and_its_signature() -> None:
    import inspect  # noqa: PLC0415 - of this test only

    assert (suture.update.__name__, suture.update.__module__) == ("update", "suture.place.update")
    assert "lock_timeout" in inspect.signature(Workspace).parameters
    assert inspect.signature(Workspace.read).return_annotation == "FileContent"


def test_commits_before_an_error_of_the_system_are_named(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(BEFORE)

    with Workspace(tmp_path, state_dir=tmp_path / ".state") as workspace:

        def commits() -> Iterator[Receipt]:
            yield workspace.edit("a.py", "return 1", "return 11")
            raise OSError(24, "Too many open files")

        with pytest.raises(PartlyAppliedError) as caught:
            one_by_one(commits())
    assert "a.py" in caught.value.state_of_disk
    assert caught.value.problems[0].code == "io_error"


def test_an_error_after_the_commit_of_a_call_does_not_say_that_nothing_was_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: object) -> None:
        raise OSError(24, "Too many open files")

    monkeypatch.setattr("suture.agent.steps.diagnose", fail)
    with (
        Workspace(tmp_path, state_dir=tmp_path / ".state") as workspace,
        SyncSession(workspace, rules=[("*", "**", "allow")]) as session,
    ):
        result = session.call("write", {"filePath": "a.py", "content": "x\n"})
    assert result.is_error
    assert "Too many open files" in result.output
    assert "These were done before it and stay:" in result.output
    assert (tmp_path / "a.py").read_text() == "x\n"


class LockedJournal:
    """A workspace whose journal another process has locked."""

    def __init__(self, folder: Path, statements: str) -> None:
        self.root = folder / "root"
        self.root.mkdir()
        (self.root / "a.py").write_text(BEFORE)
        self.state_dir = folder / "state"
        with Workspace(self.root, state_dir=self.state_dir) as workspace:
            workspace.edit("a.py", "return 1", "return 11")
        (store,) = self.state_dir.rglob(STORE)
        self.process = subprocess.Popen(
            [sys.executable, "-c", LOCKER, str(store), *statements.split("; ")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == b"locked\n"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.communicate()


#: Locks a database until its standard input is closed.
LOCKER = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
for statement in sys.argv[2:]:
    connection.execute(statement)
print("locked", flush=True)
sys.stdin.read()
"""
LOCKS = ("BEGIN IMMEDIATE", "PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE; SELECT * FROM sqlite_master")


@pytest.mark.parametrize("statements", LOCKS)
def test_a_locked_journal_is_waited_for_once_and_as_long_as_the_setting_says(tmp_path: Path, statements: str) -> None:
    """What SQLite is told to wait is looked at, and how often, instead of a clock."""
    steps: list[str] = []
    timeouts: list[float] = []
    real_connect = sqlite3.connect

    def connect(where: str, **named: Any) -> Any:
        timeouts.append(named["timeout"])
        return real_connect(where, **named)

    with LockedJournal(tmp_path, statements) as place, pytest.MonkeyPatch.context() as patch:
        patch.setattr("_sqlite3.connect", connect)
        with Workspace(place.root, state_dir=place.state_dir, lock_timeout=1.5) as workspace:
            workspace.files.watch = lambda _, what: steps.append(what)
            with pytest.raises(PatchRejectedError) as caught:
                workspace.edit("a.py", "return 2", "return 22")
    assert caught.value.problems[0].details["reason"] == "store_in_use"
    assert set(timeouts) == {1.5}
    assert "before forget" not in steps
