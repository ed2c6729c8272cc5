"""Lines and line numbers as a message shows them.

A line stands between bars. What can't be seen is made visible: a tab is an arrow, a trailing space a dot, any other
character that doesn't print its code. A long line is cut, two that are compared around their first difference.
"""

from __future__ import annotations

from ..core.display import one_line, printable, shorten, visible_whitespace
from ..core.line_diff import common_ends
from ..locate import limits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def visible(line: str, start: int = 0) -> str:
    """A line between bars, from a character on, and cut at its end where it is long."""
    return f"|{'…' if start else ''}{visible_name(line[start:])}|"


def visible_name(text: str) -> str:
    """A text on one line, cut where it is long."""
    return visible_whitespace(shorten(text, limits.LONGEST_SHOWN))


def compare_lines(number: int, line: str, other: str, side: str, width: int = 0) -> str:
    """A line of the file with its number, and below it the line that `side` has instead.

    Both are cut around their first difference, and signs and characters that look alike are explained.
    """
    start = 0
    if max(len(line), len(other)) > limits.LONGEST_SHOWN:
        start = max(0, common_ends(line, other)[0] - limits.BEFORE_DIFFERENCE)
    notes = [f"shown from character {start + 1} on"] * bool(start)
    notes += _signs(line[start : start + limits.LONGEST_SHOWN], other[start : start + limits.LONGEST_SHOWN])
    below = f"\n  {'':{width or len(str(number))}} "
    text = f"\n  {number:{width}} {visible(line, start)}{below}{visible(other, start)}  (the {side})"
    return f"{text}{below}({', '.join(notes)})" if notes else text


def _signs(line: str, other: str) -> list[str]:
    """What the signs mean that stand for what can't be seen, and the names of characters that look alike."""
    signs = ["→ is a tab"] * ("\t" in line + other)
    signs += ["· is a trailing space"] * (line[-1:] == " " or other[-1:] == " ")
    odd = sorted({c for c in line + other if not c.isascii()} & (set(line) ^ set(other)))
    if odd:
        from unicodedata import name

        signs += [f"{one_line(sign)} is {name(sign, 'no character')}" for sign in odd[: limits.MOST_NAMED]]
    return signs


def header_form(line: str) -> str:
    """The `@@` line that names this line. A long one is cut: the beginning of a line is enough."""
    return "@@ " + printable(line.strip()[: limits.LONGEST_HEADER].rstrip())


def line_list(numbers: Sequence[int]) -> str:
    """`line 6`, `lines 6 and 14`, `lines 1, 3, 5, 7, 9 and more`."""
    if len(numbers) == 1:
        return f"line {numbers[0]}"
    if len(numbers) > limits.MOST_NUMBERS:
        return f"lines {', '.join(map(str, numbers[: limits.MOST_NUMBERS]))} and more"
    return f"lines {', '.join(map(str, numbers[:-1]))} and {numbers[-1]}"


def line_range(first: int, last: int) -> str:
    """`line 6` or `lines 6-8`."""
    return f"line {first}" if first >= last else f"lines {first}-{last}"
