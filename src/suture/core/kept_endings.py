"""The raw text of a file for another body: lines that stay keep their endings, whatever the others have."""

from __future__ import annotations

import re

from .line_diff import changed_blocks, split_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .text import Text

_RAW_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


def raw_for(text: Text, body: str) -> str:
    """The raw text for another body. Lines that the body does not have yet get the most common ending."""
    if text.raw is text.body:
        return body
    kept = _RAW_LINE.findall(text.raw)
    pieces: list[str] = []
    new, done = split_lines(body), 0
    for first, end, new_first, new_end in changed_blocks(split_lines(text.body), new):
        pieces += kept[done:first]
        pieces += [line.replace("\n", text.newline) for line in new[new_first:new_end]]
        done = end
    return "".join([*pieces, *kept[done:]])
