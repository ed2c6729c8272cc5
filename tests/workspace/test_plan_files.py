"""A plan knows which change writes which file: behind links, for moves, and for several changes of one file."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from tests.shared.sites import Site, envelope, updated

from suture import Session
from suture.agent import Answer, Callback, Request
from suture.workspace import Plan

if TYPE_CHECKING:
    from pathlib import Path

    from suture.core.record import PlannedFile


def move(path: str, to: str, *hunk: str) -> tuple[str, ...]:
    """The section that moves a file."""
    return (f"*** Update File: {path}", f"*** Move to: {to}", *hunk)


HUNK = ("@@", "-one", "+ONE")
#: A patch, the paths that each of its changes writes, and the changes of each file by their numbers from 0.
CASES: dict[str, tuple[tuple[str, ...], list[tuple[str, ...]], dict[str, list[int]]]] = {
    "an update": (updated("a", "one", "ONE"), [("a",)], {"a": [0]}),
    "an add": (("*** Add File: x/new", "+new"), [("x/new",)], {"x/new": [0]}),
    "a delete": (("*** Delete File: a",), [("a",)], {"a": [0]}),
    "a move": (move("a", "b"), [("a", "b")], {"a": [0], "b": [0]}),
    "a move with hunks": (move("a", "b", *HUNK), [("a", "b")], {"a": [0], "b": [0]}),
    "two moves": ((*move("a", "b"), *move("b", "c")), [("a", "b"), ("b", "c")], {"a": [0], "c": [1]}),
    "a move, and a new file in its place": (
        (*move("a", "b"), "*** Add File: a", "+new"),
        [("a", "b"), ("a",)],
        {"a": [0, 1], "b": [0]},
    ),
    "two updates": (
        (*updated("a", "one", "ONE"), *updated("a", "two", "TWO")),
        [("a",), ("a",)],
        {"a": [0, 1]},
    ),
    "an update and a delete": (
        (*updated("a", "one", "ONE"), "*** Delete File: a"),
        [("a",), ("a",)],
        {"a": [0, 1]},
    ),
    "an add that is moved": (
        ("*** Add File: n", "+new", *move("n", "m")),
        [("n",), ("n", "m")],
        {"m": [1]},
    ),
    "an update behind a link": (updated("link", "one", "ONE"), [("a",)], {"a": [0]}),
    "an update behind two links": (updated("chain", "one", "ONE"), [("a",)], {"a": [0]}),
    "an update in a linked directory": (updated("lib/d", "one", "ONE"), [("dir/d",)], {"dir/d": [0]}),
    "a delete of a link": (("*** Delete File: link",), [("link",)], {"link": [0]}),
    "a move of a link": (move("link", "moved"), [("link", "moved")], {"link": [0], "moved": [0]}),
    "a move of a link with hunks": (
        move("link", "moved", *HUNK),
        [("link", "moved", "a")],
        {"link": [0], "moved": [0], "a": [0]},
    ),
    "a file and a link to it": (
        (*updated("link", "one", "ONE"), *updated("a", "two", "TWO")),
        [("a",), ("a",)],
        {"a": [0, 1]},
    ),
    "an update behind a link that is deleted then": (
        (*updated("link", "one", "ONE"), "*** Delete File: link"),
        [("a",), ("link",)],
        {"a": [0], "link": [1]},
    ),
    "a new file behind a link that leads nowhere": (
        ("*** Add File: nowhere", "+new"),
        [("missing",)],
        {"missing": [0]},
    ),
    # Both have the same content before and after, so hashes could not tell which change is whose.
    "two links to equal files": (
        (*updated("link", "one", "ONE"), *updated("twin", "one", "ONE")),
        [("a",), ("same",)],
        {"a": [0], "same": [1]},
    ),
}


@pytest.fixture
def disk(tmp_path: Path) -> Site:
    site = Site("disk", tmp_path)
    site.put("a", "one\ntwo\n").put("same", "one\ntwo\n").put("dir/d", "one\ntwo\n")
    return (
        site.link("link", "a").link("chain", "link").link("twin", "same").link("lib", "dir").link("nowhere", "missing")
    )


@pytest.mark.parametrize("case", CASES)
def test_every_change_names_the_files_that_it_writes(disk: Site, case: str) -> None:
    lines, names, changes = CASES[case]
    plan = disk.plan(*lines)
    assert [change.names for change in plan.changes] == names
    assert {
        file.shown: [plan.changes.index(change) for change in plan.changes_of(file)] for file in plan.files
    } == changes


@pytest.mark.parametrize("case", CASES)
def test_the_link_between_changes_and_files_survives_json_and_the_commit(disk: Site, case: str) -> None:
    lines, names, _ = CASES[case]
    plan = disk.plan(*lines)
    assert Plan.from_json(plan.to_json()) == plan
    receipt = disk.workspace.commit(plan)
    assert [change.names for change in disk.workspace.show(receipt.id).changes] == names


@pytest.mark.parametrize("case", CASES)
def test_a_permission_request_names_everything_that_is_written(disk: Site, case: str) -> None:
    plan = disk.plan(*CASES[case][0])
    request = Request.from_plan(plan)
    assert {file.shown for file in plan.files} <= {path for path, _ in request.names}
    absolute = {disk.at(file.shown) for file in plan.files}
    assert absolute <= {path for _, path in request.names}


@pytest.mark.parametrize("case", CASES)
def test_an_undo_brings_everything_back(disk: Site, case: str) -> None:
    before = disk.tree()
    receipt = disk.apply(*CASES[case][0])
    undone = disk.workspace.undo(receipt)
    assert disk.tree() == before
    assert {name for change in undone.changes for name in change.names} == {file.path for file in undone.files}


def test_a_file_that_a_plan_does_not_declare_is_asked_about_all_the_same(disk: Site) -> None:
    plan = disk.plan(*updated("link", "one", "ONE"))
    forged = plan.replace(changes=tuple([change.replace(target="") for change in plan.changes]))
    request = Request.from_plan(forged)
    assert "a" in request.patterns
    assert request.whole_only


@pytest.mark.parametrize(
    ("case", "whole_only"),
    [
        ("an update", False),
        ("a move with hunks", False),
        ("an update behind a link", False),
        ("a move of a link with hunks", False),
        ("two links to equal files", False),
        ("two moves", True),
        ("two updates", True),
        ("a file and a link to it", True),
        ("a move, and a new file in its place", True),
        ("an update behind a link that is deleted then", True),
    ],
)
def test_only_changes_of_different_files_can_be_approved_in_parts(disk: Site, case: str, whole_only: bool) -> None:
    assert Request.from_plan(disk.plan(*CASES[case][0])).whole_only is whole_only


def test_of_two_links_to_equal_files_the_right_one_is_approved(disk: Site) -> None:
    async def run() -> None:
        approver = Callback(lambda _: Answer.some({"twin": "all"}))
        session = Session(disk.workspace, approver=approver, reads={"apply_patch": "off"})
        await session.apply_patch(envelope(*CASES["two links to equal files"][0]))
        await session.close()

    asyncio.run(run())
    assert disk.tree()["a"] == "one\ntwo\n"
    assert disk.tree()["same"] == "ONE\ntwo\n"


def by_name(plan: Plan) -> dict[str, PlannedFile]:
    return {file.shown: file for file in plan.files}


def test_the_content_before_is_found_under_the_path_that_the_file_had(disk: Site) -> None:
    plan = disk.plan(*move("a", "b"), *move("b", "c", *HUNK), "*** Add File: n", "+new")
    contents = {name: (plan.content_before(file), file.content_after) for name, file in by_name(plan).items()}
    assert contents == {
        "a": (b"one\ntwo\n", None),
        "c": (b"one\ntwo\n", b"ONE\ntwo\n"),
        "n": (None, b"new\n"),
    }


def test_a_file_that_is_moved_and_then_deleted_goes_to_the_trash(disk: Site) -> None:
    receipt = disk.apply(*move("a", "b"), "*** Delete File: b")
    assert [(file.path, bool(file.trash)) for file in receipt.files] == [("a", True)]


def test_an_undo_of_two_moves_is_one_move(disk: Site) -> None:
    receipt = disk.apply(*move("a", "b"), *move("b", "c"))
    assert disk.workspace.undo(receipt).moved == (("c", "a"),)


def test_an_undo_of_an_exchange_tells_both_moves(disk: Site) -> None:
    disk.put("b", "other\n")
    before = disk.tree()
    receipt = disk.apply(*move("a", "t"), *move("b", "a"), *move("t", "b"))
    assert disk.workspace.undo(receipt).moved == (("b", "a"), ("a", "b"))
    assert disk.tree() == before


def test_a_change_behind_a_link_is_merged_back(disk: Site) -> None:
    receipt = disk.apply(*updated("link", "one", "ONE"))
    disk.put("a", "ONE\ntwo\nthree\n")
    disk.workspace.undo(receipt, merge=True)
    assert disk.tree()["a"] == "one\ntwo\nthree\n"


def test_a_link_that_was_replaced_by_another_one_is_not_followed_to_where_it_led(disk: Site) -> None:
    plan = disk.plan("*** Delete File: link", *move("twin", "link"), *updated("link", "one", "ONE"))
    assert [(problem.code, problem.path) for problem in plan.problems] == [("not_a_file", "link")]
