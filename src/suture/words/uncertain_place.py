"""Why the place of an edit is not certain: there are several, or a rule forbids the only one."""

from __future__ import annotations

from ..core.display import printable
from .edit_phrases import Phrases, PlacementCause, Subject, is_loose, loosely
from .message_limits import ANSWER_ROOM, FRAME_ROOM, LONGEST_HEADER, MOST_LISTED
from .message_lines import ListedLine, line_list, size_of, visible
from .place_lines import NumberedLine, PlaceLines, SeveralPlaces, show_difference, show_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..core.problems import Code


class Several(PlacementCause):
    """The edit fits several places.

    `lines` are those of all of them, also of what speaks against them; `count` is how many there are, or more if the
    search was `cut_short`. `tier` found them, by the reading `reading` if it is not empty.
    """

    subject: Subject
    lines: Sequence[int]
    count: int
    cut_short: bool
    tier: str
    reading: str
    rule: str
    places: SeveralPlaces
    #: The lines that the edit adds, if they are right beside one of its places: how many, and where.
    added: int = 0
    added_at: Sequence[int] = ()
    #: Whether the edit can name the block of a place, and whether it names an outer one already.
    has_anchors: bool = False
    is_anchored: bool = False
    #: Whether it can be sent once for each place.
    can_be_repeated: bool = False

    @property
    def code(self) -> Code:
        return "multiple_matches"

    @property
    def data(self) -> Mapping[str, object]:
        return {
            "cutShort": self.cut_short,
            "lines": list(self.lines),
            "rule": self.rule or None,
            "tier": self.tier,
        }

    def text(self, say: Phrases) -> str:
        how = loosely(self.reading or self.tier)
        count = f"{self.count} or more" if self.cut_short else str(self.count)
        several = f"{say.name} fits {count} places in {say.file}{how}:"
        if say.thing == "edit":
            several = f"Found multiple matches for {say.old} in {say.file}: it occurs {count} times{how}."
        listing = self.places.show(self.subject.line_room, has_anchors=self.has_anchors)
        return f"{several}{listing}{self._result_beside()}"

    def _result_beside(self) -> str:
        if not self.added_at:
            return ""
        lines = "The lines that it adds are" if self.added > 1 else "The line that it adds is"
        return f"\n{lines} at {line_list(self.added_at)}: it may be applied already."

    def advice(self, say: Phrases) -> str:
        if self.has_anchors and self.places.has_blocks:
            return self._name_the_block()
        exactly = ", and all lines as the file has them" if is_loose(self.reading or self.tier) else ""
        return f"{say.more}{exactly}, so that it occurs once{self._or_every(say)}."

    def _name_the_block(self) -> str:
        """The advice to name the block of the right place in an `@@` line. The first place is the example."""
        how = "in one more @@ line, outermost first" if self.is_anchored else "after @@"
        opener = self.places.places[0].opener
        header = "" if opener is None else printable(opener.line.strip()[:LONGEST_HEADER].rstrip())
        more = "or add more of the lines around it as context"
        return f"Name the right one {how} (for the first: @@ {header}), {more}."

    def _or_every(self, say: Phrases) -> str:
        """How to change all of several places, if that is possible."""
        if self.tier == "simple":
            return f", or {say.every} to change all of them"
        if self.can_be_repeated and self.tier == "exact" and self.count <= MOST_LISTED:
            return f", or {say.send} the {say.thing} {self.count} times to change all of them"
        return ""


class UncertainPlace(PlacementCause):
    """The edit fits one place, at `line`, which a rule forbids; `others` are the lines that speak against it.

    `distinctive` is its first distinctive line, `beyond` the line of the file beyond the lines that it adds. What the
    file has there is the `difference` or, if there is none, the lines `around` it.
    """

    subject: Subject
    rule: str
    line: int
    lines: Sequence[int]
    others: Sequence[int]
    cut_short: bool
    tier: str
    reading: str
    distinctive: str
    beyond: str
    around: Sequence[ListedLine]
    difference: PlaceLines | None = None
    other_difference: PlaceLines | None = None

    @property
    def code(self) -> Code:
        return "multiple_matches"

    @property
    def data(self) -> Mapping[str, object]:
        return {
            "cutShort": self.cut_short,
            "lines": list(self.lines),
            "rule": self.rule or None,
            "tier": self.tier,
        }

    def text(self, say: Phrases) -> str:
        return f"{say.fits(self.line, self.reading or self.tier)}, but {self.why(say)}.{self.there(say)}"

    def why(self, say: Phrases) -> str:
        """What makes the place uncertain."""
        raise NotImplementedError

    def there(self, say: Phrases) -> str:
        """What the file has there."""
        room = self.subject.line_room
        there = show_difference(self.difference, say.side, room)
        if not there:
            there = f"\nAround it, the file has:{show_rows(self.around)}"
        return there + show_difference(self.other_difference, say.side, room)


