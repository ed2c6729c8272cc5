"""A fast path for parsing: an envelope of plain updates and nothing else, which most patches are.

The invariant: what is parsed here, `EnvelopeParser` parses into an equal patch, in every dialect.
"""

from __future__ import annotations

from ..core.dialect import BEGIN, END, PREFIXES, UPDATE
from ..core.patch import Hunk, UpdateFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    #: For each section its path and line number, and for each hunk its lines, anchor, and the line number of its `@@`.
    Sections: TypeAlias = list[tuple[str, int, list[tuple[tuple[str, ...], tuple[str, ...], int]]]]

#: The last line of an envelope and the header of an update, as `split_envelope` leaves them: without their stars.
_ENDS = (END[4:], END[4:] + "\n")
_HEADER = UPDATE[4:]
_QUOTES = "\"'`."
#: What the text after `@@` does not begin with where it is plainly an anchor.
_NO_ANCHORS = frozenset(("", " ", "\t", "-", "+", "@"))


def fast_parse(text: str, max_sections: int) -> tuple[list[UpdateFile], int] | None:
    """The updates and the number of the last line; None if the text has anything else."""
    split = split_envelope(text)
    if split is None or len(split[0]) > max_sections:
        return None
    sections, number = split
    return [
        UpdateFile(
            path, tuple([Hunk(lines, anchors, False, "", None, (), n) for lines, anchors, n in hunks]), None, line
        )
        for path, line, hunks in sections
    ], number


def split_envelope(text: str) -> tuple[Sections, int] | None:
    """The sections of an envelope and the number of its last line; None if it is not an envelope of plain updates."""
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
        # Whitespace, quotes and dots around a path may not be part of it.
        if path.strip() != path or path.strip(_QUOTES) != path:
            return None
        line, hunks = number, []
        for block in blocks:
            number += 1
            anchor, *lines = block.split("\n")
            if not lines or not {text[:1] for text in lines} <= PREFIXES:
                return None
            anchors: tuple[str, ...] = (anchor[1:],) if anchor else ()
            # Line numbers, indentation and a second `@@` have a meaning of their own.
            if anchor and (anchor[0] != " " or anchor[1:2] in _NO_ANCHORS or anchor[-1].isspace() or "@@" in anchor):
                return None
            hunks.append((tuple(lines), anchors, number))
            number += len(lines)
        sections.append((path, line, hunks))
        number += 1
    return sections, number
