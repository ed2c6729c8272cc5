"""The words in which two lines differ, for people: terminals and pages mark them."""

from __future__ import annotations

#: The longest line in which words are compared.
MOST_CHARACTERS = 400
#: How similar two lines must be for their differences to be marked.
LEAST_SIMILARITY = 0.4


def changed_words(old: str, new: str) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """The words in which two lines differ, as pairs of spans; none if the lines have too little in common."""
    if max(len(old), len(new)) > MOST_CHARACTERS:
        return []
    from difflib import SequenceMatcher
    from itertools import accumulate
    from re import findall

    one, other = (findall(r"\w+|\s+|[^\w\s]", line) for line in (old, new))
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    if matcher.ratio() < LEAST_SIMILARITY:
        return []
    old_starts, new_starts = ([0, *accumulate(map(len, words))] for words in (one, other))
    return [
        ((old_starts[a], old_starts[b]), (new_starts[c], new_starts[d]))
        for kind, a, b, c, d in matcher.get_opcodes()
        if kind != "equal"
    ]
