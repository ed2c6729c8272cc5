"""The lines of a file as a message shows them: one, two that are compared, and those of the place nearest to an edit.

What can't be seen is made visible. A long line is cut, two that are compared around what differs in them. A listing
has all lines that differ, as far as there is room, and of the others only some around them.
"""

from __future__ import annotations

from bisect import bisect

from ..core.display import one_line, shorten, visible_whitespace
from ..core.line_diff import common_ends
from ..core.value import Value
from . import limits
from .nearest_place import NearPlace, close_line, find_near_places
from .readings import without_line_numbers
from .tiers import FOLDS, is_distinctive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from ..core.patch import Hunk
    from ..core.text import Text

__all__ = [
    "close_line",
    "compare_lines",
    "find_changed_result",
    "find_nearest_place",
    "line_list",
    "line_range",
    "show_lines",
    "show_place",
    "show_rows",
    "size_of",
    "visible",
    "visible_name",
]

_fold = FOLDS["whitespace"]


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


def visible(line: str, start: int = 0, longest: int = limits.LONGEST_SHOWN) -> str:
    """A line between bars, from a character on, and cut at its end where it is long."""
    return f"|{'…' if start else ''}{visible_whitespace(shorten(line[start:], longest))}|"


def visible_name(text: str) -> str:
    """A text on one line, cut where it is long."""
    return visible_whitespace(shorten(text, limits.LONGEST_SHOWN))


def compare_lines(number: int, line: str, other: str, side: str, width: int = 0) -> str:
    """A line of the file with its number, below it the line that `side` has instead, and what odd signs stand for."""
    listed = ListedLine(number, line, other)
    below = f"\n  {'':{width or len(str(number))}} "
    legend = _legend([listed])
    shown = _two_versions(listed, side, limits.LONGEST_COMPARED_SHOWN, width)
    return f"{shown}{below}({legend})" if legend else shown


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
    if max(len(line), len(other)) <= limits.LONGEST_SHOWN:
        return 0, len(line), len(other)
    head, tail = common_ends(line, other)
    start = max(0, head - limits.BEFORE_DIFFERENCE)
    behind = max(0, tail - limits.BEFORE_DIFFERENCE)
    return start, len(line) - behind, len(other) - behind


def _visible_part(line: str, start: int, end: int, longest: int) -> str:
    """A part of a line between bars, with a mark at each end that is cut off."""
    end = min(end, start + longest)
    if end == len(line):
        return visible(line, start, longest)
    return f"|{'…' if start else ''}{visible_whitespace(line[start:end] + '…')}|"


def _legend(listing: Sequence[ListedLine]) -> str:
    """What the odd signs in some lines stand for."""
    texts = [text for listed in listing for text in (listed.line, listed.other) if text is not None]
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
            odd |= different if len(different) <= limits.MOST_ODD else set()
    if odd:
        from unicodedata import category, name

        # A letter without capitals, such as an ideograph, is known by its looks.
        odd = {sign for sign in odd if category(sign) != "Lo"}
        signs += [f"{one_line(sign)} is {name(sign, 'no character')}" for sign in sorted(odd)[: limits.MOST_NAMED]]
    return ", ".join(signs)


def line_list(numbers: Sequence[int]) -> str:
    """`line 6`, `lines 6 and 14`, `lines 1, 3, 5, 7, 9 and more`."""
    shown = list(map(str, numbers[: limits.MOST_NUMBERS]))
    last = "more" if len(numbers) > len(shown) else shown.pop()
    return f"lines {', '.join(shown)} and {last}" if shown else f"line {last}"


def line_range(first: int, last: int) -> str:
    """`line 6` or `lines 6-14`."""
    return f"line {first}" if first == last else f"lines {first}-{last}"


def count_lines(count: int) -> str:
    """`1 line` or `3 lines`."""
    return "1 line" if count == 1 else f"{count} lines"


# The nearest place.


