"""An edit whose words are there with other white space between them: where, and as a hunk of the file's own lines.

Words are found by the rarest one, and a pattern in the window around it; a text without a rare word says too little to
be found loosely. Each old line is given the lines of the file that have its words. What the edit keeps stays as the
file has it, and what comes in is written at the file's depth.
"""

from __future__ import annotations

from ..core.line_diff import changed_blocks
from ..core.patch import Hunk
from . import limits
from .indentation import shift_between, shifted
from .place import Place, line_after
from .tiers import is_distinctive, is_of_word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .edit_readings import EditReading

#: What may be between words: any white space, or one line break and the blanks around it.
ANY, BREAK = r"\s++", r"[ \t]*+\n[ \t]*+"


def find_words(body: str, old: str, words: Sequence[str], between: str) -> list[tuple[int, int]]:
    """Where the words of an old text stand with only `between` between them."""
    size = sum(map(len, words))
    if len(words) > limits.MOST_WORDS or size > limits.LONGEST_PATTERN:
        return []
    longest = sorted(filter(None, set(words)), key=len, reverse=True)
    # Every word must be there; the longest one that is not tells soonest.
    if any(word not in body for word in longest[: limits.MOST_LOOKED_FOR]):
        return []
    counts = {word: body.count(word) for word in longest[: limits.PATTERN_CANDIDATES]}
    rarest = min(counts, key=lambda word: counts[word])
    if counts[rarest] > min(limits.MOST_PIVOTS, limits.MOST_WORK // len(words)):
        return []
    from re import compile as compiled, escape, finditer

    reach = 2 * size + len(words) * 40 + limits.PATTERN_SLACK
    # Windows that overlap are searched as one, so that no part of the text is searched twice.
    windows: list[tuple[int, int]] = []
    for found in finditer(escape(rarest), body):
        first, last = max(0, found.start() - reach), found.start() + reach
        windows.append((windows.pop()[0], last) if windows and first <= windows[-1][1] else (first, last))
    # Places that overlap are places too.
    pattern = compiled(f"(?=({between.join(map(escape, words))}))")
    spans = [match.span(1) for window in windows for match in pattern.finditer(body, *window)]
    return [span for span in spans if has_edges(body, *span, old)]


def whole_lines(body: str, start: int, end: int) -> tuple[int, int]:
    """A span with all of the lines that it begins and ends in, but for the last newline."""
    return body.rfind("\n", 0, start) + 1, line_after(body, end) - 1


def has_edges(body: str, start: int, end: int, old: str) -> bool:
    """Whether a span without the blank ends of an old text cuts no word, and begins and ends lines where that does.

    A text begins as a line does with a line break, a tab, or more than one blank; with one before a mere brace, too.
    """
    if any(is_of_word(body[at - 1 : at]) and is_of_word(body[at : at + 1]) for at in (start, end)):
        return False
    top, bottom = whole_lines(body, start, end)
    beside, lines = (body[top:start], body[end:bottom]), old.strip().split("\n")
    return not any(
        part.strip() and (text.startswith(("\n", "\t", "  ")) or (text[0].isspace() and not is_distinctive(line)))
        for part, text, line in zip(beside, (old, old[::-1]), (lines[0], lines[-1]), strict=True)
    )


def reflow(body: str, wanted: EditReading, start: int, end: int) -> Place | None:
    """The edit on the lines of the file that have its words.

    None where nothing changes, where the depth of new lines or what becomes of blank lines at the two ends can't be
    known, or where the file has lines that change on one line with others.
    """
    top, bottom = whole_lines(body, start, end)
    before, behind = body[top:start], body[end:bottom]
    inner = wanted.without_blank_ends().hunk
    old, new, lines = inner.old, inner.new, body[top:bottom].split("\n")
    if len(wanted.hunk.old) - len(old) != len(wanted.hunk.new) - len(new):
        return None
    is_part = bool((before + behind).strip())
    if is_part:
        old, new = ((before + text + behind).split("\n") for text in (wanted.old.strip(), wanted.new_within()))
    rows = list(_rows(old, lines))
    # A first line that is part of the file's begins there at its own depth.
    pairs = [(line, lines[first]) for line, (first, _) in zip(old, rows, strict=True) if first is not None]
    shift = shift_between(pairs[is_part:], ())
    blocks = changed_blocks(old, new)
    if shift is None or not blocks:
        return None
    result: list[str] = []
    done = 0
    for a, b, c, d in blocks:
        last = rows[b - 1][1] if b else 0
        first = rows[a][0] if a < b else last
        if first is None or last is None or (a == b > 0 and rows[a - 1][0] is None):
            return None
        result += (" " + line for line in lines[done:first])
        result += ("-" + line for line in lines[first:last])
        result += ("+" + shifted(line, shift) for line in new[c:d])
        done = last
    result += (" " + line for line in lines[done:])
    is_shifted = any(line[0] == "+" and line[1:] not in new for line in result)
    return Place(Hunk(tuple(result)), top, "whitespace", ("indentation_shifted",) * is_shifted, fitted=True)


def _rows(old: Sequence[str], lines: Sequence[str]) -> Iterator[tuple[int | None, int | None]]:
    """For each old line, the first line of the file that has its words and the one behind the last.

    None stands for an end in the middle of a line of the file; a blank line that the file lacks is on none.
    """
    # The row of each word, and what is around them.
    numbers = [-1, *(number for number, line in enumerate(lines) for _ in line.split()), len(lines)]
    words = 0
    done: int | None = 0
    for line in old:
        first = done
        if line.strip():
            first = numbers[words + 1] if numbers[words] != numbers[words + 1] else None
            words += len(line.split())
            done = numbers[words] + 1 if numbers[words] != numbers[words + 1] else None
        elif done is not None and done < len(lines) and not lines[done].strip():
            done += 1
        yield first, done
