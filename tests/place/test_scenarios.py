"""Behaviour pinned as data: every folder of `tests/scenarios/` ends as it says, in every dialect it speaks of.

`tests/shared/scenario.py` tells what a folder has.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.shared.scenario import SCENARIOS, Scenario, Table, Tree
from tests.shared.sites import Site, Where

from suture import (
    DIALECTS,
    AddFile,
    Concession,
    DeleteFile,
    Hunk,
    Patch,
    PatchInvalidError,
    PatchRejectedError,
    Problem,
    SutureError,
    UpdateFile,
    parse,
    update,
)
from suture.format import PatchParser

if TYPE_CHECKING:
    from collections.abc import Iterable

    from suture.place import Match, Update
    from suture.workspace import Receipt

#: What is conceded, by name: on the Patch, and on a Match beside its tier.
CONCEDED_BY_TEXT = {
    "bare_add_body",
    "bare_blank_line",
    "bare_line",
    "command",
    "crlf",
    "dot_path",
    "environment_id",
    "escaped_newlines",
    "fence",
    "heredoc",
    "json",
    "marker_spelling",
    "padded_marker",
    "prose",
    "quoted_path",
    "several_envelopes",
    "unified_file_header",
    "unified_hunk_header",
}
CONCEDED_BY_PLACE = {
    "anchor_normalized",
    "anchor_shortened",
    "bare_line_added",
    "escapes_added",
    "escapes_undone",
    "indentation_as_written",
    "indentation_shifted",
    "inserted_at_end",
    "last_blank_left_out",
    "line_hint",
    "line_numbers",
    "no_change",
    "no_op_hunk",
    "out_of_order",
}
TIERS = set(DIALECTS["standard"].tiers)

FILE_CASES = [
    pytest.param(scenario, dialect, id=f"{scenario.name}-{dialect}")
    for scenario in SCENARIOS
    for dialect in scenario.dialects
    if not scenario.is_tree
]
TREE_CASES = [
    pytest.param(scenario, dialect, where, id=f"{scenario.name}-{dialect}-{where}")
    for scenario in SCENARIOS
    for dialect in scenario.dialects
    for where in scenario.on
    if scenario.is_tree
]


def applied(patch: Patch, content: str | bytes, dialect: str, settings: Table) -> Update:
    """The one update of a patch, applied."""
    [operation] = [operation for operation in patch.operations if isinstance(operation, UpdateFile)]
    return update(content, operation.hunks, dialect=dialect, path=operation.path, **settings)


def seen_problem(problem: Problem, *, lines: bool) -> Table:
    """What a scenario says of a problem."""
    seen: Table = {"code": problem.code}
    if problem.details.get("reason"):
        seen["reason"] = problem.details["reason"]
    if problem.hunk is not None:
        seen["hunk"] = problem.hunk.number
    if problem.code == "patch_parse_error":
        seen["line"] = problem.details["line"]
    if lines:
        seen["lines"] = problem.details.get("lines")
    return seen


def root_of(site: Site) -> str:
    """What stands before the slash in the absolute path of a file."""
    return site.at("").rstrip("/")


def seen_match(match: Match, hunk: Hunk, wanted: Table) -> Table:
    """What a scenario says of a match: its tier, what it concedes beside, and the other fields that it gives."""
    conceded = [concession.name for concession in match.concessions]
    assert {concession.line for concession in match.concessions} <= {hunk.line}
    if match.tier != "exact":
        assert match.tier in conceded
        conceded.remove(match.tier)
    seen: Table = {"tier": match.tier, "concessions": sorted(conceded)}
    if "lines" in wanted:
        seen["lines"] = [match.start, match.end]
    if "rivals" in wanted:
        seen["rivals"] = list(match.rivals)
    return seen


def operation_of(told: Table) -> AddFile | DeleteFile | UpdateFile:
    if "add" in told:
        return AddFile(told["add"], told["content"])
    if "delete" in told:
        return DeleteFile(told["delete"])
    hunks = [Hunk(tuple(hunk["lines"]), tuple(hunk.get("anchors", ()))) for hunk in told.get("hunks", [])]
    return UpdateFile(told["update"], tuple(hunks), told.get("move_to"))


def check_problems(scenario: Scenario, expected: Table, refusal: SutureError, site: Site | None = None) -> None:
    wanted = scenario.problems(expected)
    unread = wanted[0]["code"] == "patch_parse_error"
    if site is not None and not unread:
        wanted = [{**told, "path": told["path"].replace("<root>", root_of(site))} for told in wanted]
    lines = ["lines" in told for told in wanted] + [False] * len(refusal.problems)
    seen = [seen_problem(problem, lines=shown) for problem, shown in zip(refusal.problems, lines, strict=False)]
    if site is not None and not unread:
        seen = [{**told, "path": problem.path} for told, problem in zip(seen, refusal.problems, strict=True)]
    assert seen == wanted, f"{scenario.title}\n{refusal.for_model()}"
    assert type(refusal) is (PatchInvalidError if unread else PatchRejectedError)


def check_update(scenario: Scenario, expected: Table, done: Update, hunks: tuple[Hunk, ...]) -> None:
    told: list[Table] = expected.get("matches", [{}] * len(hunks))
    wanted = [{"tier": "exact", **match, "concessions": sorted(match.get("concessions", []))} for match in told]
    assert done.text == (scenario.folder / expected["after"]).read_bytes(), f"{scenario.title}\n{done.matches}"
    assert [
        seen_match(match, hunks[match.hunk - 1], told) for match, told in zip(done.matches, wanted, strict=True)
    ] == wanted


def seen_tree(site: Site) -> Tree:
    """The files of a workspace; a folder without any would be one that was left behind."""
    tree = site.tree()
    folders = {path for path in tree if path.endswith("/")}
    assert all(any(path.startswith(folder) for path in tree.keys() - folders) for folder in folders)
    return {path: text.encode("latin-1") for path, text in tree.items() if path not in folders}


def check_trash(receipt: Receipt, before: Tree, after: Tree) -> None:
    """What was deleted lies in the trash, as it was."""
    trash = {file.path: file.trash for file in receipt.files}
    for path in receipt.deleted:
        if path not in after:
            assert Path(trash[path]).read_bytes() == before[path]


@pytest.mark.parametrize(("scenario", "dialect"), FILE_CASES)
def test_a_scenario_ends_as_its_folder_says(scenario: Scenario, dialect: str) -> None:
    """A text of a model becomes the bytes, the matches and the concessions, or the problems, that the folder has."""
    expected, before = scenario.expected(dialect), scenario.before
    refusal = patch = done = None
    try:
        patch = parse(scenario.patch, dialect)
        if before is not None:
            done = applied(patch, before, dialect, scenario.settings)
    except SutureError as error:
        refusal = error
    if refusal is not None:
        assert "problem" in expected, f"{scenario.title}\n{refusal.for_model()}"
        check_problems(scenario, expected, refusal)
        return
    assert "problem" not in expected, f"{scenario.title}\n{done or patch}"
    assert patch is not None
    assert patch.concessions == tuple(Concession(**told) for told in expected.get("concessions", ()))
    assert patch.environment_id == expected.get("environment_id")
    if done is None:
        assert patch.operations == tuple(map(operation_of, expected["operations"]))
    else:
        [hunks] = [operation.hunks for operation in patch.operations if isinstance(operation, UpdateFile)]
        check_update(scenario, expected, done, hunks)


@pytest.mark.parametrize(("scenario", "dialect", "where"), TREE_CASES)
def test_a_tree_ends_as_its_folder_says_and_comes_back(
    scenario: Scenario, dialect: str, where: Where, tmp_path: Path
) -> None:
    """A text of a model makes of a workspace what the folder has, all of it or nothing, and an undo takes it back."""
    expected, before, site = scenario.expected(dialect), scenario.tree("before"), Site(where, tmp_path)
    for path, content in before.items():
        site.put(path, content)
    text = scenario.patch.replace("<root>", root_of(site))
    if "problem" in expected:
        with pytest.raises(SutureError) as refused:
            site.workspace.apply(text, dialect=dialect)
        check_problems(scenario, expected, refused.value, site)
        assert seen_tree(site) == before
        return
    receipt = site.workspace.apply(text, dialect=dialect)
    after = scenario.tree(expected["after"])
    assert seen_tree(site) == after, scenario.title
    assert [str(change) for change in receipt.changes] == expected["changes"]
    assert receipt.concessions == tuple(Concession(**told) for told in expected.get("concessions", ()))
    if where == "disk":
        check_trash(receipt, before, after)
    site.workspace.undo(receipt)
    assert seen_tree(site) == before


def read_in(pieces: Iterable[str], dialect: str) -> tuple[Patch | tuple[Problem, ...], tuple[Concession, ...]]:
    """What a text is read as, with its concessions: they are no part of a Patch's equality."""
    parser = PatchParser(dialect)
    for piece in pieces:
        parser.feed(piece)
    try:
        patch = parser.close()
    except PatchInvalidError as invalid:
        return invalid.problems, ()
    return patch, patch.concessions


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_a_scenario_reads_alike_in_pieces(scenario: Scenario) -> None:
    """However a text is cut into pieces, the result is the same."""
    text = scenario.patch
    for dialect in scenario.dialects:
        whole = read_in([text], dialect)
        assert read_in(text, dialect) == whole
        assert read_in([text[start : start + 7] for start in range(0, len(text), 7)], dialect) == whole


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_a_scenario_is_the_same_for_str_and_bytes(scenario: Scenario) -> None:
    """What is given as str comes back as str, with the same text that bytes would have."""
    before = scenario.before
    if before is None or "encoding" in scenario.settings:
        return
    for dialect in scenario.dialects:
        try:
            content = before.decode("utf-8")
            patch = parse(scenario.patch, dialect)
            of_bytes = applied(patch, before, dialect, scenario.settings)
        except (SutureError, UnicodeDecodeError):
            continue
        of_str = applied(patch, content, dialect, scenario.settings)
        assert (of_str.text.encode("utf-8"), of_str.matches) == (of_bytes.text, of_bytes.matches)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_a_scenario_says_what_it_pins(scenario: Scenario) -> None:
    """A folder is complete: a title that is a sentence, known dialects, no file and no key that nothing reads."""
    assert scenario.title[0].isupper()
    assert scenario.title.endswith(".")
    assert scenario.spec.startswith("§")
    assert scenario.dialects == [name for name in DIALECTS if name in scenario.dialects] != []
    assert set(scenario.settings) <= {"encoding", "allow_control"}
    named = {"scenario.toml", "patch.txt"} | ({"before"} if (scenario.folder / "before").exists() else set())
    known = {"after", "problem", "concessions"} | (
        {"changes"} if scenario.is_tree else {"matches", "operations", "environment_id"}
    )
    for expected in scenario.expectations():
        assert set(expected) <= known
        assert ("changes" in expected) == (scenario.is_tree and "after" in expected)
        assert ("problem" in expected) + ("after" in expected) + ("operations" in expected) == 1
        named |= {expected[key] for key in ("after", "problem") if key in expected}
    assert {file.name for file in scenario.folder.iterdir()} == named


def test_the_scenarios_are_numbered_once() -> None:
    """A number names one scenario."""
    numbers = [scenario.name[:3] for scenario in SCENARIOS]
    assert all(number.isdigit() for number in numbers)
    assert len(set(numbers)) == len(numbers) >= 90


def test_every_concession_and_every_tier_is_pinned() -> None:
    """Each leniency has a scenario that shows it under its name."""
    expectations = [expected for scenario in SCENARIOS for expected in scenario.expectations()]
    by_text = {told["name"] for expected in expectations for told in expected.get("concessions", ())}
    matches = [match for expected in expectations for match in expected.get("matches", ())]
    by_place = {name for match in matches for name in match.get("concessions", ())}
    assert by_text == CONCEDED_BY_TEXT
    assert by_place == CONCEDED_BY_PLACE
    assert {match.get("tier", "exact") for match in matches} == TIERS
