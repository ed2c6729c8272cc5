"""The lock that all of Suture uses: in the child of a fork it is free, unless the thread that forked holds it.

A child has only the thread that forked. A lock that another thread held at that moment would stay locked for ever. The
same is true for the locks of modules: names here are imported when they are first used, so a fork waits for the imports
of other threads.
"""

from __future__ import annotations

import os
import sys
from _thread import RLock
from contextlib import suppress
from weakref import ref

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class ForkLock:
    """A reentrant lock that survives a fork. Of a `Condition` it can be the lock."""

    __slots__ = ("__weakref__", "_lock")

    def __init__(self) -> None:
        self._lock = RLock()
        key = id(self)
        _locks[key] = ref(self, lambda _: _locks.pop(key, None))

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        """Take the lock; return whether that was possible."""
        return self._lock.acquire(blocking, timeout)

    def release(self) -> None:
        """Give the lock back."""
        self._lock.release()

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def renew(self) -> None:
        """Make it free in the child of a fork, unless this thread holds it."""
        if not self.is_mine():
            self._lock = RLock()

    def is_mine(self) -> bool:
        """Whether this thread holds it."""
        return bool(self._lock._is_owned())  # type: ignore[attr-defined]  # noqa: SLF001 - all that there is

    # What a Condition asks for.

    _is_owned = is_mine

    def _release_save(self) -> Any:  # noqa: ANN401 - only passed on
        return self._lock._release_save()  # type: ignore[attr-defined]  # noqa: SLF001

    def _acquire_restore(self, state: Any) -> None:  # noqa: ANN401
        self._lock._acquire_restore(state)  # type: ignore[attr-defined]  # noqa: SLF001


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

os.register_at_fork(before=_finish_imports, after_in_child=_renew_all)
