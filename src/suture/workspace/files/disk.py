"""The real file system, reached through open descriptors of the roots and never through a symbolic link.

Each root is opened once. A path is opened part by part from there, without following links, and its last part is used
relative to the directory that contains it. So what is checked is what is used: if a directory is replaced by a link
between two calls, the second call fails. Only the roots stay open between calls.
"""

from __future__ import annotations

import errno
import os
import stat as modes
import sys

assert sys.platform != "win32", "BUG: Windows has other calls; see windows_disk"

from ...core.descriptors import PIECE, flush as flush_to_disk, flush_names, read_all, regular
from ...core.file_errors import failure
from .disk_folder import KINDS, DiskFolder, disk_stat, folds_names
from .openat import THROUGH, ParentFolder, open_file, open_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .file_system import Stat, Watch

_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC

#: Errors that mean that the file system or this user can't set an owner or an attribute, not that anything is broken.
_UNSUPPORTED = frozenset(
    {errno.EPERM, errno.EACCES, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.ENODATA}
)
#: Errors that mean that a hard link can't be made: by the file system, for a directory, for another user's file.
_NO_HARD_LINK = frozenset(
    {errno.EPERM, errno.EACCES, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EINVAL}
)

#: The bits of a mode with which a program runs as its owner or group, and the attribute with more of that kind.
_SPECIAL = modes.S_ISUID | modes.S_ISGID
_CAPABILITIES = "security.capability"
#: What SELinux gives to every file.
_LABEL = "security.selinux"

_HAS_ATTRIBUTES = hasattr(os, "listxattr")


