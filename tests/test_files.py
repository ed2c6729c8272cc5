"""Files on the disk and in memory: one set of tests for both, the same answers and the same errors."""

from __future__ import annotations

import errno
import gc
import os
import pickle
import socket
import stat as modes
import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from suture.workspace.disk import DiskFiles
from suture.workspace.files import FileTooLargeError, problem_of
from suture.workspace.memory import MemoryFiles

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from suture.workspace.files import Files, Stat

LIMIT = 1_000_000


class Place:
    """Some files, and where their root is."""

    def __init__(self, files: Files) -> None:
        self.files = files
        self.root = files.roots[0]
        self.seen: list[str] = []

    def at(self, path: str) -> str:
        return f"{self.root.rstrip('/')}/{path}"

    def tree(self) -> dict[str, tuple[str, int, bytes | str]]:
        """All that is there: kind, mode, and content or target."""
        found: dict[str, tuple[str, int, bytes | str]] = {}
        waiting = [""]
        while waiting:
            folder = waiting.pop()
            for name in self.files.names(self.at(folder).rstrip("/") or "/"):
                path = f"{folder}/{name}".lstrip("/")
                stat = self.stat(path)
                what: bytes | str = b""
                if stat.kind == "file":
                    what = self.files.read(self.at(path), LIMIT)[0]
                elif stat.kind == "link":
                    what = self.files.link(self.at(path))
                else:
                    waiting.append(path)
                found[path] = (stat.kind, stat.mode if stat.kind != "link" else 0, what)
        return found

    def stat(self, path: str) -> Stat:
        stat = self.files.stat(self.at(path))
        assert stat is not None
        return stat

    def write(self, path: str, data: bytes = b"text\n") -> None:
        self.files.stage(self.at(path), data, flush=False)


