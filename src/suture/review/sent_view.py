"""What a model wrote beside the file: what it looked for beside what is there, and what it wrote beside the result."""

from __future__ import annotations

from ..core.value import Value
from .explanations import compared_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..agent.sent_parts import SentPart
    from ..core.line_hunks import LineHunk
    from .explanations import ComparedLine
    from .file_texts import FileTexts


class ComparedPart(Value):
    """A part of an edit beside the lines that it replaces, and beside those that replace them."""

    part: SentPart
    found: tuple[ComparedLine, ...]
    written: tuple[ComparedLine, ...]


def compare_part(part: SentPart, texts: FileTexts, hunks: Sequence[LineHunk]) -> ComparedPart:
    """A part of an edit beside a file before and after it. `hunks` lead from one to the other."""
    before, after = _lines(texts.before), _lines(texts.after)
    first, last = _range_after(hunks, part.start - 1, part.end)
    old_lines = compared_lines(part.old, before[part.start - 1 : part.end], part.start)
    written = compared_lines(part.new, after[first:last], first + 1)
    return ComparedPart(part, tuple(old_lines), tuple(written))


def _range_after(hunks: Sequence[LineHunk], start: int, end: int) -> tuple[int, int]:
    """Where the lines from `start` to `end`, counted from 0, are after the hunks, with what is added at their ends."""
    shift_at_start = shift_at_end = 0
    for hunk in hunks:
        old, shift = hunk.old_start, hunk.new_start - hunk.old_start
        for line in hunk.lines:
            if line[0] == "+":
                shift += 1
            elif line[0] == "-":
                shift -= 1
                old += 1
            else:
                old += 1
            if old < start or (old == start and line[0] != "+"):
                shift_at_start = shift
            if old <= end:
                shift_at_end = shift
    return start + shift_at_start, end + shift_at_end


def _lines(text: str | None) -> list[str]:
    return [] if text is None else text.removesuffix("\n").split("\n")
