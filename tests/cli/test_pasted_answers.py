"""Answers of models and tools, pasted into `suture apply`: tests/answers/answers.toml has them with what they do."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.shared.programs import Place, compare

from suture import parse
from suture.format import PatchParser

if TYPE_CHECKING:
    from typing import Any

ANSWERS: dict[str, Any] = tomllib.loads((Path(__file__).parents[1] / "answers" / "answers.toml").read_text("utf-8"))
BEFORE: dict[str, str] = ANSWERS.pop("before")
APPLIED = [name for name in ANSWERS if not ANSWERS[name].get("status")]


def expected(name: str) -> dict[str, str]:
    """The files afterwards: a text is the whole file, "" for none; a list has pairs of old and new."""
    files = dict(BEFORE)
    for path, change in ANSWERS[name].get("after", {}).items():
        if isinstance(change, list):
            for old, new in zip(change[::2], change[1::2], strict=True):
                assert old in files[path], (path, old)
                files[path] = files[path].replace(old, new)
        else:
            files[path] = change
    return {path: text for path, text in files.items() if text}


def form_of(name: str) -> str | None:
    return next(iter(ANSWERS[name].get("arguments", ())[1:]), None)


@pytest.fixture
def project(tmp_path: Path) -> Place:
    place = Place(tmp_path)
    for path in place.files():
        (place.root / path).unlink()
    for path, text in BEFORE.items():
        place.write(path, text)
    return place


def test_there_are_answers_of_all_forms() -> None:
    forms = {parse(ANSWERS[name]["text"], form=form_of(name)).form for name in APPLIED}
    assert forms == {"envelope", "unified", "search-replace", "json", "xml", "whole", "mixed"}
    assert len(ANSWERS) >= 20


@pytest.mark.parametrize("name", ANSWERS)
def test_an_answer_does_what_it_says(project: Place, name: str) -> None:
    answer = ANSWERS[name]
    done = project.suture("apply", *answer.get("arguments", ()), stdin=answer["text"])
    assert done.status == answer.get("status", 0), done.err
    assert project.files() == expected(name)
    compare(f"answer-{name}", project.stable(done.err if done.status else done.out))


@pytest.mark.parametrize("name", ["git-diff", "aider", "claude-code-log", "whole-files"])
def test_it_is_one_commit_that_can_be_undone(project: Place, name: str) -> None:
    answer = ANSWERS[name]
    assert project.suture("apply", *answer.get("arguments", ()), stdin=answer["text"]).status == 0
    assert project.suture("undo").status == 0
    assert project.files() == BEFORE


@pytest.mark.parametrize("name", APPLIED)
@pytest.mark.parametrize("size", [1, 7, 64])
def test_an_answer_in_pieces_is_the_same(name: str, size: int) -> None:
    text, form = ANSWERS[name]["text"], form_of(name)
    whole = parse(text, form=form)
    parser = PatchParser(form=form)
    for start in range(0, len(text), size):
        parser.feed(text[start : start + size])
    patch = parser.close()
    assert (patch, patch.concessions, patch.form) == (whole, whole.concessions, whole.form)


@pytest.mark.parametrize("name", ["aider", "git-diff", "whole-files", "codex-envelope", "claude-code-log", "cline"])
def test_edits_can_be_shown_while_they_arrive(name: str) -> None:
    text = ANSWERS[name]["text"]
    parser = PatchParser(form=form_of(name))
    parser.feed(text[: text.index("\n", len(text) * 2 // 3)])
    assert parser.operations
