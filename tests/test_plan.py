"""What a patch or a string edit would do to a workspace: on the disk and in memory alike, and nothing is written."""

from __future__ import annotations

import json
import subprocess
import sys
from hashlib import sha256
from typing import TYPE_CHECKING

import pytest
from tests.sites import Site, envelope, updated

from suture import (
    AddFile,
    Concession,
    DeleteFile,
    Patch,
    PatchInvalidError,
    PatchRejectedError,
    Problem,
    UpdateFile,
    Workspace,
)
from suture.core.json_values import to_data
from suture.workspace import Plan
from suture.workspace.record import Snapshot

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import Any

OVERWRITING = ["codex", "opencode"]
REFUSING = ["standard", "strict"]
CREATING = ["standard", "codex", "opencode"]


def digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def move(dialect: str, path: str, to: str) -> tuple[str, ...]:
    """A move without hunks, as the dialect writes it."""
    return (
        (f"*** Move File: {path} -> {to}",)
        if dialect == "strict"
        else (f"*** Update File: {path}", f"*** Move to: {to}")
    )


@pytest.fixture(params=["disk", "memory"])
def site(request: pytest.FixtureRequest, tmp_path: Path) -> Site:
    return Site(request.param, tmp_path)


# What a plan is.


def test_a_plan_says_what_would_happen_and_writes_nothing(site: Site) -> None:
    site.put("a.py", "one\ntwo\n").put("gone.py", "gone\n").put("move.py", "moved\n")
    before = site.tree()
    site.seen.clear()
    plan = site.plan(
        "*** Add File: new/b.py",
        "+b",
        *updated("a.py", "two", "three"),
        "*** Delete File: gone.py",
        "*** Update File: move.py",
        "*** Move to: moved.py",
    )
    assert plan.is_clean
    assert [str(change) for change in plan.changes] == [
        "A new/b.py +1 -0",
        "M a.py +1 -1",
        "D gone.py +0 -1",
        "M move.py -> moved.py",
    ]
    assert [match.tier for match in plan.changes[1].matches] == ["exact"]
    assert plan.changes[1].diff == "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n"
    assert plan.fingerprints == {
        "new/b.py": "",
        "a.py": digest("one\ntwo\n"),
        "gone.py": digest("gone\n"),
        "move.py": digest("moved\n"),
        "moved.py": "",
    }
    assert site.tree() == before
    assert {name for name, _ in site.seen} <= {"stat", "open", "list"}
    assert not (site.folder / "state").exists()


def test_no_file_is_read_twice_whatever_the_number_of_operations_on_it(site: Site) -> None:
    site.put("a.py", "one\ntwo\n").put("b.py", "one\n")
    site.seen.clear()
    site.plan(
        *updated("a.py", "one", "1"),
        *updated("a.py", "two", "2"),
        *updated("b.py", "lost", "found"),
        *updated("./a.py", "2", "3"),
        expected_sha256={"a.py": digest("one\ntwo\n"), "b.py": digest("one\n")},
    )
    assert sorted(path for name, path in site.seen if name == "open") == ["a.py", "b.py"]


def test_a_file_that_can_not_be_read_is_tried_and_told_once(site: Site) -> None:
    site.put("large", "x" * 100)
    site.workspace = site.open(max_size=10)
    site.seen.clear()
    plan = site.plan(
        *updated("large", "x", "y"), "*** Delete File: large", expected_sha256={"large": digest("x" * 100)}
    )
    assert [problem.code for problem in plan.problems] == ["file_too_large"]
    assert len([name for name, _ in site.seen if name == "open"]) == 1


def test_all_problems_of_all_files_are_in_one_answer(site: Site) -> None:
    site.put("a.py", "one\n").put("there.py", "there\n").put("folder/x", "x\n").put("blob", b"\0\xff")
    assert site.codes(
        *updated("a.py", "two", "three"),
        "@@",
        "-four",
        "+five",
        "*** Add File: there.py",
        "+x",
        "*** Delete File: missing.py",
        "*** Delete File: folder",
        *updated("blob", "x", "y"),
        "*** Add File: ../out.py",
        "+x",
        "*** Add File: .git/config",
        "+x",
    ) == [
        "patch_apply_error",
        "patch_apply_error",
        "already_exists",
        "not_found",
        "is_directory",
        "binary_file",
        "outside_workspace",
        "permission_denied",
    ]


def test_a_patch_that_can_not_be_read_is_no_plan(site: Site) -> None:
    with pytest.raises(PatchInvalidError):
        site.workspace.plan("nothing")


def test_a_parsed_patch_is_planned_like_its_text(site: Site) -> None:
    site.put("a.py", "one\n")
    patch = Patch((AddFile("b.py", "b\n"), DeleteFile("a.py")))
    plan = site.workspace.plan(patch)
    assert plan == site.plan("*** Add File: b.py", "+b", "*** Delete File: a.py")


