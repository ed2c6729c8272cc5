"""A program that finds the syntax colors of texts: `limited_process` starts it for the review page.

The texts are hostile, and the regular expressions of a lexer can take forever on some. So Pygments runs here only.

Standard input has a line of JSON (`packages`, the directory that Pygments is in, the `name` of the file, and the
`lengths` of the texts in bytes), then the texts. Standard output is JSON: for each text its lines, each as a flat list
of starts, ends and letters; null if there is no lexer for the file.
"""

from __future__ import annotations

import json
import sys
from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: The letter of each color, by the beginning of the name of a token. The first one that fits counts.
LETTERS = (
    ("Comment.Preproc", "t"),
    ("Comment", "c"),
    ("Literal.String", "s"),
    ("Literal.Number", "n"),
    ("Keyword.Type", "t"),
    ("Keyword", "k"),
    ("Operator.Word", "k"),
    ("Name.Function", "f"),
    ("Name.Class", "f"),
    ("Name.Tag", "f"),
    ("Name.Decorator", "t"),
    ("Name.Builtin", "t"),
    ("Name.Attribute", "t"),
    ("Generic.Heading", "k"),
    ("Generic.Subheading", "k"),
)


def letter_of(token: str) -> str:
    """The letter of a kind of token; empty if it has no color."""
    return next((letter for name, letter in LETTERS if token.startswith(name)), "")


def colors(lexer: Any, text: str) -> list[list[object]]:  # noqa: ANN401 - of a package that is found at run time
    """The colors of each line: starts, ends and letters, one after the other."""
    lines: list[list[object]] = [[]]
    column = 0
    for token, value in lexer.get_tokens(text):
        letter = letter_of(str(token).removeprefix("Token."))
        for number, piece in enumerate(value.split("\n")):
            if number:
                lines.append([])
                column = 0
            if letter and piece.strip():
                lines[-1] += [column, column + len(piece), letter]
            column += len(piece)
    return lines


def answer(given: dict[str, Any]) -> list[list[list[object]]] | None:
    """What is printed."""
    sys.path.append(given["packages"])
    lexers, util = import_module("pygments.lexers"), import_module("pygments.util")
    texts = [sys.stdin.buffer.read(length).decode("utf-8", "surrogatepass") for length in given["lengths"]]
    try:
        lexer = lexers.get_lexer_for_filename(given["name"], texts[-1], stripnl=False, ensurenl=False)
    except util.ClassNotFound:
        return None
    return [colors(lexer, text) for text in texts]


if __name__ == "__main__":
    json.dump(answer(json.loads(sys.stdin.buffer.readline())), sys.stdout)
