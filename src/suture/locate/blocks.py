"""Blocks that are known by their first and last line: for string edits whose middle was written from memory.

The lines that the edit changes must be there all the same: a removed line is held to the floor of the `similar` tier,
and so are the lines right beside a change. What may differ are the others that the new text keeps, but not in a number:
that is the mark of a twin. They keep the file's bytes. All work is counted; what lies beyond the budget is not looked
at, and nothing is found then.
"""

from __future__ import annotations

from .place import Place, line_after
from .search import TooCommonError, lines_with
from .similar import MARGIN, is_close, is_same_line
from .tiers import is_distinctive
from .windows import stands_somewhere

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.patch import Hunk
    from ..core.text import Text

#: How alike the lines between must be in the mean, and how many of them must be equal where likeness is not asked for.
LIKENESS = 0.65
EQUAL = 0.5
#: Distinctive equal lines, of which a line that is missing or one too many needs so many.
LINES_FOR_A_GAP = 3
#: First lines that are looked at, and pairs of lines that are compared.
MOST_FIRST = 1000
CELLS = 100_000


def find_blocks(text: Text, hunk: Hunk, *, alike: bool) -> list[Place]:
    """The places whose first and last lines are those of the edit; the best, and those within the margin of it.

    With `alike` the lines between may be a quarter more or less, and their mean likeness counts; without, they are as
    many, and the equal ones count.
    """
    old = hunk.old
    count = len(old)
    first, last = (old[0].strip(), old[-1].strip()) if old else ("", "")
    if count < 3 or not first or not last or not (is_distinctive(first) or is_distinctive(last)):
        return []
    spare = count // 4 if alike else 0
    body = text.body
    found: list[Place] = []
    cells = CELLS
    barred = 0.0
    try:
        for start, end in lines_with(body, first, 0, most=MOST_FIRST):
            if body[start:end].strip() != first:
                continue
            cells -= count
            if cells < 0:
                return []
            lines, starts = _lines_from(body, start, count + spare)
            for size in range(count - spare, len(lines) + 1):
                if lines[size - 1].strip() != last:
                    continue
                cells -= count * (1 if size == count else size)
                if cells < 0:
                    return []
                place, score = _aligned(hunk, lines[:size], starts, body, alike=alike)
                if place is not None:
                    found.append(place)
                else:
                    barred = max(barred, score)
    except TooCommonError:
        return []
    best = max((place.score for place in found), default=0.0)
    if barred >= best - MARGIN:
        # A place that is as good, but where the lines to change are others: most likely that one was meant.
        return []
    return [place for place in found if place.score >= best - MARGIN]


def _lines_from(body: str, start: int, most: int) -> tuple[list[str], list[int]]:
    lines: list[str] = []
    starts: list[int] = []
    while len(lines) < most and start < len(body):
        after = line_after(body, start)
        lines.append(body[start : after - 1])
        starts.append(start)
        start = after
    return lines, starts


def _aligned(
    hunk: Hunk, lines: Sequence[str], starts: Sequence[int], body: str, *, alike: bool
) -> tuple[Place | None, float]:
    """The edit laid on these lines, None where they are too different or a change has no firm ground; and its score."""
    old = hunk.old
    rows = _faced(old, lines)
    score = _score(old, lines, rows, alike=alike)
    if score < (LIKENESS if alike else EQUAL):
        return None, 0.0
    equal = [
        line for line, row in zip(old, rows, strict=True) if row is not None and line.strip() == lines[row].strip()
    ]
    gap = None in rows or len(lines) != len(old)
    loose_end = len(equal) < len(old) and any(
        line[0] != " " and not is_distinctive(edge)
        for line, edge in ((hunk.lines[0], old[0]), (hunk.lines[-1], old[-1]))
    )
    if loose_end or (gap and sum(map(is_distinctive, equal)) < LINES_FOR_A_GAP) or not _stands(hunk, lines, rows, body):
        # A mere brace at the edge of a block that differs may close another one, and no change may lie beside it.
        return None, score
    offsets = [None if row is None else starts[row] for row in rows]
    return Place(hunk, starts[0], "similar", (), offsets, round(score, 4)), score


def _faced(old: Sequence[str], lines: Sequence[str]) -> list[int | None]:
    """For each old line the line that it faces: equal ones, and runs of as many different ones on both sides."""
    from ..core.line_diff import changed_blocks

    rows: list[int | None] = []
    row = 0
    for a, b, c, d in changed_blocks([line.strip() for line in old], [line.strip() for line in lines]):
        while len(rows) < a:
            rows.append(row)
            row += 1
        rows += list(range(c, d)) if b - a == d - c else [None] * (b - a)
        row = d
    while len(rows) < len(old):
        rows.append(row)
        row += 1
    return rows


def _score(old: Sequence[str], lines: Sequence[str], rows: Sequence[int | None], *, alike: bool) -> float:
    """The mean likeness of the lines between the first and the last, or the part of them that is equal."""
    from rapidfuzz.distance import Levenshtein

    total = 0.0
    for line, row in zip(old[1:-1], rows[1:-1], strict=True):
        if row is not None:
            one, other = line.strip(), lines[row].strip()
            total += Levenshtein.normalized_similarity(one, other) if alike else float(one == other)
    # Lines that the file has more count as lines that are nothing like.
    return total / max(len(old) - 2, len(lines) - 2)


def without_blanks(text: Text, hunk: Hunk, start: int, end: int) -> Place | None:
    """The place of an edit whose lines stand from `start` to `end`, equal but for white space and blank lines."""
    body = text.body
    first = body.rfind("\n", 0, start) + 1
    lines, starts = _lines_from(body, first, body.count("\n", first, end) + 1)
    rows = _faced([" ".join(line.split()) for line in hunk.old], [" ".join(line.split()) for line in lines])
    if rows[0] is None or not _stands(hunk, lines, rows, body):
        return None
    return Place(hunk, first, "whitespace", (), [None if row is None else starts[row] for row in rows])


def _is_elsewhere(line: str, row: int | None, lines: Sequence[str], body: str) -> bool:
    """Whether a line of the edit is not here but at another place of the file: then that one was meant."""
    here = row is not None and line.split() == lines[row].split()
    return not here and stands_somewhere(body, line)


def _stands(hunk: Hunk, lines: Sequence[str], rows: Sequence[int | None], body: str) -> bool:
    """Whether every change has firm ground: its removed lines are there, and so are the lines right beside it."""
    known = "\n".join((body, *hunk.added))
    faced = list(zip(hunk.old, rows, strict=True))
    if any(_is_elsewhere(line, row, lines, body) or _is_another_number(line, row, lines) for line, row in faced):
        return False
    kinds = [line[0] for line in hunk.lines]
    number = -1
    for index, kind in enumerate(kinds):
        if kind == "+":
            continue
        number += 1
        row = rows[number]
        if set(kinds[max(0, index - 1) : index + 2]) == {" "}:
            continue
        is_there = is_same_line if kind == "-" else is_close
        if row is None or not is_there(hunk.lines[index][1:], lines[row], known):
            return False
        if number and kinds[index - 1 : index + 1] != [" ", " "] and row - 1 != rows[number - 1]:
            return False
    return True


def _is_another_number(line: str, row: int | None, lines: Sequence[str]) -> bool:
    """Whether a line of the edit faces one with other numbers in it."""
    from re import findall

    return row is not None and findall(r"\d+", line) != findall(r"\d+", lines[row])
