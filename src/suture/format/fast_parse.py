"""A fast path for parsing: an envelope of plain updates and nothing else, which most patches are.

The invariant: what is parsed here, `EnvelopeParser` parses into an equal patch, in every dialect.
"""

from __future__ import annotations

from ..core.dialect import BEGIN, END, PREFIXES, UPDATE
from ..core.patch import Hunk, UpdateFile

#: The last line of an envelope and the header of an update without the stars between which its text is split.
_ENDS = (END[4:], END[4:] + "\n")
_HEADER = UPDATE[4:]
#: What a path does not begin with where it is plainly one.
_NO_PATHS = ('"', "'", "`", "./")
#: What the text after `@@` does not begin with where it is plainly an anchor.
_NO_ANCHORS = frozenset(("", " ", "\t", "-", "+", "@"))


def fast_parse(text: str, max_sections: int) -> tuple[list[UpdateFile], int] | None:
    """The updates and the number of the last line; None if the text has anything else."""
    first, *sections = text.split("\n*** ")
    if first != BEGIN or "\r" in text or not sections or sections.pop() not in _ENDS:
        return None
    if not 0 < len(sections) <= max_sections:
        return None
    updates: list[UpdateFile] = []
    number = 2
    for section in sections:
        header, *blocks = section.split("\n@@")
        path = header.removeprefix(_HEADER)
        if path == header or not blocks or not path or "\n" in path:
            return None
        if path.strip() != path or path.startswith(_NO_PATHS):
            return None
        header_number = number
        hunks: list[Hunk] = []
        for block in blocks:
            number += 1
            anchor, _, body = block.partition("\n")
            lines = body.split("\n")
            if not {line[:1] for line in lines} <= PREFIXES:
                return None
            # Line numbers, indentation and a second `@@` have a meaning of their own.
            if anchor:
                begins_plainly = anchor[0] == " " and anchor[1:2] not in _NO_ANCHORS
                if not begins_plainly or anchor[-1].isspace() or "@@" in anchor:
                    return None
            hunks.append(Hunk.make(tuple(lines), (anchor[1:],) if anchor else (), False, "", None, (), number))
            number += len(lines)
        updates.append(UpdateFile.make(path, tuple(hunks), None, header_number))
        number += 1
    return updates, number
