"""File systems without regard to case, as on macOS and Windows: "one file under two spellings is one file"."""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from unicodedata import normalize

import pytest
from tests.shared.sites import envelope

from suture import PatchRejectedError, Workspace
from suture.testing import CHANGES, FaultyFiles, MemoryFiles
from suture.workspace.files.open_files import DiskFiles

if sys.platform != "win32":
    from tests.shared.folded_names import fold_names, hide_o_path

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from suture.workspace.files.file_system import Files

NFC, NFD = "caf\u00e9.txt", "cafe\u0301.txt"


class DiskThatFolds(DiskFiles):
    """A directory of a disk that folds names, with the texts in it as those of files in memory."""

    def texts(self) -> dict[str, str]:
        """All files by relative path, sorted."""
        root = Path(self.roots[0])
        texts = {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}
        return {path: data.decode() for path, data in sorted(texts.items())}


FilesThatFold = MemoryFiles | DiskThatFolds


@pytest.fixture(params=["memory", "disk of macOS", "disk of Linux"])
def make_files(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[dict[str, str]], FilesThatFold]:
    """Makes files that fold names, in memory or on a disk: one of macOS, or one of Windows that Linux has mounted."""
    if request.param != "memory" and sys.platform != "win32":
        fold_names(tmp_path, monkeypatch)
    if request.param == "disk of macOS" and sys.platform != "win32":
        hide_o_path(monkeypatch)

    def make(texts: dict[str, str]) -> FilesThatFold:
        if request.param == "memory":
            return MemoryFiles(texts, folds_names=True)
        root = tmp_path / f"Cafe\u0301{len(list(tmp_path.iterdir()))}"
        root.mkdir()
        for name, text in texts.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_bytes(text.encode())
        files = DiskThatFolds([str(root)])
        assert files.folds_names
        return files

    return make


@pytest.fixture
def files(make_files: Callable[[dict[str, str]], FilesThatFold]) -> FilesThatFold:
    return make_files({"src/Read.me": "one\ntwo\n", NFD: "x\n"})


@pytest.fixture
def workspace(files: FilesThatFold, tmp_path: Path) -> Workspace:
    return open_workspace(files, tmp_path)


def open_workspace(files: Files, folder: Path, **settings: Any) -> Workspace:
    """A workspace on these files, with its state in a directory of the test."""
    return Workspace(files, state_dir=folder / "state", durability="process", **settings)


def test_a_file_keeps_its_letters_however_an_edit_writes_them(files: FilesThatFold, workspace: Workspace) -> None:
    receipt = workspace.apply(envelope("*** Update File: SRC/read.ME", "@@", "-two", "+three"))
    assert [change.path for change in receipt.changes] == ["src/Read.me"]
    assert files.texts() == {"src/Read.me": "one\nthree\n", NFD: "x\n"}


def test_names_that_unicode_composes_differently_are_one_file(files: FilesThatFold, workspace: Workspace) -> None:
    if sys.platform == "win32" and files.on_disk:
        pytest.skip("Windows has two names for letters that Unicode composes differently")
    workspace.apply(envelope(f"*** Update File: {NFC}", "@@", "-x", "+y"))
    assert files.texts() == {"src/Read.me": "one\ntwo\n", NFD: "y\n"}


def test_a_new_file_goes_into_the_directory_that_exists(files: FilesThatFold, workspace: Workspace) -> None:
    workspace.apply(envelope("*** Add File: SRC/new.py", "+a"))
    assert "src/new.py" in files.texts()


def test_a_file_can_not_be_added_under_another_spelling(files: FilesThatFold, workspace: Workspace) -> None:
    with pytest.raises(PatchRejectedError) as caught:
        workspace.apply(envelope("*** Add File: src/READ.ME", "+a"), dialect="strict")
    assert [problem.code for problem in caught.value.problems] == ["already_exists"]
    assert caught.value.problems[0].path == "src/Read.me"
    assert "src/Read.me" in files.texts()


