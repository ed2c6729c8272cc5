"""Paths in a plan: absolute ones, the prefixes of diffs, missing files, and links."""

from __future__ import annotations

import pytest
from tests.shared.sites import CREATING, Site, envelope, updated

from suture import Concession, Workspace
from suture.testing import MemoryFiles

# Paths.


@pytest.mark.parametrize("dialect", CREATING)
def test_an_absolute_path_inside_is_the_relative_one(site: Site, dialect: str) -> None:
    site.put("a.py", "one\n")
    plan = site.plan(*updated(site.at("a.py"), "one", "two"), dialect=dialect)
    assert [change.path for change in plan.changes] == ["a.py"]


def test_an_absolute_path_is_refused_in_strict(site: Site) -> None:
    site.put("a.py", "one\n")
    assert site.codes(*updated(site.at("a.py"), "one", "two"), dialect="strict") == ["command_failed"]


@pytest.mark.parametrize("prefix", ["a", "b"])
def test_a_path_with_the_prefix_of_a_diff_is_read_without_it_where_there_is_no_such_file(
    site: Site, prefix: str
) -> None:
    site.put("src/app.py", "one\n")
    plan = site.plan(*updated(f"{prefix}/src/app.py", "one", "two"))
    assert [(change.path, change.concessions) for change in plan.changes] == [
        ("src/app.py", (Concession("path_prefix"),))
    ]
    assert site.codes(*updated(f"{prefix}/src/app.py", "one", "two"), dialect="codex") == ["not_found"]


def test_a_path_with_the_prefix_of_a_diff_is_read_literally_where_there_is_such_a_file(site: Site) -> None:
    site.put("a/x.py", "one\n").put("x.py", "one\n")
    plan = site.plan(*updated("a/x.py", "one", "two"))
    assert [(change.path, change.concessions) for change in plan.changes] == [("a/x.py", ())]


def test_both_names_of_a_move_lose_the_prefix_of_a_diff(site: Site) -> None:
    site.put("x.py", "one\n")
    plan = site.plan("*** Update File: a/x.py", "*** Move to: b/y.py")
    assert [str(change) for change in plan.changes] == ["M x.py -> y.py (leading directories of a path ignored)"]
    site.put("b/z.py")
    plan = site.plan("*** Update File: a/x.py", "*** Move to: b/y.py")
    assert [str(change) for change in plan.changes] == ["M x.py -> b/y.py (leading directories of a path ignored)"]


def test_a_missing_file_names_the_one_that_may_be_meant(site: Site) -> None:
    site.put("src/application.py").put(".env").put("src/other.txt")
    (problem,) = site.plan("*** Delete File: src/aplication.py").problems
    assert (problem.code, problem.path, problem.details) == (
        "not_found",
        "src/aplication.py",
        {"path": "src/aplication.py"},
    )
    assert problem.hint == "Did you mean src/application.py?"
    (problem,) = site.plan("*** Delete File: scr/application.py").problems
    assert problem.hint == "Did you mean src/application.py?"
    (problem,) = site.plan("*** Delete File: en").problems
    assert ".env" not in problem.hint


def test_a_patch_of_many_missing_files_looks_at_a_folder_once(site: Site) -> None:
    for number in range(100):
        site.put(f"{number:03}-{'x' * 200}")
    site.seen.clear()
    sections = [f"*** Delete File: {number:03}-{'y' * 200}" for number in range(100)]
    assert site.codes(*sections) == ["not_found"] * 100
    assert len([name for name, _ in site.seen if name == "list"]) == 1


@pytest.mark.parametrize("dialect", CREATING)
def test_the_same_file_in_two_sections_is_changed_one_after_the_other(site: Site, dialect: str) -> None:
    site.put("a.py", "one\ntwo\n")
    site.apply(*updated("a.py", "one", "1"), *updated("a.py", "1", "first"), dialect=dialect)
    assert site.tree() == {"a.py": "first\ntwo\n"}


def test_the_same_file_in_two_sections_is_refused_in_strict(site: Site) -> None:
    site.put("a.py", "one\ntwo\n")
    problems = site.plan(*updated("a.py", "one", "1"), *updated("a.py", "two", "2"), dialect="strict").problems
    assert [(problem.code, problem.details["reason"]) for problem in problems] == [
        ("patch_apply_error", "duplicate_path")
    ]


# Links.


def test_an_update_of_a_link_is_written_through_it(site: Site) -> None:
    site.put("src/app.py", "one\n", mode=0o755).link("link.py", "src/app.py")
    receipt = site.apply(*updated("link.py", "one", "two"))
    assert site.tree() == {"link.py": "-> src/app.py", "src/": "", "src/app.py": "two\n"}
    assert site.mode("src/app.py") == 0o755
    site.workspace.undo(receipt)
    assert site.tree() == {"link.py": "-> src/app.py", "src/": "", "src/app.py": "one\n"}


def test_a_link_and_its_target_are_one_file(site: Site) -> None:
    site.put("a", "one\ntwo\n").link("l", "a")
    site.apply(*updated("l", "one", "1"), *updated("a", "two", "2"))
    assert site.tree() == {"a": "1\n2\n", "l": "-> a"}
    assert site.codes(*updated("l", "1", "one"), *updated("a", "2", "two"), dialect="strict") == ["patch_apply_error"]


def test_a_delete_acts_on_the_link_itself(site: Site) -> None:
    site.put("a", "a\n").put("folder/x", "x\n").link("l", "a").link("f", "folder").link("nowhere", "lost")
    receipt = site.apply("*** Delete File: l", "*** Delete File: f", "*** Delete File: nowhere")
    assert site.tree() == {"a": "a\n", "folder/": "", "folder/x": "x\n"}
    site.workspace.undo(receipt)
    assert site.tree() == {
        "a": "a\n",
        "f": "-> folder",
        "folder/": "",
        "folder/x": "x\n",
        "l": "-> a",
        "nowhere": "-> lost",
    }


