"""Commits: their receipts, what they keep as it is, and operations that are committed one by one."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest
from tests.shared.sites import Site, codes, digest, envelope, updated

from suture import CommitFailedError, PartlyAppliedError, PatchRejectedError, RecoveryNeededError, Workspace
from suture.testing import FaultyFiles
from suture.workspace import Receipt

# Receipts.


def test_a_receipt_tells_what_was_done(site: Site) -> None:
    site.put("a", "one\n").put("gone", "gone\n").put("m", "m\n").put("e", "e\n")
    receipt = site.apply(
        "*** Add File: x/b",
        "+b",
        *updated("a", "one", "two"),
        "*** Delete File: gone",
        "*** Update File: m",
        "*** Move to: x/m",
        "*** Update File: e",
        "*** Move to: x/e",
        "@@",
        "-e",
        "+f",
        actor="claude",
        tool="apply",
    )
    assert receipt.added == ("x/b",)
    assert receipt.modified == ("a", "x/e")
    assert receipt.deleted == ("gone",)
    assert receipt.moved == (("m", "x/m"), ("e", "x/e"))
    assert (receipt.actor, receipt.tool, receipt.atomic, receipt.state_inside) == ("claude", "apply", True, False)
    assert {file.path: (file.sha256_before, file.sha256_after) for file in receipt.files} == {
        "x/b": ("", digest("b\n")),
        "a": (digest("one\n"), digest("two\n")),
        "gone": (digest("gone\n"), ""),
        "m": (digest("m\n"), ""),
        "x/m": ("", digest("m\n")),
        "e": (digest("e\n"), ""),
        "x/e": ("", digest("f\n")),
    }
    assert "+two\n" in receipt.diff
    assert Receipt.from_json(receipt.to_json()) == receipt
    assert site.workspace.show(receipt.id) == receipt
    assert site.workspace.log() == [receipt]


def test_the_trash_has_a_copy_of_what_was_deleted_and_of_nothing_else(disk: Site) -> None:
    disk.put("x/gone", b"\0gone").put("m", "m\n").put("e", "e\n").link("l", "m")
    receipt = disk.apply(
        "*** Delete File: x/gone",
        "*** Delete File: l",
        "*** Update File: m",
        "*** Move to: n",
        "*** Update File: e",
        "*** Move to: f",
        "@@",
        "-e",
        "+f",
    )
    (trash,) = [file.trash for file in receipt.files if file.trash]
    assert Path(trash).read_bytes() == b"\0gone"
    assert stat.S_IMODE(Path(trash).stat().st_mode) == 0o600
    assert trash.endswith(f"/trash/{receipt.id}/x/gone")
    kept = [path for path in (disk.folder / "state").rglob("*") if path.is_file() and "trash" in path.parts]
    assert kept == [Path(trash)]


def test_a_commit_that_fails_leaves_no_trash(disk: Site) -> None:
    disk.put("a", "a\n").put("b", "b\n")
    files = FaultyFiles(disk.root, 2, errno.ENOSPC, counted={"rename"})
    with Workspace(files, state_dir=disk.folder / "state", durability="process") as workspace:
        with pytest.raises(CommitFailedError) as raised:
            workspace.apply(envelope("*** Delete File: a", "*** Delete File: b"))
        assert codes(raised) == ["io_error"]
        assert raised.value.for_model().endswith("No file was changed.")
        assert workspace.log() == []
    assert disk.tree() == {"a": "a\n", "b": "b\n"}
    assert not [path for path in (disk.folder / "state").rglob("*") if "trash" in path.parts]


def test_a_very_long_path_can_be_deleted(disk: Site) -> None:
    path = "/".join(["d" * 200] * 18) + "/" + "n" * 240
    disk.put(path, "deep\n")
    receipt = disk.apply(f"*** Delete File: {path}")
    assert Path(receipt.files[0].trash).read_text() == "deep\n"
    disk.workspace.undo(receipt)
    assert disk.tree()[path] == "deep\n"


# What a commit keeps.


def test_modes_times_and_other_files_stay_as_they_are(disk: Site) -> None:
    disk.put("run.sh", "echo one\n", mode=0o750).put("other", "x\n", mode=0o600)
    other = Path(disk.at("other"))
    before = other.stat()
    disk.apply(*updated("run.sh", "echo one", "echo two"))
    assert disk.mode("run.sh") == 0o750
    after = other.stat()
    assert (after.st_mtime_ns, after.st_ino, after.st_mode) == (before.st_mtime_ns, before.st_ino, before.st_mode)


def test_a_new_file_has_the_mode_of_any_new_file(disk: Site) -> None:
    before = os.umask(0o027)
    try:
        disk.apply("*** Add File: x/a", "+a")
    finally:
        os.umask(before)
    assert disk.mode("x/a") == 0o640
    assert disk.mode("x") == 0o750


@pytest.mark.skipif(not hasattr(os, "setxattr"), reason="this system has no extended attributes")
def test_extended_attributes_stay_through_an_update_a_move_and_an_undo(disk: Site) -> None:
    disk.put("a", "one\n")
    try:
        os.setxattr(disk.at("a"), "user.note", b"kept")
    except OSError:
        pytest.skip("this file system has no extended attributes")
    receipt = disk.apply("*** Update File: a", "*** Move to: b", "@@", "-one", "+two")
    assert os.getxattr(disk.at("b"), "user.note") == b"kept"
    disk.workspace.undo(receipt)
    assert os.getxattr(disk.at("a"), "user.note") == b"kept"
    disk.apply(*updated("a", "one", "two"))
    assert os.getxattr(disk.at("a"), "user.note") == b"kept"


def test_a_mode_that_was_changed_after_the_plan_is_kept(site: Site) -> None:
    site.put("a", "one\n", mode=0o644).put("m", "m\n", mode=0o644)
    plan = site.plan(*updated("a", "one", "two"), "*** Update File: m", "*** Move to: n", "@@", "-m", "+n")
    site.files.set_mode(site.at("a"), 0o755)
    site.files.set_mode(site.at("m"), 0o700)
    site.workspace.commit(plan)
    assert (site.mode("a"), site.mode("n")) == (0o755, 0o700)


def test_a_mode_that_was_changed_after_the_plan_is_kept_by_a_rollback_too(site: Site) -> None:
    site.put("a", "one\n", mode=0o644).put("b", "b\n")
    plan = site.plan(*updated("a", "one", "two"), *updated("b", "b", "c"))
    site.files.set_mode(site.at("a"), 0o755)
    renames = 0

    def fail(name: str) -> None:
        nonlocal renames
        renames += name == "rename"
        if name == "rename" and renames == 2:
            raise OSError(errno.EIO, "failing")

    site.between = fail
    with pytest.raises(CommitFailedError):
        site.workspace.commit(plan)
    assert (site.tree(), site.mode("a")) == ({"a": "one\n", "b": "b\n"}, 0o755)


def test_a_file_with_several_names_is_changed_under_one_of_them(disk: Site) -> None:
    disk.put("a", "one\n")
    os.link(disk.at("a"), disk.at("b"))
    disk.apply(*updated("a", "one", "two"))
    assert disk.tree() == {"a": "two\n", "b": "one\n"}
    disk.put("c", "one\n")
    os.link(disk.at("c"), disk.at("d"))
    disk.workspace = disk.open(hard_links=False)
    assert disk.codes(*updated("c", "one", "two")) == ["permission_denied"]


def test_a_commit_can_be_done_in_another_root(tmp_path: Path) -> None:
    root, other = tmp_path / "root", tmp_path / "other"
    root.mkdir()
    other.mkdir()
    (other / "a").write_text("one\n")
    with Workspace(root, extra_roots=[other], state_dir=tmp_path / "state") as workspace:
        receipt = workspace.apply(
            envelope(*updated(str(other / "a"), "one", "two"), f"*** Add File: {other}/x/b", "+b", "*** Add File: c")
        )
        assert receipt.modified == (str(other / "a"),)
        assert sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("[abc]")) == [
            "other/a",
            "other/x/b",
            "root/c",
        ]
        workspace.undo(receipt)
        assert (other / "a").read_text() == "one\n"
        assert not (other / "x").exists()


def test_a_file_may_have_the_name_of_a_directory_that_another_root_is_in(tmp_path: Path) -> None:
    root, other = tmp_path / "root", tmp_path / "other"
    name = tmp_path.parts[1] if tmp_path.drive == "" else tmp_path.drive[0].lower()
    for path in (root / name, other / "a"):
        path.parent.mkdir()
        path.write_text("one\n")
    with Workspace(root, extra_roots=[other], state_dir=tmp_path / "state") as workspace:
        receipt = workspace.apply(envelope(f"*** Delete File: {name}", f"*** Delete File: {other}/a"))
        assert [Path(file.trash).read_text() for file in receipt.files] == ["one\n", "one\n"]
        workspace.undo(receipt)
    assert ((root / name).read_text(), (other / "a").read_text()) == ("one\n", "one\n")


@pytest.mark.parametrize("durability", ["full", "process"])
def test_only_full_durability_flushes(disk: Site, durability: str) -> None:
    disk.put("a", "one\n")
    disk.workspace = disk.open(durability=durability)
    disk.seen.clear()
    disk.apply(*updated("a", "one", "two"), "*** Add File: x/b", "+b")
    flushes = {name for name, _ in disk.seen if "flush" in name}
    assert flushes == ({"flush", "flush_folder"} if durability == "full" else set())


def test_a_durability_that_there_is_not_is_a_value_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="expected durability 'full' or 'process'"):
        Workspace(tmp_path, durability="none")  # type: ignore[arg-type]


def test_what_the_disk_has_is_held_against_the_plan(site: Site) -> None:
    site.put("a", "one\n").put("b", "b\n")

    def interfere(name: str, path: str) -> None:
        if name == "rename" and path == site.at("b"):
            site.files.watch = None
            site.put("a", "somebody else\n")

    site.files.watch = interfere
    with pytest.raises(CommitFailedError) as raised:
        site.apply(*updated("a", "one", "two"), *updated("b", "b", "c"))
    assert codes(raised) == ["io_error", "stale_file"]
    assert site.tree() == {"a": "somebody else\n", "b": "b\n"}
    assert site.workspace.recover() == []
    assert site.workspace.log() == []


def test_a_file_whose_lock_is_not_held_is_not_written(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    site.put("a", "one\n")
    monkeypatch.setattr("suture.workspace.planner.Planner.paths", lambda *_: [site.at("other")])
    with pytest.raises(PatchRejectedError) as raised:
        site.apply(*updated("a", "one", "two"))
    assert codes(raised) == ["stale_file"]
    assert site.tree() == {"a": "one\n"}


def test_a_workspace_given_its_files_does_not_close_them(disk: Site) -> None:
    disk.workspace.close()
    assert disk.files.names(disk.root) == []


# One by one.


def test_operations_are_done_one_by_one_where_asked_for(site: Site) -> None:
    site.put("a", "one\n").put("b", "b\n")
    receipt = site.apply(*updated("a", "one", "two"), "*** Delete File: b", "*** Add File: c", "+c", atomic=False)
    assert (receipt.atomic, receipt.modified, receipt.deleted, receipt.added) == (False, ("a",), ("b",), ("c",))
    assert len(receipt.parts) == 3
    assert [one.atomic for one in site.workspace.log()] == [False] * 3
    undone = site.workspace.undo(receipt)
    assert site.tree() == {"a": "one\n", "b": "b\n"}
    assert len(undone.parts) == 3
    site.workspace.undo(undone)
    assert site.tree() == {"a": "two\n", "c": "c\n"}


def test_the_first_that_fails_ends_it_and_what_was_done_stays(site: Site) -> None:
    site.put("a", "one\n").put("b", "b\n")
    with pytest.raises(PartlyAppliedError) as raised:
        site.apply(*updated("a", "one", "two"), *updated("b", "lost", "x"), "*** Delete File: b", atomic=False)
    error = raised.value
    assert codes(raised) == ["patch_apply_error"]
    assert error.done == ("M a +1 -1",)
    assert error.for_model().endswith("These were done before it and stay: M a +1 -1.")
    assert site.tree() == {"a": "two\n", "b": "b\n"}
    assert isinstance(error.receipt, Receipt)
    assert error.receipt.modified == ("a",)
    site.workspace.undo(error.receipt)
    assert site.tree() == {"a": "one\n", "b": "b\n"}


def test_where_the_first_operation_fails_nothing_was_done(site: Site) -> None:
    site.put("b", "b\n")
    with pytest.raises(PatchRejectedError):
        site.apply(*updated("a", "one", "two"), "*** Delete File: b", atomic=False)
    with pytest.raises(PatchRejectedError) as raised:
        site.apply("*** Add File: a", "+a", "*** Delete File: b", atomic=False, expected_sha256={"b": digest("other")})
    assert codes(raised) == ["stale_file"]
    assert site.tree() == {"b": "b\n"}


def test_one_by_one_the_same_file_twice_is_refused_in_strict(site: Site) -> None:
    site.put("a", "one\n")
    with pytest.raises(PartlyAppliedError) as raised:
        site.apply(*updated("a", "one", "two"), *updated("a", "two", "three"), atomic=False, dialect="strict")
    assert codes(raised) == ["patch_apply_error"]
    assert site.tree() == {"a": "two\n"}


def test_an_undo_that_ends_half_way_says_what_it_has_done(site: Site) -> None:
    site.put("a", "one\n").put("b", "b\n")
    receipt = site.apply(*updated("a", "one", "two"), *updated("b", "b", "c"), atomic=False)
    site.put("a", "changed\n")
    with pytest.raises(PartlyAppliedError) as raised:
        site.workspace.undo(receipt)
    assert codes(raised) == ["stale_file"]
    assert raised.value.done == ("M b +1 -1",)
    assert site.tree() == {"a": "changed\n", "b": "b\n"}


def test_a_commit_that_needs_recovery_is_not_told_as_partly_applied(disk: Site) -> None:
    disk.put("a", "one\n").put("b", "b\n").put("c", "c\n")
    # The first is one rename. Of the second one rename is done, the next fails, and so does every try to take it back.
    files = FaultyFiles(disk.root, 3, errno.EIO, counted={"rename"}, forever=True)
    with (
        Workspace(files, state_dir=disk.folder / "state", durability="process") as workspace,
        pytest.raises(RecoveryNeededError),
    ):
        workspace.apply(
            envelope(*updated("a", "one", "two"), "*** Update File: b", "*** Move to: d", "@@", "-b", "+d"),
            atomic=False,
        )
    (done,) = disk.workspace.recover()
    assert done.outcome == "rolled_back"
    assert disk.tree() == {"a": "two\n", "b": "b\n", "c": "c\n"}
