"""Plans that are stored as JSON, committed later or by another process, or forged."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from tests.shared.sites import Site, updated

from suture import PatchRejectedError, Problem, Workspace
from suture.core.json_values import to_data
from suture.core.record import Snapshot
from suture.workspace import MemoryFiles, Plan

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any


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
    with pytest.raises(TypeError, match=r"object (has no form in JSON|is not JSON serializable)"):
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


@pytest.mark.parametrize("change", [{"size": 1}, {"size": 10**9}, {"mode": 0o777}])
def test_undo_restores_what_was_there_not_what_a_stored_plan_says(site: Site, change: dict[str, int]) -> None:
    site.put("a", "one\n", mode=0o640)
    plan = site.plan("*** Delete File: a")
    file = plan.files[0]
    receipt = site.workspace.commit(plan.replace(files=(file.replace(before=file.before.replace(**change)),)))
    site.workspace.undo(receipt.id)
    assert (site.tree(), site.mode("a")) == ({"a": "one\n"}, 0o640)


@pytest.mark.parametrize(
    ("mode", "codes"), [(0, []), (0o7777, []), (0o10000, ["invalid_arguments"]), (-1, ["invalid_arguments"])]
)
def test_a_stored_plan_gives_a_file_no_mode_that_there_is_not(mode: int, codes: list[str]) -> None:
    workspace = Workspace(MemoryFiles({"a": "one\n"}))
    plan = workspace.plan_edit("a", "one", "two")
    file = plan.files[0]
    plan = plan.replace(files=(file.replace(after=file.after.replace(mode=mode)),))
    if codes:
        with pytest.raises(PatchRejectedError) as rejected:
            workspace.commit(plan)
        assert [problem.code for problem in rejected.value.problems] == codes
    else:
        assert workspace.commit(plan).modified == ("a",)


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


def test_a_plan_of_a_link_has_a_target_that_a_link_can_have(site: Site) -> None:
    site.link("a", "there")
    plan = site.plan("*** Delete File: a")
    (file,) = plan.files
    for target in ("", "the\0re"):
        with pytest.raises(PatchRejectedError) as raised:
            site.workspace.commit(plan.replace(files=(file.replace(before=file.before.replace(target=target)),)))
        assert raised.value.problems[0].code == "invalid_arguments"
    site.workspace.commit(plan)
    assert site.tree() == {}


def test_a_plan_whose_content_is_not_what_it_says_is_refused(site: Site) -> None:
    plan = site.plan("*** Add File: b", "+b")
    (file,) = plan.files
    with pytest.raises(PatchRejectedError) as raised:
        site.workspace.commit(plan.replace(files=(file.replace(content=b"another\n"),)))
    assert raised.value.problems[0].code == "invalid_arguments"
    assert site.tree() == {}


def test_every_documented_field_of_a_planned_file_survives_json(site: Site) -> None:
    site.put("a", "one\n").put("m", b"\xffm\n").put("gone", "gone\n")
    plan = site.plan(
        *updated("a", "one", "two"),
        "*** Update File: m",
        "*** Move to: n",
        "*** Delete File: gone",
        "*** Add File: x",
        "+x",
    )
    stored = Plan.from_json(plan.to_json())
    for file, again in zip(plan.files, stored.files, strict=True):
        assert again.asdict() == file.asdict()
        assert again.content_after == file.content_after
        assert stored.content_before(again) == plan.content_before(file)
    contents = {file.shown: file.content_after for file in stored.files}
    assert contents == {"a": b"two\n", "m": None, "n": b"\xffm\n", "gone": None, "x": b"x\n"}
    site.workspace.commit(stored)
    assert site.tree() == {"a": "two\n", "n": "\xffm\n", "x": "x\n"}


@pytest.mark.parametrize("shown", ["a", "m", "n"])
def test_a_plan_whose_old_content_is_not_what_it_says_is_refused(site: Site, shown: str) -> None:
    site.put("a", "one\n").put("m", "m\n")
    plan = site.plan(*updated("a", "one", "two"), "*** Update File: m", "*** Move to: n")
    files = tuple([file.replace(was=b"forged\n") if file.shown == shown else file for file in plan.files])
    forged = Plan.from_json(plan.replace(files=files).to_json())
    with pytest.raises(PatchRejectedError) as raised:
        site.workspace.commit(forged)
    assert raised.value.problems[0].code == "invalid_arguments"
    assert site.tree() == {"a": "one\n", "m": "m\n"}
