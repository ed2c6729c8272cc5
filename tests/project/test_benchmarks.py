"""The benchmarks measure what they say: cases from tiny repositories, with what is right known by hand."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import types
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from benchmarks.accuracy import cases, repositories, rules, safety, spoil, spoil_habits as habits, strings, twins
from benchmarks.accuracy.ambiguity import squeezed
from benchmarks.accuracy.change import Draft, Piece, applied, envelope, hunks_between, unified
from benchmarks.real.cases import RealCase, load
from benchmarks.real.tools import ask

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
BEFORE = """\
import os


class Store:
    def load(self, path):
        with open(path) as file:
            text = file.read()
            self.count = 10
            return text

    def save(self, path, text):
        with open(path, "w") as file:
            file.write(text)
            self.count = 20
            return text
"""
AFTER = BEFORE.replace("self.count = 20", "self.count += 20").replace("import os\n", "import os\nimport sys\n")


def git(folder: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"]
    dates = {"GIT_AUTHOR_DATE": "2020-01-01T00:00:00Z", "GIT_COMMITTER_DATE": "2020-01-01T00:00:00Z"}
    command = ["git", "-C", str(folder), *identity, *arguments]
    subprocess.run(command, check=True, capture_output=True, env={**os.environ, **dates})


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """One commit that changes a Python file, an image and a file of another kind."""
    folder = tmp_path / "owner+tiny" / "repo"
    folder.mkdir(parents=True)
    git(folder, "init", "-q")
    for text in (BEFORE, AFTER):
        (folder / "store.py").write_text(text)
        (folder / "image.py").write_bytes(b"\0\xff" + text.encode())
        (folder / "notes.unknown").write_text(text)
        git(folder, "add", "-A")
        git(folder, "commit", "-q", "-m", "x")
    return folder


def draft(old: str = BEFORE, new: str = AFTER, path: str = "store.py") -> Draft:
    """A change as the benchmark knows it."""
    before, after = old.splitlines(), new.splitlines()
    pieces = tuple(hunks_between(before, after))
    return Draft(path, tuple(before), pieces, pieces)


def test_a_repository_gives_the_text_files_that_its_commits_changed(repository: Path) -> None:
    """Before and after are those of the commit; files that are no text or of no known kind are left out."""
    changes = repositories.load([repository])
    assert {change.draft.path for change in changes} == {"store.py"}
    assert {change.source for change in changes} == {"tiny"}
    assert changes[0].draft.text(changes[0].draft.before) == BEFORE
    assert sum(len(change.draft.truth) for change in changes) == 2


def test_a_bare_repository_works_and_another_folder_is_an_error(repository: Path, tmp_path: Path) -> None:
    """All that is needed is what git stores."""
    git(tmp_path, "clone", "-q", "--bare", str(repository), "bare.git")
    assert [change.name.partition("@")[2] for change in repositories.load([tmp_path / "bare.git"])]
    with pytest.raises(OSError, match="git"):
        repositories.load([tmp_path / "owner+tiny"])


def test_hunks_get_the_line_that_opens_their_block_as_anchor(repository: Path) -> None:
    """Only how the hunk is written changes, never what is right."""
    changes = [repositories.with_anchors(change) for change in repositories.load([repository])]
    anchors = {piece.anchors for change in changes for piece in change.draft.written}
    assert anchors == {(), ("class Store:",)}
    assert all(piece.anchors == () for change in changes for piece in change.draft.truth)


@pytest.mark.parametrize("way", ["context_anchor", "no_op_hunk", "no_op_lines", "whole_block"])
def test_a_habit_changes_how_a_patch_is_written_and_not_what_is_right(way: str) -> None:
    """The true hunks stay; peers that read diffs get no hunk that changes nothing."""
    after = BEFORE.replace("= 20", "= 30")
    whole = draft(new=after)
    result = spoil.spoil(whole, way, "seed")
    assert result is not None
    assert result.text != envelope(whole)
    assert result.draft.after() == after
    assert unified(result.draft).count("\n@@") == len(whole.truth)


def test_the_same_hunk_is_written_as_often_as_it_occurs() -> None:
    """Two places, two equal hunks, both of them changed."""
    text = "def one():\n    value = compute()\n    return 1\n\ndef two():\n    value = compute()\n    return 2\n"
    result = habits.same_hunk_again(draft(text, text.replace("compute", "other", 1)), random.Random(0))
    assert result is not None
    assert [piece.lines for piece in result.written] == [("-    value = compute()", "+    value = other()")] * 2
    assert result.after() == text.replace("compute", "other")


def test_lines_that_are_wrapped_are_one_level_too_shallow_in_the_edit() -> None:
    """What is right is one level deeper than the edit says, all of it."""
    text = "def run():\n    for item in items:\n        first(item)\n        second(item)\n"
    result = habits.wrapped_too_shallow(draft(text, text.replace("second", "third")), random.Random(0))
    assert result is not None
    assert result.after() == text.replace(
        "        first(item)\n        second(item)\n",
        "        if ready:\n            first(item)\n            second(item)\n",
    )
    assert all(line.startswith(("-    ", "+    ")) for line in result.written[0].lines)
    assert not any(line.startswith("-     ") for line in result.written[0].lines)


def test_an_insertion_that_is_sent_again_is_no_fit_where_its_lines_are_there() -> None:
    """Context on one side alone fits, but the lines are right behind it; elsewhere it is a fit."""
    piece = Piece(0, (" a", "+x"))
    assert not safety.fits(["a", "x", "b"], [piece], resent=True)
    assert safety.fits(["a", "x", "b"], [piece])
    assert safety.fits(["a", "x", "a", "b"], [piece], resent=True)


def test_no_twin_has_the_lines_of_its_edit(repository: Path) -> None:
    """In one line the file is another; a twin of another depth has the same words, and never at one depth."""
    changes = repositories.load([repository])
    found = [(block, way, twin) for block in twins.blocks(changes) for way in twins.WAYS
             if (twin := twins.twin_of(block, way)) is not None]  # fmt: skip
    assert {way for _, way, _ in found} >= {"word_removed", "number_removed", "other_line_beside", "depth_removed"}
    for block, way, twin in found:
        assert twin.before != block.change.draft.before
        assert abs(len(twin.before) - len(block.change.draft.before)) <= 1
        same = "".join(map(squeezed, block.piece.old)) in "".join(map(squeezed, twin.before))
        assert same == way.startswith("depth")


@pytest.mark.parametrize(
    ("one", "other", "differs"),
    [("load", "save", True), ("rb", "wb", True), ("item", "items", False), ("Load", "save", False)],
)
def test_a_word_of_one_or_two_other_letters_is_a_typo_unless_it_is_short(one: str, other: str, differs: bool) -> None:
    """No text tells a typo from a twin there."""
    assert twins._is_other_word(one, other) == differs


def test_twins_are_asked_as_patches_and_as_string_edits(repository: Path) -> None:
    """Each expects a refusal."""
    made = list(twins.make(repositories.load([repository]), 200))
    assert {type(case) for case in made} == {cases.PatchCase, strings.StringCase}
    assert all(case.safety and case.expectation == "refuse" and not case.fits for case in made)


def test_a_rule_is_switched_off_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """The benchmark uses the engine's own table and switch."""
    off: list[str] = []

    @contextmanager
    def without(name: str) -> Iterator[None]:
        off.append(name)
        yield

    engine = types.ModuleType("suture.place.rule_table")
    vars(engine).update(RULES=(types.SimpleNamespace(name="no rival"),), without=without)
    monkeypatch.setitem(sys.modules, "suture.place.rule_table", engine)
    assert rules.names() == ["no rival"]
    with rules.without("no rival"), rules.without(""):
        assert off == ["no rival"]
    with pytest.raises(LookupError, match="no rival"), rules.without("another"):
        pass


