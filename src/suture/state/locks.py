"""Locks between threads and processes: commits that share a file exclude one another, others run in parallel.

A path belongs to one of 1,024 stripes, each a file in the state directory that `flock` locks. A commit holds `all`
shared and its stripes exclusively, taken in ascending order, so that no two commits can deadlock. A commit with very
many stripes holds `all` exclusively instead, so that it needs no more descriptors than others. The kernel releases the
locks of a process that dies, so there are no stale locks. A lock belongs to an open file, not to a process: threads
exclude one another like processes, an `exec` closes it, and so does our hook in the child of a fork.

Holds must not be nested: holding one while waiting for another breaks the order that prevents deadlocks.
"""

from __future__ import annotations

import os
import time
from _thread import RLock
from binascii import crc32
from contextlib import suppress

from ..core.display import blank_out
from ..core.paths import same_name
from ..core.problems import PatchRejectedError, Problem
from ..core.regular_files import open_regular
from ..core.system import NO_LINK, OWN, WINDOWS, at_fork
from ..core.system_errors import hint_of
from ..core.value import Value
from .state_folder import ALL, LOCKS, make_folder
from .state_limits import LONGEST_LATER_PAUSE, LONGEST_LOCK_PAUSE
from .system_locks import EXCLUSIVE, SHARED, lock as lock_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

STRIPES = 1024
#: From this many stripes on, a commit holds all of them by one lock.
EVERYTHING_FROM = 101

#: Held by a commit that waits for `all`. Later commits wait for it, or small ones could keep a large one out.
_NEXT = "next"

#: Seconds between the first two attempts to take a lock.
_PAUSE = 0.0005

#: The length of what a holder writes into its lock file, so that it overwrites the text of the one before.
_RECORD = 160


class Flock:
    """One lock file, open and locked."""

    __slots__ = ("_descriptor",)

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def note(self, text: str) -> None:
        """Write the name of the holder into the file."""
        record = text.encode("utf-8", "replace")[:_RECORD].ljust(_RECORD)
        # It is only information for people: a full disk must not prevent a lock.
        with suppress(OSError):
            os.lseek(self._descriptor, 0, os.SEEK_SET)
            os.write(self._descriptor, record)

    def release(self) -> None:
        """Release the lock. Doing it again does nothing, nor does it in the child of a fork."""
        with _guard:
            if self in _open:
                _open.discard(self)
                os.close(self._descriptor)


#: Held while a descriptor is opened or closed together with its entry in `_open`, and during a fork: so the child knows
#: every lock that it inherited, and closes nothing else.
_guard = RLock()
_open: set[Flock] = set()


def _after_fork_in_child() -> None:
    """Close the locks of the parent in the child. The parent still has them open, so they stay locked."""
    global _guard  # noqa: PLW0603 - threads of the parent may have held it, and the child doesn't have them
    while _open:
        os.close(_open.pop()._descriptor)  # noqa: SLF001 - of the same module
    _guard = RLock()


def _before_fork() -> None:
    _guard.acquire()


def _after_fork_in_parent() -> None:
    _guard.release()


at_fork(before=_before_fork, after_in_parent=_after_fork_in_parent, after_in_child=_after_fork_in_child)


def take(folder: str, name: str, how: int) -> Flock | None:
    """The lock file of that name in a state directory, locked, or None if somebody else holds it.

    The directory is made again if it was removed. A file that is removed between opening and locking it is not a lock:
    the next process makes another with that name.
    """
    path = f"{folder}/{LOCKS}/{name}"
    while True:
        lock = _open_lock(folder, path)
        kept = False
        try:
            lock_file(lock._descriptor, how)  # noqa: SLF001 - of the same module
            kept = os.fstat(lock._descriptor).st_nlink > 0  # noqa: SLF001
            if kept:
                return lock
        except BlockingIOError:
            return None
        finally:
            if not kept:
                lock.release()


