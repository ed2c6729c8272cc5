"""Where an edit that has no place nearly has one: the file's lines there, each beside what the edit has instead.

It uses the aligner of `locate`, so an explanation shows what the rules have seen.
"""

from __future__ import annotations

from ..core.value import Value
from ..locate.align import Alignment, Window, align
from ..locate.limits import CLOSE_LINES, MOST_OLD_EXPLAINED, MOST_SHOWN_LINES
from ..locate.seeds import Seeds
from ..locate.tiers import FOLDS, is_distinctive
from .message_lines import line_range, visible, visible_pair
from .surroundings import close_line, lines_like

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..core.patch import Hunk
    from ..core.text import Text
    from .message_lines import Words


class NearestPlace(Value):
    """What was seen: a message, what to do next, the place as data, and the lines that the file does not have."""

    message: str
    hint: str
    data: dict[str, object] | None = None
    absent: tuple[str, ...] = ()


def find_nearest_place(text: Text, hunk: Hunk, tiers: Sequence[str], words: Words, low: int = 0) -> NearestPlace:
    """The place that has most of the hunk's lines, from the offset `low` on if there is one."""
    old = hunk.old[:MOST_OLD_EXPLAINED]
    numbered = _line_numbers(text, old, words)
    if numbered is not None:
        return numbered
    seeds = Seeds(text, old, low, common=True)
    if not seeds.windows and low:
        seeds = Seeds(text, old, common=True)
    removed = [line[0] == "-" for line in hunk.lines if line[0] != "+"][: len(old)]
    best: tuple[Alignment, Window] | None = None
    for first in seeds.windows[: max(1, MOST_OLD_EXPLAINED // len(old))]:
        window = Window(text.rows[0], first, len(old))
        alignment = align(seeds.old, window, removed, text.words)[0]
        if best is None or alignment.score > best[0].score:
            best = alignment, window
    if best is None or "equal" not in best[0].relations:
        return _no_line(text, old, words)
    return _place(text, hunk, old, best[0], tiers, words)


def _place(
    text: Text, hunk: Hunk, old: Sequence[str], alignment: Alignment, tiers: Sequence[str], words: Words
) -> NearestPlace:
    rows = [row for row in alignment.rows if row is not None]
    first, last = rows[0] + 1, rows[-1] + 1
    fold = FOLDS[[tier for tier in tiers if tier in FOLDS][-1]]
    agree = sum(row is not None and fold(text.rows[0][row]) == fold(old[i]) for i, row in enumerate(alignment.rows))
    absent = tuple([old[i] for i, name in enumerate(alignment.relations) if name != "equal"])
    listing = list(_listing(text, old, alignment, words))
    differing = next((number for number, differs, _ in listing if differs), first)
    data: dict[str, object] = {"first": first, "last": last, "agree": agree, "of": len(old), "line": differing}
    count = f"all {agree}" if agree == len(old) else f"{agree} of {len(old)}"
    message = f"The nearest place is {line_range(first, last)}, where {count} lines match. The file has:"
    if len(old) == 1:
        message = f"The nearest line is {first}. The file has:"
    message += "".join([line for _, _, line in _cut(listing)])
    elided = next(filter(_is_ellipsis, absent), None)
    hint = f"{words.again} with the lines as the file has them."
    if elided is not None:
        hint = f"Write out the lines that {visible(elided)} stands for, or split the {words.thing} in two."
    elif agree * 2 < len(old):
        hint = f"If this is the place, {words.resend} with these lines. If not, {words.look.lower()}."
    elif hunk.added and any(name == "missing" for name in alignment.relations):
        is_hunk = words.has_prefixes and not words.subject
        hint += " If a line that is not in the file should be added, mark it as added." * is_hunk
    return NearestPlace(message, hint, data, absent)


def _listing(text: Text, old: Sequence[str], alignment: Alignment, words: Words) -> Iterator[tuple[int, bool, str]]:
    """The lines of the file at a place, each with its number, whether it differs, and what the edit has instead."""
    rows = [row for row in alignment.rows if row is not None]
    width = len(str(rows[-1] + 1))
    position = rows[0]
    for index, row in enumerate(alignment.rows):
        if row is None:
            yield position, True, f"\n  {'':{width}} {visible(old[index])}  (only in the {words.side})"
            continue
        for extra in range(position, row):
            yield extra + 1, True, f"\n  {extra + 1:{width}} {visible(text.rows[0][extra])}  (not in the {words.side})"
        position = row + 1
        line = text.rows[0][row]
        if line == old[index]:
            yield row + 1, False, f"\n  {row + 1:{width}} {visible(line)}"
        else:
            one, other, legend = visible_pair(old[index], line)
            legend = legend.replace("\n", f"\n  {'':{width}}")
            yield row + 1, True, f"\n  {row + 1:{width}} {other}\n  {'':{width}} {one}  (the {words.side}){legend}"


def _cut(listing: Sequence[tuple[int, bool, str]]) -> list[tuple[int, bool, str]]:
    """So many lines of a listing as a message has room for: those that differ, and some around them."""
    if len(listing) <= MOST_SHOWN_LINES:
        return list(listing)
    near = {i + d for i, (_, differs, _) in enumerate(listing) for d in (-1, 0, 1) if differs}
    chosen = sorted(i for i in near if 0 <= i < len(listing))[:MOST_SHOWN_LINES] or list(range(MOST_SHOWN_LINES))
    result: list[tuple[int, bool, str]] = []
    for number, index in enumerate(chosen):
        if index and (not number or chosen[number - 1] != index - 1):
            result.append((0, False, "\n  …"))
        result.append(listing[index])
    return result if chosen[-1] == len(listing) - 1 else [*result, (0, False, "\n  …")]


def _is_ellipsis(line: str) -> bool:
    """Whether a line stands for lines that were left out: `# ... rest of the code`."""
    return line.strip(" \t#/*-<!;%{(").startswith(("...", "…"))


def _no_line(text: Text, old: Sequence[str], words: Words) -> NearestPlace:
    """No line of the edit is in the file."""
    if not text.body:
        fill = f"leave {words.old} empty" if words.subject else "leave the SEARCH part empty"
        if words.has_prefixes and not words.subject:
            fill = f"{words.send.lower()} a hunk of + lines alone"
        fill = f"To fill it, {fill}."
        return NearestPlace("The file is empty.", fill, None, tuple(old))
    distinctive = sorted(filter(is_distinctive, old), key=len, reverse=True)
    none = "It is not in the file" if len(old) == 1 else "None of its distinctive lines is in the file"
    close = close_line(text, *distinctive[:2])
    if close is None:
        hint = f"{words.look}: this {words.thing} may be for another file, or for an older version of this one."
        first = next((line for line in (*distinctive, *old) if line.strip()), "")
        return NearestPlace(f"{none}, and no line is close to {visible(first)}.", hint, None, tuple(old))
    number, line = close
    one, other, legend = visible_pair(line, text.rows[0][number - 1])
    within = "" if len(text.lines) <= CLOSE_LINES else f" of the first {CLOSE_LINES}"
    message = f"{none}. The nearest line{within} is:\n  {number} {other}\n  {'':{len(str(number))}} {one}"
    message += f"  (the {words.side}){legend}"
    data: dict[str, object] = {"first": number, "last": number, "agree": 0, "of": len(old), "line": number}
    hint = f"If that is the place, {words.resend} with the lines as the file has them."
    return NearestPlace(message, hint, data, tuple(old))


def _line_numbers(text: Text, old: Sequence[str], words: Words) -> NearestPlace | None:
    """Whether the lines begin with the numbers that a file viewer prints, and are in the file without them."""
    from re import compile as pattern

    mark = pattern(r"[ \t]*\d+ ?[|:→│\t] ?")
    lines = [line for line in old[:200] if line.strip()]
    if not lines or not all(mark.match(line) for line in lines):
        return None
    bare = next((line for line in (mark.sub("", line, count=1) for line in lines) if is_distinctive(line)), "")
    if not bare or not lines_like(text, bare):
        return None
    message = f"Its lines begin with line numbers, which the file does not have: {visible(lines[0])}"
    return NearestPlace(message, f"{words.again} without the line numbers.")
