"""Two texts side by side: which lines belong together, and in which words they differ."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from itertools import accumulate

from .message_limits import LONGEST_BY_WORD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Span = tuple[int, int]

#: How similar two lines must be for their differences to be marked.
LEAST_SIMILARITY = 0.4


def pair_lines(one: Sequence[str], other: Sequence[str]) -> Iterator[tuple[int | None, int | None]]:
    """The lines of two texts in pairs, by their indexes; None where a side has no line. Indentation does not count."""
    pairs = SequenceMatcher(None, [line.strip() for line in one], [line.strip() for line in other], autojunk=False)
    for _, a, b, c, d in pairs.get_opcodes():
        for step in range(max(b - a, d - c)):
            yield a + step if a + step < b else None, c + step if c + step < d else None


def changed_words(old: str, new: str) -> list[tuple[Span, Span]]:
    """The words in which two lines differ, as pairs of spans; none if the lines have too little in common."""
    if max(len(old), len(new)) > LONGEST_BY_WORD:
        return []

    one, other = (re.findall(r"\w+|\s+|[^\w\s]", line) for line in (old, new))
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    if matcher.ratio() < LEAST_SIMILARITY:
        return []
    old_starts, new_starts = ([0, *accumulate(map(len, words))] for words in (one, other))
    return [
        ((old_starts[a], old_starts[b]), (new_starts[c], new_starts[d]))
        for kind, a, b, c, d in matcher.get_opcodes()
        if kind != "equal"
    ]