def _open_lock(folder: str, path: str) -> Flock:
    flags = os.O_RDWR | os.O_CREAT | OWN | NO_LINK
    attempts = 5
    while True:
        try:
            if attempts < 5:
                make_folder(folder)
            with _guard:
                lock = Flock(os.open(path, flags, 0o600))
                _open.add(lock)
                return lock
        except FileNotFoundError:
            # The directory was removed, perhaps while we made it again.
            attempts -= 1
            if not attempts:
                raise


def wait_for(attempt: Callable[[], Flock | None], deadline: float) -> Flock | None:
    """The lock that `attempt` returns, or None once the deadline has passed.

    The only way to wait for a lock for a limited time is to try again and again.
    """
    pause = _PAUSE
    quick_until = time.monotonic() + 1
    while (lock := attempt()) is None:
        now = time.monotonic()
        if now >= deadline:
            return None
        time.sleep(min(pause, deadline - now))
        pause = min(pause * 1.5, LONGEST_LOCK_PAUSE if now < quick_until else LONGEST_LATER_PAUSE)
    return lock


class Holder(Value):
    """Who holds a lock, according to its file."""

    name: str
    pid: int
    since: float

    def __str__(self) -> str:
        process = "this process" if self.pid == os.getpid() else f"process {self.pid}"
        since = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(self.since))
        return f"{self.name or 'somebody'} ({process}, since {since})"


