"""Finding a text whose white space may differ: by its rarest word, and a pattern in the window around it.

A pattern over a whole text is slow; a word is found fast. What has no rare word is not looked for: such a text says too
little to be found loosely.
"""

from __future__ import annotations

from .limits import (
    LONGEST_PATTERN,
    MOST_LOOKED_FOR,
    MOST_PIVOTS,
    MOST_WORDS,
    MOST_WORK,
    PATTERN_CANDIDATES,
    PATTERN_SLACK,
)
from .tiers import is_distinctive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def find_words(body: str, words: Sequence[str], between: str) -> list[tuple[int, int]]:
    """Where these words stand with only `between` between them, and are no part of longer words at the two ends."""
    size = sum(map(len, words))
    if not 1 <= len(words) <= MOST_WORDS or size > LONGEST_PATTERN:
        return []
    longest = sorted(filter(None, set(words)), key=len, reverse=True)
    # Every word must be there; the longest one that is not tells soonest.
    if not longest or any(word not in body for word in longest[:MOST_LOOKED_FOR]):
        return []
    counts = {word: body.count(word) for word in longest[:PATTERN_CANDIDATES]}
    rarest = min(counts, key=lambda word: counts[word])
    if counts[rarest] > MOST_PIVOTS or counts[rarest] * len(words) > MOST_WORK:
        return []
    from re import compile as compiled, escape

    before = r"(?<!\w)" if is_of_word(words[0][0]) else ""
    behind = r"(?!\w)" if is_of_word(words[-1][-1]) else ""
    pattern = compiled(before + between.join(map(escape, words)) + behind)
    reach = 2 * size + len(words) * 40 + PATTERN_SLACK
    spans: list[tuple[int, int]] = []
    position = body.find(rarest)
    while position >= 0:
        # Windows that overlap are searched as one, so that no part of the text is searched twice.
        first, last = max(0, position - reach), position + reach
        while (position := body.find(rarest, position + len(rarest))) >= 0 and position - reach <= last:
            last = position + reach
        # Places that overlap are places too.
        while (match := pattern.search(body, first, last)) is not None:
            spans.append(match.span())
            first = match.start() + 1
    return spans


def is_apart(body: str, start: int, end: int) -> bool:
    """Whether a span neither begins nor ends inside a word."""
    inside = 0 < start < len(body) and is_of_word(body[start - 1]) and is_of_word(body[start])
    return not inside and not (0 < end < len(body) and is_of_word(body[end - 1]) and is_of_word(body[end]))


def fills_lines(body: str, start: int, end: int) -> bool:
    """Whether nothing but white space shares its first and its last line with a span."""
    first = body.rfind("\n", 0, start) + 1
    last = body.find("\n", end)
    return not body[first:start].strip() and not body[end : len(body) if last < 0 else last].strip()


def whole_lines(body: str, start: int, end: int) -> tuple[int, int]:
    """A span with all of the lines that it begins and ends in, but for the last newline."""
    line_end = body.find("\n", end)
    return body.rfind("\n", 0, start) + 1, len(body) if line_end < 0 else line_end


def is_line_start(old: str) -> bool:
    """Whether a text begins as a line does: with a line break, a tab, or more than one blank."""
    return old[:1] in ("\n", "\t") or old[:2] == "  "


def has_edges(body: str, start: int, end: int, old: str) -> bool:
    """Whether a span without the blank ends of an old text begins and ends lines where that text does.

    A blank before a mere brace says so too.
    """
    first, last = old.strip().split("\n")[0], old.strip().split("\n")[-1]
    line_end = body.find("\n", end)
    before = body[body.rfind("\n", 0, start) + 1 : start].strip()
    behind = body[end : len(body) if line_end < 0 else line_end].strip()
    begins = is_line_start(old) or (old[:1].isspace() and not is_distinctive(first))
    ends = is_line_start(old[::-1]) or (old[-1:].isspace() and not is_distinctive(last))
    return not (begins and before) and not (ends and behind)


def is_of_word(character: str) -> bool:
    """Whether a character may be part of a word; a byte that is not a character may be."""
    return character.isalnum() or character == "_" or "\udc80" <= character <= "\udcff"
