"""The texts that models read, word for word: `tests/golden/<name>.txt` is the answer to the case of that name.

Codes and details are pinned by the scenarios; here it is the prose. A change of wording shows as a change of the golden
files, to be read as a model reads it that sees nothing else. To write them anew::

    SUTURE_GOLDEN=write .venv/bin/python -m pytest -n 0 tests/place/test_answers.py

and look at `git diff tests/golden` before you commit.
"""

from __future__ import annotations

import re

import pytest
from tests.shared.answer_cases import REJECTED, Case, hunks
from tests.shared.goldens import FOLDER, compare
from tests.shared.invalid_cases import CASES, INVALID

from suture import PatchInvalidError, PatchRejectedError, SutureError, UpdateFile, parse, update
from suture.core.readers import COMMAND_WITH_JSON


def apply(case: Case) -> None:
    patch = parse(case.patch, case.dialect)
    [operation] = patch.operations
    assert isinstance(operation, UpdateFile)
    assert case.content is not None
    update(
        case.content,
        operation.hunks,
        dialect=case.dialect,
        path=operation.path,
        encoding=case.encoding,
        max_size=case.max_size,
        seconds=case.seconds,
    )


def answer(case: Case) -> SutureError:
    """The refusal of a case."""
    with pytest.raises(SutureError) as caught:
        apply(case)
    return caught.value


@pytest.mark.parametrize("name", CASES)
def test_an_answer_reads_as_its_golden_file(name: str) -> None:
    """A model is told the same words each time: those of the golden file."""
    text = answer(CASES[name]).for_model() + "\n"
    compare(f"{name}.txt", text)


@pytest.mark.parametrize("name", CASES)
def test_an_answer_is_short_and_ends_with_the_state_of_the_disk(name: str) -> None:
    """An answer has at most 4 kB, names its hunk or line, says what to do next, and ends with the state of the disk."""
    error = answer(CASES[name])
    text = error.for_model()
    assert len(text.encode()) <= 4096
    assert text.endswith("\n\nNo file was changed.")
    assert type(error) is (PatchInvalidError if name in INVALID else PatchRejectedError)
    for problem in error.problems:
        assert problem.message in text
        assert problem.hint in text
        if problem.hunk is not None:
            assert problem.message.startswith(f"Hunk {problem.hunk.number} of {problem.hunk.of}")
        if problem.code == "patch_parse_error":
            assert problem.message.startswith(f"Patch line {problem.details['line']}: ")


def test_a_person_is_told_what_to_do_in_their_own_words() -> None:
    """On the command line, nobody sends anything, and no argument has a name in camelCase."""
    errors = {name: answer(case).told_to(COMMAND_WITH_JSON) for name, case in CASES.items()}
    hints = [f"{name}: {problem.hint}" for name, error in errors.items() for problem in error.problems]
    told = "\n".join(hints) + "\n"
    assert not re.search(r"\b[Ss]end\b|oldString|newString|replaceAll", told)
    compare("cli/hints.txt", told)


TWICE = "one\nvalue = 1\ntwo\nvalue = 1\nthree\n"


@pytest.mark.parametrize(
    ("content", "blocks"),
    [
        (TWICE, [("value = 1", "value = 2")]),
        (TWICE, [("three", "four"), ("three", "five")]),
        (TWICE, [("not there at all", "x")]),
        (TWICE, [("one\nvalue = 3\ntwo", "x")]),
        (TWICE, [("one\n...\ntwo", "x")]),
        (
            "a_line = 1\nnew_line = 2\nother_line = 3\n",
            [("a_line = 1\nother_line = 3", "a_line = 1\nnew_line = 2\nother_line = 3")],
        ),
        ("", [("x = 1", "x = 2")]),
        ("".join(f"def f{n}():\n    value = 1\n\n" for n in range(3)), [("    value = 1", "    value = 2")]),
    ],
)
def test_a_block_is_called_a_block_and_gets_no_advice_for_hunks(content: str, blocks: list[tuple[str, str]]) -> None:
    text = "".join(f"a.py\n<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n" for old, new in blocks)
    said = answer(Case(text, content)).for_model()
    assert said.startswith("Block ")
    assert not re.search(r"[Hh]unk|@@|space in front|with -|mark it as added|End of File|the patch\)", said), said


def test_every_golden_file_has_its_case() -> None:
    """No golden file is left behind."""
    # Those of test_string_answers.py, test_permissions.py, test_teaching.py, test_session_answers.py,
    # test_workspace_answers.py and those of merges.
    elsewhere = ("string-", "permission-", "instructions-", "session-", "workspace-", "rebase-")
    assert {file.stem for file in FOLDER.glob("*.txt") if not file.stem.startswith(elsewhere)} == set(CASES)


def test_an_answer_with_too_many_problems_says_how_many_it_leaves_out() -> None:
    """An answer stays within its limit and says what it leaves out."""
    lines = [line for number in range(200) for line in ("@@", f"-lost_{number} = 1", f"+lost_{number} = 2")]
    error = answer(hunks(*lines))
    assert len(error.problems) == 200
    for limit in (200, 1000, 4000):
        text = error.for_model(limit)
        assert len(text) <= limit
        assert "not shown" in text
        assert text.endswith("No file was changed.")


def test_an_answer_shows_what_cannot_be_seen() -> None:
    """Tabs and trailing blanks are visible in the line of the patch and in that of the file."""
    tabs = answer(REJECTED["tabs-against-spaces"]).for_model()
    assert "|    start(1)|" in tabs
    assert "|→start(1)|" in tabs
    assert "|first = 1··|" in answer(REJECTED["trailing-space"]).for_model()
