"""The files of a workspace as one isolated session sees them: what it has changed, and below that the workspace.

A path that the session has changed is what the store says, also if the workspace has changed since. Every other path is
what the workspace has now. Nothing of the workspace is written.
"""

from __future__ import annotations

import errno
import os
from posixpath import dirname
from zlib import crc32

from ..core.common_limits import LONGEST_FILE_NAME, NO_LIMIT
from ..core.file_errors import FileTooLargeError, failure
from ..core.paths import same_name
from ..core.system import user_and_group
from ..state.overlay_store import StoredNode
from .files.file_system import Stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..state.overlay_store import OverlayStore, Place
    from .files.file_system import Files, OpenFolder, Watch

_ABSENT = StoredNode(0, "absent")


class IsolatedFiles:
    """Files of which one session has changed some. See `Files`."""

    #: Whoever asks means the journal and the locks, and those are the session's own.
    on_disk = False

    def __init__(self, files: Files, store: OverlayStore) -> None:
        self.below = files
        self.store = store
        self.roots = files.roots
        self.aliases = files.aliases
        self.folds_names = files.folds_names
        self.windows_names = files.windows_names
        self.watch: Watch | None = None

    def close(self) -> None:
        """Close the store. The files below stay open."""
        self.store.close()

    # Reading.

    def stat(self, path: str) -> Stat | None:
        self._notify("stat", path)
        try:
            node = self._find(path)
        except (FileNotFoundError, NotADirectoryError):
            return None
        if node is None:
            return self.below.stat(path)
        return None if node.kind == "absent" else _stat(node)

    def spelling(self, path: str) -> str:
        if not self.folds_names:
            return path
        number, below = self.place(path)
        here = self.roots[number]
        for part in below.split("/") if below else ():
            here = self._name_in(here, part)
        return here

    def _name_in(self, folder: str, name: str) -> str:
        """A path in a directory, with the last name as the session sees it."""
        changed = self.store.children(self.place(folder))
        made = [one for one, node in changed.items() if node.kind != "absent" and same_name(one) == same_name(name)]
        path = f"{folder.rstrip('/')}/"
        if made:
            return path + (name if name in made else made[0])
        there = self.below.spelling(path + name).rpartition("/")[2]
        is_removed = there in changed
        return path + (name if is_removed else there)

    def link(self, path: str) -> str:
        self._notify("stat", path)
        node = self._find(path)
        if node is None:
            return self.below.link(path)
        if node.kind != "link":
            raise failure(errno.ENOENT if node.kind == "absent" else errno.EINVAL, path)
        return node.target

    def read(self, path: str, limit: int, known: bytes | None = None) -> tuple[bytes, Stat]:
        self._notify("open", path)
        node = self._find(path, content=True)
        if node is None:
            return self.below.read(path, limit, known)
        content = _content_of(node, path, limit)
        return known if known == content else content, _stat(node)

    def names(self, path: str) -> list[str]:
        folder = self.open_folder(path)
        try:
            return folder.names()
        finally:
            folder.close()

    def open_folder(self, path: str) -> IsolatedFolder:
        self._notify("list", path)
        node = self._find(path)
        return self._open(path, node, None if node is not None else self.below.open_folder(path))

    def _open(self, path: str, node: StoredNode | None, below: OpenFolder | None) -> IsolatedFolder:
        if node is not None:
            _check_folder(node, path)
            below_stat = self.below.stat(path)
            if below_stat is not None and below_stat.kind == "folder":
                below = self.below.open_folder(path)
        return IsolatedFolder(self, path, below)

    # Writing: only the store.

    def make_folder(self, path: str) -> None:
        self._check_parent(path)
        self._notify("mkdir", path)
        if self.stat(path) is not None or not self.store.add(self.place(path), StoredNode(0, "folder", 0o755)):
            raise failure(errno.EEXIST, path)

    def remove_folder(self, path: str) -> None:
        stat = self._existing(path)
        self._notify("rmdir", path)
        if stat.kind != "folder":
            raise failure(errno.ENOTDIR, path)
        if self.names(path):
            raise failure(errno.ENOTEMPTY, path)
        place = self.place(path)
        was_made = self.store.node(place) is not None
        below = self.below.stat(path)
        if below is None or (was_made and below.kind == "folder"):
            self.store.forget([place])
        else:
            self.store.put(place, _ABSENT)

    def stage(
        self,
        path: str,
        data: bytes,
        *,
        like: str | None = None,
        mode: int | None = None,
        owner: tuple[int, int] | None = None,  # noqa: ARG002 - the merge gives the file its owner
        executable: bool = False,
        flush: bool,  # noqa: ARG002 - `flush_folder` waits for all
    ) -> bool:
        self._check_parent(path)
        if like is not None and mode is None:
            mode = self._existing(like).mode
        self._notify("create", path)
        if mode is None:
            mode = 0o755 if executable else 0o644
        node = StoredNode(0, "file", mode, size=len(data), content=bytes(data))
        if self.stat(path) is not None or not self.store.add(self.place(path), node):
            raise failure(errno.EEXIST, path)
        return True

    def rename(self, old: str, new: str, *, replace: bool) -> None:
        self._check_parent(old)
        self._check_parent(new)
        self._notify("rename", new)
        stat = self._existing(old)
        if stat.kind == "folder":
            # No commit moves a directory.
            raise failure(errno.EISDIR, old)
        is_respelled = self.folds_names and old != new and same_name(old) == same_name(new)
        there = None if is_respelled else self.stat(new)
        if there is not None and not replace:
            raise failure(errno.EEXIST, new)
        if there is not None and there.kind == "folder":
            raise failure(errno.EISDIR, old)
        if old == new:
            return
        self._copy_up(old)
        self.store.rename(self.place(old), self.place(new), leaves_absent=self.below.stat(old) is not None)

    def make_link(self, path: str, target: str) -> None:
        self._check_parent(path)
        self._notify("symlink", path)
        if not target:
            raise failure(errno.ENOENT, path)
        node = StoredNode(0, "link", 0o777, target, len(os.fsencode(target)))
        if self.stat(path) is not None or not self.store.add(self.place(path), node):
            raise failure(errno.EEXIST, path)

    def remove(self, path: str) -> None:
        self._notify("unlink", path)
        stat = self._existing(path)
        if stat.kind == "folder":
            raise failure(errno.EISDIR, path)
        if self.below.stat(path) is None:
            self.store.forget([self.place(path)])
        else:
            self.store.put(self.place(path), _ABSENT)

    def set_mode(self, path: str, mode: int) -> None:
        stat = self._existing(path)
        if stat.kind == "link":
            raise failure(errno.ELOOP, path)
        self._notify("mode", path)
        if stat.kind == "file":
            self._copy_up(path)
            node = self.store.node(self.place(path), content=True)
            assert node is not None, "BUG: it was copied just now"
            self.store.put(self.place(path), node.replace(id=0, mode=mode))

    def attributes(self, path: str) -> list[str]:
        """None are lost in isolation: the merge decides about those of the workspace's file."""
        self._find(path)
        return []

    def flush_folder(self, path: str) -> None:
        self._notify("flush_folder", path)
        self.store.flush()

    # Looking up.

    def place(self, path: str) -> Place:
        """Where the store keeps a path."""
        for number, root in enumerate(self.roots):
            if path == root:
                return number, ""
            prefix = root if root == "/" else root + "/"
            if path.startswith(prefix):
                return number, path[len(prefix) :]
        raise AssertionError("BUG: a path outside every root: " + path)

    def path(self, place: Place) -> str:
        """The absolute path of a place in the store."""
        root = self.roots[place[0]]
        if not place[1]:
            return root
        return f"/{place[1]}" if root == "/" else f"{root}/{place[1]}"

    def _find(self, path: str, *, content: bool = False) -> StoredNode | None:
        """What the session has made of a path; None where it is what the workspace has.

        Raises:
            OSError: a directory above it is no directory any more.
        """
        root, below = self.place(path)
        above = [(root, below[:at]) for at, character in enumerate(below) if character == "/"]
        for place, kind in zip(above, self.store.kinds(above), strict=True):
            if kind not in ("", "folder"):
                numbers = {"absent": errno.ENOENT, "link": errno.ELOOP}
                raise failure(numbers.get(kind, errno.ENOTDIR), self.path(place))
        node = self.store.node((root, below), content=content)
        if node is None and self.folds_names and below and self._is_removed_as(path):
            return _ABSENT
        return node

    def _is_removed_as(self, path: str) -> bool:
        """Whether the session has removed what the workspace would find by this name, which is in other letters."""
        folder, _, name = path.rpartition("/")
        changed = self.store.children(self.place(folder or "/"))
        return any(node.kind == "absent" and same_name(one) == same_name(name) for one, node in changed.items())

    def _check_parent(self, path: str) -> None:
        name = path.rpartition("/")[2]
        if len(os.fsencode(name)) > LONGEST_FILE_NAME:
            raise failure(errno.ENAMETOOLONG, path)
        if path in self.roots:
            return
        folder = dirname(path)
        stat = self.stat(folder)
        if stat is None:
            self._check_parent(folder)
            raise failure(errno.ENOENT, path)
        if stat.kind != "folder":
            raise failure(errno.ELOOP if stat.kind == "link" else errno.ENOTDIR, folder)

    def _existing(self, path: str) -> Stat:
        """What has a name, which must have one."""
        self._check_parent(path)
        stat = self.stat(path)
        if stat is None:
            raise failure(errno.ENOENT, path)
        return stat

    def _copy_up(self, path: str) -> None:
        """Make a file or a link of the workspace one of the store."""
        place = self.place(path)
        if self.store.node(place) is not None:
            return
        stat = self.below.stat(path)
        if stat is not None and stat.kind == "link":
            target = self.below.link(path)
            self.store.put(place, StoredNode(0, "link", stat.mode, target, stat.size, stat.mtime_ns))
            return
        content, stat = self.below.read(path, NO_LIMIT)
        self.store.put(place, StoredNode(0, "file", stat.mode, "", len(content), stat.mtime_ns, content))

    def _notify(self, name: str, path: str) -> None:
        if self.watch:
            self.watch(name, path)