@pytest.mark.parametrize("target", ["a", "folder", "lost"])
def test_a_move_acts_on_the_link_itself_wherever_it_leads(site: Site, target: str) -> None:
    site.put("a", "a\n").put("folder/x", "x\n").link("l", target)
    receipt = site.apply("*** Update File: l", "*** Move to: new/m")
    assert site.tree() == {"a": "a\n", "folder/": "", "folder/x": "x\n", "new/": "", "new/m": f"-> {target}"}
    assert receipt.moved == (("l", "new/m"),)
    site.workspace.undo(receipt)
    assert site.tree() == {"a": "a\n", "folder/": "", "folder/x": "x\n", "l": f"-> {target}"}


def test_an_edit_with_a_move_of_a_link_changes_the_target_and_renames_the_link(site: Site) -> None:
    site.put("a", "one\n").link("l", "a")
    receipt = site.apply("*** Update File: l", "*** Move to: m", "@@", "-one", "+two")
    assert site.tree() == {"a": "two\n", "m": "-> a"}
    site.workspace.undo(receipt)
    assert site.tree() == {"a": "one\n", "l": "-> a"}


@pytest.mark.parametrize("dialect", CREATING)
def test_a_link_that_the_patch_deletes_is_not_written_through(site: Site, dialect: str) -> None:
    site.put("a", "one\n").link("l", "a")
    receipt = site.apply("*** Delete File: l", "*** Add File: l", "+new", dialect=dialect)
    assert {path: text.rstrip("\n") for path, text in site.tree().items()} == {"a": "one", "l": "new"}
    site.workspace.undo(receipt)
    assert site.tree() == {"a": "one\n", "l": "-> a"}


@pytest.mark.parametrize("dialect", CREATING)
def test_a_link_that_the_patch_has_moved_is_not_replaced_by_what_follows(site: Site, dialect: str) -> None:
    site.put("a", "one\n").link("l", "a")
    moved = ("*** Update File: l", "*** Move to: m")
    assert site.codes(*moved, *updated("m", "one", "two"), dialect=dialect) == ["not_a_file"]
    assert site.codes(*moved, "*** Update File: m", "@@", "+two", dialect=dialect) == ["not_a_file"]
    assert len(site.codes(*moved, "*** Add File: m", "+two", dialect=dialect)) == 1


def test_a_path_through_a_link_that_the_patch_deletes_is_refused(site: Site) -> None:
    site.put("folder/x", "x\n").link("f", "folder")
    assert site.codes("*** Delete File: f", *updated("f/x", "x", "y")) == ["not_found"]


def test_a_link_that_leads_nowhere_is_said_to(site: Site) -> None:
    site.link("l", "lost")
    (problem,) = site.plan(*updated("l", "x", "y")).problems
    assert (problem.code, problem.message) == ("not_found", "l is a broken symbolic link (l -> lost).")


#: An edit of a file that is not in its directory, although the directory and another file of that name are there.
MISSING_FROM_ITS_DIRECTORY = [
    "diff --git a/pkg/a/x.py b/pkg/a/x.py\ndeleted file mode 100644\n",
    "--- a/pkg/x.py\n+++ b/pkg/x.py\n@@ -1 +1 @@\n-v = 1\n+v = 2\n",
    "*** Begin Patch\n*** Delete File: a/x.py\n*** End Patch\n",
    '{"name": "delete", "input": {"filePath": "a/x.py"}}',
    '{"name": "edit", "input": {"filePath": "a/x.py", "oldString": "v = 1", "newString": "v = 2"}}',
]


@pytest.mark.parametrize("edit", MISSING_FROM_ITS_DIRECTORY)
def test_a_path_whose_directory_exists_never_means_another_file_of_its_name(site: Site, edit: str) -> None:
    site.put("x.py", "v = 1\n")
    site.put("a/other.py", "q\n")
    site.put("pkg/a/other.py", "q\n")
    assert [problem.code for problem in site.workspace.plan(edit).problems] == ["not_found"]


def test_a_path_that_leads_outside_is_not_shortened_to_a_file_inside(site: Site) -> None:
    site.put("x.py", "v = 1\n")
    for path in ("../x.py", "a/../../x.py", "a/b/../../../x.py"):
        diff = f"--- {path}\n+++ {path}\n@@ -1 +1 @@\n-v = 1\n+v = 2\n"
        assert [problem.code for problem in site.workspace.plan(diff).problems] == ["outside_workspace"]
        assert site.codes(*updated(path, "v = 1", "v = 2")) == ["outside_workspace"]


@pytest.mark.parametrize(("path", "shown"), [("src\\new.py", "src/new.py"), ("other\\new.py", "other\\new.py")])
def test_a_new_file_is_named_with_backslashes_only_below_a_directory_that_is_there(path: str, shown: str) -> None:
    """Elsewhere than on Windows, a backslash may as well be a part of a name."""
    workspace = Workspace(MemoryFiles({"src/app.py": "one\n"}))
    plan = workspace.plan(envelope(f"*** Add File: {path}", "+new"))
    assert [change.path for change in plan.changes] == [shown]


def test_a_file_whose_name_has_backslashes_is_found_by_it() -> None:
    workspace = Workspace(MemoryFiles({"src/app.py": "one\n", "src\\app.py": "one\n"}))
    plan = workspace.plan(envelope(*updated("src\\app.py", "one", "two")))
    assert [(change.path, change.concessions) for change in plan.changes] == [("src\\app.py", ())]
