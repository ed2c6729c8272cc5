"""Undo: every commit can be undone, merged with later changes or refused, and no change is lost."""

from __future__ import annotations

import os
from contextlib import suppress
from hashlib import sha256

import pytest
from tests.shared.sites import Site, codes, envelope, updated

from suture import PatchRejectedError, Workspace
from suture.testing import FaultyFiles
from suture.workspace import committer


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
    assert [one.tool for one in log] == ["undo", "redo", "undo", "apply_patch"]
    # The redo is undone, so the first undo is in effect again.
    assert [one.undone_by for one in log] == ["", log[0].id, "", undone.id]


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
    site.put("c", "c!\n")
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
    assert [note.name for change in undone.changes for note in change.concessions] == ["rebased"]
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


@pytest.mark.parametrize("path", ["b", "new/deep/x", "to/a", "c"])
def test_one_file_of_a_commit_that_made_directories_is_undone_alone(site: Site, path: str) -> None:
    site.put("a", "a\n").put("b", "b\n").put("c", "c\n")
    patch = ("*** Update File: a", "*** Move to: to/a", *updated("b", "b", "B"), "*** Add File: new/deep/x", "+x")
    done = site.apply(*patch, "*** Delete File: c")
    after = {"b": "B\n", "new/": "", "new/deep/": "", "new/deep/x": "x\n", "to/": "", "to/a": "a\n"}
    assert site.tree() == after
    undone = {
        "b": {**after, "b": "b\n"},
        "new/deep/x": {"b": "B\n", "to/": "", "to/a": "a\n"},
        "to/a": {"a": "a\n", **{name: text for name, text in after.items() if name[:2] != "to"}},
        "c": {**after, "c": "c\n"},
    }
    receipt = site.workspace.undo(done, path=path)
    assert site.tree() == undone[path]
    site.workspace.undo(receipt)
    assert site.tree() == after


def test_a_merge_keeps_later_commits_also_next_to_equal_lines(site: Site) -> None:
    """The content that the commit left is known, so the merge has three sides and no search."""
    lines = [f"line {number}\n" for number in range(9)]
    site.put("a", "".join(lines))
    receipt = site.workspace.edit("a", "line 4\n", "changed\n")
    site.workspace.edit("a", "line 1\n", "changed\n")
    site.workspace.edit("a", "line 7\n", "changed\n")
    site.workspace.undo(receipt, merge=True)
    assert site.tree()["a"] == "".join([*lines[:1], "changed\n", *lines[2:7], "changed\n", *lines[8:]])


def test_a_merge_that_would_touch_a_later_commit_shows_both(site: Site) -> None:
    site.put("a", "one\ntwo\nthree\n")
    receipt = site.workspace.edit("a", "two", "2")
    site.workspace.edit("a", "2\nthree", "zwei\ndrei")
    with pytest.raises(PatchRejectedError) as refused:
        site.workspace.undo(receipt, merge=True)
    assert [problem.code for problem in refused.value.problems] == ["stale_file", "conflict"]
    assert "merge=True" not in str(refused.value), "it was tried"
    assert site.tree()["a"] == "one\nzwei\ndrei\n"


def test_a_file_that_is_gone_is_named_with_the_commit_that_would_be_undone_or_redone(site: Site) -> None:
    site.put("a", "one\n")
    receipt = site.apply(*updated("a", "one", "two"))
    undone = site.workspace.undo(receipt)
    site.files.remove(site.at("a"))
    (problem,) = site.workspace.plan_undo(undone.id).problems
    assert problem.message.splitlines()[0] == f"a no longer exists, so the commit {receipt.id} can't be redone."
    site.put("a", "one\n")
    again = site.workspace.undo(undone)
    site.files.remove(site.at("a"))
    (problem,) = site.workspace.plan_undo(again.id).problems
    assert problem.message.splitlines()[0] == f"a no longer exists, so the commit {again.id} can't be undone."
