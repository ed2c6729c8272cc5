"""Globs over paths: which of them a path matches, without regard to how its letters are written.

`**` is any number of parts, `*` any characters of one part, `?` one of them; all others mean themselves. A glob is held
against the path relative to its root. Both are folded first: file systems exist that take `.GIT`, a `.git` with an
invisible character in it, and the short name `GIT~1` for `.git`, and a glob must not be got round on any of them.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from re import Pattern

#: Characters without a shape that file systems may pass over, beside those of the category Cf.
_IGNORED = (
    (0x034F, 0x034F),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFFA0, 0xFFA0),
    (0xE0000, 0xE0FFF),
)


def fold(text: str) -> str:
    """A path or glob with all spellings of a name that a file system may hold equal made one."""
    if text.isascii():
        return text.lower()
    from unicodedata import category, normalize

    def shown(character: str) -> bool:
        code = ord(character)
        return category(character) != "Cf" and not any(first <= code <= last for first, last in _IGNORED)

    # Folding can bring forth what can be composed and the reverse, so it stands between two normal forms.
    folded = normalize("NFD", normalize("NFD", text).casefold())
    return normalize("NFC", "".join(filter(shown, folded)))


def _fold_path(path: str) -> str:
    folded = fold(path)
    if "~" not in folded:
        return folded
    return "/".join(map(_long_name, folded.split("/")))


def _long_name(part: str) -> str:
    """The hidden name that FAT and NTFS know under this short one: they make GIT~1 of .git."""
    stem, _, number = part.partition("~")
    return f".{stem}" if stem in {"git", "env"} and number.isdigit() else part


class Globs:
    """A set of globs. With `below`, what a glob matches it matches with all that is in it.

    `exceptions` are globs by the glob that they are exceptions of.
    """

    def __init__(
        self, globs: Iterable[str], *, below: bool = False, exceptions: Mapping[str, tuple[str, ...]] | None = None
    ) -> None:
        self._globs = tuple(globs)
        self._below = below
        self._exceptions = exceptions or {}
        # Most paths hold nothing of what the globs say, and then no expression is needed.
        self._literals = tuple([_longest_literal(glob) for glob in self._globs])
        self._pattern: Pattern[str] | None = None

    def __bool__(self) -> bool:
        return bool(self._globs)

    def matching(self, path: str) -> list[str]:
        """The globs that a relative path matches."""
        folded = _fold_path(path)
        for literal in self._literals:
            if literal in folded:
                break
        else:
            return []
        import re

        if self._pattern is None:
            self._pattern = re.compile("|".join(map(self._expression, self._globs)), re.DOTALL)
        if not self._pattern.fullmatch(folded):
            return []
        return [glob for glob in self._globs if re.fullmatch(self._expression(glob), folded, re.DOTALL)]

    def _expression(self, glob: str) -> str:
        exceptions = "|".join(map(_expression, self._exceptions.get(glob, ())))
        lookahead = rf"(?!(?:{exceptions})\Z)" if exceptions else ""
        return f"(?:{lookahead}{_expression(glob)}{'(?:/.*)?' if self._below else ''})"


def _parts(glob: str) -> list[str]:
    return [part for part in fold(glob).split("/") if part not in {"", "."}]


def _longest_literal(glob: str) -> str:
    pieces = [piece for part in _parts(glob) for piece in part.replace("?", "*").split("*")]
    return max(pieces, key=len, default="")


def _expression(glob: str) -> str:
    """The regular expression of a glob, for a whole folded path."""
    from re import escape

    expression = ""
    parts = _parts(glob)
    for number, part in enumerate(parts, 1):
        last = number == len(parts)
        if part == "**":
            expression += ".+" if last else "(?:.*/)?"
        else:
            wild = {"*": "[^/]*", "?": "[^/]"}
            expression += "".join([wild.get(character) or escape(character) for character in part])
            expression += "" if last else "/"
    return expression