def test_a_patch_value_that_no_envelope_can_say_is_planned_all_the_same(site: Site) -> None:
    assert site.workspace.plan(Patch((AddFile("b.py", "no newline"),)), dialect="codex").is_clean
    assert site.workspace.plan(Patch((AddFile("b\nc.py", ""),))).problems[0].code == "invalid_arguments"


def test_a_patch_value_without_operations_is_refused(site: Site) -> None:
    with pytest.raises(PatchInvalidError):
        site.workspace.plan(Patch(()))


# Add.


@pytest.mark.parametrize("dialect", REFUSING)
def test_an_add_onto_an_existing_file_is_refused(site: Site, dialect: str) -> None:
    site.put("a.py")
    assert site.codes("*** Add File: a.py", "+x", dialect=dialect) == ["already_exists"]


@pytest.mark.parametrize("dialect", OVERWRITING)
def test_an_add_onto_an_existing_file_replaces_it_and_keeps_its_mode(site: Site, dialect: str) -> None:
    site.put("a.sh", "old\n", mode=0o755)
    receipt = site.apply("*** Add File: a.sh", "+new", dialect=dialect)
    assert site.tree()["a.sh"].rstrip("\n") == "new"
    assert site.mode("a.sh") == 0o755
    assert receipt.changes[0].sha256_before == digest("old\n")
    site.workspace.undo(receipt)
    assert site.tree() == {"a.sh": "old\n"}


@pytest.mark.parametrize("dialect", CREATING)
def test_missing_parents_are_made(site: Site, dialect: str) -> None:
    site.apply("*** Add File: x/y/z.txt", "+z", dialect=dialect)
    assert list(site.tree()) == ["x/", "x/y/", "x/y/z.txt"]


def test_missing_parents_are_refused_in_strict(site: Site) -> None:
    site.put("a.txt", "a\n")
    assert site.codes("*** Add File: x/z.txt", "+z", dialect="strict") == ["not_found"]
    assert site.codes("*** Move File: a.txt -> x/z.txt", dialect="strict") == ["not_found"]


def test_a_file_is_no_folder_for_another(site: Site) -> None:
    site.put("a", "a\n")
    assert site.codes("*** Add File: a/b", "+b") == ["not_a_file"]
    assert site.codes("*** Add File: new", "+x", "*** Add File: new/b", "+b") == ["not_a_file"]


@pytest.mark.parametrize("last", [("*** Add File: new", "+x"), ("*** Update File: a", "*** Move to: new")])
def test_a_folder_that_the_patch_makes_is_no_file(site: Site, last: tuple[str, ...]) -> None:
    site.put("a", "a\n")
    assert site.codes("*** Add File: new/b", "+b", *last) == ["is_directory"]


def test_an_added_text_has_no_character_that_can_not_be_written(site: Site) -> None:
    assert site.workspace.plan(Patch((AddFile("a", "\ud800\n"),))).problems[0].code == "encoding_error"
    assert site.codes("*** Add File: a", "+\x01") == ["encoding_error"]
    site.workspace = site.open(allow_control=True)
    assert site.workspace.plan(Patch((AddFile("a", "\ud800\n"),))).problems[0].code == "encoding_error"
    assert site.codes("*** Add File: a", "+\x01") == []


def test_an_added_file_has_the_encoding_that_the_caller_names(site: Site) -> None:
    site.workspace = site.open(encoding="latin-1")
    site.apply("*** Add File: a", "+é")
    assert site.tree() == {"a": "é\n"}
    assert site.codes("*** Add File: b", "+→") == ["encoding_error"]


def test_an_empty_file_can_be_added_updated_and_deleted(site: Site) -> None:
    site.apply("*** Add File: empty")
    assert site.tree() == {"empty": ""}
    site.apply("*** Update File: empty", "@@", "+one")
    assert site.tree() == {"empty": "one\n"}
    site.apply("*** Update File: empty", "@@", "-one")
    assert site.tree() == {"empty": ""}
    site.apply("*** Delete File: empty")
    assert site.tree() == {}


# Move.


@pytest.mark.parametrize("dialect", REFUSING)
def test_a_move_onto_an_existing_file_is_refused(site: Site, dialect: str) -> None:
    site.put("a.py").put("b.py")
    assert site.codes(*move(dialect, "a.py", "b.py"), dialect=dialect) == ["already_exists"]


@pytest.mark.parametrize("dialect", OVERWRITING)
def test_a_move_onto_an_existing_file_replaces_it_and_can_be_undone(site: Site, dialect: str) -> None:
    site.put("a.sh", "a\n", mode=0o755).put("b.sh", "b\n", mode=0o600)
    receipt = site.apply(*move(dialect, "a.sh", "b.sh"), dialect=dialect)
    assert site.tree() == {"b.sh": "a\n"}
    assert site.mode("b.sh") == 0o755
    site.workspace.undo(receipt)
    assert site.tree() == {"a.sh": "a\n", "b.sh": "b\n"}
    assert (site.mode("a.sh"), site.mode("b.sh")) == (0o755, 0o600)


