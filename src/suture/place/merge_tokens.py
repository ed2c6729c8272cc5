"""The merge of an edit with a change of layout alone, such as a formatter makes.

A text is a list of tokens with gaps between them. Gaps hold whitespace and the signs `,;()`, which formatters add and
remove. If two texts have the same tokens, in all of the file, they differ in layout alone. The merged text then has the
tokens of the edit, so only its gaps have to be decided, one by one: a gap that one side has left alone is the other
side's.
"""

from __future__ import annotations

from bisect import bisect_left
from re import compile as pattern

from ..core.line_diff import changed_blocks
from ..core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.line_diff import Block

#: Characters of a text that is read by tokens; longer ones are not.
LONGEST_TEXT = 400_000

#: Lines whose letters differ in number by more than one in so many differ in more than layout.
MOST_DIFFERENT = 20
#: What is left out for a first look: two texts that differ without it have different tokens.
_NOT_COMPARED = str.maketrans("", "", " \t\r\n\f\v,;()'\"\\")
#: A backslash at the end of a line continues it, and is whitespace.
_TOKEN = pattern(r"\w+|(?!\\\r?\n)[^\w\s,;()]")


class TokenText(Value):
    """A text by tokens: what each is compared by, where it starts and ends."""

    text: str
    keys: tuple[str, ...]
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    def token(self, number: int) -> str:
        """A token as it is written."""
        return self.text[self.starts[number] : self.ends[number]]

    def gap(self, number: int) -> str:
        """What is between a token and the one before it; behind the last one for the number after it."""
        start = self.ends[number - 1] if number else 0
        end = self.starts[number] if number < len(self.starts) else len(self.text)
        return self.text[start:end]

    def indentation(self, number: int) -> str | None:
        """The whitespace in front of a token that is the first one of its line; None where it is not."""
        start = self.starts[number]
        head = self.text[self.text.rfind("\n", 0, start) + 1 : start]
        return None if head.strip() else head


def read_tokens(text: str) -> TokenText:
    """A text by its tokens. Both kinds of quotes count as the same."""
    found = list(_TOKEN.finditer(text))
    keys = tuple(['"' if one[0] == "'" else one[0] for one in found])
    return TokenText(text, keys, tuple([one.start() for one in found]), tuple([one.end() for one in found]))


def has_same_letters(base: Sequence[str], current: Sequence[str]) -> bool:
    """Whether the lines that differ have about the same letters: it tells most changes from one of layout, cheaply."""
    before: list[str] = []
    after: list[str] = []
    for a, b, c, d in changed_blocks(base, current):
        before += base[a:b]
        after += current[c:d]
    first, second = ("".join(lines).translate(_NOT_COMPARED) for lines in (before, after))
    return first == second or abs(len(first) - len(second)) * MOST_DIFFERENT <= len(first)


def merge_layout(base: str, current: str, edited: str, *, is_same: bool = False) -> str | None:
    """The edit in the layout of the current text; None if that differs in more than layout, or both changed a gap.

    `is_same` says that it is known to differ in layout alone. Tokens that are written differently then belong to it,
    such as a number or the parts of a quoted text.
    """
    if max(map(len, (base, current, edited))) > LONGEST_TEXT:
        return None
    if not is_same and base.translate(_NOT_COMPARED) != current.translate(_NOT_COMPARED):
        return None
    old, now, new = read_tokens(base), read_tokens(current), read_tokens(edited)
    if is_same and old.keys != now.keys:
        joined = _join_differing(old, now, new)
        if joined is None:
            return None
        old, now, new = joined
    if old.keys != now.keys:
        return None
    merged = _LayoutMerge(old, now, new).merge()
    if merged is None or _depths(merged) != _depths(edited):
        return None
    return merged


def _join_differing(base: TokenText, current: TokenText, edited: TokenText) -> tuple[TokenText, ...] | None:
    """The texts with each run of tokens that the first two write differently as one token; None if the edit is there.

    A run has at least one token in each text: what was only added or removed is joined with the token before it.
    """
    runs: list[Block] = []
    for a, b, c, d in changed_blocks(base.keys, current.keys):
        if a == b or c == d:
            if not a or not c:
                return None
            a, c = a - 1, c - 1  # noqa: PLW2901 - the same run, with the token before it
        if runs and a < runs[-1][1]:
            runs[-1] = (runs[-1][0], b, runs[-1][2], d)
        else:
            runs.append((a, b, c, d))
    # Where the runs are in the edit, if it leaves them alone.
    edits = changed_blocks(base.keys, edited.keys)
    kept: list[tuple[int, int]] = []
    growth = at = 0
    for a, b, _, _ in runs:
        while at < len(edits) and edits[at][1] <= a:
            growth = edits[at][3] - edits[at][1]
            at += 1
        if at < len(edits) and edits[at][0] < b:
            return None
        kept.append((a + growth, b + growth))
    return (
        _joined(base, [run[:2] for run in runs]),
        _joined(current, [run[2:] for run in runs]),
        _joined(edited, kept),
    )


def _joined(text: TokenText, runs: Sequence[tuple[int, int]]) -> TokenText:
    """A text with runs of its tokens as one token each, all with keys that no other token has."""
    keys, starts, ends = list[str](), list[int](), list[int]()
    done = 0
    for number, (first, last) in enumerate(runs):
        keys += [*text.keys[done:first], f"\0{number}"]
        starts += [*text.starts[done:first], text.starts[first]]
        ends += [*text.ends[done:first], text.ends[last - 1]]
        done = last
    return TokenText(text.text, (*keys, *text.keys[done:]), (*starts, *text.starts[done:]), (*ends, *text.ends[done:]))


