"""The parts of code in which words and brackets mean nothing: quoted texts and comments."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    #: For what opens a part: what is inside of it, as far as that goes, and what closes it.
    Endings = Mapping[str, tuple[re.Pattern[str], str]]

#: The inside of a comment of C.
INSIDE_COMMENT = re.compile(r"[^*]*+(?:\*(?!/)[^*]*+)*+")
_QUOTES: Endings = {
    '"': (re.compile(r"[^\"\\]*+(?:\\.[^\"\\]*+)*+"), '"'),
    "'": (re.compile(r"[^'\\]*+(?:\\.[^'\\]*+)*+"), "'"),
    "`": (re.compile(r"[^`]*+"), "`"),
}
_QUOTE = re.compile(r"[\"'`]")
_QUOTES_AND_COMMENTS: Endings = {**_QUOTES, "/*": (INSIDE_COMMENT, "*/")}
#: Where a part of a line begins: a comment to the end of the line, or what has an end.
_QUOTE_OR_COMMENT = re.compile(r"//.*|#.*|^[ \t]*\*.*|/\*|[\"'`]")


def without_quiet_parts(line: str) -> str:
    """The line with each quoted text and comment as a space. What has no end on the line stays."""
    return _without(line, _QUOTE_OR_COMMENT, _QUOTES_AND_COMMENTS)


def without_texts(line: str) -> str:
    """The line with each quoted text as a space. What has no end on the line stays."""
    return _without(line, _QUOTE, _QUOTES)


def quoted_parts(line: str) -> Iterator[tuple[int, int]]:
    """Where the quoted texts of a line are, with their quotes."""
    for start, end in quiet_parts(line, _QUOTE_OR_COMMENT, _QUOTES_AND_COMMENTS):
        if line[start] in _QUOTES:
            yield start, end


def _without(line: str, opening: re.Pattern[str], endings: Endings) -> str:
    kept: list[str] = []
    done = 0
    for start, end in quiet_parts(line, opening, endings):
        kept += (line[done:start], " ")
        done = end
    return "".join([*kept, line[done:]])


def quiet_parts(text: str, opening: re.Pattern[str], endings: Endings) -> Iterator[tuple[int, int]]:
    """Where the parts of a text are; without those that are not closed. What has no ending is a part by itself."""
    #: Up to where parts of a kind are not closed: what opens one more before it is read in the same way.
    unclosed: dict[str, int] = {}
    at = 0
    while (begin := opening.search(text, at)) is not None:
        at = begin.end()
        kind = begin[0]
        if kind in endings:
            if at <= unclosed.get(kind, 0):
                continue
            inside, closing = endings[kind]
            rest = inside.match(text, at)
            assert rest is not None, "BUG: the inside of a part can be empty"
            if not text.startswith(closing, rest.end()):
                unclosed[kind] = rest.end()
                continue
            at = rest.end() + len(closing)
        yield begin.start(), at