@pytest.mark.parametrize("dialect", CREATING)
def test_a_move_onto_itself_is_a_plain_update(site: Site, dialect: str) -> None:
    site.put("a.py", "one\n")
    plan = site.plan("*** Update File: a.py", "*** Move to: ./a.py", "@@", "-one", "+two", dialect=dialect)
    assert [str(change) for change in plan.changes] == ["M a.py +1 -1"]


def test_a_move_onto_itself_is_refused_in_strict(site: Site) -> None:
    site.put("a.py", "one\n")
    assert site.codes("*** Move File: a.py -> a.py", dialect="strict") == ["command_failed"]


def test_a_move_below_the_file_itself_is_refused(site: Site) -> None:
    site.put("a", "a\n")
    assert site.codes("*** Update File: a", "*** Move to: a/b") == ["not_a_file"]


def test_a_move_keeps_the_mode_with_and_without_an_edit(site: Site) -> None:
    site.put("a.sh", "a\n", mode=0o755).put("b.sh", "b\n", mode=0o700)
    site.apply(
        "*** Update File: a.sh", "*** Move to: x/a.sh", "*** Update File: b.sh", "*** Move to: x/b.sh", "@@", "-b", "+c"
    )
    assert site.tree() == {"x/": "", "x/a.sh": "a\n", "x/b.sh": "c\n"}
    assert (site.mode("x/a.sh"), site.mode("x/b.sh")) == (0o755, 0o700)


def test_a_binary_file_is_only_deleted_or_moved(site: Site) -> None:
    site.put("blob", b"\0\x01\xff").put("other", b"\0")
    assert site.codes(*updated("blob", "a", "b")) == ["binary_file"]
    assert site.codes("*** Update File: blob", "*** Move to: c", "@@", "-a", "+b") == ["binary_file"]
    site.apply("*** Update File: blob", "*** Move to: c", "*** Delete File: other")
    assert site.tree() == {"c": "\0\x01\xff"}


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
    assert [str(change) for change in plan.changes] == ["M x.py -> y.py (path prefix)"]
    site.put("b/z.py")
    plan = site.plan("*** Update File: a/x.py", "*** Move to: b/y.py")
    assert [str(change) for change in plan.changes] == ["M x.py -> b/y.py (path prefix)"]


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


# Several operations on one file.


def test_an_added_file_can_be_updated_in_the_same_patch(site: Site) -> None:
    site.apply("*** Add File: a", "+one", "+two", *updated("a", "one", "1"))
    assert site.tree() == {"a": "1\ntwo\n"}


def test_a_moved_file_can_be_updated_by_its_new_name(site: Site) -> None:
    site.put("a", "one\n", mode=0o755)
    receipt = site.apply("*** Update File: a", "*** Move to: b", *updated("b", "one", "two"))
    assert site.tree() == {"b": "two\n"}
    assert site.mode("b") == 0o755
    site.workspace.undo(receipt)
    assert site.tree() == {"a": "one\n"}
    assert site.mode("a") == 0o755


def test_a_moved_file_is_not_found_by_its_old_name(site: Site) -> None:
    site.put("a", "one\n")
    assert site.codes("*** Update File: a", "*** Move to: b", *updated("a", "one", "two")) == ["not_found"]


def test_a_deleted_file_can_be_added_again_and_is_the_same_file(site: Site) -> None:
    site.put("run.sh", "one\n", mode=0o755)
    receipt = site.apply("*** Delete File: run.sh", "*** Add File: run.sh", "+two")
    assert site.tree() == {"run.sh": "two\n"}
    assert site.mode("run.sh") == 0o755
    site.workspace.undo(receipt)
    assert site.tree() == {"run.sh": "one\n"}


def test_a_deleted_file_is_not_found_by_what_follows(site: Site) -> None:
    site.put("a", "one\n")
    assert site.codes("*** Delete File: a", *updated("a", "one", "two"), "*** Delete File: a") == ["not_found"]


def test_a_chain_of_moves_ends_where_the_last_one_says(site: Site) -> None:
    site.put("a", "a\n", mode=0o700)
    site.apply("*** Update File: a", "*** Move to: b", "*** Update File: b", "*** Move to: x/c")
    assert site.tree() == {"x/": "", "x/c": "a\n"}
    assert site.mode("x/c") == 0o700


def test_a_row_of_moves_shifts_every_file(site: Site) -> None:
    site.put("a", "a\n").put("b", "b\n")
    receipt = site.apply("*** Update File: b", "*** Move to: c", "*** Update File: a", "*** Move to: b")
    assert site.tree() == {"b": "a\n", "c": "b\n"}
    site.workspace.undo(receipt)
    assert site.tree() == {"a": "a\n", "b": "b\n"}


