"""Which of the signs `,;()` a formatter has added or removed, and which of them may say something else.

A comma before a closing bracket, a semicolon at the end of a line, and parentheses around a whole operand or the only
parameter of an arrow function are layout.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right

from ..core.line_diff import changed_blocks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .merge_tokens import TokenText

_CLOSING = frozenset(")]}")
_OPENING = frozenset("([{")
#: What is before an operand that goes on to one of `_AFTER_OPERAND`; for `=` and `>`, see `_is_whole_operand`.
_BEFORE_OPERAND = frozenset(["", "return", "(", "[", "{", "}", ",", ";", ":", "?"])
_AFTER_OPERAND = frozenset(["", ")", "]", "}", ",", ";", ":"])


class Statements:
    """The statements of a text by its tokens, and of another one that has the same tokens.

    A statement ends at braces, semicolons, and lines that both texts have.
    """

    def __init__(self, base: TokenText, current: TokenText) -> None:
        self._base, self._current = base, current
        braces = [number for number, key in enumerate(base.keys) if key in "{}"]
        gaps = zip(base.gaps[:-1], current.gaps[:-1], strict=True)
        ends = [
            number for number, (before, now) in enumerate(gaps) if ";" in before or ("\n" in before and "\n" in now)
        ]
        #: The tokens that can be the first of a statement, and those that can be the first behind one.
        self._firsts = sorted({0, *ends, *[number + 1 for number in braces]})
        self._lasts = sorted({*ends, *braces, len(base.keys)})
        self._unclear: dict[tuple[int, int], bool] = {}

    def have_unclear_signs(self, first: int, last: int) -> bool:
        """Whether the statements with the tokens [first, last) have other signs by now, that may be more than layout.

        A place between tokens belongs to both.
        """
        if first == last:
            first, last = max(0, first - 1), min(last + 1, len(self._base.keys))
        start = self._firsts[bisect_right(self._firsts, first) - 1]
        end = self._lasts[bisect_left(self._lasts, last)]
        key = start, end
        if key not in self._unclear:
            self._unclear[key] = self._is_unclear(start, end)
        return self._unclear[key]

    def _is_unclear(self, start: int, end: int) -> bool:
        base, current = self._base, self._current
        if all(_signs(base.gaps[number]) == _signs(current.gaps[number]) for number in range(start, end + 1)):
            return False
        before, after = _Signs(base, start, end), _Signs(current, start, end)
        blocks = changed_blocks(before.keys, after.keys)
        removed = {number for a, b, _, _ in blocks for number in range(a, b)}
        added = {number for _, _, c, d in blocks for number in range(c, d)}
        return not before.are_layout(removed) or not after.are_layout(added)


def _signs(gap: str) -> str:
    return "".join(gap.split())


class _Signs:
    """The tokens of a statement with the signs between them, and the tokens before and after it."""

    def __init__(self, text: TokenText, start: int, end: int) -> None:
        self.keys: list[str] = [*text.keys[max(0, start - 1) : start]]
        #: The numbers of what is the last one of its line.
        self._ends_line: set[int] = set()
        for number in range(start, end + 1):
            self._add_gap(text.gaps[number])
            self.keys += text.keys[number : number + 1]
        self._matches = _brackets(self.keys)
        #: In how many brackets each key is, those that it opens left out, and for each depth the commas in it.
        self._depths: list[int] = []
        self._commas: dict[int, list[int]] = {}
        depth = 0
        for number, key in enumerate(self.keys):
            self._depths.append(depth)
            if key in _OPENING:
                depth += 1
            elif key in _CLOSING:
                depth -= 1
            elif key == ",":
                self._commas.setdefault(depth, []).append(number)

    def _add_gap(self, gap: str) -> None:
        for part in re.findall(r"\n|\S", gap):
            if part != "\n":
                self.keys.append(part)
            elif self.keys:
                self._ends_line.add(len(self.keys) - 1)

    def _key(self, number: int) -> str:
        return self.keys[number] if 0 <= number < len(self.keys) else ""

    def are_layout(self, numbers: set[int]) -> bool:
        """Whether it makes no difference if these signs are there or not."""
        return all(self._is_layout(number, numbers) for number in numbers)

    def _is_layout(self, number: int, numbers: set[int]) -> bool:
        key, following = self.keys[number], self._key(number + 1)
        if key == ",":
            return following in _CLOSING
        if key == ";":
            return following in ("", "}") or number in self._ends_line
        match = self._matches.get(number, -1)
        if key not in "()" or match not in numbers:
            return False
        low, high = min(number, match), max(number, match)
        return self._is_whole_operand(low, high) or self._is_parameter(low, high)

    def _is_whole_operand(self, low: int, high: int) -> bool:
        """Whether parentheses are around all that is between two signs which separate operands."""
        before, further = self._key(low - 1), self._key(low - 2)
        is_assigned = (before == "=" and further not in ("=", "!", "<", ">")) or (before == ">" and further == "=")
        if before not in _BEFORE_OPERAND and not is_assigned:
            return False
        return self._key(high + 1) in _AFTER_OPERAND and not self._has_comma(low, high)

    def _has_comma(self, low: int, high: int) -> bool:
        """Whether there is a comma between two brackets that is in no others."""
        commas = self._commas.get(self._depths[low] + 1, [])
        following = bisect_right(commas, low)
        return following < len(commas) and commas[following] < high

    def _is_parameter(self, low: int, high: int) -> bool:
        """Whether parentheses are around the only parameter of an arrow function."""
        return high - low == 2 and self._key(high + 1) == "=" and self._key(high + 2) == ">"


def _brackets(keys: Sequence[str]) -> dict[int, int]:
    """The numbers of opening and closing parentheses that belong together, both ways."""
    opened: list[int] = []
    matches: dict[int, int] = {}
    for number, key in enumerate(keys):
        if key == "(":
            opened.append(number)
        elif key == ")" and opened:
            other = opened.pop()
            matches[number], matches[other] = other, number
    return matches
