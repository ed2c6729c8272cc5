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
    """The line with each of these parts as a space."""
    if opening.search(line) is None:
        return line
    kept: list[str] = []
    done = 0
    for start, end in quiet_parts(line, opening, endings):
        kept.append(line[done:start])
        done = end
    kept.append(line[done:])
    return " ".join(kept)


def quiet_parts(text: str, opening: re.Pattern[str], endings: Endings) -> Iterator[tuple[int, int]]:
    """Where the parts of a text are, as offsets. A part that something closes, and nothing does, is left out.

    `endings` says what closes a part, by what opens it. What is not in it is a part by itself.
    """
    #: Up to where each kind was read without an end: one more that opens before that has no end either.
    unclosed: dict[str, int] = {}
    position = 0
    while (begin := opening.search(text, position)) is not None:
        position = begin.end()
        kind = begin[0]
        if kind in endings:
            if position <= unclosed.get(kind, 0):
                continue
            inside_pattern, closing = endings[kind]
            inside = inside_pattern.match(text, position)
            assert inside is not None, "BUG: the inside of a part can be empty"
            if not text.startswith(closing, inside.end()):
                unclosed[kind] = inside.end()
                continue
            position = inside.end() + len(closing)
        yield begin.start(), position
