"""A table of attacks: whatever a path or a tree tries, nothing outside is changed and nothing outside is read.

Each attack resolves a path and, where it is let through, does all with it that a commit would do. A witness stands at
every system call that takes a path: it knows all files and folders outside, and none of them may be opened, looked at
or used as the place of a change. In the second half somebody swaps folders and files for links while this goes on: at
every single operation, one after the other, and by a thread that does nothing else.
"""

from __future__ import annotations

import os
import socket
import stat as modes
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from suture import PatchRejectedError
from suture.workspace.files.open_files import DiskFiles
from suture.workspace.guard import Guard

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

OUTSIDE_TEXT = "what stands outside"
#: Seconds that the swapping thread is given at most.
PATIENCE = 1.2


class Ground(NamedTuple):
    """The workspace, and a folder beside it that nobody may touch."""

    root: Path
    outside: Path

    def snapshot(self) -> dict[str, tuple[int, int, int, bytes]]:
        """All that is outside: modes, times of the last change and contents."""
        found = {}
        for path in [self.outside, *self.outside.rglob("*")]:
            stat = path.lstat()
            content = path.read_bytes() if modes.S_ISREG(stat.st_mode) else b""
            found[str(path)] = (stat.st_mode, stat.st_mtime_ns, stat.st_nlink, content)
        return found


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    ground = Ground(tmp_path / FOLDER, tmp_path / "outside")
    (ground.root / "src" / "deep").mkdir(parents=True)
    (ground.root / "src" / "app.py").write_text("inside\n")
    (ground.root / ".git").mkdir()
    (ground.root / ".git" / "config").write_text("inside\n")
    (ground.outside / "folder").mkdir(parents=True)
    (ground.outside / "secret").write_text(OUTSIDE_TEXT)
    (ground.outside / "app.py").write_text(OUTSIDE_TEXT)
    (ground.outside / "folder" / "secret").write_text(OUTSIDE_TEXT)
    return ground


class Witness:
    """Stands at the system calls that take a path, and complains where one reaches something outside."""

    def __init__(self, ground: Ground, patch: pytest.MonkeyPatch) -> None:
        everything = [ground.outside, ground.outside.parent, *ground.outside.rglob("*"), Path("/"), Path("/etc")]
        self._outside = {(stat.st_dev, stat.st_ino) for stat in map(os.stat, everything)}
        self._fstat = os.fstat
        self._stat = os.stat
        self.complaints: list[str] = []
        for name in ("open", "stat", "readlink", "rename", "link", "unlink", "mkdir", "rmdir", "symlink"):
            patch.setattr(os, name, self._watched(name, getattr(os, name)))

    def _watched(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **named: Any) -> Any:
            folders = [named[key] for key in ("dir_fd", "src_dir_fd", "dst_dir_fd") if named.get(key) is not None]
            texts = [arg for arg in args if isinstance(arg, str)][: 2 if name in {"rename", "link"} else 1]
            if name == "symlink":
                texts = [args[1]]
            if not folders or any("/" in text or text == ".." for text in texts):
                self.complaints.append(f"{name}{args}: not relative to a held folder")
            for folder in folders:
                self._look_at(self._fstat(folder), f"{name}{args}: in a folder outside")
            if name == "stat" and named.get("follow_symlinks", True):
                self.complaints.append(f"{name}{args}: follows links")
            answer = real(*args, **named)
            if name == "open":
                self._look_at(self._fstat(answer), f"{name}{args}: opened what is outside")
            elif name == "stat":
                self._look_at(answer, f"{name}{args}: looked at what is outside")
            return answer

        return call

    def _look_at(self, stat: os.stat_result, complaint: str) -> None:
        if (stat.st_dev, stat.st_ino) in self._outside:
            self.complaints.append(complaint)


