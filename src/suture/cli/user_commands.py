"""Command lines that people write into variables, settings and options, such as `VISUAL`."""

from __future__ import annotations

import shlex
from shutil import which

from ..core.system import WINDOWS


def split_words(text: str, *, escapes: bool = not WINDOWS) -> list[str]:
    """The words of a line. Quotation marks keep blanks in a word. On Windows, a backslash is a part of a path.

    Raises:
        ValueError: a quotation mark is not closed.
    """
    words = shlex.shlex(text, posix=True, punctuation_chars=False)
    words.whitespace_split = True
    words.commenters = ""
    if not escapes:
        words.escape = ""
    return list(words)


def user_command(text: str, *, windows: bool = WINDOWS) -> list[str]:
    """The program and the arguments of a command line.

    Raises:
        ValueError: a quotation mark is not closed.
    """
    words = split_words(text, escapes=not windows)
    if windows and words:
        # Many programs there are scripts, such as code.cmd, which start only by their whole name.
        words[0] = which(words[0]) or words[0]
    return words
