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
    parts = text.split("\n*** ")
    if parts[0] != BEGIN or "\r" in text or not 2 < len(parts) <= max_sections + 2 or parts.pop() not in _ENDS:
        return None
    updates: list[UpdateFile] = []
    number = 2
    for part in parts[1:]:
        blocks = part.split("\n@@")
        header = blocks[0]
        path = header[len(_HEADER) :]
        if not header.startswith(_HEADER) or len(blocks) == 1 or not path or "\n" in path:
            return None
        if path.strip() != path or path.startswith(_NO_PATHS):
            return None
        line = number
        hunks: list[Hunk] = []
        for block in blocks[1:]:
            number += 1
            anchor, _, rest = block.partition("\n")
            lines = rest.split("\n")
            if not {text[:1] for text in lines} <= PREFIXES:
                return None
            # Line numbers, indentation and a second `@@` have a meaning of their own.
            if anchor and (anchor[0] != " " or anchor[1:2] in _NO_ANCHORS or anchor[-1].isspace() or "@@" in anchor):
                return None
            hunks.append(Hunk.make(tuple(lines), (anchor[1:],) if anchor else (), False, "", None, (), number))
            number += len(lines)
        updates.append(UpdateFile.make(path, tuple(hunks), None, line))
        number += 1
    return updates, number
