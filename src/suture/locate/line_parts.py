"""Which parts of a line are code, and which are text for people: comments, quoted texts and prose.

A name with another letter is another name, but a comment that is worded differently is still that comment. A line is
read alone, by the marks of its language; only whether it is inside a text of several lines is asked of the file.
"""

from __future__ import annotations

from collections import Counter
from re import compile as pattern, findall

from ..core.value import Value
from .limits import LEAST_WORDS, SHORTEST_RULE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from re import Match

    from ..core.text import Text
    from .scopes import ScopeReader

#: What begins a comment, by the endings of files; in other files, only a line that begins with it is a comment.
_MARKS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys("bash ex exs fish jl nix pl pm ps1 py pyi r rb sh tf toml yaml yml zsh".split(), ("#",)),
    **dict.fromkeys("cfg conf ini".split(), ("#", ";")),
    **dict.fromkeys(
        "c cc cjs cpp cs dart go gradle h hpp java js jsonc jsx kt kts less m mjs mm proto rs scala scss svelte swift"
        " ts tsx vue zig".split(),
        ("//", "/*"),
    ),
    "php": ("//", "#", "/*"),
    "css": ("/*",),
    **dict.fromkeys("hs lua sql".split(), ("--",)),
    **dict.fromkeys("clj el lisp".split(), (";",)),
    **dict.fromkeys("htm html svg xml".split(), ("<!--",)),
    "json": (),
}
_ANY_MARKS = ("#", "//", "/*", "<!--", "-- ", ";;")
_PROSE = frozenset("adoc markdown md mdc mdx org qmd rmd rst tex txt".split())
_HEADING = pattern(r"(?:#{1,6}|=+|\*+) \S")
#: A text in quotes of three kinds or of one, and a text in backticks. An apostrophe inside a word opens none.
_QUOTED = pattern(
    r'''"""(?P<a>.*?)(?:"""|$)|\'\'\'(?P<b>.*?)(?:\'\'\'|$)'''
    r"""|"(?P<c>(?:\\.|[^"\\])*)"|(?<!\w)'(?P<d>(?:\\.|[^'\\])*)'|`(?P<e>(?:\\.|[^`\\])*)`"""
)
_TRIPLE = pattern(r"""\"{3}|'{3}""")
_INLINE_CODE = pattern(r"`[^`]+`")
#: A run of signs, such as the line below a heading, whose length says nothing.
_RULE = pattern(r"([-=*~_+#─═━])\1{2,}")
_CODE_SIGN = pattern(r"[{}<>=;@$\\]|\w\(|\w\.\w")
_LEAD = pattern(r"\W*(?:\[\w\]\W*)?")
_WORD = r"[^\W\d_]\w\w+"


