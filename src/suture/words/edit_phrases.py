"""How an edit that has a problem is spoken of: as a hunk, a block or a string edit, in the words of one reader.

A problem about placement holds a `Subject`; its sentences are made with the `Phrases` for that subject and a reader.
"""

from __future__ import annotations

from ..core.notes import NOTES
from ..core.problems import Cause, HunkRef, Problem
from ..core.value import Value
from .message_limits import ANSWER_ROOM, FRAME_ROOM, LEAST_ROOM
from .message_lines import visible_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal, TypeAlias

    from ..core.problems import Code
    from ..core.readers import Reader

    Kind: TypeAlias = Literal["hunk", "block", "edit"]


class Subject(Value):
    """The edit that a problem is about, and what its message needs to know besides the cause."""

    kind: Kind
    path: str = ""
    hunk: HunkRef | None = None
    #: The bytes that the whole message may take.
    room: int = ANSWER_ROOM
    #: Whether the file has tabs, whose sign has to be explained.
    has_tabs: bool = False
    #: Whether it was matched against the result of the edits before it.
    is_after_others: bool = False

    @property
    def line_room(self) -> int:
        """The bytes that lines of the file may take."""
        return max(LEAST_ROOM, self.room - FRAME_ROOM)


class Phrases:
    """What one subject and the things that one reader can act on are called."""

    def __init__(self, subject: Subject, reader: Reader) -> None:
        self.subject, self.reader = subject, reader
        self.thing = subject.kind
        #: Whose lines are compared with those of the file.
        self.side = "patch" if subject.kind == "hunk" else subject.kind
        self.file = visible_name(subject.path) or "the file"
        self.old, self.new = reader.old, reader.new
        self.send, self.look, self.every = _lower(reader.send), _lower(reader.look), reader.every
        self.or_skip = reader.or_skip
        self.again = f"{self.send} the {self.thing} again"
        self.merge = f"merge the two {self.thing}s into one"

    @property
    def name(self) -> str:
        """`Hunk 2 of 3 (patch line 9)`, or the argument that has the text to find."""
        if self.subject.kind == "edit":
            return self.old
        hunk = self.subject.hunk
        if hunk is None:
            return self.subject.kind.capitalize()
        line = f" (patch line {hunk.line})" if hunk.line else ""
        return f"{self.subject.kind.capitalize()} {hunk.number} of {hunk.of}{line}"

    @property
    def it(self) -> str:
        """The edit as a whole."""
        return "The edit" if self.subject.kind == "edit" else self.name

    @property
    def around(self) -> str:
        """Where an edit repeats lines of the file that it does not change."""
        if self.subject.kind == "hunk":
            return "as context"
        return "in both of its parts" if self.subject.kind == "block" else f"in {self.old}"

    @property
    def more(self) -> str:
        """The advice to make an edit distinctive."""
        return f"provide more surrounding lines {self.around}"

    @property
    def result(self) -> str:
        """The new text of the edit."""
        return self.new if self.subject.kind == "edit" else "its new text"

    @property
    def unfit(self) -> str:
        """That the lines of the edit are not in the file."""
        if self.subject.kind == "edit":
            return self.reader.absent.format(old=self.old, file=self.file)
        return f"{self.name} does not fit {self.file}"

    def fits(self, line: int, tier: str = "") -> str:
        """That the edit fits a line, found by this tier."""
        return f"{self.name} fits line {line} of {self.file}{loosely(tier)}"


def loosely(tier: str) -> str:
    """How something was found by a tier or a replacer, if not exactly."""
    return f" when it is matched loosely ({NOTES.get(tier, f'replacer {tier}')})" if is_loose(tier) else ""


def is_loose(tier: str) -> bool:
    """Whether a tier or a replacer takes other texts for equal."""
    return tier not in ("", "exact", "simple")


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]


class PlacementCause(Cause):
    """Why an edit is not placed. Its first field is its `subject`; `text` and `advice` are the sentences about it."""

    subject: Subject

    @property
    def code(self) -> Code:
        """The code of the problem; by default, that the lines were not found."""
        return "old_text_not_found" if self.subject.kind == "edit" else "patch_apply_error"

    @property
    def data(self) -> Mapping[str, object]:
        """The evidence that JSON shows, by the names that it has there."""
        return {}

    def text(self, say: Phrases) -> str:
        """What is wrong, with the evidence."""
        raise NotImplementedError

    def advice(self, say: Phrases) -> str:
        """What to do next."""
        raise NotImplementedError

    def problem(self) -> Problem:
        """The problem that it is."""
        return Problem(self.code, path=self.subject.path, hunk=self.subject.hunk, cause=self)

    def message(self, reader: Reader) -> str:
        """The text, with what has to be explained about it."""
        subject = self.subject
        message = self.text(Phrases(subject, reader))
        if message.startswith("the "):
            message = f"T{message[1:]}"
        if "→" in message and subject.has_tabs and "→ is a tab" not in message:
            message = f"{message}\n(→ is a tab)"
        if subject.is_after_others and not self.data.keys().isdisjoint(("nearest", "lines", "line", "first")):
            message = f"{message}\nLine numbers are those after the {subject.kind}s before it."
        return message

    def hint(self, reader: Reader) -> str:
        """The advice as a sentence."""
        advice = self.advice(Phrases(self.subject, reader))
        return advice[:1].upper() + advice[1:]

    @property
    def details(self) -> Mapping[str, object]:
        """The path, which hunk it is, the evidence, and the reason."""
        details: dict[str, object] = {"path": self.subject.path}
        if self.subject.hunk is not None:
            details["hunkIndex"] = self.subject.hunk.number - 1
        details |= {name: value for name, value in self.data.items() if value is not None}
        if self.reason:
            details["reason"] = self.reason
        return details
