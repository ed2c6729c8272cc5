"""An edit laid on a text that has its words, but breaks its lines elsewhere: what changes, word by word.

Lines that the new text keeps stay as the file has them, breaks and blanks included. What comes in is written as the new
text has it, at the file's depth.
"""

from __future__ import annotations

from itertools import accumulate

from ..diff import changed_blocks
from ..indentation import split_indent, unchanged
from .wanted import lines_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .wanted import Wanted


def woven(found: str, wanted: Wanted, shift: Callable[[str], str]) -> tuple[int, int, str]:
    """Which part of a text with the old text's words changes, and what comes there: two offsets in it, and a text.

    `found` begins with the indentation of its first line, if that is where it begins. `shift` takes the depth of the
    edit's lines to that of the file's.
    """
    theirs, ours = _Words(found), _Words(wanted.new)
    old, new = lines_of(wanted.old), lines_of(wanted.new)
    before, after = (list(accumulate((len(line.split()) for line in lines), initial=0)) for lines in (old, new))
    first, cursor, parts = -1, 0, list[str]()
    for a, b, c, d in changed_blocks(old, new):
        low, high, new_low, new_high = before[a], before[b], after[c], after[d]
        keep = theirs.end(low) if low else 0
        if first < 0:
            first = cursor = keep
        parts.append(found[cursor:keep])
        cursor = theirs.end(high) if high > low else keep
        if new_high > new_low:
            lead, behind = moved(ours.space(new_low), shift), moved(ours.space(new_high), shift)
            if not low:
                lead = moved("\n" + lead, shift)[1:]
            if high > low and _beginning(new[c:d]) == _beginning(old[a:b]):
                # What comes in the stead of words begins where they did.
                lead = theirs.space(low)
            if high > low or "\n" in theirs.space(high) or "\n" not in behind:
                behind = ""
            parts += (lead, moved(ours.between(new_low, new_high), shift), behind)
            if behind:
                cursor = theirs.start(high)
        elif high == low:
            # Nothing but blank lines.
            parts.append(moved(ours.space(new_low), shift))
            cursor = theirs.start(high)
        elif not low:
            cursor = theirs.start(high) - len(split_indent(theirs.space(high).rpartition("\n")[2])[0])
        if new_high > new_low and high > low:
            parts.append("\n" * (_blank_at_end(new[c:d]) - _blank_at_end(old[a:b])))
        elif b == len(old):
            parts.append("\n" * _blank_at_end(new[c:d]))
    return first, cursor, "".join(parts)


def _beginning(lines: Sequence[str]) -> tuple[int, str]:
    """How many blank lines come first, and the indentation of the next one."""
    blank = next((count for count, line in enumerate(lines) if line.strip()), len(lines))
    return blank, split_indent(lines[blank])[0] if blank < len(lines) else ""


def _blank_at_end(lines: Sequence[str]) -> int:
    return next((count for count, line in enumerate(reversed(lines)) if line.strip()), len(lines))


class _Words:
    """Where the words of a text stand."""

    __slots__ = ("_spots", "_text")

    def __init__(self, text: str) -> None:
        from re import finditer

        self._text = text
        self._spots = [match.span() for match in finditer(r"\S+", text)]

    def start(self, count: int) -> int:
        """Where the word behind so many others begins."""
        return self._spots[count][0] if count < len(self._spots) else self.end(count)

    def end(self, count: int) -> int:
        """Where so many words end; none end where the first one begins."""
        if not self._spots:
            return len(self._text)
        return self._spots[min(count, len(self._spots)) - 1][1] if count else self._spots[0][0]

    def space(self, count: int) -> str:
        """The white space behind so many words, or before the first one."""
        return self._text[self.end(count) if count else 0 : self.start(count)]

    def between(self, low: int, high: int) -> str:
        """The words from one number up to another."""
        return self._text[self.start(low) : self.end(high)]


def moved(text: str, shift: Callable[[str], str]) -> str:
    """A text whose lines, but for the first, were moved to another depth; blank ones only where they end the text."""
    if shift is unchanged or "\n" not in text:
        return text
    first, *lines = text.split("\n")
    for number, line in enumerate(lines):
        indent, rest = split_indent(line)
        if rest or number == len(lines) - 1:
            lines[number] = shift(indent) + rest
    return "\n".join((first, *lines))