class Locks:
    """The locks of one workspace, in its state directory."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def hold(self, paths: Iterable[str], *, timeout: float, holder: str) -> Hold:
        """A context in which nobody else holds any of these paths.

        Entering it raises PatchRejectedError with the problem `locked` if they are not free within `timeout` seconds.
        `holder` is the name that is reported to those who wait.
        """
        return Hold(self._folder, paths, timeout, holder)

    def try_hold(self, paths: Iterable[str], holder: str) -> Hold | None:
        """The same context, already entered, or None if somebody holds one of the paths."""
        hold = Hold(self._folder, paths, 0, holder)
        return hold if hold.acquire() is None else None


class Hold:
    """A context manager that holds some paths."""

    __slots__ = ("_folder", "_holder", "_locks", "_paths", "_timeout")

    def __init__(self, folder: str, paths: Iterable[str], timeout: float, holder: str) -> None:
        self._folder = folder
        self._timeout = timeout
        self._holder = holder
        self._locks: list[Flock] = []
        #: One path for each stripe, for the message.
        self._paths: dict[int, str] = {}
        for path in paths:
            self._paths.setdefault(stripe_of(path), path)

    def __enter__(self) -> None:
        if self._locks or not self._paths:
            return  # try_hold has entered it, or there is nothing to hold
        started = time.monotonic()
        blocked = self.acquire()
        if blocked is not None:
            path, names = blocked
            raise PatchRejectedError([_locked(path, self._find_holder(names), time.monotonic() - started)])

    def __exit__(self, *_: object) -> None:
        self.release()

    def __del__(self) -> None:
        self.release()

    def release(self) -> None:
        """Release everything."""
        while self._locks:
            self._locks.pop().release()

    def acquire(self) -> tuple[str, Iterable[str]] | None:
        """Hold everything and return None, or hold nothing and return the path and the lock files that are taken."""
        deadline = time.monotonic() + self._timeout
        held = False
        try:
            blocked = self._hold_all(deadline) if len(self._paths) >= EVERYTHING_FROM else self._hold_each(deadline)
            held = blocked is None
        except OSError as error:
            raise PatchRejectedError([_unlockable(self._folder, error)]) from error
        finally:
            if not held:
                self.release()
        return blocked

    def _hold_each(self, deadline: float) -> tuple[str, Iterable[str]] | None:
        """Take the lock of each path, in order; None, or the path and the locks that were not free in time."""
        if not self._paths:
            return None
        note = _note(self._holder)
        lock = wait_for(self._share, deadline)
        if lock is None:
            return min(self._paths.values()), (ALL, _NEXT)
        self._locks.append(lock)
        for stripe in sorted(self._paths):
            name = f"{stripe:03x}"
            lock = self._wait(name, deadline)
            if lock is None:
                return self._paths[stripe], (name,)
            self._locks.append(lock)
            lock.note(note)
        return None

    def _hold_all(self, deadline: float) -> tuple[str, Iterable[str]] | None:
        """Take the lock of all paths; None, or a path and the locks that were not free in time."""
        note = _note(self._holder)
        following = self._wait(_NEXT, deadline)
        if following is None:
            return min(self._paths.values()), (_NEXT,)
        try:
            following.note(note)
            lock = self._wait(ALL, deadline)
        finally:
            self._give_up_turn(following)
        if lock is None:
            stripes = (f"{stripe:03x}" for stripe in range(STRIPES))
            return min(self._paths.values()), (ALL, *stripes)
        self._locks.append(lock)
        lock.note(note)
        return None

    def _share(self) -> Flock | None:
        """The lock `all`, shared, unless somebody waits for it exclusively."""
        if os.path.exists(f"{self._folder}/{LOCKS}/{_NEXT}"):
            abandoned = take(self._folder, _NEXT, EXCLUSIVE)
            if abandoned is None:
                return None
            self._give_up_turn(abandoned)  # the process that waited is dead
        return take(self._folder, ALL, SHARED)

    def _wait(self, name: str, deadline: float) -> Flock | None:
        return wait_for(lambda: take(self._folder, name, EXCLUSIVE), deadline)

    def _give_up_turn(self, following: Flock) -> None:
        """Let later commits pass. The file is removed, so that a commit usually does not have to open it."""
        path = f"{self._folder}/{LOCKS}/{_NEXT}"
        if WINDOWS:
            # A file that somebody has open can't be removed. If another commit is waiting by now, it does that.
            following.release()
            with suppress(OSError):
                os.unlink(path)
            return
        try:
            with suppress(FileNotFoundError):  # the whole directory may have been removed
                os.unlink(path)
        finally:
            following.release()

    def _find_holder(self, names: Iterable[str]) -> Holder | None:
        """Who holds one of these lock files, or None if none is held any more or nothing can be read."""
        for name in names:
            path = f"{self._folder}/{LOCKS}/{name}"
            if not os.path.exists(path):
                continue
            lock = take(self._folder, name, SHARED)
            if lock is not None:
                lock.release()
                continue
            try:
                descriptor = open_regular(path)
                try:
                    pid, since, who = os.read(descriptor, _RECORD).decode("utf-8", "replace").split(" ", 2)
                    start = float(since)
                    return Holder(who.strip(), int(pid), start if 0 < start < 1e11 else 0)
                finally:
                    os.close(descriptor)
            except (OSError, ValueError):
                return None
        return None


def stripe_of(path: str) -> int:
    """The stripe of a path: the same for all names that a file system may treat as equal."""
    return crc32(same_name(path).encode("utf-8", "surrogatepass")) % STRIPES


def _note(holder: str) -> str:
    return f"{os.getpid()} {time.time():.3f} {blank_out(holder[:80])}"


def _locked(path: str, holder: Holder | None, waited: float) -> Problem:
    who = str(holder) if holder else "another process"
    details: dict[str, object] = {"path": path, "waited": round(waited, 3)}
    if holder is not None:
        details |= {"holder": holder.name, "pid": holder.pid, "since": holder.since}
    message = f"{path} is locked by {who}; it was not released within {waited:.1f} s."
    return Problem("locked", message, path=path, details=details, hint="Try the same edit again a little later.")


def _unlockable(folder: str, error: OSError) -> Problem:
    message = f"The lock files in {folder}/{LOCKS} can't be used: {error.strerror or error}."
    hint = hint_of(error, "Set SUTURE_STATE_DIR to a writable directory on a local disk.")
    details = {"path": f"{folder}/{LOCKS}", "reason": "locks"}
    return Problem("io_error", message, details=details, hint=hint, recoverable=False)
