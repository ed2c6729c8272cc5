"""Test doubles for Suture and for what is built on it: files in memory, files that fail, a loss of power.

They replace a workspace's files, so tests with them run the real code. `FaultyFiles` fails one operation, or all from
one on: run it for 1, 2, 3 … until a run has no failure. `PowerLossFiles` knows what was flushed, and returns trees that
may be left after a loss of power.
"""

from __future__ import annotations

import os
from random import Random

from .core.system import kill_this_process
from .workspace.files.memory import MemoryFiles, MemoryNode
from .workspace.files.open_files import DiskFiles

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Mapping
    from typing import TypeAlias

    from .workspace.files.file_system import Files, OpenFolder, Stat, Watch

    #: An exception, a class of exceptions, or the number of an `OSError`.
    Error: TypeAlias = BaseException | type[BaseException] | int

    #: One operation on names: what each of them refers to afterwards.
    Change: TypeAlias = tuple[tuple[MemoryNode, str, MemoryNode | None], ...]

__all__ = ["CHANGES", "FaultyFiles", "KillingFiles", "MemoryFiles", "PowerLossFiles"]

#: The operations that change the disk; the others only read it.
CHANGES = frozenset("create write flush mode owner attribute rename unlink mkdir rmdir symlink flush_folder".split())


class FaultyFiles:
    """Files whose operation number `fail_at`, from 1, raises `error`; with `forever`, all from there on.

    `files` is the path of a directory, or other files, whose `watch` is replaced. `counted` limits the count to some
    operations, for example to `CHANGES`. `count` is the number of operations so far, `seen` lists them, and `failed` is
    whether one was made to fail.
    """

    def __init__(
        self,
        files: Files | str,
        fail_at: int,
        error: Error = OSError,
        *,
        forever: bool = False,
        counted: Container[str] | None = None,
    ) -> None:
        self.files: Files = DiskFiles([files]) if isinstance(files, str) else files
        self.roots = self.files.roots
        self.aliases = self.files.aliases
        self.on_disk = self.files.on_disk
        self.folds_names = self.files.folds_names
        self.windows_names = self.files.windows_names
        self.watch: Watch | None = self._watch
        self.files.watch = self._watch
        self.fail_at = fail_at
        self.error = error
        self.forever = forever
        self.counted = counted
        self.count = 0
        self.failed = False
        self.seen: list[tuple[str, str]] = []

    def _watch(self, name: str, path: str) -> None:
        if self.counted is not None and name not in self.counted:
            return
        self.count += 1
        self.seen.append((name, path))
        if self.count == self.fail_at or (self.forever and self.count > self.fail_at):
            self.failed = True
            self._fail()

    def _fail(self) -> None:
        if isinstance(self.error, int):
            raise OSError(self.error, os.strerror(self.error))
        raise self.error

    def stat(self, path: str) -> Stat | None:
        """Like all methods below, as in `Files`."""
        return self.files.stat(path)

    def spelling(self, path: str) -> str:
        """See `Files.spelling`."""
        return self.files.spelling(path)

    def link(self, path: str) -> str:
        """The target of a symbolic link."""
        return self.files.link(path)

    def read(self, path: str, limit: int, known: bytes | None = None) -> tuple[bytes, Stat]:
        """The content of a regular file."""
        return self.files.read(path, limit, known)

    def names(self, path: str) -> list[str]:
        """The names in a directory."""
        return self.files.names(path)

    def open_folder(self, path: str) -> OpenFolder:
        """See `Files.open_folder`."""
        return self.files.open_folder(path)

    def make_folder(self, path: str) -> None:
        """Make a directory."""
        self.files.make_folder(path)

    def remove_folder(self, path: str) -> None:
        """Remove an empty directory."""
        self.files.remove_folder(path)

    def stage(
        self,
        path: str,
        data: bytes,
        *,
        like: str | None = None,
        mode: int | None = None,
        owner: tuple[int, int] | None = None,
        executable: bool = False,
        flush: bool,
    ) -> bool:
        """Make a new file."""
        return self.files.stage(path, data, like=like, mode=mode, owner=owner, executable=executable, flush=flush)

    def rename(self, old: str, new: str, *, replace: bool) -> None:
        """Rename a file or a link."""
        self.files.rename(old, new, replace=replace)

    def make_link(self, path: str, target: str) -> None:
        """Make a symbolic link."""
        self.files.make_link(path, target)

    def remove(self, path: str) -> None:
        """Remove a file or a link."""
        self.files.remove(path)

    def set_mode(self, path: str, mode: int) -> None:
        """Set the permission bits."""
        self.files.set_mode(path, mode)

    def attributes(self, path: str) -> list[str]:
        """The names of extended attributes."""
        return self.files.attributes(path)

    def flush_folder(self, path: str) -> None:
        """Wait until the disk has the names in a directory."""
        self.files.flush_folder(path)


