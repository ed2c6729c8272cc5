"""The lock that all of Suture uses: in the child of a fork it is free, unless the thread that forked holds it.

A child has only the thread that forked. A lock that another thread held at that moment would stay locked for ever. The
same is true for the locks of modules: names here are imported when they are first used, so a fork waits for the imports
of other threads.
"""

from __future__ import annotations

import sys
from _thread import RLock, get_ident
from contextlib import suppress
from weakref import ref

from .system import at_fork


class ForkLock:
    """A reentrant lock that survives a fork."""

    __slots__ = ("__weakref__", "_depth", "_lock", "_owner")

    def __init__(self) -> None:
        self._lock = RLock()
        #: The thread that holds it, and how many times.
        self._owner: int | None = None
        self._depth = 0
        key = id(self)
        _locks[key] = ref(self, lambda _: _locks.pop(key, None))

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        """Take the lock; return whether that was possible."""
        is_taken = self._lock.acquire(blocking, timeout)
        if is_taken:
            self._owner = get_ident()
            self._depth += 1
        return is_taken

    def release(self) -> None:
        """Give the lock back.

        Raises:
            RuntimeError: this thread does not hold it.
        """
        if not self.is_mine():
            message = "this thread does not hold the lock"
            raise RuntimeError(message)
        self._depth -= 1
        if not self._depth:
            self._owner = None
        self._lock.release()

    def __enter__(self) -> None:
        self.acquire()

    def __exit__(self, *_: object) -> None:
        self.release()

    def renew(self) -> None:
        """Make it free in the child of a fork, unless this thread holds it."""
        if not self.is_mine():
            self._lock, self._owner, self._depth = RLock(), None, 0

    def is_mine(self) -> bool:
        """Whether this thread holds it."""
        return self._owner == get_ident()


#: Every lock of this process.
_locks: dict[int, ref[ForkLock]] = {}


def _renew_all() -> None:
    for reference in list(_locks.values()):
        lock = reference()
        if lock is not None:
            lock.renew()


def _finish_imports() -> None:
    """Wait until no other thread imports a module of ours, or one of Python's, which ours import."""
    for name in list(getattr(sys.modules.get("_frozen_importlib"), "_module_locks", ())):
        if name.partition(".")[0] in _MODULES:
            with suppress(ImportError):
                __import__(name)


_MODULES = {*sys.stdlib_module_names, __name__.partition(".")[0]}

at_fork(before=_finish_imports, after_in_child=_renew_all)