def use(guard: Guard, files: DiskFiles, path: str, after_resolving: Callable[[], object] = lambda: None) -> str:
    """All that a commit does with a path: what came of it, and what the model gets to see."""
    resolved = guard.resolve(path)
    guard.check_file(resolved, resolved.found)
    after_resolving()
    answer = ""
    folder = resolved.path.rpartition("/")[0]
    there = files.stat(resolved.path)
    if there is not None:
        answer += files.read(resolved.path, 1000)[0].decode()
    missing = []
    while folder not in files.roots and files.stat(folder) is None:
        missing.append(folder)
        folder = folder.rpartition("/")[0]
    for folder in reversed(missing):
        files.make_folder(folder)
    staged = resolved.path + ".tmp"
    files.stage(staged, b"written\n", like=resolved.path if there else None, flush=False)
    try:
        files.rename(staged, resolved.path, replace=there is not None)
    except OSError:
        files.remove(staged)
        raise
    files.flush_folder(folder)
    files.set_mode(resolved.path, 0o600)
    answer += files.read(resolved.path, 1000)[0].decode()
    answer += " ".join(files.names(folder))
    files.remove(resolved.path)
    return answer


class Attack(NamedTuple):
    """What is prepared in the tree, the path that is tried, and what must come of it ("" is: harmless, inside)."""

    name: str
    path: str
    outcome: str
    links: dict[str, str] = {}


OUTSIDE = "outside_workspace"
#: The name of the folder that is the workspace.
FOLDER = "root"
LINK = "outside_workspace: link"
DENIED = "permission_denied: denied"

#: Each leads twice through the one before it.
DOUBLING = {f"l{n}": f"l{n - 1}/../l{n - 1}" for n in range(1, 10)}

