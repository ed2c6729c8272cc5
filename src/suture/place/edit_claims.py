"""What a string edit claims about its place, checked against the text: a number of occurrences, or a range of lines.

A claim never finds a place. A count that is wrong refuses the edit; a range of lines chooses between exact occurrences.
"""

from __future__ import annotations

from ..core.display import plural
from ..words.change_problems import change_refusal
from .limits import MOST_OCCURRENCES_NAMED
from .tiers import is_distinctive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.splices import Splice
    from ..core.text import Text


def check_count(text: Text, count: int, starts: Sequence[int]) -> None:
    """Refuse an edit that changes another number of occurrences, which begin at these offsets, than it says.

    Raises:
        PatchRejectedError: with the lines of the occurrences.
    """
    if count == len(starts):
        return
    lines = [text.line_number(start) for start in starts[: MOST_OCCURRENCES_NAMED + 1]]
    message = f"The edit says that the text to find occurs {_times(count)}, but {text.path or 'the file'} has it "
    message += f"{_times(len(starts))}, at {plural('line', len(lines))} {_listed(lines)}."
    hint = f"If all of them are meant, correct the number to {len(starts)}. If not, add the lines around the one to "
    hint += "change."
    details = {"expected": count, "found": len(starts), "lines": lines}
    raise change_refusal("multiple_matches", text.path, message, hint, reason="other_count", **details)


def _listed(lines: Sequence[int]) -> str:
    """Line numbers for a message, and a mark if there are more of them."""
    names = ", ".join(map(str, lines[:MOST_OCCURRENCES_NAMED]))
    return f"{names} …" if len(lines) > MOST_OCCURRENCES_NAMED else names


def check_lines_of_all(text: Text, places: Sequence[tuple[int, int]], ranges: Sequence[tuple[int, int]]) -> None:
    """Refuse an edit of all occurrences, which are at these offsets, if some are not in the lines that it names.

    One that is the only one needs no number.

    Raises:
        PatchRejectedError: with the lines of those that are elsewhere.
    """
    if len(places) < 2:
        return
    outside: list[int] = []
    for start, end in places:
        first, last = text.line_number(start), text.line_number(max(start, end - 1))
        if not _is_in_a_range(first, last, ranges):
            outside.append(first)
    if not outside:
        return
    low, high = ranges[0]
    message = (
        f"The edit changes every occurrence of the text to find in lines {low}-{high}, but {text.path or 'the file'} "
    )
    message += f"has it also at {plural('line', len(outside))} {_listed(outside)}, and line numbers may be out of date."
    hint = "If all of them are meant, leave the lines out. If not, send an edit for each, with the lines around it."
    details = {"first": low, "last": high, "lines": outside[:MOST_OCCURRENCES_NAMED]}
    raise change_refusal("multiple_matches", text.path, message, hint, reason="other_lines", **details)


def _is_in_a_range(first: int, last: int, ranges: Sequence[tuple[int, int]]) -> bool:
    """Whether all lines from one to another are in one of some ranges of lines."""
    return any(low <= first and last <= high for low, high in ranges)


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def claimed_start(text: Text, old: str, ranges: Sequence[tuple[int, int]]) -> int:
    """The offset of the only exact occurrence that lies inside one of some ranges of lines; -1 if there is none.

    A text that could be anywhere, such as a bracket, is not chosen by a number.
    """
    if not ranges or not any(is_distinctive(line) for line in old.split("\n")):
        return -1
    line_count = old.rstrip("\n").count("\n")
    starts: list[int] = []
    start = text.body.find(old)
    while start >= 0:
        first = text.line_number(start)
        if _is_in_a_range(first, first + line_count, ranges):
            starts.append(start)
        start = text.body.find(old, start + 1)
    return starts[0] if len(starts) == 1 else -1


def moved_range(within: tuple[int, int], raw: str, splices: Sequence[Splice]) -> tuple[int, int]:
    """A range of lines after the splices of another edit, which move it and change how long it is."""
    shift = 0
    low, high = within
    for one in splices:
        first = raw.count("\n", 0, one.start) + 1
        growth = one.text.count("\n") - raw.count("\n", one.start, one.end)
        if first < low:
            shift += growth
        elif first <= high:
            high += growth
    return low + shift, high + shift
