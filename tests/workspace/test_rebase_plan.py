"""A plan that was made on earlier contents of files, merged with what they are now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.shared.sites import envelope, updated

from suture import Workspace
from suture.testing import MemoryFiles
from suture.workspace.rebase_plan import plan_rebased

if TYPE_CHECKING:
    from suture.core.outcome import Plan

BASE = "one\n\n\ntwo\n\n\nthree\n"
PATCH = envelope(*updated("a.txt", "two", "2"), *updated("b.txt", "two", "zwei"))


def rebased(texts: dict[str, str]) -> Plan:
    """The plan of the patch for two files that were alike, and now have these texts."""
    workspace = Workspace(MemoryFiles(dict(texts)))
    bases = {workspace.guard().absolute(path): BASE.encode() for path in ("a.txt", "b.txt")}
    return plan_rebased(workspace, bases, lambda view: view.plan(PATCH))


def test_each_file_is_merged_with_its_own_change_and_has_a_change_in_the_plan() -> None:
    plan = rebased({"a.txt": BASE.replace("one", "1"), "b.txt": BASE.replace("three", "drei")})
    assert {file.shown: file.content.decode() for file in plan.files} == {
        "a.txt": BASE.replace("one", "1").replace("two", "2"),
        "b.txt": BASE.replace("three", "drei").replace("two", "zwei"),
    }
    # What somebody else has changed is no part of a change.
    changes = [(change.path, [line for hunk in change.hunks for line in hunk.lines if line[0] in "+-"])
               for change in plan.changes]  # fmt: skip
    assert changes == [("a.txt", ["-two\n", "+2\n"]), ("b.txt", ["-two\n", "+zwei\n"])]


def test_a_file_that_is_gone_is_not_made_anew() -> None:
    plan = rebased({"b.txt": BASE})
    assert [(problem.code, problem.path) for problem in plan.problems] == [("not_found", "a.txt")]
    assert plan.files == ()