class DiskFiles:
    """Files below some directories of the disk. The roots are real paths, resolved once."""

    on_disk = True
    windows_names = False

    def __init__(self, roots: Iterable[str], watch: Watch | None = None) -> None:
        self.watch = watch
        self._roots: list[tuple[str, int]] = []
        names = [os.path.abspath(root) for root in ([roots] if isinstance(roots, str) else roots)]
        self.roots = tuple([os.path.realpath(root) for root in names])
        self.aliases = tuple(_aliases(names, self.roots))
        for root in self.roots:
            self._roots.append((root if root == "/" else root + "/", os.open(root, THROUGH)))
        self.folds_names = any(folds_names(root) for root in self.roots)

    def close(self) -> None:
        """Close the roots. No call works after that."""
        while self._roots:
            os.close(self._roots.pop()[1])

    def __del__(self) -> None:
        self.close()

    def stat(self, path: str) -> Stat | None:
        if self.watch:
            self.watch("stat", path)
        try:
            with ParentFolder(self._roots, path) as (folder, name):
                return disk_stat(os.stat(name, dir_fd=folder, follow_symlinks=False))
        except (FileNotFoundError, NotADirectoryError):
            return None

    def spelling(self, path: str) -> str:
        from .name_case import spelling

        return spelling(self._roots, path)

    def link(self, path: str) -> str:
        if self.watch:
            self.watch("stat", path)
        with ParentFolder(self._roots, path) as (folder, name):
            return os.readlink(name, dir_fd=folder)

    def read(self, path: str, limit: int, known: bytes | None = None) -> tuple[bytes, Stat]:
        if self.watch:
            self.watch("open", path)
        with ParentFolder(self._roots, path) as (folder, name):
            file = open_file(name, folder, path)
            try:
                status = regular(os.fstat(file), path)
                if known is not None and status.st_size == len(known) <= limit and _holds(file, known):
                    return known, disk_stat(status)
                return read_all(file, status.st_size, path, limit), disk_stat(status)
            finally:
                os.close(file)

    def names(self, path: str) -> list[str]:
        if self.watch:
            self.watch("list", path)
        with ParentFolder(self._roots, path) as (folder, name):
            descriptor = open_folder(name, folder, path)
            try:
                return sorted(os.listdir(descriptor))
            finally:
                os.close(descriptor)

    def open_folder(self, path: str) -> DiskFolder:
        if self.watch:
            self.watch("list", path)
        with ParentFolder(self._roots, path) as (folder, name):
            return DiskFolder(open_folder(name, folder, path), path, self.watch)

    def make_folder(self, path: str) -> None:
        with ParentFolder(self._roots, path) as (folder, name):
            if self.watch:
                self.watch("mkdir", path)
            os.mkdir(name, dir_fd=folder)

    def remove_folder(self, path: str) -> None:
        with ParentFolder(self._roots, path) as (folder, name):
            if self.watch:
                self.watch("rmdir", path)
            os.rmdir(name, dir_fd=folder)

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
        watch = self.watch
        complete = True
        with ParentFolder(self._roots, path) as (folder, name):
            model, like_stat = self._model(path, folder, name, like) if like is not None else (-1, None)
            try:
                if watch:
                    watch("create", path)
                # Nobody else may read it before it has its final permissions.
                mode_first = 0o600
                if like is None and mode is None:
                    mode_first = 0o777 if executable else 0o666
                file = os.open(name, _CREATE, mode_first, dir_fd=folder)
                try:
                    try:
                        rest = memoryview(data)
                        while rest:
                            if watch:
                                watch("write", path)
                            rest = rest[os.write(file, rest) :]
                        if like_stat:
                            mode = modes.S_IMODE(like_stat.st_mode) if mode is None else mode
                            owner = like_stat.st_uid, like_stat.st_gid
                        if mode is not None:
                            mode, complete = self._set_owner(file, model, owner or (-1, -1), path, mode)
                            if watch:
                                watch("mode", path)
                            _set_mode(file, mode, like_stat)
                        if flush:
                            if watch:
                                watch("flush", path)
                            flush_to_disk(file)
                    finally:
                        os.close(file)
                except BaseException:
                    self._discard(folder, name, path)
                    raise
            finally:
                if model >= 0:
                    os.close(model)
        return complete

    def _model(self, path: str, folder: int, name: str, like: str) -> tuple[int, os.stat_result]:
        """A descriptor of the file whose owner and attributes a new one gets, and its status."""
        if self.watch:
            self.watch("open", like)
        like_name = _name_in_same_folder(path, name, like)
        if like_name:
            model = open_file(like_name, folder, like)
        else:
            with ParentFolder(self._roots, like) as (like_folder, like_name):
                model = open_file(like_name, like_folder, like)
        try:
            return model, regular(os.fstat(model), like)
        except OSError:
            os.close(model)
            raise

    def _set_owner(self, file: int, model: int, owner: tuple[int, int], path: str, mode: int) -> tuple[int, bool]:
        """Give a new file an owner, and the attributes of another file; return the mode that it may have.

        Also returns whether that is all that it should have. Permissions of one owner are not passed on to another.
        """
        mine = os.fstat(file)
        now = mine.st_uid, mine.st_gid
        if owner not in (now, (-1, -1)):
            if self.watch:
                self.watch("owner", path)
            now = _change_owner(file, *owner, mine)
        complete = True
        if model >= 0 and _HAS_ATTRIBUTES:
            complete = self._copy_attributes(file, model, path, capabilities=now == owner)
        if now != owner and mode & _SPECIAL:
            mode &= ~_SPECIAL
            complete = False
        has_other_group = now[1] != owner[1]
        if has_other_group and owner[1] >= 0:
            mode &= ~0o070 | (mode & 0o007) << 3
        return mode, complete

    def _copy_attributes(self, file: int, model: int, path: str, *, capabilities: bool) -> bool:
        """Copy the extended attributes of another file; an access control list is one of them.

        Returns whether all that give power over the system were copied.
        """
        theirs, ours = _attributes(model), _attributes(file)
        complete = capabilities or _CAPABILITIES not in theirs
        if not complete:
            theirs.remove(_CAPABILITIES)
        for name in {*theirs, *ours}:
            try:
                value = os.getxattr(model, name) if name in theirs else None
                if name in ours and value == os.getxattr(file, name):
                    continue
            except OSError as error:
                if error.errno in _UNSUPPORTED:
                    continue
                raise
            if self.watch:
                self.watch("attribute", path)
            try:
                if value is None:
                    os.removexattr(file, name)
                else:
                    os.setxattr(file, name, value)
            except OSError as error:
                if error.errno not in _UNSUPPORTED:
                    raise
                if name == _CAPABILITIES:
                    complete = False
        return complete

    def _discard(self, folder: int, name: str, path: str) -> None:
        try:
            if self.watch:
                self.watch("unlink", path)
            os.unlink(name, dir_fd=folder)
        except OSError:
            pass  # the error that led here matters more

    def rename(self, old: str, new: str, *, replace: bool) -> None:
        with ParentFolder(self._roots, old) as (old_folder, old_name):
            new_name = _name_in_same_folder(old, old_name, new)
            if new_name:
                self._rename(old, old_folder, old_name, new, old_folder, new_name, replace)
                return
            with ParentFolder(self._roots, new) as (new_folder, new_name):
                self._rename(old, old_folder, old_name, new, new_folder, new_name, replace)

    def _rename(
        self, old: str, old_folder: int, old_name: str, new: str, new_folder: int, new_name: str, replace: bool
    ) -> None:
        watch = self.watch
        if watch:
            watch("rename", new)
        if replace:
            os.rename(old_name, new_name, src_dir_fd=old_folder, dst_dir_fd=new_folder)
            return
        # Python has no rename that refuses to replace. A hard link does refuse; then the old name is removed.
        try:
            os.link(old_name, new_name, src_dir_fd=old_folder, dst_dir_fd=new_folder, follow_symlinks=False)
        except (OSError, NotImplementedError) as error:
            from .name_case import is_same_file

            is_respelled = self.folds_names and is_same_file(old_name, old_folder, new_name, new_folder)
            if isinstance(error, OSError) and error.errno not in _NO_HARD_LINK and not is_respelled:
                raise
            if not is_respelled and _exists(new_name, new_folder):
                raise failure(errno.EEXIST, new) from None
            os.rename(old_name, new_name, src_dir_fd=old_folder, dst_dir_fd=new_folder)
            return
        try:
            if watch:
                watch("unlink", old)
            os.unlink(old_name, dir_fd=old_folder)
        except BaseException:
            self._discard(new_folder, new_name, new)
            raise

    def make_link(self, path: str, target: str) -> None:
        with ParentFolder(self._roots, path) as (folder, name):
            if self.watch:
                self.watch("symlink", path)
            os.symlink(target, name, dir_fd=folder)

    def remove(self, path: str) -> None:
        with ParentFolder(self._roots, path) as (folder, name):
            if self.watch:
                self.watch("unlink", path)
            try:
                os.unlink(name, dir_fd=folder)
            except PermissionError:
                # POSIX allows EPERM for a directory, and some systems use it.
                if modes.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
                    raise failure(errno.EISDIR, path) from None
                raise

    def set_mode(self, path: str, mode: int) -> None:
        with ParentFolder(self._roots, path) as (folder, name):
            kind = modes.S_IFMT(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
            if kind not in KINDS:
                raise failure(errno.EINVAL, path)
            if self.watch:
                self.watch("mode", path)
            try:
                descriptor = open_file(name, folder, path)
            except PermissionError:
                _set_mode_unread(name, folder, path, mode)
                return
            try:
                os.fchmod(descriptor, mode)
            finally:
                os.close(descriptor)

    def attributes(self, path: str) -> list[str]:
        with ParentFolder(self._roots, path) as (folder, name):
            if not _HAS_ATTRIBUTES or not modes.S_ISREG(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
                return []
            descriptor = open_file(name, folder, path)
            try:
                return [name for name in _attributes(descriptor) if name != _LABEL]
            finally:
                os.close(descriptor)

    def flush_folder(self, path: str) -> None:
        with ParentFolder(self._roots, path) as (folder, name):
            descriptor = open_folder(name, folder, path)
            try:
                if self.watch:
                    self.watch("flush_folder", path)
                flush_names(descriptor)
            finally:
                os.close(descriptor)


def _holds(file: int, known: bytes) -> bool:
    """Whether a file has exactly this content. If not, it is rewound to its beginning.

    It is compared piece by piece, because allocating the memory for a large file takes longer than comparing it.
    """
    at = 0
    while piece := os.read(file, PIECE):
        if not known.startswith(piece, at):
            break
        at += len(piece)
    if at == len(known) and not piece:
        return True
    os.lseek(file, 0, os.SEEK_SET)
    return False


def _aliases(names: list[str], roots: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Other names of the roots, so that absolute paths with these names are recognized."""
    for name, root in zip(names, roots, strict=True):
        if name != root:
            yield name, root
        # On macOS, /tmp and /var are links to what is below /private.
        short = root.removeprefix("/private")
        if short not in {root, name} and os.path.realpath(short) == root:
            yield short, root


def _name_in_same_folder(path: str, name: str, other: str) -> str:
    """The last part of another path in the same directory, so that it is opened only once; else empty."""
    folder = path[: len(path) - len(name)]
    last = other[len(folder) :]
    return last if other.startswith(folder) and "/" not in last and name != "." and last != ".." else ""


def _exists(name: str, folder: int) -> bool:
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def _change_owner(file: int, uid: int, gid: int, mine: os.stat_result) -> tuple[int, int]:
    """Change the owner and group of a file, or only the group, as far as allowed; return the owner and group."""
    for owner in ((uid, gid), (mine.st_uid, gid)):
        try:
            os.fchown(file, *owner)
        except OSError as error:
            if error.errno not in _UNSUPPORTED:
                raise
        else:
            return owner
    return mine.st_uid, mine.st_gid


def _attributes(file: int) -> list[str]:
    try:
        return os.listxattr(file)
    except OSError as error:
        if error.errno in _UNSUPPORTED:
            return []
        raise


def _set_mode(file: int, mode: int, model: os.stat_result | None) -> None:
    """Set the mode of a new file. Where the file system refuses it, the file gets the mode of the one before it."""
    try:
        os.fchmod(file, mode)
    except OSError as error:
        other = None if model is None else modes.S_IMODE(model.st_mode)
        if error.errno not in _UNSUPPORTED or other in (None, mode):
            raise
        os.fchmod(file, other)


def _set_mode_unread(name: str, folder: int, path: str, mode: int) -> None:
    """Set the mode of a file that its owner may not read, through a descriptor that is only a path."""
    if not hasattr(os, "O_PATH"):
        os.chmod(name, mode, dir_fd=folder, follow_symlinks=False)
        return
    descriptor = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    try:
        if modes.S_ISLNK(os.fstat(descriptor).st_mode):
            raise failure(errno.ELOOP, path)
        os.chmod(f"/proc/self/fd/{descriptor}", mode)
    finally:
        os.close(descriptor)