def test_two_files_can_be_swapped(site: Site) -> None:
    site.put("a", "a\n", mode=0o700).put("b", "b\n", mode=0o644)
    swap = [
        line
        for old, new in (("a", "t"), ("b", "a"), ("t", "b"))
        for line in (f"*** Update File: {old}", f"*** Move to: {new}")
    ]
    receipt = site.apply(*swap)
    assert site.tree() == {"a": "b\n", "b": "a\n"}
    assert (site.mode("a"), site.mode("b")) == (0o644, 0o700)
    site.workspace.undo(receipt)
    assert site.tree() == {"a": "a\n", "b": "b\n"}
    assert (site.mode("a"), site.mode("b")) == (0o700, 0o644)


def test_a_folder_in_which_nothing_stays_is_not_made(site: Site) -> None:
    site.put("a", "a\n")
    site.apply("*** Update File: a", "*** Move to: x/y/a", "*** Update File: x/y/a", "*** Move to: x/b")
    assert list(site.tree()) == ["x/", "x/b"]
    site.apply("*** Add File: z/c", "+c", "*** Delete File: z/c")
    assert list(site.tree()) == ["x/", "x/b"]


def test_a_file_moved_there_and_back_is_not_touched(site: Site) -> None:
    site.put("a", "a\n")
    plan = site.plan("*** Update File: a", "*** Move to: b", "*** Update File: b", "*** Move to: a")
    assert (plan.is_clean, plan.files) == (True, ())


def test_one_file_never_becomes_two_by_moves(site: Site) -> None:
    site.put("a", "a\n", mode=0)
    receipt = site.apply(
        "*** Update File: a",
        "*** Move to: b",
        "*** Add File: a",
        "+a",
        "*** Update File: a",
        "*** Move to: c",
    )
    assert site.tree() == {"b": "a\n", "c": "a\n"}
    site.workspace.undo(receipt)
    assert site.tree() == {"a": "a\n"}


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


# What is told of hunks.


def test_a_hunk_whose_lines_stand_in_another_file_of_the_patch_says_so(site: Site) -> None:
    site.put("a.py", "one\ntwo\n").put("b.py", "three\nfour\n")
    (problem,) = site.plan(*updated("a.py", "three", "3"), *updated("b.py", "four", "4")).problems
    assert problem.path == "a.py"
    assert problem.message.endswith("\nAnother file of the patch has these lines: b.py.")
    assert problem.hint == "If you meant that file, put the hunk under *** Update File: b.py."


def test_the_hunk_that_is_looked_for_elsewhere_is_the_one_that_failed(site: Site) -> None:
    site.put("a.py", "one\ntwo\n").put("b.py", "lost\n")
    first = ("*** Update File: a.py", "@@", "-one", "+1", "@@", "-lost", "+found")
    (problem,) = site.plan(*first, *updated("a.py", "two", "2"), *updated("b.py", "lost", "found")).problems
    assert "has these lines: b.py" in problem.message
    (problem,) = site.plan(
        *updated("a.py", "one", "1"), "@@", "-two", "+2", *updated("a.py", "lost", "x"), *updated("b.py", "lost", "y")
    ).problems
    assert "has these lines: b.py" in problem.message


def test_what_follows_on_a_file_that_failed_is_not_told_as_well(site: Site) -> None:
    site.put("a.py", "one\n")
    lost = updated("a.py", "lost", "found")
    assert site.codes(*lost, *updated("a.py", "found", "x"), "*** Update File: a.py", "*** Move to: b") == [
        "patch_apply_error"
    ]
    moved = ("*** Update File: a.py", "*** Move to: b.py", "@@", "-lost", "+found")
    assert site.codes(*moved, *updated("b.py", "found", "x")) == ["patch_apply_error"]
    assert site.codes("*** Add File: c", "+\x01", *updated("c", "x", "y")) == ["encoding_error"]


def test_an_update_that_changes_nothing_is_refused_or_noted(site: Site) -> None:
    site.put("a.py", "one\n")
    same = ("*** Update File: a.py", "@@", "-one", "+one")
    assert site.codes(*same) == ["no_change"]
    assert site.codes(*same, dialect="strict") == ["no_change"]
    for dialect in OVERWRITING:
        assert site.apply(*same, dialect=dialect).modified == ("a.py",)
    assert site.tree() == {"a.py": "one\n"}


def test_texts_keep_their_encoding_their_bom_and_their_endings(site: Site) -> None:
    contents = {
        "bom": "\ufeffone\r\ntwo\r\n".encode(),
        "utf16": "\ufeffone\r\ntwo\r\n".encode("utf-16-le"),
        "latin": b"one\ntw\xf6\n",
        "mixed": b"one\r\ntwo\nthree\r",
        "open": b"one\ntwo",
    }
    for path, content in contents.items():
        site.put(path, content)
    site.apply(*[line for path in contents for line in updated(path, "one", "1")])
    assert {path: text.encode("latin-1") for path, text in site.tree().items()} == {
        "bom": "\ufeff1\r\ntwo\r\n".encode(),
        "utf16": "\ufeff1\r\ntwo\r\n".encode("utf-16-le"),
        "latin": b"1\ntw\xf6\n",
        "mixed": b"1\r\ntwo\nthree\r",
        "open": b"1\ntwo",
    }


