"""The lines of a file as a message shows them: one, two that are compared, or a listing of some.

What can't be seen is made visible. A long line is cut, two that are compared around what differs in them. A listing
has all lines that differ, as far as there is room, and of the others only some around them.
"""

from __future__ import annotations

from ..core.display import one_line, shorten, visible_whitespace
from ..core.line_diff import common_ends
from ..core.value import Value
from . import message_limits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence


class ListedLine(Value):
    """A line of a listing: the file's, with its number, and the edit's; None where one of them has no such line."""

    number: int
    line: str | None
    other: str | None
    #: How many lines it is away from what the edit changes.
    distance: int = 0

    @property
    def differs(self) -> bool:
        """Whether the file and the edit do not have the same line."""
        return self.line != self.other


def visible(line: str, start: int = 0, longest: int = message_limits.LONGEST_SHOWN) -> str:
    """A line between bars, from a character on, and cut at its end where it is long."""
    return f"|{'…' if start else ''}{visible_whitespace(shorten(line[start:], longest))}|"


def visible_name(text: str) -> str:
    """A text on one line, cut where it is long."""
    return visible_whitespace(shorten(text, message_limits.LONGEST_SHOWN))


def compare_lines(number: int, line: str, other: str, side: str, width: int = 0) -> str:
    """A line of the file with its number, below it the line that `side` has instead, and what odd signs stand for."""
    listed = ListedLine(number, line, other)
    below = f"\n  {'':{width or len(str(number))}} "
    legend = _legend([listed])
    versions = _two_versions(listed, side, message_limits.LONGEST_COMPARED_SHOWN, width)
    return f"{versions}{below}({legend})" if legend else versions


def _two_versions(listed: ListedLine, side: str, longest: int, width: int) -> str:
    """A line of the file, and below it the one that `side` has instead, cut around what differs in them."""
    line, other = listed.line or "", listed.other or ""
    start, end, other_end = _different_part(line, other)
    ours, theirs = _visible_part(line, start, end, longest), _visible_part(other, start, other_end, longest)
    note = f", from character {start + 1} on" if start else ""
    below = f"\n  {'':{width or len(str(listed.number))}} "
    return f"\n  {listed.number:{width}} {ours}{below}{theirs}  (the {side}{note})"


def _different_part(line: str, other: str) -> tuple[int, int, int]:
    """Where the part of two lines begins that has to be shown, and where it ends in each: all of it, if it is short."""
    if max(len(line), len(other)) <= message_limits.LONGEST_SHOWN:
        return 0, len(line), len(other)
    head, tail = common_ends(line, other)
    start = max(0, head - message_limits.BEFORE_DIFFERENCE)
    behind = max(0, tail - message_limits.BEFORE_DIFFERENCE)
    return start, len(line) - behind, len(other) - behind


def _visible_part(line: str, start: int, end: int, longest: int) -> str:
    """A part of a line between bars, with a mark at each end that is cut off."""
    end = min(end, start + longest)
    if end == len(line):
        return visible(line, start, longest)
    return f"|{'…' if start else ''}{visible_whitespace(line[start:end] + '…')}|"


def _legend(listing: Sequence[ListedLine]) -> str:
    """What the odd signs in some lines stand for."""
    texts: list[str] = []
    for listed in listing:
        texts += [text for text in (listed.line, listed.other) if text is not None]
    signs: list[str] = []
    if any("\t" in text for text in texts):
        signs.append("→ is a tab")
    if any(text.endswith(" ") for text in texts):
        signs.append("· is a trailing space")
    odd: set[str] = set()
    for listed in listing:
        if listed.line is not None and listed.other is not None:
            different = {sign for sign in set(listed.line) ^ set(listed.other) if not sign.isascii()}
            # In two lines that have little in common, the words tell enough.
            if len(different) <= message_limits.MOST_ODD:
                odd |= different
    return ", ".join([*signs, *_sign_names(odd)])


def _sign_names(signs: Collection[str]) -> list[str]:
    """Each of the first few characters with its name in Unicode."""
    if not signs:
        return []
    from unicodedata import category, name

    # A letter without capitals, such as an ideograph, is known by its looks.
    unfamiliar = sorted(sign for sign in signs if category(sign) != "Lo")
    return [f"{one_line(sign)} is {name(sign, 'no character')}" for sign in unfamiliar[: message_limits.MOST_NAMED]]


def line_list(numbers: Sequence[int]) -> str:
    """`line 6`, `lines 6 and 14`, `lines 1, 3, 5, 7, 9 and more`."""
    texts = list(map(str, numbers[: message_limits.MOST_NUMBERS]))
    last = "more" if len(numbers) > len(texts) else texts.pop()
    return f"lines {', '.join(texts)} and {last}" if texts else f"line {last}"


def line_range(first: int, last: int) -> str:
    """`line 6` or `lines 6-14`."""
    return f"line {first}" if first == last else f"lines {first}-{last}"


