"""Which hunks of a request have no place where there is little room. What was not shown can't be approved there."""

from __future__ import annotations

from ..core.display import hunk_text
from .answers import APPROVALS
from .requests import is_told_by_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TypeAlias

    from .answers import Answer
    from .requests import Request

    #: The numbers of hunks, by the path of their file.
    HunkNumbers: TypeAlias = Mapping[str, tuple[int, ...]]


def hidden_hunks(request: Request, room: int) -> HunkNumbers:
    """The hunks that do not fit into so many characters. Each is shown as a whole or not at all."""
    hidden: dict[str, tuple[int, ...]] = {}
    for file in request.files:
        for number, hunk in enumerate(file.hunks, 1):
            # No hunk gets shorter by what makes it visible, and that takes a while.
            size = len(str(hunk))
            if size <= room:
                size = len(hunk_text(hunk))
            if size <= room:
                room -= size
            else:
                hidden[file.path] = (*hidden.get(file.path, ()), number)
    return hidden


def needed_hunks(request: Request, hidden: HunkNumbers) -> HunkNumbers:
    """Those hidden hunks that somebody has to see before they approve them: not those of a file that is deleted."""
    return {path: numbers for path, numbers in hidden.items() if not is_told_by_name(request.file(path))}


def approves_hidden(answer: Answer, needed: HunkNumbers) -> bool:
    """Whether an answer approves a hunk that was not shown."""
    if answer.kind != "some":
        return answer.kind in APPROVALS and bool(needed)
    for path, numbers in needed.items():
        chosen = answer.hunks.get(path, ())
        if chosen == "all" or not set(numbers).isdisjoint(chosen):
            return True
    return False
