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
    blocks = changed_blocks([line.strip() for line in one], [line.strip() for line in other])
    # Where the lines begin that both texts have in common, up to the next block.
    same_one = same_other = 0
    for one_start, one_end, other_start, other_end in blocks:
        yield from zip(range(same_one, one_start), range(same_other, other_start), strict=True)
        yield from zip_longest(range(one_start, one_end), range(other_start, other_end))
        same_one, same_other = one_end, other_end
    yield from zip(range(same_one, len(one)), range(same_other, len(other)), strict=True)


def changed_words(old: str, new: str) -> list[tuple[Span, Span]]:
    """The words in which two lines differ, as pairs of spans; none if the lines have too little in common."""
    if max(len(old), len(new)) > LONGEST_BY_WORD:
        return []

    old_words = _words(old)
    new_words = _words(new)
    blocks = changed_blocks(old_words, new_words)
    kept = len(old_words) - sum(old_end - old_start for old_start, old_end, _, _ in blocks)
    if 2 * kept < LEAST_SIMILARITY * (len(old_words) + len(new_words)):
        return []
    old_offsets = [0, *accumulate(map(len, old_words))]
    new_offsets = [0, *accumulate(map(len, new_words))]
    spans: list[tuple[Span, Span]] = []
    for old_start, old_end, new_start, new_end in blocks:
        old_span = (old_offsets[old_start], old_offsets[old_end])
        new_span = (new_offsets[new_start], new_offsets[new_end])
        spans.append((old_span, new_span))
    return spans


def _words(line: str) -> list[str]:
    """A line in parts: words, runs of whitespace, and single other characters."""
    return re.findall(r"\w+|\s+|[^\w\s]", line)