ATTACKS = [
    # Paths that leave.
    Attack("up", "../outside/secret", f"{OUTSIDE}: parent"),
    Attack("up and up", "../" * 50 + "etc/passwd", f"{OUTSIDE}: parent"),
    Attack("up from a folder", "src/../../outside/secret", f"{OUTSIDE}: parent"),
    Attack("up from what is missing", "a/b/../../../outside/secret", f"{OUTSIDE}: parent"),
    Attack("up from a file", "src/app.py/../../../outside/secret", f"{OUTSIDE}: parent"),
    Attack("the folder above", "..", f"{OUTSIDE}: parent"),
    Attack("absolute", "{outside}/secret", f"{OUTSIDE}: absolute"),
    Attack("absolute elsewhere", "/etc/passwd", f"{OUTSIDE}: absolute"),
    Attack("absolute with two slashes", "//etc/passwd", f"{OUTSIDE}: absolute"),
    Attack("a name that begins as the root", "{root}x/secret", f"{OUTSIDE}: absolute"),
    Attack("absolute and up", "{root}/../outside/secret", f"{OUTSIDE}: absolute"),
    Attack("absolute and up from below", "{root}/src/../../outside/secret", f"{OUTSIDE}: absolute"),
    # Links that leave.
    Attack("linked file", "link", LINK, {"link": "../outside/secret"}),
    Attack("linked file, absolute", "link", LINK, {"link": "{outside}/secret"}),
    Attack("linked folder", "way/secret", LINK, {"way": "../outside"}),
    Attack("linked folder, absolute", "way/secret", LINK, {"way": "{outside}"}),
    Attack("linked folder, new file", "way/new", LINK, {"way": "../outside"}),
    Attack("linked folder, new folders", "way/new/and/more/a.py", LINK, {"way": "../outside"}),
    Attack("linked folder deep down", "src/deep/way/folder/secret", LINK, {"src/deep/way": "../../../outside"}),
    Attack("link to what is not there yet", "link", LINK, {"link": "../outside/new"}),
    Attack("link to a link", "one", LINK, {"one": "two", "two": "src/three", "src/three": "../../outside/secret"}),
    Attack("link by way of the root", "link", LINK, {"link": "{root}/../outside/secret"}),
    Attack("link to the folder above", "up/outside/secret", LINK, {"up": ".."}),
    Attack("link to all", "all{outside}/secret", LINK, {"all": "/"}),
    Attack("link to the process's own root", "all{outside}/secret", LINK, {"all": "/proc/self/root"}),
    Attack("link to the process's own descriptors", "fd/0", LINK, {"fd": "/dev/fd"}),
    Attack("link to a device", "null", LINK, {"null": "/dev/zero"}),
    Attack("up behind a link that leaves", "way/../secret", LINK, {"way": "../outside/folder"}),
    Attack("up behind a link that stays", "in/../../../outside/secret", LINK, {"in": "src/deep"}),
    Attack("in and out again", f"way/../{FOLDER}/src/app.py", LINK, {"way": "../outside"}),
    Attack("link that begins inside", "link", LINK, {"link": "src/../../outside/secret"}),
    Attack("link through a linked folder", "link", LINK, {"link": "way/secret", "way": "../outside"}),
    Attack("link with slashes behind it", "way//secret", LINK, {"way": "../outside//"}),
    Attack("link by its absolute name", "{root}/way/secret", LINK, {"way": "../outside"}),
    # Circles.
    Attack("link to itself", "self", f"{OUTSIDE}: loop", {"self": "self"}),
    Attack("two links in a circle", "one/a", f"{OUTSIDE}: loop", {"one": "two", "two": "one"}),
    Attack("link into itself", "in/a", f"{OUTSIDE}: loop", {"in": "in/in/in"}),
    Attack("links that multiply", "a/a/a/a", f"{OUTSIDE}: loop", {"a": "b/b/b/b", "b": "a/../a"}),
    Attack("links that double", "l9/app.py", f"{OUTSIDE}: loop", {"l0": "src"} | DOUBLING),
    # Denied names.
    Attack("the repository", ".git/config", DENIED),
    Attack("the repository in capitals", ".GIT/config", DENIED),
    Attack("with an invisible character", ".g\u200cit/config", DENIED),
    Attack("with a soft hyphen", ".gi\u00adt/config", DENIED),
    Attack("by its short name", "GIT~1/config", DENIED),
    Attack("through a link", "innocent/config", DENIED, {"innocent": ".git"}),
    Attack("through a link to a file", "innocent", DENIED, {"innocent": ".git/config"}),
    Attack("a link to what will be one", "innocent", DENIED, {"innocent": "sub/.git/hooks/pre-commit"}),
    Attack("a link with such a name", ".env", DENIED, {".env": "src/app.py"}),
    Attack("behind a link with such a name", "sub.pem/app.py", DENIED, {"sub.pem": "src"}),
    Attack("up behind it", "src/../.git/config", DENIED),
    # Names that are none.
    Attack("an end in the middle", "src/app.py\0.md", "invalid_arguments: control_character"),
    Attack("a line feed", "src/app.py\n", "invalid_arguments: control_character"),
    Attack("written backwards", "src/\u202eyp.ppa", "invalid_arguments: control_character"),
    Attack("bytes in disguise", "src/\udce2\udc80\udcae", "invalid_arguments: control_character"),
    Attack("a dot at the end", ".git./config", "invalid_arguments: trailing"),
    Attack("a space at the end", ".git /config", "invalid_arguments: trailing"),
    Attack("three dots", ".../outside/secret", "invalid_arguments: trailing"),
    Attack("a slash at the end", "src/app.py/", "is_directory: folder"),
    Attack("a dot behind a slash", "src/app.py/.", "is_directory: folder"),
    Attack("too long", "a" * 256, "invalid_arguments: too_long"),
    Attack("too deep", "a/" * 2100 + "b", "invalid_arguments: too_long"),
    Attack("nothing", "", "invalid_arguments: empty"),
    # What is no file.
    Attack("a folder", "src", "is_directory: folder"),
    Attack("the root", ".", "is_directory: folder"),
    Attack("a linked folder inside", "in", "is_directory: folder", {"in": "src"}),
    Attack("a FIFO", "fifo", "not_a_file: special"),
    Attack("a linked FIFO", "link", "not_a_file: special", {"link": "fifo"}),
    Attack("a socket", "socket", "not_a_file: special"),
    # Names that only look as if they left: they stay inside.
    Attack("other dots", "\u2024\u2024/outside/secret", ""),
    Attack("wide dots and slashes", "．．／outside／secret", ""),
    Attack("percents", "%2e%2e/outside", ""),
    Attack("backslashes", "..\\outside\\secret", ""),
    Attack("a home", "~/secret", ""),
    Attack("a variable", "$HOME/secret", ""),
    Attack("a link inside", "link", "", {"link": "src/app.py"}),
    Attack("a link inside, absolute", "link", "", {"link": "{root}/src/app.py"}),
    Attack("a linked folder inside, new file", "in/new.py", "", {"in": "src/deep"}),
]


