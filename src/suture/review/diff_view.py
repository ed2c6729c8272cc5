"""Diffs as rows for people: old lines next to new ones, changed words apart, and no more of it than a page can hold.

A row is data, never markup. A changed line is a list of parts, of which every second one has changed. A character
without ink, such as one that reverses the direction of text, is written as its code; tabs and carriage returns stay.
"""

from __future__ import annotations

from itertools import pairwise, zip_longest

from rapidfuzz.fuzz import ratio

from ..words.word_diff import changed_words
from .review_limits import (
    LONGEST_ROW,
    MOST_PAIRS_IN_HUNK,
    MOST_ROW_PAIRS,
    MOST_ROWS,
    MOST_ROWS_AT_ONCE,
    MOST_ROWS_IN_ALL,
    MOST_WORD_WORK,
)
from .section_names import section_above

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any, TypeAlias

    from ..core.line_hunks import LineHunk

    #: A line before and the one that takes its place, or one of them alone.
    _Pair: TypeAlias = "tuple[_Line | None, _Line | None]"

#: How similar two lines must be to belong together, from 0 to 100.
LEAST_SIMILARITY = 50.0


class RowBudget:
    """How many rows may still be sent, or lines compared."""

    def __init__(self, rows: int = MOST_ROWS_IN_ALL) -> None:
        self.rows = rows

    def take(self, count: int) -> int:
        """As many of `count` rows as are left."""
        granted = min(count, self.rows)
        self.rows -= granted
        return granted


class _Line:
    """One line of a hunk: its number in its file, its text, and whether a newline ends it."""

    __slots__ = ("ends", "number", "text")

    def __init__(self, number: int, line: str) -> None:
        self.number, self.text, self.ends = number, line.removesuffix("\n"), line.endswith("\n")


def hunk_views(
    hunks: Sequence[LineHunk], budget: RowBudget, path: str = "", lines: Sequence[str] = ()
) -> list[dict[str, Any]]:
    """The hunks of a file, each with its first rows and the number of rows that it has in all.

    `lines` are those of the file before, if they are known. With its `path`, they name the part that a hunk is in.
    """
    views = []
    for number, hunk in enumerate(hunks, 1):
        view = hunk_view(hunk, number, 0, min(MOST_ROWS, budget.rows))
        view["section"] = hunk.heading or section_above(path, lines, hunk.old_start + _lines_before_change(hunk))
        budget.take(len(view["rows"]))
        views.append(view)
    return views


def hunk_view(
    hunk: LineHunk, number: int, start: int = 0, most: int = MOST_ROWS_AT_ONCE, *, longest: int | None = LONGEST_ROW
) -> dict[str, Any]:
    """One hunk, with its rows from `start` on. With `longest` None, no line is cut."""
    # Where no rows are sent, it is not worth finding out how many there are exactly.
    pairs = list(_pairs(hunk)) if most else []
    words = RowBudget(MOST_WORD_WORK)
    old_end, new_end = hunk.old_start + hunk.old_count, hunk.new_start + hunk.new_count
    return {
        "number": number,
        "header": hunk.header,
        "section": hunk.heading,
        "first": hunk.old_start + 1,
        "last": old_end,
        "shift": new_end - old_end,
        "start": start,
        "total": len(pairs) if most else len(hunk.lines),
        "rows": [
            _changed_row(*pair, words, longest) if is_changed else _unchanged_row(*pair, longest)
            for pair, is_changed in pairs[start : start + most]
        ],
    }


def _lines_before_change(hunk: LineHunk) -> int:
    """How many lines of a hunk stay as they are before the first that does not."""
    return next((number for number, line in enumerate(hunk.lines) if line[0] != " "), 0)


def _pairs(hunk: LineHunk) -> Iterator[tuple[_Pair, bool]]:
    """The lines of a hunk in pairs of old and new, and whether they are changed.

    What the hunk says decides, not how lines look: two lines of a notebook that differ can look the same. Rows that are
    next to each other and changed are one part of a hunk that is split, here as in `split_hunk`.
    """
    old, new = hunk.old_start + 1, hunk.new_start + 1
    removed: list[_Line] = []
    added: list[_Line] = []
    budget = RowBudget(MOST_PAIRS_IN_HUNK)
    for line in hunk.lines:
        sign, text = line[0], line[1:]
        if sign == "-":
            removed.append(_Line(old, text))
            old += 1
        elif sign == "+":
            added.append(_Line(new, text))
            new += 1
        else:
            yield from [(pair, True) for pair in _matched(removed, added, budget)]
            removed, added = [], []
            yield (_Line(old, text), _Line(new, text)), False
            old, new = old + 1, new + 1
    yield from [(pair, True) for pair in _matched(removed, added, budget)]


