"""Recovery: a commit whose process died is rolled back, and a forged journal is not followed."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from tests.shared.sites import Site, codes, digest, envelope, updated

from suture import PatchRejectedError, RecoveryNeededError, Workspace
from suture.core.readers import COMMAND
from suture.core.record import ABSENT, Entry, FileRecord, Snapshot
from suture.state.store import Store


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
        # What may have come with the files is named before any advice that would let it do more.
        assert raised.value.problems[0].hint.startswith("If nobody here made this commit") == inside
    after = {str(one): one.read_bytes() for one in disk.folder.rglob("*") if one.is_file() and "store" not in one.name}
    assert {name: data for name, data in after.items() if "/locks/" not in name} == {
        name: data for name, data in before.items() if "/locks/" not in name
    }
    assert (outside / "empty").is_dir()


def test_a_journal_inside_that_is_moved_elsewhere_no_longer_stops_anything(disk: Site) -> None:
    state = hostile_folder(disk)
    record = FileRecord(disk.at(".env"), snapshot("evil\n"), ABSENT, 0, 0, b"evil\n", disk.at(".env.1.apply-patch.tmp"))
    cut_short(disk, state, record)
    with pytest.raises(RecoveryNeededError) as raised:
        disk.plan("*** Add File: d", "+d")
    assert raised.value.told_to(COMMAND).problems[0].hint == (
        "If nobody here made this commit, its journal came with the files: move the directory .suture elsewhere. "
        "If it is yours, run: suture recover --allow .env"
    )
    state.rename(disk.folder / "elsewhere")
    disk.apply("*** Add File: d", "+d")
    assert disk.tree() == {"d": "d\n"}


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


@pytest.mark.parametrize("way", ["moved away", "replaced by a link"])
def test_staged_files_in_a_directory_that_is_moved_about_are_removed_later(disk: Site, way: str) -> None:
    """A directory that was away during the rollback came back with the staged files, and no journal knew of them."""
    disk.put("sub/a", "a\n").put("b", "b\n")
    (disk.folder / "outside").mkdir()
    sub, away = Path(disk.at("sub")), disk.folder / "away"

    def swap(name: str) -> None:
        if name == "rename" and sub.is_dir() and not sub.is_symlink():
            sub.rename(away)
            if way != "moved away":
                sub.symlink_to(disk.folder / "outside")

    disk.between = swap
    with pytest.raises(RecoveryNeededError):
        disk.apply("*** Add File: sub/new", "+new", "*** Add File: sub/newer", "+newer", *updated("b", "b", "c"))
    disk.between = None
    with suppress(RecoveryNeededError):
        disk.workspace.recover()
    if sub.is_symlink():
        sub.unlink()
    away.rename(sub)
    assert [one.outcome for one in disk.open().recover()] == ["rolled_back"]
    assert disk.tree() == {"b": "b\n", "sub/": "", "sub/a": "a\n"}
    assert list((disk.folder / "outside").iterdir()) == []


def test_a_directory_that_was_removed_for_good_does_not_prevent_a_recovery(disk: Site) -> None:
    disk.put("b", "two\n")
    disk.apply("*** Add File: c", "+c")
    (state,) = (disk.folder / "state").iterdir()
    lost = FileRecord(disk.at("sub/d"), ABSENT, snapshot("d\n"), staged=disk.at("sub/d.1.apply-patch.tmp"))
    half = FileRecord(disk.at("b"), snapshot("one\n"), snapshot("two\n"), 0, 1, b"one", disk.at("b.1.apply-patch.tmp"))
    cut_short(disk, state, lost, half)
    assert [one.outcome for one in disk.open().recover()] == ["rolled_back"]
    assert disk.tree() == {"b": "one\n", "c": "c\n"}