def test_two_sections_that_spell_one_file_differently_change_one_file(
    files: FilesThatFold, workspace: Workspace
) -> None:
    edits = ("*** Update File: src/Read.me", "@@", "-one", "+1", "*** Update File: src/read.me", "@@", "-two", "+2")
    workspace.apply(envelope(*edits))
    assert files.texts()["src/Read.me"] == "1\n2\n"


def test_two_new_files_that_differ_only_in_letters_are_one(workspace: Workspace) -> None:
    plan = workspace.plan(envelope("*** Add File: New.txt", "+a", "*** Add File: new.TXT", "+b"))
    assert plan.problems
    assert {problem.path for problem in plan.problems} == {"New.txt"}


def skip_where_letters_stay(files: FilesThatFold, folder: Path) -> None:
    """Skip a test where the system has renamed a file when it has not, if only letters change."""
    if files.on_disk:
        (folder / "letters").touch()
        (folder / "letters").rename(folder / "LETTERS")
        if "LETTERS" not in {path.name for path in folder.iterdir()}:
            pytest.skip("Wine does not rename a file if only the letters change")


MOVE = ("*** Update File: src/Read.me", "*** Move to: src/READ.ME")
CHANGED = ("@@", "-two", "+three")


@pytest.mark.parametrize("more", [(), CHANGED], ids=["moved", "moved and changed"])
def test_a_rename_can_change_only_letters_and_be_undone(
    files: FilesThatFold, workspace: Workspace, more: tuple[str, ...], tmp_path: Path
) -> None:
    if not more:
        skip_where_letters_stay(files, tmp_path)
    before = files.texts()
    receipt = workspace.apply(envelope(*MOVE, *more))
    assert list(files.texts()) == [NFD, "src/READ.ME"]
    assert files.texts()["src/READ.ME"] == ("one\nthree\n" if more else "one\ntwo\n")
    undone = workspace.undo(receipt.id)
    assert files.texts() == before
    workspace.undo(undone.id)
    assert list(files.texts()) == [NFD, "src/READ.ME"]


@pytest.mark.parametrize("more", [(), CHANGED], ids=["moved", "moved and changed"])
def test_a_rename_of_letters_that_fails_anywhere_leaves_everything(
    more: tuple[str, ...], make_files: Callable[[dict[str, str]], FilesThatFold], tmp_path: Path
) -> None:
    if not more:
        skip_where_letters_stay(make_files({}), tmp_path)
    for number in range(1, 100):
        files = make_files({"src/Read.me": "one\ntwo\n"})
        faulty = FaultyFiles(files, number, counted=CHANGES)
        try:
            open_workspace(faulty, tmp_path).apply(envelope(*MOVE, *more))
        except Exception:  # noqa: BLE001 - whatever it is, nothing has changed
            assert files.texts() == {"src/Read.me": "one\ntwo\n"}
        else:
            assert not faulty.failed
            return
    pytest.fail("it never succeeds")


def test_a_name_that_was_respelled_is_found_by_the_next_section(files: FilesThatFold, workspace: Workspace) -> None:
    workspace.apply(envelope(*MOVE, *CHANGED, "*** Add File: src/other", "+x"))
    workspace.apply(envelope("*** Update File: src/read.me", "@@", "-one", "+1"))
    assert files.texts()["src/READ.ME"] == "1\nthree\n"


def test_a_denied_path_is_denied_in_all_letters(files: FilesThatFold, tmp_path: Path) -> None:
    workspace = open_workspace(files, tmp_path, deny=["src/read.me"])
    for path in ("src/Read.me", "SRC/READ.ME", "Src/read.me"):
        with pytest.raises(PatchRejectedError) as caught:
            workspace.apply(envelope(f"*** Update File: {path}", "@@", "-one", "+1"))
        assert caught.value.problems[0].code == "permission_denied"


