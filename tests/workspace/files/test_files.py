"""Files on the disk and in memory: the same tests, answers and errors for both."""

from __future__ import annotations

import errno
import os
import pickle
from typing import TYPE_CHECKING

import pytest
from tests.shared.places import LIMIT, Place, number_of

from suture.core.file_errors import FileTooLargeError
from suture.workspace.files.file_system import problem_of
from suture.workspace.files.memory import MemoryFiles
from suture.workspace.files.open_files import DiskFiles

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from suture.workspace.files.file_system import Files


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
