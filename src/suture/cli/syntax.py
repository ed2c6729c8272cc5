"""Colors for the unchanged code in a diff: comments, strings, numbers and common keywords, line by line.

It knows what many languages share, not their grammars; at worst a line has the wrong colors.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from re import Pattern

    from .screen import Screen

#: How comments begin, with file extensions.
COMMENTS = {
    "#": "py pyi sh bash zsh fish rb pl r yaml yml toml cfg ini mk cmake dockerfile makefile jl nix tf",
    "//": "js jsx ts tsx mjs cjs c h cc cpp cxx hpp cs go java kt kts rs swift scala dart php proto zig json jsonc",
    "--": "sql lua hs elm ada",
}
KEYWORDS = (
    "and as async await break case catch class const continue def default del do elif else enum except export extends "
    "false False finally fn for from func function go if impl import in interface is lambda let match mod mut new nil "
    "None not null or package pass pub raise return self static struct super switch this throw trait true True try "
    "type undefined use var void while with yield"
)
MOST_CHARACTERS = 400


class Syntax:
    """The colors for the lines of one file, by its extension; none if it is unknown."""

    def __init__(self, path: str) -> None:
        ending = path.rstrip('\t"').rpartition("/")[2].rpartition(".")[2].lower()
        self._comment = next((sign for sign, endings in COMMENTS.items() if ending in endings.split()), "")
        self._pattern: Pattern[str] | None = None

    def colorize(self, screen: Screen, line: str) -> str:
        """A line of code in colors."""
        if not self._comment or len(line) > MOST_CHARACTERS or not screen.color:
            return line
        if self._pattern is None:
            from re import compile as compile_pattern, escape

            self._pattern = compile_pattern(
                f"(?P<dim>{escape(self._comment)}.*)"
                r"""|(?P<yellow>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`)"""
                rf"|\b(?:(?P<magenta>{KEYWORDS.replace(' ', '|')})|(?P<blue>\d[\w.]*))\b"
            )
        return self._pattern.sub(lambda match: screen.style(match[0], match.lastgroup or "dim"), line)
