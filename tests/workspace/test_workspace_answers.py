"""The texts that models read when a workspace refuses: `tests/golden/workspace-<name>.txt`, word for word.

A change of wording shows as a change of the golden files, to be read as a model reads it that sees nothing else. To
write them anew::

    SUTURE_GOLDEN=write .venv/bin/python -m pytest -n 0 tests/workspace/test_workspace_answers.py

and look at `git diff tests/golden` before you commit.
"""

from __future__ import annotations

import errno
import re
from typing import TYPE_CHECKING

import pytest
from tests.shared.goldens import FOLDER, compare

from suture import PatchRejectedError, SutureError, Workspace
from suture.format import parse_invocation
from suture.testing import CHANGES, FaultyFiles
from suture.workspace import MemoryFiles

if TYPE_CHECKING:
    from collections.abc import Callable

    from suture.workspace import Plan


IDS = ("9f3c21d07a5e", "1b7e0c55d2aa")
TEXTS = {
    "src/app.py": "def main():\n    print('one')\n",
    "src/main.py": "import app\n",
    "README.md": "# Greetings\n",
    ".env": "TOKEN=1\n",
}


def patch(*sections: str) -> str:
    return "\n".join(["*** Begin Patch", *sections, "*** End Patch", ""])


def update(path: str, *, old: str = "print('one')", new: str = "print('two')") -> str:
    return f"*** Update File: {path}\n@@\n-    {old}\n+    {new}"


def planned(*sections: str, dialect: str = "standard", **settings: object) -> Callable[[], object]:
    """A patch that is applied."""

    def run() -> object:
        workspace = Workspace(MemoryFiles(TEXTS), dialect=dialect, **settings)  # type: ignore[arg-type]
        return workspace.apply(patch(*sections))

    return run


def stale() -> object:
    """A plan that is committed when its file has changed."""
    workspace = Workspace(MemoryFiles(TEXTS))
    plan: Plan = workspace.plan(patch(update("src/app.py")))
    workspace.edit("src/app.py", "one", "three")
    return workspace.commit(plan)


def undone() -> object:
    """A commit that is taken back when its file has changed."""
    workspace = Workspace(MemoryFiles(TEXTS))
    receipt = workspace.apply(patch(update("src/app.py")))
    workspace.edit("src/app.py", "two", "three")
    return workspace.undo(receipt)


def undone_twice() -> object:
    workspace = Workspace(MemoryFiles(TEXTS))
    receipt = workspace.apply(patch(update("src/app.py")))
    workspace.undo(receipt)
    return workspace.undo(receipt)


def full_disk() -> object:
    """A disk that is full when the first file is written."""
    files = FaultyFiles(MemoryFiles(TEXTS), 1, errno.ENOSPC, counted=CHANGES)
    return Workspace(files).apply(patch(update("src/app.py")))


def partly() -> object:
    """One operation after another, of which the second fails."""
    workspace = Workspace(MemoryFiles(TEXTS))
    return workspace.apply(patch("*** Delete File: README.md", "*** Delete File: nowhere.py"), atomic=False)


CASES: dict[str, Callable[[], object]] = {
    "not-found": planned(update("src/ap.py")),
    "not-found-at-all": planned("*** Delete File: nothing/like/it.rs"),
    "not-found-no-folder": planned("*** Add File: new/a.txt\n+a", dialect="strict"),
    "not-found-no-commit": lambda: Workspace(MemoryFiles(TEXTS)).undo("4f2a"),
    "already-exists": planned("*** Add File: README.md\n+# Hello"),
    "already-exists-moved": planned("*** Update File: src/app.py\n*** Move to: src/main.py"),
    "is-directory": planned("*** Delete File: src"),
    "not-a-file": planned("*** Add File: README.md/a.txt\n+a"),
    "outside": planned("*** Add File: ../a.txt\n+a"),
    "denied": planned("*** Delete File: .env"),
    "not-allowed": planned(update("src/app.py"), allow=["docs/**"]),
    "absolute-strict": planned("*** Delete File: /src/app.py", dialect="strict"),
    "moved-onto-itself-strict": planned("*** Move File: README.md -> README.md", dialect="strict"),
    "two-sections-strict": planned(update("src/app.py"), update("src/app.py"), dialect="strict"),
    "stale": stale,
    "undo-stale": undone,
    "undo-twice": undone_twice,
    "full-disk": full_disk,
    "partly-applied": partly,
    "implicit-invocation": lambda: parse_invocation(["bash", "-lc", patch("*** Delete File: a.txt")], "/"),
}


def answer(case: Callable[[], object]) -> str:
    """What a model reads; the ids of commits, which differ from run to run, are always the same ones here."""
    with pytest.raises(SutureError) as raised:
        case()
    said = raised.value.for_model() + "\n"
    for id_, always in zip(dict.fromkeys(re.findall(r"\b[0-9a-f]{12}\b", said)), IDS, strict=False):
        said = said.replace(id_, always)
    return said


@pytest.mark.parametrize("name", CASES)
def test_an_answer_reads_as_its_golden_file(name: str) -> None:
    compare(f"workspace-{name}.txt", answer(CASES[name]))


def test_every_golden_file_has_its_case() -> None:
    assert {file.stem for file in FOLDER.glob("workspace-*.txt")} == {f"workspace-{name}" for name in CASES}


def test_what_is_refused_has_changed_nothing() -> None:
    files = MemoryFiles(TEXTS)
    with pytest.raises(PatchRejectedError):
        Workspace(files).apply(patch(update("src/app.py"), "*** Delete File: nowhere.py"))
    assert files.texts() == TEXTS
