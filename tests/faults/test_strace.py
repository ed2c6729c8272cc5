"""A second witness: `strace` kills the process at system calls that change the disk, whatever our own seam counts.

It sees what the seam can't: what SQLite does with the journal, and what Python does between two of our steps.
"""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.faults.trees import PATCH, build, tree
from tests.shared.sites import SWIFT

from suture import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator

#: All calls by which Python and SQLite change what is on a disk. One that a system lacks is marked with `?`.
CALLS = (
    "?mkdir mkdirat ?rename renameat ?renameat2 ?link linkat ?unlink unlinkat ?rmdir ?symlink symlinkat "
    "write pwrite64 ?ftruncate fsync fdatasync fchmod ?chmod fchown fsetxattr"
).split()
#: How many of the calls of one run are chosen to kill at; the first and the last are always among them.
RUNS = 30
#: Each part of them is a test of its own, so that they run side by side.
PARTS = 2

SCRIPT = """
import sys
from suture import Workspace
root, state, patch = sys.argv[1:]
with Workspace(root, state_dir=state) as workspace:
    workspace.apply(patch)
"""


def why_not() -> str:
    """Why there can be no such test here; nothing where there can."""
    if not sys.platform.startswith("linux"):
        return "strace is a program of Linux"
    strace = shutil.which("strace")
    if strace is None:
        return "strace is not installed: scripts/install-debian-packages"
    tried = subprocess.run([strace, "-f", "-qq", "-e", "trace=none", "true"], capture_output=True, check=False)
    return "" if tried.returncode == 0 else "ptrace is not allowed here"


pytestmark = pytest.mark.skipif(bool(why_not()), reason=why_not() or "there is strace")


@pytest.fixture
def folder() -> Iterator[Path]:
    made = Path(tempfile.mkdtemp(dir=SWIFT))
    yield made
    shutil.rmtree(made)


def run(root: Path, state: Path, *options: str) -> int:
    """Apply the patch in a process under strace; the signal that ended it, 0 where it came to its end."""
    command = [sys.executable, "-c", SCRIPT, str(root), str(state), PATCH]
    done = subprocess.run(["strace", "-f", "-qq", *options, *command], capture_output=True, text=True, check=False)
    assert done.returncode in (0, -signal.SIGKILL), done.stderr
    return done.returncode


def calls_of(folder: Path) -> list[tuple[str, int]]:
    """The calls of a run without a death, in their order, each with how many of its name there have been."""
    trace = folder / "trace"
    run(build(folder / "counted"), folder / "counted-state", "-e", f"trace={','.join(CALLS)}", "-o", str(trace))
    counts: dict[str, int] = {}
    calls = []
    for name in re.findall(r"^\d+ +(\w+)\(", trace.read_text("utf-8", "replace"), re.MULTILINE):
        counts[name] = counts.get(name, 0) + 1
        calls.append((name, counts[name]))
    return calls


@pytest.mark.parametrize("part", range(PARTS))
def test_a_process_killed_at_a_system_call_leaves_all_before_or_all_after(folder: Path, part: int) -> None:
    before = tree(build(folder / "before"))
    calls = calls_of(folder)
    after = tree(folder / "counted")
    assert {"renameat", "linkat", "unlinkat", "mkdirat", "write", "pwrite64"} <= {name for name, _ in calls}
    chosen = list(dict.fromkeys(calls[round(number * (len(calls) - 1) / (RUNS - 1))] for number in range(RUNS)))
    seen = set()
    killed = 0
    for name, count in chosen[part::PARTS]:
        root, state = build(folder / f"{name}-{count}"), folder / f"{name}-{count}-state"
        traced = ("-e", f"trace={name}", "-e", f"inject={name}:signal=KILL:when={count}", "-o", "/dev/null")
        # Which files share a lock is chance, so a run may have one call less than the one that was counted.
        status = run(root, state, *traced)
        killed += status != 0
        with Workspace(root, state_dir=state, durability="process") as workspace:
            workspace.recover()
            assert workspace.recover() == []
        left = tree(root)
        assert left in ((before, after) if status else (after,)), (name, count)
        seen.add("before" if left == before else "after")
    assert seen == {"before", "after"}
    assert killed > RUNS // PARTS * 3 // 4
