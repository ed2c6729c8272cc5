"""Why the place where the lines of an edit are is not the one that it means: what it says does not hold there."""

from __future__ import annotations

from .edit_phrases import Phrases, PlacementCause, Subject, loosely
from .message_lines import ListedLine, line_list, line_range, show_lines, visible
from .place_lines import (
    NumberedLine,
    PlaceLines,
    in_block,
    show_difference,
    show_rows,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Elsewhere(PlacementCause):
    """The lines of the edit are in the file, at `lines`, but something that it says does not let that be the place.

    `claim` is the line that says it, `spots` are the lines where that is; `difference` is what the file has instead of
    the edit's lines, and `opener` opens the block around them.
    """

    subject: Subject
    lines: Sequence[int]
    tier: str = ""
    rule: str = ""
    difference: PlaceLines | None = None
    claim: str = ""
    spots: Sequence[int] = ()
    opener: NumberedLine | None = None

    reason = "context_not_found"

    @property
    def data(self) -> Mapping[str, object]:
        return {"lines": list(self.lines), "rule": self.rule or None}

    @property
    def at(self) -> str:
        """Where they are, and how they were found."""
        return f"{line_list(self.lines)}{loosely(self.tier)}"

    def there(self, say: Phrases) -> str:
        """What differs there."""
        return show_difference(self.difference, say.side, self.subject.line_room)


class OutOfOrder(Elsewhere):
    """They are above the place of the edit before it."""

    def text(self, say: Phrases) -> str:
        where = f"in {say.file} it belongs at {self.at}, above the place of the {say.thing} before it"
        return f"{say.name} is out of order: {where}.{self.there(say)}"

    def advice(self, say: Phrases) -> str:
        return f"{say.send} the {say.thing}s in the order of their lines in the file."


class AboveAnchor(Elsewhere):
    """They are above the line that the anchor names."""

    def text(self, say: Phrases) -> str:
        below = f"but not below its @@ line {visible(self.claim)} ({line_list(self.spots)})"
        return f"{say.name}: its lines are in {say.file} at {self.at}, {below}.{self.there(say)}"

    def advice(self, say: Phrases) -> str:
        return "After @@, name the line that opens the block the hunk is in, or leave the text after @@ out."


class OutsideContext(Elsewhere):
    """They are not in the block that the hunk of context before it names."""

    def text(self, say: Phrases) -> str:
        where = f"at {self.at}{in_block(self.opener)}, not in the block of {visible(self.claim)} above"
        return f"{say.name}: its lines are in {say.file} {where}.{self.there(say)}"

    def advice(self, say: Phrases) -> str:
        more = "Otherwise, provide more surrounding lines as context."
        return f"If that block no longer has them, leave the hunk out. {more}"


class HeadingElsewhere(Elsewhere):
    """They are not below the heading that the diff names."""

    def text(self, say: Phrases) -> str:
        below = f"but not below its heading {visible(self.claim)}"
        return f"{say.name}: its lines are in {say.file} at {self.at}, {below}.{self.there(say)}"

    def advice(self, say: Phrases) -> str:
        return f"{say.again} with the line numbers and the lines that the file has now."


class OutsideScope(PlacementCause):
    """The lines of the edit are in the file, but not in the block of its anchor, which is shown.

    `is_compared` is whether the lines of the block are held against those of the edit.
    """

    subject: Subject
    lines: Sequence[int]
    tier: str
    rule: str
    anchor: str
    first: int
    last: int
    block: Sequence[ListedLine]
    is_compared: bool = False
    opener: NumberedLine | None = None
    difference: PlaceLines | None = None

    reason = "context_not_found"

    @property
    def data(self) -> Mapping[str, object]:
        return {"lines": list(self.lines), "rule": self.rule or None}

    def text(self, say: Phrases) -> str:
        room = self.subject.line_room
        at = f"at {line_list(self.lines)}{loosely(self.tier)}{in_block(self.opener)}"
        anchor = f"{visible(self.anchor)} ({line_range(self.first, self.last)})"
        block = show_lines(self.block, say.side, room) if self.is_compared else show_rows(self.block)
        there = show_difference(self.difference, say.side, room)
        outside = f"its lines are in {say.file} {at}, not in the block of its @@ line {anchor}"
        return f"{say.name}: {outside}. The block is:{block}{there}"

    def advice(self, say: Phrases) -> str:
        otherwise = "Otherwise, put the line that opens their block after @@."
        return f"If this block no longer has them, leave the hunk out. {otherwise}"


class NotAtEnd(PlacementCause):
    """The lines of the edit are in the file, but not at its end, as the edit says."""

    subject: Subject
    lines: Sequence[int]
    tier: str
    rule: str
    marker: str
    last_lines: Sequence[ListedLine]
    difference: PlaceLines | None = None

    reason = "not_at_end"

    @property
    def data(self) -> Mapping[str, object]:
        return {"lines": list(self.lines), "rule": self.rule or None}

    def text(self, say: Phrases) -> str:
        at = f"{line_list(self.lines)}{loosely(self.tier)}"
        there = show_difference(self.difference, say.side, self.subject.line_room)
        where = f"its lines are in {say.file} at {at}, not at its end"
        ends = f"The file ends with:{show_rows(self.last_lines)}"
        return f"{say.name} says '{self.marker}', but {where}. {ends}{there}"

    def advice(self, say: Phrases) -> str:
        return f"If it goes there, leave '{self.marker}' out. If not, {say.send} the lines at the end of the file."


class EndsWithNewline(PlacementCause):
    """The edit says that its last old line ends without a newline, and the file ends in one."""

    subject: Subject
    line: int

    reason = "not_at_end"

    @property
    def data(self) -> Mapping[str, object]:
        return {"line": self.line}

    def text(self, say: Phrases) -> str:
        marker = "'\\ No newline at end of file' follows an old line"
        return f"{say.name}: {marker}, but {say.file} ends in one (line {self.line})."

    def advice(self, say: Phrases) -> str:
        remove = "To remove the final newline, put it below the added last line and nowhere else."
        return f"Leave that line out. {remove}"
