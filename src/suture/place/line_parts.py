"""Which parts of a line are code, and which are text for people: comments, quoted texts and prose.

A name with another letter is another name, but a comment that is worded differently is still that comment. A line is
read alone, by the marks of its language; only whether it is inside a text of several lines is asked of the file.
"""

from __future__ import annotations

import re
from collections import Counter

from ..core.value import Value
from .file_kinds import STYLES, ending_of
from .limits import LEAST_WORDS, MOST_WORD_PAIRS, SHORTEST_RULE
from .scopes import ScopeReader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from re import Match

    from ..core.text import Text

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
#: Without `#`, which begins a heading in files such as README.
_ANY_MARKS = ("//", "/*", "<!--", "-- ", ";;")
_PROSE = frozenset("adoc markdown md mdc mdx org qmd rmd rst tex txt".split())
_HEADING = re.compile(r"(?:#{1,6}|=+|\*+) (?:[^\w\s\x00-\x7f]+ )?[^\w\s]*\w")
_UNDERLINE = re.compile(r"\s*([-=~^\"'`#*+.:_])\1{2,}\s*")
#: The name that a line defines, and lines whose quoted texts are names: definitions, conditions, imports, headings.
_MODIFIERS = r"\W*(?:async |abstract |const |else |export |final |pub |public |private |protected |static )*"
_DEFINITIONS = (
    "class|def|defmodule|defp|enum|fn|fun|func|function|impl|interface|message|module|namespace|struct|trait|type"
)
_DEFINED = re.compile(rf"{_MODIFIERS}(?:{_DEFINITIONS})\s+(?:\([^()]*\)\s*)?(?P<name>\w+)")
_NAMING = re.compile(
    rf"{_MODIFIERS}(?:{_DEFINITIONS}|case|describe|elif|elsif|for|from|if|import|include|package|require|test|unless"
    r"|until|use|using|when|while)\b|#{1,6} "
)
#: What stands before a quoted text that is a name: of a test, a step, a style.
_TITLED = re.compile(
    r"(?:\b(?:it|test|describe|context|specify|scenario|feature|suite|Run|DisplayName|label|key|id|name|title|class"
    r"|className|href|src|type)\b\"?\s*[(:=]?\s*)$"
)
#: A word of prose with the signs around it; anything else in a quoted text may be code.
_PROSE_WORD = re.compile(r"[(\"'*]*[^\W\d_]+(?:['’-][^\W\d_]+)*[)\"'*]*[.,:;!?…]*")
_QUERY_WORDS = frozenset("ALTER CREATE DELETE DROP FROM INSERT JOIN SELECT SET TABLE UPDATE WHERE".split())
#: What a text has for a value that comes in.
_FIELD = re.compile(r"%(?:\{\w*\}|\(\w*\))?[-.\d]*\w?|\$?\{[^{}]*\}")
#: Words that turn a text into its opposite.
NEGATIONS = frozenset({"cannot", "never", "no", "non", "not", "without"})
#: A text in quotes of three kinds or of one, and a text in backticks. An apostrophe inside a word opens none.
_QUOTED = re.compile(
    r'''"""(?P<a>.*?)(?:"""|$)|\'\'\'(?P<b>.*?)(?:\'\'\'|$)'''
    r"""|"(?P<c>(?:\\.|[^"\\])*)"|(?<!\w)'(?P<d>(?:\\.|[^'\\])*)'|`(?P<e>(?:\\.|[^`\\])*)`"""
)
_TRIPLE = re.compile(r"""\"{3}|'{3}""")
_INLINE_CODE = re.compile(r"`[^`]+`")
#: A run of signs, such as the line below a heading, whose length says nothing.
_RULE = re.compile(r"([-=*~_+#─═━])\1{2,}")
_CODE_SIGN = re.compile(r"[{}<>=;@$\\]|\w\(|\w\.\w")
_LEAD = re.compile(r"\W*(?:\[\w\]\W*)?")
_WORD = r"[^\W\d_]\w\w+"


