"""Real death on Windows: a process is killed at each operation that changes the disk, 200 and more in all.

A commit, an undo and a recovery are killed, each at all of its points. After that a recovery has to leave one of the
two trees that there may be. Wine takes seconds to start a process, so one that is killed works in many workspaces, each
in a thread of its own: when every thread has come to its point and stands there, the process is ended.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, NamedTuple

import pytest
from tests.shared.sites import envelope

from suture import Workspace
from suture.testing import CHANGES, FaultyFiles

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

BEFORE = {
    "a.txt": b"one\r\ntwo\r\n",
    "sub/b.txt": b"b\n",
    "gone.txt": b"gone\n",
    "sub/alone/gone.txt": b"gone too\n",
    "old.txt": b"moved\n",
    "edit.txt": b"moved\nand changed\n",
    "read-only.txt": b"kept\nfrom writing\n",
}
AFTER = {
    "a.txt": b"one\r\n2\r\n",
    "sub/b.txt": b"B\n",
    "new/deep/c.txt": b"c\n",
    "NEW.txt": b"moved\n",
    "other/edited.txt": b"moved\nand changed twice\n",
    "read-only.txt": b"kept\nfrom others\n",
    "top.txt": b"top\n",
}
PATCH = envelope(
    *("*** Update File: a.txt", "@@", "-two", "+2"),
    *("*** Update File: sub/b.txt", "@@", "-b", "+B"),
    *("*** Add File: new/deep/c.txt", "+c"),
    "*** Delete File: gone.txt",
    "*** Delete File: sub/alone/gone.txt",
    *("*** Update File: old.txt", "*** Move to: NEW.txt"),
    *("*** Update File: edit.txt", "*** Move to: other/edited.txt", "@@", "-and changed", "+and changed twice"),
    *("*** Update File: read-only.txt", "@@", "-from writing", "+from others"),
    *("*** Add File: top.txt", "+top"),
)
#: The status of a process that is killed.
KILLED = 9
ONLY_WINDOWS = pytest.mark.skipif(sys.platform != "win32", reason="it takes the disk of Windows")
COUNTED = CHANGES | {"store"}
#: More operations than there are: nothing fails.
NEVER = 1_000_000
#: Workspaces of one process.
TOGETHER = 20
#: It gets the points, does all of them, says which were never reached, and is killed.
CHILD = """
import json, sys, threading
from suture import Workspace
from suture.core.system import kill_this_process
from suture.testing import CHANGES, FaultyFiles

arrived = threading.Semaphore(0)
finished = []

class WaitingFiles(FaultyFiles):
    def _fail(self):
        arrived.release()
        threading.Event().wait()

def work(root, state, number, durability, action, argument):
    files = WaitingFiles(root, number, counted=CHANGES | {"store"})
    workspace = Workspace(files, state_dir=state, durability=durability)
    if action == "recovery":
        workspace.recover()
    elif action == "undo":
        workspace.undo(argument)
    else:
        workspace.apply(argument)
    finished.append(number)
    arrived.release()

points = json.load(sys.stdin)
for point in points:
    threading.Thread(target=work, args=point, daemon=True).start()
for _ in points:
    arrived.acquire()
sys.stdout.write(json.dumps(finished))
sys.stdout.flush()
kill_this_process()
"""

#: What is killed, how durable it is, and the least number of points that it has.
CASES = [
    ("commit", "full", 40),
    ("commit", "process", 30),
    ("undo", "full", 40),
    ("undo", "process", 30),
    ("recovery of a commit", "full", 20),
    ("recovery of a commit", "process", 20),
    ("recovery of an undo", "full", 20),
    ("recovery of an undo", "process", 20),
]


class Ground(NamedTuple):
    """A workspace and its state."""

    root: Path
    state: Path

    def prepare(self) -> None:
        """Make the tree before, and no state."""
        for folder in self:
            if folder.exists():
                shutil.rmtree(folder)
        for name, data in BEFORE.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)

    def tree(self) -> dict[str, bytes]:
        """All files of the workspace."""
        root = self.root
        return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}

    def commit(self) -> str:
        """Apply the patch; return the ID of the commit."""
        with Workspace(str(self.root), state_dir=str(self.state), durability="process") as workspace:
            return workspace.apply(PATCH).id

    def last_rename(self, action: str, durability: str) -> int:
        """The number of an action's last rename: a death before that leaves the most to repair."""
        self.prepare()
        commit = self.commit() if action == "undo" else ""
        counting = FaultyFiles(str(self.root), NEVER, counted=COUNTED)
        with Workspace(counting, state_dir=str(self.state), durability=durability) as workspace:  # type: ignore[arg-type]
            _ = workspace.undo(commit) if commit else workspace.apply(PATCH)
        return max(number for number, (name, _) in enumerate(counting.seen, 1) if name == "rename")


class Death(NamedTuple):
    """A workspace, and the operation of an action in it at which its process dies."""

    ground: Ground
    number: int
    durability: str
    action: str
    argument: str


def die(deaths: list[Death]) -> set[int]:
    """Let a process die at all these points; the numbers of those that it never reached."""
    points = [[str(death.ground.root), str(death.ground.state), *death[1:]] for death in deaths]
    command = [sys.executable, "-c", CHILD]
    done = subprocess.run(command, input=json.dumps(points).encode(), stdout=subprocess.PIPE, check=False, timeout=600)
    assert done.returncode in (KILLED, -KILLED)
    return set(json.loads(done.stdout))


def test_the_cases_have_two_hundred_points() -> None:
    assert sum(least for _, _, least in CASES) >= 200


# It is quick on Linux, where the first case is run too, so that the test itself is tested there.
@pytest.mark.slow
@pytest.mark.timeout(7200)
@pytest.mark.parametrize(
    ("killed", "durability", "least"),
    [CASES[0], *[pytest.param(*case, marks=ONLY_WINDOWS) for case in CASES[1:]]],
)
def test_a_process_killed_anywhere_leaves_all_or_nothing(
    tmp_path: Path, killed: str, durability: str, least: int, record_property: Callable[[str, object], None]
) -> None:
    action = "undo" if "undo" in killed else "commit"
    is_recovery = "recovery" in killed
    last = Ground(tmp_path / "counted", tmp_path / "counted-state").last_rename(action, durability)
    points, unreached, outcomes = 0, set[int](), set[str]()
    while not unreached:
        deaths = []
        for number in range(points + 1, points + TOGETHER + 1):
            ground = Ground(tmp_path / f"root{number}", tmp_path / f"state{number}")
            ground.prepare()
            argument = ground.commit() if action == "undo" else PATCH
            deaths.append(Death(ground, number, durability, action, argument))
        if is_recovery:
            assert die([death._replace(number=last) for death in deaths]) == set()
            deaths = [death._replace(action="recovery") for death in deaths]
        unreached = die(deaths)
        points += TOGETHER - len(unreached)
        for death in deaths:
            ground = death.ground
            with Workspace(str(ground.root), state_dir=str(ground.state)) as workspace:
                outcomes |= {one.outcome for one in workspace.recover()}
            there = ground.tree()
            assert there in (BEFORE, AFTER), death.number
            if is_recovery:
                assert there == (AFTER if action == "undo" else BEFORE), death.number
            elif death.number in unreached:
                assert there == (BEFORE if action == "undo" else AFTER)
    record_property("points", points)
    assert points >= least
    assert "rolled_back" in outcomes
