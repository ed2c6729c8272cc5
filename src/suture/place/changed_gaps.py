"""The gaps between the old lines of a hunk in which something changes, however the change is written."""

from __future__ import annotations

from ..core.line_diff import changed_blocks
from ..core.value import Value
from .tiers import FOLDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.patch import Hunk


def changed_gaps(hunk: Hunk, *, over_brackets: bool = False) -> set[int]:
    """The gaps between old lines in which something changes, or beside a removed line, in any diff that says the same.

    A gap is named by the old line behind it. Lines that only come in or only go may slide: see `_slide`.
    """
    gaps: set[int] = set()
    number = 0
    for line in hunk.lines:
        if line.startswith("+"):
            gaps.add(number)
            continue
        if line.startswith("-"):
            gaps.update((number, number + 1))
        number += 1
    old, new = (list(map(FOLDS["whitespace"], lines)) for lines in (hunk.old, hunk.new))
    for start, end, new_start, new_end in changed_blocks(old, new):
        slide = None
        if start == end:
            slide = _slide(new, new_start, new_end, over_brackets=over_brackets)
        elif new_start == new_end:
            slide = _slide(old, start, end, over_brackets=over_brackets)
        if slide is not None:
            gaps.update(range(start - slide.up, end + slide.down + 1))
    return gaps


class _Slide(Value):
    """How many lines up and how many down a block can slide."""

    up: int
    down: int


def _slide(lines: Sequence[str], start: int, end: int, *, over_brackets: bool) -> _Slide | None:
    """How far the lines [start, end), which an edit adds or removes, can slide so that its result stays the same.

    They slide up by a line where the line above them is like their last one, and down where the line below them is like
    their first one: nothing tells which of these equal lines were meant. None where they would slide over mere
    brackets, unless `over_brackets`.
    """
    size = end - start
    top, bottom = start, end
    while top > 0 and lines[top - 1] == lines[top - 1 + size]:
        top -= 1
    while bottom < len(lines) and lines[bottom] == lines[bottom - size]:
        bottom += 1
    passed = "".join((*lines[top:start], *lines[end:bottom]))
    has_only_brackets = passed != "" and not any(map(str.isalnum, passed))
    if has_only_brackets and not over_brackets:
        return None
    return _Slide(start - top, bottom - end)
