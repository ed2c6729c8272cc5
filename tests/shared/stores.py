"""Stores to try things with: entries, stores on the disk, and programs that use them."""

from __future__ import annotations

import subprocess
import sys
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from suture import PatchRejectedError, Problem
from suture.core.record import Entry, FileRecord, Snapshot
from suture.state.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

OLD = Snapshot("file", "a" * 64, 5, 0o644)
NEW = Snapshot("file", "b" * 64, 7, 0o755)


def commit(id: str, time: float = 1.0, path: str = "/w/a", middle: bytes = b"old") -> Entry:  # noqa: A002
    return Entry(id, time, "me", "edit", f"patch of {id}", (FileRecord(path, OLD, NEW, middle=middle),))


def on_disk(state_dir: Path, patience: float = 10.0) -> closing[Store]:
    return closing(Store(str(state_dir), durability="process", patience=patience))


def ids(entries: list[Entry] | tuple[Entry, ...]) -> list[str]:
    return [entry.id for entry in entries]


def add(store: Store, *entries: Entry) -> None:
    for entry in entries:
        store.begin(entry)
        store.finish(entry.id)


def refusal(call: Callable[[], object]) -> Problem:
    with pytest.raises(PatchRejectedError) as caught:
        call()
    (problem,) = caught.value.problems
    return problem


def run(program: str, *arguments: str) -> str:
    """What a program prints that runs in an interpreter of its own."""
    command = [sys.executable, "-W", "error", "-c", PREAMBLE + program, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout


#: What the programs have in common that the tests run.
PREAMBLE = """
import os, signal, sys
from suture.core.record import ABSENT, Entry, FileRecord, Snapshot
from suture.state.store import Store
def commit(id, path="/w/a"):
    return Entry(id, 1.0, "me", "edit", "patch", (FileRecord(path, ABSENT, Snapshot("file"), middle=b"x" * 9000),))
"""
