"""A workspace to try things in, on the disk or in memory: what a test writes into it, and all that is there."""

from __future__ import annotations

import os
import sys
from hashlib import sha256
from typing import TYPE_CHECKING, Literal

import pytest

from suture import Workspace
from suture.workspace import MemoryFiles
from suture.workspace.files.open_files import DiskFiles

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import Any

    from suture.workspace import Plan, Receipt
    from suture.workspace.files.file_system import Files

Where = Literal["disk", "memory"]
#: Dialects by what an add or a move does where there is a file already, and by whether an add makes directories.
OVERWRITING = ["codex", "opencode"]
REFUSING = ["standard", "strict"]
CREATING = ["standard", "codex", "opencode"]
LIMIT = 1 << 40
#: A disk that never waits, where there is one: for tests that make many state folders, each of which is flushed.
SWIFT = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # noqa: S108 - mkdtemp makes a folder of its own there


def envelope(*lines: str) -> str:
    """A patch of these lines."""
    return "\n".join(("*** Begin Patch", *lines, "*** End Patch", ""))


def digest(content: str | bytes) -> str:
    """The SHA-256 of a content."""
    return sha256(content.encode() if isinstance(content, str) else content).hexdigest()


def codes(error: pytest.ExceptionInfo[Any]) -> list[str]:
    """The codes of the problems of a rejection."""
    return [problem.code for problem in error.value.problems]


def updated(path: str, old: str, new: str) -> tuple[str, ...]:
    """The section that replaces one line of a file."""
    return (f"*** Update File: {path}", "@@", f"-{old}", f"+{new}")


class Site:
    """A folder and its workspace. `seen` are the operations on its files, with the paths relative to the root."""

    def __init__(self, where: Where, folder: Path, **settings: Any) -> None:
        self.where = where
        self.folder = folder
        self.files: Files = MemoryFiles()
        if where == "disk":
            (folder / "root").mkdir(parents=True)
            self.files = DiskFiles([str(folder / "root")])
        self.root = self.files.roots[0]
        self.seen: list[tuple[str, str]] = []
        #: What comes in between, before each operation.
        self.between: Callable[[str], None] | None = None
        self.files.watch = self._watch
        self.workspace = self.open(**settings)

    def open(self, **settings: Any) -> Workspace:
        """A workspace on these files; those on the disk share a state folder beside the root."""
        given = {"durability": "process", **settings}
        if self.where == "disk":
            given.setdefault("state_dir", self.folder / "state")
        return Workspace(self.files, **given)

    def _watch(self, name: str, path: str) -> None:
        self.seen.append((name, path.removeprefix(self.root).lstrip("/")))
        if self.between is not None:
            self.between(name)

    def at(self, path: str) -> str:
        """The absolute path."""
        return f"{self.root.rstrip('/')}/{path}".rstrip("/") or "/"

    def put(self, path: str, content: str | bytes = "text\n", mode: int | None = None) -> Site:
        """Write a file as somebody else would, with the folders above it."""
        parts = path.split("/")[:-1]
        for count in range(1, len(parts) + 1):
            folder = self.at("/".join(parts[:count]))
            if self.files.stat(folder) is None:
                self.files.make_folder(folder)
        there = self.at(path)
        if self.files.stat(there) is not None:
            self.files.remove(there)
        data = content if isinstance(content, bytes) else content.encode()
        self.files.stage(there, data, mode=mode, flush=False)
        return self

    def link(self, path: str, target: str) -> Site:
        """Make a symbolic link."""
        self.files.make_link(self.at(path), target)
        return self

    def remove(self, path: str) -> None:
        """Take a file away as somebody else would."""
        self.files.remove(self.at(path))

    def mode(self, path: str) -> int:
        """The permission bits of a file."""
        if sys.platform == "win32" and self.where == "disk":
            pytest.skip("Windows has no modes but read-only")
        stat = self.files.stat(self.at(path))
        assert stat is not None
        return stat.mode

    def tree(self) -> dict[str, str]:
        """All that is there: texts (Latin-1, so that every byte has its character), links as `-> target`, folders
        with a slash behind them; staged files and empty folders included.
        """
        found: dict[str, str] = {}
        waiting = [""]
        watch, self.files.watch = self.files.watch, None
        while waiting:
            folder = waiting.pop()
            for name in self.files.names(self.at(folder)):
                path = f"{folder}/{name}".lstrip("/")
                stat = self.files.stat(self.at(path))
                assert stat is not None
                if stat.kind == "folder":
                    found[f"{path}/"] = ""
                    waiting.append(path)
                elif stat.kind == "link":
                    found[path] = f"-> {self.files.link(self.at(path))}"
                else:
                    found[path] = self.files.read(self.at(path), LIMIT)[0].decode("latin-1")
        self.files.watch = watch
        return dict(sorted(found.items()))

    def plan(self, *lines: str, **settings: Any) -> Plan:
        """What a patch of these lines would do."""
        return self.workspace.plan(envelope(*lines), **settings)

    def apply(self, *lines: str, **settings: Any) -> Receipt:
        """Apply a patch of these lines."""
        return self.workspace.apply(envelope(*lines), **settings)

    def codes(self, *lines: str, **settings: Any) -> list[str]:
        """The codes of the problems that a patch has; nothing is written."""
        before = self.tree()
        problems = self.plan(*lines, **settings).problems
        assert self.tree() == before
        return [problem.code for problem in problems]
