"""Locks of the system on open files: shared or exclusive, and released by the system when the process dies."""

from __future__ import annotations

import sys
from time import sleep

if sys.platform == "win32":
    from .windows_locks import lock as _lock
else:
    import fcntl

SHARED = 1
EXCLUSIVE = 2


def lock(descriptor: int, how: int) -> None:
    """Lock an open file, `SHARED` or `EXCLUSIVE`.

    Raises:
        BlockingIOError: somebody else has locked it.
    """
    if sys.platform == "win32":
        _lock(descriptor, exclusive=how == EXCLUSIVE)
    else:
        fcntl.flock(descriptor, (fcntl.LOCK_EX if how == EXCLUSIVE else fcntl.LOCK_SH) | fcntl.LOCK_NB)


def wait_for_lock(descriptor: int) -> None:
    """Lock an open file or directory exclusively, as soon as it is free."""
    while True:
        try:
            lock(descriptor, EXCLUSIVE)
        except BlockingIOError:
            sleep(0.001)
        else:
            return
