"""The history of a workspace: who did what, and what is kept for how long."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from tests.shared.sites import Site, codes, updated

from suture import PatchRejectedError
from suture.state import workspace_state
from suture.state.store import Store
from suture.workspace import committer


def test_the_log_has_who_and_what_the_newest_first(site: Site) -> None:
    site.workspace = site.open(actor="me")
    site.put("a", "one\n")
    ids = [
        site.apply(*updated("a", "one", "two")).id,
        site.workspace.edit("a", "two", "three", actor="you").id,
        site.workspace.write("b", "b\n").id,
        site.workspace.commit(site.workspace.plan_delete("b"), tool="rm").id,
    ]
    log = site.workspace.log()
    assert [one.id for one in log] == ids[::-1]
    assert [(one.actor, one.tool) for one in log] == [
        ("me", "rm"),
        ("me", "write"),
        ("you", "edit"),
        ("me", "apply_patch"),
    ]
    assert [one.id for one in site.workspace.log(1)] == ids[3:]
    assert [one.id for one in site.workspace.log(before=ids[2])] == ids[1::-1]
    assert [one.id for one in site.workspace.log(path="a")] == ids[1::-1]
    assert [one.id for one in site.workspace.log(path="./b", limit=1)] == ids[3:]
    with pytest.raises(PatchRejectedError) as raised:
        site.workspace.log(before="nothing")
    assert codes(raised) == ["not_found"]


def test_old_commits_are_forgotten_with_their_trash(disk: Site) -> None:
    disk.put("a", "a\n").put("b", "b\n")
    first = disk.apply("*** Delete File: a")
    second = disk.apply("*** Delete File: b")
    assert disk.workspace.prune() == 0
    assert disk.workspace.prune(keep_seconds=10_000) == 0
    assert disk.workspace.prune(keep_bytes=1) == 2
    assert disk.workspace.log() == []
    assert not Path(first.files[0].trash).exists()
    assert not Path(second.files[0].trash).exists()
    disk.workspace = disk.open(keep_seconds=-1.0)
    disk.apply("*** Add File: c", "+c")
    # One commit in many looks for old ones by itself.
    assert disk.workspace.prune() in (0, 1)
    assert disk.workspace.log() == []
    with pytest.raises(PatchRejectedError) as raised:
        disk.workspace.undo(first)
    assert codes(raised) == ["not_found"]


def test_the_trash_of_commits_that_are_kept_stays(disk: Site) -> None:
    disk.put("a", "a\n").put("b", "b\n")
    first = disk.apply("*** Delete File: a")
    second = disk.apply("*** Delete File: b")
    assert disk.workspace.prune(keep_seconds=-1.0) == 2
    third = disk.apply("*** Add File: c", "+c")
    fourth = disk.apply("*** Delete File: c")
    old = sqlite3.connect(next((disk.folder / "state").rglob("store.db")))
    old.execute("UPDATE entry SET time = 0 WHERE id = ?", (third.id,))
    old.commit()
    old.close()
    assert disk.workspace.prune(keep_seconds=1000.0) == 1
    assert Path(fourth.files[0].trash).read_text() == "c\n"
    assert not Path(first.files[0].trash).exists()
    assert not Path(second.files[0].trash).exists()


def test_pruning_is_done_now_and_then_and_its_failure_is_not_that_of_the_commit(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(committer, "PRUNE_ONE_IN", 1)
    site.workspace = site.open(keep_seconds=-1.0)
    site.apply("*** Add File: a", "+a")
    assert site.workspace.log() == []

    def fail(*_: object) -> int:
        raise PatchRejectedError([])

    monkeypatch.setattr(Store, "prune", fail)
    site.apply("*** Add File: b", "+b")
    assert len(site.workspace.log()) == 1


def test_without_a_history_nothing_is_kept(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    site.workspace = site.open(history=False)
    site.put("a", "a\n")
    receipt = site.apply("*** Delete File: a")
    assert [file.trash for file in receipt.files] == [""]
    assert site.workspace.log() == []
    with pytest.raises(PatchRejectedError):
        site.workspace.undo(receipt)

    def fail(*_: object) -> None:
        raise PatchRejectedError([])

    monkeypatch.setattr(Store, "forget", fail)
    site.apply("*** Add File: b", "+b")
    assert site.tree() == {"b": "b\n"}


def test_the_defaults_keep_a_month() -> None:
    assert workspace_state.KEEP_SECONDS == 30 * 24 * 3600
