"""What a plan is: everything a patch would do to a workspace, with all its problems; nothing is written."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest
from tests.shared.sites import OVERWRITING, Site, digest, envelope, updated

from suture import AddFile, DeleteFile, Patch, PatchInvalidError, PatchRejectedError, Workspace

if TYPE_CHECKING:
    from pathlib import Path


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


def test_another_file_of_the_patch_is_named_only_if_it_has_the_lines(site: Site) -> None:
    site.put("a", "one\n").put("b", "the lines\nthat are looked for\n").put("c", "three\n")
    rest = (*updated("b", "the lines", "The lines"), *updated("c", "three", "3"))
    (found,) = site.plan("*** Update File: a", "@@", "-the lines", "-that are looked for", *rest).problems
    assert "b" in str(found.remarks)
    assert found.remarks
    (lost,) = site.plan("*** Update File: a", "@@", "-other lines", "-that no file has", *rest).problems
    assert lost.remarks == ()
