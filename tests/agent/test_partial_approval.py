"""A part of a change: the hunks that were approved are done, byte for byte, and nothing else is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, strategies as st

from suture import Workspace, unified_diff
from suture.agent.answers import Answer, Decision
from suture.agent.partial_approval import approved_plan, keep_hunks
from suture.agent.requests import Request
from suture.core.line_hunks import line_hunks
from suture.workspace import MemoryFiles, Plan

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path
    from typing import Literal

BEFORE = "".join(f"line {number}\n" for number in range(1, 31))
AFTER = BEFORE.replace("line 2\n", "TWO\n").replace("line 15\n", "").replace("line 29\n", "line 29\n29b\n")

_lines = st.lists(
    st.sampled_from(["a\n", "b\n", "@@ -1 +1 @@\n", "--- a/x\n", "+\n", "\r\n", "\\ no\n", "\n"]), max_size=40
)
_texts = st.tuples(_lines, st.sampled_from(["", "end"])).map(lambda parts: "".join(parts[0]) + parts[1])


@given(_texts, _texts, st.integers(0, 3))
def test_all_hunks_give_the_new_text_and_none_the_old_one(before: str, after: str, context: int) -> None:
    diff = unified_diff(before, after, "x", context=context)
    hunks = line_hunks(before, after, context)
    assert diff.endswith("".join(map(str, hunks)))
    assert keep_hunks(before, hunks, range(1, len(hunks) + 1)) == after
    assert keep_hunks(before, hunks, ()) == before


@given(_texts, _texts, st.sets(st.integers(1, 6)))
def test_what_was_left_out_is_all_that_is_missing_to_the_new_text(before: str, after: str, numbers: set[int]) -> None:
    """Of hunks without context, so that what was kept does not move those that come later."""
    hunks = line_hunks(before, after, 0)
    some = keep_hunks(before, hunks, numbers)
    rest = line_hunks(some, after, 0)
    assert keep_hunks(some, rest, range(1, len(rest) + 1)) == after
    if not numbers.intersection(range(1, len(hunks) + 1)):
        assert some == before


def test_hunks_are_taken_one_by_one() -> None:
    hunks = line_hunks(BEFORE, AFTER)
    assert len(hunks) == 3
    assert keep_hunks(BEFORE, hunks, {1}) == BEFORE.replace("line 2\n", "TWO\n")
    assert keep_hunks(BEFORE, hunks, {2, 3}) == BEFORE.replace("line 15\n", "").replace("line 29\n", "line 29\n29b\n")


def approved(
    workspace: Workspace, plan: Plan, hunks: Mapping[str, Iterable[int] | Literal["all"]]
) -> tuple[Plan, Mapping[str, str]]:
    """The approved part of a plan, and the files once it is committed."""
    request = Request.from_plan(plan)
    answer = Answer.some(hunks)
    answer.check(request)
    part = approved_plan(plan, Decision(request, answer))
    workspace.commit(part)
    assert isinstance(workspace.files, MemoryFiles)
    texts = {path: text.decode() if isinstance(text, bytes) else text for path, text in workspace.files.texts().items()}
    return part, texts


def test_a_whole_decision_leaves_the_plan_as_it_is() -> None:
    plan = Workspace(MemoryFiles({"a.py": BEFORE})).plan_write("a.py", AFTER)
    assert approved_plan(plan, Decision(Request.from_plan(plan))) is plan


def test_of_an_update_only_the_approved_hunks_are_committed() -> None:
    workspace = Workspace(MemoryFiles({"a.py": BEFORE}))
    part, texts = approved(workspace, workspace.plan_write("a.py", AFTER), {"a.py": [1, 3]})
    wanted = BEFORE.replace("line 2\n", "TWO\n").replace("line 29\n", "line 29\n29b\n")
    assert texts == {"a.py": wanted}
    (change,) = part.changes
    assert (change.kind, change.additions, change.deletions) == ("update", 2, 1)
    assert change.diff == unified_diff(BEFORE, wanted, "a.py")


PATCH = """*** Begin Patch
*** Update File: a.py
@@
-line 2
+TWO
@@
-line 29
+LAST
*** Add File: new/deep/n.py
+new
*** Add File: other/o.py
+other
*** Delete File: old.py
*** Update File: m.txt
*** Move to: moved/m.txt
@@
-line 2
+TWO
@@
-line 29
+LAST
*** End Patch
"""
FILES = {"a.py": BEFORE, "old.py": "old\n", "m.txt": BEFORE}


def test_files_that_were_not_approved_are_left_alone_with_their_folders() -> None:
    workspace = Workspace(MemoryFiles(FILES))
    part, texts = approved(workspace, workspace.plan(PATCH), {"a.py": [2], "other/o.py": "all"})
    assert texts == FILES | {"a.py": BEFORE.replace("line 29\n", "LAST\n"), "other/o.py": "other\n"}
    assert [(change.kind, change.path) for change in part.changes] == [("update", "a.py"), ("add", "other/o.py")]
    assert part.folders == ("/other",)


@pytest.mark.parametrize(
    ("approved_file", "folders"),
    [
        ("new/a.py", ["/new"]),
        ("new/deep/b.py", ["/new", "/new/deep"]),
        # The name of a directory may be the beginning of another's.
        ("newer/c.py", ["/newer"]),
        ("d.py", []),
    ],
)
def test_only_the_directories_of_approved_files_are_made(approved_file: str, folders: list[str]) -> None:
    names = ("new/a.py", "new/deep/b.py", "newer/c.py", "d.py")
    added = "".join(f"*** Add File: {name}\n+text\n" for name in names)
    workspace = Workspace(MemoryFiles({}))
    plan = workspace.plan(f"*** Begin Patch\n{added}*** End Patch\n")
    assert sorted(plan.folders) == ["/new", "/new/deep", "/newer"]
    part, texts = approved(workspace, plan, {approved_file: "all"})
    assert list(part.folders) == folders
    assert texts == {approved_file: "text\n"}


def test_a_file_that_moves_takes_the_approved_hunks_along() -> None:
    workspace = Workspace(MemoryFiles(FILES))
    part, texts = approved(workspace, workspace.plan(PATCH), {"m.txt": [1], "old.py": [1]})
    assert texts == {"a.py": BEFORE, "moved/m.txt": BEFORE.replace("line 2\n", "TWO\n")}
    assert [str(change) for change in part.changes] == ["D old.py +0 -1", "M m.txt -> moved/m.txt +1 -1"]


def test_bytes_that_are_no_text_and_endings_stay_as_they_were() -> None:
    content = BEFORE.replace("\n", "\r\n").encode() + b"\xff last"
    workspace = Workspace(MemoryFiles({"a.py": content}))
    plan = workspace.plan_multiedit("a.py", [("line 2\r\n", "TWO\r\n"), ("line 29\r\n", "LAST\r\n")])
    assert plan.problems == ()
    request = Request.from_plan(plan)
    part = approved_plan(plan, Decision(request, Answer.some({"a.py": [2]})))
    assert part.files[0].content == content.replace(b"line 29\r\n", b"LAST\r\n")


def test_a_plan_that_was_kept_as_json_can_be_approved_in_part() -> None:
    plan = Workspace(MemoryFiles({"a.py": BEFORE})).plan_write("a.py", AFTER)
    kept = Plan.from_json(plan.to_json())
    parts = [approved_plan(one, Decision(Request.from_plan(one), Answer.some({"a.py": [1]}))) for one in (plan, kept)]
    assert parts[0].files == parts[1].files


@pytest.mark.parametrize("move", ["", "*** Move to: moved.txt\n"])
def test_behind_a_link_the_approved_hunks_are_written_where_it_leads(tmp_path: Path, move: str) -> None:
    root = tmp_path / "work"
    root.mkdir()
    (root / "target.txt").write_text(BEFORE)
    (root / "link.txt").symlink_to("target.txt")
    hunks = "@@\n-line 2\n+TWO\n@@\n-line 29\n+LAST\n"
    patch = f"*** Begin Patch\n*** Update File: link.txt\n{move}{hunks}*** End Patch\n"
    with Workspace(root, state_dir=tmp_path / "state") as workspace:
        plan = workspace.plan(patch)
        decision = Decision(Request.from_plan(plan), Answer.some({"link.txt": [2]}))
        workspace.commit(approved_plan(plan, decision))
    assert (root / "target.txt").read_text() == BEFORE.replace("line 29\n", "LAST\n")
    assert sorted(entry.name for entry in root.iterdir()) == ["moved.txt" if move else "link.txt", "target.txt"]


def test_behind_a_link_the_text_of_a_person_is_written_where_it_leads(tmp_path: Path) -> None:
    root = tmp_path / "work"
    root.mkdir()
    (root / "target.txt").write_text(BEFORE)
    (root / "link.txt").symlink_to("target.txt")
    with Workspace(root, state_dir=tmp_path / "state") as workspace:
        plan = workspace.plan_edit("link.txt", "line 2\n", "TWO\n")
        decision = Decision(Request.from_plan(plan), Answer.once().replace(edits={"link.txt": "mine\n"}))
        workspace.commit(approved_plan(plan, decision))
    assert (root / "target.txt").read_text() == "mine\n"
    assert (root / "link.txt").is_symlink()


def test_a_bom_is_kept_once_whichever_hunks_are_approved() -> None:
    for numbers in ([1], [2], [1, 2]):
        workspace = Workspace(MemoryFiles({"a.py": "\ufeff" + BEFORE}))
        after = "\ufeff" + BEFORE.replace("line 1\n", "ONE\n").replace("line 29\n", "LAST\n")
        plan = workspace.plan_write("a.py", after)
        _, texts = approved(workspace, plan, {"a.py": numbers})
        wanted = BEFORE.replace("line 1\n", "ONE\n" if 1 in numbers else "line 1\n")
        assert texts == {"a.py": "\ufeff" + wanted.replace("line 29\n", "LAST\n" if 2 in numbers else "line 29\n")}


def test_a_file_and_a_link_to_it_can_be_approved_as_a_whole_only(tmp_path: Path) -> None:
    """The second change is built upon the first: to approve it alone would write what was not approved."""
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "a.py").write_text("1\n")
    (tmp_path / "root" / "link.py").symlink_to("a.py")
    workspace = Workspace(tmp_path / "root", state_dir=tmp_path / "state")
    text = "*** Begin Patch\n*** Update File: link.py\n@@\n-1\n+one\n"
    text += "*** Update File: a.py\n@@\n-one\n+ONE\n*** End Patch\n"
    request = Request.from_plan(workspace.plan(text))
    assert request.whole_only
    with pytest.raises(ValueError, match="as a whole only"):
        Answer.some({"a.py": "all"}).check(request)


def test_the_model_is_told_of_files_without_hunks_that_were_not_approved() -> None:
    """An empty file and another name have no hunks whose numbers could be named."""
    sections = (
        "*** Add File: empty.py",
        "*** Update File: m.txt",
        "*** Move to: n.txt",
        "*** Update File: a.py",
        "@@",
        "-line 2",
        "+TWO",
    )
    patch = "\n".join(["*** Begin Patch", *sections, "*** End Patch", ""])
    request = Request.from_plan(Workspace(MemoryFiles({"a.py": BEFORE, "m.txt": "m\n"})).plan(patch))
    answer = Answer.some({"a.py": "all"})
    answer.check(request)
    told = Decision(request, answer).for_model().split("\n")
    assert told[1:3] == ["empty.py: not changed", "m.txt: not changed"]
