"""The ledger: every answer of the engine to some thousand edits of the project's own files, one line each.

Whether an answer is right is what tests/project/test_accuracy.py and the scenarios say. The ledger says that none
changes unseen: after a change of the engine, write it anew (tests/shared/goldens.py) and read the difference in
`tests/golden/ledger`.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from functools import cache
from typing import TYPE_CHECKING

import pytest
from benchmarks.accuracy import cases, quick, strings, twins
from tests.shared.goldens import compare

from suture import SutureError, UpdateFile, parse, replace, update

if TYPE_CHECKING:
    from benchmarks.accuracy.cases import Case

OF_EACH = 40
TWINS = 1200
#: The details of a problem that say why.
_REASONS = ("reason", "rule")


def answer(case: Case) -> str:
    """What the engine says: a digest of the new text with how it was placed, or the codes of a refusal."""
    try:
        if isinstance(case, strings.StringCase):
            done = replace(case.before, case.old, case.new, path=case.path)
            return " ".join([_digest(done.text), done.replacer, *(one.name for one in done.concessions)])
        assert isinstance(case, cases.PatchCase), "BUG: a case is a patch or a string edit"
        said = []
        for operation in parse(case.patch).operations:
            if isinstance(operation, UpdateFile):
                updated = update(case.before.encode(), operation.hunks, path=operation.path)
                said.append(_digest(updated.text.decode()))
                for match in updated.matches:
                    said += [f"{match.tier}@{match.start}", *(one.name for one in match.concessions)]
        return " ".join(said)
    except SutureError as refusal:
        return " ".join(
            "/".join(str(value) for value in (problem.code, *map(problem.details.get, _REASONS)) if value)
            for problem in refusal.problems
        )


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:6]


@cache
def _ledger() -> dict[str, list[Case]]:
    """The cases by their kind and way; a way of twins is split by detail, which says how the edit is written."""
    changes = list(quick.changes())
    groups: dict[str, list[Case]] = defaultdict(list)
    for case in cases.make(changes, OF_EACH, OF_EACH):
        groups[f"patches/{case.way}"].append(case)
    for edit in strings.make(changes, OF_EACH, OF_EACH):
        groups[f"strings/{edit.way}"].append(edit)
    for twin in twins.make(changes, TWINS):
        groups[f"twins/{twin.way}"].append(twin)
    return groups


@pytest.mark.parametrize("group", sorted(_ledger()))
def test_an_answer_changes_only_with_the_ledger(group: str) -> None:
    """Each answer is the one on record."""
    lines = [f"{case.name.removeprefix('data:')} {case.detail}: {answer(case)}".rstrip() for case in _ledger()[group]]
    compare(f"ledger/{group}.txt", "\n".join(lines) + "\n")
