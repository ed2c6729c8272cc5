"""Evidence about places of a file as values, and how a message shows it.

What is here is found out by `place` and shown by causes. Nothing here looks at a file.
"""

from __future__ import annotations

from ..core.problems import NearestLines
from ..core.value import Value
from .message_limits import LEAST_ROOM, LONGEST_COMPARED_SHOWN, MOST_LISTED
from .message_lines import ListedLine, count_lines, line_list, line_range, show_lines, size_of, visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .edit_phrases import Phrases


class NumberedLine(Value):
    """A line of the file, and its number."""

    number: int
    line: str

    def __str__(self) -> str:
        return f"{visible(self.line)} (line {self.number})"


class PlaceLines(Value):
    """The lines of one place, each with what the edit has instead: the place's first and last line, how many lines of
    the edit agree there, of how many, and how many lines of the file are between them that the edit does not have.
    """

    listing: Sequence[ListedLine]
    first: int
    last: int
    agree: int
    of: int
    extra: int = 0

    @property
    def share(self) -> float:
        """What part of all lines there and in the edit agrees."""
        return self.agree / max(self.of, self.last - self.first + 1)

    @property
    def range(self) -> str:
        """`lines 6-14`."""
        return line_range(self.first, self.last)

    @property
    def where(self) -> str:
        """How many lines match at the place; if all do, what is between them."""
        if not self.agree:
            return ", where no line matches" if self.of > 1 else ""
        exact = sum(not listed.differs for listed in self.listing)
        slightly = " apart from whitespace or punctuation" if self.agree > exact else ""
        if self.agree == self.of and self.extra:
            return f", where all lines match{slightly}, with {count_lines(self.extra)} more between them"
        return f", where {self.agree} of {self.of} lines match{slightly}"

    def as_data(self, text: str = "") -> NearestLines:
        """The place as data for programs; `text` is "new" if the new text of the edit is compared."""
        differing = [listed.number for listed in self.listing if listed.differs]
        line = differing[0] if differing else self.first
        return NearestLines(self.first, self.last, self.agree, self.of, line, text)


def nearest_data(nearest: NearestLines) -> dict[str, object]:
    """The nearest place as JSON has it."""
    data = nearest.asdict()
    if not nearest.text:
        del data["text"]
    return data


def show_difference(place: PlaceLines | None, side: str, room: int) -> str:
    """What the file has at a place where it differs from the edit; nothing where it does not."""
    if place is None:
        return ""
    numbers = place.range
    return f"\n{numbers[0].upper()}{numbers[1:]} of the file:{show_lines(place.listing, side, room)}"


def show_rows(lines: Sequence[ListedLine]) -> str:
    """Some lines of the file with their numbers; of many, the first and the last."""
    return show_lines(lines, "") if lines else ""


class NearestPlace(Value):
    """The place that has most of the lines of an edit, and perhaps others.

    `elided` is a line of the edit that stands for others. `has_unmarked` is whether a line of the edit that the file
    lacks may be meant as added.
    """

    places: Sequence[PlaceLines]
    #: Whether so much is different that it need not be shown in full.
    is_far_off: bool = False
    elided: str = ""
    has_unmarked: bool = False

    @property
    def best(self) -> PlaceLines:
        """The nearest."""
        return self.places[0]

    def show(self, say: Phrases) -> str:
        """Where it is, and the lines that the file has there."""
        room = say.subject.line_room
        if self.is_far_off:
            room = min(room, LEAST_ROOM)
        text = show_lines(self.best.listing, say.side, room)
        for other in self.places[1:]:
            left = room - size_of(text)
            if left >= LEAST_ROOM:
                text += f"\nAnother place is {other.range}{other.where}:{show_lines(other.listing, say.side, left)}"
        return f"{self.best.range}{self.best.where}. The file has:{text}"

    def beside(self, say: Phrases) -> str:
        """The same below a message about something else."""
        return f"\nThe place nearest to its lines is {self.show(say)}"


