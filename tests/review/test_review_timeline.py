"""The timeline: commits with their filters, undo and redo with the reason why not, and which commit wrote a line."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.shared.agents import Agent

from suture import PatchRejectedError, Workspace
from suture.review import Timeline

if TYPE_CHECKING:
    from collections.abc import Iterator

LINES = "".join(f"line {number}\n" for number in range(1, 11))


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "a.txt").write_text(LINES)
    with Workspace(tmp_path / "root", state_dir=tmp_path / "state", durability="process") as opened:
        yield opened


def writers(workspace: Workspace, path: str = "a.txt") -> list[str]:
    return [line.commit for line in Timeline(workspace).blame(path).lines]


class TestCommits:
    def test_they_are_filtered_by_file_time_and_number(self, workspace: Workspace) -> None:
        made = [workspace.write(f"{name}.txt", "x\n") for name in "bcd"]
        timeline = Timeline(workspace)
        ids = [receipt.id for receipt in reversed(made)]
        assert [receipt.id for receipt in timeline.commits()] == ids
        assert [receipt.id for receipt in timeline.commits(2)] == ids[:2]
        assert [receipt.id for receipt in timeline.commits(before=ids[0])] == ids[1:]
        assert [receipt.id for receipt in timeline.commits(path="c.txt")] == [made[1].id]
        assert [receipt.id for receipt in timeline.commits(since=made[2].time)] == ids[:1]
        assert [receipt.id for receipt in timeline.commits(until=made[0].time)] == ids[2:]
        assert timeline.commit(ids[0][:6]).id == ids[0]

    def test_a_commit_knows_the_session_that_made_it(self, tmp_path: Path) -> None:
        first, agent = Agent(tmp_path), Agent(tmp_path)
        first.run(lambda session: session.write("b.txt", "x\n"))
        agent.run(lambda session: session.write("c.txt", "x\n"))
        ids = [first.session.id, agent.session.id]
        timeline = Timeline(agent.workspace)
        assert [receipt.session for receipt in timeline.commits()] == ids[::-1]
        assert [receipt.changes[0].path for receipt in timeline.commits(session=ids[0])] == ["b.txt"]
        agent.workspace.write("d.txt", "x\n")
        assert timeline.commits(1)[0].session == ""

    def test_it_opens_a_workspace_with_its_configuration(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("SUTURE_STATE_DIR", str(tmp_path / "state"))
        root = tmp_path / "project"
        root.mkdir()
        (root / ".suture.toml").write_text('deny = ["secret/**"]\n')
        timeline = Timeline.open(str(root))
        with timeline.workspace, pytest.raises(PatchRejectedError):
            timeline.workspace.write("secret/a", "x")


class TestReversals:
    def test_a_commit_is_undone_and_redone(self, workspace: Workspace) -> None:
        timeline = Timeline(workspace)
        commit = workspace.edit("a.txt", "line 3\n", "LINE 3\n").id
        assert timeline.reversal(commit).action == "undo"
        undo = timeline.undo(commit)
        assert (undo.actor, workspace.read("a.txt").text) == ("review", LINES)
        assert (timeline.reversal(commit).action, timeline.reversal(commit).is_possible) == ("redo", True)
        timeline.redo(commit)
        assert "LINE 3" in str(workspace.read("a.txt").text)
        with pytest.raises(PatchRejectedError, match="is not undone"):
            timeline.redo(commit)

    def test_the_reason_is_told_where_it_cannot_be_undone(self, workspace: Workspace) -> None:
        timeline = Timeline(workspace)
        commit = workspace.edit("a.txt", "line 3\n", "LINE 3\n").id
        workspace.edit("a.txt", "line 9\n", "LINE 9\n")
        reversal = timeline.reversal(commit)
        assert (reversal.is_possible, reversal.may_merge) == (False, True)
        assert "a.txt has changed since" in reversal.reason
        with pytest.raises(PatchRejectedError):
            timeline.undo(commit)
        timeline.undo(commit, merge=True)
        assert workspace.read("a.txt").text == LINES.replace("line 9", "LINE 9")

    def test_a_hunk_that_the_encoding_of_the_file_lacks_is_not_undone(self, workspace: Workspace) -> None:
        workspace.write("a.txt", f"ж\n{LINES}")
        written = f"\udce9\n{LINES.replace('10', 'ten')}".encode("utf-8", "surrogateescape")
        commit = workspace.write("a.txt", written)
        assert len(commit.changes[0].hunks) == 2
        with pytest.raises(PatchRejectedError, match="U\\+0436"):
            Timeline(workspace).undo_hunk(commit.id, 0, 1)
        assert workspace.read("a.txt").content == written
        Timeline(workspace).undo_hunk(commit.id, 0, 2)
        assert workspace.read("a.txt").content == written.replace(b"ten", b"10")

    def test_only_one_file_of_a_commit_is_undone(self, workspace: Workspace) -> None:
        patch = "*** Begin Patch\n*** Add File: b\n+b\n*** Add File: c\n+c\n*** End Patch\n"
        commit = workspace.apply(patch).id
        Timeline(workspace).undo(commit, path="b")
        assert ((workspace.read("c").text), [change.path for change in Timeline(workspace).commits(1)[0].changes]) == (
            "c\n",
            ["b"],
        )


class TestBlame:
    def test_each_line_is_of_the_commit_that_wrote_it(self, workspace: Workspace) -> None:
        one = workspace.edit("a.txt", "line 3\n", "LINE 3\n").id
        two = workspace.edit("a.txt", "line 1\n", "first\nsecond\n").id
        blame = Timeline(workspace).blame("a.txt")
        assert [(line.number, line.text, line.commit) for line in blame.lines[:5]] == [
            (1, "first", two),
            (2, "second", two),
            (3, "line 2", ""),
            (4, "LINE 3", one),
            (5, "line 4", ""),
        ]
        assert ([receipt.id for receipt in blame.commits], blame.gap) == ([two, one], "")

    def test_the_file_may_have_been_changed_by_hand_since(self, workspace: Workspace) -> None:
        one = workspace.edit("a.txt", "line 3\n", "LINE 3\n").id
        text = str(workspace.read("a.txt").text)
        Path(workspace.root, "a.txt").write_text("by hand\n" + text)
        assert writers(workspace) == ["", "", "", one, *[""] * 7]

    def test_an_added_file_is_all_of_its_commit_and_keeps_that_through_a_rename(self, workspace: Workspace) -> None:
        added = workspace.write("b.txt", "one\ntwo\nthree\n").id
        workspace.move("b.txt", "c.txt")
        changed = workspace.edit("c.txt", "two", "TWO").id
        assert writers(workspace, "c.txt") == [added, changed, added]

    def test_an_undo_gives_a_line_back_to_its_first_writer(self, workspace: Workspace) -> None:
        one = workspace.edit("a.txt", "line 3\n", "LINE 3\n").id
        two = workspace.edit("a.txt", "LINE 3\n", "Line 3\n").id
        undo = workspace.undo(two).id
        assert writers(workspace)[2] == one
        workspace.undo(undo)
        assert writers(workspace)[2] == two

    def test_what_cannot_be_taken_back_ends_the_search_with_a_reason(self, workspace: Workspace) -> None:
        workspace.write("b.txt", "one\n" * 3)
        commit = workspace.edit("b.txt", "one\none\none\n", "two\ntwo\nthree\n").id
        Path(workspace.root, "b.txt").write_text("other\n")
        blame = Timeline(workspace).blame("b.txt")
        assert ([line.commit for line in blame.lines], commit in blame.gap) == ([""], True)

    def test_crlf_a_bom_and_no_final_newline_are_no_hindrance(self, workspace: Workspace) -> None:
        added = workspace.write("b.txt", "\ufeffone\r\ntwo\r\nthree".encode()).id
        changed = workspace.edit("b.txt", "two", "TWO").id
        last = workspace.edit("b.txt", "three", "three\n").id
        assert writers(workspace, "b.txt") in ([added, changed, added], [added, changed, last])

    @pytest.mark.parametrize("path", ["nowhere", "../outside", "binary"])
    def test_a_file_that_has_no_lines_is_refused(self, workspace: Workspace, path: str) -> None:
        workspace.write("binary", b"\0\1\2")
        with pytest.raises(PatchRejectedError):
            Timeline(workspace).blame(path)

    def test_the_search_is_bounded(self, workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("suture.review.timeline.MOST_BLAMED", 2)
        for number in range(4):
            workspace.edit("a.txt", f"line {number + 1}\n", f"LINE {number + 1}\n")
        blame = Timeline(workspace).blame("a.txt")
        assert (len(blame.commits), "last 2 commits" in blame.gap) == (2, True)
