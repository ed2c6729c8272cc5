"""Whether an edit that has no place in a file may have one in an earlier text of it, told without a search.

The two texts differ only in the lines that have changed since. So only an edit that has a word in common with these
lines, or with those beside them, can have a place in one text and none in the other.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING

from ..core.line_diff import changed_blocks
from ..core.patch import EditFile, UpdateFile
from ..core.string_edits import StringEdit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.patch import Operation, Patch

#: A word of code, or one character of a script that may be written without spaces.
_WORD = re.compile(r"[0-9A-Za-z_]+|[^\W\x00-\x7f]")
#: What a model may have written for a character, such as a newline: the letter in it is not one of the next word.
_ESCAPE = re.compile(r"\\.")


def words_looked_for(sent: Patch | tuple[StringEdit, ...] | None) -> frozenset[str]:
    """The words of all texts that an edit looks for; none if a part of it finds its place in another way."""
    if sent is None:
        return frozenset()
    parts: Sequence[Operation | StringEdit] = sent if isinstance(sent, tuple) else sent.operations
    words: set[str] = set()
    for part in parts:
        words_of_part = _words_of(part)
        if not words_of_part:
            return frozenset()
        words |= words_of_part
    return frozenset(words)


def may_fit_earlier(words: frozenset[str], earlier: Sequence[str], now: Sequence[str]) -> bool:
    """Whether an edit that looks for these words, and does not fit the lines of a file, may fit earlier ones.

    If nothing is known of its words, it may.
    """
    if not words:
        return True
    return any(not words.isdisjoint(_words(line)) for line in _lines_at_changes(earlier, now))


def _words_of(part: Operation | StringEdit) -> set[str]:
    """The words that a part of an edit looks for; none if it has none, or finds its place in another way."""
    words: set[str] = set()
    if isinstance(part, StringEdit):
        # It may begin and end inside of a word.
        words.update(_words(part.old)[1:-1])
    elif isinstance(part, EditFile):
        for edit in part.edits:
            words.update(_words(edit.old)[1:-1])
    elif isinstance(part, UpdateFile):
        for hunk in part.hunks:
            if hunk.line_hint is not None:
                return set()
            for line in (*hunk.anchors, hunk.heading, *hunk.old):
                words.update(_words(line))
    return words


def _lines_at_changes(earlier: Sequence[str], now: Sequence[str]) -> list[str]:
    """The lines of both texts that differ, and on each side of them the nearest line that has a word."""
    with_words = [number for number, line in enumerate(earlier) if _WORD.search(line)]
    lines: list[str] = []
    for start, end, start_now, end_now in changed_blocks(earlier, now):
        lines += earlier[start:end]
        lines += now[start_now:end_now]
        above = bisect_left(with_words, start) - 1
        below = bisect_left(with_words, end)
        if above >= 0:
            lines.append(earlier[with_words[above]])
        if below < len(with_words):
            lines.append(earlier[with_words[below]])
    return lines


def _words(text: str) -> list[str]:
    """The words of a text in lower case."""
    return _WORD.findall(_ESCAPE.sub(" ", text).lower())
