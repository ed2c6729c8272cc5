"""A file system on a dictionary of texts, without a disk: the same results and the same errors.

For evaluation and training loops, for tests, and for files that are kept elsewhere. There are no users and no
permissions: modes are stored but not enforced. A rename adds the new name before it removes the old one, so that a
concurrent reader sees the old content or the new one.
"""

from __future__ import annotations

import errno
import os
from itertools import count
from time import time_ns

from ...core.common_limits import LONGEST_FILE_NAME
from ...core.file_errors import FileTooLargeError, failure
from ...core.paths import same_name
from ...core.system import user_and_group
from .file_system import Stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .file_system import Watch


class MemoryNode:
    """What a name refers to: a file with `data`, a directory with `entries`, or a link with `target`."""

    __slots__ = ("data", "entries", "inode", "kind", "mode", "mtime_ns", "target")

    def __init__(self, kind: str, mode: int, inode: int, *, data: bytes = b"", target: str = "") -> None:
        self.kind = kind
        self.mode = mode
        self.inode = inode
        self.mtime_ns = time_ns()
        self.data = data
        self.target = target
        self.entries: dict[str, MemoryNode] = {}


class MemoryFiles:
    """Files in memory, below the root `/`. The keys of `texts` are relative paths with forward slashes.

    With `folds_names`, names that differ only in case or in how Unicode composes them are the same, as on macOS and
    Windows; with `windows_names`, paths are read as Windows does. Both are for tests.
    """

    on_disk = False

    def __init__(
        self,
        texts: Mapping[str, str | bytes] | None = None,
        watch: Watch | None = None,
        *,
        folds_names: bool = False,
        windows_names: bool = False,
    ) -> None:
        self.folds_names = folds_names
        self.windows_names = windows_names
        self.roots: tuple[str, ...] = ("/",)
        self.aliases: tuple[tuple[str, str], ...] = ()
        self.watch: Watch | None = None
        self._inodes = count(1)
        self._root = self._node("folder", 0o755)
        for path, text in (texts or {}).items():
            # A text may have lone surrogates, which stand for undecodable bytes.
            data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
            self._put(path, data)
        self._text_paths = frozenset(path for path, text in (texts or {}).items() if isinstance(text, str))
        self.watch = watch

    def _put(self, path: str, data: bytes) -> None:
        parts = path.split("/")
        folder = self._root
        if any(part in {"", ".", ".."} for part in parts) or "\0" in path:
            raise ValueError("Not a normalized relative path: " + path)
        for part in parts[:-1]:
            if folder.kind == "folder":
                folder = folder.entries.setdefault(part, self._node("folder", 0o755))
        node = self._node("file", 0o644, data=data)
        if folder.kind != "folder" or folder.entries.setdefault(parts[-1], node) is not node:
            raise ValueError("The path of a file is also the directory of another: " + path)

    def _node(self, kind: str, mode: int, *, data: bytes = b"", target: str = "") -> MemoryNode:
        return MemoryNode(kind, mode, next(self._inodes), data=data, target=target)

    def texts(self) -> dict[str, str | bytes]:
        """All files by relative path, sorted: as text if they were text or are UTF-8, else as bytes.

        Links and empty directories are left out.
        """
        return {path: self._text(path, node.data) for path, node in self.nodes() if node.kind == "file"}

    def _text(self, path: str, data: bytes) -> str | bytes:
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            if path not in self._text_paths:
                return data
        try:
            return data.decode("utf-8", "surrogatepass")
        except UnicodeDecodeError:
            return data

    def nodes(self) -> Iterator[tuple[str, MemoryNode]]:
        """Everything below the root by relative path, sorted, a directory before what it contains."""
        stack = [("", self._root)]
        while stack:
            path, node = stack.pop()
            if path:
                yield path, node
            below = sorted(node.entries.items(), reverse=True)
            stack += [(f"{path}/{name}" if path else name, child) for name, child in below]

    def stat(self, path: str) -> Stat | None:
        self._notify("stat", path)
        try:
            node = self._find(path)
        except (FileNotFoundError, NotADirectoryError):
            return None
        return _stat(node)

    def spelling(self, path: str) -> str:
        if not self.folds_names:
            return path
        node, parts = self._root, path.strip("/").split("/")
        for index, part in enumerate(parts):
            name = _name_in(node, part)
            if name not in node.entries:
                break
            node, parts[index] = node.entries[name], name
        return "/" + "/".join(parts)

    def link(self, path: str) -> str:
        self._notify("stat", path)
        node = self._find(path)
        if node.kind != "link":
            raise failure(errno.EINVAL, path)
        return node.target

    def read(self, path: str, limit: int, known: bytes | None = None) -> tuple[bytes, Stat]:
        self._notify("open", path)
        node = self._file(path)
        data = node.data
        if len(data) > limit:
            raise FileTooLargeError(path, len(data), limit)
        return known if known == data else data, _stat(node)

    def names(self, path: str) -> list[str]:
        self._notify("list", path)
        return sorted(self._folder(path).entries)

    def open_folder(self, path: str) -> MemoryFolder:
        self._notify("list", path)
        return MemoryFolder(self._folder(path), path, self._notify)

    def make_folder(self, path: str) -> None:
        folder, name = self._parent(path)
        self._notify("mkdir", path)
        self._add(folder, name, self._node("folder", 0o755), path)

    def remove_folder(self, path: str) -> None:
        folder, name = self._parent(path)
        self._notify("rmdir", path)
        node = _entry(folder, name, path)
        if node.kind != "folder":
            raise failure(errno.ENOTDIR, path)
        if name == ".":
            raise failure(errno.EINVAL, path)
        if node.entries:
            raise failure(errno.ENOTEMPTY, path)
        self._change((folder, name, None))

    def stage(
        self,
        path: str,
        data: bytes,
        *,
        like: str | None = None,
        mode: int | None = None,
        owner: tuple[int, int] | None = None,  # noqa: ARG002 - all files have the same
        executable: bool = False,
        flush: bool,
    ) -> bool:
        folder, name = self._parent(path)
        if like is not None:
            self._notify("open", like)
            model = self._file(like)
            mode = model.mode if mode is None else mode
        self._notify("create", path)
        new_mode = 0o755 if executable else 0o644
        node = self._node("file", new_mode if mode is None else 0o600)
        self._add(folder, name, node, path)
        try:
            if data:
                self._notify("write", path)
                node.data = bytes(data)
            if mode is not None:
                self._notify("mode", path)
                node.mode = mode
            if flush:
                self._notify("flush", path)
                self._on_flush(node)
        except BaseException:
            self._discard(folder, name, path)
            raise
        return True

    def _discard(self, folder: MemoryNode, name: str, path: str) -> None:
        try:
            self._notify("unlink", path)
        except OSError:
            return  # as on the disk, the error that led here matters more
        self._change((folder, name, None))

    def rename(self, old: str, new: str, *, replace: bool) -> None:
        old_folder, old_name = self._parent(old)
        new_folder, new_name = self._parent(new)
        self._notify("rename", new)
        node = _entry(old_folder, old_name, old)
        if "." in {old_name, new_name}:
            raise failure(errno.EBUSY, old)
        there = new_folder.entries.get(new_name)
        written = new.rpartition("/")[2]
        if there is node and written != new_name:
            # Only its letters change.
            self._change((old_folder, old_name, None), (new_folder, written, node))
            return
        if there is not None and not replace:
            raise failure(errno.EEXIST, new)
        if there is node:
            return
        if node.kind == "folder":
            if new.startswith(old + "/"):
                raise failure(errno.EINVAL, old)
            if there is not None and there.kind != "folder":
                raise failure(errno.ENOTDIR, old)
            if there is not None and there.entries:
                raise failure(errno.ENOTEMPTY, old)
        elif there is not None and there.kind == "folder":
            raise failure(errno.EISDIR, old)
        self._change((new_folder, new_name, node), (old_folder, old_name, None))

    def make_link(self, path: str, target: str) -> None:
        folder, name = self._parent(path)
        self._notify("symlink", path)
        if not target:
            raise failure(errno.ENOENT, path)
        self._add(folder, name, self._node("link", 0o777, target=target), path)

    def remove(self, path: str) -> None:
        folder, name = self._parent(path)
        self._notify("unlink", path)
        if _entry(folder, name, path).kind == "folder":
            raise failure(errno.EISDIR, path)
        self._change((folder, name, None))

    def set_mode(self, path: str, mode: int) -> None:
        node = self._find(path)
        if node.kind == "link":
            raise failure(errno.ELOOP, path)
        self._notify("mode", path)
        node.mode = mode

    def attributes(self, path: str) -> list[str]:
        self._find(path)
        return []

    def flush_folder(self, path: str) -> None:
        folder = self._folder(path)
        self._notify("flush_folder", path)
        self._on_flush_folder(folder)

    # Hooks for a double that knows what was flushed.

    def _add(self, folder: MemoryNode, name: str, node: MemoryNode, path: str) -> None:
        """Add a new name, or refuse, in one step."""
        if name == "." or folder.entries.setdefault(name, node) is not node:
            raise failure(errno.EEXIST, path)

    def _change(self, *changes: tuple[MemoryNode, str, MemoryNode | None]) -> None:
        """Change or remove what names refer to, as one operation."""
        for folder, name, node in changes:
            if node is None:
                folder.entries.pop(name, None)
            else:
                folder.entries[name] = node

    def _on_flush(self, node: MemoryNode) -> None:
        """The disk now has the content and the mode of a file."""

    def _on_flush_folder(self, folder: MemoryNode) -> None:
        """The disk now has the names in a directory."""

    # Looking up names.

    def _notify(self, name: str, path: str) -> None:
        if self.watch:
            self.watch(name, path)

    def _parent(self, path: str) -> tuple[MemoryNode, str]:
        if not path.startswith("/"):
            raise AssertionError("BUG: a path outside every root: " + path)
        if path == "/":
            return self._root, "."
        parts = path[1:].split("/")
        node = self._root
        for index, part in enumerate(parts):
            if part in {"", ".."}:
                raise AssertionError("BUG: a path that is not normalized: " + path)
            if len(part) > LONGEST_FILE_NAME // 4 and len(os.fsencode(part)) > LONGEST_FILE_NAME:
                raise failure(errno.ENAMETOOLONG, path)
            name = _name_in(node, part) if self.folds_names else part
            if index == len(parts) - 1:
                break
            below = node.entries.get(name)
            if below is None or below.kind != "folder":
                above = "/" + "/".join(parts[: index + 1])
                below = _as_folder(_entry(node, name, above), above)
            node = below
        return node, name

    def _find(self, path: str) -> MemoryNode:
        folder, name = self._parent(path)
        return _entry(folder, name, path)

    def _folder(self, path: str) -> MemoryNode:
        return _as_folder(self._find(path), path)

    def _file(self, path: str) -> MemoryNode:
        return _as_file(self._find(path), path)