@pytest.mark.parametrize(("name", "other"), [("Straße", "Strasse"), ("caﬁ", "cafi")])
def test_another_directory_whose_name_folds_to_that_of_the_root_is_outside(
    name: str, other: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in (name, other):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.txt").write_text("one\n")
    files = DiskThatFolds([str(tmp_path / name)])
    monkeypatch.setattr(files, "folds_names", True)
    patch = envelope(f"*** Update File: {tmp_path}/{other}/a.txt", "@@", "-one", "+two")
    with pytest.raises(PatchRejectedError, match="outside the workspace"):
        open_workspace(files, tmp_path).apply(patch)


@pytest.mark.parametrize("spell", [str.swapcase, str.upper, partial(normalize, "NFC"), str])
def test_an_absolute_path_can_spell_the_root_in_other_letters(
    spell: Callable[[str], str], make_files: Callable[[dict[str, str]], FilesThatFold], tmp_path: Path
) -> None:
    if sys.platform == "win32" and isinstance(spell, partial):
        pytest.skip("Windows has two names for letters that Unicode composes differently")
    files = make_files({"src/Read.me": "one\ntwo\n"})
    above, _, name = files.roots[0].rpartition("/")
    path = f"{above}/{spell(name)}/SRC/read.me".replace("//", "/")
    receipt = open_workspace(files, tmp_path).apply(envelope(f"*** Update File: {path}", "@@", "-two", "+three"))
    assert [change.path for change in receipt.changes] == ["src/Read.me"]
    assert files.texts() == {"src/Read.me": "one\nthree\n"}


@pytest.mark.skipif(sys.platform == "win32", reason="Windows always folds names")
class TestWhetherADiskFoldsNames:
    """`folds_names` of a directory whose own name can't tell."""

    @pytest.mark.parametrize("inside", [["a.txt"], ["1", "src/"], ["1"], []])
    def test_names_in_it_tell_or_the_directory_above_it(
        self, inside: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        root = tmp_path / "Projects" / "2024"
        root.mkdir(parents=True)
        for name in inside:
            (root / name).mkdir() if name.endswith("/") else (root / name).write_text("")
        assert not DiskFiles([str(root)]).folds_names
        fold_names(tmp_path, monkeypatch)
        assert DiskFiles([str(root)]).folds_names

    def test_a_directory_with_a_file_in_two_spellings_does_not(self, tmp_path: Path) -> None:
        root = tmp_path / "1"
        root.mkdir()
        (root / "a").write_text("")
        (root / "A").hardlink_to(root / "a")
        assert not DiskFiles([str(root)]).folds_names

    def test_the_name_of_a_mount_belongs_to_another_disk(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        root = tmp_path / "Data"
        root.mkdir()
        (root / "a.txt").write_text("")
        fold_names(root, monkeypatch)
        assert not DiskFiles([str(root)]).folds_names
        status = os.lstat

        def on_two_disks(path: Any, **named: Any) -> os.stat_result:
            found = status(path, **named)
            return os.stat_result([*found[:2], 99, *found[3:]]) if path == str(tmp_path) else found

        monkeypatch.setattr(os, "lstat", on_two_disks)
        assert DiskFiles([str(root)]).folds_names


def test_a_file_is_not_renamed_to_another_one_that_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where names fold, a new name that is there may be the file itself: only then it is no other file."""
    (tmp_path / "a.txt").write_text("one\n")
    (tmp_path / "b.txt").write_text("two\n")
    files = DiskFiles([str(tmp_path)])
    monkeypatch.setattr(files, "folds_names", True)
    with pytest.raises(FileExistsError):
        files.rename(f"{files.roots[0]}/a.txt", f"{files.roots[0]}/b.txt", replace=False)
    assert [(tmp_path / name).read_text() for name in ("a.txt", "b.txt")] == ["one\n", "two\n"]
