"""A problem stays a value until somebody reads it: nothing is put into words before, and no text is read back."""

from __future__ import annotations

import ast
import pickle
from typing import TYPE_CHECKING

import pytest
from tests.shared.source import FILES, SOURCE, broken, nodes_of

from suture import Hunk, PatchRejectedError, Problem, Workspace, update
from suture.core.outcome import Plan
from suture.core.problems import Cause
from suture.core.readers import COMMAND, TOOL
from suture.words.edit_phrases import PlacementCause
from suture.words.no_place import Nearest
from suture.words.remarks import OtherFile
from suture.workspace import MemoryFiles

if TYPE_CHECKING:
    from pathlib import Path

FILE = "def greet(name):\n    message = 'Hi ' + name\n    print(message)\n    return message\n"
ABSENT = (
    "*** Begin Patch\n*** Update File: a.py\n@@\n     message = 'Ho ' + nobody\n-    print(message)\n+    print(name)\n"
    "*** End Patch\n"
)


@pytest.fixture
def sentences(monkeypatch: pytest.MonkeyPatch) -> list[type]:
    """The causes that were put into words, in order."""
    told: list[type] = []
    message = PlacementCause.message

    def note(self: PlacementCause, reader: object) -> str:
        told.append(type(self))
        return message(self, reader)  # type: ignore[arg-type]

    monkeypatch.setattr(PlacementCause, "message", note)
    return told


def test_a_refusal_is_put_into_words_when_it_is_read(sentences: list[type]) -> None:
    with pytest.raises(PatchRejectedError) as caught:
        Workspace(MemoryFiles({"a.py": FILE})).apply(ABSENT)
    assert sentences == []

    text = str(caught.value)

    assert sentences == [Nearest]
    assert "The nearest place is lines 2-3, where 1 of 2 lines match" in text


def test_a_refusal_that_only_decides_that_a_hunk_is_skipped_is_never_put_into_words(sentences: list[type]) -> None:
    applied = Hunk((" def greet(name):", "-    message = 'Ho ' + name", "+    message = 'Hi ' + name"))

    result = update(FILE, [applied], skip_applied=True)

    assert [concession.name for concession in result.matches[0].concessions] == ["already_applied"]
    assert sentences == []


def attributes(path: Path, name: str) -> list[int]:
    """The lines at which a module reads an attribute of this name."""
    return [node.lineno for node in nodes_of(path) if isinstance(node, ast.Attribute) and node.attr == name]


def texts(path: Path, text: str) -> list[int]:
    """The lines at which a module has exactly this text."""
    return [node.lineno for node in nodes_of(path) if isinstance(node, ast.Constant) and node.value == text]


def test_no_module_reads_the_details_of_a_problem() -> None:
    # They are for JSON alone; `core/problems.py` derives them from the cause.
    others = [path for path in FILES if path != SOURCE / "core" / "problems.py"]
    assert broken(others, lambda path: attributes(path, "details")) == {}
    # Neither does one read them from what JSON has of a problem.
    assert broken(others, lambda path: texts(path, "details")) == {}


def problems_made_in(path: Path) -> list[int]:
    calls = [node for node in nodes_of(path) if isinstance(node, ast.Call)]
    return [call.lineno for call in calls if isinstance(call.func, ast.Name) and call.func.id == "Problem"]


def test_the_engine_makes_no_problem_in_words_of_its_own() -> None:
    assert broken([path for path in FILES if path.parent == SOURCE / "place"], problems_made_in) == {}


def nearest() -> Problem:
    [problem] = Workspace(MemoryFiles({"a.py": FILE})).plan(ABSENT).problems
    return problem


def test_the_evidence_is_read_from_the_cause() -> None:
    problem = nearest()

    assert isinstance(problem.cause, Nearest)
    assert problem.cause.nearest.line == 2
    assert problem.details["nearest"] == {"first": 2, "last": 3, "agree": 1, "of": 2, "line": 2}
    assert problem.reason == problem.details["reason"] == "context_not_found"


def test_a_stored_or_pickled_problem_is_kept_in_the_words_of_its_reader() -> None:
    problem = nearest().told_to(COMMAND)

    stored = Plan.from_json(Plan(problems=(problem,)).to_json()).problems[0]
    copied = pickle.loads(pickle.dumps(problem))  # noqa: S301 - our own

    assert stored == copied == problem
    assert stored.details == copied.details == problem.details
    assert stored.told_to(TOOL).hint == problem.hint != problem.told_to(TOOL).hint


def test_a_remark_adds_to_a_problem_and_leaves_its_cause() -> None:
    problem = nearest()
    remarked = problem.replace(remarks=(OtherFile("b.py", "envelope"),))

    assert remarked.message == f"{problem.message}\nAnother file of the patch has these lines: b.py."
    assert remarked.hint == "If you meant that file, put the hunk under *** Update File: b.py."
    assert remarked.cause is problem.cause


def test_a_cause_of_ones_own_has_to_say_what_is_wrong() -> None:
    problem = Problem("io_error", cause=Cause())

    with pytest.raises(NotImplementedError):
        str(problem)
