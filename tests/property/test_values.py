"""Properties of values, problems and the text for models."""

from __future__ import annotations

import copy
import pickle
from typing import TYPE_CHECKING, cast

import pytest
from hypothesis import example, given, strategies as st
from tests.property.strategies import attempt, examples, hunks, patch_texts, patches, texts

from suture import Hunk, Patch, PatchInvalidError, PatchRejectedError, Problem, SutureError, parse, update
from suture.core.display import model_text
from suture.core.problems import HunkRef
from suture.format import PatchParser

if TYPE_CHECKING:
    from suture.place import Update

STATE = "No file was changed."


def clones(value: object) -> list[object]:
    """The value by every way there and back."""
    ways = [pickle.loads(pickle.dumps(value, protocol)) for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1)]  # noqa: S301
    return [*ways, copy.copy(value), copy.deepcopy(value)]


@examples(100)
@given(patches())
def test_a_patch_survives_pickle_and_copy(patch: Patch) -> None:
    """SPEC §1: "All are immutable values"."""
    for clone in clones(patch):
        assert clone == patch
        assert hash(clone) == hash(patch)
        assert repr(clone) == repr(patch)


@given(patch_texts)
def test_what_was_noted_survives_pickle_and_copy(text: str) -> None:
    """SPEC §1: "All are immutable values"; what equality passes over comes along."""
    read = attempt(lambda: parse(text))
    for clone in clones(read):
        assert repr(clone) == repr(read)
        if isinstance(read, SutureError):
            twin = cast("PatchInvalidError", clone)
            assert type(twin) is PatchInvalidError
            assert (twin.problems, str(twin)) == (read.problems, str(read))
            assert [problem.details for problem in twin.problems] == [problem.details for problem in read.problems]


@given(texts, st.lists(hunks(), min_size=1, max_size=3))
def test_an_update_survives_pickle_and_copy(text: str, given_hunks: list[Hunk]) -> None:
    """SPEC §4: "The result for each hunk is a Match", a value like the others."""
    try:
        done = update(text, given_hunks, dialect="codex")
    except PatchRejectedError:
        return
    for clone in clones(done):
        twin = cast("Update", clone)
        assert twin == done
        assert repr(twin) == repr(done)
        assert hash(twin) == hash(done)


@given(patches(), st.sampled_from(["operations", "environment_id", "concessions"]))
def test_a_patch_cannot_be_changed(patch: Patch, name: str) -> None:
    """SPEC §1: "All are immutable values"."""
    with pytest.raises(AttributeError):
        setattr(patch, name, None)
    with pytest.raises(AttributeError):
        delattr(patch, name)


@given(hunks())
def test_where_a_hunk_stands_is_no_part_of_equality(hunk: Hunk) -> None:
    """SPEC §1: "where it stands in the patch text (for messages; not part of equality)"."""
    elsewhere = hunk.replace(line=hunk.line + 7)
    assert elsewhere == hunk
    assert hash(elsewhere) == hash(hunk)
    assert hunk.replace(lines=(*hunk.lines, "+more")) != hunk


@given(hunks())
def test_old_and_new_are_derived_from_the_lines(hunk: Hunk) -> None:
    """SPEC §1: "`old` (context + removed) and `new` (context + added) are derived." """
    assert list(hunk.old) == [line[1:] for line in hunk.lines if line[0] in " -"]
    assert list(hunk.new) == [line[1:] for line in hunk.lines if line[0] in " +"]
    assert list(hunk.removed) == [line[1:] for line in hunk.lines if line[0] == "-"]
    assert list(hunk.added) == [line[1:] for line in hunk.lines if line[0] == "+"]


_problems = st.builds(
    Problem,
    st.just("patch_apply_error"),
    st.text(max_size=3000),
    path=st.text(max_size=10),
    hunk=st.none() | st.builds(HunkRef, st.integers(1, 9), st.integers(1, 9)),
    hint=st.text(max_size=500),
)


@examples(200)
@given(st.lists(_problems, max_size=8), st.integers(len(STATE), 6000))
@example([Problem("patch_apply_error", "\0" * 100, hint="\x1b" * 100)], 100)
@example([Problem("patch_apply_error", "x" * 100, hint="y" * 100)], len(STATE))
@example([Problem("patch_apply_error", "x" * 100, hint="y" * 100)] * 3, len(STATE) + 3)
def test_the_text_for_a_model_keeps_its_limit_and_ends_with_the_state_of_the_disk(
    problems: list[Problem], limit: int
) -> None:
    """SPEC §8: "A message for a model is short (at most 4 kB, a setting) and has: … last, the state of the disk"."""
    answer = PatchRejectedError(problems).for_model(limit)
    assert len(answer) <= limit
    assert answer.endswith(STATE)


@examples(200)
@given(st.lists(_problems, max_size=4))
@example([Problem("patch_apply_error", "→" * 3900)])
def test_the_text_for_a_model_has_at_most_four_kilobytes(problems: list[Problem]) -> None:
    """SPEC §8: "at most 4 kB": kilobytes count bytes."""
    assert len(PatchRejectedError(problems).for_model().encode("utf-8", "surrogatepass")) <= 4096


@examples(200)
@given(st.lists(_problems, min_size=1, max_size=4))
def test_a_short_text_for_a_model_has_all_problems_and_hints(problems: list[Problem]) -> None:
    """SPEC §8: "All problems of a patch are collected in one answer." """
    answer = PatchRejectedError(problems).for_model(100_000)
    assert all(model_text(text) in answer for problem in problems for text in (problem.message, problem.hint))


@examples(200)
@given(patch_texts)
def test_the_text_for_a_model_of_any_bad_patch_can_be_sent(text: str) -> None:
    """SPEC §8: an answer that holds half a surrogate pair could not be encoded."""
    parser = PatchParser()
    parser.feed(text + "\n\udcff bare \ud800")
    try:
        parser.close()
    except SutureError as refused:
        answer = refused.for_model()
        answer.encode()
        assert len(answer) <= 4000
        assert answer.endswith(STATE)
