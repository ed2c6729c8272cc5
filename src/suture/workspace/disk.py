"""The real file system, reached through held descriptors of the roots and never through a symbolic link.

Each root is opened once. A path is opened part by part from there, each part without following, and the last part is
used relative to the folder it stands in. So what is checked and what is used can't be two things: a folder that is
swapped for a link between two calls makes the second one fail. Nothing but the roots is held between calls.
"""

from __future__ import annotations

import errno
import os
import stat as modes

from .files import FileTooLargeError, Stat, failure
from .flush import flush as flush_to_disk, flush_names
from .openat import THROUGH, ParentFolder, open_file, open_folder, regular

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .files import Watch

_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC

#: Errors that say that a file system or this user can't keep an owner or an attribute, not that anything is broken.
_CAN_NOT = frozenset(
    {errno.EPERM, errno.EACCES, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.ENODATA}
)
#: Errors that say that a second name for a file can't be made: no such file system, a folder, a file of another user.
_NO_SECOND_NAME = frozenset(
    {errno.EPERM, errno.EACCES, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EINVAL}
)

#: Bytes that are read at once where not all of a file is wanted in one piece.
_PIECE = 65536

_KINDS = {modes.S_IFREG: "file", modes.S_IFDIR: "folder", modes.S_IFLNK: "link"}
# What a list of the extended attributes of a file is where the system has none.
_HAS_ATTRIBUTES = hasattr(os, "listxattr")