@pytest.fixture(autouse=True)
def umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.fixture(params=["disk", "memory"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    return Place(DiskFiles([str(tmp_path)]) if request.param == "disk" else MemoryFiles())


@pytest.fixture
def full(place: Place) -> Place:
    """A file, a folder with a file, an empty folder, a link to a file, a link to a folder, a link to nothing."""
    place.write("file", b"one\n")
    for folder in ("folder", "empty"):
        place.files.make_folder(place.at(folder))
    place.write("folder/inner", b"two\n")
    place.files.make_link(place.at("link"), "file")
    place.files.make_link(place.at("way"), "folder")
    place.files.make_link(place.at("dangling"), "nothing")
    return place


def number_of(call: Callable[[], object]) -> str:
    """The name of the number of the error that a call raises."""
    with pytest.raises(OSError) as raised:  # noqa: PT011 - its number is the answer
        call()
    assert raised.value.errno is not None
    return errno.errorcode[raised.value.errno]


def test_a_new_file_is_read_as_it_was_written(place: Place) -> None:
    place.files.stage(place.at("a"), b"a\r\n\x00\xff", flush=True)
    data, stat = place.files.read(place.at("a"), LIMIT)
    assert data == b"a\r\n\x00\xff"
    assert (stat.kind, stat.mode, stat.size, stat.links) == ("file", 0o644, 5, 1)
    assert stat == place.stat("a")


@pytest.mark.parametrize("content", [b"", b"one\n", b"x" * 200_000], ids=["empty", "small", "large"])
def test_a_content_that_is_known_is_given_back_itself_and_another_as_it_is(place: Place, content: bytes) -> None:
    place.files.stage(place.at("a"), content, flush=False)
    known = bytes(bytearray(content))
    found, stat = place.files.read(place.at("a"), LIMIT, known)
    assert found is known
    assert stat.size == len(content)
    for other in (content + b"x", content[:-1], b"y" + content[1:], content[:-1] + b"y", content * 2):
        if other != content:
            assert place.files.read(place.at("a"), LIMIT, other)[0] == content
    with pytest.raises(FileTooLargeError):
        place.files.read(place.at("a"), len(content) - 1, known)


@pytest.mark.parametrize("size", [1, 5, 65_536, 65_541, 131_072])
@pytest.mark.parametrize("change", ["grows at first", "grows at last", "shrinks", "differs"])
def test_a_file_that_changes_while_it_is_compared_is_not_taken_for_the_known_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int, change: str
) -> None:
    """After its size was asked for, and before the piece is read in which it changes."""
    known = b"x" * size
    wanted = {"shrinks": known[:-1], "differs": known[:-1] + b"y"}.get(change, known + b"y")
    (tmp_path / "a").write_bytes(known)
    real, reads = os.read, iter(range(100))
    pieces = -(-size // 65_536)

    def read(file: int, count: int) -> bytes:
        if next(reads) == (pieces if change == "grows at last" else 0):
            (tmp_path / "a").write_bytes(wanted)
        return real(file, count)

    monkeypatch.setattr(os, "read", read)
    files = DiskFiles(str(tmp_path))
    found = files.read(f"{files.roots[0]}/a", LIMIT, known)[0]
    files.close()
    assert found == wanted


def test_an_empty_file_is_a_file(place: Place) -> None:
    place.write("a", b"")
    assert place.files.read(place.at("a"), 0)[0] == b""


def test_the_root_is_a_folder_with_names(full: Place) -> None:
    assert full.files.names(full.root) == ["dangling", "empty", "file", "folder", "link", "way"]
    root = full.files.stat(full.root)
    assert root is not None
    assert root.kind == "folder"
    full.files.flush_folder(full.root)


@pytest.mark.parametrize(
    ("path", "kind"),
    [("file", "file"), ("folder", "folder"), ("link", "link"), ("way", "link"), ("dangling", "link")],
)
def test_a_stat_is_of_the_name_itself(full: Place, path: str, kind: str) -> None:
    assert full.stat(path).kind == kind


@pytest.mark.parametrize("path", ["nothing", "nothing/at/all", "folder/nothing", "file/inner", "file/a/b"])
def test_what_is_absent_has_no_stat(full: Place, path: str) -> None:
    assert full.files.stat(full.at(path)) is None


@pytest.mark.parametrize("path", ["way/inner", "way/nothing", "dangling/a", "link/a/b"])
def test_no_call_goes_through_a_link_and_the_error_names_it(full: Place, path: str) -> None:
    at = full.at(path)
    link = full.at(path.partition("/")[0])
    files = full.files
    before = full.tree()
    calls: list[Callable[[], object]] = [
        lambda: files.stat(at),
        lambda: files.link(at),
        lambda: files.read(at, LIMIT),
        lambda: files.names(at),
        lambda: files.make_folder(at),
        lambda: files.remove_folder(at),
        lambda: files.stage(at, b"x", flush=False),
        lambda: files.stage(full.at("new"), b"x", like=at, flush=False),
        lambda: files.rename(at, full.at("new"), replace=True),
        lambda: files.rename(full.at("file"), at, replace=True),
        lambda: files.rename(full.at("file"), at, replace=False),
        lambda: files.make_link(at, "x"),
        lambda: files.remove(at),
        lambda: files.set_mode(at, 0o600),
        lambda: files.flush_folder(at),
    ]
    for call in calls:
        with pytest.raises(OSError) as raised:  # noqa: PT011 - its number is checked
            call()
        assert (raised.value.errno, raised.value.filename) == (errno.ELOOP, link)
    assert full.tree() == before


ERRORS: list[tuple[str, Callable[[Files, Callable[[str], str]], object], str]] = [
    ("read nothing", lambda f, at: f.read(at("nothing"), LIMIT), "ENOENT"),
    ("read below nothing", lambda f, at: f.read(at("nothing/a"), LIMIT), "ENOENT"),
    ("read below a file", lambda f, at: f.read(at("file/a"), LIMIT), "ENOTDIR"),
    ("read a folder", lambda f, at: f.read(at("folder"), LIMIT), "EISDIR"),
    ("read a link", lambda f, at: f.read(at("link"), LIMIT), "ELOOP"),
    ("read a link to nothing", lambda f, at: f.read(at("dangling"), LIMIT), "ELOOP"),
    ("read too much", lambda f, at: f.read(at("file"), 3), "EFBIG"),
    ("read the root", lambda f, at: f.read(at("").rstrip("/") or "/", LIMIT), "EISDIR"),
    ("link of a file", lambda f, at: f.link(at("file")), "EINVAL"),
    ("link of a folder", lambda f, at: f.link(at("folder")), "EINVAL"),
    ("link of nothing", lambda f, at: f.link(at("nothing")), "ENOENT"),
    ("names of a file", lambda f, at: f.names(at("file")), "ENOTDIR"),
    ("names of a link", lambda f, at: f.names(at("way")), "ELOOP"),
    ("names of nothing", lambda f, at: f.names(at("nothing")), "ENOENT"),
    ("make a folder that is there", lambda f, at: f.make_folder(at("folder")), "EEXIST"),
    ("make a folder over a file", lambda f, at: f.make_folder(at("file")), "EEXIST"),
    ("make a folder over a link", lambda f, at: f.make_folder(at("dangling")), "EEXIST"),
    ("make a folder below nothing", lambda f, at: f.make_folder(at("nothing/a")), "ENOENT"),
    ("make a folder below a file", lambda f, at: f.make_folder(at("file/a")), "ENOTDIR"),
    ("make the root", lambda f, at: f.make_folder(at("").rstrip("/") or "/"), "EEXIST"),
    ("remove a folder that is not empty", lambda f, at: f.remove_folder(at("folder")), "ENOTEMPTY"),
    ("remove a file as a folder", lambda f, at: f.remove_folder(at("file")), "ENOTDIR"),
    ("remove a link as a folder", lambda f, at: f.remove_folder(at("way")), "ENOTDIR"),
    ("remove no folder", lambda f, at: f.remove_folder(at("nothing")), "ENOENT"),
    ("remove the root", lambda f, at: f.remove_folder(at("").rstrip("/") or "/"), "EINVAL"),
    ("stage over a file", lambda f, at: f.stage(at("file"), b"", flush=False), "EEXIST"),
    ("stage over a folder", lambda f, at: f.stage(at("folder"), b"", flush=False), "EEXIST"),
    ("stage over a link to nothing", lambda f, at: f.stage(at("dangling"), b"", flush=False), "EEXIST"),
    ("stage below nothing", lambda f, at: f.stage(at("nothing/a"), b"", flush=False), "ENOENT"),
    ("stage below a file", lambda f, at: f.stage(at("file/a"), b"", flush=False), "ENOTDIR"),
    ("stage like nothing", lambda f, at: f.stage(at("a"), b"", like=at("nothing"), flush=False), "ENOENT"),
    ("stage like a link", lambda f, at: f.stage(at("a"), b"", like=at("link"), flush=False), "ELOOP"),
    ("stage like a folder", lambda f, at: f.stage(at("a"), b"", like=at("folder"), flush=False), "EISDIR"),
    ("stage a name that is too long", lambda f, at: f.stage(at("ä" * 128), b"", flush=False), "ENAMETOOLONG"),
    ("rename nothing", lambda f, at: f.rename(at("nothing"), at("a"), replace=True), "ENOENT"),
    ("rename nothing without replace", lambda f, at: f.rename(at("nothing"), at("a"), replace=False), "ENOENT"),
    ("rename into nothing", lambda f, at: f.rename(at("file"), at("nothing/a"), replace=True), "ENOENT"),
    ("rename into a file", lambda f, at: f.rename(at("link"), at("file/a"), replace=True), "ENOTDIR"),
    ("rename over a folder", lambda f, at: f.rename(at("file"), at("empty"), replace=True), "EISDIR"),
    ("rename over a file", lambda f, at: f.rename(at("link"), at("file"), replace=False), "EEXIST"),
    ("rename over a link", lambda f, at: f.rename(at("file"), at("dangling"), replace=False), "EEXIST"),
    ("rename to itself", lambda f, at: f.rename(at("file"), at("file"), replace=False), "EEXIST"),
    ("rename a folder over a file", lambda f, at: f.rename(at("folder"), at("file"), replace=True), "ENOTDIR"),
    ("rename a folder over a full one", lambda f, at: f.rename(at("empty"), at("folder"), replace=True), "ENOTEMPTY"),
    ("rename a folder to what is there", lambda f, at: f.rename(at("empty"), at("folder"), replace=False), "EEXIST"),
    ("rename a folder into itself", lambda f, at: f.rename(at("empty"), at("empty/a"), replace=True), "EINVAL"),
    ("rename the root", lambda f, at: f.rename(at("").rstrip("/") or "/", at("empty/a"), replace=True), "EBUSY"),
    ("link over a file", lambda f, at: f.make_link(at("file"), "x"), "EEXIST"),
    ("link over a link", lambda f, at: f.make_link(at("dangling"), "x"), "EEXIST"),
    ("link that says nothing", lambda f, at: f.make_link(at("a"), ""), "ENOENT"),
    ("remove a folder as a file", lambda f, at: f.remove(at("empty")), "EISDIR"),
    ("remove nothing", lambda f, at: f.remove(at("nothing")), "ENOENT"),
    ("mode of nothing", lambda f, at: f.set_mode(at("nothing"), 0o600), "ENOENT"),
    ("mode of a link", lambda f, at: f.set_mode(at("link"), 0o600), "ELOOP"),
    ("mode of a link to nothing", lambda f, at: f.set_mode(at("dangling"), 0o600), "ELOOP"),
    ("flush a file as a folder", lambda f, at: f.flush_folder(at("file")), "ENOTDIR"),
    ("flush a link as a folder", lambda f, at: f.flush_folder(at("way")), "ELOOP"),
    ("flush nothing", lambda f, at: f.flush_folder(at("nothing")), "ENOENT"),
]


@pytest.mark.parametrize(("call", "number"), [case[1:] for case in ERRORS], ids=[case[0] for case in ERRORS])
def test_what_can_not_be_done_has_the_same_error_everywhere(
    full: Place, call: Callable[[Files, Callable[[str], str]], object], number: str
) -> None:
    before = full.tree()
    assert number_of(lambda: call(full.files, full.at)) == number
    assert full.tree() == before


def test_an_error_names_the_whole_path(full: Place) -> None:
    for call in (full.files.remove, full.files.names, full.files.link, full.files.remove_folder):
        with pytest.raises(FileNotFoundError) as raised:
            call(full.at("folder/nothing"))
        assert raised.value.filename == full.at("folder/nothing")


@pytest.mark.parametrize("path", ["folder/../file", "..", "folder//inner", "../outside", "folder/.."])
def test_a_path_that_is_not_normalised_is_a_bug(full: Place, path: str) -> None:
    with pytest.raises(AssertionError, match="BUG"):
        full.files.stat(full.at(path))
    with pytest.raises(AssertionError, match="BUG"):
        full.files.rename(full.at("file"), full.at(path), replace=True)


def test_a_path_below_no_root_is_a_bug(tmp_path: Path) -> None:
    files = DiskFiles([str(tmp_path)])
    for path in ("/etc/passwd", "etc", "", "/", str(tmp_path) + "x", str(tmp_path.parent)):
        with pytest.raises(AssertionError, match="BUG"):
            files.stat(path)
    with pytest.raises(AssertionError, match="BUG"):
        MemoryFiles().stat("relative")


def test_a_file_that_is_too_large_says_how_large_it_is(full: Place) -> None:
    with pytest.raises(FileTooLargeError) as raised:
        full.files.read(full.at("file"), 3)
    assert (raised.value.size, raised.value.limit, raised.value.filename) == (4, 3, full.at("file"))
    again = pickle.loads(pickle.dumps(raised.value))  # noqa: S301 - our own
    assert (again.size, again.limit, again.errno) == (4, 3, errno.EFBIG)


def test_a_staged_file_takes_the_mode_of_another(place: Place) -> None:
    place.files.stage(place.at("script"), b"#!\n", mode=0o755, flush=False)
    place.files.stage(place.at("secret"), b"", mode=0o600, flush=False)
    place.files.stage(place.at("a"), b"", like=place.at("script"), flush=False)
    place.files.stage(place.at("b"), b"", like=place.at("secret"), flush=False)
    place.files.stage(place.at("c"), b"", like=place.at("secret"), mode=0o640, flush=False)
    assert [place.stat(name).mode for name in ("script", "a", "b", "c")] == [0o755, 0o755, 0o600, 0o640]


def test_modes_of_files_and_folders_can_be_set(full: Place) -> None:
    full.files.set_mode(full.at("file"), 0o4711)
    full.files.set_mode(full.at("folder"), 0o750)
    assert [full.stat(name).mode for name in ("file", "folder")] == [0o4711, 0o750]


def test_a_rename_replaces_and_moves_between_folders(full: Place) -> None:
    full.files.rename(full.at("folder/inner"), full.at("file"), replace=True)
    full.files.rename(full.at("link"), full.at("folder/link"), replace=False)
    full.files.rename(full.at("file"), full.at("empty/moved"), replace=False)
    full.files.rename(full.at("folder"), full.at("empty/folder"), replace=False)
    assert full.tree() == {
        "dangling": ("link", 0, "nothing"),
        "empty": ("folder", 0o755, b""),
        "empty/folder": ("folder", 0o755, b""),
        "empty/folder/link": ("link", 0, "file"),
        "empty/moved": ("file", 0o644, b"two\n"),
        "way": ("link", 0, "folder"),
    }


def test_a_rename_onto_a_link_replaces_the_link(full: Place) -> None:
    full.files.rename(full.at("folder/inner"), full.at("link"), replace=True)
    assert full.stat("link").kind == "file"
    assert full.files.read(full.at("file"), LIMIT)[0] == b"one\n"


def test_a_link_is_removed_and_not_what_it_leads_to(full: Place) -> None:
    full.files.remove(full.at("link"))
    full.files.remove(full.at("way"))
    assert full.files.names(full.root) == ["dangling", "empty", "file", "folder"]


def test_an_empty_folder_is_removed(full: Place) -> None:
    full.files.remove_folder(full.at("empty"))
    assert full.files.stat(full.at("empty")) is None


OPERATIONS: list[tuple[Callable[[Files, Callable[[str], str]], object], list[str]]] = [
    (lambda f, at: f.stat(at("file")), ["stat"]),
    (lambda f, at: f.link(at("link")), ["stat"]),
    (lambda f, at: f.read(at("file"), LIMIT), ["open"]),
    (lambda f, at: f.names(at("folder")), ["list"]),
    (lambda f, at: f.make_folder(at("a")), ["mkdir"]),
    (lambda f, at: f.remove_folder(at("empty")), ["rmdir"]),
    (lambda f, at: f.stage(at("a"), b"x", flush=False), ["create", "write"]),
    (lambda f, at: f.stage(at("a"), b"", mode=0o600, flush=True), ["create", "mode", "flush"]),
    (lambda f, at: f.stage(at("a"), b"x", like=at("file"), flush=True), ["open", "create", "write", "mode", "flush"]),
    (lambda f, at: f.rename(at("file"), at("a"), replace=True), ["rename"]),
    (lambda f, at: f.make_link(at("a"), "x"), ["symlink"]),
    (lambda f, at: f.remove(at("file")), ["unlink"]),
    (lambda f, at: f.set_mode(at("file"), 0o600), ["mode"]),
    (lambda f, at: f.flush_folder(at("folder")), ["flush_folder"]),
]


@pytest.mark.parametrize(("call", "names"), OPERATIONS)
def test_every_operation_is_watched(
    full: Place, call: Callable[[Files, Callable[[str], str]], object], names: list[str]
) -> None:
    seen: list[tuple[str, str]] = []
    full.files.watch = lambda name, path: seen.append((name, path))
    call(full.files, full.at)
    assert [name for name, _ in seen] == names
    assert all(path.startswith(full.root) for _, path in seen)


@pytest.mark.parametrize("call", [case[0] for case in OPERATIONS])
@pytest.mark.parametrize("error", [OSError(errno.EIO, "x"), KeyboardInterrupt()], ids=["EIO", "interrupt"])
def test_a_fault_at_any_point_leaves_nothing_behind(
    full: Place, call: Callable[[Files, Callable[[str], str]], object], error: BaseException
) -> None:
    before = full.tree()
    for fail_at in range(1, 9):
        left = fail_at

        def watch(_: str, __: str) -> None:
            nonlocal left
            left -= 1
            if left == 0:
                raise error

        full.files.watch = watch
        try:
            call(full.files, full.at)
        except (OSError, KeyboardInterrupt):
            full.files.watch = None
            assert full.tree() == before
        else:
            return
    pytest.fail("there is no end to its operations")


def test_what_can_not_be_cleaned_up_does_not_hide_the_error(place: Place) -> None:
    def watch(name: str, _: str) -> None:
        if name in {"write", "unlink"}:
            raise OSError(errno.ENOSPC if name == "write" else errno.EIO, "x")

    place.files.watch = watch
    assert number_of(lambda: place.write("a")) == "ENOSPC"


# Only the disk has these.


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


@pytest.mark.parametrize("number", [errno.EPERM, errno.ENOTSUP])
def test_a_file_system_without_hard_links_still_refuses_to_replace(
    full: Place, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def link(*_: object, **__: object) -> None:
        raise OSError(number, "not here")

    monkeypatch.setattr(os, "link", link)
    assert number_of(lambda: full.files.rename(full.at("file"), full.at("link"), replace=False)) == "EEXIST"
    full.files.rename(full.at("file"), full.at("new"), replace=False)
    assert full.files.stat(full.at("file")) is None
    assert full.files.read(full.at("new"), LIMIT)[0] == b"one\n"


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


# Only memory has these.


def test_texts_come_back_as_they_were_given() -> None:
    texts: dict[str, str | bytes] = {"b/c.py": "text\n", "a": b"\xff\xfe", "d": "lone \ud800", "e": ""}
    assert MemoryFiles(texts).texts() == texts
    assert list(MemoryFiles(texts).texts()) == ["a", "b/c.py", "d", "e"]


def test_texts_are_bytes_only_where_they_are_no_text() -> None:
    files = MemoryFiles({"a": b"text"})
    files.stage("/b", "ä".encode(), flush=False)
    files.stage("/c", b"\xff", flush=False)
    files.make_link("/d", "a")
    files.make_folder("/e")
    assert files.texts() == {"a": "text", "b": "ä", "c": b"\xff"}


@pytest.mark.parametrize("path", ["", "/a", "a/", "a//b", "./a", "../a", "a/../b", "a\0b"])
def test_a_key_that_is_no_relative_path_is_refused(path: str) -> None:
    with pytest.raises(ValueError, match="relative path"):
        MemoryFiles({path: ""})


@pytest.mark.parametrize("paths", [("a", "a/b"), ("a/b", "a"), ("a", "a/b/c")])
def test_a_path_can_not_be_a_file_and_a_folder(paths: tuple[str, str]) -> None:
    with pytest.raises(ValueError, match="directory"):
        MemoryFiles(dict.fromkeys(paths, ""))


@given(st.dictionaries(st.sampled_from(["a", "b", "c/d", "c/e", "f/g/h"]), st.text() | st.binary()))
def test_what_is_given_is_what_is_there(texts: dict[str, str | bytes]) -> None:
    files = MemoryFiles(texts)
    for path, text in texts.items():
        data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
        assert files.read(f"/{path}", len(data))[0] == data


# Errors of the system as problems.


@pytest.mark.parametrize(
    ("number", "code"),
    [
        (errno.ENOENT, "not_found"),
        (errno.EACCES, "permission_denied"),
        (errno.EROFS, "permission_denied"),
        (errno.ENOSPC, "io_error"),
        (errno.ENAMETOOLONG, "invalid_arguments"),
        (errno.EISDIR, "is_directory"),
        (errno.ENOTDIR, "not_a_file"),
    ],
)
def test_an_error_of_the_system_is_a_problem(number: int, code: str) -> None:
    problem = problem_of(OSError(number, os.strerror(number), "/somewhere/else"), "src/app.py")
    assert (problem.code, problem.path) == (code, "src/app.py")
    assert problem.details == {"path": "src/app.py", "reason": "system", "errno": errno.errorcode[number]}
    assert problem.message == f"src/app.py: {os.strerror(number)}."
    assert problem.hint


def test_an_error_without_a_number_is_a_problem_too() -> None:
    assert problem_of(OSError("broken"), "a").message == "a: broken."
    assert problem_of(OSError(), "a").code == "io_error"


# Whatever is done, both do the same.

PATHS = st.sampled_from(["a", "b", "c", "c/a", "c/b", "c/d", "c/d/a", "a/b"])


class DiskAndMemory(RuleBasedStateMachine):
    """The same operations on both: the same trees and the same errors."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.both = (Place(DiskFiles([self.folder.name])), Place(MemoryFiles()))

    def teardown(self) -> None:
        self.folder.cleanup()

    def do(self, call: Callable[[Files, Callable[[str], str]], object]) -> None:
        answers: list[object] = []
        for place in self.both:
            try:
                answer = call(place.files, place.at)
            except OSError as error:
                answer = errno.errorcode[error.errno or 0]
            answers.append(answer)
        assert answers[0] == answers[1]

    @rule(path=PATHS, data=st.binary(max_size=3), mode=st.none() | st.sampled_from([0o600, 0o755]))
    def stage(self, path: str, data: bytes, mode: int | None) -> None:
        self.do(lambda f, at: f.stage(at(path), data, mode=mode, flush=False))

    @rule(path=PATHS, like=PATHS)
    def stage_like(self, path: str, like: str) -> None:
        self.do(lambda f, at: f.stage(at(path), b"like", like=at(like), flush=False))

    @rule(path=PATHS)
    def make_folder(self, path: str) -> None:
        self.do(lambda f, at: f.make_folder(at(path)))

    @rule(path=PATHS, says=PATHS)
    def make_link(self, path: str, says: str) -> None:
        self.do(lambda f, at: f.make_link(at(path), says))

    @rule(old=PATHS, new=PATHS, replace=st.booleans())
    def rename(self, old: str, new: str, replace: bool) -> None:
        self.do(lambda f, at: f.rename(at(old), at(new), replace=replace))

    @rule(path=PATHS)
    def remove(self, path: str) -> None:
        self.do(lambda f, at: f.remove(at(path)))

    @rule(path=PATHS)
    def remove_folder(self, path: str) -> None:
        self.do(lambda f, at: f.remove_folder(at(path)))

    @rule(path=PATHS)
    def read(self, path: str) -> None:
        self.do(lambda f, at: f.read(at(path), 2)[0])
        self.do(lambda f, at: (stat := f.stat(at(path))) and (stat.kind, stat.mode, stat.kind == "file" and stat.size))
        self.do(lambda f, at: f.names(at(path)))
        self.do(lambda f, at: f.link(at(path)))

    @rule(path=PATHS, mode=st.sampled_from([0o600, 0o755]))
    def set_mode(self, path: str, mode: int) -> None:
        self.do(lambda f, at: f.set_mode(at(path), mode))

    @invariant()
    def same_tree(self) -> None:
        assert self.both[0].tree() == self.both[1].tree()


TestDiskAndMemory = DiskAndMemory.TestCase
TestDiskAndMemory.settings = settings(max_examples=max(40, settings().max_examples // 3), stateful_step_count=30)
