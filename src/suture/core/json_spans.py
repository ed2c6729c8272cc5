"""Where the values of a JSON text are, so that one can be replaced and every other byte stays as it is."""

from __future__ import annotations

import re
from json import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    #: Where a value begins, and where it ends.
    Span = tuple[int, int]

_STRING = re.compile(r'"(?:[^"\\]++|\\.)*+"', re.DOTALL)
_SPACE = re.compile(r"[ \t\r\n]*+")
_LITERAL = re.compile(r"[-+.\w]++")
_BRACKET_OR_STRING = re.compile(r'"(?:[^"\\]++|\\.)*+"|[{}\[\]]', re.DOTALL)


def skip_space(text: str, at: int) -> int:
    """The offset of the next character that is not whitespace."""
    space = _SPACE.match(text, at)
    assert space is not None, "BUG: it matches any text"
    return space.end()


def value_end(text: str, at: int) -> int:
    """The offset after the value that begins here.

    Raises:
        ValueError: there is no value, or it has no end.
    """
    first = text[at : at + 1]
    if first in ("{", "["):
        depth = 0
        for token in _BRACKET_OR_STRING.finditer(text, at):
            mark = token[0][0]
            if mark != '"':
                depth += 1 if mark in "{[" else -1
                if depth == 0:
                    return token.end()
    elif (scalar := (_STRING if first == '"' else _LITERAL).match(text, at)) is not None:
        return scalar.end()
    message = f"expected a JSON value at offset {at}"
    raise ValueError(message)


def item_spans(text: str, at: int) -> Iterator[Span]:
    """Where the items are of the list that begins here.

    Raises:
        ValueError: it is not a list.
    """
    yield from _parts(text, at, "]")


def member_spans(text: str, at: int) -> Iterator[tuple[str, Span]]:
    """Each name of the object that begins here, with where its value is.

    Raises:
        ValueError: it is not an object.
    """
    name = ""
    for number, (start, end) in enumerate(_parts(text, at, "}")):
        if number % 2 == 0:
            name = str(loads(text[start:end]))
        else:
            yield name, (start, end)


def _parts(text: str, at: int, closing: str) -> Iterator[Span]:
    """Where the values are of a list, or the names and values of an object."""
    at = skip_space(text, at + 1)
    while text[at : at + 1] != closing:
        end = value_end(text, at)
        yield at, end
        at = skip_space(text, end)
        if text[at : at + 1] in (",", ":"):
            at = skip_space(text, at + 1)
        elif text[at : at + 1] != closing:
            message = f"expected a comma or the end of the value at offset {at}"
            raise ValueError(message)
