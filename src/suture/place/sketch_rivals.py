"""What else a part of a sketch may mean than the place where it was laid. Each such meaning refuses the place."""

from __future__ import annotations

import re
from itertools import pairwise

from ..core.line_diff import changed_blocks
from .limits import CHARACTERS_PER_LINE_LAID, MOST_LEFT_OUT
from .sketch_parts import depth_of
from .tiers import is_distinctive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .sketched_file import SketchedFile

    #: The first and the last line of a range, from 0.
    Lines = tuple[int, int]

#: A name at the start of a line that is defined, set or listed, as in `size =`, `def size(` or `SIZE(1),`.
_DEFINING = re.compile(
    r"[ \t]*(?:(?:[a-z]\w*[ \t]+){0,6}(?:def|class|func|fn|function|interface|struct|enum|trait|type|module|const"
    r"|let|var|val|static|final|readonly|public|private|protected)[ \t]+)?([A-Za-z_$][\w$]*)[ \t]*(?:[=(:]|$)"
)
#: Words in the place of a name that are none.
_NO_NAMES = frozenset("assert await catch elif else except for foreach if match return switch while with".split())


def names_of(lines: Iterable[str]) -> set[str]:
    """The names that lines define, set or list at their starts."""
    matches = [_DEFINING.match(line) for line in lines]
    return {match[1] for match in matches if match is not None} - _NO_NAMES


def defines_again(gone: Sequence[str], come: Sequence[str]) -> bool:
    """Whether lines that come define a name that lines that would go define, too: they are likely to replace them."""
    return not names_of(_outermost(gone)).isdisjoint(names_of(_outermost(come)))


def _outermost(lines: Sequence[str]) -> list[str]:
    """The lines with text that are indented least."""
    least = min([depth_of(line) for line in lines if line], default=0)
    return [line for line in lines if line and depth_of(line) == least]


def is_whole(lines: Sequence[str]) -> bool:
    """Whether every bracket is closed that some lines open, and none else."""
    text = "".join(lines)
    return all(text.count(one) == text.count(other) for one, other in ("()", "[]", "{}"))


def is_whole_block(lines: Sequence[str]) -> bool:
    """Whether added lines are a block of their own, such as a function beside one like it: every bracket is closed."""
    opens_block = any(line.rstrip().endswith(("{", "(", "[", "=> {")) for line in lines)
    return opens_block and is_whole(lines)


def may_define_again(file: SketchedFile, lines: Sequence[str], place: Lines, others: Sequence[Lines]) -> bool:
    """Whether a part would define a name a second time, but on a range beside its place would replace the first."""
    kept = set(file.plain[place[0] : place[1] + 1])
    for other in others:
        if other[0] != place[0] and other[1] != place[1]:
            continue
        gone, come = _changes(file, lines, other)
        if defines_again([line for line in gone if line not in kept], come):
            return True
    return False


def _changes(file: SketchedFile, lines: Sequence[str], place: Lines) -> tuple[list[str], list[str]]:
    """The lines that go and come where a part is laid on a range."""
    file_lines = file.plain[place[0] : place[1] + 1]
    file.budget.spend((len(file_lines) + len(lines)) * CHARACTERS_PER_LINE_LAID)
    gone: list[str] = []
    come: list[str] = []
    for start, end, new_start, new_end in changed_blocks(file_lines, list(lines)):
        gone += file_lines[start:end]
        come += lines[new_start:new_end]
    return gone, come


def may_only_add(file: SketchedFile, lines: Sequence[str], place: Lines) -> bool:
    """Whether a part that drops a name may as well be lines that are only added, further in than its place.

    Where a function or a constant is added beside one like it, both may begin alike, so that the new one can be laid on
    the old one.
    """
    first, last = place
    gone, _ = _changes(file, lines, place)
    if names_of(gone) <= names_of(lines):
        return False
    there = file.plain[first : last + 1]
    starts = [at - first for at in file.index.get(lines[0], ()) if first < at <= last]
    ends = [last - at for at in file.index.get(lines[-1], ()) if first <= at < last]
    return _only_adds(file, there, lines, starts) or _only_adds(file, there[::-1], lines[::-1], ends)


def _only_adds(file: SketchedFile, there: Sequence[str], lines: Sequence[str], starts: Sequence[int]) -> bool:
    """Whether the lines from one of some places to the end are the first and the last lines of a part, and no more."""
    same = 0
    while same < min(len(there), len(lines)) and there[-1 - same] == lines[-1 - same]:
        same += 1
    for start in starts:
        rest = len(there) - start
        if rest > len(lines):
            continue
        file.budget.spend(rest * CHARACTERS_PER_LINE_LAID)
        above = 0
        while above < rest and there[start + above] == lines[above]:
            above += 1
        below = min(same, rest - 1)
        if above + below >= rest and is_whole(lines[rest - below : len(lines) - below]):
            return True
    return False


def skipped_lines(there: Sequence[str], lines: Sequence[str]) -> Lines | None:
    """The lines of the file between two neighbors of a part, where a marker may be missing; None if there are none.

    So it may be where two known lines are above and two below, which are not side by side in the file. Where the file
    has such lines several times, a comparison of the lines alone may see other changes.
    """
    rows = [number for number, line in enumerate(there) if line]
    filled = [line for line in lines if line]
    known: dict[tuple[str, str], list[int]] = {}
    for place, (one, other) in enumerate(pairwise(rows)):
        known.setdefault((there[one], there[other]), []).append(place)
    pairs = list(pairwise(filled))
    for above, between, below in zip(pairs, pairs[1:], pairs[2:], strict=False):
        if between in known or above not in known or below not in known:
            continue
        if not (any(map(is_distinctive, above)) and any(map(is_distinctive, below))):
            continue
        end = known[below][-1]
        if end - known[above][0] - 2 > MOST_LEFT_OUT:
            start = max(place for place in known[above] if end - place - 2 > MOST_LEFT_OUT)
            return rows[start + 1] + 1, rows[end]
    return None
