"""Modes of a diff through a kill at every change: "All or nothing, through a crash." holds where no content tells."""

from __future__ import annotations

import itertools
import signal
from typing import TYPE_CHECKING

import pytest
from tests.faults.test_kills import COUNTED, MOST, in_a_child
from tests.faults.trees import tree

from suture import Workspace
from suture.testing import FaultyFiles, KillingFiles

if TYPE_CHECKING:
    from pathlib import Path

DIFF = """\
diff --git a/bin/run b/bin/run
old mode 100644
new mode 100755
diff --git a/lib.sh b/lib.sh
old mode 100755
new mode 100644
--- a/lib.sh
+++ b/lib.sh
@@ -1 +1 @@
-echo one
+echo two
diff --git a/tool b/bin/tool
old mode 100644
new mode 100755
similarity index 100%
rename from tool
rename to bin/tool
diff --git a/new.sh b/new.sh
new file mode 100755
--- /dev/null
+++ b/new.sh
@@ -0,0 +1 @@
+echo new
"""
ONLY_MODE = "diff --git a/bin/run b/bin/run\nold mode 100644\nnew mode 100755\n"


def build(root: Path) -> Path:
    for path, content, mode in (
        ("bin/run", "run\n", 0o640),
        ("lib.sh", "echo one\n", 0o750),
        ("tool", "tool\n", 0o644),
    ):
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)
        file.chmod(mode)
    return root


@pytest.mark.parametrize("diff", [DIFF, ONLY_MODE], ids=["with contents", "only a mode"])
def test_a_process_killed_at_any_change_leaves_all_modes_or_none(tmp_path: Path, diff: str) -> None:
    before = tree(build(tmp_path / "before"))
    whole = build(tmp_path / "whole")
    with Workspace(whole, state_dir=tmp_path / "whole-state") as workspace:
        workspace.apply(diff)
    after = tree(whole)
    assert after["bin/run"] == ("file", 0o750, b"run\n")
    outcomes = set()
    for number in itertools.count(1):
        assert number < MOST
        root, state = build(tmp_path / f"tree-{number}"), tmp_path / f"state-{number}"

        def apply() -> object:
            files = KillingFiles(str(root), number, counted=COUNTED)  # noqa: B023 - called at once
            return Workspace(files, state_dir=state, durability="process").apply(diff)  # noqa: B023

        status = in_a_child(apply)
        with Workspace(root, state_dir=state, durability="process") as workspace:
            recovered = workspace.recover()
        outcomes |= {one.outcome for one in recovered}
        found = tree(root)
        assert found in (before, after), number
        # What is said to be complete is complete, although the content was that of the result all the time.
        assert [one.outcome for one in recovered] != ["completed"] or found == after
        if status == 0:
            assert found == after
            break
    assert outcomes == {"rolled_back", "completed"}


@pytest.mark.parametrize("diff", [DIFF, ONLY_MODE], ids=["with contents", "only a mode"])
def test_a_recovery_of_modes_that_is_killed_can_be_done_again(tmp_path: Path, diff: str) -> None:
    before = tree(build(tmp_path / "before"))
    counting = FaultyFiles(str(build(tmp_path / "count")), MOST * 2, counted=COUNTED)
    Workspace(counting, state_dir=tmp_path / "count-state", durability="process").apply(diff)
    last = max(number for number, (name, _) in enumerate(counting.seen, 1) if name == "rename")
    for number in itertools.count(1):
        assert number < MOST
        root, state = build(tmp_path / f"tree-{number}"), tmp_path / f"state-{number}"

        def apply() -> object:
            files = KillingFiles(str(root), last, counted=COUNTED)  # noqa: B023
            return Workspace(files, state_dir=state, durability="process").apply(diff)  # noqa: B023

        def recover() -> object:
            files = KillingFiles(str(root), number, counted=COUNTED)  # noqa: B023
            return Workspace(files, state_dir=state, durability="process").recover()  # noqa: B023

        assert in_a_child(apply) == -signal.SIGKILL
        status = in_a_child(recover)
        with Workspace(root, state_dir=state, durability="process") as workspace:
            workspace.recover()
        assert tree(root) == before, number
        if status == 0:
            break


@pytest.mark.parametrize("diff", [DIFF, ONLY_MODE], ids=["with contents", "only a mode"])
def test_a_commit_that_fails_at_any_change_leaves_the_modes_as_they_were(tmp_path: Path, diff: str) -> None:
    before = tree(build(tmp_path / "before"))
    for number in itertools.count(1):
        assert number < MOST
        root = build(tmp_path / f"tree-{number}")
        files = FaultyFiles(str(root), number, OSError(5, "broken"), counted=COUNTED)
        try:
            Workspace(files, state_dir=tmp_path / f"state-{number}", durability="process").apply(diff)
        except Exception:  # noqa: BLE001 - whatever it is, the tree tells
            with Workspace(root, state_dir=tmp_path / f"state-{number}", durability="process") as workspace:
                workspace.recover()
            assert tree(root) == before, number
        if not files.failed:
            break
