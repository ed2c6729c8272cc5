"""The scope of an anchor: the lines of a file that a hunk with this anchor may be placed in.

A scope is read from the indentation of lines, from the few words that continue a block, and from the braces and words
that close one. That works in every language, and also in files that don't parse:

- a line that opens a block: that block, with the `else`, `except` or closing bracket that continues or closes it;
- a definition on one line: only that line;
- a decorator or a comment: the scope of the line below it;
- a heading of prose or a section of a settings file: up to the next one of its level;
- any other line: the rest of the block or section that it is in.

The anchor line is part of its scope, because a hunk may begin with it.
"""

from __future__ import annotations

import re
from bisect import bisect

from ..core.value import Value
from .block_lines import (
    CLOSING,
    CONTINUING,
    LABELS,
    OPENING,
    begins_branch,
    begins_definition,
    begins_with_closing_sign,
    closed_kind,
    closes_for_good,
    continues_definition,
    first_word,
    is_whole_definition,
    opened_kind,
    width_of,
)
from .closed_blocks import BlockDepths, ClosedBlock, OpenBlock
from .file_kinds import C_LIKE, MARKDOWN, SETTINGS, STYLES, ending_of
from .limits import BLOCK_BUDGET, LONGEST_PARSED, MOST_ABOVE, MOST_ANCHORS, READS_PER_SEARCH
from .long_texts import long_texts
from .outline import read_sections
from .place import line_after
from .search import lines_with
from .tiers import depth_matters

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .outline import Sections

#: The endings of files in which `#` begins a directive, not a comment, as it begins a selector in style sheets; and of
#: those in which `@` begins no decorator.
_DIRECTIVES = C_LIKE | {"cs"}
_NO_DECORATORS = STYLES | {"h", "m", "mm"}

#: What a line ends with that opens a block, even if nothing is left of it; a colon only where indentation matters.
_BRACKETS = ("{", "(", "[")

