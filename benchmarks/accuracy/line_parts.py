"""Which parts of a line are code, which are quoted strings, and which are comments.

It looks at one line alone, so a line inside a string or a comment of several lines counts as code. That is good enough
to choose a word that is to be changed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath

#: The marks that begin a comment, by the suffixes of files.
COMMENT_MARKS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys("py pyi rb sh bash zsh fish pl pm r jl ex exs nix ps1".split(), ("#",)),
    **dict.fromkeys("yaml yml toml cfg ini".split(), ("#", ";")),
    **dict.fromkeys(
        "js jsx mjs ts tsx go rs java kt kts swift c h cc cpp hpp cs dart scala gradle proto zig scss".split(),
        ("//", "/*"),
    ),
    "php": ("//", "#", "/*"),
    "css": ("/*",),
    **dict.fromkeys("lua hs sql".split(), ("--",)),
    "clj": (";",),
    "json": (),
}
#: Files of keys and values, where only the keys count as code.
KEYED = frozenset("yaml yml toml cfg ini json".split())
PROSE = frozenset("md rst txt".split())
HEADING = re.compile(r"#{1,6} \S")
WORD = re.compile(r"[^\W\d]\w*")
KEY = re.compile(r"[\s-]*\"?([^\W\d][\w.-]*)\"?\s*[:=]")


@dataclass(frozen=True, slots=True)
class LineParts:
    """The ranges of a line that are inside of quotes, and where its comment begins (its length if it has none)."""

    strings: tuple[range, ...]
    comment: int

    def is_code(self, at: int) -> bool:
        """Whether the character at an index is neither in a string nor in a comment."""
        return at < self.comment and not any(at in string for string in self.strings)


def suffix_of(path: str) -> str:
    """The suffix of a file, without its dot."""
    return PurePosixPath(path).suffix[1:]


def parts_of(line: str, path: str) -> LineParts:
    """The strings and the comment of a line."""
    marks = COMMENT_MARKS.get(suffix_of(path), ())
    strings: list[range] = []
    at = 0
    while at < len(line):
        if line.startswith(marks, at):
            return LineParts(tuple(strings), at)
        end = _closing_quote(line, at) if line[at] in "\"'`" else None
        if end is None:
            at += 1
        else:
            strings.append(range(at + 1, end))
            at = end + 1
    return LineParts(tuple(strings), len(line))


def _closing_quote(line: str, at: int) -> int | None:
    """The index of the quote that closes the one at an index; nothing where it is an apostrophe, or stays open."""
    if line[at] == "'" and at and line[at - 1].isalnum():
        return None
    end = at + 1
    while end < len(line) and line[end] != line[at]:
        end += 2 if line[end] == "\\" else 1
    return end if end < len(line) else None


def is_comment(line: str, path: str) -> bool:
    """Whether a line is nothing but a comment."""
    marks = COMMENT_MARKS.get(suffix_of(path), ())
    text = line.strip()
    return text.startswith(marks) or ("/*" in marks and text.startswith("*"))


def code_words(line: str, path: str) -> list[re.Match[str]]:
    """The names in the code of a line: all of its words, the key of a line of data, the words of a heading."""
    suffix = suffix_of(path)
    if suffix in PROSE:
        return list(WORD.finditer(line)) if HEADING.match(line) else []
    if suffix not in COMMENT_MARKS or is_comment(line, path):
        return []
    parts = parts_of(line, path)
    words = [word for word in WORD.finditer(line) if parts.is_code(word.start())]
    if suffix in KEYED:
        key = KEY.match(line)
        words = [word for word in WORD.finditer(line) if key and word.span() == key.span(1)]
    return words
