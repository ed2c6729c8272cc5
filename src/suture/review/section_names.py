"""The line of a file that names the part which a hunk is in: the function, the class, the heading."""

from __future__ import annotations

import re

from .review_limits import LONGEST_SECTION_NAME, MOST_LINES_ABOVE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


_WORDS = "class|def|enum|fn|func|function|impl|interface|macro|module|namespace|package|proc|struct|sub|trait|type"
#: A line that opens a part: a word for it, possibly after others such as `export` or `async`; or a heading.
_OPENS = re.compile(rf"\s*(?:[a-z]{{2,12}}\s+){{0,3}}(?:{_WORDS})\b|#{{1,6}} \S|\[[\w.\" -]+\]\s*$")
#: A line at the margin that looks like the head of a function, as in C, or a selector or a label.
_AT_MARGIN = re.compile(r"[A-Za-z_$.#@][^;]{0,200}[({:]\s*$|[A-Za-z_][\w\s*&<>:,]{0,100}\([^;]*$")


def section_above(lines: Sequence[str], number: int) -> str:
    """The nearest line above a line, counted from 0, that opens the part which this is in; empty if there is none.

    A part that is indented as far as the line itself, or further, is not around it.
    """
    number = min(number, len(lines))
    here = next((line for line in lines[number : number + 20] if line.strip()), "")
    indent = _indent(here)
    for line in reversed(lines[max(0, number - MOST_LINES_ABOVE) : number]):
        if not line.strip():
            continue
        own = _indent(line)
        # The lines below a heading of Markdown or a table of TOML are at the margin, as it is.
        is_heading = own == 0 and indent == 0 and line[0] in "#["
        is_around = own < indent or is_heading
        if is_around and (_OPENS.match(line) or (own == 0 and _AT_MARGIN.match(line))):
            return line.strip()[:LONGEST_SECTION_NAME]
        if own > 0:
            indent = min(indent, own)
    return ""


def _indent(line: str) -> int:
    """How far a line is indented; a tab counts as many."""
    expanded = line.expandtabs(8)
    return len(expanded) - len(expanded.lstrip())
