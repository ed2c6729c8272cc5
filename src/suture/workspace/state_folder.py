"""Where the state of a workspace is: its journal, its history and its locks.

It is a directory of the user outside the workspace, so that the workspace stays clean. If none can be written there, as
in a sandbox that only allows the workspace, it is the hidden directory `.suture` in the workspace. Only these
directories are made here, and only when they are needed. A directory that somebody else made is never used: recovery
would write whatever a journal says that came with a clone or from another user.

Read from the environment: `SUTURE_STATE_DIR`, `XDG_STATE_HOME` and `HOME`.
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress

from ..core.problems import PatchRejectedError, Problem
from ..core.value import Value
from .fingerprint import fingerprint
from .flush import flush_folder

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


class StateFolder(Value):
    """The state directory of one workspace."""

    path: str
    #: Whether it is the hidden directory in the workspace.
    inside: bool = False


def state_folder(root: str, state_dir: str | None = None) -> StateFolder:
    """The state directory of the workspace at `root`, made if it is missing.

    Each workspace has its own, below the first of these that is set: `state_dir`, `$SUTURE_STATE_DIR`,
    `$XDG_STATE_HOME/suture`, `~/.local/state/suture`. If that can't be written, it is `.suture` in the workspace.

    Raises:
        PatchRejectedError: neither can be made, or the workspace has a `.suture` that is not ours.
    """
    outside, inside = places(root, state_dir)
    try:
        make_folder(outside)
        _try_to_write(outside)
    except (OSError, ValueError) as error:
        reason = _reason(error)
    else:
        return StateFolder(outside)
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
    return StateFolder(inside, inside=True)


def state_folders_with_store(root: str, state_dir: str | None = None) -> tuple[StateFolder, ...]:
    """The state directories of a workspace that have a store and can be written, without making any.

    There may be two: the user's own, and the hidden one that a sandboxed process left in the workspace.
    """
    folders = []
    outside, inside = places(root, state_dir)
    for folder in (StateFolder(outside), StateFolder(inside, inside=True)):
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
    inside = os.path.join(os.path.realpath(root), INSIDE)
    try:
        _check_ours(inside)
    except (OSError, ValueError):
        return None
    return StateFolder(inside, inside=True)


def make_folder(path: str) -> None:
    """Make a state directory and its missing parents, readable by the user alone, and flush their names.

    Raises:
        OSError: it can't be made, or what is there is not ours.
    """
    missing = []
    folder = path
    while not os.path.lexists(folder):
        missing.append(folder)
        folder = os.path.dirname(folder)
        if os.path.basename(path) == INSIDE:
            break  # a workspace that was removed is not made again
    for folder in reversed(missing):
        try:
            os.mkdir(folder, 0o700)
        except FileExistsError:
            continue  # another process was faster
        # This happens once for each workspace, so it is flushed at any durability: without its directory, a store that
        # is flushed later would be lost.
        flush_folder(os.path.dirname(folder))
    if os.path.basename(path) == INSIDE:
        _check_ours(path)
        _ignore_all(path)
    else:
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
        base = f"{home}/suture" if os.path.isabs(home) else "~/.local/state/suture"
    return os.path.abspath(os.path.expanduser(base))


def places(root: str, state_dir: str | None) -> tuple[str, str]:
    """Where the state of a workspace may be: outside of it, and inside."""
    base = state_base(state_dir)
    real = os.path.realpath(root)
    name = "".join(c if c.isascii() and (c.isalnum() or c in "._-") else "_" for c in os.path.basename(real))[:40]
    digest = fingerprint(os.fsencode(real))[:16]
    outside = os.path.join(base, f"{name or 'root'}-{digest}")
    return outside, os.path.join(real, INSIDE)


def approvals_path(root: str) -> str:
    """The directory of the requests for approval of a workspace, for other processes of the user to answer."""
    outside, _ = places(root, None)
    return os.path.join(os.path.dirname(outside), "approvals", os.path.basename(outside))


def _check_ours(path: str) -> None:
    """Refuse a directory that came with the files of the workspace or from another user.

    Ours is a real directory, belongs to this user and is closed to everybody else. A clone makes its directories with
    the modes of the umask, so a journal that somebody has put into a repository is not read.
    """
    status = os.lstat(path)
    if not stat.S_ISDIR(status.st_mode):
        raise NotADirectoryError(errno.ENOTDIR, "it is not a directory", path)
    if status.st_uid != os.geteuid():
        raise PermissionError(errno.EPERM, "it belongs to another user", path)
    if status.st_mode & 0o077:
        raise PermissionError(errno.EPERM, "others have access to it, so it was not made by Suture; move it away", path)
    with os.scandir(path) as entries:
        for entry in entries:
            if entry.is_symlink():
                # An archive keeps modes. The target of a link would be locked, written and removed as if it were ours.
                raise PermissionError(errno.EPERM, "it contains a symbolic link; move it away", entry.path)


def _close_to_others(path: str) -> None:
    status = os.lstat(path)
    if stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid() and status.st_mode & 0o077:
        os.chmod(path, 0o700)


def _ignore_all(path: str) -> None:
    """Make git ignore everything in the hidden directory."""
    try:
        descriptor = os.open(f"{path}/.gitignore", os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except FileExistsError:
        return
    try:
        os.write(descriptor, b"*\n")
    finally:
        os.close(descriptor)


def _try_to_write(path: str, *, make: bool = True) -> None:
    """Open a file for writing: a sandbox may refuse that although the modes, which `access` checks, allow it."""
    flags = os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW | (os.O_CREAT if make else 0)
    os.close(os.open(f"{path}/{LOCKS}/{IN_USE}", flags, 0o600))


def _reason(error: OSError | ValueError) -> str:
    return (isinstance(error, OSError) and error.strerror) or str(error)
