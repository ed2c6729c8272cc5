"""Paths that attack the disk of Windows: nothing outside is changed or read, and nothing outside is even opened.

Each attack resolves a path and, where it is let through, does all with it that a commit would do. A witness stands at
the two calls that open a file: every handle has to be that of something in the workspace.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

import pytest

from suture import PatchRejectedError
from suture.workspace.files.open_files import DiskFiles
from suture.workspace.guard import Guard

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import Any

OUTSIDE_TEXT = "what stands outside"
DENIED = "permission_denied: denied"

#: Paths by what must come of them. In a path, `{root}` and `{outside}` stand for directories with slashes, `{ROOT}` and
#: `{OUTSIDE}` for the same with backslashes, and `{other}` for the root in letters of the other case.
REFUSED = {
    "outside_workspace: parent": [
        "..",
        "../outside/secret",
        "..\\outside\\secret",
        "src/../../outside/secret",
        "src\\..\\..\\outside\\secret",
        "src/..\\../outside\\secret",
        "SRC\\..\\..\\OUTSIDE\\SECRET",
        "missing\\..\\..\\outside\\secret",
        "src\\app.py\\..\\..\\..\\outside\\secret",
        ".\\..\\outside\\secret",
        "../" * 40 + "windows/win.ini",
        "..\\" * 40 + "windows\\win.ini",
    ],
    "outside_workspace: absolute": [
        "{outside}/secret",
        "{OUTSIDE}\\secret",
        "{root}/../outside/secret",
        "{ROOT}\\..\\outside\\secret",
        "{other}/../outside/secret",
        "{root}/src/../../outside/secret",
        "{root}x/secret",
        "C:/windows/win.ini",
        "C:\\windows\\win.ini",
        "c:\\windows\\win.ini",
        "C:\\\\windows\\\\win.ini",
        "D:/secret",
    ],
    "outside_workspace: drive_relative": ["C:", "C:secret", "c:..\\outside\\secret", "{drive}outside/secret"],
    "outside_workspace: no_drive": ["\\windows\\win.ini", "/windows/win.ini", "/etc/passwd", "\\??\\{OUTSIDE}\\secret"],
    "outside_workspace: unc": [
        "\\\\localhost\\c$\\windows\\win.ini",
        "//localhost/c$/windows/win.ini",
        "\\\\127.0.0.1\\c$\\secret",
        "/\\server\\share\\a",
        "\\\\?\\{OUTSIDE}\\secret",
        "//?/{outside}/secret",
        "\\\\.\\{OUTSIDE}\\secret",
        "\\\\?\\UNC\\localhost\\c$\\secret",
        "\\\\?\\GLOBALROOT\\Device\\HarddiskVolume1\\secret",
        "\\\\.\\PhysicalDrive0",
        "\\\\.\\pipe\\secret",
        "\\\\?\\unix\\etc\\passwd",
        "\\\\?\\{ROOT}\\src\\app.py",
    ],
    "invalid_arguments: device": [
        "NUL",
        "nul.txt",
        "src\\NUL",
        "src/con",
        "CON.py",
        "con .txt",
        "aux.c",
        "COM1",
        "com¹.log",
        "lpt9.tar.gz",
        "CONIN$",
        "prn/secret",
        "{root}/nul",
    ],
    "invalid_arguments: stream": [
        "src/app.py:hidden",
        "src\\app.py::$DATA",
        "src/app.py:hidden:$DATA",
        ".git::$INDEX_ALLOCATION/config",
        "src:$I30:$INDEX_ALLOCATION\\app.py",
        ".git:x",
        "{root}/src/app.py::$DATA",
        "NUL:",
        "{root}/C:/windows/win.ini",
    ],
    "invalid_arguments: trailing": [
        ".git./config",
        ".git \\config",
        "src/app.py.",
        "src/app.py ",
        "src.\\app.py",
        "...\\outside\\secret",
        ".. \\outside\\secret",
        "src\\.. \\.. \\outside\\secret",
    ],
    "invalid_arguments: forbidden_character": ["src/*.py", "src\\app.p?", 'src/"app.py', "src/<", "a|b"],
    "invalid_arguments: control_character": ["src/app.py\0.md", "src\\app.py\n", "src/\u202eyp.ppa"],
    "invalid_arguments: too_long": ["a" * 256, "a\\" * 2100 + "b"],
    "invalid_arguments: empty": ["", " "],
    DENIED: [
        ".git/config",
        ".GIT\\config",
        ".Git\\CONFIG",
        "GIT~1/config",
        "git~1\\config",
        ".g\u200cit\\config",
        "src\\..\\.git\\config",
        "{root}/.git/config",
        "{ROOT}\\.GIT\\config",
        "{other}/.git/config",
        ".ENV",
        "src\\ID_RSA",
    ],
    "is_directory: folder": ["src", "SRC", "src\\", ".", "{root}", "{other}", "src\\deep\\.."],
}
#: Paths that only look as if they left, with the file that they name.
INSIDE = {
    "SRC\\APP.PY": "src/app.py",
    "src\\deep\\..\\app.py": "src/app.py",
    "{other}/src/app.py": "src/app.py",
    "{ROOT}\\src\\new.py": "src/new.py",
    "~\\secret": "~/secret",
    "%USERPROFILE%\\secret": "%USERPROFILE%/secret",
    "$HOME/secret": "$HOME/secret",
    "．．／outside／secret": "．．／outside／secret",
    "%2e%2e\\outside": "%2e%2e/outside",
    "nul-a": "nul-a",
}
ATTACKS = [(path, outcome) for outcome, paths in REFUSED.items() for path in paths]


def test_there_are_at_least_64_attacks() -> None:
    assert len({path for path, _ in ATTACKS}) == len(ATTACKS)
    assert len(ATTACKS) >= 64


class Ground(NamedTuple):
    """The workspace, and a directory beside it that nobody may touch."""

    root: Path
    outside: Path

    def snapshot(self) -> dict[str, tuple[int, bytes]]:
        """All that is beside the workspace, with times of the last change."""
        there = [path for path in self.root.parent.rglob("*") if self.root not in [path, *path.parents]]
        return {str(path): (path.stat().st_mtime_ns, path.read_bytes() if path.is_file() else b"") for path in there}

    def filled(self, path: str) -> str:
        """A path of the table as it is sent."""
        root, outside = self.root.as_posix(), self.outside.as_posix()
        names = {
            "{root}": root,
            "{ROOT}": str(self.root),
            "{other}": root.swapcase(),
            "{drive}": root[:2],
            "{outside}": outside,
            "{OUTSIDE}": str(self.outside),
        }
        for name, value in names.items():
            path = path.replace(name, value)
        return path


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    ground = Ground(tmp_path / "root", tmp_path / "outside")
    (ground.root / "src" / "deep").mkdir(parents=True)
    (ground.root / "src" / "app.py").write_text("inside\n")
    (ground.root / ".git").mkdir()
    (ground.root / ".git" / "config").write_text("inside\n")
    ground.outside.mkdir()
    (ground.outside / "secret").write_text(OUTSIDE_TEXT)
    return ground


def windows_handles() -> Any:
    """The module that calls Windows, which can't be loaded elsewhere."""
    return import_module("suture.workspace.files.windows_handles")


