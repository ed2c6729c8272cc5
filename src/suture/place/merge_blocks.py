"""In which block a line is, by indentation: the lines that open the blocks around it, or the header above it.

A block is known by the number of the line that opens it, so two blocks that begin with the same words are told apart.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from functools import cached_property
from itertools import accumulate

from .block_lines import width_of
from .file_kinds import PROSE, SETTINGS, STYLES
from .limits import MOST_SEARCHED_WORDS
from .merge_names import BRANCH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

#: Lines that open a block and say nothing about it.
_BARE = frozenset(["{", "(", "["])
#: What names an entry of a list.
_NAMING = re.compile(r"[ \t]*[\"']?(?:id|key|name|slug|title|uuid)[\"']?[ \t]*[:=]", re.IGNORECASE)
#: What the code of such a line begins with, in lower case.
_NAMING_STARTS = frozenset("\"'iknstu")
_WORD = re.compile(r"\w+")
#: How a line can begin that is a branch.
_BRANCHES = ("}", "catch", "el", "except", "rescue")
#: What comments, attributes and directives begin with, which are often less indented than the lines around them.
_ASIDES = ("#", "//", "/*", "*", "<!--")


#: What a line does to the blocks around it: it begins one, or ends one that is indented as far, or nothing.
_OPENS, _CLOSES, _NOTHING = range(3)


class LineShapes(dict[str, tuple[str, int, int]]):
    """For each line: its code without indentation, the width of that, and what it does to blocks.

    Equal codes are one object, so that it takes no time to compare them, however long they are.
    """

    def __init__(self, ending: str) -> None:
        super().__init__()
        self._codes: dict[str, str] = {}
        self._asides = _ASIDES[1:] if ending in STYLES else _ASIDES

    def __missing__(self, line: str) -> tuple[str, int, int]:
        code = line.strip()
        shape = self._codes.setdefault(code, code), len(line) - len(line.lstrip()), self._role(code)
        self[line] = shape
        return shape

    def _role(self, code: str) -> int:
        if code[:1].isalnum():
            return _OPENS
        if code.startswith(self._asides) or not code.rstrip(")]};, "):
            return _NOTHING
        return _CLOSES if code[0] in ")]" else _OPENS


class BlockTable:
    """The blocks of one text, when somebody asks for them.

    The first ones are looked for line by line, above the place. Once that took as many steps as the text has lines,
    one pass finds those of all lines. `shapes` holds what is known of the lines of
    all texts of a merge, which have most of them in common.
    """

    def __init__(self, text: Sequence[str], ending: str, shapes: LineShapes) -> None:
        self.text = text
        self._ending = ending
        self._shapes = shapes
        #: The openers that were asked for, by the innermost block at the place and the indentation.
        self._known_openers: dict[tuple[int, int], int] = {}
        #: The openers of single lines that were searched for.
        self._searched: dict[int, int] = {}
        #: How many lines may still be looked at one by one.
        self._steps_left = len(text)

    @cached_property
    def counts(self) -> Counter[str]:
        """How often the text has each line, whatever its indentation."""
        return Counter(map(str.strip, self.text))

    def code(self, number: int) -> str:
        """A line without its indentation."""
        return self._shapes[self.text[number]][0]

    def lines_with(self, texts: Collection[str]) -> Iterable[int]:
        """The numbers of the lines that have one of some texts, rather too many: of many texts, those of all lines."""
        if len(texts) > MOST_SEARCHED_WORDS or "" in texts:
            return range(len(self.text))
        return self._lines_matching("|".join(map(re.escape, texts))) if texts else ()

    def lines_with_names(self, names: Collection[str]) -> Iterable[int]:
        """The same for lines that have all words of one of some names."""
        words = [_WORD.findall(name) for name in names]
        if len(names) > MOST_SEARCHED_WORDS or not all(words):
            return range(len(self.text))
        rarest = {min(of_name, key=self._joined.count) for of_name in words}
        # That it is a whole word is told behind it: a text is found sooner by how it begins.
        whole = [rf"{word}(?<!\w{word})(?!\w)" for word in rarest]
        return self._lines_matching("|".join(whole)) if whole else ()

    def _lines_matching(self, pattern: str) -> Iterator[int]:
        end_of_line = 0
        for match in re.finditer(pattern, self._joined):
            if match.start() >= end_of_line:
                number = bisect_right(self._starts, match.start())
                end_of_line = self._starts[number]
                yield number - 1

    @cached_property
    def _joined(self) -> str:
        return "".join(self.text)

    @cached_property
    def _starts(self) -> list[int]:
        """Where each line begins in the text, and where the text ends."""
        return list(accumulate(map(len, self.text), initial=0))

    def opener(self, number: int) -> int:
        """The number of the line that opens the block which a line is in; -1 for that of the whole file."""
        if self._steps_left < 0:
            return self._blocks[0][number]
        if number not in self._searched:
            self._searched[number] = self._search_opener(number, self._shapes[self.text[number]][1])
        return self._searched[number]

    def around(self, number: int) -> set[int]:
        """The numbers of all lines that open a block around a line, and -1."""
        blocks = {-1}
        while number >= 0:
            number = self.opener(number)
            blocks.add(number)
        return blocks

    def headers(self, number: int, width: int) -> list[str]:
        """The lines that open the blocks around a place and say something about them, from the inside out.

        The place is before a line, for what is indented so far. Where a bracket alone opens a block, it is the first
        line in it that names it, or the line above the bracket that is indented as far.
        """
        lines: list[str] = []
        opener = self._opener_at(number, width)
        while opener >= 0:
            code = self.code(opener)
            if code in _BARE:
                code = self._name_of_bare(opener, number)
            if code:
                lines.append(code)
            opener = self.opener(opener)
        return lines

    def _name_of_bare(self, opener: int, end: int) -> str:
        """The line that says what a bracket alone on its line opens, if it is above a line; empty if none says it."""
        # The first line inside of the bracket that names an entry.
        naming = bisect_left(self._naming, opener + 1)
        if naming < len(self._naming) and self._naming[naming] < end:
            return self.code(self._naming[naming])
        if opener == 0:
            return ""
        above = self.code(opener - 1)
        is_head = above != "" and above[-1] not in ",;([{}]"
        is_as_deep = width_of(self.text[opener - 1]) == width_of(self.text[opener])
        return above if is_head and is_as_deep else ""

    def block_of(self, number: int) -> int:
        """The number of the line that opens the block or section which a line is in; -1 for that of the whole file."""
        if self._ending in SETTINGS or self._ending == "dockerfile":
            return -1 if is_header(self.text[number], self._ending) else self._header_above(number)
        if self._ending in PROSE or self._ending == "ipynb":
            return -1
        return self._chains[number] if BRANCH.match(self.text[number]) else self.opener(number)

    @cached_property
    def _chains(self) -> dict[int, int]:
        """For each branch of a condition, and each handler of an error, the number of the line that begins them all."""
        chains: dict[int, int] = {}
        heads: dict[int, int] = {}
        for number, line in enumerate(self.text):
            code, width, role = self._shapes[line]
            if code.startswith(_BRANCHES) and BRANCH.match(code):
                chains[number] = heads.get(width, -1)
            elif role == _OPENS and not code.startswith(("}", "else")):
                heads[width] = number
        return chains

    def header_above(self, number: int) -> str:
        """The header of the section that a line is in; empty if there is none above it."""
        at = self._header_above(number)
        return self.text[at] if at >= 0 else ""

    def _header_above(self, number: int) -> int:
        """The number of the header above a line; -1 without one."""
        count_above = bisect_left(self._headers, number)
        return self._headers[count_above - 1] if count_above > 0 else -1

    @cached_property
    def _headers(self) -> list[int]:
        return [number for number, line in enumerate(self.text) if is_header(line, self._ending)]

    @cached_property
    def _naming(self) -> Sequence[int]:
        rows = enumerate(map(str.lstrip, self.text))
        return [number for number, code in rows if code[:1].lower() in _NAMING_STARTS and _NAMING.match(code)]

    def _opener_at(self, number: int, width: int) -> int:
        """The number of the line that opens the block around a place before a line, for what is indented so far."""
        if self._steps_left < 0:
            return self._opener_in_table(number, width)
        return self._search_opener(number, width)

    def _search_opener(self, number: int, width: int) -> int:
        """The same, by a search from the place up."""
        shapes, text, searched = self._shapes, self.text, self._searched
        # Only a line that is indented less than the limit can open the block.
        above, limit = number - 1, width
        while above >= 0 and limit > 0:
            self._steps_left -= 1
            _, width_above, role = shapes[text[above]]
            if width_above < limit:
                if role == _OPENS:
                    return above
                if role == _CLOSES:
                    limit = width_above + 1
            if limit <= width_above and above in searched:
                # Nothing between that line and its own opener can open the block.
                above = searched[above]
            else:
                above -= 1
        return -1

    def _opener_in_table(self, number: int, width: int) -> int:
        """The same, when the blocks of all lines are known."""
        opener = innermost = self._blocks[1][number]
        key = innermost, width
        if key not in self._known_openers:
            while opener >= 0 and width_of(self.text[opener]) >= width:
                opener = self._blocks[0][opener]
            self._known_openers[key] = opener
        return self._known_openers[key]

    @cached_property
    def _blocks(self) -> tuple[list[int], list[int]]:
        """For each line, the one that opens the block around it, and the one of the innermost block that is open."""
        openers: list[int] = []
        innermost: list[int] = []
        shapes = self._shapes
        # The lines that are open, from the outside in, and their indentations; first what is around all of them.
        numbers = [-1]
        widths = [-1]
        for number, line in enumerate(self.text):
            _, width, role = shapes[line]
            innermost.append(numbers[-1])
            if width == widths[-1] and role == _OPENS:
                # Most lines are indented as the one above.
                openers.append(numbers[-2])
                numbers[-1] = number
                continue
            depth = bisect_left(widths, width)
            openers.append(numbers[depth - 1])
            if role == _OPENS:
                numbers[depth:], widths[depth:] = [number], [width]
            elif role == _CLOSES:
                # What a line such as `) -> None:` opens has its name where the parenthesis was opened.
                depth = bisect_left(widths, width + 1)
                del numbers[depth:], widths[depth:]
        innermost.append(numbers[-1])
        return openers, innermost


def is_naming(line: str) -> bool:
    """Whether a line names the entry of a list that it is in."""
    return line.lstrip(" \t")[:1].lower() in _NAMING_STARTS and _NAMING.match(line) is not None


def is_header(line: str, ending: str) -> bool:
    """Whether a line of a document or of settings begins a section."""
    if ending in SETTINGS:
        return line.startswith("[")
    if ending == "dockerfile":
        return line[:5].upper() == "FROM "
    return line.startswith("#") and line.lstrip("#")[:1] in (" ", "\t") and bool(line.strip("# \t\r\n"))
