"""The short way of reading: a text that is an envelope of plain updates and nothing else, in one go.

Most texts are like that. What is read here, the parser reads alike, in every dialect; it is only slower.
"""

from __future__ import annotations

from ..core.dialect import BEGIN, END, UPDATE
from ..core.patch import Hunk, UpdateFile
from .sections import PREFIXES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    #: For each section its path, the number of its line, and for each hunk its lines and the number of its `@@`.
    Sections: TypeAlias = list[tuple[str, int, list[tuple[tuple[str, ...], int]]]]

#: The last line of an envelope and the header of an update, as `split_envelope` leaves them: without their stars.
_ENDS = (END[4:], END[4:] + "\n")
_HEADER = UPDATE[4:]
_QUOTES = "\"'`."


def fast_parse(text: str, max_sections: int) -> tuple[list[UpdateFile], int] | None:
    """The updates and the number of the last line, or None where the text is not like that."""
    found = split_envelope(text)
    if found is None or len(found[0]) > max_sections:
        return None
    sections, number = found
    return [
        UpdateFile(path, tuple([Hunk(lines, (), False, "", None, (), n) for lines, n in hunks]), None, line)
        for path, line, hunks in sections
    ], number


def split_envelope(text: str) -> tuple[Sections, int] | None:
    """What the envelope says, as it is written."""
    begin, *parts = text.split("\n*** ")
    if begin != BEGIN or "\r" in text or len(parts) < 2 or parts.pop() not in _ENDS:
        return None
    sections: Sections = []
    number = 2
    for part in parts:
        header, *blocks = part.split("\n@@")
        path = header[len(_HEADER) :]
        if not header.startswith(_HEADER) or not blocks or not path or "\n" in path:
            return None
        # What is around a path may be no part of it.
        if path.strip() != path or path.strip(_QUOTES) != path:
            return None
        line, hunks = number, []
        for block in blocks:
            number += 1
            anchor, *lines = block.split("\n")
            if anchor or not lines or not {text[:1] for text in lines} <= PREFIXES:
                return None
            hunks.append((tuple(lines), number))
            number += len(lines)
        sections.append((path, line, hunks))
        number += 1
    return sections, number
