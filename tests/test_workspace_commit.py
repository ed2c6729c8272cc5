"""Commits, their history and their undoing: on the disk and in memory alike, where it makes no difference."""

from __future__ import annotations

import errno
import os
import sqlite3
import stat
import subprocess
import sys
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.sites import Site, envelope, updated

from suture import (
    CommitFailedError,
    PartlyAppliedError,
    PatchRejectedError,
    RecoveryNeededError,
    Workspace,
    apply_in_memory,
)
from suture.testing import FaultyFiles
from suture.workspace import MemoryFiles, Receipt, committer, state
from suture.workspace.record import ABSENT, Entry, FileRecord, Snapshot
from suture.workspace.store import Store

if TYPE_CHECKING:
    from typing import Any


def digest(text: str | bytes) -> str:
    return sha256(text.encode() if isinstance(text, str) else text).hexdigest()


def codes(error: pytest.ExceptionInfo[Any]) -> list[str]:
    return [problem.code for problem in error.value.problems]


@pytest.fixture(params=["disk", "memory"])
def site(request: pytest.FixtureRequest, tmp_path: Path) -> Site:
    return Site(request.param, tmp_path)


@pytest.fixture
def disk(tmp_path: Path) -> Site:
    return Site("disk", tmp_path)


# Receipts.


def test_a_receipt_tells_what_was_done(site: Site) -> None:
    site.put("a", "one\n").put("gone", "gone\n").put("m", "m\n").put("e", "e\n")
    receipt = site.apply(
        "*** Add File: x/b",
        "+b",
        *updated("a", "one", "two"),
        "*** Delete File: gone",
        "*** Update File: m",
        "*** Move to: x/m",
        "*** Update File: e",
        "*** Move to: x/e",
        "@@",
        "-e",
        "+f",
        actor="claude",
        tool="apply",
    )
    assert receipt.added == ("x/b",)
    assert receipt.modified == ("a",)
    assert receipt.deleted == ("gone",)
    assert receipt.moved == (("m", "x/m"), ("e", "x/e"))
    assert (receipt.actor, receipt.tool, receipt.atomic, receipt.state_inside) == ("claude", "apply", True, False)
    assert {file.path: (file.sha256_before, file.sha256_after) for file in receipt.files} == {
        "x/b": ("", digest("b\n")),
        "a": (digest("one\n"), digest("two\n")),
        "gone": (digest("gone\n"), ""),
        "m": (digest("m\n"), ""),
        "x/m": ("", digest("m\n")),
        "e": (digest("e\n"), ""),
        "x/e": ("", digest("f\n")),
    }
    assert "+two\n" in receipt.diff
    assert Receipt.from_json(receipt.to_json()) == receipt
    assert site.workspace.show(receipt.id) == receipt
    assert site.workspace.log() == [receipt]


def test_the_trash_has_a_copy_of_what_was_deleted_and_of_nothing_else(disk: Site) -> None:
    disk.put("x/gone", b"\0gone").put("m", "m\n").put("e", "e\n").link("l", "m")
    receipt = disk.apply(
        "*** Delete File: x/gone",
        "*** Delete File: l",
        "*** Update File: m",
        "*** Move to: n",
        "*** Update File: e",
        "*** Move to: f",
        "@@",
        "-e",
        "+f",
    )
    (trash,) = [file.trash for file in receipt.files if file.trash]
    assert Path(trash).read_bytes() == b"\0gone"
    assert stat.S_IMODE(Path(trash).stat().st_mode) == 0o600
    assert trash.endswith(f"/trash/{receipt.id}/x/gone")
    kept = [path for path in (disk.folder / "state").rglob("*") if path.is_file() and "trash" in path.parts]
    assert kept == [Path(trash)]


def test_a_commit_that_fails_leaves_no_trash(disk: Site) -> None:
    disk.put("a", "a\n").put("b", "b\n")
    files = FaultyFiles(disk.root, 2, errno.ENOSPC, counted={"rename"})
    with Workspace(files, state_dir=disk.folder / "state", durability="process") as workspace:
        with pytest.raises(CommitFailedError) as raised:
            workspace.apply(envelope("*** Delete File: a", "*** Delete File: b"))
        assert codes(raised) == ["io_error"]
        assert raised.value.for_model().endswith("No file was changed.")
        assert workspace.log() == []
    assert disk.tree() == {"a": "a\n", "b": "b\n"}
    assert not [path for path in (disk.folder / "state").rglob("*") if "trash" in path.parts]


def test_a_very_long_path_can_be_deleted(disk: Site) -> None:
    path = "/".join(["d" * 200] * 18) + "/" + "n" * 240
    disk.put(path, "deep\n")
    receipt = disk.apply(f"*** Delete File: {path}")
    assert Path(receipt.files[0].trash).read_text() == "deep\n"
    disk.workspace.undo(receipt)
    assert disk.tree()[path] == "deep\n"


# What a commit keeps.


def test_modes_times_and_other_files_stay_as_they_are(disk: Site) -> None:
    disk.put("run.sh", "echo one\n", mode=0o750).put("other", "x\n", mode=0o600)
    other = Path(disk.at("other"))
    before = other.stat()
    disk.apply(*updated("run.sh", "echo one", "echo two"))
    assert disk.mode("run.sh") == 0o750
    after = other.stat()
    assert (after.st_mtime_ns, after.st_ino, after.st_mode) == (before.st_mtime_ns, before.st_ino, before.st_mode)


def test_a_new_file_has_the_mode_of_any_new_file(disk: Site) -> None:
    before = os.umask(0o027)
    try:
        disk.apply("*** Add File: x/a", "+a")
    finally:
        os.umask(before)
    assert disk.mode("x/a") == 0o640
    assert disk.mode("x") == 0o750


@pytest.mark.skipif(not hasattr(os, "setxattr"), reason="this system has no extended attributes")
def test_extended_attributes_stay_through_an_update_a_move_and_an_undo(disk: Site) -> None:
    disk.put("a", "one\n")
    try:
        os.setxattr(disk.at("a"), "user.note", b"kept")
    except OSError:
        pytest.skip("this file system has no extended attributes")
    receipt = disk.apply("*** Update File: a", "*** Move to: b", "@@", "-one", "+two")
    assert os.getxattr(disk.at("b"), "user.note") == b"kept"
    disk.workspace.undo(receipt)
    assert os.getxattr(disk.at("a"), "user.note") == b"kept"
    disk.apply(*updated("a", "one", "two"))
    assert os.getxattr(disk.at("a"), "user.note") == b"kept"


