"""What a string edit asks for, and the other ways to read it.

A `Wanted` is a pair of texts, `old` and `new`, with LF for every ending. Laid side by side as lines they are a hunk:
lines of `old` that `new` keeps are context, those that it drops are removed. So what is known of hunks holds for them.
"""

from __future__ import annotations

from ..diff import changed_blocks
from ..patch import Hunk
from .readings import without_line_numbers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


class Wanted:
    """One string edit: the text to find, the text to put there, and how the two were read."""

    __slots__ = ("_hunk", "new", "notes", "old")

    def __init__(self, old: str, new: str, notes: tuple[str, ...] = ()) -> None:
        self.old = old
        self.new = new
        self.notes = notes
        self._hunk: Hunk | None = None

    @property
    def hunk(self) -> Hunk:
        """The edit as a hunk of whole lines, worked out once."""
        if self._hunk is None:
            new = lines_of(self.new)
            if self.new[-1:] == "\n" and self.old[-1:] != "\n" and self.old:
                # As it is written, the newline of the old text's last line follows that of the new one.
                new.append("")
            self._hunk = hunk_of(lines_of(self.old), new)
        return self._hunk

    def readings(self) -> Iterator[Wanted]:
        """The edit as it stands, then as it may have been meant, each with the name of what it concedes.

        Line numbers that a file viewer printed, and characters that arrived as HTML entities.
        """
        yield self
        if self.old[:40].lstrip()[:1].isdigit():
            for plain in without_line_numbers(self.hunk):
                yield self._as_hunk(plain, "line_numbers")
        if "&" in self.old and ";" in self.old:
            from html import unescape

            old = unescape(self.old)
            if old != self.old:
                # A new text with the very characters that the old one has as entities was never escaped.
                bare = "<" in self.new or ">" in self.new
                yield Wanted(old, self.new if bare else unescape(self.new), ("html_entities",))

    def _as_hunk(self, hunk: Hunk, note: str) -> Wanted:
        end = "\n" if self.old[-1:] == "\n" else ""
        new_end = end if self.new[-1:] == "\n" else ""
        return Wanted("\n".join(hunk.old) + end, "\n".join(hunk.new) + new_end, (note,))


def lines_of(text: str) -> list[str]:
    """The lines of a text; a newline at its end ends the last one."""
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return lines


def hunk_of(old: list[str], new: list[str]) -> Hunk:
    """Two blocks of lines as one hunk: what both have is context."""
    lines: list[str] = []
    done = 0
    for a, b, c, d in changed_blocks(old, new):
        lines += [" " + line for line in old[done:a]]
        lines += ["-" + line for line in old[a:b]]
        lines += ["+" + line for line in new[c:d]]
        done = b
    lines += [" " + line for line in old[done:]]
    return Hunk(tuple(lines))