class KillingFiles(FaultyFiles):
    """Files that kill their own process, without any clean-up, at one operation that changes the disk."""

    def __init__(self, files: Files | str, kill_at: int, *, counted: Container[str] | None = CHANGES) -> None:
        super().__init__(files, kill_at, counted=counted)

    def _fail(self) -> None:
        kill_this_process()


class PowerLossFiles(MemoryFiles):
    """Files in memory that know what would be on a disk.

    `texts` are on the disk from the start. After that, the content and mode of a file are on the disk once it is
    flushed, and names once their directory is. `crash` returns a tree that may be left after a loss of power. A rename
    reaches the disk as a whole, also between directories, as in file systems with a journal; with `torn_renames`, its
    two names do so separately. Of two operations on the same name, the second never gets there without the first.
    """

    def __init__(self, texts: Mapping[str, str | bytes] | None = None, *, torn_renames: bool = False) -> None:
        self._torn = torn_renames
        #: Operations on names that were not flushed yet, oldest first.
        self._pending: list[Change] = []
        #: What the disk has: the entries of directories, and the content and mode of files.
        self._entries: dict[int, dict[str, MemoryNode]] = {}
        self._contents: dict[int, tuple[bytes, int]] = {}
        super().__init__(texts)
        self._entries[self._root.inode] = dict(self._root.entries)
        for _, node in self.nodes():
            self._entries[node.inode] = dict(node.entries)
            self._on_flush(node)

    def crash(self, seed: int) -> MemoryFiles:
        """One of the trees that a loss of power may leave now. The same seed gives the same tree."""
        chance = Random(seed)  # noqa: S311 - seeded, so that a tree can be reproduced
        entries = {inode: dict(names) for inode, names in self._entries.items()}
        lost: set[tuple[int, str]] = set()
        for change in self._pending:
            names = {(folder.inode, name) for folder, name, _ in change}
            if names & lost or chance.random() < 0.5:
                lost |= names
            else:
                _write(entries, change)
        after = MemoryFiles()
        self._write_rest(after, "", self._root, entries, chance)
        return after

    def _write_rest(
        self,
        after: MemoryFiles,
        path: str,
        folder: MemoryNode,
        entries: Mapping[int, Mapping[str, MemoryNode]],
        chance: Random,
    ) -> None:
        """Write what is left of a directory, with all below it, to other files."""
        for name, node in sorted(entries.get(folder.inode, {}).items()):
            there = f"{path}/{name}"
            if node.kind == "link":
                after.make_link(there, node.target)
            elif node.kind == "folder":
                after.make_folder(there)
                after.set_mode(there, node.mode)
                self._write_rest(after, there, node, entries, chance)
            else:
                data, mode = node.data, node.mode
                flushed = self._contents.get(node.inode)
                if flushed != (data, mode):
                    data = data if flushed else data[: chance.choice((len(data), len(data) // 2, 0))]
                    mode = chance.choice((mode, flushed[1] if flushed else mode))
                after.stage(there, data, mode=mode, flush=False)

    def _add(self, folder: MemoryNode, name: str, node: MemoryNode, path: str) -> None:
        super()._add(folder, name, node, path)
        self._pending.append(((folder, name, node),))

    def _change(self, *changes: tuple[MemoryNode, str, MemoryNode | None]) -> None:
        super()._change(*changes)
        self._pending += [(change,) for change in changes] if self._torn else [changes]

    def _on_flush(self, node: MemoryNode) -> None:
        self._contents[node.inode] = (node.data, node.mode)

    def _on_flush_folder(self, folder: MemoryNode) -> None:
        # Every operation on a name of this directory is written, and all that it depends on.
        names: set[tuple[int, str]] = set()
        kept: list[Change] = []
        written: list[Change] = []
        for change in reversed(self._pending):
            touched = {(parent.inode, name) for parent, name, _ in change}
            if touched & names or any(parent is folder for parent, _, _ in change):
                names |= touched
                written.append(change)
            else:
                kept.append(change)
        for change in reversed(written):
            _write(self._entries, change)
        self._pending = kept[::-1]
        # The mode of a file that was on the disk before is written with its directory.
        for node in folder.entries.values():
            flushed = self._contents.get(node.inode)
            if flushed is not None:
                self._contents[node.inode] = (flushed[0], node.mode)


def _write(entries: dict[int, dict[str, MemoryNode]], change: Change) -> None:
    for folder, name, node in change:
        names = entries.setdefault(folder.inode, {})
        if node is None:
            names.pop(name, None)
        else:
            names[name] = node