def find_nearest_place(
    text: Text,
    hunk: Hunk,
    side: str,
    home: Sequence[range] = (),
    taken: Collection[int] = (),
    room: int = limits.ANSWER_ROOM,
) -> tuple[str, dict[str, object]]:
    """The place that has most of the hunk's lines: a row of the table of answers, and its fields.

    `home` are the rows that its anchor leaves, `taken` those that other hunks change. The lines of the file may take
    `room` bytes.
    """
    if not text.body:
        return "empty", {}
    # Lines with the numbers of a file viewer are near where they would be without them.
    hunk = next(without_line_numbers(hunk), hunk)
    old = hunk.old[: limits.MOST_OLD_EXPLAINED]
    places = find_near_places(text, old, home, taken)
    if not places:
        return _close_line_alone(text, old, side, room)
    best, *others = places
    if best.agree * limits.FAR_AWAY < len(old):
        # So much of it is different that it need not be shown in full.
        others, room = [], min(room, limits.LEAST_ROOM)
    listing = list_lines(text.rows[0], old, best, changed_indices(hunk))
    shown = show_lines(listing, side, room)
    for other in others:
        more = list_lines(text.rows[0], old, other, changed_indices(hunk))
        left = room - size_of(shown)
        if left >= limits.LEAST_ROOM:
            numbers = line_range(other.faced[0] + 1, other.faced[-1] + 1)
            shown += f"\nAnother place is {numbers}{_agreement(more, other, len(old))}:{show_lines(more, side, left)}"
    fields: dict[str, object] = {
        "nearest": _details(listing, best, len(old)),
        "range": line_range(best.faced[0] + 1, best.faced[-1] + 1),
        "where": _agreement(listing, best, len(old)),
        "listing": shown,
    }
    absent = [line for line, is_equal in zip(old, best.equal, strict=True) if not is_equal]
    elided = [line for line in absent if line.strip(" \t#/*-<!;%{(").startswith(("...", "…"))]
    if elided:
        fields["mark"] = f" Write out the lines that {visible(elided[0])} stands for."
    elif not hunk.added or None not in best.rows:
        fields["mark"] = ""
    return "far" if best.agree * 2 < len(old) else "nearest", fields


def find_changed_result(text: Text, hunk: Hunk, room: int) -> dict[str, object] | None:
    """Where at least half of the lines that a hunk adds are, so that it seems to be applied and changed since; None if
    nowhere. The fields are those of the row `applied_and_changed`.
    """
    new = hunk.new[: limits.MOST_OLD_EXPLAINED]
    old = set(map(_fold, hunk.old))
    added = [index for index, line in enumerate(new) if is_distinctive(line) and _fold(line) not in old]
    places = find_near_places(text, new) if added else []
    if not places or sum(places[0].equal[index] for index in added) * 2 < len(added):
        return None
    best = places[0]
    listing = list_lines(text.rows[0], new, best)
    return {
        "nearest": {**_details(listing, best, len(new)), "text": "new"},
        "range": line_range(best.faced[0] + 1, best.faced[-1] + 1),
        "where": _agreement(listing, best, len(new)),
        "listing": show_lines(listing, "new text", room),
    }


def show_place(text: Text, lines: Sequence[str], rows: range, side: str, room: int, changed: Sequence[int] = ()) -> str:
    """The lines of the file that these are faced with in some rows, if there is any difference; otherwise nothing."""
    places = find_near_places(text, lines[: limits.MOST_OLD_EXPLAINED], [rows], only_home=True)
    if not places:
        return ""
    listing = list_lines(text.rows[0], lines, places[0], changed)
    if not any(listed.differs for listed in listing):
        return ""
    numbers = line_range(places[0].faced[0] + 1, places[0].faced[-1] + 1)
    return f"\n{numbers[0].upper()}{numbers[1:]} of the file:{show_lines(listing, side, room)}"


def show_rows(text: Text, rows: range) -> str:
    """Some lines of the file with their numbers; of many, the first and the last."""
    lines = text.rows[0]
    rows = range(max(0, rows.start), min(rows.stop, len(lines)))
    if not rows:
        return ""
    return show_lines([ListedLine(row + 1, lines[row], lines[row]) for row in rows], "")


def _close_line_alone(text: Text, old: Sequence[str], side: str, room: int) -> tuple[str, dict[str, object]]:
    """The line of the file that is like one of the two longest lines, or has a part that is."""
    longest = sorted(filter(is_distinctive, old), key=len, reverse=True)[:2] or [max(old, key=len)]
    for line in longest:
        row = close_line(text, line) - 1
        if row >= 0:
            place = NearPlace([row], [_fold(line) == _fold(text.rows[0][row])], 0.0)
            listing = list_lines(text.rows[0], [line], place)
            return "far" if place.agree * 2 < len(old) else "nearest", {
                "nearest": _details(listing, place, len(old)),
                "range": f"line {row + 1}",
                "where": _agreement(listing, place, len(old)),
                "listing": show_lines(listing, side, room),
                "mark": "",
            }
    return "no_line", {"shown": visible(longest[0])}


def _details(listing: Sequence[ListedLine], place: NearPlace, count: int) -> dict[str, int]:
    """A place as data for programs: its first and last line, how many agree of how many, the first that differs."""
    first = place.faced[0] + 1
    differing = [listed.number for listed in listing if listed.differs]
    line = differing[0] if differing else first
    return {"first": first, "last": place.faced[-1] + 1, "agree": place.agree, "of": count, "line": line}


