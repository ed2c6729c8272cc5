"""Jobs of Windows: processes that end together, with limits. What a process group and its limits are elsewhere.

When the last handle of a job is closed, also because this process has died, its processes are ended. Only loaded on
Windows.
"""

from __future__ import annotations

import ctypes
import sys
from ctypes import wintypes

assert sys.platform == "win32", "BUG: only for Windows"

_kernel = ctypes.WinDLL("kernel32", use_last_error=True)
_kernel.CreateJobObjectW.restype = ctypes.c_void_p
_kernel.OpenProcess.restype = ctypes.c_void_p

_EXTENDED_LIMITS = 9
_PROCESS_TIME, _PROCESS_MEMORY, _END_ON_CLOSE = 0x2, 0x100, 0x2000
#: To end a process and to put it into a job.
_ACCESS = 0x0101


class _BasicLimits(ctypes.Structure):
    _fields_ = (
        ("process_time", ctypes.c_int64),
        ("job_time", ctypes.c_int64),
        ("flags", wintypes.DWORD),
        ("smallest_set", ctypes.c_size_t),
        ("largest_set", ctypes.c_size_t),
        ("processes", wintypes.DWORD),
        ("affinity", ctypes.c_size_t),
        ("priority", wintypes.DWORD),
        ("scheduling", wintypes.DWORD),
    )


class _ExtendedLimits(ctypes.Structure):
    _fields_ = (
        ("basic", _BasicLimits),
        ("counters", ctypes.c_uint64 * 6),
        ("process_memory", ctypes.c_size_t),
        ("job_memory", ctypes.c_size_t),
        ("peak_process_memory", ctypes.c_size_t),
        ("peak_job_memory", ctypes.c_size_t),
    )


class WindowsJob:
    """A job with one process and all that it starts. `memory` in bytes and `seconds` limit each of them.

    Where the system refuses it, only the process itself is ended.
    """

    def __init__(self, pid: int, *, memory: int = 0, seconds: float = 0) -> None:
        limits = _ExtendedLimits()
        limits.basic.flags = _END_ON_CLOSE
        if memory:
            limits.basic.flags |= _PROCESS_MEMORY
            limits.process_memory = memory
        if seconds:
            limits.basic.flags |= _PROCESS_TIME
            limits.basic.process_time = int(seconds * 10_000_000)
        self._process = ctypes.c_void_p(_kernel.OpenProcess(_ACCESS, False, pid))
        self._job = ctypes.c_void_p(_kernel.CreateJobObjectW(None, None))
        _kernel.SetInformationJobObject(self._job, _EXTENDED_LIMITS, ctypes.byref(limits), ctypes.sizeof(limits))
        _kernel.AssignProcessToJobObject(self._job, self._process)

    def end(self) -> None:
        """End all processes, now."""
        if self._job.value:
            _kernel.TerminateJobObject(self._job, 1)
            _kernel.TerminateProcess(self._process, 1)

    def close(self) -> None:
        """End all processes, and forget them."""
        for handle in (self._job, self._process):
            if handle.value:
                _kernel.CloseHandle(handle)
        self._job = self._process = ctypes.c_void_p()

    def __del__(self) -> None:
        self.close()
