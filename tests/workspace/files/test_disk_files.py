"""Files on the disk: owners, modes, extended attributes, special files, descriptors, roots."""

from __future__ import annotations

import errno
import gc
import os
import socket
import stat as modes
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.shared.places import LIMIT, Place, number_of

from suture.workspace.files.open_files import DiskFiles

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


@pytest.fixture
def disk(tmp_path: Path) -> Place:
    return Place(DiskFiles([str(tmp_path)]))


@pytest.fixture
def special(disk: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    os.mkfifo(tmp_path / "fifo")
    monkeypatch.chdir(tmp_path)  # a path of a socket must be short
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
        yield disk


@pytest.mark.parametrize("name", ["fifo", "socket"])
def test_what_is_no_regular_file_is_never_waited_for(special: Place, name: str) -> None:
    assert special.stat(name).kind == "other"
    assert number_of(lambda: special.files.read(special.at(name), LIMIT)) == "EINVAL"
    assert number_of(lambda: special.files.stage(special.at("a"), b"", like=special.at(name), flush=False)) == "EINVAL"
    assert number_of(lambda: special.files.set_mode(special.at(name), 0o600)) == "EINVAL"
    special.files.rename(special.at(name), special.at("b"), replace=False)
    special.files.remove(special.at("b"))


@pytest.mark.skipif(not Path("/dev/null").exists(), reason="needs a device")
def test_a_device_is_not_read() -> None:
    files = DiskFiles(["/dev"])
    assert number_of(lambda: files.read("/dev/null", LIMIT)) == "EINVAL"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_owner_and_group_stay(disk: Place, tmp_path: Path) -> None:
    disk.write("a")
    os.chown(tmp_path / "a", 1234, 2345)
    disk.files.set_mode(disk.at("a"), 0o6750)
    disk.files.stage(disk.at("b"), b"x", like=disk.at("a"), flush=False)
    stat = disk.stat("b")
    assert (stat.uid, stat.gid, stat.mode) == (1234, 2345, 0o6750)


def test_rights_of_an_owner_that_can_not_be_kept_are_not_handed_to_another(
    disk: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk.write("a")
    disk.files.set_mode(disk.at("a"), 0o6764)
    real = os.fstat
    mine: list[int] = []

    def fstat(file: int) -> Any:
        """The file that the new one is to be like belongs to somebody else."""
        found = real(file)
        mine.append(found.st_ino)
        others = list(found)
        if found.st_ino == disk_inode:
            others[4], others[5] = found.st_uid + 1, found.st_gid + 1
        return os.stat_result(others)

    disk_inode = disk.stat("a").inode

    def fchown(*_: int) -> None:
        raise PermissionError(errno.EPERM, "not allowed")

    monkeypatch.setattr(os, "fstat", fstat)
    monkeypatch.setattr(os, "fchown", fchown)
    disk.files.stage(disk.at("b"), b"x", like=disk.at("a"), flush=False)
    monkeypatch.undo()
    assert oct(disk.stat("b").mode) == oct(0o744)


def has_attributes(folder: Path) -> bool:
    try:
        os.setxattr(folder, "user.suture", b"1")
    except (AttributeError, OSError):
        return False
    return True


def test_extended_attributes_stay(disk: Place, tmp_path: Path) -> None:
    if not has_attributes(tmp_path):
        pytest.skip("no extended attributes here")
    disk.write("a")
    os.setxattr(tmp_path / "a", "user.one", b"1")
    os.setxattr(tmp_path / "a", "user.two", b"")
    disk.files.stage(disk.at("b"), b"x", like=disk.at("a"), flush=False)
    assert {name: os.getxattr(tmp_path / "b", name) for name in os.listxattr(tmp_path / "b")} == {
        "user.one": b"1",
        "user.two": b"",
    }


def test_an_attribute_that_the_other_has_not_is_taken_away(
    disk: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder may give new files attributes of its own: lists of who may read them."""
    if not has_attributes(tmp_path):
        pytest.skip("no extended attributes here")
    disk.write("a")
    os.setxattr(tmp_path / "a", "user.same", b"1")

    def watch(name: str, path: str) -> None:
        if name == "write":
            os.setxattr(path, "user.inherited", b"1")
            os.setxattr(path, "user.same", b"1")
        elif name == "attribute":
            changed.append(path)

    changed: list[str] = []
    disk.files.watch = watch
    disk.files.stage(disk.at("b"), b"x", like=disk.at("a"), flush=False)
    assert os.listxattr(tmp_path / "b") == ["user.same"]
    assert changed == [disk.at("b")]
    monkeypatch.setattr(os, "removexattr", broken)
    assert number_of(lambda: disk.files.stage(disk.at("c"), b"x", like=disk.at("a"), flush=False)) == "EIO"
    monkeypatch.setattr(os, "getxattr", broken)
    assert number_of(lambda: disk.files.stage(disk.at("c"), b"x", like=disk.at("a"), flush=False)) == "EIO"
    monkeypatch.setattr(os, "listxattr", broken)
    assert number_of(lambda: disk.files.stage(disk.at("c"), b"x", like=disk.at("a"), flush=False)) == "EIO"
    assert disk.files.stat(disk.at("c")) is None


def broken(*_: object) -> None:
    raise OSError(errno.EIO, "broken")


@pytest.mark.skipif(not hasattr(os, "listxattr"), reason="no extended attributes here")
def test_a_file_system_without_attributes_has_none_to_keep(disk: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    def listxattr(*_: object) -> None:
        raise OSError(errno.ENOTSUP, "not here")

    monkeypatch.setattr(os, "listxattr", listxattr)
    disk.write("a")
    disk.files.stage(disk.at("b"), b"x", like=disk.at("a"), flush=False)
    assert disk.stat("b").size == 1


def test_an_attribute_that_can_not_be_set_is_left_out(
    disk: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not has_attributes(tmp_path):
        pytest.skip("no extended attributes here")
    disk.write("a")
    os.setxattr(tmp_path / "a", "user.one", b"1")

    def setxattr(*_: object) -> None:
        raise OSError(errno.ENOTSUP, "not here")

    monkeypatch.setattr(os, "setxattr", setxattr)
    disk.files.stage(disk.at("b"), b"x", like=disk.at("a"), flush=False)
    assert os.listxattr(tmp_path / "b") == []


@pytest.mark.skipif(not hasattr(os, "listxattr"), reason="no extended attributes here")
@pytest.mark.parametrize(("name", "is_complete"), [("user.one", True), ("security.capability", False)])
def test_only_an_attribute_that_gives_power_over_the_system_is_missed(
    disk: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, is_complete: bool
) -> None:
    def listxattr(file: int) -> list[str]:
        return [name] if os.fstat(file).st_ino == model else []

    def setxattr(*_: object) -> None:
        raise OSError(errno.ENOTSUP, "not here")

    disk.write("a")
    model = (tmp_path / "a").stat().st_ino
    monkeypatch.setattr(os, "listxattr", listxattr)
    monkeypatch.setattr(os, "getxattr", lambda *_: b"1")
    monkeypatch.setattr(os, "setxattr", setxattr)
    assert disk.files.stage(disk.at("b"), b"x", like=disk.at("a"), flush=False) is is_complete


def test_a_file_is_private_until_it_has_its_mode(disk: Place) -> None:
    disk.files.stage(disk.at("a"), b"x", mode=0o600, flush=False)
    while_written: list[int] = []

    def watch(name: str, path: str) -> None:
        if name == "write":
            while_written.append(modes.S_IMODE(Path(path).stat().st_mode))

    disk.files.watch = watch
    disk.files.stage(disk.at("b"), b"x", like=disk.at("a"), flush=False)
    disk.files.stage(disk.at("c"), b"x", mode=0o640, flush=False)
    assert while_written == [0o600, 0o600]


def test_a_file_that_its_owner_may_not_read_can_get_another_mode(
    disk: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk.files.stage(disk.at("a"), b"x", mode=0o000, flush=False)
    real = os.open

    def unreadable(path: Any, flags: int, *rest: Any, **more: Any) -> int:
        """As for any user but root."""
        if path == "a" and not flags & getattr(os, "O_PATH", 0):
            raise PermissionError(errno.EACCES, "no", path)
        return real(path, flags, *rest, **more)

    monkeypatch.setattr(os, "open", unreadable)
    disk.files.set_mode(disk.at("a"), 0o640)
    assert modes.S_IMODE((tmp_path / "a").stat().st_mode) == 0o640


def test_descriptors_are_let_go(tmp_path: Path) -> None:
    def opened() -> int:
        return len(list(Path("/dev/fd").iterdir()))

    gc.collect()
    before = opened()
    place = Place(DiskFiles([str(tmp_path)]))
    for folder in ("a", "a/b", "a/b/c"):
        place.files.make_folder(place.at(folder))
    place.write("a/b/c/d")
    place.files.rename(place.at("a/b/c/d"), place.at("a/b/d"), replace=False)
    for path in ("a/b/d", "a/b/c/none", "a/b/d/none/x"):
        place.files.stat(place.at(path))
        for call in (place.files.names, place.files.remove_folder, place.files.make_folder):
            number_of(partial(call, place.at(path + "/x")))
    assert opened() == before + 1
    del place, call
    gc.collect()  # what pytest keeps of the errors goes round in a circle
    assert opened() == before
    files = DiskFiles([str(tmp_path)])
    files.close()
    files.close()
    assert opened() == before
    with pytest.raises(AssertionError, match="BUG"):
        files.stat(str(tmp_path))


def test_a_root_that_is_given_by_a_link_is_its_real_path_and_known_by_both(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    files = DiskFiles([str(tmp_path / "link"), str(tmp_path / "real")])
    assert files.roots == (str(tmp_path / "real"),) * 2
    assert files.aliases == ((str(tmp_path / "link"), str(tmp_path / "real")),)


def test_a_root_that_is_no_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for name in ("file", "nothing"):
        with pytest.raises(OSError, match=name):
            DiskFiles([str(tmp_path / name)])


def test_several_roots_are_reached(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    files = DiskFiles([str(tmp_path / "one"), str(tmp_path / "two")])
    files.stage(f"{tmp_path}/one/a", b"x", flush=False)
    files.rename(f"{tmp_path}/one/a", f"{tmp_path}/two/b", replace=False)
    assert (tmp_path / "two" / "b").read_bytes() == b"x"


def test_the_whole_disk_may_be_the_root(tmp_path: Path) -> None:
    files = DiskFiles(["/"])
    files.stage(f"{tmp_path}/a", b"x", flush=False)
    assert files.read(f"{tmp_path}/a", 1)[0] == b"x"
    assert files.names("/") == sorted(path.name for path in Path("/").iterdir())


def test_a_root_that_moves_is_followed(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    files = DiskFiles([str(tmp_path / "old")])
    (tmp_path / "old").rename(tmp_path / "new")
    files.stage(f"{tmp_path}/old/a", b"x", flush=False)
    assert (tmp_path / "new" / "a").read_bytes() == b"x"


def test_a_file_that_grows_while_it_is_read_stays_within_the_limit(
    disk: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk.write("a", b"1234")
    real = os.read
    monkeypatch.setattr(os, "read", lambda file, size: real(file, min(size, 2)))
    assert disk.files.read(disk.at("a"), 4)[0] == b"1234"
    monkeypatch.setattr(os, "read", lambda *_: b"x" * 3)
    assert number_of(lambda: disk.files.read(disk.at("a"), 4)) == "EFBIG"
