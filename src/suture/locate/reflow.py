"""An edit whose words are there with other white space between them: where, and as a hunk of the file's own lines.

Words are found by the rarest one, and a pattern in the window around it; a text without a rare word says too little to
be found loosely. Each old line is given the lines of the file that have its words; blank lines are lines like any
other. What the edit keeps stays as the file has it, and what comes in is written at the file's depth.
"""

from __future__ import annotations

from ..core.line_diff import changed_blocks
from .indentation import shift_between, shifted, split_indent
from .limits import (
    LONGEST_PATTERN,
    MOST_LOOKED_FOR,
    MOST_PIVOTS,
    MOST_WORDS,
    MOST_WORK,
    PATTERN_CANDIDATES,
    PATTERN_SLACK,
)
from .place import line_after
from .tiers import is_distinctive, is_of_word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.line_diff import Block

    #: The first line of the file and the one behind the last; -1 for a line that is behind another one.
    Rows = tuple[int, int]

#: What may be between words: any white space, or one line break and the blanks around it.
ANY, BREAK = r"\s++", r"[ \t]*+\n[ \t]*+"


def find_words(body: str, words: Sequence[str], between: str) -> list[tuple[int, int]]:
    """Where these words stand with only `between` between them, and are no part of longer words at the two ends."""
    size = sum(map(len, words))
    if len(words) > MOST_WORDS or size > LONGEST_PATTERN:
        return []
    longest = sorted(filter(None, set(words)), key=len, reverse=True)
    # Every word must be there; the longest one that is not tells soonest.
    if any(word not in body for word in longest[:MOST_LOOKED_FOR]):
        return []
    counts = {word: body.count(word) for word in longest[:PATTERN_CANDIDATES]}
    rarest = min(counts, key=lambda word: counts[word])
    if counts[rarest] > min(MOST_PIVOTS, MOST_WORK // len(words)):
        return []
    from re import compile as compiled, escape, finditer

    before = r"(?<!\w)" if is_of_word(words[0][0]) else ""
    behind = r"(?!\w)" if is_of_word(words[-1][-1]) else ""
    reach = 2 * size + len(words) * 40 + PATTERN_SLACK
    # Windows that overlap are searched as one, so that no part of the text is searched twice.
    windows: list[tuple[int, int]] = []
    for found in finditer(escape(rarest), body):
        first, last = max(0, found.start() - reach), found.start() + reach
        windows.append((windows.pop()[0], last) if windows and first <= windows[-1][1] else (first, last))
    # Places that overlap are places too.
    pattern = compiled(f"(?=({before}{between.join(map(escape, words))}{behind}))")
    return [match.span(1) for window in windows for match in pattern.finditer(body, *window)]


def is_apart(body: str, start: int, end: int) -> bool:
    """Whether a span neither begins nor ends inside a word."""
    return not any(is_of_word(body[at - 1 : at]) and is_of_word(body[at : at + 1]) for at in (start, end))


def whole_lines(body: str, start: int, end: int) -> tuple[int, int]:
    """A span with all of the lines that it begins and ends in, but for the last newline."""
    return body.rfind("\n", 0, start) + 1, line_after(body, end) - 1


def has_edges(body: str, start: int, end: int, old: str) -> bool:
    """Whether a span without the blank ends of an old text begins and ends lines where that text does.

    A text begins as a line does with a line break, a tab, or more than one blank; with one before a mere brace, too.
    """
    top, bottom = whole_lines(body, start, end)
    beside, lines = (body[top:start], body[end:bottom]), old.strip().split("\n")
    return not any(
        part.strip() and (text.startswith(("\n", "\t", "  ")) or (text[0].isspace() and not is_distinctive(line)))
        for part, text, line in zip(beside, (old, old[::-1]), (lines[0], lines[-1]), strict=True)
    )


def reflow(lines: Sequence[str], old: Sequence[str], new: Sequence[str], *, inside: bool) -> list[str] | None:
    """The lines of a hunk that makes the edit on lines of the file with the same words.

    `inside` says that the first old line is a part of the file's, which begins there at its own depth. None where
    nothing changes, where the depth of new lines can't be known, where it can't be told what becomes of blank lines at
    the two ends, or where the file has lines that change on one line with others.
    """
    rows = _rows(old, lines)
    pairs = [(line, lines[row[0]]) for line, row in zip(old, rows, strict=True) if row[0] != -1 and line.strip()]
    shift = shift_between(pairs[inside:], ())
    if shift is None and len(pairs) > 2 and not old[0][:1].isspace():
        # A quotation may begin behind the indentation of its first line, which then says nothing of the others.
        shift = shift_between(pairs[1:], ())
    blocks = changed_blocks(old, new)
    if shift is None or not blocks or any(_comes_apart(rows, old, new, block) for block in blocks):
        return None
    result: list[str] = []
    done = 0
    for a, b, c, d in blocks:
        first = rows[a][0] if a < b else rows[a - 1][1] if a else 0
        last = rows[b - 1][1] if a < b else first
        added = [shifted(line, shift) for line in new[c:d]]
        if a < b and added and new[c].strip() and _indent(new[c]) == _indent(old[a]):
            # What replaces a line begins where that did.
            added[0] = _indent(lines[first]) + new[c].lstrip()
        result += (" " + line for line in lines[done:first])
        result += ("-" + line for line in lines[first:last])
        result += ("+" + line for line in added)
        done = last
    return [*result, *(" " + line for line in lines[done:])]


def _rows(old: Sequence[str], lines: Sequence[str]) -> list[Rows]:
    """The lines of the file that each old line is on; a blank line that the file lacks is on none."""
    numbers = [number for number, line in enumerate(lines) for _ in line.split()]
    rows: list[Rows] = []
    words = done = 0
    for line in old:
        count = len(line.split())
        if count:
            is_first = numbers[words] not in numbers[max(0, words - 1) : words]
            words += count
            rows.append((numbers[words - count] if is_first else -1, numbers[words - 1] + 1))
        else:
            there = done < len(lines) and not lines[done].strip()
            rows.append((done, done + there))
        done = rows[-1][1]
    return rows


def _comes_apart(rows: Sequence[Rows], old: Sequence[str], new: Sequence[str], block: Block) -> bool:
    """Whether the file has what changes, or what it would stand beside, on one line with something else."""
    a, b, c, _ = block
    behind = [row for row, line in zip(rows[b:], old[b:], strict=True) if line.strip()]
    if -1 in (start for start, _ in (*rows[a:b][:1], *behind[:1])):
        return True
    # Lines that come in at the depth of a line that the file has behind another one would lie too deep.
    return 0 < a == b and rows[a - 1][0] == -1 and _indent(new[c]) == _indent(old[a - 1])


def _indent(line: str) -> str:
    return split_indent(line)[0]
