"""The ledger of odd edits: what the engine answers to each of them, one line each (see tests/shared/odd_edits.py).

None of these answers changes unseen: after a change of the engine, write them anew (tests/shared/goldens.py) and read
`git diff tests/golden/odd`. No answer is anything but a result or a refusal.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import pytest
from tests.shared.goldens import compare
from tests.shared.odd_edits import odd_edit

from suture import SutureError, replace, update

if TYPE_CHECKING:
    from tests.shared.odd_edits import OddEdit

GROUPS, OF_EACH = 30, 100


def _answer(edit: OddEdit) -> str:
    """A digest of the new text with how it was placed, or the codes of a refusal."""
    try:
        if edit.old is not None:
            done = replace(edit.text, edit.old, edit.new, edit.replace_all, path=edit.path)
            return " ".join([_digest(done.text), done.replacer, *(one.name for one in done.concessions)])
        updated = update(edit.text, edit.hunks, dialect=edit.dialect, path=edit.path, skip_applied=edit.skip_applied)
    except SutureError as refusal:
        return ", ".join(
            " ".join(
                str(value)
                for value in (problem.code, *map(problem.details.get, ("reason", "rule", "line", "lines")))
                if value
            )
            for problem in refusal.problems
        )
    said = [_digest(updated.text)]
    for match in updated.matches:
        said += [f"{match.tier}@{match.start}-{match.end}", *(one.name for one in match.concessions)]
        said += [f"{len(match.rivals)} rivals"] * bool(match.rivals)
    return " ".join(said)


def _digest(text: str | bytes) -> str:
    return hashlib.sha256(text.encode() if isinstance(text, str) else text).hexdigest()[:6]


@pytest.mark.parametrize("group", range(GROUPS))
def test_an_answer_to_an_odd_edit_changes_only_with_its_ledger(group: int) -> None:
    numbers = range(group * OF_EACH, (group + 1) * OF_EACH)
    lines = [f"{number} {(edit := odd_edit(number)).state}: {_answer(edit)}" for number in numbers]
    compare(f"odd/{group:02}.txt", "\n".join(lines) + "\n")
