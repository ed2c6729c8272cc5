"""The scope of an anchor: the lines of a file that a hunk with this anchor may be placed in.

A scope is read from the indentation of lines and from the few words that continue a block. That works in every
language, and also in files that don't parse:

- a line that opens a block: that block, with the `else`, `except` or closing bracket that continues or closes it;
- a decorator or a comment: the scope of the line below it;
- a heading of Markdown or a section of a settings file: up to the next one of its level;
- any other line: the rest of the block that it is in.

The anchor line is part of its scope, because a hunk may begin with it.
"""

from __future__ import annotations

from bisect import bisect
from re import MULTILINE, compile as pattern

from ..core.value import Value
from .limits import BLOCK_BUDGET, LONGEST_PARSED, MOST_ABOVE, MOST_ANCHORS
from .place import line_after
from .search import lines_with
from .syntax import fault_in
from .tiers import depth_matters

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from re import Pattern

#: The endings of files with headings such as `## Install`, and of those with sections such as `[tool.ruff]`. A file
#: without a name may have sections, too.
_MARKDOWN = frozenset("markdown md mdc mdx qmd rmd".split())
_SECTIONED = frozenset(("", *"cfg conf desktop editorconfig gitconfig gitmodules ini service toml".split()))
#: The endings of files in which `#` begins a directive or a selector, not a comment; `@` begins no decorator in the
#: latter and in some of the former.
_DIRECTIVES = frozenset("c cc cpp cs cxx h hh hpp m mm".split())
_SELECTORS = frozenset("css less sass scss".split())
_NO_DECORATORS = _SELECTORS | {"h", "m", "mm"}

#: Words that continue a block at the indentation of the line that opens it, those of them that can follow that line at
#: once, and words that close the block.
_CONTINUING = frozenset("catch do elif else elseif elsif ensure except finally rescue then where".split())
_OPENING = frozenset("begin do then where".split())
_CLOSING = frozenset("done end endcase endfor endfunction endif endmodule endwhile esac fi".split())
#: Labels inside a block, which are often written at the indentation of the line that opens it.
_LABELS = frozenset("case default private protected public signals slots".split())
_OPENERS = ("{", "(", "[", ":", "=>", "\\")
#: What a line ends with that opens a block, even if nothing is left of it; a colon only where indentation matters.
_BRACKETS = ("{", "(", "[")

_FIRST_WORD = pattern(r"[ \t]*(\w*)")
_HEADING = pattern(r"^(#{1,6})[ \t]", MULTILINE)
_SECTION = pattern(r"^\[+[ \t]*([^\[\]\n]+?)[ \t]*\]+[ \t]*(?:[#;].*)?$", MULTILINE)
_DECORATOR = pattern(r"[ \t]*(?:@[A-Za-z_]|#!?\[|\[[A-Z]\w*(?:\(.*\))?\]$)")
_COMMENT = pattern(r"[ \t]*(?://|/\*|\*[ /]|\*$|<!--|--[ ]|#)")

#: Texts of several lines, the group `text`, and what could be taken for their beginning, by the endings of files. Lines
#: inside of such a text have no indentation of their own. One that never ends is no text, but is read to the end of the
#: file, because to look for its end again and again would take too long.
_QUOTED = r"""|"(?:\\.|[^"\\\n]){0,80}+"|'(?:\\.|[^'\\\n]){0,80}+'"""
_TRIPLE = r'''"""(?:\\.|[^\\])*?(?:"""|\Z)'''
_SINGLE_TRIPLE = r"""'''(?:\\.|[^\\])*?(?:'''|\Z)"""
_REMARK = r"/\*.*?(?:\*/|\Z)"
_PYTHON = pattern(rf"(?s)#[^\n]*|(?P<text>{_TRIPLE}|{_SINGLE_TRIPLE}){_QUOTED}")
_SCRIPT = pattern(rf"(?s)//[^\n]*|(?P<text>{_REMARK}|`(?:\\.|[^`\\])*+(?:`|\Z)){_QUOTED}")
_BRACES = pattern(rf"(?s)//[^\n]*|(?P<text>{_REMARK}|{_TRIPLE}){_QUOTED}")
_SHELL = pattern(r"(?s)(?P<text><<[-~]?(['\"]?)(?P<mark>[A-Za-z_]\w*)\2[^\n]*\n.*?(?:\n[ \t]*(?P=mark)(?=\n|\Z)|\Z))")
_FENCED = pattern(r"(?ms)^(?P<text>[ ]{0,3}(?P<fence>`{3,}|~{3,})[^\n]*\n.*?(?:^[ ]{0,3}(?P=fence)[^\n]*$|\Z))")
#: What only follows a quote that ends a text.
_CLOSES_TEXT = pattern(r"(?:\"\"\"|'''|`)[.),;\]]")
_LONG_TEXTS: Mapping[str, Pattern[str]] = {
    **dict.fromkeys(("py", "pyi"), _PYTHON),
    **dict.fromkeys("cjs go js jsx mjs ts tsx".split(), _SCRIPT),
    **dict.fromkeys("c cc cpp cs cxx h hh hpp java kt kts rs scala swift".split(), _BRACES),
    **dict.fromkeys("bash php rb sh zsh".split(), _SHELL),
    **dict.fromkeys(_MARKDOWN, _FENCED),
}


