"""Which diagnostics an edit introduced, and which were there before. Pure: texts and diagnostics in, diagnostics out.

A diagnostic from before and one from after are the same if they say the same and stand at the same place, seen through
the line diff of the two texts. Each one from before excuses one from after, so that a second of its kind is new.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from ..core.line_diff import changed_blocks
from .columns import lines_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence
    from typing import TypeAlias

    from ..core.line_diff import Block
    from .report import Diagnostic

    #: What a diagnostic must have in common with another to be the same, or None where this can't be told.
    Key: TypeAlias = Callable[[Diagnostic], Hashable | None]

#: Messages name other lines ("already defined on line 12"), and those move too.
_LINE_NUMBER = re.compile(r"\b(lines?) \d+")
#: So many lines of what a diagnostic covers are compared.
_MOST_COVERED = 200


def introduced(
    before: Sequence[Diagnostic], after: Sequence[Diagnostic], before_text: str, after_text: str
) -> list[Diagnostic]:
    """Those of `after` that `before` does not have, in their order.

    Not new is one that says the same

    1. at the same place of an unchanged line, wherever that line is now;
    2. in the same changed block, of the same piece of text;
    3. of the same piece of the same line elsewhere: the line was moved;
    4. at the very beginning or end of the file, where linters put what they say of the whole.
    """
    if not before or not after:
        return list(after)
    old, new = lines_of(before_text), lines_of(after_text)
    blocks = changed_blocks(old, new)
    starts, new_starts = [block[0] for block in blocks], [block[2] for block in blocks]

    def in_block(line: int, side: int, starts: Sequence[int]) -> int | None:
        """The number of the changed block that has this line."""
        number = bisect_right(starts, line) - 1
        return number if number >= 0 and line < blocks[number][side] else None

    def same_place(found: Diagnostic) -> Hashable | None:
        line = _mapped(found.line - 1, blocks, starts)
        return None if line is None else (line, found.column)

    def same_block(lines: Sequence[str], side: int, starts: Sequence[int]) -> Key:
        def key(found: Diagnostic) -> Hashable | None:
            number = in_block(found.line - 1, side, starts)
            return None if number is None else (number, _covered(found, lines))

        return key

    passes: tuple[tuple[Key, Key], ...] = (
        (same_place, lambda found: (found.line - 1, found.column)),
        (same_block(old, 1, starts), same_block(new, 3, new_starts)),
        (lambda found: _moved(found, old), lambda found: _moved(found, new)),
        (lambda found: _edge(found, old), lambda found: _edge(found, new)),
    )
    left, fresh = list(before), list(enumerate(after))
    for old_key, new_key in passes:
        left, fresh = _without_pairs(left, fresh, old_key, new_key)
    return [found for _, found in fresh]


def _without_pairs(
    left: list[Diagnostic], fresh: list[tuple[int, Diagnostic]], old_key: Key, new_key: Key
) -> tuple[list[Diagnostic], list[tuple[int, Diagnostic]]]:
    """Both lists without those that have a partner in the other."""
    if not left or not fresh:
        return left, fresh
    partners: dict[Hashable, list[Diagnostic]] = {}
    unpaired: list[Diagnostic] = []
    for found in left:
        key = old_key(found)
        if key is None:
            unpaired.append(found)
        else:
            partners.setdefault((_said(found), key), []).append(found)
    still_fresh = []
    for number, found in fresh:
        key = new_key(found)
        same = partners.get((_said(found), key)) if key is not None else None
        if same:
            same.pop(0)
        else:
            still_fresh.append((number, found))
    return unpaired + [found for same in partners.values() for found in same], still_fresh


def _said(found: Diagnostic) -> Hashable:
    message = _LINE_NUMBER.sub(r"\1 #", found.message)
    return found.severity, found.source, found.code, message


def _mapped(line: int, blocks: Sequence[Block], starts: Sequence[int]) -> int | None:
    """Where a line, from 0, of the old text stands in the new one; None where it was changed."""
    number = bisect_right(starts, line) - 1
    if number < 0:
        return line
    _, end, _, new_end = blocks[number]
    return line - end + new_end if line >= end else None


def _covered(found: Diagnostic, lines: Sequence[str]) -> str:
    """The piece of text that a diagnostic is about; the whole line where it is about a point in it."""
    end = min(found.end_line, found.line + _MOST_COVERED)
    covered = [line.strip() for line in lines[found.line - 1 : end]]
    if len(covered) == 1:
        piece = lines[found.line - 1][found.column - 1 : found.end_column - 1].strip()
        return piece or covered[0]
    return "\n".join(covered)


def _moved(found: Diagnostic, lines: Sequence[str]) -> Hashable | None:
    line = lines[found.line - 1].strip() if found.line <= len(lines) else ""
    return (line, _covered(found, lines)) if line else None


def _edge(found: Diagnostic, lines: Sequence[str]) -> Hashable | None:
    if found.line == 1 and found.column == 1:
        return "beginning"
    # A text that ends in a newline has an empty line behind it, and either is called the last.
    last = len(lines) - (len(lines) > 1 and not lines[-1])
    return "end" if found.line >= last else None