class LineParts(Value):
    """A line, and the ranges of it that are text, as pairs of offsets."""

    line: str
    ranges: tuple[tuple[int, int], ...]
    #: Whether it is inside a text of several lines: it may be an example of code.
    is_inside: bool = False
    #: The range of a name in which every letter counts: one that is defined, a selector, a heading.
    name: tuple[int, int] = (0, 0)

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
        self._ending = "" if text is None else ending_of(text.path)

    def parts(self, line: str, row: int) -> LineParts:
        """The parts of a line that is, or faces, the line of the file at a row."""
        is_inside = self._is_inside_text(row)
        if self._ending in _PROSE:
            if is_inside:
                # A block of code in prose has no language that is known.
                return LineParts(line, ())
            if self._is_heading(line, row):
                return LineParts(line, (), name=(0, len(line)))
            return LineParts(line, tuple(_prose(line)))
        if is_inside and not self._begins_comment(line, 0):
            return LineParts(line, ((0, len(line)),), is_inside=True)
        has_triple_quotes = _TRIPLE.search(line) is not None
        return LineParts(line, tuple(self._texts(line)), has_triple_quotes, self._name_in(line))

    def _is_heading(self, line: str, row: int) -> bool:
        """Whether a line of prose is a heading, also by the line below it."""
        below = self._text.rows[0][row + 1 : row + 2] if self._text is not None else []
        is_underlined = any(_UNDERLINE.fullmatch(rule) for rule in below) and "|" not in line
        return _HEADING.match(line) is not None or (is_underlined and _count_words(line) > 0)

    def _name_in(self, line: str) -> tuple[int, int]:
        """The range of the name that a line of code defines, or of all of it if it is a selector or a heading."""
        if _HEADING.match(line) or (self._ending in STYLES and line.endswith(("{", ","))):
            return 0, len(line)
        defined = _DEFINED.match(line)
        return defined.span("name") if defined else (0, 0)

    def _is_inside_text(self, row: int) -> bool:
        """Whether a row is inside a string or a comment of several lines, or inside a block of code in prose."""
        if self._text is None:
            return False
        if self._scopes is None:
            self._scopes = ScopeReader(self._text.body, self._text.path)
        return self._scopes.is_inside_text(self._text.rows[1][row])

    def _texts(self, line: str) -> Iterator[tuple[int, int]]:
        """The quoted texts of a line of code, and its comment."""
        if self._begins_comment(line, 0):
            yield 0, len(line)
            return
        # In a language that is not known, a comment is only looked for at the start of the line.
        has_comments = bool(_MARKS.get(self._ending))
        at = 0
        while at < len(line):
            if has_comments and self._begins_comment(line, at):
                yield at, len(line)
                return
            quoted = self._quoted_at(line, at)
            if quoted is None:
                at += 1
                continue
            start, end = _inside(quoted)
            is_title = _TITLED.search(line[:at]) is not None
            if not is_title and not names_something(line) and _is_prose(line[start:end]):
                yield start, end
            at = max(at + 1, quoted.end())

    def _quoted_at(self, line: str, at: int) -> Match[str] | None:
        """The quoted text that begins at an offset; None if none does."""
        is_lifetime = self._ending == "rs" and line[at] == "'"
        if line[at] not in "\"'`" or is_lifetime:
            return None
        return _QUOTED.match(line, at)

    def _begins_comment(self, line: str, at: int) -> bool:
        """Whether a comment begins at an offset of a line."""
        marks = _MARKS.get(self._ending, _ANY_MARKS)
        is_behind_code = at > 0 and not line[at - 1].isspace()
        if line[at : at + 1] == "#" and is_behind_code:
            return False
        if line.startswith(marks, at):
            return True
        # A line of a comment of several lines often begins with a star.
        has_star = line == "*" or line.startswith(("* ", "*/"))
        return at == 0 and "/*" in marks and has_star


def names_something(line: str) -> bool:
    """Whether a line is a definition, a condition, an import or a heading, by the word that it begins with."""
    return _NAMING.match(line) is not None


def defines_name(line: str) -> bool:
    """Whether a line defines a name: of a function, a class, a module."""
    return _DEFINED.match(line) is not None


def _is_prose(text: str) -> bool:
    """Whether a quoted text is several words for people; others are names: a key, an option, a path, a query."""
    words = _FIELD.sub("", text).split()
    prose = [word for word in words if _PROSE_WORD.fullmatch(word)]
    long_words = [word for word in prose if _count_words(word)]
    is_mostly_prose = 3 * len(prose) >= 2 * len(words)
    is_query = not _QUERY_WORDS.isdisjoint(words)
    return len(long_words) >= LEAST_WORDS and is_mostly_prose and not is_query


