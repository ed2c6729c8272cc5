"""A workspace that is dropped closes what it opened, without a warning: in threads, at exit, after a fork."""

from __future__ import annotations

import gc
import inspect
import os
import re
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from suture import Workspace
from suture.testing import MemoryFiles

if TYPE_CHECKING:
    from collections.abc import Iterator

SECONDS = 30
DESCRIPTORS = Path("/proc/self/fd")
lists_descriptors = pytest.mark.skipif(not DESCRIPTORS.is_dir(), reason="the system does not list descriptors")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.txt").write_text("one\n")
    return root


@pytest.fixture
def no_cycles() -> Iterator[None]:
    """What is dropped goes at once, or there is a cycle of references."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def opened_below(folder: Path) -> list[str]:
    """The files below a folder that this process has open, and the folder itself."""
    targets = [str(link.readlink()) for link in DESCRIPTORS.iterdir() if link.is_symlink()]
    return [target for target in targets if f"{target}/".startswith(f"{folder}/")]


def run(code: str, root: Path) -> subprocess.CompletedProcess[str]:
    """A program for which every warning is an error."""
    command = [sys.executable, "-W", "error", "-c", code, str(root), str(root.parent / "state")]
    environment = {**os.environ, "PYTHONDEVMODE": "1"}
    return subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False, env=environment)


@lists_descriptors
@pytest.mark.usefixtures("no_cycles")
def test_a_workspace_that_is_dropped_has_nothing_open(root: Path) -> None:
    workspace = Workspace(root, state_dir=root.parent / "state")
    workspace.edit("a.txt", "one", "two")
    assert opened_below(root.parent) != []
    del workspace
    assert opened_below(root.parent) == []


@pytest.mark.parametrize("end", ["", "del workspace", "import os; os.fork() or os._exit(0); os.wait()"])
def test_there_is_no_warning_whenever_it_is_dropped(root: Path, end: str) -> None:
    code = (
        "import sys\nfrom suture import Workspace\n"
        "workspace = Workspace(sys.argv[1], state_dir=sys.argv[2])\n"
        f"workspace.edit('a.txt', 'one', 'two')\n{end}"
    )
    done = run(code, root)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    (state,) = (root.parent / "state").iterdir()
    assert sorted(path.name for path in state.iterdir()) == ["locks", "store.db"]


def test_one_in_memory_is_dropped_without_a_warning() -> None:
    Workspace(MemoryFiles({"a": "1\n"})).edit("a", "1", "2")


def test_one_that_is_kept_by_a_cycle_is_closed_with_it(root: Path) -> None:
    code = (
        "import gc, sys\nfrom suture import Workspace\n"
        "workspace = Workspace(sys.argv[1], state_dir=sys.argv[2])\n"
        "workspace.edit('a.txt', 'one', 'two')\nworkspace.itself = workspace\ndel workspace\ngc.collect()\n"
    )
    done = run(code, root)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_child_of_a_fork_drops_it_without_harm_to_the_parent(root: Path) -> None:
    code = (
        "import os, sys\nfrom suture import Workspace\n"
        "workspace = Workspace(sys.argv[1], state_dir=sys.argv[2])\n"
        "workspace.edit('a.txt', 'one', 'two')\nworkspace.log()\n"
        "if os.fork() == 0:\n    workspace.edit('a.txt', 'two', 'three')\n    del workspace\n    sys.exit()\n"
        "assert os.wait()[1] == 0\n"
        "workspace.edit('a.txt', 'three', 'four')\nprint(len(workspace.log()))\n"
    )
    done = run(code, root)
    assert (done.returncode, done.stdout, done.stderr) == (0, "3\n", "")


@lists_descriptors
@pytest.mark.usefixtures("no_cycles")
def test_a_thread_goes_on_with_the_store_of_a_workspace_that_is_dropped(root: Path) -> None:
    workspace = Workspace(root, state_dir=root.parent / "state")
    workspace.edit("a.txt", "one", "two")
    started, dropped = threading.Event(), threading.Event()
    lengths: list[int] = []

    def work(store: list[object]) -> None:
        log = store.pop().log  # type: ignore[attr-defined]
        while not dropped.is_set():
            lengths.append(len(log()))
            started.set()
        lengths.extend(len(log()) for _ in range(10))

    thread = threading.Thread(target=work, args=([workspace.state.own().store],))
    thread.start()
    assert started.wait(SECONDS)
    del workspace
    dropped.set()
    thread.join(SECONDS)
    assert set(lengths) == {1}
    assert opened_below(root.parent) == []


def test_workspaces_that_are_dropped_in_many_threads_leave_the_others_alone(root: Path) -> None:
    failures: list[BaseException] = []

    def work() -> None:
        try:
            for _ in range(20):
                assert len(Workspace(root, state_dir=root.parent / "state").log()) == 1
        except BaseException as error:  # noqa: BLE001 - told by the test
            failures.append(error)

    with Workspace(root, state_dir=root.parent / "state") as workspace:
        workspace.edit("a.txt", "one", "two")
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(SECONDS)
        assert failures == []
        assert len(workspace.log()) == 1


def test_a_daemon_thread_that_uses_it_does_not_hold_up_the_exit(root: Path) -> None:
    code = (
        "import sys, threading\nfrom suture import Workspace\n"
        "workspace = Workspace(sys.argv[1], state_dir=sys.argv[2])\n"
        "workspace.edit('a.txt', 'one', 'two')\n"
        "inside = threading.Event()\n"
        "def work():\n"
        "    with workspace.state.own().store._database:\n        inside.set()\n        threading.Event().wait()\n"
        "threading.Thread(target=work, daemon=True).start()\ninside.wait()\n"
    )
    done = run(code, root)
    assert (done.returncode, done.stderr) == (0, "")


def test_every_setting_is_explained_in_the_help() -> None:
    described = re.findall(r"^    (\w+): ", inspect.getdoc(Workspace) or "", re.MULTILINE)
    assert described == list(inspect.signature(Workspace).parameters)
