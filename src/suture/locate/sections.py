"""Sections of a text: those below the headings of prose, and those of settings files.

A section of prose ends at the next heading of its level or above. One of a settings file ends at the next header; only
TOML has sections inside of others, such as `[tool.ruff]` inside of `[tool]`.
"""

from __future__ import annotations

from bisect import bisect
from re import DOTALL, MULTILINE, compile as pattern

from ..core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from re import Pattern

#: The endings of files with headings, and of those with sections such as `[tool.ruff]`.
MARKDOWN = frozenset("markdown md mdc mdx qmd rmd".split())
_ASCIIDOC = frozenset("adoc asciidoc".split())
PROSE = MARKDOWN | _ASCIIDOC | {"org", "rst"}
SETTINGS = frozenset("cfg conf desktop editorconfig gitconfig gitmodules ini service toml".split())

#: The marks of headings on one line. The length of a mark is the level.
_MARKDOWN_MARK = pattern(r"^[ ]{0,3}(#{1,6})[ \t]", MULTILINE)
_ASCIIDOC_MARK = pattern(r"^(={1,6}|#{1,6})[ \t]", MULTILINE)
_ORG_MARK = pattern(r"^(\*+)[ \t]", MULTILINE)
#: A line below a title, and a line of Markdown that is none: a list, a quotation, a table or a tag above a rule.
_UNDERLINE = pattern(r"(?P<sign>[!-/:-@\[-`{-~])(?P=sign)+")
_NO_TITLE = pattern(r"[ ]{0,3}(?:[-*+>|#<]|[0-9]+[.)][ \t])|[ ]{4}|\t")
_FRONT_MATTER = pattern(r"---[ \t]*\n[\w\"'-]+[ \t]*:.*?^(?:---|\.\.\.)[ \t]*$", MULTILINE | DOTALL)
_SHORTEST_UNDERLINE = 3

_TABLE_HEADER = pattern(r"^(\[{1,2})[ \t]*([^\[\]\n]+?)[ \t]*\]+[ \t]*(?:#.*)?$", MULTILINE)
_SECTION_HEADER = pattern(r"^(\[)[ \t]*([^\n]+?)[ \t]*\][ \t]*(?:[#;].*)?$", MULTILINE)


class Heading(Value):
    """A heading: the offsets of its first and of its last line, and its level."""

    top: int
    last: int
    level: int


class Sections:
    """The sections of a text; here, one that has none."""

    def __init__(self, body: str) -> None:
        self._end = len(body) + 1

    def is_heading(self, spot: int) -> bool:
        """Whether a section begins with a line."""
        return False

    def end_of_section(self, spot: int) -> int:
        """Where the section ends that begins with a line, or that the line is in."""
        return self._end


def read_sections(body: str, ending: str, is_inside_text: Callable[[int], bool]) -> Sections:
    """The sections of a text, by the ending of its file. A text without a name may have those of TOML."""
    if ending in PROSE:
        return Outline(body, ending, is_inside_text)
    if ending in SETTINGS or not ending:
        return Tables(body, ending, is_inside_text)
    return Sections(body)


class Outline(Sections):
    """The sections below the headings of prose."""

    def __init__(self, body: str, ending: str, is_inside_text: Callable[[int], bool]) -> None:
        super().__init__(body)
        headings = [one for one in _headings(body, ending) if not is_inside_text(one.top)]
        self._headings = sorted(headings, key=lambda heading: heading.top)
        self._tops = [heading.top for heading in self._headings]

    def is_heading(self, spot: int) -> bool:
        return self._level(spot) > 0

    def _level(self, spot: int) -> int:
        """The level of the heading that a line is part of; 0 if it is none."""
        index = bisect(self._tops, spot)
        heading = self._headings[index - 1] if index else None
        return heading.level if heading is not None and heading.top <= spot <= heading.last else 0

    def end_of_section(self, spot: int) -> int:
        """Where the section ends that begins with a line, or that the line is in."""
        level = self._level(spot)
        for index in range(bisect(self._tops, spot), len(self._tops)):
            if not level or self._headings[index].level <= level:
                return self._tops[index]
        return self._end


