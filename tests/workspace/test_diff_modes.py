"""Modes of a diff: "What `git apply` accepts at its own lines is accepted, file modes of added files included." """

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from suture import AddFile, PatchInvalidError, PatchRejectedError, UpdateFile, Workspace, apply_in_memory, parse
from suture.agent import Request
from suture.workspace import MemoryFiles, Plan

if TYPE_CHECKING:
    from tests.shared.sites import Site

HEAD = "diff --git a/run.sh b/run.sh\n"
NEW = HEAD + "new file mode 100755\n--- /dev/null\n+++ b/run.sh\n@@ -0,0 +1 @@\n+echo one\n"
ON = HEAD + "old mode 100644\nnew mode 100755\n"
OFF = HEAD + "old mode 100755\nnew mode 100644\n"
#: The mode that the undo of a diff gives.
OPPOSITE = {ON: "100644", OFF: "100755"}
NAMES = "--- a/run.sh\n+++ b/run.sh\n"
HUNK = "@@ -1 +1 @@\n-echo one\n+echo two\n"
MOVE = "diff --git a/run.sh b/bin/run\n{modes}similarity index 100%\nrename from run.sh\nrename to bin/run\n"


def names_of(concessions: tuple[object, ...]) -> list[str]:
    return [str(getattr(one, "name", "")) for one in concessions]


class TestReading:
    @pytest.mark.parametrize(
        ("written", "mode"), [("100644", ""), ("100755", "100755"), ("100775", "100755"), ("755", "100755")]
    )
    def test_a_new_file_is_executable_if_its_owner_may_execute_it(self, written: str, mode: str) -> None:
        patch = parse(NEW.replace("100755", written))
        assert patch.operations == (AddFile("run.sh", "echo one\n", mode=mode),)  # type: ignore[arg-type]

    @pytest.mark.parametrize("written", ["100664", "100600", "644", "executable"])
    def test_a_mode_that_git_does_not_know_is_noted_with_the_file(self, written: str) -> None:
        (concession,) = parse(NEW.replace("100755", written)).concessions
        assert (concession.name, concession.line, concession.about) == ("file_mode", 1, f"{written} of run.sh")

    def test_a_mode_that_stays_is_no_change(self) -> None:
        (update,) = parse(HEAD + "old mode 100644\nnew mode 100644\n" + NAMES + HUNK).operations
        assert isinstance(update, UpdateFile)
        assert update.mode == ""

    @pytest.mark.parametrize("mode", ["120000", "160000"])
    @pytest.mark.parametrize("line", ["new file mode {}\n", "old mode 100644\nnew mode {}\n", "old mode {}\n"])
    def test_links_and_submodules_are_refused(self, mode: str, line: str) -> None:
        with pytest.raises(PatchInvalidError, match="symbolic link or a submodule"):
            parse(HEAD + line.format(mode) + NAMES + HUNK)

    def test_a_diff_that_replaces_a_file_keeps_the_mode_that_it_says(self) -> None:
        delete = HEAD + "deleted file mode 100755\n--- a/run.sh\n+++ /dev/null\n@@ -1 +0,0 @@\n-echo one\n"
        added = parse(delete + NEW.replace("100755", "100644")).operations[1]
        assert added == AddFile("run.sh", "echo one\n", mode="100644")