def test_a_file_in_an_encoding_that_the_caller_names_is_read_and_written_in_it(site: Site) -> None:
    site.put("a", "é\n".encode("latin-1"))
    site.workspace = site.open(encoding="latin-1")
    receipt = site.apply(*updated("a", "é", "ö"))
    assert receipt.diff == "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-é\n+ö\n"
    assert site.tree() == {"a": "ö\n"}


# What a caller expects of files.


def test_a_file_that_is_as_expected_is_changed(site: Site) -> None:
    site.put("a", "one\n")
    expected = {"a": digest("one\n").upper(), "b": ""}
    plan = site.plan(*updated("a", "one", "two"), "*** Add File: b", "+b", expected_sha256=expected)
    assert plan.is_clean


@pytest.mark.parametrize("dialect", ["standard", "codex", "opencode", "strict"])
@pytest.mark.parametrize(
    ("expected", "codes"),
    [
        ({"a": digest("other\n")}, ["stale_file"]),
        ({"a": ""}, ["stale_file"]),
        ({"missing": digest("x")}, ["stale_file"]),
        ({"b": digest("x")}, ["stale_file"]),
        ({"b": "", "missing": ""}, []),
        ({"a": "", "b": "x"}, ["stale_file", "stale_file"]),
        ({"../a": ""}, ["outside_workspace"]),
    ],
)
def test_a_file_that_is_not_as_expected_is_stale(
    site: Site, dialect: str, expected: dict[str, str], codes: list[str]
) -> None:
    site.put("a", "one\n")
    sections = (*updated("a", "one", "two"), "*** Add File: b", "+b")
    assert site.codes(*sections, expected_sha256=expected, dialect=dialect) == codes


@pytest.mark.parametrize("dialect", ["standard", "codex", "opencode", "strict"])
def test_any_content_that_is_expected_of_an_added_file_is_stale(site: Site, dialect: str) -> None:
    site.put("a", "one\n")
    expected = {"a": digest("one\n")}
    assert site.codes("*** Add File: a", "+x", expected_sha256=expected, dialect=dialect) == ["stale_file"]


def test_a_file_that_is_deleted_and_added_again_is_held_to_what_it_was(site: Site) -> None:
    site.put("a", "one\n")
    lines = ("*** Delete File: a", "*** Add File: a", "+two")
    assert site.codes(*lines, expected_sha256={"a": digest("one\n")}) == []
    assert site.codes(*lines, expected_sha256={"a": digest("two\n")}) == ["stale_file"]


def test_a_stale_file_is_told_with_both_hashes(site: Site) -> None:
    site.put("a", "one\n")
    (problem,) = site.plan(*updated("a", "lost", "x"), expected_sha256={"a": digest("two\n")}).problems
    assert problem.details == {"path": "a", "expected": digest("two\n"), "found": digest("one\n")}


# A plan that is kept.


def test_a_plan_goes_through_json_unchanged(site: Site) -> None:
    site.put("a", "one  \ntwo\n").put("b", b"\xe9\n").put("gone", b"\0").put("m", "m\n").link("l", "m")
    plan = site.plan(
        *updated("a", "one", "1"),
        *updated("b", "\udce9", "e"),
        "*** Delete File: gone",
        "*** Update File: l",
        "*** Move to: n",
        "*** Add File: x/y",
        "+→ é",
    )
    assert plan.is_clean, plan.problems
    text = plan.to_json()
    assert Plan.from_json(text) == plan
    assert Plan.from_json(text.encode().decode()) == plan
    site.put("p", "a\nb\na\nb\n")
    refused = site.plan(*updated("p", "a", "x"), *updated("a", "lost", "x"))
    assert Plan.from_json(refused.to_json()) == refused
    assert [p.details for p in Plan.from_json(refused.to_json()).problems][1]["reason"] == "context_not_found"
    edited = site.workspace.plan_multiedit("m", [("m", "n"), ("n", "o")])
    assert Plan.from_json(edited.to_json()) == edited
    for one in (refused, edited):
        assert one.to_json() == json.dumps(to_data(one), ensure_ascii=False)
    assert text == json.dumps(to_data(plan)), "bytes that are no text are written as escapes"


def test_what_has_no_form_in_json_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="object has no form in JSON"):
        Plan((), (Problem("io_error", "", details={"odd": object()}),)).to_json()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no json",
        "[]",
        "7",
        '{"files": 7}',
        '{"files": [7]}',
        '{"files": [{}]}',
        '{"patch": 7}',
        '{"files": [{"path": 7, "shown": "", "before": {}, "after": {}}]}',
        '{"files": [{"path": "/a", "shown": "a", "before": {"mode": "x"}, "after": {}}]}',
        '{"files": [{"path": "/a", "shown": "a", "before": {}, "after": {}, "content": "?"}]}',
    ],
)
def test_what_is_no_plan_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError, match="expected a Plan as JSON"):
        Plan.from_json(text)


