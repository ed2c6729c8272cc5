"""A commit that is rolled back leaves each file with the content and the mode that it had before."""

from __future__ import annotations

import pytest

from suture.core.fingerprint import fingerprint
from suture.core.record import Entry, FileRecord, Snapshot
from suture.workspace.files.memory import MemoryFiles
from suture.workspace.files.restore import Rollback, restore_all

BEFORE, AFTER = b"old\n", b"new\n"


def snapshot(content: bytes, mode: int) -> Snapshot:
    return Snapshot("file", fingerprint(content), len(content), mode)


@pytest.mark.parametrize("mode_before", [0o644, 0o755])
@pytest.mark.parametrize("mode_after", [0o644, 0o755])
def test_the_mode_comes_back_with_the_content(mode_before: int, mode_after: int) -> None:
    files = MemoryFiles({"a": AFTER})
    files.set_mode("/a", mode_after)
    record = FileRecord(
        "/a", snapshot(BEFORE, mode_before), snapshot(AFTER, mode_after), middle=BEFORE, staged="/a.new"
    )
    assert restore_all(files, Entry("1", 0.0, "", "", "", (record,), ()), flush=False) == Rollback()
    stat = files.stat("/a")
    assert stat is not None
    assert (files.read("/a", 100)[0], stat.mode) == (BEFORE, mode_before)


def test_a_mode_that_somebody_has_set_since_stays() -> None:
    files = MemoryFiles({"a": AFTER})
    files.set_mode("/a", 0o600)
    record = FileRecord("/a", snapshot(BEFORE, 0o644), snapshot(AFTER, 0o644), middle=BEFORE, staged="/a.new")
    restore_all(files, Entry("1", 0.0, "", "", "", (record,), ()), flush=False)
    stat = files.stat("/a")
    assert stat is not None
    assert (files.read("/a", 100)[0], stat.mode) == (BEFORE, 0o600)
