"""What a string edit claims about its place, checked against the text: a number of occurrences, or a range of lines.

A claim never finds a place. A count that is wrong refuses the edit; a range of lines chooses between exact occurrences.
"""

from __future__ import annotations

from ..words.change_problems import change_refusal
from .tiers import is_distinctive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.splices import Splice
    from ..core.text import Text

#: How many line numbers of occurrences a message names.
_MOST_LINES = 10


def check_count(text: Text, count: int, starts: Sequence[int]) -> None:
    """Refuse an edit that changes another number of occurrences, which begin at these offsets, than it says.

    Raises:
        PatchRejectedError: with the lines of the occurrences.
    """
    if count == len(starts):
        return
    lines = [text.line_number(start) for start in starts[: _MOST_LINES + 1]]
    names = ", ".join(map(str, lines[:_MOST_LINES])) + (" …" if len(lines) > _MOST_LINES else "")
    message = f"The edit says that the text to find occurs {_times(count)}, but {text.path or 'the file'} has it "
    message += f"{_times(len(starts))}, at line{'s' * (len(lines) > 1)} {names}."
    hint = f"If all of them are meant, correct the number to {len(starts)}. If not, add the lines around the one to "
    hint += "change."
    details = {"expected": count, "found": len(starts), "lines": lines}
    raise change_refusal("multiple_matches", text.path, message, hint, reason="other_count", **details)


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def claimed_start(text: Text, old: str, ranges: Sequence[tuple[int, int]]) -> int:
    """The offset of the only exact occurrence that lies inside one of some ranges of lines; -1 if there is none.

    A text that could be anywhere, such as a bracket, is not chosen by a number.
    """
    if not ranges or not any(is_distinctive(line) for line in old.split("\n")):
        return -1
    found: list[int] = []
    at = text.body.find(old)
    while at >= 0:
        first = text.line_number(at)
        last = first + old.rstrip("\n").count("\n")
        if any(low <= first and last <= high for low, high in ranges):
            found.append(at)
        at = text.body.find(old, at + 1)
    return found[0] if len(found) == 1 else -1


def moved_range(within: tuple[int, int], raw: str, splices: Sequence[Splice]) -> tuple[int, int]:
    """A range of lines after the splices of another edit, of which some may have moved it."""
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
