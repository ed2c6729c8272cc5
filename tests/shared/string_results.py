"""What string edits give and what they are refused with, for the tests of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from suture import PatchRejectedError, Problem, multiedit, replace

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Literal

    from suture.place import Replacement

both_modes = pytest.mark.parametrize("against", ["result", "original"])


def told(done: Replacement) -> tuple[object, ...]:
    """All that an answer tells."""
    return done.text, done.replacer, done.spans, done.written, done.concessions, done.additions, done.deletions


def refused(content: str | bytes, old: str, new: str, *, replace_all: bool = False, **settings: Any) -> Problem:
    """The one problem of an edit."""
    with pytest.raises(PatchRejectedError) as raised:
        replace(content, old, new, replace_all, **settings)
    [problem] = raised.value.problems
    return problem


def refused_list(
    content: str | bytes, edits: Sequence[Any], against: Literal["result", "original"] = "result", **settings: Any
) -> list[tuple[str, object]]:
    """The codes and the indices of the problems of a list of edits."""
    with pytest.raises(PatchRejectedError) as raised:
        multiedit(content, edits, against=against, **settings)
    return [(problem.code, problem.details.get("editIndex")) for problem in raised.value.problems]
