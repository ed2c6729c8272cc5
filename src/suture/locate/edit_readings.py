"""What a string edit asks for, and the other ways to read it.

An `EditReading` is a pair of texts, `old` and `new`, with LF for every ending. As lines, the two are a hunk: lines of
`old` that `new` keeps are context, those that it drops are removed.
"""

from __future__ import annotations

from ..core.patch import Hunk
from .limits import MOST_CORRECTED, MOST_EDITS_CORRECTED
from .readings import merged_lines, without_line_numbers
from .search import occurrences
from .tiers import is_distinctive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


class EditReading:
    """One string edit: the text to find, the text to put there, and how the two were read."""

    __slots__ = ("_hunk", "line", "new", "notes", "old")

    def __init__(self, old: str, new: str, notes: tuple[str, ...] = (), line: int | None = None) -> None:
        self.old = old
        self.new = new
        self.notes = notes
        #: The number that a viewer printed before the one line of the old text.
        self.line = line
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

    def readings(self) -> Iterator[EditReading]:
        """The edit as it stands, then as it may have been meant, each with the name of what it concedes.

        Line numbers that a file viewer printed, characters that arrived as HTML entities, and escapes that arrived as
        characters.
        """
        yield self
        if self.old[:40].lstrip()[:1].isdigit():
            for plain in without_line_numbers(self.hunk):
                yield self._as_hunk(plain, "line_numbers")
        if not self.old.isascii():
            kept = set(self.old.split("\n"))
            lines = [_with_escapes(line) if line in kept else line for line in self.new.split("\n")]
            yield EditReading(_with_escapes(self.old), "\n".join(lines), ("characters_escaped",))
        if "&" in self.old and ";" in self.old:
            old, new = _without_entities(self.old, self.new)
            if old != self.old:
                yield EditReading(old, new, ("html_entities",))

    def corrected(self, body: str) -> EditReading | None:
        """The edit with the file's lines for those that `old` has wrong and `new` has right; None where there are none.

        A line of `old` that the file lacks, facing a line of `new` that the file has: the model corrected itself.
        """
        lines = list(self.hunk.lines)
        wrong = 0
        for index in [i for i in range(1, len(lines)) if lines[i - 1][0] == "-" and lines[i][0] == "+"]:
            first = next(i for i in range(index - 1, -1, -1) if i == 0 or lines[i - 1][0] != "-")
            for old, new in zip(range(first, index), range(index, len(lines)), strict=False):
                if lines[new][0] == "+" and _is_correction(lines[old][1:], lines[new][1:], body):
                    lines[old] = "-" + lines[new][1:]
                    wrong += 1
        if not 0 < wrong <= MOST_CORRECTED:
            return None
        end = "\n" if self.old[-1:] == "\n" else ""
        old_lines = [line[1:] for line in lines if line[0] != "+"]
        return EditReading("\n".join(old_lines) + end, self.new, ("old_corrected",))

    def _as_hunk(self, hunk: Hunk, note: str) -> EditReading:
        end = "\n" if self.old[-1:] == "\n" else ""
        new_end = end if self.new[-1:] == "\n" else ""
        from re import match

        number = match(r"\s*(\d+)", self.old) if len(hunk.old) == 1 else None
        line = int(number[1]) if number is not None else None
        return EditReading("\n".join(hunk.old) + end, "\n".join(hunk.new) + new_end, (note,), line)


def _is_correction(old: str, new: str, body: str) -> bool:
    """Whether the file has a line of the new text, and the old line is nearly that one: no other number or operator."""
    from re import findall

    from rapidfuzz.distance import Levenshtein

    meaning = r"\d+|[=!<>+*/%&|^~-]+"
    if not is_distinctive(new) or findall(meaning, old) != findall(meaning, new):
        return False
    most = min(MOST_EDITS_CORRECTED, len(new) // 5)
    if not most or Levenshtein.distance(old, new, score_cutoff=most) > most:
        return False
    return bool(occurrences(body, new, most=1)) and not occurrences(body, old, most=1)


def _with_escapes(text: str) -> str:
    """A text with `\\u` escapes for the characters that are not ASCII, as JSON and most languages write them."""
    return text.translate({ord(one): f"\\u{ord(one):04x}" for one in set(text) if "\x7f" < one < "\U00010000"})


#: Entities that whoever writes one of them writes for all their characters.
_MARKUP = ("&amp;", "&lt;", "&gt;", "&quot;", "&apos;", "&#34;", "&#39;", "&#x22;", "&#x27;")


def _without_entities(old: str, new: str) -> tuple[str, str]:
    """Both texts with the characters for the entities that the old one has, and for those that go with them.

    A character that the new text has itself, where the old one has it as entity alone, was never escaped there.
    """
    from html import unescape
    from re import findall, sub

    entity = r"&(?:#\d+|#[xX][0-9a-fA-F]+|[a-zA-Z]\w*);"
    plain = {one: unescape(one) for one in findall(entity, old) if unescape(one) != one}
    bare, bare_new = (sub(entity, "", text) for text in (old, new))
    if not plain.keys().isdisjoint(_MARKUP):
        plain |= {one: unescape(one) for one in _MARKUP}
    written = sub(entity, lambda match: plain.get(match[0], match[0]), old)
    own = {character for character in bare_new if character not in bare}
    kept = {one: character for one, character in plain.items() if character not in own}
    return written, sub(entity, lambda match: kept.get(match[0], match[0]), new)


def lines_of(text: str) -> list[str]:
    """The lines of a text; a newline at its end ends the last one."""
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return lines


def hunk_of(old: list[str], new: list[str]) -> Hunk:
    """Two blocks of lines as one hunk: what both have is context."""
    return Hunk(tuple(merged_lines(old, new)))
