"""The line of a file that names the part which a hunk is in: the function, the class, the heading."""

from __future__ import annotations

import re

from ..place.file_kinds import MARKDOWN, SETTINGS, ending_of
from .review_limits import LONGEST_SECTION_NAME, MOST_LINES_ABOVE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


_WORDS = "class|def|enum|fn|func|function|impl|interface|macro|module|namespace|package|proc|struct|sub|trait|type"
#: A line that opens a part: a word for it, possibly after others such as `export` or `async`.
_OPENS = re.compile(rf"\s*(?:[a-z]{{2,12}}\s+){{0,3}}(?:{_WORDS})\b")
#: A line at the margin that looks like the head of a function, as in C, or a selector or a label.
_AT_MARGIN = re.compile(r"[A-Za-z_$.#@][^;]{0,200}[({:]\s*$|[A-Za-z_][\w\s*&<>:,]{0,100}\([^;]*$")
#: A heading, by the ending of a file. In code, a `#` at the margin is a comment.
_HEADINGS = {
    **dict.fromkeys(MARKDOWN, re.compile(r"#{1,6} \S")),
    **dict.fromkeys(SETTINGS, re.compile(r"\[{1,2}[\w.\"': -]+\]{1,2}\s*$")),
}


def section_above(path: str, lines: Sequence[str], number: int) -> str:
    """The nearest line above a line, counted from 0, that opens the part which this is in; empty if there is none.

    A part of code that is indented as far as the line itself, or further, is not around it. A text with headings has no
    other parts.
    """
    heading = _HEADINGS.get(ending_of(path))
    number = min(number, len(lines))
    here = next((line for line in lines[number : number + 20] if line.strip()), "")
    indent = _indent(here)
    for line in reversed(lines[max(0, number - MOST_LINES_ABOVE) : number]):
        if not line.strip():
            continue
        own = _indent(line)
        if heading is not None:
            opens = heading.match(line) is not None
        else:
            opens = own < indent and bool(_OPENS.match(line) or (own == 0 and _AT_MARGIN.match(line)))
        if opens:
            return line.strip()[:LONGEST_SECTION_NAME]
        if own > 0:
            indent = min(indent, own)
    return ""


def _indent(line: str) -> int:
    """How far a line is indented; a tab counts as many."""
    expanded = line.expandtabs(8)
    return len(expanded) - len(expanded.lstrip())