class IsolatedFolder:
    """An open directory as an isolated session sees it."""

    def __init__(self, files: IsolatedFiles, path: str, below: OpenFolder | None) -> None:
        self._files = files
        self._path = path
        self._below = below
        self._changed: Mapping[str, StoredNode] = files.store.children(files.place(path))

    def names(self) -> list[str]:
        """The names in it, sorted."""
        names = set() if self._below is None else set(self._below.names())
        removed = {name for name, node in self._changed.items() if node.kind == "absent"}
        return sorted((names | set(self._changed)) - removed)

    def stat(self, name: str) -> Stat | None:
        """What has this name in it; None for nothing."""
        node = self._changed.get(name)
        if node is not None:
            return None if node.kind == "absent" else _stat(node)
        return None if self._below is None else self._below.stat(name)

    def read(self, name: str, limit: int) -> bytes:
        """The content of a regular file in it."""
        path = self._path_of(name)
        if name in self._changed:
            return self._files.read(path, limit)[0]
        if self._below is None:
            raise failure(errno.ENOENT, path)
        return self._below.read(name, limit)

    def open_folder(self, name: str) -> IsolatedFolder:
        """A directory in it."""
        path = self._path_of(name)
        node = self._changed.get(name)
        if node is None and self._below is None:
            raise failure(errno.ENOENT, path)
        below = self._below.open_folder(name) if node is None and self._below is not None else None
        return self._files._open(path, node, below)  # noqa: SLF001 - part of the same module

    def close(self) -> None:
        """Close the directory of the workspace."""
        if self._below is not None:
            self._below.close()

    def _path_of(self, name: str) -> str:
        return f"{self._path.rstrip('/')}/{name}"


def _content_of(node: StoredNode, path: str, limit: int) -> bytes:
    if node.kind != "file":
        numbers = {"absent": errno.ENOENT, "link": errno.ELOOP, "folder": errno.EISDIR}
        raise failure(numbers[node.kind], path)
    if node.size > limit:
        raise FileTooLargeError(path, node.size, limit)
    return node.content


def _check_folder(node: StoredNode, path: str) -> None:
    if node.kind != "folder":
        numbers = {"absent": errno.ENOENT, "link": errno.ELOOP}
        raise failure(numbers.get(node.kind, errno.ENOTDIR), path)


def _stat(node: StoredNode) -> Stat:
    inode = crc32(b"%d" % node.id)
    return Stat(node.kind, node.mode, node.size, 1, *user_and_group(), -1, inode, node.mtime_ns)
