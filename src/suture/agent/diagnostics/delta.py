"""Tells the diagnostics an edit introduced from those that were there before. Pure.

An old and a new diagnostic are the same if they say the same about the same place, mapped through the line diff of the
two texts. Each old one is matched with at most one new one, so a second of its kind is new.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from ...core.line_diff import changed_blocks
from .columns import lines_of
from .diagnostic_limits import MOST_COVERED_LINES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence
    from typing import TypeAlias

    from ...core.line_diff import Block
    from .report import Diagnostic

    #: The place of a diagnostic for comparison, or None if it has none of this sort.
    Key: TypeAlias = Callable[[Diagnostic], Hashable | None]

#: Messages name other lines ("already defined on line 12"), and those move too.
_LINE_NUMBER = re.compile(r"\b(lines?) \d+")


def new_diagnostics(
    before: Sequence[Diagnostic], after: Sequence[Diagnostic], before_text: str, after_text: str
) -> list[Diagnostic]:
    """The diagnostics of `after` that `before` does not have, in order.

    A diagnostic is not new if `before` has one with the same message

    1. at the same place of an unchanged line, wherever that line is now;
    2. in the same changed block, about the same piece of text;
    3. about the same piece of the same line elsewhere: the line was moved;
    4. at the very beginning or end of the file, where linters report about the whole file.
    """
    if not before or not after:
        return list(after)
    old, new = lines_of(before_text), lines_of(after_text)
    blocks = changed_blocks(old, new)
    starts, new_starts = [block[0] for block in blocks], [block[2] for block in blocks]

    def in_block(line: int, side: int, starts: Sequence[int]) -> int | None:
        """The index of the changed block that contains this line."""
        number = bisect_right(starts, line) - 1
        return number if number >= 0 and line < blocks[number][side] else None

    def same_place(diagnostic: Diagnostic) -> Hashable | None:
        line = _map_line(diagnostic.line - 1, blocks, starts)
        return None if line is None else (line, diagnostic.column)

    def same_block(lines: Sequence[str], side: int, starts: Sequence[int]) -> Key:
        def key(diagnostic: Diagnostic) -> Hashable | None:
            number = in_block(diagnostic.line - 1, side, starts)
            return None if number is None else (number, _covered_text(diagnostic, lines))

        return key

    passes: tuple[tuple[Key, Key], ...] = (
        (same_place, lambda diagnostic: (diagnostic.line - 1, diagnostic.column)),
        (same_block(old, 1, starts), same_block(new, 3, new_starts)),
        (lambda diagnostic: _line_key(diagnostic, old), lambda diagnostic: _line_key(diagnostic, new)),
        (lambda diagnostic: _edge_key(diagnostic, old), lambda diagnostic: _edge_key(diagnostic, new)),
    )
    left, fresh = list(before), list(enumerate(after))
    for old_key, new_key in passes:
        left, fresh = _without_pairs(left, fresh, old_key, new_key)
    return [diagnostic for _, diagnostic in fresh]


def _without_pairs(
    left: list[Diagnostic], fresh: list[tuple[int, Diagnostic]], old_key: Key, new_key: Key
) -> tuple[list[Diagnostic], list[tuple[int, Diagnostic]]]:
    """Both lists without the diagnostics that have a partner in the other."""
    if not left or not fresh:
        return left, fresh
    partners: dict[Hashable, list[Diagnostic]] = {}
    unpaired: list[Diagnostic] = []
    for diagnostic in left:
        key = old_key(diagnostic)
        if key is None:
            unpaired.append(diagnostic)
        else:
            partners.setdefault((_identity(diagnostic), key), []).append(diagnostic)
    still_fresh = []
    for number, diagnostic in fresh:
        key = new_key(diagnostic)
        same = partners.get((_identity(diagnostic), key)) if key is not None else None
        if same:
            same.pop(0)
        else:
            still_fresh.append((number, diagnostic))
    return unpaired + [diagnostic for same in partners.values() for diagnostic in same], still_fresh


def _identity(diagnostic: Diagnostic) -> Hashable:
    message = _LINE_NUMBER.sub(r"\1 #", diagnostic.message)
    return diagnostic.severity, diagnostic.source, diagnostic.code, message


def _map_line(line: int, blocks: Sequence[Block], starts: Sequence[int]) -> int | None:
    """The index of an old line in the new text; None if it was changed."""
    number = bisect_right(starts, line) - 1
    if number < 0:
        return line
    _, end, _, new_end = blocks[number]
    return line - end + new_end if line >= end else None


def _covered_text(diagnostic: Diagnostic, lines: Sequence[str]) -> str:
    """The text that a diagnostic is about, or the whole line if it is about a point."""
    end = min(diagnostic.end_line, diagnostic.line + MOST_COVERED_LINES)
    covered = [line.strip() for line in lines[diagnostic.line - 1 : end]]
    if len(covered) == 1:
        piece = lines[diagnostic.line - 1][diagnostic.column - 1 : diagnostic.end_column - 1].strip()
        return piece or covered[0]
    return "\n".join(covered)


def _line_key(diagnostic: Diagnostic, lines: Sequence[str]) -> Hashable | None:
    line = lines[diagnostic.line - 1].strip() if diagnostic.line <= len(lines) else ""
    return (line, _covered_text(diagnostic, lines)) if line else None


def _edge_key(diagnostic: Diagnostic, lines: Sequence[str]) -> Hashable | None:
    if diagnostic.line == 1 and diagnostic.column == 1:
        return "beginning"
    last = len(lines)
    if last > 1 and not lines[-1]:
        # After a final newline comes an empty line; linters call either of the two the last.
        last -= 1
    return "end" if diagnostic.line >= last else None