def test_a_plan_that_was_kept_is_committed_by_another_process(tmp_path: Path) -> None:
    site = Site("disk", tmp_path)
    site.put("a", "one\n").put("gone", "gone\n")
    plan = site.plan(*updated("a", "one", "two"), "*** Delete File: gone", "*** Add File: new/b", "+b")
    (tmp_path / "plan.json").write_text(plan.to_json(), "utf-8")
    script = (
        "import sys, suture\nfrom suture.workspace import Plan\n"
        "folder = sys.argv[1]\n"
        "with suture.Workspace(folder + '/root', state_dir=folder + '/state') as workspace:\n"
        "    receipt = workspace.commit(Plan.from_json(open(folder + '/plan.json').read()))\n"
        "    print(open(receipt.files[1].trash).read(), end='')\n"
    )
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True, check=True)
    assert done.stdout == "gone\n"
    assert site.tree() == {"a": "two\n", "new/": "", "new/b": "b\n"}
    (receipt,) = site.workspace.log()
    site.workspace.undo(receipt)
    assert site.tree() == {"a": "one\n", "gone": "gone\n"}


def test_a_kept_plan_is_stale_when_a_file_has_changed_since(site: Site) -> None:
    site.put("a", "one\n").put("b", "b\n")
    plan = site.plan(*updated("a", "one", "two"), "*** Delete File: b", "*** Add File: c", "+c")
    site.put("a", "one!\n").put("c", "c\n")
    site.remove("b")
    before = site.tree()
    for kept in (plan, Plan.from_json(plan.to_json())):
        with pytest.raises(PatchRejectedError) as raised:
            site.workspace.commit(kept)
        assert [(p.code, p.path) for p in raised.value.problems] == [
            ("stale_file", "a"),
            ("stale_file", "b"),
            ("stale_file", "c"),
        ]
    assert site.tree() == before


def test_a_plan_is_held_to_contents_not_to_times(site: Site) -> None:
    site.put("a", "one\n")
    plan = site.plan(*updated("a", "one", "two"))
    site.put("a", "one\n", mode=0o755)
    site.workspace.commit(plan)
    assert site.tree() == {"a": "two\n"}
    assert site.mode("a") == 0o755


def test_a_plan_with_problems_is_not_committed(site: Site) -> None:
    site.put("a", "one\n")
    plan = site.plan(*updated("a", "lost", "x"), "*** Add File: b", "+b")
    with pytest.raises(PatchRejectedError) as raised:
        site.workspace.commit(plan)
    assert raised.value.problems == plan.problems
    assert site.tree() == {"a": "one\n"}


@pytest.mark.parametrize(
    "path", [".git/config", ".suture/store.db", "../out", "/etc/passwd", "x/../../out", "relative", ".", ""]
)
@pytest.mark.parametrize("field", ["path", "moved_from", "like", "folder"])
def test_a_plan_from_elsewhere_goes_through_the_guard(site: Site, path: str, field: str) -> None:
    site.put("a", "one\n")
    plan = site.plan("*** Add File: x/b", "+b")
    there = site.at(path) if path not in {"/etc/passwd", "relative", ""} else path
    (file,) = plan.files
    if field == "folder":
        plan = plan.replace(folders=(there,))
    elif field == "path":
        plan = plan.replace(files=(file.replace(path=there),))
    else:
        plan = plan.replace(files=(file.replace(**{field: there}),))
    if not path and field in {"moved_from", "like"}:
        return  # That is the field as it should be.
    if path == "/etc/passwd" and site.where == "memory":
        return  # There that is a path as any other.
    before = site.tree()
    site.seen.clear()
    with pytest.raises(PatchRejectedError) as raised:
        site.workspace.commit(Plan.from_json(plan.to_json()))
    assert {problem.code for problem in raised.value.problems} <= {
        "outside_workspace",
        "permission_denied",
        "invalid_arguments",
    }
    assert site.tree() == before
    assert {name for name, _ in site.seen} <= {"stat", "open"}


@pytest.mark.parametrize(
    "change",
    [
        {"shown": "../../../../outside"},
        {"shown": "other"},
        {"after": Snapshot("link", target="/etc")},
        {"after": Snapshot("folder")},
        {"after": Snapshot("")},
    ],
)
def test_a_plan_that_no_planner_has_made_is_refused(site: Site, change: dict[str, Any]) -> None:
    site.put("a", "a\n")
    plan = site.plan("*** Delete File: a")
    (file,) = plan.files
    with pytest.raises(PatchRejectedError) as raised:
        site.workspace.commit(plan.replace(files=(file.replace(**change),)))
    assert raised.value.problems[0].code == "invalid_arguments"
    with pytest.raises(PatchRejectedError):
        site.workspace.commit(plan.replace(files=(file, file)))
    assert site.tree() == {"a": "a\n"}


