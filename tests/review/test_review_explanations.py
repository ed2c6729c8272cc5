"""Refused edits: what sessions keep of them, and how they are shown beside the file."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest
from tests.shared.agents import Agent
from tests.shared.programs import Place, patch, update

from suture.review import Explanation, Explanations, explain_patch
from suture.state.refused_files import RefusedEdits

if TYPE_CHECKING:
    from pathlib import Path

    from suture.review.explanations import ComparedPlace

OFF = dict.fromkeys(("edit", "multiedit", "apply_patch"), "off")


class Refusals:
    """An agent whose edits are refused."""

    def __init__(self, folder: Path, **settings: Any) -> None:
        self.agent = Agent(folder, reads=OFF, actor="model", settings=settings)
        self.kept = Explanations(str(self.agent.root), str(folder / "state"))

    def call(self, tool: str, **arguments: Any) -> None:
        result = self.agent.run(lambda session: session.call(tool, arguments))
        assert result.is_error, result.output

    def only(self) -> Explanation:
        (edit,) = self.kept.refused()
        return self.kept.explanation(edit.id)

    def patch(self, *lines: str) -> str:
        return "\n".join(["*** Begin Patch", "*** Update File: src/app.py", *lines, "*** End Patch", ""])


@pytest.fixture
def refusals(tmp_path: Path) -> Refusals:
    return Refusals(tmp_path)


def rows(place: ComparedPlace) -> list[tuple[str, int | None, str | None, str | None]]:
    return [(row.kind, row.number, row.edit, row.file) for row in place.rows]


class TestExplanation:
    def test_a_hunk_is_beside_its_nearest_place_with_the_differences_marked(self, refusals: Refusals) -> None:
        patch = refusals.patch("@@", " def greet(name):", "-    print('Hey ' + nom)", "+    print(name)")
        refusals.call("apply_patch", patchText=patch)
        explanation = refusals.only()
        assert (explanation.edit.tool, explanation.edit.actor, explanation.edit.text) == ("apply_patch", "model", patch)
        assert explanation.edit.session == refusals.agent.session.id
        (problem,) = explanation.problems
        assert problem.problem.code == "patch_apply_error"
        (place,) = problem.places
        assert rows(place)[:2] == [
            ("equal", 1, "def greet(name):", "def greet(name):"),
            ("different", 2, "    print('Hey ' + nom)", "    print('Hi ' + name)"),
        ]
        row = place.rows[1]
        assert [row.edit[start:end] for start, end in row.edit_marks] == ["Hey", "nom"]  # type: ignore[index]
        assert [row.file[start:end] for start, end in row.file_marks] == ["Hi", "name"]  # type: ignore[index]
        assert {kind for kind, *_ in rows(place)[2:]} == {"around"}

    def test_all_places_that_fit_are_there(self, refusals: Refusals) -> None:
        refusals.agent.put("src/app.py", "def a():\n    return 1\n\n\ndef b():\n    return 1\n")
        refusals.call("edit", filePath="src/app.py", oldString="    return 1\n", newString="    return 2\n")
        (problem,) = refusals.only().problems
        assert problem.problem.code == "multiple_matches"
        assert [(place.start, place.end) for place in problem.places] == [(2, 2), (6, 6)]

    def test_the_edit_of_a_list_that_was_refused_is_the_one_shown(self, refusals: Refusals) -> None:
        edits = [{"oldString": "Hi", "newString": "Ho"}, {"oldString": "def parts(nom):", "newString": "x"}]
        refusals.call("multiedit", filePath="src/app.py", edits=edits)
        (problem,) = refusals.only().problems
        assert ("different", 5, "def parts(nom):", "def part(name):") in rows(problem.places[0])

    def test_the_file_is_shown_as_it_was_when_the_edit_was_refused(self, refusals: Refusals) -> None:
        refusals.call("edit", filePath="src/app.py", oldString="def greeet(nom):", newString="x")
        refusals.agent.put("src/app.py", "all new\n")
        (problem,) = refusals.only().problems
        assert rows(problem.places[0])[0] == ("different", 1, "def greeet(nom):", "def greet(name):")

    def test_an_anchor_that_is_missing_has_no_place_beside_the_file(self, refusals: Refusals) -> None:
        refusals.call("apply_patch", patchText=refusals.patch("@@ def greets(name):", "-    absent", "+    x"))
        (problem,) = refusals.only().problems
        assert "The nearest is line 1: |def greet(name):|" in problem.problem.message
        assert problem.places == ()

    def test_a_patch_that_was_sent_by_other_means_is_explained_from_its_text(self, refusals: Refusals) -> None:
        patch = refusals.patch("@@", "-    print('Hey ' + nom)", "+    print(name)")
        explanation = explain_patch(refusals.agent.workspace, patch)
        assert explanation.problems[0].places[0].start == 2
        fitting = refusals.patch("@@", "-    print('Hi ' + name)", "+    print(name)")
        assert explain_patch(refusals.agent.workspace, fitting).problems == ()
        assert Explanation.from_json(explanation.to_json()) == explanation


class TestWhatIsKept:
    def test_neither_a_success_nor_a_preview_nor_a_dry_run_is_kept(self, refusals: Refusals) -> None:
        agent = refusals.agent
        wrong = {"filePath": "src/app.py", "oldString": "nowhere", "newString": "x"}
        agent.run(lambda session: session.preview("edit", wrong))
        agent.run(lambda session: session.edit("src/app.py", "Hi", "Ho"))
        assert refusals.kept.refused() == []

    @pytest.mark.parametrize("settings", [{"history": False}])
    def test_a_workspace_without_a_history_keeps_none(self, tmp_path: Path, settings: dict[str, Any]) -> None:
        refusals = Refusals(tmp_path, **settings)
        refusals.call("edit", filePath="src/app.py", oldString="nowhere", newString="x")
        assert refusals.kept.refused() == []

    def test_what_the_programs_refuse_is_kept_but_not_what_they_only_check(self, tmp_path: Path) -> None:
        place = Place(tmp_path)
        nowhere = patch(update("app.py", "-nowhere", "+anywhere"))
        for program, *arguments in (("suture", "check"), ("suture", "apply", "--dry-run"), ("suture", "explain")):
            assert place.run(program, *arguments, stdin=nowhere).status == 1
        kept = Explanations(str(place.root), str(tmp_path / "state"))
        assert kept.refused() == []
        assert place.run("suture", "apply", "--actor", "me", stdin=nowhere).status == 1
        assert place.run("suture", "edit", "app.py", "--old", "nowhere", "--new", "x").status == 1
        assert place.run("apply_patch", stdin=nowhere).status == 1
        assert [(edit.tool, edit.actor) for edit in kept.refused()] == [
            ("apply_patch", ""),
            ("suture edit", ""),
            ("suture apply", "me"),
        ]

    def test_a_fifo_among_them_blocks_nobody(self, tmp_path: Path) -> None:
        kept = RefusedEdits(str(tmp_path), str(tmp_path / "state"))
        (tmp_path / kept.folder).mkdir(parents=True)
        os.mkfifo(f"{kept.folder}/x.json")
        assert kept.all() == []

    def test_only_the_last_ones_are_kept(self, refusals: Refusals, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("suture.state.refused_files.MOST_REFUSED_EDITS", 3)
        for number in range(5):
            refusals.call("edit", filePath="src/app.py", oldString=f"nowhere {number}", newString="x")
        assert ["nowhere 4" in edit.text for edit in refusals.kept.refused()] == [True, False, False]
        with pytest.raises(KeyError):
            refusals.kept.explanation("gone")

    def test_one_that_is_too_large_is_cut(self, refusals: Refusals, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("suture.state.refused_files.LARGEST_REFUSED_EDIT", 20_000)
        refusals.call("edit", filePath="src/app.py", oldString="nowhere\n" + "x" * 50_000, newString="y" * 50_000)
        assert len(refusals.only().edit.text) < 2000

    def test_only_the_user_can_read_them(self, refusals: Refusals) -> None:
        refusals.call("edit", filePath="src/app.py", oldString="nowhere", newString="x")
        (path,) = (refusals.agent.folder / "state" / "refused").glob("*/*.json")
        assert (path.stat().st_mode & 0o077, path.parent.stat().st_mode & 0o077) == (0, 0)
        path.write_text("{")
        assert refusals.kept.refused() == []
