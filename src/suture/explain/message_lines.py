"""The lines of a file as a message shows them: one, two that are compared, and those of the place nearest to an edit.

What can't be seen is made visible, and a long line is cut, two that are compared around their first difference.
"""

from __future__ import annotations

from operator import attrgetter
from re import sub

from ..core.display import one_line, shorten, visible_whitespace
from ..core.line_diff import common_ends
from ..locate import limits
from ..locate.align import Alignment, align
from ..locate.loose import Seeds
from ..locate.readings import without_line_numbers
from ..locate.tiers import FOLDS, fold_text, is_distinctive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..core.patch import Hunk
    from ..core.text import Text

    #: The number of a line, whether it differs, and the line as it is shown.
    ListedLine = tuple[int, bool, str]

_fold = FOLDS["whitespace"]


def visible(line: str, start: int = 0) -> str:
    """A line between bars, from a character on, and cut at its end where it is long."""
    return f"|{'…' if start else ''}{visible_name(line[start:])}|"


def visible_name(text: str) -> str:
    """A text on one line, cut where it is long."""
    return visible_whitespace(shorten(text, limits.LONGEST_SHOWN))


def compare_lines(number: int, line: str, other: str, side: str, width: int = 0) -> str:
    """A line of the file with its number, below it the line that `side` has instead, and what odd signs stand for."""
    start = 0
    if max(len(line), len(other)) > limits.LONGEST_SHOWN:
        start = max(0, common_ends(line, other)[0] - limits.BEFORE_DIFFERENCE)
    end = start + limits.LONGEST_SHOWN
    ours, theirs = line[start:end], other[start:end]
    signs = [f"shown from character {start + 1} on"] * bool(start)
    signs += ["→ is a tab"] * ("\t" in ours + theirs)
    signs += ["· is a trailing space"] * (" " in (ours[-1:], theirs[-1:]))
    odd = sorted({sign for sign in ours + theirs if not sign.isascii()} & (set(ours) ^ set(theirs)))
    if odd:
        from unicodedata import name

        signs += [f"{one_line(sign)} is {name(sign, 'no character')}" for sign in odd[: limits.MOST_NAMED]]
    below = f"\n  {'':{width or len(str(number))}} "
    legend = f"{below}({', '.join(signs)})" if signs else ""
    return f"\n  {number:{width}} {visible(line, start)}{below}{visible(other, start)}  (the {side}){legend}"


def line_list(numbers: Sequence[int]) -> str:
    """`line 6`, `lines 6 and 14`, `lines 1, 3, 5, 7, 9 and more`."""
    shown = list(map(str, numbers[: limits.MOST_NUMBERS]))
    last = "more" if len(numbers) > len(shown) else shown.pop()
    return f"lines {', '.join(shown)} and {last}" if shown else f"line {last}"