def count_lines(count: int) -> str:
    """`1 line` or `3 lines`."""
    return "1 line" if count == 1 else f"{count} lines"


# A listing within its room.


def show_lines(listing: Sequence[ListedLine], side: str, room: int = message_limits.ANSWER_ROOM) -> str:
    """A listing in at most so many bytes: all that differs if there is room, and lines around it.

    Where there is less room, first lines around it are left out, then long lines are cut, then the edit's own versions
    are left out, and at last what is farthest away from the change.
    """
    everything = range(len(listing))
    differing = [index for index in everything if listing[index].differs]
    around = {index + away for index in differing for away in (-1, 0, 1)}.intersection(everything)
    full, cut = message_limits.LONGEST_COMPARED_SHOWN, message_limits.LONGEST_SHOWN
    attempts: list[tuple[Collection[int], int, bool]] = [
        (around, full, True),
        (differing, full, True),
        (differing, cut, True),
        (differing, full, False),
        (differing, cut, False),
    ]
    if len(listing) <= message_limits.MOST_SHOWN_LINES:
        attempts.insert(0, (everything, full, True))
    if not differing:
        ends = range(message_limits.LINES_AROUND)
        attempts = [(everything, cut, True)] if len(listing) <= message_limits.MOST_SHOWN_LINES else []
        attempts.append(({*ends, *(len(listing) - 1 - index for index in ends)}.intersection(everything), cut, True))
    for chosen, longest, both in attempts:
        text = _ListingText(listing, side, longest, both=both).text(chosen)
        if size_of(text) <= room:
            return text
    return _nearest_to_the_change(listing, side, room)


def _nearest_to_the_change(listing: Sequence[ListedLine], side: str, room: int) -> str:
    """As many of the lines that differ as there is room for, those nearest to what the edit changes first."""
    rendering = _ListingText(listing, side, message_limits.LONGEST_SHOWN, both=False)
    differing = [index for index, listed in enumerate(listing) if listed.differs]
    # The reader knows the lines that only the edit has.
    differing.sort(key=lambda index: (listing[index].line is None, listing[index].distance))
    chosen: set[int] = set(differing[:1])
    for index in differing[1 : message_limits.MOST_DIFFERING]:
        if size_of(rendering.text({*chosen, index})) > room:
            break
        chosen.add(index)
    return rendering.text(chosen)


class _ListingText:
    """One way to write a listing: how long lines may be, and whether the edit's versions of lines are shown."""

    def __init__(self, listing: Sequence[ListedLine], side: str, longest: int, *, both: bool) -> None:
        self.listing, self.side, self.longest, self.both = listing, side, longest, both
        self.width = len(str(max(listed.number for listed in listing)))
        #: Whether the lines are compared with those of an edit.
        self.compares = any(listed.differs for listed in listing)

    def text(self, chosen: Collection[int]) -> str:
        """The chosen lines, with a mark for each run of others that says what they are, and a legend below."""
        parts: list[str] = []
        hidden: list[ListedLine] = []
        listed_lines: list[ListedLine] = []
        differing = 0
        for index, listed in enumerate(self.listing):
            if index not in chosen:
                hidden.append(listed)
                continue
            parts += self._mark_for(hidden)
            hidden = []
            listed_lines.append(listed)
            if listed.differs:
                differing += 1
            parts.append(self._line(listed, is_first=differing <= message_limits.MOST_COMPARED))
        parts += self._mark_for(hidden)
        legend = _legend(listed_lines)
        return "".join(parts) + (f"\n  ({legend})" if legend else "")

    def _mark_for(self, hidden: Sequence[ListedLine]) -> Iterator[str]:
        """A mark for lines that are not shown, if there are any."""
        differing = sum(listed.differs for listed in hidden)
        if differing and differing == len(hidden):
            yield f"\n  … ({differing} more that differ{'s' if differing == 1 else ''})"
        elif differing:
            yield f"\n  … ({count_lines(len(hidden))}, {differing} of them different)"
        elif hidden and self.compares:
            yield f"\n  … ({count_lines(len(hidden))} that match{'es' if len(hidden) == 1 else ''})"
        elif hidden:
            yield f"\n  … ({count_lines(len(hidden))})"

    def _line(self, listed: ListedLine, *, is_first: bool) -> str:
        if listed.line is None:
            return f"\n  {'':{self.width}} {visible(listed.other or '')}  (only in the {self.side})"
        if listed.other is None:
            return f"\n  {listed.number:{self.width}} {visible(listed.line, 0, self.longest)}  (not in the {self.side})"
        if not listed.differs:
            return f"\n  {listed.number:{self.width}} {visible(listed.line)}"
        if self.both or is_first:
            return _two_versions(listed, self.side, self.longest, self.width)
        start, end, _ = _different_part(listed.line, listed.other)
        return f"\n  {listed.number:{self.width}} {_visible_part(listed.line, start, end, self.longest)}  (differs)"


def size_of(text: str) -> int:
    """The bytes of a text."""
    return len(text.encode("utf-8", "surrogatepass"))
