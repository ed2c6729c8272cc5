"""Places where a file has the words of an edit, but breaks its lines, or blanks its words, differently.

The words are found by one pattern around the rarest of them. What changes is then written in the file's own lines.
"""

from __future__ import annotations

from ..core.line_diff import changed_blocks
from ..core.patch import Hunk
from . import limits
from .indentation import shift_between, shifted
from .place import Place, line_after
from .readings import merged_lines
from .tiers import is_of_word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..core.text import Text
    from .readings import EditReading


def find_reflowed(text: Text, wanted: EditReading) -> list[Place]:
    """The places where the file breaks the lines of an edit differently; none if the edit can't be made at each.

    A part of a line is no such place, and blank lines at an end are no words.
    """
    body, places = text.body, list[Place]()
    if not wanted.hunk.old or not wanted.hunk.old[0].strip() or not wanted.hunk.old[-1].strip():
        return []
    for start, end in find_words(body, wanted.old):
        top, bottom = whole_lines(body, start, end)
        has_own_lines = not (body[top:start] + body[end:bottom]).strip()
        place = reflow(body, wanted, start, end) if has_own_lines else None
        if place is None:
            return []
        places.append(place)
    return places


def find_words(body: str, old: str) -> list[tuple[int, int]]:
    """Where the words of an old text, of which one must be rare, stand with any white space between them."""
    words = old.split()
    size = sum(map(len, words))
    if not 1 < len(words) <= limits.MOST_WORDS or size > limits.LONGEST_PATTERN:
        return []
    longest = sorted(set(words), key=len, reverse=True)
    # Every word must be there; the longest one that is not tells soonest.
    if any(word not in body for word in longest[: limits.MOST_LOOKED_FOR]):
        return []
    rarest = min(longest[: limits.PATTERN_CANDIDATES], key=body.count)
    if body.count(rarest) > min(limits.MOST_PIVOTS, limits.MOST_WORK // len(words)):
        return []
    from re import compile as compiled, escape, finditer

    reach = 2 * size + len(words) * 40 + limits.PATTERN_SLACK
    # Windows that overlap are searched as one, so that no part of the text is searched twice.
    windows: list[tuple[int, int]] = []
    for found in finditer(escape(rarest), body):
        first, last = max(0, found.start() - reach), found.start() + reach
        windows.append((windows.pop()[0], last) if windows and first <= windows[-1][1] else (first, last))
    # Places that overlap are places too.
    pattern = compiled("(?=(" + r"\s++".join(map(escape, words)) + "))")
    spans = [match.span(1) for window in windows for match in pattern.finditer(body, *window)]
    return [span for span in spans if has_edges(body, *span, old)]


def whole_lines(body: str, start: int, end: int) -> tuple[int, int]:
    """A span with all of the lines that it begins and ends in, but for the last newline."""
    return body.rfind("\n", 0, start) + 1, line_after(body, end) - 1


def has_edges(body: str, start: int, end: int, old: str) -> bool:
    """Whether a span without the blank ends of an old text cuts no word, and begins and ends lines where that does."""
    if any(is_of_word(body[at - 1 : at]) and is_of_word(body[at : at + 1]) for at in (start, end)):
        return False
    top, bottom = whole_lines(body, start, end)
    # A text begins as a line does with a line break, a tab, or more than one blank.
    sides = ((body[top:start], old), (body[end:bottom], old[::-1]))
    return not any(beside.strip() and text.startswith(("\n", "\t", "  ")) for beside, text in sides)


def reflow(body: str, wanted: EditReading, start: int, end: int) -> Place | None:
    """The edit on the lines of the file that have its words; None where it can't be known how deep its lines are, what
    becomes of blank ends, or where what changes has no lines to itself.
    """
    top, bottom = whole_lines(body, start, end)
    before, behind = body[top:start], body[end:bottom]
    inner = wanted.without_blank_ends().hunk
    old, new, lines = inner.old, inner.new, body[top:bottom].split("\n")
    if len(wanted.hunk.old) - len(old) != len(wanted.hunk.new) - len(new):
        return None
    is_part = bool((before + behind).strip())
    if is_part:
        old, new = ((before + text + behind).split("\n") for text in (wanted.old.strip(), wanted.new.strip()))
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
        result += [*lines[done:first], *(shifted(line, shift) for line in new[c:d])]
        done = last
    hunk = Hunk(tuple(merged_lines(lines, [*result, *lines[done:]])))
    notes = () if set(hunk.added).issubset(new) else ("indentation_shifted",)
    return Place(hunk, top, "whitespace", notes, fitted=True)


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
