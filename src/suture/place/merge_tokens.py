"""The merge of an edit with a change of layout alone, such as a formatter makes.

A text is a list of tokens with gaps between them. Gaps hold whitespace and the signs `,;()`, which formatters add and
remove. If two texts have the same tokens, in all of the file, they differ in layout alone. The merged text then has the
tokens of the edit, so only its gaps have to be decided, one by one: a gap that one side has left alone is the other
side's.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right

from ..core.line_diff import changed_blocks, common_ends
from .limits import LONGEST_TOKEN_TEXT
from .merge_signs import Statements
from .token_kinds import WORDS, token_keys, token_spans

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.line_diff import Block
    from .token_kinds import TokenKind


#: What is left out for a first look: two texts that differ without it have different tokens.
_NOT_COMPARED = str.maketrans("", "", " \t\r\n\f\v,;()'\"\\")
#: Letters in front of a quoted text, and what can be left out of a number, which come and go with the style.
_PREFIXES = str.maketrans("", "", "bfru0.")
_PARENTHESIS = re.compile(r"[()]")


class TokenText:
    """A text by tokens: what each is compared by, where it starts and ends, and the gaps.

    The gap of a number is what is between that token and the one before it; the last one is behind the last token.
    """

    def __init__(self, text: str, keys: Sequence[str], starts: Sequence[int], ends: Sequence[int]) -> None:
        self.text = text
        self.keys = tuple(keys)
        self.starts = starts
        self.ends = ends
        self.gaps = [text[end:start] for end, start in zip((0, *ends), (*starts, len(text)), strict=True)]

    def token(self, number: int) -> str:
        """A token as it is written."""
        return self.text[self.starts[number] : self.ends[number]]

    def run(self, first: int, last: int) -> str:
        """The tokens [first, last) as they are written, with the gaps between them."""
        return self.text[self.starts[first] : self.ends[last - 1]]

    def indentations(self) -> dict[int, str]:
        """The whitespace in front of each token that is the first one of its line, by the number of the token."""
        indentations: dict[int, str] = {}
        for number, gap in enumerate(self.gaps[:-1]):
            is_first_of_line = number == 0 or "\n" in gap
            indentation = gap.rpartition("\n")[2]
            if is_first_of_line and not indentation.strip():
                indentations[number] = indentation
        return indentations


def read_tokens(text: str, kind: TokenKind = WORDS) -> TokenText:
    """A text by its tokens."""
    spans = token_spans(kind, text)
    keys = token_keys(kind, text, spans)
    return TokenText(text, keys, [start for start, _ in spans], [end for _, end in spans])


def has_same_letters(base: Sequence[str], current: Sequence[str]) -> bool:
    """Whether the lines that differ have the same letters: it tells most changes from one of layout, cheaply.

    A formatter of Python also writes numbers in another way, and the letters in front of a quoted text.
    """
    before: list[str] = []
    after: list[str] = []
    for start, end, new_start, new_end in changed_blocks(base, current):
        before += base[start:end]
        after += current[new_start:new_end]
    letters_before, letters_after = ("".join(lines).translate(_NOT_COMPARED) for lines in (before, after))
    if letters_before == letters_after:
        return True
    plain_before, plain_after = _plain_letters(letters_before), _plain_letters(letters_after)
    if plain_before == plain_after:
        return True
    # Equal lines between the two can hide that a part has moved to another line.
    may_have_moved = len(plain_before) == len(plain_after)
    return may_have_moved and _plain_letters("".join(base)) == _plain_letters("".join(current))


def _plain_letters(text: str) -> str:
    """The letters of a text without what a formatter of Python may change in them."""
    return text.translate(_NOT_COMPARED).lower().translate(_PREFIXES)


def merge_layout(base: str, current: str, edited: str, kind: TokenKind = WORDS, *, is_same: bool = False) -> str | None:
    """The edit in the layout of the current text; None if that differs in more than layout, or both changed a gap.

    `is_same` says that it is known to differ in layout alone. Tokens that are written differently then belong to it,
    such as a number or the parts of a quoted text.
    """
    if max(map(len, (base, current, edited))) > LONGEST_TOKEN_TEXT:
        return None
    if is_same:
        texts = _read_joined(base, current, edited, kind)
        merged = None if texts is None else _LayoutMerge(*texts).merge()
    else:
        merged = _merge_equal_tokens(base, current, edited, kind)
    if merged is None or _depths(merged) != _depths(edited):
        return None
    return merged


def _merge_equal_tokens(base: str, current: str, edited: str, kind: TokenKind) -> str | None:
    """The edit in the layout of the current text, if that has the tokens of the base as they are written there."""
    if base.translate(_NOT_COMPARED) != current.translate(_NOT_COMPARED):
        return None
    base_tokens, current_tokens = read_tokens(base, kind), read_tokens(current, kind)
    if base_tokens.keys != current_tokens.keys:
        return None
    edited_tokens = read_tokens(edited, kind)
    if _changes_unclear_statement(base_tokens, current_tokens, edited_tokens):
        return None
    merged = _LayoutMerge(base_tokens, current_tokens, edited_tokens).merge()
    # A line break less would put more into a comment: then the tokens are other ones.
    if merged is None or read_tokens(merged, kind).keys != edited_tokens.keys:
        return None
    return merged


def _read_joined(
    base: str, current: str, edited: str, kind: TokenKind
) -> tuple[TokenText, TokenText, TokenText] | None:
    """The three texts by tokens, those that the first two write differently joined; None if the edit is there."""
    base_tokens, current_tokens = read_tokens(base, kind), read_tokens(current, kind)
    edited_tokens = read_tokens(edited, kind)
    if base_tokens.keys == current_tokens.keys:
        return base_tokens, current_tokens, edited_tokens
    joined = _join_differing(base_tokens, current_tokens, edited_tokens)
    if joined is None or joined[0].keys != joined[1].keys:
        return None
    return joined


def _changes_unclear_statement(base: TokenText, current: TokenText, edited: TokenText) -> bool:
    """Whether the edit changes a statement in which the file has changed signs that may be more than layout."""
    statements = Statements(base, current)
    for start, end, new_start, new_end in changed_blocks(base.keys, edited.keys):
        gap, gap_now = base.gaps[start], current.gaps[start]
        gaps = (gap, gap_now, edited.gaps[new_start], edited.gaps[new_end])
        is_between_lines = all("\n" in one for one in gaps)
        adds_lines = start == end and is_between_lines and _signs(gap) == _signs(gap_now)
        if not adds_lines and statements.have_unclear_signs(start, end):
            return True
    return False


def _join_differing(
    base: TokenText, current: TokenText, edited: TokenText
) -> tuple[TokenText, TokenText, TokenText] | None:
    """The texts with each run of tokens that the first two write differently as one token.

    None if the edit changes such a run, or if it has no token in one of the texts.
    """
    runs = _differing_runs(base, current)
    if runs is None:
        return None
    base_runs = [(start, end) for start, end, _, _ in runs]
    edited_runs = _runs_in_edit(base_runs, changed_blocks(base.keys, edited.keys))
    if edited_runs is None:
        return None
    current_runs = [(start, end) for _, _, start, end in runs]
    return _joined(base, base_runs), _joined(current, current_runs), _joined(edited, edited_runs)


def _differing_runs(base: TokenText, current: TokenText) -> list[Block] | None:
    """The runs of tokens that two texts write differently.

    A run has at least one token in each text: what was only added or removed is joined with the token before it. None
    if there is no such token.
    """
    runs: list[Block] = []
    for start, end, new_start, new_end in changed_blocks(base.keys, current.keys):
        is_empty_in_one = start == end or new_start == new_end
        has_token_before = start > 0 and new_start > 0
        if is_empty_in_one and not has_token_before:
            return None
        first, new_first = (start - 1, new_start - 1) if is_empty_in_one else (start, new_start)
        if runs and first < runs[-1][1]:
            # The token before it is the last one of the run above.
            first, _, new_first, _ = runs.pop()
        runs.append((first, end, new_first, new_end))
    return runs


def _runs_in_edit(runs: Sequence[tuple[int, int]], edits: Sequence[Block]) -> list[tuple[int, int]] | None:
    """Where runs of tokens of the base are in the edit, if it leaves them alone; None if it does not."""
    runs_in_edit: list[tuple[int, int]] = []
    # How many tokens the edit has added above a run, and the number of the next block that it changes.
    growth = next_edit = 0
    for start, end in runs:
        while next_edit < len(edits) and edits[next_edit][1] <= start:
            _, edit_end, _, new_edit_end = edits[next_edit]
            growth = new_edit_end - edit_end
            next_edit += 1
        is_edited = next_edit < len(edits) and edits[next_edit][0] < end
        if is_edited:
            return None
        runs_in_edit.append((start + growth, end + growth))
    return runs_in_edit


def _joined(text: TokenText, runs: Sequence[tuple[int, int]]) -> TokenText:
    """A text with runs of its tokens as one token each, all with keys that no other token has."""
    keys, starts, ends = list[str](), list[int](), list[int]()
    done = 0
    for number, (first, last) in enumerate(runs):
        keys += [*text.keys[done:first], f"\0{number}"]
        starts += [*text.starts[done:first], text.starts[first]]
        ends += [*text.ends[done:first], text.ends[last - 1]]
        done = last
    keys += text.keys[done:]
    starts += text.starts[done:]
    ends += text.ends[done:]
    return TokenText(text.text, keys, starts, ends)


def _depths(text: str) -> tuple[int, int]:
    """How many parentheses are open at the end of a text, and the most that are closed without being open."""
    depth = lowest = 0
    for sign in _PARENTHESIS.findall(text):
        depth += 1 if sign == "(" else -1
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
        done = new_done = 0
        for start, end, new_start, new_end in changed_blocks(base.keys, edited.keys):
            if not self._keep(done, start, new_done, new_start) or not self._change(start, end, new_start, new_end):
                return None
            done, new_done = end, new_end
        if not self._keep(done, len(base.keys), new_done, len(edited.keys)):
            return None
        return "".join(self._parts)

    def _keep(self, old: int, old_end: int, new: int, new_end: int) -> bool:
        """Take the tokens [old, old_end) from the current text; the edit has them as [new, new_end).

        The first gap was decided with what is before it. False where a gap can't be decided.
        """
        has_tokens = old < old_end
        is_at_start = old == 0 and new == 0
        is_at_end = old_end == len(self._base.keys) and new_end == len(self._edited.keys)
        if is_at_start and (has_tokens or is_at_end) and not self._keep_gap(0, 0):
            return False
        if not has_tokens:
            return True
        if not self._keep_tokens(old, old_end, new, new_end):
            return False
        return self._keep_gap(old_end, new_end) if is_at_end else True

    def _keep_tokens(self, old: int, old_end: int, new: int, new_end: int) -> bool:
        """Take the tokens [old, old_end), at least one, and the gaps between them."""
        base, current = self._base, self._current
        before, edited = base.run(old, old_end), self._edited.run(new, new_end)
        if before == edited:
            self._parts.append(current.run(old, old_end))
            return True
        # At both ends, the edit has left tokens alone, with the gaps between them: only the others are looked at. What
        # is beside a token has to be equal, too, because a comment may have got a space at its end.
        head, tail = common_ends(before, edited)
        first = bisect_left(base.ends, base.starts[old] + head, old, old_end)
        behind = bisect_right(base.starts, base.ends[old_end - 1] - tail, first, old_end)
        if first > old:
            self._parts.append(current.run(old, first))
        if not all(self._keep_token(number, old, new) for number in range(first, behind)):
            return False
        if behind < old_end:
            if not self._keep_gap(behind, new + behind - old):
                return False
            self._parts.append(current.run(behind, old_end))
        return True

    def _keep_token(self, number: int, old: int, new: int) -> bool:
        """Take a token, and the gap in front of it if it is not the first of those that are taken."""
        if number > old and not self._keep_gap(number, new + number - old):
            return False
        before, current = self._base.token(number), self._current.token(number)
        edited = self._edited.token(new + number - old)
        # Both kinds of quotes are the same token, and either side may have chosen the other kind.
        if edited not in (before, current) and current != before:
            return False
        self._parts.append(current if edited == before else edited)
        return True

    def _keep_gap(self, old: int, new: int) -> bool:
        """Take a gap that all three texts have."""
        gap = self._decide(old, new)
        if gap is None:
            return False
        self._parts.append(gap)
        return True

    def _change(self, start: int, end: int, new_start: int, new_end: int) -> bool:
        """Put tokens of the edit in the place of the tokens [start, end), with the gaps around them.

        False where a gap can't be decided.
        """
        if new_start == new_end:
            gap = self._joined_gap(start, end, new_start)
            if gap is None:
                return False
            self._parts.append(gap)
            return True
        gaps = self._gaps_around(start, end, new_start, new_end)
        if gaps is None:
            return False
        front, behind = gaps
        self._parts.append(front)
        self._parts.append(self._edited.token(new_start))
        for number in range(new_start + 1, new_end):
            self._parts.append(self._reindented(self._edited.gaps[number], start))
            self._parts.append(self._edited.token(number))
        self._parts.append(behind)
        return True

    def _gaps_around(self, start: int, end: int, new_start: int, new_end: int) -> tuple[str, str] | None:
        """The gaps in front of and behind tokens of the edit in the place of [start, end); None where unclear."""
        if start == end:
            return self._split_gap(start, new_start, new_end)
        front, behind = self._decide(start, new_start), self._decide(end, new_end)
        if front is None or behind is None:
            return None
        return front, behind

    def _decide(self, old: int, new: int) -> str | None:
        """A gap that all three texts have: the side's that has changed it, or None where both have."""
        before, current, edited = self._base.gaps[old], self._current.gaps[old], self._edited.gaps[new]
        if edited in (before, current):
            return current
        if current == before:
            return self._reindented(edited, old)
        # Both have changed it. If the edit only puts signs beside what was there, they go beside what is there now.
        extended = _extended(before, current, edited)
        if extended is not None:
            return extended
        # Where one has changed whitespace alone, the signs of the other count.
        if _signs(edited) in (_signs(before), _signs(current)):
            return current
        return self._reindented(edited, old) if _signs(current) == _signs(before) else None

    def _split_gap(self, number: int, start: int, end: int) -> tuple[str, str] | None:
        """The gaps in front of and behind the tokens [start, end) of the edit, which come in where the base has a gap.

        None where the current text has other signs in that gap: on which side of the tokens they belong is unclear.
        """
        before, current = self._base.gaps[number], self._current.gaps[number]
        edited_front, edited_behind = self._edited.gaps[start], self._edited.gaps[end]
        front, behind = self._reindented(edited_front, number), self._reindented(edited_behind, number)
        if current == before:
            return front, behind
        # Where the edit has the gap of the base on one side, the current one is there now.
        if edited_behind == before:
            return front, current
        if edited_front == before:
            return current, behind
        extended = _extended(before, current, edited_behind)
        if extended is not None:
            return front, extended
        if _signs(current) != _signs(before):
            return None
        # The current gap differs in whitespace alone, and the edit has replaced that.
        return front, behind

    def _joined_gap(self, start: int, end: int, new: int) -> str | None:
        """The gap that is left where the tokens [start, end) go; `new` is its number in the edit."""
        edited = self._edited.gaps[new]
        for number in (start, end):
            if edited == self._base.gaps[number]:
                return self._current.gaps[number]
        if all(_signs(self._base.gaps[number]) == _signs(self._current.gaps[number]) for number in (start, end)):
            return self._reindented(edited, start)
        return None

    def _reindented(self, gap: str, near: int) -> str:
        """A gap of the edit with its last line indented as the current text indents such lines near a token."""
        head, newline, indentation = gap.rpartition("\n")
        if not newline or indentation.strip():
            return gap
        if indentation not in self._indents:
            return gap
        numbers, current_indentations = self._indents[indentation]
        # The nearest line of the same indentation says what it is now: the last one above, or the first one from there.
        index = bisect_left(numbers, near)
        neighbors = range(max(0, index - 1), min(len(numbers), index + 1))
        closest = min(neighbors, key=lambda neighbor: abs(numbers[neighbor] - near))
        return f"{head}\n{current_indentations[closest]}"


def _indents(base: TokenText, current: TokenText) -> dict[str, tuple[list[int], list[str]]]:
    """The tokens that begin a line in both texts and the indentation now, by the indentation in the base."""
    indents: dict[str, tuple[list[int], list[str]]] = {}
    now = current.indentations()
    for number, then in base.indentations().items():
        if number in now:
            numbers, indentations = indents.setdefault(then, ([], []))
            numbers.append(number)
            indentations.append(now[number])
    return indents


def _extended(before: str, current: str, edited: str) -> str | None:
    """The current gap, extended at its start or end as the edit has extended the gap before; None if it did more.

    Only a gap with signs can be told from what the edit has put beside it.
    """
    if not _signs(before):
        return None
    if edited.endswith(before):
        return edited[: -len(before)] + current
    if edited.startswith(before):
        return current + edited[len(before) :]
    return None


def _signs(gap: str) -> str:
    """The signs of a gap: all of it but whitespace."""
    return "".join(gap.split())