class TestCommits:
    def test_an_added_file_can_be_executed_by_those_who_can_read_it(self, site: Site) -> None:
        receipt = site.workspace.apply(NEW)
        assert site.mode("run.sh") == 0o755
        assert [str(change) for change in receipt.changes] == ["A run.sh +1 -0 (executable)"]
        assert "new file mode 100755" in receipt.diff

    def test_an_added_file_gets_no_more_than_the_user_allows(self, disk: Site) -> None:
        before = os.umask(0o077)
        try:
            disk.workspace.apply(NEW)
        finally:
            os.umask(before)
        assert disk.mode("run.sh") == 0o700

    def test_an_empty_file_can_be_executable(self, site: Site) -> None:
        site.workspace.apply(HEAD + "new file mode 100755\nindex 0000000..e69de29\n")
        assert (site.mode("run.sh"), site.tree()) == (0o755, {"run.sh": ""})

    @pytest.mark.parametrize(
        ("before", "diff", "after"),
        [(0o644, ON, 0o755), (0o640, ON, 0o750), (0o600, ON, 0o700), (0o750, OFF, 0o640), (0o755, OFF, 0o644)],
    )
    def test_a_mode_alone_is_changed_and_undone(self, site: Site, before: int, diff: str, after: int) -> None:
        site.put("run.sh", "echo one\n", before)
        receipt = site.workspace.apply(diff)
        assert (site.mode("run.sh"), receipt.modified) == (after, ("run.sh",))
        undone = site.workspace.undo(receipt)
        assert (site.mode("run.sh"), undone.changes[0].mode) == (before, OPPOSITE[diff])
        site.workspace.undo(undone)
        assert (site.mode("run.sh"), site.tree()) == (after, {"run.sh": "echo one\n"})

    def test_a_mode_and_lines_are_one_change(self, site: Site) -> None:
        site.put("run.sh", "echo one\n", 0o644)
        receipt = site.workspace.apply(ON + NAMES + HUNK)
        assert (site.mode("run.sh"), site.tree()) == (0o755, {"run.sh": "echo two\n"})
        assert receipt.diff == ON + NAMES + HUNK
        site.workspace.undo(receipt)
        assert (site.mode("run.sh"), site.tree()) == (0o644, {"run.sh": "echo one\n"})

    def test_an_undo_after_other_changes_takes_the_mode_back_too(self, site: Site) -> None:
        site.put("run.sh", "echo one\n\n\n\necho more\n", 0o644)
        receipt = site.workspace.apply(ON + NAMES + "@@ -1,4 +1,4 @@\n-echo one\n+echo two\n \n \n \n")
        site.put("run.sh", "echo two\n\n\n\necho less\n", 0o755)
        site.workspace.undo(receipt, merge=True)
        assert (site.mode("run.sh"), site.tree()) == (0o644, {"run.sh": "echo one\n\n\n\necho less\n"})

    def test_an_undo_leaves_what_somebody_has_changed_of_the_mode_since(self, disk: Site) -> None:
        disk.put("run.sh", "echo one\n", 0o644)
        receipt = disk.workspace.apply(ON)
        Path(disk.at("run.sh")).chmod(0o700)
        disk.workspace.undo(receipt)
        assert disk.mode("run.sh") == 0o600

    def test_an_undo_of_a_mode_that_is_back_is_already_done(self, disk: Site) -> None:
        disk.put("run.sh", "echo one\n", 0o644)
        receipt = disk.workspace.apply(ON)
        Path(disk.at("run.sh")).chmod(0o644)
        (change,) = disk.workspace.undo(receipt).changes
        assert names_of(change.concessions) == ["already_restored"]

    @pytest.mark.parametrize(("modes", "after"), [("", 0o644), ("old mode 100644\nnew mode 100755\n", 0o755)])
    def test_a_renamed_file_keeps_its_mode_or_gets_another(self, site: Site, modes: str, after: int) -> None:
        site.put("run.sh", "echo one\n", 0o644)
        receipt = site.workspace.apply(MOVE.format(modes=modes))
        assert (site.mode("bin/run"), site.tree()) == (after, {"bin/": "", "bin/run": "echo one\n"})
        site.workspace.undo(receipt)
        assert (site.mode("run.sh"), site.tree()) == (0o644, {"run.sh": "echo one\n"})

    def test_a_file_that_is_deleted_and_added_again_has_the_mode_that_the_diff_says(self, site: Site) -> None:
        site.put("run.sh", "echo one\n", 0o755)
        delete = HEAD + "deleted file mode 100755\n--- a/run.sh\n+++ /dev/null\n@@ -1 +0,0 @@\n-echo one\n"
        site.workspace.apply(delete + NEW.replace("100755", "100644").replace("+echo one", "+echo two"))
        assert (site.mode("run.sh"), site.tree()) == (0o644, {"run.sh": "echo two\n"})

    def test_the_target_of_a_link_gets_the_mode(self, site: Site) -> None:
        site.put("tool", "echo one\n", 0o644).link("run.sh", "tool")
        site.workspace.apply(ON)
        assert (site.mode("tool"), site.tree()["run.sh"]) == (0o755, "-> tool")

    def test_a_link_that_is_moved_has_no_mode_and_that_is_said(self, site: Site) -> None:
        site.put("tool", "echo one\n", 0o644).link("run.sh", "tool")
        (change,) = site.workspace.apply(MOVE.format(modes="old mode 100644\nnew mode 100755\n")).changes
        assert change.notes() == ["mode 100755 of run.sh not set"]

    def test_a_mode_that_is_there_already_does_not_stop_the_rest(self, site: Site) -> None:
        site.put("run.sh", "echo one\n", 0o755).put("a.txt", "a\n")
        receipt = site.workspace.apply(ON + "diff --git a/a.txt b/a.txt\nold mode 100644\nnew mode 100755\n")
        assert [str(change) for change in receipt.changes] == ["M run.sh (already applied)", "M a.txt (executable)"]

    def test_a_diff_of_modes_alone_sent_twice_is_applied_already(self, site: Site) -> None:
        site.put("run.sh", "echo one\n", 0o644).workspace.apply(ON)
        with pytest.raises(PatchRejectedError) as rejected:
            site.workspace.apply(ON)
        (problem,) = rejected.value.problems
        assert (problem.code, problem.details["reason"]) == ("patch_apply_error", "already_applied")
        assert site.open(skip_applied=True).plan(ON).is_clean

    def test_a_stored_plan_has_the_mode(self, site: Site) -> None:
        site.put("tool", "tool\n", 0o644)
        plan = site.workspace.plan(NEW + ON.replace("run.sh", "tool"))
        site.workspace.commit(Plan.from_json(plan.to_json()))
        assert (site.mode("run.sh"), site.mode("tool")) == (0o755, 0o755)

    def test_operations_one_by_one_set_modes_too(self, site: Site) -> None:
        site.put("tool", "tool\n", 0o644)
        site.workspace.apply(NEW + ON.replace("run.sh", "tool"), atomic=False)
        assert (site.mode("run.sh"), site.mode("tool")) == (0o755, 0o755)


