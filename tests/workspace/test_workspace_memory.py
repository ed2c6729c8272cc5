"""Workspaces in memory: files, and patches on dictionaries."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.shared.sites import codes, envelope, updated

from suture import PatchRejectedError, Workspace, apply_in_memory
from suture.workspace import MemoryFiles

if TYPE_CHECKING:
    from pathlib import Path


def test_a_workspace_in_memory_leaves_nothing_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    files = MemoryFiles({"a": "one\n"})
    with Workspace(files) as workspace:
        receipt = workspace.apply(envelope(*updated("a", "one", "two"), "*** Add File: b", "+b"))
        assert files.texts() == {"a": "two\n", "b": "b\n"}
        workspace.undo(receipt)
        assert files.texts() == {"a": "one\n"}
        assert repr(workspace) == "Workspace('/')"
    assert list(tmp_path.iterdir()) == []


def test_files_in_memory_can_have_a_history_on_the_disk(tmp_path: Path) -> None:
    files = MemoryFiles({"a": "one\n"})
    with Workspace(files, state_dir=tmp_path / "state", durability="process") as workspace:
        receipt = workspace.apply(envelope(*updated("a", "one", "two")))
    with Workspace(files, state_dir=tmp_path / "state", durability="process") as workspace:
        workspace.undo(receipt.id)
    assert files.texts() == {"a": "one\n"}
    (tmp_path / "barred").touch()
    with Workspace(files, state_dir=tmp_path / "barred") as workspace, pytest.raises(PatchRejectedError) as raised:
        workspace.apply(envelope(*updated("a", "one", "two")))
    assert codes(raised) == ["io_error"]


def test_a_patch_on_a_dictionary_gives_another_dictionary() -> None:
    texts: dict[str, str | bytes] = {"a": "one\n", "b": b"b\n", "c": b"\xff\n", "d": "d\n", "gone": "gone\n"}
    done = apply_in_memory(
        envelope(
            *updated("a", "one", "two"),
            *updated("b", "b", "bytes"),
            "*** Update File: c",
            "*** Move to: x/c",
            "*** Update File: d",
            "*** Move to: x/d",
            "@@",
            "-d",
            "+e",
            "*** Delete File: gone",
            "*** Add File: new",
            "+é",
        ),
        texts,
    )
    assert done.texts == {"a": "two\n", "b": b"bytes\n", "x/c": b"\xff\n", "x/d": "e\n", "new": "é\n"}
    assert texts["a"] == "one\n"
    assert [change.kind for change in done.plan.changes] == ["update", "update", "move", "move", "delete", "add"]


def test_what_was_given_as_bytes_comes_back_as_bytes_also_when_it_was_moved_and_changed() -> None:
    patch = envelope("*** Update File: a", "*** Move to: b", "@@", "-one", "+two")
    assert apply_in_memory(patch, {"a": b"one\n"}).texts == {"b": b"two\n"}
    assert apply_in_memory(patch, {"a": "one\n\udc80\n"}).texts == {"b": "two\n\udc80\n"}


def test_a_patch_on_a_dictionary_is_all_or_nothing() -> None:
    with pytest.raises(PatchRejectedError) as raised:
        apply_in_memory(
            envelope(*updated("a", "one", "two"), *updated("b", "x", "y"), "*** Add File: ../c"), {"a": "one\n"}
        )
    assert codes(raised) == ["not_found", "outside_workspace"]
    assert apply_in_memory(envelope("*** Add File: a", "+x"), {"a": "one\n"}, dialect="codex").texts == {"a": "x\n"}