class NotDistinctive(UncertainPlace):
    """None of its lines is distinctive."""

    def why(self, say: Phrases) -> str:
        return "has only lines that could be anywhere"

    def advice(self, say: Phrases) -> str:
        return f"{say.more}."


class LayoutBlank(UncertainPlace):
    """Only a blank last line distinguishes the place."""

    def why(self, say: Phrases) -> str:
        return f"without its last line, which is blank, it fits {line_list(self.others)}"

    def advice(self, say: Phrases) -> str:
        return f"{say.more}."


class OneSidedContext(UncertainPlace):
    """It adds lines beside context whose only distinctive line occurs elsewhere, too."""

    def why(self, say: Phrases) -> str:
        return f"its only distinctive line {visible(self.distinctive)} occurs at {line_list(self.others)}"

    def advice(self, say: Phrases) -> str:
        example = f" (for line {self.line}: {visible(self.beyond)})" if self.beyond.strip() else ""
        return f"Add the line of the file on the other side of the added lines {say.around}{example}."


class OwnDepth(UncertainPlace):
    """Its lines are elsewhere with their own indentation."""

    def why(self, say: Phrases) -> str:
        odd = "and other spacing or punctuation"
        return f"its lines are at {line_list(self.others)} with their own indentation, {odd}"

    def advice(self, say: Phrases) -> str:
        return f"{say.again} with the lines of the place that is meant, as the file has them."


class NestedCopy(UncertainPlace):
    """It may be the copy of a block inside of that block."""

    def why(self, say: Phrases) -> str:
        return f"the line above it is the first line of the {say.thing} at its own indentation"

    def advice(self, say: Phrases) -> str:
        return f"{say.again} with the indentation that the file has."


class ForgottenPlus(UncertainPlace):
    """It keeps a line that was probably meant as added."""

    def why(self, say: Phrases) -> str:
        return "keeps a line that the file lacks, with a word that only its added lines have"

    def advice(self, say: Phrases) -> str:
        otherwise = f"If not, {say.again} with the lines as the file has them."
        return f"If that line should be added, do not keep it, but add it. {otherwise}"


class OtherBracket(UncertainPlace):
    """A closing bracket is at another depth than the lines above it."""

    def why(self, say: Phrases) -> str:
        return "a closing bracket is at another depth there than the lines above it say"

    def advice(self, say: Phrases) -> str:
        return f"{say.again} with the lines as the file has them, none left out."


class UnevenDepth(UncertainPlace):
    """Its lines are at different depths in the file, which does not tell the depth of those that it adds."""

    def why(self, say: Phrases) -> str:
        return "that does not tell the indentation of the lines that it adds"

    def advice(self, say: Phrases) -> str:
        return f"{say.again} with the indentation that the file has."


class UnevenDepthOfOld(UncertainPlace):
    """Its lines are at different depths in the file, and it adds none."""

    def why(self, say: Phrases) -> str:
        return f"its lines are at different depths in the file than the {say.thing} says"

    def advice(self, say: Phrases) -> str:
        return f"{say.again} with the indentation that the file has."


#: The cause that each rule is, by its name.
UNCERTAIN: Mapping[str, type[UncertainPlace]] = {
    "distinctive-line": NotDistinctive,
    "layout-blank": LayoutBlank,
    "one-sided": OneSidedContext,
    "own-depth": OwnDepth,
    "nested-copy": NestedCopy,
    "forgotten-plus": ForgottenPlus,
    "other-bracket": OtherBracket,
    "uneven-depth": UnevenDepth,
}


class NoLongerParses(PlacementCause):
    """The edit was found loosely, and after it the file no longer parses.

    `around` are the lines of the result around the fault; `place` is what the file has for the old lines.
    """

    subject: Subject
    tiers: Sequence[str]
    line: int
    fault: str
    around: Sequence[NumberedLine]
    place: PlaceLines | None = None

    reason = "syntax_error"

    @property
    def code(self) -> Code:
        return "invalid_arguments" if self.subject.kind == "edit" else "patch_apply_error"

    @property
    def data(self) -> Mapping[str, object]:
        return {"line": self.line, "rule": "parses"}

    def text(self, say: Phrases) -> str:
        fault = f"{self.fault} at line {self.line} of the result" if self.line else self.fault
        marked = [(">" if one.number == self.line else " ", one) for one in self.around]
        listing = "".join([f"\n{mark} {one.number} {visible(one.line)}" for mark, one in marked])
        there = show_difference(self.place, say.side, ANSWER_ROOM - FRAME_ROOM - size_of(listing))
        loose = f"{say.name} was found only loosely ({', '.join(self.tiers)})"
        return f"{loose}, and {say.file} would no longer parse: {fault}.{listing}{there}"

    def advice(self, say: Phrases) -> str:
        return f"{say.send} the old and the new lines as the file has them, with their indentation."
