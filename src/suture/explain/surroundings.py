"""What is around a place in a text, and the line closest to another. For explanations: it decides nothing."""

from __future__ import annotations

from ..locate.limits import (
    CLOSE,
    CLOSE_CHARACTERS,
    CLOSE_LINES,
    CLOSE_PART,
    LONGEST_CLOSE,
    MOST_ABOVE,
    MOST_BLOCKS,
    SHORTEST_PART,
)
from ..locate.seeds import lines_equal_to
from ..locate.tiers import FOLDS, fold_text, is_distinctive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..core.text import Text

_fold = FOLDS["whitespace"]


def lines_like(text: Text, line: str) -> list[int] | None:
    """The numbers of the lines that are the same but for whitespace and punctuation; None where too many may be."""
    starts = lines_equal_to(fold_text(text.body), _fold(line))
    return None if starts is None else line_numbers(fold_text(text.body), starts)


def line_numbers(body: str, starts: Sequence[int]) -> list[int]:
    """The numbers, from 1, of the lines at these offsets, which ascend. Reads the text once, however many they are."""
    numbers: list[int] = []
    number, position = 1, 0
    for start in starts:
        number += body.count("\n", position, start)
        # A line behind the last one begins where a newline would be.
        numbers.append(number + (start > len(body)))
        position = start
    return numbers


def close_line(text: Text, *candidates: str) -> tuple[int, str] | None:
    """For the first of these lines that has a close one near the beginning of the file: its number, and the line."""
    lines: list[str] = []
    for wanted in candidates:
        needle = _fold(wanted)
        if not is_distinctive(needle) or len(needle) > LONGEST_CLOSE:
            continue
        from rapidfuzz.distance import Levenshtein
        from rapidfuzz.process import extractOne

        if not lines:
            head = fold_text(text.body[:CLOSE_CHARACTERS])
            lines = [line.strip()[:LONGEST_CLOSE] for line in head.split("\n", CLOSE_LINES)[:CLOSE_LINES]]
        best = extractOne(needle, lines, scorer=Levenshtein.normalized_similarity, score_cutoff=CLOSE)
        if best is None and len(candidates) == 1 and len(needle) >= SHORTEST_PART:
            best = _with_part(needle, lines)
        if best is not None:
            return int(best[2]) + 1, wanted
    return None


def _with_part(needle: str, lines: Sequence[str]) -> tuple[str, float, int] | None:
    """The line of which a part is closest to a text that is itself no line."""
    from rapidfuzz.fuzz import partial_ratio
    from rapidfuzz.process import extractOne

    longer = [line if len(line) > len(needle) else None for line in lines]
    return extractOne(needle, longer, scorer=partial_ratio, score_cutoff=CLOSE_PART)


def blocks_around(body: str, offset: int) -> list[tuple[int, str]]:
    """The lines that open the blocks around the line at this offset, the innermost first, with their offsets.

    A block is opened by the nearest line above that is indented less and distinctive.
    """
    found: list[tuple[int, str]] = []
    end = body.find("\n", offset)
    line = body[offset:] if end < 0 else body[offset:end]
    width = _indent(line) if line.strip() else -1
    for start, line in lines_above(body, offset, MOST_ABOVE):
        if width < 0 and line.strip():
            # A blank line lies as deep as the line above it.
            width = _indent(line)
        if line.strip() and _indent(line) < width and is_distinctive(line):
            found.append((start, line))
            width = _indent(line)
            if not width or len(found) == MOST_BLOCKS:
                break
    return found


def _indent(line: str) -> int:
    line = line.expandtabs(4)
    return len(line) - len(line.lstrip())


def lines_above(body: str, offset: int, most: int) -> Iterator[tuple[int, str]]:
    """The lines above the one at this offset, the nearest first, with their offsets."""
    for _ in range(most):
        if offset <= 0:
            return
        start = body.rfind("\n", 0, offset - 1) + 1
        yield start, body[start : offset - 1]
        offset = start


def lines_below(body: str, offset: int, most: int) -> Iterator[tuple[int, str]]:
    """The lines from this offset on, with their offsets."""
    for _ in range(most):
        if offset >= len(body):
            return
        end = body.find("\n", offset)
        end = len(body) if end < 0 else end
        yield offset, body[offset:end]
        offset = end + 1