def test_an_engine_without_a_table_has_no_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing to switch off, and no error until one asks for it."""
    monkeypatch.setitem(sys.modules, "suture.place.rule_table", types.ModuleType("suture.place.rule_table"))
    assert rules.names() == []
    with pytest.raises(LookupError, match="none"), rules.without("any"):
        pass


def real(**fields: Any) -> dict[str, Any]:
    """A case of a real edit in its file's format."""
    about = {"id": "1", "repo": "r", "tool": "t", "answer": "accepted", "sure": True, "how": "git", "file": "/f"}
    return {**about, "before": "a\nb\n", "expect": "exact", "right": ["a\nc\n"], **fields}


@pytest.mark.parametrize(
    ("fields", "status", "text", "outcome"),
    [
        ({}, "done", "a\nc\n", "exact"),
        ({}, "done", "a\n  c\n", "drift"),
        ({}, "done", "c\nb\n", "wrong"),
        ({}, "refused", "", "misplaced"),
        ({}, "raised", "", "raised"),
        ({"expect": "refuse"}, "refused", "", "right"),
        ({"expect": "refuse"}, "done", "a\n", "wrong"),
        ({"expect": "unknown"}, "refused", "", "unknown"),
        ({"expect": "unknown"}, "done", "a\n", "undecided"),
        ({"patch": ""}, "done", "a\nc", "exact"),
    ],
)
def test_an_answer_to_a_real_edit_is_judged(fields: dict[str, Any], status: Any, text: str, outcome: str) -> None:
    """At the end of a patched file line breaks don't count; otherwise every character does."""
    assert RealCase(real(**fields)).judge(status, text) == outcome


def test_a_verdict_replaces_what_the_case_says(tmp_path: Path) -> None:
    """It is found by the case's id."""
    file, verdicts = tmp_path / "cases.jsonl", tmp_path / "verdicts.json"
    file.write_text(json.dumps(real(old="b", new="c", replace_all=False)) + "\n")
    verdicts.write_text(json.dumps({"1": {"expect": "refuse", "reason": "stale"}}))
    [plain], [judged] = load(file, None), load(file, verdicts)
    assert ask("suture", plain) == ("done", "a\nc\n")
    assert (plain.judge("done", "a\nc\n"), judged.judge("done", "a\nc\n")) == ("exact", "wrong")


def test_the_program_prints_a_table_and_fails_where_a_limit_is_passed(tmp_path: Path) -> None:
    """Patches and string edits in one file; one of four is misplaced."""
    patch = "*** Begin Patch\n*** Update File: {}\n@@\n a\n-b\n+c\n*** End Patch\n"
    rows = [
        real(id="1", old="b", new="c", replace_all=False),
        real(id="2", patch=patch.format("/f")),
        real(id="3", old="zebra", new="c", replace_all=False),
        real(id="4", tool="x (machine-made)", old="zebra", new="c", replace_all=False),
    ]
    file, figures = tmp_path / "cases.jsonl", tmp_path / "figures.json"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    command = [sys.executable, "-m", "benchmarks.real", str(file), "--json", str(figures), "--most-misplaced", "0"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    assert "misplaced 1 is more than 0" in done.stdout
    assert "| **all but machine-made** |  | 3 | 2 | 0 | 0 | 0 | 1 | 0 | 0 | 0 |" in done.stdout
    assert json.loads(figures.read_text())["cases"] == {"1": "exact", "2": "exact", "3": "misplaced", "4": "misplaced"}


def test_true_places_make_the_new_file() -> None:
    """What is right never depends on how a patch is written."""
    whole = draft()
    assert applied(whole.before, whole.truth) == AFTER.splitlines()
