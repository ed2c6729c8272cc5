"""Where an edit that has no place nearly has one: the file's lines there, each beside what the edit has instead.

It uses the aligner of `locate`, so an explanation shows what the rules have seen.
"""

from __future__ import annotations

from operator import attrgetter

from ..locate import limits
from ..locate.align import Alignment, Window, align
from ..locate.readings import without_line_numbers
from ..locate.seeds import Seeds
from ..locate.tiers import FOLDS, fold_text, is_distinctive
from .message_lines import compare_lines, line_range, visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ..core.patch import Hunk
    from ..core.text import Text

    #: A row of the table, its fields, and the lines that the file does not have.
    Nearest = tuple[str, dict[str, object], Sequence[str]]
    #: The number of a line, whether it differs, and the line as it is shown.
    ListedLine = tuple[int, bool, str]


def find_nearest_place(text: Text, hunk: Hunk, words: Mapping[str, str], low: int = 0) -> Nearest:
    """The place that has most of the hunk's lines, from the offset `low` on if there is one."""
    # Lines with the numbers of a file viewer are near where they would be without them.
    hunk = next(without_line_numbers(hunk), hunk)
    old = hunk.old[: limits.MOST_OLD_EXPLAINED]
    if not text.body:
        return "empty", {}, old
    seeds = Seeds(text, old, low, common=True)
    if low and not seeds.windows:
        seeds = Seeds(text, old, common=True)
    kinds = [line[0] for line in hunk.lines if line[0] != "+"][: len(old)]
    windows = seeds.windows[: max(1, limits.MOST_OLD_EXPLAINED // len(old))]
    found = [align(seeds.old, Window(text.rows[0], first, len(old)), kinds, text.words, {})[0] for first in windows]
    best = max(found, key=attrgetter("score"), default=None)
    if best is None or "equal" not in best.relations:
        return _no_line(text, old, words["side"])
    absent = [line for line, relation in zip(old, best.relations, strict=True) if relation != "equal"]
    elided = next(filter(_is_ellipsis, absent), "")
    listing = list(_listing(text.rows[0], old, best, words["side"]))
    numbers = [row + 1 for row in best.rows if row is not None]
    line = next((number for number, differs, _ in listing if differs), numbers[0])
    agree = len(old) - len(absent)
    is_exact = agree == sum(not differs for _, differs, _ in listing)
    fields: dict[str, object] = {
        "nearest": _place(numbers[0], numbers[-1], agree, len(old), line),
        "range": line_range(numbers[0], numbers[-1]),
        "count": f"{agree} of {len(old)}",
        "but": "" if is_exact else " apart from whitespace or punctuation",
        "listing": _cut(listing),
        "shown": visible(elided),
        "mark_added": words["mark"] if hunk.added and "missing" in best.relations else "",
    }
    return "elided" if elided else "far" if agree * 2 < len(old) else "nearest", fields, absent


def _place(first: int, last: int, agree: int, of: int, line: int) -> dict[str, int]:
    """A place as data: its lines, how many agree, and the first that differs."""
    return {"first": first, "last": last, "agree": agree, "of": of, "line": line}


def _listing(lines: Sequence[str], old: Sequence[str], alignment: Alignment, side: str) -> Iterator[ListedLine]:
    """The lines of the file at a place, each with its number, whether it differs, and what the edit has instead."""
    rows = [row for row in alignment.rows if row is not None]
    width = len(str(rows[-1] + 1))
    position = rows[0]
    for wanted, row in zip(old, alignment.rows, strict=True):
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
    text = ""
    for before, index in zip((-1, *chosen), chosen, strict=False):
        text += "\n  …" * (index > before + 1) + listing[index][2]
    return text + "\n  …" * (chosen[-1] < len(listing) - 1)


def _is_ellipsis(line: str) -> bool:
    """Whether a line stands for lines that were left out: `# ... rest of the code`."""
    return line.strip(" \t#/*-<!;%{(").startswith(("...", "…"))


def _no_line(text: Text, old: Sequence[str], side: str) -> Nearest:
    """No line of the edit is in the file."""
    distinctive = sorted(filter(is_distinctive, old), key=len, reverse=True)
    none = "None of its distinctive lines is in the file. " if len(old) > 1 else ""
    close = close_line(text, *distinctive[:2])
    if close is None:
        first = next((line for line in (*distinctive, *old) if line.strip()), "")
        return "no_line", {"none": none, "shown": visible(first)}, old
    number, line = close
    fields: dict[str, object] = {
        "none": none,
        "within": f" of the first {limits.CLOSE_LINES}" if len(text.lines) > limits.CLOSE_LINES else "",
        "listing": compare_lines(number, text.rows[0][number - 1], line, side),
        "nearest": _place(number, number, 0, len(old), number),
    }
    return "nearest_line", fields, old


def close_line(text: Text, *candidates: str) -> tuple[int, str] | None:
    """For the first of these lines that has a close one near the beginning of the file: its number, and the line."""
    from rapidfuzz.distance import Levenshtein
    from rapidfuzz.fuzz import partial_ratio
    from rapidfuzz.process import extractOne

    head = fold_text(text.body[: limits.CLOSE_CHARACTERS]).split("\n")
    lines = [line.strip()[: limits.LONGEST_CLOSE] for line in head[: limits.CLOSE_LINES]]
    for wanted in candidates:
        needle = FOLDS["whitespace"](wanted)
        if not is_distinctive(needle) or len(needle) > limits.LONGEST_CLOSE:
            continue
        best = extractOne(needle, lines, scorer=Levenshtein.normalized_similarity, score_cutoff=limits.CLOSE)
        if best is None and len(candidates) == 1 and len(needle) >= limits.SHORTEST_PART:
            # A text that is no line may be a part of one.
            longer = [line if len(line) > len(needle) else None for line in lines]
            best = extractOne(needle, longer, scorer=partial_ratio, score_cutoff=limits.CLOSE_PART)
        if best is not None:
            return int(best[2]) + 1, wanted
    return None
