"""Where the state of a workspace lives: its journal, its history and its locks.

That is a folder of the user outside the workspace, so that the workspace stays clean; where none can be written there,
as in a sandbox that allows nothing else, it is the hidden folder `.suture` of the workspace. Nothing but these folders
is made here, and only once a caller needs them. A folder that somebody else made is never taken for ours: a journal
that came with a clone or from another user would have recovery write what they chose.

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

#: The hidden folder of a workspace whose user has no state folder that can be written.
INSIDE = ".suture"
#: The journal and the history, in a state folder.
STORE = "store.db"
#: The folder of the lock files, in a state folder.
LOCKS = "locks"
#: Held shared by everybody who has the store open, and exclusively by who takes the folder away.
IN_USE = "use"
#: Held shared by every commit.
ALL = "all"


class StateFolder(Value):
    """The state folder of one workspace."""

    path: str
    #: Whether it is the hidden folder of the workspace itself.
    inside: bool = False


def state_folder(root: str, given: str | None = None) -> StateFolder:
    """The state folder of the workspace at `root`, made where it is missing.

    It is a folder of its own for each workspace, below `given`, `$SUTURE_STATE_DIR`, `$XDG_STATE_HOME/suture` or
    `~/.local/state/suture`, the first that there is; where that can't be made or written, `.suture` in the workspace.

    Raises:
        PatchRejectedError: neither can be made, or the workspace has a `.suture` that is not ours.
    """
    outside, inside = places(root, given)
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
        message = (
            f"No folder for the journal can be written: not {outside} ({reason}), not {inside} ({_reason(error)})."
        )
        hint = "Set SUTURE_STATE_DIR to a folder that belongs to you and can be written."
        details = {"path": outside, "inside": inside, "reason": "state_folder"}
        raise PatchRejectedError(
            [Problem("io_error", message, details=details, hint=hint, recoverable=False)]
        ) from error
    return StateFolder(inside, inside=True)


def state_folders_with_store(root: str, given: str | None = None) -> tuple[StateFolder, ...]:
    """The state folders of a workspace that hold a store and can be written, without making any.

    There may be two: the user's own, and the hidden one that a process in a sandbox has left behind.
    """
    found = []
    outside, inside = places(root, given)
    for folder in (StateFolder(outside), StateFolder(inside, inside=True)):
        try:
            os.lstat(f"{folder.path}/{STORE}")
            _check_ours(folder.path)
            _try_to_write(folder.path, make=False)
        except (OSError, ValueError):
            continue
        found.append(folder)
    return tuple(found)


def folder_inside(root: str) -> StateFolder | None:
    """The hidden folder of a workspace, if there is one and it is ours; it may be without a store."""
    inside = os.path.join(os.path.realpath(root), INSIDE)
    try:
        _check_ours(inside)
    except (OSError, ValueError):
        return None
    return StateFolder(inside, inside=True)


def make_folder(path: str) -> None:
    """Make a state folder with all that is missing above it, readable by the user alone, and flush its names.

    Raises:
        OSError: it can't be made, or what stands there is not ours.
    """
    missing = []
    folder = path
    while not os.path.lexists(folder):
        missing.append(folder)
        folder = os.path.dirname(folder)
        if os.path.basename(path) == INSIDE:
            break  # a workspace that is gone is not made again
    for folder in reversed(missing):
        try:
            os.mkdir(folder, 0o700)
        except FileExistsError:
            continue  # another process was faster
        # Made once for each workspace, so it is flushed at any durability: a store that is flushed later on is lost
        # with a name above it that never was.
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
    """Take a state folder away. The caller holds `all` and `use` exclusively.

    The locks go last, and these two last of all: until then nobody else can hold any other of them, so that none is
    held by two, one of them under a name that is gone.

    Raises:
        OSError: there is something in it that is not ours, which stays.
    """
    for name in (f"{STORE}-wal", f"{STORE}-shm", f"{STORE}-journal", STORE, ".gitignore"):
        with suppress(FileNotFoundError):
            os.unlink(f"{path}/{name}")
    for name in sorted(os.listdir(f"{path}/{LOCKS}"), key=lambda name: (name == ALL, name == IN_USE)):
        os.unlink(f"{path}/{LOCKS}/{name}")
    os.rmdir(f"{path}/{LOCKS}")
    os.rmdir(path)


def places(root: str, given: str | None) -> tuple[str, str]:
    """Where the state of a workspace may live: outside of it, and inside."""
    base = given or os.environ.get("SUTURE_STATE_DIR")
    if not base:
        home = os.environ.get("XDG_STATE_HOME", "")
        # A relative one has to be ignored: https://specifications.freedesktop.org/basedir-spec/
        base = f"{home}/suture" if os.path.isabs(home) else "~/.local/state/suture"
    real = os.path.realpath(root)
    name = "".join(c if c.isascii() and (c.isalnum() or c in "._-") else "_" for c in os.path.basename(real))[:40]
    digest = fingerprint(os.fsencode(real))[:16]
    outside = os.path.join(os.path.abspath(os.path.expanduser(base)), f"{name or 'root'}-{digest}")
    return outside, os.path.join(real, INSIDE)


def _check_ours(path: str) -> None:
    """Refuse a folder that came with the files of the workspace or from another user.

    Ours is a real folder, belongs to this user and is open to nobody else. A clone makes its folders with the modes of
    the umask, so that a journal which somebody has put into a repository is not read.
    """
    found = os.lstat(path)
    if not stat.S_ISDIR(found.st_mode):
        raise NotADirectoryError(errno.ENOTDIR, "it is no folder", path)
    if found.st_uid != os.geteuid():
        raise PermissionError(errno.EPERM, "it belongs to another user", path)
    if found.st_mode & 0o077:
        raise PermissionError(errno.EPERM, "it is open to others, so it was not made by Suture; move it away", path)
    with os.scandir(path) as entries:
        for entry in entries:
            if entry.is_symlink():
                # An archive keeps modes. What is behind a link would be locked, written and removed as if it were ours.
                raise PermissionError(errno.EPERM, "there is a symbolic link in it; move it away", entry.path)


def _close_to_others(path: str) -> None:
    found = os.lstat(path)
    if stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and found.st_mode & 0o077:
        os.chmod(path, 0o700)


def _ignore_all(path: str) -> None:
    """Keep git from ever seeing what is in the hidden folder."""
    try:
        descriptor = os.open(f"{path}/.gitignore", os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except FileExistsError:
        return
    try:
        os.write(descriptor, b"*\n")
    finally:
        os.close(descriptor)


def _try_to_write(path: str, *, make: bool = True) -> None:
    """Open a file for writing: a sandbox refuses that although the modes, which `access` reads, would allow it."""
    flags = os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW | (os.O_CREAT if make else 0)
    os.close(os.open(f"{path}/{LOCKS}/{IN_USE}", flags, 0o600))


def _reason(error: OSError | ValueError) -> str:
    return (isinstance(error, OSError) and error.strerror) or str(error)
