"""File systems without regard to case, as on macOS and Windows: "one file under two spellings is one file"."""

from __future__ import annotations

import pytest
from tests.shared.sites import envelope

from suture import PatchRejectedError, Workspace
from suture.testing import CHANGES, FaultyFiles, MemoryFiles

NFC, NFD = "caf\u00e9.txt", "cafe\u0301.txt"


@pytest.fixture
def files() -> MemoryFiles:
    return MemoryFiles({"src/Read.me": "one\ntwo\n", NFD: "x\n"}, folds_names=True)


@pytest.fixture
def workspace(files: MemoryFiles) -> Workspace:
    return Workspace(files)


def test_a_file_keeps_its_letters_however_an_edit_writes_them(files: MemoryFiles, workspace: Workspace) -> None:
    receipt = workspace.apply(envelope("*** Update File: SRC/read.ME", "@@", "-two", "+three"))
    assert [change.path for change in receipt.changes] == ["src/Read.me"]
    assert files.texts() == {"src/Read.me": "one\nthree\n", NFD: "x\n"}


def test_names_that_unicode_composes_differently_are_one_file(files: MemoryFiles, workspace: Workspace) -> None:
    workspace.apply(envelope(f"*** Update File: {NFC}", "@@", "-x", "+y"))
    assert files.texts() == {"src/Read.me": "one\ntwo\n", NFD: "y\n"}


def test_a_new_file_goes_into_the_directory_that_exists(files: MemoryFiles, workspace: Workspace) -> None:
    workspace.apply(envelope("*** Add File: SRC/new.py", "+a"))
    assert "src/new.py" in files.texts()


def test_a_file_can_not_be_added_under_another_spelling(files: MemoryFiles, workspace: Workspace) -> None:
    with pytest.raises(PatchRejectedError) as caught:
        workspace.apply(envelope("*** Add File: src/READ.ME", "+a"), dialect="strict")
    assert [problem.code for problem in caught.value.problems] == ["already_exists"]
    assert caught.value.problems[0].path == "src/Read.me"
    assert "src/Read.me" in files.texts()


def test_two_sections_that_spell_one_file_differently_change_one_file(files: MemoryFiles, workspace: Workspace) -> None:
    edits = ("*** Update File: src/Read.me", "@@", "-one", "+1", "*** Update File: src/read.me", "@@", "-two", "+2")
    workspace.apply(envelope(*edits))
    assert files.texts()["src/Read.me"] == "1\n2\n"


def test_two_new_files_that_differ_only_in_letters_are_one(workspace: Workspace) -> None:
    plan = workspace.plan(envelope("*** Add File: New.txt", "+a", "*** Add File: new.TXT", "+b"))
    assert plan.problems
    assert {problem.path for problem in plan.problems} == {"New.txt"}


MOVE = ("*** Update File: src/Read.me", "*** Move to: src/READ.ME")
CHANGED = ("@@", "-two", "+three")


@pytest.mark.parametrize("more", [(), CHANGED], ids=["moved", "moved and changed"])
def test_a_rename_can_change_only_letters_and_be_undone(
    files: MemoryFiles, workspace: Workspace, more: tuple[str, ...]
) -> None:
    before = files.texts()
    receipt = workspace.apply(envelope(*MOVE, *more))
    assert list(files.texts()) == [NFD, "src/READ.ME"]
    assert files.texts()["src/READ.ME"] == ("one\nthree\n" if more else "one\ntwo\n")
    undone = workspace.undo(receipt.id)
    assert files.texts() == before
    workspace.undo(undone.id)
    assert list(files.texts()) == [NFD, "src/READ.ME"]


@pytest.mark.parametrize("more", [(), CHANGED], ids=["moved", "moved and changed"])
def test_a_rename_of_letters_that_fails_anywhere_leaves_everything(more: tuple[str, ...]) -> None:
    for number in range(1, 100):
        memory = MemoryFiles({"src/Read.me": "one\ntwo\n"}, folds_names=True)
        faulty = FaultyFiles(memory, number, counted=CHANGES)
        try:
            Workspace(faulty).apply(envelope(*MOVE, *more))
        except Exception:  # noqa: BLE001 - whatever it is, nothing has changed
            assert memory.texts() == {"src/Read.me": "one\ntwo\n"}
        else:
            assert not faulty.failed
            return
    pytest.fail("it never succeeds")


def test_a_name_that_was_respelled_is_found_by_the_next_section(files: MemoryFiles, workspace: Workspace) -> None:
    workspace.apply(envelope(*MOVE, *CHANGED, "*** Add File: src/other", "+x"))
    workspace.apply(envelope("*** Update File: src/read.me", "@@", "-one", "+1"))
    assert files.texts()["src/READ.ME"] == "1\nthree\n"


def test_a_denied_path_is_denied_in_all_letters(files: MemoryFiles) -> None:
    workspace = Workspace(files, deny=["src/read.me"])
    for path in ("src/Read.me", "SRC/READ.ME", "Src/read.me"):
        with pytest.raises(PatchRejectedError) as caught:
            workspace.apply(envelope(f"*** Update File: {path}", "@@", "-one", "+1"))
        assert caught.value.problems[0].code == "permission_denied"
