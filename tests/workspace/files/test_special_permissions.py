"""Set-user-id, set-group-id and capabilities: a file gets them again only together with its owner and group.

Otherwise a file of one user that another restores would run with the rights of that other user.
"""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest
from tests.shared.sites import Site, digest

from suture.core.record import ABSENT, Entry, FileRecord, Snapshot
from suture.state.store import Store
from suture.workspace.files.open_files import DiskFiles

SPECIAL = [0o4755, 0o2755, 0o6711]
DROPPED = "special_permissions_dropped"
AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
#: A user and a group that nobody here is.
OTHER = (54321, 54321)
CAPABILITY = bytes.fromhex("0100000200040000000000000000000000000000")


def powers(path: str | os.PathLike[str]) -> int:
    return stat.S_IMODE(Path(path).stat().st_mode) & 0o6000


@pytest.fixture
def files(tmp_path: Path) -> DiskFiles:
    return DiskFiles([str(tmp_path)])


@pytest.mark.parametrize("mode", SPECIAL)
def test_a_file_of_an_unknown_owner_does_not_get_them(files: DiskFiles, mode: int) -> None:
    path = f"{files.roots[0]}/a"
    assert files.stage(path, b"a", mode=mode, flush=False) is False
    assert stat.S_IMODE(Path(path).stat().st_mode) == mode & 0o777


@pytest.mark.parametrize("mode", SPECIAL)
def test_a_file_gets_them_only_with_its_owner_and_group(files: DiskFiles, mode: int) -> None:
    path = f"{files.roots[0]}/a"
    complete = files.stage(path, b"a", mode=mode, owner=OTHER, flush=False)
    status = Path(path).stat()
    assert complete is ((status.st_uid, status.st_gid) == OTHER)
    assert powers(path) == (mode & 0o6000 if complete else 0)


@pytest.mark.parametrize("mode", SPECIAL)
def test_a_deleted_file_comes_back_with_them_where_the_owner_does(disk: Site, mode: int) -> None:
    disk.put("a", "a\n")
    Path(disk.at("a")).chmod(mode)
    done = disk.workspace.delete("a")
    undone = disk.workspace.undo(done)
    assert disk.mode("a") == mode
    assert [change.concessions for change in undone.changes] == [()]


@AS_ROOT
@pytest.mark.parametrize("mode", SPECIAL)
def test_a_deleted_file_of_another_user_belongs_to_that_user_again(disk: Site, mode: int) -> None:
    disk.put("a", "a\n")
    os.chown(disk.at("a"), *OTHER)
    Path(disk.at("a")).chmod(mode)
    disk.workspace.undo(disk.workspace.delete("a"))
    status = Path(disk.at("a")).stat()
    assert (status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode)) == (*OTHER, mode)


@AS_ROOT
@pytest.mark.parametrize("mode", SPECIAL)
@pytest.mark.parametrize("act", ["delete", "edit", "move"])
def test_where_the_owner_cannot_be_restored_they_are_dropped_and_the_receipt_says_so(
    disk: Site, mode: int, act: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk.put("a", "a\n")
    os.chown(disk.at("a"), *OTHER)
    Path(disk.at("a")).chmod(mode)

    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "fchown", refuse)
    if act == "delete":
        receipt = disk.workspace.undo(disk.workspace.delete("a"))
    elif act == "edit":
        receipt = disk.workspace.edit("a", "a", "b")
    else:
        receipt = disk.apply("*** Update File: a", "*** Move to: b", "@@", "-a", "+b")
    assert powers(disk.at("b" if act == "move" else "a")) == 0
    assert [[one.name for one in change.concessions] for change in receipt.changes] == [[DROPPED]]
    assert disk.workspace.show(receipt.id) == receipt
    assert "set-user-ID" in str(receipt.changes[0])


@AS_ROOT
@pytest.mark.skipif(sys.platform != "linux", reason="capabilities are Linux's")
@pytest.mark.parametrize("restored", [True, False])
def test_capabilities_stay_only_with_the_owner(disk: Site, restored: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    disk.put("a", "a\n")
    os.chown(disk.at("a"), *OTHER)
    try:
        os.setxattr(disk.at("a"), "security.capability", CAPABILITY)
    except OSError:
        pytest.skip("no capabilities on this file system")

    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    if not restored:
        monkeypatch.setattr(os, "fchown", refuse)
    receipt = disk.workspace.edit("a", "a", "b")
    assert ("security.capability" in os.listxattr(disk.at("a"))) is restored
    assert [one.name for one in receipt.changes[0].concessions] == [DROPPED] * (not restored)


def test_a_recovery_drops_them_where_the_owner_is_not_known_and_says_so(disk: Site) -> None:
    disk.put("b", "b\n")
    disk.apply("*** Add File: c", "+c")
    (state,) = (disk.folder / "state").iterdir()
    gone = Snapshot("file", digest("a\n"), 2, 0o4755)
    record = FileRecord(disk.at("a"), gone, ABSENT, 0, 0, b"a\n", disk.at("a.1.apply-patch.tmp"))
    half = FileRecord(
        disk.at("b"), Snapshot("file", digest("b\n"), 2, 0o644), gone, 0, 1, b"b", disk.at("b.1.apply-patch.tmp")
    )
    store = Store(str(state))
    store.begin(Entry("0123456789ab", 1.0, "", "", "", (record, half)))
    store.close()
    (done,) = disk.open().recover()
    assert (done.outcome, done.less_power, disk.mode("a")) == ("rolled_back", ("a",), 0o755)
    assert str(done).endswith("was rolled back; special permissions dropped: a.")


def test_a_stored_plan_cannot_make_them(disk: Site) -> None:
    plan = disk.plan("*** Add File: a", "+a")
    (file,) = plan.files
    forged = plan.replace(files=(file.replace(after=file.after.replace(mode=0o4755)),))
    receipt = disk.workspace.commit(type(plan).from_json(forged.to_json()))
    assert disk.mode("a") == 0o755
    assert [one.name for one in receipt.changes[0].concessions] == [DROPPED]


@pytest.mark.skipif(not hasattr(os, "setxattr"), reason="no extended attributes")
@pytest.mark.parametrize("name", ["security.capability", "user.origin"])
def test_the_receipt_of_a_delete_says_that_attributes_do_not_come_back(disk: Site, name: str) -> None:
    disk.put("a", "a\n").put("b", "b\n").link("l", "b")
    for path in "ab":
        try:
            os.setxattr(disk.at(path), name, CAPABILITY)
        except OSError:
            pytest.skip("no such attributes on this file system")
    receipt = disk.apply("*** Delete File: a", "*** Delete File: l", "*** Add File: c", "+c")
    assert [[one.name for one in change.concessions] for change in receipt.changes] == [["attributes_dropped"], [], []]
    assert disk.workspace.show(receipt.id) == receipt
    disk.workspace.undo(receipt)
    assert os.listxattr(disk.at("a")) == []
    moved = disk.workspace.move("b", "d")
    assert (moved.changes[0].concessions, os.listxattr(disk.at("d"))) == ((), [name])