def _matched(removed: Sequence[_Line], added: Sequence[_Line], budget: RowBudget) -> Iterator[_Pair]:
    """A block of removed lines and the lines that replace it, in pairs that belong together."""
    next_old, next_new = 0, 0
    for old, new in _similar_pairs(removed, added, budget):
        # The lines between two similar pairs belong together only by their order.
        yield from zip_longest(removed[next_old:old], added[next_new:new])
        yield removed[old], added[new]
        next_old, next_new = old + 1, new + 1
    yield from zip_longest(removed[next_old:], added[next_new:])


def _similar_pairs(removed: Sequence[_Line], added: Sequence[_Line], budget: RowBudget) -> list[tuple[int, int]]:
    """The pairs of lines with the greatest similarity in all, in order; none if there are too many to compare."""
    count = len(removed) * len(added)
    if not 0 < count <= MOST_ROW_PAIRS or budget.take(count) < count:
        return []
    scores = _similarities(removed, added)
    best = _best_sums(scores)
    pairs = []
    old = new = 0
    while old < len(removed) and new < len(added):
        score = scores[old][new]
        if score >= LEAST_SIMILARITY and best[old][new] == best[old + 1][new + 1] + score:
            pairs.append((old, new))
            old, new = old + 1, new + 1
        elif best[old][new] == best[old + 1][new]:
            old += 1
        else:
            new += 1
    return pairs


def _similarities(removed: Sequence[_Line], added: Sequence[_Line]) -> list[list[float]]:
    """How similar each removed line is to each added line, from 0 to 100, by their indexes."""
    added_starts = [line.text[:LONGEST_ROW] for line in added]
    scores = []
    for line in removed:
        removed_start = line.text[:LONGEST_ROW]
        scores.append([ratio(removed_start, added_start) for added_start in added_starts])
    return scores


def _best_sums(scores: Sequence[Sequence[float]]) -> list[list[float]]:
    """The greatest sum of similarities that pairs of lines can reach.

    `sums[old][new]` is for the removed lines from index `old` on and the added lines from index `new` on. A row and a
    column of zeros follow, for no lines at all.
    """
    old_count, new_count = len(scores), len(scores[0])
    sums = [[0.0] * (new_count + 1) for _ in range(old_count + 1)]
    for old in reversed(range(old_count)):
        for new in reversed(range(new_count)):
            score = scores[old][new]
            paired = sums[old + 1][new + 1] + score if score >= LEAST_SIMILARITY else 0.0
            sums[old][new] = max(paired, sums[old + 1][new], sums[old][new + 1])
    return sums


def _row(old: _Line | None, new: _Line | None, longest: int | None) -> dict[str, Any]:
    """What a row says besides its lines: their numbers, how much is cut off, which side has no newline at its end."""
    row: dict[str, Any] = {"old": old and old.number, "new": new and new.number}
    length = max([len(line.text) for line in (old, new) if line is not None])
    if longest is not None and length > longest:
        row["cut"] = length - longest
    open_sides = [name for name, line in (("before", old), ("after", new)) if line is not None and not line.ends]
    if open_sides:
        row["no_newline"] = open_sides
    return row


def _unchanged_row(old: _Line | None, new: _Line | None, longest: int | None) -> dict[str, Any]:
    """A line that stays as it is, as data."""
    assert old is not None, "BUG: an unchanged line is on both sides"
    return _row(old, new, longest) | {"text": cut_line(old.text, longest)}


def _changed_row(old: _Line | None, new: _Line | None, words: RowBudget, longest: int | None) -> dict[str, Any]:
    """A pair of lines, or one without the other, as data with `before` and `after`."""
    row = _row(old, new, longest)
    old_text = None if old is None else old.text[:longest]
    new_text = None if new is None else new.text[:longest]
    work = len(old_text or "") * len(new_text or "")
    spans = changed_words(old_text, new_text) if old_text and new_text and words.take(work) == work else []
    if old_text is not None:
        row["before"] = mark_parts(old_text, [old_span for old_span, _ in spans], None)
    if new_text is not None:
        row["after"] = mark_parts(new_text, [new_span for _, new_span in spans], None)
    return row


def mark_parts(text: str, spans: Sequence[tuple[int, int]], longest: int | None = LONGEST_ROW) -> list[str]:
    """A line in parts: unchanged, changed, unchanged … The spans are those that have changed. Each part may be cut."""
    ends = [0, *[end for span in spans for end in span], len(text)]
    return [cut_line(text[start:end], longest) for start, end in pairwise(ends)]


def cut_line(text: str, longest: int | None = LONGEST_ROW) -> str:
    """A line as a row has it: not too long. The page marks what has no ink; marking it twice would mark the marks."""
    return text[:longest]