def test_a_plan_whose_content_is_not_what_it_says_is_refused(site: Site) -> None:
    plan = site.plan("*** Add File: b", "+b")
    (file,) = plan.files
    with pytest.raises(PatchRejectedError) as raised:
        site.workspace.commit(plan.replace(files=(file.replace(content=b"another\n"),)))
    assert raised.value.problems[0].code == "invalid_arguments"
    assert site.tree() == {}


# String edits, whole files, deletes and moves.


def test_a_string_edit_is_planned_and_told(site: Site) -> None:
    site.put("a", "one two\n")
    plan = site.workspace.plan_edit("a", "two", "three")
    assert [str(change) for change in plan.changes] == ["M a +1 -1"]
    assert [(edit.replacer, len(edit.spans)) for edit in plan.changes[0].edits] == [("simple", 1)]
    assert plan.tool == "edit"
    receipt = site.workspace.commit(plan)
    assert (site.tree(), receipt.tool) == ({"a": "one three\n"}, "edit")
    assert site.workspace.edit("a", "three", "3").modified == ("a",)


def test_a_string_edit_replaces_all_where_asked(site: Site) -> None:
    site.put("a", "x x\n")
    assert [p.code for p in site.workspace.plan_edit("a", "x", "y").problems] == ["multiple_matches"]
    site.workspace.edit("a", "x", "y", replace_all=True)
    assert site.tree() == {"a": "y y\n"}


def test_a_string_edit_of_nothing_makes_the_file(site: Site) -> None:
    receipt = site.workspace.edit("new/a", "", "text\n")
    assert receipt.added == ("new/a",)
    assert site.tree() == {"new/": "", "new/a": "text\n"}
    assert [p.code for p in site.workspace.plan_edit("new/a", "", "x").problems] != []
    site.put("empty", "")
    assert site.workspace.edit("empty", "", "text\n").modified == ("empty",)


@pytest.mark.parametrize(
    ("path", "code"), [("missing", "not_found"), ("../a", "outside_workspace"), ("folder", "is_directory")]
)
def test_a_string_edit_has_the_problems_of_its_path(site: Site, path: str, code: str) -> None:
    site.put("folder/x")
    workspace = site.workspace
    plans = [workspace.plan_edit(path, "a", "b"), workspace.plan_multiedit(path, [("a", "b")])]
    assert [[p.code for p in plan.problems] for plan in plans] == [[code], [code]]
    with pytest.raises(PatchRejectedError) as raised:
        workspace.edit(path, "a", "b")
    assert [p.code for p in raised.value.problems] == [code]


def test_a_list_of_edits_is_all_or_none(site: Site) -> None:
    site.put("a", "one\ntwo\n")
    plan = site.workspace.plan_multiedit("a", [("one", "1"), ("lost", "x")])
    assert [p.code for p in plan.problems] == ["old_text_not_found"]
    receipt = site.workspace.multiedit("a", [("one", "1"), ("two", "2")])
    assert site.tree() == {"a": "1\n2\n"}
    assert len(receipt.changes[0].edits) == 2


def test_a_whole_file_is_written_as_text_or_bytes(site: Site) -> None:
    workspace = site.workspace
    assert workspace.write("x/a", "one\n").added == ("x/a",)
    assert workspace.write("x/a", b"\0\xff").modified == ("x/a",)
    assert workspace.write("x/a", "text\n").modified == ("x/a",)
    assert site.tree() == {"x/": "", "x/a": "text\n"}
    assert [p.code for p in workspace.plan_write("x/a", "text\n").problems] == ["no_change"]
    assert [p.code for p in workspace.plan_write("x", "text\n").problems] == ["is_directory"]
    assert [p.code for p in workspace.plan_write("b", "\x00").problems] == ["encoding_error"]
    assert [p.code for p in workspace.plan_write("b", "\ud800").problems] == ["encoding_error"]
    assert [p.code for p in site.open(max_size=3).plan_write("b", "1234").problems] == ["file_too_large"]


def test_a_whole_text_takes_the_bom_the_encoding_and_the_endings_of_the_file(site: Site) -> None:
    site.put("a", "\ufeffone\r\n".encode("utf-16-le"))
    site.workspace.write("a", "two\nthree\n")
    assert site.tree()["a"].encode("latin-1") == "\ufefftwo\r\nthree\r\n".encode("utf-16-le")