def find_nearest_place(text: Text, hunk: Hunk, side: str, low: int = 0) -> tuple[str, dict[str, object]]:
    """The place that has most of the hunk's lines, from the offset `low` on if there is one: a row, and its fields."""
    if not text.body:
        return "empty", {}
    # Lines with the numbers of a file viewer are near where they would be without them.
    hunk = next(without_line_numbers(hunk), hunk)
    lines, old = text.rows[0], hunk.old[: limits.MOST_OLD_EXPLAINED]
    seeds = Seeds(text, old, low, common=True)
    if low and not seeds.windows:
        seeds = Seeds(text, old, common=True)
    firsts = seeds.windows[: max(1, limits.MOST_OLD_EXPLAINED // len(old))]
    found = [align(seeds.old, text, first, " " * len(old), {})[0] for first in firsts]
    best, compared = max(found, key=attrgetter("score"), default=None), old
    if best is None or "equal" not in best.relations:
        # One of the two longest lines may be like one of the file.
        longest = sorted(filter(is_distinctive, old), key=len, reverse=True)[:2] or [max(old, key=len)]
        wanted, row = next(((line, row) for line in longest if (row := close_line(text, line) - 1) >= 0), ("", -1))
        if row < 0:
            return "no_line", {"shown": visible(longest[0])}
        relation = "equal" if _fold(wanted) == _fold(lines[row]) else "near"
        best, compared = Alignment([row], [relation], 0, {}), [wanted]
    listing = list(_listing(lines, compared, best.rows, side))
    numbers = [row + 1 for row in best.rows if row is not None]
    first, last, agree = numbers[0], numbers[-1], best.relations.count("equal")
    line = next((number for number, differs, _ in listing if differs), first)
    slightly = " apart from whitespace or punctuation" * (agree > sum(not differs for _, differs, _ in listing))
    fields: dict[str, object] = {
        "nearest": {"first": first, "last": last, "agree": agree, "of": len(old), "line": line},
        "range": f"line {first}" if first == last else f"lines {first}-{last}",
        "where": f", where {agree} of {len(old)} lines match{slightly}" if agree else "",
        "listing": _cut(listing),
    }
    absent = [line for line, relation in zip(compared, best.relations, strict=True) if relation != "equal"]
    elided = [line for line in absent if line.strip(" \t#/*-<!;%{(").startswith(("...", "…"))]
    if elided:
        fields["mark"] = f" Write out the lines that {visible(elided[0])} stands for."
    elif not hunk.added or "missing" not in best.relations:
        fields["mark"] = ""
    return "far" if agree * 2 < len(old) else "nearest", fields


def _listing(lines: Sequence[str], old: Sequence[str], rows: Sequence[int | None], side: str) -> Iterator[ListedLine]:
    """The lines of the file at a place, each with its number, whether it differs, and what the edit has instead."""
    faced = [row for row in rows if row is not None]
    width = len(str(faced[-1] + 1))
    position = faced[0]
    for wanted, row in zip(old, rows, strict=True):
        if row is None:
            yield position, True, f"\n  {'':{width}} {visible(wanted)}  (only in the {side})"
            continue
        for extra in range(position, row):
            yield extra + 1, True, f"\n  {extra + 1:{width}} {visible(lines[extra])}  (not in the {side})"
        position = row + 1
        if lines[row] == wanted:
            yield position, False, f"\n  {position:{width}} {visible(wanted)}"
        else:
            yield position, True, compare_lines(position, lines[row], wanted, side, width)


def _cut(listing: Sequence[ListedLine]) -> str:
    """So many lines of a listing as a message has room for: those that differ, and some around them."""
    near = {i + d for i, (_, differs, _) in enumerate(listing) for d in (-1, 0, 1) if differs}
    shows_all = len(listing) <= limits.MOST_SHOWN_LINES or not near
    chosen = [i for i in range(len(listing)) if shows_all or i in near][: limits.MOST_SHOWN_LINES]
    texts = [text if i in chosen else "\0" for i, (_, _, text) in enumerate(listing)]
    return sub("\0+", "\n  …", "".join(texts))


def close_line(text: Text, wanted: str) -> int:
    """The number of the line near the beginning of the file that is like this one, or has a part that is; 0 if none."""
    from rapidfuzz.distance import Levenshtein
    from rapidfuzz.fuzz import partial_ratio
    from rapidfuzz.process import extractOne

    needle = _fold(wanted)
    if not is_distinctive(needle) or len(needle) > limits.LONGEST_CLOSE:
        return 0
    head = fold_text(text.body[: limits.CLOSE_CHARACTERS]).split("\n")
    lines = [line.strip()[: limits.LONGEST_CLOSE] for line in head[: limits.CLOSE_LINES]]
    best = extractOne(needle, lines, scorer=Levenshtein.normalized_similarity, score_cutoff=limits.CLOSE)
    if best is None and len(needle) >= limits.SHORTEST_PART:
        longer = [line if len(line) > len(needle) else None for line in lines]
        best = extractOne(needle, longer, scorer=partial_ratio, score_cutoff=limits.CLOSE_PART)
    return 0 if best is None else int(best[2]) + 1
