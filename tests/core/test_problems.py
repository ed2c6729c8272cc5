"""Problems as data, exceptions by the state of the disk, and the text for models."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

import pytest

import suture
from suture import Hunk, PatchInvalidError, PatchRejectedError, Problem, SutureError, parse, update
from suture.core.problems import PEER_NAMES, HunkRef

if TYPE_CHECKING:
    from collections.abc import Callable

CODES = set(
    "patch_parse_error patch_apply_error multiple_matches overlapping_edits old_text_not_found no_change "
    "invalid_arguments not_found already_exists is_directory not_a_file binary_file file_too_large encoding_error "
    "outside_workspace permission_denied rejected cancelled stale_file conflict not_read locked io_error timeout "
    "command_failed implicit_invocation".split()
)


def long_problem(size: int) -> Problem:
    return Problem("patch_apply_error", "m" * size, hint="h" * 10)


def test_every_code_is_in_exactly_one_of_the_sets_that_the_seeds_name() -> None:
    """SPEC §8: "`ParseError`, `IoError`, … and `ImplicitInvocation` each name a set of these codes." """
    assert set(PEER_NAMES) == {"ParseError", "IoError", "ComputeReplacements", "ImplicitInvocation"}
    named = [code for codes in PEER_NAMES.values() for code in codes]
    assert len(named) == len(set(named))
    assert set(named) == set(CODES)
    for name, codes in PEER_NAMES.items():
        assert getattr(suture, name) is codes


def test_a_problem_has_what_a_program_needs() -> None:
    problem = Problem(
        "not_found", "a is not there.", "a", HunkRef(1, 2, 3), {"path": "a"}, "Look again.", recoverable=False
    )
    assert problem == Problem(
        "not_found", "a is not there.", "a", HunkRef(1, 2, 3), {}, "Look again.", recoverable=False
    )
    assert str(problem) == "a is not there.\nLook again."
    assert str(problem.replace(hint="")) == "a is not there."
    assert hash(problem) == hash(problem.replace(details={}))


def test_details_have_the_path_and_the_hunk_from_zero() -> None:
    """SPEC §8: "`details` (data, with `path`, `hunkIndex` from 0 and `reason` as in seed 002)"."""
    with pytest.raises(PatchRejectedError) as refused:
        update("one\n", [Hunk(("-one", "+1")), Hunk(("-absent", "+x"), line=9)], path="a.txt")
    (problem,) = refused.value.problems
    assert (problem.code, problem.path, problem.hunk) == ("patch_apply_error", "a.txt", HunkRef(2, 2, 9))
    assert {name: problem.details[name] for name in ("path", "hunkIndex", "reason")} == {
        "path": "a.txt",
        "hunkIndex": 1,
        "reason": "context_not_found",
    }


def test_all_problems_of_an_update_are_collected() -> None:
    """SPEC §8: "All problems of a patch are collected in one answer." """
    with pytest.raises(PatchRejectedError) as refused:
        update("a 1\nb 2\nb 2\n", [Hunk(("-absent", "+x")), Hunk(("-b 2", "+x")), Hunk(("-a 1", "+x"))])
    assert [(problem.code, problem.details["hunkIndex"]) for problem in refused.value.problems] == [
        ("patch_apply_error", 0),
        ("multiple_matches", 1),
    ]


def test_strict_collects_no_further_than_it_can_see() -> None:
    """In `strict` a later hunk stands on what the earlier ones have left: the first failure is all there is to say."""
    with pytest.raises(PatchRejectedError) as refused:
        update("a\nb\n", [Hunk(("-a", "+1")), Hunk(("-absent", "+x"), line=5)], dialect="strict", path="a.txt")
    (problem,) = refused.value.problems
    assert problem.hunk == HunkRef(2, 2, 5)
    assert problem.details["hunkIndex"] == 1
    assert "Hunk 2 of 2" in problem.message


def test_the_exceptions_are_classed_by_the_state_of_the_disk() -> None:
    assert issubclass(PatchInvalidError, SutureError)
    assert issubclass(PatchRejectedError, SutureError)
    assert not issubclass(PatchInvalidError, PatchRejectedError)


def test_an_exception_says_what_it_says_to_a_model() -> None:
    refused = PatchRejectedError([Problem("no_change", "Nothing changes.", hint="Leave it out.")])
    assert str(refused) == refused.for_model() == "Nothing changes.\nLeave it out.\n\nNo file was changed."


def test_a_reason_that_the_details_have_is_that_of_the_problem() -> None:
    problem = Problem("io_error", "The disk is full.", details={"path": "a.py", "reason": "system"})
    assert problem.reason == "system"
    assert pickle.loads(pickle.dumps(problem)).reason == "system"  # noqa: S301
    assert problem.details == {"path": "a.py", "reason": "system"}
    assert Problem("io_error", "The disk is full.", details={"path": "a.py"}, reason="system") == problem


def test_an_exception_survives_pickle() -> None:
    refused = PatchRejectedError([Problem("no_change", "Nothing changes.", details={"a": 1})])
    clone = pickle.loads(pickle.dumps(refused))  # noqa: S301
    assert (type(clone), clone.problems, clone.problems[0].details) == (PatchRejectedError, refused.problems, {"a": 1})


def test_without_problems_the_state_of_the_disk_is_left() -> None:
    assert PatchRejectedError([]).for_model() == "No file was changed."


def test_a_long_answer_leaves_out_the_last_problems_and_says_so() -> None:
    text = PatchRejectedError([long_problem(1500) for _ in range(5)]).for_model()
    assert len(text) <= 4096
    assert text.startswith("m" * 1500 + "\n" + "h" * 10)
    assert "3 more problems not shown" in text
    assert text.endswith("\n\nNo file was changed.")


def test_one_problem_left_out_is_spoken_of_as_one() -> None:
    assert "1 more problem not shown" in PatchRejectedError([long_problem(2500), long_problem(2500)]).for_model()


def test_a_single_long_problem_is_cut() -> None:
    text = PatchRejectedError([long_problem(9000)]).for_model()
    assert len(text) <= 4096
    assert text.startswith("mmm")
    assert "…" in text
    assert text.endswith("\n\nNo file was changed.")


def test_a_limit_of_the_callers_choice_holds() -> None:
    refused = PatchRejectedError([long_problem(9000), long_problem(9000)])
    for limit in (20, 21, 40, 100, 1000, 20_000):
        assert len(refused.for_model(limit).encode()) <= limit
        assert refused.for_model(limit).endswith("No file was changed.")


def test_a_cut_never_halves_a_character() -> None:
    problem = Problem("patch_apply_error", "äöü→" * 2000)
    for limit in range(60, 80):
        text = PatchRejectedError([problem]).for_model(limit)
        assert len(text.encode()) <= limit
        assert "\ufffd" not in text


ODD: dict[str, Callable[[], object]] = {
    "in the patch": lambda: parse("*** Begin Patch\n*** Frob \udcff\n*** End Patch"),
    "in the file and the hunk": lambda: update(b"\xff\xfd line\n", [Hunk(("-\udcff\udcfd lime", "+x"))]),
    "in the path": lambda: update(b"same\nsame\n", [Hunk(("-same", "+x"))], path="a\udcff"),
    "in an anchor": lambda: update(b"a\n", [Hunk(("-a", "+x"), ("\udcff",))]),
    "in an added line": lambda: update(b"a\n", [Hunk(("-a", "+\udcff"))]),
}


@pytest.mark.parametrize("where", ODD)
def test_an_answer_about_bytes_that_are_no_text_can_be_sent(where: str) -> None:
    with pytest.raises(SutureError) as refused:
        ODD[where]()
    refused.value.for_model().encode()
    str(refused.value).encode()