class DiskFiles:
    """Files below some folders of the disk. The roots are real paths, taken once."""

    on_disk = True

    def __init__(self, roots: Iterable[str], watch: Watch | None = None) -> None:
        self.watch = watch
        self._held: list[tuple[str, int]] = []
        given = [os.path.abspath(root) for root in ([roots] if isinstance(roots, str) else roots)]
        self.roots = tuple([os.path.realpath(root) for root in given])
        self.aliases = tuple(_aliases(given, self.roots))
        for root in self.roots:
            self._held.append((root if root == "/" else root + "/", os.open(root, THROUGH)))

    def close(self) -> None:
        """Let go of the roots. No call works afterwards."""
        while self._held:
            os.close(self._held.pop()[1])

    def __del__(self) -> None:
        self.close()

    def stat(self, path: str) -> Stat | None:
        if self.watch:
            self.watch("stat", path)
        try:
            with ParentFolder(self._held, path) as (folder, name):
                return _stat(os.stat(name, dir_fd=folder, follow_symlinks=False))
        except (FileNotFoundError, NotADirectoryError):
            return None

    def link(self, path: str) -> str:
        if self.watch:
            self.watch("stat", path)
        with ParentFolder(self._held, path) as (folder, name):
            return os.readlink(name, dir_fd=folder)

    def read(self, path: str, limit: int, known: bytes | None = None) -> tuple[bytes, Stat]:
        if self.watch:
            self.watch("open", path)
        with ParentFolder(self._held, path) as (folder, name):
            file = open_file(name, folder, path)
            try:
                found = regular(os.fstat(file), path)
                if found.st_size > limit:
                    raise FileTooLargeError(path, found.st_size, limit)
                if known is not None and found.st_size == len(known) and _holds(file, known):
                    return known, _stat(found)
                data = os.read(file, found.st_size + 1)
                while piece := os.read(file, _PIECE):
                    # It grows while it is read, or the system gave less than it has.
                    data += piece
                    if len(data) > limit:
                        raise FileTooLargeError(path, len(data), limit)
                return data, _stat(found)
            finally:
                os.close(file)

    def names(self, path: str) -> list[str]:
        if self.watch:
            self.watch("list", path)
        with ParentFolder(self._held, path) as (folder, name):
            opened = open_folder(name, folder, path)
            try:
                return sorted(os.listdir(opened))
            finally:
                os.close(opened)

    def make_folder(self, path: str) -> None:
        with ParentFolder(self._held, path) as (folder, name):
            if self.watch:
                self.watch("mkdir", path)
            os.mkdir(name, dir_fd=folder)

    def remove_folder(self, path: str) -> None:
        with ParentFolder(self._held, path) as (folder, name):
            if self.watch:
                self.watch("rmdir", path)
            os.rmdir(name, dir_fd=folder)

    def stage(self, path: str, data: bytes, *, like: str | None = None, mode: int | None = None, flush: bool) -> None:
        watch = self.watch
        with ParentFolder(self._held, path) as (folder, name):
            model, like_stat = self._model(path, folder, name, like) if like is not None else (-1, None)
            try:
                if watch:
                    watch("create", path)
                # Nobody else may read it before it has the rights that it is to have.
                mode_first = 0o666 if like is None and mode is None else 0o600
                file = os.open(name, _CREATE, mode_first, dir_fd=folder)
                try:
                    try:
                        left = memoryview(data)
                        while left:
                            if watch:
                                watch("write", path)
                            left = left[os.write(file, left) :]
                        if like_stat:
                            mode = self._take_after(file, model, like_stat, path, mode)
                        if mode is not None:
                            if watch:
                                watch("mode", path)
                            os.fchmod(file, mode)
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

    def _model(self, path: str, folder: int, name: str, like: str) -> tuple[int, os.stat_result]:
        """A descriptor of the file that a new one is to be like, and its stat."""
        if self.watch:
            self.watch("open", like)
        like_name = _beside(path, name, like)
        if like_name:
            model = open_file(like_name, folder, like)
        else:
            with ParentFolder(self._held, like) as (like_folder, like_name):
                model = open_file(like_name, like_folder, like)
        try:
            return model, regular(os.fstat(model), like)
        except OSError:
            os.close(model)
            raise

    def _take_after(self, file: int, model: int, like: os.stat_result, path: str, mode: int | None) -> int:
        """Give a new file the owner and the attributes of another; the mode that it may have is what it answers."""
        mine = os.fstat(file)
        uid, gid = mine.st_uid, mine.st_gid
        if (uid, gid) != (like.st_uid, like.st_gid):
            if self.watch:
                self.watch("owner", path)
            uid, gid = _give(file, like.st_uid, like.st_gid, mine)
        if _HAS_ATTRIBUTES:
            self._copy_attributes(file, model, path)
        wanted = modes.S_IMODE(like.st_mode) if mode is None else mode
        # Rights that were meant for one owner are not handed to another.
        if uid != like.st_uid:
            wanted &= ~modes.S_ISUID
        if gid != like.st_gid:
            wanted &= ~modes.S_ISGID & ~0o070 | (wanted & 0o007) << 3
        return wanted

    def _copy_attributes(self, file: int, model: int, path: str) -> None:
        """Make the extended attributes of two files the same; a list of rights is one of them."""
        theirs, ours = _attributes(model), _attributes(file)
        if theirs == ours == []:
            return
        for name in {*theirs, *ours}:
            try:
                value = os.getxattr(model, name) if name in theirs else None
                if name in ours and value == os.getxattr(file, name):
                    continue
            except OSError as error:
                if error.errno in _CAN_NOT:
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
                if error.errno not in _CAN_NOT:
                    raise

    def _discard(self, folder: int, name: str, path: str) -> None:
        try:
            if self.watch:
                self.watch("unlink", path)
            os.unlink(name, dir_fd=folder)
        except OSError:
            pass  # The error that led here says more than this one.

    def rename(self, old: str, new: str, *, replace: bool) -> None:
        with ParentFolder(self._held, old) as (old_folder, old_name):
            new_name = _beside(old, old_name, new)
            if new_name:
                self._rename(old, old_folder, old_name, new, old_folder, new_name, replace)
                return
            with ParentFolder(self._held, new) as (new_folder, new_name):
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
        # Python can't ask for a rename that refuses: a second name is refused where one is, then the first one goes.
        try:
            os.link(old_name, new_name, src_dir_fd=old_folder, dst_dir_fd=new_folder, follow_symlinks=False)
        except (OSError, NotImplementedError) as error:
            if isinstance(error, OSError) and error.errno not in _NO_SECOND_NAME:
                raise
            if _exists(new_name, new_folder):
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
        with ParentFolder(self._held, path) as (folder, name):
            if self.watch:
                self.watch("symlink", path)
            os.symlink(target, name, dir_fd=folder)

    def remove(self, path: str) -> None:
        with ParentFolder(self._held, path) as (folder, name):
            if self.watch:
                self.watch("unlink", path)
            try:
                os.unlink(name, dir_fd=folder)
            except PermissionError:
                # POSIX lets a system say EPERM for a folder, and some do.
                if modes.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
                    raise failure(errno.EISDIR, path) from None
                raise

    def set_mode(self, path: str, mode: int) -> None:
        with ParentFolder(self._held, path) as (folder, name):
            kind = modes.S_IFMT(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
            if kind not in _KINDS:
                raise failure(errno.EINVAL, path)
            if self.watch:
                self.watch("mode", path)
            try:
                opened = open_file(name, folder, path)
            except PermissionError:
                _set_mode_unread(name, folder, path, mode)
                return
            try:
                os.fchmod(opened, mode)
            finally:
                os.close(opened)

    def flush_folder(self, path: str) -> None:
        with ParentFolder(self._held, path) as (folder, name):
            opened = open_folder(name, folder, path)
            try:
                if self.watch:
                    self.watch("flush_folder", path)
                flush_names(opened)
            finally:
                os.close(opened)


def _holds(file: int, known: bytes) -> bool:
    """Whether a file holds this content and no more. It is left at its beginning where it does not.

    Compared piece by piece, so that a large file costs no memory: to get that from the system takes longer than to
    compare it.
    """
    at = 0
    while piece := os.read(file, _PIECE):
        if not known.startswith(piece, at):
            break
        at += len(piece)
    if at == len(known) and not piece:
        return True
    os.lseek(file, 0, os.SEEK_SET)
    return False


def _aliases(given: list[str], roots: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """The names under which the roots are known beside their real paths, so that an absolute path can be told."""
    for name, root in zip(given, roots, strict=True):
        if name != root:
            yield name, root
        # On macOS a shell says /tmp and /var for what is below /private.
        short = root.removeprefix("/private")
        if short not in {root, name} and os.path.realpath(short) == root:
            yield short, root


def _stat(found: os.stat_result) -> Stat:
    mode = found.st_mode
    return Stat(
        _KINDS.get(modes.S_IFMT(mode), "other"),
        modes.S_IMODE(mode),
        found.st_size,
        found.st_nlink,
        found.st_uid,
        found.st_gid,
        found.st_dev,
        found.st_ino,
        found.st_mtime_ns,
    )


def _beside(path: str, name: str, other: str) -> str:
    """The name of another path where it stands in the same folder, so that the folder is opened once; or nothing."""
    folder = path[: len(path) - len(name)]
    last = other[len(folder) :]
    return last if other.startswith(folder) and "/" not in last and name != "." and last != ".." else ""


def _exists(name: str, folder: int) -> bool:
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def _give(file: int, uid: int, gid: int, mine: os.stat_result) -> tuple[int, int]:
    """Give a file to another owner and group, or only to the group, or to neither; who has it is the answer."""
    for wanted in ((uid, gid), (mine.st_uid, gid)):
        try:
            os.fchown(file, *wanted)
        except OSError as error:
            if error.errno not in _CAN_NOT:
                raise
        else:
            return wanted
    return mine.st_uid, mine.st_gid


def _attributes(file: int) -> list[str]:
    try:
        return os.listxattr(file)
    except OSError as error:
        if error.errno in _CAN_NOT:
            return []
        raise


def _set_mode_unread(name: str, folder: int, path: str, mode: int) -> None:
    """Set the mode of what its owner may not read: by a descriptor that is no more than a name."""
    if not hasattr(os, "O_PATH"):
        os.chmod(name, mode, dir_fd=folder, follow_symlinks=False)
        return
    opened = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    try:
        if modes.S_ISLNK(os.fstat(opened).st_mode):
            raise failure(errno.ELOOP, path)
        os.chmod(f"/proc/self/fd/{opened}", mode)
    finally:
        os.close(opened)
