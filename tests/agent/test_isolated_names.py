"""Isolated sessions where names fold, as on macOS and Windows: "one file under two spellings is one file"."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from suture import SyncSession, Workspace
from suture.testing import MemoryFiles

if TYPE_CHECKING:
    from pathlib import Path

Call = tuple[str, ...]
ARGUMENTS = {
    "write": ("filePath", "content"),
    "edit": ("filePath", "oldString", "newString"),
    "move": ("filePath", "toPath"),
    "delete": ("filePath",),
    "undo": (),
}
BEFORE = {"App.py": "x = 1\n", "Lib/z.py": "z\n"}


@pytest.mark.parametrize(
    ("calls", "app", "others"),
    [
        ([("write", "New.py", "1\n"), ("edit", "new.py", "1", "2"), ("write", "NEW.py", "3\n")], {}, {"New.py": "3\n"}),
        ([("write", "lib/a.py", "a\n"), ("write", "LIB/A.py", "b\n")], {}, {"Lib/a.py": "b\n"}),
        ([("write", "Fresh/a.py", "a"), ("write", "fresh/b.py", "b")], {}, {"Fresh/a.py": "a", "Fresh/b.py": "b"}),
        ([("delete", "app.py"), ("write", "APP.py", "new\n"), ("edit", "aPP.py", "new", "n")], {"APP.py": "n\n"}, {}),
        ([("delete", "app.py"), ("undo",), ("edit", "APP.py", "1", "2")], {"App.py": "x = 2\n"}, {}),
        ([("move", "App.py", "app.py"), ("edit", "APP.PY", "1", "3")], {"app.py": "x = 3\n"}, {}),
        ([("edit", "app.py", "1", "3"), ("move", "APP.py", "app.py")], {"app.py": "x = 3\n"}, {}),
        ([("move", "App.py", "app.py"), ("move", "APP.py", "App.py")], {"App.py": "x = 1\n"}, {}),
        ([("move", "app.py", "b.py"), ("move", "B.py", "APP.py")], {"APP.py": "x = 1\n"}, {}),
    ],
)
def test_one_file_is_one_file_until_the_merge_and_after_it(
    calls: list[Call], app: dict[str, str], others: dict[str, str], tmp_path: Path
) -> None:
    files = MemoryFiles(BEFORE, folds_names=True)
    with (
        Workspace(files, state_dir=str(tmp_path)) as workspace,
        SyncSession(
            workspace,
            rules=[("edit", "*", "allow")],
            profile="all",
            isolated=True,
            reads=dict.fromkeys(ARGUMENTS, "off"),
        ) as session,
    ):
        for tool, *values in calls:
            result = session.call(tool, dict(zip(ARGUMENTS[tool], values, strict=True)))
            assert not result.is_error, result.output
        assert files.texts() == BEFORE
        session.merge()
    expected = (app or {"App.py": "x = 1\n"}) | {"Lib/z.py": "z\n"} | others
    assert files.texts() == expected
