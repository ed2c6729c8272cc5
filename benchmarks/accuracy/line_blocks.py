"""Which lines belong to the block that a line opens, by indentation, headings and sections.

This is plain code that knows nothing of Suture. It is only asked about lines that open a block around a known place, so
it does not have to be right about lines of other kinds.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from .spoil_lines import indent_of

if TYPE_CHECKING:
    from collections.abc import Sequence

PROSE = frozenset(".md .markdown .mdx".split())
SECTIONED = frozenset(".toml .ini .cfg".split())
HEADING = re.compile(r"#{1,6} \S")
SECTION = re.compile(r"\[+[^\]]+\]+\s*(?:[#;].*)?$")
#: Lines at the depth of the opening line that still belong to its block: brackets, `else` and its like, labels,
#: directives of a preprocessor.
CONTINUED = re.compile(
    r"[{}()\[\]]"
    r"|(?:end|else|elif|elsif|elseif|except|finally|catch|rescue|ensure|when|case|default|where|then|fi|done|esac)\b"
    r"|(?:public|private|protected)\s*:"
    r"|#\s*(?:if|ifdef|ifndef|else|elif|endif|define|undef|pragma|include)\b"
)


def block_end(lines: Sequence[str], opening: int, path: str) -> int:
    """The index behind the last line of the block that the line at `opening` opens."""
    suffix = PurePosixPath(path).suffix
    if suffix in PROSE and HEADING.match(lines[opening]):
        return _section_end(lines, opening)
    if suffix in SECTIONED and SECTION.match(lines[opening]):
        return next((i for i in range(opening + 1, len(lines)) if SECTION.match(lines[i])), len(lines))
    return _indented_end(lines, opening)


def _section_end(lines: Sequence[str], opening: int) -> int:
    """The end of the section below a heading: the next heading of its level, or of one above it."""
    level = _level(lines[opening])
    fences = _fenced(lines)
    for i in range(opening + 1, len(lines)):
        if i not in fences and HEADING.match(lines[i]) and _level(lines[i]) <= level:
            return i
    return len(lines)


def _level(heading: str) -> int:
    return len(heading) - len(heading.lstrip("#"))


def _fenced(lines: Sequence[str]) -> set[int]:
    """The lines between fences of a Markdown text."""
    inside = False
    fenced = set()
    for i, line in enumerate(lines):
        if line.lstrip().startswith(("```", "~~~")):
            inside = not inside
        elif inside:
            fenced.add(i)
    return fenced


def _indented_end(lines: Sequence[str], opening: int) -> int:
    width = len(indent_of(lines[opening]))
    end = opening + 1
    for i in range(opening + 1, len(lines)):
        line = lines[i]
        if not line.strip():
            continue
        depth = len(indent_of(line))
        is_inside = depth > width or (depth == width and CONTINUED.match(line.strip()) is not None)
        if not is_inside:
            break
        end = i + 1
    return end


def git_heading(lines: Sequence[str], below: int) -> int | None:
    """The line that `git diff` would put behind the `@@` of a hunk whose first line is at `below`."""
    return next((i for i in range(below - 1, -1, -1) if re.match(r"[A-Za-z_$]", lines[i])), None)


def section_above(lines: Sequence[str], below: int, path: str) -> int | None:
    """The nearest line above that opens a section of a file that has sections."""
    if PurePosixPath(path).suffix not in SECTIONED:
        return None
    return next((i for i in range(below - 1, -1, -1) if SECTION.match(lines[i])), None)
