"""Anchors: the lines that `@@` names, and the blocks that they open.

An anchor is found by the tiers of the dialect or, where these include `similar`, as the beginning of a line. It may
occur several times; the hunk must follow one of them, and a place inside the block that an anchor opens wins.
"""

from __future__ import annotations

from bisect import bisect
from itertools import accumulate
from re import compile as pattern

from .limits import BLOCK_BUDGET, LONGEST_COMPARED, MOST_ANCHORS, MOST_PLACES, MOST_STACKED
from .place import line_after
from .search import find_block, lines_with
from .tiers import FOLDING, FOLDS, fold_text, is_of_word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def find_anchors(body: str, anchors: Sequence[str], tiers: Sequence[str]) -> tuple[list[int], tuple[str, ...], str]:
    """All places of the last anchor that follow places of those before it, in order, and the concessions it took; or
    no places, and the anchor that has none.
    """
    folded = fold_text(body)
    spots: list[int] = []
    notes: dict[str, None] = {}
    for number, anchor in enumerate(anchors):
        starts, note = _find_anchor(body, folded, anchor, tiers) if number < MOST_STACKED else ([], "")
        if number:
            starts = [start for start in starts if start > spots[0]]
            # A list that may have been cut short chooses nothing.
            starts = (inside_blocks(body, spots, starts) if len(spots) < MOST_PLACES else []) or starts
        if not starts:
            return [], (), anchor
        spots = starts
        notes[note] = None
    return spots, tuple(filter(None, notes)), ""


def _find_anchor(body: str, folded: str, anchor: str, tiers: Sequence[str]) -> tuple[list[int], str]:
    """The lines that an anchor names, and the concession that finding them took, if it took one.

    Models write the header without its indentation, so lines that differ in nothing else are equally good, unless the
    anchor itself is indented.
    """
    folding = [tier for tier in FOLDING if tier in tiers]
    fold = FOLDS[folding[-1]]
    wanted = fold(anchor)
    # The longest word is in the text however its blanks and its punctuation were written, where offsets agree.
    text, needle = (folded, max(wanted.split(), key=len)) if len(folded) == len(body) else (body, anchor.strip())
    # What is too common must be a whole line.
    lines = [(start, body[start:end]) for start, end in lines_with(text, needle, most=MOST_ANCHORS) or ()]
    same = [(start, line) for start, line in lines if fold(line) == wanted]
    for strip in (str.rstrip, str.strip) if anchor[:1].isspace() else (str.strip,):
        if starts := [start for start, line in same if strip(line) == strip(anchor)]:
            return starts, ""
    if same:
        return [start for start, _ in same], "anchor_normalized"
    begun = [(start, fold(line)[len(wanted) :]) for start, line in lines if fold(line).startswith(wanted)]
    if begun and "similar" in tiers:
        # Lines in which its last word goes on are meant only if there are no others.
        whole = [start for start, rest in begun if not (is_of_word(wanted[-1]) and is_of_word(rest[:1]))]
        return whole or [start for start, _ in begun], "anchor_shortened"
    found = find_block(body, (anchor,), folding)
    if found is None:
        return [], ""
    return found.starts, "anchor_normalized" if found.tier in ("punctuation", "whitespace") else ""


def inside_blocks(body: str, spots: Sequence[int], starts: Sequence[int]) -> list[int]:
    """Those of the starts that lie inside the block of one of the spots.

    A block goes on to the next line that is indented no deeper than the line that opens it; a closing bracket at its
    indentation belongs to it. A budget bounds the reading: where it runs out nothing is left out.
    """
    budget = BLOCK_BUDGET
    ends: list[int] = []
    for spot in spots:
        after = line_after(body, spot)
        width = after - 1 - spot - len(body[spot : after - 1].lstrip())
        ending = pattern(rf"\n[ \t]{{0,{width}}}[^\s)\]{{}}]").search(body, after - 1)
        ends.append(len(body) + 1 if ending is None else ending.start() + 1)
        budget -= ends[-1] - spot
        if budget < 0:
            return list(starts)
    reach = list(accumulate(ends, max))
    return [start for start in starts if (count := bisect(spots, start)) and start < reach[count - 1]]


def innermost(body: str, offset: int, starts: Sequence[int]) -> int | None:
    """The one of the starts after an offset that is in the innermost block open there; None where there is no one.

    How far in a start is, is the least indentation of the lines from the last one before the offset that is more than
    brackets to its own. A budget bounds the reading.
    """
    if starts[-1] - offset > BLOCK_BUDGET:
        return None
    depths: dict[int, int] = {}
    top = max(0, offset - LONGEST_COMPARED)
    depth, position = len(body), top + body[top:offset].rstrip(" \t\n)]}").rfind("\n") + 1
    first = position
    for line in body[position : line_after(body, starts[-1])].split("\n"):
        if line.strip(" \t)]}"):
            depth = min(depth, len(line) - len(line.lstrip()))
        depths[position] = depth
        position += len(line) + 1
    inside = [depths.get(start, depths[first]) for start in starts]
    return starts[inside.index(max(inside))] if inside.count(max(inside)) == 1 else None
