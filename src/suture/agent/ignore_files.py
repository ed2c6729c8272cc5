"""`.gitignore` files: what they leave out, as git does it.

Git compares bytes: `?` is one byte of a name. So here a text has a character for each byte.

A search goes down from directory to directory, so each file is asked about one name at a time. What the names so far
have led to in its automaton is kept, and no path is matched from its beginning again.
"""

from __future__ import annotations

import os

from ..workspace.glob_automaton import FOLDERS, GlobAutomaton
from .shell_patterns import shell_tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from ..workspace.glob_automaton import Token, Work


class _IgnoreLine:
    """One line of a `.gitignore` file."""

    def __init__(self, line: str) -> None:
        self.is_negated = line.startswith("!")
        pattern = line.removeprefix("!")
        #: Whether it is about directories only.
        self.folders_only = pattern.endswith("/")
        pattern = pattern.removesuffix("/")
        tokens = shell_tokens(pattern.removeprefix("/")) if pattern.strip("/") else None
        if tokens is not None and "/" not in pattern:
            tokens = [FOLDERS, *tokens]
        #: None if nothing can match it.
        self.tokens: list[Token] | None = tokens


class IgnoreFile:
    """The lines of one `.gitignore` file. What its automaton does is counted in `work`."""

    def __init__(self, content: bytes, work: Work | None = None) -> None:
        lines = [_IgnoreLine(line) for line in _lines(content)]
        self._lines = [line for line in lines if line.tokens is not None]
        self.automaton = GlobAutomaton([line.tokens or [] for line in self._lines], work=work)
        numbers = range(len(self._lines))
        self._ends_for_folders = self.automaton.ends_of(numbers)
        self._ends_for_files = self.automaton.ends_of(
            [number for number in numbers if not self._lines[number].folders_only]
        )

    def verdict(self, places: int, *, is_folder: bool) -> bool | None:
        """Whether the path that led to these places is left out; None if no line is about it."""
        ends = self._ends_for_folders if is_folder else self._ends_for_files
        last = self.automaton.last_match(places, ends)
        return None if last is None else not self._lines[last].is_negated


class IgnoreRules:
    """The `.gitignore` files of a directory and of those above it, outermost first, with their places there."""

    def __init__(self, files: Sequence[tuple[IgnoreFile, int]] = ()) -> None:
        self._files = tuple(files)

    def and_also(self, file: IgnoreFile) -> Self:
        """These rules, and those of a file in the directory itself."""
        return type(self)([*self._files, (file, file.automaton.run(""))])

    def ignores(self, name: str, *, is_folder: bool) -> bool:
        """Whether a name in the directory is left out. The innermost file that is about it decides."""
        if name == ".git":
            return True
        text = _bytes_text(name)
        for file, places in reversed(self._files):
            verdict = file.verdict(file.automaton.run(text, places), is_folder=is_folder)
            if verdict is not None:
                return verdict
        return False

    def below(self, name: str) -> Self:
        """The rules for a directory in this one."""
        text = _bytes_text(f"{name}/")
        return type(self)([(file, file.automaton.run(text, places)) for file, places in self._files])


def _bytes_text(name: str) -> str:
    """A name as a text with a character for each byte."""
    return name if name.isascii() else os.fsencode(name).decode("latin-1")


def _lines(content: bytes) -> list[str]:
    """The lines that have patterns, without what git strips from them."""
    text = content.removeprefix(b"\xef\xbb\xbf").decode("latin-1")
    lines = [_strip_blanks(line.removesuffix("\r")) for line in text.split("\n")]
    return [line for line in lines if line and not line.startswith("#")]


def _strip_blanks(line: str) -> str:
    """A line without the blanks at its end, unless a backslash is before them."""
    stripped = line.rstrip(" ")
    backslashes = len(stripped) - len(stripped.rstrip("\\"))
    is_escaped = backslashes % 2 == 1 and len(stripped) < len(line)
    return f"{stripped} " if is_escaped else stripped