class TestFileSystems:
    """Where a mode can't be set, the file is written, and the receipt says that the mode is not."""

    def test_a_file_system_that_refuses_a_mode(self, disk: Site, monkeypatch: pytest.MonkeyPatch) -> None:
        disk.put("run.sh", "echo one\n", 0o644)
        real = os.fchmod

        def refuse(file: int, mode: int) -> None:
            if mode & 0o111:
                raise OSError(errno.EPERM, "not here")
            real(file, mode)

        monkeypatch.setattr(os, "fchmod", refuse)
        (change,) = disk.workspace.apply(ON + NAMES + HUNK).changes
        assert names_of(change.concessions) == ["file_mode"]
        assert (disk.mode("run.sh"), disk.tree()) == (0o644, {"run.sh": "echo two\n"})

    def test_a_file_system_without_modes(self, disk: Site, monkeypatch: pytest.MonkeyPatch) -> None:
        real = os.open

        def without_modes(path: str, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
            return real(path, flags, mode & ~0o111, dir_fd=dir_fd)

        monkeypatch.setattr(os, "open", without_modes)
        (change,) = disk.workspace.apply(NEW).changes
        assert names_of(change.concessions) == ["file_mode"]
        assert disk.workspace.log()[0].changes == (change,)


class TestWhatPeopleSee:
    def test_a_request_shows_the_mode(self) -> None:
        files = MemoryFiles({"run.sh": "echo one\n"})
        request = Request.from_plan(Workspace(files).plan(ON))
        assert (request.files[0].diff, request.files[0].notes()) == (ON, ["executable"])

    def test_texts_have_no_modes_but_the_plan_has(self) -> None:
        done = apply_in_memory(NEW, {})
        assert (done.texts, [change.mode for change in done.plan.changes]) == ({"run.sh": "echo one\n"}, ["100755"])

    def test_a_binary_file_has_a_diff_of_its_mode(self) -> None:
        plan = Workspace(MemoryFiles({"run.sh": b"\0\1"})).plan(ON)
        assert plan.diff == ON

    def test_a_deleted_program_is_one_in_the_diff(self, disk: Site) -> None:
        disk.put("run.sh", "echo one\n", 0o755)
        receipt = disk.workspace.delete("run.sh")
        assert "deleted file mode 100755" in receipt.diff
        assert "new file mode 100755" in disk.workspace.undo(receipt).diff
        assert stat.S_IMODE(Path(disk.at("run.sh")).stat().st_mode) == 0o755
