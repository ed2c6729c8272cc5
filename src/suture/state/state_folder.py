"""Where the state of a workspace is: its journal, its history and its locks.

It is a directory of the user outside the workspace, so that the workspace stays clean. If none can be written there, as
in a sandbox that only allows the workspace, it is the hidden directory `.suture` in the workspace. Only these
directories are made here, and only when they are needed.

A workspace has an id: an extended attribute of its directory, which is kept when the directory is moved. The state
directory outside has it as its name, so a moved workspace finds its history. Where there are no such attributes, a
workspace has no id, and the name is made of its path.

A directory that somebody else made is never used: recovery
would write whatever a journal says that came with a clone or from another user.

Read from the environment: `SUTURE_STATE_DIR`, `XDG_STATE_HOME` and `HOME`.
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress

from ..core.descriptors import open_folder
from ..core.fingerprint import fingerprint
from ..core.problems import PatchRejectedError, Problem
from ..core.system import NEW_FILE, NO_LINK, OWN, WINDOWS, absolute_path, is_mine, is_open_to_others, real_path
from ..core.value import Value
from .private_files import UnsafeStateError, check_private_folders, make_private_folder
from .state_limits import LONGEST_WORKSPACE_ID
from .system_locks import wait_for_lock

#: The state directory in a workspace whose user has no other that can be written.
INSIDE = ".suture"
#: The file with the journal and the history, in a state directory.
STORE = "store.db"
#: The directory of the lock files, in a state directory.
LOCKS = "locks"
#: The lock held shared by every process with the store open, and exclusively by one that removes the directory.
IN_USE = "use"
#: The lock held shared by every commit.
ALL = "all"
#: The extended attribute with the id of a workspace.
ID_ATTRIBUTE = "user.suture.id"
#: What an id may contain: it is the name of a directory, and an attribute can come with an archive.
_ID_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")
#: How many hexadecimal digits an id ends with, after a hyphen.
_ID_DIGITS = 16
_HEX_DIGITS = frozenset("0123456789abcdef")
#: The file that says that a state directory whose name is made of a path belongs to a workspace with an id by now.
_HAS_ID = "id"
#: Where the state is if nothing else is set.
_DEFAULT_BASE = "$LOCALAPPDATA/suture/state" if WINDOWS else "~/.local/state/suture"


class StateFolder(Value):
    """The state directory of one workspace."""

    path: str
    #: Whether it is the hidden directory in the workspace.
    inside: bool = False
    #: The directory of the workspace, and its id.
    root: str = ""
    id: str = ""

    @property
    def is_named_by_path(self) -> bool:
        """Whether it has the name that the path of the workspace gives it."""
        return os.path.basename(self.path) == name_by_path(self.root)


def state_folder(root: str, state_dir: str | None = None) -> StateFolder:
    """The state directory of the workspace at `root`, made if it is missing.

    Each workspace has its own, below the first of these that is set: `state_dir`, `$SUTURE_STATE_DIR`,
    `$XDG_STATE_HOME/suture`, `~/.local/state/suture`. If that can't be written, it is `.suture` in the workspace. A
    workspace without an id gets one.

    Raises:
        PatchRejectedError: neither can be made, the workspace has a `.suture` that is not ours, or others could
            write to the directory that all of them are in.
    """
    root = real_path(root)
    check_base(state_dir)
    id_ = ensure_id(root, state_dir)
    outside, inside = places(root, state_dir)
    try:
        make_folder(outside)
        _try_to_write(outside)
    except (OSError, ValueError) as error:
        reason = _reason(error)
    else:
        return StateFolder(outside, root=root, id=id_)
    try:
        make_folder(inside)
        _try_to_write(inside)
    except (OSError, ValueError) as error:
        message = f"The journal can be written neither to {outside} ({reason}) nor to {inside} ({_reason(error)})."
        hint = "Set SUTURE_STATE_DIR to a directory that belongs to you and can be written."
        details = {"path": outside, "inside": inside, "reason": "state_folder"}
        raise PatchRejectedError(
            [Problem("io_error", message, details=details, hint=hint, recoverable=False)]
        ) from error
    return StateFolder(inside, inside=True, root=root, id=id_)


def ensure_id(root: str, state_dir: str | None = None) -> str:
    """The id of the workspace at the real path `root`, given to it if it has none; empty if it can't have one.

    A state directory from before there were ids is kept: its name is the id then.
    """
    if id_ := id_of(root):
        return id_
    by_path = name_by_path(root)
    folder = f"{state_base(state_dir)}/{by_path}"
    is_left = os.path.lexists(f"{folder}/{STORE}") and not os.path.lexists(f"{folder}/{_HAS_ID}")
    id_ = _give_id(root, by_path if is_left else _random_id(root))
    if id_ == by_path:
        os.close(os.open(f"{folder}/{_HAS_ID}", os.O_WRONLY | os.O_CREAT | OWN | NO_LINK, 0o600))
    return id_


def renew_id(folder: StateFolder) -> None:
    """Give a copy of a workspace an id of its own, instead of the one that was copied.

    Raises:
        PatchRejectedError: the attribute can't be changed.
    """
    if _give_id(folder.root, _random_id(folder.root), instead_of=folder.id) in ("", folder.id):
        message = f"{folder.root} is a copy of another workspace, and the id that came with it can't be changed."
        hint = f"Make the directory writable, or remove its extended attribute {ID_ATTRIBUTE}."
        details = {"path": folder.root, "reason": "copied_id"}
        raise PatchRejectedError([Problem("io_error", message, details=details, hint=hint, recoverable=False)])


def state_folders_with_store(root: str, state_dir: str | None = None) -> tuple[StateFolder, ...]:
    """The state directories of a workspace that have a store and can be written, without making any.

    There may be two: the user's own, and the hidden one that a sandboxed process left in the workspace.

    Raises:
        PatchRejectedError: the user's own is in a directory that others could write to.
    """
    folders = []
    root = real_path(root)
    outside, inside = places(root, state_dir)
    if os.path.lexists(f"{outside}/{STORE}"):
        check_base(state_dir)
    # A store from before there were ids gets one.
    id_ = ensure_id(root, state_dir) if os.path.lexists(f"{outside}/{STORE}") else id_of(root)
    outside, inside = places(root, state_dir)
    for folder in (StateFolder(outside, root=root, id=id_), StateFolder(inside, inside=True, root=root, id=id_)):
        try:
            os.lstat(f"{folder.path}/{STORE}")
            _check_ours(folder.path)
            _try_to_write(folder.path, make=False)
        except (OSError, ValueError):
            continue
        folders.append(folder)
    return tuple(folders)


def folder_inside(root: str) -> StateFolder | None:
    """The hidden directory in a workspace, if there is one and it is ours; it may have no store."""
    root = real_path(root)
    inside = f"{root}/{INSIDE}"
    try:
        _check_ours(inside)
    except (OSError, ValueError):
        return None
    return StateFolder(inside, inside=True, root=root, id=id_of(root))


def make_folder(path: str) -> None:
    """Make a state directory and its missing parents, readable by the user alone, and flush their names.

    Raises:
        OSError: it can't be made, or what is there is not ours.
    """
    if os.path.basename(path) == INSIDE:
        _check_modes_are_known(path)
        # Its parent is not made: a workspace that was removed stays so.
        make_private_folder(path, parents=False)
        _check_ours(path)
        _ignore_all(path)
    else:
        make_private_folder(path)
        _close_to_others(path)
        _check_ours(path)
    with suppress(FileExistsError):
        os.mkdir(f"{path}/{LOCKS}", 0o700)


def remove_folder(path: str) -> None:
    """Remove a state directory. The caller holds the locks `all` and `use` exclusively.

    The lock files are removed last, and these two last of all. Until then nobody can hold any of the others, so no lock
    is ever held twice, once under a name that no longer exists.

    Raises:
        OSError: it contains something that is not ours, which is kept.
    """
    for name in (f"{STORE}-wal", f"{STORE}-shm", f"{STORE}-journal", STORE, ".gitignore"):
        with suppress(FileNotFoundError):
            os.unlink(f"{path}/{name}")
    for name in sorted(os.listdir(f"{path}/{LOCKS}"), key=lambda name: (name == ALL, name == IN_USE)):
        os.unlink(f"{path}/{LOCKS}/{name}")
    os.rmdir(f"{path}/{LOCKS}")
    os.rmdir(path)


def state_base(state_dir: str | None = None) -> str:
    """The directory that the state directories of all workspaces are in."""
    base = state_dir or os.environ.get("SUTURE_STATE_DIR")
    if not base:
        home = os.environ.get("XDG_STATE_HOME", "")
        # A relative one has to be ignored: https://specifications.freedesktop.org/basedir-spec/
        base = f"{home}/suture" if os.path.isabs(home) else _DEFAULT_BASE
    return absolute_path(os.path.expanduser(os.path.expandvars(base) if base == _DEFAULT_BASE else base))


def check_base(state_dir: str | None = None) -> None:
    """Refuse to use the directory that all state directories are in if others could put their own there.

    Raises:
        PatchRejectedError: it belongs to another user, or others can write to it.
    """
    base = state_base(state_dir)
    try:
        check_private_folders(base, base)
    except UnsafeStateError as error:
        raise PatchRejectedError([_unsafe(base, error)]) from error
    except (OSError, ValueError):
        return  # it is missing, or can't be used: whoever uses it says so


def _unsafe(base: str, error: UnsafeStateError) -> Problem:
    """The problem of a state directory that others could write to."""
    message = f"The state is not kept in {base}: {error.strerror}."
    hint = f"Make it yours alone (chmod go-w {base}), or set SUTURE_STATE_DIR to a directory of yours."
    details = {"path": base, "reason": "state_folder"}
    return Problem("io_error", message, base, details=details, hint=hint, recoverable=False)


def places(root: str, state_dir: str | None) -> tuple[str, str]:
    """Where the state of a workspace may be: outside of it, and inside."""
    real = real_path(root)
    return f"{state_base(state_dir)}/{id_of(real) or name_by_path(real)}", f"{real}/{INSIDE}"


def approvals_base() -> str:
    """The directory that the requests for approval of all workspaces are in."""
    return f"{state_base()}/approvals"


def approvals_path(root: str) -> str:
    """The directory of the requests for approval of a workspace, for other processes of the user to answer.

    It is found by the path, because a workspace may get its id while processes wait.
    """
    return f"{approvals_base()}/{name_by_path(real_path(root))}"


def remove_idle_folders(base: str, seconds: float, now: float) -> None:
    """Remove the directories in `base` in which there are only files, and none that was written for so long."""
    with suppress(OSError), os.scandir(base) as folders:
        for folder in folders:
            if not folder.is_dir(follow_symlinks=False):
                continue
            with suppress(OSError):
                with os.scandir(folder.path) as entries:
                    files = [(entry.path, entry.stat(follow_symlinks=False)) for entry in entries]
                newest = max([status.st_mtime for _, status in files], default=folder.stat().st_mtime)
                if newest < now - seconds and all(stat.S_ISREG(status.st_mode) for _, status in files):
                    for path, _ in files:
                        os.unlink(path)
                    os.rmdir(folder.path)


def id_of(root: str) -> str:
    """The id of the workspace at `root`; empty if it has none."""
    # Neither Windows nor macOS has them.
    read_attribute = getattr(os, "getxattr", None)
    if read_attribute is None:
        return ""
    try:
        value = read_attribute(root, ID_ATTRIBUTE).decode("ascii", "replace")
    except OSError:
        return ""
    return value if _is_id(value) else ""


def _is_id(text: str) -> bool:
    """Whether a text is an id as they are made here. It can come with an archive, and is the name of a directory.

    So it is neither a hidden name nor that of anything else in the directory of all states, such as the approvals.
    """
    end = text[-_ID_DIGITS - 1 :]
    is_made = len(end) > _ID_DIGITS and end[0] == "-" and _HEX_DIGITS.issuperset(end[1:])
    return is_made and len(text) <= LONGEST_WORKSPACE_ID and text[0] != "." and _ID_CHARACTERS.issuperset(text)


def _give_id(root: str, new: str, *, instead_of: str = "") -> str:
    """Give the workspace at `root` the id `new`; return the id that it has then.

    If another process was quicker, that is the other one; if it can't have an id, it is empty.
    """
    set_attribute = getattr(os, "setxattr", None)
    if set_attribute is None:
        return ""
    try:
        descriptor = open_folder(root)
    except OSError:
        return ""
    try:
        wait_for_lock(descriptor)
        now = id_of(root)
        if now != instead_of:
            return now
        set_attribute(descriptor, ID_ATTRIBUTE, new.encode("ascii"))
    except OSError:
        return ""
    finally:
        os.close(descriptor)
    return new


def name_by_path(root: str) -> str:
    """The name of the directory that belongs to the real path of a workspace."""
    return f"{_plain_name(root)}-{fingerprint(os.fsencode(root))[:_ID_DIGITS]}"


def _plain_name(root: str) -> str:
    name = "".join(c if c.isascii() and (c.isalnum() or c in "._-") else "_" for c in os.path.basename(root))[:40]
    return name or "root"


def _random_id(root: str) -> str:
    return f"{_plain_name(root).replace('.', '_', 1)}-{os.urandom(_ID_DIGITS // 2).hex()}"


def _check_ours(path: str) -> None:
    """Refuse a directory that came with the files of the workspace or from another user.

    Ours is a real directory, belongs to this user and is closed to everybody else. A clone makes its directories with
    the modes of the umask, so a journal that somebody has put into a repository is not read. Windows has no modes that
    tell the two apart, so the hidden directory in a workspace is never ours there.
    """
    _check_modes_are_known(path)
    status = os.lstat(path)
    if not stat.S_ISDIR(status.st_mode):
        raise NotADirectoryError(errno.ENOTDIR, "it is not a directory", path)
    if not is_mine(status):
        raise PermissionError(errno.EPERM, "it belongs to another user", path)
    if is_open_to_others(status, 0o077):
        raise PermissionError(errno.EPERM, "others have access to it, so it was not made by Suture; move it away", path)
    with os.scandir(path) as entries:
        for entry in entries:
            if entry.is_symlink():
                # An archive keeps modes. The target of a link would be locked, written and removed as if it were ours.
                raise PermissionError(errno.EPERM, "it contains a symbolic link; move it away", entry.path)


def _check_modes_are_known(path: str) -> None:
    if WINDOWS and os.path.basename(path) == INSIDE:
        raise PermissionError(errno.EPERM, "on Windows it could have come with the files of the workspace", path)


def _close_to_others(path: str) -> None:
    status = os.lstat(path)
    if stat.S_ISDIR(status.st_mode) and is_mine(status) and is_open_to_others(status, 0o077):
        os.chmod(path, 0o700)


def _ignore_all(path: str) -> None:
    """Make git ignore everything in the hidden directory."""
    try:
        descriptor = os.open(f"{path}/.gitignore", NEW_FILE, 0o600)
    except FileExistsError:
        return
    try:
        os.write(descriptor, b"*\n")
    finally:
        os.close(descriptor)


def _try_to_write(path: str, *, make: bool = True) -> None:
    """Open a file for writing: a sandbox may refuse that although the modes, which `access` checks, allow it."""
    flags = os.O_RDWR | OWN | NO_LINK | (os.O_CREAT if make else 0)
    os.close(os.open(f"{path}/{LOCKS}/{IN_USE}", flags, 0o600))


def _reason(error: OSError | ValueError) -> str:
    return (isinstance(error, OSError) and error.strerror) or str(error)
