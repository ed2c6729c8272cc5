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
        #: The tokens in front of which a semicolon or a line end is.
        behind_ends: list[int] = []
        for number, (gap, gap_now) in enumerate(zip(base.gaps[:-1], current.gaps[:-1], strict=True)):
            ends_line = "\n" in gap and "\n" in gap_now
            if ";" in gap or ends_line:
                behind_ends.append(number)
        #: The tokens that can be the first of a statement, in order.
        self._firsts = sorted({0, *behind_ends, *[number + 1 for number in braces]})
        #: The tokens that can be the first behind a statement, in order.
        self._behind = sorted({*behind_ends, *braces, len(base.keys)})
        self._unclear: dict[tuple[int, int], bool] = {}

    def have_unclear_signs(self, first: int, last: int) -> bool:
        """Whether commas, semicolons or parentheses have come or gone that may be more than layout.

        Only those of the statements with the tokens [first, last) count. A place between two tokens, where `last` is
        `first`, belongs to the statements of both.
        """
        is_between_tokens = first == last
        if is_between_tokens:
            first, last = max(0, first - 1), min(last + 1, len(self._base.keys))
        start, end = self._start_of_statement(first), self._end_of_statement(last)
        if (start, end) not in self._unclear:
            self._unclear[start, end] = self._is_unclear(start, end)
        return self._unclear[start, end]

    def _start_of_statement(self, number: int) -> int:
        """The first token of the statement that a token is in."""
        count_up_to_it = bisect_right(self._firsts, number)
        return self._firsts[count_up_to_it - 1]

    def _end_of_statement(self, number: int) -> int:
        """Where the statement ends that goes up to a token: at this one or the next one that may be behind it."""
        return self._behind[bisect_left(self._behind, number)]

    def _is_unclear(self, start: int, end: int) -> bool:
        """Whether signs between the tokens [start, end), and around them, have come or gone that may say something."""
        base, current = self._base, self._current
        if all(_signs(base.gaps[number]) == _signs(current.gaps[number]) for number in range(start, end + 1)):
            return False
        before, after = _Signs(base, start, end), _Signs(current, start, end)
        removed: set[int] = set()
        added: set[int] = set()
        for old_start, old_end, new_start, new_end in changed_blocks(before.keys, after.keys):
            removed.update(range(old_start, old_end))
            added.update(range(new_start, new_end))
        return not before.are_layout(removed) or not after.are_layout(added)


def _signs(gap: str) -> str:
    """The signs of a gap: commas, semicolons and parentheses, all of it but whitespace."""
    return "".join(gap.split())


class _Signs:
    """The tokens of a statement with the signs between them, and the tokens before and after it."""

    def __init__(self, text: TokenText, start: int, end: int) -> None:
        token_before = text.keys[max(0, start - 1) : start]
        #: All tokens and signs, in order. A number is a place in this list.
        self.keys: list[str] = [*token_before]
        #: The numbers of what is the last one of its line.
        self._ends_line: set[int] = set()
        for number in range(start, end + 1):
            self._add_gap(text.gaps[number])
            # Behind the last token of the text, there is only a gap.
            self.keys += text.keys[number : number + 1]
        self._matches = _brackets(self.keys)
        #: In how many brackets each key is, those that it opens left out.
        self._depths: list[int] = []
        #: The numbers of the commas at each depth.
        self._commas: dict[int, list[int]] = {}
        self._count_depths()

    def _count_depths(self) -> None:
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
        """Add the signs of a gap, and note what is the last thing on its line."""
        for part in re.findall(r"\n|\S", gap):
            if part != "\n":
                self.keys.append(part)
            elif self.keys:
                self._ends_line.add(len(self.keys) - 1)

    def _key(self, number: int) -> str:
        """The token or sign of a number; empty beyond both ends."""
        return self.keys[number] if 0 <= number < len(self.keys) else ""

    def are_layout(self, numbers: set[int]) -> bool:
        """Whether it makes no difference if these signs are there or not."""
        return all(self._is_layout(number, numbers) for number in numbers)

    def _is_layout(self, number: int, numbers: set[int]) -> bool:
        """Whether it makes no difference if a sign is there or not, where all of these come or go."""
        key, next_key = self.keys[number], self._key(number + 1)
        if key == ",":
            return next_key in _CLOSING
        if key == ";":
            return next_key in ("", "}") or number in self._ends_line
        if key not in "()":
            return False
        partner = self._matches.get(number)
        if partner is None or partner not in numbers:
            return False
        low, high = min(number, partner), max(number, partner)
        return self._is_whole_operand(low, high) or self._is_parameter(low, high)

    def _is_whole_operand(self, low: int, high: int) -> bool:
        """Whether parentheses are around all that is between two signs which separate operands."""
        two_before, before, behind = self._key(low - 2), self._key(low - 1), self._key(high + 1)
        # Not the last sign of a comparison, such as `==` or `<=`.
        is_behind_equals = before == "=" and two_before not in ("=", "!", "<", ">")
        is_behind_arrow = two_before == "=" and before == ">"
        begins_operand = before in _BEFORE_OPERAND or is_behind_equals or is_behind_arrow
        return begins_operand and behind in _AFTER_OPERAND and not self._has_comma(low, high)

    def _has_comma(self, low: int, high: int) -> bool:
        """Whether there is a comma between two brackets that is in no others."""
        commas = self._commas.get(self._depths[low] + 1, [])
        # The first comma of this depth behind the opening bracket, if there is one.
        index = bisect_right(commas, low)
        return index < len(commas) and commas[index] < high

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
