"""Globs: which of them a path matches, however its letters are written.

`**` is any number of parts, `*` any characters within a part, `?` one of them; all other characters are literal. A glob
is matched against the path relative to its root. Both are folded first: some file systems take `.GIT`, a `.git` with an
invisible character in it, or the short name `GIT~1` for `.git`, and none of these must get around a glob.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from re import Pattern

#: Invisible characters that file systems may ignore, in addition to those of the category Cf.
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
    """A path or glob in a form that is equal for all names that a file system may treat as equal."""
    if text.isascii():
        return text.lower()
    from unicodedata import category, normalize

    def is_visible(character: str) -> bool:
        code = ord(character)
        return category(character) != "Cf" and not any(first <= code <= last for first, last in _IGNORED)

    # Case folding and composition affect one another, so the text is normalized before and after.
    folded = normalize("NFD", normalize("NFD", text).casefold())
    return normalize("NFC", "".join(filter(is_visible, folded)))


def _fold_path(path: str) -> str:
    folded = fold(path)
    if "~" not in folded:
        return folded
    return "/".join(map(_long_name, folded.split("/")))


def _long_name(part: str) -> str:
    """The name that FAT and NTFS shorten to this one: .git has the short name GIT~1."""
    stem, _, number = part.partition("~")
    return f".{stem}" if stem in {"git", "env"} and number.isdigit() else part


class Globs:
    """A set of globs. With `below`, a glob also matches everything below what it matches.

    `exceptions` maps a glob to the globs of paths that it does not match.
    """

    def __init__(
        self, globs: Iterable[str], *, below: bool = False, exceptions: Mapping[str, tuple[str, ...]] | None = None
    ) -> None:
        self._globs = tuple(globs)
        self._below = below
        self._exceptions = exceptions or {}
        # Most paths contain none of the literal parts, and then no regular expression is needed.
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
        if len(self._globs) == 1:
            return list(self._globs)
        return [glob for glob in self._globs if re.fullmatch(self._expression(glob), folded, re.DOTALL)]

    def _expression(self, glob: str) -> str:
        exceptions = "|".join(map(_expression, self._exceptions.get(glob, ())))
        lookahead = rf"(?!(?:{exceptions})\Z)" if exceptions else ""
        return f"(?:{lookahead}{_expression(glob)}{'(?:/.*)?' if self._below else ''})"


_SHARED: dict[object, Globs] = {}
#: How many sets of globs are kept.
_MOST_SHARED = 256


def shared_globs(
    globs: Iterable[str], *, below: bool = False, exceptions: Mapping[str, tuple[str, ...]] | None = None
) -> Globs:
    """A set of globs, the same object for the same globs: to make one takes as long as a small edit in memory."""
    globs = tuple(globs)
    key = (globs, below, *(exceptions or {}).items())
    found = _SHARED.get(key)
    if found is None:
        if len(_SHARED) >= _MOST_SHARED:
            _SHARED.clear()
        found = _SHARED[key] = Globs(globs, below=below, exceptions=exceptions)
    return found


def _parts(glob: str) -> list[str]:
    return [part for part in fold(glob).split("/") if part not in {"", "."}]


def _longest_literal(glob: str) -> str:
    pieces = [piece for part in _parts(glob) for piece in part.replace("?", "*").split("*")]
    return max(pieces, key=len, default="")


def excluder(globs: Iterable[str]) -> Callable[[str], bool] | None:
    """A function that says whether globs exclude a path; None if there are no globs.

    A glob without a slash matches in every directory, and one that matches a directory matches all that is below it.
    """
    given = [globs] if isinstance(globs, str) else list(globs)
    if not given:
        return None
    matcher = Globs([glob if "/" in glob else f"**/{glob}" for glob in given], below=True)

    def is_excluded(path: str) -> bool:
        return bool(matcher.matching(path.removeprefix("./")))

    return is_excluded


def _expression(glob: str) -> str:
    """A glob as a regular expression for a whole folded path.

    What a wild card has matched is not tried again, except for the last one of a part and of the glob: the first match
    leaves most to those after it. So the time grows with the length of the path only.
    """
    sequences: list[list[str]] = [[]]
    for part in _parts(glob):
        if part == "**":
            sequences.append([])
        else:
            sequences[-1].append(_part_expression(part))
    first, *others = sequences
    expression = "".join([f"{part}/" for part in first])
    if not others:
        return expression.removesuffix("/")
    *middle, last = others
    for sequence in filter(None, middle):
        expression += f"(?>(?:[^/]*/)*?{'/'.join(sequence)}/)"
    return expression + (f"(?:.*/)?{'/'.join(last)}" if last else ".+")


def _part_expression(part: str) -> str:
    """One part of a glob as a regular expression."""
    from re import escape

    pieces = [
        "".join([escape(character) if character != "?" else "[^/]" for character in piece]) for piece in part.split("*")
    ]
    first, *others = pieces
    if not others:
        return first
    *middle, last = others
    return first + "".join([f"(?>[^/]*?{piece})" for piece in middle if piece]) + f"[^/]*{last}"
