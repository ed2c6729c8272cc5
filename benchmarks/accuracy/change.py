"""A change to one file as the benchmark knows it: lines, hunks with their true places, and how they are written.

Nothing here uses Suture: what a perfect tool would produce is worked out by plain code that knows each hunk's place.
The one invariant: `Draft.after()` never looks at what the patch says, only at `truth`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

CONTEXT = 3


@dataclass(frozen=True, slots=True)
class Piece:
    """One hunk: the index in the file of its first old line, its prefixed lines, its header.

    An `extra` one changes nothing: it has no part in the truth, and diffs for peers leave it out.
    """

    start: int
    lines: tuple[str, ...]
    anchors: tuple[str, ...] = ()
    numbers: tuple[int, int] | None = None
    marked: bool = True
    at_end: bool = False
    extra: bool = False

    @property
    def old(self) -> tuple[str, ...]:
        """Context and removed lines."""
        return tuple(line[1:] for line in self.lines if line[0] != "+")

    @property
    def removed(self) -> tuple[str, ...]:
        """Removed lines."""
        return tuple(line[1:] for line in self.lines if line[0] == "-")

    @property
    def added(self) -> tuple[str, ...]:
        """Added lines."""
        return tuple(line[1:] for line in self.lines if line[0] == "+")

    def lead(self) -> int:
        """How many context lines stand before the first change."""
        return next((i for i, line in enumerate(self.lines) if line[0] != " "), len(self.lines))

    def tail(self) -> int:
        """How many context lines stand after the last change."""
        return next((i for i, line in enumerate(reversed(self.lines)) if line[0] != " "), len(self.lines))

    def span(self) -> tuple[int, int]:
        """First and last line (half open) of the file that the hunk changes, by its true place."""
        return self.start + self.lead(), self.start + len(self.old) - self.tail()

    def header(self) -> list[str]:
        """The `@@` lines."""
        if not self.marked:
            return []
        if self.numbers is not None:
            counts = len(self.old), sum(line[0] != "-" for line in self.lines)
            old, new = self.numbers
            head = f"@@ -{old},{counts[0]} +{new},{counts[1]} @@"
            return [f"{head} {self.anchors[-1]}" if self.anchors else head]
        return [f"@@ {anchor}" for anchor in self.anchors] or ["@@"]


@dataclass(frozen=True, slots=True)
class Draft:
    """A change under way to a case: the file, the true hunks, and the hunks as the patch writes them."""

    path: str
    before: tuple[str, ...]
    truth: tuple[Piece, ...]
    written: tuple[Piece, ...]
    eol: str = "\n"
    final: bool = True

    def text(self, lines: Iterable[str]) -> str:
        """Lines as the bytes of the file have them."""
        joined = self.eol.join(lines)
        return joined + self.eol if self.final and joined else joined

    def after(self) -> str:
        """What a perfect tool would produce."""
        return self.text(applied(self.before, self.truth))

    def with_written(self, pieces: Iterable[Piece]) -> Draft:
        """The same change, written otherwise."""
        return replace(self, written=tuple(pieces))


def applied(before: Sequence[str], pieces: Iterable[Piece]) -> list[str]:
    """The file with every hunk put at its true place; context comes from the file."""
    result: list[str] = []
    cursor = 0
    for piece in sorted(pieces, key=lambda piece: piece.start):
        assert piece.start >= cursor, "BUG: hunks overlap"
        result += before[cursor : piece.start]
        cursor = piece.start
        for line in piece.lines:
            if line[0] == "+":
                result.append(line[1:])
                continue
            if line[0] == " ":
                result.append(before[cursor])
            cursor += 1
    result += before[cursor:]
    return result


def hunks_between(before: Sequence[str], after: Sequence[str]) -> list[Piece]:
    """The hunks that turn one list of lines into the other, with three lines of context."""
    head = 0
    limit = min(len(before), len(after))
    while head < limit and before[head] == after[head]:
        head += 1
    tail = 0
    while tail < limit - head and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    head, tail = max(0, head - CONTEXT), max(0, tail - CONTEXT)
    old, new = before[head : len(before) - tail], after[head : len(after) - tail]
    pieces = []
    for group in SequenceMatcher(None, old, new).get_grouped_opcodes(CONTEXT):
        lines: list[str] = []
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                lines += [" " + line for line in old[i1:i2]]
            else:
                lines += ["-" + line for line in old[i1:i2]]
                lines += ["+" + line for line in new[j1:j2]]
        pieces.append(Piece(head + group[0][1], tuple(lines)))
    return pieces


def as_written(line: str) -> str:
    return line


def envelope(draft: Draft, line: Callable[[str], str] = as_written) -> str:
    """The draft as an envelope; `line` may spoil each line of a hunk."""
    return "\n".join(["*** Begin Patch", *section(draft, draft.written, line), "*** End Patch"]) + "\n"


def section(draft: Draft, pieces: Iterable[Piece], line: Callable[[str], str] = as_written) -> list[str]:
    """One `*** Update File` section."""
    return [f"*** Update File: {draft.path}", *body(pieces, line)]


def body(pieces: Iterable[Piece], line: Callable[[str], str] = as_written) -> list[str]:
    """The hunks without their file header."""
    lines = []
    for piece in pieces:
        lines += piece.header()
        lines += [line(text) for text in piece.lines]
        lines += ["*** End of File"] * piece.at_end
    return lines


def unified(draft: Draft) -> str:
    """The same hunks as a unified diff, for peers that read nothing else; numbers are right unless spoilt."""
    lines = [f"--- a/{draft.path}", f"+++ b/{draft.path}"]
    grown = 0
    for piece in draft.written:
        if piece.extra:
            continue
        numbers = piece.numbers or (piece.start + 1, piece.start + 1 + grown)
        lines += replace(piece, numbers=numbers, marked=True).header()
        lines += piece.lines
        grown += len(piece.added) - len(piece.removed)
    return "\n".join(lines) + "\n"
