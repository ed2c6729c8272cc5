"""What a string edit asks for, and the other ways to read it.

An `EditReading` is a pair of texts, `old` and `new`, with LF for every ending. As lines, the two are a hunk: lines of
`old` that `new` keeps are context, those that it drops are removed.
"""

from __future__ import annotations

from functools import cached_property

from ..core.line_diff import changed_blocks
from ..core.patch import Hunk
from .limits import MOST_CORRECTED, MOST_EDITS_CORRECTED
from .readings import merged_lines, without_line_numbers
from .search import occurrences
from .tiers import is_distinctive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from .align import Alignment


class EditReading:
    """One string edit: the text to find, the text to put there, and how the two were read, for one file."""

    def __init__(self, old: str, new: str, notes: tuple[str, ...] = ()) -> None:
        self.old = old
        self.new = new
        self.notes = notes
        #: How the lines lie in the file with mistakes, worked out once.
        self.aligned: list[Alignment] = []

    @cached_property
    def hunk(self) -> Hunk:
        """The edit as a hunk of whole lines."""
        # As it is written, the newline of the old text's last line follows that of the new one.
        is_longer = self.new.endswith("\n") and self.old[-1:] not in ("", "\n")
        return Hunk(tuple(merged_lines(lines_of(self.old), [*lines_of(self.new), *[""] * is_longer])))

    def other_readings(self, body: str) -> Iterator[EditReading]:
        """Ways to read the edit but for the literal one, each with the name of what it concedes.

        Without the line numbers that a file viewer printed; with escapes that arrived as characters, and characters
        that arrived as HTML entities; with the file's lines for those that the new text corrects.
        """
        end = "\n" * self.old.endswith("\n")
        new_end = end * self.new.endswith("\n")
        for plain in without_line_numbers(self.hunk):
            yield EditReading("\n".join(plain.old) + end, "\n".join(plain.new) + new_end, ("line_numbers",))
        if not self.old.isascii():
            kept = set(self.old.split("\n"))
            lines = [_with_escapes(line) if line in kept else line for line in self.new.split("\n")]
            yield EditReading(_with_escapes(self.old), "\n".join(lines), ("characters_escaped",))
        old, new = _without_entities(self.old, self.new)
        if old != self.old:
            yield EditReading(old, new, ("html_entities",))
        # A line of `old` that the file lacks, facing a line of `new` that the file has: the model corrected itself.
        wrong, right = lines_of(self.old), lines_of(self.new)
        corrected = {
            at: line
            for a, b, c, d in changed_blocks(wrong, right)
            for at, line in zip(range(a, b), right[c:d], strict=False)
            if _is_correction(wrong[at], line, body)
        }
        if 0 < len(corrected) <= MOST_CORRECTED:
            lines = [corrected.get(at, line) for at, line in enumerate(wrong)]
            yield EditReading("\n".join(lines) + end, self.new, ("old_corrected",))

    def without_blank_ends(self) -> EditReading:
        """The edit without the blank lines at the two ends of its old text; the new one loses as many."""
        old, new = self.hunk.old, self.hunk.new
        for _ in range(2):
            count, there = (next((n for n, line in enumerate(some) if line.strip()), len(some)) for some in (old, new))
            old, new = old[count:][::-1], new[min(count, there) :][::-1]
        return EditReading("\n".join(old), "\n".join(new), self.notes)


def _is_correction(old: str, new: str, body: str) -> bool:
    """Whether the file has a line of the new text, and the old line is nearly that one: no other number or operator."""
    from re import findall

    from rapidfuzz.distance import Levenshtein

    meaning = r"\d+|[=!<>+*/%&|^~-]+"
    if not is_distinctive(new) or findall(meaning, old) != findall(meaning, new):
        return False
    most = min(MOST_EDITS_CORRECTED, len(new) // 5)
    is_near = Levenshtein.distance(old, new, score_cutoff=most) <= most
    return is_near and bool(occurrences(body, new, most=1)) and not occurrences(body, old, most=1)


def _with_escapes(text: str) -> str:
    """A text with `\\u` escapes for the characters that are not ASCII, as JSON and most languages write them."""
    return text.translate({ord(one): f"\\u{ord(one):04x}" for one in set(text) if "\x7f" < one < "\U00010000"})


def _without_entities(old: str, new: str) -> tuple[str, str]:
    """Both texts with the characters for the entities of markup.

    A quote that the new text has itself, where the old one has it as entity alone, was never escaped there. With any
    other such character nothing was.
    """
    from html import unescape
    from re import sub

    entity = r"&(?:amp|lt|gt|quot|apos|#34|#39|#x22|#x27);"
    plain = sub(entity, lambda found: unescape(found[0]), old)
    own = set(sub(entity, "", new)).difference(sub(entity, "", old))
    if own.isdisjoint(set("<>&").intersection(plain)):
        new = sub(entity, lambda found: found[0] if unescape(found[0]) in own else unescape(found[0]), new)
    return plain, new


def lines_of(text: str) -> list[str]:
    """The lines of a text; a newline at its end ends the last one."""
    return text.removesuffix("\n").split("\n") if text else []