_DECORATOR = re.compile(r"[ \t]*(?:@[A-Za-z_]|#!?\[|\[[A-Z]\w*(?:\(.*\))?\]$)")
_COMMENT = re.compile(r"[ \t]*(?://|/\*|\*[ /]|\*$|<!--|--[ ]|#)")


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
        self._ending = ending_of(path)
        self._long_texts: tuple[list[int], list[int]] | None = None
        self._block_depths: BlockDepths | None = None
        self._known_sections: Sections | None = None
        #: How many characters were read since `take_read` was called: a search may cost only so much.
        self._characters_read = 0
        self._known_headings: dict[str, tuple[list[int], list[AnchorScope]]] = {}
        #: The scopes that were read: each of several stacked anchors may name the same lines.
        self._known_scopes: dict[int, AnchorScope] = {}

    def scopes(self, spots: Sequence[int]) -> list[AnchorScope]:
        """The scopes of lines, given by their offsets; none where all together are too long to be read."""
        budget = BLOCK_BUDGET
        scopes: list[AnchorScope] = []
        for spot in spots:
            if spot not in self._known_scopes:
                self._known_scopes[spot] = self._scope(spot).replace(below=line_after(self._body, spot))
            scopes.append(self._known_scopes[spot])
            budget -= scopes[-1].end - spot
            if budget < 0:
                return []
        return scopes

    def take_read(self) -> int:
        """How many characters were read to know scopes since this was called before."""
        read, self._characters_read = self._characters_read, 0
        return read

    def opens_block(self, spot: int) -> bool:
        """Whether the lines below a line belong to it: they are deeper, or the bracket of the block is below it."""
        line = self._line(spot)
        if line.rstrip().endswith(_BRACKETS):
            return True
        if line.rstrip().endswith(":") and depth_matters(self._path, surely=True):
            return True
        for start in self._lines_below(spot):
            below = self._line(start)
            if width_of(below) != width_of(line):
                return width_of(below) > width_of(line)
            word = first_word(below)
            if word in CLOSING and begins_definition(line, self._ending):
                return True
            return word in OPENING or _is_part(line, first_word(line), below, word)
        return False

    def is_below_heading(self, offset: int, heading: str) -> bool:
        """Whether a line may be below a heading, as diffs name it: the last line above that opens a block.

        A heading that is in the file and opens a block speaks against a line in another block of its depth.
        """
        spots, scopes = self._headings(heading) if heading else ([], [])
        if not spots or any(offset in scope for scope in scopes):
            return True
        for width in {width_of(self._line(spot)) for spot in spots}:
            opening = self._opening_above(offset, width)
            if opening is not None and (opening in spots or offset >= self._end_of_block(opening)):
                return True
        return False

    def _headings(self, heading: str) -> tuple[list[int], list[AnchorScope]]:
        """The lines that begin with a heading and open a block, and their scopes; worked out once."""
        if heading not in self._known_headings:
            lines = lines_with(self._body, heading, most=MOST_ANCHORS) or ()
            begun = [start for start, end in lines if self._body[start:end].lstrip().startswith(heading)]
            spots = [start for start in begun if self.opens_block(start)]
            self._characters_read += len(self._body) // READS_PER_SEARCH
            self._known_headings[heading] = spots, self.scopes(spots)
        return self._known_headings[heading]

    def _opening_above(self, offset: int, width: int) -> int | None:
        """The last line above an offset that is indented by at most so much and opens a block; None if none is near."""
        start = offset
        for _ in range(MOST_ABOVE):
            if start <= 0:
                break
            start = self._body.rfind("\n", 0, start - 1) + 1
            line = self._line(start)
            self._characters_read += len(line) + 1
            if not line.strip() or width_of(line) > width or self._is_astray(start):
                continue
            is_heading = line.lstrip()[0] not in "{()[]}" and first_word(line) not in CONTINUING | LABELS
            if is_heading and not self._is_comment(line) and self.opens_block(start):
                return start
        return None

    def _scope(self, spot: int) -> AnchorScope:
        """The scope of a line, as the module's docstring says."""
        if self.is_inside_text(spot):
            return self._scope_in_text(spot)
        sections = self._sections()
        section_end = sections.end_of_section(spot)
        if self._ending in MARKDOWN or sections.is_heading(spot):
            return AnchorScope(spot, section_end, sections.is_heading(spot))
        if not self._ending:
            # What looks like a header may be something else in a text without a name.
            section_end = len(self._body) + 1
        described = self._described(spot)
        if described is None:
            described = spot
        if self.opens_block(described):
            return AnchorScope(spot, min(self._end_of_block(described), section_end))
        is_alone = spot == described or self._is_about_one(spot, described)
        if is_alone and self._is_whole_definition(described):
            return AnchorScope(spot, line_after(self._body, described), is_opened=False)
        rest_end = section_end
        if self._ending not in SETTINGS:
            rest_end = min(self._end_of_block_around(described), section_end)
        return AnchorScope(spot, rest_end, is_opened=False)

    def _is_whole_definition(self, spot: int) -> bool:
        """Whether a line is a definition that does not go on below it."""
        line, below = self._line(spot), self._line(line_after(self._body, spot))
        return is_whole_definition(line, self._ending) and not continues_definition(line, below)

    def _is_about_one(self, spot: int, described: int) -> bool:
        """Whether a decorator or a comment is about one definition on one line, and not about those below it, too."""
        below = self._line(line_after(self._body, described))
        is_single = not below.strip() or width_of(below) != width_of(self._line(described))
        return is_single or self._is_comment(below) or self._is_decorator(self._line(spot))

    def _scope_in_text(self, spot: int) -> AnchorScope:
        """The scope of a line inside a string or a comment of several lines, or inside a block of code in Markdown.

        Code in Markdown is read like a file of its own. A string or a comment has no blocks: the scope of its lines is
        the rest of the block around it.
        """
        starts, ends = self._texts()
        number = bisect(starts, spot) - 1
        text_start, text_end = starts[number], ends[number]
        if self._ending not in MARKDOWN:
            first_line = self._body.rfind("\n", 0, text_start) + 1
            block_end = self._end_of_block_around(first_line)
            section_end = self._sections().end_of_section(spot)
            return AnchorScope(spot, min(block_end, section_end), is_opened=False)
        code_start = line_after(self._body, text_start)
        self._characters_read += text_end - code_start
        code_reader = ScopeReader(self._body[code_start:text_end], "")
        [inner] = code_reader.scopes([spot - code_start])
        return AnchorScope(spot, min(inner.end + code_start, text_end), inner.is_opened)

    def _described(self, spot: int) -> int | None:
        """The line that a decorator or a comment is about; None for a line that is neither, or that is about none."""
        line = self._line(spot)
        is_comment = self._is_comment(line)
        if not is_comment and not self._is_decorator(line):
            return None
        width = width_of(line)
        behind_last = spot
        for start in self._shallow_lines(line_after(self._body, spot), width):
            below = self._line(start)
            if width_of(below) < width:
                return None
            if is_comment and "\n\n" in self._body[behind_last:start]:
                # A comment above a blank line is about more than the line below.
                return None
            closes_bracket = below.lstrip()[0] in ")]}"
            if not closes_bracket and not self._is_decorator(below) and not self._is_comment(below):
                return start
            behind_last = line_after(self._body, start)
        return None

    def _is_decorator(self, line: str) -> bool:
        if self._ending in _NO_DECORATORS or not _DECORATOR.match(line):
            return False
        # A block opens here, and not in the brackets of the decorator.
        return not (line.rstrip().endswith("{") and line.count("(") == line.count(")"))

    def _is_comment(self, line: str) -> bool:
        if line.lstrip().startswith("#") and self._ending in _DIRECTIVES | STYLES:
            return False
        return bool(_COMMENT.match(line))

    def _is_directive(self, line: str) -> bool:
        """Whether a line is for a preprocessor."""
        return line.lstrip().startswith("#") and self._ending in _DIRECTIVES

    def _end_of_block(self, spot: int) -> int:
        """Where the block ends that a line opens."""
        opening = self._line(spot)
        width = width_of(opening)
        is_closed = False
        #: The first of the comments and directives right above the next line, which belong to it, and the last of them.
        lead: int | None = None
        last_lead = spot
        for start in self._shallow_lines(line_after(self._body, spot), width):
            line = self._line(start)
            end = start
            if lead is not None and not self._has_deeper(last_lead, start, width):
                end = lead
            if self._is_comment(line) or self._is_directive(line):
                lead, last_lead = end, start
                continue
            lead = None
            if width_of(line) < width:
                return end
            closes = _closes_block(opening, line)
            if closes is not None:
                is_closed = closes
            elif is_closed or not _is_part(opening, first_word(opening), line, first_word(line)):
                return end
        return len(self._body) + 1

    def _end_of_block_around(self, spot: int) -> int:
        """Where the block ends that a line is in: before the next line that is less deep."""
        width = width_of(self._line(spot))
        if width == 0:
            return len(self._body) + 1
        for start in self._shallow_lines(line_after(self._body, spot), width - 1):
            line = self._line(start)
            if not self._is_comment(line) and not self._is_directive(line):
                return start
        return len(self._body) + 1

    def _shallow_lines(self, start: int, width: int) -> Iterator[int]:
        """The offsets of the lines from an offset on that are indented by at most so much and are not blank."""
        shallow = re.compile(rf"\n[ \t]{{0,{width}}}(?=\S)")
        position = start - 1
        match = shallow.search(self._body, position)
        while match is not None:
            self._characters_read += match.end() - position
            position = match.end()
            if not self._is_astray(match.start() + 1):
                yield match.start() + 1
            match = shallow.search(self._body, position)
        self._characters_read += len(self._body) - position

    def _lines_below(self, spot: int) -> Iterator[int]:
        """The offsets of the lines below a line that are not blank."""
        start = line_after(self._body, spot)
        while start < len(self._body):
            if self._line(start).strip():
                yield start
            start = line_after(self._body, start)

    def _has_deeper(self, start: int, end: int, width: int) -> bool:
        """Whether there is a line between two offsets that is indented by more than so much."""
        return re.compile(rf"\n[ \t]{{{width + 1}}}[ \t]*\S").search(self._body, start, end) is not None

    def _line(self, start: int) -> str:
        return self._body[start : line_after(self._body, start) - 1]

    def _sections(self) -> Sections:
        if self._known_sections is None:
            # Most updates never come here, and it takes time to load.

            self._known_sections = read_sections(self._body, self._ending, self.is_inside_text)
        return self._known_sections

    def _is_astray(self, start: int) -> bool:
        """Whether the indentation of a line says nothing: it is in a text, or not deeper than the block that it is in.

        Such a line is a label or part of a string. It is in that block if the block is closed below it.
        """
        if self.is_inside_text(start):
            return True
        line, ending = self._line(start), self._ending
        is_structural = closed_kind(line, ending) or opened_kind(line, ending) or begins_branch(line, ending)
        if is_structural or begins_definition(line, ending) or self._is_comment(line):
            return False
        return width_of(line) <= self._depths_of_blocks().at(start)

    def _depths_of_blocks(self) -> BlockDepths:
        """How deep the closed blocks of the text are; worked out once."""
        if self._block_depths is None:
            blocks = sorted(self._read_blocks(), key=lambda block: block.start)
            self._block_depths = BlockDepths(blocks)
        return self._block_depths

    def _read_blocks(self) -> Iterator[ClosedBlock]:
        """The blocks that a brace or a word closes at the indentation of the line that opens them.

        A block is not trusted if another one is opened, or something is defined, at its indentation or less: then what
        closes it is missing.
        """
        if len(self._body) > LONGEST_PARSED:
            return
        #: The blocks that are open, from the outermost to the innermost.
        open_blocks: list[OpenBlock] = []
        next_start = 0
        for line in self._body.split("\n"):
            start = next_start
            next_start += len(line) + 1
            closed, opened = closed_kind(line, self._ending), opened_kind(line, self._ending)
            is_definition = bool(open_blocks) and self._defines(line)
            is_structural = closed or opened or is_definition
            if not is_structural or self._is_comment(line) or self.is_inside_text(start):
                continue
            width = width_of(line)
            if closed:
                while open_blocks and open_blocks[-1].width > width:
                    open_blocks.pop()
                innermost = open_blocks[-1] if open_blocks else None
                if innermost is not None and innermost.width == width and innermost.closed_by == closed:
                    open_blocks.pop()
                    yield ClosedBlock(innermost.start, start, width)
            if opened or is_definition:
                # A block of a label is inside of the one at its indentation.
                least = width + 1 if first_word(line) in LABELS else width
                while open_blocks and open_blocks[-1].width >= least:
                    open_blocks.pop()
            if opened:
                open_blocks.append(OpenBlock(next_start, width, opened))

    def _defines(self, line: str) -> bool:
        """Whether a line defines something, on this line alone or with a block."""
        return begins_definition(line, self._ending) or ("}" in line and is_whole_definition(line, self._ending))

    def is_inside_text(self, offset: int) -> bool:
        """Whether an offset is inside a string, a comment or a block of code that goes over several lines."""
        starts, ends = self._texts()
        index = bisect(starts, offset - 1)
        return index > 0 and offset < ends[index - 1]

    def _texts(self) -> tuple[list[int], list[int]]:
        """Where such texts begin and end."""
        if self._long_texts is None:
            # Most updates never come here, and it takes time to load.

            self._long_texts = long_texts(self._body, self._path, self._ending)
        return self._long_texts


def _closes_block(opening: str, line: str) -> bool | None:
    """Whether a line as deep as the one that opens a block closes it, or goes on with it; None if it does neither."""
    word = first_word(line)
    if begins_with_closing_sign(line):
        return closes_for_good(line)
    if word in CLOSING:
        return True
    # The brace above a label closes the block of another label.
    is_label_of_switch = first_word(opening) == "switch" and word in ("case", "default")
    if word in CONTINUING or is_label_of_switch:
        return False
    return None


def _is_part(opening: str, opening_word: str, line: str, word: str) -> bool:
    """Whether a line at the indentation of the line that opens a block is part of it: its bracket, or a label."""
    if line.lstrip().startswith("{") or _is_list_below(opening, line):
        return True
    if word == "when":
        return opening_word == "case"
    return word in LABELS and ":" in line and opening_word not in LABELS


def _is_list_below(opening: str, line: str) -> bool:
    """Whether a line is an item of the list of YAML that belongs to a key."""
    is_key = opening.rstrip().endswith(":") and not opening.lstrip().startswith("- ")
    return is_key and line.lstrip().startswith("- ")
