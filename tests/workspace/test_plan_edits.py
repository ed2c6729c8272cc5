"""Plans of string edits, whole files, deletes and moves, and what the caller expects of the files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.shared.sites import Site, digest, envelope

from suture import PatchRejectedError

if TYPE_CHECKING:
    from collections.abc import Callable


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
