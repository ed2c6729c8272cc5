"""The lines of a file beside those of an edit that does not fit: evidence for a refusal, as values."""

from __future__ import annotations

from bisect import bisect

from ..words.message_lines import ListedLine
from ..words.place_lines import NearestPlace, NumberedLine, PlaceLines
from . import limits
from .nearest_place import NearPlace, close_line, find_near_places
from .readings import without_line_numbers
from .tiers import FOLDS, is_distinctive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from ..core.patch import Hunk
    from ..core.text import Text

_fold = FOLDS["whitespace"]
#: What a line begins with, behind the signs of a comment, that stands for lines that were left out.
_ELLIPSES = ("...", "…")


def find_nearest_place(
    text: Text, hunk: Hunk, home: Sequence[range] = (), taken: Collection[int] = ()
) -> NearestPlace | str:
    """The place that has most of the hunk's lines; if no line of the file is like one of them, a line of the hunk.

    `home` are the rows that its anchor leaves, `taken` those that other hunks change.
    """
    # Lines with the numbers of a file viewer are near where they would be without them.
    hunk = next(without_line_numbers(hunk), hunk)
    old = hunk.old[: limits.MOST_OLD_EXPLAINED]
    places = find_near_places(text, old, home, taken)
    if not places:
        return _close_line_alone(text, old)
    best = places[0]
    is_far_off = best.agree * limits.FAR_AWAY < len(old)
    if is_far_off:
        places = [best]
    absent = [line for line, is_equal in zip(old, best.equal, strict=True) if not is_equal]
    first_elided = next((line for line in absent if _begins_with_ellipsis(line)), "")
    changed = changed_indices(hunk)
    return NearestPlace(
        [lay_lines(text, old, place, changed) for place in places],
        is_far_off,
        first_elided,
        has_unmarked=bool(hunk.added) and None in best.rows,
    )


def _begins_with_ellipsis(line: str) -> bool:
    """Whether a line stands for lines that were left out: it begins with dots, behind the signs of a comment."""
    return line.strip(" \t#/*-<!;%{(").startswith(_ELLIPSES)


def _close_line_alone(text: Text, old: Sequence[str]) -> NearestPlace | str:
    """The line of the file that is like one of the two longest lines, or has a part that is; or the longest line."""
    longest_first = sorted(filter(is_distinctive, old), key=len, reverse=True)
    for line in longest_first[:2] or [max(old, key=len)]:
        row = close_line(text, line) - 1
        if row >= 0:
            place = NearPlace([row], [_fold(line) == _fold(text.rows[0][row])], 0.0)
            return NearestPlace([lay_lines(text, [line], place).replace(of=len(old))])
    return longest_first[0] if longest_first else max(old, key=len)


def find_changed_result(text: Text, hunk: Hunk) -> PlaceLines | None:
    """Where at least half of the lines that a hunk adds are, so that it seems to be applied and changed since."""
    new = hunk.new[: limits.MOST_OLD_EXPLAINED]
    old = set(map(_fold, hunk.old))
    added = [index for index, line in enumerate(new) if is_distinctive(line) and _fold(line) not in old]
    places = find_near_places(text, new) if added else []
    if not places or sum(places[0].equal[index] for index in added) * 2 < len(added):
        return None
    return lay_lines(text, new, places[0])


def find_difference(text: Text, lines: Sequence[str], rows: range, changed: Sequence[int] = ()) -> PlaceLines | None:
    """The lines of the file that these are faced with in some rows; None where there is no difference."""
    places = find_near_places(text, lines[: limits.MOST_OLD_EXPLAINED], [rows], only_home=True)
    if not places:
        return None
    laid = lay_lines(text, lines, places[0], changed)
    return laid if any(listed.differs for listed in laid.listing) else None


def lay_lines(text: Text, lines: Sequence[str], place: NearPlace, changed: Sequence[int] = ()) -> PlaceLines:
    """The lines of the file at a place, each with what the edit has instead, and the lines that only the edit has."""
    faced, file = place.faced, text.rows[0]
    distances = _distances(len(lines), changed)
    listing: list[ListedLine] = []
    next_row = faced[0]
    for index, (line, row) in enumerate(zip(lines, place.rows, strict=False)):
        distance = distances[index]
        if row is None:
            listing.append(ListedLine(next_row, None, line, distance))
            continue
        listing += [ListedLine(extra + 1, file[extra], None, distance) for extra in range(next_row, row)]
        listing.append(ListedLine(row + 1, file[row], line, distance))
        next_row = row + 1
    return PlaceLines(listing, faced[0] + 1, faced[-1] + 1, place.agree, len(place.rows), len(place.extra))


def _distances(count: int, changed: Sequence[int]) -> list[int]:
    """How far each of so many old lines is from the nearest one that changes; 0 for all where none does."""
    if not changed:
        return [0] * count
    distances: list[int] = []
    for index in range(count):
        # `changed` is sorted: the nearest one is the last that is not behind this line, or the one after that.
        behind = bisect(changed, index)
        neighbors = changed[max(0, behind - 1) : behind + 1]
        distances.append(min(abs(index - neighbor) for neighbor in neighbors))
    return distances


def changed_indices(hunk: Hunk) -> list[int]:
    """The old lines that a hunk removes, and those right behind the lines that it adds, by their index."""
    indices: list[int] = []
    index = 0
    for line in hunk.lines:
        if line[0] != " ":
            indices.append(index)
        if line[0] != "+":
            index += 1
    return indices


def lines_at(text: Text, rows: range) -> list[ListedLine]:
    """Some lines of the file with their numbers."""
    lines = text.rows[0]
    rows = range(max(0, rows.start), min(rows.stop, len(lines)))
    return [ListedLine(row + 1, lines[row], lines[row]) for row in rows]


def numbered(text: Text, number: int) -> NumberedLine | None:
    """The line of this number; None if it is 0."""
    return NumberedLine(number, text.rows[0][number - 1]) if number else None


def numbers_of(text: Text, starts: Iterable[int]) -> list[int]:
    """The numbers of the lines that these offsets are in, in order, as far as they are given as data."""
    numbers: dict[int, None] = {}
    for start in sorted(starts):
        numbers[bisect(text.rows[1], start)] = None
        if len(numbers) == limits.MOST_NUMBERED:
            break
    return list(numbers)