class MemoryFolder:
    """An open directory in memory."""

    def __init__(self, node: MemoryNode, path: str, notify: Watch) -> None:
        self._node = node
        self._path = path
        self._notify = notify

    def names(self) -> list[str]:
        return sorted(self._node.entries)

    def stat(self, name: str) -> Stat | None:
        self._notify("stat", self._path_of(name))
        node = self._node.entries.get(name)
        return None if node is None else _stat(node)

    def read(self, name: str, limit: int) -> bytes:
        path = self._path_of(name)
        self._notify("open", path)
        data = _as_file(_entry(self._node, name, path), path).data
        if len(data) > limit:
            raise FileTooLargeError(path, len(data), limit)
        return data

    def open_folder(self, name: str) -> MemoryFolder:
        path = self._path_of(name)
        self._notify("list", path)
        return MemoryFolder(_as_folder(_entry(self._node, name, path), path), path, self._notify)

    def close(self) -> None:
        """Nothing is held open."""

    def _path_of(self, name: str) -> str:
        return f"{self._path.rstrip('/')}/{name}"


def _name_in(folder: MemoryNode, name: str) -> str:
    """A name as a directory has it, where other letters mean the same; as it is if there is none."""
    if name in folder.entries:
        return name
    return next((other for other in folder.entries if same_name(other) == same_name(name)), name)


def _entry(folder: MemoryNode, name: str, path: str) -> MemoryNode:
    node = folder if name == "." else folder.entries.get(name)
    if node is None:
        raise failure(errno.ENOENT, path)
    return node


def _as_folder(node: MemoryNode, path: str) -> MemoryNode:
    if node.kind != "folder":
        raise failure(errno.ELOOP if node.kind == "link" else errno.ENOTDIR, path)
    return node


def _as_file(node: MemoryNode, path: str) -> MemoryNode:
    if node.kind != "file":
        raise failure(errno.ELOOP if node.kind == "link" else errno.EISDIR, path)
    return node


def _stat(node: MemoryNode) -> Stat:
    size = len(os.fsencode(node.target)) if node.kind == "link" else len(node.data)
    return Stat(node.kind, node.mode, size, 1, *user_and_group(), 0, node.inode, node.mtime_ns)
