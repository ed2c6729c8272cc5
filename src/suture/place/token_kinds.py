"""What counts as one token of a text although it has spaces or signs in it, by language: quoted texts and comments.

Without that, the spaces of a quoted text would be layout, and a quote in it would count as its end. A text without an
end goes on to the end of its line, or of the file if it may have several lines: it is then compared as it is.
"""

from __future__ import annotations

import re

from ..core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_COMMENT = r"/\*(?:.*?\*/|.*)|//[^\r\n]*"
_ONE_LINE = r"{0}(?:\\.|[^{0}\\\n])*+(?:{0}|(?=\n)|\\?\Z)"
_DOUBLE, _SINGLE = _ONE_LINE.format('"'), _ONE_LINE.format("'")
_THREE_QUOTES = r'"""(?:\\.|.)*?(?:"""|\Z)'
_BACK_QUOTES = r"`(?:\\.|[^`\\])*+(?:`|\\?\Z)"
#: A character in single quotes, which in Rust and Go also begin or are something else.
_CHARACTER = r"'(?:\\(?:u\{\w+\}|[^\n][\w]{0,8})|[^'\\\n])'"
#: A regular expression of JavaScript, which can only be where a value begins. The space in front is no part of it.
_EXPRESSION = (
    r"(?:(?<=[(,=:\[!&|?;{}])\s*+|(?<=\breturn)\s++)"
    r"(/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*+(?:\]|(?=\n)|\\?\Z)|[^/\\\[\n])++(?:/\w*|(?=\n)|\\?\Z))"
)
_RAW = r"\bb?r(?:\".*?(?:\"|\Z)|#\".*?(?:\"#|\Z)|##\".*?(?:\"##|\Z))"
_SEVERAL_LINES = r'"(?:\\.|[^"\\])*+(?:"|\\?\Z)'
#: A number of Python with a point, which a formatter puts a zero beside.
_POINT_NUMBER = r"(?<![\w.])(?:\d[\d_]*\.\w*|\.\d\w*)"
#: A backslash at the end of a line continues it, and is whitespace.
_WORD_OR_SIGN = r"\w+|(?!\\\r?\n)[^\w\s,;()]"

_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
#: What may be the key of an object without quotes.
_PLAIN_KEY = re.compile(r"(?:[A-Za-z_$][\w$]*|0|[1-9]\d{0,8})\Z")


class TokenKind(Value):
    """How the texts of a language are split. With `has_free_quotes`, both kinds of quotes mean the same.

    With `has_free_keys`, the keys of objects mean the same with and without quotes.
    """

    #: What matches a token, or has it as a group.
    pattern: re.Pattern[str]
    has_free_quotes: bool
    has_free_keys: bool = False


def _pattern(*parts: str) -> re.Pattern[str]:
    return re.compile("|".join([*parts, _WORD_OR_SIGN]), re.DOTALL)


#: Words and signs alone, for languages with a parser that tells whether two texts say the same.
WORDS = TokenKind(_pattern(_POINT_NUMBER), has_free_quotes=True)
_SCRIPT = TokenKind(
    _pattern(_EXPRESSION, _COMMENT, _BACK_QUOTES, _DOUBLE, _SINGLE, r"[\w$]+"), has_free_quotes=True, has_free_keys=True
)
_FREE_QUOTES = TokenKind(_pattern(_COMMENT, _THREE_QUOTES, "'''.*?(?:'''|\\Z)", _DOUBLE, _SINGLE), has_free_quotes=True)
#: For Python that the parser can't read.
OLD_PYTHON = TokenKind(
    _pattern(r"#[^\r\n]*", _THREE_QUOTES, "'''.*?(?:'''|\\Z)", _DOUBLE, _SINGLE), has_free_quotes=True
)
_SINGLE_QUOTES = TokenKind(_pattern(_COMMENT, _DOUBLE, _SINGLE), has_free_quotes=False)
_PHP = TokenKind(_pattern(r"#(?!\[)[^\r\n]*", _COMMENT, _DOUBLE, _SINGLE), has_free_quotes=False)
_SQL = TokenKind(_pattern(r"--[^\r\n]*", _COMMENT, _DOUBLE, _SINGLE), has_free_quotes=False)
_RUST = TokenKind(_pattern(_COMMENT, _RAW, _SEVERAL_LINES, _CHARACTER), has_free_quotes=False)
_GO = TokenKind(_pattern(_COMMENT, _BACK_QUOTES, _DOUBLE, _CHARACTER), has_free_quotes=False)
_OTHERS = TokenKind(_pattern(_COMMENT, _THREE_QUOTES, _DOUBLE, _CHARACTER), has_free_quotes=False)
_KINDS = {
    **dict.fromkeys("cjs cts js jsx mjs mts ts tsx".split(), _SCRIPT),
    **dict.fromkeys("css dart less scss".split(), _FREE_QUOTES),
    "php": _PHP,
    "proto": _SINGLE_QUOTES,
    "sql": _SQL,
    "rs": _RUST,
    "go": _GO,
}


def token_kind(ending: str) -> TokenKind:
    """How texts in files with an ending are split, in a language whose layout is free."""
    return _KINDS.get(ending, _OTHERS)


def token_spans(kind: TokenKind, text: str) -> list[tuple[int, int]]:
    """Where each token of a text is."""
    return [match.span(match.lastindex or 0) for match in kind.pattern.finditer(text)]


def token_keys(kind: TokenKind, text: str, spans: Sequence[tuple[int, int]]) -> list[str]:
    """What each token of a text is compared by."""
    keys = [text[start:end] for start, end in spans]
    for number, key in enumerate(keys):
        if key[0] in "'\"" and kind.has_free_quotes:
            keys[number] = _quoted_key(key)
            if kind.has_free_keys and _is_object_key(text, spans, keys, number):
                keys[number] = keys[number][1:]
        elif key.startswith(("/*", "//")):
            keys[number] = " ".join(key.split())
    return keys


def _quoted_key(written: str) -> str:
    """A quoted text with one sign in front, which says nothing about the quotes that it is written in."""
    if len(written) == 1:
        return '"'
    if written[-1] != written[0]:
        # It has no end.
        return written
    # Within one kind of quotes, the other one needs no escape.
    inner = _ESCAPE.sub(lambda match: match[1] if match[1] in "'\"" else match[0], written[1:-1])
    return f'"{inner}'


def _is_object_key(text: str, spans: Sequence[tuple[int, int]], keys: Sequence[str], number: int) -> bool:
    """Whether a quoted text is the key of an object, and can be without quotes."""
    has_neighbors = 0 < number < len(keys) - 1
    if not has_neighbors or keys[number + 1] != ":" or not _PLAIN_KEY.match(keys[number], 1):
        return False
    start, end = spans[number]
    end_of_previous, start_of_next = spans[number - 1][1], spans[number + 1][0]
    if text[end:start_of_next].strip():
        return False
    before = "".join(text[end_of_previous:start].split())
    is_first = keys[number - 1] == "{" and not before
    return is_first or before.endswith(",")