def test_a_delete_and_a_move_are_planned_alone(site: Site) -> None:
    site.put("a", "a\n").put("b", "b\n")
    workspace = site.workspace
    deleted, moved = workspace.plan_delete("a"), workspace.plan_move("b", "x/c")
    assert (deleted.tool, moved.tool) == ("delete", "move")
    workspace.commit(deleted)
    assert workspace.commit(moved).moved == (("b", "x/c"),)
    assert site.tree() == {"x/": "", "x/c": "b\n"}
    assert [p.code for p in workspace.plan_delete("a").problems] == ["not_found"]
    assert [p.code for p in workspace.plan_move("x/c", "x/c", expected_sha256={"x/c": "0"}).problems] == ["stale_file"]


def test_every_plan_can_be_held_to_what_the_caller_knows(site: Site) -> None:
    site.put("a", "a\n")
    workspace, expected = site.workspace, {"a": digest("other")}
    plans = [
        workspace.plan_edit("a", "a", "b", expected_sha256=expected),
        workspace.plan_multiedit("a", [("a", "b")], expected_sha256=expected),
        workspace.plan_write("a", "b", expected_sha256=expected),
        workspace.plan_delete("a", expected_sha256=expected),
        workspace.plan_move("a", "b", expected_sha256=expected),
    ]
    assert [[p.code for p in plan.problems] for plan in plans] == [["stale_file"]] * 5


def test_every_write_can_be_held_to_what_the_caller_knows(site: Site) -> None:
    site.put("a", "a\n").put("b", "b\n")
    workspace, wrong, patch = site.workspace, digest("other"), envelope("*** Delete File: a")
    calls: list[Callable[[], object]] = [
        lambda: workspace.apply(patch, expected_sha256={"a": wrong}),
        lambda: workspace.edit("a", "a", "b", expected_sha256=wrong),
        lambda: workspace.multiedit("a", [("a", "b")], expected_sha256={"a": wrong}),
        lambda: workspace.write("a", "b", expected_sha256=""),
        lambda: workspace.delete("a", expected_sha256=wrong),
        lambda: workspace.move("a", "c", expected_sha256=wrong),
    ]
    for call in calls:
        with pytest.raises(PatchRejectedError) as raised:
            call()
        assert [problem.code for problem in raised.value.problems] == ["stale_file"]
    assert site.tree() == {"a": "a\n", "b": "b\n"}
    known = workspace.read("a").sha256
    assert workspace.edit("a", "a", "c", expected_sha256=known, actor="me").actor == "me"
    assert workspace.move("a", "x/a", actor="me").moved == (("a", "x/a"),)
    assert workspace.delete("b", actor="me").deleted == ("b",)
    assert {(receipt.tool, receipt.actor) for receipt in workspace.log()} == {
        ("edit", "me"),
        ("move", "me"),
        ("delete", "me"),
    }


def test_a_file_is_read_as_edits_see_it(site: Site) -> None:
    site.put("a", b"\xef\xbb\xbfone\r\ntwo\r\n").put("b", b"\0\1")
    whole = site.workspace.read("a")
    assert (whole.path, whole.text, whole.content[:3]) == ("a", "one\ntwo\n", b"\xef\xbb\xbf")
    assert whole.sha256 == site.workspace.plan_delete("a").fingerprints["a"]
    assert site.workspace.read("b").text is None
    for path, code in (("none", "not_found"), (".env", "permission_denied"), ("../x", "outside_workspace")):
        with pytest.raises(PatchRejectedError) as raised:
            site.workspace.read(path)
        assert raised.value.problems[0].code == code
    site.put("d/e")
    with pytest.raises(PatchRejectedError) as raised:
        site.workspace.read("d")
    assert raised.value.problems[0].code == "is_directory"


def test_an_update_without_hunks_or_another_name_changes_nothing(site: Site) -> None:
    site.put("a", "a\n")
    plan = site.workspace.plan(Patch((UpdateFile("a"),)))
    assert plan.files == ()


def test_a_workspace_that_is_not_there_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for path, code in (("missing", "not_found"), ("file", "not_a_file")):
        with pytest.raises(PatchRejectedError) as raised:
            Workspace(tmp_path / path)
        assert raised.value.problems[0].code == code


def test_the_envelope_of_these_tests_is_one() -> None:
    assert envelope("*** Delete File: a") == "*** Begin Patch\n*** Delete File: a\n*** End Patch\n"


def test_the_diff_of_a_plan_with_an_empty_file_goes_through_git(tmp_path: Path) -> None:
    """A file without hunks ends with its header; what follows it would be taken for its names."""
    (tmp_path / "empty.txt").write_bytes(b"")
    (tmp_path / "full.txt").write_bytes(b"one\n")
    patch = "*** Delete File: empty.txt\n*** Update File: full.txt\n@@\n-one\n+two"
    with Workspace(tmp_path, state_dir=tmp_path / ".state") as workspace:
        diff = workspace.plan(f"*** Begin Patch\n{patch}\n*** End Patch\n").diff
    subprocess.run(["git", "apply", "-"], cwd=tmp_path, input=diff.encode(), check=True)
    assert (tmp_path / "full.txt").read_bytes() == b"two\n"
    assert not (tmp_path / "empty.txt").exists()