def _inside(quoted: Match[str]) -> tuple[int, int]:
    """The range between the quotes."""
    return next(quoted.span(name) for name in "abcde" if quoted[name] is not None)


def _prose(line: str) -> Iterator[tuple[int, int]]:
    """The texts of a line of prose: all but code in backticks."""
    at = 0
    for code in _INLINE_CODE.finditer(line):
        if at < code.start():
            yield at, code.start()
        at = code.end()
    if at < len(line):
        yield at, len(line)


def is_reworded(old: LineParts, line: LineParts) -> bool:
    """Whether two lines differ only in the words of a comment, a quoted text or prose."""
    if old.code != line.code or (old.is_inside and _may_be_code(old.line, line.line)):
        return False
    texts = zip(old.texts, line.texts, strict=True)
    different_texts = [(old_text, text) for old_text, text in texts if old_text != text]
    has_quoted_text = any(code.endswith(("'", '"', "`")) for code in old.code[:-1])
    if has_quoted_text and any(_differ_in_code(old_text, text) for old_text, text in different_texts):
        return False
    return all(_is_same_text(old_text, text) for old_text, text in different_texts)


def _may_be_code(one: str, other: str) -> bool:
    """Whether two lines of a long text may be an example of code: there are signs of it, or one word alone differs."""
    words, other_words = Counter(re.findall(r"\w+", one)), Counter(re.findall(r"\w+", other))
    changed_count = max((words - other_words).total(), (other_words - words).total())
    return changed_count < 2 or _CODE_SIGN.search(one + other) is not None


def is_same_rule(one: str, other: str) -> bool:
    """Whether two lines are equal but for the length of a long run of signs."""
    if _HEADING.match(one) or _HEADING.match(other):
        return False
    runs = [*_RULE.finditer(one), *_RULE.finditer(other)]
    longest = max((len(run[0]) for run in runs), default=0)
    return longest >= SHORTEST_RULE and _RULE.sub(r"\1", one) == _RULE.sub(r"\1", other)


def _is_same_text(one: str, other: str) -> bool:
    """Whether two texts begin like the same line, have the same numbers and at least half of their words, and no word
    became its opposite.
    """
    return _lead(one) == _lead(other) and has_same_words(one, other) and not _has_opposite(one, other)


def has_same_words(one: str, other: str) -> bool:
    """Whether two texts have the same numbers, several words, and at least half of these in common."""
    if re.findall(r"\d+", one) != re.findall(r"\d+", other):
        return False
    words, others = Counter(re.findall(_WORD, one)), Counter(re.findall(_WORD, other))
    if min(words.total(), others.total()) < LEAST_WORDS:
        return False
    return 2 * (words & others).total() >= max(words.total(), others.total())


def _differ_in_code(one: str, other: str) -> bool:
    """Whether two quoted texts differ in something else than words of prose."""
    words, others = Counter(one.split()), Counter(other.split())
    return not all(_PROSE_WORD.fullmatch(word) for word in ((words - others) + (others - words)))


def _has_opposite(one: str, other: str) -> bool:
    """Whether a negation comes or goes, or one word is the beginning or the end of another, as `lock` of `unlock`."""
    words, other_words = (Counter(re.findall(r"[^\W\d_]+", line.lower())) for line in (one, other))
    gone, new = words - other_words, other_words - words
    if not NEGATIONS.isdisjoint((*gone, *new)):
        return True
    if len(gone) * len(new) > MOST_WORD_PAIRS:
        return True
    for gone_word in gone:
        for new_word in new:
            shorter, longer = sorted((gone_word, new_word), key=len)
            if len(shorter) > 2 and (longer.startswith(shorter) or longer.endswith(shorter)):
                return True
    return False


def _count_words(text: str) -> int:
    return len(re.findall(_WORD, text))


def _lead(text: str) -> str:
    """What is before the first word of a text: the mark of a comment, the bullet or the box of a list."""
    lead = _LEAD.match(text)
    return lead[0] if lead else ""