class LineParts(Value):
    """A line, and the ranges of it that are text, as pairs of offsets."""

    line: str
    ranges: tuple[tuple[int, int], ...]
    #: Whether it is inside a text of several lines: it may be an example of code.
    is_inside: bool = False

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts of the line."""
        return tuple([self.line[start:end] for start, end in self.ranges])

    @property
    def code(self) -> tuple[str, ...]:
        """What is before, between and behind the texts."""
        starts = (0, *(end for _, end in self.ranges))
        ends = (*(start for start, _ in self.ranges), len(self.line))
        return tuple([self.line[start:end] for start, end in zip(starts, ends, strict=True)])

    def is_code(self, offset: int) -> bool:
        """Whether a character is outside of all texts, or may be."""
        return self.is_inside or not any(start <= offset < end for start, end in self.ranges)


class LineReader:
    """Reads the lines of one text, and lines that are compared with them."""

    def __init__(self, text: Text | None = None) -> None:
        self._text = text
        self._scopes: ScopeReader | None = None
        self._ending = "" if text is None else text.path.rpartition("/")[2].partition(".")[2].rpartition(".")[2].lower()

    def parts(self, line: str, row: int) -> LineParts:
        """The parts of a line that is, or faces, the line of the file at a row."""
        is_inside = self._is_inside_text(row)
        if self._ending in _PROSE:
            # A block of code in prose has no language that is known.
            return LineParts(line, () if is_inside else tuple(_prose(line)))
        if is_inside and not self._begins_comment(line, 0):
            return LineParts(line, ((0, len(line)),), is_inside=True)
        return LineParts(line, tuple(self._texts(line)), is_inside=_TRIPLE.search(line) is not None)

    def _is_inside_text(self, row: int) -> bool:
        """Whether a row is inside a string or a comment of several lines, or inside a block of code in prose."""
        if self._text is None:
            return False
        if self._scopes is None:
            from .scopes import ScopeReader

            self._scopes = ScopeReader(self._text.body, self._text.path)
        return self._scopes.is_inside_text(self._text.rows[1][row])

    def _texts(self, line: str) -> Iterator[tuple[int, int]]:
        """The quoted texts of a line of code, and its comment."""
        marks = _MARKS.get(self._ending)
        if self._begins_comment(line, 0):
            yield 0, len(line)
            return
        at = 0
        while at < len(line):
            if marks and self._begins_comment(line, at):
                yield at, len(line)
                return
            quoted = _QUOTED.match(line, at) if line[at] in "\"'`" else None
            if quoted is None or (self._ending == "rs" and line[at] == "'"):
                at += 1
                continue
            start, end = _inside(quoted)
            if _count_words(line[start:end]) >= LEAST_WORDS:
                # Shorter ones are names: a key, an option, the mode of a file.
                yield start, end
            at = max(at + 1, quoted.end())

    def _begins_comment(self, line: str, at: int) -> bool:
        marks = _MARKS.get(self._ending, _ANY_MARKS)
        if at and line[at] == "#" and not line[at - 1].isspace():
            return False
        if line.startswith(marks, at):
            return True
        # A line of a comment of several lines often begins with a star.
        return not at and "/*" in marks and (line == "*" or line.startswith(("* ", "*/")))


def _inside(quoted: Match[str]) -> tuple[int, int]:
    """The range between the quotes."""
    return next(quoted.span(name) for name in "abcde" if quoted[name] is not None)


def _prose(line: str) -> Iterator[tuple[int, int]]:
    """The texts of a line of prose: all but code in backticks; a heading names something, so that it has none."""
    if _HEADING.match(line):
        return
    at = 0
    for code in _INLINE_CODE.finditer(line):
        if at < code.start():
            yield at, code.start()
        at = code.end()
    if at < len(line):
        yield at, len(line)


def is_reworded(old: LineParts, line: LineParts) -> bool:
    """Whether two lines differ only in the words of a comment, a quoted text or prose, or in the length of a rule."""
    if old.code != line.code or (old.is_inside and _may_be_code(old.line, line.line)):
        return _is_same_rule(old.line, line.line)
    pairs = zip(old.texts, line.texts, strict=True)
    return all(one == other or _is_same_rule(one, other) or _is_same_text(one, other) for one, other in pairs)


def may_be_reworded(old: str, line: str) -> bool:
    """Whether two lines have so much in common that it is worth to read their parts."""
    return _is_same_rule(old, line) or _has_same_words(old, line)


def _is_same_rule(one: str, other: str) -> bool:
    """Whether two lines are equal but for the length of a long run of signs."""
    if _HEADING.match(one) or _HEADING.match(other):
        return False
    longest = max((len(run[0]) for line in (one, other) for run in _RULE.finditer(line)), default=0)
    return longest >= SHORTEST_RULE and _RULE.sub(r"\1", one) == _RULE.sub(r"\1", other)


def _is_same_text(one: str, other: str) -> bool:
    """Whether two texts begin like the same line, and have the same numbers and at least half of their words."""
    return _lead(one) == _lead(other) and _has_same_words(one, other)


def _has_same_words(one: str, other: str) -> bool:
    """Whether two texts have the same numbers, several words, and at least half of these in common."""
    if findall(r"\d+", one) != findall(r"\d+", other):
        return False
    words, others = Counter(findall(_WORD, one)), Counter(findall(_WORD, other))
    if min(words.total(), others.total()) < LEAST_WORDS:
        return False
    return 2 * (words & others).total() >= max(words.total(), others.total())


def _may_be_code(one: str, other: str) -> bool:
    """Whether what differs between two lines of a text may be code: there are signs of it, or one word is the beginning
    or the end of another, as `lock` is of `unlock` and `locks`.
    """
    if _CODE_SIGN.search(one + other):
        return True
    words, others = (Counter(findall(r"[^\W\d_]+", line.lower())) for line in (one, other))
    differing = [sorted((word, new), key=len) for word in words - others for new in others - words]
    return any(longer.startswith(shorter) or longer.endswith(shorter) for shorter, longer in differing)


def _count_words(text: str) -> int:
    return len(findall(_WORD, text))


def _lead(text: str) -> str:
    """What is before the first word of a text: the mark of a comment, the bullet or the box of a list."""
    lead = _LEAD.match(text)
    return lead[0] if lead else ""
