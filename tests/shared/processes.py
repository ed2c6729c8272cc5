"""The processes of this machine and the files that this one has open, where there is no `/proc`, too."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

_PROC = Path("/proc")
#: Without one, `ps` says the same and takes longer.
_HAS_PROC = (_PROC / "self" / "stat").exists()

if sys.platform == "win32":
    import ctypes

    IS_WINE = hasattr(ctypes.WinDLL("ntdll"), "wine_get_version")
else:
    IS_WINE = False

#: Whether tests may start processes. Under Wine, a process takes seconds to start, and many of them at once hang.
#: `SUTURE_WINE_PROCESSES=1` is to try some tests there by hand.
STARTS_PROCESSES = not IS_WINE or "SUTURE_WINE_PROCESSES" in os.environ


def open_files() -> int:
    """How many files this process has open."""
    if sys.platform == "win32":
        pytest.skip("Windows has no list of the files that a process has open")
    return sum(1 for _ in Path("/dev/fd").iterdir())


def descendants(pid: int) -> set[int]:
    """The processes that a process has started and not waited for, and those that they have."""
    parents = _parents()
    found = {pid}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {pid}


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that nobody has waited for yet is dead."""
    return _state(pid) not in {"", "Z"}


def is_asleep(pid: int) -> bool:
    """Whether a process waits for something. macOS has a letter of its own for those that wait for long."""
    return _state(pid) in {"S", "I"}


def _state(pid: int) -> str:
    """The letter for what a process does; empty if there is none."""
    if not _HAS_PROC:
        return subprocess.run(
            ["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False
        ).stdout[:1]
    fields = _fields(_PROC / str(pid) / "stat")
    return fields[0] if fields else ""


def _parents() -> dict[int, int]:
    """The process that has started it, for each process."""
    if not _HAS_PROC:
        with subprocess.Popen(["ps", "-A", "-o", "pid=,ppid="], stdout=subprocess.PIPE, text=True) as listing:
            assert listing.stdout is not None
            pairs = [line.split() for line in listing.stdout]
        return {int(pid): int(parent) for pid, parent in pairs if int(pid) != listing.pid}
    parents = {}
    for status in _PROC.glob("[0-9]*/stat"):
        fields = _fields(status)
        if fields:
            parents[int(status.parent.name)] = int(fields[1])
    return parents


def _fields(status: Path) -> list[str]:
    """What a process does, its parent and more; nothing if it has ended. Its name may have blanks and parentheses."""
    try:
        return status.read_text("utf-8").rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return []