def _agreement(listing: Sequence[ListedLine], place: NearPlace, count: int) -> str:
    """How many lines match at a place; if all do, what is between them."""
    if not place.agree:
        return ", where no line matches" if count > 1 else ""
    exact = sum(not listed.differs for listed in listing)
    slightly = " apart from whitespace or punctuation" if place.agree > exact else ""
    if place.agree == count and place.extra:
        return f", where all lines match{slightly}, with {count_lines(len(place.extra))} more between them"
    return f", where {place.agree} of {count} lines match{slightly}"


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


def list_lines(
    lines: Sequence[str], old: Sequence[str], place: NearPlace, changed: Sequence[int] = ()
) -> list[ListedLine]:
    """The lines of the file at a place, each with what the edit has instead, and the lines that only the edit has."""
    distances = _distances(len(old), changed)
    listing: list[ListedLine] = []
    position = place.faced[0]
    for index, (line, row) in enumerate(zip(old, place.rows, strict=False)):
        if row is None:
            listing.append(ListedLine(position, None, line, distances[index]))
            continue
        listing += [ListedLine(extra + 1, lines[extra], None, distances[index]) for extra in range(position, row)]
        listing.append(ListedLine(row + 1, lines[row], line, distances[index]))
        position = row + 1
    return listing


def _distances(count: int, changed: Sequence[int]) -> list[int]:
    """How far each of so many old lines is from the nearest one that changes; 0 for all where none does."""
    if not changed:
        return [0] * count
    distances: list[int] = []
    for index in range(count):
        behind = bisect(changed, index)
        near = changed[max(0, behind - 1) : behind + 1]
        distances.append(min(abs(index - other) for other in near))
    return distances


# A listing within its room.


def show_lines(listing: Sequence[ListedLine], side: str, room: int = limits.ANSWER_ROOM) -> str:
    """A listing in at most so many bytes: all that differs if there is room, and lines around it.

    Where there is less room, first lines around it are left out, then long lines are cut, then the edit's own versions
    are left out, and at last what is farthest away from the change.
    """
    everything = range(len(listing))
    differing = [index for index in everything if listing[index].differs]
    around = {index + away for index in differing for away in (-1, 0, 1)}.intersection(everything)
    full, cut = limits.LONGEST_COMPARED_SHOWN, limits.LONGEST_SHOWN
    attempts: list[tuple[Collection[int], int, bool]] = [
        (around, full, True),
        (differing, full, True),
        (differing, cut, True),
        (differing, full, False),
        (differing, cut, False),
    ]
    if len(listing) <= limits.MOST_SHOWN_LINES:
        attempts.insert(0, (everything, full, True))
    if not differing:
        ends = range(limits.LINES_AROUND)
        attempts = [(everything, cut, True)] if len(listing) <= limits.MOST_SHOWN_LINES else []
        attempts.append(({*ends, *(len(listing) - 1 - index for index in ends)}.intersection(everything), cut, True))
    for chosen, longest, both in attempts:
        text = _ListingText(listing, side, longest, both=both).text(chosen)
        if size_of(text) <= room:
            return text
    return _nearest_to_the_change(listing, side, room)


def _nearest_to_the_change(listing: Sequence[ListedLine], side: str, room: int) -> str:
    """As many of the lines that differ as there is room for, those nearest to what the edit changes first."""
    rendering = _ListingText(listing, side, limits.LONGEST_SHOWN, both=False)
    differing = [index for index, listed in enumerate(listing) if listed.differs]
    # The reader knows the lines that only the edit has.
    differing.sort(key=lambda index: (listing[index].line is None, listing[index].distance))
    chosen: set[int] = set(differing[:1])
    for index in differing[1 : limits.MOST_DIFFERING]:
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
        shown: list[ListedLine] = []
        differing = 0
        for index, listed in enumerate(self.listing):
            if index not in chosen:
                hidden.append(listed)
                continue
            parts += self._mark_for(hidden)
            hidden = []
            shown.append(listed)
            if listed.differs:
                differing += 1
            parts.append(self._line(listed, is_first=differing <= limits.MOST_COMPARED))
        parts += self._mark_for(hidden)
        legend = _legend(shown)
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


def numbers_of(text: Text, starts: Iterable[int]) -> list[int]:
    """The numbers of the lines that these offsets are in, in order, as far as they are given as data."""
    numbers: dict[int, None] = {}
    for start in sorted(starts):
        numbers[bisect(text.rows[1], start)] = None
        if len(numbers) == limits.MOST_NUMBERED:
            break
    return list(numbers)


def size_of(text: str) -> int:
    """The bytes of a text."""
    return len(text.encode("utf-8", "surrogatepass"))


def fair_share(sizes: Sequence[int], room: int) -> int:
    """The most that each of some texts may take so that all fit: what short ones leave is for the others."""
    share = room
    for number, size in enumerate(sorted(sizes)):
        share = room // (len(sizes) - number)
        if size > share:
            break
        room -= size
    else:
        return max(sizes, default=room)
    return share
