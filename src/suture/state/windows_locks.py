"""Locks of open files on Windows. Only loaded there."""

from __future__ import annotations

import ctypes
import errno
import msvcrt
import os
import sys

assert sys.platform == "win32", "BUG: only for Windows"


#: LOCKFILE_FAIL_IMMEDIATELY and LOCKFILE_EXCLUSIVE_LOCK.
_AT_ONCE, _EXCLUSIVE = 1, 2
#: ERROR_LOCK_VIOLATION and ERROR_IO_PENDING.
_HELD = (33, 997)
#: These locks keep others from reading what is locked. So the byte that is locked is far behind the note in the file.
_FAR = 0x40000000


class _LockRange(ctypes.Structure):
    _fields_ = (
        ("internal", ctypes.c_void_p),
        ("internal_high", ctypes.c_void_p),
        ("offset", ctypes.c_uint32),
        ("offset_high", ctypes.c_uint32),
        ("event", ctypes.c_void_p),
    )


_kernel = ctypes.WinDLL("kernel32", use_last_error=True)


def lock(descriptor: int, *, exclusive: bool) -> None:
    """Lock an open file.

    Raises:
        BlockingIOError: somebody else has locked it.
    """
    handle = ctypes.c_void_p(msvcrt.get_osfhandle(descriptor))
    flags = _AT_ONCE | (_EXCLUSIVE if exclusive else 0)
    if not _kernel.LockFileEx(handle, flags, 0, 1, 0, ctypes.byref(_LockRange(offset_high=_FAR))):
        code = ctypes.get_last_error()
        if code in _HELD:
            raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
        raise ctypes.WinError(code)