def test_a_mode_that_was_changed_after_the_plan_is_kept(site: Site) -> None:
    site.put("a", "one\n", mode=0o644).put("m", "m\n", mode=0o644)
    plan = site.plan(*updated("a", "one", "two"), "*** Update File: m", "*** Move to: n", "@@", "-m", "+n")
    site.files.set_mode(site.at("a"), 0o755)
    site.files.set_mode(site.at("m"), 0o700)
    site.workspace.commit(plan)
    assert (site.mode("a"), site.mode("n")) == (0o755, 0o700)


def test_a_mode_that_was_changed_after_the_plan_is_kept_by_a_rollback_too(site: Site) -> None:
    site.put("a", "one\n", mode=0o644).put("b", "b\n")
    plan = site.plan(*updated("a", "one", "two"), *updated("b", "b", "c"))
    site.files.set_mode(site.at("a"), 0o755)
    renames = 0

    def fail(name: str) -> None:
        nonlocal renames
        renames += name == "rename"
        if name == "rename" and renames == 2:
            raise OSError(errno.EIO, "failing")

    site.between = fail
    with pytest.raises(CommitFailedError):
        site.workspace.commit(plan)
    assert (site.tree(), site.mode("a")) == ({"a": "one\n", "b": "b\n"}, 0o755)


def test_a_file_with_several_names_is_changed_under_one_of_them(disk: Site) -> None:
    disk.put("a", "one\n")
    os.link(disk.at("a"), disk.at("b"))
    disk.apply(*updated("a", "one", "two"))
    assert disk.tree() == {"a": "two\n", "b": "one\n"}
    disk.put("c", "one\n")
    os.link(disk.at("c"), disk.at("d"))
    disk.workspace = disk.open(hard_links=False)
    assert disk.codes(*updated("c", "one", "two")) == ["permission_denied"]


def test_a_commit_can_be_done_in_another_root(tmp_path: Path) -> None:
    root, other = tmp_path / "root", tmp_path / "other"
    root.mkdir()
    other.mkdir()
    (other / "a").write_text("one\n")
    with Workspace(root, extra_roots=[other], state_dir=tmp_path / "state") as workspace:
        receipt = workspace.apply(
            envelope(*updated(str(other / "a"), "one", "two"), f"*** Add File: {other}/x/b", "+b", "*** Add File: c")
        )
        assert receipt.modified == (str(other / "a"),)
        assert sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("[abc]")) == [
            "other/a",
            "other/x/b",
            "root/c",
        ]
        workspace.undo(receipt)
        assert (other / "a").read_text() == "one\n"
        assert not (other / "x").exists()


@pytest.mark.parametrize("durability", ["full", "process"])
def test_only_full_durability_flushes(disk: Site, durability: str) -> None:
    disk.put("a", "one\n")
    disk.workspace = disk.open(durability=durability)
    disk.seen.clear()
    disk.apply(*updated("a", "one", "two"), "*** Add File: x/b", "+b")
    flushes = {name for name, _ in disk.seen if "flush" in name}
    assert flushes == ({"flush", "flush_folder"} if durability == "full" else set())


def test_a_durability_that_there_is_not_is_a_value_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="expected durability 'full' or 'process'"):
        Workspace(tmp_path, durability="none")  # type: ignore[arg-type]


def test_what_the_disk_has_is_held_against_the_plan(site: Site) -> None:
    site.put("a", "one\n").put("b", "b\n")

    def interfere(name: str, path: str) -> None:
        if name == "rename" and path == site.at("b"):
            site.files.watch = None
            site.put("a", "somebody else\n")

    site.files.watch = interfere
    with pytest.raises(CommitFailedError) as raised:
        site.apply(*updated("a", "one", "two"), *updated("b", "b", "c"))
    assert codes(raised) == ["io_error", "stale_file"]
    assert site.tree() == {"a": "somebody else\n", "b": "b\n"}
    assert site.workspace.recover() == []
    assert site.workspace.log() == []