@pytest.fixture
def opened(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The paths of all handles that are opened, as the system has them; all have to be inside."""
    handles = windows_handles()
    paths: list[str] = []
    real = {"open_at": handles.open_at, "open_root": handles.open_root}

    def watched(name: str) -> Any:
        def call(*given: Any, **named: Any) -> int:
            handle = int(real[name](*given, **named))
            paths.append(handles.final_path(handle, str(given[0])))
            return handle

        return call

    for name in real:
        monkeypatch.setattr(handles, name, watched(name))
    yield paths
    root = ground.root.as_posix().casefold()
    assert [path for path in paths if path.casefold() != root and not path.casefold().startswith(root + "/")] == []


def use(files: DiskFiles, path: str) -> tuple[str, str]:
    """All that a commit does with a path: the file that it is, and what the model gets to see."""
    guard = Guard(files)
    resolved = guard.resolve(path)
    guard.check_file(resolved, resolved.found)
    there = files.stat(resolved.path)
    answer = files.read(resolved.path, 1000)[0].decode() if there is not None else ""
    folder = resolved.path.rpartition("/")[0]
    if files.stat(folder) is None:
        files.make_folder(folder)
    staged = resolved.path + ".tmp"
    files.stage(staged, b"written\n", like=resolved.path if there else None, flush=False)
    files.rename(staged, resolved.path, replace=there is not None)
    files.set_mode(resolved.path, 0o600)
    answer += files.read(resolved.path, 1000)[0].decode() + " ".join(files.names(folder))
    files.remove(resolved.path)
    return resolved.path, answer


on_windows = pytest.mark.skipif(sys.platform != "win32", reason="it takes the disk of Windows")


@on_windows
@pytest.mark.parametrize(("path", "outcome"), ATTACKS)
def test_an_attack_is_refused_and_nothing_outside_is_opened(
    path: str, outcome: str, ground: Ground, opened: list[str]
) -> None:
    before = ground.snapshot()
    files = DiskFiles([str(ground.root)])
    try:
        with pytest.raises(PatchRejectedError) as raised:
            use(files, ground.filled(path))
    finally:
        files.close()
    [problem] = raised.value.problems
    assert f"{problem.code}: {problem.details['reason']}" == outcome
    assert OUTSIDE_TEXT not in f"{raised.value} {problem.details}"
    assert ground.snapshot() == before
    assert opened


@on_windows
@pytest.mark.parametrize(("path", "name"), INSIDE.items())
def test_a_path_that_only_looks_like_an_attack_stays_inside(
    path: str, name: str, ground: Ground, opened: list[str]
) -> None:
    before = ground.snapshot()
    files = DiskFiles([str(ground.root)])
    try:
        resolved, answer = use(files, ground.filled(path))
    finally:
        files.close()
    assert resolved == f"{ground.root.as_posix()}/{name}"
    assert OUTSIDE_TEXT not in answer
    assert ground.snapshot() == before
    assert opened


@on_windows
@pytest.mark.parametrize("name", ["..", "a/b", "a\\b", "..\\outside\\secret", "../outside/secret"])
def test_a_name_that_is_a_path_is_refused_below_the_guard(name: str, ground: Ground, opened: list[str]) -> None:
    handles = windows_handles()
    folder = handles.open_root(ground.root.as_posix())
    try:
        with pytest.raises(OSError, match="nvalid"):
            handles.close(handles.open_at(folder, name, name, handles.READ))
    finally:
        handles.close(folder)
    assert len(opened) == 1


@on_windows
def test_the_witness_sees_what_goes_outside(ground: Ground, opened: list[str]) -> None:
    files = DiskFiles([str(ground.outside)])
    files.read(f"{ground.outside.as_posix()}/secret", 1000)
    files.close()
    assert [path.rpartition("/")[2] for path in opened] == ["outside", "secret"]
    opened.clear()
