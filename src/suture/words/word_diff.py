"""Two texts side by side: which lines belong together, and in which words they differ.

Both are found by the comparison of lines, whose work is limited: a model or a file chooses these texts.
"""

from __future__ import annotations

import re
from itertools import accumulate, zip_longest

from ..core.line_diff import changed_blocks
from .message_limits import LONGEST_BY_WORD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Span = tuple[int, int]

#: How similar two lines must be for their differences to be marked.
LEAST_SIMILARITY = 0.4


def pair_lines(one: Sequence[str], other: Sequence[str]) -> Iterator[tuple[int | None, int | None]]:
    """The lines of two texts in pairs, by their indexes; None where a side has no line. Indentation does not count."""
    same_one = same_other = 0
    for a, b, c, d in [
        *changed_blocks([line.strip() for line in one], [line.strip() for line in other]),
        (len(one), len(one), len(other), len(other)),
    ]:
        yield from zip(range(same_one, a), range(same_other, c), strict=True)
        yield from zip_longest(range(a, b), range(c, d))
        same_one, same_other = b, d


def changed_words(old: str, new: str) -> list[tuple[Span, Span]]:
    """The words in which two lines differ, as pairs of spans; none if the lines have too little in common."""
    if max(len(old), len(new)) > LONGEST_BY_WORD:
        return []

    one, other = (re.findall(r"\w+|\s+|[^\w\s]", line) for line in (old, new))
    blocks = changed_blocks(one, other)
    kept = len(one) - sum(b - a for a, b, _, _ in blocks)
    if 2 * kept < LEAST_SIMILARITY * (len(one) + len(other)):
        return []
    old_starts, new_starts = ([0, *accumulate(map(len, words))] for words in (one, other))
    return [((old_starts[a], old_starts[b]), (new_starts[c], new_starts[d])) for a, b, c, d in blocks]