def _depths(text: str) -> tuple[int, int]:
    """How many parentheses are open at the end of a text, and the most that are closed without being open."""
    depth = lowest = 0
    for sign in text:
        if sign == "(":
            depth += 1
        elif sign == ")":
            depth -= 1
            lowest = min(lowest, depth)
    return depth, lowest


class _LayoutMerge:
    """One merge: the current text has the tokens of the base, at the same numbers."""

    def __init__(self, base: TokenText, current: TokenText, edited: TokenText) -> None:
        self._base, self._current, self._edited = base, current, edited
        self._parts: list[str] = []
        #: By the indentation of lines in the base: their first tokens, and the indentation that these lines have now.
        self._indents = _indents(base, current)

    def merge(self) -> str | None:
        """The merged text; None where a gap can't be decided."""
        base, edited = self._base, self._edited
        old = new = 0
        for a, b, c, d in (*changed_blocks(base.keys, edited.keys), (len(base.keys), None, len(edited.keys), None)):
            if not self._keep(old, a, new, c):
                return None
            if b is None or d is None:
                break
            if not self._change(a, b, c, d):
                return None
            old, new = b, d
        return "".join(self._parts)

    def _keep(self, old: int, end: int, new: int, last: int) -> bool:
        """Take the tokens [old, end) from the current text. The first gap was decided with what is before it."""
        at_end = last == len(self._edited.keys) and end == len(self._base.keys)
        for number in range(old, end + at_end):
            if number > old or old == 0 == new:
                gap = self._decide(number, number, new + number - old)
                if gap is None:
                    return False
                self._parts.append(gap)
            if number < end:
                self._parts.append(self._current.token(number))
        return True

    def _change(self, a: int, b: int, c: int, d: int) -> bool:
        """Put the tokens [c, d) of the edit in the place of the tokens [a, b), with the gaps around them."""
        if c == d:
            gap = self._joined_gap(a, b, c)
            if gap is None:
                return False
            self._parts.append(gap)
            return True
        first, last = self._split_gap(a, c, d) if a == b else (self._decide(a, a, c), self._decide(b, b, d))
        if first is None or last is None:
            return False
        self._parts.append(first)
        for number in range(c, d):
            if number > c:
                self._parts.append(self._shifted(self._edited.gap(number), a))
            self._parts.append(self._edited.token(number))
        self._parts.append(last)
        return True

    def _decide(self, old: int, now: int, new: int) -> str | None:
        """A gap that all three texts have: the side's that has changed it, or None where both have."""
        before, current, edited = self._base.gap(old), self._current.gap(now), self._edited.gap(new)
        if edited in (before, current):
            return current
        if current == before:
            return self._shifted(edited, old)
        # Both have changed it. If the edit only puts signs beside what was there, they go beside what is there now.
        beside = _beside(before, current, edited)
        if beside is not None:
            return beside
        # Where one has changed whitespace alone, the signs of the other count.
        if _signs(edited) in (_signs(before), _signs(current)):
            return current
        return self._shifted(edited, old) if _signs(current) == _signs(before) else None

    def _split_gap(self, at: int, c: int, d: int) -> tuple[str | None, str | None]:
        """The gaps in front of and behind tokens [c, d) that come in where the base has one gap."""
        before, current = self._base.gap(at), self._current.gap(at)
        first, last = self._edited.gap(c), self._edited.gap(d)
        if current == before:
            return self._shifted(first, at), self._shifted(last, at)
        if last == before:
            return self._shifted(first, at), current
        if first == before:
            return current, self._shifted(last, at)
        beside = _beside(before, current, last)
        if beside is not None:
            return self._shifted(first, at), beside
        if _signs(current) != _signs(before):
            return None, None
        return self._shifted(first, at), self._shifted(last, at)

    def _joined_gap(self, a: int, b: int, c: int) -> str | None:
        """The gap that is left where tokens [a, b) go."""
        edited = self._edited.gap(c)
        for number in (a, b):
            if edited == self._base.gap(number):
                return self._current.gap(number)
        if all(_signs(self._base.gap(number)) == _signs(self._current.gap(number)) for number in (a, b)):
            return self._shifted(edited, a)
        return None

    def _shifted(self, gap: str, near: int) -> str:
        """A gap of the edit with its last line indented as the current text indents such lines near a token."""
        head, newline, indentation = gap.rpartition("\n")
        if not newline or indentation.strip():
            return gap
        if indentation not in self._indents:
            return gap
        numbers, current = self._indents[indentation]
        at = bisect_left(numbers, near)
        # The nearest line of the same indentation says what it is now.
        closest = min(range(max(0, at - 1), min(len(numbers), at + 1)), key=lambda one: abs(numbers[one] - near))
        return f"{head}\n{current[closest]}"


def _indents(base: TokenText, current: TokenText) -> dict[str, tuple[list[int], list[str]]]:
    """The tokens that begin a line in both texts and the indentation now, by the indentation in the base."""
    indents: dict[str, tuple[list[int], list[str]]] = {}
    for number in range(len(base.keys)):
        then = base.indentation(number)
        now = None if then is None else current.indentation(number)
        if then is not None and now is not None:
            numbers, indentations = indents.setdefault(then, ([], []))
            numbers.append(number)
            indentations.append(now)
    return indents


def _beside(before: str, current: str, edited: str) -> str | None:
    """The current gap with what the edit has put in front of the gap before, or behind it; None if it did more."""
    if not _signs(before):
        return None
    if edited.endswith(before):
        return edited[: -len(before)] + current
    return current + edited[len(before) :] if edited.startswith(before) else None


def _signs(gap: str) -> str:
    """A gap without its whitespace."""
    return "".join(gap.split())
