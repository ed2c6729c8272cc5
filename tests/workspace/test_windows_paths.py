"""Paths of Windows that would lead elsewhere: all are refused, and nothing is written anywhere.

In memory they are tried on every system, with files that read paths as Windows does; on Windows also on the disk.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
from tests.shared.sites import envelope

from suture import PatchRejectedError, Workspace
from suture.testing import MemoryFiles

if TYPE_CHECKING:
    from pathlib import Path

#: Each names, for Windows, something that is not a file of its name below the root. `{out}` is a directory beside the
#: root, `{tail}` the same without its drive, `{root}` the root.
ATTACKS = r"""
..\victim.txt|..\out\victim.txt|src\..\..\out\victim.txt|src/..\../out/victim.txt|.\..\out\victim.txt
{out}\victim.txt|{out}/victim.txt|\\?\{out}\victim.txt|\\.\{out}\victim.txt|//?/{out}/victim.txt
\??\{out}\victim.txt|{tail}\victim.txt|{tail}/victim.txt|C:victim.txt|c:..\out\victim.txt|C:
\\localhost\c$\victim.txt|\\127.0.0.1\c$\victim.txt|//server/share/victim.txt|\\?\UNC\server\share\victim.txt
\\.\pipe\victim|\\.\PhysicalDrive0|\\?\GLOBALROOT\Device\Null|\\.\NUL|//./CON
NUL|nul.txt|NUL.tar.gz|src\NUL|con|CON.py|aux.c|AUX|prn|PRN.txt|com1|COM9.log|lpt1|LPT¹.txt|CONIN$|conout$|COM0
a.txt:stream|a.txt::$DATA|a.txt:stream:$DATA|src:stream|.:a|src::$INDEX_ALLOCATION/x|src\a.py:Zone.Identifier
a.txt.|src.\a.py|src \a.py|a.txt. .|.git.\config|.git \config|.env.|...\victim.txt
.GIT\config|.Git/config|GIT~1\config|git~1/hooks/x|.ENV|src\..\.GIT\config|.git::$INDEX_ALLOCATION\config|.GIT/HOOKS/pre-commit
a?.txt|*.txt|a<b|a>b|b"c|src\x/../../../out/victim.txt|{root}\..\out\victim.txt|\\?\{root}\..\out\victim.txt
"""
CASES = [case for line in ATTACKS.strip().split("\n") for case in line.split("|")]


def formatted(attack: str, root: str, out: str) -> str:
    native = out.replace("/", "\\")
    return attack.replace("{out}", native).replace("{tail}", native[2:]).replace("{root}", root.replace("/", "\\"))


def try_attack(workspace: Workspace, path: str) -> None:
    patches = [
        envelope(f"*** Add File: {path}", "+attack"),
        envelope(f"*** Update File: {path}", "@@", "-secret", "+attack"),
        envelope(f"*** Delete File: {path}"),
        envelope("*** Update File: a.txt", f"*** Move to: {path}", "@@", "-one", "+two"),
    ]
    for patch in patches:
        with pytest.raises(PatchRejectedError):
            workspace.apply(patch, dialect="standard")


def contents(folder: Path, leave_out: Path) -> dict[Path, bytes]:
    paths = [path for path in folder.rglob("*") if path.is_file() and leave_out not in path.parents]
    return {path: path.read_bytes() for path in paths}


def test_there_are_at_least_64_attacks() -> None:
    assert len(set(CASES)) >= 64


@pytest.mark.parametrize("attack", CASES)
def test_no_attack_changes_anything_in_memory(attack: str) -> None:
    texts: dict[str, str | bytes] = {"a.txt": "one\n", "src/a.py": "x\n", ".git/config": "secret\n", ".env": "secret\n"}
    files = MemoryFiles(texts, folds_names=True, windows_names=True)
    try_attack(Workspace(files), formatted(attack, "C:/root", "C:/out"))
    assert files.texts() == dict(sorted(texts.items()))


@pytest.mark.skipif(sys.platform != "win32", reason="it takes the disk of Windows")
@pytest.mark.parametrize("attack", CASES)
def test_no_attack_changes_anything_on_the_disk(tmp_path: Path, state_dir: Path, attack: str) -> None:
    root, out = tmp_path / "root", tmp_path / "out"
    for path in (
        root / "a.txt",
        root / "src" / "a.py",
        root / ".git" / "config",
        out / "victim.txt",
        tmp_path / "victim.txt",
    ):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"one\n" if path.name == "a.txt" else b"secret\n")
    before = contents(tmp_path, state_dir)
    with Workspace(str(root), state_dir=str(state_dir)) as workspace:
        try_attack(workspace, formatted(attack, workspace.root, str(out)))
    after = {
        path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file() and state_dir not in path.parents
    }
    assert after == before


@pytest.mark.parametrize("path", ["src\\a.py", "SRC/A.PY", ".\\src\\a.py", "src\\..\\src\\a.py", "Src\\a.py"])
def test_a_file_is_found_by_all_its_spellings_and_shown_with_slashes(path: str) -> None:
    files = MemoryFiles({"src/a.py": "x\n"}, folds_names=True, windows_names=True)
    receipt = Workspace(files).apply(envelope(f"*** Update File: {path}", "@@", "-x", "+y"))
    assert [change.path for change in receipt.changes] == ["src/a.py"]
    assert files.texts() == {"src/a.py": "y\n"}


def test_a_line_that_was_not_named_keeps_its_ending() -> None:
    files = MemoryFiles({"a.txt": b"one\r\ntwo\r\nthree\nfour\r\n"}, windows_names=True)
    Workspace(files).apply(envelope("*** Update File: a.txt", "@@", " one", "-two", "+2", "+zwei"))
    assert files.texts() == {"a.txt": "one\r\n2\r\nzwei\r\nthree\nfour\r\n"}


def test_a_plan_that_was_kept_names_no_stream_of_a_file() -> None:
    files = MemoryFiles({"a.txt": "one\n"}, windows_names=True)
    workspace = Workspace(files)
    plan = workspace.plan(envelope("*** Update File: a.txt", "@@", "-one", "+two"))
    (file,) = plan.files
    with pytest.raises(PatchRejectedError) as refused:
        workspace.commit(plan.replace(files=(file.replace(path=f"{file.path}:hidden"),)))
    assert refused.value.problems[0].code == "invalid_arguments"
    workspace.commit(plan)
    assert files.texts() == {"a.txt": "two\n"}