class AnchorScope(Value):
    """The lines from an anchor on that belong to it: the offset of the anchor, and the one behind the last line."""

    start: int
    end: int
    #: Whether the anchor opens it; if not, it is only the rest of the block that the anchor is in.
    is_opened: bool = True
    #: The offset of the line below the anchor. A hunk that begins there is in the scope in any case: models write the
    #: first line of a hunk behind its `@@`.
    below: int = -1

    def __contains__(self, offset: int) -> bool:
        return self.start <= offset < self.end or offset == self.below


class ScopeReader:
    """Reads scopes in one text. What it has to know of the whole text is worked out once, when it is first needed."""

    def __init__(self, body: str, path: str) -> None:
        self._body, self._path = body, path
        self._ending = path.rpartition("/")[2].partition(".")[2].rpartition(".")[2].lower()
        self._long_texts: tuple[list[int], list[int]] | None = None

    def scopes(self, spots: Sequence[int]) -> list[AnchorScope]:
        """The scopes of lines, given by their offsets; none where all together are too long to be read."""
        budget = BLOCK_BUDGET
        scopes: list[AnchorScope] = []
        for spot in spots:
            scopes.append(self._scope(spot).replace(below=line_after(self._body, spot)))
            budget -= scopes[-1].end - spot
            if budget < 0:
                return []
        return scopes

    def opens_block(self, spot: int) -> bool:
        """Whether the lines below a line belong to it: they are deeper, or the bracket of the block is below it."""
        line = self._line(spot)
        if line.rstrip().endswith((*_BRACKETS, ":") if depth_matters(self._path, surely=True) else _BRACKETS):
            return True
        for start in self._lines_below(spot):
            below = self._line(start)
            if _width(below) != _width(line):
                return _width(below) > _width(line)
            word = _first_word(below)
            return word in _OPENING or _is_part(line, _first_word(line), below, word)
        return False

    def is_below_heading(self, offset: int, heading: str) -> bool:
        """Whether a line may be below a heading, as diffs name it: the last line above that opens a block.

        A heading that is in the file and opens a block speaks against a line in another block of its depth.
        """
        spots = self._headings(heading) if heading else []
        if not spots or any(offset in scope for scope in self.scopes(spots)):
            return True
        above = [self._opening_above(offset, width) for width in {_width(self._line(spot)) for spot in spots}]
        return not all(spot not in spots and offset < self._end_of_block(spot) for spot in above if spot is not None)

    def _headings(self, heading: str) -> list[int]:
        """The lines that begin with a heading and open a block."""
        lines = lines_with(self._body, heading, most=MOST_ANCHORS) or ()
        begun = [start for start, end in lines if self._body[start:end].lstrip().startswith(heading)]
        return [start for start in begun if self.opens_block(start)]

    def _opening_above(self, offset: int, width: int) -> int | None:
        """The last line above an offset that is indented by at most so much and opens a block; None if none is near."""
        start = offset
        for _ in range(MOST_ABOVE):
            if start <= 0:
                break
            start = self._body.rfind("\n", 0, start - 1) + 1
            line = self._line(start)
            if not line.strip() or _width(line) > width or self.is_inside_text(start):
                continue
            is_heading = line.lstrip()[0] not in "{()[]}" and _first_word(line) not in _CONTINUING | _LABELS
            if is_heading and not self._is_comment(line) and self.opens_block(start):
                return start
        return None

    def _scope(self, spot: int) -> AnchorScope:
        line = self._line(spot)
        if self.is_inside_text(spot):
            return self._scope_in_text(spot)
        if self._ending in _MARKDOWN:
            return AnchorScope(spot, self._end_of_heading(spot, line), bool(_HEADING.match(line)))
        header = _SECTION.match(line) if self._ending in _SECTIONED else None
        if header is not None:
            return AnchorScope(spot, self._end_of_section(spot, header[1]))
        described = self._described(spot)
        if described is None:
            described = spot
        if self.opens_block(described):
            return AnchorScope(spot, self._end_of_block(described))
        if self._ending in _SECTIONED and self._ending:
            return AnchorScope(spot, self._end_of_section(spot, ""), is_opened=False)
        return AnchorScope(spot, self._end_of_rest(described), is_opened=False)

    def _scope_in_text(self, spot: int) -> AnchorScope:
        """The scope of a line inside a text of several lines: code in Markdown has blocks, other texts have none."""
        if self._ending not in _MARKDOWN:
            return AnchorScope(spot, len(self._body) + 1, is_opened=False)
        starts, ends = self._texts()
        start, end = starts[bisect(starts, spot) - 1], ends[bisect(starts, spot) - 1]
        top = line_after(self._body, start)
        [inner] = ScopeReader(self._body[top:end], "").scopes([spot - top])
        return AnchorScope(spot, min(inner.end + top, end), inner.is_opened)

    def _described(self, spot: int) -> int | None:
        """The line that a decorator or a comment is about; None for a line that is neither, or that is about none."""
        line = self._line(spot)
        if not self._is_decorator(line) and not self._is_comment(line):
            return None
        width = _width(line)
        position = spot
        for start in self._shallow_lines(line_after(self._body, spot), width):
            below = self._line(start)
            if _width(below) < width:
                return None
            if self._is_comment(line) and "\n\n" in self._body[position:start]:
                # A comment above a blank line is about more than the line below.
                return None
            if not self._is_decorator(below) and not self._is_comment(below) and below.lstrip()[0] not in ")]}":
                return start
            position = line_after(self._body, start)
        return None

    def _is_decorator(self, line: str) -> bool:
        if self._ending in _NO_DECORATORS or not _DECORATOR.match(line):
            return False
        # A block opens here, and not in the brackets of the decorator.
        return not (line.rstrip().endswith("{") and line.count("(") == line.count(")"))

    def _is_comment(self, line: str) -> bool:
        if line.lstrip().startswith("#") and self._ending in _DIRECTIVES | _SELECTORS:
            return False
        return bool(_COMMENT.match(line))

    def _is_directive(self, line: str) -> bool:
        """Whether a line is for a preprocessor."""
        return line.lstrip().startswith("#") and self._ending in _DIRECTIVES

    def _end_of_heading(self, spot: int, line: str) -> int:
        """Where the section of Markdown ends that begins with a line, or that the line is in."""
        heading = _HEADING.match(line)
        level = len(heading[1]) if heading else 6
        for found in _HEADING.finditer(self._body, line_after(self._body, spot)):
            if len(found[1]) <= level and not self.is_inside_text(found.start()):
                return found.start()
        return len(self._body) + 1

    def _end_of_section(self, spot: int, name: str) -> int:
        """Where the section of a settings file ends that a line is in, with the sections that are part of it."""
        for header in _SECTION.finditer(self._body, line_after(self._body, spot)):
            if not name or not header[1].startswith(name + "."):
                return header.start()
        return len(self._body) + 1

    def _end_of_block(self, spot: int) -> int:
        """Where the block ends that a line opens."""
        line = self._line(spot)
        width, word = _width(line), _first_word(line)
        is_closed = False
        #: The first of the comments and directives above the next line: they belong to it.
        lead: int | None = None
        for start in self._shallow_lines(line_after(self._body, spot), width):
            below = self._line(start)
            if self._is_comment(below) or self._is_directive(below):
                lead = start if lead is None or self._has_deeper(lead, start, width) else lead
                continue
            end = start if lead is None or self._has_deeper(lead, start, width) else lead
            lead = None
            if _width(below) < width:
                return end
            rest, below_word = below.strip(), _first_word(below)
            if rest[0] in ")]}" or rest.startswith("</"):
                is_closed = not rest.endswith(_OPENERS) and (rest[0] == "}" or rest.endswith((";", ",", ">")))
            elif below_word in _CLOSING:
                is_closed = True
            elif below_word in _CONTINUING:
                is_closed = False
            elif is_closed or not _is_part(line, word, below, below_word):
                return end
        return len(self._body) + 1

    def _end_of_rest(self, spot: int) -> int:
        """Where the block ends that a line is in: before the next line that is less deep."""
        width = _width(self._line(spot))
        if width == 0:
            return len(self._body) + 1
        for start in self._shallow_lines(line_after(self._body, spot), width - 1):
            line = self._line(start)
            if not self._is_comment(line) and not self._is_directive(line):
                return start
        return len(self._body) + 1

    def _shallow_lines(self, start: int, width: int) -> Iterator[int]:
        """The offsets of the lines from an offset on that are indented by at most so much and are not blank."""
        shallow = pattern(rf"\n[ \t]{{0,{width}}}(?=\S)")
        found = shallow.search(self._body, start - 1)
        while found is not None:
            if not self.is_inside_text(found.start() + 1):
                yield found.start() + 1
            found = shallow.search(self._body, found.end())

    def _lines_below(self, spot: int) -> Iterator[int]:
        """The offsets of the lines below a line that are not blank."""
        start = line_after(self._body, spot)
        while start < len(self._body):
            if self._line(start).strip():
                yield start
            start = line_after(self._body, start)

    def _has_deeper(self, start: int, end: int, width: int) -> bool:
        """Whether there is a line between two offsets that is indented by more than so much."""
        return pattern(rf"\n[ \t]{{{width + 1}}}[ \t]*\S").search(self._body, start, end) is not None

    def _line(self, start: int) -> str:
        return self._body[start : line_after(self._body, start) - 1]

    def is_inside_text(self, offset: int) -> bool:
        """Whether an offset is inside a string, a comment or a block of code that goes over several lines."""
        starts, ends = self._texts()
        index = bisect(starts, offset - 1)
        return index > 0 and offset < ends[index - 1]

    def _texts(self) -> tuple[list[int], list[int]]:
        """Where such texts begin and end; none where a quote is missing, because then code looks like a text."""
        if self._long_texts is None:
            self._long_texts = ([], [])
            long_text = _LONG_TEXTS.get(self._ending)
            found = long_text.finditer(self._body) if long_text and len(self._body) <= LONGEST_PARSED else ()
            texts = [one.span("text") for one in found if one["text"] and "\n" in one["text"]]
            spans = [(start, end) for start, end in texts if end < len(self._body)]
            if spans and self._is_whole(spans):
                self._long_texts = [start for start, _ in spans], [end for _, end in spans]
        return self._long_texts

    def _is_whole(self, spans: Sequence[tuple[int, int]]) -> bool:
        """Whether every text begins and ends where it seems to."""
        if self._ending in ("py", "pyi"):
            return fault_in(self._path, self._body) is None
        return not any(_CLOSES_TEXT.match(self._body, start) for start, _ in spans)


def _is_part(opening: str, opening_word: str, line: str, word: str) -> bool:
    """Whether a line at the indentation of the line that opens a block is part of it: its bracket, or a label."""
    if line.lstrip().startswith("{") or _is_list_below(opening, line):
        return True
    if word == "when":
        return opening_word == "case"
    return word in _LABELS and ":" in line and opening_word not in _LABELS


def _is_list_below(opening: str, line: str) -> bool:
    """Whether a line is an item of the list of YAML that belongs to a key."""
    is_key = opening.rstrip().endswith(":") and not opening.lstrip().startswith("- ")
    return is_key and line.lstrip().startswith("- ")


def _width(line: str) -> int:
    return len(line) - len(line.lstrip())


def _first_word(line: str) -> str:
    found = _FIRST_WORD.match(line)
    return found[1] if found else ""
