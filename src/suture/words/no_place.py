"""Why an edit has no place: its lines, or what it says about them, are not in the file.

One class for each answer. They decide nothing: `place` has decided.
"""

from __future__ import annotations

from ..core.dialect import END_OF_FILE
from .edit_phrases import Phrases, PlacementCause, Subject, loosely
from .message_lines import line_list, visible
from .place_lines import (
    NearestPlace,
    NewLines,
    NoOwnLine,
    NumberedLine,
    OwnLines,
    PlaceLines,
    nearest_data,
    show_difference,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..core.problems import NearestLines


class Nearest(PlacementCause):
    """The lines of the edit are not in the file; this is the nearest place. A rule may have forbidden it."""

    subject: Subject
    place: NearestPlace
    rule: str = ""

    reason = "context_not_found"

    @property
    def nearest(self) -> NearestLines:
        """The nearest place as data."""
        return self.place.best.as_data()

    @property
    def data(self) -> Mapping[str, object]:
        return {"nearest": nearest_data(self.nearest), "rule": self.rule or None}

    def text(self, say: Phrases) -> str:
        return f"{say.unfit}.\nThe nearest place is {self.place.show(say)}"

    def advice(self, say: Phrases) -> str:
        if self.place.best.agree * 2 < self.place.best.of:
            return f"If this is the place, {say.again} with the lines as the file has them. If not, {say.look}."
        mark = ""
        if self.place.elided:
            mark = f" Write out the lines that {visible(self.place.elided)} stands for."
        elif self.place.has_unmarked and say.thing == "hunk":
            mark = " If a line that is not in the file should be added, mark it as added."
        return f"{say.again} with the lines as the file has them.{mark}"


class NoLikeLine(PlacementCause):
    """No line of the file is like any distinctive line of the edit, of which this is one."""

    subject: Subject
    line: str

    reason = "context_not_found"

    def text(self, say: Phrases) -> str:
        nowhere = "None of its distinctive lines is in the file"
        return f"{say.unfit}. {nowhere}: no line is close to {visible(self.line)}."

    def advice(self, say: Phrases) -> str:
        return f"{say.look}: this {say.thing} may be for another file, or for an older version of this one."


class EmptyFile(PlacementCause):
    """The file is empty."""

    subject: Subject

    reason = "context_not_found"

    def text(self, say: Phrases) -> str:
        return f"{say.unfit}. The file is empty."

    def advice(self, say: Phrases) -> str:
        if say.thing == "hunk":
            return "To fill it, use a hunk of + lines alone."
        return f"To fill it, leave {say.old if say.thing == 'edit' else 'the SEARCH part'} empty."


class NotFoundEither(PlacementCause):
    """One of so many edits without a place that no evidence was looked for."""

    subject: Subject
    line: int | None = None
    rule: str = ""

    reason = "context_not_found"

    @property
    def data(self) -> Mapping[str, object]:
        return {"line": self.line, "rule": self.rule or None}

    def text(self, say: Phrases) -> str:
        return f"{say.name} does not fit {say.file} either."

    def advice(self, say: Phrases) -> str:
        return f"{say.look}, and {say.again} with the lines that it has now."


class OnlyWhitespace(PlacementCause):
    """The text to find is only whitespace."""

    subject: Subject
    old: str

    reason = "context_not_found"

    def text(self, say: Phrases) -> str:
        return f"{say.unfit}: it is only whitespace, {visible(self.old)}, which must match exactly."

    def advice(self, say: Phrases) -> str:
        return f"{say.more}."


class AddedBefore(PlacementCause):
    """A line of the edit is not in the file because an edit before it adds that line."""

    subject: Subject
    other: int
    line: str
    nearby: NearestPlace | None = None

    reason = "context_not_found"

    def text(self, say: Phrases) -> str:
        why = f"{say.thing}s are matched with the file as it was before"
        nearby = "" if self.nearby is None else self.nearby.beside(say)
        return f"{say.unfit}: {say.thing} {self.other} adds {visible(self.line)}, but {why}.{nearby}"

    def advice(self, say: Phrases) -> str:
        return f"{say.merge}."


class ChangedBefore(PlacementCause):
    """An edit before it changes lines that it needs as context."""

    subject: Subject
    other: int
    line: int

    reason = "context_not_found"

    @property
    def data(self) -> Mapping[str, object]:
        return {"line": self.line}

    def text(self, say: Phrases) -> str:
        other = f"{say.thing} {self.other}, which comes before, changes its context lines"
        return f"{say.fits(self.line)}, but {other}."

    def advice(self, say: Phrases) -> str:
        return f"Write its context lines as the {say.thing}s before it leave them, or merge the two into one."


class NoContext(PlacementCause):
    """The edit only adds lines, and nothing says where. `has_marker` is whether it can say that it is at the end."""

    subject: Subject
    has_marker: bool = False

    reason = "no_context"

    def text(self, say: Phrases) -> str:
        return f"{say.name} has only added lines. Nothing says where in {say.file} they go."

    def advice(self, say: Phrases) -> str:
        around = say.around
        if say.thing == "hunk":
            around = "as context (with a space in front)"
            if self.has_marker:
                around += f", name it after @@, or close the hunk with {END_OF_FILE}"
        return f"Add the line before them {around}."


class ContextAbsent(PlacementCause):
    """A line of a hunk that has only context is not in the file; `near` is the nearest one."""

    subject: Subject
    line: str
    near: NumberedLine | None = None

    reason = "context_not_found"

    def text(self, say: Phrases) -> str:
        return f"{say.name} has only context, and {say.file} has no line {visible(self.line)}.{nearest_line(self.near)}"

    def advice(self, say: Phrases) -> str:
        mark = "If this line should be added, mark it with +."
        return f"{mark} If not, copy the context from the file, or leave the {say.thing} out."


def nearest_line(near: NumberedLine | None) -> str:
    """The line of the file that is nearest to one that it lacks."""
    return "" if near is None else f"\nThe nearest is line {near.number}: {visible(near.line)}"


class MissingAnchor(PlacementCause):
    """The text after `@@` is no line of the file, or none below `above`, the anchor before it.

    `spots` is where it is; otherwise, `begun` is a line that begins like it, or `near` one that is close to it. `own`
    is where the lines of the hunk are.
    """

    subject: Subject
    anchor: str
    #: Whether it must be a whole line, and not only the beginning of one.
    is_whole: bool
    above: str = ""
    is_in_block: bool = False
    spots: Sequence[int] = ()
    begun: NumberedLine | None = None
    near: NumberedLine | None = None
    own: OwnLines | NewLines | NoOwnLine | NearestPlace | None = None

    reason = "anchor_not_found"

    def text(self, say: Phrases) -> str:
        below = ""
        if self.spots:
            position = "in the block of" if self.is_in_block else "below"
            below = f" {position} {visible(self.above)}"
        nearby = self._nearby()
        if self.own is not None:
            nearby += self.own.beside(say)
        if not self.is_whole:
            line = f"no line of {say.file}{below} is or begins with its @@ line {visible(self.anchor)}"
            return f"{say.name}: {line}.{nearby}"
        ignored = "(Whitespace at both ends and the style of quotes and dashes are ignored.)"
        line = f"its @@ line {visible(self.anchor)} is not a line of {say.file}{below}"
        return f"{say.name}: {line}. {ignored}{nearby}"

    def _nearby(self) -> str:
        if self.spots:
            return f"\nIt is at {line_list(self.spots)}."
        if self.begun is not None:
            return f"\nLine {self.begun.number} begins like it: {visible(self.begun.line)}"
        return nearest_line(self.near)

    def advice(self, say: Phrases) -> str:
        line = "each whole @@ line" if self.is_whole else "each @@ line"
        leave = "leave its text out and give enough context lines"
        return f"Copy {line} from the file, outermost block first, or {leave}."


class Disproportionate(PlacementCause):
    """The place that was found is far longer than the text to find."""

    subject: Subject
    first: int
    last: int
    tier: str = ""

    reason = "disproportionate"

    @property
    def data(self) -> Mapping[str, object]:
        return {"first": self.first, "last": self.last}

    def text(self, say: Phrases) -> str:
        lines = f"lines {self.first}-{self.last}{loosely(self.tier)}"
        return f"{say.unfit}. It would take {lines}, which is far more than it names."

    def advice(self, say: Phrases) -> str:
        return f"{say.send} {say.old} with all lines to replace, as the file has them."


class UnclearEscapes(PlacementCause):
    """The place is found with other escapes, and nothing tells which escapes of the new text are literal."""

    subject: Subject
    line: int
    difference: PlaceLines | None = None

    reason = "unclear_escapes"

    @property
    def data(self) -> Mapping[str, object]:
        return {"line": self.line}

    def text(self, say: Phrases) -> str:
        there = show_difference(self.difference, say.side, self.subject.line_room)
        unclear = f"which escapes of {say.result} are literal is unclear"
        return f"{say.fits(self.line)} with other escapes, and {unclear}.{there}"

    def advice(self, say: Phrases) -> str:
        return f"{say.again} with as many backslashes as the file has, also in {say.result}."
