"""Globs: which of them a path matches, however its letters are written.

`**` is any number of parts, `*` any characters within a part, `?` one of them; all other characters are literal, and so
are these three after a backslash: `*`, `?` and the backslash. A glob is matched against the path relative to its root.
Both are folded first: some file systems take `.GIT`, a `.git` with an invisible character in it, or the short name
`GIT~1` for `.git`, and none of these must get around a glob.
"""

from __future__ import annotations

from ..core.display import safe_text
from ..core.paths import ESCAPED
from ..core.system import WINDOWS
from .glob_automaton import ANY, FOLDERS, MANY, ONE, REST, GlobAutomaton, longest_literal
from .workspace_limits import LONGEST_GLOB, MOST_SHARED_GLOBS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from .glob_automaton import Token

_WILDCARDS = {"*": MANY, "?": ONE}
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
    from unicodedata import normalize

    # Case folding and composition affect one another, so the text is normalized before and after.
    folded = normalize("NFD", normalize("NFD", text).casefold())
    ignored = {ord(character): None for character in set(folded) if _is_ignored(character)}
    if ignored:
        folded = folded.translate(ignored)
    return normalize("NFC", folded)


def _is_ignored(character: str) -> bool:
    from unicodedata import category

    code = ord(character)
    return category(character) == "Cf" or any(first <= code <= last for first, last in _IGNORED)


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

    Raises:
        ValueError: a glob is too long.
    """

    def __init__(
        self, globs: Iterable[str], *, below: bool = False, exceptions: Mapping[str, tuple[str, ...]] | None = None
    ) -> None:
        self._globs = tuple(globs)
        for glob in self._globs:
            fault = glob_fault(glob)
            if fault:
                message = f"the glob {safe_text(glob)} {fault}"
                raise ValueError(message)
        self._below = below
        self._tokens = [glob_tokens(glob) for glob in self._globs]
        self._exceptions = exceptions or {}
        # Most paths contain none of the literal parts, and then no automaton is needed.
        self._literals = tuple(dict.fromkeys([longest_literal(tokens) for tokens in self._tokens]))
        self._automaton: GlobAutomaton | None = None

    def __bool__(self) -> bool:
        return bool(self._globs)

    def matching(self, path: str) -> list[str]:
        """The globs that a relative path matches."""
        return [self._globs[number] for number in self.matching_numbers(path)]

    def matching_numbers(self, path: str) -> Sequence[int]:
        """The same as numbers of the globs, in order."""
        folded = _fold_path(path)
        for literal in self._literals:
            if literal in folded:
                break
        else:
            return ()
        if self._automaton is None:
            self._automaton = GlobAutomaton(self._tokens, below=self._below)
        numbers = self._automaton.matches(folded)
        if not self._exceptions:
            return numbers
        return [number for number in numbers if not self._is_exception(self._globs[number], path)]

    def _is_exception(self, glob: str, path: str) -> bool:
        return bool(shared_globs(self._exceptions.get(glob, ())).matching(path))


def glob_fault(glob: str) -> str:
    """What is wrong with a glob; empty if nothing is."""
    return f"is longer than {LONGEST_GLOB:,} characters" if len(glob) > LONGEST_GLOB else ""


_SHARED: dict[object, Globs] = {}


def shared_globs(
    globs: Iterable[str], *, below: bool = False, exceptions: Mapping[str, tuple[str, ...]] | None = None
) -> Globs:
    """A set of globs, the same object for the same globs: to make one takes as long as a small edit in memory."""
    globs = tuple(globs)
    key = (globs, below, *(exceptions or {}).items())
    shared = _SHARED.get(key)
    if shared is None:
        if len(_SHARED) >= MOST_SHARED_GLOBS:
            _SHARED.clear()
        shared = _SHARED[key] = Globs(globs, below=below, exceptions=exceptions)
    return shared


def excluder(globs: Iterable[str]) -> Callable[[str], bool] | None:
    """A function that says whether globs exclude a path; None if there are no globs.

    A glob without a slash matches in every directory, and one that matches a directory matches all that is below it.
    """
    listed = [globs] if isinstance(globs, str) else list(globs)
    if not listed:
        return None
    matcher = Globs([glob if "/" in glob else f"**/{glob}" for glob in listed], below=True)

    def is_excluded(path: str) -> bool:
        return bool(matcher.matching(path.removeprefix("./")))

    return is_excluded


def glob_tokens(glob: str, *, windows: bool = WINDOWS) -> list[Token]:
    """A glob as tokens for a whole folded path."""
    # On Windows no name has a wildcard in it that could be escaped: a backslash is a slash there.
    text = fold(glob).replace("\\", "/") if windows else fold(glob)
    parts = [part for part in text.split("/") if part not in {"", "."}]
    tokens: list[Token] = []
    for number, part in enumerate(parts, 1):
        is_last = number == len(parts)
        if part == "**" and is_last:
            # At least one character, so that the directory itself is not meant.
            tokens += (ANY, REST)
        elif part == "**":
            tokens.append(FOLDERS)
        else:
            tokens += _part_tokens(part)
            if not is_last:
                tokens.append("/")
    return tokens


def _part_tokens(part: str) -> list[Token]:
    """One part of a glob as tokens."""
    tokens: list[Token] = []
    characters = iter(enumerate(part, 1))
    for end, character in characters:
        if character == "\\" and part[end : end + 1] in ESCAPED:
            tokens.append(next(characters)[1])
        else:
            tokens.append(_WILDCARDS.get(character, character))
    return tokens