class OwnLines(Value):
    """Where the lines of a hunk are whose anchor is missing, the line that opens their block, and what differs."""

    lines: Sequence[int]
    opener: NumberedLine | None
    difference: PlaceLines | None

    def beside(self, say: Phrases) -> str:
        """Below the message about the anchor."""
        where = line_list(self.lines) + in_block(self.opener)
        return (
            f"\nThe hunk's own lines are at {where}.{show_difference(self.difference, say.side, say.subject.line_room)}"
        )


class NewLines(Value):
    """Where the result of such a hunk is already."""

    lines: Sequence[int]

    def beside(self, say: Phrases) -> str:  # noqa: ARG002 - as the others have it
        """Below the message about the anchor."""
        return f"\nThe hunk's new text is at {line_list(self.lines)}: it may be applied already."


class NoOwnLine(Value):
    """None of the lines of such a hunk is in the file."""

    def beside(self, say: Phrases) -> str:  # noqa: ARG002 - as the others have it
        """Below the message about the anchor."""
        return "\nNone of the hunk's distinctive lines is in the file: it may be for another file."


def in_block(opener: NumberedLine | None) -> str:
    """That lines are in the block that a line opens."""
    return f", in {opener}" if opener is not None else ""


class OnePlace(Value):
    """One of several places, and what tells it from the others.

    `shown` is its first line that is not as the edit has it, or else its first line; `more` are the others that are
    not. `opener` opens the block that no other place is in. `beside` are lines on one side that no other place has, and
    `far` is a line farther away, `distance` lines off.
    """

    shown: NumberedLine
    more: Sequence[NumberedLine] = ()
    #: Whether its lines are not those of any other.
    is_different: bool = False
    opener: NumberedLine | None = None
    beside: Sequence[NumberedLine] = ()
    far: NumberedLine | None = None
    distance: int = 0

    def show(self, room: int, *, has_anchors: bool) -> tuple[str, bool]:
        """The place in about so many bytes, and whether that tells it from the others."""
        block = in_block(self.opener)
        telling = block if has_anchors and block else self._telling(block, room)
        entry = f"\n  line {self.shown.number}: {visible(self.shown.line)}{telling}"
        more = f", and:{_listed(self.more)}" if self.more else ""
        if size_of(entry + more) <= room:
            entry += more
        return entry, bool(telling) or self.is_different

    def _telling(self, block: str, room: int) -> str:
        """The block that no other place is in, and the lines beside it that no other place has."""
        is_only_opener = self.opener is not None and list(self.beside) == [self.opener]
        if self.is_different or is_only_opener:
            return block
        text = self._show_beside()
        if not text or size_of(block + text) > room:
            text = self._show_far()
        return block + text

    def _show_beside(self) -> str:
        if not self.beside:
            return ""
        side = "below" if self.beside[0].number < self.shown.number else "above"
        if len(self.beside) == 1:
            return f", {side} {self.beside[0]}"
        return f", {side}:{_listed(self.beside)}"

    def _show_far(self) -> str:
        if self.far is None:
            return ""
        side = "below" if self.far.number < self.shown.number else "above"
        return f", {self.distance} lines {side} {self.far}"


def _listed(lines: Sequence[NumberedLine]) -> str:
    return "".join([f"\n    {one.number} {visible(one.line, 0, LONGEST_COMPARED_SHOWN)}" for one in lines])


class SeveralPlaces(Value):
    """Several places of the same lines: the first ones, the line numbers of all, and the first line of the first.

    `has_blocks` is whether each of them is in a block of its own.
    """

    places: Sequence[OnePlace]
    numbers: Sequence[int]
    line: str
    has_blocks: bool = False

    def show(self, room: int, *, has_anchors: bool) -> str:
        """The places, each with what tells it from the others, in at most so many bytes."""
        share = room // min(len(self.numbers), MOST_LISTED)
        entries: list[str] = []
        is_told = False
        for place in self.places:
            entry, tells = place.show(share, has_anchors=has_anchors)
            is_told = is_told or tells
            if entries and size_of("".join((*entries, entry))) > room:
                break
            entries.append(entry)
        if not is_told:
            return self.brief
        left = self.numbers[len(entries) :]
        return "".join(entries) + (f"\n  and {line_list(left)}" if left else "")

    @property
    def brief(self) -> str:
        """Their line numbers, and the line that all of them have."""
        return f"\n  {line_list(self.numbers)}: {visible(self.line)}"
