"""The state of a workspace in one directory: its store, its locks and its trash; or in memory."""

from __future__ import annotations

from contextlib import contextmanager
from time import time

from ..core.fork_lock import ForkLock
from ..core.problems import PatchRejectedError, Problem
from .locks import Locks
from .store import Store, leave_no_trace
from .trash import commits, drop, put, trash_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from contextlib import AbstractContextManager

    from ..core.record import Entry
    from .state_folder import StateFolder
    from .store import Durability

#: The fewest seconds that are waited for the store, whatever the limit for files is.
LEAST_PATIENCE = 1.0


class StateHandle:
    """One state directory, open: its store, its locks, its trash. Without a directory, everything is in memory."""

    def __init__(
        self,
        folder: StateFolder | None,
        durability: Durability,
        watch: Callable[[str, str], object] | None,
        lock_timeout: float,
    ) -> None:
        self.folder = folder
        #: Whether it is inside the workspace, where it may have come with the files.
        self.is_inside = folder is not None and folder.inside
        path = None if folder is None else folder.path
        # Commits of other files use the store as well, for moments. Not to wait at all would refuse good edits.
        patience = max(lock_timeout, LEAST_PATIENCE)
        self.store: Store = Store(path, durability=durability, watch=watch, home=folder, patience=patience)
        self.locks: Locks | MemoryLocks
        if folder is None:
            self.locks = MemoryLocks()
        else:
            self.locks = Locks(folder.path)

    def trash_path(self, commit: str, display_path: str) -> str:
        """Where the copy of a deleted file goes; empty without a disk."""
        return "" if self.folder is None else trash_path(self.folder.path, commit, display_path)

    def put_in_trash(self, path: str, content: bytes) -> None:
        """Write the copy of a deleted file there.

        Raises:
            OSError: it can't be written.
        """
        put(path, content)

    def drop_trash(self, commit: str) -> None:
        """Remove the copies of a commit that was rolled back."""
        if self.folder is not None:
            drop(self.folder.path, commit)

    def prune(self, keep_seconds: float | None, keep_bytes: int | None) -> int:
        """Forget old commits and their trash; return how many."""
        pruned = self.store.prune(keep_seconds, keep_bytes, time())
        if pruned and self.folder is not None:
            for commit in commits(self.folder.path):
                if self.store.entry(commit) is None:
                    drop(self.folder.path, commit)
        return pruned

    def leave_no_trace(self) -> None:
        """Remove a state directory inside the workspace if no commit is recorded in it."""
        if self.is_inside and self.folder is not None:
            self.store.close()
            leave_no_trace(self.folder)

    def unfinished(self, paths: frozenset[str]) -> list[Entry]:
        """The unfinished commits of these paths."""
        entries = self.store.unfinished(whole=False)
        return [entry for entry in entries if any(record.path in paths for record in entry.files)]

    def close(self, *, exiting: bool) -> None:
        """Close the store; `exiting` skips the work that the next process can do as well."""
        if exiting and not self.is_inside:
            self.store.leave()
        else:
            self.store.close()
            self.leave_no_trace()


class MemoryLocks:
    """One lock for all files of a workspace in memory, which only the threads of this process can reach."""

    def __init__(self) -> None:
        self._lock = ForkLock()

    @contextmanager
    def hold(self, paths: Iterable[str], *, timeout: float, holder: str) -> Iterator[None]:  # noqa: ARG002 - as of Locks
        """A context in which nobody else holds anything."""
        # Not even the thread that holds them gets them twice: it would take its own commit for one that was cut short.
        if self._lock.is_mine() or not self._lock.acquire(timeout=max(timeout, 0)):
            message = f"Another thread has held the files for longer than {timeout:.3g} seconds."
            raise PatchRejectedError([Problem("locked", message, hint="Try the same edit again a little later.")])
        try:
            yield
        finally:
            self._lock.release()

    def try_hold(self, paths: Iterable[str], holder: str) -> AbstractContextManager[None] | None:  # noqa: ARG002
        """The same context, already entered, or None if somebody holds something."""
        is_free = not self._lock.is_mine() and self._lock.acquire(blocking=False)
        return _LockContext(self._lock) if is_free else None


class _LockContext:
    """A lock that is held until the context ends."""

    def __init__(self, lock: ForkLock) -> None:
        self._lock = lock

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        self._lock.release()
