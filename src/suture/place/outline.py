"""Sections of a text: those below the headings of prose, and those of settings files.

A section of prose ends at the next heading of its level or above. One of a settings file ends at the next header; only
TOML has sections inside of others, such as `[tool.ruff]` inside of `[tool]`.
"""

from __future__ import annotations

import re
from bisect import bisect

from ..core.value import Value
from .file_kinds import MARKDOWN, PROSE, SETTINGS
from .limits import SHORTEST_UNDERLINE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from re import Pattern

#: The marks of headings on one line. The length of a mark is the level.
_MARKDOWN_MARK = re.compile(r"^[ ]{0,3}(#{1,6})[ \t]", re.MULTILINE)
_ASCIIDOC_MARK = re.compile(r"^(={1,6}|#{1,6})[ \t]", re.MULTILINE)
_ORG_MARK = re.compile(r"^(\*+)[ \t]", re.MULTILINE)
#: A line below a title, and a line of Markdown that is none: a list, a quotation, a table or a tag above a rule.
_UNDERLINE = re.compile(r"(?P<sign>[!-/:-@\[-`{-~])(?P=sign)+")
_NO_TITLE = re.compile(r"[ ]{0,3}(?:[-*+>|#<]|[0-9]+[.)][ \t])|[ ]{4}|\t")
_FRONT_MATTER = re.compile(r"---[ \t]*\n[\w\"'-]+[ \t]*:.*?^(?:---|\.\.\.)[ \t]*$", re.MULTILINE | re.DOTALL)

_TABLE_HEADER = re.compile(r"^(\[{1,2})([^\[\]\n]+)\]+[ \t]*(?:#.*)?$", re.MULTILINE)
_SECTION_HEADER = re.compile(r"^\[.+\][ \t]*(?:[#;].*)?$", re.MULTILINE)


class SectionHead(Value):
    """The heading of a section: the offsets of its first and of its last line."""

    top: int
    last: int
    #: Sections of a greater level belong to it, and those whose name begins with its own, a dot at its end.
    level: int
    name: str = ""
    #: Whether sections inside of it belong to each of its lines, too, not only to the heading: `[[package]]`.
    is_item: bool = False


class Sections:
    """The sections of a text, by their headings."""

    def __init__(self, headings: Sequence[SectionHead], end: int) -> None:
        self._headings = sorted(headings, key=lambda heading: heading.top)
        self._tops = [heading.top for heading in self._headings]
        self._end = end

    def is_heading(self, spot: int) -> bool:
        """Whether a line is part of a heading."""
        above = self._heading_above(spot)
        return above is not None and spot <= above.last

    def end_of_section(self, spot: int) -> int:
        """Where the section ends that begins with a line, or that the line is in."""
        above = self._heading_above(spot)
        # Sections inside of another one belong to its heading, and to its lines if it is an item of a list.
        outer = above if above is not None and (above.is_item or spot <= above.last) else None
        for index in range(bisect(self._tops, spot), len(self._headings)):
            heading = self._headings[index]
            if outer is None or not _is_inside(heading, outer):
                return heading.top
        return self._end

    def _heading_above(self, spot: int) -> SectionHead | None:
        """The heading that a line is part of, or the last one above it."""
        index = bisect(self._tops, spot)
        return self._headings[index - 1] if index else None


def _is_inside(heading: SectionHead, outer: SectionHead) -> bool:
    """Whether a section is part of one above it."""
    if outer.name:
        return heading.name != outer.name and heading.name.startswith(outer.name)
    return heading.level > outer.level


def read_sections(body: str, ending: str, is_inside_text: Callable[[int], bool]) -> Sections:
    """The sections of a text, by the ending of its file. A text without a name may have those of TOML."""
    headings: Iterator[SectionHead] = iter(())
    if ending in PROSE:
        headings = _headings(body, ending)
    elif ending in ("", "toml"):
        headings = _tables(body)
    elif ending in SETTINGS:
        headings = _headers(body)
    return Sections([heading for heading in headings if not is_inside_text(heading.top)], len(body) + 1)


def _tables(body: str) -> Iterator[SectionHead]:
    """The headers of TOML."""
    for match in _TABLE_HEADER.finditer(body):
        yield SectionHead(match.start(), match.start(), 1, match[2].strip() + ".", match[1] == "[[")


def _headers(body: str) -> Iterator[SectionHead]:
    """The headers of a settings file without sections inside of others."""
    for match in _SECTION_HEADER.finditer(body):
        yield SectionHead(match.start(), match.start(), 1)


def _headings(body: str, ending: str) -> Iterator[SectionHead]:
    """The headings of prose."""
    if ending == "rst":
        yield from _underlined(body)
    elif ending in MARKDOWN:
        front_matter = _FRONT_MATTER.match(body)
        top = front_matter.end() if front_matter else 0
        yield from _underlined_in_markdown(body, top)
        yield from _marked(body, _MARKDOWN_MARK, top)
    else:
        yield from _marked(body, _ORG_MARK if ending == "org" else _ASCIIDOC_MARK, 0)


def _marked(body: str, mark: Pattern[str], top: int) -> Iterator[SectionHead]:
    """The headings that begin with a mark."""
    for match in mark.finditer(body, top):
        yield SectionHead(match.start(), match.start(), len(match[1]))


def _underlined_in_markdown(body: str, top: int) -> Iterator[SectionHead]:
    """The headings of Markdown that have a line of `=` or `-` below them and a blank line above."""
    above = ""
    for title, line, below in _lines_and_next(body):
        underline = below.strip()
        is_long_enough = len(underline) >= SHORTEST_UNDERLINE
        is_underline = is_long_enough and (not underline.strip("=") or not underline.strip("-"))
        is_title = bool(line.strip()) and not above.strip() and not _NO_TITLE.match(line)
        if is_underline and is_title and title >= top:
            yield SectionHead(title, title + len(line) + 1, 1 if underline[0] == "=" else 2)
        above = line


def _underlined(body: str) -> Iterator[SectionHead]:
    """The titles of reStructuredText: a line of signs is below each, or above and below.

    The level of such a style is the order in which it first appears.
    """
    levels: dict[tuple[str, bool], int] = {}
    two_above, above = "", ""
    for title, line, below in _lines_and_next(body):
        underline = below.rstrip()
        is_overlined = above.rstrip() == underline and not two_above.strip()
        is_alone = not above.strip() and not line[:1].isspace()
        is_text = bool(line.strip()) and not _UNDERLINE.fullmatch(line.rstrip())
        is_underlined = len(underline) >= len(line.strip()) and _UNDERLINE.fullmatch(underline) is not None
        if is_text and is_underlined and (is_overlined or is_alone):
            level = levels.setdefault((underline[0], is_overlined), len(levels) + 1)
            top = title - len(above) - 1 if is_overlined else title
            yield SectionHead(top, title + len(line) + 1, level)
        two_above, above = above, line


def _lines_and_next(body: str) -> Iterator[tuple[int, str, str]]:
    """Each line but the last one with its offset and the line below."""
    lines = body.split("\n")
    start = 0
    for number, line in enumerate(lines[:-1]):
        yield start, line, lines[number + 1]
        start += len(line) + 1
