"""What else a part of a sketch may mean than the place where it was laid. Each such meaning refuses the place."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from itertools import pairwise

from ..core.line_diff import changed_blocks
from .limits import CHARACTERS_PER_LINE_LAID, LIKE_LINE, LONGEST_LIKENESS, MOST_LEFT_OUT, VERY_LIKE_LINE
from .sketch_parts import depth_of
from .tiers import is_distinctive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .sketch_parts import SketchPart
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


def may_end_further_down(file: SketchedFile, part: SketchPart, place: Lines) -> bool:
    """Whether a part that only leaves out lines may leave out all up to a closing bracket below its place, too.

    So it may where one line is above what goes, as then one line may be below it: a bracket that the file has again.
    """
    first, last = place
    closer = part.lines[-1]
    file_lines = file.plain[first : last + 1]
    has_more_above = count_same([line for line in file_lines if line], [line for line in part.lines if line], 0) > 1
    if not part.is_open_below or is_distinctive(closer) or has_more_above:
        return False
    gone, come = _changes(file, part.lines, place)
    return any(gone) and not any(come) and file.index[closer][-1] > last


def may_only_add(file: SketchedFile, lines: Sequence[str], place: Lines) -> bool:
    """Whether a part that drops a name may as well be lines that are only added, further in than its place.

    Where a function or a constant is added beside one like it, both may begin alike, so that the new one can be laid on
    the old one.
    """
    first, last = place
    gone, _ = _changes(file, lines, place)
    drops_name = not names_of(gone) <= names_of(lines)
    if not drops_name:
        return False
    file_lines = file.plain[first : last + 1]
    # Where else in the place the part may begin, or end, counted from the edge of the place.
    starts = [row - first for row in file.index.get(lines[0], ()) if first < row <= last]
    ends = [last - row for row in file.index.get(lines[-1], ()) if first <= row < last]
    return _only_adds(file, file_lines, lines, starts) or _only_adds(file, file_lines[::-1], lines[::-1], ends)


def _only_adds(file: SketchedFile, file_lines: Sequence[str], lines: Sequence[str], starts: Sequence[int]) -> bool:
    """Whether a part adds lines alone if it is laid on the end of some lines of the file, from one of these starts on.

    It does if the lines there are the first and the last lines of the part.
    """
    most_below = 0
    while most_below < min(len(file_lines), len(lines)) and file_lines[-1 - most_below] == lines[-1 - most_below]:
        most_below += 1
    for start in starts:
        size = len(file_lines) - start
        if size > len(lines):
            continue
        file.budget.spend(size * CHARACTERS_PER_LINE_LAID)
        above = 0
        while above < size and file_lines[start + above] == lines[above]:
            above += 1
        below = min(most_below, size - 1)
        added = lines[size - below : len(lines) - below]
        if above + below >= size and is_whole(added):
            return True
    return False


def count_same(rows: Sequence[str], lines: Sequence[str], at: int) -> int:
    """How many lines are the same as those of the file from a place on."""
    count = 0
    while count < len(lines) and at + count < len(rows) and rows[at + count] == lines[count]:
        count += 1
    return count


def is_as_like(rows: Sequence[str], lines: Sequence[str], offset: int, at: int, other: int) -> bool:
    """Whether the first line that differs is like the line of one place, and as much like that of another one."""
    line = lines[offset].strip()
    if not line:
        return False
    likeness, likeness_of_other = _likeness(line, rows, at + offset), _likeness(line, rows, other + offset)
    is_change = likeness >= LIKE_LINE
    return likeness_of_other >= max(likeness, LIKE_LINE if is_change else VERY_LIKE_LINE)


def _likeness(line: str, rows: Sequence[str], number: int) -> float:
    """How alike a line is to the row of this number, if there is one, from 0 to 1."""
    row = rows[number].strip() if number < len(rows) else ""
    return SequenceMatcher(None, line[:LONGEST_LIKENESS], row[:LONGEST_LIKENESS]).ratio()


def is_likelier_further_out(
    file: SketchedFile, lines: Sequence[str], place: Lines, edges: tuple[Sequence[int], Sequence[int]]
) -> bool:
    """Whether a small change may drop all up to a place further out, which begins or ends with the same lines.

    Its new line is then more like the one there than the one that it takes the place of.
    """
    first, last = place
    starts, ends = edges
    # From the end, lines are counted and compared in the other direction.
    last_row = len(file.plain) - 1
    turned_ends = [last_row - end for end in ends]
    top = file.plain, lines, first, starts
    bottom = file.turned, lines[::-1], last_row - last, turned_ends
    for rows, part, at, other_places in (top, bottom):
        same = count_same(rows, part, at)
        if same == len(part) or at + same >= len(rows) or rows[at + same] in part:
            # The line that is there stays: the new one goes beside it.
            continue
        new_line = part[same].strip()
        likeness = _likeness(new_line, rows, at + same)
        for other in other_places:
            if other >= at:
                continue
            file.budget.spend(CHARACTERS_PER_LINE_LAID)
            if count_same(rows, part, other) != same:
                continue
            likeness_of_other = _likeness(new_line, rows, other + same)
            if likeness_of_other > likeness and is_as_like(rows, part, same, at, other):
                return True
    return False


def skipped_lines(file_lines: Sequence[str], lines: Sequence[str]) -> Lines | None:
    """The lines of the file between two neighbors of a part, where a marker may be missing; None if there are none.

    So it may be where two known lines are above and two below, which are not side by side in the file. Where the file
    has such lines several times, a comparison of the lines alone may see other changes.
    """
    # Blank lines don't count. A pair of neighbors has the number of its first line among the others.
    rows = [row for row, line in enumerate(file_lines) if line]
    numbers_of_pairs: dict[tuple[str, str], list[int]] = {}
    for number, (row, next_row) in enumerate(pairwise(rows)):
        numbers_of_pairs.setdefault((file_lines[row], file_lines[next_row]), []).append(number)
    pairs = list(pairwise([line for line in lines if line]))
    for above, between, below in zip(pairs, pairs[1:], pairs[2:], strict=False):
        are_apart = above in numbers_of_pairs and below in numbers_of_pairs and between not in numbers_of_pairs
        are_telling = any(map(is_distinctive, above)) and any(map(is_distinctive, below))
        if not are_apart or not are_telling:
            continue
        last_below = numbers_of_pairs[below][-1]
        # Those above of which so many lines are in between that a marker is missing.
        far_above = [number for number in numbers_of_pairs[above] if last_below - number - 2 > MOST_LEFT_OUT]
        if far_above:
            last_line_above = rows[max(far_above) + 1]
            return last_line_above + 1, rows[last_below]
    return None
