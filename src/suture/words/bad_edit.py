"""Why an edit is wrong whatever the file has: it changes nothing, is not an edit, or costs too much."""

from __future__ import annotations

from .edit_phrases import Phrases, PlacementCause, Subject
from .message_lines import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..core.problems import Code, EditRef


class Overlap(PlacementCause):
    """Two edits change the same place; `edit` is which of a list it is, if it is one."""

    subject: Subject
    other: int
    line: int
    shown: str
    edit: EditRef | None = None

    @property
    def code(self) -> Code:
        return "overlapping_edits"

    @property
    def data(self) -> Mapping[str, object]:
        return {"line": self.line}

    def text(self, say: Phrases) -> str:
        name = say.name if self.edit is None else f"Edit {self.edit.index + 1} of {self.edit.of}"
        where = f"line {self.line} of {say.file}, {visible(self.shown)}"
        return f"{name} changes the same place as {say.thing} {self.other}: {where}."

    def advice(self, say: Phrases) -> str:
        return f"{say.merge}."


class OutOfTime(PlacementCause):
    """The search took too long."""

    subject: Subject

    @property
    def code(self) -> Code:
        return "timeout"

    def text(self, say: Phrases) -> str:
        return f"{say.name} was not placed: the search in {say.file} took too long."

    def advice(self, say: Phrases) -> str:
        return f"{say.send} fewer {say.thing}s at a time."


class OutOfBudget(PlacementCause):
    """The searches for this edit and those before it read more than they may."""

    subject: Subject

    reason = "search_budget"

    @property
    def code(self) -> Code:
        return "timeout"

    def text(self, say: Phrases) -> str:
        searches = f"this and the {say.thing}s before it need too many searches in {say.file}"
        return f"{say.it} was not placed: {searches}."

    def advice(self, say: Phrases) -> str:
        return f"{say.send} fewer {say.thing}s at a time, with the lines exactly as the file has them."


class IndentedTwice(PlacementCause):
    """The new text begins with an indentation that the file has before the old one."""

    subject: Subject
    line: int

    reason = "indented_twice"

    @property
    def code(self) -> Code:
        return "invalid_arguments"

    @property
    def data(self) -> Mapping[str, object]:
        return {"line": self.line}

    def text(self, say: Phrases) -> str:
        there = f"the indentation that is before {say.old} at line {self.line} of {say.file}"
        return f"{say.new} begins with {there}: it would be doubled."

    def advice(self, say: Phrases) -> str:
        return f"Begin both {say.old} and {say.new} with the indentation, or neither of them."


class Placeholder(PlacementCause):
    """A line of the new text stands for lines that were left out."""

    subject: Subject
    line: str

    reason = "placeholder"

    @property
    def code(self) -> Code:
        return "invalid_arguments"

    def text(self, say: Phrases) -> str:
        written = f"which would be written to {say.file} as it is: {visible(self.line)}"
        return f"{say.new} has a placeholder, {written}."

    def advice(self, say: Phrases) -> str:
        smaller = f"make {say.old} and {say.new} smaller, so that nothing is left out"
        return f"Write out the lines that it stands for, or {smaller}."


class ControlCharacter(PlacementCause):
    """The new text brings in a control character, given by its code point."""

    subject: Subject
    character: int

    reason = "control_character"

    @property
    def code(self) -> Code:
        return "encoding_error"

    @property
    def data(self) -> Mapping[str, object]:
        return {"character": self.character}

    def text(self, say: Phrases) -> str:
        return f"{say.it} adds the control character U+{self.character:04X} to {say.file}."

    def advice(self, say: Phrases) -> str:
        return "Leave it out, or write it as an escape of the file's language."


class NotALine(PlacementCause):
    """A hunk that was built by hand has a line that no patch text could contain."""

    subject: Subject
    line: str
    is_anchor: bool = False

    @property
    def code(self) -> Code:
        return "invalid_arguments"

    def text(self, say: Phrases) -> str:
        expected = "an anchor" if self.is_anchor else "a hunk line"
        return f"{say.name} has a line that is not {expected}: {self.line!r}."

    def advice(self, say: Phrases) -> str:
        one = "Start every line with a space, + or -, and put only one line in each."
        return f"{one} An anchor is not blank."


class NoEdits(PlacementCause):
    """The list of edits is empty."""

    subject: Subject

    @property
    def code(self) -> Code:
        return "invalid_arguments"

    def text(self, say: Phrases) -> str:
        return "The list of edits is empty."

    def advice(self, say: Phrases) -> str:
        return "Add at least one edit."


class NotAnEdit(PlacementCause):
    """An item of the list is not an edit."""

    subject: Subject
    number: int
    shown: str

    @property
    def code(self) -> Code:
        return "invalid_arguments"

    def text(self, say: Phrases) -> str:
        return f"Edit {self.number} of the list is not an edit: {visible(self.shown)}."

    def advice(self, say: Phrases) -> str:
        return f"Give each edit {say.old} and {say.new}; {say.every} to change every occurrence."


class NotEmpty(PlacementCause):
    """The text to find is empty, and the file is not."""

    subject: Subject

    @property
    def code(self) -> Code:
        return "invalid_arguments"

    def text(self, say: Phrases) -> str:
        return f"{say.old} is empty, which creates a file, but {say.file} exists and is not empty."

    def advice(self, say: Phrases) -> str:
        return f"Put the text to replace in {say.old}. To replace the whole file, write it instead."


class NoChange(PlacementCause):
    """The hunks change nothing: they have only context, or add what they remove."""

    subject: Subject
    is_context: bool

    @property
    def code(self) -> Code:
        return "no_change"

    def text(self, say: Phrases) -> str:
        why = "it has only context lines" if self.is_context else "it adds the lines that it removes"
        return f"The update of {say.file} changes nothing: {why}."

    def advice(self, say: Phrases) -> str:
        mark = "Mark the lines to remove with - and other lines to add with +"
        return f"{mark}, or leave the update out."


class EqualTexts(PlacementCause):
    """The text to find and the new text are equal."""

    subject: Subject

    @property
    def code(self) -> Code:
        return "no_change"

    def text(self, say: Phrases) -> str:
        return f"{say.old} and {say.new} must be different."

    def advice(self, say: Phrases) -> str:
        return f"Say in {say.new} what the text should become."


class NoDifference(PlacementCause):
    """The edit makes no difference: the file has the result at this line."""

    subject: Subject
    line: int

    @property
    def code(self) -> Code:
        return "no_change"

    @property
    def data(self) -> Mapping[str, object]:
        return {"line": self.line}

    def text(self, say: Phrases) -> str:
        there = f"{say.file} already has the result at line {self.line}"
        return f"{say.old} and {say.new} make no difference: {there}."

    def advice(self, say: Phrases) -> str:
        return "Leave this edit out."