def test_a_file_whose_lock_is_not_held_is_not_written(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    site.put("a", "one\n")
    monkeypatch.setattr("suture.workspace.planner.Planner.paths", lambda *_: [site.at("other")])
    with pytest.raises(PatchRejectedError) as raised:
        site.apply(*updated("a", "one", "two"))
    assert codes(raised) == ["stale_file"]
    assert site.tree() == {"a": "one\n"}


def test_a_workspace_given_its_files_does_not_close_them(disk: Site) -> None:
    disk.workspace.close()
    assert disk.files.names(disk.root) == []


# Undo.


@pytest.mark.parametrize(
    "lines",
    [
        ("*** Add File: x/y/new", "+new"),
        ("*** Delete File: a.sh",),
        updated("a.sh", "one", "two"),
        ("*** Update File: a.sh", "*** Move to: x/b"),
        ("*** Update File: a.sh", "*** Move to: x/b", "@@", "-one", "+two"),
        ("*** Delete File: a.sh", "*** Add File: a.sh", "+new"),
        ("*** Delete File: l",),
        ("*** Update File: l", "*** Move to: x/l"),
        updated("l", "one", "two"),
        ("*** Delete File: blob", "*** Update File: a.sh", "*** Move to: blob"),
    ],
    ids=lambda lines: "+".join(line.split(":")[0].strip("* ") for line in lines if line[0] == "*"),
)
def test_every_commit_can_be_undone_and_done_again(site: Site, lines: tuple[str, ...]) -> None:
    site.put("a.sh", "one\n", mode=0o755).put("blob", b"\0\xff", mode=0o600).link("l", "a.sh")
    before = site.tree()
    receipt = site.apply(*lines)
    after = site.tree()
    assert after != before
    undone = site.workspace.undo(receipt)
    assert site.tree() == before
    assert (site.mode("a.sh"), site.mode("blob")) == (0o755, 0o600)
    assert (undone.undoes, undone.tool) == (receipt.id, "undo")
    again = site.workspace.undo(undone)
    assert site.tree() == after
    site.workspace.undo(again)
    assert site.tree() == before
    log = site.workspace.log()
    assert [bool(one.undone_by) for one in log] == [False, True, True, True]


def test_an_undo_tells_what_it_has_done(site: Site) -> None:
    site.put("a", "one\n").put("gone", "gone\n").put("m", "m\n")
    receipt = site.apply(
        *updated("a", "one", "two"),
        "*** Delete File: gone",
        "*** Add File: b",
        "+b",
        "*** Update File: m",
        "*** Move to: n",
    )
    undone = site.workspace.undo(receipt.id[:6])
    assert (undone.added, undone.modified, undone.deleted, undone.moved) == (("gone",), ("a",), ("b",), (("n", "m"),))
    assert "-two\n+one\n" in undone.diff


def test_an_undo_of_a_change_of_mode_brings_the_mode_back(site: Site) -> None:
    site.put("a", "one\n", mode=0o755)
    receipt = site.apply("*** Update File: a", "*** Move to: b", "*** Add File: a", "+two")
    assert (site.mode("a"), site.mode("b")) == (0o644, 0o755)
    site.workspace.undo(receipt)
    assert site.tree() == {"a": "one\n"}
    assert site.mode("a") == 0o755


def test_an_undo_keeps_a_mode_that_was_changed_since(site: Site) -> None:
    site.put("a", "one\n", mode=0o644)
    receipt = site.apply(*updated("a", "one", "two"))
    site.files.set_mode(site.at("a"), 0o755)
    site.workspace.undo(receipt)
    assert (site.tree(), site.mode("a")) == ({"a": "one\n"}, 0o755)


def test_an_undo_of_a_file_that_has_changed_since_is_stale(site: Site) -> None:
    site.put("a", "one\n").put("b", "b\n")
    receipt = site.apply(*updated("a", "one", "two"), "*** Delete File: b", "*** Add File: c", "+c")
    site.put("a", "two!\n").put("b", "another\n")
    site.remove("c")
    before = site.tree()
    for merge in (False, True):
        with pytest.raises(PatchRejectedError) as raised:
            site.workspace.undo(receipt, merge=merge)
        stale = [problem for problem in raised.value.problems if problem.code == "stale_file"]
        assert sorted(problem.path for problem in stale) == ["a", "b", "c"]
        (problem,) = [problem for problem in stale if problem.path == "a"]
        assert problem.details["diff"] == receipt.changes[0].diff
        assert site.tree() == before
    assert site.workspace.show(receipt.id).undone_by == ""


@pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf", b"\xff\r\n\x80"], ids=["plain", "bom", "no text"])
@pytest.mark.parametrize("size", [0, 1, 65_535, 65_536, 65_537, 131_072])
def test_no_change_is_lost_wherever_it_is_in_a_file(site: Site, start: bytes, size: int) -> None:
    """Neither between plan and commit nor between commit and undo: files are compared in pieces of 65,536 bytes."""
    content = (start + b"line\n" * (size // 5 + 1))[:size]
    new = content + b"new\n"
    site.put("a", content)
    plan = site.workspace.plan_write("a", new)
    snapshots = plan.files[0].before, plan.files[0].after
    assert [one.sha256 for one in snapshots] == [sha256(one).hexdigest() for one in (content, new)]
    for other in changed_somewhere(content):
        site.put("a", other)
        with pytest.raises(PatchRejectedError) as raised:
            site.workspace.commit(plan)
        assert codes(raised) == ["stale_file"]
        assert site.workspace.files.read(site.at("a"), len(other))[0] == other
    site.put("a", content)
    done = site.workspace.commit(plan)
    for other in changed_somewhere(new):
        site.put("a", other)
        with pytest.raises(PatchRejectedError) as raised:
            site.workspace.undo(done)
        assert codes(raised) == ["stale_file"]
        assert site.workspace.files.read(site.at("a"), len(other))[0] == other
    site.put("a", new)
    site.workspace.undo(done)
    assert site.workspace.files.read(site.at("a"), size)[0] == content


def changed_somewhere(content: bytes) -> list[bytes]:
    """The content with one byte that is another, one more or one less, where pieces begin and end."""
    places = [at for at in (0, 1, 65_535, 65_536, 131_071, len(content)) if at <= len(content)]
    changes = ((b"Q", 1), (b"Q", 0), (b"", 1))
    found = {content[:at] + more + content[at + less :] for at in places for more, less in changes}
    return sorted(found - {content})


def test_an_undo_is_merged_where_it_fits_and_that_is_asked_for(site: Site) -> None:
    site.put("a", "one\ntwo\nthree\nfour\nfive\nsix\nseven\n").put("b", "b\n")
    receipt = site.apply(*updated("a", "two", "2"), "*** Add File: c", "+c")
    site.apply(*updated("a", "seven", "7"))
    with pytest.raises(PatchRejectedError) as raised:
        site.workspace.undo(receipt)
    assert codes(raised) == ["stale_file"]
    undone = site.workspace.undo(receipt, merge=True)
    assert site.tree() == {"a": "one\ntwo\nthree\nfour\nfive\nsix\n7\n", "b": "b\n"}
    assert [match.tier for change in undone.changes for match in change.matches] == ["exact"]
    site.workspace.undo(undone)
    assert site.tree()["a"] == "one\n2\nthree\nfour\nfive\nsix\n7\n"


def test_an_undo_is_merged_at_the_first_line_of_a_file_with_a_bom(site: Site) -> None:
    site.put("a", "\ufeffone\ntwo\nthree\nfour\nfive\nsix\nseven\n")
    receipt = site.apply(*updated("a", "one", "1"))
    site.apply(*updated("a", "seven", "7"))
    site.workspace.undo(receipt, merge=True)
    wanted = "\ufeffone\ntwo\nthree\nfour\nfive\nsix\n7\n"
    assert site.tree() == {"a": wanted.encode().decode("latin-1")}


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_a_merge_keeps_the_endings_of_lines(site: Site, ending: str) -> None:
    lines = ["one", "two", "three", "four", "five", "six", "seven", "eight"]
    site.put("a", ending.join(lines) + ending)
    receipt = site.apply(*updated("a", "two", "2"))
    site.apply(*updated("a", "seven", "7"))
    if ending == "\r":
        # For a diff that is one line, which has changed since.
        with pytest.raises(PatchRejectedError) as raised:
            site.workspace.undo(receipt, merge=True)
        assert codes(raised)[0] == "stale_file"
        return
    site.workspace.undo(receipt, merge=True)
    assert site.tree() == {"a": ending.join(["7" if line == "seven" else line for line in lines]) + ending}


def test_a_merge_takes_back_every_section_of_a_file(site: Site) -> None:
    lines = [f"line {number}" for number in range(20)]
    site.put("a", "\n".join(lines) + "\n")
    receipt = site.apply(*updated("a", "line 2", "second"), *updated("a", "line 10", "tenth"))
    site.apply(*updated("a", "line 17", "last"))
    site.workspace.undo(receipt, merge=True)
    assert site.tree()["a"] == "\n".join(lines).replace("line 17", "last") + "\n"


def test_a_merge_reads_the_encoding_that_the_caller_names(site: Site) -> None:
    site.workspace = site.open(encoding="latin-1")
    site.put("a", "é\n1\n2\n3\n4\n5\nlast\n".encode("latin-1"))
    receipt = site.apply(*updated("a", "é", "ö"))
    site.apply(*updated("a", "last", "end"))
    site.workspace.undo(receipt, merge=True)
    assert site.tree() == {"a": "é\n1\n2\n3\n4\n5\nend\n"}


def test_a_commit_is_undone_once(site: Site) -> None:
    site.put("a", "one\n")
    receipt = site.apply(*updated("a", "one", "two"))
    undone = site.workspace.undo(receipt)
    with pytest.raises(PatchRejectedError) as raised:
        site.workspace.undo(receipt)
    assert codes(raised) == ["no_change"]
    assert undone.id in raised.value.problems[0].hint
    assert site.workspace.show(receipt.id).undone_by == undone.id


@pytest.mark.parametrize("name", ["", "nothing", "ffffffffffff"])
def test_a_commit_that_there_is_not_is_not_found(site: Site, name: str) -> None:
    for action in (site.workspace.undo, site.workspace.show):
        with pytest.raises(PatchRejectedError) as raised:
            action(name)
        assert codes(raised) == ["not_found"]


def test_the_beginning_of_an_id_is_enough_where_it_is_the_only_one(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    ids = iter([b"\xaa" * 5 + bytes([number]) for number in range(3)])
    random = os.urandom
    monkeypatch.setattr(os, "urandom", lambda count: next(ids) if count == 6 else random(count))
    first = site.apply("*** Add File: a", "+a")
    assert site.workspace.show("aa") == first
    site.apply("*** Add File: b", "+b")
    with pytest.raises(PatchRejectedError) as raised:
        site.workspace.undo("aa")
    assert codes(raised) == ["invalid_arguments"]
    site.workspace.undo(first.id)
    assert site.tree() == {"b": "b\n"}


def test_an_undo_that_is_rolled_back_leaves_the_commit_as_not_undone(
    disk: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    # What is interrupted while it is tidied up was done.
    monkeypatch.setattr(committer, "PRUNE_ONE_IN", 1000)
    disk.put("a", "one\n")
    receipt = disk.apply(*updated("a", "one", "two"))
    for number in range(1, 100):
        files = FaultyFiles(disk.root, number, KeyboardInterrupt, counted={"store"})
        with Workspace(files, state_dir=disk.folder / "state", durability="process") as workspace:
            with suppress(KeyboardInterrupt):
                workspace.undo(receipt)
            if not files.failed:
                break
            assert disk.tree() == {"a": "two\n"}, number
            assert disk.workspace.show(receipt.id).undone_by == "", number
    assert disk.tree() == {"a": "one\n"}


def test_an_undo_goes_through_the_guard(disk: Site) -> None:
    disk.put(".env", "one\n").put("a", "a\n")
    receipt = disk.open(lift=["**/.env"]).apply(envelope(*updated(".env", "one", "two"), *updated("a", "a", "b")))
    with pytest.raises(PatchRejectedError) as raised:
        disk.workspace.undo(receipt)
    assert codes(raised) == ["permission_denied"]
    assert disk.tree() == {".env": "two\n", "a": "b\n"}
    disk.open(lift=["**/.env"]).undo(receipt)
    assert disk.tree() == {".env": "one\n", "a": "a\n"}


def test_an_undo_into_a_folder_that_is_a_file_by_now_is_stale(site: Site) -> None:
    site.put("x/a", "a\n")
    receipt = site.apply("*** Delete File: x/a")
    site.files.remove_folder(site.at("x"))
    site.put("x", "a file\n")
    with pytest.raises(PatchRejectedError) as raised:
        site.workspace.undo(receipt)
    assert codes(raised) == ["stale_file"]
    assert site.tree() == {"x": "a file\n"}


def test_an_undo_does_not_follow_a_link_that_was_put_there_since(disk: Site) -> None:
    outside = disk.folder / "outside"
    outside.mkdir()
    (outside / "a").write_text("two\n")
    disk.put("x/a", "one\n")
    receipt = disk.apply(*updated("x/a", "one", "two"))
    disk.remove("x/a")
    disk.files.remove_folder(disk.at("x"))
    disk.link("x", "../outside")
    with pytest.raises(PatchRejectedError):
        disk.workspace.undo(receipt)
    assert (outside / "a").read_text() == "two\n"


# History.


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


# One by one.


def test_operations_are_done_one_by_one_where_asked_for(site: Site) -> None:
    site.put("a", "one\n").put("b", "b\n")
    receipt = site.apply(*updated("a", "one", "two"), "*** Delete File: b", "*** Add File: c", "+c", atomic=False)
    assert (receipt.atomic, receipt.modified, receipt.deleted, receipt.added) == (False, ("a",), ("b",), ("c",))
    assert len(receipt.parts) == 3
    assert [one.atomic for one in site.workspace.log()] == [True] * 3
    undone = site.workspace.undo(receipt)
    assert site.tree() == {"a": "one\n", "b": "b\n"}
    assert len(undone.parts) == 3
    site.workspace.undo(undone)
    assert site.tree() == {"a": "two\n", "c": "c\n"}


def test_the_first_that_fails_ends_it_and_what_was_done_stays(site: Site) -> None:
    site.put("a", "one\n").put("b", "b\n")
    with pytest.raises(PartlyAppliedError) as raised:
        site.apply(*updated("a", "one", "two"), *updated("b", "lost", "x"), "*** Delete File: b", atomic=False)
    error = raised.value
    assert codes(raised) == ["patch_apply_error"]
    assert error.done == ("M a +1 -1",)
    assert error.for_model().endswith("These were done before it and stay: M a +1 -1.")
    assert site.tree() == {"a": "two\n", "b": "b\n"}
    assert isinstance(error.receipt, Receipt)
    assert error.receipt.modified == ("a",)
    site.workspace.undo(error.receipt)
    assert site.tree() == {"a": "one\n", "b": "b\n"}


def test_where_the_first_operation_fails_nothing_was_done(site: Site) -> None:
    site.put("b", "b\n")
    with pytest.raises(PatchRejectedError):
        site.apply(*updated("a", "one", "two"), "*** Delete File: b", atomic=False)
    with pytest.raises(PatchRejectedError) as raised:
        site.apply("*** Add File: a", "+a", "*** Delete File: b", atomic=False, expected_sha256={"b": digest("other")})
    assert codes(raised) == ["stale_file"]
    assert site.tree() == {"b": "b\n"}


def test_one_by_one_the_same_file_twice_is_refused_in_strict(site: Site) -> None:
    site.put("a", "one\n")
    with pytest.raises(PartlyAppliedError) as raised:
        site.apply(*updated("a", "one", "two"), *updated("a", "two", "three"), atomic=False, dialect="strict")
    assert codes(raised) == ["patch_apply_error"]
    assert site.tree() == {"a": "two\n"}


def test_an_undo_that_ends_half_way_says_what_it_has_done(site: Site) -> None:
    site.put("a", "one\n").put("b", "b\n")
    receipt = site.apply(*updated("a", "one", "two"), *updated("b", "b", "c"), atomic=False)
    site.put("a", "changed\n")
    with pytest.raises(PartlyAppliedError) as raised:
        site.workspace.undo(receipt)
    assert codes(raised) == ["stale_file"]
    assert raised.value.done == ("M b +1 -1",)
    assert site.tree() == {"a": "changed\n", "b": "b\n"}


def test_a_commit_that_needs_recovery_is_not_told_as_partly_applied(disk: Site) -> None:
    disk.put("a", "one\n").put("b", "b\n").put("c", "c\n")
    # The first is one rename. Of the second one rename is done, the next fails, and so does every try to take it back.
    files = FaultyFiles(disk.root, 3, errno.EIO, counted={"rename"}, forever=True)
    with (
        Workspace(files, state_dir=disk.folder / "state", durability="process") as workspace,
        pytest.raises(RecoveryNeededError),
    ):
        workspace.apply(
            envelope(*updated("a", "one", "two"), "*** Update File: b", "*** Move to: d", "@@", "-b", "+d"),
            atomic=False,
        )
    (done,) = disk.workspace.recover()
    assert done.outcome == "rolled_back"
    assert disk.tree() == {"a": "two\n", "b": "b\n", "c": "c\n"}


# State.


def test_the_workspace_stays_clean(disk: Site) -> None:
    disk.put("a", "one\n")
    disk.apply(*updated("a", "one", "two"))
    assert disk.tree() == {"a": "two\n"}
    (state,) = (disk.folder / "state").iterdir()
    assert stat.S_IMODE(state.stat().st_mode) == 0o700


@pytest.fixture
def sandboxed(tmp_path: Path) -> Site:
    """A workspace whose user has no state folder that can be written."""
    (tmp_path / "barred").write_text("a file where a folder should be")
    return Site("disk", tmp_path, state_dir=tmp_path / "barred")


def test_where_the_state_folder_can_not_be_written_it_is_inside_and_disappears(sandboxed: Site) -> None:
    sandboxed.put("a", "one\n").put("gone", "gone\n")
    receipt = sandboxed.apply(*updated("a", "one", "two"), "*** Delete File: gone")
    assert receipt.state_inside
    assert Path(sandboxed.at(".suture/.gitignore")).read_text() == "*\n"
    assert Path(next(file.trash for file in receipt.files if file.trash)).read_text() == "gone\n"
    assert sandboxed.workspace.undo(receipt).state_inside
    assert len(sandboxed.workspace.log()) == 2
    assert sandboxed.workspace.prune(keep_seconds=-1.0) == 2
    assert sandboxed.tree() == {"a": "one\n", "gone": "gone\n"}


def test_the_folder_inside_goes_when_a_workspace_without_history_is_closed(sandboxed: Site) -> None:
    with Workspace(sandboxed.root, state_dir=sandboxed.folder / "barred", history=False) as workspace:
        assert workspace.apply(envelope("*** Add File: a", "+a")).state_inside
    assert sandboxed.tree() == {"a": "a\n"}


def test_nothing_of_a_process_that_died_before_its_commit_began_is_left_inside(sandboxed: Site) -> None:
    sandboxed.put("gone", "gone\n")
    script = (
        "import os, sys, suture\n"
        "from suture.testing import KillingFiles\n"
        "files = KillingFiles(sys.argv[1], int(sys.argv[3]), counted={'store'})\n"
        "workspace = suture.Workspace(files, state_dir=sys.argv[2], durability='process')\n"
        "workspace.apply('*** Begin Patch\\n*** Delete File: gone\\n*** End Patch\\n')\n"
    )
    for number in (1, 2):
        arguments = [sys.executable, "-c", script, sandboxed.root, str(sandboxed.folder / "barred"), str(number)]
        assert subprocess.run(arguments, check=False).returncode == -9
        with Workspace(sandboxed.root, state_dir=sandboxed.folder / "barred") as workspace:
            workspace.recover()
        assert sandboxed.tree() == {"gone": "gone\n"}


def test_what_a_sandboxed_process_has_done_is_in_the_log_and_can_be_undone_from_outside(sandboxed: Site) -> None:
    sandboxed.put("a", "one\n")
    inside = sandboxed.apply(*updated("a", "one", "two"))
    outside = Workspace(sandboxed.root, state_dir=sandboxed.folder / "state", durability="process")
    later = outside.apply(envelope("*** Add File: b", "+b"))
    assert not later.state_inside
    assert [one.id for one in outside.log()] == [later.id, inside.id]
    assert [one.id for one in outside.log(before=later.id)] == [inside.id]
    assert outside.log(before=inside.id) == []
    undone = outside.undo(inside)
    assert outside.show(inside.id).undone_by == undone.id
    assert sandboxed.tree()["a"] == "one\n"
    with pytest.raises(PatchRejectedError) as raised:
        outside.undo(inside)
    assert codes(raised) == ["no_change"]
    sandboxed.workspace.close()
    outside.prune(keep_seconds=-1.0)
    outside.close()
    assert sandboxed.tree() == {"a": "one\n", "b": "b\n"}


def test_a_process_in_a_sandbox_and_one_outside_of_it_exclude_one_another(sandboxed: Site) -> None:
    sandboxed.put("a", "one\n")
    sandboxed.apply("*** Add File: b", "+b")
    outside = Workspace(
        sandboxed.root, state_dir=sandboxed.folder / "state", durability="process", lock_timeout=0.05, actor="outside"
    )
    with sandboxed.workspace._committer.hold([sandboxed.at("a")], "inside"):
        with pytest.raises(PatchRejectedError) as raised:
            outside.apply(envelope(*updated("a", "one", "two")))
        assert codes(raised) == ["locked"]
        assert raised.value.problems[0].details["holder"] == "inside"
        outside.apply(envelope("*** Add File: c", "+c"))


def test_where_neither_folder_can_be_written_it_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "barred").write_text("")
    root = tmp_path / "root"
    root.mkdir()
    (root / ".suture").write_text("not a folder")
    with Workspace(root, state_dir=tmp_path / "barred") as workspace:
        with pytest.raises(PatchRejectedError) as raised:
            workspace.apply(envelope("*** Add File: a", "+a"))
        assert codes(raised) == ["io_error"]
        assert workspace.plan(envelope("*** Add File: a", "+a")).is_clean
    assert sorted(path.name for path in root.iterdir()) == [".suture"]


@pytest.mark.parametrize("error", [errno.EROFS, errno.EACCES, errno.ENOSPC])
def test_a_disk_that_takes_nothing_fails_cleanly(disk: Site, error: int) -> None:
    disk.put("a", "one\n")
    files = FaultyFiles(disk.root, 1, error, forever=True, counted={"create", "mkdir"})
    with Workspace(files, state_dir=disk.folder / "state", durability="process") as workspace:
        with pytest.raises(CommitFailedError) as raised:
            workspace.apply(envelope(*updated("a", "one", "two"), "*** Add File: x/b", "+b"))
        assert codes(raised) == ["io_error" if error == errno.ENOSPC else "permission_denied"]
        assert workspace.recover() == []
    assert disk.tree() == {"a": "one\n"}


@pytest.mark.parametrize("content", [b"", b"garbage" * 1000, b"SQLite format 3\0" + b"\xff" * 8000])
def test_a_store_that_can_not_be_read_is_a_problem_and_harms_nothing(disk: Site, content: bytes) -> None:
    disk.put("a", "one\n")
    receipt = disk.apply(*updated("a", "one", "two"))
    disk.workspace.close()
    (store,) = (disk.folder / "state").rglob("store.db")
    for companion in store.parent.glob("store.db-*"):
        companion.unlink()
    store.write_bytes(content)
    workspace = disk.open()
    actions = [
        lambda: workspace.apply(envelope(*updated("a", "two", "three"))),
        lambda: workspace.undo(receipt),
        workspace.log,
        workspace.recover,
        workspace.prune,
    ]
    for action in actions:
        with pytest.raises(PatchRejectedError) as raised:
            action()  # type: ignore[operator]
        assert codes(raised) == ["io_error"]
    assert disk.tree() == {"a": "two\n"}
    assert store.read_bytes() == content


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE document SET receipt = 'garbage'",
        "UPDATE document SET receipt = '[]'",
        "UPDATE file SET middle = x'00'",
        "UPDATE file SET before_sha256 = 'x'",
        "UPDATE file SET path = '/etc/passwd'",
        "UPDATE file SET path = 'relative'",
        "UPDATE entry SET folders = '/etc'",
        "UPDATE file SET middle = 'text'",
        "UPDATE file SET before_size = 'text'",
        "UPDATE file SET head = 3",
    ],
)
def test_a_history_that_was_tampered_with_is_a_problem_and_harms_nothing(disk: Site, change: str) -> None:
    disk.put("a", "one\n")
    receipt = disk.apply(*updated("a", "one", "two"))
    disk.workspace.close()
    with sqlite3.connect(next((disk.folder / "state").rglob("store.db"))) as connection:
        connection.execute(change)
    connection.close()
    workspace = disk.open()
    with pytest.raises(PatchRejectedError) as raised:
        workspace.undo(receipt.id)
    assert codes(raised)[0] in {"io_error", "outside_workspace", "invalid_arguments"}
    assert disk.tree() == {"a": "two\n"}


@pytest.mark.parametrize("where", ["state", "state/deep", "."])
def test_a_state_folder_in_the_workspace_can_not_be_reached_by_a_patch(tmp_path: Path, where: str) -> None:
    root = tmp_path / "root"
    root.mkdir()
    with Workspace(root, state_dir=root / where, durability="process") as workspace:
        workspace.apply(envelope("*** Add File: a", "+a"))
        (store,) = root.rglob("store.db")
        path = store.relative_to(root)
        lines = (f"*** Delete File: {path}", f"*** Add File: {path.parent}/new", "+x", "*** Add File: .suture/x", "+x")
        assert [p.code for p in workspace.plan(envelope(*lines)).problems] == ["permission_denied"] * 3
        (root / "link").symlink_to(path)
        assert [p.code for p in workspace.plan(envelope("*** Delete File: link")).problems] == ["permission_denied"]


def test_the_home_folder_as_a_workspace_hides_its_state_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    with Workspace("~", durability="process") as workspace:
        workspace.apply(envelope("*** Add File: a", "+a"))
        (store,) = tmp_path.rglob("store.db")
        other = store.parent.parent / "other" / "store.db"
        plan = workspace.plan(envelope(f"*** Delete File: {store}", f"*** Add File: {other}", "+x"))
        assert [problem.code for problem in plan.problems] == ["permission_denied"] * 2


# Repairs.


def cut_short(site: Site, store_folder: Path, *files: FileRecord, folders: tuple[str, ...] = ()) -> None:
    """Write the journal of a commit whose process is gone."""
    store = Store(str(store_folder))
    store.begin(Entry("0123456789ab", 1.0, "", "", "", files, folders))
    store.close()
    assert site.where == "disk"


def snapshot(content: str) -> Snapshot:
    return Snapshot("file", digest(content), len(content), 0o644)


def test_a_repair_is_told(disk: Site) -> None:
    disk.put("a", "two\n").put("b", "b\n")
    disk.apply("*** Add File: c", "+c")
    (state,) = (disk.folder / "state").iterdir()
    staged = disk.at("a.12345678.apply-patch.tmp")
    record = FileRecord(disk.at("a"), snapshot("one\n"), snapshot("two\n"), 0, 1, b"one", staged)
    other = FileRecord(disk.at("b"), snapshot("b\n"), snapshot("c\n"), 0, 1, b"b", disk.at("b.1.apply-patch.tmp"))
    cut_short(disk, state, record, other)
    disk.put("a.12345678.apply-patch.tmp", "half")
    workspace = disk.open()
    (done,) = workspace.recover()
    assert (done.outcome, done.paths, done.left_alone) == ("rolled_back", ("a", "b"), ())
    assert workspace.recovered == (done,)
    assert disk.tree() == {"a": "one\n", "b": "b\n", "c": "c\n"}
    assert str(done) == "The commit 0123456789ab of 2 files, which was cut short, was rolled back."


def test_a_plan_repairs_what_a_process_that_died_has_left(disk: Site) -> None:
    disk.put("a", "two\n").put("b", "b\n")
    disk.apply("*** Add File: c", "+c")
    (state,) = (disk.folder / "state").iterdir()
    staged = disk.at("a.12345678.apply-patch.tmp")
    record = FileRecord(disk.at("a"), snapshot("one\n"), snapshot("two\n"), 0, 1, b"one", staged)
    lost = FileRecord(disk.at("d"), ABSENT, snapshot("d\n"), staged=disk.at("d.1.apply-patch.tmp"))
    cut_short(disk, state, record, lost)
    assert disk.plan(*updated("a", "one", "1")).is_clean


def test_a_commit_whose_process_died_while_we_waited_for_its_lock_is_repaired_first(
    disk: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk.put("a", "one\ntwo\n").put("b", "b\n")
    disk.apply("*** Add File: c", "+c")
    (state,) = (disk.folder / "state").iterdir()
    half = FileRecord(
        disk.at("a"), snapshot("one\n"), snapshot("one\ntwo\n"), 4, 0, b"", disk.at("a.1.apply-patch.tmp")
    )
    rest = FileRecord(disk.at("b"), snapshot("b\n"), snapshot("c\n"), 0, 1, b"b", disk.at("b.1.apply-patch.tmp"))
    cut_short(disk, state, half, rest)
    monkeypatch.setattr(disk.workspace, "recover_if_needed", lambda: None)
    disk.apply(*updated("a", "one", "1"))
    assert disk.tree() == {"a": "1\n", "b": "b\n", "c": "c\n"}


def test_a_file_that_somebody_else_has_changed_since_is_left_alone_and_told(disk: Site) -> None:
    disk.put("a", "somebody else\n").put("m", "new\n").put("n", "m\n")
    disk.apply("*** Add File: c", "+c")
    (state,) = (disk.folder / "state").iterdir()
    record = FileRecord(
        disk.at("a"), snapshot("one\n"), snapshot("two\n"), 0, 1, b"one", disk.at("a.1.apply-patch.tmp")
    )
    # It was moved from m to n, and somebody has made another m: n is all that is left of it.
    gone = FileRecord(disk.at("m"), snapshot("m\n"), ABSENT, 0, 0, b"m\n", disk.at("m.1.apply-patch.tmp"))
    moved = FileRecord(
        disk.at("n"), ABSENT, snapshot("m\n"), staged=disk.at("n.1.apply-patch.tmp"), moved_from=disk.at("m")
    )
    cut_short(disk, state, record, gone, moved)
    (done,) = disk.workspace.recover()
    assert (done.outcome, sorted(done.left_alone)) == ("rolled_back", ["a", "m", "n"])
    assert disk.tree() == {"a": "somebody else\n", "c": "c\n", "m": "new\n", "n": "m\n"}
    assert disk.workspace.recover() == []


HOSTILE = [
    ("path", "{outside}/a"),
    ("path", "{root}/.git/hooks/pre-commit"),
    ("path", "{root}/../outside/a"),
    ("path", "{root}/.suture/locks/x"),
    ("staged", "{outside}/a.1.apply-patch.tmp"),
    ("staged", "{root}/precious"),
    ("staged", "{root}/x/a.1.apply-patch.tmp"),
    ("moved_from", "{outside}/a"),
    ("moved_from", "{root}/precious"),
    ("folder", "{outside}/empty"),
    ("folder", "{root}/empty"),
    ("folder", "relative"),
]


@pytest.mark.parametrize(("field", "path"), HOSTILE, ids=[" ".join(pair) for pair in HOSTILE])
@pytest.mark.parametrize("inside", [True, False], ids=["inside", "outside"])
def test_a_journal_that_names_what_is_not_ours_is_not_followed(disk: Site, field: str, path: str, inside: bool) -> None:
    outside = disk.folder / "outside"
    (outside / "empty").mkdir(parents=True)
    (outside / "a").write_text("mine\n")
    disk.put("precious", "mine\n").put(".git/config", "mine\n")
    disk.files.make_folder(disk.at("empty"))
    disk.apply("*** Add File: c", "+c")
    (state,) = (disk.folder / "state").iterdir()
    if inside:
        state = hostile_folder(disk)
    there = path.format(outside=outside, root=disk.root)
    a = disk.at("a")
    fields = {"path": a, "staged": f"{a}.1.apply-patch.tmp", "moved_from": ""}
    folders = (there,) if field == "folder" else ()
    if field != "folder":
        fields[field] = there
    record = FileRecord(
        fields["path"], snapshot("evil\n"), ABSENT, 0, 0, b"evil\n", fields["staged"], fields["moved_from"]
    )
    cut_short(disk, state, record, folders=folders)
    before = {str(one): one.read_bytes() for one in disk.folder.rglob("*") if one.is_file() and "store" not in one.name}
    if ".git" in path and not inside:
        return  # In the user's own state folder a commit with wider globs may have been recorded.
    for action in (disk.workspace.recover, lambda: disk.plan("*** Add File: d", "+d")):
        with pytest.raises(RecoveryNeededError) as raised:
            action()
        assert codes(raised)[0] in {"outside_workspace", "permission_denied", "invalid_arguments"}
    after = {str(one): one.read_bytes() for one in disk.folder.rglob("*") if one.is_file() and "store" not in one.name}
    assert {name: data for name, data in after.items() if "/locks/" not in name} == {
        name: data for name, data in before.items() if "/locks/" not in name
    }
    assert (outside / "empty").is_dir()


def hostile_folder(site: Site) -> Path:
    """A hidden folder as an archive could have brought it, with the modes of one of ours."""
    state = Path(site.at(".suture"))
    state.mkdir(0o700)
    (state / "locks").mkdir(0o700)
    (state / "locks" / "use").touch()
    return state


@pytest.mark.parametrize("name", ["../../../outside", "..", "outside", "/etc", "0123456789AB"])
def test_a_journal_inside_whose_commits_have_odd_names_removes_nothing(disk: Site, name: str) -> None:
    (disk.folder / "outside").mkdir()
    (disk.folder / "outside" / "kept").write_text("kept\n")
    state = hostile_folder(disk)
    (state / "trash").mkdir()
    store = Store(str(state))
    record = FileRecord(disk.at("a"), snapshot("a\n"), ABSENT, 0, 0, b"a\n", disk.at("a.1.apply-patch.tmp"))
    store.begin(Entry(name, 1.0, "", "", "", (record,)))
    store.close()
    with pytest.raises(RecoveryNeededError) as raised:
        disk.workspace.recover()
    assert codes(raised) == ["invalid_arguments"]
    assert (disk.folder / "outside" / "kept").read_text() == "kept\n"


@pytest.mark.parametrize("name", ["locks", "trash", "store.db", "store.db-wal", "store.db-shm", ".gitignore"])
def test_a_folder_inside_that_has_links_in_it_is_not_ours(tmp_path: Path, name: str) -> None:
    (tmp_path / "barred").write_text("")
    site = Site("disk", tmp_path, state_dir=tmp_path / "barred")
    outside = tmp_path / "outside"
    outside.mkdir()
    for kept in ("all", "use", "kept", "0123456789ab"):
        (outside / kept).write_text("kept\n")
    state = hostile_folder(site)
    store = Store(str(state))
    record = FileRecord(site.at("a"), ABSENT, snapshot("a\n"), 0, 0, b"", site.at("a.1.apply-patch.tmp"))
    store.begin(Entry("0123456789ab", 1.0, "", "", "", (record,)))
    store.close()
    there = state / name
    if there.is_dir():
        (there / "use").unlink()
        (there / "create").unlink(missing_ok=True)
        for lock in there.iterdir():
            lock.unlink()
        there.rmdir()
    there.unlink(missing_ok=True)
    there.symlink_to(outside if name in {"locks", "trash"} else outside / "kept")
    for workspace in (site.workspace, Workspace(site.root, state_dir=tmp_path / "state", durability="process")):
        for action in (
            workspace.recover,
            workspace.prune,
            lambda: workspace.apply(envelope("*** Add File: b", "+b")),  # noqa: B023 - called at once
            lambda: workspace.apply(envelope("*** Delete File: b")),  # noqa: B023
            workspace.close,
        ):
            with suppress(PatchRejectedError):
                action()
    assert {one.name: one.read_text() for one in outside.iterdir()} == dict.fromkeys(
        ("all", "use", "kept", "0123456789ab"), "kept\n"
    )


def test_a_journal_inside_reaches_no_other_root(tmp_path: Path) -> None:
    site, other = Site("disk", tmp_path), tmp_path / "other"
    other.mkdir()
    state = hostile_folder(site)
    planted = FileRecord(
        f"{other}/planted", snapshot("evil\n"), ABSENT, 0, 0, b"evil\n", f"{other}/planted.1.apply-patch.tmp"
    )
    cut_short(site, state, planted)
    with Workspace(site.root, extra_roots=[other], state_dir=tmp_path / "state") as workspace:
        with pytest.raises(RecoveryNeededError) as raised:
            workspace.recover()
        assert codes(raised) == ["outside_workspace"]
    assert list(other.iterdir()) == []


# In memory.


def test_a_workspace_in_memory_leaves_nothing_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    files = MemoryFiles({"a": "one\n"})
    with Workspace(files) as workspace:
        receipt = workspace.apply(envelope(*updated("a", "one", "two"), "*** Add File: b", "+b"))
        assert files.texts() == {"a": "two\n", "b": "b\n"}
        workspace.undo(receipt)
        assert files.texts() == {"a": "one\n"}
        assert repr(workspace) == "Workspace('/')"
    assert list(tmp_path.iterdir()) == []


def test_files_in_memory_can_have_a_history_on_the_disk(tmp_path: Path) -> None:
    files = MemoryFiles({"a": "one\n"})
    with Workspace(files, state_dir=tmp_path / "state", durability="process") as workspace:
        receipt = workspace.apply(envelope(*updated("a", "one", "two")))
    with Workspace(files, state_dir=tmp_path / "state", durability="process") as workspace:
        workspace.undo(receipt.id)
    assert files.texts() == {"a": "one\n"}
    (tmp_path / "barred").touch()
    with Workspace(files, state_dir=tmp_path / "barred") as workspace, pytest.raises(PatchRejectedError) as raised:
        workspace.apply(envelope(*updated("a", "one", "two")))
    assert codes(raised) == ["io_error"]


def test_a_patch_on_a_dictionary_gives_another_dictionary() -> None:
    texts: dict[str, str | bytes] = {"a": "one\n", "b": b"b\n", "c": b"\xff\n", "d": "d\n", "gone": "gone\n"}
    done = apply_in_memory(
        envelope(
            *updated("a", "one", "two"),
            *updated("b", "b", "bytes"),
            "*** Update File: c",
            "*** Move to: x/c",
            "*** Update File: d",
            "*** Move to: x/d",
            "@@",
            "-d",
            "+e",
            "*** Delete File: gone",
            "*** Add File: new",
            "+é",
        ),
        texts,
    )
    assert done.texts == {"a": "two\n", "b": b"bytes\n", "x/c": b"\xff\n", "x/d": "e\n", "new": "é\n"}
    assert texts["a"] == "one\n"
    assert [change.kind for change in done.plan.changes] == ["update", "update", "move", "move", "delete", "add"]


def test_what_was_given_as_bytes_comes_back_as_bytes_also_when_it_was_moved_and_changed() -> None:
    patch = envelope("*** Update File: a", "*** Move to: b", "@@", "-one", "+two")
    assert apply_in_memory(patch, {"a": b"one\n"}).texts == {"b": b"two\n"}
    assert apply_in_memory(patch, {"a": "one\n\udc80\n"}).texts == {"b": "two\n\udc80\n"}


def test_a_patch_on_a_dictionary_is_all_or_nothing() -> None:
    with pytest.raises(PatchRejectedError) as raised:
        apply_in_memory(
            envelope(*updated("a", "one", "two"), *updated("b", "x", "y"), "*** Add File: ../c"), {"a": "one\n"}
        )
    assert codes(raised) == ["not_found", "outside_workspace"]
    assert apply_in_memory(envelope("*** Add File: a", "+x"), {"a": "one\n"}, dialect="codex").texts == {"a": "x\n"}


def test_the_defaults_keep_a_month() -> None:
    assert state.KEEP_SECONDS == 30 * 24 * 3600
