"""That an edit seems to be applied already: its new text is in the file."""

from __future__ import annotations

from .edit_phrases import Phrases, PlacementCause, Subject
from .message_lines import line_range, show_lines
from .place_lines import (
    PlaceLines,
    nearest_data,
    show_difference,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..core.problems import Code, NearestLines


class AppliedInstead(PlacementCause):
    """The lines of the edit are nowhere, but its new text is in the file."""

    subject: Subject
    line: int
    last: int

    reason = "already_applied"

    @property
    def data(self) -> Mapping[str, object]:
        return {"line": self.line}

    def text(self, say: Phrases) -> str:
        where = f"{say.result} is at {line_range(self.line, self.last)}"
        return f"{say.unfit}, but {where}. The {say.thing} seems to be applied already."

    def advice(self, say: Phrases) -> str:
        return f"If that is the place, leave this {say.thing} out{say.or_skip}. If not, {say.look}."


class AppliedBefore(PlacementCause):
    """The result of the edit is there already, perhaps with differences.

    `line` is where the edit would be made; `first` and `last` are the lines of the result.
    """

    subject: Subject
    line: int
    first: int
    last: int
    rule: str = ""
    difference: PlaceLines | None = None

    reason = "already_applied"

    @property
    def code(self) -> Code:
        return "patch_apply_error"

    @property
    def data(self) -> Mapping[str, object]:
        return {"line": self.line, "rule": self.rule or None}

    def text(self, say: Phrases) -> str:
        there = show_difference(self.difference, "new text", self.subject.line_room)
        where = f"{say.result} is in {say.file} at {line_range(self.first, self.last)}"
        return f"{say.it} seems to be applied already: {where}.{there}"

    def advice(self, say: Phrases) -> str:
        return f"Leave this {say.thing} out{say.or_skip}. To repeat it, {say.more}."


class ChangedResult(PlacementCause):
    """Most of the new text is in the file: the edit seems to be applied, and changed since."""

    subject: Subject
    place: PlaceLines
    rule: str = ""

    reason = "context_not_found"

    @property
    def nearest(self) -> NearestLines:
        """The place of the new text as data."""
        return self.place.as_data("new")

    @property
    def data(self) -> Mapping[str, object]:
        return {"nearest": nearest_data(self.nearest), "rule": self.rule or None}

    def text(self, say: Phrases) -> str:
        listing = show_lines(self.place.listing, "new text", self.subject.line_room)
        where = f"{self.place.range}{self.place.where}"
        return f"{say.unfit}, but most of {say.result} is at {where}. The file has:{listing}"

    def advice(self, say: Phrases) -> str:
        otherwise = f"If not, {say.again} with the lines as the file has them."
        return f"If the {say.thing} was applied and changed since, leave it out. {otherwise}"
