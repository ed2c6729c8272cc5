"""Files with CRLF, and a checkout that git gave such line ends: an edit changes no line that it does not name.

A model sees no line ends and writes LF. The lines that it keeps stay as they are, byte by byte, and the lines that it
writes get the end that the file has there.
"""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest
from tests.shared.sites import Site, envelope

from suture import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

LINES = ["import os", "", "def one():", "    return 1", "", "def two():", "    return 2"]
AFTER = [*LINES[:3], "    return 11", "    # more", *LINES[4:]]
BOM = b"\xef\xbb\xbf"


def text(lines: list[str], end: str) -> bytes:
    """The lines of a file, each with an end."""
    return "".join(line + end for line in lines).encode()


def mixed(lines: list[str]) -> bytes:
    """A file whose first lines have CRLF and whose last one LF, as a careless editor leaves it."""
    return text(lines[:-1], "\r\n") + text(lines[-1:], "\n")


#: Files before, and what they are after the edit.
FILES = {
    "crlf": (text(LINES, "\r\n"), text(AFTER, "\r\n")),
    "mark": (BOM + text(LINES, "\r\n"), BOM + text(AFTER, "\r\n")),
    "no-end": (text(LINES, "\r\n")[:-2], text(AFTER, "\r\n")[:-2]),
    "mixed": (mixed(LINES), mixed(AFTER)),
    "lf": (text(LINES, "\n"), text(AFTER, "\n")),
}
HUNK = " def one():\n-    return 1\n+    return 11\n+    # more\n"
ENVELOPE = envelope("*** Update File: app.py", "@@", *HUNK.splitlines())
#: The same edit in all the ways in which it can be sent.
EDITS: dict[str, Callable[[Workspace], object]] = {
    "envelope": lambda workspace: workspace.apply(ENVELOPE),
    "envelope with CRLF": lambda workspace: workspace.apply(ENVELOPE.replace("\n", "\r\n")),
    "diff": lambda workspace: workspace.apply(f"--- a/app.py\n+++ b/app.py\n@@ -3,2 +3,3 @@\n{HUNK}"),
    "blocks": lambda workspace: workspace.apply(
        "app.py\n<<<<<<< SEARCH\n    return 1\n=======\n    return 11\n    # more\n>>>>>>> REPLACE\n"
    ),
    "string": lambda workspace: workspace.edit("app.py", "    return 1\n", "    return 11\n    # more\n"),
    "part of a line": lambda workspace: workspace.edit("app.py", "return 1\n", "return 11\n    # more\n"),
    "strings": lambda workspace: workspace.multiedit(
        "app.py", [("return 1\n", "return 11\n"), ("    return 11\n", "    return 11\n    # more\n")]
    ),
}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
@pytest.mark.parametrize("kind", FILES)
def test_every_line_that_is_not_named_stays_byte_by_byte(
    kind: str, edit: Callable[[Workspace], object], site: Site
) -> None:
    before, after = FILES[kind]
    site.put("app.py", before)
    edit(site.workspace)
    assert site.tree()["app.py"].encode("latin-1") == after
    site.workspace.undo(site.workspace.log()[0].id)
    assert site.tree()["app.py"].encode("latin-1") == before


def test_a_move_changes_no_line_end(site: Site) -> None:
    before, after = FILES["crlf"]
    site.put("app.py", before)
    hunk = HUNK.splitlines()
    site.workspace.apply(envelope("*** Update File: app.py", "*** Move to: lib/app.py", "@@", *hunk))
    assert site.tree()["lib/app.py"].encode("latin-1") == after


class Checkout:
    """A repository whose files have LF in git, and CRLF in the working tree."""

    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir()
        (root / "app.py").write_bytes(text(LINES, "\n"))
        (root / "other.py").write_bytes(text(LINES, "\n"))
        self.git("init", "-q", ".")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "before")
        for name in ("app.py", "other.py"):
            (root / name).unlink()
        self.git("checkout", "-q", "--", ".")

    def git(self, *arguments: str) -> str:
        """What git says."""
        settings = ["core.autocrlf=true", "user.name=A", "user.email=a@example.org"]
        command = ["git", *[word for setting in settings for word in ("-c", setting)], *arguments]
        return subprocess.run(command, cwd=self.root, check=True, capture_output=True).stdout.decode()

    def read(self, name: str) -> bytes:
        """The content of a file."""
        return (self.root / name).read_bytes()


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    made = Checkout(tmp_path / "checkout")
    assert made.read("app.py") == text(LINES, "\r\n")
    return made


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_git_sees_only_the_lines_that_were_named(
    edit: Callable[[Workspace], object], checkout: Checkout, state_dir: Path
) -> None:
    with Workspace(str(checkout.root), state_dir=str(state_dir)) as workspace:
        edit(workspace)
    assert checkout.git("diff", "--numstat") == "2\t1\tapp.py\n"
    changed = [
        line for line in checkout.git("diff", "-U0").splitlines() if line[:1] in "+-" and line[1:3] not in "++--"
    ]
    assert changed == ["-    return 1", "+    return 11", "+    # more"]
    assert checkout.read("app.py") == text(AFTER, "\r\n")
    assert checkout.read("other.py") == text(LINES, "\r\n")


def test_a_diff_that_git_shows_in_such_a_checkout_can_be_applied_in_it(checkout: Checkout, state_dir: Path) -> None:
    (checkout.root / "app.py").write_bytes(text(AFTER, "\r\n"))
    diff = checkout.git("diff")
    assert "\r" not in diff
    checkout.git("checkout", "-q", "--", ".")
    with Workspace(str(checkout.root), state_dir=str(state_dir)) as workspace:
        workspace.apply(diff)
    assert checkout.read("app.py") == text(AFTER, "\r\n")