@pytest.fixture
def specials(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    os.mkfifo(ground.root / "fifo")
    monkeypatch.chdir(ground.root)  # a path of a socket must be short
    monkeypatch.setenv("HOME", str(ground.outside))
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
        yield


@pytest.mark.usefixtures("specials")
@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_nothing_outside_is_changed_or_read(attack: Attack, ground: Ground) -> None:
    for name, target in attack.links.items():
        (ground.root / name).symlink_to(_filled(target, ground))
    before = ground.snapshot()
    files = DiskFiles([str(ground.root)])
    guard = Guard(files)
    with pytest.MonkeyPatch.context() as patch:
        witness = Witness(ground, patch)
        try:
            answer, outcome = use(guard, files, _filled(attack.path, ground)), ""
        except PatchRejectedError as raised:
            [problem] = raised.problems
            answer = f"{raised} {problem.details}"
            outcome = f"{problem.code}: {problem.details['reason']}"
    assert outcome == attack.outcome
    assert witness.complaints == []
    assert OUTSIDE_TEXT not in answer
    assert ground.snapshot() == before


def _filled(text: str, ground: Ground) -> str:
    return text.replace("{outside}", str(ground.outside)).replace("{root}", str(ground.root))


def test_the_witness_sees_what_goes_outside(ground: Ground) -> None:
    with pytest.MonkeyPatch.context() as patch:
        witness = Witness(ground, patch)
        for call in (lambda: os.open(ground.outside / "secret", os.O_RDONLY), lambda: os.stat(ground.outside)):  # noqa: PTH116
            call()
    assert len(witness.complaints) >= 4


def test_a_root_may_be_given_through_a_link_and_is_held_when_that_is_swapped(ground: Ground) -> None:
    alias = ground.root.parent / "alias"
    alias.symlink_to(ground.root)
    before = ground.snapshot()
    files = DiskFiles([str(alias)])
    guard = Guard(files)
    alias.unlink()
    alias.symlink_to(ground.outside)
    assert use(guard, files, f"{alias}/src/app.py").startswith("inside\n")
    ground.root.rename(ground.root.parent / "moved")
    (ground.root.parent / "root").symlink_to(ground.outside)
    use(guard, files, "src/new.py")
    assert ground.snapshot() == before


def test_a_hard_link_is_not_written_through(ground: Ground) -> None:
    os.link(ground.outside / "secret", ground.root / "hard")
    content = (ground.outside / "secret").read_bytes()
    files = DiskFiles([str(ground.root)])
    with pytest.raises(PatchRejectedError) as raised:
        use(Guard(files, hard_links=False), files, "hard")
    assert [problem.details["reason"] for problem in raised.value.problems] == ["hard_link"]
    use(Guard(files), files, "hard")
    assert (ground.outside / "secret").read_bytes() == content


# Between check and use.


def swap_folder(ground: Ground) -> None:
    (ground.root / "src").rename(ground.root / "held")
    (ground.root / "src").symlink_to(ground.outside)


def swap_back(ground: Ground) -> None:
    (ground.root / "src").unlink()
    (ground.root / "held").rename(ground.root / "src")


def swap_file(ground: Ground) -> None:
    (ground.root / "src" / "new").symlink_to(ground.outside / "secret")
    (ground.root / "src" / "new").rename(ground.root / "src" / "app.py")


def swap_deeper(ground: Ground) -> None:
    (ground.root / "src" / "deep").rmdir()
    (ground.root / "src" / "deep").symlink_to(ground.outside / "folder")


def swap_for_fifo(ground: Ground) -> None:
    (ground.root / "src" / "app.py").unlink()
    os.mkfifo(ground.root / "src" / "app.py")


def swap_staged(ground: Ground) -> None:
    (ground.root / "src" / "app.py.tmp").unlink(missing_ok=True)
    (ground.root / "src" / "app.py.tmp").symlink_to(ground.outside / "secret")


class Swapper:
    """Calls `swap` at the operation of that number."""

    def __init__(self, swap_at: int, swap: Callable[[], object]) -> None:
        self._swap_at = swap_at
        self._swap = swap
        self.count = 0

    def __call__(self, _: str, __: str) -> None:
        self.count += 1
        if self.count == self._swap_at:
            self._swap()


@pytest.mark.parametrize(
    "path", ["src/app.py", "src/deep/new.py", "src/deep/more/new.py", "src/secret", "src/deep/../app.py", "src/deep/.."]
)
@pytest.mark.parametrize("swap", [swap_folder, swap_file, swap_deeper, swap_for_fifo, swap_staged])
def test_a_swap_at_any_operation_leads_nowhere(
    swap: Callable[[Ground], None], path: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    for swap_at in range(1, 40):
        base = tmp_path_factory.mktemp("ground")
        ground = Ground(base / FOLDER, base / "outside")
        (ground.root / "src" / "deep").mkdir(parents=True)
        (ground.root / "src" / "app.py").write_text("inside\n")
        (ground.outside / "folder").mkdir(parents=True)
        for name in ("secret", "app.py", "folder/secret", "folder/new.py", "app.py.tmp"):
            (ground.outside / name).write_text(OUTSIDE_TEXT)
        before = ground.snapshot()
        swapper = Swapper(swap_at, lambda ground=ground: swap(ground))  # type: ignore[misc]
        files = DiskFiles([str(ground.root)], swapper)
        answer = ""
        try:
            answer = use(Guard(files), files, path)
        except (PatchRejectedError, OSError) as raised:
            answer = str(raised)
        assert OUTSIDE_TEXT not in answer
        assert ground.snapshot() == before
        if swapper.count < swap_at:
            return
    pytest.fail("there is no end to its operations")


def swap_for_ever(ground: Ground, stop: threading.Event, swaps: list[int]) -> None:
    """Somebody who puts links where folders and files were, and back, as fast as can be."""
    source, held, file = ground.root / "src", ground.root / "held", ground.root / "src" / "app.py"
    while not stop.is_set():
        source.rename(held)
        source.symlink_to(ground.outside)
        (held / "app.py").rename(held / "kept")
        (held / "app.py").symlink_to(ground.outside / "secret")
        source.unlink()
        held.rename(source)
        (source / "kept").rename(file)
        swaps[0] += 1


def test_a_thread_that_swaps_all_the_time_gains_nothing(ground: Ground) -> None:
    before = ground.snapshot()
    files = DiskFiles([str(ground.root)])
    guard = Guard(files)
    root = str(ground.root)
    stop, swaps = threading.Event(), [0]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    thread = threading.Thread(target=swap_for_ever, args=(ground, stop, swaps))
    thread.start()
    done = refused = 0
    end = time.monotonic() + PATIENCE
    try:
        for number in range(2000):
            new = f"{root}/src/new{number}"
            calls: list[Callable[[], object]] = [
                lambda: files.read(guard.resolve("src/app.py").path, 1000),
                lambda: files.read(f"{root}/src/app.py", 1000),
                lambda: files.stat(f"{root}/src/folder/secret"),
                lambda: files.names(f"{root}/src"),
                lambda new=new: files.stage(new, b"written", like=f"{root}/src/app.py", flush=False),  # type: ignore[misc]
                lambda new=new: files.stage(new, b"written", flush=False),  # type: ignore[misc]
                lambda new=new: files.rename(new, f"{root}/src/secret", replace=True),  # type: ignore[misc]
                lambda: files.make_folder(f"{root}/src/made"),
                lambda: files.set_mode(f"{root}/src/secret", 0o600),
                lambda: files.remove(f"{root}/src/secret"),
                lambda: files.remove_folder(f"{root}/src/made"),
            ]
            for call in calls:
                try:
                    answer = str(call())
                    done += 1
                except (PatchRejectedError, OSError) as raised:
                    answer = str(raised)
                    refused += 1
                assert OUTSIDE_TEXT not in answer
            if time.monotonic() > end and min(done, refused, swaps[0]) > 0:
                break
    finally:
        stop.set()
        thread.join()
        sys.setswitchinterval(interval)
    assert ground.snapshot() == before
    assert min(done, refused, swaps[0]) > 0
