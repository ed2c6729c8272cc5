"""What a receipt says about the files of a commit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from suture import Workspace

if TYPE_CHECKING:
    from pathlib import Path


def test_a_file_that_was_deleted_has_a_copy_and_one_that_was_moved_has_none(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.txt").write_text("one\n")
    with Workspace(root, state_dir=tmp_path / "state") as workspace:
        moved = workspace.move("a.txt", "b.txt")
        assert sorted((file.path, file.trash) for file in moved.files) == [("a.txt", ""), ("b.txt", "")]
        (deleted,) = workspace.delete("b.txt").files
    assert (tmp_path / "state" / deleted.trash).read_text() == "one\n"
