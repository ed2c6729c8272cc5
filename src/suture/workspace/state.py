"""What a workspace has open of its state: the store, the locks, the trash; in memory where there is no disk."""

from __future__ import annotations

from contextlib import contextmanager
from time import time

from ..core.problems import PatchRejectedError, Problem
from . import trash

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from contextlib import AbstractContextManager
    from threading import Lock
    from typing import Literal

    from .files import Watch
    from .locks import Locks
    from .state_folder import StateFolder
    from .store import Store


class WorkspaceState:
    """The state of one workspace: a folder on the disk, or nothing but memory."""

    def __init__(self, folder: StateFolder | None, durability: Literal["full", "process"], watch: Watch | None) -> None:
        from .store import Store

        self.folder = folder
        self.store: Store = Store(None if folder is None else folder.path, durability=durability, watch=watch)
        self.locks: Locks | MemoryLocks
        if folder is None:
            self.locks = MemoryLocks()
        else:
            from .locks import Locks

            self.locks = Locks(folder.path)

    @property
    def is_inside(self) -> bool:
        """Whether it lies in the workspace itself, where it may have come with the files."""
        return self.folder is not None and self.folder.inside

    def trash_path(self, commit: str, shown: str) -> str:
        """Where the copy of a deleted file will lie; nowhere, where there is no disk."""
        return "" if self.folder is None else trash.trash_path(self.folder.path, commit, shown)

    def drop_trash(self, commit: str) -> None:
        """Remove the copies of a commit that was rolled back."""
        if self.folder is not None:
            trash.drop(self.folder.path, commit)

    def prune(self, keep_seconds: float | None, keep_bytes: int | None) -> int:
        """Forget old commits, and their trash."""
        pruned = self.store.prune(keep_seconds, keep_bytes, time())
        if pruned and self.folder is not None:
            for commit in trash.kept(self.folder.path):
                if self.store.entry(commit) is None:
                    trash.drop(self.folder.path, commit)
        return pruned

    def leave_no_trace(self) -> None:
        """Remove a state folder inside the workspace once nothing is recorded in it."""
        if self.folder is not None and self.folder.inside:
            from .store import leave_no_trace

            self.store.close()
            leave_no_trace(self.folder)


class MemoryLocks:
    """One lock for all files of a workspace in memory, which only the threads of this process can reach."""

    def __init__(self) -> None:
        from threading import Lock

        self._lock = Lock()

    @contextmanager
    def hold(self, paths: Iterable[str], *, timeout: float, holder: str) -> Iterator[None]:  # noqa: ARG002 - as of Locks
        """A context in which nobody else holds anything."""
        if not self._lock.acquire(timeout=max(timeout, 0)):
            message = f"The files are held by another thread, for longer than {timeout:g} seconds."
            raise PatchRejectedError([Problem("locked", message, hint="Send the same edit again a little later.")])
        try:
            yield
        finally:
            self._lock.release()

    def try_hold(self, paths: Iterable[str], holder: str) -> AbstractContextManager[None] | None:  # noqa: ARG002
        """The same, held already, or None where somebody holds something."""
        return _Held(self._lock) if self._lock.acquire(blocking=False) else None


class _Held:
    """A lock that is held until the context ends."""

    def __init__(self, lock: Lock) -> None:
        self._lock = lock

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        self._lock.release()
