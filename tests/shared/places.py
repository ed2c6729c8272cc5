"""Files on the disk or in memory, with their root: all that is there, and the error of a call."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from suture.workspace.files.file_system import Files, Stat

LIMIT = 1_000_000


class Place:
    """Some files, and where their root is."""

    def __init__(self, files: Files) -> None:
        self.files = files
        self.root = files.roots[0]
        self.seen: list[str] = []

    def at(self, path: str) -> str:
        return f"{self.root.rstrip('/')}/{path}"

    def tree(self) -> dict[str, tuple[str, int, bytes | str]]:
        """All that is there: kind, mode, and content or target."""
        found: dict[str, tuple[str, int, bytes | str]] = {}
        waiting = [""]
        while waiting:
            folder = waiting.pop()
            for name in self.files.names(self.at(folder).rstrip("/") or "/"):
                path = f"{folder}/{name}".lstrip("/")
                stat = self.stat(path)
                what: bytes | str = b""
                if stat.kind == "file":
                    what = self.files.read(self.at(path), LIMIT)[0]
                elif stat.kind == "link":
                    what = self.files.link(self.at(path))
                else:
                    waiting.append(path)
                found[path] = (stat.kind, stat.mode if stat.kind != "link" else 0, what)
        return found

    def stat(self, path: str) -> Stat:
        stat = self.files.stat(self.at(path))
        assert stat is not None
        return stat

    def write(self, path: str, data: bytes = b"text\n") -> None:
        self.files.stage(self.at(path), data, flush=False)


def number_of(call: Callable[[], object]) -> str:
    """The name of the number of the error that a call raises."""
    with pytest.raises(OSError) as raised:  # noqa: PT011 - its number is the answer
        call()
    assert raised.value.errno is not None
    return errno.errorcode[raised.value.errno].removeprefix("WSA")