def _headings(body: str, ending: str) -> Iterator[Heading]:
    if ending == "rst":
        yield from _underlined(body)
        return
    if ending in MARKDOWN:
        front_matter = _FRONT_MATTER.match(body)
        top = front_matter.end() if front_matter else 0
        yield from _underlined_in_markdown(body, top)
        yield from _marked(body, _MARKDOWN_MARK, top)
    else:
        yield from _marked(body, _ORG_MARK if ending == "org" else _ASCIIDOC_MARK, 0)


def _marked(body: str, mark: Pattern[str], top: int) -> Iterator[Heading]:
    """The headings that begin with a mark."""
    for found in mark.finditer(body, top):
        yield Heading(found.start(), found.start(), len(found[1]))


def _underlined_in_markdown(body: str, top: int) -> Iterator[Heading]:
    """The headings of Markdown that have a line of `=` or `-` below them and a blank line above."""
    above = ""
    for title, line, below in _lines_and_next(body):
        underline = below.strip()
        is_long_enough = len(underline) >= _SHORTEST_UNDERLINE
        is_underline = is_long_enough and (not underline.strip("=") or not underline.strip("-"))
        if is_underline and title >= top and line.strip() and not above.strip() and not _NO_TITLE.match(line):
            yield Heading(title, title + len(line) + 1, 1 if underline[0] == "=" else 2)
        above = line


def _underlined(body: str) -> Iterator[Heading]:
    """The titles of reStructuredText: a line of signs is below each, or above and below. The level of such a style is
    the order in which it first appears."""
    levels: dict[tuple[str, bool], int] = {}
    before, above = "", ""
    for title, line, below in _lines_and_next(body):
        underline = below.rstrip()
        is_overlined = above.rstrip() == underline and not before.strip()
        is_alone = not above.strip() and not line[:1].isspace()
        is_title = line.strip() and len(underline) >= len(line.strip()) and not _UNDERLINE.fullmatch(line.rstrip())
        if is_title and (is_overlined or is_alone) and _UNDERLINE.fullmatch(underline):
            style = underline[0], is_overlined
            level = levels.setdefault(style, len(levels) + 1)
            top = title - len(above) - 1 if is_overlined else title
            yield Heading(top, title + len(line) + 1, level)
        before, above = above, line


def _lines_and_next(body: str) -> Iterator[tuple[int, str, str]]:
    """Each line but the last one with its offset and the line below."""
    lines = body.split("\n")
    start = 0
    for number, line in enumerate(lines[:-1]):
        yield start, line, lines[number + 1]
        start += len(line) + 1


class Tables(Sections):
    """The sections of a settings file."""

    def __init__(self, body: str, ending: str, is_inside_text: Callable[[int], bool]) -> None:
        super().__init__(body)
        #: A file without a name may be TOML, too.
        self._has_inner = ending in ("", "toml")
        header = _TABLE_HEADER if self._has_inner else _SECTION_HEADER
        headers = [found for found in header.finditer(body) if not is_inside_text(found.start())]
        self._starts = [found.start() for found in headers]
        self._names = [found[2] for found in headers]
        self._is_item = [found[1] == "[[" for found in headers]

    def is_heading(self, spot: int) -> bool:
        index = bisect(self._starts, spot)
        return index > 0 and self._starts[index - 1] == spot

    def end_of_section(self, spot: int) -> int:
        """Where the section ends that begins with a line, or that the line is in.

        Sections inside of it belong to its header, and to every line of an item such as `[[package]]`.
        """
        index = bisect(self._starts, spot)
        inner = ""
        if index and self._has_inner and (self.is_heading(spot) or self._is_item[index - 1]):
            inner = self._names[index - 1] + "."
        for behind in range(index, len(self._starts)):
            if not inner or not self._names[behind].startswith(inner):
                return self._starts[behind]
        return self._end
