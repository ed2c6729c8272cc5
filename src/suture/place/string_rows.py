"""The lines of a text that begin inside of a string: another indentation would change what the program says."""

from __future__ import annotations

import io
import tokenize

from ..core.python_source import UNPARSABLE
from ..core.value import Value
from .syntax import tree_root

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: What tokenize raises about a text that is no Python.
_NO_TOKENS = (tokenize.TokenError, *UNPARSABLE)
#: The tokens around an f-string, from Python 3.12 on.
_STARTS = tuple([getattr(tokenize, name) for name in ("FSTRING_START", "TSTRING_START") if hasattr(tokenize, name)])
_ENDS = tuple([getattr(tokenize, name) for name in ("FSTRING_END", "TSTRING_END") if hasattr(tokenize, name)])
#: Tokens of Python behind which a string is a statement of its own.
_BETWEEN = (tokenize.NEWLINE, tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING, tokenize.COMMENT)


class StringRows(Value):
    """The lines that begin inside of one string, from 0; `last` is included."""

    first: int
    last: int
    is_docstring: bool = False


def inside_strings(path: str, text: str) -> list[StringRows]:
    """The lines of each string of several lines, in the language of a path; none where no parser can tell."""
    ending = path.rpartition("/")[2].rpartition(".")[2].lower()
    if "\n" not in text:
        return []
    if ending in ("py", "pyi"):
        return _of_python(text)
    root = tree_root(ending, text.encode("utf-8", "replace"))
    return [] if root is None else _of_tree(root)


def _of_python(text: str) -> list[StringRows]:
    """The lines of each string of several lines in a Python text; if it does not parse, of those up to the mistake."""
    strings: list[StringRows] = []
    #: The lines at which f-strings begin that are open, from the outermost to the innermost.
    open_strings: list[int] = []
    is_statement = True
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            # Tokens count lines from 1: the line after the first one, from 0, has the number of the first.
            first_line, last_line = token.start[0], token.end[0]
            if token.type in _STARTS:
                open_strings.append(first_line)
            elif token.type in _ENDS:
                first_line = open_strings.pop()
                if not open_strings and last_line > first_line:
                    strings.append(StringRows(first_line, last_line - 1))
            elif token.type == tokenize.STRING and not open_strings and last_line > first_line:
                strings.append(StringRows(first_line, last_line - 1, is_statement))
            is_statement = token.type in _BETWEEN
    except _NO_TOKENS:
        # The rest is known by no token: the text is refused, as it does not parse.
        return strings
    return strings


def _of_tree(root: Any) -> list[StringRows]:  # noqa: ANN401 - a node of tree-sitter
    """The lines of each string of several lines in a text that tree-sitter has parsed."""
    strings: list[StringRows] = []
    pending = [root]
    while pending:
        node = pending.pop()
        (first, column), (last, _) = node.start_point, node.end_point
        if first == last:
            continue
        is_heredoc = "heredoc" in node.type or "nowdoc" in node.type
        is_string = "string" in node.type and node.type not in ("concatenated_string", "chained_string")
        if is_heredoc and column == 0:
            # It begins with a line of its own.
            strings.append(StringRows(first, last))
        elif is_heredoc or is_string:
            strings.append(StringRows(first + 1, last))
        else:
            pending += node.children
    return strings
